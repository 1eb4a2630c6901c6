package cct

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
)

// drawn makes the tree of a drawing.
func drawn(t testing.TB, text string) *Tree { return treeOf(t, datatest.Drawn(t, text)) }

// built makes a tree from columns through a data set, as readers do.
func built(t testing.TB, names []string, parents, methods []data.EntityID, values [][]int64) *Tree {
	return treeOf(t, datatest.Contexts(t, names, parents, methods, values))
}

func treeOf(t testing.TB, set *data.Set) *Tree {
	t.Helper()
	tree, err := Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, tree)
	return tree
}

// draw is the inverse of drawn, with self and total of every metric.
func draw(t *Tree) string {
	var b strings.Builder
	for i := range t.Parent {
		name := t.Name(NodeID(i))
		if name == "" {
			name = "·"
		}
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", int(t.Depth[i])), name)
		for m := range t.Self {
			fmt.Fprintf(&b, " %d/%d", t.Self[m][i], t.Total[m][i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// verify checks everything that the type says of a tree.
func verify(t testing.TB, tree *Tree) {
	t.Helper()
	n := tree.Len()
	if tree.Parent[0] != NoNode || int(tree.End[0]) != n || tree.Depth[0] != 0 {
		t.Fatalf("the root is broken")
	}
	ids := map[NodeID]bool{}
	for i := 0; i < n; i++ {
		id := NodeID(i)
		if i > 0 {
			p := tree.Parent[i]
			if p >= id || tree.End[i] > tree.End[p] || tree.Depth[i] != tree.Depth[p]+1 || tree.End[i] <= id {
				t.Fatalf("row %d is out of order", i)
			}
		}
		sums := make([]int64, len(tree.Self))
		var before NodeID
		for c := range tree.Children(id) {
			if tree.Parent[c] != id {
				t.Fatalf("row %d is no child of %d", c, id)
			}
			for m := range sums {
				sums[m] += tree.Total[m][c]
			}
			if before != 0 && len(tree.Total) > 0 {
				a, b := tree.Total[0][before], tree.Total[0][c]
				if a < b || a == b && tree.Name(before) > tree.Name(c) {
					t.Fatalf("children %d and %d are in the wrong order", before, c)
				}
			}
			before = c
		}
		for m := range sums {
			if sums[m]+tree.Self[m][i] != tree.Total[m][i] {
				t.Fatalf("row %d: total of metric %d is %d, not %d", i, m, tree.Total[m][i], sums[m]+tree.Self[m][i])
			}
		}
		if ids[tree.ID(id)] {
			t.Fatalf("two rows have the id %d", tree.ID(id))
		}
		ids[tree.ID(id)] = true
		if at, ok := tree.Node(tree.ID(id)); !ok || at != id {
			t.Fatalf("row %d has the id %d, which names row %d", i, tree.ID(id), at)
		}
	}
}
