package cct

import (
	"iter"
	"slices"
	"sync"
)

// Children gives the children of n in the order of the rows: by falling total
// of the first metric, then by name.
func (t *Tree) Children(n NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for c := n + 1; c < t.End[n]; c = t.End[c] {
			if !yield(c) {
				return
			}
		}
	}
}

// orders remembers the children of visited parents in the order of a metric
// other than the first. Only what was looked at is sorted, and only once.
type orders struct {
	sync.RWMutex
	byParent map[NodeID][]NodeID
}

// Largest appends to buf the children of n whose total of the metric is at
// least `least`, largest first, ties by name, and no more than limit of them.
//
// For the first metric this costs as much as it gives, because rows are in
// that order. For another one the children of n are sorted when they are
// first asked for.
func (t *Tree) Largest(metric int, n NodeID, least int64, limit int, buf []NodeID) []NodeID {
	total := t.Total[metric]
	if metric == 0 {
		for c := n + 1; c < t.End[n] && total[c] >= least && limit > 0; c = t.End[c] {
			buf = append(buf, c)
			limit--
		}
		return buf
	}
	for _, c := range t.Sorted(metric, n) {
		if total[c] < least || limit == 0 {
			break
		}
		buf = append(buf, c)
		limit--
	}
	return buf
}

// Sorted gives the children of n by falling total of a metric, then by name.
// The slice is shared: do not change it.
func (t *Tree) Sorted(metric int, n NodeID) []NodeID {
	o := &t.orders[metric]
	o.RLock()
	children, ok := o.byParent[n]
	o.RUnlock()
	if ok {
		return children
	}
	for c := range t.Children(n) {
		children = append(children, c)
	}
	total := t.Total[metric]
	slices.SortFunc(children, func(a, b NodeID) int {
		switch {
		case total[a] != total[b]:
			if total[a] > total[b] {
				return -1
			}
			return 1
		case rankOf(t.rank, t.Method[a]) != rankOf(t.rank, t.Method[b]):
			return int(rankOf(t.rank, t.Method[a])) - int(rankOf(t.rank, t.Method[b]))
		}
		return int(a) - int(b)
	})
	o.Lock()
	defer o.Unlock()
	if o.byParent == nil {
		o.byParent = map[NodeID][]NodeID{}
	}
	o.byParent[n] = children
	return children
}

// CountChildren is the number of children of n.
func (t *Tree) CountChildren(n NodeID) int {
	count := 0
	for range t.Children(n) {
		count++
	}
	return count
}
