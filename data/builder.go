package data

import (
	"fmt"
	"math"
)

// maxRows keeps every id representable beside None.
const maxRows = math.MaxUint32 - 1

// Builder collects the definitions and elements of one data set. It is not
// safe for concurrent use.
type Builder struct {
	set      Set
	entities []*EntityBuilder
	events   []*EventBuilder
	warned   map[string]int
	spill    Spill // nil keeps all events in memory
	limit    int64 // bytes of events that may be in memory before they are spilled

	spillRows int      // of SpillOften; 0 if memory decides
	spools    []*Spool // those that are in use
	waiting   int64    // bytes of spools in memory
	pages     Pages    // of spools; nil if there are none
	failed    error    // why pages could not be written

	ended func() error // why to end what takes long; nil never ends it
}

// NewBuilder starts a data set that will be known by name.
func NewBuilder(name, format string) *Builder {
	return &Builder{set: Set{Name: name, Format: format}, warned: map[string]int{}}
}

// Describe replaces the name and the format given to [NewBuilder], for sources
// that know better; what is empty stays as it is.
func (b *Builder) Describe(name, format string) {
	if name != "" {
		b.set.Name = name
	}
	if format != "" {
		b.set.Format = format
	}
}

// Until makes the taking and sorting of rows, which can take long, end with the
// error of ended as soon as it has one: that of a context.
func (b *Builder) Until(ended func() error) { b.ended = ended }

// maxWarnings bounds what a hostile file can make us remember.
const maxWarnings = 100

// Warn records a sentence about something in the input that could not be
// used. The same sentence is kept once.
func (b *Builder) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	b.warned[text]++
	switch {
	case b.warned[text] > 1:
	case len(b.set.Warnings) < maxWarnings:
		b.set.Warnings = append(b.set.Warnings, text)
	case len(b.set.Warnings) == maxWarnings:
		b.set.Warnings = append(b.set.Warnings, "more warnings were left out")
	}
	if len(b.warned) > 10*maxWarnings {
		clear(b.warned)
	}
}

// WarnCount is Warn about so many things; format has a %d for the number. Of none
// there is nothing to say.
func (b *Builder) WarnCount(n int64, format string) {
	if n > 0 {
		b.Warn(format, n)
	}
}

// EntityType defines an entity type and gives its builder. References may
// name types that are defined later; [Builder.Finish] checks them all.
func (b *Builder) EntityType(name, description string, fields ...Field) (*EntityBuilder, error) {
	def := Definition{Name: name, Description: description, Kind: Entity, Fields: fields}
	if err := b.define(def); err != nil {
		return nil, err
	}
	e := &EntityBuilder{elements: elements{b: b, def: def, columns: make([]Column, len(fields))}}
	b.entities = append(b.entities, e)
	return e, nil
}

// EventType defines an event type and gives its builder.
func (b *Builder) EventType(name, description string, fields ...Field) (*EventBuilder, error) {
	def := Definition{Name: name, Description: description, Kind: Event, Fields: fields}
	if err := b.define(def); err != nil {
		return nil, err
	}
	e := &EventBuilder{elements: elements{b: b, def: def, columns: make([]Column, len(fields))}}
	e.next = e.worth()
	b.events = append(b.events, e)
	return e, nil
}

func (b *Builder) define(def Definition) error {
	if err := def.verify(); err != nil {
		return err
	}
	for _, e := range b.entities {
		if e.def.Name == def.Name {
			return fmt.Errorf("two types are called %q", def.Name)
		}
	}
	for _, e := range b.events {
		if e.def.Name == def.Name {
			return fmt.Errorf("two types are called %q", def.Name)
		}
	}
	return nil
}

func (b *Builder) entity(name string) *EntityBuilder {
	for _, e := range b.entities {
		if e.def.Name == name {
			return e
		}
	}
	return nil
}

