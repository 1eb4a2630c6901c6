package ring

import (
	"math"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

const (
	margin = 6 // pixels around the chart

	// The radius of the root's circle in charts whose rings have one width is
	// that width within these bounds: it must stay something to click on when
	// rings are thin, and leave room for them when there are few.
	centre, widestCentre = 22, 80

	// pixel is the least arc of a segment, and the least width of a ring.
	pixel = 1.0

	// A name is worth writing where there are labelArc pixels along it and
	// labelRing across: along the arc, or along the radius.
	labelArc, labelRing = 34, 12
)

// layout places the segments of a view. It costs as much as it draws: it
// descends only into children at least a pixel wide, which are the first ones
// in the order of the metric, and the rest of a caller's callees become one
// mark whose size and count are differences of what is known already.
type layout struct {
	view    cct.View
	metric  int
	sizing  Sizing
	room    viz.Viewport
	radius  []float64 // layer -> outer radius of its ring; layer 0 is the root
	matches *cct.Matches

	scene *scene.Scene
	nodes []cct.NodeID // sector -> node; of a mark: its parent
	kids  []cct.NodeID // scratch
}

func newLayout(view cct.View, metric int, sizing Sizing, room viz.Viewport) *layout {
	l := &layout{view: view, metric: metric, sizing: sizing, room: room}
	l.radius = radii(sizing, l.layersAllowed(), min(room.Width, room.Height)/2-margin)
	return l
}

func (l *layout) layersAllowed() int {
	layers := int(l.view.Height[l.view.Root])
	if l.view.Layers >= 0 {
		layers = min(layers, l.view.Layers)
	}
	return layers
}

// radii gives the outer radius per layer, for the root and at most `layers`
// layers around it, as many as are at least a pixel wide.
func radii(sizing Sizing, layers int, outer float64) []float64 {
	outer = max(outer, 4)
	if sizing == Area {
		// Equation 4 with K = π r(0)²: the root is a ring like all others, so
		// that its area, too, is in proportion. The outermost ring is the
		// thinnest: r(n) - r(n-1) ≥ 1.
		for layers > 0 && outer*(1-math.Sqrt(float64(layers)/float64(layers+1))) < pixel {
			layers = min(layers-1, layers*7/8)
		}
		r := make([]float64, layers+1)
		for i := range r {
			r[i] = outer * math.Sqrt(float64(i+1)/float64(layers+1))
		}
		return r
	}
	// r(i) = r(i-1) + c.
	first := outer / float64(layers+1)
	if layers > 0 {
		first = min(first, widestCentre)
	}
	if first < centre {
		first = min(centre, outer/2)
		layers = min(layers, int((outer-first)/pixel))
	}
	r := make([]float64, layers+1)
	for i := range r {
		r[i] = first
		if layers > 0 {
			r[i] += (outer - first) * float64(i) / float64(layers)
		}
	}
	return r
}

// place is a node that has its place and whose children have not.
type place struct {
	node   cct.NodeID
	layer  int
	a0, a1 float64
}

func (l *layout) run() *scene.Scene {
	l.scene = &scene.Scene{Width: l.room.Width, Height: l.room.Height}
	l.scene.Sectors.CX, l.scene.Sectors.CY = l.room.Width/2, l.room.Height/2
	root := l.view.Root
	l.segment(place{node: root, a1: 2 * math.Pi})
	stack := []place{{node: root, a1: 2 * math.Pi}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		stack = l.children(p, stack)
	}
	if l.view.Negative[l.metric] {
		l.scene.Notes = append(l.scene.Notes, "Some values are negative: sizes are those of what is above zero, and contexts at or below zero are not drawn.")
	}
	if l.view.Saturated {
		l.scene.Notes = append(l.scene.Notes, "Sums left the range of 64-bit integers and were cut there.")
	}
	return l.scene
}

// children draws the callees of p and puts onto the stack those whose callees
// are next.
func (l *layout) children(p place, stack []place) []place {
	t := l.view.Tree
	hidden := int64(t.End[p.node] - p.node - 1)
	if hidden == 0 {
		return stack
	}
	if p.layer+1 == len(l.radius) {
		if l.view.Layers >= 0 && p.layer == l.view.Layers {
			l.scene.Deeper += hidden
		} else {
			l.scene.TooSmall += hidden // rings under a pixel
		}
		return stack
	}
	r1 := l.radius[p.layer+1]
	total := t.Total[l.metric]
	l.kids = l.kids[:0]
	var scale float64   // radians per unit of the metric; of eq. 1: per child
	var covered float64 // radians that callees take, drawn or not
	if l.sizing == Equal {
		fit := int((p.a1 - p.a0) * r1 / pixel)
		l.kids = t.Largest(l.metric, p.node, math.MinInt64, fit+1, l.kids)
		if len(l.kids) > fit {
			l.kids = l.kids[:0]
		} else {
			scale = (p.a1 - p.a0) / float64(len(l.kids)) // eq. 1
		}
		covered = p.a1 - p.a0
	} else {
		whole := l.whole(p.node)
		if whole <= 0 {
			l.scene.TooSmall += hidden
			return stack
		}
		scale = (p.a1 - p.a0) / whole // eq. 2
		least := int64(math.Ceil(min(pixel/r1/scale, math.MaxInt64/2)))
		l.kids = t.Largest(l.metric, p.node, max(least, 1), math.MaxInt, l.kids)
		covered = (whole - max(float64(t.Self[l.metric][p.node]), 0)) * scale
	}
	at, drawn, found := p.a0, 0.0, l.found(p.node+1, t.End[p.node])
	for i, c := range l.kids {
		width := float64(total[c]) * scale
		if l.sizing == Equal {
			width = scale
			at = p.a0 + float64(i)*scale
		}
		child := place{node: c, layer: p.layer + 1, a0: at, a1: min(at+width, p.a1)}
		l.segment(child)
		stack = append(stack, child)
		at += width
		drawn += float64(total[c])
		hidden -= int64(t.End[c] - c)
		found -= l.found(c, t.End[c])
	}
	if hidden > 0 {
		l.scene.TooSmall += hidden
		rest := float64(total[p.node]) - float64(t.Self[l.metric][p.node]) - drawn
		// Rounded angles may leave a gap where there is nothing: the sum decides
		// where it is exact.
		rounded := l.sizing != Equal && !t.Negative[l.metric] && !t.Saturated && rest <= 0
		if until := p.a0 + covered; until > at && !rounded {
			l.mark(p, at, min(max(until, at+pixel/r1), p.a1), max(rest, 0), hidden, found > 0)
		}
	}
	return stack
}

// found is the number of matches in a range of rows.
func (l *layout) found(from, to cct.NodeID) int {
	if l.matches == nil {
		return 0
	}
	return l.matches.CountIn(from, to)
}

// whole is what the angle of n stands for: its total, or, with negative values
// or sums that were cut about, the sum of its parts above zero if that is more.
func (l *layout) whole(n cct.NodeID) float64 {
	t, total := l.view.Tree, l.view.Total[l.metric]
	if !t.Negative[l.metric] && !t.Saturated {
		return float64(total[n])
	}
	parts := max(float64(t.Self[l.metric][n]), 0)
	for c := range t.Children(n) {
		parts += max(float64(total[c]), 0)
	}
	return max(parts, float64(total[n]))
}

func (l *layout) segment(p place) {
	t := l.view.Tree
	r0 := 0.0
	if p.layer > 0 {
		r0 = l.radius[p.layer-1]
	}
	if p.layer > 0 || t.Method[p.node] != data.None {
		l.scene.Drawn++
	}
	match := scene.MatchNone
	if l.matches != nil && l.matches.Has(p.node) {
		match = scene.MatchSelf
	}
	l.add(scene.Segment, p.node, r0, l.radius[p.layer], p.a0, p.a1, float64(t.Self[l.metric][p.node]), float64(t.Total[l.metric][p.node]), 1, match)
}

func (l *layout) mark(p place, a0, a1, total float64, hidden int64, found bool) {
	match := scene.MatchNone
	if found {
		match = scene.MatchHidden
	}
	l.add(scene.Mark, p.node, l.radius[p.layer], l.radius[p.layer+1], a0, a1, 0, total, uint32(min(hidden, math.MaxUint32)), match)
}

func (l *layout) add(kind scene.SectorKind, n cct.NodeID, r0, r1, a0, a1, self, total float64, count uint32, match uint8) {
	s := &l.scene.Sectors
	s.Kind = append(s.Kind, kind)
	s.ID = append(s.ID, uint32(l.view.ID(n)))
	s.R0, s.R1 = append(s.R0, r0), append(s.R1, r1)
	s.A0, s.A1 = append(s.A0, a0), append(s.A1, a1)
	s.Self, s.Total = append(s.Self, self), append(s.Total, total)
	s.Count = append(s.Count, count)
	s.Label = append(s.Label, kind == scene.Segment && r0 > 0 && hasRoom(r0, r1, a1-a0))
	if l.matches != nil {
		s.Match = append(s.Match, match)
	}
	l.nodes = append(l.nodes, n)
}

// hasRoom tells whether a segment has room for a part of a name.
func hasRoom(r0, r1, span float64) bool {
	wide, arc := r1-r0, span*(r0+r1)/2
	return wide >= labelRing && arc >= labelArc || wide >= labelArc && span*r1 >= labelRing
}
