// Package timeline draws the calls of a trace over time: an icicle per thread,
// in which a call lies below the one that made it, from its start to its stop.
// What of a call nothing lies below is the time of its own.
//
// The picture is made of lines: per thread one with its name, and one for each
// depth. What a line shows is found by search (see trace.Levels), so that a
// picture costs as much as it shows. Calls that are narrower than a pixel, and
// less than that apart, are one box.
package timeline

import (
	"fmt"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// Name is the name of the visualization.
const Name = "timeline"

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name:        Name,
			Title:       "Timeline",
			Description: "calls of a trace from start to stop, below the calls that made them",
			Trace:       true,
			Dimensions: []viz.Dimension{
				{Name: "x", Aliases: []string{"start"}, Title: "X axis", Description: "when calls start", Call: viz.CallStart},
				{Name: "method", Title: "Method", Description: "what is called", Call: viz.CallMethod},
				{Name: "thread", Title: "Thread", Description: "the thread of a call", Call: viz.CallThread, Optional: true},
			},
			Parameters: []viz.Parameter{
				{Name: "color", Title: "Colour", Type: viz.Choice, Default: "package",
					Description: "what the colour of a call says",
					Choices: []viz.Option{
						{Value: "package", Title: "By package", Description: "close in the program, close in hue"},
						{Value: "method", Title: "By method", Description: "each method has its own hue, the same in every run"},
						{Value: "self", Title: "By own time", Description: "the stronger, the more of its time a call spends itself"},
					}},
			},
		},
		New: func() viz.Chart { return &chart{} },
	})
}

type chart struct{ config viz.Config }

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	return nil
}

// line is a line of the picture: the name of a thread if depth is -1, and
// otherwise the calls of a depth.
type line struct{ thread, depth int }

// layout is where things are. Times on the x axis are from the start of the
// trace: those of the source may be so large that a float cannot tell a
// nanosecond from the next.
type layout struct {
	calls    viz.Calls
	x, y     float64
	w, h     float64
	from, to int64   // the time that is shown, from the start of the trace
	lines    float64 // all there are
	top, end float64 // those that are shown
	height   float64 // of a line
	starts   []int   // thread -> its first line
	dark     bool
}

const (
	margin    = 10
	titleSize = 12
	labelSize = 11
	tickLine  = 4

	// Lines are so high. Of one thread all are shown if they can be; of several,
	// so many that their names can be read.
	leastLine, namedLine, mostLine = 3, 12, 20
	// A name is worth writing where there are so many pixels for it.
	labelWidth, labelHeight = 26, 11
)

func (c *chart) layOut(f viz.Frame) layout {
	l := layout{calls: c.config.Calls, dark: f.Dark, x: margin, y: margin + titleSize + labelSize + tickLine + 10}
	l.w, l.h = math.Max(1, f.Width-2*margin), math.Max(1, f.Height-l.y-margin)
	t := l.calls.Trace
	l.to = max(t.To-t.From, 1)
	if p := c.config.Period; p != nil {
		l.from = min(max(p.From, 0), l.to-1)
		l.to = max(min(p.To, l.to), l.from+1)
	}
	lines := 0
	l.starts = make([]int, len(t.Threads)+1)
	for i := range t.Threads {
		l.starts[i] = lines
		lines += 1 + l.calls.Levels.Depths(i)
	}
	l.starts[len(t.Threads)] = lines
	l.lines = float64(lines)
	l.end = l.lines
	if from, to := math.Max(0, f.Rows.From), math.Min(l.lines, f.Rows.To); !f.Rows.All() && from < to {
		l.top, l.end = from, to
	}
	least := float64(leastLine)
	if len(t.Threads) > 1 && f.Rows.All() {
		least = namedLine
	}
	l.end = math.Min(l.end, l.top+math.Max(1, math.Floor(l.h/least)))
	l.height = math.Min(mostLine, l.h/math.Max(l.end-l.top, 1))
	return l
}

// at gives the line at a number.
func (l *layout) at(number int) line {
	i, found := slices.BinarySearch(l.starts, number)
	if !found {
		i--
	}
	return line{i, number - l.starts[i] - 1}
}

// xOf is where a time is, from the start of the trace.
func (l *layout) xOf(at int64) float64 {
	return l.x + (float64(at)-float64(l.from))/float64(l.to-l.from)*l.w
}

func (l *layout) timeAt(x float64) float64 {
	return float64(l.from) + (x-l.x)/l.w*float64(l.to-l.from)
}

// clip keeps a time within what is shown.
func (l *layout) clip(at int64) int64 { return min(max(at-l.calls.Trace.From, l.from), l.to) }

