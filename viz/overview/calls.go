package overview

import (
	"math"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// drawCalls draws the calls of a side, as an icicle that grows away from the
// bars.
func (l *layout) drawCalls(s *scene.Scene, c *chart, f viz.Frame, which match.Side) {
	d := &l.sides[which]
	calls := c.pair.Calls[which]
	t := d.trace
	colors := c.pair.Programs[which].PackageColors(f.Dark)
	quiet := scene.RGB(0xb4, 0xb4, 0xb4)
	if f.Dark {
		quiet = scene.RGB(0x5c, 0x5c, 0x5c)
	}
	pixel := max(int64(math.Ceil(d.length/d.w)), 1)
	shown := d.shown()
	for i, at := range d.lines {
		if i >= shown {
			s.Deeper += int64(calls.Levels.Within(at.thread, at.depth, t.From, t.To+1))
			continue
		}
		y0, y1 := d.lineAt(i)
		for r := range calls.Levels.Window(at.thread, at.depth, t.From, t.To+1, pixel) {
			call := calls.Levels.Call(r.First)
			x0, x1 := l.xOf(d, float64(uint64(r.From)-uint64(t.From))), l.xOf(d, float64(uint64(r.To)-uint64(t.From)))
			fill, count := quiet, uint32(0)
			if r.Short {
				count = uint32(r.Count)
				s.TooSmall += int64(r.Count)
				x0 = math.Min(x0, l.x+d.w-1)
				x1 = math.Max(x1, x0+1)
			} else {
				s.Drawn++
				if m := t.Method[call]; int(m) < len(colors) {
					fill = colors[m]
				}
				if calls.Groups != nil {
					if g, visible := plot.GroupOf(f, int(calls.Groups[call])); visible {
						fill = g.Color
					}
				}
			}
			gap := 0.0
			if d.line >= 6 {
				gap = 1
			}
			s.Rects.Add(x0, y0, x1-x0, y1-y0-gap, fill, uint32(call))
			s.Rects.Count = append(s.Rects.Count, count)
		}
	}
}
