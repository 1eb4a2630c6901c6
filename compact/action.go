package compact

import (
	"fmt"

	"github.com/cambium-prof/cambium/cct"
)

// Kind is one of the actions that a person can take on a compacted tree.
type Kind string

const (
	// Expand shows one more element of the names in a compacted node
	// (expand:ID). If some of it is hidden (see Level), it shows that instead.
	Expand Kind = "expand"
	// Compact shows one element less of the names in a compacted node (compact:ID).
	Compact Kind = "compact"
	// ExpandAll and CompactAll do the same for all contexts.
	ExpandAll  Kind = "expand-all"
	CompactAll Kind = "compact-all"
	// ExpandPackage shows one more element of all names in a package, wherever
	// they are in the tree (expand-package:NAME).
	ExpandPackage Kind = "expand-package"
	// CompactPackage shows one element less, down to the package's own.
	CompactPackage Kind = "compact-package"
	// ExpandHere and CompactHere do the same in a compacted node and what is
	// below it only (expand-here:ID=NAME).
	ExpandHere  Kind = "expand-here"
	CompactHere Kind = "compact-here"
	// Level sets the level of all contexts in a compacted node (level:ID=N). At
	// level 0 they are hidden: shown as part of their callers.
	Level Kind = "level"
	// LevelAll sets that of all contexts (level-all:N, from 1).
	LevelAll Kind = "level-all"
	// Reset is level 1 for all: fully compacted.
	Reset Kind = "reset"
	// Explain compacts to the N nodes that tell most about where a metric
	// goes (explain:N=METRIC), see [Tree.Explain].
	Explain Kind = "explain"
)

// Action is something a person does to a compacted tree. Which fields count is
// up to the kind.
type Action struct {
	Kind Kind
	Node cct.NodeID // id of a compacted node, or of any context in it
	N    int        // level or number of nodes
	Name string     // text of a package's compacted name, or name of the metric; "" is the preferred one
}

// Blocked tells in one sentence why an action changes nothing, and what to do
// first.
type Blocked struct{ Why string }

func (b *Blocked) Error() string { return b.Why }

func blocked(format string, args ...any) error { return &Blocked{fmt.Sprintf(format, args...)} }

// Apply gives the tree after an action. If the action is blocked, the error is
// a *[Blocked]; any other one tells that there is no such node, package or
// metric.
func (t *Tree) Apply(a Action) (*Tree, error) {
	if a.Kind == Explain {
		return t.explain(a)
	}
	c := t.change()
	if err := c.take(a); err != nil {
		return nil, err
	}
	made := t.apply(c)
	if a.Kind == LevelAll || a.Kind == Reset {
		return made, nil
	}
	if err := c.tooFar(made); err != nil {
		return nil, err
	}
	return made, nil
}

// nodes tells which contexts are one compacted node. Contexts are numbered from
// the root of what is compacted. A [Tree] has all of the nodes; [lazy] finds
// those that are asked for.
type nodes interface {
	row(i uint32) uint32           // of a context
	name(row uint32) NameID        // noName of a synthetic root
	members(row uint32) []uint32   // in rising order
	within(row uint32) [][2]uint32 // the contexts in it and below it: from, to
}

func (t *Tree) row(i uint32) uint32    { return uint32(t.into[i]) }
func (t *Tree) name(row uint32) NameID { return t.Method[row] }
func (t *Tree) members(row uint32) (all []uint32) {
	for i, r := range t.into {
		if uint32(r) == row {
			all = append(all, uint32(i))
		}
	}
	return all
}

func (t *Tree) within(row uint32) (runs [][2]uint32) {
	// The contexts below a node are those below its highest.
	for i := 0; i < len(t.into); i++ {
		if uint32(t.into[i]) == row {
			end := t.From.End[t.FromRoot+cct.NodeID(i)] - t.FromRoot
			runs = append(runs, [2]uint32{uint32(i), uint32(end)})
			i = int(end) - 1
		}
	}
	return runs
}

