// Package viztest checks charts of events as package sourcetest checks
// sources: whoever writes one calls [Check] and has the rules of the protocol
// tested.
//
// What does not belong here: what a particular chart has to show.
package viztest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Check takes the chart of that name through its whole life on a data set of
// its own kind, given by the chart's author, and on that data set without
// events, with a filter and with colour groups:
//
//   - what it receives in portions it may not keep, and portions do not matter;
//   - drawing between batches does not change what is drawn in the end;
//   - scenes are whole (see [viz.OpenChart.Scene]) in any size, theme and part,
//     and the same when they are drawn again;
//   - what is selected in its picture is a filter that holds for events, or
//     nothing;
//   - it says what is under any point without falling over.
func Check(t *testing.T, set *data.Set, spec viz.ChartSpec) {
	t.Helper()
	ctx := context.Background()
	w, err := viz.NewWorkspace(ctx, set)
	if err != nil {
		t.Fatal(err)
	}
	view := viz.View{Viewport: viz.Viewport{Width: 640, Height: 400}}
	var plain string
	for _, shared := range sharings(set, spec) {
		drawn := 0
		open := func(peek bool) *viz.OpenChart {
			t.Helper()
			// Another workspace each time, so that nothing is open already.
			w, err := viz.NewWorkspace(ctx, set)
			if err != nil {
				t.Fatal(err)
			}
			charts, err := w.Charts(ctx, []viz.ChartSpec{spec}, shared, func(charts []*viz.OpenChart, _, _ int64) {
				if !peek {
					return
				}
				drawn++
				if _, err := charts[0].Scene(view, shared); err != nil {
					t.Errorf("drawn between batches: %v", err)
				}
			})
			if err != nil {
				t.Fatalf("filter %q: %v", shared.Filter, err)
			}
			return charts[0]
		}
		chart := open(false)
		once := draw(t, chart, view, shared)
		if again := draw(t, chart, view, shared); again != once {
			t.Errorf("filter %q: drawn twice, the scenes differ", shared.Filter)
		}
		if peeked := draw(t, open(true), view, shared); peeked != once {
			t.Errorf("filter %q: drawing between batches changes the picture", shared.Filter)
		}
		if drawn == 0 && rows(set, chart) > 0 && !chart.Definition.Trace {
			t.Errorf("filter %q: there were events, but no batch", shared.Filter)
		}
		if shared.Filter == "" && len(shared.Groups) == 0 {
			plain = once
		}
		frames(t, chart, shared)
		points(t, w, chart, view, shared)
	}
	if plain == "" {
		t.Error("the chart was never drawn")
	}
}

func rows(set *data.Set, c *viz.OpenChart) int { return set.Event(c.Spec.Subject).Rows() }

// sharings are states of a workspace to try.
func sharings(set *data.Set, spec viz.ChartSpec) []viz.Shared {
	group := func(name, filter string) viz.Group {
		return viz.Group{Name: name, Color: scene.RGB(0xcc, 0x33, 0x66), Filter: filter}
	}
	all := []viz.Shared{
		{},
		{Filter: "event < 0"},
		{Filter: "event in 1..3"},
		{Groups: []viz.Group{group("few", "event in 0..1"), group("all", "event >= 0")}},
		{Groups: []viz.Group{{Name: "hidden", Filter: "event >= 0", Hidden: true}}, Selection: "event == 0"},
	}
	for _, t := range set.Entities() {
		if t.Rows() > 0 && t.Names != nil {
			name := fmt.Sprintf("%q == %d", t.Definition.Name, t.Rows()/2)
			all = append(all, viz.Shared{Filter: name}, viz.Shared{Selection: name})
			break
		}
	}
	return all
}

// draw gives a scene as text, to compare.
func draw(t *testing.T, c *viz.OpenChart, v viz.View, shared viz.Shared) string {
	t.Helper()
	s, err := c.Scene(v, shared)
	if err != nil {
		t.Fatalf("filter %q: %v", shared.Filter, err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// frames draws in all sizes and parts that a page may ask for.
func frames(t *testing.T, c *viz.OpenChart, shared viz.Shared) {
	t.Helper()
	for _, size := range []viz.Viewport{{Width: 1, Height: 1}, {Width: 40, Height: 2000}, {Width: 3840, Height: 30}} {
		for _, part := range []viz.Range{{}, {From: 0, To: 1}, {From: 0.25, To: 0.75}, {From: -5, To: 1e9}, {From: 1e9, To: 2e9}, {From: 3, To: 1}, {From: math.NaN(), To: 1}} {
			for _, scheme := range viz.Schemes() {
				v := viz.View{Viewport: size, Dark: scheme.Name == "lexical", Rows: part, Columns: part, First: int(min(part.To, 100)), Sort: map[string]string{}}
				for _, dim := range c.Definition.Dimensions {
					v.Sort[dim.Name] = scheme.Name
				}
				if _, err := c.Scene(v, shared); err != nil {
					t.Fatalf("%v, part %v, sorted by %s: %v", size, part, scheme.Name, err)
				}
			}
		}
	}
}

// points asks for what is under points and rectangles all over the picture.
func points(t *testing.T, w *viz.Workspace, c *viz.OpenChart, v viz.View, shared viz.Shared) {
	t.Helper()
	for y := -10.0; y <= v.Height+10; y += 37 {
		for x := -10.0; x <= v.Width+10; x += 41 {
			if _, _, err := c.At(v, shared, x, y); err != nil {
				t.Fatalf("at %g, %g: %v", x, y, err)
			}
			text, err := c.Select(v, shared, scene.Box{X0: x, Y0: y, X1: x + 50, Y1: y + 30})
			if err != nil {
				return // nothing can be selected in it
			}
			if _, err := query.ParseFilter(text, w.Set, w.Tree); err != nil {
				t.Fatalf("what is selected at %g, %g is no filter: %v", x, y, err)
			}
		}
	}
}
