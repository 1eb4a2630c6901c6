package matches

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// under is what is at a place: a call, a box of calls, or a match.
type under struct {
	side  match.Side // the half that the place is in
	node  int32      // -1 if there is none
	box   int        // -1 if there is none
	match int        // index of an edge, -1 if there is none
}

// at finds what is at a place. Calls lie above tubes, and of these the last one
// that was drawn.
func (p *picture) at(tubes *scene.Tubes, x, y, height float64) under {
	u := under{side: match.A, node: -1, box: -1, match: -1}
	if y >= height/2 {
		u.side = match.B
	}
	for side := match.A; side <= match.B; side++ {
		h := p.halves[side]
		row := int32(math.Floor((y - h.edge) / h.row))
		if row < 0 || int(row) >= h.rows {
			continue
		}
		if n, b := h.cell(x, row); n >= 0 || b >= 0 {
			u.side, u.node, u.box = side, n, b
			return u
		}
	}
	u.match = tubeAt(tubes, float32(x), float32(y))
	return u
}

// cell finds the node or the box of a row at a place.
func (h *half) cell(x float64, row int32) (n int32, b int) {
	for i := range h.nodes {
		if c := &h.nodes[i]; c.row == row && x >= c.x0 && x <= c.x1 {
			return int32(i), -1
		}
	}
	for i := range h.boxes {
		if c := &h.boxes[i]; row >= c.row && row < c.end && x >= c.x0-0.5 && x <= math.Max(c.x1, c.x0+1)+0.5 {
			return -1, i
		}
	}
	return -1, -1
}

// tubeAt finds the uppermost tube at a place, or one that is at most so far beside
// it.
func tubeAt(t *scene.Tubes, x, y float32) int {
	const beside = 1.5
	for i := t.Len() - 1; i >= 0; i-- {
		for k := t.First[i]; k+1 < t.First[i+1]; k++ {
			y0, y1 := t.Y[k], t.Y[k+1]
			if y < min(y0, y1) || y > max(y0, y1) {
				continue
			}
			part := float32(0.5)
			if y1 != y0 {
				part = (y - y0) / (y1 - y0)
			}
			middle, half := t.X[k]+part*(t.X[k+1]-t.X[k]), (t.W[k]+part*(t.W[k+1]-t.W[k]))/2+beside
			if x >= middle-half && x <= middle+half {
				return i
			}
		}
	}
	return -1
}

// markColor lies over the calls that belong to what is pointed at.
const markColor = scene.Color(0x2a6fdb66)

func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	if c.pair == nil {
		return viz.Hit{}, false
	}
	p := c.picture(f)
	tubes := c.tubes(p, f.Height)
	u := p.at(tubes, x, y, f.Height)
	switch {
	case u.node >= 0:
		return c.aboutCall(p, u.side, p.halves[u.side].nodes[u.node].call), true
	case u.box >= 0:
		return c.aboutBox(p.halves[u.side], p.halves[u.side].boxes[u.box]), true
	case u.match >= 0:
		return c.aboutMatch(p, &p.edges[u.match]), true
	}
	return viz.Hit{}, false
}

func ns(v int64) string { return plot.Number(float64(v), "nanoseconds") }

func (c *chart) name(side match.Side, call trace.CallID) string {
	t := c.pair.Matches.Traces[side]
	if m := t.Method[call]; int(m) < len(c.pair.Programs[side].Short) {
		return oneLine(c.pair.Programs[side].Short[m])
	}
	return oneLine(t.Name(call))
}

