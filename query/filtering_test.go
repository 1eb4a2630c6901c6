package query

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"pgregory.net/rapid"
)

// sample is an event of a drawn data set.
type sample struct {
	context     data.EntityID // None if the stack was empty
	cost, label int64
}

// sampledTree is a random tree of which the events are random too.
func sampledTree(t *rapid.T) (*cct.Tree, []sample) {
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	n := rapid.IntRange(1, 25).Draw(t, "contexts")
	parents, methods := make([]data.EntityID, n), make([]data.EntityID, n)
	for i := range n {
		parents[i] = data.EntityID(rapid.IntRange(max(-1, i-4), i-1).Draw(t, "parent"))
		methods[i] = data.EntityID(rapid.IntRange(0, 4).Draw(t, "method"))
	}
	b := data.NewBuilder("drawn", "test")
	me, err := b.EntityType("Method", "")
	must(err)
	must(me.Adopt([]string{"a.X.f", "a.X.g", "a.Y.f", "b.f", "c"}, 5))
	ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(ce.Adopt(nil, n, data.Column{Refs: parents}, data.Column{Refs: methods}))
	se, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value("cost", "count", "", data.Amount), data.Value("label", "", ""))
	must(err)
	samples := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sample {
		return sample{data.EntityID(rapid.IntRange(-1, n-1).Draw(t, "at")), rapid.Int64Range(0, 9).Draw(t, "cost"), rapid.Int64Range(0, 2).Draw(t, "label")}
	}), 0, 40).Draw(t, "samples")
	for _, s := range samples {
		must(se.Add(int64(s.context), s.cost, s.label))
	}
	set, err := b.Finish()
	must(err)
	base, err := cct.Build(context.Background(), set)
	must(err)
	return base, samples
}

// holds is a filter, and what it says of an event, spelled out.
type holds struct {
	text string
	of   func(base *cct.Tree, row int, s sample) bool
}

func someFilter(t *rapid.T, base *cct.Tree) holds {
	k := rapid.IntRange(0, 4).Draw(t, "k")
	switch rapid.IntRange(0, 3).Draw(t, "filter") {
	case 0:
		return holds{fmt.Sprintf("label in [%d, %d]", k, k+1), func(_ *cct.Tree, _ int, s sample) bool { return s.label == int64(k) || s.label == int64(k)+1 }}
	case 1:
		name := base.Methods.NameOf(data.EntityID(k))
		return holds{fmt.Sprintf("not (Method == %q)", name), func(base *cct.Tree, _ int, s sample) bool {
			return s.context == data.None || base.Name(base.OfContext(s.context)) != name
		}}
	case 2:
		id := cct.NodeID(rapid.IntRange(0, base.Len()-1).Draw(t, "id"))
		return holds{fmt.Sprintf("Context == %d", id), func(base *cct.Tree, _ int, s sample) bool {
			if s.context == data.None {
				return false
			}
			at := base.OfContext(s.context)
			return at >= id && at < base.End[id]
		}}
	}
	return holds{fmt.Sprintf("event < %d", 5*k), func(_ *cct.Tree, row int, _ sample) bool { return row < 5*k }}
}

// literally is a tree as text, children in the order of their ids.
func literally(t *cct.Tree, root cct.NodeID, left func(cct.NodeID) bool, self func(cct.NodeID) int64) string {
	var b strings.Builder
	var walk func(n cct.NodeID, depth int)
	walk = func(n cct.NodeID, depth int) {
		fmt.Fprintf(&b, "%s%s %d", strings.Repeat(" ", depth), t.Name(n), self(n))
		ids := ""
		for id := range cct.NodeID(t.Base().Len()) {
			if at, ok := t.Node(id); ok && at == n && left(id) {
				ids += fmt.Sprintf(" %d", id)
			}
		}
		b.WriteString(ids + "\n")
		for id := range cct.NodeID(t.Base().Len()) {
			at, ok := t.Node(id)
			if !ok || !left(id) || t.Parent[at] != n || at == root {
				continue
			}
			first := true
			for other := range id {
				if o, ok := t.Node(other); ok && o == at && left(other) {
					first = false
				}
			}
			if first {
				walk(at, depth+1)
			}
		}
	}
	walk(root, 0)
	return b.String()
}

