package all

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// One pass for many charts gives each what a pass of its own does, and charts
// that are open already are read for no more.
func TestOnePassIsAsGoodAsMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		var specs []viz.ChartSpec
		for range rapid.IntRange(1, 5).Draw(t, "charts") {
			spec, _ := drawChart(t, w)
			specs = append(specs, spec)
		}
		filter := drawFilter(t)
		groups, _ := drawGroups(t)
		scheme := drawScheme(t)
		shared := viz.Shared{Filter: filter.text, Groups: groups}
		specs = append(specs, specs[0]) // the same once more
		work := workspace(t, w)
		together := open(t, work, shared, specs...)
		if n := w.store.reads.Load(); n != 1 {
			t.Fatalf("%d charts took %d passes", len(specs), n)
		}
		if together[0] != together[len(specs)-1] {
			t.Fatal("one chart is open twice")
		}
		for i, spec := range specs {
			alone := open(t, workspace(t, w), shared, spec)[0]
			if got, want := text(answer(t, together[i], scheme, shared)), text(answer(t, alone, scheme, shared)); got != want {
				t.Fatalf("%+v, filter %q: together it is\n%s, alone\n%s", spec, filter.text, got, want)
			}
		}
		before := w.store.reads.Load()
		again := open(t, work, shared, specs...)
		if w.store.reads.Load() != before {
			t.Fatal("charts that are open were read for again")
		}
		for i := range specs {
			if again[i] != together[i] {
				t.Fatalf("chart %d is another one", i)
			}
		}
		// How a group looks is no reason to read, what belongs to it is.
		if len(groups) > 0 {
			renamed := append([]viz.Group{}, groups...)
			renamed[0].Name, renamed[0].Color = "another name", 0x11
			open(t, work, viz.Shared{Filter: filter.text, Groups: renamed}, specs...)
			if w.store.reads.Load() != before {
				t.Fatal("a name is no reason for a pass")
			}
		}
		open(t, work, viz.Shared{Filter: "Size == 12345", Groups: groups}, specs...)
		if w.store.reads.Load() != before+1 {
			t.Fatalf("another filter took %d passes", w.store.reads.Load()-before)
		}
	})
}

// Looking at charts while they are fed changes nothing about what they become.
func TestLookingBetweenBatchesChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		spec, _ := drawChart(t, w)
		scheme := drawScheme(t)
		groups, _ := drawGroups(t)
		shared := viz.Shared{Groups: groups}
		var last int64
		looked, err := workspace(t, w).Charts(context.Background(), []viz.ChartSpec{spec}, shared, func(charts []*viz.OpenChart, done, total int64) {
			if done <= last || total != int64(len(w.events)) {
				t.Fatalf("%d of %d events after %d", done, total, last)
			}
			last = done
			c := charts[0]
			if _, err := c.Scene(sortedBy(c, scheme), shared); err != nil {
				t.Fatal(err)
			}
			answer(t, c, scheme, shared)
			if _, err := c.Select(sortedBy(c, scheme), shared, scene.Box{X1: 600, Y1: 400}); err != nil {
				t.Fatal(err)
			}
		})
		if err != nil || last != int64(len(w.events)) {
			t.Fatalf("%d of %d events (%v)", last, len(w.events), err)
		}
		alone := open(t, workspace(t, w), shared, spec)[0]
		v := sortedBy(alone, scheme)
		got, err1 := looked[0].Scene(v, shared)
		want, err2 := alone.Scene(v, shared)
		if err1 != nil || err2 != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v: the scene became another one (%v, %v)", spec, err1, err2)
		}
		if got, want := text(answer(t, looked[0], scheme, shared)), text(answer(t, alone, scheme, shared)); got != want {
			t.Fatalf("%+v: it became %s, want %s", spec, got, want)
		}
	})
}

