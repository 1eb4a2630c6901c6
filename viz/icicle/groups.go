package icicle

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// How the other trees are drawn: those whose boxes stand for many contexts. One
// is marked as found if one of its method's contexts was found.

// way is which of them grows, and where to.
type way struct {
	groups *cct.Groups
	step   int  // from a layer to the next
	calls  bool // to callees
}

// hides is how many contexts a group accounts for: of callers, those whose
// stacks it is a part of, and of callees, those that it stands for and all that
// these reached.
func (w way) hides(g *cct.Group) int64 {
	if w.calls {
		return int64(g.Below)
	}
	return int64(g.Stacks)
}

// bottomUp draws methods by what was measured in them, and their callers on
// them. Contexts are accounted for by where their callers are drawn: all of
// them, not all, or not beyond the depth limit.
func (l *layout) bottomUp(zoom []cct.NodeID) {
	root := l.view.Root
	w := way{groups: l.view.BottomUp(root, l.metric, l.second), step: 1}
	next, whole, stacks := w.groups.Roots(), 0.0, int64(0)
	for _, g := range next {
		whole += float64(g.Total)
		stacks += int64(g.Stacks)
	}
	l.scene.TooSmall += l.contexts() - stacks // what has nothing of its own has no width
	var path []*cct.Group
	for _, id := range zoom {
		g := l.among(next, id)
		if g == nil {
			l.note("A part of what is zoomed into is not here.")
			break
		}
		path, next = append(path, g), w.groups.Expand(g)
	}
	// Where there is no room for all of the path, its end is of interest.
	l.above = max(len(path)-l.most, 0)
	if l.above == 0 {
		l.node(root, 0, 0, l.room.Width)
		l.boxes[0].self = 0
	}
	for _, g := range path[max(l.above-1, 0):] {
		l.box(g, len(l.boxes), 0, l.room.Width, w)
	}
	start := len(l.boxes)
	if len(path) == 0 {
		l.spread(0, next, whole, whole, stacks, w)
	} else {
		// The rest is counted as too small: so it is, beside what fills the width.
		l.scene.TooSmall += stacks - int64(path[len(path)-1].Stacks)
		if l.limit < math.MaxInt {
			l.limit += start - 1
		}
		l.grow(start-1, w)
	}
	for i := start; i < len(l.boxes); i++ {
		l.grow(i, w)
	}
}

// contexts is how many there are in the view.
func (l *layout) contexts() int64 {
	root := l.view.Root
	n := int64(l.view.End[root] - root)
	if l.view.Method[root] == data.None {
		n--
	}
	return n
}

// among finds the group of a context's method.
func (l *layout) among(groups []*cct.Group, id cct.NodeID) *cct.Group {
	if n, ok := l.view.Node(id); ok {
		for _, g := range groups {
			if g.Method == l.view.Method[n] {
				return g
			}
		}
	}
	return nil
}

// around draws a method between its callers, at layers below zero, and its
// callees. Contexts at and below the method's are accounted for by the boxes of
// callees; what is not called by it is counted as too small.
func (l *layout) around(method data.EntityID) {
	l.most /= 2
	down := way{groups: l.view.CalleesOf(method, l.view.Root, l.metric, l.second), step: 1, calls: true}
	up := way{groups: l.view.CallersOf(method, l.view.Root, l.metric, l.second), step: -1}
	if len(down.groups.Roots()) == 0 {
		l.scene.TooSmall = l.contexts()
		name := "What has no method"
		if method != data.None {
			name = l.view.Methods.NameOf(method)
		}
		l.note(fmt.Sprintf("%s has nothing of %s here.", name, l.view.Metrics[l.metric].Name))
		return
	}
	base := down.groups.Roots()[0]
	l.scene.TooSmall = l.contexts() - int64(base.Below)
	l.box(base, 0, 0, l.room.Width, down)
	for i := 0; i < len(l.boxes); i++ {
		l.grow(i, down)
	}
	account := *l.scene
	start := len(l.boxes)
	l.boxes[0].group = up.groups.Roots()[0]
	self := l.boxes[0].self
	l.grow(0, up)
	for i := start; i < len(l.boxes); i++ {
		l.grow(i, up)
	}
	l.boxes[0].self = self
	l.scene.Drawn, l.scene.TooSmall, l.scene.Deeper = account.Drawn, account.TooSmall, account.Deeper
}

// box places a group.
func (l *layout) box(g *cct.Group, layer int, x0, x1 float64, w way) {
	b := box{node: g.First, method: g.Method, layer: layer, x0: x0, x1: x1,
		total: float64(g.Total), second: float64(g.Second), selfSecond: math.NaN(), count: int64(g.Stacks), group: g}
	if layer+l.above == 1 && !w.calls && w.step > 0 {
		b.self, b.selfSecond = b.total, b.second // it was measured in the method itself
	}
	if w.calls {
		l.scene.Drawn += int64(g.Stacks)
	}
	if l.matched != nil && l.matched[g.Method] {
		b.match = scene.MatchSelf
	}
	l.boxes = append(l.boxes, b)
}

// grow places what comes next after a box.
func (l *layout) grow(i int, w way) {
	g := l.boxes[i].group
	if g == nil {
		return
	}
	children := w.groups.Expand(g)
	hidden := w.hides(g) - int64(g.Ended)
	if w.calls {
		hidden = int64(g.Below - g.Stacks)
		l.boxes[i].self, l.boxes[i].selfSecond = float64(g.Own), float64(g.OwnSecond)
	} else {
		l.scene.Drawn += int64(g.Ended)
	}
	// With values below zero, the parts may be more than the whole.
	l.spread(i, children, float64(g.Total)-min(float64(g.Own), 0), float64(g.Total)-float64(g.Own), hidden, w)
}

// spread places groups on a box whose width stands for whole, of which they are
// sum; hidden is what they account for.
func (l *layout) spread(i int, groups []*cct.Group, whole, sum float64, hidden int64, w way) {
	p := l.boxes[i]
	away := p.layer * w.step
	switch {
	case hidden <= 0:
		return
	case away >= l.limit:
		l.scene.Deeper += hidden
		return
	case away >= l.most, whole <= 0:
		l.scene.TooSmall += hidden
		return
	}
	scale := (p.x1 - p.x0) / whole
	at := p.x0
	for k, g := range groups {
		width := float64(g.Total) * scale
		if width < pixel {
			found := false
			for _, g := range groups[k:] {
				found = found || l.matched != nil && l.matched[g.Method]
			}
			l.rest(p, p.layer+w.step, at, at+sum*scale, sum, hidden, found)
			break
		}
		l.box(g, p.layer+w.step, min(at, p.x1), min(at+width, p.x1), w)
		at += width
		sum -= float64(g.Total)
		hidden -= w.hides(g)
	}
	l.scene.TooSmall += hidden
}
