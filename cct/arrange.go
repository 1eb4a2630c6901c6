package cct

import (
	"math"
	"slices"
	"sort"

	"github.com/cambium-prof/cambium/data"
)

// draft is a tree before its children are in order: what builders and
// operations produce and arrange turns into a Tree. Row 0 is the root, parents
// come before their children, in any order otherwise.
type draft struct {
	parent []NodeID
	method []data.EntityID
	self   [][]int64
	like   *Tree // metrics, methods, preferred
}

// arrange puts a draft in order and sums its totals: O(n) but for the sorting
// of siblings, of which most nodes have few. Each pass runs over whole columns;
// no pass recurses, because parents coming before children is all the order
// that sums, sizes and positions need.
//
// It gives the tree and, per row of the draft, its row in the tree.
func arrange(d draft) (*Tree, []NodeID) {
	n := len(d.parent)
	t := &Tree{Metrics: d.like.Metrics, Preferred: d.like.Preferred, Methods: d.like.Methods, rank: d.like.rank, kept: d.like.kept,
		orders: make([]orders, len(d.self))}

	totals := make([][]int64, len(d.self))
	for m, self := range d.self {
		total := slices.Clone(self)
		for i := n - 1; i > 0; i-- {
			sum, ok := addSaturating(total[d.parent[i]], total[i])
			total[d.parent[i]] = sum
			t.Saturated = t.Saturated || !ok
		}
		totals[m] = total
	}

	// Children of node i are children[first[i]:first[i+1]].
	first := make([]uint32, n+1)
	for i := 1; i < n; i++ {
		first[d.parent[i]+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	children := make([]NodeID, max(n-1, 0))
	fill := slices.Clone(first[:n])
	for i := 1; i < n; i++ {
		p := d.parent[i]
		children[fill[p]] = NodeID(i)
		fill[p]++
	}
	var key []int64
	if len(totals) > 0 {
		key = totals[0]
	}
	for i := range n {
		if group := children[first[i]:first[i+1]]; len(group) > 1 {
			sortSiblings(group, key, d.method, t.rank)
		}
	}

	size := fill // reused: subtree sizes
	for i := range size {
		size[i] = 1
	}
	for i := n - 1; i > 0; i-- {
		size[d.parent[i]] += size[i]
	}

	place := make([]NodeID, n)
	t.Parent, t.End = make([]NodeID, n), make([]NodeID, n)
	t.Depth, t.Method = make([]int32, n), make([]data.EntityID, n)
	t.Parent[0], t.End[0], t.Method[0] = NoNode, NodeID(n), d.method[0]
	for i := range n {
		at := place[i]
		next := at + 1
		for _, c := range children[first[i]:first[i+1]] {
			place[c] = next
			t.Parent[next] = at
			t.End[next] = next + NodeID(size[c])
			t.Depth[next] = t.Depth[at] + 1
			t.Method[next] = d.method[c]
			next += NodeID(size[c])
		}
	}
	t.Height = make([]int32, n)
	for i := n - 1; i > 0; i-- {
		t.Height[t.Parent[i]] = max(t.Height[t.Parent[i]], t.Height[i]+1)
	}
	t.Self, t.Total, t.Negative = make([][]int64, len(d.self)), totals, make([]bool, len(d.self))
	for m, self := range d.self {
		s, total := make([]int64, n), make([]int64, n)
		for i, at := range place {
			s[at], total[at] = self[i], totals[m][i]
			t.Negative[m] = t.Negative[m] || self[i] < 0
		}
		t.Self[m], t.Total[m] = s, total
	}
	return t, place
}

// sortSiblings orders by falling key, then by name, then by row, which makes
// the order total: the same input always gives the same tree.
func sortSiblings(group []NodeID, key []int64, method []data.EntityID, rank []uint32) {
	less := func(a, b NodeID) bool {
		if key != nil && key[a] != key[b] {
			return key[a] > key[b]
		}
		if ra, rb := rankOf(rank, method[a]), rankOf(rank, method[b]); ra != rb {
			return ra < rb
		}
		return a < b
	}
	if len(group) <= 12 {
		for i := 1; i < len(group); i++ {
			c := group[i]
			j := i
			for ; j > 0 && less(c, group[j-1]); j-- {
				group[j] = group[j-1]
			}
			group[j] = c
		}
		return
	}
	slices.SortFunc(group, func(a, b NodeID) int {
		if less(a, b) {
			return -1
		}
		return 1
	})
}

func rankOf(rank []uint32, method data.EntityID) uint32 {
	if method == data.None {
		return 0
	}
	return rank[method]
}

// rankNames gives each name its position among all names; equal names get the
// same one.
func rankNames(names []string) []uint32 {
	order := make([]uint32, len(names))
	for i := range order {
		order[i] = uint32(i)
	}
	sort.Slice(order, func(a, b int) bool { return names[order[a]] < names[order[b]] })
	rank := make([]uint32, len(names))
	for i, id := range order {
		rank[id] = uint32(i)
		if i > 0 && names[id] == names[order[i-1]] {
			rank[id] = rank[order[i-1]]
		}
	}
	return rank
}

// addSaturating adds without leaving the range of 64 bits; ok is false if the
// sum was cut.
func addSaturating(a, b int64) (sum int64, ok bool) {
	sum = a + b
	switch {
	case (a^sum)&(b^sum) >= 0: // the sum has the sign of a or of b
		return sum, true
	case a > 0:
		return math.MaxInt64, false
	}
	return math.MinInt64, false
}
