package matches

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

var repetitionColor = scene.RGB(0xd6, 0x1f, 0x1f)

// painter gives calls and matches their colours.
type painter struct {
	c      *chart
	p      *picture
	dark   bool
	f      viz.Frame
	by     string
	ramp   []scene.Color
	longer float64 // the longer of both times in focus: what is as far off is wholly red
}

// steps is how finely ramps are painted.
const steps = 64

func newPainter(c *chart, f viz.Frame, p *picture) *painter {
	q := &painter{c: c, p: p, f: f, dark: f.Dark, by: c.config.Params["color"], longer: 1}
	for _, h := range p.halves {
		q.longer = math.Max(q.longer, float64(h.to-h.from))
	}
	light := 0.70
	if f.Dark {
		light = 0.66
	}
	for i := range steps {
		x := float64(i) / (steps - 1)
		switch q.by {
		case "position": // a rainbow, as light everywhere
			q.ramp = append(q.ramp, scene.OKLCH(light, 0.17, 264-x*(264-29)))
		case "similarity":
			q.ramp = append(q.ramp, scene.OKLCH(light-0.08*x, 0.03+0.14*x, 255))
		default:
			q.ramp = append(q.ramp, scene.OKLCH(light-0.1*x, 0.22*x, 27))
		}
	}
	return q
}

func (q *painter) at(part float64) scene.Color {
	if !(part > 0) {
		return q.ramp[0]
	}
	return q.ramp[int(math.Min(part, 1)*(steps-1))]
}

// start is when a call starts, from the start of its trace.
func start(t *trace.Trace, c trace.CallID) float64 { return float64(t.Start[c] - t.From) }

// Tubes that are narrower are too narrow for a highlight: they say by how much they
// can be seen through how similar their calls are.
const thin = 16

// tubes colours edges, which are in the order of the tubes.
func (q *painter) tubes(tubes *scene.Tubes) {
	tubes.Fill, tubes.Shine = make([]scene.Color, tubes.Len()), make([]float64, tubes.Len())
	if q.by == "position" {
		tubes.Other = make([]scene.Color, tubes.Len())
	}
	m := q.c.pair.Matches
	a, b := m.Traces[match.A], m.Traces[match.B]
	for i := range q.p.edges {
		e := &q.p.edges[i]
		fill, other := scene.Color(0), scene.Color(0)
		switch q.by {
		case "position":
			group := q.p.groups[e.group]
			fill, other = q.at(place(b, group.B, e.B)), q.at(place(a, group.A, e.A))
		case "similarity":
			fill = q.at(e.Similarity)
		default:
			fill = q.at(math.Abs(start(a, e.A)-start(b, e.B)) / q.longer)
		}
		strong := 1.0
		if m.Tau < 1 {
			strong = math.Min((e.Similarity-m.Tau)/(1-m.Tau), 1)
		}
		if math.Max(e.ends[match.A].w, e.ends[match.B].w) < thin {
			alpha := scene.Color(math.Round(255 * (0.2 + 0.8*strong)))
			fill, other = fill&^0xff|alpha, other&^0xff|alpha
		} else {
			tubes.Shine[i] = 0.9 * strong
		}
		tubes.Fill[i] = fill
		if tubes.Other != nil {
			tubes.Other[i] = other
		}
	}
}

// place is where in a call another one starts that is in it: 0 at its start, 1 at
// its end.
func place(t *trace.Trace, in, c trace.CallID) float64 {
	length := t.Duration(in)
	if length <= 0 {
		return 0
	}
	return float64(t.Start[c]-t.Start[in]) / float64(length)
}

func (q *painter) legend() *scene.Legend {
	l := &scene.Legend{Ramp: q.ramp}
	switch q.by {
	case "position":
		l.Title, l.RampLow, l.RampHigh = "in its group of the other trace", "early", "late"
	case "similarity":
		l.Title, l.RampLow, l.RampHigh = "similarity", "0", "1"
	default:
		l.Title, l.RampLow, l.RampHigh = "moved in time by", "0", plot.Number(q.longer, "nanoseconds")
	}
	return l
}

// Cushions: how steep the ridge of a call is at its edges, and how much of its
// caller's it has.
const (
	ridge   = 1.1
	inherit = 0.55
)

// A name is worth writing where there are so many pixels for it.
const labelWidth, labelHeight = 26, 10

