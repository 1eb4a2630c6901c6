package compact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/symbol"
)

// drawn makes the tree of a drawing.
func drawn(t testing.TB, text string) *cct.Tree { return treeOf(t, datatest.Drawn(t, text)) }

// built makes a tree from columns through a data set, as readers do.
func built(t testing.TB, names []string, parents, methods []data.EntityID, values [][]int64) *cct.Tree {
	return treeOf(t, datatest.Contexts(t, names, parents, methods, values))
}

func treeOf(t testing.TB, set *data.Set) *cct.Tree {
	t.Helper()
	tree, err := cct.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// namesOf splits names at their dots, whatever language they look like.
func namesOf(t *cct.Tree) *Names {
	split := make([]symbol.Name, t.Methods.Rows())
	for m, name := range t.Methods.Names {
		elements := strings.Split(name, ".")
		split[m] = symbol.Name{Language: symbol.Java, Package: elements[:len(elements)-1], Method: elements[len(elements)-1]}
		if n := len(elements); n > 2 {
			split[m].Package, split[m].Class = elements[:n-2], elements[n-2]
		}
	}
	return NewNames(t.Methods, split)
}

// randomTree makes a tree of a few alike names. Contexts of one caller may have
// the same method, as they do in no profile.
func randomTree(t testing.TB, r *rand.Rand, contexts int) *cct.Tree {
	names := []string{"a", "a.b", "a.b.c", "a.b.d", "a.e", "a.e.f", "g.h.i", "g.h.j", "g.k.l", "m"}
	names = names[:2+r.IntN(len(names)-1)]
	if r.IntN(2) == 0 { // names that begin alike, for callees that take over their siblings but not their callers
		names = []string{"a.b.c.d", "a.b.c.e", "a.b.c", "x.y.z", "x.y.w", "x.v"}[:3+r.IntN(4)]
	}
	parents, methods := make([]data.EntityID, contexts), make([]data.EntityID, contexts)
	values := [][]int64{make([]int64, contexts), make([]int64, contexts)}
	reach := 1 + r.IntN(8)
	for i := range contexts {
		parents[i] = data.None
		if i > 0 && r.IntN(10) > 0 {
			parents[i] = data.EntityID(max(0, i-1-r.IntN(reach)))
		}
		methods[i] = data.EntityID(r.IntN(len(names)))
		values[0][i], values[1][i] = r.Int64N(4), r.Int64N(100)-10
	}
	return built(t, names, parents, methods, values)
}

// draw writes a compacted tree: a line per node with the total of the first
// metric, and its number of members if there is more than one.
func draw(t *Tree) string {
	var b strings.Builder
	for r := range t.Len() {
		row := cct.NodeID(r)
		if t.Method[row] == noName {
			continue
		}
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", int(t.Depth[row]-1)), t.Name(row))
		if len(t.Total) > 0 {
			fmt.Fprintf(&b, " [%d]", t.Total[0][row])
		}
		if t.Merged[row] > 1 {
			fmt.Fprintf(&b, " ×%d", t.Merged[row])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// dump writes every column.
func dump(t *Tree) string {
	var b strings.Builder
	for r := range t.Len() {
		fmt.Fprintf(&b, "%d: parent %d end %d depth %d height %d name %d id %d merged %d tops %d",
			r, t.Parent[r], t.End[r], t.Depth[r], t.Height[r], t.Method[r], t.Origin[r], t.Merged[r], t.tops[r])
		for m := range t.Self {
			fmt.Fprintf(&b, " %d/%d", t.Self[m][r], t.Total[m][r])
		}
		if t.typed[cct.NodeID(r)] {
			b.WriteString(" typed")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(&b, t.into)
	return b.String()
}

// verify checks what the type cct.Tree promises.
func verify(t testing.TB, c *Tree) {
	t.Helper()
	if c.Parent[0] != cct.NoNode || int(c.End[0]) != c.Len() || c.Depth[0] != 0 {
		t.Errorf("the root is broken")
	}
	for r := range c.Len() {
		row := cct.NodeID(r)
		if r > 0 {
			p := c.Parent[row]
			if p >= row || c.End[row] > c.End[p] || c.End[row] <= row || c.Depth[row] != c.Depth[p]+1 {
				t.Errorf("row %d is out of order", row)
			}
		}
		height := int32(0)
		before := cct.NoNode
		sums := make([]int64, len(c.Self))
		for child := range c.Children(row) {
			if c.Parent[child] != row {
				t.Errorf("row %d is no child of %d", child, row)
			}
			height = max(height, c.Height[child]+1)
			for m := range sums {
				sums[m] += c.Total[m][child]
			}
			if before != cct.NoNode && len(c.Total) > 0 && c.Total[0][before] < c.Total[0][child] {
				t.Errorf("rows %d and %d are in the wrong order", before, child)
			}
			before = child
		}
		if c.Height[row] != height {
			t.Errorf("row %d has the height %d, not %d", row, c.Height[row], height)
		}
		for m := range sums {
			if sums[m]+c.Self[m][row] != c.Total[m][row] {
				t.Errorf("row %d: self %d, children %d, total %d", row, c.Self[m][row], sums[m], c.Total[m][row])
			}
		}
		if at, ok := c.Node(c.ID(row)); !ok || at != row {
			t.Errorf("row %d has the id %d, which names row %d", row, c.ID(row), at)
		}
	}
}
