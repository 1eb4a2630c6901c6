package trace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// The types and properties by which calls are recognised. Sources of traces
// define them (see package source), and so can programs that write streams.
const (
	typeCall   = "Call"
	typeMethod = "Method"
	typeThread = "Thread"

	// inclusive is the property of an amount that contains that of the calls a
	// call makes: its duration. It means nothing to add it up along a stack.
	inclusive data.Property = "inclusive"
)

// ErrNoCalls tells that a data set holds no calls, so that there is no trace
// to build.
type ErrNoCalls struct{ Set string }

func (e *ErrNoCalls) Error() string {
	return fmt.Sprintf("%s: has no calls (no event type has a start, which is a coordinate in time, a duration, which is an inclusive amount, and a method)", e.Set)
}

// nanoseconds is what the units of time are, as sources write them.
var nanoseconds = map[string]int64{
	"ns": 1, "nanosecond": 1, "nanoseconds": 1,
	"us": 1000, "µs": 1000, "microsecond": 1000, "microseconds": 1000,
	"ms": 1e6, "millisecond": 1e6, "milliseconds": 1e6,
	"s": 1e9, "second": 1e9, "seconds": 1e9,
}

// FindCalls finds the event type that holds calls, and its fields; ok is false
// if there is none. Calls are the events that have
//
//   - a coordinate in a unit of time, the start: the one called Start, or else
//     the first;
//   - an amount in a unit of time with the property inclusive, the duration (of
//     events called Call, an amount called Duration is enough);
//   - a method: what the entity type with a hierarchy to which they refer is
//     named by (the calling context), or else a reference to a Method.
//
// A reference to an entity type called Thread tells their thread; without one
// all calls are of one thread.
func FindCalls(set *data.Set) (calls *data.EventTable, fields Fields, ok bool) {
	for _, e := range set.Events() {
		if f, ok := fieldsOf(set, e); ok {
			return e, f, true
		}
	}
	return nil, Fields{}, false
}

func fieldsOf(set *data.Set, e *data.EventTable) (f Fields, ok bool) {
	def := e.Definition
	for _, p := range set.Paths(def) {
		_, inTime := nanoseconds[strings.ToLower(string(p.Field.Unit))]
		switch {
		case p.Direct() && inTime && p.Field.Has(data.Coordinate):
			if f.Start.Name == "" || p.Name == "Start" {
				f.Start = p
			}
		case p.Direct() && inTime && p.Field.Has(data.Amount):
			if f.Duration.Name == "" && (p.Field.Has(inclusive) || def.Name == typeCall && p.Name == "Duration") {
				f.Duration = p
			}
		case p.Field.IsReference():
			if t := set.Entity(p.Field.Refers); t != nil && f.Context.Name == "" && t.FieldWith(data.Hierarchy) >= 0 && contextMethod(t) >= 0 {
				f.Context = p
			}
			if p.Field.Refers == typeThread && f.Thread.Name == "" {
				f.Thread = p
			}
			if p.Field.Refers == typeMethod && (f.Method.Name == "" || p.Name == typeMethod) {
				f.Method = p
			}
		}
	}
	if f.Context.Name != "" && f.Method.Name != typeMethod {
		// The method is what the context is named by; the first reference to
		// a method that is found may be another, such as that of the caller.
		contexts := set.Entity(f.Context.Field.Refers)
		want := contexts.Fields[contextMethod(contexts)].Refers
		for _, p := range set.Paths(def) {
			if p.Field.Refers == want && !p.Direct() {
				f.Method = p
				break
			}
		}
	}
	return f, f.Start.Name != "" && f.Duration.Name != "" && f.Method.Name != ""
}

// contextMethod gives the field of a context type that names its elements, or -1.
func contextMethod(t *data.EntityTable) int {
	return slices.IndexFunc(t.Fields, func(f data.Field) bool { return f.IsReference() && !f.Has(data.Hierarchy) })
}

