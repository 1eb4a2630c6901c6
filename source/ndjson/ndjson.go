// Package ndjson reads Cambium's own stream format: one JSON object per line,
// by which a program in any language can be a data source.
//
// Definition: docs/stream.md.
//
// Supported: all that the data protocol knows: entity and event types,
// references, hierarchies, properties, units; elements as objects (for people
// and small sources) and as rows (for speed).
//
// Ignored: keys that are not known, so that the format can grow.
//
// An error in a definition ends reading. An element that is wrong is left out
// with a warning that names line, element and field; if there is no right one,
// the first warning is the error.
//
// Strategy: a line of events, which is what large streams are made of, is read in
// one pass (rows.go). Any other, and any that is wrong, is checked by
// encoding/json once; a small walker then goes over what is known to be correct,
// without making a tree of values.
package ndjson

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

func init() {
	source.Register(source.Format{
		Name:  "ndjson",
		Title: "Cambium stream (NDJSON)",
		Order: 10,
		Sniff: sniff,
		Read:  read,
	})
}

// sniff looks for a first line with one of the keys a stream may begin with.
func sniff(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	line, _, ended := bytes.Cut(head, []byte{'\n'})
	starts := func(key string) bool { return key == "data_set" || key == "entity_type" || key == "event_type" }
	if !ended && !json.Valid(line) {
		// A long line, or one that is cut: its first key must tell.
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line[1:], " \t"), []byte{'"'})
		key, _, closed := bytes.Cut(rest, []byte{'"'})
		return ok && closed && starts(string(key))
	}
	if !json.Valid(line) {
		return false
	}
	found := false
	_ = object(line, func(key, _ []byte) error {
		found = found || starts(text(key))
		return nil
	})
	return found
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := reader{b: b, entities: map[string]*entityType{}, events: map[string]*eventType{}}
	lines := source.NewLines(ctx, in)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		r.at = lines.Line()
		if err != nil {
			if ctx.Err() != nil || in.Refused() != nil || r.elements == 0 {
				return err
			}
			b.Warn("reading ended after line %d: %v", r.at, err)
			break
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := r.passOver(r.line(line)); err != nil {
			return fmt.Errorf("line %d: %w", r.at, err)
		}
	}
	if r.elements == 0 && r.first != nil {
		return r.first
	}
	if len(r.entities)+len(r.events) == 0 {
		return fmt.Errorf(`line %d: the stream ends without a definition; expected a line such as {"event_type":"Sample","fields":[…]}`, r.at)
	}
	return nil
}

// elementError is wrong with one element only; reading goes on.
type elementError struct{ err error }

func (e *elementError) Error() string { return e.err.Error() }
func (e *elementError) Unwrap() error { return e.err }

func wrong(format string, args ...any) error { return &elementError{fmt.Errorf(format, args...)} }

type reader struct {
	b        *data.Builder
	entities map[string]*entityType
	events   map[string]*eventType
	at       int   // the current line
	elements int   // read so far
	first    error // the first element that was wrong
	row      []int64
	values   [][]byte // of a row, or of all rows of a line
}

type entityType struct {
	*data.EntityBuilder
	def data.Definition
	ids ids
}

type eventType struct {
	*data.EventBuilder
	def   data.Definition
	quick *quick // nil if there is no short way
}

func (r *reader) leaveOut(err error) {
	err = fmt.Errorf("line %d: %w", r.at, err)
	if r.first == nil {
		r.first = err
	}
	r.b.Warn("%v; left out", err)
}

// keys are the parts of a line that mean something, as JSON text.
type keys struct {
	dataSet, entityType, eventType, entity, event, warning []byte
	description, fields, id, name, rows                    []byte
}

func (r *reader) line(line []byte) error {
	if done, err := r.quickly(line); done {
		return err
	}
	if !json.Valid(line) {
		var v json.RawMessage
		return wrong("expected one JSON object, but it is broken: %v", json.Unmarshal(line, &v))
	}
	if line[0] != '{' {
		return wrong("expected a JSON object, but found %s", excerpt(line))
	}
	var k keys
	_ = object(line, func(key, value []byte) error {
		switch text(key) {
		case "data_set":
			k.dataSet = value
		case "entity_type":
			k.entityType = value
		case "event_type":
			k.eventType = value
		case "entity":
			k.entity = value
		case "event":
			k.event = value
		case "warning":
			k.warning = value
		case "description":
			k.description = value
		case "fields":
			k.fields = value
		case "id":
			k.id = value
		case "name":
			k.name = value
		case "rows":
			k.rows = value
		}
		return nil
	})
	switch {
	case k.event != nil:
		return r.eventLine(&k)
	case k.entity != nil:
		return r.entityLine(&k)
	case k.entityType != nil, k.eventType != nil:
		return r.define(&k)
	case k.dataSet != nil:
		var d struct{ Name, Format string }
		if err := json.Unmarshal(k.dataSet, &d); err != nil {
			return wrong(`data_set: expected {"name":…,"format":…}, but found %s`, excerpt(k.dataSet))
		}
		r.b.Describe(d.Name, d.Format)
		return nil
	case k.warning != nil:
		r.b.Warn("%s", text(k.warning))
		return nil
	}
	return wrong("expected one of the keys data_set, entity_type, event_type, entity, event and warning, but found %s", excerpt(line))
}