func (c *chart) aboutCall(p *picture, side match.Side, call trace.CallID) viz.Hit {
	m := c.pair.Matches
	t := m.Traces[side]
	took := t.Duration(call)
	h := viz.Hit{Title: oneLine(t.Name(call)), Facts: []viz.Fact{
		{Name: "duration", Value: ns(took)},
		{Name: "of its own", Value: ns(t.Self[call]) + ", " + plot.Share(t.Self[call], took)},
		{Name: "start", Value: ns(t.Start[call] - t.From)},
		{Name: "calls within", Value: plot.Count(int64(t.End[call] - call - 1))},
		{Name: "matches", Value: plot.Count(m.Count(side, call))},
	}}
	if best, similarity, ok := m.Best(side, call); ok {
		other := side.Other()
		h.Facts = append(h.Facts,
			viz.Fact{Name: "most similar", Value: fmt.Sprintf("%s, %.2f", c.name(other, best), similarity)},
			viz.Fact{Name: "which starts", Value: ns(m.Traces[other].Start[best] - m.Traces[other].From)})
	}
	for i := range p.edges {
		if e := &p.edges[i]; [2]trace.CallID{e.A, e.B}[side] == call {
			h.Marks = p.mark(h.Marks, side.Other(), &e.ends[side.Other()])
		}
	}
	return h
}

func (c *chart) aboutBox(h *half, b box) viz.Hit {
	t := h.t
	first, last := b.First, b.First
	for next := t.End[first]; next < b.End; next = t.End[next] {
		last = next
	}
	return viz.Hit{Title: "calls too short to be shown", Facts: []viz.Fact{
		{Name: "calls", Value: plot.Count(int64(b.End - b.First))},
		{Name: "first", Value: c.name(h.side, first)},
		{Name: "start", Value: ns(t.Start[first] - t.From)},
		{Name: "until", Value: ns(t.Stop[last] - t.From)},
	}}
}

// mark marks the call at an end of a match, if it is wide enough to be seen.
func (p *picture) mark(marks []viz.Mark, side match.Side, e *end) []viz.Mark {
	const most = 200
	if !e.own || len(marks) >= most {
		return marks
	}
	h := p.halves[side]
	n := &h.nodes[e.node]
	y0, y1 := h.span(int(n.row), int(n.row)+1)
	return append(marks, viz.Mark{Box: scene.Box{X0: n.x0, Y0: y0, X1: n.x1, Y1: y1}, Color: markColor})
}

// aboutMatch tells of both calls, why they match, and where they differ.
func (c *chart) aboutMatch(p *picture, e *edge) viz.Hit {
	m := c.pair.Matches
	a, b := m.Traces[match.A], m.Traces[match.B]
	title := c.name(match.A, e.A)
	if other := c.name(match.B, e.B); other != title {
		title += " and " + other
	}
	group := p.groups[e.group]
	h := viz.Hit{Title: title, Facts: []viz.Fact{
		{Name: "similarity", Value: fmt.Sprintf("%.3f", e.Similarity)},
		{Name: "duration", Value: ns(a.Duration(e.A)) + " and " + ns(b.Duration(e.B))},
		{Name: "start", Value: ns(a.Start[e.A]-a.From) + " and " + ns(b.Start[e.B]-b.From)},
		{Name: "calls within", Value: plot.Count(int64(a.End[e.A]-e.A-1)) + " and " + plot.Count(int64(b.End[e.B]-e.B-1))},
	}}
	h.Facts = append(h.Facts, differences(m.Explain(e.A, e.B))...)
	h.Facts = append(h.Facts, viz.Fact{Name: "in the group of", Value: c.name(match.A, group.A)})
	for side := match.A; side <= match.B; side++ {
		h.Marks = p.mark(h.Marks, side, &e.ends[side])
	}
	return h
}

