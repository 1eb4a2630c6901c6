package matches

import (
	"slices"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
)

// picture is what a window of both traces shows: calls, and which matches are
// drawn. It does not depend on what edges look like.
type picture struct {
	halves [2]*half
	edges  []edge
	groups []match.Group
	// total is how many matches there are between calls that are in focus.
	total int64
}

const (
	margin = 10
	// head is the height of a trace's title and time axis.
	head = 34
)

// window is which part of two traces a picture shows, by side: a time from the
// start of the trace, and threads.
type window struct {
	focus   [2][2]int64
	threads [2][]int
	size    viz.Viewport
	most    int // matches to draw
}

func (w window) equal(v window) bool {
	return w.focus == v.focus && slices.Equal(w.threads[match.A], v.threads[match.A]) && slices.Equal(w.threads[match.B], v.threads[match.B]) &&
		w.size == v.size && w.most == v.most
}

// layOut finds what to draw of two traces.
func layOut(m *match.Matches, levels [2]*trace.Levels, w window) *picture {
	p := &picture{}
	width, height := w.size.Width, w.size.Height
	for side := match.A; side <= match.B; side++ {
		p.halves[side] = newHalf(m.Traces[side], levels[side], side, w.focus[side], w.threads[side], margin, max(1, width-2*margin))
	}
	room := max(1, height-2*head)
	row, rows := rowHeight(room, max(p.halves[match.A].used, p.halves[match.B].used))
	p.halves[match.A].layOut(head, row, rows)
	p.halves[match.B].layOut(height-head, -row, rows)
	p.choose(m, w.most)
	return p
}

// choose picks the matches to draw: first those of calls that are wide enough to
// be seen, then others, in both parts the strongest, see [match.Matches.Spread].
func (p *picture) choose(m *match.Matches, most int) {
	wide := func(side match.Side) (spans []match.Span) {
		for _, n := range p.halves[side].nodes {
			spans = append(spans, match.Span{First: n.call, End: n.call + 1})
		}
		return spans
	}
	chosen, _ := m.Spread(wide(match.A), wide(match.B), most)
	var more []match.Match
	if p.halves[match.A].isAll() && p.halves[match.B].isAll() && len(chosen) == most {
		p.total = m.Total // and nothing else needs to be looked at
	} else {
		more, p.total = m.Spread(p.halves[match.A].spans, p.halves[match.B].spans, most)
	}
	known := make(map[[2]trace.CallID]bool, len(chosen))
	for _, k := range chosen {
		known[[2]trace.CallID{k.A, k.B}] = true
	}
	for _, k := range more {
		if len(chosen) == most {
			break
		}
		if !known[[2]trace.CallID{k.A, k.B}] {
			chosen = append(chosen, k)
		}
	}
	groups := m.Groups()
	numbers := map[match.Group]int32{}
	p.edges = make([]edge, len(chosen))
	for i, k := range chosen {
		e := &p.edges[i]
		e.Match = k
		e.ends = [2]end{p.halves[match.A].endOf(k.A), p.halves[match.B].endOf(k.B)}
		group := groups.Of(k.A, k.B)
		n, ok := numbers[group]
		if !ok {
			n = int32(len(p.groups))
			numbers[group] = n
			p.groups = append(p.groups, group)
		}
		e.group = n
	}
}
