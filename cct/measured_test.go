package cct

import (
	"fmt"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// tracedAndSampled is a trace in which there are samples, of the same contexts,
// and pauses, which recommend nothing.
//
//	            time  samples  Sample time
//	main           7        1           10
//	├── f         20        2           50
//	└── g          5        0            0
func tracedAndSampled(t *testing.T) *data.Set {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b := data.NewBuilder("both", "test")
	me, err := b.EntityType("Method", "")
	must(err)
	must(me.Adopt([]string{"main", "f", "g"}, 3))
	ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(ce.Adopt(nil, 3, data.Column{Refs: []data.EntityID{data.None, 0, 0}}, data.Column{Refs: []data.EntityID{0, 1, 2}}))
	add := func(name string, fields []data.Field, refs []data.EntityID, values ...[]int64) {
		t.Helper()
		e, err := b.EventType(name, "", append([]data.Field{data.Ref("Context", "Context", "")}, fields...)...)
		must(err)
		columns := []data.Column{{Refs: refs}}
		for _, v := range values {
			columns = append(columns, data.Column{Values: v})
		}
		must(e.Adopt(len(refs), columns...))
	}
	time := data.Value("time", "ns", "", data.Amount)
	best := data.Value("time", "ns", "", data.Amount, preferred)
	add("Pause", []data.Field{time}, []data.EntityID{0}, []int64{1000})
	add("Call", []data.Field{time}, []data.EntityID{0, 1, 1, 2}, []int64{7, 15, 5, 5})
	add("Sample", []data.Field{data.Value("samples", "count", "", data.Amount), best}, []data.EntityID{1, 0, 1}, []int64{1, 1, 1}, []int64{20, 10, 30})
	set, err := b.Finish()
	must(err)
	return set
}

func sums(tree *Tree) string {
	text := ""
	for n := range tree.Len() {
		text += tree.Name(NodeID(n)) + ":"
		for m := range tree.Metrics {
			text += fmt.Sprintf(" %d", tree.Self[m][n])
		}
		text += "\n"
	}
	return text
}

// A data set may measure contexts in more than one way. The first type of event
// counts, and those that recommend an amount; a filter of one leaves the others.
func TestSeveralTypesOfEvents(t *testing.T) {
	tree, err := Build(t.Context(), tracedAndSampled(t))
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for i, m := range tree.Metrics {
		events, amount := tree.Amount(i)
		names += fmt.Sprintf("%s of %s.%s, ", m.Name, events.Definition.Name, amount.Name)
	}
	if want := "time of Pause.time, samples of Sample.samples, Sample time of Sample.time, "; names != want {
		t.Errorf("got %s, expected %s", names, want)
	}
	if want := ": 0 0 0\nmain: 1000 1 10\nf: 0 2 50\ng: 0 0 0\n"; sums(tree) != want {
		t.Errorf("got\n%s\nexpected\n%s", sums(tree), want)
	}
	// Only samples of more than 15 ns.
	long := &data.Condition{Op: data.InRanges, Field: 2, Ranges: []data.Span{{From: 16, To: 100}}}
	var told int64
	kept, err := Keep(t.Context(), tree, Root, []*data.Condition{nil, long}, func(done, total int64) {
		told = done
		if total != 4 {
			t.Errorf("%d events are to be looked at", total)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := ": 0 0 0\nmain: 1000 0 0\nf: 0 2 50\n"; sums(kept) != want || told != 4 {
		t.Errorf("got\n%s\nexpected\n%s\nafter %d events", sums(kept), want, told)
	}
	// And of these only the first, which adds up with what was kept before.
	first := &data.Condition{Op: data.InRanges, Field: 2, Ranges: []data.Span{{From: 0, To: 25}}}
	kept, err = Keep(t.Context(), kept, Root, []*data.Condition{nil, first}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := ": 0 0 0\nmain: 1000 0 0\nf: 0 1 20\n"; sums(kept) != want {
		t.Errorf("got\n%s\nexpected\n%s", sums(kept), want)
	}
}

// Events that can only be counted come after those with an amount.
func TestCountedEventsComeLast(t *testing.T) {
	b := data.NewBuilder("counted", "test")
	methods, _ := b.EntityType("Method", "")
	contexts, _ := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	changes, _ := b.EventType("Change", "", data.Ref("Context", "Context", ""))
	calls, err := b.EventType("Call", "", data.Ref("Context", "Context", ""), data.Value("time", "ns", "", data.Amount))
	if err != nil {
		t.Fatal(err)
	}
	methods.Add("main")
	contexts.Add("", int64(data.None), 0)
	changes.Add(0)
	calls.Add(0, 7)
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Build(t.Context(), set)
	if err != nil || len(tree.Metrics) != 1 || tree.Metrics[0].Name != "time" || tree.Total[0][Root] != 7 {
		t.Errorf("%v, metrics %+v", err, tree.Metrics)
	}
}