// take sets the levels of an action.
func (c *change) take(a Action) error {
	switch a.Kind {
	case Expand, Compact, Level:
		return c.node(a)
	case ExpandAll, CompactAll, LevelAll, Reset:
		return c.all(a)
	case ExpandPackage, CompactPackage, ExpandHere, CompactHere:
		return c.pack(a)
	}
	return fmt.Errorf("there is no action %q", a.Kind)
}

// rowOf finds the compacted node of an id.
func (c *change) rowOf(id cct.NodeID) (uint32, error) {
	from, root := c.of.From, c.of.FromRoot
	n, ok := from.Node(id)
	if !ok || n < root || n >= from.End[root] {
		return 0, fmt.Errorf("there is no context %d in this tree", id)
	}
	return c.nodes.row(uint32(n - root)), nil
}

// called is what a row shows of its names.
func (c *change) called(row uint32) string { return c.of.Names.Table().NameOf(c.nodes.name(row)) }

// node does what is done to one compacted node.
func (c *change) node(a Action) error {
	t := c.of
	row, err := c.rowOf(a.Node)
	if err != nil {
		return err
	}
	name := c.nodes.name(row)
	if name == noName && a.Kind != Expand {
		return blocked("The root stands for no context and has no level: choose a node below it.")
	}
	if a.Kind == Level && a.N < 0 {
		return fmt.Errorf("the level %d: expected a number from 0", a.N)
	}
	hidden := false
	members := c.nodes.members(row)
	for _, i := range members {
		hidden = hidden || a.Kind == Expand && t.isHidden(i)
	}
	for _, i := range members {
		level := int(t.level[i])
		switch {
		case a.Kind == Level:
			level = a.N
		case a.Kind == Compact:
			level = max(level-1, min(level, 1))
		case hidden == t.isHidden(i):
			level++
		}
		c.set(i, level)
	}
	switch {
	case len(c.changed) > 0:
		return c.belowCaller()
	case a.Kind == Expand && name == noName:
		return blocked("Nothing is hidden in the root.")
	case a.Kind == Expand:
		return blocked("%s shows its whole name already.", c.called(row))
	case a.Kind == Compact:
		return blocked("%s shows a single element of its name already.", c.called(row))
	}
	return nil
}

// isHidden reports whether a context is shown as part of its caller.
func (t *Tree) isHidden(i uint32) bool {
	return t.level[i] == 0 && t.From.Method[t.FromRoot+cct.NodeID(i)] != noName
}

// all does what is done to all contexts.
func (c *change) all(a Action) error {
	t := c.of
	if a.Kind == LevelAll && a.N < 1 {
		return fmt.Errorf("the level %d: expected a number from 1", a.N)
	}
	for i, level := range t.level {
		to := int(level)
		switch a.Kind {
		case ExpandAll:
			to++
		case CompactAll:
			to = max(to-1, min(to, 1))
		case LevelAll:
			to = a.N
		case Reset:
			to = 1
		}
		c.set(uint32(i), to)
	}
	switch {
	case len(c.changed) > 0:
	case a.Kind == ExpandAll:
		return blocked("All nodes show their whole names already.")
	case a.Kind == CompactAll:
		return blocked("All nodes show a single element of their names already.")
	}
	return nil
}

// pack does what is done to a package, in a part of the tree or everywhere.
func (c *change) pack(a Action) error {
	t := c.of
	name, ok := t.Names.Find(a.Name)
	if !ok {
		return fmt.Errorf("there is no package, class or method %q", a.Name)
	}
	runs := [][2]uint32{{0, uint32(len(t.level))}}
	if a.Kind == ExpandHere || a.Kind == CompactHere {
		row, err := c.rowOf(a.Node)
		if err != nil {
			return err
		}
		runs = c.nodes.within(row)
	}
	expand, least := a.Kind == ExpandPackage || a.Kind == ExpandHere, t.Names.Depth(name)
	found := false
	for _, run := range runs {
		for i := run[0]; i < run[1]; i++ {
			method := t.From.Method[t.FromRoot+cct.NodeID(i)]
			if method == noName || !t.Names.within(method, name) {
				continue
			}
			found = true
			level := int(t.level[i])
			switch {
			case expand:
				level++
			case level > least:
				level--
			}
			c.set(i, level)
		}
	}
	switch {
	case !found:
		return blocked("Nothing of %s is called here.", a.Name)
	case len(c.changed) > 0:
		return c.belowCaller()
	case expand:
		return blocked("All of %s shows its whole names already.", a.Name)
	}
	return blocked("All of %s is shown as %s or less already.", a.Name, a.Name)
}

