package data

import (
	"context"
	"errors"
	"fmt"
)

// EventStore holds the events of one type outside of memory. A table whose
// events are in a store has no columns; everything else about it is the same.
// Entities are always in memory.
//
// Any number of methods may be called at the same time.
type EventStore interface {
	// Rows is the number of events.
	Rows() int
	// Read yields the columns of the given fields of the events from..to-1,
	// in order. Batch.Columns is by index of fields.
	Read(ctx context.Context, fields []int, from, to int64, yield func(Batch) error) error
}

// Reducer is an [EventStore] that can add events up by itself, in less time
// than reading them all takes.
type Reducer interface {
	EventStore
	// Reduce may fail with ErrTooMany.
	Reduce(ctx context.Context, r Reduction) (Reduced, error)
}

// ErrTooMany tells that a reduction would have more results than it can work
// on: reading the events is better.
var ErrTooMany = errors.New("the keys have too many values to add events up by them")

// CountField stands, among the fields to sum up, for the number of events.
const CountField = -1

// Reduction says how to add events up: those that agree in all keys, and in
// the first of Groups that holds, become one.
type Reduction struct {
	From, To int64 // sequence numbers of the events, From..To-1
	Where    *Condition
	Keys     []Key
	Sums     []int // fields of amounts, or CountField
	Groups   []*Condition
}

// Key is a direct field to group by.
type Key struct {
	Field int
	// Width rounds a value down to a multiple of it; 0 and 1 leave it as it is.
	Width int64
}

// Reduced are events that were added up, in the order in which the first of
// each occurred.
type Reduced struct {
	Rows  int
	Keys  []Column  // by index of Reduction.Keys
	Sums  [][]int64 // by index of Reduction.Sums; what exceeds 64 bits is cut
	First []int64   // the smallest sequence number, rising
	Group []uint8   // 0: no group held, g: Groups[g-1]; nil without groups
}

// Floor rounds v down to a multiple of width, as reductions do. A value so
// small that the multiple has no representation stays what it is.
func Floor(v, width int64) int64 {
	if width <= 1 {
		return v
	}
	m := v % width
	if m == 0 {
		return v
	}
	if m < 0 {
		m += width
	}
	if f := v - m; f < v {
		return f
	}
	return v
}

// Spill takes the events that a builder does not keep in memory.
type Spill interface {
	// Events starts a type of event.
	Events(def Definition) (EventWriter, error)
	// Pages starts a place for rows of a Spool.
	Pages() (Pages, error)
}

// EventWriter takes the events of one type, in order.
type EventWriter interface {
	// Write takes rows events. It does not keep the columns.
	Write(rows int, columns []Column) error
	// Finish gives what was written. The writer must not be used afterwards.
	Finish() (EventStore, error)
}

// SpillTo makes the builder hand events to s once those in memory take more
// than limit bytes. Nothing changes for who adds events.
func (b *Builder) SpillTo(s Spill, limit int64) { b.spill, b.limit = s, limit }

// SpillOften makes the builder hand on events whenever there are so many rows,
// however little memory they take: for tests of readers.
func (b *Builder) SpillOften(rows int) { b.spillRows = rows }

// Often gives how many of rows to work on at a time: all, or fewer if the builder
// was told to spill often.
func (b *Builder) Often(rows int) int {
	if b.spillRows > 0 {
		return min(rows, b.spillRows)
	}
	return rows
}

// worth is how many events of a type wait in memory before they are handed on:
// few enough not to matter, enough to be worth a call.
func (e *EventBuilder) worth() int { return e.b.Often(4 * BatchRows) }

// held is what a type's events in memory take.
func (e *EventBuilder) held() int64 {
	var row int64
	for _, f := range e.def.Fields {
		row += 8
		if f.IsReference() {
			row -= 4
		}
	}
	return int64(e.rows-e.spilled) * row
}

// take adds rows without copying the columns, which are the builder's from now
// on.
func (e *EventBuilder) take(rows int, columns []Column) error {
	if err := e.admit(rows, columns); err != nil {
		return err
	}
	e.part()
	e.columns, e.rows = columns, e.rows+rows
	return e.relieve()
}

// admit checks rows that are to be added.
func (e *EventBuilder) admit(rows int, columns []Column) error {
	if e.store != nil {
		return fmt.Errorf("event type %q: nothing can be added to a store", e.def.Name)
	}
	if rows < 0 || rows > maxRows-e.rows {
		return fmt.Errorf("event type %q: %d elements are more than can be numbered", e.def.Name, int64(e.rows)+int64(rows))
	}
	return e.verifyColumns(rows, columns)
}

// part makes a part of what is in columns.
func (e *EventBuilder) part() {
	if e.rows == e.parted {
		return
	}
	if e.largest == nil {
		e.largest = make([]reach, len(e.columns))
	}
	for i, c := range e.columns {
		e.largest[i].extend(c.Refs, e.parted)
	}
	e.parts = append(e.parts, Block{e.rows - e.parted, e.columns})
	e.columns, e.parted = make([]Column, len(e.def.Fields)), e.rows
}

