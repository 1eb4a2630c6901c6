package source

import (
	"slices"
)

// queue has the contexts to expand, the costliest first: a binary heap.
type queue []queued

type queued struct {
	share float64
	node  int32
}

func (q queued) before(o queued) bool {
	return q.share > o.share || q.share == o.share && q.node < o.node
}

func (q *queue) push(x queued) {
	all := append(*q, x)
	at := len(all) - 1
	for at > 0 && x.before(all[(at-1)/2]) {
		all[at] = all[(at-1)/2]
		at = (at - 1) / 2
	}
	all[at] = x
	*q = all
}

func (q *queue) pop() queued {
	all := *q
	first, x := all[0], all[len(all)-1]
	all = all[:len(all)-1]
	*q = all
	for at := 0; len(all) > 0; {
		child := 2*at + 1
		if child+1 < len(all) && all[child+1].before(all[child]) {
			child++
		}
		if child >= len(all) || !all[child].before(x) {
			all[at] = x
			break
		}
		all[at] = all[child]
		at = child
	}
	return first
}

// components numbers the strongly connected components of a graph of n nodes
// (Tarjan, without recursion), and gives their sizes.
func components(n int, degree func(int32) int, next func(int32, int) int32) (of, size []int32) {
	of = slices.Repeat([]int32{-1}, n)
	index, low := make([]int32, n), make([]int32, n) // index 0: not seen
	var stack []int32
	type visit struct {
		node int32
		edge int
	}
	var path []visit
	seen := int32(0)
	for root := range int32(n) {
		if index[root] != 0 {
			continue
		}
		path = append(path, visit{node: root})
		for len(path) > 0 {
			v := &path[len(path)-1]
			f := v.node
			if v.edge == 0 && index[f] == 0 {
				seen++
				index[f], low[f] = seen, seen
				stack = append(stack, f)
			}
			if v.edge < degree(f) {
				to := next(f, v.edge)
				v.edge++
				if index[to] == 0 {
					path = append(path, visit{node: to})
				} else if of[to] < 0 {
					low[f] = min(low[f], index[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				above := path[len(path)-1].node
				low[above] = min(low[above], low[f])
			}
			if low[f] == index[f] {
				c := int32(len(size))
				size = append(size, 0)
				for {
					member := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					of[member] = c
					size[c]++
					if member == f {
						break
					}
				}
			}
		}
	}
	return of, size
}
