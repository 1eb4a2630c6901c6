package otlptrace

import (
	"cmp"
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// Columns of calls in order, as the fields of events.
const (
	rowContext = iota
	rowThread  // the lane
	rowCaller
	rowStart
	rowSelf
	rowTook
	rowTrace
	rowKind
	rowStatus
)

// calls gives spans lanes and times of their own, in the order of their start.
//
// The time of a caller's own is known once it has ended, when its row may be on
// disk. Then it is kept as an amendment; there are as few as there are callers
// open whenever rows go to disk.
type calls struct {
	lanes
	rows    *data.Spool
	amended []amendment

	// Callers that have not ended, and those whose children began before them.
	open   map[data.EntityID]int32 // span in the file -> slot
	slots  []openSpan
	unused []int32  // slots
	sweep  int      // when so many are open, to look for those that have ended
	few    int      // fewOpen, or less in tests
	begun  []uint64 // a bit for each span in the file: it is a caller that has begun
}

// amendment is the time of its own of a row.
type amendment struct {
	row  int
	self int64
}

// openSpan is a span with what its children cover of its time.
type openSpan struct {
	row         int // -1 if it has not begun
	start, stop int64
	lane        int32 // of its process
	covered     int64
	reach       int64 // the end of what is covered
}

// fewOpen is how many spans may be open before somebody looks which have ended.
const fewOpen = 1 << 10

func newCalls(b *data.Builder, spans, processes int) *calls {
	few := b.Often(fewOpen)
	return &calls{
		lanes: lanes{of: make([]service, processes)},
		rows:  b.Spool(data.BatchRows, true, true, true, false, false, false, true, true, true),
		open:  map[data.EntityID]int32{}, sweep: few, few: few, begun: make([]uint64, (spans+63)/64),
	}
}

// place takes calls in the order of their start, and makes rows of them.
func (c *calls) place(ctx context.Context, contexts *data.Trie, waiting *data.Spool) error {
	sorted, err := waiting.Sort(callStart, callTook, callOrder)
	if err != nil {
		return err
	}
	began, first := int64(0), true
	err = data.Each(ctx, sorted, func(columns []data.Column, i int) error {
		start := columns[callStart].Values[i]
		if first {
			began, first = start, false
		}
		took := -columns[callTook].Values[i]
		context, state := columns[callContext].Refs[i], columns[callState].Refs[i]
		span, parent := data.EntityID(columns[callOrder].Values[i]&(1<<32-1)), columns[callCaller].Refs[i]
		in, caller := int32(-1), data.None
		if parent != data.None {
			caller = contexts.Keys[contexts.Parents[context]]
			in = c.cover(parent, start, start+took)
		}
		all, own := c.lanes.place(uint32(columns[callProcess].Refs[i]), span, parent, state&stateWithin != 0, in, start, start+took)
		if state&stateCalls != 0 {
			c.begin(span, openSpan{row: c.rows.Rows(), start: start, stop: start + took, lane: int32(own), reach: start})
		}
		row := c.rows.Row()
		value := func(column int, v int64) { row[column].Values = append(row[column].Values, v) }
		ref := func(column int, id data.EntityID) { row[column].Refs = append(row[column].Refs, id) }
		ref(rowContext, context)
		ref(rowThread, data.EntityID(all))
		ref(rowCaller, caller)
		value(rowStart, start-began)
		value(rowSelf, took)
		value(rowTook, took)
		ref(rowTrace, columns[callTrace].Refs[i])
		ref(rowKind, named(state&(1<<stateStatus-1), kinds))
		ref(rowStatus, named(state>>stateStatus&(1<<stateStatus-1), statuses))
		return nil
	})
	for _, s := range c.open {
		c.end(c.slots[s])
	}
	c.open, c.slots = nil, nil
	slices.SortFunc(c.amended, func(a, b amendment) int { return cmp.Compare(a.row, b.row) })
	return err
}

func named(n data.EntityID, names []string) data.EntityID {
	if n == 0 || int(n) >= len(names) {
		return data.None
	}
	return n - 1
}

// cover tells that a child of a span runs, and gives the lane of that, or -1 if it
// has not begun, or has ended.
func (c *calls) cover(parent data.EntityID, start, stop int64) (lane int32) {
	at, ok := c.open[parent]
	switch {
	case !ok && c.begun[parent/64]>>(parent%64)&1 == 1:
		return -1
	case !ok:
		c.set(parent, openSpan{row: -1, reach: stop})
		return -1
	}
	p := &c.slots[at]
	if p.row < 0 {
		p.reach = max(p.reach, stop)
		return -1
	}
	if from, to := max(start, p.reach), min(stop, p.stop); to > from {
		p.covered += to - from
		p.reach = to
	}
	if p.stop < start {
		return -1
	}
	return p.lane
}

// begin adds a caller.
func (c *calls) begin(span data.EntityID, s openSpan) {
	if len(c.open) >= c.sweep {
		for other, at := range c.open {
			if p := c.slots[at]; p.row >= 0 && p.stop < s.start {
				c.end(p)
				delete(c.open, other)
				c.unused = append(c.unused, at)
			}
		}
		c.sweep = max(c.few, 2*len(c.open))
	}
	c.begun[span/64] |= 1 << (span % 64)
	if at, ok := c.open[span]; ok { // children began before it
		s.reach = max(s.start, min(s.stop, c.slots[at].reach))
		s.covered = s.reach - s.start
		c.slots[at] = s
		return
	}
	c.set(span, s)
}

func (c *calls) set(span data.EntityID, s openSpan) {
	if n := len(c.unused); n > 0 {
		at := c.unused[n-1]
		c.unused = c.unused[:n-1]
		c.open[span], c.slots[at] = at, s
		return
	}
	c.open[span] = int32(len(c.slots))
	c.slots = append(c.slots, s)
}

// end tells that nothing covers more of a span.
func (c *calls) end(s openSpan) {
	if s.covered == 0 {
		return
	}
	self := s.stop - s.start - s.covered
	if columns, i, ok := c.rows.Find(s.row); ok {
		columns[rowSelf].Values[i] = self
	} else {
		c.amended = append(c.amended, amendment{s.row, self})
	}
}
