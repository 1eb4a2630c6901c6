package otlptrace

import (
	"cmp"
	"slices"
)

// lanes puts the spans of services into lanes, in which they nest by their times.
//
// Spans in the order of their start; of those that start together the longer one
// first, and then the caller. A span joins the lane of its parent if that is of
// the same service, innermost there and does not end before it. A sibling that
// overlaps, a span that outlasts its parent, and one that another service called
// go to the lowest lane of their service that is free: no span in it has not
// ended. So a service has as many lanes as things it does at a time.
//
// A lane that becomes free just when a span with a parent starts is not taken: by
// times alone, the two could not be told from caller and called.
type lanes struct {
	spans   []span
	parents []int32 // span -> parent, or -1
	process []uint32

	lane   []uint32 // span -> lane of its service, or noLane before it has one
	of     []service
	placed int64 // spans that are not in the lane of a parent of their service
}

const noLane = ^uint32(0)

func newLanes(spans []span, parents []int32, process []uint32, processes int) *lanes {
	l := &lanes{spans: spans, parents: parents, process: process, lane: make([]uint32, len(spans)), of: make([]service, processes)}
	for i := range l.lane {
		l.lane[i] = noLane
	}
	return l
}

// service is the lanes of a service.
type service struct {
	open [][]int32 // lane -> spans that have not ended, the outermost first
	busy laneHeap  // by when they are free, then number
	free laneHeap  // by number
}

type laneEnd struct {
	at   int64
	lane uint32
}

func (e laneEnd) before(other laneEnd) bool {
	return e.at < other.at || e.at == other.at && e.lane < other.lane
}

// laneHeap gives what is before all others first; container/heap would allocate
// for each.
type laneHeap []laneEnd

func (h *laneHeap) push(e laneEnd) {
	*h = append(*h, e)
	all := *h
	for i := len(all) - 1; i > 0; {
		up := (i - 1) / 2
		if !all[i].before(all[up]) {
			return
		}
		all[i], all[up] = all[up], all[i]
		i = up
	}
}

func (h *laneHeap) pop() laneEnd {
	all := *h
	first, last := all[0], len(all)-1
	all[0] = all[last]
	all = all[:last]
	*h = all
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(all); child++ {
			if all[child].before(all[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		all[i], all[least] = all[least], all[i]
		i = least
	}
}

// byStart gives the order of spans; depth is the number of callers.
func byStart(spans []span, depth []int32) []int32 {
	order := make([]int32, len(spans))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &spans[a], &spans[b]
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.stop, x.stop), cmp.Compare(depth[a], depth[b]), cmp.Compare(a, b))
	})
	return order
}

// place gives the span its lane.
func (l *lanes) place(i int32) {
	s := &l.spans[i]
	svc := &l.of[l.process[i]]
	p := l.parents[i]
	if p >= 0 && l.process[p] == l.process[i] && l.lane[p] != noLane {
		lane := l.lane[p]
		open := svc.open[lane]
		for len(open) > 0 && open[len(open)-1] != p && l.spans[open[len(open)-1]].stop <= s.start {
			open = open[:len(open)-1]
		}
		svc.open[lane] = open
		parent := &l.spans[p]
		if len(open) > 0 && open[len(open)-1] == p && s.start <= parent.stop && s.stop <= parent.stop {
			svc.open[lane] = append(open, i)
			l.lane[i] = lane
			return
		}
	}
	if p >= 0 && l.process[p] == l.process[i] {
		l.placed++
	}
	for len(svc.busy) > 0 && (svc.busy[0].at < s.start || svc.busy[0].at == s.start && p < 0) {
		svc.free.push(laneEnd{lane: svc.busy.pop().lane})
	}
	var lane uint32
	if len(svc.free) > 0 {
		lane = svc.free.pop().lane
	} else {
		lane = uint32(len(svc.open))
		svc.open = append(svc.open, nil)
	}
	svc.open[lane] = append(svc.open[lane][:0], i)
	svc.busy.push(laneEnd{s.stop, lane})
	l.lane[i] = lane
}
