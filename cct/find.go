package cct

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// Predicate selects contexts. Either part may be nil, which selects all; a
// context must satisfy both. What can be said of a method is asked once per
// method, not once per context.
type Predicate struct {
	Method  func(data.EntityID) bool
	Context func(t *Tree, n NodeID) bool
}

// Matches is the answer of Find.
type Matches struct {
	Set   []uint64 // bit per row of the tree
	ranks []uint32 // per word of Set: matches in the words before it
	Count int
	// Total is the metric's total in and below what was found; contexts
	// within others that were found are not counted again.
	Total int64
	// Methods are the distinct methods of what was found, by id.
	Methods []data.EntityID
}

// Has reports whether n was found.
func (m *Matches) Has(n NodeID) bool { return m.Set[n/64]&(1<<(n%64)) != 0 }

// Find looks for the contexts of the subtree of root that satisfy p.
func Find(t *Tree, root NodeID, metric int, p Predicate) *Matches {
	found := &Matches{Set: make([]uint64, (t.Len()+63)/64)}
	wanted := make([]bool, t.Methods.Rows())
	for m := range wanted {
		wanted[m] = p.Method == nil || p.Method(data.EntityID(m))
	}
	seen := make([]bool, len(wanted))
	var within NodeID // end of the outermost match that the walk is in
	for i := root; i < t.End[root]; i++ {
		m := t.Method[i]
		if m == data.None || !wanted[m] || p.Context != nil && !p.Context(t, i) {
			continue
		}
		found.Set[i/64] |= 1 << (i % 64)
		found.Count++
		if !seen[m] {
			seen[m] = true
			found.Methods = append(found.Methods, m)
		}
		if i >= within {
			found.Total, _ = addSaturating(found.Total, t.Total[metric][i])
			within = t.End[i]
		}
	}
	slices.Sort(found.Methods)
	found.ranks = make([]uint32, len(found.Set)+1)
	for i, word := range found.Set {
		found.ranks[i+1] = found.ranks[i] + uint32(bits.OnesCount64(word))
	}
	return found
}

// CountIn is the number of matches among the rows from (included) to to (not).
func (m *Matches) CountIn(from, to NodeID) int {
	before := func(n NodeID) uint32 {
		count := m.ranks[n/64]
		if n%64 != 0 {
			count += uint32(bits.OnesCount64(m.Set[n/64] & (1<<(n%64) - 1)))
		}
		return count
	}
	return int(before(to) - before(from))
}

// Largest gives the n matches with the largest total, largest first, ties in
// the order of the rows.
func (m *Matches) Largest(t *Tree, metric, n int) []NodeID {
	top := &smallestFirst{total: t.Total[metric]}
	for word, rest := range m.Set {
		for ; rest != 0; rest &= rest - 1 {
			i := NodeID(word*64 + bits.TrailingZeros64(rest))
			if top.Len() < n {
				heap.Push(top, i)
			} else if n > 0 && top.before(top.nodes[0], i) {
				top.nodes[0] = i
				heap.Fix(top, 0)
			}
		}
	}
	slices.SortFunc(top.nodes, func(a, b NodeID) int {
		if c := cmp.Compare(top.total[b], top.total[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return top.nodes
}

// smallestFirst is a heap that keeps the largest nodes with the smallest on top.
type smallestFirst struct {
	nodes []NodeID
	total []int64
}

func (h *smallestFirst) before(a, b NodeID) bool {
	if h.total[a] != h.total[b] {
		return h.total[a] < h.total[b]
	}
	return a > b
}
func (h *smallestFirst) Len() int           { return len(h.nodes) }
func (h *smallestFirst) Less(i, j int) bool { return h.before(h.nodes[i], h.nodes[j]) }
func (h *smallestFirst) Swap(i, j int)      { h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i] }
func (h *smallestFirst) Push(x any)         { h.nodes = append(h.nodes, x.(NodeID)) }
func (h *smallestFirst) Pop() any {
	last := h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	return last
}
