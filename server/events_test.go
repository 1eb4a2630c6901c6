package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/viz"
)

// The page chooses by these counts what to open a data set with.
func TestEventCounts(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b := data.NewBuilder("both", "test")
	methods, err := b.EntityType("Method", "")
	must(err)
	must(methods.Adopt([]string{"main"}, 1))
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(contexts.Adopt(nil, 1, data.Column{Refs: []data.EntityID{data.None}}, data.Column{Refs: []data.EntityID{0}}))
	samples, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value("cpu", "nanoseconds", "", data.Amount))
	must(err)
	must(samples.Add(0, 5))
	must(samples.Add(0, 5))
	calls, err := b.EventType("Call", "", data.Ref("Context", "Context", ""), data.Value("Start", "nanoseconds", "", data.Coordinate), data.Value("Duration", "nanoseconds", "", data.Amount))
	must(err)
	must(calls.Add(0, 1, 9))
	marks, err := b.EventType("Mark", "", data.Value("Time", "nanoseconds", "", data.Coordinate))
	must(err)
	must(marks.Add(3))
	set, err := b.Finish()
	must(err)
	w, err := viz.NewWorkspace(t.Context(), set)
	must(err)
	var got strings.Builder
	for _, c := range wireEvents(w) {
		fmt.Fprintf(&got, "%s %d calls %v\n", c.Type, c.Rows, c.Calls)
	}
	if want := "Sample 2 calls false\nCall 1 calls true\nMark 1 calls false\n"; got.String() != want {
		t.Errorf("the counts are\n%s", got.String())
	}
}
