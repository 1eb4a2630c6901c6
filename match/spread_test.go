package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cambium-prof/cambium/trace"
)

// TestSpread compares what is given with all pairs of calls, for random traces.
func TestSpread(t *testing.T) {
	for round := range 500 {
		r := rand.New(rand.NewPCG(9, uint64(round)))
		a, b := random(t, r, 1+r.IntN(30), 1+r.IntN(6)), random(t, r, 1+r.IntN(30), 1+r.IntN(6))
		m, err := pairOf(t, a, b, Names{}).at(context.Background(), taus[r.IntN(len(taus))], nil, maxLinks*r.IntN(2))
		if err != nil {
			t.Fatal(err)
		}
		some := func(t *trace.Trace) (spans []Span, in []bool) {
			in = make([]bool, t.Len())
			for c := 0; c < t.Len(); {
				end := min(c+1+r.IntN(5), t.Len())
				if r.IntN(4) > 0 {
					spans = append(spans, Span{trace.CallID(c), trace.CallID(end)})
					for i := c; i < end; i++ {
						in[i] = true
					}
				}
				c = end
			}
			return spans, in
		}
		as, inA := some(a)
		bs, inB := some(b)
		all := map[Match]bool{}
		for x := range a.Len() {
			for y := range b.Len() {
				ca, cb := trace.CallID(x), trace.CallID(y)
				if s := m.Similarity(ca, cb); inA[x] && inB[y] && s > m.Tau {
					all[Match{ca, cb, s}] = true
				}
			}
		}
		for _, n := range []int{0, 1, 3, r.IntN(50), len(all), len(all) + 1} {
			got, total := m.Spread(as, bs, n)
			if total != int64(len(all)) || len(got) != min(n, len(all)) {
				t.Fatalf("round %d: %d of %d given, total %d, want %d of %d", round, len(got), n, total, min(n, len(all)), len(all))
			}
			seen := map[Match]bool{}
			for _, k := range got {
				if !all[k] || seen[k] {
					t.Fatalf("round %d: %v is no match, or was given before", round, k)
				}
				seen[k] = true
			}
		}
	}
}

// TestSpreadInOrder: runs of a loop are joined in their order, before anything is
// joined crosswise and before what weighs less.
func TestSpreadInOrder(t *testing.T) {
	a := draw(t, `
main |────────────|
  f  |──          |
    g|─           |
  f  |    ──      |
    g|    ─       |
  f  |        ──  |
    g|        ─   |
`)
	b := draw(t, `
main |────────────|
  f  |──          |
    g|─           |
  f  |      ──    |
    g|      ─     |
`)
	m, err := pairOf(t, a, b, Names{}).At(context.Background(), 0.7, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := func(t *trace.Trace) []Span { return []Span{{0, trace.CallID(t.Len())}} }
	names := func(n int) (list []string) {
		got, _ := m.Spread(whole(a), whole(b), n)
		for _, k := range got {
			list = append(list, fmt.Sprintf("%s%d-%d", a.Name(k.A), k.A, k.B))
		}
		return list
	}
	if got, want := names(4), []string{"main0-0", "f1-1", "f3-3", "f5-3"}; !slices.Equal(got, want) {
		t.Errorf("four matches: %v, want %v", got, want)
	}
	if got, want := names(9), []string{"main0-0", "f1-1", "f3-3", "f5-3", "g2-2", "g4-4", "g6-4", "f1-3", "f3-1"}; !slices.Equal(got, want) {
		t.Errorf("nine matches: %v, want %v", got, want)
	}
}
