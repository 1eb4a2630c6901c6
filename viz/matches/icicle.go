package matches

import (
	"math"
	"sort"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/trace"
)

// half is one of the two traces as the view shows it: an icicle of the part that
// is in focus. Rows go from the picture's edge to its middle, threads one after
// the other.
//
// Nodes are the calls that are at least a pixel wide. Call stacks in which nothing
// is that wide are boxes: what a call makes that is too narrow to be shown, with
// less than a pixel between, is one of them. So there are about as many of both as
// rows times pixels, whatever the size of the trace.
type half struct {
	t      *trace.Trace
	levels *trace.Levels // of all calls
	side   match.Side
	// The time that is shown, from the start of the trace, and where.
	from, to int64
	x, w     float64
	edge     float64 // y of the outer edge of row 0
	row      float64 // height of a row; below 0 if rows go up
	rows     int     // that are shown
	base     []int   // thread -> its first row; -1 if nothing of it is shown
	used     int     // rows that all of the threads would take

	spans  []match.Span // all calls that have a part of the time
	nodes  []node       // pre-order, and so by call
	boxes  []box        // by first call
	deeper int64        // calls on rows that are not shown

	slot []int32 // node -> see tree; scratch of it
}

// node is a call that is at least a pixel wide.
type node struct {
	call   trace.CallID
	x0, x1 float64 // as far as it is in focus
	row    int32
	parent int32 // index of its caller, or -1
	end    int32 // index of the first node that is not in its subtree
}

// box is a run of call stacks too narrow to be shown: the rows First to End-1 of
// the trace, all of them.
type box struct {
	match.Span
	x0, x1   float64
	row, end int32 // first row, and the first one below
}

// Rows are as high as there is room for, in steps, so that the picture does not
// breathe while it is moved.
var rowHeights = []float64{18, 15, 12, 10, 8, 6.5, 5, 4, 3, 2.5}

// A trace takes up to this part of the height for its rows, and up to the other if
// they are as low as can be.
const (
	roomPart = 0.31
	mostPart = 0.42
)

func newHalf(t *trace.Trace, levels *trace.Levels, side match.Side, focus [2]int64, threads []int, x, w float64) *half {
	h := &half{t: t, levels: levels, side: side, from: focus[0], to: focus[1], x: x, w: w}
	h.base = make([]int, len(t.Threads))
	for i := range h.base {
		h.base[i] = -1
	}
	for _, i := range threads {
		if deepest := h.within(i); deepest >= 0 {
			h.base[i] = h.used
			h.used += deepest + 1
		}
	}
	return h
}

// within finds the calls of a thread that have a part of the time, and how deep
// they go. Rows of a thread are in the order of their starts: what starts in time
// is a slice, and what started before is on the way up from the one before that.
func (h *half) within(thread int) (deepest int) {
	t, th := h.t, h.t.Threads[thread]
	from, to := t.From+h.from, h.until()
	after := func(at int64) trace.CallID {
		return th.First + trace.CallID(sort.Search(int(th.End-th.First), func(i int) bool { return t.Start[int(th.First)+i] >= at }))
	}
	first, end := after(from), after(to)
	var open []trace.CallID
	if first > th.First {
		for c := first - 1; c != trace.NoCall; c = t.Parent[c] {
			if t.Stop[c] > from {
				open = append(open, c)
			}
		}
	}
	deepest = -1
	for i := len(open) - 1; i >= 0; i-- {
		h.spans = append(h.spans, match.Span{First: open[i], End: open[i] + 1})
		deepest = max(deepest, int(t.Depth[open[i]]))
	}
	if first < end {
		h.spans = append(h.spans, match.Span{First: first, End: end})
		deepest = max(deepest, int(h.levels.Deepest(first, end)))
	}
	return deepest
}

// until is the end of the time as the trace counts it: one that reaches the end of
// the trace has also the calls that take no time there.
func (h *half) until() int64 {
	if end := h.t.From + h.to; end < h.t.To {
		return end
	}
	return h.t.To + 1
}

// calls is how many calls have a part of the time.
func (h *half) calls() (n int64) {
	for _, s := range h.spans {
		n += int64(s.End - s.First)
	}
	return n
}

// isWhole tells whether all of the trace is in focus.
func (h *half) isWhole() bool { return h.from <= 0 && h.to >= h.t.To-h.t.From }

// isAll tells whether all calls are in the picture.
func (h *half) isAll() bool { return h.calls() == int64(h.t.Len()) }

