package overview

import (
	"math"
	"slices"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// aloneColor is that of calls of methods which only one trace calls: a hue that
// no bar has, far from gray.
func aloneColor(dark bool) scene.Color {
	if dark {
		return scene.OKLCH(0.78, 0.16, 85)
	}
	return scene.OKLCH(0.62, 0.21, 340)
}

// painter gives the calls of a side their colours.
type painter struct {
	f      viz.Frame
	calls  viz.Calls
	colors []scene.Color // by method
	alone  []bool        // by method; nil if they do not stand out
	strong scene.Color
	quiet  scene.Color // of what is too small, and of what has no method
}

func (c *chart) painter(f viz.Frame, which match.Side) *painter {
	p := &painter{f: f, calls: c.pair.Calls[which], strong: aloneColor(f.Dark), quiet: scene.RGB(0xb8, 0xb8, 0xb8)}
	if f.Dark {
		p.quiet = scene.RGB(0x5c, 0x5c, 0x5c)
	}
	program := c.pair.Programs[which]
	switch c.config.Params["calls"] {
	case "method":
		p.colors = program.MethodColors(f.Dark)
	case "package":
		p.colors = program.PackageColors(f.Dark)
	default:
		p.alone = c.alone[which]
		// Beside these the others are as pale as can be told apart.
		p.colors = slices.Clone(program.PackageColors(f.Dark))
		for i, color := range p.colors {
			p.colors[i] = pale(color, f.Dark)
		}
	}
	return p
}

// pale mixes a colour with the background.
func pale(c scene.Color, dark bool) scene.Color {
	r, g, b, _ := c.RGBA8()
	to, _, _, _ := plot.Background(dark).RGBA8()
	mix := func(v uint8) uint8 { return uint8((uint(v)*2 + uint(to)*3) / 5) }
	return scene.RGB(mix(r), mix(g), mix(b))
}

func (p *painter) color(call trace.CallID) scene.Color {
	if p.calls.Groups != nil {
		if g, shown := plot.GroupOf(p.f, int(p.calls.Groups[call])); shown {
			return g.Color
		}
	}
	m := int(p.calls.Trace.Method[call])
	switch {
	case m < len(p.alone) && p.alone[m]:
		return p.strong
	case m < len(p.colors):
		return p.colors[m]
	}
	return p.quiet
}

// drawCalls draws the calls of a side, as an icicle that grows away from the
// bars.
func (l *layout) drawCalls(s *scene.Scene, c *chart, f viz.Frame, d *side) {
	p := c.painter(f, d.which)
	levels, t := p.calls.Levels, d.trace
	selected := f.Sides[d.which].SelectedCalls
	matched := f.Sides[0].SelectedCalls != nil || f.Sides[1].SelectedCalls != nil
	if matched {
		undimmed(s)
	}
	for _, at := range d.hidden {
		s.Deeper += int64(levels.Within(at.thread, at.depth, t.From, t.To+1))
	}
	for _, at := range d.lines {
		y0, y1 := d.between(-at.from, -at.to)
		gap := 0.0
		if y1-y0 >= 6 {
			gap = 1
		}
		for r := range levels.Window(at.thread, at.depth, t.From, t.To+1, l.pixel(d)) {
			call := levels.Call(r.First)
			x0, x1 := l.xOf(d, float64(uint64(r.From)-uint64(t.From))), l.xOf(d, float64(uint64(r.To)-uint64(t.From)))
			fill, count := p.quiet, uint32(0)
			if r.Short {
				count = uint32(r.Count)
				s.TooSmall += int64(r.Count)
				x0 = math.Min(x0, l.x+d.w-1)
				x1 = math.Max(x1, x0+1)
			} else {
				fill = p.color(call)
				s.Drawn++
			}
			addRect(s, x0, y0, x1-x0, y1-y0-gap, fill, uint32(call), count)
			if matched {
				found := scene.MatchNone
				if i, _ := slices.BinarySearch(selected, int32(r.First)); i < len(selected) && int(selected[i]) < r.First+r.Count {
					found = scene.MatchSelf
				}
				s.Rects.Match = append(s.Rects.Match, found)
			}
		}
	}
	l.drawSelected(s, c, f, d)
}

// undimmed keeps what was drawn, and says nothing about what is selected, from
// being dimmed: bars, and what frames the focus.
func undimmed(s *scene.Scene) {
	for len(s.Rects.Match) < s.Rects.Len() {
		s.Rects.Match = append(s.Rects.Match, scene.MatchSelf)
	}
}

// selectedLine is how high the line is that says when selected calls run.
const selectedLine = 3

// drawSelected draws when any of the selected calls of a side runs, at the foot
// of its bars: most calls are too deep in the stack to be drawn here.
func (l *layout) drawSelected(s *scene.Scene, c *chart, f viz.Frame, d *side) {
	selected := f.Sides[d.which].SelectedCalls
	if len(selected) == 0 {
		return
	}
	levels, t := c.pair.Calls[d.which].Levels, d.trace
	columns := int(d.w) + 1
	change := make([]int, columns+1) // of how many calls run, from a column of pixels to the next
	column := func(at int64) int {
		return min(max(int(l.xOf(d, float64(uint64(at)-uint64(t.From)))-l.x), 0), columns-1)
	}
	for _, position := range selected {
		call := levels.Call(int(position))
		change[column(t.Start[call])]++
		change[column(t.Stop[call])+1]--
	}
	y0, y1 := d.between(0, selectedLine)
	running, from := 0, 0
	for i, by := range change {
		before := running
		running += by
		switch {
		case before == 0 && running > 0:
			from = i
		case before > 0 && running == 0:
			addRect(s, l.x+float64(from), y0, float64(i-from), y1-y0, plot.Ink(f.Dark), scene.NoName, 0)
			s.Rects.Match = append(s.Rects.Match, scene.MatchSelf)
		}
	}
}

// pixel is the time that a pixel is wide.
func (l *layout) pixel(d *side) int64 { return max(int64(math.Ceil(d.length/d.w)), 1) }
