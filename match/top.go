package match

import (
	"cmp"
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
func (e *entry) before(f *entry) int {
	if e.strength[0] != f.strength[0] { // nearly always
		if e.strength[0] > f.strength[0] {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(f.strength[1], e.strength[1]), cmp.Compare(e.a, f.a), cmp.Compare(e.b, f.b))
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

func (t *top) add(strength [2]float64, count int64, a, b uint32) {
	e := entry{strength, count, a, b}
	if t.count >= int64(t.n) && (t.n == 0 || e.before(&t.heap[0]) > 0) {
		return
	}
	t.heap = append(t.heap, e)
	for i := len(t.heap) - 1; i > 0 && t.heap[i].before(&t.heap[(i-1)/2]) > 0; i = (i - 1) / 2 {
		t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
	}
	t.count += count
	for t.count-t.heap[0].count >= int64(t.n) {
		t.count -= t.heap[0].count
		last := len(t.heap) - 1
		t.heap[0] = t.heap[last]
		t.heap = t.heap[:last]
		for i, k := 0, 1; k < last; i, k = k, 2*k+1 {
			if k+1 < last && t.heap[k+1].before(&t.heap[k]) > 0 {
				k++
			}
			if t.heap[k].before(&t.heap[i]) <= 0 {
				break
			}
			t.heap[i], t.heap[k] = t.heap[k], t.heap[i]
		}
	}
}

// list gives what was kept, the strongest first.
func (t *top) list() []entry {
	slices.SortFunc(t.heap, func(x, y entry) int { return x.before(&y) })
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
