package all

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// drawBox draws a rectangle in a plot, of which no edge is at the edge of
// something: there a hair decides.
func drawBox(t *rapid.T, p scene.Plot) scene.Box {
	place := rapid.IntRange(0, 998)
	part := func(name string) float64 { return (float64(place.Draw(t, name)) + 0.61803) / 1000 }
	x0, x1, y0, y1 := part("x0"), part("x1"), part("y0"), part("y1")
	return scene.Box{X0: p.X + x0*p.W, X1: p.X + x1*p.W, Y0: p.Y + y0*p.H, Y1: p.Y + y1*p.H}
}

// at is what an axis has at a part of its length.
func at(a scene.Axis, part float64) float64 { return a.From + part*(a.To-a.From) }

// span gives the values or positions between two places of the picture.
func span(a scene.Axis, x0, x1, x, length float64) (from, to float64) {
	return at(a, (math.Min(x0, x1)-x)/length), at(a, (math.Max(x0, x1)-x)/length)
}

func rowsOf(a any) []string {
	var names []string
	switch a := a.(type) {
	case []viz.Value:
		for _, v := range a {
			names = append(names, v.Entity)
		}
	case viz.Celled:
		names = a.Grid().Rows
	}
	return names
}

// between gives the names at the positions that a part of an axis touches.
func between(names []string, from, to float64) []string {
	first, end := max(0, int(math.Floor(from))), min(len(names), int(math.Floor(to))+1)
	return names[min(first, end):end]
}

// What a rectangle covers, written as a filter, leaves just the events of the
// entities and the columns that it touches.
func TestSelectionsAreFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		work := workspace(t, w)
		filter := drawFilter(t)
		shared := viz.Shared{Filter: filter.text}
		events := keep(w.events, filter)
		scheme := drawScheme(t)
		entity, other := references.Draw(t, "entity"), references.Draw(t, "other")
		x := rapid.SampledFrom([]string{"Time", "count"}).Draw(t, "x")
		// Few columns, so that each is wide enough to be touched or not.
		interval := int64(1)
		ats := places(events, x)
		if len(ats) > 0 {
			interval = max(1, (slices.Max(ats)/30)-(slices.Min(ats)/30))
		}
		period := drawPeriod(t)
		view := rapid.SampledFrom([]string{"table", "bar", "tall", "hotspot", "correlation", "prediction"}).Draw(t, "view")
		spec := map[string]viz.ChartSpec{
			"table":       {View: "table", Map: map[string]string{"left": entity, "right": "count"}},
			"bar":         {View: "bar", Map: map[string]string{"y": entity, "x": "count"}},
			"tall":        {View: "bar", Map: map[string]string{"x": entity, "y": "count"}},
			"hotspot":     {View: "hotspot", Map: map[string]string{"x": x, "y": entity}, Period: period, Params: map[string]string{"interval": fmt.Sprint(interval)}},
			"prediction":  {View: "prediction", Map: map[string]string{"x": x, "y": entity, "prediction": other}, Period: period, Params: map[string]string{"interval": fmt.Sprint(interval)}},
			"correlation": {View: "correlation", Map: map[string]string{"x": other, "y": entity}},
		}[view]
		c := open(t, work, shared, spec)[0]
		v := sortedBy(c, scheme)
		s, err := c.Scene(v, shared)
		if err != nil {
			t.Fatal(err)
		}
		plot := scene.Plot{Y: 24, W: s.Width, H: 24 * 8} // of a table: the rows below its head
		plot.Up.To = 8
		if view != "table" {
			plot = s.Plots[0]
		}
		box := drawBox(t, plot)
		text, err := c.Select(v, shared, box)
		if err != nil {
			t.Fatal(err)
		}

		a := answer(t, c, scheme, shared)
		x0, x1 := span(plot.Across, box.X0, box.X1, plot.X, plot.W)
		y0, y1 := span(plot.Up, box.Y0, box.Y1, plot.Y, plot.H)
		rows := between(rowsOf(a), y0, y1)
		keeps := func(i int, o occurrence) bool { return slices.Contains(rows, o.entity(entity)) }
		switch view {
		case "tall":
			rows = between(rowsOf(a), x0, x1)
		case "correlation":
			columns := between(a.(*viz.Grid).Columns, x0, x1)
			keeps = func(_ int, o occurrence) bool {
				return slices.Contains(rows, o.entity(entity)) && slices.Contains(columns, o.entity(other))
			}
		case "hotspot", "prediction":
			first, last := column(int64(math.Floor(x0)), interval), column(int64(math.Floor(x1)), interval)
			keeps = func(i int, o occurrence) bool {
				col := column(ats[i], interval)
				return slices.Contains(rows, o.entity(entity)) && col >= first && col <= last && within(ats[i], period)
			}
		}
		if len(rows) == 0 {
			return // nothing is there to be selected
		}
		var want []occurrence
		for i, o := range events {
			if keeps(i, o) {
				want = append(want, o)
			}
		}
		both := text
		if filter.text != "" {
			both = fmt.Sprintf("(%s) and (%s)", filter.text, text)
		}
		// Compared by when they occurred, which events that remain tell best.
		again := open(t, work, viz.Shared{Filter: both}, viz.ChartSpec{View: "hotspot", Map: map[string]string{"x": "Time", "y": entity}, Params: map[string]string{"interval": "1"}})[0]
		if got, want := textOf(t, again, both), oracleText(want, entity, w); got != want {
			t.Fatalf("%s: %v in %+v selects %s, which leaves\n%s, want\n%s", view, box, plot, text, got, want)
		}
	})
}