// line is a data set with an event per value, each with a place.
func line(t *testing.T, places int, at func(i int) (time int64, place data.EntityID), events int) *world {
	t.Helper()
	b := data.NewBuilder("line", "test")
	p := must(b.EntityType("Place", ""))
	for i := range places {
		must(p.Add(fmt.Sprintf("place %06d", i)))
	}
	e := must(b.EventType("Visit", "", data.Value("Time", "", "", data.Coordinate), data.Ref("Place", "Place", "")))
	w := &world{store: &portions{rows: events, columns: []data.Column{{Values: make([]int64, events)}, {Refs: make([]data.EntityID, events)}}}}
	for i := range events {
		w.store.columns[0].Values[i], w.store.columns[1].Refs[i] = at(i)
	}
	if err := e.AdoptStore(w.store); err != nil {
		t.Fatal(err)
	}
	w.set = must(b.Finish())
	return w
}

var everyChart = []viz.ChartSpec{
	{View: "table"}, {View: "bar"}, {View: "bar", Map: map[string]string{"x": "Place"}}, {View: "hotspot"},
	{View: "hotspot", Map: map[string]string{"x": "count"}}, {View: "correlation"}, {View: "prediction"},
}

func TestCancelledPassLeavesNothing(t *testing.T) {
	w := line(t, 3, func(i int) (int64, data.EntityID) { return int64(i), data.EntityID(i % 3) }, 100)
	work := workspace(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	charts, err := work.Charts(ctx, everyChart, viz.Shared{}, func([]*viz.OpenChart, int64, int64) {
		if calls++; calls == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || charts != nil || calls != 3 {
		t.Fatalf("after %d batches there are %d charts (%v)", calls, len(charts), err)
	}
	// What was left half done is not taken for done.
	for i, c := range open(t, work, viz.Shared{}, everyChart...) {
		alone := open(t, workspace(t, w), viz.Shared{}, everyChart[i])[0]
		if got, want := text(answer(t, c, "lexical", viz.Shared{})), text(answer(t, alone, "lexical", viz.Shared{})); got != want {
			t.Errorf("%s: it is %s, want %s", everyChart[i].View, got, want)
		}
	}
}

// Without events, and without a single entity, charts are empty and whole.
func TestChartsOfNothing(t *testing.T) {
	for places := range 2 {
		w := line(t, places, nil, 0)
		for i, c := range open(t, workspace(t, w), viz.Shared{Selection: `Place == "x"`, Groups: []viz.Group{{Name: "g", Filter: `Place == "x"`}}}, everyChart...) {
			got, err := json.Marshal(answer(t, c, "hierarchy", viz.Shared{}))
			want := map[string]string{"table": "[]", "bar": "[]", "hotspot": `{"x0":0,"interval":1,"rows":[],"cells":[]}`,
				"correlation": `{"x0":0,"interval":1,"rows":[],"cells":[]}`,
				"prediction":  `{"x0":0,"interval":1,"rows":[],"cells":[],"predictors":[{"name":"one-bit","misses":0,"events":0}]}`}[everyChart[i].View]
			if err != nil || string(got) != want {
				t.Errorf("%s of %d places answers %s (%v)", everyChart[i].View, places, got, err)
			}
			v := sortedBy(c, "amount")
			s, err := c.Scene(v, viz.Shared{})
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := json.Marshal(s); err != nil { // no NaN
				t.Errorf("%s: %v in %s", everyChart[i].View, err, raw)
			}
			if _, ok, err := c.At(v, viz.Shared{}, 300, 200); ok || err != nil {
				t.Errorf("%s: there is something (%v)", everyChart[i].View, err)
			}
			if text, err := c.Select(v, viz.Shared{}, scene.Box{X1: 600, Y1: 400}); err != nil || strings.Contains(text, "Place") {
				t.Errorf("%s: %q is selected (%v)", everyChart[i].View, text, err)
			}
		}
	}
}

// A picture has as many marks as it has room for, however many entities there are.
func TestPicturesOfManyEntities(t *testing.T) {
	const many = 100_000
	w := line(t, many, func(i int) (int64, data.EntityID) { return int64(i) * 17, data.EntityID(i * 7 % many) }, many)
	work := workspace(t, w)
	for i, c := range open(t, work, viz.Shared{}, everyChart...) {
		for _, part := range []viz.Range{{}, {From: 5000, To: 5030}, {From: 99_990, To: 1e12}, {From: 7, To: 3}, {From: math.NaN(), To: 9}, {From: -1e9, To: 4}} {
			s, err := c.Scene(viz.View{Viewport: viz.Viewport{Width: 900, Height: 600}, Rows: part, Columns: part, First: int(min(max(part.From, 0), 1e6))}, viz.Shared{})
			if err != nil {
				t.Fatal(err)
			}
			n := s.Rects.Len() + len(s.Texts) + s.Lines.Len()
			if s.Table != nil {
				n += len(s.Table.Rows)
			}
			for _, r := range s.Rasters {
				if r.Columns > 900 || r.Rows > 600 {
					t.Errorf("%s: %d × %d pixels", everyChart[i].View, r.Columns, r.Rows)
				}
			}
			if n > 1200 || n < 5 {
				t.Errorf("%s of %v: %d marks", everyChart[i].View, part, n)
			}
		}
	}
}

// Values at the ends of the integers, and intervals that do not suit them.
func TestHostileCoordinates(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, math.MaxInt64 - 1, math.MaxInt64}
	w := line(t, 2, func(i int) (int64, data.EntityID) { return ends[i], data.EntityID(i % 2) }, len(ends))
	for _, view := range []string{"hotspot", "prediction"} {
		for _, interval := range []string{"0", "2", "1000", "4611686018427387904"} {
			work := workspace(t, w)
			c := open(t, work, viz.Shared{}, viz.ChartSpec{View: view, Params: map[string]string{"interval": interval}})[0]
			g := answer(t, c, "lexical", viz.Shared{}).(viz.Celled).Grid()
			for i, cell := range g.Cells {
				if cell[0] < 0 || i > 0 && cell[0] < g.Cells[i-1][0] {
					t.Errorf("%s, interval %s: cells are %v", view, interval, g.Cells)
				}
			}
			v := sortedBy(c, "lexical")
			s, err := c.Scene(v, viz.Shared{})
			if err != nil {
				t.Fatal(err)
			}
			painted := 0
			for _, p := range s.Rasters[0].Pixels {
				if p != 0 {
					painted++
				}
			}
			if painted < 4 {
				t.Errorf("%s, interval %s: %d pixels are painted", view, interval, painted)
			}
			text, err := c.Select(v, viz.Shared{}, scene.Box{X1: 600, Y1: 400})
			if err != nil {
				t.Fatal(err)
			}
			all := open(t, work, viz.Shared{Filter: text}, viz.ChartSpec{View: "bar"})[0]
			if got := fmt.Sprint(answer(t, all, "lexical", viz.Shared{Filter: text})); got != "[{place 000000 3} {place 000001 3}]" {
				t.Errorf("%s, interval %s: of everything, %s leaves %s", view, interval, text, got)
			}
		}
		_, err := workspace(t, w).Charts(t.Context(), []viz.ChartSpec{{View: view, Params: map[string]string{"interval": "1"}}}, viz.Shared{}, nil)
		if err == nil || !strings.Contains(err.Error(), "the interval must be larger than 1") {
			t.Errorf("%s: the error is %v", view, err)
		}
	}
}

func TestWrongSpecifications(t *testing.T) {
	w := line(t, 1, func(i int) (int64, data.EntityID) { return int64(i), 0 }, 3)
	for want, spec := range map[string]viz.ChartSpec{
		`no view called "pie"`:                              {View: "pie"},
		`ring: draws a calling context tree`:                {View: "ring"},
		`has no type of event called "Walk" (it has Visit)`: {View: "bar", Subject: "Walk"},
		`one axis needs entities and the other an amount, but "count" and "count" are of one kind`:           {View: "bar", Map: map[string]string{"x": "count", "y": "count"}},
		`one axis needs entities and the other an amount, but "Place" and "Place" are of one kind`:           {View: "bar", Map: map[string]string{"x": "Place", "y": "Place"}},
		`dimension "y": Visit has no field "Weight" (it has Time, Place, count)`:                             {View: "bar", Map: map[string]string{"y": "Weight"}},
		`dimension "y" needs a field with the property reference, which "Time" has not`:                      {View: "hotspot", Map: map[string]string{"y": "Time"}},
		`parameter "scale": is "cubic", but must be one of linear, log`:                                      {View: "bar", Params: map[string]string{"scale": "cubic"}},
		`parameter "interval": is "0.5", but must be a whole number`:                                         {View: "hotspot", Params: map[string]string{"interval": "0.5"}},
		`parameter "interval": is "-3", but must be a whole number`:                                          {View: "prediction", Params: map[string]string{"interval": "-3"}},
		`there is no predictor called "oracle" (there are one-bit, two-bit, static, last-N, path-history`:    {View: "prediction", Params: map[string]string{"predictor": "oracle"}},
		`predictor "last-99": "99" must be a number from 1 to 32`:                                            {View: "prediction", Params: map[string]string{"against": "last-99"}},
		`the period from 5 to 4 ends before it begins`:                                                       {View: "hotspot", Period: &viz.Period{From: 5, To: 4}},
		`table: has no parameter "scale" (it has none)`:                                                      {View: "table", Params: map[string]string{"scale": "log"}},
		`correlation: has no dimension "z" (it has x, y, color)`:                                             {View: "correlation", Map: map[string]string{"z": "Place"}},
		`hotspot: dimension "x" needs a field with the property coordinate or amount, which "Place" has not`: {View: "hotspot", Map: map[string]string{"x": "Place"}},
		`table: dimension "left" is mapped twice`:                                                            {View: "table", Map: map[string]string{"left": "Place", "y": "Place"}},
	} {
		if _, err := workspace(t, w).Charts(t.Context(), []viz.ChartSpec{spec}, viz.Shared{}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: the error is %v, which does not say %q", spec, err, want)
		}
	}
	if w.store.reads.Load() != 0 {
		t.Error("events were read for charts that cannot be")
	}
	c := open(t, workspace(t, w), viz.Shared{}, viz.ChartSpec{View: "bar"})[0]
	for want, v := range map[string]viz.View{
		`no sorting scheme "size"`:               {Viewport: viz.Viewport{Width: 9, Height: 9}, Sort: map[string]string{"y": "size"}},
		`has no dimension "left" to sort`:        {Viewport: viz.Viewport{Width: 9, Height: 9}, Sort: map[string]string{"left": "amount"}},
		`a picture of NaN×9 pixels cannot be`:    {Viewport: viz.Viewport{Width: math.NaN(), Height: 9}},
		`a picture of 9×100000 pixels cannot be`: {Viewport: viz.Viewport{Width: 9, Height: 100_000}},
	} {
		if _, err := c.Scene(v, viz.Shared{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, which does not say %q", err, want)
		}
	}
}

// What is not mapped gets what fits best: one click shows something.
func TestDefaultsOfCharts(t *testing.T) {
	w := rapid.Custom(drawWorld).Example(7)
	for view, want := range map[string]string{
		"table":       "map[left:Method right:Size]",
		"bar":         "map[x:Size y:Method]",
		"hotspot":     "map[amount:count x:Time y:Method]",
		"correlation": "map[color:count x:Method y:Thread]",
		"prediction":  "map[prediction:Thread x:Time y:Method]",
	} {
		c := open(t, workspace(t, w), viz.Shared{}, viz.ChartSpec{View: view})[0]
		if got := fmt.Sprint(c.Spec.Map); got != want || c.Spec.Subject != "Allocation" {
			t.Errorf("%s of %s shows %s, want %s", view, c.Spec.Subject, got, want)
		}
	}
	// One axis of a bar chart decides what fits the other.
	for given, want := range map[string]string{"x=Thread": "map[x:Thread y:Size]", "y=count": "map[x:Method y:count]", "x=count": "map[x:count y:Method]"} {
		dim, field, _ := strings.Cut(given, "=")
		c := open(t, workspace(t, w), viz.Shared{}, viz.ChartSpec{View: "bar", Map: map[string]string{dim: field}})[0]
		if got := fmt.Sprint(c.Spec.Map); got != want {
			t.Errorf("with %s a bar chart shows %s, want %s", given, got, want)
		}
	}
}
