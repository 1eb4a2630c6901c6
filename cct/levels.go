package cct

import (
	"slices"
	"sync"
)

// recentLevels remembers, for the last few depths that somebody asked for, how
// many nodes each subtree has down to that depth.
type recentLevels struct {
	mu     sync.Mutex
	depths []int32
	counts [][]uint32
}

const keptLevels = 3

// CountDownTo gives a function that says how many nodes the subtree of a node,
// itself included, has at most at a depth. The first time it costs a pass over
// the tree, and 4 bytes per node, unless the tree is not that deep.
func (t *Tree) CountDownTo(depth int32) func(NodeID) int {
	if depth >= t.Height[Root] {
		return func(n NodeID) int { return int(t.End[n] - n) }
	}
	l := &t.levels
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.depths, depth)
	if i < 0 {
		counts := make([]uint32, t.Len())
		for n := t.Len() - 1; n >= 0; n-- {
			if t.Depth[n] > depth {
				continue
			}
			counts[n]++
			if n > 0 {
				counts[t.Parent[n]] += counts[n]
			}
		}
		if len(l.depths) == keptLevels {
			l.depths, l.counts = slices.Delete(l.depths, 0, 1), slices.Delete(l.counts, 0, 1)
		}
		l.depths, l.counts = append(l.depths, depth), append(l.counts, counts)
		i = len(l.depths) - 1
	}
	counts := l.counts[i]
	return func(n NodeID) int { return int(counts[n]) }
}
