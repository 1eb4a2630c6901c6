package otlptrace

import "github.com/cambium-prof/cambium/data"

// lanes puts the spans of services into lanes, in which they nest by their times.
//
// Spans come in the order of their start; of those that start together the longer
// one first, and then the caller. A span joins the lane of its parent if that is of
// the same service, innermost there and does not end before it. A sibling that
// overlaps, a span that outlasts its parent, and one that another service called
// go to the lowest lane of their service that is free: no span in it has not
// ended. So a service has as many lanes as things it does at a time.
//
// A lane that becomes free just when a span with a parent starts is not taken: by
// times alone, the two could not be told from caller and called.
type lanes struct {
	of     []service // by process
	count  int       // of all lanes, which are numbered in the order of their first spans
	placed int64     // spans that are not in the lane of a parent of their service
}

// service is the lanes of a process.
type service struct {
	lanes []uint32    // among all
	open  [][]running // lane -> spans that have not ended, the outermost first
	busy  laneHeap    // by when they are free, then number
	free  laneHeap    // by number
}

// running is a span, by its number in the file, in its lane.
type running struct {
	span data.EntityID
	stop int64
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

// place gives a span its lane, as a number among all and as one of its process.
// parent is None if it has none, and in the lane in if that is not negative.
func (l *lanes) place(process uint32, span, parent data.EntityID, within bool, in int32, start, stop int64) (all, own uint32) {
	svc := &l.of[process]
	if within && in >= 0 {
		open := svc.open[in]
		for len(open) > 0 && open[len(open)-1].span != parent && open[len(open)-1].stop <= start {
			open = open[:len(open)-1]
		}
		svc.open[in] = open
		if n := len(open); n > 0 && open[n-1].span == parent && start <= open[n-1].stop && stop <= open[n-1].stop {
			svc.open[in] = append(open, running{span, stop})
			return svc.lanes[in], uint32(in)
		}
	}
	if within {
		l.placed++
	}
	for len(svc.busy) > 0 && (svc.busy[0].at < start || svc.busy[0].at == start && parent == data.None) {
		svc.free.push(laneEnd{lane: svc.busy.pop().lane})
	}
	if len(svc.free) > 0 {
		own = svc.free.pop().lane
	} else {
		own = uint32(len(svc.open))
		svc.open = append(svc.open, nil)
		svc.lanes = append(svc.lanes, uint32(l.count))
		l.count++
	}
	svc.open[own] = append(svc.open[own][:0], running{span, stop})
	svc.busy.push(laneEnd{stop, own})
	return svc.lanes[own], own
}
