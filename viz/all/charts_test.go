package all

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

func colorOf(i int) scene.Color { return scene.RGB(uint8(0x10+i), 0x20, 0x30) }

type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// workspace has nothing open yet.
func workspace(t tester, w *world) *viz.Workspace {
	t.Helper()
	work, err := viz.NewWorkspace(context.Background(), w.set)
	if err != nil {
		t.Fatal(err)
	}
	return work
}

func open(t tester, w *viz.Workspace, shared viz.Shared, specs ...viz.ChartSpec) []*viz.OpenChart {
	t.Helper()
	charts, err := w.Charts(context.Background(), specs, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	return charts
}

// answer is what a chart answers, all axes sorted by one scheme.
func answer(t tester, c *viz.OpenChart, scheme string, shared viz.Shared) any {
	t.Helper()
	a, err := c.Answer(sortedBy(c, scheme), shared)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func sortedBy(c *viz.OpenChart, scheme string) viz.View {
	v := viz.View{Viewport: viz.Viewport{Width: 600, Height: 400}, Sort: map[string]string{}}
	for _, dim := range c.Definition.Dimensions {
		v.Sort[dim.Name] = scheme
	}
	return v
}

func drawScheme(t *rapid.T) string {
	return rapid.SampledFrom([]string{"amount", "temporal", "lexical", "hierarchy"}).Draw(t, "scheme")
}

var (
	references = rapid.SampledFrom([]string{"Method", "Thread", "Class", "Library"})
	amounts    = rapid.SampledFrom([]string{"count", "Size"})
)

func drawPeriod(t *rapid.T) *viz.Period {
	if !rapid.Bool().Draw(t, "zoomed") {
		return nil
	}
	from := rapid.Int64Range(-50, 50).Draw(t, "from")
	return &viz.Period{From: from, To: from + rapid.Int64Range(0, 60).Draw(t, "length")}
}

// drawChart draws a chart, and gives the oracle for it.
func drawChart(t *rapid.T, w *world) (spec viz.ChartSpec, oracle func(events []occurrence, scheme string, got any) any) {
	entity, amount := references.Draw(t, "entity"), amounts.Draw(t, "amount")
	x := rapid.SampledFrom([]string{"Time", "count", "Size"}).Draw(t, "x")
	// Powers of two, because no multiple of another number is the least integer.
	interval := rapid.SampledFrom([]int64{0, 8, 1 << 10, 1 << 40, 1}).Draw(t, "interval")
	if x == "Size" && interval == 1 {
		interval = 8 // sums of sizes span more than can be counted one by one
	}
	period := drawPeriod(t)
	// width is the interval that was asked for, or else what the chart chose.
	width := func(got any) int64 {
		if interval > 0 {
			return interval
		}
		return got.(viz.Celled).Grid().Interval
	}
	switch view := rapid.SampledFrom([]string{"table", "bar", "hotspot", "correlation", "prediction"}).Draw(t, "view"); view {
	case "table":
		return viz.ChartSpec{View: view, Map: map[string]string{"left": entity, "right": amount}},
			func(events []occurrence, scheme string, _ any) any {
				return bars(events, entity, amount, scheme, w.around)
			}
	case "bar":
		fields := map[string]string{"x": amount, "y": entity}
		if rapid.Bool().Draw(t, "vertical") {
			fields = map[string]string{"x": entity, "y": amount}
		}
		return viz.ChartSpec{View: view, Map: fields, Params: map[string]string{"scale": rapid.SampledFrom([]string{"linear", "log"}).Draw(t, "scale")}},
			func(events []occurrence, scheme string, _ any) any {
				return bars(events, entity, amount, scheme, w.around)
			}
	case "hotspot":
		return viz.ChartSpec{View: view, Map: map[string]string{"x": x, "y": entity, "amount": amount}, Period: period, Params: map[string]string{"interval": strconv.FormatInt(interval, 10)}},
			func(events []occurrence, scheme string, got any) any {
				return hotspots(events, x, entity, amount, width(got), period).answer(width(got), scheme, w.around)
			}
	case "correlation":
		other := references.Draw(t, "other")
		return viz.ChartSpec{View: view, Map: map[string]string{"x": entity, "y": other, "color": amount}},
			func(events []occurrence, scheme string, _ any) any {
				return correlations(events, entity, other, amount, scheme, w.around)
			}
	default:
		target := references.Draw(t, "target")
		return viz.ChartSpec{View: "prediction", Map: map[string]string{"x": x, "y": entity, "prediction": target}, Period: period, Params: map[string]string{"interval": strconv.FormatInt(interval, 10)}},
			func(events []occurrence, scheme string, got any) any {
				g, misses, all := mispredictions(events, x, entity, target, width(got), period)
				a := g.answer(width(got), scheme, w.around)
				a["predictors"] = []any{map[string]any{"name": "one-bit", "misses": misses, "events": all}}
				return a
			}
	}
}

// Whatever the data set, the filter, the groups, the period and the order: a
// chart answers what plain loops find. Groups change no sum.
func TestChartsAgreeWithPlainLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		spec, oracle := drawChart(t, w)
		filter := drawFilter(t)
		groups, _ := drawGroups(t)
		scheme := drawScheme(t)
		shared := viz.Shared{Filter: filter.text, Groups: groups}
		c := open(t, workspace(t, w), shared, spec)[0]
		got := answer(t, c, scheme, shared)
		if want := text(oracle(keep(w.events, filter), scheme, got)); text(got) != want {
			t.Fatalf("%+v, filter %q, sorted by %s, answers\n%s, want\n%s", spec, filter.text, scheme, text(got), want)
		}
		if g, ok := got.(viz.Celled); ok && spec.View != "correlation" {
			if n := len(g.Grid().Cells); n > 0 && g.Grid().Cells[n-1][0] > 4096 && spec.Params["interval"] == "0" {
				t.Fatalf("%d columns are more than can be seen", g.Grid().Cells[n-1][0])
			}
		}
	})
}

