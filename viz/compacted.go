package viz

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
)

// What a workspace keeps for structural compaction. A compacted tree is made
// from the one before by small steps, so that those looked at last are kept;
// its nodes are not named by methods, so that names and colours are others.

// keptCompacted is how many compacted trees are kept: that of the picture, one
// that another picture shows, and what undoing goes back to. Each has six bytes
// per context besides its rows.
const keptCompacted = 4

type compactions struct {
	mu       sync.Mutex
	keys     []string
	trees    []*query.Compacted // the one that was asked for last is the last
	names    map[*data.EntityTable]*compact.Names
	programs map[*data.EntityTable]*Program
}

func (m made) GetCompacted(pipeline string) *query.Compacted {
	c := &m.w.compactions
	c.mu.Lock()
	defer c.mu.Unlock()
	key := m.filter + "\x00" + pipeline
	i := slices.Index(c.keys, key)
	if i < 0 {
		return nil
	}
	t := c.trees[i]
	c.keys, c.trees = append(slices.Delete(c.keys, i, i+1), key), append(slices.Delete(c.trees, i, i+1), t)
	return t
}

func (m made) PutCompacted(pipeline string, t *query.Compacted) {
	c := &m.w.compactions
	c.mu.Lock()
	defer c.mu.Unlock()
	key := m.filter + "\x00" + pipeline
	if i := slices.Index(c.keys, key); i >= 0 {
		c.trees[i] = t
		return
	}
	if len(c.keys) == keptCompacted {
		c.keys, c.trees = slices.Delete(c.keys, 0, 1), slices.Delete(c.trees, 0, 1)
	}
	c.keys, c.trees = append(c.keys, key), append(c.trees, t)
}

// CompactNames gives the compacted names of the data set's methods, or of the
// compacted names of an earlier compaction.
func (m made) CompactNames(methods *data.EntityTable) *compact.Names {
	program := m.w.programOf(methods)
	c := &m.w.compactions
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.names[methods]; n != nil {
		return n
	}
	n := compact.NewNames(methods, program.Names)
	if c.names == nil {
		c.names, c.programs = map[*data.EntityTable]*compact.Names{}, map[*data.EntityTable]*Program{}
	}
	c.names[methods] = n
	c.programs[n.Table()] = compactProgram(m.w.Program(), n)
	return n
}

// ProgramOf gives the names and colours of what the nodes of a tree are named
// by: the data set's methods, or compacted names.
func (w *Workspace) ProgramOf(t *cct.Tree) *Program { return w.programOf(t.Methods) }

func (w *Workspace) programOf(methods *data.EntityTable) *Program {
	c := &w.compactions
	c.mu.Lock()
	p := c.programs[methods]
	c.mu.Unlock()
	if p == nil {
		p = w.Program()
	}
	return p
}

// compactProgram gives compacted names the hues that methods have: a package
// the middle one of all that is in it, so that expanding a node splits its hue.
func compactProgram(base *Program, names *compact.Names) *Program {
	n := len(names.Symbols)
	p := &Program{
		Names: names.Symbols, Short: make([]string, n), Packages: make([]string, n), Compacted: true,
		set: base.set, methods: names.Table(), spans: base.spans,
	}
	order := make([]string, 0, len(base.spans))
	for name := range base.spans {
		order = append(order, name)
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Compare(a, b) })
	for i, s := range p.Names {
		p.Packages[i] = s.PackageName(len(s.Package))
		if s.Method != "" {
			p.Short[i] = short(s)
		} else if s.Class != "" {
			p.Short[i] = s.Class
		} else {
			p.Short[i] = names.Table().NameOf(data.EntityID(i))
		}
		if _, ok := p.spans[p.Packages[i]]; !ok && p.Packages[i] != "" {
			if p.spans == nil {
				p.spans = map[string]hueSpan{}
			}
			if s, ok := within(base.spans, order, p.Packages[i]); ok {
				p.extra(p.Packages[i], s)
			}
		}
	}
	p.paint()
	return p
}

// extra adds the hues of a package that has no methods of its own; the first
// one makes the table the program's own.
func (p *Program) extra(name string, s hueSpan) {
	if !p.ownSpans {
		own := make(map[string]hueSpan, 2*len(p.spans))
		for k, v := range p.spans {
			own[k] = v
		}
		p.spans, p.ownSpans = own, true
	}
	p.spans[name] = s
}

// within gives the hues of all packages whose name begins with that of another;
// order has the names in order.
func within(spans map[string]hueSpan, order []string, name string) (all hueSpan, ok bool) {
	i, _ := slices.BinarySearch(order, name)
	for ; i < len(order) && strings.HasPrefix(order[i], name); i++ {
		s := spans[order[i]]
		if !ok {
			all, ok = s, true
		}
		all.width = s.from + s.width - all.from
	}
	return all, ok
}

// Act takes an action on the compacted nodes of a picture, and gives the steps
// after it. If it is blocked, the error is a *[compact.Blocked].
func (w *Workspace) Act(ctx context.Context, view string, params map[string]string, l Look, act query.Act) (steps string, err error) {
	if w.Tree == nil {
		return "", &cct.ErrNoContexts{Set: w.Set.Name}
	}
	if l, err = w.Completed(view, params, l); err != nil {
		return "", err
	}
	p, err := query.ParsePipeline(l.Steps)
	if err != nil {
		return "", err
	}
	trees := made{w: w, filter: l.Filter}
	base, err := trees.base(ctx)
	if err != nil {
		return "", err
	}
	if act.Kind == compact.Explain {
		act.Name = l.Metric
	}
	// Where nothing is compacted, all names are shown whole.
	start := query.Step{Kind: query.Compact, Text: wholeNames}
	p, err = p.Act(ctx, base, trees, start, act)
	return p.String(), err
}

// wholeNames is the text of a compaction that shows all names whole.
const wholeNames = "65535"

// Completed adds to a look what a view needs and it does not have.
func (w *Workspace) Completed(view string, params map[string]string, l Look) (Look, error) {
	f, err := Find(view)
	if err != nil || f.Definition.Compaction == nil {
		return l, err
	}
	p, err := query.ParsePipeline(l.Steps)
	if err != nil || p.Compacts() {
		return l, err
	}
	if params, err = f.Definition.For(w.Difference != nil).CheckParams(params); err != nil {
		return l, err
	}
	more, err := query.ParsePipeline(f.Definition.Compaction(params, l.Metric))
	if err != nil {
		return l, err
	}
	l.Steps = append(p, more...).String()
	return l, nil
}

// background of a package's legend entry; see [Program.PackageColor].
func (p *Program) groupColors() {
	for th, tone := range tones {
		p.groups[th] = map[string]scene.Color{}
		for name, s := range p.spans {
			p.groups[th][name] = scene.OKLCH(tone.light, tone.chroma, s.from+s.width/2)
		}
	}
}
