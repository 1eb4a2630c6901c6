package viz

import (
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// How colour groups and selections, which speak of entities, reach charts of
// trees, which draw contexts. All slices are by row of the data set's own tree,
// and kept: they cost as much as there is, and a chart as much as it shows.

// nodeGroups gives every context its colour group.
func (w *Workspace) nodeGroups(groups []Group) ([]uint8, error) {
	groups = groups[:min(len(groups), maxGroups)]
	var key strings.Builder
	shown := false
	for _, g := range groups {
		if g.Hidden {
			g.Filter = ""
		}
		shown = shown || strings.TrimSpace(g.Filter) != ""
		fmt.Fprintf(&key, "%d:%s", len(g.Filter), g.Filter)
	}
	if !shown {
		return nil, nil
	}
	return w.colored.get(key.String(), func() ([]uint8, error) {
		pass, err := w.pass(Shared{Groups: groups})
		if err != nil {
			return nil, err
		}
		colors := make([]uint8, w.Tree.Len())
		// Backwards, so that the first group that holds has the last word.
		for g := len(groups) - 1; g >= 0; g-- {
			for row, in := range pass.Groups[g].Entities(w.Tree.ContextTable) {
				if in {
					colors[w.Tree.OfContext(data.EntityID(row))] = uint8(g + 1)
				}
			}
		}
		return colors, nil
	})
}

// selectedNodes marks the contexts that a selection holds for; nil if there is
// none or it says nothing about contexts.
func (w *Workspace) selectedNodes(selection string) ([]bool, error) {
	if strings.TrimSpace(selection) == "" {
		return nil, nil
	}
	return w.selected.get(selection, func() ([]bool, error) {
		f, err := w.ownFilter(selection)
		if err != nil {
			return nil, fmt.Errorf("selection: %w", err)
		}
		marks := f.Entities(w.Tree.ContextTable)
		if marks == nil {
			return nil, nil
		}
		nodes := make([]bool, w.Tree.Len())
		for row, in := range marks {
			if in {
				nodes[w.Tree.OfContext(data.EntityID(row))] = true
			}
		}
		return nodes, nil
	})
}

// NodeColor gives the colour of a node by the group of the context it stands
// for; ok is false if it has none.
func (c Config) NodeColor(n cct.NodeID) (group int, ok bool) {
	if c.Colors == nil {
		return 0, false
	}
	g := c.Colors[c.View.ID(n)]
	return int(g) - 1, g > 0
}

// Marked are the nodes to emphasize: what a search found, else what is
// selected; nil if there is neither. A node that stands for several contexts is
// selected if one of them is.
func (c Config) Marked() *cct.Matches {
	if c.Matches != nil || c.Selected == nil {
		return c.Matches
	}
	t := c.View.Tree
	nodes := make([]bool, t.Len())
	for id, in := range c.Selected {
		if in {
			if n, ok := t.Node(cct.NodeID(id)); ok {
				nodes[n] = true
			}
		}
	}
	return cct.Find(t, c.View.Root, c.Metric, cct.Predicate{Context: func(_ *cct.Tree, n cct.NodeID) bool { return nodes[n] }})
}
