package ndjson

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// What takes the time of a large stream is lines such as
//
//	{"event":"A","rows":[["m1",5],["m2",7]]}
//	{"event":"A","fields":{"method":"m1","size":5}}
//	{"entity":"M","rows":[["m1","work"],["m2","rest"]]}
//	{"entity":"M","id":"m1","name":"work"}
//
// They are read in one pass, events straight into columns, which are added once
// the whole line has turned out to be right. Whatever else there is about a line,
// an escape, another key, a mistake, makes it one for the long way, which
// has not to undo anything then. Whatever the short way takes, the long one would
// take in the same way.

// quick is what an event type needs for the short way.
type quick struct {
	refers  []*entityType // by field, nil for values
	columns []data.Column // of the current line
}

// newQuick gives nil if events of the type always go the long way.
func (r *reader) newQuick(def *data.Definition) *quick {
	q := &quick{refers: make([]*entityType, len(def.Fields)), columns: make([]data.Column, len(def.Fields))}
	for i, f := range def.Fields {
		if q.refers[i] = r.entities[f.Refers]; f.IsReference() && q.refers[i] == nil {
			return nil
		}
	}
	return q
}

// quickly takes a line the short way. It gives false, and took nothing, if that is
// not the way for this line.
func (r *reader) quickly(line []byte) (bool, error) {
	c := cursor{b: line}
	if !c.take('{') {
		return false, nil
	}
	if c.word(`"event"`) {
		return r.quickEvents(&c)
	}
	return c.word(`"entity"`) && r.quickEntities(&c), nil
}

func (r *reader) quickEvents(c *cursor) (bool, error) {
	name, ok := c.name()
	if !ok {
		return false, nil
	}
	t := r.events[string(name)]
	if t == nil || t.quick == nil {
		return false, nil
	}
	for i := range t.quick.columns {
		column := &t.quick.columns[i]
		column.Refs, column.Values = column.Refs[:0], column.Values[:0]
	}
	n, ok := 1, false
	if c.word(`"rows"`) {
		n, ok = t.quick.rows(c)
	} else if c.word(`"fields"`) {
		ok = t.quick.object(c, t.def.Fields)
	}
	if !ok || !c.end() {
		return false, nil
	}
	if err := t.Append(n, t.quick.columns...); err != nil {
		return true, err
	}
	r.elements += n
	return true, nil
}

// quickEntities checks and divides a line; what the values mean is decided for
// one entity after the other, as each may be what the next refers to.
func (r *reader) quickEntities(c *cursor) bool {
	name, ok := c.name()
	if !ok {
		return false
	}
	t := r.entities[string(name)]
	if t == nil {
		return false
	}
	width := 2 + len(t.def.Fields)
	r.values = r.values[:0]
	switch {
	case c.word(`"rows"`):
		ok = r.divide(c, width)
	case c.word(`"id"`) && width == 2:
		ok = c.take(':') && r.scalar(c) && c.take(',') && c.word(`"name"`) && c.take(':') && r.scalar(c)
	default:
		return false
	}
	if !ok || !c.end() {
		return false
	}
	for row := r.values; len(row) > 0; row = row[width:] {
		_ = r.passOver(r.addEntity(t, row[0], row[1], func() error { return r.valuesOf(&t.def, row[2:width], t.Rows()) }))
	}
	return true
}

// divide takes rows of so many texts, integers and nulls.
func (r *reader) divide(c *cursor, width int) bool {
	if !c.take(':') || !c.take('[') {
		return false
	}
	for more := true; more; more = c.take(',') {
		if !c.take('[') {
			return false
		}
		for i := range width {
			if i > 0 && !c.take(',') || !r.scalar(c) {
				return false
			}
		}
		if !c.take(']') {
			return false
		}
	}
	return c.take(']')
}

