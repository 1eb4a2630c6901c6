// Package compact raises or lowers the abstraction of parts of a calling
// context tree: structural compaction of Lin et al., "Towards anomaly
// comprehension: using structural compression to navigate profiling
// call-trees" (2010).
//
// Every context has a granularity level: how many elements of its name are
// shown (package parts, class, method), which is its compacted name. Compacted
// names decide which contexts take over which, and the connected components of
// that are the nodes of the compacted tree (section 3.2). [New] makes one,
// [Tree.Apply] makes the next by an action of a person (section 3.3.1), and a
// [History] can undo. A [Tree] is a cct.Tree, so that every view of trees
// can show it.
//
// What does not belong: the splitting of names (package symbol), the pipeline
// of tree operations and its text (package query), and pictures.
package compact

import (
	"iter"

	"github.com/cambium-prof/cambium/cct"
)

// Tree is a compacted tree. It is never changed; actions make new ones.
//
// As a cct.Tree its rows are the compacted nodes, its Methods the compacted
// names, and Total is the weight of section 3.2: the total of the highest
// context that was merged, or the sum over those if there are several. Self is
// the sum over all contexts that were merged. An id is the smallest of theirs.
// Children are in falling order of the first metric's total, then of the name,
// then of the id.
type Tree struct {
	*cct.Tree
	From     *cct.Tree  // what was compacted …
	FromRoot cct.NodeID // … from this node down
	Names    *Names

	level []uint16     // context, from FromRoot on -> elements that are shown; 0 is shown as part of its caller
	into  []cct.NodeID // context, from FromRoot on -> row
	tops  []uint32     // row -> number of its highest contexts
	typed map[cct.NodeID]bool
}

// New compacts the subtree of root. All contexts have the same level, which
// must be from 1; a context whose name has fewer elements shows them all.
func New(from *cct.Tree, root cct.NodeID, names *Names, level int) *Tree {
	levels := make([]uint16, from.End[root]-root)
	t := &Tree{From: from, FromRoot: root, Names: names, level: levels}
	for i := range levels {
		levels[i] = t.clamp(uint32(i), level)
	}
	return t.fresh(levels)
}

// Set sets the levels of single contexts, and nothing else. Ids that are not
// in the tree are left out. No level is refused here.
func (t *Tree) Set(levels map[cct.NodeID]int) *Tree {
	c := t.change()
	for id, level := range levels {
		if n, ok := t.From.Node(id); ok && n >= t.FromRoot && n < t.From.End[t.FromRoot] {
			c.set(uint32(n-t.FromRoot), level)
		}
	}
	return t.apply(c)
}

// clamp gives the nearest level that a context can have. The synthetic root has
// none; a root that is a context cannot be part of its caller.
func (t *Tree) clamp(i uint32, level int) uint16 {
	method := t.From.Method[t.FromRoot+cct.NodeID(i)]
	if method == noName {
		return 0
	}
	least := 0
	if i == 0 {
		least = 1
	}
	return uint16(max(least, min(level, t.Names.Levels(method))))
}

// Level is the number of elements in a compacted node's name; 0 for the
// synthetic root.
func (t *Tree) Level(row cct.NodeID) int { return t.Names.Depth(t.Method[row]) }

// LevelOf is the granularity level of a context, by its id.
func (t *Tree) LevelOf(id cct.NodeID) (level int, ok bool) {
	n, ok := t.From.Node(id)
	if !ok || n < t.FromRoot || n >= t.From.End[t.FromRoot] {
		return 0, false
	}
	return int(t.level[n-t.FromRoot]), true
}

// Nodes is the number of compacted nodes, the synthetic root left out.
func (t *Tree) Nodes() int { return t.Contexts() }

// Members gives the ids of the data set's contexts that a node stands for, in
// rising order.
func (t *Tree) Members(row cct.NodeID) iter.Seq[cct.NodeID] {
	return func(yield func(cct.NodeID) bool) {
		left := t.Merged[row]
		for id := t.Origin[row]; left > 0 && int(id) < t.Base().Len(); id++ {
			if n, ok := t.Node(id); ok && n == row {
				if !yield(id) {
					return
				}
				left--
			}
		}
	}
}