// perPixel is the time that a pixel is wide.
func (l *layout) perPixel() int64 {
	return max(int64(math.Ceil(float64(l.to-l.from)/l.w)), 1)
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: plot.Background(f.Dark), Legend: plot.Legend(f)}
	if c.config.Calls.Trace == nil {
		return nil, fmt.Errorf("%s: has no trace", Name)
	}
	l := c.layOut(f)
	l.axis(s)
	p := newPainter(c.config, f)
	for n := int(l.top); n < int(math.Ceil(l.end)); n++ {
		at := l.at(n)
		y0, y1 := l.y+(float64(n)-l.top)*l.height, l.y+(float64(n)+1-l.top)*l.height
		y0, y1 = math.Max(y0, l.y), math.Min(y1, l.y+l.h)
		if y1 <= y0 {
			continue
		}
		if at.depth < 0 {
			l.thread(s, at.thread, y0, y1)
			continue
		}
		l.draw(s, f, p, at, y0, y1)
	}
	l.hidden(s)
	p.legend(s)
	if l.end-l.top < l.lines {
		s.Notes = append(s.Notes, fmt.Sprintf("lines %s to %s of %s are shown", plot.Count(int64(l.top)+1), plot.Count(int64(math.Ceil(l.end))), plot.Count(int64(l.lines))))
	}
	if t := l.calls.Trace; t.Cut > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s calls outlast their caller and are drawn to its end", plot.Count(int64(t.Cut))))
	}
	return s, nil
}

// draw draws the calls of a line.
func (l *layout) draw(s *scene.Scene, f viz.Frame, p *painter, at line, y0, y1 float64) {
	t := l.calls.Trace
	gap := 0.0
	if y1-y0 >= 6 {
		gap = 1
	}
	for r := range l.calls.Levels.Window(at.thread, at.depth, t.From+l.from, until(t, l.to), l.perPixel()) {
		c := l.calls.Levels.Call(r.First)
		x0, x1 := l.xOf(l.clip(r.From)), l.xOf(l.clip(r.To))
		fill, count := p.quiet, uint32(0)
		if r.Short {
			if x1-x0 < 1 {
				x0 = math.Min(x0, l.x+l.w-1)
				x1 = x0 + 1
			}
			count = uint32(r.Count)
			s.TooSmall += int64(r.Count)
		} else {
			fill = p.color(c)
			s.Drawn++
			if x1-x0 > 3 {
				x1 -= gap
			}
		}
		s.Rects.Add(x0, y0, x1-x0, y1-y0-gap, fill, uint32(c))
		s.Rects.Count = append(s.Rects.Count, count)
		if f.SelectedCalls != nil {
			match := scene.MatchNone
			if i, _ := slices.BinarySearch(f.SelectedCalls, int32(r.First)); i < len(f.SelectedCalls) && int(f.SelectedCalls[i]) < r.First+r.Count {
				match = scene.MatchSelf
			}
			s.Rects.Match = append(s.Rects.Match, match)
		}
		if !r.Short && x1-x0 >= labelWidth && y1-y0-gap >= labelHeight {
			size := math.Min(labelSize, y1-y0-gap-2)
			s.Texts = append(s.Texts, scene.Text{X: x0 + 3, Y: (y0+y1-gap)/2 + size*0.36, Text: p.name(c), Color: scene.InkOn(fill), Size: size, MaxWidth: x1 - x0 - 6})
		}
	}
}

// until is the end of a window: one that reaches the end of the trace has also
// the calls that take no time there.
func until(t *trace.Trace, to int64) int64 {
	if end := t.From + to; end < t.To {
		return end
	}
	return t.To + 1
}

// thread writes the name of a thread, with a line above it.
func (l *layout) thread(s *scene.Scene, i int, y0, y1 float64) {
	if i > 0 {
		c := scene.RGB(0xd8, 0xd8, 0xd8)
		if l.dark {
			c = scene.RGB(0x3c, 0x3c, 0x3c)
		}
		s.Lines.Add(l.x, y0+0.5, l.x+l.w, y0+0.5, 1, c)
	}
	if y1-y0 < labelHeight-2 {
		return
	}
	size := math.Min(titleSize, y1-y0-1)
	s.Texts = append(s.Texts, scene.Text{X: l.x, Y: (y0+y1)/2 + size*0.36, Text: threadName(l.calls.Trace.Threads[i]), Color: plot.Ink(l.dark), Size: size, MaxWidth: l.w, Bold: true})
}

func threadName(t trace.Thread) string {
	switch {
	case t.Name == "" && t.Process == "":
		return "all calls"
	case t.Process == "" || t.Process == t.Name:
		return t.Name
	}
	return t.Process + " · " + t.Name
}

