package convert

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/cambium-prof/cambium/data"
)

// A line of rows ends at the first of these.
const (
	lineRows  = 1000
	lineBytes = 64 << 10
)

// writeStream writes a data set so that package source/ndjson gives back an
// equal one: definitions, entities and events keep their order, and the id of
// an entity is its row. An entity must be written before what refers to it, so
// the tables are written side by side as far as that needs. A circle of
// references cannot be written and is an error.
func writeStream(ctx context.Context, w *bufio.Writer, set *data.Set) error {
	s := &streamWriter{w: w}
	var about struct {
		DataSet struct {
			Name   string `json:"name,omitempty"`
			Format string `json:"format,omitempty"`
		} `json:"data_set"`
	}
	about.DataSet.Name, about.DataSet.Format = set.Name, set.Format
	if err := s.json(about); err != nil {
		return err
	}
	for _, t := range set.Warnings {
		if err := s.json(struct {
			Warning string `json:"warning"`
		}{t}); err != nil {
			return err
		}
	}
	for _, t := range set.Entities() {
		if err := s.define(t.Definition); err != nil {
			return err
		}
	}
	for _, t := range set.Events() {
		if err := s.define(t.Definition); err != nil {
			return err
		}
	}
	if err := s.entities(set); err != nil {
		return err
	}
	for _, t := range set.Events() {
		if err := s.events(ctx, set, t); err != nil {
			return err
		}
	}
	return nil
}

type streamWriter struct {
	w    *bufio.Writer
	line []byte // the current line of rows
	rows int    // in it
}

// json writes a line of something small.
func (s *streamWriter) json(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // ends with a line break
		return err
	}
	_, err := s.w.Write(b.Bytes())
	return err
}

func (s *streamWriter) define(d data.Definition) error {
	var line struct {
		Entity      string       `json:"entity_type,omitempty"`
		Event       string       `json:"event_type,omitempty"`
		Description string       `json:"description,omitempty"`
		Fields      []data.Field `json:"fields,omitempty"`
	}
	line.Description, line.Fields = d.Description, d.Fields
	if d.Kind == data.Event {
		line.Event = d.Name
	} else {
		line.Entity = d.Name
	}
	return s.json(line)
}

// table is an entity table that is written up to a row.
type table struct {
	*data.EntityTable
	at      int
	targets []*table // field -> what it refers to, nil for values
}

// blocked gives the field of the next row that refers to what is not yet
// written, or -1.
func (t *table) blocked() int {
	for i, target := range t.targets {
		if target == nil {
			continue
		}
		if id := t.Columns[i].Refs[t.at]; id != data.None && int64(id) >= int64(target.at) {
			return i
		}
	}
	return -1
}

func (s *streamWriter) entities(set *data.Set) error {
	var tables []*table
	byName := map[string]*table{}
	for _, e := range set.Entities() {
		t := &table{EntityTable: e, targets: make([]*table, len(e.Fields))}
		tables = append(tables, t)
		byName[e.Definition.Name] = t
	}
	for _, t := range tables {
		for i, f := range t.Fields {
			if f.IsReference() {
				t.targets[i] = byName[f.Refers]
			}
		}
	}
	for {
		var waiting *table
		moved := false
		for _, t := range tables {
			from := t.at
			if err := s.entityRows(t); err != nil {
				return err
			}
			moved = moved || t.at > from
			if t.at < t.Rows() {
				waiting = t
			}
		}
		if waiting == nil {
			return nil
		}
		if !moved {
			i := waiting.blocked()
			return fmt.Errorf("%s %d: field %q refers to %s %d, which comes later or refers back; a stream cannot hold such circles",
				waiting.Definition.Name, waiting.at, waiting.Fields[i].Name, waiting.Fields[i].Refers, waiting.Columns[i].Refs[waiting.at])
		}
	}
}

// entityRows writes a table as far as what it refers to is written.
func (s *streamWriter) entityRows(t *table) error {
	for ; t.at < t.Rows() && t.blocked() < 0; t.at++ {
		s.begin("entity", t.Definition.Name)
		s.line = strconv.AppendInt(s.line, int64(t.at), 10)
		s.line = append(s.line, ',')
		if t.Names == nil {
			s.line = append(s.line, "null"...)
		} else {
			s.line = appendText(s.line, t.Names[t.at])
		}
		for _, c := range t.Columns {
			s.line = append(s.line, ',')
			s.value(c, t.at)
		}
		if err := s.end(); err != nil {
			return err
		}
	}
	return s.flush()
}

func (s *streamWriter) events(ctx context.Context, set *data.Set, t *data.EventTable) error {
	// Direct fields come first among the paths.
	err := t.Read(ctx, set.Paths(t.Definition)[:len(t.Fields)], func(b data.Batch) error {
		for row := range b.Rows {
			s.begin("event", t.Definition.Name)
			for i, c := range b.Columns {
				if i > 0 {
					s.line = append(s.line, ',')
				}
				s.value(c, row)
			}
			if err := s.end(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.flush()
}

// begin begins a row, and a line if none is open.
func (s *streamWriter) begin(kind, name string) {
	if s.rows == 0 {
		s.line = append(s.line[:0], `{"`...)
		s.line = append(s.line, kind...)
		s.line = append(s.line, `":`...)
		s.line = appendText(s.line, name)
		s.line = append(s.line, `,"rows":[[`...)
	} else {
		s.line = append(s.line, ",["...)
	}
	s.rows++
}

func (s *streamWriter) value(c data.Column, row int) {
	switch {
	case c.Refs == nil:
		s.line = strconv.AppendInt(s.line, c.Values[row], 10)
	case c.Refs[row] == data.None:
		s.line = append(s.line, "null"...)
	default:
		s.line = strconv.AppendUint(s.line, uint64(c.Refs[row]), 10)
	}
}

// end ends a row, and the line if it is long enough.
func (s *streamWriter) end() error {
	s.line = append(s.line, ']')
	if s.rows < lineRows && len(s.line) < lineBytes {
		return nil
	}
	return s.flush()
}

func (s *streamWriter) flush() error {
	if s.rows == 0 {
		return nil
	}
	s.rows = 0
	_, err := s.w.Write(append(s.line, "]}\n"...))
	return err
}
