package fan

import (
	"math"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// The problem: discs of given areas, up to a factor k, each in the sector of its
// parent, layers on circles around the root, no two of which overlap; with k as
// large as possible.
//
// For a given k everything follows. The circles of two layers must be as far
// apart as the largest discs in them, so what is left of the radius are gaps
// between layers, all of one width. At its distance a disc takes an angle, and a
// node needs that or the sum of what its children need, whichever is more. If
// the gaps are wide enough for edges and the root does not need more than the
// fan has, k is possible; and then so is every smaller one. So it is found by
// halving. What is left of an angle is shared out in proportion to needs.
//
// The largest child is in the middle, so that what is deep grows down and the
// sides stay short. Then a fan can be larger than half the width of its room: it
// is made larger in steps, as long as nothing is outside.
//
// A disc under a pixel is not drawn: what is too small of a node's children
// becomes one disc, a mark, with the area of all of them.

const (
	margin  = 14.0 // pixels around the chart
	opening = 170 * math.Pi / 180
	middle  = math.Pi // of the fan: six o'clock, as calls go down

	hub     = 7.0  // radius of the synthetic root, which is no node: its area says nothing
	least   = 0.75 // radius of the smallest disc
	pad     = 1.25 // between a disc and the edge of its sector
	gap     = 16.0 // between two layers, if there is room
	tight   = 4.0  // if there is not
	largest = 0.19 // radius of the largest disc, as part of the fan's

	mostNodes = 4000
	halvings  = 24
)

// sizes are what the fan's radius is tried as, in parts of the one that fits in
// any case.
var sizes = []float64{1, 1.12, 1.25, 1.4, 1.6, 1.8, 2}

// node is a disc; nodes are in the order of layers.
type node struct {
	of       cct.NodeID
	parent   int // -1 of the root
	layer    int
	total    float64 // of the metric, above zero
	below    float64 // of its children together
	inside   int64   // rows below it
	mark     bool    // stands for what is too small of its parent's children
	hidden   int64   // of a mark: rows that it stands for
	radius   float64
	need     float64 // angle
	from, to float64 // its sector
	shown    bool
}

type layout struct {
	config  viz.Config
	view    cct.View
	metric  int
	room    viz.Viewport
	matches *cct.Matches

	nodes     []node
	collected int       // the others are marks
	layers    int       // below the root
	at        []float64 // layer -> distance of its discs from the centre
	cx, cy    float64
	reach     float64 // radius of the fan

	scene *scene.Scene
	kids  []cct.NodeID // scratch
}

func newLayout(config viz.Config, room viz.Viewport) *layout {
	l := &layout{config: config, view: config.View, metric: config.Metric, room: room, matches: config.Marked()}
	l.scene = &scene.Scene{Width: room.Width, Height: room.Height}
	l.cx = room.Width / 2
	// A root that is a node may be as large as any.
	high := (room.Height - 2*margin) / (1 + largest)
	if l.synthetic() {
		high = room.Height - 2*margin - hub
	}
	l.reach = max(min(room.Width/2-margin, high), 10)
	if l.view.Negative[l.metric] {
		l.scene.Notes = append(l.scene.Notes, "Some values are negative: areas are those of totals above zero, and nodes at or below zero are not drawn.")
	}
	if l.view.Saturated {
		l.scene.Notes = append(l.scene.Notes, "Sums left the range of 64-bit integers and were cut there.")
	}
	return l
}

// synthetic tells of the root that is no node.
func (l *layout) synthetic() bool { return l.view.Method[l.view.Root] == data.None }

// collect finds the nodes that can be large enough to be drawn. If there are
// too many, the smallest are left out.
func (l *layout) collect() {
	root := l.view.Root
	whole := l.amount(root)
	most := l.reach * largest
	share := least * least / (most * most) // of the largest disc's area
	for {
		l.nodes = append(l.nodes[:0], node{of: root, parent: -1, total: whole, below: l.amountBelow(root), inside: int64(l.view.End[root]-root) - 1, shown: true})
		l.layers = 0
		limit := int64(max(math.Ceil(share*whole), 1))
		for i := 0; i < len(l.nodes) && len(l.nodes) <= mostNodes; i++ {
			n := l.nodes[i]
			if l.view.Layers >= 0 && n.layer >= l.view.Layers || float64(n.layer+1)*tight*2 > l.reach {
				continue
			}
			if n.inside > 0 {
				l.layers = n.layer + 1
			}
			l.kids = l.view.Largest(l.metric, n.of, limit, mostNodes, l.kids[:0])
			for _, c := range l.kids {
				l.nodes = append(l.nodes, node{of: c, parent: i, layer: n.layer + 1, total: l.amount(c), below: l.amountBelow(c), inside: int64(l.view.End[c]-c) - 1})
			}
		}
		if l.collected = len(l.nodes); l.collected <= mostNodes || share > 1 {
			return
		}
		share *= 2
	}
}

func (l *layout) amount(n cct.NodeID) float64 {
	return max(float64(l.view.Total[l.metric][n]), 0)
}

func (l *layout) amountBelow(n cct.NodeID) float64 {
	return max(float64(l.view.Total[l.metric][n])-float64(l.view.Self[l.metric][n]), 0)
}

// place gives every node its place.
func (l *layout) place() {
	l.collect()
	least, best := l.reach, 0
	for i, size := range sizes {
		if l.reach = least * size; l.reach > l.room.Height-2*margin && i > 0 {
			break
		}
		if l.arrange(); i > 0 && !l.isInside() {
			break
		}
		best = i
	}
	l.reach = least * sizes[best]
	l.arrange()
}

// isInside tells whether all discs are in the room.
func (l *layout) isInside() bool {
	for i := range l.nodes {
		if n := &l.nodes[i]; n.shown {
			x, y := l.xy(n)
			if x-n.radius < margin || x+n.radius > l.room.Width-margin || y+n.radius > l.room.Height-margin {
				return false
			}
		}
	}
	return true
}

// arrange finds the largest factor, and places nodes with it.
func (l *layout) arrange() {
	l.nodes = l.nodes[:l.collected]
	l.scene.TooSmall, l.scene.Deeper = 0, 0
	biggest := 0.0
	for _, n := range l.nodes {
		if n.parent >= 0 || !l.synthetic() {
			biggest = max(biggest, n.total)
		}
	}
	low, high := 0.0, 0.0
	if biggest > 0 {
		high = l.reach * largest / math.Sqrt(biggest)
	}
	if !l.fits(high) {
		for range halvings {
			if k := (low + high) / 2; l.fits(k) {
				low = k
			} else {
				high = k
			}
		}
		l.fits(low)
	}
	l.marks()
	l.sectors()
}

// fits tries a factor: it gives nodes their radii and needs, and layers their
// distances.
func (l *layout) fits(k float64) bool {
	widest := make([]float64, l.layers+1)
	deepest := 0
	for i := range l.nodes {
		n := &l.nodes[i]
		n.need = 0
		n.radius = k * math.Sqrt(n.total)
		if n.parent < 0 {
			if l.synthetic() {
				n.radius = hub
			}
		} else if n.shown = l.nodes[n.parent].shown && n.radius >= least; !n.shown {
			continue
		}
		widest[n.layer] = max(widest[n.layer], n.radius)
		deepest = max(deepest, n.layer)
	}
	// Marks are never larger than what is next to them would have to be, but
	// may be larger than what is drawn in their layer: see marks.
	rest := l.rests()
	for i, sum := range rest {
		if r := k * math.Sqrt(sum); sum > 0 && r >= least {
			layer := l.nodes[i].layer + 1
			widest[layer] = max(widest[layer], r)
			deepest = max(deepest, layer)
		}
	}
	room := l.reach - widest[0]
	for _, r := range widest[1 : deepest+1] {
		room -= 2 * r
	}
	between := 0.0
	if deepest > 0 {
		between = room / float64(deepest)
	}
	l.at = make([]float64, l.layers+2)
	for d := 1; d <= deepest; d++ {
		l.at[d] = l.at[d-1] + widest[d-1] + between + widest[d]
	}
	for i := len(l.nodes) - 1; i >= 0; i-- {
		n := &l.nodes[i]
		if !n.shown {
			continue
		}
		if r := k * math.Sqrt(rest[i]); rest[i] > 0 && r >= least {
			n.need += angle(r, l.at[n.layer+1])
		}
		if n.parent >= 0 {
			n.need = max(n.need, angle(n.radius, l.at[n.layer]))
			l.nodes[n.parent].need += n.need
		}
	}
	return deepest == 0 || between >= min(gap, max(tight, l.reach/float64(4*deepest))) && l.nodes[0].need <= opening
}

// angle is what a disc takes at a distance.
func angle(radius, distance float64) float64 {
	if radius+pad >= distance {
		return math.Pi
	}
	return 2 * math.Asin((radius+pad)/distance)
}

// rests gives, per node, the amount of the children that are not shown; 0 where
// a depth limit hides them.
func (l *layout) rests() []float64 {
	rest := make([]float64, len(l.nodes))
	for i := range l.nodes {
		n := &l.nodes[i]
		if n.shown && n.inside > 0 && n.layer < l.layers {
			rest[i] += n.below
		}
		if n.shown && n.parent >= 0 {
			rest[n.parent] -= n.total
		}
	}
	for i := range rest {
		// Differences of large numbers: what is next to nothing is nothing.
		if rest[i] < 1e-9*l.nodes[i].below {
			rest[i] = 0
		}
	}
	return rest
}

// marks adds what stands for children that are too small.
func (l *layout) marks() {
	rest := l.rests()
	hidden := make([]int64, len(l.nodes))
	for i := range l.nodes {
		if n := &l.nodes[i]; n.shown {
			hidden[i] += n.inside
			if n.parent >= 0 {
				hidden[n.parent] -= n.inside + 1
			}
		}
	}
	k := 0.0
	for _, n := range l.nodes {
		if n.total > 0 && (n.parent >= 0 || !l.synthetic()) {
			k = n.radius / math.Sqrt(n.total)
			break
		}
	}
	for i := range hidden {
		n := l.nodes[i]
		switch {
		case !n.shown || hidden[i] == 0:
			continue
		case l.view.Layers >= 0 && n.layer >= l.view.Layers:
			l.scene.Deeper += hidden[i]
			continue
		}
		l.scene.TooSmall += hidden[i]
		if r := k * math.Sqrt(rest[i]); rest[i] > 0 && r >= least {
			l.nodes = append(l.nodes, node{of: n.of, parent: i, layer: n.layer + 1, total: rest[i], mark: true, hidden: hidden[i],
				radius: r, need: angle(r, l.at[n.layer+1]), shown: true})
		}
	}
}

// sectors shares out the angles, the largest child in the middle.
func (l *layout) sectors() {
	// The root stays where it is whatever is expanded, so that one sees what moves.
	l.cy = margin + l.nodes[0].radius
	sum := make([]float64, len(l.nodes)) // what the children of a node need
	children := make([][]int, len(l.nodes))
	for i := range l.nodes {
		if n := &l.nodes[i]; n.shown && n.parent >= 0 {
			sum[n.parent] += n.need
			children[n.parent] = append(children[n.parent], i)
		}
	}
	l.nodes[0].from, l.nodes[0].to = middle-opening/2, middle+opening/2
	for i, of := range children {
		p := &l.nodes[i]
		if !p.shown {
			continue
		}
		at := p.to
		for _, c := range fromMiddle(of) {
			n := &l.nodes[c]
			n.to = at
			at = max(at-(p.to-p.from)*n.need/sum[i], p.from)
			n.from = at
		}
	}
}

// fromMiddle puts the first in the middle, the next to its right, the one after
// that to its left, and so on.
func fromMiddle(of []int) []int {
	order := make([]int, 0, len(of))
	for k := (len(of) - 1) / 2 * 2; k > 0; k -= 2 {
		order = append(order, of[k])
	}
	if len(of) > 0 {
		order = append(order, of[0])
	}
	for k := 1; k < len(of); k += 2 {
		order = append(order, of[k])
	}
	return order
}

// xy is where a node's disc is.
func (l *layout) xy(n *node) (x, y float64) {
	sin, cos := math.Sincos((n.from + n.to) / 2)
	return l.cx + l.at[n.layer]*sin, l.cy - l.at[n.layer]*cos
}

// draw makes the discs.
func (l *layout) draw() *scene.Scene {
	s := l.scene
	sec := &s.Sectors
	sec.CX, sec.CY, sec.Discs = l.cx, l.cy, true
	kept := l.nodes[:0]
	index := make([]int, len(l.nodes))
	for i, n := range l.nodes {
		if !n.shown {
			continue
		}
		if n.parent >= 0 {
			n.parent = index[n.parent]
		}
		index[i] = len(kept)
		kept = append(kept, n)
	}
	l.nodes = kept
	t := l.view.Tree
	for i := range l.nodes {
		n := &l.nodes[i]
		kind, count, self := scene.Segment, uint32(1), float64(t.Self[l.metric][n.of])
		total := float64(t.Total[l.metric][n.of])
		if n.mark {
			kind, count, self, total = scene.Mark, uint32(min(n.hidden, math.MaxUint32)), 0, n.total
		} else if i > 0 || !l.synthetic() {
			s.Drawn++
		}
		sec.Kind, sec.ID, sec.Count = append(sec.Kind, kind), append(sec.ID, uint32(l.view.ID(n.of))), append(sec.Count, count)
		at := l.at[n.layer]
		sec.R0, sec.R1 = append(sec.R0, at-n.radius), append(sec.R1, at+n.radius)
		sec.A0, sec.A1 = append(sec.A0, n.from), append(sec.A1, n.to)
		sec.Self, sec.Total = append(sec.Self, self), append(sec.Total, total)
		sec.Label = append(sec.Label, false)
		if l.matches != nil {
			sec.Match = append(sec.Match, l.match(n))
		}
	}
	return s
}

func (l *layout) match(n *node) uint8 {
	switch {
	case !n.mark && l.matches.Has(n.of):
		return scene.MatchSelf
	case n.mark:
		found := l.matches.CountIn(n.of+1, l.view.End[n.of])
		for i := range l.nodes {
			if c := &l.nodes[i]; !c.mark && c.parent >= 0 && l.nodes[c.parent].of == n.of {
				found -= l.matches.CountIn(c.of, l.view.End[c.of])
			}
		}
		if found > 0 {
			return scene.MatchHidden
		}
	}
	return scene.MatchNone
}