// axis draws the time axis above the lines, counted from the start of the trace.
func (l *layout) axis(s *scene.Scene) {
	t := l.calls.Trace
	ink := plot.Faint(l.dark)
	ends := plot.Numbers([]float64{float64(l.from), float64(l.to)}, "nanoseconds")
	title := fmt.Sprintf("Time: %s to %s of %s", ends[0], ends[1], plot.Number(float64(t.To-t.From), "nanoseconds"))
	s.Texts = append(s.Texts, scene.Text{X: l.x, Y: margin + titleSize - 2, Text: title, Color: plot.Ink(l.dark), Size: titleSize, MaxWidth: l.w, Bold: true})
	y := l.y - 4
	ticks := plot.Ticks(float64(l.from), float64(l.to), l.w/100)
	for i, label := range plot.Numbers(ticks, "nanoseconds") {
		x := l.x + (ticks[i]-float64(l.from))/float64(l.to-l.from)*l.w
		s.Lines.Add(x, y, x, y+tickLine, 1, ink)
		if x+60 <= l.x+l.w || i == 0 {
			s.Texts = append(s.Texts, scene.Text{X: x, Y: y - 3, Text: label, Color: ink, Size: labelSize, MaxWidth: 90})
		}
	}
	s.Plots = []scene.Plot{{
		X: l.x, Y: l.y, W: l.w, H: (l.end - l.top) * l.height,
		Across: scene.Axis{Name: "Time", Unit: "nanoseconds", From: float64(l.from), To: float64(l.to), Max: float64(max(t.To-t.From, 1)), Dimension: "x", Period: true},
		Up:     scene.Axis{Name: "Lines", From: l.top, To: l.end, Max: l.lines, Entities: true, Dimension: "thread"},
	}}
}

// hidden counts the calls on lines that are not shown.
func (l *layout) hidden(s *scene.Scene) {
	t := l.calls.Trace
	count := func(from, to int) {
		for n := from; n < to; n++ {
			if at := l.at(n); at.depth >= 0 {
				s.Deeper += int64(l.calls.Levels.Within(at.thread, at.depth, t.From+l.from, until(t, l.to)))
			}
		}
	}
	count(0, int(l.top))
	count(int(math.Ceil(l.end)), int(l.lines))
}

// under gives the line at a point.
func (l *layout) under(x, y float64) (line, bool) {
	if x < l.x || x > l.x+l.w || y < l.y {
		return line{}, false
	}
	n := l.top + (y-l.y)/l.height
	if n >= l.end {
		return line{}, false
	}
	return l.at(int(n)), true
}

// call gives the call at a point, or the one nearest to it within a pixel.
func (l *layout) call(x, y float64) (trace.CallID, bool) {
	at, ok := l.under(x, y)
	if !ok || at.depth < 0 {
		return 0, false
	}
	return l.calls.Levels.At(at.thread, at.depth, l.calls.Trace.From+int64(l.timeAt(x)), l.perPixel())
}

func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	if c.config.Calls.Trace == nil {
		return viz.Hit{}, false
	}
	l := c.layOut(f)
	call, ok := l.call(x, y)
	if !ok {
		return viz.Hit{}, false
	}
	t := l.calls.Trace
	ns := func(v int64) string { return plot.Number(float64(v), "nanoseconds") }
	took := t.Duration(call)
	h := viz.Hit{Title: t.Name(call), Facts: []viz.Fact{
		{Name: "duration", Value: ns(took)},
		{Name: "of its own", Value: ns(t.Self[call]) + ", " + plot.Share(t.Self[call], took)},
		{Name: "start", Value: ns(t.Start[call] - t.From)},
		{Name: "calls within", Value: plot.Count(int64(t.End[call] - call - 1))},
		{Name: "thread", Value: threadName(t.Threads[t.ThreadOf(call)])},
		{Name: "call", Value: plot.Count(int64(call))},
	}}
	if p := t.Parent[call]; p != trace.NoCall {
		h.Facts = append(h.Facts, viz.Fact{Name: "called by", Value: t.Name(p)})
	}
	return h, true
}

// Select gives, of a point, the method of its call, and of a rectangle the time
// that it covers and, if it does not cover all of them, the threads.
func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	var s viz.Selection
	if c.config.Calls.Trace == nil {
		return s
	}
	l := c.layOut(f)
	t := l.calls.Trace
	if r.X0 == r.X1 && r.Y0 == r.Y1 {
		if call, ok := l.call(r.X0, r.Y0); ok && t.Method[call] != data.None {
			s.Entities = map[string][]data.EntityID{"method": {t.Method[call]}}
		}
		return s
	}
	bottom := l.y + (l.end-l.top)*l.height
	if r.X1 < l.x || r.X0 > l.x+l.w || r.Y1 < l.y || r.Y0 >= bottom {
		return s
	}
	from := t.From + int64(math.Floor(l.timeAt(math.Max(r.X0, l.x))))
	to := t.From + int64(math.Ceil(l.timeAt(math.Min(r.X1, l.x+l.w))))
	unit := t.Unit()
	s.Periods = map[string]viz.Period{"x": {From: floor(from, unit), To: floor(to, unit)}}
	first, _ := l.under(l.x, math.Max(r.Y0, l.y))
	last, _ := l.under(l.x, math.Min(r.Y1, math.Nextafter(bottom, 0)))
	if first.thread == 0 && last.thread == len(t.Threads)-1 {
		return s
	}
	for i := first.thread; i <= last.thread; i++ {
		if id := t.Threads[i].Entity; id != data.None {
			s.Entities = map[string][]data.EntityID{"thread": append(s.Entities["thread"], id)}
		}
	}
	return s
}

// floor divides, down.
func floor(v, by int64) int64 {
	q := v / by
	if v%by < 0 {
		q--
	}
	return q
}
