package overview

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
)

// The second run does p before f, calls q where the first one called x, and has
// a thread of its own.
const before = `
m-------------------------------
 f-------  f-------   p--- r----
  g-- h-    g--        g-   x---
`

const after = `
m-------------------------------
 p---  r-----   f------- f------
  g-    q----    g-- h-   g--

w---
 f-
`

// open compares two drawings.
func open(t testing.TB, a, b string, params map[string]string, shared viz.Shared) *viz.OpenChart {
	t.Helper()
	ctx := context.Background()
	var sides [2]*viz.Workspace
	for i, text := range []string{a, b} {
		w, err := viz.NewWorkspace(ctx, sourcetest.Drawing(t, text))
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = w
	}
	w, err := viz.NewComparison(ctx, match.Names{}, sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	charts, err := w.Charts(ctx, []viz.ChartSpec{{View: Name, Params: params}}, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	return charts[0]
}

// view has 32 intervals, one per column of the drawings.
var view = viz.View{Viewport: viz.Viewport{Width: 2*margin + 32*barWidth, Height: 400}}

func draw(t testing.TB, c *viz.OpenChart, shared viz.Shared) *scene.Scene {
	t.Helper()
	s, err := c.Scene(view, shared)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bar is what is known of an interval when every pair of calls is looked at by
// itself.
type bar struct {
	similarity, offset, distance float64
	matches                      int
}

// oracle sums up the matches of two traces by equations 2 to 4, call by call, for
// the calls of the first.
func oracle(a, b *trace.Trace, tau float64, n int) []bar {
	gamma := func(t *trace.Trace, c trace.CallID) map[string]bool {
		set := map[string]bool{}
		for k := c; k < t.End[c]; k++ {
			set[t.Name(k)] = true
		}
		return set
	}
	bars := make([]bar, n)
	for f := range a.Parent {
		own := gamma(a, trace.CallID(f))
		start := a.Start[f] - a.From
		in := &bars[min(int(start*int64(n)/(a.To-a.From)), n-1)]
		for g := range b.Parent {
			other := gamma(b, trace.CallID(g))
			both, either := 0, len(other)
			for name := range own {
				if other[name] {
					both++
				} else {
					either++
				}
			}
			if s := float64(both) / float64(either); s > tau {
				offset := float64(b.Start[g] - b.From - start)
				in.matches++
				in.similarity += s
				in.offset += offset
				in.distance += math.Abs(offset)
			}
		}
	}
	return bars
}

func tracesOf(t testing.TB, texts ...string) (traces [2]*trace.Trace) {
	t.Helper()
	for i, text := range texts {
		var err error
		if traces[i], err = trace.Build(context.Background(), sourcetest.Drawing(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	return traces
}

// TestBars holds heights and colours of bars, and where they stand, to sums over
// all pairs of calls.
func TestBars(t *testing.T) {
	every := viz.Shared{Pairing: viz.Pairing{Threads: [2]int{-1, -1}}}
	s := draw(t, open(t, before, after, nil, every), every)
	traces := tracesOf(t, before, after)
	var want [2][]bar
	most, strongest := 0.0, 0.0
	for side := range want {
		want[side] = oracle(traces[side], traces[1-side], match.DefaultTau, 32)
		for _, b := range want[side] {
			most = math.Max(most, b.similarity)
			if b.matches > 0 {
				strongest = math.Max(strongest, math.Abs(b.offset)/float64(b.matches))
			}
		}
	}
	ramp := s.Legend.Ramp
	for side, p := range s.Plots {
		room := p.H * barShare
		base := p.Y + room // of A; the bars of B hang
		if side == 1 {
			base = p.Y + p.H - room
		}
		for i, w := range want[side] {
			x := p.X + float64(i)*barWidth
			found := -1
			for k := range s.Rects.X {
				if s.Rects.ID[k] == scene.NoName && s.Rects.X[k] == x && s.Rects.Y[k] >= p.Y-0.01 && s.Rects.Y[k] <= p.Y+p.H {
					found = k
				}
			}
			if w.matches == 0 {
				if found >= 0 {
					t.Errorf("side %d has a bar at %d", side, i)
				}
				continue
			}
			if found < 0 {
				t.Errorf("side %d has no bar at %d", side, i)
				continue
			}
			if h := math.Max(1, w.similarity/most*room); math.Abs(s.Rects.H[found]-h) > 1e-6 {
				t.Errorf("side %d, bar %d is %g high, want %g", side, i, s.Rects.H[found], h)
			}
			foot := s.Rects.Y[found] + s.Rects.H[found]
			if side == 1 {
				foot = s.Rects.Y[found]
			}
			if math.Abs(foot-base) > 1e-6 {
				t.Errorf("side %d, bar %d stands at %g, and not at %g", side, i, foot, base)
			}
			part := (w.offset/float64(w.matches)/strongest + 1) / 2
			if color := ramp[int(math.Round(part*float64(len(ramp)-1)))]; s.Rects.Fill[found] != color {
				t.Errorf("side %d, bar %d has the colour %s, want %s: on the average %g later", side, i, s.Rects.Fill[found].Hex(), color.Hex(), w.offset/float64(w.matches))
			}
		}
	}
	// The past is red and the future green.
	if r, g, _, _ := ramp[0].RGBA8(); r <= g {
		t.Errorf("the past is %s", ramp[0].Hex())
	}
	if r, g, _, _ := ramp[len(ramp)-1].RGBA8(); g <= r {
		t.Errorf("the future is %s", ramp[len(ramp)-1].Hex())
	}
}

// TestCalls has the calls of A hang below its bars, and those of B stand above
// its own, in the same colours.
func TestCalls(t *testing.T) {
	s := draw(t, open(t, before, after, map[string]string{"calls": "method"}, viz.Shared{}), viz.Shared{})
	traces := tracesOf(t, before, after)
	colors := map[string]scene.Color{}
	seen := [2]int{}
	for side, p := range s.Plots {
		var ys [3]float64
		for k, id := range s.Rects.ID {
			if id == scene.NoName || s.Rects.Y[k] < p.Y-0.01 || s.Rects.Y[k] > p.Y+p.H {
				continue
			}
			call := trace.CallID(id)
			tr := traces[side]
			seen[side]++
			if x := p.X + float64(tr.Start[call]-tr.From)/100*barWidth; math.Abs(s.Rects.X[k]-x) > 0.01 {
				t.Errorf("%s of side %d begins at %g, want %g", tr.Name(call), side, s.Rects.X[k], x)
			}
			ys[tr.Depth[call]] = s.Rects.Y[k]
			name := tr.Name(call)
			if c, ok := colors[name]; ok && c != s.Rects.Fill[k] {
				t.Errorf("%s has two colours", name)
			}
			colors[name] = s.Rects.Fill[k]
		}
		if rising := ys[0] < ys[1] && ys[1] < ys[2]; rising != (side == 0) {
			t.Errorf("side %d has its lines at %v", side, ys)
		}
	}
	// All of A, and of B those of the thread with the most calls.
	if seen != [2]int{10, 10} {
		t.Errorf("%v calls are drawn", seen)
	}
}

// TestAlone has what only one trace calls stand out.
func TestAlone(t *testing.T) {
	shared := viz.Shared{Pairing: viz.Pairing{Threads: [2]int{-1, -1}}}
	s := draw(t, open(t, before, after, nil, shared), shared)
	traces := tracesOf(t, before, after)
	var alone []string
	for side, p := range s.Plots {
		for k, id := range s.Rects.ID {
			if id != scene.NoName && s.Rects.Y[k] >= p.Y-0.01 && s.Rects.Y[k] < p.Y+p.H && s.Rects.Fill[k] == aloneColor(false) {
				alone = append(alone, fmt.Sprint(side, traces[side].Name(trace.CallID(id))))
			}
		}
	}
	slices.Sort(alone)
	if got := strings.Join(alone, ","); got != "0x,1q,1w" {
		t.Errorf("what stands out is %s", got)
	}
}

// TestPointing has a call light up the bars that hold matches of it and of what
// it calls, and tell of its own.
func TestPointing(t *testing.T) {
	c := open(t, before, after, nil, viz.Shared{})
	s := draw(t, c, viz.Shared{})
	traces := tracesOf(t, before, after)
	a, b := s.Plots[0], s.Plots[1]
	at := func(id trace.CallID) (x, y float64) {
		for k, other := range s.Rects.ID {
			if other == uint32(id) && s.Rects.Y[k] < b.Y-1 && s.Rects.Y[k] >= a.Y-0.01 {
				return s.Rects.X[k] + 1, s.Rects.Y[k] + s.Rects.H[k]/2
			}
		}
		t.Fatalf("call %d is not drawn", id)
		return
	}
	for call := range traces[0].Parent {
		id := trace.CallID(call)
		x, y := at(id)
		h, ok, err := c.At(view, viz.Shared{}, x, y)
		if err != nil || !ok || h.Title != traces[0].Name(id) {
			t.Fatalf("at %s is %q, %v, %v", traces[0].Name(id), h.Title, ok, err)
		}
		// The thread that is not shown has no bars.
		want := map[int]bool{}
		for f := id; f < traces[0].End[id]; f++ {
			for g := range traces[1].Threads[0].End {
				if similar(traces, f, g) > match.DefaultTau {
					want[int((traces[1].Start[g]-traces[1].From)/100)] = true
				}
			}
		}
		got := map[int]bool{}
		for _, m := range h.Marks {
			got[int(math.Round((m.X0-b.X)/barWidth))] = true
			if m.Y0 < b.Y || m.Y1 > b.Y+b.H+0.01 || m.Y1 <= m.Y0 || m.Color != holdColor {
				t.Errorf("%s has a mark %+v outside of %+v", h.Title, m, b)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("matches of %s are in %v, want %v", h.Title, got, want)
		}
	}
	// Between the bars and beside the plots is nothing.
	if _, ok, _ := c.At(view, viz.Shared{}, a.X-5, a.Y+5); ok {
		t.Error("something is beside the picture")
	}
	if h, ok, _ := c.At(view, viz.Shared{}, a.X+1, a.Y+1); !ok || !strings.HasPrefix(h.Title, "A, ") || len(h.Marks) > 0 {
		t.Errorf("above a bar is %+v", h)
	}
}

func similar(traces [2]*trace.Trace, f, g trace.CallID) float64 {
	names := func(t *trace.Trace, c trace.CallID) (all []string) {
		for k := c; k < t.End[c]; k++ {
			if !slices.Contains(all, t.Name(k)) {
				all = append(all, t.Name(k))
			}
		}
		return all
	}
	a, b := names(traces[0], f), names(traces[1], g)
	both := 0
	for _, name := range a {
		if slices.Contains(b, name) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// TestFocus has a rectangle become the focus of its side, and be drawn there.
func TestFocus(t *testing.T) {
	c := open(t, before, after, nil, viz.Shared{})
	s := draw(t, c, viz.Shared{})
	for side, p := range s.Plots {
		if p.Side != side+1 || p.Window || p.Across.To != 3200 || p.Across.Max != 3200 {
			t.Fatalf("plot %+v", p)
		}
		picked, err := c.Pick(view, viz.Shared{}, scene.Box{X0: p.X + 80, Y0: p.Y + 3, X1: p.X + 160, Y1: p.Y + 9})
		if err != nil || picked.Filter != "" || picked.Focus[1-side] != nil {
			t.Fatalf("%+v, %v", picked, err)
		}
		if f := picked.Focus[side]; f == nil || *f != (viz.Period{From: 800, To: 1600}) {
			t.Fatalf("the focus is %v", f)
		}
		framed := draw(t, c, viz.Shared{Pairing: viz.Pairing{Focus: picked.Focus}})
		for _, x := range []float64{p.X + 80, p.X + 160} {
			edge := false
			for i := range framed.Lines.X0 {
				edge = edge || framed.Lines.X0[i] == x && framed.Lines.X1[i] == x && framed.Lines.Y0[i] >= p.Y-0.01 && math.Abs(framed.Lines.Y1[i]-framed.Lines.Y0[i]-p.H) < 0.01
			}
			if !edge {
				t.Errorf("side %d has no edge at %g", side, x)
			}
		}
		if n := framed.Rects.Len() - s.Rects.Len(); n != 2 {
			t.Errorf("%d parts of side %d are dimmed", n, side)
		}
	}
	// A point is the method of a call.
	p := s.Plots[0]
	picked, err := c.Pick(view, viz.Shared{}, scene.Box{X0: p.X + 3, Y0: p.Y + p.H*barShare + 0.5, X1: p.X + 3, Y1: p.Y + p.H*barShare + 0.5})
	if err != nil || picked.Filter != `"Method" == "m"` {
		t.Errorf("%+v, %v", picked, err)
	}
}

// TestSelectionAndFocus draws both at once.
func TestSelectionAndFocus(t *testing.T) {
	shared := viz.Shared{Selection: `"Method" == "g"`, Pairing: viz.Pairing{Focus: [2]*viz.Period{{From: 0, To: 100}, {From: 500, To: 900}}}}
	s := draw(t, open(t, before, after, nil, shared), shared)
	marked := 0
	for k, m := range s.Rects.Match {
		if m == scene.MatchSelf && s.Rects.ID[k] != scene.NoName {
			marked++
		}
	}
	if marked != 6 {
		t.Errorf("%d calls of g are marked", marked)
	}
}

// TestScale stretches the shorter trace, or not.
func TestScale(t *testing.T) {
	half := "m---------------\n f--"
	for scale, w := range map[string]float64{"own": 320, "same": 160} {
		s := draw(t, open(t, before, half, map[string]string{"scale": scale}, viz.Shared{}), viz.Shared{})
		if s.Plots[0].W != 320 || s.Plots[1].W != w {
			t.Errorf("%s: %g and %g", scale, s.Plots[0].W, s.Plots[1].W)
		}
	}
}
