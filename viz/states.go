package viz

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/query"
)

// Settings that name contexts by their ids are saved with stacks in place of
// these, as steps are (see Save).

// nameContexts moves the settings of a chart that are lists of ids to lists of
// stacks. What is no list of ids stays.
func (w *Workspace) nameContexts(c *chartDocument) {
	f, err := Find(c.View)
	if err != nil || w.Tree == nil {
		return
	}
	for _, p := range f.Definition.Parameters {
		text := c.Params[p.Name]
		if !p.Contexts || text == "" {
			continue
		}
		var stacks []string
		for part := range strings.SplitSeq(text, ".") {
			id, err := strconv.ParseUint(part, 10, 32)
			if err != nil || id >= uint64(w.Tree.Len()) {
				stacks = nil
				break
			}
			stacks = append(stacks, query.StackOf(w.Tree, cct.NodeID(id)))
		}
		if stacks == nil {
			continue
		}
		if c.Contexts == nil {
			c.Contexts = map[string][]string{}
			c.Params = maps.Clone(c.Params)
		}
		c.Contexts[p.Name] = stacks
		delete(c.Params, p.Name)
	}
}

// findContexts is the way back. Of a list whose contexts are not all here, those
// that are remain.
func (w *Workspace) findContexts(c chartDocument) (params map[string]string, problems []string) {
	params = c.Params
	if len(c.Contexts) == 0 || w.Tree == nil {
		return params, nil
	}
	var all []string
	for _, stacks := range c.Contexts {
		all = append(all, stacks...)
	}
	found := query.FindStacks(w.Tree, all)
	found[""] = cct.Root
	params = maps.Clone(params)
	if params == nil {
		params = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Contexts)) {
		var ids []string
		missing := 0
		for _, stack := range c.Contexts[name] {
			if n, ok := found[stack]; ok {
				ids = append(ids, strconv.Itoa(int(n)))
			} else {
				missing++
			}
		}
		if len(ids) > 0 {
			params[name] = strings.Join(ids, ".")
		}
		if missing > 0 {
			problems = append(problems, fmt.Sprintf("%d of %d contexts of the setting %q do not occur here.", missing, len(c.Contexts[name]), name))
		}
	}
	return params, problems
}
