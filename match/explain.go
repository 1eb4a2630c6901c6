package match

import (
	"cmp"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// Use is how two calls use one method: why they are similar, and where they
// differ.
type Use struct {
	Method string
	// Calls are those of the method in the subtree of each call.
	Calls [2]int
	// Order is the place of the method among all methods of the subtree, by
	// their first call; -1 if there is none.
	Order [2]int
}

// Explain lists the methods that are called in the subtrees of two calls, those
// of both first, then those of A alone, then those of B alone; in each part by
// the order of their first call.
func (p *Pair) Explain(a, b trace.CallID) []Use {
	var uses []Use
	row := map[uint32]int{}
	for side, call := range [2]trace.CallID{a, b} {
		t, of := p.Traces[side], p.methods.of[side]
		order := 0
		for _, m := range t.Method[call:t.End[call]] {
			number := of[min(int(m), len(of)-1)]
			i, ok := row[number]
			if !ok {
				i = len(uses)
				row[number] = i
				uses = append(uses, Use{Method: p.methods.names[number], Order: [2]int{-1, -1}})
			}
			if uses[i].Order[side] < 0 {
				uses[i].Order[side] = order
				order++
			}
			uses[i].Calls[side]++
		}
	}
	part := func(u Use) int {
		switch {
		case u.Calls[B] == 0:
			return 1
		case u.Calls[A] == 0:
			return 2
		}
		return 0
	}
	slices.SortStableFunc(uses, func(x, y Use) int { return cmp.Compare(part(x), part(y)) })
	return uses
}
