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
	c := t.change()
	var err error
	switch a.Kind {
	case Expand, Compact, Level:
		err = c.node(a)
	case ExpandAll, CompactAll, LevelAll, Reset:
		err = c.all(a)
	case ExpandPackage, CompactPackage, ExpandHere, CompactHere:
		err = c.pack(a)
	case Explain:
		return t.explain(a)
	default:
		return nil, fmt.Errorf("there is no action %q", a.Kind)
	}
	if err != nil {
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

// row finds the compacted node of an id.
func (t *Tree) row(id cct.NodeID) (cct.NodeID, error) {
	row, ok := t.Node(id)
	if !ok {
		return row, fmt.Errorf("there is no context %d in this tree", id)
	}
	return row, nil
}

// members calls visit for the contexts of a row, numbered from FromRoot.
func (t *Tree) members(row cct.NodeID, visit func(i uint32)) {
	for i, r := range t.into {
		if r == row {
			visit(uint32(i))
		}
	}
}

// node does what is done to one compacted node.
func (c *change) node(a Action) error {
	t := c.of
	row, err := t.row(a.Node)
	if err != nil {
		return err
	}
	if t.Method[row] == noName && a.Kind != Expand {
		return blocked("The root stands for no context and has no level: choose a node below it.")
	}
	if a.Kind == Level && a.N < 0 {
		return fmt.Errorf("the level %d: expected a number from 0", a.N)
	}
	hidden := false
	if a.Kind == Expand {
		t.members(row, func(i uint32) { hidden = hidden || t.isHidden(i) })
	}
	t.members(row, func(i uint32) {
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
	})
	switch {
	case len(c.changed) > 0:
		return c.belowCaller()
	case a.Kind == Expand && t.Method[row] == noName:
		return blocked("Nothing is hidden in the root.")
	case a.Kind == Expand:
		return blocked("%s shows its whole name already.", t.Name(row))
	case a.Kind == Compact:
		return blocked("%s shows a single element of its name already.", t.Name(row))
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
	from, to := cct.Root, t.End[cct.Root]
	if a.Kind == ExpandHere || a.Kind == CompactHere {
		row, err := t.row(a.Node)
		if err != nil {
			return err
		}
		from, to = row, t.End[row]
	}
	expand, least := a.Kind == ExpandPackage || a.Kind == ExpandHere, t.Names.Depth(name)
	found := false
	for i, row := range t.into {
		method := t.From.Method[t.FromRoot+cct.NodeID(i)]
		if row < from || row >= to || method == noName || !t.Names.within(method, name) {
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
		c.set(uint32(i), level)
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
			t.Name(t.into[i]), t.Names.Table().NameOf(callee), t.Names.Table().NameOf(shown), t.Names.Table().NameOf(shown))
	}
	return nil
}

// tooFar is the second: that a context takes over one whose name shows more
// than one element more. What did so before may do so still.
func (c *change) tooFar(made *Tree) error {
	t := c.of
	before, _ := t.widest(c.changed)
	after, member := made.widest(c.changed)
	if after <= max(before, 1) {
		return nil
	}
	name := t.Names.Table().NameOf(t.Names.at(t.From.Method[t.FromRoot+cct.NodeID(member)], c.levels[member]))
	return blocked("%s would take over %s, more than one level of the hierarchy away: compact %s first.",
		made.Name(made.into[member]), name, name)
}

// widest looks, in the nodes of some contexts, for the largest difference
// between the level of a member and that of the node, and gives that member.
func (t *Tree) widest(contexts []uint32) (difference int, member uint32) {
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
