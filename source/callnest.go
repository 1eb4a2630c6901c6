package source

import (
	"cmp"
	"context"

	"github.com/cambium-prof/cambium/data"
)

// How begins and ends of calls become calls with callers.
//
// Most traces are in order, and have begins and ends: these go through one
// stack, in one pass. What is not in order is sorted first; where a thread has
// whole calls too, the calls that the stack gives and the whole ones are merged
// by their start, and nested by their times. Begins and ends keep the nesting
// that they tell, because calls that take no time cannot be nested by times.
//
// All that grows with the trace is in spools, so that a trace may be larger
// than memory. What is open is in memory.

// nest works through what happened on a thread, and forgets it.
func (t *CallThread) nest(ctx context.Context, rows *callRows) error {
	if t.wholes > 0 {
		return t.nestAll(ctx, rows)
	}
	c := t.calls
	var open []openCall
	var count openCounts
	last := int64(0) // level
	err := t.events(ctx, nil, func(at, level int64, op data.EntityID) {
		last = level
		method := c.method(op &^ opEnd)
		if op&opEnd != 0 {
			for range c.ends(method, count, len(open), func(i int) data.EntityID { return open[i].method }) {
				count.add(open[len(open)-1].method, -1)
				open = rows.end(at, level, open)
			}
			return
		}
		count.add(method, 1)
		var between []data.EntityID
		if c.Between != nil {
			between = c.Between(op)
		}
		o := rows.begin(c, at, method, open, between...)
		o.level = level
		open = append(open, o)
	})
	if err != nil {
		return err
	}
	c.unended += int64(len(open))
	for len(open) > 0 {
		open = rows.end(c.last, last, open)
	}
	return nil
}

func (c *Calls) method(number data.EntityID) data.EntityID {
	if number == anyMethod {
		return data.None
	}
	if c.Resolve == nil {
		return number
	}
	return c.Resolve(number)
}

// openCounts is how many calls of a method are open, so that no end looks in
// vain for its beginning on a stack that may be a million calls deep.
type openCounts []int32

func (o *openCounts) add(method data.EntityID, n int32) {
	for int(method) >= len(*o) {
		*o = append(*o, make([]int32, 2*len(*o)+64)...)
	}
	(*o)[method] += n
}

// ends gives the number of open calls that the end of a method closes: to the
// innermost call of the method, or none if there is no such call.
func (c *Calls) ends(method data.EntityID, count openCounts, depth int, open func(int) data.EntityID) int {
	if method == data.None && depth > 0 {
		return 1
	}
	if int(method) >= len(count) || count[method] == 0 {
		c.unmatched++
		return 0
	}
	i := depth - 1
	for open(i) != method {
		i--
	}
	c.unnamed += int64(depth - 1 - i)
	return depth - i
}

// Columns of what is sorted.
const (
	sortAt   = iota
	sortTook // negative, as the longer one of two comes first: it makes the other
	sortOp
	sortLevel // only there if there are levels
)

// events hands out begins and ends by time, and gives whole calls away. What
// is of one time keeps its order.
func (t *CallThread) events(ctx context.Context, whole *data.Spool, yield func(at, level int64, op data.EntityID)) error {
	levels := t.calls.Level != nil
	level := func(c []data.Column, column, i int) int64 {
		if !levels {
			return 0
		}
		return c[column].Values[i]
	}
	var later *data.Spool
	if !t.ordered {
		later = t.calls.b.Spool(chunkOps, false, false, true)
		if levels {
			later.AddColumn(false)
		}
	}
	put := func(into *data.Spool, at, took int64, op data.EntityID) {
		columns := into.Row()
		columns[sortAt].Values = append(columns[sortAt].Values, at)
		columns[sortTook].Values = append(columns[sortTook].Values, -took)
		columns[sortOp].Refs = append(columns[sortOp].Refs, op)
	}
	err := data.Each(ctx, t.told, func(c []data.Column, i int) error {
		at, op := c[toldAt].Values[i], c[toldOp].Refs[i]
		switch {
		case whole != nil && c[t.took].Values[i] > 0:
			put(whole, at, c[t.took].Values[i]-1, op)
		case later != nil:
			put(later, at, 0, op)
			if levels {
				later.SetValue(sortLevel, level(c, toldLevel, i))
			}
		default:
			yield(at, level(c, toldLevel, i), op)
		}
		return nil
	})
	if err != nil || later == nil {
		return err
	}
	sorted, err := later.Sort(sortAt)
	if err != nil {
		return err
	}
	return data.Each(ctx, sorted, func(c []data.Column, i int) error {
		yield(c[sortAt].Values[i], level(c, sortLevel, i), c[sortOp].Refs[i])
		return nil
	})
}

