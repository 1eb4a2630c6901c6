package icicle

import (
	"math"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

const (
	pixel = 1.0 // the least width of a box, and the least height of a layer
	row   = 22  // the greatest height of a layer

	// A name is worth writing where there is this much room.
	labelWidth, labelHeight = 34, 12
)

// box is a rectangle before it is known how high layers are.
type box struct {
	mark        bool
	node        cct.NodeID    // the first that it stands for; of a mark: its parent's
	method      data.EntityID // data.None of a synthetic root
	layer       int           // callees are above zero, callers of a method in the middle below
	x0, x1      float64
	self, total float64
	second      float64
	selfSecond  float64 // NaN if it stands for contexts and has nothing of its own
	count       int64
	match       uint8
	group       *cct.Group // that it stands for; nil of one context, and of a mark
}

// layout places boxes. It costs as much as it draws: it descends only into what
// is at least a pixel wide, and what is left of a box's width becomes one mark,
// whose size and count are differences of what is known already.
//
// How high a layer is depends on how many are drawn, so that a deep branch too
// narrow to be seen takes no room away.
type layout struct {
	config viz.Config
	view   cct.View
	metric int
	second int // metric, or -1
	room   viz.Viewport
	limit  int // the last layer that the depth limit leaves
	most   int // the last layer that there is room for
	above  int // layers that a path is longer than that

	matched []bool // method -> it is one that a search found
	matches *cct.Matches
	boxes   []box
	scene   *scene.Scene
	kids    []cct.NodeID // scratch
}

func newLayout(config viz.Config, second int, room viz.Viewport) *layout {
	l := &layout{
		config: config, view: config.View, metric: config.Metric, second: second, room: room, matches: config.Marked(),
		limit: math.MaxInt, most: max(int(room.Height/pixel)-1, 0),
		scene: &scene.Scene{Width: room.Width, Height: room.Height},
	}
	if l.view.Layers >= 0 {
		l.limit = l.view.Layers
	}
	if l.matches != nil {
		l.matched = make([]bool, l.view.Methods.Rows())
		for _, m := range l.matches.Methods {
			l.matched[m] = true
		}
	}
	if l.view.Negative[l.metric] {
		l.note("Some values are negative: sizes are those of what is above zero, and contexts at or below zero are not drawn.")
	}
	if l.view.Saturated {
		l.note("Sums left the range of 64-bit integers and were cut there.")
	}
	return l
}

func (l *layout) note(text string) { l.scene.Notes = append(l.scene.Notes, text) }

// topDown draws the tree as it is.
func (l *layout) topDown() {
	root := l.view.Root
	if l.view.Method[root] != data.None {
		l.scene.Drawn++
	}
	l.node(root, 0, 0, l.room.Width)
	for i := 0; i < len(l.boxes); i++ {
		if !l.boxes[i].mark {
			l.callees(l.boxes[i])
		}
	}
}

func (l *layout) node(n cct.NodeID, layer int, x0, x1 float64) {
	t := l.view.Tree
	b := box{node: n, method: t.Method[n], layer: layer, x0: x0, x1: x1, count: 1,
		self: float64(t.Self[l.metric][n]), total: float64(t.Total[l.metric][n])}
	if l.second >= 0 {
		b.second = float64(t.Total[l.second][n])
	}
	if l.matches != nil && l.matches.Has(n) {
		b.match = scene.MatchSelf
	}
	l.boxes = append(l.boxes, b)
}

// callees places what a box calls.
func (l *layout) callees(p box) {
	t := l.view.Tree
	hidden := int64(t.End[p.node] - p.node - 1)
	switch {
	case hidden == 0:
		return
	case p.layer >= l.limit:
		l.scene.Deeper += hidden
		return
	case p.layer >= l.most:
		l.scene.TooSmall += hidden
		return
	}
	whole := l.whole(p.node)
	if whole <= 0 {
		l.scene.TooSmall += hidden
		return
	}
	total := t.Total[l.metric]
	scale := (p.x1 - p.x0) / whole
	least := int64(math.Ceil(min(pixel/scale, math.MaxInt64/2)))
	l.kids = t.Largest(l.metric, p.node, max(least, 1), math.MaxInt, l.kids[:0])
	at, drawn, found := p.x0, 0.0, l.found(p.node+1, t.End[p.node])
	for _, c := range l.kids {
		width := float64(total[c]) * scale
		l.scene.Drawn++
		l.node(c, p.layer+1, min(at, p.x1), min(at+width, p.x1))
		at += width
		drawn += float64(total[c])
		hidden -= int64(t.End[c] - c)
		found -= l.found(c, t.End[c])
	}
	l.scene.TooSmall += hidden
	rest := whole - max(float64(t.Self[l.metric][p.node]), 0) - drawn
	l.rest(p, p.layer+1, at, at+rest*scale, rest, hidden, found > 0)
}

// whole is what the width of n stands for: its total, or, with negative values
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

// found is the number of matches in a range of rows.
func (l *layout) found(from, to cct.NodeID) int {
	if l.matches == nil {
		return 0
	}
	return l.matches.CountIn(from, to)
}

// rest draws the mark for what of p is left from x0 to x1, at least a pixel
// wide, if it stands for anything.
func (l *layout) rest(p box, layer int, x0, x1, total float64, hidden int64, found bool) {
	if hidden <= 0 || total <= 0 || x0 >= p.x1 {
		return
	}
	m := box{mark: true, node: p.node, method: p.method, layer: layer, x0: x0, x1: min(max(x1, x0+pixel), p.x1), total: total, count: hidden}
	if found {
		m.match = scene.MatchHidden
	}
	l.boxes = append(l.boxes, m)
}