// TestFilterStep compares every filter of a random pipeline with what it means,
// spelled out: of the events that are left, those for which it holds; of the
// contexts, those that such an event was measured in or below; of the nodes,
// those that one of these contexts is shown as.
func TestFilterStep(t *testing.T) {
	filtered := 0
	rapid.Check(t, func(t *rapid.T) {
		base, samples := sampledTree(t)
		left := make([]bool, len(samples))
		for i := range left {
			left[i] = true
		}
		var p Pipeline
		before := base.Whole()
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			var step Step
			var filter holds
			switch kind := rapid.SampledFrom([]Kind{Keep, Keep, Focus, NoRecursion, ByMethod, Compact}).Draw(t, "kind"); kind {
			case Keep:
				filter = someFilter(t, base)
				step = FilterStep(filter.text)
			case Focus:
				at := before.Root + cct.NodeID(rapid.IntRange(0, int(before.End[before.Root]-before.Root)-1).Draw(t, "focus"))
				step = Step{Kind: Focus, N: int64(before.ID(at))}
			case Compact:
				step = Step{Kind: Compact, Text: rapid.SampledFrom([]string{"1", "2", "explain:3"}).Draw(t, "levels")}
			default:
				step = Step{Kind: kind}
			}
			p = append(p, step)
			after, err := p.Apply(context.Background(), base, nil)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			if step.Kind == Keep {
				filtered++
				reached := map[cct.NodeID]bool{}
				self := map[cct.NodeID]int64{}
				for i, s := range samples {
					if left[i] = left[i] && filter.of(base, i, s); !left[i] {
						continue
					}
					id := cct.Root
					if s.context != data.None {
						id = base.OfContext(s.context)
					}
					n, ok := before.Node(id)
					if !ok || n < before.Root || n >= before.End[before.Root] || n == before.Root && before.MergedInto(n) == 0 {
						continue
					}
					self[n] += s.cost
					for ; id != cct.NoNode; id = base.Parent[id] {
						reached[id] = true
					}
				}
				in := func(id cct.NodeID) bool {
					n, ok := before.Node(id)
					return ok && n >= before.Root && n < before.End[before.Root] && reached[id]
				}
				want := literally(before.Tree, before.Root, in, func(n cct.NodeID) int64 { return self[n] })
				got := literally(after.Tree, after.Root, func(id cct.NodeID) bool { return reached[id] }, func(n cct.NodeID) int64 { return after.Self[0][n] })
				if got != want {
					t.Fatalf("%s leaves\n%s, not\n%s", p, got, want)
				}
			}
			before = after
		}
	})
	if filtered == 0 {
		t.Error("nothing was filtered")
	}
}

// A filter can change places with everything but compaction.
func TestFilterCommutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, _ := sampledTree(t)
		filter := FilterStep(someFilter(t, base).text)
		other := Step{Kind: rapid.SampledFrom([]Kind{NoRecursion, ByMethod, Focus, Keep}).Draw(t, "other")}
		switch other.Kind {
		case Focus:
			other.N = int64(rapid.IntRange(0, base.Len()-1).Draw(t, "focus"))
		case Keep:
			other = FilterStep(someFilter(t, base).text)
		}
		a, errA := Pipeline{filter, other}.Apply(context.Background(), base, nil)
		b, errB := Pipeline{other, filter}.Apply(context.Background(), base, nil)
		if errB != nil {
			t.Fatalf("%v", errB)
		}
		if errA != nil {
			// The filter took what should be focused on; after it, the root is left alone.
			if other.Kind != Focus || b.Len() != 1 {
				t.Fatalf("%s,%s: %v, the other way %d rows", filter, other, errA, b.Len())
			}
			return
		}
		if show(a) != show(b) {
			t.Fatalf("%s,%s gives\n%s, the other way\n%s", filter, other, show(a), show(b))
		}
	})
}

// With compaction, the order is what is meant: what there is to merge, or what
// to show of what was merged.
func TestFilterBeforeAndAfterCompaction(t *testing.T) {
	base := toy(t)
	for steps, want := range map[string]string{
		// Without 9 there is nothing to expand; with it, its node is expanded
		// before it goes.
		`filter:Context == 4,compact:1;expand:9`: "lib1\n  lib2\n   lib3",
		`compact:1;expand:9,filter:Context == 4`: "lib1\n  lib2.Lung\n   lib2.Muscle\n    lib2.Nerve\n     lib3\n    lib3",
		// The nodes that tell most, of what is left and of everything.
		`filter:Context == 9,compact:explain:3`: "lib1\n  lib2\n   lib3",
		`compact:explain:3,filter:Context == 9`: "lib1\n  lib2\n   lib3.Signal",
	} {
		p, err := ParsePipeline(steps)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Apply(context.Background(), base, nil)
		if err != nil {
			t.Fatalf("%s: %v", steps, err)
		}
		if got := lines(v); got != want {
			t.Errorf("%s gives\n%s\nand not\n%s", steps, got, want)
		}
	}
	p, _ := ParsePipeline(`norec,filter:Color == 3`)
	if _, err := p.Apply(context.Background(), base, nil); err == nil || !strings.Contains(err.Error(), `step "filter:Color == 3": filter: there is no field`) {
		t.Errorf("a filter of a field that there is not gives %v", err)
	}
}
