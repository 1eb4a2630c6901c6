package cct

import (
	"context"
	"math"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// A profile without samples has a tree: its root, and the metrics.
func TestNoMethods(t *testing.T) {
	b := data.NewBuilder("empty", "test")
	if _, err := b.EntityType("Method", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", "")); err != nil {
		t.Fatal(err)
	}
	samples, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value("n", "count", "", data.Amount))
	if err != nil {
		t.Fatal(err)
	}
	// What was measured with an empty stack needs no method.
	if err := samples.Add(int64(data.None), 7); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, tree)
	if got := draw(tree); got != "· 7/7\n" || tree.Contexts() != 0 {
		t.Errorf("%d contexts:\n%s", tree.Contexts(), got)
	}
	for _, made := range []*Tree{ByMethod(tree, Root), EliminateRecursion(tree, Root)} {
		if got := draw(made); got != "· 7/7\n" {
			t.Errorf("an operation made of it\n%s", got)
		}
	}
}

// Contexts without a method are no frames, and what they cost is kept.
func TestContextsWithoutMethod(t *testing.T) {
	const none = data.None
	tree := built(t, []string{"a", "b"},
		[]data.EntityID{none, 0, 1, 2, none, 4, 4},
		[]data.EntityID{none, 0, none, 1, 0, none, 1},
		[][]int64{{1, 2, 3, 4, 5, 6, 7}})
	const want = "· 1/28\n  a 11/18\n    b 7/7\n  a 5/9\n    b 4/4\n"
	if got := draw(tree); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for context, want := range []NodeID{0, 3, 3, 4, 1, 1, 2} {
		if got := tree.OfContext(data.EntityID(context)); got != want {
			t.Errorf("context %d is in row %d, not %d", context, got, want)
		}
	}
	verify(t, EliminateRecursion(tree, Root))
	verify(t, ByMethod(tree, Root))
}

func TestAddSaturating(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		a, b, sum int64
		ok        bool
	}{
		{0, 0, 0, true}, {1, -1, 0, true}, {most, least, -1, true}, {most, 0, most, true}, {least, 0, least, true},
		{most, 1, most, false}, {most, most, most, false}, {least, -1, least, false}, {least, least, least, false},
		{most - 1, 1, most, true}, {least + 1, -1, least, true},
	} {
		if sum, ok := addSaturating(c.a, c.b); sum != c.sum || ok != c.ok {
			t.Errorf("%d + %d is %d (%v), not %d (%v)", c.a, c.b, sum, ok, c.sum, c.ok)
		}
	}
}

// TestCalls builds the tree of events that nest: what is exclusive is added up
// and called like what is inclusive, and the calls are counted.
func TestCalls(t *testing.T) {
	b := data.NewBuilder("calls", "test")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	methods, err := b.EntityType("Method", "")
	must(err)
	must(methods.Adopt([]string{"main", "f"}, 2))
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(contexts.Adopt(nil, 2, data.Column{Refs: []data.EntityID{data.None, 0}}, data.Column{Refs: []data.EntityID{0, 1}}))
	calls, err := b.EventType("Call", "",
		data.Ref("Context", "Context", ""),
		data.Value("Duration", "nanoseconds", "", data.Amount, inclusive),
		data.Value("Self", "nanoseconds", "", data.Amount, exclusive))
	must(err)
	must(calls.Add(0, 10, 4))
	must(calls.Add(1, 1, 1))
	must(calls.Add(1, 5, 5))
	set, err := b.Finish()
	must(err)
	tree, err := Build(context.Background(), set)
	must(err)
	if len(tree.Metrics) != 2 || tree.Metrics[0].Name != "Duration" || tree.Metrics[1].Name != "calls" {
		t.Fatalf("metrics are %v", tree.Metrics)
	}
	butFirst := &data.Condition{Op: data.InRanges, Field: data.OwnRow, Ranges: []data.Span{{From: 1, To: 9}}}
	kept, err := Keep(context.Background(), tree, Root, []*data.Condition{butFirst}, nil)
	must(err)
	for _, c := range []struct {
		tree        *Tree
		node        NodeID
		metric      int
		self, total int64
	}{{tree, 1, 0, 4, 10}, {tree, 2, 0, 6, 6}, {tree, 1, 1, 1, 3}, {tree, 2, 1, 2, 2}, {kept, 1, 0, 0, 6}, {kept, 2, 1, 2, 2}} {
		if c.tree.Self[c.metric][c.node] != c.self || c.tree.Total[c.metric][c.node] != c.total {
			t.Errorf("node %d, metric %d: self %d, total %d; want %d, %d", c.node, c.metric, c.tree.Self[c.metric][c.node], c.tree.Total[c.metric][c.node], c.self, c.total)
		}
	}
}
