package compact

import (
	"math/rand/v2"
	"testing"

	"github.com/cambium-prof/cambium/cct"
)

// Actions taken together are what they are one after the other: the tree, in
// everything, and what is said of those that are not possible.
func TestApplyAll(t *testing.T) {
	trees := 3000
	if testing.Short() {
		trees = 600
	}
	took, blocked, typed := 0, 0, 0
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		from := randomTree(t, r, 3+r.IntN(40))
		root := cct.Root
		if r.IntN(4) == 0 {
			root = cct.NodeID(r.IntN(from.Len()))
		}
		names := namesOf(from)
		start := New(from, root, names, 1+r.IntN(3))
		if r.IntN(2) == 0 {
			levels := map[cct.NodeID]int{}
			for n := range from.Len() {
				levels[cct.NodeID(n)] = 1 + r.IntN(4)
			}
			start = start.Set(levels)
		}
		kinds := []Kind{Expand, Compact, Expand, Compact, Level, Level, ExpandHere, CompactHere, ExpandPackage, CompactPackage, ExpandAll, CompactAll, Reset, Explain}
		var actions []Action
		for range 1 + r.IntN(12) {
			actions = append(actions, Action{
				Kind: kinds[r.IntN(len(kinds)-r.IntN(5))], Node: cct.NodeID(r.IntN(from.Len() + 1)), N: r.IntN(4),
				Name: names.Table().NameOf(NameID(r.IntN(names.Table().Rows()))),
			})
			if last := &actions[len(actions)-1]; last.Kind == Explain {
				last.N, last.Name = 1+last.N, ""
			}
		}
		want := start
		var errs []error
		for _, a := range actions {
			made, err := want.Apply(a)
			if errs = append(errs, err); err == nil {
				want = made
				took++
			} else {
				blocked++
			}
			typed += len(want.typed)
		}
		got, gotErrs := start.ApplyAll(actions)
		same(t, got, want, seed)
		for k := range actions {
			if said(gotErrs[k]) != said(errs[k]) {
				t.Errorf("%s is refused by %q, by itself by %q", actions[k], said(gotErrs[k]), said(errs[k]))
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, Actions(actions))
		}
	}
	if took < trees || blocked < trees || typed < trees/500 {
		t.Errorf("%d actions were taken, %d were not, and %d nodes had several parts", took, blocked, typed)
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
