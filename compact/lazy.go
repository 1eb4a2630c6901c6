package compact

import (
	"github.com/cambium-prof/cambium/cct"
)

// Many actions, one after the other, without a tree after each: an address that
// is opened anew has all that a person did. An action needs to know which
// contexts are in the node that it is about, and in the nodes that it makes, and
// that can be found from the root down, through the nodes on the way alone: they
// are solved as in [solver.solve], and the others never. What that costs depends
// on how much these nodes hold, and not on how many there are.

// lazy finds nodes of a tree of some levels.
type lazy struct {
	of    *Tree // without rows: what is compacted, and the levels now
	s     *solver
	began uint32   // the first row of the present levels: what rows before it say is of the past
	topOf []uint32 // context -> row that it is one of the highest of; may be of the past
	way   []uint32 // scratch
}

func newLazy(t *Tree) *lazy {
	l := &lazy{s: newSolver(t.From, t.FromRoot, t.Names, t.level), topOf: make([]uint32, len(t.level))}
	l.levels(t, t.level)
	return l
}

// levels goes on with other levels.
func (l *lazy) levels(t *Tree, level []uint16) {
	l.of = &Tree{From: t.From, FromRoot: t.FromRoot, Names: t.Names, level: level}
	l.s.level = level
	l.began = uint32(len(l.s.parent))
	clear(l.s.typed)
	first := l.s.add(none, l.s.shownName(0))
	l.s.put(first, 0)
	l.topOf[0] = first
}

// solved tells in which row a context is, if that has been solved.
func (l *lazy) solved(i uint32) (row uint32, ok bool) {
	row = uint32(l.s.into[i]) - 1
	return row, l.s.into[i] != 0 && row >= l.began
}

func (l *lazy) row(i uint32) uint32 {
	// Up to a context that is in a solved row, or to the root; down from there.
	l.way = l.way[:0]
	for at := i; ; {
		if row, ok := l.solved(at); ok {
			if at == i {
				return row
			}
			break
		}
		l.way = append(l.way, at)
		if at == 0 {
			break
		}
		at = uint32(l.of.From.Parent[l.of.FromRoot+cct.NodeID(at)] - l.of.FromRoot)
	}
	for k := len(l.way) - 1; k >= 0; k-- {
		// Its caller is in a solved row, and it is not: so it is one of the
		// highest of a row below that.
		if _, ok := l.solved(l.way[k]); !ok {
			l.solve(l.topOf[l.way[k]])
		}
	}
	row, _ := l.solved(i)
	return row
}

// solve finds the contexts of a row, and makes the rows below it.
func (l *lazy) solve(r uint32) {
	s := l.s
	first := uint32(len(s.parent))
	if types := s.typed[r]; types != nil {
		s.solveParts(r, types)
	} else if inner := s.flood(r); !s.divide(r, inner) {
		s.solveParts(r, nil)
	}
	for row := first; int(row) < len(s.parent); row++ {
		for top := s.head[row]; top != none; top = s.next[top] {
			l.topOf[top] = row
		}
	}
}

func (l *lazy) name(row uint32) NameID { return l.s.name[row] }

// tops calls visit for the highest contexts of a row that has been solved, with
// the ends of their subtrees.
func (l *lazy) tops(row uint32, visit func(top, end uint32)) {
	for top := l.s.head[row]; top != none; top = l.s.next[top] {
		visit(top, uint32(l.s.end[top]-l.s.root))
	}
}

func (l *lazy) members(row uint32) (all []uint32) {
	l.tops(row, func(top, end uint32) {
		for i := top; i < end; {
			if uint32(l.s.into[i]) == row+1 {
				all = append(all, i)
				i++
			} else {
				i = uint32(l.s.end[i] - l.s.root)
			}
		}
	})
	return all
}

func (l *lazy) within(row uint32) (runs [][2]uint32) {
	l.tops(row, func(top, end uint32) { runs = append(runs, [2]uint32{top, end}) })
	return runs
}

// take takes an action, of those that are about parts of the tree.
func (l *lazy) take(a Action) error {
	c := &change{of: l.of, nodes: l, levels: l.of.level}
	if err := c.take(a); err != nil {
		return err
	}
	if len(c.changed) == 0 {
		return nil
	}
	// What there was is gone when the new levels are looked at.
	before, _ := l.of.widest(l, l.of.level, c.changed)
	old := l.of
	l.levels(old, c.levels)
	if err := c.further(before, l); err != nil {
		l.levels(old, old.level)
		return err
	}
	return nil
}

// ApplyAll is [Tree.Apply] with one action after the other. Those that are
// blocked, or about what there is not, change nothing; the errors are by action.
func (t *Tree) ApplyAll(actions []Action) (*Tree, []error) {
	errs := make([]error, len(actions))
	var l *lazy
	settle := func() {
		if l != nil {
			t, l = t.withLevels(l.of.level), nil
		}
	}
	for k, a := range actions {
		switch a.Kind {
		case Expand, Compact, Level, ExpandHere, CompactHere, ExpandPackage, CompactPackage:
			// One by itself is made from the tree that there is.
			if l == nil && k < len(actions)-1 {
				l = newLazy(t)
			}
			if l != nil {
				errs[k] = l.take(a)
				continue
			}
		}
		settle()
		made, err := t.Apply(a)
		if errs[k] = err; err == nil {
			t = made
		}
	}
	settle()
	return t, errs
}

// withLevels is the tree of other levels.
func (t *Tree) withLevels(levels []uint16) *Tree {
	c := t.change()
	for i, level := range levels {
		if level != t.level[i] {
			c.changed = append(c.changed, uint32(i))
		}
	}
	c.levels = levels
	return t.apply(c)
}
