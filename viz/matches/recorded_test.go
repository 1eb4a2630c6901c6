package matches

import (
	"cmp"
	"slices"
	"testing"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/trace"
)

// TestChangedSort compares runs of Lua before and after its sort was changed: what
// sifts a heap is in one trace alone, and has no tube. The outermost calls have.
func TestChangedSort(t *testing.T) {
	a, b := traceOf(t, read(t, "../../match/testdata/lua-quicksort.trace.json.gz")), traceOf(t, read(t, "../../match/testdata/lua-heapsort.trace.json.gz"))
	m, levels := pair(t, a, b, 0.2)
	p := layOut(m, levels, all(m, 1000))
	if len(p.edges) != 1000 || p.total != m.Total {
		t.Fatalf("%d edges of %d, want 1000 of %d", len(p.edges), p.total, m.Total)
	}
	weight := func(e edge) float64 {
		n := 0
		for _, u := range m.Explain(e.A, e.B) {
			if u.Calls[match.A] > 0 && u.Calls[match.B] > 0 {
				n++
			}
		}
		return float64(n) * e.Similarity
	}
	best := 0.0
	for _, e := range p.edges {
		best = max(best, weight(e))
		if name := b.Name(e.B); name == "heap_sift" {
			t.Errorf("%s is joined with %s, similarity %g", name, a.Name(e.A), e.Similarity)
		}
	}
	if first := weight(edge{Match: match.Match{Similarity: m.Similarity(0, 0)}}); first != best {
		t.Errorf("the outermost calls weigh %g, the heaviest edge %g", first, best)
	}
}

// TestEveryWideCallIsJoined: however strong others are, the widest calls are joined
// with what is most like them, if that can be seen.
func TestEveryWideCallIsJoined(t *testing.T) {
	a, b := traceOf(t, read(t, "../../match/testdata/lua-quicksort.trace.json.gz")), traceOf(t, read(t, "../../match/testdata/lua-heapsort.trace.json.gz"))
	m, levels := pair(t, a, b, 0.2)
	p := layOut(m, levels, all(m, 1000))
	joined := map[[2]trace.CallID]bool{}
	for _, e := range p.edges {
		joined[[2]trace.CallID{e.A, e.B}] = true
	}
	wide := func(side match.Side, call trace.CallID) bool {
		return slices.ContainsFunc(p.halves[side].nodes, func(n node) bool { return n.call == call })
	}
	seen := 0
	for side := match.A; side <= match.B; side++ {
		nodes := slices.Clone(p.halves[side].nodes)
		slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(b.x1-b.x0, a.x1-a.x0) })
		for _, n := range nodes[:min(len(nodes), 300)] { // fewer than are looked at: some are as wide as others
			best, _, ok := m.Best(side, n.call)
			if !ok || !wide(side.Other(), best) {
				continue
			}
			seen++
			pair := [2]trace.CallID{n.call, best}
			if side == match.B {
				pair = [2]trace.CallID{best, n.call}
			}
			if !joined[pair] {
				t.Errorf("%s of %c is not joined with its best match", m.Traces[side].Name(n.call), 'A'+rune(side))
			}
		}
	}
	if seen < 100 {
		t.Fatalf("only %d wide calls have a match that is wide", seen)
	}
}

// TestRecorded: of all calls of two traces of sqlite3, what is left out of a picture
// is counted to the last match.
func TestRecorded(t *testing.T) {
	a, b := recorded(t, "sqlite3_a.chrome.json.gz"), recorded(t, "sqlite3_b.chrome.json.gz")
	m, levels := pair(t, a, b, 0.2)
	p := layOut(m, levels, all(m, 3000))
	if len(p.edges) != 3000 || p.total != 173_211_717 {
		t.Errorf("%d edges of %d", len(p.edges), p.total)
	}
}
