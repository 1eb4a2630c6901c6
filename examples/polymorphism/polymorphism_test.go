package main

import (
	"context"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/viztest"
)

func calls(t *testing.T) *data.Set {
	t.Helper()
	in, err := source.Open(context.Background(), "calls.log")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestChart(t *testing.T) {
	viztest.Check(t, calls(t), viz.ChartSpec{View: "polymorphism"})
}

func TestDegrees(t *testing.T) {
	set := calls(t)
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	charts, err := w.Charts(context.Background(), []viz.ChartSpec{{View: "polymorphism"}}, viz.Shared{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := charts[0].Answer(viz.View{Sort: map[string]string{"y": "amount"}}, viz.Shared{})
	if err != nil {
		t.Fatal(err)
	}
	want := []viz.Value{{Entity: "Shapes.draw:14", Value: 3}, {Entity: "Shapes.sort:8", Value: 2}, {Entity: "Shapes.name:3", Value: 1}}
	got := answer.([]viz.Value)
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}
