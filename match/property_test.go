package match

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cambium-prof/cambium/trace"
)

var taus = []float64{-1, 0, 0.1, 0.2, 0.25, 0.3, 1. / 3, 0.5, 0.6, 0.75, 0.9, 1, 2}

// TestDefinition compares all answers with the definition, for random traces.
func TestDefinition(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(5, uint64(round)))
		methods := 1 + r.IntN(8)
		a, b := random(t, r, 1+r.IntN(30), methods), random(t, r, 1+r.IntN(30), methods)
		tau := taus[r.IntN(len(taus))]
		if r.IntN(3) == 0 {
			tau = r.Float64()
		}
		keep := maxLinks
		if r.IntN(3) == 0 {
			keep = r.IntN(4) // links are found again and again
		}
		m, err := pairOf(t, a, b, Names{}).at(context.Background(), tau, nil, keep)
		if err != nil {
			t.Fatal(err)
		}
		if !t.Run(fmt.Sprintf("%d τ=%v", round, tau), func(t *testing.T) { check(t, r, m, newOracle(a, b, tau)) }) {
			return
		}
	}
}

func check(t *testing.T, r *rand.Rand, m *Matches, o *oracle) {
	if m.Total != int64(len(o.all)) {
		t.Fatalf("%d matches, want %d", m.Total, len(o.all))
	}
	g := m.Groups()
	var groups []Match
	for id, group := range g.All {
		if id != int64(len(groups)) || g.ID(group) != id {
			t.Fatalf("group %d has number %d, found as %d", len(groups), id, g.ID(group))
		}
		groups = append(groups, Match(group))
	}
	if !slices.Equal(groups, o.roots) || g.Total != int64(len(groups)) {
		t.Fatalf("%d groups %v, want %v", g.Total, groups, o.roots)
	}
	checkListing(t, m, o, groups)
	checkStrongest(t, r, m, o)
	for _, n := range []int{1, 2, 3, 7, 100} {
		checkOverview(t, m, o, n, Part{Distances: true})
	}
	some := Part{Distances: r.IntN(2) == 0}
	for side := A; side <= B; side++ {
		some.Calls[side] = make([]bool, m.Traces[side].Len())
		for call := range some.Calls[side] {
			some.Calls[side][call] = r.IntN(3) > 0
		}
	}
	checkOverview(t, m, o, 1+r.IntN(9), some)
	checkCalls(t, r, m, o)
	checkGaps(t, m, o)
}

// checkOverview checks the sums over n intervals of each trace.
func checkOverview(t *testing.T, m *Matches, o *oracle, n int, part Part) {
	t.Helper()
	all, err := m.OverviewOf(context.Background(), n, part)
	if err != nil {
		t.Fatal(err)
	}
	for side := A; side <= B; side++ {
		counts := func(call trace.CallID) bool { return part.Calls[side] == nil || part.Calls[side][call] }
		for i, want := range o.overview(side, n, counts) {
			if !part.Distances {
				want.Distance = Int128{}
			}
			got := all[side][i]
			if math.Abs(got.Similarity-want.Similarity) > 1e-9 || math.Abs(got.From-want.From) > 1e-9 || math.Abs(got.To-want.To) > 1e-9 {
				t.Fatalf("interval %d of %d: %+v, want %+v", i, n, got, want)
			}
			got.Similarity, got.From, got.To = want.Similarity, want.From, want.To
			if got != want {
				t.Fatalf("interval %d of %d: %+v, want %+v", i, n, got, want)
			}
		}
	}
}

// checkListing checks the list of all matches, and the sums of groups.
func checkListing(t *testing.T, m *Matches, o *oracle, groups []Match) {
	g := m.Groups()
	i := 0
	sums := make([]int64, len(groups))
	for k, id := range m.All {
		if k != o.all[i] {
			t.Fatalf("match %d is %v, want %v", i, k, o.all[i])
		}
		if want := o.groupOf(k); groups[id] != want || Match(g.Of(k.A, k.B)) != want {
			t.Fatalf("match %v is in group %v and %v, want %v", k, groups[id], g.Of(k.A, k.B), want)
		}
		sums[id]++
		i++
	}
	if i != len(o.all) {
		t.Fatalf("%d matches listed of %d", i, len(o.all))
	}
	counter := g.Counter()
	for id, group := range g.All {
		if n := counter.Count(group); n != sums[id] {
			t.Fatalf("group %v has %d matches, want %d", group, n, sums[id])
		}
	}
}

