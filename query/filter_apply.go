package query

import (
	"github.com/cambium-prof/cambium/data"
)

// Mask is a filter made ready for one type of element. It is one goroutine's.
type Mask struct {
	// Paths are the columns that a batch must have, in this order; all are
	// direct fields, whatever the filter names.
	Paths []data.Path
	// Condition is the same test, for those who can decide it by themselves.
	Condition *data.Condition

	decider data.Decider
	at      map[int]int // field -> index in Paths
}

// Events makes a filter ready for a type of event. The answer is nil if the
// filter says nothing about it, so that all its events are kept: a choice of
// threads says nothing about events that have no thread. Where only a part of
// the filter says nothing, that part is left out (and: the other part decides;
// or: all are kept).
func (f *Filter) Events(def data.Definition) *Mask {
	if f == nil {
		return nil
	}
	c := f.compile(def, f.root)
	if c == nil {
		return nil
	}
	m := &Mask{Condition: c, decider: data.Decider{Condition: c}, at: map[int]int{}}
	for _, field := range c.Fields(nil) {
		p, _ := f.set.Path(def, def.Fields[field].Name)
		m.at[field] = len(m.Paths)
		m.Paths = append(m.Paths, p)
	}
	return m
}

// Apply sets keep, which is as long as the batch, for every event. The columns
// are those of Paths.
func (m *Mask) Apply(b data.Batch, keep []bool) {
	m.decider.Decide(b.First, keep, func(field int) data.Column { return b.Columns[m.at[field]] })
}

// Entities tells which entities of a type the filter holds for; nil if it says
// nothing about them.
func (f *Filter) Entities(t *data.EntityTable) []bool {
	if f == nil {
		return nil
	}
	c := f.compile(t.Definition, f.root)
	if c == nil {
		return nil
	}
	keep := make([]bool, t.Rows())
	d := data.Decider{Condition: c}
	d.Decide(0, keep, func(field int) data.Column { return t.Columns[field] })
	return keep
}

// compile gives nil where the filter says nothing about the type.
func (f *Filter) compile(def data.Definition, t clause) *data.Condition {
	switch t := t.(type) {
	case notClause:
		if of := f.compile(def, t.of); of != nil {
			return &data.Condition{Op: data.NoneOf, Of: []*data.Condition{of}}
		}
	case andClause:
		a, b := f.compile(def, t.a), f.compile(def, t.b)
		switch {
		case a == nil:
			return b
		case b == nil:
			return a
		}
		return &data.Condition{Op: data.AllOf, Of: []*data.Condition{a, b}}
	case orClause:
		a, b := f.compile(def, t.a), f.compile(def, t.b)
		if a != nil && b != nil {
			return &data.Condition{Op: data.AnyOf, Of: []*data.Condition{a, b}}
		}
	case valueClause:
		if i := def.Field(t.name); i >= 0 && !def.Fields[i].IsReference() {
			return &data.Condition{Op: data.InRanges, Field: i, Ranges: t.ranges}
		}
		if t.name == sequence && def.Kind == data.Event {
			return &data.Condition{Op: data.InRanges, Field: data.OwnRow, Ranges: t.ranges}
		}
	case refClause:
		return f.references(def, t)
	}
	return nil
}

// references decides by the direct references of an element: what an indirect
// one leads to is marked on the entities of the direct one first, so that a
// pass over events looks up one mark per field and follows nothing.
func (f *Filter) references(def data.Definition, t refClause) *data.Condition {
	var fields []*data.Condition
	paths := f.set.Paths(def)
	add := func(p data.Path) {
		marks, ok := t.marks[p.Field.Refers]
		if !ok {
			return
		}
		_, lifted := f.set.Lift(def, p, marks)
		for _, c := range fields {
			if c.Field == p.Start() {
				for e, mark := range lifted {
					c.Marks[e] = c.Marks[e] || mark
				}
				return
			}
		}
		fields = append(fields, &data.Condition{Op: data.IsMarked, Field: p.Start(), Marks: lifted})
	}
	for _, p := range paths {
		if p.Name == t.name && p.Field.IsReference() {
			add(p)
		}
	}
	if len(fields) == 0 {
		// Not a field of this type: any way to the entities, or they themselves.
		if own := t.marks[def.Name]; own != nil && def.Kind == data.Entity {
			return &data.Condition{Op: data.IsMarked, Field: data.OwnRow, Marks: own}
		}
		for _, p := range paths {
			if p.Field.IsReference() {
				add(p)
			}
		}
	}
	switch len(fields) {
	case 0:
		return nil
	case 1:
		return fields[0]
	}
	return &data.Condition{Op: data.AnyOf, Of: fields}
}
