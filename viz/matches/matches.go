// Package matches draws what is similar in two traces that are compared: the calls
// of both as icicles, the second one mirrored below the first, and between them an
// edge for each match (Trümper, Döllner and Telea, "Multiscale Visual Comparison
// of Execution Traces", 2013, sections IV-B to IV-E; equations are numbered as
// there).
//
// A picture is made in steps, each of which costs as much as it shows:
//
//	half      an icicle of the part of a trace that is in focus: calls that are
//	          at least a pixel wide, and boxes of call stacks that are narrower
//	picture   both, and the matches to draw: there may be billions of others,
//	          which are counted
//	trees     control points for the edges of each group, in a band around the
//	          middle
//	bundle    curves along them, sampled, and how wide tubes are on the way
//	painter   colours
//
// The first two depend on what is in focus, the rest on what edges look like, so
// that both can be changed while somebody looks.
//
// What belongs here is this one picture. Which calls match is found by match, and
// what a line of calls shows by trace.
package matches

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// Name is the name of the visualization.
const Name = "matches"

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name:        Name,
			Title:       "Matches of two traces",
			Description: "which calls of two traces are similar, and how they moved",
			Pair:        true,
			Parameters: []viz.Parameter{
				{Name: "color", Title: "Colour", Type: viz.Choice, Default: "permutation",
					Description: "what the colour of a match says",
					Choices: []viz.Option{
						{Value: "permutation", Title: "Moved in time", Description: "red if its calls start at different times, gray if at the same"},
						{Value: "position", Title: "Place in the other trace", Description: "where in its group the match lies in the trace that the pointer is not in: blue is early, red is late"},
						{Value: "similarity", Title: "Similarity", Description: "the stronger, the more similar"},
					}},
				{Name: "draw", Title: "Draw matches as", Type: viz.Choice, Default: "tubes",
					Description: "tubes show how long calls take",
					Choices: []viz.Option{
						{Value: "tubes", Title: "Tubes"},
						{Value: "lines", Title: "Lines"},
						{Value: "both", Title: "Tubes, and lines if they would be thin"},
					}},
				{Name: "lambda", Title: "Tube thickness λ", Type: viz.Number, Default: "0.3", Min: 0, Max: 1,
					Description: "how wide tubes are in the middle, of what they are at their calls"},
				{Name: "band", Title: "Band B", Type: viz.Number, Default: "0.5", Min: 0.02, Max: 1,
					Description: "the part of the height in which matches are bundled"},
				{Name: "strength", Title: "Bundling strength", Type: viz.Number, Default: "0.85", Min: 0, Max: 1,
					Description: "0 draws straight lines"},
				{Name: "most", Title: "Matches", Type: viz.Number, Default: "1000", Min: 1, Max: 20000,
					Description: "how many to draw at most: the strongest"},
				{Name: "repetitions", Title: "Outline repetitions", Type: viz.Bool, Default: "true",
					Description: "calls that are similar to the one before"},
			},
		},
		New: func() viz.Chart { return &chart{known: splines{}} },
	})
}

// both is up to how many pixels wide calls are joined by lines if there are tubes,
// too.
const both = 16

type chart struct {
	config viz.Config
	pair   *viz.Pair
	levels [2]*trace.Levels
	known  splines

	last       *picture // what was drawn last, and of what
	lastWindow window
	lastTubes  *scene.Tubes // of the same; not coloured
}

func (c *chart) Configure(config viz.Config) error {
	c.config, c.pair = config, config.Pair
	if c.pair == nil {
		return nil
	}
	for side, calls := range c.pair.Calls {
		c.levels[side] = calls.Levels
		// What a filter leaves out is drawn all the same: a match is about all that
		// is in a call.
		if c.levels[side].Len() < calls.Trace.Len() {
			c.levels[side] = trace.NewLevels(calls.Trace, nil)
		}
	}
	return nil
}

// number gives a parameter, which the platform has checked.
func (c *chart) number(name string) float64 {
	v, _ := strconv.ParseFloat(c.config.Params[name], 64)
	return v
}

// picture gives what is in focus, laid out anew if it is not what it was.
func (c *chart) picture(f viz.Frame) *picture {
	w := window{size: f.Viewport, most: int(c.number("most"))}
	for side, calls := range c.pair.Calls {
		length := max(calls.Trace.To-calls.Trace.From, 1)
		w.focus[side], w.threads[side] = [2]int64{0, length}, f.Sides[side].Threads
		if p := f.Sides[side].Focus; p != nil {
			from := min(max(p.From, 0), length-1)
			w.focus[side] = [2]int64{from, max(min(p.To, length), from+1)}
		}
	}
	if c.last == nil || !c.lastWindow.equal(w) {
		c.last, c.lastWindow, c.lastTubes = layOut(c.pair.Matches, c.levels, w), w, nil
	}
	return c.last
}

// tubes gives the tubes of a picture, the last one.
func (c *chart) tubes(p *picture, height float64) *scene.Tubes {
	if c.lastTubes == nil {
		t := bundle(&p.halves, p.edges, p.groups, c.look(height), c.known)
		c.lastTubes = &t
	}
	return c.lastTubes
}

