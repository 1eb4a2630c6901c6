package match

import (
	"slices"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

// TestChangedSort compares a Lua with one whose table.sort is another algorithm,
// and with itself. What was changed in the program is what comes first.
func TestChangedSort(t *testing.T) {
	quick, again, heap := kept(t, "lua-quicksort"), kept(t, "lua-quicksort-again"), kept(t, "lua-heapsort")
	same := matchesOf(t, quick, again, DefaultTau)
	if gaps, a, b := same.Gaps(), same.Only(A), same.Only(B); len(gaps)+len(a)+len(b) > 0 {
		t.Errorf("the same program did something else: %v, %v, %v", gaps, a, b)
	}
	if g := same.Groups(); g.Total != 1 || same.Similarity(0, 0) != 1 {
		t.Errorf("the same program matches in %d groups, by %v", g.Total, same.Similarity(0, 0))
	}

	m := matchesOf(t, quick, heap, DefaultTau)
	// All of the program is one group: it does the same, but for the sorting.
	for _, g := range m.Groups().All {
		if g.A != 0 || g.B != 0 {
			t.Errorf("a group of %s and %s", quick.Name(g.A), heap.Name(g.B))
		}
	}
	names := func(side Side, n int) (names []string) {
		for _, own := range m.Only(side)[:n] {
			names = append(names, own.Method)
		}
		return names
	}
	if got := names(A, 2); !slices.Equal(got, []string{"auxsort", "partition"}) {
		t.Errorf("only in the first: %v", got)
	}
	if got := names(B, 2); !slices.Equal(got, []string{"heap_sort", "heap_sift"}) {
		t.Errorf("only in the second: %v", got)
	}
	// From what is new, the nearest caller that has a match leads to what was there
	// before.
	new := m.Only(B)[0].First
	best, ok := trace.NoCall, false
	for call := heap.Parent[new]; call != trace.NoCall && !ok; call = heap.Parent[call] {
		best, _, ok = m.Best(B, call)
	}
	if !ok || !slices.ContainsFunc(quick.Method[best:quick.End[best]], func(id data.EntityID) bool { return quick.Methods.NameOf(id) == "auxsort" }) {
		t.Errorf("around heap_sort is what matches %d, %v, without auxsort", best, ok)
	}
	// Libraries are opened in the reverse order: the first of them is found in
	// the future of the other trace, the last one in its past.
	for name, later := range map[string]bool{"luaopen_coroutine": true, "luaopen_debug": false} {
		for c := range quick.Parent {
			if quick.Name(trace.CallID(c)) != name {
				continue
			}
			best, _, ok := m.Best(A, trace.CallID(c))
			if !ok {
				t.Errorf("%s has no match", name)
				continue
			}
			order := func(t []int64, c trace.CallID) int64 { return t[c] - t[0] }
			if got := order(heap.Start, best) > order(quick.Start, trace.CallID(c)); got != later {
				t.Errorf("%s matches %s, later: %v", name, heap.Name(best), got)
			}
		}
	}
}
