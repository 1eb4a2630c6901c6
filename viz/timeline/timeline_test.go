package timeline

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/symbol"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/viztest"
)

const two = `
m---------------
 f----  f-------
  g h    g------

  w-----
   f-
`

func open(t testing.TB, set *data.Set, spec viz.ChartSpec, shared viz.Shared) (*viz.Workspace, *viz.OpenChart) {
	t.Helper()
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	spec.View = Name
	charts, err := w.Charts(context.Background(), []viz.ChartSpec{spec}, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, charts[0]
}

// drawn writes rectangles as the drawing has them: line, time, name; boxes as #
// with the number of calls.
func drawn(t testing.TB, set *data.Set, c *viz.OpenChart, v viz.View, shared viz.Shared) string {
	t.Helper()
	s, err := c.Scene(v, shared)
	if err != nil {
		t.Fatal(err)
	}
	contexts := set.Entity("Context")
	methods, _ := contexts.Column("Method")
	at, _ := set.Event("Call").Column("Context")
	p := s.Plots[0]
	var b strings.Builder
	for i, id := range s.Rects.ID {
		line := p.Up.From + (s.Rects.Y[i]+s.Rects.H[i]/2-p.Y)/p.H*(p.Up.To-p.Up.From)
		from := p.Across.From + (s.Rects.X[i]-p.X)/p.W*(p.Across.To-p.Across.From)
		what := fmt.Sprintf("#%d", s.Rects.Count[i])
		if s.Rects.Count[i] == 0 {
			// In this test, calls are numbered as events are: one thread, or none cut.
			what = set.Entity("Method").NameOf(methods.Refs[at.Refs[id]])
		}
		if s.Rects.Match != nil && s.Rects.Match[i] == scene.MatchSelf {
			what += "*"
		}
		fmt.Fprintf(&b, "%d:%s@%.0f ", int(line), what, from)
	}
	fmt.Fprintf(&b, "drawn %d small %d elsewhere %d", s.Drawn, s.TooSmall, s.Deeper)
	return b.String()
}

const one = `
m---------------
 f----  f-------
  g h    g------
`

func TestScene(t *testing.T) {
	set := sourcetest.Drawing(t, one)
	wide := viz.View{Viewport: viz.Viewport{Width: 1620, Height: 300}}
	narrow := viz.View{Viewport: viz.Viewport{Width: 30, Height: 300}}
	for _, c := range []struct {
		name   string
		spec   viz.ChartSpec
		view   viz.View
		shared viz.Shared
		want   string
	}{
		{"all", viz.ChartSpec{}, wide, viz.Shared{}, "1:m@0 2:f@100 2:f@800 3:g@200 3:h@400 3:g@900 drawn 6 small 0 elsewhere 0"},
		{"a pixel is 160 ns", viz.ChartSpec{}, narrow, viz.Shared{}, "1:m@0 2:f@100 2:f@800 3:#2@200 3:g@900 drawn 4 small 2 elsewhere 0"},
		{"a period", viz.ChartSpec{Period: &viz.Period{From: 250, To: 450}}, wide, viz.Shared{}, "1:m@250 2:f@250 3:g@250 3:h@400 drawn 4 small 0 elsewhere 0"},
		{"a selection", viz.ChartSpec{}, narrow, viz.Shared{Selection: `Method == "h"`}, "1:m@0 2:f@100 2:f@800 3:#2*@200 3:g@900 drawn 4 small 2 elsewhere 0"},
		{"a filter", viz.ChartSpec{}, wide, viz.Shared{Filter: `not (Method == "f")`}, "1:m@0 3:g@200 3:h@400 3:g@900 drawn 4 small 0 elsewhere 0"},
		{"some lines", viz.ChartSpec{}, viz.View{Viewport: wide.Viewport, Rows: viz.Range{From: 1, To: 3}}, viz.Shared{}, "1:m@0 2:f@100 2:f@800 drawn 3 small 0 elsewhere 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, chart := open(t, set, c.spec, c.shared)
			if got := drawn(t, set, chart, c.view, c.shared); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPointing(t *testing.T) {
	set := sourcetest.Drawing(t, two)
	w, c := open(t, set, viz.ChartSpec{}, viz.Shared{})
	v := viz.View{Viewport: viz.Viewport{Width: 1620, Height: 300}}
	s, err := c.Scene(v, viz.Shared{})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Plots[0]
	at := func(line, ns float64) (x, y float64) {
		return p.X + ns/1600*p.W, p.Y + (line+0.5-p.Up.From)/(p.Up.To-p.Up.From)*p.H
	}
	for _, q := range []struct {
		line, ns           float64
		title, own, filter string
	}{
		{1, 50, "m", "300 ns, 18.8 %", `"Method" in ["m"]`},
		{2, 350, "f", "300 ns, 60.0 %", `"Method" in ["f"]`},
		{3, 250, "g", "100 ns, 100 %", `"Method" in ["g"]`},
		{2, 700, "", "", ""},
		{5, 250, "w", "400 ns, 66.7 %", `"Method" in ["w"]`},
		{0, 250, "", "", ""},
	} {
		x, y := at(q.line, q.ns)
		h, ok, err := c.At(v, viz.Shared{}, x, y)
		if err != nil || ok != (q.title != "") || ok && (h.Title != q.title || strings.ReplaceAll(h.Facts[1].Value, "\u00a0", " ") != q.own) {
			t.Errorf("line %g, %g ns: %v (%v, %v)", q.line, q.ns, h, ok, err)
		}
		text, err := c.Select(v, viz.Shared{}, scene.Box{X0: x, Y0: y, X1: x, Y1: y})
		if err != nil || text != q.filter {
			t.Errorf("line %g, %g ns: selects %s (%v)", q.line, q.ns, text, err)
		}
	}
	x0, y0 := at(5, 200)
	x1, y1 := at(6, 300)
	text, err := c.Select(v, viz.Shared{}, scene.Box{X0: x0, Y0: y0, X1: x1, Y1: y1})
	if want := `"Start" in 1000200..1000300 and "Thread" in ["T1"]`; err != nil || text != want {
		t.Errorf("a rectangle selects %s (%v), want %s", text, err, want)
	}
	if _, err := w.Filter(text); err != nil {
		t.Error(err)
	}
}

// TestContract takes the chart through the life that all charts have.
// TestAnswer lists what a window shows, in numbers.
func TestAnswer(t *testing.T) {
	set := sourcetest.Drawing(t, two)
	for window, want := range map[viz.Period]string{
		{From: 0, To: 1600}:    "T0 0 0+1600 m 300, T0 1 100+500 f 300, T0 1 800+800 f 100, T0 2 200+100 g 100, T0 2 400+100 h 100, T0 2 900+700 g 700, T1 0 200+600 w 400, T1 1 300+200 f 200",
		{From: 250, To: 350}:   "T0 0 0+1600 m 300, T0 1 100+500 f 300, T0 2 200+100 g 100, T1 0 200+600 w 400, T1 1 300+200 f 200",
		{From: 5000, To: 6000}: "T0 0 0+1600 m 300, T0 1 800+800 f 100, T0 2 900+700 g 700",
	} {
		_, c := open(t, set, viz.ChartSpec{Period: &window}, viz.Shared{})
		answer, err := c.Answer(viz.View{}, viz.Shared{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range answer.([]shownCall) {
			got = append(got, fmt.Sprintf("%s %d %d+%d %s %d", strings.TrimPrefix(s.Thread, "P · "), s.Depth, s.Start, s.Duration, s.Method, s.Self))
			if s.Calls != 1 {
				t.Errorf("%+v", s)
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%v:\n%s\nwant\n%s", window, text, want)
		}
	}
	// A pixel of a usual picture is longer than any of these.
	_, c := open(t, sourcetest.Drawing(t, "m-"+strings.Repeat("-", 9000)+"\n fgh"), viz.ChartSpec{}, viz.Shared{})
	answer, err := c.Answer(viz.View{}, viz.Shared{})
	if err != nil {
		t.Fatal(err)
	}
	if all := answer.([]shownCall); len(all) != 2 || all[1].Calls != 3 || all[1].Method != "f" || all[1].Duration != 300 {
		t.Errorf("%+v", all)
	}
}

func TestContract(t *testing.T) {
	viztest.Check(t, sourcetest.Drawing(t, two), viz.ChartSpec{View: Name})
}

func TestNoCalls(t *testing.T) {
	b := data.NewBuilder("samples", "test")
	p := source.NewProfile(b, symbol.Unknown, 0, source.Metric{Name: "n"})
	p.Sample(p.Child(data.None, p.Method(source.Frame{Name: "f"})), 1)
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Charts(context.Background(), []viz.ChartSpec{{View: Name}}, viz.Shared{}, nil)
	if err == nil || !strings.Contains(err.Error(), "no type of event of samples has the fields for it") {
		t.Errorf("the error is %v", err)
	}
}

// BenchmarkScene draws a trace of a million calls, all of it and a hundredth.
func BenchmarkScene(b *testing.B) {
	builder := data.NewBuilder("bench", "test")
	calls := source.NewCalls(builder, symbol.Unknown)
	th := calls.Thread()
	names := make([]data.EntityID, 20)
	for i := range names {
		names[i] = calls.Method(source.Frame{Name: fmt.Sprintf("pkg%d.f%d", i%5, i)})
	}
	now := int64(0)
	var nest func(depth, n int)
	nest = func(depth, n int) {
		method := names[(depth*7+n)%len(names)]
		th.Begin(now, method)
		now += 13
		for k := 0; n > 1 && k < 6; k++ {
			nest(depth+1, n/6)
			now += 7
		}
		th.End(now, method)
	}
	nest(0, 900_000)
	if err := calls.Finish(context.Background()); err != nil {
		b.Fatal(err)
	}
	set, err := builder.Finish()
	if err != nil {
		b.Fatal(err)
	}
	for name, period := range map[string]*viz.Period{"all": nil, "a hundredth": {From: now / 2, To: now/2 + now/100}} {
		_, c := open(b, set, viz.ChartSpec{Period: period}, viz.Shared{})
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := c.Scene(viz.View{Viewport: viz.Viewport{Width: 1440, Height: 900}}, viz.Shared{})
				if err != nil {
					b.Fatal(err)
				}
				if math.IsNaN(s.Width) || s.Rects.Len() == 0 {
					b.Fatal("nothing is drawn")
				}
			}
		})
	}
}
