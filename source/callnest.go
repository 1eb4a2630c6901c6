package source

import (
	"cmp"
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// How begins and ends of calls become calls with callers.
//
// Most traces are in order, and have begins and ends: these go through one
// stack, in one pass. What is not in order is sorted first; where a thread has
// whole calls too, the calls that the stack gives and the whole ones are merged
// by their start, and nested by their times. Begins and ends keep the nesting
// that they tell, because calls that take no time cannot be nested by times.

// openCall is a call around the next one.
type openCall struct {
	row     int
	method  data.EntityID
	context data.EntityID
	stop    int64 // of a merged call
	slice   int   // of a merged call: its number among begins, or -1
}

// nest works through what happened on a thread, and frees it.
func (t *CallThread) nest(ctx context.Context) (*callRows, error) {
	events := t.inOrder
	if !t.ordered {
		events = t.sorted
	}
	if t.wholes > 0 {
		return t.nestAll(ctx, events)
	}
	c := t.calls
	rows := newCallRows(t.begins)
	rows.thread = t.entity
	var open []openCall
	var count openCounts
	shut := func(at int64) {
		top := open[len(open)-1]
		open = open[:len(open)-1]
		count.add(top.method, -1)
		took := at - rows.start[top.row]
		rows.took[top.row] = took
		rows.self[top.row] += took
		if len(open) > 0 {
			rows.self[open[len(open)-1].row] -= took
		}
	}
	err := events(ctx, func(at int64, op uint32, _ int64) {
		method := c.method(op &^ opEnd)
		if op&opEnd != 0 {
			for range c.ends(method, count, len(open), func(i int) data.EntityID { return open[i].method }) {
				shut(at)
			}
			return
		}
		count.add(method, 1)
		open = append(open, rows.begin(c, at, method, open))
	})
	if err != nil {
		return nil, err
	}
	c.unended += int64(len(open))
	for len(open) > 0 {
		shut(c.last)
	}
	return rows, nil
}

func (c *Calls) method(number uint32) data.EntityID {
	if number == anyMethod {
		return data.None
	}
	if c.Resolve == nil {
		return data.EntityID(number)
	}
	return c.Resolve(data.EntityID(number))
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

// begin adds a call below the open ones. Its times are filled in later.
func (r *callRows) begin(c *Calls, at int64, method data.EntityID, open []openCall) openCall {
	caller, context := data.None, data.None
	if len(open) > 0 {
		top := &open[len(open)-1]
		caller, context = top.method, top.context
	}
	context = c.Child(context, method)
	r.start, r.took, r.self = append(r.start, at), append(r.took, 0), append(r.self, 0)
	r.context, r.caller = append(r.context, context), append(r.caller, caller)
	return openCall{row: len(r.start) - 1, method: method, context: context}
}

// inOrder hands out events as they came, and forgets them.
func (t *CallThread) inOrder(ctx context.Context, yield func(at int64, op uint32, took int64)) error {
	for i, chunk := range t.chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, at := range chunk.at {
			took := int64(-1)
			if chunk.took != nil {
				took = chunk.took[k]
			}
			yield(at, chunk.op[k], took)
		}
		t.chunks[i] = nil
	}
	t.chunks = nil
	return nil
}

// sorted hands out events by time. Those of one time keep their order.
func (t *CallThread) sorted(ctx context.Context, yield func(at int64, op uint32, took int64)) error {
	type event struct {
		at, took int64
		op       uint32
	}
	var events []event
	err := t.inOrder(ctx, func(at int64, op uint32, took int64) { events = append(events, event{at, took, op}) })
	if err != nil {
		return err
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for i, e := range events {
		if i%chunkOps == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		yield(e.at, e.op, e.took)
	}
	return nil
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
func (t *CallThread) nestAll(ctx context.Context, events func(context.Context, func(int64, uint32, int64)) error) (*callRows, error) {
	c := t.calls
	begun, whole := make([]callSlice, 0, t.begins), make([]callSlice, 0, t.wholes)
	var open []int
	var count openCounts
	err := events(ctx, func(at int64, op uint32, took int64) {
		method := c.method(op &^ opEnd)
		switch {
		case took >= 0:
			whole = append(whole, callSlice{at, at + took, method, -1, -1})
		case op&opEnd == 0:
			parent := -1
			if len(open) > 0 {
				parent = open[len(open)-1]
			}
			begun = append(begun, callSlice{at, at, method, parent, len(begun)})
			open = append(open, len(begun)-1)
			count.add(method, 1)
		default:
			for range c.ends(method, count, len(open), func(i int) data.EntityID { return begun[open[i]].method }) {
				begun[open[len(open)-1]].stop = at
				count.add(begun[open[len(open)-1]].method, -1)
				open = open[:len(open)-1]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	c.unended += int64(len(open))
	for _, i := range open {
		begun[i].stop = c.last
	}
	// The longer one first: it is the one that makes the other.
	slices.SortStableFunc(whole, func(a, b callSlice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.stop, a.stop))
	})
	rows := newCallRows(len(begun) + len(whole))
	rows.thread = t.entity
	n := nesting{calls: c, rows: rows}
	for len(begun)+len(whole) > 0 {
		if len(rows.start)%chunkOps == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(begun) > 0 && (len(whole) == 0 || cmp.Or(cmp.Compare(begun[0].start, whole[0].start), cmp.Compare(whole[0].stop, begun[0].stop)) <= 0) {
			n.next(begun[0])
			begun = begun[1:]
		} else {
			n.next(whole[0])
			whole = whole[1:]
		}
	}
	return rows, nil
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
		n.open = n.open[:len(n.open)-1]
	}
	if len(n.open) > 0 && s.stop > n.open[len(n.open)-1].stop {
		s.stop = n.open[len(n.open)-1].stop
		n.calls.cut++
	}
	took := s.stop - s.start
	o := n.rows.begin(n.calls, s.start, s.method, n.open)
	n.rows.took[o.row] = took
	n.rows.self[o.row] += took
	if len(n.open) > 0 {
		n.rows.self[n.open[len(n.open)-1].row] -= took
	}
	o.stop, o.slice = s.stop, s.number
	n.open = append(n.open, o)
}
