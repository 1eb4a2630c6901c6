package matches

import (
	"testing"

	"github.com/cambium-prof/cambium/match"
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
