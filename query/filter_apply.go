package query

import (
	"github.com/cambium-prof/cambium/data"
)

// Mask is a filter made ready for one type of element.
type Mask struct {
	// Paths are the columns that a batch must have, in this order; all are
	// direct fields, whatever the filter names.
	Paths []data.Path
	test  test
	sets  [][]bool // scratch for the two sides of a combination, by depth
}

// test decides rows of a batch. It must set every element of keep.
type test func(m *Mask, depth int, b data.Batch, keep []bool)

// Events makes a filter ready for a type of event. The answer is nil if the
// filter says nothing about it, so that all its events are kept: a choice of
// threads says nothing about events that have no thread. Where only a part of
// the filter says nothing, that part is left out (and: the other part decides;
// or: all are kept).
func (f *Filter) Events(def data.Definition) *Mask {
	if f == nil {
		return nil
	}
	m := &Mask{}
	m.test = f.compile(m, def, f.root)
	if m.test == nil {
		return nil
	}
	return m
}

// Apply sets keep, which is as long as the batch, for every event. The columns
// are those of Paths.
func (m *Mask) Apply(b data.Batch, keep []bool) { m.test(m, 0, b, keep) }

// Entities tells which entities of a type the filter holds for; nil if it says
// nothing about them.
func (f *Filter) Entities(t *data.EntityTable) []bool {
	if f == nil {
		return nil
	}
	m := f.Events(t.Definition)
	if m == nil {
		return nil
	}
	b := data.Batch{Rows: t.Rows()}
	for _, p := range m.Paths {
		b.Columns = append(b.Columns, t.Columns[t.Field(p.Name)])
	}
	keep := make([]bool, t.Rows())
	m.Apply(b, keep)
	return keep
}

func (m *Mask) column(p data.Path) int {
	for i, q := range m.Paths {
		if q.Name == p.Name {
			return i
		}
	}
	m.Paths = append(m.Paths, p)
	return len(m.Paths) - 1
}

// compile gives nil where the filter says nothing about the type.
func (f *Filter) compile(m *Mask, def data.Definition, t clause) test {
	switch t := t.(type) {
	case notClause:
		of := f.compile(m, def, t.of)
		if of == nil {
			return nil
		}
		return func(m *Mask, depth int, b data.Batch, keep []bool) {
			of(m, depth, b, keep)
			for i := range keep {
				keep[i] = !keep[i]
			}
		}
	case andClause:
		x, y := f.compile(m, def, t.a), f.compile(m, def, t.b)
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return both(x, y, func(a, b bool) bool { return a && b })
	case orClause:
		x, y := f.compile(m, def, t.a), f.compile(m, def, t.b)
		if x == nil || y == nil {
			return nil
		}
		return both(x, y, func(a, b bool) bool { return a || b })
	case valueClause:
		return f.values(m, def, t)
	case refClause:
		return f.references(m, def, t)
	}
	return nil
}

func both(x, y test, join func(a, b bool) bool) test {
	return func(m *Mask, depth int, b data.Batch, keep []bool) {
		for len(m.sets) <= depth {
			m.sets = append(m.sets, nil)
		}
		if len(m.sets[depth]) < len(keep) {
			m.sets[depth] = make([]bool, len(keep))
		}
		other := m.sets[depth][:len(keep)]
		x(m, depth+1, b, keep)
		y(m, depth+1, b, other)
		for i, k := range keep {
			keep[i] = join(k, other[i])
		}
	}
}

func (f *Filter) values(m *Mask, def data.Definition, t valueClause) test {
	in := func(v int64) bool {
		for _, s := range t.ranges {
			if v >= s.from && v <= s.to {
				return true
			}
		}
		return false
	}
	if i := def.Field(t.name); i >= 0 && !def.Fields[i].IsReference() {
		p, _ := f.set.Path(def, t.name)
		c := m.column(p)
		return func(_ *Mask, _ int, b data.Batch, keep []bool) {
			for i, v := range b.Columns[c].Values {
				keep[i] = in(v)
			}
		}
	}
	if t.name == sequence && def.Kind == data.Event {
		return func(_ *Mask, _ int, b data.Batch, keep []bool) {
			for i := range keep {
				keep[i] = in(b.First + int64(i))
			}
		}
	}
	return nil
}

// references decides by the direct references of an element: what an indirect
// one leads to is marked on the entities of the direct one first, so that a
// pass over events looks up one mark per field and follows nothing.
func (f *Filter) references(m *Mask, def data.Definition, t refClause) test {
	type field struct {
		column int
		marks  []bool
	}
	var fields []field
	paths := f.set.Paths(def)
	add := func(p data.Path) {
		marks, ok := t.marks[p.Field.Refers]
		if !ok {
			return
		}
		first, lifted := f.set.Lift(def, p, marks)
		c := m.column(first)
		for i := range fields {
			if fields[i].column == c {
				for e, mark := range lifted {
					fields[i].marks[e] = fields[i].marks[e] || mark
				}
				return
			}
		}
		fields = append(fields, field{c, lifted})
	}
	for _, p := range paths {
		if p.Name == t.name && p.Field.IsReference() {
			add(p)
		}
	}
	var own []bool
	if len(fields) == 0 {
		// Not a field of this type: any way to the entities, or they themselves.
		if def.Kind == data.Entity {
			own = t.marks[def.Name]
		}
		if own == nil {
			for _, p := range paths {
				if p.Field.IsReference() {
					add(p)
				}
			}
		}
	}
	if own == nil && len(fields) == 0 {
		return nil
	}
	return func(_ *Mask, _ int, b data.Batch, keep []bool) {
		if own != nil {
			copy(keep, own[b.First:])
			return
		}
		clear(keep)
		for _, field := range fields {
			marks := field.marks
			for i, e := range b.Columns[field.column].Refs {
				// None is the largest id, and so out of range.
				if int(e) < len(marks) && marks[e] {
					keep[i] = true
				}
			}
		}
	}
}