// checkStrongest checks lists that leave something out.
func checkStrongest(t *testing.T, r *rand.Rand, m *Matches, o *oracle) {
	some := func(t *trace.Trace) (calls []trace.CallID) {
		for c := range t.Parent {
			if r.IntN(3) > 0 {
				calls = append(calls, trace.CallID(c))
			}
		}
		return calls
	}
	as, bs := some(o.t[A]), some(o.t[B])
	order := Order(r.IntN(2))
	strength := func(k Match) [2]float64 {
		s := [2]float64{m.weight(m.Classes[A].Of[k.A], m.Classes[B].Of[k.B])}
		if order == BySimilarity {
			s = [2]float64{k.Similarity, s[0]}
		}
		return s
	}
	falling := func(x, y [2]float64) int { return -slices.Compare(x[:], y[:]) }
	var want [][2]float64
	for _, k := range o.all {
		if slices.Contains(as, k.A) && slices.Contains(bs, k.B) {
			want = append(want, strength(k))
		}
	}
	slices.SortFunc(want, falling)
	n := r.IntN(20)
	got, total := m.Strongest(as, bs, n, order)
	if total != int64(len(want)) || len(got) != min(n, len(want)) {
		t.Fatalf("%d of %d matches, want %d of %d", len(got), total, min(n, len(want)), len(want))
	}
	seen := map[Match]bool{}
	for i, k := range got {
		if strength(k) != want[i] || seen[k] || !slices.Contains(o.all, k) {
			t.Fatalf("match %d is %v with %v, want one with %v", i, k, strength(k), want[i])
		}
		seen[k] = true
	}
	roots := slices.Clone(o.roots)
	order = ByWeight
	slices.SortStableFunc(roots, func(x, y Match) int { return falling(strength(x), strength(y)) })
	groups := m.Groups().Strongest(n)
	if len(groups) != min(n, len(roots)) {
		t.Fatalf("%d groups, want %d", len(groups), min(n, len(roots)))
	}
	for i, g := range groups {
		if strength(Match(g)) != strength(roots[i]) || !slices.Contains(roots, Match(g)) {
			t.Fatalf("group %d is %v, want one like %v", i, g, roots[i])
		}
	}
}

// checkCalls checks what is asked of single calls.
func checkCalls(t *testing.T, r *rand.Rand, m *Matches, o *oracle) {
	for side := A; side <= B; side++ {
		own, other := o.t[side], o.t[side.Other()]
		call := trace.CallID(r.IntN(own.Len()))
		n := 1 + r.IntN(10)
		in := Divide(other, n)
		holding := make([]bool, n)
		best, similarity, nearest, count := trace.NoCall, 0.0, int64(0), int64(0)
		for _, k := range o.all {
			calls := [2]trace.CallID{k.A, k.B}
			if within(own, calls[side], call) {
				holding[in[calls[side.Other()]]] = true
			}
			if calls[side] != call {
				continue
			}
			count++
			v := calls[side.Other()]
			d := (other.Start[v] - other.From) - (own.Start[call] - own.From)
			d = max(d, -d)
			if best == trace.NoCall || k.Similarity > similarity || k.Similarity == similarity && (d < nearest || d == nearest && v < best) {
				best, similarity, nearest = v, k.Similarity, d
			}
		}
		if got := m.Holding(side, call, n); !slices.Equal(got, holding) {
			t.Fatalf("matches of %d are in %v, want %v", call, got, holding)
		}
		if got := m.Count(side, call); got != count {
			t.Fatalf("%d matches of %d, want %d", got, call, count)
		}
		got, s, ok := m.Best(side, call)
		if ok != (count > 0) {
			t.Fatalf("best match of %d: %v, want %v", call, ok, count > 0)
		}
		if d := (other.Start[min(int(got), other.Len()-1)] - other.From) - (own.Start[call] - own.From); ok && (s != similarity || max(d, -d) != nearest) {
			t.Fatalf("best match of %d is %d with %v, want %d with %v", call, got, s, best, similarity)
		}
	}
}

// checkGaps checks that gaps are the calls without a match, and are as long as
// they can be.
func checkGaps(t *testing.T, m *Matches, o *oracle) {
	matched := [2]map[trace.CallID]bool{{}, {}}
	for _, k := range o.all {
		matched[A][k.A], matched[B][k.B] = true, true
	}
	want := [2]int{o.t[A].Len() - len(matched[A]), o.t[B].Len() - len(matched[B])}
	last := int64(math.MaxInt64)
	for _, gap := range m.Gaps() {
		tr := o.t[gap.Side]
		th := tr.Threads[gap.Thread]
		for c := gap.First; c <= gap.Last; c++ {
			if matched[gap.Side][c] || c < th.First || c >= th.End {
				t.Fatalf("gap %+v has call %d", gap, c)
			}
		}
		if gap.First > th.First && !matched[gap.Side][gap.First-1] || gap.Last+1 < th.End && !matched[gap.Side][gap.Last+1] {
			t.Fatalf("gap %+v could be longer", gap)
		}
		if gap.To-gap.From > last || gap.To < gap.From {
			t.Fatalf("gap %+v is out of order", gap)
		}
		last = gap.To - gap.From
		want[gap.Side] -= gap.Calls()
	}
	if want != [2]int{} {
		t.Fatalf("gaps lack %v calls", want)
	}
}

// TestFewest holds the number of groups to the least that is possible.
func TestFewest(t *testing.T) {
	tried := 0
	for round := uint64(0); tried < 400; round++ {
		r := rand.New(rand.NewPCG(6, round))
		methods := 1 + r.IntN(5)
		a, b := random(t, r, 1+r.IntN(7), methods), random(t, r, 1+r.IntN(7), methods)
		tau := r.Float64()
		o := newOracle(a, b, tau)
		if len(o.all) > 12 {
			continue
		}
		tried++
		if got, want := matchesOf(t, a, b, tau).Groups().Total, o.fewest(); got != int64(want) {
			t.Fatalf("round %d: %d groups, %d are enough", round, got, want)
		}
	}
}
