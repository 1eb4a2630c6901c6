package matches

import (
	"cmp"
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

// choose picks the matches to draw: first the best one of each call that is wide
// enough to be seen, then more of these calls, then others, both by strength, see
// [match.Matches.Spread]. By strength alone the callers on a long stem, which all
// have much in common, would be joined to each other before anything is to what
// they call.
func (p *picture) choose(m *match.Matches, most int) {
	wide := func(side match.Side) (spans []match.Span) {
		for _, n := range p.halves[side].nodes {
			spans = append(spans, match.Span{First: n.call, End: n.call + 1})
		}
		return spans
	}
	var chosen []match.Match
	known := map[[2]trace.CallID]bool{}
	add := func(more []match.Match) {
		for _, k := range more {
			if pair := [2]trace.CallID{k.A, k.B}; len(chosen) < most && !known[pair] {
				known[pair] = true
				chosen = append(chosen, k)
			}
		}
	}
	add(p.best(m, match.A))
	add(p.best(m, match.B))
	strong, _ := m.Spread(wide(match.A), wide(match.B), most)
	add(strong)
	if p.halves[match.A].isAll() && p.halves[match.B].isAll() && len(chosen) == most {
		p.total = m.Total // and nothing else needs to be looked at
	} else {
		var more []match.Match
		more, p.total = m.Spread(p.halves[match.A].spans, p.halves[match.B].spans, most)
		add(more)
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

// mostBest is how many calls of a trace have their best match looked for. It costs
// as much as a call has similar classes.
const mostBest = 400

// best gives the best match of each wide call, if that is wide, too: of the
// widest calls, if there are many.
func (p *picture) best(m *match.Matches, side match.Side) []match.Match {
	nodes := slices.Clone(p.halves[side].nodes)
	slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(b.x1-b.x0, a.x1-a.x0) })
	other := p.halves[side.Other()].nodes
	var found []match.Match
	for _, n := range nodes[:min(len(nodes), mostBest)] {
		call, similarity, ok := m.Best(side, n.call)
		if !ok {
			continue
		}
		if _, ok := slices.BinarySearchFunc(other, call, func(n node, c trace.CallID) int { return cmp.Compare(n.call, c) }); !ok {
			continue
		}
		if side == match.A {
			found = append(found, match.Match{A: n.call, B: call, Similarity: similarity})
		} else {
			found = append(found, match.Match{A: call, B: n.call, Similarity: similarity})
		}
	}
	return found
}