// look gives what edges look like in a picture of some height.
func (c *chart) look(height float64) look {
	l := look{lambda: c.number("lambda"), band: band{mid: height / 2, half: c.number("band") * height / 2}, strength: c.number("strength")}
	switch c.config.Params["draw"] {
	case "lines":
		l.widest = math.Inf(1)
	case "both":
		l.widest = both
	}
	return l
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	if c.pair == nil {
		return nil, fmt.Errorf("%s: has no traces to compare", Name)
	}
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: plot.Background(f.Dark)}
	p := c.picture(f)
	s.Tubes = *c.tubes(p, f.Height)
	paint := newPainter(c, f, p)
	paint.tubes(&s.Tubes)
	for side := match.A; side <= match.B; side++ {
		h := p.halves[side]
		paint.calls(s, h)
		if c.config.Params["repetitions"] == "true" {
			c.outline(s, h)
		}
		c.frame(s, f, h)
		s.Drawn += int64(len(h.nodes))
		s.Deeper += h.deeper
		for _, b := range h.boxes {
			s.TooSmall += int64(b.End - b.First)
		}
	}
	s.Legend = paint.legend()
	s.Notes = c.notes(p)
	return s, nil
}

// notes says what the picture leaves out.
func (c *chart) notes(p *picture) []string {
	var notes []string
	drawn, groups := int64(len(p.edges)), "groups"
	if len(p.groups) == 1 {
		groups = "group"
	}
	switch {
	case p.total == 0:
		notes = append(notes, fmt.Sprintf("no matches above τ = %v between these calls", c.pair.Matches.Tau))
	case drawn == p.total:
		notes = append(notes, fmt.Sprintf("all %s matches above τ = %v, in %s %s", plot.Count(drawn), c.pair.Matches.Tau, plot.Count(int64(len(p.groups))), groups))
	default:
		notes = append(notes, fmt.Sprintf("%s matches above τ = %v, in %s %s; %s more between these calls are not drawn",
			plot.Count(drawn), c.pair.Matches.Tau, plot.Count(int64(len(p.groups))), groups, plot.Count(p.total-drawn)))
	}
	if deeper := p.halves[match.A].deeper + p.halves[match.B].deeper; deeper > 0 {
		notes = append(notes, fmt.Sprintf("%s calls are deeper than there is room for", plot.Count(deeper)))
	}
	return notes
}

// frame writes the title and the time axis of a trace at its edge of the picture,
// and says what its half of the picture means.
func (c *chart) frame(s *scene.Scene, f viz.Frame, h *half) {
	const titleSize, labelSize, tick = 12, 11, 4
	title := fmt.Sprintf("%c  %s: %s calls in %s", 'A'+rune(h.side), c.pair.Titles[h.side], plot.Count(h.calls()), ns(h.to-h.from))
	if !h.isWhole() {
		title += fmt.Sprintf(" from %s on, of %s", ns(h.from), ns(h.t.To-h.t.From))
	}
	titleAt, labelAt, dir := 12.0, float64(head-tick-3), -1.0
	y0, y1 := float64(head), f.Height/2
	if h.side == match.B {
		titleAt, labelAt, dir = f.Height-4, f.Height-head+tick+labelSize-1, 1
		y0, y1 = f.Height/2, f.Height-head
	}
	s.Texts = append(s.Texts, scene.Text{X: h.x, Y: titleAt, Text: title, Color: plot.Ink(f.Dark), Size: titleSize, MaxWidth: h.w, Bold: true})
	ink := plot.Faint(f.Dark)
	ticks := plot.Ticks(float64(h.from), float64(h.to), h.w/110)
	for i, label := range plot.Numbers(ticks, "nanoseconds") {
		x := h.x + (ticks[i]-float64(h.from))/float64(h.to-h.from)*h.w
		s.Lines.Add(x, h.edge, x, h.edge+dir*tick, 1, ink)
		if x+60 <= h.x+h.w || i == 0 {
			s.Texts = append(s.Texts, scene.Text{X: x, Y: labelAt, Text: label, Color: ink, Size: labelSize, MaxWidth: 90})
		}
	}
	s.Plots = append(s.Plots, scene.Plot{
		X: h.x, Y: y0, W: h.w, H: max(y1-y0, 1), Side: int(h.side) + 1, Window: true,
		Across: scene.Axis{Name: "Time", Unit: "nanoseconds", From: float64(h.from), To: float64(h.to), Max: float64(max(h.t.To-h.t.From, 1))},
		Up:     scene.Axis{Name: "Calls", To: 1, Max: 1},
	})
}

// A repetition is outlined if there is room for its outline.
const (
	leastOutline = 6 // pixels wide
	leastRow     = 3
)

// outline draws a red line around runs of calls that are similar to the one before.
func (c *chart) outline(s *scene.Scene, h *half) {
	row := math.Abs(h.row)
	if row < leastRow {
		return
	}
	for _, r := range within(c.pair.Matches.Repeated(h.side), h.spans) {
		x0, x1 := h.clip(h.t.Start[r.First], h.t.Stop[r.Last])
		at := h.base[h.t.ThreadOf(r.First)] + int(h.t.Depth[r.First])
		if x1-x0 < leastOutline || at >= h.rows {
			continue
		}
		y0, y1 := h.span(at, at+1)
		x1 -= 0.5
		for _, l := range [][4]float64{{x0, y0, x1, y0}, {x1, y0, x1, y1}, {x1, y1, x0, y1}, {x0, y1, x0, y0}} {
			s.Lines.Add(l[0], l[1], l[2], l[3], 1, repetitionColor)
		}
	}
}