func (r *reader) define(k *keys) error {
	var fields []data.Field
	if k.fields != nil {
		if err := json.Unmarshal(k.fields, &fields); err != nil {
			return fmt.Errorf("fields of type %q: %w", cmp.Or(text(k.entityType), text(k.eventType)), err)
		}
	}
	description := text(k.description)
	if k.entityType != nil {
		name := text(k.entityType)
		t, err := r.b.EntityType(name, description, fields...)
		if err != nil {
			return err
		}
		r.entities[name] = &entityType{EntityBuilder: t, def: t.Definition(), ids: newIDs()}
		return nil
	}
	name := text(k.eventType)
	t, err := r.b.EventType(name, description, fields...)
	if err != nil {
		return err
	}
	def := t.Definition()
	r.events[name] = &eventType{EventBuilder: t, def: def, quick: r.newQuick(&def)}
	return nil
}

func (r *reader) entityLine(k *keys) error {
	t := r.entities[text(k.entity)]
	if t == nil {
		return wrong("the entity type %s is not defined by a line before", excerpt(k.entity))
	}
	if k.rows == nil {
		return r.addEntity(t, k.id, k.name, func() error { return r.fieldsOf(&t.def, k.fields, t.Rows()) })
	}
	return r.eachRow(k.rows, func(row []byte) error {
		r.collect(row)
		var id, name []byte
		values := r.values
		if len(values) > 0 {
			id, values = values[0], values[1:]
		}
		if len(values) > 0 {
			name, values = values[0], values[1:]
		}
		return r.addEntity(t, id, name, func() error { return r.valuesOf(&t.def, values, t.Rows()) })
	})
}

// collect makes r.values those of a row.
func (r *reader) collect(row []byte) {
	r.values = r.values[:0]
	_ = array(row, func(v []byte) error {
		r.values = append(r.values, v)
		return nil
	})
}

func (r *reader) addEntity(t *entityType, id, name []byte, fill func() error) error {
	key := name
	if id != nil && string(id) != "null" {
		key = id
	}
	if key == nil {
		return wrong("%s %d: has neither an id nor a name", t.def.Name, t.Rows())
	}
	if name != nil && name[0] != '"' && string(name) != "null" {
		return wrong("%s %d: expected its name as a text, but found %s", t.def.Name, t.Rows(), excerpt(name))
	}
	if key[0] != '"' && !isInteger(key) && string(key) != "null" {
		return wrong("%s %d: expected its id as a text or an integer, but found %s", t.def.Name, t.Rows(), excerpt(key))
	}
	own := textBytes(key)
	if first, taken := t.ids.find(own); taken {
		return wrong("%s %d: the id %q is taken by %s %d", t.def.Name, t.Rows(), own, t.def.Name, first)
	}
	if err := fill(); err != nil {
		return err
	}
	row, err := t.Add(text(name), r.row...)
	if err != nil {
		return &elementError{err}
	}
	t.ids.add(own, row)
	r.elements++
	return nil
}

func (r *reader) eventLine(k *keys) error {
	t := r.events[text(k.event)]
	if t == nil {
		return wrong("the event type %s is not defined by a line before", excerpt(k.event))
	}
	add := func() error {
		if err := t.Add(r.row...); err != nil {
			return err // not of this element: there are too many, or no room where they go
		}
		r.elements++
		return nil
	}
	if k.rows == nil {
		if err := r.fieldsOf(&t.def, k.fields, t.Rows()); err != nil {
			return err
		}
		return add()
	}
	return r.eachRow(k.rows, func(row []byte) error {
		r.collect(row)
		if err := r.valuesOf(&t.def, r.values, t.Rows()); err != nil {
			return err
		}
		return add()
	})
}

// eachRow calls f with every row of rows.
func (r *reader) eachRow(rows []byte, f func(row []byte) error) error {
	if rows[0] != '[' {
		return wrong("rows: expected an array of arrays, but found %s", excerpt(rows))
	}
	return array(rows, func(row []byte) error {
		var err error
		if row[0] != '[' {
			err = wrong("rows: expected an array for each element, but found %s", excerpt(row))
		} else {
			err = f(row)
		}
		return r.passOver(err)
	})
}

// passOver leaves an element out that is wrong, which does not keep the others
// out. Any other error it gives back.
func (r *reader) passOver(err error) error {
	if err == nil {
		return nil
	}
	var wrong *elementError
	if !errors.As(err, &wrong) {
		return err
	}
	r.leaveOut(err)
	return nil
}
