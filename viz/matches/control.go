package matches

import (
	"math"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// band is the horizontal strip around the middle of the picture in which edges are
// bundled: B in section IV-B.
type band struct{ mid, half float64 }

func (b band) has(y float64) bool { return math.Abs(y-b.mid) <= b.half }

// control is a control point.
type control struct {
	x, y   float64
	parent int32 // -1 for the root of its tree
}

// trees are the control trees of all groups, each side's own.
//
// The tree of a group and a side is made of key nodes in the call stack of the
// group's root that have a match of the group in their own call stack: those that
// are wider than a pixel and outside the band. A control point is next to the
// middle of the picture for the root, and at the edge of the band for those that
// are deepest in the tree: the icicle mirrored into its half of the band. So edges
// run from their calls to the middle and join on the way as their callers do.
//
// From left to right a control point is at the middle of its node, but no further
// to a side than those below it that have matches. So an edge does not swing out to
// the middle of a wide caller and back.
//
// A node with but one other below it would be straight above that one, by the same
// rule, and says nothing. It has no control point: a chain of thirty callers would
// leave no room for the one among them where edges part.
type trees struct {
	band    band
	control []control

	list    []int32 // nodes of the present tree, in pre-order; scratch, as all below
	below   []int32 // by list: how many nodes are next below it in the tree
	at      []int32 // by list: its control point, or that of the one it has below it
	depth   []int32 // by list: control points above its own
	matched []bool  // by list: whether it is the end of a match
	low     []float64
	high    []float64 // by list: between these are the control points below it that have matches
}

// isKey tells whether a node has a control point.
func (b band) isKey(h *half, n int32) bool { return !b.has(h.middle(int(h.nodes[n].row))) }

// grow makes the tree for some ends of matches of one group, and gives the control
// point that each begins at: its own if it is a key node, and otherwise the one it
// is hung on.
//
// That one is nearest to the end among those in the call stack of the innermost key
// node that it lies in. So hanging makes no tree any higher.
//
// The root of the group may be narrower than a pixel or lie in the band, and then
// nothing in it is a key node; it has a control point nevertheless, since the trees
// of both sides meet there.
func (g *trees) grow(h *half, root trace.CallID, ends []end, starts []int32) []int32 {
	top, own := h.find(root)
	first := int32(len(g.control))
	if !own || !g.band.isKey(h, top) {
		g.control = append(g.control, control{h.endOf(root).x, g.level(h, 0, 0), -1})
		for range ends {
			starts = append(starts, first)
		}
		return starts
	}
	// slot is the node's place in the list and 1; 0 if it is not in it.
	g.list = g.list[:0]
	key := func(e *end) int32 {
		n := e.node
		for !g.band.isKey(h, n) {
			n = h.nodes[n].parent
		}
		return n
	}
	h.slot[top] = 1
	g.list = append(g.list, top)
	for i := range ends {
		for n := key(&ends[i]); h.slot[n] == 0; n = h.nodes[n].parent {
			h.slot[n] = 1
			g.list = append(g.list, n)
		}
	}
	slices.Sort(g.list)
	for i, n := range g.list {
		h.slot[n] = int32(i) + 1
	}
	g.size(len(g.list))
	for i := range ends {
		if e := &ends[i]; e.own && g.band.isKey(h, e.node) {
			g.matched[h.slot[e.node]-1] = true
		}
	}
	parent := func(i int) int { return int(h.slot[h.nodes[g.list[i]].parent]) - 1 }
	for i := 1; i < len(g.list); i++ {
		g.below[parent(i)]++
	}
	// Control points, and how deep they are.
	deepest := int32(0)
	for i, n := range g.list {
		g.low[i], g.high[i] = math.Inf(1), math.Inf(-1)
		up := int32(-1) // the control point above
		if i > 0 {
			up, g.depth[i] = g.at[parent(i)], g.depth[parent(i)]
		}
		if i > 0 && g.below[i] == 1 {
			g.at[i] = up // for now
			continue
		}
		node := &h.nodes[n]
		g.at[i] = int32(len(g.control))
		g.control = append(g.control, control{x: (node.x0 + node.x1) / 2, parent: up})
		if i > 0 {
			g.depth[i]++
		}
		deepest = max(deepest, g.depth[i])
	}
	for i := len(g.list) - 1; i >= 0; i-- {
		own := i == 0 || g.below[i] != 1
		c := &g.control[g.at[i]]
		if own {
			c.y = g.level(h, g.depth[i], deepest)
			if g.low[i] <= g.high[i] {
				c.x = min(max(c.x, g.low[i]), g.high[i])
			}
		}
		if i == 0 {
			break
		}
		if own && (g.matched[i] || g.below[i] == 0) {
			g.low[i], g.high[i] = min(g.low[i], c.x), max(g.high[i], c.x)
		}
		p := parent(i)
		g.low[p], g.high[p] = min(g.low[p], g.low[i]), max(g.high[p], g.high[i])
		if p > 0 && g.below[p] == 1 {
			g.at[p] = g.at[i]
		}
	}
	for i := range ends {
		e := &ends[i]
		n := key(e)
		at := h.slot[n] - 1
		if e.own && n == e.node {
			starts = append(starts, g.at[at])
		} else {
			starts = append(starts, g.nearest(at, h.nodes[n].end, e))
		}
	}
	for _, n := range g.list {
		h.slot[n] = 0
	}
	return starts
}

// size makes room for so many nodes.
func (g *trees) size(n int) {
	if cap(g.at) < n {
		g.below, g.at, g.depth = make([]int32, n), make([]int32, n), make([]int32, n)
		g.matched, g.low, g.high = make([]bool, n), make([]float64, n), make([]float64, n)
	}
	g.below, g.at, g.depth, g.matched, g.low, g.high = g.below[:n], g.at[:n], g.depth[:n], g.matched[:n], g.low[:n], g.high[:n]
	clear(g.below)
	clear(g.depth)
	clear(g.matched)
}

// nearest finds, among the control points of a node and what is below it, the one
// that is nearest to an end.
func (g *trees) nearest(from, last int32, e *end) int32 {
	best, least := g.at[from], math.Inf(1)
	for i := from; int(i) < len(g.list) && g.list[i] < last; i++ {
		c := &g.control[g.at[i]]
		dx, dy := c.x-e.x, c.y-e.y
		if d := dx*dx + dy*dy; d < least {
			best, least = g.at[i], d
		}
	}
	return best
}

// level is the height of a control point that has so many above it, of a tree that
// has so many at most.
func (g *trees) level(h *half, depth, deepest int32) float64 {
	away := g.band.half * float64(depth+1) / float64(deepest+1)
	if h.row > 0 {
		return g.band.mid - away
	}
	return g.band.mid + away
}

// route gives the control points of an edge from one call to another: up the tree
// of one side, and down the other's.
func (g *trees) route(points []point, a, b *end, startA, startB int32) []point {
	points = append(points[:0], point{a.x, a.y})
	for c := startA; c >= 0; c = g.control[c].parent {
		points = append(points, point{g.control[c].x, g.control[c].y})
	}
	turn := len(points)
	for c := startB; c >= 0; c = g.control[c].parent {
		points = append(points, point{g.control[c].x, g.control[c].y})
	}
	slices.Reverse(points[turn:])
	return append(points, point{b.x, b.y})
}