// belowCaller is the first of the two things that section 3.3.1 forbids: to
// lower a context's level below its caller's, as a callee cannot take over its
// caller. It does not forbid that for names without a common first element:
// these cannot take over each other at any level, so that their levels are
// not comparable (figures 8 and 10 have such callers).
func (c *change) belowCaller() error {
	t := c.of
	for _, i := range c.changed {
		level := c.levels[i]
		if i == 0 || level > t.level[i] || level == 0 {
			continue
		}
		n := t.FromRoot + cct.NodeID(i)
		caller := t.From.Parent[n] - t.FromRoot
		for t.isHidden(uint32(caller)) && c.levels[caller] == 0 && caller > 0 {
			caller = t.From.Parent[t.FromRoot+caller] - t.FromRoot
		}
		above := t.From.Method[t.FromRoot+caller]
		if above == noName || c.levels[caller] <= level || c.levels[caller] < t.level[caller] ||
			t.Names.at(above, 1) != t.Names.at(t.From.Method[n], 1) {
			continue
		}
		callee := t.Names.at(t.From.Method[n], level)
		shown := t.Names.at(above, c.levels[caller])
		return blocked("%s cannot be shown as %s below %s, since a callee cannot take over its caller: compact %s first.",
			c.called(c.nodes.row(i)), t.Names.Table().NameOf(callee), t.Names.Table().NameOf(shown), t.Names.Table().NameOf(shown))
	}
	return nil
}

// tooFar is the second: that a context takes over one whose name shows more
// than one element more. What did so before may do so still.
func (c *change) tooFar(made nodes) error {
	before, _ := c.of.widest(c.nodes, c.of.level, c.changed)
	return c.further(before, made)
}

// further is tooFar with the largest difference there was.
func (c *change) further(before int, made nodes) error {
	after, member := c.of.widest(made, c.levels, c.changed)
	if after <= max(before, 1) {
		return nil
	}
	t, names := c.of, c.of.Names.Table()
	name := names.NameOf(t.Names.at(t.From.Method[t.FromRoot+cct.NodeID(member)], c.levels[member]))
	row := names.NameOf(made.name(made.row(member)))
	return blocked("%s would take over %s, more than one level of the hierarchy away: compact %s first.", row, name, name)
}

// widest looks, in the nodes of some contexts, for the largest difference
// between the level of a member and that of the node, and gives that member,
// the first if there are several.
func (t *Tree) widest(in nodes, level []uint16, contexts []uint32) (difference int, member uint32) {
	if whole, ok := in.(*Tree); ok {
		return whole.widestOf(contexts)
	}
	looked := map[uint32]bool{}
	for _, i := range contexts {
		row := in.row(i)
		if looked[row] {
			continue
		}
		looked[row] = true
		if in.name(row) == noName {
			continue
		}
		depth := t.Names.Depth(in.name(row))
		for _, i := range in.members(row) {
			if d := int(level[i]) - depth; d > difference || d == difference && d > 0 && i < member {
				difference, member = d, i
			}
		}
	}
	return difference, member
}

// widestOf is widest for a tree that knows all of its nodes: one pass over the
// contexts does for any number of them.
func (t *Tree) widestOf(contexts []uint32) (difference int, member uint32) {
	looked := make(bits, t.Len()/64+1)
	for _, i := range contexts {
		looked.set(int(t.into[i]))
	}
	for i, row := range t.into {
		if !looked.has(int(row)) || t.Method[row] == noName {
			continue
		}
		if d := int(t.level[i]) - t.Level(row); d > difference {
			difference, member = d, uint32(i)
		}
	}
	return difference, member
}