// AllMembers gives the members of every node: those of row r are
// members[start[r]:start[r+1]], in rising order.
func (t *Tree) AllMembers() (start []uint32, members []cct.NodeID) {
	start = make([]uint32, t.Len()+1)
	n := cct.NodeID(t.Base().Len())
	for id := range n {
		if row, ok := t.Node(id); ok {
			start[row+1]++
		}
	}
	for row := range t.Len() {
		start[row+1] += start[row]
	}
	members = make([]cct.NodeID, start[t.Len()])
	at := append([]uint32(nil), start...)
	for id := range n {
		if row, ok := t.Node(id); ok {
			members[at[row]] = id
			at[row]++
		}
	}
	return start, members
}

// isTop reports whether a context is one of the highest of its node.
func (t *Tree) isTop(i uint32) bool {
	return i == 0 || t.into[t.From.Parent[t.FromRoot+cct.NodeID(i)]-t.FromRoot] != t.into[i]
}

// change collects new levels of contexts.
type change struct {
	of      *Tree    // whose levels, and what they are of
	nodes   nodes    // of those levels
	levels  []uint16 // all of them; shared with the tree until the first change
	changed []uint32 // contexts whose level is another now, each once
}

func (t *Tree) change() *change { return &change{of: t, nodes: t, levels: t.level} }

// set sets the level of a context, as far as it can have it. It is called once
// per context.
func (c *change) set(i uint32, level int) {
	l := c.of.clamp(i, level)
	if l == c.levels[i] {
		return
	}
	if len(c.changed) == 0 {
		c.levels = append([]uint16(nil), c.of.level...)
	}
	c.levels[i] = l
	c.changed = append(c.changed, i)
}

// fresh makes the tree of other levels from nothing.
func (t *Tree) fresh(levels []uint16) *Tree {
	s := newSolver(t.From, t.FromRoot, t.Names, levels)
	s.add(none, s.shownName(0))
	s.put(0, 0)
	s.solve()
	return s.build(t, nil)
}

// shownName is the compacted name of a context that is the highest of its node.
func (s *solver) shownName(i uint32) NameID {
	if s.method[i] == noName {
		return noName
	}
	return s.names.at(s.method[i], s.level[i])
}

// apply makes the tree of changed levels. What it costs depends on what
// changes: a node is solved anew if a level changed in it or in a child of it,
// and so is what is below it, down to nodes that have the highest contexts
// they had. docs/algorithms.md says why the rest stays as it is.
func (t *Tree) apply(c *change) *Tree {
	if len(c.changed) == 0 {
		return t
	}
	if len(c.changed) > len(t.level)/2 {
		return t.fresh(c.levels)
	}
	anew, seen := map[cct.NodeID]bool{}, make(bits, t.Len()/64+1)
	for _, i := range c.changed {
		row := t.into[i]
		if seen.has(int(row)) {
			continue
		}
		seen.set(int(row))
		anew[row] = true
		if row != cct.Root {
			anew[t.Parent[row]] = true
		}
	}
	for {
		s := newSolver(t.From, t.FromRoot, t.Names, c.levels)
		s.old, s.dirty = t, t.dirty(anew)
		var roots []cct.NodeID // rows to solve anew, none in another
		for row := range anew {
			for t.typed[row] { // it hangs on parts of its parent
				row = t.Parent[row]
			}
			roots = append(roots, row)
		}
		roots = outermost(t.Tree, roots)
		s.begin(roots)
		s.solve()
		settled := true
		for r, row := range roots {
			// A root keeps its place among its siblings if it has the name and
			// the id it had. It may not if some context took over its caller's
			// other callees or did so before.
			if row != cct.Root && (s.name[r] != t.Method[row] || s.origin[r] != t.Origin[row]) {
				anew[t.Parent[row]] = true
				settled = false
			}
		}
		if settled {
			return s.build(t, roots)
		}
		s.release()
	}
}

// dirty marks rows, and all above them.
func (t *Tree) dirty(rows map[cct.NodeID]bool) bits {
	marks := make(bits, t.Len()/64+1)
	for row := range rows {
		for !marks.has(int(row)) {
			marks.set(int(row))
			if row == cct.Root {
				break
			}
			row = t.Parent[row]
		}
	}
	return marks
}
