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
// The tree of a group and a side has a control point for each key node in the call
// stack of the group's root that has a match of the group in its own call stack:
// those that are wider than a pixel and outside the band. Its height in the band
// is the mirror image of the node's depth: a root's is next to the middle, the
// deepest one's at the edge, so that edges run from their calls to the middle and
// join on the way as their callers do.
//
// From left to right a control point is at the middle of its node, but no further
// to a side than those below it that have matches. So an edge does not swing out to
// the middle of a wide caller and back.
type trees struct {
	band    band
	control []control

	list []int32 // nodes of the present tree, in pre-order; scratch
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
	deepest := int32(0)
	for i, n := range g.list {
		h.slot[n] = int32(i) + 1
		deepest = max(deepest, h.nodes[n].row-h.nodes[top].row)
	}
	matched := make([]bool, len(g.list))
	for i := range ends {
		if e := &ends[i]; e.own && g.band.isKey(h, e.node) {
			matched[h.slot[e.node]-1] = true
		}
	}
	low, high := make([]float64, len(g.list)), make([]float64, len(g.list))
	for i, n := range g.list {
		node := &h.nodes[n]
		c := control{(node.x0 + node.x1) / 2, g.level(h, node.row-h.nodes[top].row, deepest), -1}
		if n != top {
			c.parent = first + h.slot[node.parent] - 1
		}
		g.control = append(g.control, c)
		low[i], high[i] = math.Inf(1), math.Inf(-1)
	}
	for i := len(g.list) - 1; i >= 0; i-- {
		c := &g.control[first+int32(i)]
		leaf := low[i] > high[i]
		if !leaf {
			c.x = min(max(c.x, low[i]), high[i])
		}
		if c.parent < 0 {
			continue
		}
		if leaf || matched[i] {
			low[i], high[i] = min(low[i], c.x), max(high[i], c.x)
		}
		p := c.parent - first
		low[p], high[p] = min(low[p], low[i]), max(high[p], high[i])
	}
	for i := range ends {
		e := &ends[i]
		n := key(e)
		at := h.slot[n] - 1
		if !e.own || n != e.node {
			at = g.nearest(first, at, h.nodes[n].end, e)
		}
		starts = append(starts, first+at)
	}
	for _, n := range g.list {
		h.slot[n] = 0
	}
	return starts
}

// nearest finds, among the control points of a node and what is below it, the one
// that is nearest to an end.
func (g *trees) nearest(first, from, end int32, e *end) int32 {
	best, least := from, math.Inf(1)
	for i := from; int(i) < len(g.list) && g.list[i] < end; i++ {
		c := &g.control[first+i]
		dx, dy := c.x-e.x, c.y-e.y
		if d := dx*dx + dy*dy; d < least {
			best, least = i, d
		}
	}
	return best
}

// level is the height of a control point so many rows below the root of its tree.
func (g *trees) level(h *half, below, deepest int32) float64 {
	away := g.band.half * float64(below+1) / float64(deepest+1)
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
