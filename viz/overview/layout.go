package overview

import (
	"fmt"
	"math"
	"slices"
	"sort"

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
	barShare = 0.45
	// Lines of calls are no higher than mostLine, and if they would be lower than
	// leastLine, the deepest are left out.
	leastLine, mostLine = 3, 18
	// The trunk, which is lines that one call has nearly all of, says little: its
	// lines are low.
	trunkLine, trunkShare = 1, 0.9
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
	lines  []line  // those that there is room for
	hidden []line
}

// line is a line of calls, and how far from the base it begins and ends.
type line struct {
	thread, depth int
	from, to      float64
}

type layout struct {
	x, w  float64
	n     int // intervals of each trace
	dark  bool
	sides [2]side
}

func (c *chart) layOut(f viz.Frame) *layout {
	l := &layout{x: margin, w: math.Max(1, f.Width-2*margin), dark: f.Dark}
	l.n = min(max(int(l.w/barWidth), 1), match.MaxIntervals)
	room := math.Max(1, (f.Height-2*margin)/2-titleLine-axisLine)
	longest := 1.0
	for s := range l.sides {
		t := c.pair.Calls[s].Trace
		l.sides[s] = side{which: match.Side(s), trace: t, length: math.Max(float64(uint64(t.To)-uint64(t.From)), 1), w: l.w}
		longest = math.Max(longest, l.sides[s].length)
	}
	for s := range l.sides {
		d := &l.sides[s]
		if c.config.Params["scale"] == "same" {
			d.w = math.Max(1, l.w*d.length/longest)
		}
		d.bars = room * barShare
		d.calls = room - d.bars
		d.base = margin + titleLine + d.bars
		if d.which == match.B {
			d.base = f.Height - d.base
		}
		d.layLines(c.pair.Calls[s], f.Sides[s].Threads)
	}
	return l
}

// layLines divides the room for calls among the depths of some threads.
func (d *side) layLines(calls viz.Calls, threads []int) {
	trunk := 0
	for _, thread := range threads {
		for depth := range calls.Levels.Depths(thread) {
			d.lines = append(d.lines, line{thread: thread, depth: depth})
			if isTrunk(calls, thread, depth) {
				d.lines[len(d.lines)-1].to = trunkLine
				trunk++
			}
		}
	}
	high := math.Min(mostLine, (d.calls-float64(trunk)*trunkLine)/math.Max(float64(len(d.lines)-trunk), 1))
	high = math.Max(high, math.Min(leastLine, d.calls))
	at := 0.0
	for i := range d.lines {
		n := &d.lines[i]
		if n.to == 0 {
			n.to = high
		}
		n.from, n.to = at, at+n.to
		if n.to > d.calls+1e-9 {
			d.lines, d.hidden = d.lines[:i], d.lines[i:]
			return
		}
		at = n.to
	}
}

// isTrunk tells whether one call has nearly all of a line.
func isTrunk(calls viz.Calls, thread, depth int) bool {
	t := calls.Trace
	length := t.To - t.From
	for r := range calls.Levels.Window(thread, depth, t.From, t.To+1, int64(trunkShare*float64(length))) {
		if !r.Short {
			return true
		}
	}
	return false
}

// xOf is where a time is, in nanoseconds from the start of the trace.
func (l *layout) xOf(d *side, at float64) float64 { return l.x + at/d.length*d.w }

// timeAt is the time at a place.
func (l *layout) timeAt(d *side, x float64) float64 {
	return math.Min(math.Max((x-l.x)/d.w, 0), 1) * d.length
}

// barAt is from where to where a bar is.
func (l *layout) barAt(d *side, i int) (x0, x1 float64) {
	return l.x + float64(i)/float64(l.n)*d.w, l.x + float64(i+1)/float64(l.n)*d.w
}

// away gives the y that is so far from the base, towards the bars.
func (d *side) away(h float64) float64 {
	if d.which == match.A {
		return d.base - h
	}
	return d.base + h
}

// between orders the ys that are so far from the base, towards the bars.
func (d *side) between(h0, h1 float64) (y0, y1 float64) {
	y0, y1 = d.away(h0), d.away(h1)
	return math.Min(y0, y1), math.Max(y0, y1)
}

// lineAt gives the line of calls that is so far from the base.
func (d *side) lineAt(down float64) (at line, ok bool) {
	i := sort.Search(len(d.lines), func(i int) bool { return d.lines[i].to > down })
	if i == len(d.lines) {
		return at, false
	}
	return d.lines[i], true
}

