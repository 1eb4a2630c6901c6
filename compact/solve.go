package compact

import (
	"math"
	"slices"
	"sync"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// solver finds the compacted nodes of a tree, from the root down: a compacted
// node's highest contexts are known, its other members are found by walking
// down from them, and where the walk ends are the highest contexts of its
// children. docs/algorithms.md says why that gives the connected components of
// the take-over relation.
//
// Rows are a draft of the result: a parent comes before its children, in no
// other order.
//
// Contexts are numbered here from the root of what is compacted.
type solver struct {
	from  *cct.Tree
	root  cct.NodeID
	names *Names
	level []uint16 // context -> elements of its name that are shown; 0 is shown as part of its caller

	method []data.EntityID // context -> method
	end    []cct.NodeID    // context -> first row of from after its subtree

	draft
	into []cct.NodeID // context -> row + 1; 0 if it is in no row that was made anew
	next []uint32     // context -> the next highest context of its row, or none

	scratch *scratch // that next is of, and where build works

	stamp uint32
	mark  []uint32 // name -> stamp of the last group it was seen in
	made  []uint32 // name -> stamp of the last group it became a row in
	slot  []uint32 // name -> that row
	group []uint32 // contexts that are to become rows below the present one

	// typed has the rows whose highest contexts are not siblings all of each
	// other, and of each of those which parts of the parent row it hangs on.
	typed map[uint32][]bits

	// What an earlier result has of rows that stay as they are.
	old   *Tree
	dirty bits // row of old -> something in it or below it changed
}

// draft has the columns of rows.
type draft struct {
	parent     []uint32 // row -> row, or none
	name       []NameID
	head, tail []uint32 // row -> its first and last highest context
	tops       []uint32 // row -> how many those are
	merged     []uint32 // row -> how many contexts of the data set it stands for
	origin     []cct.NodeID
	total      [][]int64
	kept       []cct.NodeID // row -> row of old that it is, with all below; NoNode if it is made anew
	cut        bool         // a sum left the range of 64 bits
}

const none = math.MaxUint32

// scratch is memory in which one tree after the other is made: megabytes that the
// system need not bring page by page for every action.
type scratch struct {
	into  []cct.NodeID // all zero
	next  []uint32
	moved []cct.NodeID
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// sized gives a slice of n elements that have any value, or are as they were left.
func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// release ends the solver.
func (s *solver) release() {
	clear(s.into)
	scratches.Put(s.scratch)
}

func newSolver(from *cct.Tree, root cct.NodeID, names *Names, level []uint16) *solver {
	end, scratch := from.End[root], scratches.Get().(*scratch)
	return &solver{
		from: from, root: root, names: names, level: level,
		method: from.Method[root:end], end: from.End[root:end],
		draft: draft{total: make([][]int64, len(from.Total))},
		into:  sized(&scratch.into, int(end-root)), next: sized(&scratch.next, int(end-root)), scratch: scratch,
		mark: make([]uint32, len(names.depth)), made: make([]uint32, len(names.depth)), slot: make([]uint32, len(names.depth)),
		typed: map[uint32][]bits{},
	}
}

// add makes a row without contexts.
func (s *solver) add(parent uint32, name NameID) uint32 {
	r := uint32(len(s.parent))
	if len(s.parent) == cap(s.parent) {
		s.grow(len(s.parent) + 16)
	}
	s.parent = append(s.parent, parent)
	s.name = append(s.name, name)
	s.head, s.tail = append(s.head, none), append(s.tail, none)
	s.tops, s.merged = append(s.tops, 0), append(s.merged, 0)
	s.origin, s.kept = append(s.origin, cct.NoNode), append(s.kept, cct.NoNode)
	for m := range s.total {
		s.total[m] = append(s.total[m], 0)
	}
	return r
}

// grow makes room for more rows. Slices that append has to grow become a quarter
// larger; there are too many rows for that.
func (d *draft) grow(more int) {
	d.parent, d.name, d.kept = slices.Grow(d.parent, more), slices.Grow(d.name, more), slices.Grow(d.kept, more)
	d.head, d.tail = slices.Grow(d.head, more), slices.Grow(d.tail, more)
	d.tops, d.merged, d.origin = slices.Grow(d.tops, more), slices.Grow(d.merged, more), slices.Grow(d.origin, more)
	for m := range d.total {
		d.total[m] = slices.Grow(d.total[m], more)
	}
}

// put makes a context one of the highest of a row.
func (s *solver) put(r, i uint32) {
	s.next[i] = none
	if s.tail[r] == none {
		s.head[r] = i
	} else {
		s.next[s.tail[r]] = i
	}
	s.tail[r] = i
	s.tops[r]++
	for m, total := range s.total {
		sum, ok := add(total[r], s.from.Total[m][s.root+cct.NodeID(i)])
		total[r] = sum
		s.cut = s.cut || !ok
	}
}

// solve finds all that is below the rows there are. It goes down first, as the
// contexts are in that order, too: breadth first takes more than twice as long on
// a tree of two million contexts.
func (s *solver) solve() {
	var todo []uint32
	push := func(first uint32) {
		for r := uint32(len(s.parent)); r > first; r-- {
			if s.kept[r-1] == cct.NoNode {
				todo = append(todo, r-1)
			}
		}
	}
	push(0)
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		first := uint32(len(s.parent))
		if types := s.typed[r]; types != nil {
			s.solveParts(r, types)
		} else if inner := s.flood(r); !s.divide(r, inner) {
			s.solveParts(r, nil)
		}
		push(first)
	}
}

// flood finds the members of a row: from its highest contexts down, as long as
// the row's name is a prefix of the contexts'. Where that ends is the group. It
// tells whether there are members beside the highest.
//
// This is the loop that visits all contexts.
func (s *solver) flood(r uint32) (inner bool) {
	name, depth := s.name[r], math.MaxInt
	if name != noName {
		depth = int(s.names.depth[name])
	}
	group, merged := s.group[:0], uint32(0)
	level, method, ends, into := s.level, s.method, s.end, s.into
	start, chain := s.names.start, s.names.chain
	for top := s.head[r]; top != none; top = s.next[top] {
		into[top] = cct.NodeID(r + 1)
		merged++
		end := uint32(ends[top] - s.root)
		for i := top + 1; i < end; {
			l := int(level[i])
			if l >= depth && chain[int(start[method[i]])+depth-1] == name || l == 0 {
				into[i] = cct.NodeID(r + 1)
				merged++
				inner = true
				i++
			} else {
				group = append(group, i)
				i = uint32(ends[i] - s.root)
			}
		}
	}
	s.group, s.merged[r] = group, merged
	s.setOrigin(r)
	return inner
}

// setOrigin finds the smallest id in a row whose members are known, and counts
// what they stand for.
func (s *solver) setOrigin(r uint32) {
	smallest := cct.NoNode
	if s.from.Origin == nil {
		// Ids are rows, and nothing in a subtree comes before its root.
		for top := s.head[r]; top != none; top = s.next[top] {
			smallest = min(smallest, s.root+cct.NodeID(top))
		}
		s.origin[r] = smallest
		return
	}
	merged := 0
	for top := s.head[r]; top != none; top = s.next[top] {
		end := uint32(s.end[top] - s.root)
		for i := top; i < end; {
			if s.into[i] != cct.NodeID(r+1) {
				i = uint32(s.end[i] - s.root)
				continue
			}
			n := s.root + cct.NodeID(i)
			smallest = min(smallest, s.from.ID(n))
			merged += s.from.MergedInto(n)
			i++
		}
	}
	s.origin[r], s.merged[r] = smallest, uint32(merged)
}

// divide makes the group into rows below r: contexts of which one's name is a
// prefix of the other's are in the same. So each goes to the shortest name in
// the group that is a prefix of its own. It does nothing and gives false if a
// context of the group belongs to r in spite of its name, see [solver.solveParts].
func (s *solver) divide(r uint32, inner bool) bool {
	s.stamp++
	name, depth := s.name[r], s.names.Depth(s.name[r])
	for _, i := range s.group {
		own := s.names.at(s.method[i], s.level[i])
		s.mark[own] = s.stamp
		if inner && int(s.level[i]) < depth && s.names.prefixes(own, name) {
			return false
		}
	}
	first := uint32(len(s.parent))
	for _, i := range s.group {
		begin := s.names.start[s.method[i]]
		at := begin
		for s.mark[s.names.chain[at]] != s.stamp {
			at++
		}
		shortest := s.names.chain[at]
		if s.made[shortest] != s.stamp {
			s.made[shortest] = s.stamp
			s.slot[shortest] = s.add(r, shortest)
		}
		s.put(s.slot[shortest], i)
	}
	s.keep(first)
	return true
}

// keep looks which of the rows from first on are as they were, with all that
// is below them: their highest contexts are just those of an old row, in and
// below which no level changed.
func (s *solver) keep(first uint32) {
	if s.old == nil {
		return
	}
	for r := first; int(r) < len(s.parent); r++ {
		if s.typed[r] != nil {
			continue
		}
		o := s.old.into[s.head[r]]
		if s.dirty.has(int(o)) || s.old.typed[o] || s.old.tops[o] != s.tops[r] {
			continue
		}
		same := true
		for i := s.head[r]; i != none && same; i = s.next[i] {
			same = s.old.into[i] == o && s.old.isTop(i)
		}
		if same {
			s.kept[r], s.name[r] = o, s.old.Method[o]
			s.origin[r], s.merged[r] = s.old.Origin[o], s.old.Merged[o]
		}
	}
}

// add adds without leaving the range of 64 bits; ok is false if the sum was cut.
func add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	switch {
	case (a^sum)&(b^sum) >= 0:
		return sum, true
	case a > 0:
		return math.MaxInt64, false
	}
	return math.MinInt64, false
}
