package overview

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

const (
	margin    = 10
	titleSize = 12
	titleLine = titleSize + 6
	labelSize = 11
	tickLine  = 4
	axisLine  = labelSize + tickLine + 4 // between the calls and the middle

	// barWidth is how many pixels an interval is wide.
	barWidth = 10
	// barShare is the part of a side's height that its bars have; the rest is
	// for its calls.
	barShare = 0.5
	// Lines of calls are at most so high.
	mostLine = 18
	// leastLine is the least height of a line of calls.
	leastLine = 1.5
)

// side is where one of the traces is. The bars of A stand on base and grow up,
// its calls hang below it; with B it is the other way round.
type side struct {
	which  match.Side
	trace  *trace.Trace
	length float64 // of the trace, in nanoseconds
	w      float64 // in pixels: all of it, or less if time has the same scale in both
	base   float64 // y between bars and calls
	bars   float64 // height
	calls  float64 // height that there is for calls
	line   float64 // height of a line of calls
	lines  []line
	dir    float64 // 1 if calls go down from base, -1 if up
}

// line is a line of calls.
type line struct{ thread, depth int }

type layout struct {
	x, w  float64
	n     int // intervals
	dark  bool
	sides [2]side
}

func (c *chart) layOut(f viz.Frame) *layout {
	l := &layout{x: margin, w: math.Max(1, f.Width-2*margin), dark: f.Dark}
	l.n = min(max(int(l.w/barWidth), 1), match.MaxIntervals)
	half := math.Max(1, (f.Height-2*margin)/2)
	longest := 1.0
	for s := range l.sides {
		t := c.pair.Calls[s].Trace
		l.sides[s] = side{which: match.Side(s), trace: t, length: math.Max(float64(uint64(t.To)-uint64(t.From)), 1)}
		longest = math.Max(longest, l.sides[s].length)
	}
	for s := range l.sides {
		d := &l.sides[s]
		d.w = l.w
		if c.config.Params["scale"] == "same" {
			d.w = math.Max(1, l.w*d.length/longest)
		}
		room := math.Max(1, half-titleLine-axisLine)
		d.bars = room * barShare
		d.calls = room - d.bars
		if d.which == match.A {
			d.dir, d.base = 1, margin+titleLine+d.bars
		} else {
			d.dir, d.base = -1, f.Height-margin-titleLine-d.bars
		}
		d.lines = c.lines(d.which)
		d.line = math.Min(mostLine, d.calls/math.Max(float64(len(d.lines)), 1))
		d.line = math.Max(d.line, math.Min(leastLine, d.calls))
	}
	return l
}

// lines gives the lines of calls of a side: the depths of its thread.
func (c *chart) lines(which match.Side) []line {
	calls := c.pair.Calls[which]
	thread := busiest(calls.Trace)
	var lines []line
	if len(calls.Trace.Threads) == 0 {
		return nil
	}
	for depth := range calls.Levels.Depths(thread) {
		lines = append(lines, line{thread, depth})
	}
	return lines
}

// busiest gives the thread with the most calls.
func busiest(t *trace.Trace) int {
	best := 0
	for i, th := range t.Threads {
		if th.End-th.First > t.Threads[best].End-t.Threads[best].First {
			best = i
		}
	}
	return best
}

// xOf is where a time is, in nanoseconds from the start of the trace.
func (l *layout) xOf(d *side, at float64) float64 { return l.x + at/d.length*d.w }

// timeAt is the time at a place.
func (l *layout) timeAt(d *side, x float64) float64 { return (x - l.x) / d.w * d.length }

// lineAt gives where a line of calls is.
func (d *side) lineAt(i int) (y0, y1 float64) {
	y := d.base + d.dir*float64(i)*d.line
	y2 := y + d.dir*d.line
	return math.Min(y, y2), math.Max(y, y2)
}

// shown is how many lines of calls there is room for.
func (d *side) shown() int { return min(len(d.lines), int(d.calls/d.line+1e-9)) }

// extent is the part of the picture that a side's bars and calls have.
func (d *side) extent() (y0, y1 float64) {
	if d.which == match.A {
		return d.base - d.bars, d.base + d.calls
	}
	return d.base - d.calls, d.base + d.bars
}

// title writes what a side is, and its time axis beside the middle.
func (l *layout) title(s *scene.Scene, c *chart, which match.Side) {
	d := &l.sides[which]
	y0, y1 := d.extent()
	t := d.trace
	y := y0 - 6
	if which == match.B {
		y = y1 + titleSize + 3
	}
	text := fmt.Sprintf("%c  %s: %s calls in %s", 'A'+rune(which), c.pair.Titles[which], plot.Count(int64(t.Len())), plot.Number(d.length, "nanoseconds"))
	s.Texts = append(s.Texts, scene.Text{X: l.x, Y: y, Text: text, Color: plot.Ink(l.dark), Size: titleSize, MaxWidth: l.w, Bold: true})
	ink := plot.Faint(l.dark)
	edge, dir := y1, 1.0
	if which == match.B {
		edge, dir = y0, -1.0
	}
	ticks := plot.Ticks(0, d.length, d.w/110)
	for i, label := range plot.Numbers(ticks, "nanoseconds") {
		x := l.xOf(d, ticks[i])
		s.Lines.Add(x, edge, x, edge+dir*tickLine, 1, ink)
		if x+60 > l.x+l.w && i > 0 {
			continue
		}
		ty := edge + tickLine + labelSize
		if which == match.B {
			ty = edge - tickLine - 3
		}
		s.Texts = append(s.Texts, scene.Text{X: x, Y: ty, Text: label, Color: ink, Size: labelSize, MaxWidth: 90})
	}
	s.Lines.Add(l.x, edge, l.x+d.w, edge, 1, ink)
	s.Plots = append(s.Plots, scene.Plot{
		X: l.x, Y: y0, W: d.w, H: y1 - y0, Side: int(which) + 1,
		Across: scene.Axis{Name: "Time", Unit: "nanoseconds", To: d.length, Max: d.length},
		Up:     scene.Axis{Name: "Calls", To: 1, Max: 1},
	})
}

// drawFocus frames the part of a trace that is looked at closely.
func (l *layout) drawFocus(s *scene.Scene, f viz.Frame, which match.Side) {
	focus := f.Sides[which].Focus
	if focus == nil {
		return
	}
	d := &l.sides[which]
	y0, y1 := d.extent()
	clip := func(at int64) float64 {
		return l.xOf(d, math.Min(math.Max(float64(at), 0), d.length))
	}
	x0, x1 := clip(focus.From), clip(focus.To)
	if x1-x0 < 2 {
		x0, x1 = (x0+x1)/2-1, (x0+x1)/2+1
	}
	ink := plot.Ink(l.dark)
	for _, e := range [][4]float64{{x0, y0, x0, y1}, {x1, y0, x1, y1}, {x0, y0, x1, y0}, {x0, y1, x1, y1}} {
		s.Lines.Add(e[0], e[1], e[2], e[3], 1.5, ink)
	}
}
