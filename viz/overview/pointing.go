package overview

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// under gives the side at a point, and how far from its base the point is,
// towards the bars.
func (l *layout) under(x, y float64) (d *side, up float64, ok bool) {
	for i := range l.sides {
		d = &l.sides[i]
		up = d.base - y
		if d.which == match.B {
			up = y - d.base
		}
		if x >= l.x && x <= l.x+d.w && up <= d.bars && up >= -d.calls {
			return d, up, true
		}
	}
	return nil, 0, false
}

// call gives the call at a point, or the one nearest to it within a pixel.
func (l *layout) call(c *chart, x, y float64) (d *side, call trace.CallID, ok bool) {
	d, up, ok := l.under(x, y)
	if !ok || up > 0 {
		return nil, 0, false
	}
	at, ok := d.lineAt(-up)
	if !ok {
		return nil, 0, false
	}
	call, ok = c.pair.Calls[d.which].Levels.At(at.thread, at.depth, d.trace.From+int64(l.timeAt(d, x)), l.pixel(d))
	return d, call, ok
}

func ns(v float64) string { return plot.Number(v, "nanoseconds") }

// At tells of a call what it is and where its matches are, and of a bar what it
// sums up.
func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	if c.pair == nil {
		return viz.Hit{}, false
	}
	l := c.layOut(f)
	d, up, ok := l.under(x, y)
	if !ok {
		return viz.Hit{}, false
	}
	sums, err := c.sum(f, l.n)
	if err != nil {
		return viz.Hit{}, false
	}
	if up > 0 {
		return c.barHit(l, d, sums, x), true
	}
	d, call, ok := l.call(c, x, y)
	if !ok {
		return viz.Hit{}, false
	}
	return c.callHit(f, l, d, sums, call), true
}

func (c *chart) barHit(l *layout, d *side, sums *sums, x float64) viz.Hit {
	i := min(int(l.timeAt(d, x)/d.length*float64(l.n)), l.n-1)
	b := sums.bars[d.which][i]
	ends := plot.Numbers([]float64{b.From, b.To}, "nanoseconds")
	h := viz.Hit{Title: fmt.Sprintf("%c, %s to %s", 'A'+rune(d.which), ends[0], ends[1]), Facts: []viz.Fact{
		{Name: "calls", Value: plot.Count(b.Calls)},
		{Name: "matches", Value: plot.Count(b.Matches)},
		{Name: "similarity, in all", Value: plot.Number(b.Similarity, "")},
	}}
	if b.Matches == 0 {
		return h
	}
	h.Facts = append(h.Facts, viz.Fact{Name: "on the average", Value: later(mean(b))})
	if c.distances() {
		h.Facts = append(h.Facts,
			viz.Fact{Name: "off by, on the average", Value: ns(distance(b) / float64(b.Matches))},
			viz.Fact{Name: "off by, in all", Value: ns(distance(b))})
	}
	return h
}

// later says where in the other trace something is.
func later(offset float64) string {
	switch {
	case offset > 0:
		return ns(offset) + " later there"
	case offset < 0:
		return ns(-offset) + " earlier there"
	}
	return "at the same time"
}

// holdColor marks the bars that hold matches of the call under the pointer.
const holdColor = scene.Color(0x2f6fed90)

func (c *chart) callHit(f viz.Frame, l *layout, d *side, sums *sums, call trace.CallID) viz.Hit {
	t, m := d.trace, c.pair.Matches
	h := viz.Hit{Title: t.Name(call), Facts: []viz.Fact{
		{Name: "duration", Value: ns(float64(t.Duration(call)))},
		{Name: "of its own", Value: ns(float64(t.Self[call])) + ", " + plot.Share(t.Self[call], t.Duration(call))},
		{Name: "start", Value: ns(float64(uint64(t.Start[call]) - uint64(t.From)))},
		{Name: "calls within", Value: plot.Count(int64(t.End[call] - call - 1))},
		{Name: "matches", Value: plot.Count(m.Count(d.which, call))},
	}}
	other := &l.sides[d.which.Other()]
	if best, similarity, ok := m.Best(d.which, call); ok {
		start := float64(uint64(other.trace.Start[best]) - uint64(other.trace.From))
		h.Facts = append(h.Facts,
			viz.Fact{Name: "most similar", Value: other.trace.Name(best) + " by " + strconv.FormatFloat(similarity, 'f', 2, 64)},
			viz.Fact{Name: "that starts", Value: later(start - float64(uint64(t.Start[call])-uint64(t.From)))})
	} else if method := int(t.Method[call]); method < len(c.alone[d.which]) && c.alone[d.which][method] {
		h.Facts = append(h.Facts, viz.Fact{Name: "the other trace", Value: "does not call this"})
	}
	if sums.in[other.which] == nil {
		sums.in[other.which] = match.DivideOf(other.trace, sums.n, c.pair.Shown(threadsOf(f))[other.which])
	}
	count := 0
	for i, holds := range m.HoldingOf(d.which, call, sums.n, sums.in[other.which]) {
		if !holds {
			continue
		}
		count++
		x0, x1 := l.barAt(other, i)
		y0, y1 := other.between(c.barHeight(other, sums, i), other.bars)
		if y1-y0 < 3 { // behind the highest bar there is nothing to see
			y0, y1 = other.between(other.bars-3, other.bars)
		}
		h.Marks = append(h.Marks, viz.Mark{Box: scene.Box{X0: x0, Y0: y0, X1: x1, Y1: y1}, Color: holdColor})
	}
	h.Facts = append(h.Facts, viz.Fact{Name: "it and all within match", Value: fmt.Sprintf("%s of %s bars there", plot.Count(int64(count)), plot.Count(int64(sums.n)))})
	return h
}

// Select gives, of a point, the method of its call, and of a rectangle the time
// that it covers, as the focus of that side.
func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	var s viz.Selection
	if c.pair == nil {
		return s
	}
	l := c.layOut(f)
	if r.X0 == r.X1 && r.Y0 == r.Y1 {
		if d, call, ok := l.call(c, r.X0, r.Y0); ok && d.trace.Method[call] != data.None {
			s.Filter = fmt.Sprintf("%q == %s", d.trace.Fields().Method.Name, strconv.Quote(d.trace.Name(call)))
		}
		return s
	}
	d, _, ok := l.under(math.Max(l.x, (r.X0+r.X1)/2), (r.Y0+r.Y1)/2)
	if !ok {
		return s
	}
	s.Focus[d.which] = &viz.Period{From: int64(l.timeAt(d, r.X0)), To: max(int64(math.Ceil(l.timeAt(d, r.X1))), 1)}
	return s
}