// calls draws an icicle. Each call is a ridge on that of its caller: van Wijk and
// van de Wetering add up ridges that get lower from level to level, so that of a
// treemap's leaves all callers can be seen; here each level is seen itself, and
// ridges get lower from a call outwards.
func (q *painter) calls(s *scene.Scene, h *half) {
	t := h.t
	colors := q.c.pair.Programs[h.side].PackageColors(q.dark)
	short := q.c.pair.Programs[h.side].Short
	quiet := scene.RGB(0xb4, 0xb4, 0xb4)
	boxed := scene.RGB(0xf0, 0xb6, 0xc6)
	if q.dark {
		quiet, boxed = scene.RGB(0x5c, 0x5c, 0x5c), scene.RGB(0x8c, 0x50, 0x62)
	}
	gap := 0.0
	if math.Abs(h.row) >= 6 {
		gap = 0.5
	}
	slopes := make([]scene.Slope, len(h.nodes))
	isSelected := q.selected(h)
	add := func(x0, y0, x1, y1 float64, fill scene.Color, slope scene.Slope, span match.Span, count uint32) {
		s.Rects.Add(x0, y0, x1-x0, y1-y0, fill, uint32(span.First))
		s.Rects.Slope = append(s.Rects.Slope, slope)
		s.Rects.End = append(s.Rects.End, uint32(span.End))
		s.Rects.Count = append(s.Rects.Count, count)
		if isSelected != nil {
			own := span
			if count == 0 {
				own.End = own.First + 1
			}
			s.Rects.Match = append(s.Rects.Match, isSelected(own))
		}
	}
	for i := range h.nodes {
		n := &h.nodes[i]
		// The ridge is that of the whole call, also where a part is out of focus.
		length := math.Max(float64(t.Duration(n.call)), 1)
		own := func(x float64) float64 {
			at := float64(h.from) + (x-h.x)/h.w*float64(h.to-h.from) - start(t, n.call)
			return ridge * (1 - 2*math.Min(math.Max(at/length, 0), 1))
		}
		slopes[i] = scene.Slope{Left: own(n.x0), Right: own(n.x1)}
		if n.parent >= 0 {
			p, in := &h.nodes[n.parent], slopes[n.parent]
			per := (in.Right - in.Left) / math.Max(p.x1-p.x0, 1e-9)
			slopes[i].Left += inherit * (in.Left + per*(n.x0-p.x0))
			slopes[i].Right += inherit * (in.Left + per*(n.x1-p.x0))
		}
		fill := quiet
		m := t.Method[n.call]
		if int(m) < len(colors) {
			fill = colors[m]
		}
		if groups := q.c.pair.Calls[h.side].Groups; groups != nil {
			if g, shown := plot.GroupOf(q.f, int(groups[n.call])); shown {
				fill = g.Color
			}
		}
		y0, y1 := h.span(int(n.row), int(n.row)+1)
		add(n.x0, y0+gap, n.x1, y1-gap, fill, slopes[i], match.Span{First: n.call, End: t.End[n.call]}, 0)
		if n.x1-n.x0 >= labelWidth && y1-y0-2*gap >= labelHeight && m != data.None && int(m) < len(short) {
			size := math.Min(11, y1-y0-3)
			s.Texts = append(s.Texts, scene.Text{X: n.x0 + 3, Y: (y0+y1)/2 + size*0.36, Text: oneLine(short[m]), Color: scene.InkOn(fill), Size: size, MaxWidth: n.x1 - n.x0 - 6})
		}
	}
	for _, b := range h.boxes {
		x0, x1 := b.x0, b.x1
		if x1-x0 < 1 {
			x0 = math.Min(x0, h.x+h.w-1)
			x1 = x0 + 1
		}
		y0, y1 := h.span(int(b.row), int(b.end))
		add(x0, y0, x1, y1, boxed, scene.Slope{}, b.Span, uint32(b.End-b.First))
	}
}

// selected gives what tells whether some calls are selected; nil without a selection
// that says something about calls.
func (q *painter) selected(h *half) func(match.Span) uint8 {
	if q.f.Sides[match.A].SelectedCalls == nil && q.f.Sides[match.B].SelectedCalls == nil {
		return nil
	}
	var calls []trace.CallID
	for _, position := range q.f.Sides[h.side].SelectedCalls {
		calls = append(calls, q.c.pair.Calls[h.side].Levels.Call(int(position)))
	}
	slices.Sort(calls)
	return func(s match.Span) uint8 {
		if i, _ := slices.BinarySearch(calls, s.First); i < len(calls) && calls[i] < s.End {
			return scene.MatchSelf
		}
		return scene.MatchNone
	}
}

// within gives the repetitions whose first call is in some spans.
func within(all []match.Repetition, spans []match.Span) (found []match.Repetition) {
	for _, s := range spans {
		i := sort.Search(len(all), func(i int) bool { return all[i].First >= s.First })
		for ; i < len(all) && all[i].First < s.End; i++ {
			found = append(found, all[i])
		}
	}
	return found
}

func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, name)
}