func textOf(t tester, c *viz.OpenChart, filter string) string {
	t.Helper()
	return text(answer(t, c, "lexical", viz.Shared{Filter: filter}))
}

func oracleText(events []occurrence, entity string, w *world) string {
	return text(hotspots(events, "Time", entity, "count", 1, nil).answer(1, "lexical", w.around))
}

// What is told at a point is what the chart answers for the cell there.
func TestPointsTellTheAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		work := workspace(t, w)
		entity, other := references.Draw(t, "entity"), references.Draw(t, "other")
		// Few columns: each is a pixel or more, and stands for itself.
		interval := int64(1)
		if len(w.events) > 0 {
			ats := places(w.events, "Time")
			interval = max(1, (slices.Max(ats)/30)-(slices.Min(ats)/30))
		}
		view := rapid.SampledFrom([]string{"bar", "tall", "hotspot", "correlation", "prediction"}).Draw(t, "view")
		c := open(t, work, viz.Shared{}, map[string]viz.ChartSpec{
			"bar":         {View: "bar", Map: map[string]string{"y": entity, "x": "Size"}},
			"tall":        {View: "bar", Map: map[string]string{"x": entity, "y": "Size"}},
			"hotspot":     {View: "hotspot", Map: map[string]string{"x": "Time", "y": entity, "amount": "Size"}, Params: map[string]string{"interval": fmt.Sprint(interval)}},
			"prediction":  {View: "prediction", Map: map[string]string{"x": "Time", "y": entity, "prediction": other}, Params: map[string]string{"interval": fmt.Sprint(interval)}},
			"correlation": {View: "correlation", Map: map[string]string{"x": other, "y": entity, "color": "Size"}},
		}[view])[0]
		scheme := drawScheme(t)
		v := sortedBy(c, scheme)
		a := answer(t, c, scheme, viz.Shared{})
		s, err := c.Scene(v, viz.Shared{})
		if err != nil {
			t.Fatal(err)
		}
		plot := s.Plots[0]
		box := drawBox(t, plot)
		hit, ok, err := c.At(v, viz.Shared{}, box.X0, box.Y0)
		if err != nil {
			t.Fatal(err)
		}
		x, y := at(plot.Across, (box.X0-plot.X)/plot.W), at(plot.Up, (box.Y0-plot.Y)/plot.H)
		if view == "tall" {
			x, y = y, x
		}
		if ok != (len(rowsOf(a)) > 0) {
			t.Fatalf("%s: there is something: %v", view, ok)
		}
		if !ok {
			return
		}
		name := rowsOf(a)[int(y)]
		cell := func(grid *viz.Grid, column int64) (sum int64) {
			for _, cell := range grid.Cells {
				if cell[0] == column && grid.Rows[cell[1]] == name {
					sum = cell[2]
				}
			}
			return sum
		}
		var fact, want string
		switch view {
		case "bar", "tall":
			fact, want = "Size", exact(a.([]viz.Value)[int(y)].Value)+" bytes"
		case "correlation":
			g := a.(*viz.Grid)
			fact, want = "Size", exact(cell(g, int64(x)))+" bytes"
			if hit.Facts[0].Value != g.Columns[int(x)] {
				t.Fatalf("at %v is %+v, want column %s", box, hit, g.Columns[int(x)])
			}
		case "hotspot":
			g := a.(viz.Celled).Grid()
			fact, want = "Size", exact(cell(g, column(int64(math.Floor(x)), interval)-g.X0/interval))+" bytes"
		case "prediction":
			g := a.(viz.Celled).Grid()
			fact, want = "misses here", exact(cell(g, column(int64(math.Floor(x)), interval)-g.X0/interval))
		}
		i := slices.IndexFunc(hit.Facts, func(f viz.Fact) bool { return f.Name == fact })
		if hit.Title != name || i < 0 || hit.Facts[i].Value != want {
			t.Fatalf("%s: at %v (%g, %g) is %+v, want %s of %q", view, box, x, y, hit, want, name)
		}
		if _, ok, _ := c.At(v, viz.Shared{}, plot.X-1, box.Y0); ok {
			t.Fatal("there is something outside of the axes")
		}
	})
}

