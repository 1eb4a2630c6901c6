package cct

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"pgregory.net/rapid"
)

// numberNames numbers the names of two trees after folding them.
func numberNames(trees [2]*Tree, fold func(string) string) (number [2][]data.EntityID, names []string) {
	ids := map[string]data.EntityID{}
	for side, t := range trees {
		for m := range t.Methods.Rows() {
			name := fold(t.Methods.NameOf(data.EntityID(m)))
			id, ok := ids[name]
			if !ok {
				id = data.EntityID(len(names))
				ids[name], names = id, append(names, name)
			}
			number[side] = append(number[side], id)
		}
	}
	return number, names
}

func asIs(name string) string { return name }

// united joins two trees and builds the tree of it, with the amounts of the
// first metric of each side as metrics.
func united(t testing.TB, trees [2]*Tree, fold func(string) string) (*Tree, *Union) {
	t.Helper()
	number, names := numberNames(trees, fold)
	u, err := Unite(context.Background(), trees, number)
	if err != nil {
		t.Fatal(err)
	}
	var values [][]int64
	for side, tree := range trees {
		sums := make([]int64, u.Len()+1)
		u.Add(side, tree.Self[0], sums)
		if sums[u.Len()] != tree.Self[0][Root] {
			t.Errorf("with an empty stack: %d, not %d", sums[u.Len()], tree.Self[0][Root])
		}
		values = append(values, sums[:u.Len()])
	}
	return built(t, names, u.Parents, u.Methods, values), u
}

func TestUnite(t *testing.T) {
	a := drawn(t, "main 1\n  f1 2\n    g 3\n  h 4\n")
	b := drawn(t, "main 10\n  f2 20\n    g 30\n    k 40\n  f3 50\n")
	tree, u := united(t, [2]*Tree{a, b}, asIs)
	if got, want := draw(tree), "· 0/10 0/150\n  main 1/10 10/150\n    f1 2/5 0/0\n      g 3/3 0/0\n    h 4/4 0/0\n    f2 0/0 20/90\n      g 0/0 30/30\n      k 0/0 40/40\n    f3 0/0 50/50\n"; got != want {
		t.Errorf("the union is\n%s", got)
	}
	for n := range b.Parent {
		if c := u.Context[1][n]; c != data.None && tree.Name(tree.OfContext(c)) != b.Name(NodeID(n)) {
			t.Errorf("node %d of B is %s", n, tree.Name(tree.OfContext(c)))
		}
	}
	// Numbered names are one, and so are siblings that have them.
	tree, _ = united(t, [2]*Tree{a, b}, func(name string) string { return strings.TrimRight(name, "0123456789") })
	if got, want := draw(tree), "· 0/10 0/150\n  main 1/10 10/150\n    f 2/5 70/140\n      g 3/3 30/30\n      k 0/0 40/40\n    h 4/4 0/0\n"; got != want {
		t.Errorf("the union by short names is\n%swant\n%s", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Unite(ctx, [2]*Tree{a, b}, [2][]data.EntityID{{0, 1, 2, 3}, {0, 1, 2, 3, 4}}); err == nil {
		t.Error("it cannot be cancelled")
	}
}

// The definition, taken literally: amounts by the text of a path.
func TestUniteIsByPath(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		trees := [2]*Tree{randomSide(t, rt, "A"), randomSide(t, rt, "B")}
		fold := rapid.SampledFrom([]func(string) string{asIs, func(name string) string { return name[:1] }, func(string) string { return "all" }}).Draw(rt, "fold")
		path := func(tree *Tree, n NodeID, fold func(string) string) string {
			text := ""
			for ; tree.Method[n] != data.None; n = tree.Parent[n] {
				text = fold(tree.Name(n)) + "/" + text
			}
			return text
		}
		want := map[string][2]int64{}
		for side, tree := range trees {
			for n := NodeID(1); int(n) < tree.Len(); n++ {
				sums := want[path(tree, n, fold)]
				sums[side] += tree.Self[0][n]
				want[path(tree, n, fold)] = sums
			}
		}
		tree, _ := united(t, trees, fold)
		verify(t, tree)
		if tree.Contexts() != len(want) {
			rt.Fatalf("%d contexts, not %d:\n%s", tree.Contexts(), len(want), draw(tree))
		}
		for n := NodeID(1); int(n) < tree.Len(); n++ {
			sums, ok := want[path(tree, n, asIs)]
			if !ok || tree.Self[0][n] != sums[0] || tree.Self[1][n] != sums[1] {
				rt.Fatalf("%s has %d and %d, not %v", path(tree, n, asIs), tree.Self[0][n], tree.Self[1][n], sums)
			}
		}
	})
}

// randomSide makes a tree in which callees of one caller may have equal names.
func randomSide(t *testing.T, rt *rapid.T, label string) *Tree {
	var lines []string
	depth := -1
	for range rapid.IntRange(1, 25).Draw(rt, label+" contexts") {
		depth = rapid.IntRange(0, depth+1).Draw(rt, label+" depth")
		lines = append(lines, fmt.Sprintf("%s%s %d", strings.Repeat("  ", depth), rapid.SampledFrom([]string{"f1", "f2", "g1", "h"}).Draw(rt, label+" method"),
			rapid.Int64Range(-3, 1000).Draw(rt, label+" self")))
	}
	return drawn(t, strings.Join(lines, "\n"))
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		amounts []int64
		parts   int64
		want    string
	}{
		{[]int64{1, 1, 1}, 100, "[33 33 34]"},
		{[]int64{0, 5, 0}, 1000, "[0 1000 0]"},
		{[]int64{2, -1, 1}, 100, "[100 -50 50]"},
		{[]int64{math.MaxInt64, 0}, 1e9, "[1000000000 0]"},
		{[]int64{-1, 0}, 100, "[0 0]"},
		{nil, 100, "[]"},
	} {
		if got := fmt.Sprint(Shares(c.amounts, c.parts)); got != c.want {
			t.Errorf("%v in %d parts are %s, not %s", c.amounts, c.parts, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64/64), 1, 60).Draw(t, "amounts")
		amounts[0]++ // so that there is something
		const parts = 1_000_000_000
		shares := Shares(amounts, parts)
		sum := func(all []int64) *big.Int {
			s := new(big.Int)
			for _, v := range all {
				s.Add(s, big.NewInt(v))
			}
			return s
		}
		whole := sum(amounts)
		if slices.Min(shares) < 0 || sum(shares).Int64() != parts {
			t.Fatalf("%v are %v parts", amounts, shares)
		}
		from := rapid.IntRange(0, len(amounts)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(amounts)).Draw(t, "to")
		exact, _ := new(big.Rat).SetFrac(new(big.Int).Mul(sum(amounts[from:to]), big.NewInt(parts)), whole).Float64()
		if got := float64(sum(shares[from:to]).Int64()); math.Abs(got-exact) > 1.001 {
			t.Fatalf("%d to %d have %g parts, not %g", from, to, got, exact)
		}
	})
}
