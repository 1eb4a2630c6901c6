package cct

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// Trees are drawn in tests: a line per context, indented by its depth, with
// the self values of the metrics behind the name.
//
//	main 10
//	  f 5
//	    h 1
func drawn(t testing.TB, text string) *Tree {
	t.Helper()
	var parents, methods []data.EntityID
	var values [][]int64
	names := []string{}
	ids := map[string]data.EntityID{}
	var path []data.EntityID
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "  "), " ")
		trimmed := strings.TrimLeft(line, " ")
		depth := (len(line) - len(trimmed)) / 2
		words := strings.Fields(trimmed)
		id, ok := ids[words[0]]
		if !ok {
			id = data.EntityID(len(names))
			ids[words[0]] = id
			names = append(names, words[0])
		}
		parent := data.None
		if depth > 0 {
			parent = path[depth-1]
		}
		path = append(path[:depth], data.EntityID(len(parents)))
		parents, methods = append(parents, parent), append(methods, id)
		for m, w := range words[1:] {
			v, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if m == len(values) {
				values = append(values, nil)
			}
			values[m] = append(values[m], v)
		}
	}
	return built(t, names, parents, methods, values)
}

// built makes a tree from columns through a data set, as readers do.
func built(t testing.TB, names []string, parents, methods []data.EntityID, values [][]int64) *Tree {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	b := data.NewBuilder("drawn", "test")
	me, err := b.EntityType("Method", "")
	must(err)
	must(me.Adopt(names, len(names)))
	ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(ce.Adopt(nil, len(parents), data.Column{Refs: parents}, data.Column{Refs: methods}))
	fields := []data.Field{data.Ref("Context", "Context", "")}
	at := make([]data.EntityID, len(parents))
	for i := range at {
		at[i] = data.EntityID(i)
	}
	columns := []data.Column{{Refs: at}}
	for m, v := range values {
		fields = append(fields, data.Value(fmt.Sprint("m", m), "count", "", data.Amount))
		columns = append(columns, data.Column{Values: v})
	}
	se, err := b.EventType("Sample", "", fields...)
	must(err)
	must(se.Adopt(len(at), columns...))
	set, err := b.Finish()
	must(err)
	tree, err := Build(context.Background(), set)
	must(err)
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