// callSlice is a call whose times are known and whose caller is not, or not all
// of it.
type callSlice struct {
	start, stop int64
	method      data.EntityID
	parent      int // of a call that was begun: its caller among those; -1 if none
	number      int // of a call that was begun: its number; -1 of whole calls
}

// nestAll is nest for threads with whole calls.
func (t *CallThread) nestAll(ctx context.Context, rows *callRows) error {
	whole := t.calls.b.Spool(chunkOps, false, false, true)
	begun, err := t.begun(ctx, whole)
	if err != nil {
		return err
	}
	n := nesting{calls: t.calls, rows: rows}
	next, more, err := begun.next()
	if err != nil {
		return err
	}
	sorted, err := whole.Sort(sortAt, sortTook)
	if err != nil {
		return err
	}
	err = data.Each(ctx, sorted, func(c []data.Column, i int) error {
		at := c[sortAt].Values[i]
		s := callSlice{at, at - c[sortTook].Values[i], t.calls.method(c[sortOp].Refs[i]), -1, -1}
		for more && cmp.Or(cmp.Compare(next.start, s.start), cmp.Compare(s.stop, next.stop)) <= 0 {
			n.next(next)
			if next, more, err = begun.next(); err != nil {
				return err
			}
		}
		n.next(s)
		return nil
	})
	for err == nil && more {
		n.next(next)
		next, more, err = begun.next()
	}
	n.close()
	return err
}

// begunRows are the calls of a thread that were begun. It is not known yet what
// is around them: in place of the context they have the number of the call
// around them among themselves, and in place of the caller the method.
type begunRows struct{ *callRows }

// begun gives the calls that were begun, in the order of their start.
func (t *CallThread) begun(ctx context.Context, whole *data.Spool) (begunRows, error) {
	c := t.calls
	rows := begunRows{c.newRows(t.entity, 1)}
	var open []openCall
	var count openCounts
	err := t.events(ctx, whole, func(at, _ int64, op data.EntityID) {
		method := c.method(op &^ opEnd)
		if op&opEnd != 0 {
			for range c.ends(method, count, len(open), func(i int) data.EntityID { return open[i].method }) {
				count.add(open[len(open)-1].method, -1)
				open = rows.end(at, 0, open)
			}
			return
		}
		parent := data.None
		if len(open) > 0 {
			parent = data.EntityID(open[len(open)-1].row)
		}
		open = append(open, openCall{row: rows.add(parent, method, at), method: method, start: at})
		count.add(method, 1)
	})
	c.unended += int64(len(open))
	for len(open) > 0 {
		open = rows.end(c.last, 0, open)
	}
	return rows, err
}

// next gives the next call, and whether there is one.
func (r begunRows) next() (s callSlice, ok bool, err error) {
	if r.at == r.block.Rows {
		if ok, err := r.load(); !ok || err != nil {
			return s, false, err
		}
	}
	c, i := r.block.Columns, r.at
	r.at++
	start := c[rowStart].Values[i]
	s = callSlice{start, start + c[rowTook].Values[i], c[rowCaller].Refs[i], -1, r.taken + i}
	if parent := c[rowContext].Refs[i]; parent != data.None {
		s.parent = int(parent)
	}
	return s, true, nil
}

// nesting puts calls below each other by their times.
type nesting struct {
	calls *Calls
	rows  *callRows
	open  []openCall
}

func (n *nesting) next(s callSlice) {
	for len(n.open) > 0 {
		top := &n.open[len(n.open)-1]
		if top.stop > s.start || top.stop == s.start && s.parent >= 0 && top.slice == s.parent {
			break
		}
		n.open = n.rows.end(top.stop, 0, n.open)
	}
	if len(n.open) > 0 && s.stop > n.open[len(n.open)-1].stop {
		s.stop = n.open[len(n.open)-1].stop
		n.calls.cut++
	}
	o := n.rows.begin(n.calls, s.start, s.method, n.open)
	o.stop, o.slice = s.stop, s.number
	n.open = append(n.open, o)
}

// close ends what is open.
func (n *nesting) close() {
	for len(n.open) > 0 {
		n.open = n.rows.end(n.open[len(n.open)-1].stop, 0, n.open)
	}
}
