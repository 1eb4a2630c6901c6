package match

import (
	"cmp"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// Own is a method that only one of the traces calls.
type Own struct {
	Method string
	Calls  int
	// Total is the time of its calls; a call within another one of the same
	// method is in that one's time already.
	Total int64 // nanoseconds
	First trace.CallID
}

// Only lists the methods that one trace calls and the other one does not, by
// falling time, then by name: what only one run did, however small the pieces
// it was done in.
func (p *Pair) Only(side Side) []Own {
	t, of := p.Traces[side], p.methods.of[side]
	// They are numbered behind the common ones, those of A first.
	first := p.methods.common
	n := p.methods.called[side] - first
	if side == B {
		first = p.methods.called[A]
	}
	own := make([]Own, n)
	ends := make([]trace.CallID, n) // of the outermost call that the walk is in
	for i := range own {
		own[i] = Own{Method: p.methods.names[first+i]}
	}
	for c, m := range t.Method {
		i := int(of[min(int(m), len(of)-1)]) - first
		if i < 0 || i >= n {
			continue
		}
		call := trace.CallID(c)
		if own[i].Calls == 0 {
			own[i].First = call
		}
		own[i].Calls++
		if call >= ends[i] {
			ends[i] = t.End[call]
			own[i].Total += t.Duration(call)
		}
	}
	slices.SortFunc(own, func(x, y Own) int { return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Method, y.Method)) })
	return own
}

// Alone marks the methods, as rows of the trace's Methods, that only this trace
// calls.
func (p *Pair) Alone(side Side) []bool {
	of := p.methods.of[side]
	alone := make([]bool, len(of))
	for _, m := range p.Traces[side].Method {
		if row := min(int(m), len(of)-1); int(of[row]) >= p.methods.common {
			alone[row] = true
		}
	}
	return alone
}