// differences tells which methods two calls share, which only one calls, which one
// calls more often, and which come in another order.
func differences(uses []match.Use) []viz.Fact {
	var shared, onlyA, onlyB, more []string
	var order []int // in B, of shared methods in the order of A
	type gap struct {
		by   int
		text string
	}
	var gaps []gap
	for _, u := range uses {
		switch {
		case u.Calls[match.B] == 0:
			onlyA = append(onlyA, u.Method)
		case u.Calls[match.A] == 0:
			onlyB = append(onlyB, u.Method)
		default:
			shared = append(shared, u.Method)
			order = append(order, u.Order[match.B])
			if by := u.Calls[match.A] - u.Calls[match.B]; by != 0 {
				gaps = append(gaps, gap{max(by, -by), fmt.Sprintf("%s %s and %s", u.Method, plot.Count(int64(u.Calls[match.A])), plot.Count(int64(u.Calls[match.B])))})
			}
		}
	}
	sort.SliceStable(gaps, func(i, j int) bool { return gaps[i].by > gaps[j].by })
	for _, g := range gaps {
		more = append(more, g.text)
	}
	var facts []viz.Fact
	add := func(name string, list []string) {
		if len(list) > 0 {
			facts = append(facts, viz.Fact{Name: name, Value: few(list)})
		}
	}
	add("both call", shared)
	add("only A calls", onlyA)
	add("only B calls", onlyB)
	add("called more often", more)
	if moved := len(order) - rising(order); moved > 0 {
		facts = append(facts, viz.Fact{Name: "in another order", Value: fmt.Sprintf("%d of %d methods", moved, len(order))})
	}
	return facts
}

// few writes the first of a list, and how many there are.
func few(list []string) string {
	const most = 3
	text := oneLine(strings.Join(list[:min(len(list), most)], ", "))
	if len(list) > most {
		text = fmt.Sprintf("%d: %s …", len(list), text)
	}
	return text
}

// rising is the length of the longest rising subsequence: what is not in it has
// moved.
func rising(values []int) int {
	var ends []int // length - 1 -> the least value that a subsequence of that length ends with
	for _, v := range values {
		i := sort.SearchInts(ends, v)
		if i == len(ends) {
			ends = append(ends, v)
		} else {
			ends[i] = v
		}
	}
	return len(ends)
}

// Select moves the focus: a point in a call brings its most similar call of the
// other trace opposite, one in a match the call that it leads to, and a rectangle
// makes what it covers the focus of its trace.
func (c *chart) Select(f viz.Frame, r scene.Box) (s viz.Selection) {
	if c.pair == nil {
		return s
	}
	p := c.picture(f)
	if r.X1 > r.X0 {
		side := match.A
		if r.Y0 >= f.Height/2 {
			side = match.B
		}
		h := p.halves[side]
		s.Focus[side] = &viz.Period{From: h.timeAt(r.X0), To: max(h.timeAt(r.X1), h.timeAt(r.X0)+1)}
		return s
	}
	u := p.at(c.tubes(p, f.Height), r.X0, r.Y0, f.Height)
	var a, b trace.CallID
	switch {
	case u.match >= 0:
		e := &p.edges[u.match]
		if a, b = e.A, e.B; u.side == match.B {
			a, b = b, a
		}
	case u.node >= 0:
		a = p.halves[u.side].nodes[u.node].call
		var ok bool
		if b, _, ok = c.pair.Matches.Best(u.side, a); !ok {
			return s
		}
	default:
		return s
	}
	s.Focus[u.side.Other()] = opposite(p.halves[u.side], p.halves[u.side.Other()], a, b)
	return s
}

// timeAt is the time at a place, from the start of the trace.
func (h *half) timeAt(x float64) int64 {
	part := math.Min(math.Max((x-h.x)/h.w, 0), 1)
	return h.from + int64(math.Round(part*float64(h.to-h.from)))
}

// opposite gives the focus of a trace in which one of its calls lies where a call
// of the other trace does, and is as wide. At the ends of the trace it is less than
// that.
func opposite(own, other *half, call, counterpart trace.CallID) *viz.Period {
	took := math.Max(float64(own.t.Duration(call)), 1)
	like := math.Max(float64(other.t.Duration(counterpart)), 1)
	whole := other.t.To - other.t.From
	scale := like / took
	length := float64(own.to-own.from) * scale
	if length >= float64(whole) {
		return &viz.Period{} // all of it
	}
	before := (start(own.t, call) - float64(own.from)) * scale
	from := int64(math.Round(start(other.t, counterpart) - before))
	from = min(max(from, 0), whole-int64(length))
	return &viz.Period{From: from, To: from + max(int64(length), 1)}
}
