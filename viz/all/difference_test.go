package all

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/chrometrace"
	_ "github.com/cambium-prof/cambium/source/folded"
	"github.com/cambium-prof/cambium/viz"
)

// opened reads folded stacks.
func opened(t testing.TB, name, text string) *viz.Workspace {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := source.Open(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// compared compares two profiles by stable names.
func compared(t testing.TB, a, b *viz.Workspace) *viz.Workspace {
	t.Helper()
	d, err := viz.NewDifference(context.Background(), a, b, match.Names{Stable: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Workspace(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const (
	foldedA = "main;gone 400\nmain;same 400\nmain;srv.run.func1;half 100\nmain 100\n"
	foldedB = "main;fresh 400\nmain;same 400\nmain;srv.run.func2;half 50\nmain 100\nmain;little 2\n"
)

// fills gives the colour of every shape of a scene by its name.
func fills(s *scene.Scene) (colors map[string]scene.Color, sides *scene.Sides, names []string) {
	colors = map[string]scene.Color{}
	name, all, fill := s.Sectors.Name, s.Sectors.Names, s.Sectors.Fill
	sides = s.Sectors.Sides
	if b := s.Rects.Boxes; b != nil {
		name, all, fill, sides = b.Name, b.Names, s.Rects.Fill, b.Sides
	}
	for i, n := range name {
		text := ""
		if n != scene.NoName {
			text = all[n]
			colors[text] = fill[i]
		}
		names = append(names, text)
	}
	return colors, sides, names
}

// What is drawn of a comparison, in every chart of trees and both themes: what
// is gone and what is new are as large as each other and as far from gray, and
// what changed by next to nothing is gray.
func TestComparisonsAreColoured(t *testing.T) {
	w := compared(t, opened(t, "a.folded", foldedA), opened(t, "b.folded", foldedB))
	for _, view := range []string{"ring", "icicle", "fan"} {
		for _, dark := range []bool{false, true} {
			for _, swapped := range []bool{false, true} {
				r := viz.Request{View: view, Viewport: viz.Viewport{Width: 900, Height: 700}, Dark: dark, Swapped: swapped, Look: viz.Look{Steps: "compact:65535"}}
				if view != "fan" {
					r.Look.Steps = ""
				}
				s, _, err := w.Scene(context.Background(), r)
				if err != nil {
					t.Fatal(err)
				}
				color, sides, names := fills(s)
				less, more, none := viz.ChangeColor(-1, dark), viz.ChangeColor(1, dark), viz.ChangeColor(0, dark)
				if swapped {
					less, more = more, less
				}
				if color["gone"] != less || color["fresh"] != more || color["same"] != none || color["little"] != none && color["little"] != 0 {
					t.Errorf("%s, dark %v, swapped %v: gone is %v, fresh %v, same %v and little %v", view, dark, swapped,
						color["gone"].Hex(), color["fresh"].Hex(), color["same"].Hex(), color["little"].Hex())
				}
				half := viz.ChangeColor(-0.5, dark)
				if swapped {
					half = viz.ChangeColor(0.5, dark)
				}
				if color["half"] != half {
					t.Errorf("%s: half is %v, not %v", view, color["half"].Hex(), half.Hex())
				}
				if sides == nil {
					t.Fatalf("%s: says nothing of the sides", view)
				}
				var widths []float64
				for i, name := range names {
					if name == "gone" || name == "fresh" {
						if view == "icicle" {
							widths = append(widths, s.Rects.W[i])
						} else {
							widths = append(widths, s.Sectors.Total[i])
						}
					}
					if from, to := sides.Total[0][i], sides.Total[1][i]; name == "half" && (swapped && (from != 50 || to != 100) || !swapped && (from != 100 || to != 50)) {
						t.Errorf("%s, swapped %v: half goes from %g to %g", view, swapped, from, to)
					}
				}
				if len(widths) != 2 || math.Abs(widths[0]-widths[1]) > 1e-6 {
					t.Errorf("%s: gone and fresh are %v large", view, widths)
				}
				if s.Legend == nil || s.Legend.RampLow != "gone" || s.Legend.RampHigh != "new" || len(s.Legend.Ramp) == 0 {
					t.Errorf("%s: the legend is %+v", view, s.Legend)
				}
			}
		}
	}
	// Below the least change that somebody chose, nothing is coloured.
	s, _, err := w.Scene(context.Background(), viz.Request{View: "ring", Viewport: viz.Viewport{Width: 900, Height: 700}, Params: map[string]string{"least": "41"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range first(fills(s)) {
		if c != viz.ChangeColor(0, false) {
			t.Errorf("%s is %v", name, c.Hex())
		}
	}
}

func first[A, B, C any](a A, _ B, _ C) A { return a }

// Normalised, a run that was twice as long has not changed.
func TestComparisonsNormalised(t *testing.T) {
	a := opened(t, "a.folded", "main;f 1\nmain;g 2\n")
	b := opened(t, "b.folded", "main;f 1000\nmain;g 2000\n")
	w := compared(t, a, b)
	for _, mode := range []string{"callees", "callers", "around"} {
		for metric, want := range map[string]scene.Color{"samples, normalised": viz.ChangeColor(0, false), "samples": viz.ChangeColor(0.999, false)} {
			s, _, err := w.Scene(context.Background(), viz.Request{View: "icicle", Viewport: viz.Viewport{Width: 900, Height: 700}, Look: viz.Look{Metric: metric}, Params: map[string]string{"mode": mode}})
			if err != nil {
				t.Fatal(err)
			}
			for name, c := range first(fills(s)) {
				if c != want {
					t.Errorf("%s, %s: %s is %v, not %v", mode, metric, name, c.Hex(), want.Hex())
				}
			}
		}
	}
	m := w.Difference.Metrics[0]
	if got := w.Tree.Total[m.Normalised][cct.Root]; got != 2e9 {
		t.Errorf("the shares of both add up to %d parts", got)
	}
}

// In groups of contexts, too, each side is what its contexts were.
func TestComparisonsBottomUp(t *testing.T) {
	a := opened(t, "a.folded", "main;f;log 3\nmain;g;log 4\n")
	b := opened(t, "b.folded", "main;f;log 6\nmain;h;log 1\n")
	w := compared(t, a, b)
	for _, metric := range []string{"samples", "samples in A", "samples in B", "samples, normalised"} {
		s, _, err := w.Scene(context.Background(), viz.Request{View: "icicle", Viewport: viz.Viewport{Width: 900, Height: 700}, Look: viz.Look{Metric: metric}, Params: map[string]string{"mode": "callers"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		_, sides, names := fills(s)
		scale := 1.0
		if sides.Share {
			scale = 7
		}
		for i, name := range names {
			got = append(got, fmt.Sprintf("%s %.3g→%.3g", name, sides.Total[0][i]*scale, sides.Total[1][i]*scale))
		}
		want := " 7→7|log 7→7|f 3→6|g 4→0|h 0→1|main"
		if metric == "samples in A" { // where B alone has something, it has no groups
			want = " 7→7|log NaN→NaN|g NaN→NaN|f NaN→NaN|main"
		} else if metric == "samples in B" {
			want = " 7→7|log NaN→NaN|f NaN→NaN|h NaN→NaN|main"
		}
		if text := strings.Join(got, "|"); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s, want %s", metric, text, want)
		}
	}
}

// Everything that works on a tree works on that of a comparison, with the
// amounts of both sides: steps in any order keep the sums.
func TestStepsOnComparisons(t *testing.T) {
	w := compared(t, opened(t, "a.folded", "main;f;f;g 5\nmain;f;g 2\nx.y;z 9\n"), opened(t, "b.folded", "main;f;f;g 3\nmain;g 8\nx.y;q 1\n"))
	m := w.Difference.Metrics[0]
	for _, steps := range []string{"", "norec", "bymethod", "norec,bymethod", "compact:1", "depth:1", "focus:1", "focus:1,norec,depth:2"} {
		v, _, err := w.View(context.Background(), viz.Look{Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		for n := range v.Parent {
			a, b, both := v.Total[m.Side[0]][n], v.Total[m.Side[1]][n], v.Total[m.Both][n]
			if a+b != both {
				t.Errorf("%s: %s has %d and %d, together %d", steps, v.Name(cct.NodeID(n)), a, b, both)
			}
		}
		for _, f := range viz.All() {
			if !f.Definition.Tree {
				continue
			}
			settings := []map[string]string{nil, {"color": "package"}}
			for _, p := range f.Definition.For(true).Parameters {
				for _, c := range p.AllChoices() {
					settings = append(settings, map[string]string{p.Name: c.Value})
				}
			}
			for _, params := range settings {
				if f.Definition.Name == "treetable" && params["color"] != "" {
					continue
				}
				for _, metric := range w.Tree.Metrics {
					r := viz.Request{View: f.Definition.Name, Params: params, Viewport: viz.Viewport{Width: 500, Height: 400}, Highlight: "g", Look: viz.Look{Steps: steps, Metric: metric.Name}}
					if _, _, err := w.Scene(context.Background(), r); err != nil {
						t.Errorf("%s %v of %s, %s: %v", r.View, params, metric.Name, steps, err)
					}
				}
			}
		}
	}
}

// The table has both sides and is sorted by change.
func TestComparedTreeTable(t *testing.T) {
	w := compared(t, opened(t, "a.folded", foldedA), opened(t, "b.folded", foldedB))
	for _, c := range []struct {
		sort    string
		swapped bool
		want    string
	}{
		{"", false, "everything 1.00 k 952 -48 -4.8 %|main 1.00 k 952 -48 -4.8 %|same 400 400 0 the same|fresh 0 400 +400 new|gone 400 0 -400 gone|srv.run.func# 100 50 -50 -50 %|little 0 2 +2 new"},
		{"change", false, "everything 1.00 k 952 -48 -4.8 %|main 1.00 k 952 -48 -4.8 %|fresh 0 400 +400 new|little 0 2 +2 new|same 400 400 0 the same|srv.run.func# 100 50 -50 -50 %|gone 400 0 -400 gone"},
		{"change", true, "everything 952 1.00 k +48 +5.0 %|main 952 1.00 k +48 +5.0 %|gone 0 400 +400 new|srv.run.func# 50 100 +50 +100 %|same 400 400 0 the same|little 2 0 -2 gone|fresh 400 0 -400 gone"},
		{"-change", true, "everything 952 1.00 k +48 +5.0 %|main 952 1.00 k +48 +5.0 %|fresh 400 0 -400 gone|little 2 0 -2 gone|same 400 400 0 the same|srv.run.func# 50 100 +50 +100 %|gone 0 400 +400 new"},
	} {
		s, _, err := w.Scene(context.Background(), viz.Request{View: "treetable", Viewport: viz.Viewport{Width: 900, Height: 700}, Swapped: c.swapped, Params: map[string]string{"levels": "2", "sort": c.sort}})
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, r := range s.Table.Rows {
			rows = append(rows, strings.ReplaceAll(strings.Join(r.Cells[:5], " "), "\u00a0", " "))
		}
		if got := strings.Join(rows, "|"); got != c.want {
			t.Errorf("%q, swapped %v:\n%s\nwant\n%s", c.sort, c.swapped, got, c.want)
		}
	}
}

// Metrics are joined by name and unit; those of one side are said to be.
func TestComparedMetrics(t *testing.T) {
	metrics := func(name, metric, unit, other string) *viz.Workspace {
		b := data.NewBuilder(name, "test")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		me, err := b.EntityType("Method", "")
		must(err)
		_, err = me.Add("main")
		must(err)
		ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
		must(err)
		_, err = ce.Add("", int64(data.None), 0)
		must(err)
		se, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value(metric, data.Unit(unit), "", data.Amount), data.Value(other, "count", "", data.Amount))
		must(err)
		must(se.Add(0, 7, 1))
		set, err := b.Finish()
		must(err)
		w, err := viz.NewWorkspace(context.Background(), set)
		must(err)
		return w
	}
	w := compared(t, metrics("a", "time", "ns", "n"), metrics("b", "time", "s", "n"))
	var names []string
	for _, m := range w.Tree.Metrics {
		names = append(names, m.Name)
	}
	if got, want := strings.Join(names, "|"), "time (only A)|n|n, normalised|n in A|n in B|time (only B)"; got != want {
		t.Errorf("the metrics are %s, want %s", got, want)
	}
	if fmt.Sprint(w.Difference.Only) != "[[time] [time]]" {
		t.Errorf("only one has %v", w.Difference.Only)
	}
	s, _, err := w.Scene(context.Background(), viz.Request{View: "ring", Viewport: viz.Viewport{Width: 500, Height: 400}, Look: viz.Look{Metric: "time (only A)"}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Legend.Title, "nothing to compare") || s.Sectors.Sides != nil {
		t.Errorf("of a metric that only one side has: %+v", s.Legend)
	}
	if _, err := viz.NewDifference(context.Background(), metrics("a", "time", "ns", "x"), metrics("b", "time", "s", "y"), match.Names{}); err == nil || !strings.Contains(err.Error(), "a has time, x") {
		t.Errorf("nothing in common: %v", err)
	}
}

// traced makes a Chrome trace of calls, a line each: name, start and duration in
// microseconds.
func traced(t testing.TB, name string, calls ...string) *viz.Workspace {
	t.Helper()
	var events []string
	for _, call := range calls {
		f := strings.Fields(call)
		events = append(events, fmt.Sprintf(`{"ph":"X","pid":1,"tid":1,"name":%q,"ts":%s,"dur":%s}`, f[0], f[1], f[2]))
	}
	return opened(t, name, `{"traceEvents":[`+strings.Join(events, ",\n")+`]}`)
}

// What is chosen in the tree of two traces is marked in both timelines: contexts
// by their ids in the comparison, whatever these are in the traces, and methods
// by the names that they have in the comparison.
func TestChosenContextsInBothTimelines(t *testing.T) {
	a := traced(t, "a.json", "main 0 100", "srv.run.func1 10 20", "leaf 15 5", "srv.run.func1 60 10", "other 80 10")
	b := traced(t, "b.json", "main 0 200", "first 0 50", "srv.run.func7 100 40", "leaf 110 10")
	w, err := viz.NewComparison(context.Background(), match.Names{Stable: true}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	id := func(path ...string) cct.NodeID {
		t.Helper()
		at := cct.Root
		for _, name := range path {
			next := cct.NoNode
			for c := range w.Tree.Children(at) {
				if w.Tree.Name(c) == name {
					next = c
				}
			}
			if next == cct.NoNode {
				t.Fatalf("there is no %s", name)
			}
			at = next
		}
		return at
	}
	for _, c := range []struct{ selection, want string }{
		{fmt.Sprintf("Context == %d", id("main", "srv.run.func#")), "A 10-30 A 60-70 B 100-140"},
		{fmt.Sprintf("Context == %d", id("main", "srv.run.func#", "leaf")), "A 15-20 B 110-120"},
		{fmt.Sprintf("Context == %d", id("main", "first")), "B 0-50"},
		{`Method == "srv.run.func#"`, "A 10-30 A 60-70 B 100-140"},
		{`Thread contains "1"`, "A 0-100 B 0-200"}, // of which the tree knows nothing
		{"", ""},
	} {
		shared := viz.Shared{Selection: c.selection}
		if err := w.CheckShared(shared); err != nil {
			t.Errorf("%s: %v", c.selection, err)
			continue
		}
		charts, err := w.Charts(context.Background(), []viz.ChartSpec{{View: "overview"}}, shared, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := charts[0].Scene(viz.View{Viewport: viz.Viewport{Width: 1020, Height: 500}}, shared)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, fill := range s.Rects.Fill {
			if fill != scene.InkOn(s.Background) || s.Rects.H[i] != 3 {
				continue
			}
			side, length := "A", 100.0
			if s.Rects.Y[i] > 250 {
				side, length = "B", 200
			}
			at := func(x float64) float64 { return math.Round((x - 10) / 1000 * length) }
			got = append(got, fmt.Sprintf("%s %g-%g", side, at(s.Rects.X[i]), at(s.Rects.X[i]+s.Rects.W[i])))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: marked are %q, want %q", c.selection, text, c.want)
		}
	}
	// A filter is decided in the same way.
	v, metric, err := w.View(context.Background(), viz.Look{Filter: `Method == "leaf"`})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Total[metric][cct.Root]; got != 15000 {
		t.Errorf("of leaf there are %d ns", got)
	}
}

// What cannot be compared is said.
func TestComparisonsThatCannotBe(t *testing.T) {
	a, b := opened(t, "a.folded", "main 1\n"), opened(t, "b.folded", "main 2\n")
	one := traced(t, "t.json", "main 0 100")
	ctx := context.Background()
	names := match.Names{Stable: true}
	w, err := viz.NewComparison(ctx, names, a, b)
	if err != nil {
		t.Fatal(err)
	}
	for want, try := range map[string]func() (*viz.Workspace, error){
		"is a comparison already":        func() (*viz.Workspace, error) { return viz.NewComparison(ctx, names, w, a) },
		"two at a time":                  func() (*viz.Workspace, error) { return viz.NewComparison(ctx, names, a, b, a) },
		"no metric of one name and unit": func() (*viz.Workspace, error) { return viz.NewComparison(ctx, names, a, one) },
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := w.Charts(ctx, []viz.ChartSpec{{View: "overview"}}, viz.Shared{}, nil); err == nil || !strings.Contains(err.Error(), "these are profiles") {
		t.Errorf("an overview of two profiles: %v", err)
	}
	if _, err := w.Charts(ctx, []viz.ChartSpec{{View: "bar"}}, viz.Shared{}, nil); err != nil {
		t.Errorf("a chart of what contexts cost: %v", err)
	}
}

// Coloured by the change of self, only what changed itself has a colour, in every
// chart of trees: not what calls it.
func TestComparisonsAreColouredBySelf(t *testing.T) {
	w := compared(t, opened(t, "a.folded", "main;calls;hot 100\nmain;calls 10\nmain;still 100\n"), opened(t, "b.folded", "main;calls;hot 400\nmain;calls 10\nmain;still 100\n"))
	gray, hot, calls := viz.ChangeColor(0, false), viz.ChangeColor(0.75, false), viz.ChangeColor(300.0/410, false)
	drawn := func(view string, params map[string]string) *scene.Scene {
		r := viz.Request{View: view, Viewport: viz.Viewport{Width: 900, Height: 700}, Params: params}
		if view == "fan" {
			r.Look.Steps = "compact:65535"
		}
		s, _, err := w.Scene(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	check := func(what string, got scene.Color, want scene.Color) {
		t.Helper()
		if got != want {
			t.Errorf("%s is %s, not %s", what, got.Hex(), want.Hex())
		}
	}
	for _, view := range []string{"ring", "icicle", "fan"} {
		color, _, _ := fills(drawn(view, nil))
		check(view+": hot", color["hot"], hot)
		check(view+": what calls it", color["calls"], calls)
		s := drawn(view, map[string]string{"of": "self"})
		color, _, _ = fills(s)
		check(view+" by self: hot", color["hot"], hot)
		check(view+" by self: what calls it", color["calls"], gray)
		check(view+" by self: what stayed", color["still"], gray)
		if s.Legend == nil || s.Legend.Title != "Change of self samples, A to B" {
			t.Errorf("%s by self: the legend is %+v", view, s.Legend)
		}
	}
	rows := map[string][2]scene.Color{}
	for i, of := range []string{"total", "self"} {
		for _, row := range drawn("treetable", map[string]string{"of": of, "levels": "9"}).Table.Rows {
			colors := rows[row.Cells[0]]
			colors[i] = row.Color
			rows[row.Cells[0]] = colors
		}
	}
	check("the row of hot", rows["hot"][0], hot)
	check("the row of hot by self", rows["hot"][1], hot)
	check("the row of what calls it", rows["calls"][0], calls)
	check("the row of what calls it by self", rows["calls"][1], gray)

	// Of boxes that stand for several contexts: bottom-up, all is a method's own;
	// around a method, what is called has its own, and callers have only totals.
	color, _, _ := fills(drawn("icicle", map[string]string{"of": "self", "mode": "callers"}))
	check("bottom-up: hot", color["hot"], hot)
	id := uint32(0)
	for _, row := range drawn("treetable", map[string]string{"levels": "9"}).Table.Rows {
		if row.Cells[0] == "calls" {
			id = row.ID
		}
	}
	color, _, _ = fills(drawn("icicle", map[string]string{"of": "self", "mode": "around", "around": fmt.Sprint(id)}))
	check("around calls: itself", color["calls"], gray)
	check("around calls: hot", color["hot"], hot)
	check("around calls: its caller", color["main"], calls)
}