// Finish checks what could not be checked element by element (references to
// types and elements that came later) and freezes the set. The builder must
// not be used afterwards.
func (b *Builder) Finish() (*Set, error) {
	defer b.Close()
	if b.failed != nil {
		return nil, b.failed
	}
	s := &b.set
	for _, e := range b.entities {
		if err := e.verifyReferences(); err != nil {
			return nil, err
		}
		s.entities = append(s.entities, &EntityTable{Definition: e.def, Names: e.names, Columns: e.columns, rows: e.rows})
	}
	for _, e := range b.events {
		if err := e.verifyReferences(); err != nil {
			return nil, err
		}
		t, err := e.finish(s)
		if err != nil {
			return nil, err
		}
		if err := e.verifyGone(); err != nil {
			return nil, err
		}
		s.events = append(s.events, t)
	}
	return s, nil
}

// Close gives up what the builder keeps on disk for itself. Finish does that,
// too; who does not get there has to.
func (b *Builder) Close() error {
	if b.pages == nil {
		return nil
	}
	pages := b.pages
	b.pages = nil
	return pages.Close()
}

// elements is what both builders share: a growing table and its checks.
type elements struct {
	b       *Builder
	def     Definition
	columns []Column
	rows    int
}

// Definition is what the elements are checked against.
func (e *elements) Definition() Definition { return e.def }

// Rows is the number of elements so far.
func (e *elements) Rows() int { return e.rows }

// append adds one element after checking it against the definition. A value
// of a reference field is the id of the entity, or int64(None). label names
// the element in errors.
func (e *elements) append(label func() string, row []int64) error {
	if len(row) != len(e.def.Fields) {
		return fmt.Errorf("%s: has %d fields, but %q is defined with %d", label(), len(row), e.def.Name, len(e.def.Fields))
	}
	if e.rows >= maxRows {
		return fmt.Errorf("%s: more than %d elements of type %q", label(), int64(maxRows), e.def.Name)
	}
	for i, v := range row {
		f := &e.def.Fields[i]
		if !f.IsReference() {
			continue
		}
		if v < 0 || v > int64(None) {
			return fmt.Errorf("%s: field %q: %d is not the id of an entity", label(), f.Name, v)
		}
		if f.Has(Hierarchy) && EntityID(v) != None && v >= int64(e.rows) {
			return fmt.Errorf("%s: field %q: the parent %d comes after its child", label(), f.Name, v)
		}
	}
	for i, v := range row {
		if e.def.Fields[i].IsReference() {
			e.columns[i].Refs = append(e.columns[i].Refs, EntityID(v))
		} else {
			e.columns[i].Values = append(e.columns[i].Values, v)
		}
	}
	e.rows++
	return nil
}

// adopt takes whole columns as the table's content: the way for readers that
// make millions of elements. Hierarchies are checked here, other references
// by Finish.
func (e *elements) adopt(rows int, columns []Column) error {
	if e.rows != 0 {
		return fmt.Errorf("%s type %q: columns can only be adopted by an empty table", e.def.Kind, e.def.Name)
	}
	if rows < 0 || rows > maxRows {
		return fmt.Errorf("%s type %q: %d elements are more than can be numbered", e.def.Kind, e.def.Name, rows)
	}
	if err := e.verifyColumns(rows, columns); err != nil {
		return err
	}
	e.columns, e.rows = columns, rows
	return nil
}

// verifyColumns checks whole columns against the definition.
func (e *elements) verifyColumns(rows int, columns []Column) error {
	if len(columns) != len(e.def.Fields) {
		return fmt.Errorf("%s type %q: got %d columns, but it is defined with %d fields", e.def.Kind, e.def.Name, len(columns), len(e.def.Fields))
	}
	for i, c := range columns {
		f := &e.def.Fields[i]
		if f.IsReference() && c.Values != nil || !f.IsReference() && c.Refs != nil {
			return fmt.Errorf("%s type %q: field %q: the column's kind is not the field's", e.def.Kind, e.def.Name, f.Name)
		}
		if c.len() != rows {
			return fmt.Errorf("%s type %q: field %q: the column has %d rows instead of %d", e.def.Kind, e.def.Name, f.Name, c.len(), rows)
		}
		if f.Has(Hierarchy) {
			for row, parent := range c.Refs {
				if parent != None && int(parent) >= row {
					return fmt.Errorf("%s %d: field %q: the parent %d comes after its child", e.def.Name, row, f.Name, parent)
				}
			}
		}
	}
	return nil
}

