package matches

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
	"github.com/cambium-prof/cambium/trace"
)

// random makes a trace of n calls of so many methods, at most 30 deep, in loops.
func random(t testing.TB, n, methods int, seed uint64) *trace.Trace {
	r, order := rand.New(rand.NewPCG(3, 0)), rand.New(rand.NewPCG(seed, 1))
	b := data.NewBuilder("random", "test")
	calls := source.NewCalls(b, symbol.Unknown)
	th := calls.Thread()
	names := make([]data.EntityID, methods)
	for i := range names {
		names[i] = calls.Method(source.Frame{Name: fmt.Sprintf("m%d", i)})
	}
	type open struct {
		at     int64
		method data.EntityID
	}
	var stack []open
	now := int64(0)
	leave := func() {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		now += 1 + r.Int64N(40)
		th.Whole(c.at, now-c.at, c.method)
	}
	for i := range n {
		if i%100 == 0 { // one of twenty pieces, so that there are loops
			r = rand.New(rand.NewPCG(3, uint64(order.IntN(20))))
		}
		for len(stack) > 1 && (len(stack) >= 30 || r.IntN(2) == 0) {
			leave()
		}
		now += r.Int64N(30)
		stack = append(stack, open{now, names[r.IntN(methods)]})
	}
	for len(stack) > 0 {
		leave()
	}
	if err := calls.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return traceOf(t, set)
}

// BenchmarkTubes makes the tubes of 3,000 matches, once these are known: what a
// slider for λ, the band or the strength costs.
func BenchmarkTubes(b *testing.B) {
	m, levels := pair(b, random(b, 70_000, 300, 1), random(b, 90_000, 300, 2), 0.1)
	p := layOut(m, levels, all(m, 3000))
	if len(p.edges) != 3000 {
		b.Fatal(len(p.edges))
	}
	known := splines{}
	for b.Loop() {
		t := bundle(&p.halves, p.edges, p.groups, look{lambda: 0.3, band: band{450, 180}, strength: 0.85}, known)
		if t.Len() != 3000 {
			b.Fatal(t.Len())
		}
	}
}

// BenchmarkLayOut chooses 3,000 matches: what zooming and panning cost.
func BenchmarkLayOut(b *testing.B) {
	m, levels := pair(b, random(b, 70_000, 300, 1), random(b, 90_000, 300, 2), 0.1)
	m.Groups()
	for b.Loop() {
		layOut(m, levels, all(m, 3000))
	}
}
