package matches

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
)

const (
	before = `
m-----------------------
f----   g--------   h---
a- b-   a--  c---   d---`
	after = `
m-----------------------
g---------   f-----  k--
a--   c---   a- b--  e--`
)

// compared opens the chart on two drawings.
func compared(t testing.TB, a, b string, params map[string]string, pairing viz.Pairing) (*viz.OpenChart, viz.Shared) {
	t.Helper()
	ctx := context.Background()
	var sides [2]*viz.Workspace
	for i, text := range []string{a, b} {
		var err error
		if sides[i], err = viz.NewWorkspace(ctx, drawing(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := viz.NewComparison(ctx, match.Names{}, sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	shared := viz.Shared{Pairing: pairing}
	charts, err := w.Charts(ctx, []viz.ChartSpec{{View: Name, Params: params}}, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	return charts[0], shared
}

var size = viz.View{Viewport: viz.Viewport{Width: 500, Height: 400}}

func draw(t testing.TB, c *viz.OpenChart, v viz.View, shared viz.Shared) *scene.Scene {
	t.Helper()
	s, err := c.Scene(v, shared)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScene(t *testing.T) {
	c, shared := compared(t, before, after, nil, viz.Pairing{})
	s := draw(t, c, size, shared)
	// Coarse matches first; those of one depth by width.
	names := "mfabgachdmgacfabke" // by call of A, then of B
	var got []string
	for i := range s.Tubes.Len() {
		got = append(got, fmt.Sprintf("%c-%c %.2f", names[s.Tubes.A[i]], names[9+s.Tubes.B[i]], s.Tubes.Similarity[i]))
	}
	for _, w := range []string{"m-m 0.60", "g-g 1.00", "f-f 1.00", "a-a 1.00", "b-b 1.00", "c-c 1.00"} {
		if !slices.Contains(got, w) {
			t.Errorf("no tube %s among %v", w, got)
		}
	}
	if got[0] != "m-m 0.60" {
		t.Errorf("the first tube is %s", got[0])
	}
	for _, no := range []string{"h-", "d-", "-k", "-e"} {
		if slices.ContainsFunc(got, func(g string) bool { return strings.Contains(strings.Fields(g)[0], no) }) {
			t.Errorf("a tube %s, of what is in one trace alone, among %v", no, got)
		}
	}
	if len(s.Plots) != 2 || !s.Plots[0].Window || s.Plots[0].Side != 1 || s.Plots[1].Side != 2 {
		t.Errorf("plots %+v", s.Plots)
	}
	if s.Rects.Len() != 18 || s.Rects.End[0] != 9 || s.Rects.Y[0] > 100 || s.Rects.Y[9] < 300 {
		t.Errorf("%d rectangles, %v at %v", s.Rects.Len(), s.Rects.End, s.Rects.Y)
	}
	if len(s.Notes) != 1 || s.Notes[0] != fmt.Sprintf("all %d matches above τ = 0.2, in 1 group", len(got)) {
		t.Errorf("notes %q", s.Notes)
	}
}

// TestLeavesOut: what there is no room for is counted.
func TestLeavesOut(t *testing.T) {
	c, shared := compared(t, before, after, map[string]string{"most": "3"}, viz.Pairing{})
	s := draw(t, c, size, shared)
	if s.Tubes.Len() != 3 {
		t.Fatalf("%d tubes", s.Tubes.Len())
	}
	whole, shared := compared(t, before, after, nil, viz.Pairing{})
	left := draw(t, whole, size, shared).Tubes.Len() - 3
	if want := fmt.Sprintf("3 matches above τ = 0.2, in 1 group; %d more between these calls are not drawn", left); s.Notes[0] != want {
		t.Errorf("%q, want %q", s.Notes[0], want)
	}
	none, shared := compared(t, "a---", "b---", nil, viz.Pairing{})
	if s := draw(t, none, size, shared); s.Tubes.Len() != 0 || !strings.HasPrefix(s.Notes[0], "no matches above") {
		t.Errorf("%d tubes, %q", s.Tubes.Len(), s.Notes)
	}
}

// tubeOf gives the tube between the nth calls of two traces.
func tubeOf(t testing.TB, s *scene.Scene, a, b uint32) int {
	t.Helper()
	for i := range s.Tubes.Len() {
		if s.Tubes.A[i] == a && s.Tubes.B[i] == b {
			return i
		}
	}
	t.Fatalf("no tube from %d to %d", a, b)
	return 0
}

// redness is how far red stands out of a colour.
func redness(c scene.Color) int {
	r, g, b, _ := c.RGBA8()
	return int(r) - (int(g)+int(b))/2
}

// TestFigure7 is a permutation: f and g change places, so that their matches are
// red, and that of their caller, which starts at the same time, is gray.
func TestFigure7(t *testing.T) {
	c, shared := compared(t, before, after, map[string]string{"color": "permutation"}, viz.Pairing{})
	s := draw(t, c, size, shared)
	same, f, g := redness(s.Tubes.Fill[tubeOf(t, s, 0, 0)]), redness(s.Tubes.Fill[tubeOf(t, s, 1, 4)]), redness(s.Tubes.Fill[tubeOf(t, s, 4, 1)])
	if same > 5 || f < 60 || g < 40 || f <= g { // f moved by 13 columns, g by 8
		t.Errorf("red by %d where nothing moved, %d of f, %d of g", same, f, g)
	}
}

// TestFigure8 is the place in the group of the other trace: seen from A, what is
// late in B is red and what is early blue; seen from B it is where it is in A.
func TestFigure8(t *testing.T) {
	c, shared := compared(t, before, after, map[string]string{"color": "position"}, viz.Pairing{})
	s := draw(t, c, size, shared)
	hot := func(c scene.Color) bool { r, _, b, _ := c.RGBA8(); return r > b }
	for _, k := range []struct {
		a, b         uint32
		fromA, fromB bool
	}{{1, 4, true, false}, {4, 1, false, false}, {6, 3, false, true}} {
		i := tubeOf(t, s, k.a, k.b)
		if hot(s.Tubes.Fill[i]) != k.fromA || hot(s.Tubes.Other[i]) != k.fromB {
			t.Errorf("%d-%d: %v from A and %v from B", k.a, k.b, s.Tubes.Fill[i].Hex(), s.Tubes.Other[i].Hex())
		}
	}
}

// TestFigure9 is similarity: tubes under 16 pixels are seen through if they are
// weak, wider ones shine if they are strong.
func TestFigure9(t *testing.T) {
	c, shared := compared(t, before, after, nil, viz.Pairing{})
	s := draw(t, c, viz.View{Viewport: viz.Viewport{Width: 500, Height: 400}}, shared)
	strong, weak := tubeOf(t, s, 1, 4), tubeOf(t, s, 1, 0) // f with f, f with m
	if s.Tubes.Shine[strong] < 0.85 || s.Tubes.Shine[weak] > 0.3 || s.Tubes.Fill[weak]&0xff != 0xff {
		t.Errorf("wide tubes shine by %g and %g, opacity %x", s.Tubes.Shine[strong], s.Tubes.Shine[weak], s.Tubes.Fill[weak]&0xff)
	}
	s = draw(t, c, viz.View{Viewport: viz.Viewport{Width: 60, Height: 400}}, shared)
	strong = tubeOf(t, s, 1, 4)
	if s.Tubes.Shine[strong] != 0 || s.Tubes.Fill[strong]&0xff != 0xff {
		t.Errorf("a strong thin tube shines by %g, opacity %x", s.Tubes.Shine[strong], s.Tubes.Fill[strong]&0xff)
	}
	for i := range s.Tubes.Len() {
		wide := max(s.Tubes.W[s.Tubes.First[i]], s.Tubes.W[s.Tubes.First[i+1]-1])
		if s.Tubes.Similarity[i] < 0.5 && wide < 16 && s.Tubes.Fill[i]&0xff > 0xb0 {
			t.Errorf("a thin tube of similarity %g has opacity %x", s.Tubes.Similarity[i], s.Tubes.Fill[i]&0xff)
		}
	}
}

// TestLines: lines have no width, and with both only what is narrow is one.
func TestLines(t *testing.T) {
	for _, how := range []string{"tubes", "lines", "both"} {
		c, shared := compared(t, before, after, map[string]string{"draw": how, "lambda": "1"}, viz.Pairing{})
		s := draw(t, c, viz.View{Viewport: viz.Viewport{Width: 100, Height: 400}}, shared)
		lines := 0
		for i := range s.Tubes.Len() {
			if s.Tubes.W[s.Tubes.First[i]] == 0 {
				lines++
			}
		}
		if all := s.Tubes.Len(); how == "tubes" && lines != 0 || how == "lines" && lines != all || how == "both" && (lines == 0 || lines == all) {
			t.Errorf("%s: %d of %d are lines", how, lines, all)
		}
	}
}

// TestRepetitions: runs of similar calls have a red line around them.
func TestRepetitions(t *testing.T) {
	const loop = `
m-----------------------
 f-- f-- f--  g--
 a-  a-  a-`
	c, shared := compared(t, loop, "m---", nil, viz.Pairing{})
	box := scene.Box{X0: math.Inf(1), X1: math.Inf(-1)}
	for s, i := draw(t, c, size, shared), 0; i < s.Lines.Len(); i++ {
		if s.Lines.Color[i] == repetitionColor {
			box.X0, box.X1 = min(box.X0, s.Lines.X0[i]), max(box.X1, s.Lines.X1[i])
		}
	}
	if per := 480.0 / 24; math.Abs(box.X0-(10+per)) > 1 || math.Abs(box.X1-(10+12*per)) > 1 {
		t.Errorf("outlined from %g to %g", box.X0, box.X1)
	}
	off, shared := compared(t, loop, "m---", map[string]string{"repetitions": "false"}, viz.Pairing{})
	if s := draw(t, off, size, shared); slices.Contains(s.Lines.Color, repetitionColor) {
		t.Error("outlined all the same")
	}
}

func TestPointing(t *testing.T) {
	c, shared := compared(t, before, after, nil, viz.Pairing{})
	s := draw(t, c, size, shared)
	facts := func(x, y float64) (string, map[string]string, []viz.Mark) {
		hit, ok, err := c.At(size, shared, x, y)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return "", nil, nil
		}
		told := map[string]string{}
		for _, f := range hit.Facts {
			told[f.Name] = strings.ReplaceAll(f.Value, "\u00a0", " ")
		}
		return hit.Title, told, hit.Marks
	}
	// In the middle of g of A.
	title, told, marks := facts(s.Rects.X[4]+s.Rects.W[4]/2, s.Rects.Y[4]+3)
	if title != "g" || told["duration"] != "900 ns" || told["most similar"] != "g, 1.00" || told["which starts"] != "0 s" || len(marks) == 0 {
		t.Errorf("%q %v, %d marks", title, told, len(marks))
	}
	// On the tube of m, somewhere.
	found := false
	for y := 100.0; y < 300 && !found; y += 5 {
		for x := 10.0; x < 490 && !found; x += 5 {
			title, told, _ := facts(x, y)
			if title != "m" || told["similarity"] != "0.600" {
				continue
			}
			found = true
			if told["only A calls"] != "h, d" || told["only B calls"] != "k, e" || told["both call"] != "6: m, f, a …" || told["in another order"] != "3 of 6 methods" {
				t.Errorf("%v", told)
			}
		}
	}
	if !found {
		t.Error("the tube of m is nowhere")
	}
	if title, _, _ := facts(1, 1); title != "" {
		t.Errorf("%q in the corner", title)
	}
}

// TestAlign: a click on a call brings the most similar one of the other trace
// opposite, as wide as it.
func TestAlign(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.Int64Range(0, 1500).Draw(rt, "from")
		focus := &viz.Period{From: from, To: from + rapid.Int64Range(100, 900).Draw(rt, "length")}
		c, shared := compared(t, before, after, nil, viz.Pairing{Focus: [2]*viz.Period{focus, nil}})
		s := draw(t, c, size, shared)
		i := rapid.IntRange(0, s.Rects.Len()-1).Draw(rt, "call")
		if s.Rects.Y[i] > 200 || s.Rects.Count[i] > 0 {
			rt.Skip("a call of B, or none")
		}
		x := s.Rects.X[i] + s.Rects.W[i]/2
		picked, err := c.Pick(size, shared, scene.Box{X0: x, X1: x, Y0: s.Rects.Y[i] + 3, Y1: s.Rects.Y[i] + 3})
		moved := picked.Focus
		if err != nil || picked.Filter != "" || moved[match.A] != nil {
			rt.Fatalf("%+v %v", picked, err)
		}
		m, _ := pair(t, traceOf(t, drawing(t, before)), traceOf(t, drawing(t, after)), 0.2)
		best, _, ok := m.Best(match.A, trace.CallID(s.Rects.ID[i]))
		if !ok {
			if moved[match.B] != nil {
				rt.Fatalf("moved to %v, without a match", moved[match.B])
			}
			return
		}
		a, b := m.Traces[match.A], m.Traces[match.B]
		call := trace.CallID(s.Rects.ID[i])
		to := *moved[match.B]
		if to == (viz.Period{}) {
			to.To = b.To - b.From
		}
		part := func(at int64, p viz.Period) float64 { return float64(at-p.From) / float64(p.To-p.From) }
		startA, startB := part(a.Start[call]-a.From, *focus), part(b.Start[best]-b.From, to)
		atEnd := to.From == 0 || to.To == b.To-b.From
		if !atEnd && math.Abs(startA-startB) > 0.02*math.Max(1, math.Abs(startA)) {
			rt.Fatalf("call %d starts at %.2f of the width, its match %d at %.2f", call, startA, best, startB)
		}
		if startB < -0.001 && startA >= 0 || startB > 1 {
			rt.Fatalf("the match %d is not in focus: %+v", best, to)
		}
	})
}

// TestAnything draws traces of any shape, in any size, with any settings: scenes
// are whole, and the same when they are drawn again; pointing anywhere is no harm.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		params := map[string]string{
			"color":    rapid.SampledFrom([]string{"permutation", "position", "similarity"}).Draw(rt, "color"),
			"draw":     rapid.SampledFrom([]string{"tubes", "lines", "both"}).Draw(rt, "draw"),
			"band":     fmt.Sprint(rapid.Float64Range(0.02, 1).Draw(rt, "band")),
			"strength": fmt.Sprint(rapid.Float64Range(0, 1).Draw(rt, "strength")),
			"lambda":   fmt.Sprint(rapid.Float64Range(0, 1).Draw(rt, "lambda")),
		}
		tau := rapid.SampledFrom([]float64{-1, 0, 0.3, 1, 2}).Draw(rt, "tau")
		text := func(name string) string {
			return rapid.SampledFrom([]string{before, after, "a", "a---\n b\n\nc--", "m-\n"}).Draw(rt, name)
		}
		c, shared := compared(t, text("a"), text("b"), params, viz.Pairing{Tau: &tau, Threads: [2]int{rapid.IntRange(-1, 2).Draw(rt, "thread"), 0}})
		v := viz.View{Viewport: viz.Viewport{Width: rapid.Float64Range(1, 900).Draw(rt, "width"), Height: rapid.Float64Range(1, 900).Draw(rt, "height")}, Dark: rapid.Bool().Draw(rt, "dark")}
		s, again := draw(t, c, v, shared), draw(t, c, v, shared)
		if !slices.Equal(s.Tubes.X, again.Tubes.X) || !slices.Equal(s.Tubes.Fill, again.Tubes.Fill) || s.Rects.Len() != again.Rects.Len() {
			rt.Fatal("another picture the second time")
		}
		for range 10 {
			x, y := rapid.Float64Range(-10, 910).Draw(rt, "x"), rapid.Float64Range(-10, 910).Draw(rt, "y")
			if _, _, err := c.At(v, shared, x, y); err != nil {
				rt.Fatal(err)
			}
			if _, err := c.Pick(v, shared, scene.Box{X0: x, Y0: y, X1: x + 5, Y1: y}); err != nil {
				rt.Fatal(err)
			}
		}
	})
}