// verifyReferences checks that every reference points into its table.
func (e *elements) verifyReferences() error {
	for i, f := range e.def.Fields {
		if !f.IsReference() {
			continue
		}
		target := e.b.entity(f.Refers)
		if target == nil {
			return fmt.Errorf("%s type %q: field %q refers to %q, which is not a defined entity type", e.def.Kind, e.def.Name, f.Name, f.Refers)
		}
		rows := EntityID(target.rows)
		for row, id := range e.columns[i].Refs {
			if id >= rows && id != None {
				return fmt.Errorf("%s %d: field %q refers to %s %d, but there are only %d", e.def.Name, row, f.Name, f.Refers, id, rows)
			}
		}
	}
	return nil
}

// EntityBuilder adds entities of one type.
type EntityBuilder struct {
	elements
	names []string
	byKey map[string]EntityID
}

// Add appends an entity. row has a value per field of the definition, in its
// order; for a reference that is the entity's id, or int64(None). The error
// names the field and the entity that are wrong; the entity is then not added.
func (e *EntityBuilder) Add(name string, row ...int64) (EntityID, error) {
	label := func() string { return fmt.Sprintf("%s %d (%q)", e.def.Name, e.rows, name) }
	if err := e.append(label, row); err != nil {
		return None, err
	}
	e.names = append(e.names, name)
	return EntityID(e.rows - 1), nil
}

// Intern gives the entity first interned under this name, adding it if there
// is none. row is looked at only when the entity is new.
func (e *EntityBuilder) Intern(name string, row ...int64) (EntityID, error) {
	if id, ok := e.byKey[name]; ok {
		return id, nil
	}
	id, err := e.Add(name, row...)
	if err != nil {
		return None, err
	}
	if e.byKey == nil {
		e.byKey = map[string]EntityID{}
	}
	e.byKey[name] = id
	return id, nil
}

// Lookup gives the entity interned under this name.
func (e *EntityBuilder) Lookup(name string) (EntityID, bool) {
	id, ok := e.byKey[name]
	return id, ok
}

// Adopt makes columns the content of the still empty table, without copying.
// names is nil for a type whose entities have no names.
func (e *EntityBuilder) Adopt(names []string, rows int, columns ...Column) error {
	if names != nil && len(names) != rows {
		return fmt.Errorf("entity type %q: got %d names for %d entities", e.def.Name, len(names), rows)
	}
	if err := e.adopt(rows, columns); err != nil {
		return err
	}
	e.names = names
	return nil
}

// EventBuilder adds events of one type, in the order they occurred.
type EventBuilder struct {
	elements
	next int // rows at which to see whether memory needs relief

	// Events that are not in columns any more: first those that went elsewhere,
	// see Builder.SpillTo, then those in parts. They are put together at the
	// end, so that nothing is copied while they grow.
	writer  EventWriter
	spilled int     // what is in parts begins with this row
	parts   []Block // in memory
	parted  int     // what is in columns begins with this row
	largest []reach // by field: of what is not in columns

	store EventStore // of AdoptStore
}

// Add appends an event; row is as for [EntityBuilder.Add].
func (e *EventBuilder) Add(row ...int64) error {
	if e.store != nil {
		return fmt.Errorf("event type %q: nothing can be added to a store", e.def.Name)
	}
	if err := e.append(func() string { return fmt.Sprintf("%s %d", e.def.Name, e.rows) }, row); err != nil {
		return err
	}
	if e.rows < e.next {
		return nil
	}
	return e.relieve()
}

// Adopt makes columns the content of the still empty table, without copying.
func (e *EventBuilder) Adopt(rows int, columns ...Column) error {
	if e.rows != 0 {
		return fmt.Errorf("event type %q: columns can only be adopted by an empty table", e.def.Name)
	}
	return e.take(rows, columns)
}