// Build makes the trace of a data set from its calls (see [FindCalls]), in one
// pass over them. What calls what is told by their times: a call is made by
// the last one before it, of its thread, that has not ended. Where a call
// starts just as another ends, their contexts decide, if they have any.
//
// Calls of a thread that are not in the order of their start are sorted. A
// call that outlasts its caller is cut.
func Build(ctx context.Context, set *data.Set) (*Trace, error) {
	calls, fields, ok := FindCalls(set)
	if !ok {
		return nil, &ErrNoCalls{set.Name}
	}
	if calls.Rows() >= int(NoCall) {
		return nil, fmt.Errorf("%s: %d calls are more than can be numbered", set.Name, calls.Rows())
	}
	t := &Trace{Calls: calls, fields: fields, Methods: set.Entity(fields.Method.Field.Refers)}
	b := &builder{Trace: t, set: set}
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	b.threads()
	if err := b.nest(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// builder turns events into rows. Its columns are by event first, and by call
// once threads has ordered them.
type builder struct {
	*Trace
	set      *data.Set
	contexts []data.EntityID // nil if calls have none
	thread   []data.EntityID // by event; nil if there is one thread
}

// read takes the columns over. Those that are in memory and need no change are
// shared with the data set.
func (b *builder) read(ctx context.Context) error {
	f := b.fields
	rows := b.Calls.Rows()
	startScale := nanoseconds[strings.ToLower(string(f.Start.Field.Unit))]
	stopScale := nanoseconds[strings.ToLower(string(f.Duration.Field.Unit))]
	paths := []data.Path{f.Start, f.Duration, f.Method}
	at := func(p data.Path) int {
		if p.Name == "" {
			return -1
		}
		paths = append(paths, p)
		return len(paths) - 1
	}
	contextAt, threadAt := at(f.Context), at(f.Thread)
	var shared data.Column
	if c, ok := b.Calls.Column(f.Start.Name); ok && startScale == 1 {
		shared = c
	}
	b.Stop, b.Method = make([]int64, rows), make([]data.EntityID, rows)
	if b.Start = shared.Values; b.Start == nil {
		b.Start = make([]int64, rows)
	}
	if contextAt >= 0 {
		if c, ok := b.Calls.Column(f.Context.Name); ok && f.Context.Direct() {
			b.contexts = c.Refs
			contextAt = -1
		} else {
			b.contexts = make([]data.EntityID, rows)
		}
	}
	if threadAt >= 0 && b.set.Entity(typeThread).Rows() > 0 {
		b.thread = make([]data.EntityID, rows)
	}
	return b.Calls.Read(ctx, paths, func(batch data.Batch) error {
		first := int(batch.First)
		starts, durations := batch.Columns[0].Values, batch.Columns[1].Values
		if shared.Values == nil {
			for i, v := range starts {
				b.Start[first+i] = scaled(v, startScale)
			}
		}
		for i, v := range durations {
			b.Stop[first+i] = add(b.Start[first+i], scaled(max(v, 0), stopScale))
		}
		copy(b.Method[first:], batch.Columns[2].Refs)
		if contextAt >= 0 {
			copy(b.contexts[first:], batch.Columns[contextAt].Refs)
		}
		if b.thread != nil {
			copy(b.thread[first:], batch.Columns[threadAt].Refs)
		}
		return nil
	})
}

// scaled multiplies; what leaves the range of 64 bits is cut there.
func scaled(v, by int64) int64 {
	if by == 1 {
		return v
	}
	return max(min(v, math.MaxInt64/by), math.MinInt64/by) * by
}

// add adds a duration, which is not negative.
func add(start, duration int64) int64 {
	if start > 0 && duration > math.MaxInt64-start {
		return math.MaxInt64
	}
	return start + duration
}

// threads orders the rows: by thread, threads by their first start, and the
// calls of a thread by their start. Sources give calls in the order of their
// starts, so that mostly there is nothing to sort.
func (b *builder) threads() {
	rows := len(b.Start)
	names := []Thread{{Entity: data.None}}
	if b.thread != nil {
		table := b.set.Entity(typeThread)
		for id := range table.Rows() {
			names = append(names, Thread{Name: table.NameOf(data.EntityID(id)), Process: b.process(table, id), Entity: data.EntityID(id)})
		}
	}
	of := func(row int) int { // None is the largest id, and becomes 0
		if b.thread == nil {
			return 0
		}
		return int(b.thread[row] + 1)
	}
	counts, first := make([]CallID, len(names)), make([]int64, len(names))
	sorted := true
	last := make([]int64, len(names))
	for row, start := range b.Start {
		n := of(row)
		if counts[n] == 0 || start < first[n] {
			first[n] = start
		}
		if counts[n] > 0 && start < last[n] {
			sorted = false
		}
		last[n] = start
		counts[n]++
	}
	var order []int
	for n, count := range counts {
		if count > 0 {
			order = append(order, n)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(first[x], first[y]) })
	next := make([]CallID, len(names))
	at := CallID(0)
	for _, n := range order {
		thread := names[n]
		thread.First, next[n] = at, at
		at += counts[n]
		thread.End = at
		b.Threads = append(b.Threads, thread)
	}
	if len(order) <= 1 && sorted {
		return
	}
	b.events = make([]uint32, rows)
	for row := range rows {
		n := of(row)
		b.events[next[n]] = uint32(row)
		next[n]++
	}
	if !sorted {
		for _, thread := range b.Threads {
			part := b.events[thread.First:thread.End]
			// The longer one first: it is the one that makes the other.
			slices.SortStableFunc(part, func(x, y uint32) int {
				return cmp.Or(cmp.Compare(b.Start[x], b.Start[y]), cmp.Compare(b.Stop[y], b.Stop[x]))
			})
		}
	}
	b.byRow = make([]CallID, rows)
	for c, row := range b.events {
		b.byRow[row] = CallID(c)
	}
	b.Start, b.Stop = gather(b.Start, b.events), gather(b.Stop, b.events)
	b.Method, b.contexts = gather(b.Method, b.events), gather(b.contexts, b.events)
}

func gather[T any](column []T, rows []uint32) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
}

// process is the name of the process that a thread refers to, if any.
func (b *builder) process(threads *data.EntityTable, id int) string {
	i := slices.IndexFunc(threads.Fields, data.Field.IsReference)
	if i < 0 {
		return ""
	}
	return b.set.Entity(threads.Fields[i].Refers).NameOf(threads.Columns[i].Refs[id])
}

// nest finds callers.
func (b *builder) nest(ctx context.Context) error {
	t := b.Trace
	n := len(t.Start)
	t.Parent, t.End, t.Depth = make([]CallID, n), make([]CallID, n), make([]int32, n)
	t.Self = make([]int64, n)
	var callers []data.EntityID // context -> caller
	if b.contexts != nil {
		contexts := b.set.Entity(t.fields.Context.Field.Refers)
		callers = contexts.Columns[contexts.FieldWith(data.Hierarchy)].Refs
	}
	makes := func(caller, c CallID) bool {
		at := b.contexts[c]
		return at != data.None && callers[at] == b.contexts[caller] && callers[at] != data.None
	}
	var open []CallID // the calls around the next one
	for _, thread := range t.Threads {
		open = open[:0]
		for c := thread.First; c < thread.End; c++ {
			if c%data.BatchRows == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			start := t.Start[c]
			for len(open) > 0 {
				top := open[len(open)-1]
				if stop := t.Stop[top]; stop > start || stop == start && b.contexts != nil && makes(top, c) {
					break
				}
				t.End[top] = c
				open = open[:len(open)-1]
			}
			t.Parent[c], t.Depth[c] = NoCall, int32(len(open))
			if len(open) > 0 {
				caller := open[len(open)-1]
				t.Parent[c] = caller
				if t.Stop[c] > t.Stop[caller] {
					t.Stop[c] = t.Stop[caller]
					t.Cut++
				}
			}
			open = append(open, c)
		}
		for _, c := range open {
			t.End[c] = thread.End
		}
	}
	for c := range t.Parent {
		d := t.Stop[c] - t.Start[c]
		t.Self[c] += d
		if p := t.Parent[c]; p != NoCall {
			t.Self[p] -= d
		}
	}
	if n > 0 {
		t.From, t.To = slices.Min(t.Start), slices.Max(t.Stop)
	}
	return nil
}
