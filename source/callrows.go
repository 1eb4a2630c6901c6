package source

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// callRows are the calls of a thread, in pre-order. A call gets its row when it
// begins and its times when it ends, when its row may be on disk: then they are
// kept as an amendment. Whenever rows go to disk, those of open calls become
// one, which are few.
type callRows struct {
	*data.Spool
	thread  data.EntityID
	first   int64 // start of the first call
	levels  bool
	amended []amendment
	// While the rows are taken away:
	block data.Block
	at    int // of block
	taken int // rows before block
}

// Columns of callRows.
const (
	rowContext = iota
	rowCaller
	rowStart
	rowSelf
	rowTook
	rowChange // of the level; only there if there are levels
)

type amendment struct {
	row                int
	took, self, change int64
}

// mergedRows is how many rows of all threads are in memory when they are
// merged from disk.
const mergedRows, fewestRows = 1 << 20, 256

// newRows makes the rows of one of so many threads.
func (c *Calls) newRows(thread data.EntityID, threads int) *callRows {
	per := min(chunkOps, max(fewestRows, mergedRows/threads))
	rows := &callRows{Spool: c.b.Spool(per, true, true, false, false, false), thread: thread, levels: c.Level != nil}
	if rows.levels {
		rows.AddColumn(false)
	}
	return rows
}

// openCall is a call around the next one.
type openCall struct {
	row     int
	method  data.EntityID
	context data.EntityID
	start   int64
	within  int64 // what the calls it made took
	level   int64 // when it began
	changed int64 // by the calls it made
	stop    int64 // of a call whose end is known: see nesting
	slice   int   // of such a call: its number among begins, or -1
}

// begin adds a call below the open ones, and below frames that are no calls.
func (r *callRows) begin(c *Calls, at int64, method data.EntityID, open []openCall, between ...data.EntityID) openCall {
	caller, context := data.None, data.None
	if len(open) > 0 {
		top := &open[len(open)-1]
		caller, context = top.method, top.context
	}
	for _, frame := range between {
		caller, context = frame, c.Child(context, frame)
	}
	context = c.Child(context, method)
	return openCall{row: r.add(context, caller, at), method: method, context: context, start: at}
}

func (r *callRows) add(context, caller data.EntityID, start int64) (row int) {
	if r.Rows() == 0 {
		r.first = start
	}
	columns := r.Row()
	columns[rowContext].Refs = append(columns[rowContext].Refs, context)
	columns[rowCaller].Refs = append(columns[rowCaller].Refs, caller)
	columns[rowStart].Values = append(columns[rowStart].Values, start)
	columns[rowSelf].Values = append(columns[rowSelf].Values, 0)
	columns[rowTook].Values = append(columns[rowTook].Values, 0)
	if r.levels {
		columns[rowChange].Values = append(columns[rowChange].Values, 0)
	}
	return r.Rows() - 1
}

// end tells when the innermost open call ended and at which level, and gives
// those around it.
func (r *callRows) end(at, level int64, open []openCall) []openCall {
	top := open[len(open)-1]
	open = open[:len(open)-1]
	took, change := at-top.start, level-top.level
	if len(open) > 0 {
		open[len(open)-1].within += took
		open[len(open)-1].changed += change
	}
	r.amend(amendment{top.row, took, took - top.within, change - top.changed})
	return open
}

func (r *callRows) amend(a amendment) {
	if columns, i, ok := r.Find(a.row); ok {
		r.write(columns, i, a)
	} else {
		r.amended = append(r.amended, a)
	}
}

func (r *callRows) write(columns []data.Column, i int, a amendment) {
	columns[rowTook].Values[i], columns[rowSelf].Values[i] = a.took, a.self
	if r.levels {
		columns[rowChange].Values[i] = a.change
	}
}

