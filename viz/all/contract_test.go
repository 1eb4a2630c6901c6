package all

import (
	"context"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/viztest"
)

// TestContract takes every chart of events that is linked in through its life,
// on a data set with everything that is awkward: no entity, times that run
// backwards, amounts below zero, names that are twice there, and contexts.
func TestContract(t *testing.T) {
	set := awkward(t)
	if _, err := viz.NewWorkspace(context.Background(), set); err != nil {
		t.Fatal(err)
	}
	for _, f := range viz.All() {
		if f.Definition.Tree || f.Definition.Trace || f.Definition.Pair { // the latter have tests with calls
			continue
		}
		for _, subject := range []string{"Call", "Never"} {
			t.Run(f.Definition.Name+"/"+subject, func(t *testing.T) {
				viztest.Check(t, set, viz.ChartSpec{View: f.Definition.Name, Subject: subject})
			})
		}
	}
}

func awkward(t *testing.T) *data.Set {
	t.Helper()
	b := data.NewBuilder("awkward", "test")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	methods, err := b.EntityType("Method", "")
	check(err)
	for _, name := range []string{"a.B.f(I)V", "twin", "twin", "<b>&\"\n", ""} {
		_, err := methods.Add(name)
		check(err)
	}
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	check(err)
	none := data.None
	check(contexts.Adopt(nil, 4, data.Column{Refs: []data.EntityID{none, 0, 1, none}}, data.Column{Refs: []data.EntityID{0, 1, 2, 3}}))
	fields := []data.Field{
		data.Value("Time", "nanoseconds", "", data.Coordinate),
		data.Ref("Context", "Context", ""),
		data.Ref("Next", "Method", ""),
		data.Value("Cost", "bytes", "", data.Amount),
	}
	calls, err := b.EventType("Call", "", fields...)
	check(err)
	_, err = b.EventType("Never", "", fields...)
	check(err)
	for _, row := range [][]int64{
		{100, 0, 1, 10}, {-50, 1, int64(none), -3}, {100, int64(none), 2, 7}, {1 << 40, 2, 1, 0}, {0, 3, 0, 1 << 50}, {7, 1, 2, 5},
	} {
		check(calls.Add(row...))
	}
	set, err := b.Finish()
	check(err)
	return set
}