// The part of an entity that a colour group has is that of the events for which
// no earlier group holds.
func TestGroupsSplitSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		filter := drawFilter(t)
		groups, of := drawGroups(t)
		entity := references.Draw(t, "entity")
		shared := viz.Shared{Filter: filter.text, Groups: groups}
		c := open(t, workspace(t, w), shared, viz.ChartSpec{View: "table", Map: map[string]string{"left": entity, "right": "count"}})[0]
		parts := map[string]map[int]int64{}
		for _, o := range keep(w.events, filter) {
			if name := o.entity(entity); name != "" {
				if parts[name] == nil {
					parts[name] = map[int]int64{}
				}
				parts[name][groupOf(o, of)]++
			}
		}
		v := sortedBy(c, "lexical")
		s, err := c.Scene(v, shared)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range s.Table.Rows {
			hit, ok, err := c.At(v, shared, 10, float64(24*(i+1)+12))
			if err != nil || !ok || hit.Title != row.Cells[0] {
				t.Fatalf("at row %d, %q, is %+v (%v)", i, row.Cells[0], hit, err)
			}
			told := map[string]string{}
			for _, f := range hit.Facts {
				told[f.Name] = f.Value
			}
			most, total := 0, int64(0)
			for g := range len(groups) + 1 {
				n := parts[row.Cells[0]][g]
				total += n
				if n > parts[row.Cells[0]][most] {
					most = g
				}
				if g > 0 {
					want := ""
					if n > 0 {
						want = fmt.Sprint(n)
					}
					if got := told[groups[g-1].Name]; got != want {
						t.Fatalf("%q has %q of group %d, want %q", row.Cells[0], got, g-1, want)
					}
				}
			}
			if told["count"] != fmt.Sprint(total) || row.Cells[1] != fmt.Sprint(total) {
				t.Fatalf("%q has %s and %s, want %d", row.Cells[0], told["count"], row.Cells[1], total)
			}
			want := scene.Color(0)
			if most > 0 {
				want = groups[most-1].Color
			}
			if row.Color != want {
				t.Fatalf("%q is coloured %x, want %x: %v", row.Cells[0], row.Color, want, parts[row.Cells[0]])
			}
		}
		if len(s.Table.Rows) != min(len(parts), 18) {
			t.Fatalf("%d rows of %d", len(s.Table.Rows), len(parts))
		}
	})
}

// A chart that follows another one shows first what that one shows, in its
// order, and then the rest in its own.
func TestChartsFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		filter := drawFilter(t)
		entity := references.Draw(t, "entity")
		own, other := drawScheme(t), drawScheme(t)
		work := workspace(t, w)
		lead := open(t, work, viz.Shared{Filter: filter.text}, viz.ChartSpec{View: "table", Map: map[string]string{"left": entity, "right": "Size"}})[0]
		c := open(t, work, viz.Shared{}, viz.ChartSpec{View: "bar", Map: map[string]string{"y": entity, "x": "count"}})[0]
		a, err := c.Answer(viz.View{Sort: map[string]string{"y": own}, Like: lead, LikeSort: map[string]string{"left": other}}, viz.Shared{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range a.([]viz.Value) {
			got = append(got, v.Entity)
		}
		order := func(events []occurrence, amount, scheme string) []string {
			var all axis
			for _, o := range events {
				if o.entity(entity) != "" {
					all.add(o.entity(entity), o.value(amount))
				}
			}
			return all.sorted(scheme, w.around)
		}
		want := order(keep(w.events, filter), "Size", other)
		for _, name := range order(w.events, "count", own) {
			if !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the order is %q, want %q", got, want)
		}
	})
}
