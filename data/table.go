package data

import "slices"

// EntityID is the row of an entity in its table.
type EntityID uint32

// None is the reference to nothing. It is the largest id, so that row 0 stays
// usable and "id < rows" is the whole validity check.
const None EntityID = ^EntityID(0)

// Column is one field of all elements of a table: exactly one of the two
// slices is in use, by the field's kind. Its length is the table's row count.
type Column struct {
	Refs   []EntityID // row -> row of the entity table the field refers to, or None
	Values []int64    // row -> value in the field's unit
}

func (c Column) len() int {
	if c.Refs != nil {
		return len(c.Refs)
	}
	return len(c.Values)
}

func (c Column) slice(from, to int) Column {
	if c.Refs != nil {
		return Column{Refs: c.Refs[from:to]}
	}
	return Column{Values: c.Values[from:to]}
}

// EntityTable holds all entities of one type. A row is an entity; rows are in
// the order the source gave them, except that a type with a hierarchy has
// every parent before its children.
type EntityTable struct {
	Definition
	// Names has an entry per row. It is nil for a type whose entities have
	// no name of their own (calling contexts are named by their method).
	Names   []string
	Columns []Column // by field index
	rows    int
}

// Rows is the number of entities.
func (t *EntityTable) Rows() int { return t.rows }

// Column gives the column of the named field; ok is false if there is none.
func (t *EntityTable) Column(name string) (c Column, ok bool) {
	if i := t.Field(name); i >= 0 {
		return t.Columns[i], true
	}
	return Column{}, false
}

// NameOf is the entity's name, "" for None and for types without names.
func (t *EntityTable) NameOf(id EntityID) string {
	if int64(id) >= int64(len(t.Names)) {
		return ""
	}
	return t.Names[id]
}

// EventTable holds all events of one type in the order they occurred. The row
// number is the event's sequence number within its type.
type EventTable struct {
	Definition
	Columns []Column // by field index; nil if the events are in a store
	rows    int
	set     *Set
	store   EventStore
}

// Instead gives other events of the same type, which are in memory: columns by
// field index. The data set keeps those that it has.
func (t *EventTable) Instead(rows int, columns []Column) *EventTable {
	return &EventTable{Definition: t.Definition, Columns: columns, rows: rows, set: t.set}
}

// Store is where the events are if they are not in memory; otherwise nil.
func (t *EventTable) Store() EventStore { return t.store }

// Rows is the number of events.
func (t *EventTable) Rows() int { return t.rows }

// Column gives the column of the named field; ok is false if there is none, or
// if it is in a store.
func (t *EventTable) Column(name string) (c Column, ok bool) {
	if i := t.Field(name); i >= 0 && t.store == nil {
		return t.Columns[i], true
	}
	return Column{}, false
}

// Set is one opened file, stream or query: entity tables, event tables and
// their definitions. It is immutable.
type Set struct {
	Name     string   // what it was opened as: a path, a URL, "standard input"
	Format   string   // the name of the source format
	Warnings []string // what the reader could not use, in sentences
	entities []*EntityTable
	events   []*EventTable
}

// Entities gives all entity tables in the order they were defined.
func (s *Set) Entities() []*EntityTable { return s.entities }

// Events gives all event tables in the order they were defined.
func (s *Set) Events() []*EventTable { return s.events }

// Entity gives the table of an entity type, or nil.
func (s *Set) Entity(name string) *EntityTable {
	if i := slices.IndexFunc(s.entities, func(t *EntityTable) bool { return t.Definition.Name == name }); i >= 0 {
		return s.entities[i]
	}
	return nil
}

// Event gives the table of an event type, or nil.
func (s *Set) Event(name string) *EventTable {
	if i := slices.IndexFunc(s.events, func(t *EventTable) bool { return t.Definition.Name == name }); i >= 0 {
		return s.events[i]
	}
	return nil
}