// exact writes an integer with its digits in groups.
func exact(v int64) string {
	digits := strings.TrimPrefix(fmt.Sprint(v), "-")
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	out := strings.Join(append([]string{digits}, parts...), ",")
	if v < 0 {
		out = "−" + out
	}
	return out
}

// Bars are as long as what they stand for, parts of groups add up, and nothing
// is outside of the axes; horizontal and vertical bars are one another's mirror.
func TestBarsAreProportional(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		entity, amount := references.Draw(t, "entity"), amounts.Draw(t, "amount")
		groups, of := drawGroups(t)
		vertical := rapid.Bool().Draw(t, "vertical")
		log := rapid.Bool().Draw(t, "log")
		fields, scale := map[string]string{"y": entity, "x": amount}, "linear"
		if vertical {
			fields = map[string]string{"x": entity, "y": amount}
		}
		if log {
			scale = "log"
		}
		shared := viz.Shared{Groups: groups}
		c := open(t, workspace(t, w), shared, viz.ChartSpec{View: "bar", Map: fields, Params: map[string]string{"scale": scale}})[0]
		s, err := c.Scene(sortedBy(c, "lexical"), shared)
		if err != nil {
			t.Fatal(err)
		}
		values := answer(t, c, "lexical", shared).([]viz.Value)
		// What each entity has in each group, and the sums of either sign.
		parts := map[string]map[int]int64{}
		for _, o := range w.events {
			if name := o.entity(entity); name != "" {
				if parts[name] == nil {
					parts[name] = map[int]int64{}
				}
				g := groupOf(o, of)
				parts[name][g] = add(parts[name][g], o.value(amount))
			}
		}
		plot := s.Plots[0]
		axis, room, thick := plot.Across, plot.W, plot.H
		if vertical {
			axis, room, thick = plot.Up, plot.H, plot.W
		}
		r := &s.Rects
		drawn := map[string]float64{} // entity, color -> length
		for i := range r.Len() {
			if r.W[i] < 0 || r.H[i] < 0 || r.X[i] < plot.X-1e-6 || r.Y[i] < plot.Y-1e-6 || r.X[i]+r.W[i] > plot.X+plot.W+1e-6 || r.Y[i]+r.H[i] > plot.Y+plot.H+1e-6 {
				t.Fatalf("bar %d sticks out of %+v: %g, %g, %g × %g", i, plot, r.X[i], r.Y[i], r.W[i], r.H[i])
			}
			length, width, start := r.W[i], r.H[i], r.Y[i]-plot.Y
			if vertical {
				length, width, start = r.H[i], r.W[i], r.X[i]-plot.X
			}
			each := thick / float64(len(values))
			if width > each+1e-9 || width < each*0.7 {
				t.Fatalf("a bar is %g thick, its place %g", width, each)
			}
			name := values[int(start/each+0.01)].Entity
			drawn[fmt.Sprintf("%s/%x", name, r.Fill[i])] += length
		}
		for name, of := range parts {
			up, down := int64(0), int64(0)
			byColor := map[scene.Color]float64{}
			for g, v := range of {
				up, down = add(up, max(v, 0)), add(down, min(v, 0))
				color := plain(groups)
				if g > 0 {
					color = groups[g-1].Color
				}
				byColor[color] += math.Abs(float64(v))
			}
			if up == math.MaxInt64 || down == math.MinInt64 {
				continue // the axis ends before the bar does
			}
			for color, v := range byColor {
				want := v / (axis.To - axis.From) * room
				if log {
					if down < 0 || up == 0 {
						continue // shares of what has parts of both signs are no lengths
					}
					want = v / float64(up) * math.Log10(1+float64(up)) / (axis.To - axis.From) * room
				}
				got := drawn[fmt.Sprintf("%s/%x", name, color)]
				if v != 0 && math.Abs(got-want) > 1.001 || v == 0 && got != 0 {
					t.Fatalf("the bar of %q in %x is %g long, want %g of %g", name, color, got, want, room)
				}
			}
		}
	})
}

// plain is the colour of what has no group.
func plain(groups []viz.Group) scene.Color {
	for _, g := range groups {
		if !g.Hidden {
			return scene.RGB(0x8a, 0x8a, 0x8a)
		}
	}
	return scene.OKLCH(0.55, 0.14, 250)
}
