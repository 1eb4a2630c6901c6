package otlptrace

import (
	"cmp"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Columns of calls that wait to be put in order: by start, the longer one first,
// the caller first, as in the file.
const (
	callStart   = iota
	callTook    // negative, so that it can be sorted by
	callOrder   // the number of callers, and in the lower half that of the span in the file
	callContext // and the following, references
	callProcess
	callTrace
	callState
	callCaller // the number of the caller's span in the file, or None
)

// together is how many spans, of whole traces, are in memory while they find their
// callers; more if a trace has more.
const together = 64 << 10

// callers makes calls of spans, trace by trace.
type callers struct {
	r       *reader
	profile *source.Profile
	methods map[methodKey]data.EntityID
	service []uint32 // process -> number of its title
	calls   *data.Spool

	// Of the spans in memory, in the order of traces and then of the file.
	ends      []int // of each trace
	ids       []identified
	parents   []uint64        // 0 is none
	rows      []data.EntityID // in the file
	processes []uint32
	method    []data.EntityID
	rest      *data.Spool // what is not needed to find callers

	missing, twins, circles int64
}

type methodKey struct {
	service uint32
	name    data.EntityID
}

// identified is a span's id, and which of those in memory it is.
type identified struct {
	id uint64
	at int32
}

// Columns of the rest of spans.
const (
	restStart = iota
	restTook
	restTrace
	restState
)

// find takes all spans away, and gives them as calls that are not in order.
func (c *callers) find() (*data.Spool, error) {
	r := c.r
	c.methods, c.service = map[methodKey]data.EntityID{}, make([]uint32, len(r.processes))
	services := map[string]uint32{}
	for i, p := range r.processes {
		n, ok := services[p.Title()]
		if !ok {
			n = uint32(len(services))
			services[p.Title()] = n
		}
		c.service[i] = n
	}
	c.calls = r.b.Spool(data.BatchRows, false, false, false, true, true, true, true, true)
	sorted, err := r.spans.Sort(spanKey)
	if err != nil {
		return nil, err
	}
	last := int64(-1)
	err = data.Each(r.ctx, sorted, func(columns []data.Column, i int) error {
		if trace := columns[spanKey].Values[i] >> 32; trace != last {
			if err := c.begin(int(r.sizes[trace])); err != nil {
				return err
			}
			last = trace
		}
		c.add(columns, i)
		return nil
	})
	if err == nil && len(c.rows) > 0 {
		c.ends = append(c.ends, len(c.rows))
		err = c.put()
	}
	if c.missing > 0 {
		r.b.Warn("%d spans have a parent that is not in the file; they are shown without callers", c.missing)
	}
	if c.twins > 0 {
		r.b.Warn("%d spans have the id of another one; what they call is shown as called by the first", c.twins)
	}
	if c.circles > 0 {
		r.b.Warn("%d spans are their own callers; they are shown without", c.circles)
	}
	return c.calls, err
}

// begin begins with a trace of so many spans, for which there must be room.
func (c *callers) begin(spans int) error {
	if n := len(c.rows); n > 0 {
		c.ends = append(c.ends, n)
		if n+spans > c.r.b.Often(together) {
			if err := c.put(); err != nil {
				return err
			}
		}
	}
	if c.rest == nil {
		c.rest = c.r.b.Spool(data.BatchRows, false, false, true, true)
	}
	c.ids, c.parents, c.rows = slices.Grow(c.ids, spans), slices.Grow(c.parents, spans), slices.Grow(c.rows, spans)
	c.processes, c.method = slices.Grow(c.processes, spans), slices.Grow(c.method, spans)
	return nil
}

func (c *callers) add(columns []data.Column, i int) {
	key := columns[spanKey].Values[i]
	process := c.r.processOf(columns[spanFrom].Refs[i])
	at := methodKey{c.service[process], columns[spanText].Refs[i]}
	method, ok := c.methods[at]
	if !ok { // the same in all instances of a service
		method = c.profile.AddMethod(source.Frame{Name: cmp.Or(c.r.allNames[at.name], "(without a name)"), Binary: c.r.processes[process].Title()})
		c.methods[at] = method
	}
	c.ids = append(c.ids, identified{uint64(columns[spanOwn].Values[i]), int32(len(c.rows))})
	c.parents = append(c.parents, uint64(columns[spanCaller].Values[i]))
	c.rows = append(c.rows, data.EntityID(uint32(key)))
	c.processes = append(c.processes, process)
	c.method = append(c.method, method)
	rest := c.rest.Row()
	rest[restStart].Values = append(rest[restStart].Values, columns[spanBegan].Values[i])
	rest[restTook].Values = append(rest[restTook].Values, columns[spanTook].Values[i])
	rest[restTrace].Refs = append(rest[restTrace].Refs, data.EntityID(key>>32))
	rest[restState].Refs = append(rest[restState].Refs, columns[spanState].Refs[i])
}

// put makes calls of the spans in memory, and forgets them.
func (c *callers) put() error {
	parents := c.found()
	if len(c.rows) > together { // a large trace: what follows needs the memory
		c.ids, c.parents = nil, nil
	}
	contexts, depth, calling := c.contexts(parents)
	if len(c.rows) > together {
		c.method = nil
	}
	at := 0
	err := data.Each(c.r.ctx, c.rest, func(rest []data.Column, i int) error {
		state, caller := rest[restState].Refs[i], data.None
		if calling[at] {
			state |= stateCalls
		}
		if p := parents[at]; p >= 0 {
			caller = c.rows[p]
			if c.processes[p] == c.processes[at] {
				state |= stateWithin
			}
		}
		call := c.calls.Row()
		value := func(column int, v int64) { call[column].Values = append(call[column].Values, v) }
		ref := func(column int, id data.EntityID) { call[column].Refs = append(call[column].Refs, id) }
		value(callStart, rest[restStart].Values[i])
		value(callTook, -rest[restTook].Values[i])
		value(callOrder, int64(depth[at])<<32|int64(c.rows[at]))
		ref(callContext, contexts[at])
		ref(callProcess, data.EntityID(c.processes[at]))
		ref(callTrace, rest[restTrace].Refs[i])
		ref(callState, state)
		ref(callCaller, caller)
		at++
		return nil
	})
	c.rest, c.ends = nil, c.ends[:0]
	if len(c.rows) > together {
		c.rows, c.processes, c.method = nil, nil, nil
	}
	c.ids, c.parents, c.rows, c.processes, c.method = c.ids[:0], c.parents[:0], c.rows[:0], c.processes[:0], c.method[:0]
	return err
}

// found gives the parent of each span, by its id within the trace; -1 is none.
func (c *callers) found() []int32 {
	parents := make([]int32, len(c.rows))
	from := 0
	for _, to := range c.ends {
		ids := c.ids[from:to]
		slices.SortFunc(ids, func(a, b identified) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at)) })
		for i := 1; i < len(ids); i++ {
			if ids[i].id == ids[i-1].id {
				c.twins++
			}
		}
		for i := from; i < to; i++ {
			parents[i] = -1
			if c.parents[i] == 0 {
				continue
			}
			at, ok := slices.BinarySearchFunc(ids, c.parents[i], func(a identified, id uint64) int { return cmp.Compare(a.id, id) })
			if ok {
				parents[i] = ids[at].at
			} else {
				c.missing++
			}
		}
		from = to
	}
	return parents
}

// contexts gives each span its calling context, the number of its callers and
// whether it is one. A span that is its own caller, by whatever way around, gets
// none.
func (c *callers) contexts(parents []int32) (contexts []data.EntityID, depth []int32, calling []bool) {
	const open, done = 1, 2
	n := len(parents)
	contexts, depth, calling = make([]data.EntityID, n), make([]int32, n), make([]bool, n)
	state := make([]uint8, n)
	var path []int32
	for i := range parents {
		for at := int32(i); at >= 0 && state[at] != done; at = parents[at] {
			if state[at] == open { // path leads from at back to it
				parents[path[len(path)-1]] = -1
				c.circles++
				break
			}
			state[at] = open
			path = append(path, at)
		}
		for len(path) > 0 {
			at := path[len(path)-1]
			path = path[:len(path)-1]
			caller := data.None
			if p := parents[at]; p >= 0 {
				caller, depth[at], calling[p] = contexts[p], depth[p]+1, true
			}
			contexts[at] = c.profile.Child(caller, c.method[at])
			state[at] = done
		}
	}
	return contexts, depth, calling
}