// relieve sees to what is in memory once there is enough of it: it is handed
// on, if there is where to and a need, or else put aside.
func (e *EventBuilder) relieve() error {
	if e.rows < e.next {
		return nil
	}
	e.next = e.rows + e.worth()
	e.part()
	if e.b.spill == nil {
		return nil
	}
	if e.writer == nil && e.b.spillRows == 0 {
		held := e.b.waiting
		for _, of := range e.b.events {
			held += of.held()
		}
		if held <= e.b.limit {
			return nil
		}
	}
	return e.flush()
}

func (e *EventBuilder) flush() error {
	if e.writer == nil {
		w, err := e.b.spill.Events(e.def)
		if err != nil {
			return err
		}
		e.writer = w
	}
	for i, p := range e.parts {
		if err := e.writer.Write(p.Rows, p.Columns); err != nil {
			return err
		}
		e.parts[i] = Block{}
	}
	e.parts, e.spilled = nil, e.parted
	return nil
}

// finish gives the frozen table.
func (e *EventBuilder) finish(s *Set) (*EventTable, error) {
	t := &EventTable{Definition: e.def, rows: e.rows, set: s}
	switch {
	case e.writer != nil:
		e.part()
		if err := e.flush(); err != nil {
			return nil, err
		}
		var err error
		if t.store, err = e.writer.Finish(); err != nil {
			return nil, err
		}
	case e.store != nil:
		t.store = e.store
	case len(e.parts) == 0:
		t.Columns = e.columns
		for i, c := range t.Columns {
			t.Columns[i] = Column{} // so that it can go while the next one is copied
			t.Columns[i] = Column{Refs: trim(c.Refs), Values: trim(c.Values)}
		}
	default:
		e.part()
		for i, f := range e.def.Fields {
			t.Columns = append(t.Columns, e.whole(i, f.IsReference()))
		}
	}
	return t, nil
}

// whole puts a column together, and lets go of its parts.
func (e *EventBuilder) whole(field int, refs bool) (c Column) {
	if len(e.parts) == 1 {
		c, e.parts[0].Columns[field] = e.parts[0].Columns[field], Column{}
		return Column{Refs: trim(c.Refs), Values: trim(c.Values)}
	}
	if refs {
		c.Refs = make([]EntityID, 0, e.rows)
	} else {
		c.Values = make([]int64, 0, e.rows)
	}
	for _, p := range e.parts {
		part := p.Columns[field]
		p.Columns[field] = Column{}
		c.Refs, c.Values = append(c.Refs, part.Refs...), append(c.Values, part.Values...)
	}
	return c
}

// trim copies a column that was grown by doubling, as readers do: it would hold
// up to twice its memory for as long as the data set is open.
func trim[T any](column []T) []T {
	if cap(column)-len(column) <= len(column)/8 {
		return column
	}
	return append(make([]T, 0, len(column)), column...)
}

// reach is the largest id in a column of references, and the first row with it.
type reach struct {
	id  EntityID
	row int
	any bool
}

func (r *reach) extend(refs []EntityID, first int) {
	for i, id := range refs {
		if id != None && (!r.any || id > r.id) {
			*r = reach{id, first + i, true}
		}
	}
}

// verifyGone is verifyReferences for what is not in columns any more.
func (e *EventBuilder) verifyGone() error {
	for i, r := range e.largest {
		f := e.def.Fields[i]
		target := e.b.entity(f.Refers)
		if r.any && target != nil && int(r.id) >= target.rows {
			return fmt.Errorf("%s %d: field %q refers to %s %d, but there are only %d", e.def.Name, r.row, f.Name, f.Refers, r.id, target.rows)
		}
	}
	return nil
}

// AdoptStore makes the events of a store the content of the still empty table.
// References are not checked: the store answers for them.
func (e *EventBuilder) AdoptStore(s EventStore) error {
	if e.rows != 0 {
		return fmt.Errorf("event type %q: a store can only be adopted by an empty table", e.def.Name)
	}
	if s.Rows() < 0 || s.Rows() > maxRows {
		return fmt.Errorf("event type %q: %d elements are more than can be numbered", e.def.Name, s.Rows())
	}
	e.store, e.rows = s, s.Rows()
	return nil
}

// Append adds rows events at once, copying the columns: the way for readers
// that make millions of events and should not have to hold them all.
func (e *EventBuilder) Append(rows int, columns ...Column) error {
	if err := e.admit(rows, columns); err != nil {
		return err
	}
	for i, c := range columns {
		e.columns[i].Refs = append(e.columns[i].Refs, c.Refs...)
		e.columns[i].Values = append(e.columns[i].Values, c.Values...)
	}
	e.rows += rows
	return e.relieve()
}
