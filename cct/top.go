package cct

import (
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// MethodCost is what a metric says of a method, over all its contexts.
type MethodCost struct {
	Method   data.EntityID
	Self     int64 // sum over its contexts
	Total    int64 // sum over its contexts that are not within another of its own: a recursive call counts once
	Contexts int   // how many contexts it has
}

// Methods gives the cost of every method in the subtree of root, in the order
// of the methods' ids, methods that do not occur left out.
func Methods(t *Tree, root NodeID, metric int) []MethodCost {
	costs := make([]MethodCost, t.Methods.Rows())
	self, total := t.Self[metric], t.Total[metric]
	// until[m] is the end of the outermost context of m that the walk is in.
	until := make([]NodeID, t.Methods.Rows())
	for i := root; i < t.End[root]; i++ {
		m := t.Method[i]
		if m == data.None {
			continue
		}
		c := &costs[m]
		c.Contexts++
		c.Self, _ = addSaturating(c.Self, self[i])
		if until[m] <= i {
			c.Total, _ = addSaturating(c.Total, total[i])
			until[m] = t.End[i]
		}
	}
	found := costs[:0]
	for m, c := range costs {
		if c.Contexts > 0 {
			c.Method = data.EntityID(m)
			found = append(found, c)
		}
	}
	return found
}

// SortMethods orders costs by falling total (or self), then by the other, then
// by name.
func SortMethods(t *Tree, costs []MethodCost, byTotal bool) {
	slices.SortFunc(costs, func(a, b MethodCost) int {
		ka, kb, sa, sb := a.Self, b.Self, a.Total, b.Total
		if byTotal {
			ka, kb, sa, sb = sa, sb, ka, kb
		}
		switch {
		case ka != kb:
			return compareFalling(ka, kb)
		case sa != sb:
			return compareFalling(sa, sb)
		}
		return int(t.rank[a.Method]) - int(t.rank[b.Method])
	})
}

func compareFalling(a, b int64) int {
	if a > b {
		return -1
	}
	return 1
}
