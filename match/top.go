package match

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// entry is a pair of classes or paths that stands for many matches or groups.
type entry struct {
	strength [2]float64 // the second one decides if the first ones are equal
	count    int64
	a, b     uint32
}

// before orders entries by falling strength, then by their rows.
func (e entry) before(f entry) int {
	return cmp.Or(cmp.Compare(f.strength[0], e.strength[0]), cmp.Compare(f.strength[1], e.strength[1]), cmp.Compare(e.a, f.a), cmp.Compare(e.b, f.b))
}

// top keeps the strongest entries that together stand for at least n, and no
// more of them than that takes. The heap has the weakest on top.
type top struct {
	n     int
	count int64
	heap  []entry
	given int
}

func newTop(n int) *top { return &top{n: n} }

func (t *top) Len() int           { return len(t.heap) }
func (t *top) Less(i, j int) bool { return t.heap[i].before(t.heap[j]) > 0 }
func (t *top) Swap(i, j int)      { t.heap[i], t.heap[j] = t.heap[j], t.heap[i] }
func (t *top) Push(x any)         { t.heap = append(t.heap, x.(entry)) }
func (t *top) Pop() any {
	last := t.heap[len(t.heap)-1]
	t.heap = t.heap[:len(t.heap)-1]
	return last
}

func (t *top) add(strength [2]float64, count int64, a, b uint32) {
	e := entry{strength, count, a, b}
	if t.count >= int64(t.n) && (t.n == 0 || e.before(t.heap[0]) > 0) {
		return
	}
	heap.Push(t, e)
	t.count += count
	for t.count-t.heap[0].count >= int64(t.n) {
		t.count -= heap.Pop(t).(entry).count
	}
}

// list gives what was kept, the strongest first.
func (t *top) list() []entry {
	slices.SortFunc(t.heap, entry.before)
	return t.heap
}

// expand calls give for each pair of calls that an entry stands for, until n
// were given in all.
func (t *top) expand(as, bs []trace.CallID, give func(a, b trace.CallID)) {
	for _, a := range as {
		for _, b := range bs {
			if t.given == t.n {
				return
			}
			t.given++
			give(a, b)
		}
	}
}