func (r *reader) scalar(c *cursor) bool {
	first := c.blank()
	from, ok := c.at, false
	switch first {
	case '"':
		_, ok = c.text()
	case 'n':
		ok = c.word("null")
	default:
		_, ok = c.integer()
	}
	r.values = append(r.values, c.b[from:c.at])
	return ok
}

func (q *quick) rows(c *cursor) (n int, ok bool) {
	if !c.take(':') || !c.take('[') {
		return 0, false
	}
	for more := true; more; more = c.take(',') {
		if !c.take('[') {
			return 0, false
		}
		for i := range q.refers {
			if i > 0 && !c.take(',') || !q.value(c, i) {
				return 0, false
			}
		}
		if !c.take(']') {
			return 0, false
		}
		n++
	}
	return n, c.take(']')
}

// object takes an object that has all fields, in the order of the definition.
func (q *quick) object(c *cursor, fields []data.Field) bool {
	if !c.take(':') || !c.take('{') {
		return false
	}
	for i := range fields {
		if i > 0 && !c.take(',') {
			return false
		}
		if key, ok := c.text(); !ok || string(key) != fields[i].Name || !c.take(':') || !q.value(c, i) {
			return false
		}
	}
	return c.take('}')
}

// value takes the value of a field into its column.
func (q *quick) value(c *cursor, field int) bool {
	column := &q.columns[field]
	if to := q.refers[field]; to != nil {
		id, ok := c.reference(to)
		column.Refs = append(column.Refs, id)
		return ok
	}
	v, ok := c.integer()
	column.Values = append(column.Values, v)
	return ok
}

// cursor goes through a line that may be anything. What it does not take stays.
type cursor struct {
	b  []byte
	at int
}

// blank gives the next byte that is not blank, 0 at the end.
func (c *cursor) blank() byte {
	for c.at < len(c.b) {
		switch b := c.b[c.at]; b {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return b
		}
	}
	return 0
}

func (c *cursor) take(b byte) bool {
	if c.at < len(c.b) && c.b[c.at] == b || c.blank() == b {
		c.at++
		return true
	}
	return false
}

func (c *cursor) word(w string) bool {
	c.blank()
	if rest := c.b[c.at:]; len(rest) >= len(w) && string(rest[:len(w)]) == w {
		c.at += len(w)
		return true
	}
	return false
}

// name takes the name of a type, as a value that another key follows.
func (c *cursor) name() ([]byte, bool) {
	if !c.take(':') {
		return nil, false
	}
	name, ok := c.text()
	return name, ok && c.take(',')
}

// end tells whether the object ends here, and the line.
func (c *cursor) end() bool { return c.take('}') && c.at == len(c.b) }

// text takes a text that is written as it is: in ASCII, without escapes.
func (c *cursor) text() ([]byte, bool) {
	if !c.take('"') {
		return nil, false
	}
	for i, b := range c.b[c.at:] {
		if b == '"' {
			text := c.b[c.at : c.at+i]
			c.at += i + 1
			return text, true
		}
		if b < ' ' || b >= 0x80 || b == '\\' {
			break
		}
	}
	return nil, false
}

// integer takes one that fits; what it is followed by is looked at by whoever
// wants something else there.
func (c *cursor) integer() (int64, bool) {
	c.blank()
	digits := c.b[c.at:]
	if len(digits) > 1 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1]-'0' <= 9 {
		return 0, false // not JSON
	}
	v, rest, ok := source.Number(c.b[c.at:])
	c.at = len(c.b) - len(rest)
	return v, ok
}

// reference takes the id of an entity that there is, or null.
func (c *cursor) reference(to *entityType) (data.EntityID, bool) {
	switch c.blank() {
	case '"':
		text, ok := c.text()
		if !ok {
			return 0, false
		}
		return to.ids.find(text)
	case 'n':
		return data.None, c.word("null")
	}
	from := c.at
	if _, ok := c.integer(); !ok {
		return 0, false
	}
	return to.ids.find(c.b[from:c.at])
}