// title writes what a side is, and draws its time axis beside the middle.
func (l *layout) title(s *scene.Scene, c *chart, d *side) {
	t := d.trace
	y0, y1 := d.between(d.bars, -d.calls)
	y, edge, tick, label := y0-6, y1, y1+tickLine, y1+tickLine+labelSize
	if d.which == match.B {
		y, edge, tick, label = y1+titleSize+3, y0, y0-tickLine, y0-tickLine-3
	}
	text := fmt.Sprintf("%c  %s: %s calls in %s", 'A'+rune(d.which), c.pair.Titles[d.which], plot.Count(int64(t.Len())), plot.Number(d.length, "nanoseconds"))
	s.Texts = append(s.Texts, scene.Text{X: l.x, Y: y, Text: text + l.threads(d), Color: plot.Ink(l.dark), Size: titleSize, MaxWidth: l.w, Bold: true})
	ink := plot.Faint(l.dark)
	s.Lines.Add(l.x, edge, l.x+d.w, edge, 1, ink)
	ticks := plot.Ticks(0, d.length, d.w/110)
	for i, text := range plot.Numbers(ticks, "nanoseconds") {
		x := l.xOf(d, ticks[i])
		s.Lines.Add(x, edge, x, tick, 1, ink)
		if x+60 <= l.x+l.w || i == 0 {
			s.Texts = append(s.Texts, scene.Text{X: x, Y: label, Text: text, Color: ink, Size: labelSize, MaxWidth: 90})
		}
	}
}

// threads says which threads of several are shown.
func (l *layout) threads(d *side) string {
	shown := -1
	for _, at := range slices.Concat(d.lines, d.hidden) {
		if shown >= 0 && at.thread != shown {
			return fmt.Sprintf(", %s threads", plot.Count(int64(len(d.trace.Threads))))
		}
		shown = at.thread
	}
	if len(d.trace.Threads) < 2 || shown < 0 {
		return ""
	}
	th := d.trace.Threads[shown]
	return fmt.Sprintf("; shown is thread %s, one of %s, with %s calls", th.Name, plot.Count(int64(len(d.trace.Threads))), plot.Count(int64(th.End-th.First)))
}

// plot says that the focus of a side can be moved here.
func (l *layout) plot(s *scene.Scene, d *side) {
	y0, y1 := d.between(d.bars, -d.calls)
	s.Plots = append(s.Plots, scene.Plot{
		X: l.x, Y: y0, W: d.w, H: y1 - y0, Side: int(d.which) + 1,
		Across: scene.Axis{Name: "Time", Unit: "nanoseconds", To: d.length, Max: d.length},
		Up:     scene.Axis{Name: "Lines", To: 1, Max: 1},
	})
}

// drawFocus frames the part of a trace that is looked at closely, and dims the
// rest.
func (l *layout) drawFocus(s *scene.Scene, f viz.Frame, d *side) {
	focus := f.Sides[d.which].Focus
	if focus == nil {
		return
	}
	y0, y1 := d.between(d.bars, -d.calls)
	clip := func(at int64) float64 { return l.xOf(d, math.Min(math.Max(float64(at), 0), d.length)) }
	x0, x1 := clip(focus.From), clip(focus.To)
	if x1-x0 < 2 {
		x0, x1 = math.Max(l.x, (x0+x1)/2-1), math.Min(l.x+d.w, (x0+x1)/2+1)
	}
	dim := plot.Background(l.dark)&^0xff | 0x88
	for _, part := range [][2]float64{{l.x, x0}, {x1, l.x + d.w}} {
		if part[1] > part[0] {
			addRect(s, part[0], y0, part[1]-part[0], y1-y0, dim, scene.NoName, 0)
		}
	}
	ink := plot.Ink(l.dark)
	for _, e := range [][4]float64{{x0, y0, x0, y1}, {x1, y0, x1, y1}, {x0, y0, x1, y0}, {x0, y1, x1, y1}} {
		s.Lines.Add(e[0], e[1], e[2], e[3], 1.5, ink)
	}
}

// addRect adds a rectangle that stands for count calls, or for what is no call.
func addRect(s *scene.Scene, x, y, w, h float64, fill scene.Color, id, count uint32) {
	s.Rects.Add(x, y, w, h, fill, id)
	s.Rects.Count = append(s.Rects.Count, count)
}