// load takes the next block of rows. Nothing is amended any more then.
func (r *callRows) load() (ok bool, err error) {
	if r.taken += r.block.Rows; r.taken == 0 {
		slices.SortFunc(r.amended, func(a, b amendment) int { return cmp.Compare(a.row, b.row) })
	}
	r.block.Rows, r.at = 0, 0
	if ok, err = r.Take(&r.block); !ok || err != nil {
		return false, err
	}
	for len(r.amended) > 0 && r.amended[0].row < r.taken+r.block.Rows {
		a := r.amended[0]
		r.amended = r.amended[1:]
		r.write(r.block.Columns, a.row-r.taken, a)
	}
	return true, nil
}

// mergeCalls hands on the calls of all threads in the order of their start.
// Those of a thread keep their order. A thread's rows are loaded when it is its
// turn.
func mergeCalls(ctx context.Context, parts []*callRows, events *data.EventBuilder) error {
	if len(parts) == 1 && len(parts[0].amended) == 0 { // nothing to merge, nor to copy
		columns := []int{rowContext, -1, rowCaller, rowStart, rowSelf, rowTook}
		if parts[0].levels {
			columns = append(columns, rowChange)
		}
		return events.AdoptSpool(parts[0].Spool, columns, func(_ int, c []data.Column) error {
			for i := range c[1].Refs {
				c[1].Refs[i] = parts[0].thread
			}
			return ctx.Err()
		})
	}
	queue := make(callQueue, 0, len(parts))
	for _, p := range parts {
		queue = append(queue, callHead{p.first, p})
	}
	heap.Init(&queue)
	var out data.Block
	flush := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := out.Columns
		err := events.Append(out.Rows, append([]data.Column{c[rowContext], c[len(c)-1], c[rowCaller], c[rowStart], c[rowSelf], c[rowTook]}, c[rowChange:len(c)-1]...)...)
		for i := range c {
			c[i] = data.Column{Refs: c[i].Refs[:0], Values: c[i].Values[:0]}
		}
		out.Rows = 0
		return err
	}
	width := rowTook + 1
	if len(parts) > 0 && parts[0].levels {
		width++
	}
	out.Columns = make([]data.Column, width+1) // the last one is the thread
	for len(queue) > 0 {
		p := queue[0].part
		if p.at == p.block.Rows {
			if ok, err := p.load(); err != nil {
				return err
			} else if !ok {
				heap.Pop(&queue)
				continue
			}
		}
		// As many calls as come before the next one of another thread.
		starts := p.block.Columns[rowStart].Values
		to := min(p.block.Rows, p.at+data.BatchRows-out.Rows)
		if next, ok := queue.second(); ok {
			end := p.at + 1
			for end < to && (callHead{starts[end], p}).before(next) {
				end++
			}
			to = end
		}
		for i, c := range p.block.Columns {
			o := &out.Columns[i]
			if c.Refs != nil {
				o.Refs = append(o.Refs, c.Refs[p.at:to]...)
			} else {
				o.Values = append(o.Values, c.Values[p.at:to]...)
			}
		}
		threads := &out.Columns[width]
		for range to - p.at {
			threads.Refs = append(threads.Refs, p.thread)
		}
		out.Rows += to - p.at
		if p.at = to; to < p.block.Rows {
			queue[0].start = starts[to]
			heap.Fix(&queue, 0)
		} else if ok, err := p.load(); err != nil {
			return err
		} else if !ok {
			heap.Pop(&queue)
		} else {
			queue[0].start = p.block.Columns[rowStart].Values[0]
			heap.Fix(&queue, 0)
		}
		if out.Rows == data.BatchRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// callHead is a thread and the start of its next call.
type callHead struct {
	start int64
	part  *callRows
}

func (h callHead) before(o callHead) bool {
	return h.start < o.start || h.start == o.start && h.part.thread < o.part.thread
}

type callQueue []callHead

// second gives the head that comes after the first one.
func (q callQueue) second() (callHead, bool) {
	switch {
	case len(q) < 2:
		return callHead{}, false
	case len(q) == 2 || q[1].before(q[2]):
		return q[1], true
	}
	return q[2], true
}

func (q callQueue) Len() int           { return len(q) }
func (q callQueue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q callQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is of heap.Interface.
func (q *callQueue) Push(x any) { *q = append(*q, x.(callHead)) }

// Pop is of heap.Interface.
func (q *callQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