// rowHeight is the height that rows of both traces have, and how many of them fit
// into each.
func rowHeight(height float64, used int) (row float64, rows int) {
	for _, row = range rowHeights {
		if float64(used)*row <= height*roomPart {
			return row, used
		}
	}
	return row, max(1, min(used, int(height*mostPart/row)))
}

// xOf is where a time is, from the start of the trace.
func (h *half) xOf(at int64) float64 {
	return h.x + (float64(at)-float64(h.from))/float64(h.to-h.from)*h.w
}

// clip is the part of a call, or of a run, that is in focus, in pixels.
func (h *half) clip(start, stop int64) (x0, x1 float64) {
	from := min(max(start-h.t.From, h.from), h.to)
	to := min(max(stop-h.t.From, h.from), h.to)
	return h.xOf(from), h.xOf(to)
}

// perPixel is the time that a pixel is wide.
func (h *half) perPixel() int64 { return max(int64(math.Ceil(float64(h.to-h.from)/h.w)), 1) }

// layOut finds nodes and boxes. It visits callees of nodes alone.
func (h *half) layOut(edge, row float64, rows int) {
	h.edge, h.row, h.rows = edge, row, rows
	for i := range h.t.Threads {
		if h.base[i] >= 0 {
			h.add(h.levels.Window(i, 0, h.t.From+h.from, h.until(), h.perPixel()), h.base[i], -1)
		}
	}
	h.slot = make([]int32, len(h.nodes))
}

// add adds what a caller, or a thread, shows on a row. The recursion is as deep as
// there are rows to see.
func (h *half) add(runs func(func(trace.Run) bool), row int, parent int32) {
	t := h.t
	for r := range runs {
		c := h.levels.Call(r.First)
		last := h.levels.Call(r.First + r.Count - 1)
		if row >= h.rows {
			h.deeper += int64(t.End[last] - c)
			continue
		}
		x0, x1 := h.clip(r.From, r.To)
		if r.Short {
			deepest := int(h.levels.Deepest(c, t.End[last])) - int(t.Depth[c]) + row
			h.boxes = append(h.boxes, box{match.Span{First: c, End: t.End[last]}, x0, x1, int32(row), int32(min(deepest+1, h.rows))})
			continue
		}
		at := int32(len(h.nodes))
		h.nodes = append(h.nodes, node{call: c, x0: x0, x1: x1, row: int32(row), parent: parent})
		h.add(h.levels.Below(c, t.From+h.from, h.until(), h.perPixel()), row+1, at)
		h.nodes[at].end = int32(len(h.nodes))
	}
}

// rowOf is the row of a call, the last one if its own is not shown.
func (h *half) rowOf(c trace.CallID) int {
	return min(h.base[h.t.ThreadOf(c)]+int(h.t.Depth[c]), h.rows-1)
}

// middle is the y of the middle of a row.
func (h *half) middle(row int) float64 { return h.edge + (float64(row)+0.5)*h.row }

// span is where a row is, from top to bottom.
func (h *half) span(row, end int) (y0, y1 float64) {
	y0, y1 = h.edge+float64(row)*h.row, h.edge+float64(end)*h.row
	return min(y0, y1), max(y0, y1)
}

// find gives the node of a call, or else that of the innermost caller that is one;
// -1 if there is none.
func (h *half) find(c trace.CallID) (at int32, exact bool) {
	i := int32(sort.Search(len(h.nodes), func(i int) bool { return h.nodes[i].call > c })) - 1
	for i >= 0 && h.t.End[h.nodes[i].call] <= c {
		i = h.nodes[i].parent
	}
	return i, i >= 0 && h.nodes[i].call == c
}

// boxOf gives the box that a call is in, or -1.
func (h *half) boxOf(c trace.CallID) int {
	i := sort.Search(len(h.boxes), func(i int) bool { return h.boxes[i].First > c }) - 1
	if i >= 0 && c < h.boxes[i].End {
		return i
	}
	return -1
}

// end is one of the two ends of a match: where its call is in the picture.
type end struct {
	call trace.CallID
	x, y float64 // its middle
	w    float64
	node int32 // its own, or that of the innermost caller that is one; -1 if there is none
	own  bool
}

func (h *half) endOf(c trace.CallID) end {
	x0, x1 := h.clip(h.t.Start[c], h.t.Stop[c])
	e := end{call: c, x: (x0 + x1) / 2, w: x1 - x0, y: h.middle(h.rowOf(c))}
	e.node, e.own = h.find(c)
	return e
}
