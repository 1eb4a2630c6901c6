package data

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrder sorts blocks that are in order in stretches, long ones and short ones,
// and compares with a stable sort of rows.
func TestOrder(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := rng.IntN(2000)
		long := 1 + rng.IntN(500) // rows of a stretch, on average
		b := Block{Rows: n, Columns: []Column{{Values: make([]int64, n)}, {Refs: make([]EntityID, n)}, {Values: make([]int64, n)}}}
		first, row, second := b.Columns[0].Values, b.Columns[1].Refs, b.Columns[2].Values
		at := int64(0)
		for i := range n {
			if at += rng.Int64N(3); rng.IntN(long) == 0 {
				at = rng.Int64N(50)
			}
			first[i], row[i], second[i] = at, EntityID(i), rng.Int64N(3)
		}
		for _, keys := range [][]int{{0}, {0, 2}} {
			want := slices.Clone(row)
			slices.SortStableFunc(want, func(x, y EntityID) int {
				return cmp.Or(cmp.Compare(first[x], first[y]), cmp.Compare(second[x], second[y])*(len(keys)-1))
			})
			got := b.pick(b.inOrder(keys), 0, n)
			if !slices.Equal(got.Columns[1].Refs, want) {
				t.Fatalf("seed %d, keys %d: %d, want %d", seed, keys, got.Columns[1].Refs, want)
			}
			for i, x := range want {
				if got.Columns[0].Values[i] != first[x] || got.Columns[2].Values[i] != second[x] {
					t.Fatalf("seed %d, keys %d: row %d is torn apart", seed, keys, i)
				}
			}
		}
	}
}
