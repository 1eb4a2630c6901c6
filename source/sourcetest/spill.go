package sourcetest

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// spilled reads a file with less memory for events than they need, and expects
// the same data set.
func spilled(t *testing.T, raw []byte, want *data.Set) {
	t.Helper()
	often, events := 7, 0
	for _, e := range want.Events() {
		events += e.Rows()
	}
	if events > 20_000 {
		often = 1000
	}
	s := &Shelf{}
	in, err := source.NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	in.Spill, in.SpillOften = s, often
	got, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatalf("with %d events in memory: %v", often, err)
	}
	for _, e := range got.Events() {
		if elsewhere := e.Store() != nil; elsewhere != (e.Rows() >= often) {
			t.Errorf("with %d events in memory: of %s, %d events are elsewhere: %v", often, e.Definition.Name, e.Rows(), elsewhere)
		}
	}
	if s.open != 0 {
		t.Errorf("with %d events in memory: %d places of pages were not closed", often, s.open)
	}
	if s.longest > max(4*often, data.BatchRows) {
		t.Errorf("with %d events in memory: %d rows came at once", often, s.longest)
	}
	if diff := Difference(want, got); diff != "" {
		t.Errorf("with %d events in memory: %s", often, diff)
	}
}

// Difference tells what two sets differ in, or "" if they are the same, wherever
// their events are.
func Difference(a, b *data.Set) string {
	if a.Format != b.Format || !slices.Equal(a.Warnings, b.Warnings) {
		return fmt.Sprintf("formats %s, %s; warnings %q, %q", a.Format, b.Format, a.Warnings, b.Warnings)
	}
	if len(a.Entities()) != len(b.Entities()) || len(a.Events()) != len(b.Events()) {
		return fmt.Sprintf("%d and %d types of entities, %d and %d of events", len(a.Entities()), len(b.Entities()), len(a.Events()), len(b.Events()))
	}
	for i, e := range a.Entities() {
		if !reflect.DeepEqual(e, b.Entities()[i]) {
			return fmt.Sprintf("the entities %s (%d) and %s (%d) differ", e.Definition.Name, e.Rows(), b.Entities()[i].Definition.Name, b.Entities()[i].Rows())
		}
	}
	for i, e := range a.Events() {
		other := b.Events()[i]
		if !reflect.DeepEqual(e.Definition, other.Definition) || e.Rows() != other.Rows() {
			return fmt.Sprintf("%d events %+v and %d events %+v", e.Rows(), e.Definition, other.Rows(), other.Definition)
		}
		x, y := Columns(a, e), Columns(b, other)
		for f, c := range x {
			for row := range e.Rows() {
				if len(c.Refs) > 0 && c.Refs[row] != y[f].Refs[row] || len(c.Values) > 0 && c.Values[row] != y[f].Values[row] {
					return fmt.Sprintf("%s %d: field %s differs", e.Definition.Name, row, e.Fields[f].Name)
				}
			}
		}
	}
	return ""
}

// Columns gives all columns of a table, wherever its events are.
func Columns(set *data.Set, e *data.EventTable) []data.Column {
	columns := make([]data.Column, len(e.Fields))
	var paths []data.Path
	for _, f := range e.Fields {
		for _, p := range set.Paths(e.Definition) {
			if p.Direct() && !p.IsCount() && p.Field.Name == f.Name {
				paths = append(paths, p)
			}
		}
	}
	err := e.Read(context.Background(), paths, func(b data.Batch) error {
		for f, c := range b.Columns {
			columns[f].Refs = append(columns[f].Refs, c.Refs...)
			columns[f].Values = append(columns[f].Values, c.Values...)
		}
		return nil
	})
	if err != nil {
		panic(err) // memory does not fail
	}
	return columns
}

// Shelf stands for a disk. Its zero value is empty.
type Shelf struct {
	open    int // places of pages
	longest int // rows of a call
}

// Events is of data.Spill.
func (s *Shelf) Events(def data.Definition) (data.EventWriter, error) {
	return &shelved{shelf: s, columns: make([]data.Column, len(def.Fields))}, nil
}

// Pages is of data.Spill.
func (s *Shelf) Pages() (data.Pages, error) {
	s.open++
	return &pages{shelf: s}, nil
}

type pages struct {
	shelf *Shelf
	list  [][]data.Column
}

func (p *pages) Write(rows int, columns []data.Column) (int, error) {
	p.shelf.longest = max(p.shelf.longest, rows)
	var page []data.Column
	for _, c := range columns {
		if n := len(c.Refs) + len(c.Values); n != 0 && n != rows {
			return 0, fmt.Errorf("a column has %d of %d rows", n, rows)
		}
		page = append(page, data.Column{Refs: slices.Clone(c.Refs), Values: slices.Clone(c.Values)})
	}
	p.list = append(p.list, page)
	return len(p.list) - 1, nil
}

func (p *pages) Read(page int, into []data.Column) ([]data.Column, error) {
	for len(into) < len(p.list[page]) {
		into = append(into, data.Column{})
	}
	for i := range into {
		into[i] = data.Column{Refs: into[i].Refs[:0], Values: into[i].Values[:0]}
		if i < len(p.list[page]) {
			into[i].Refs = append(into[i].Refs, p.list[page][i].Refs...)
			into[i].Values = append(into[i].Values, p.list[page][i].Values...)
		}
	}
	return into, nil
}

func (p *pages) Close() error {
	p.shelf.open--
	p.list = nil
	return nil
}

// shelved are events.
type shelved struct {
	shelf   *Shelf
	columns []data.Column
	rows    int
}

func (s *shelved) Write(rows int, columns []data.Column) error {
	s.shelf.longest = max(s.shelf.longest, rows)
	s.rows += rows
	for i, c := range columns {
		s.columns[i].Refs = append(s.columns[i].Refs, c.Refs...)
		s.columns[i].Values = append(s.columns[i].Values, c.Values...)
	}
	return nil
}

func (s *shelved) Finish() (data.EventStore, error) { return s, nil }

func (s *shelved) Rows() int { return s.rows }

func (s *shelved) Read(_ context.Context, fields []int, from, to int64, yield func(data.Batch) error) error {
	for at := from; at < to; at += data.BatchRows {
		end := min(at+data.BatchRows, to)
		batch := data.Batch{First: at, Rows: int(end - at)}
		for _, f := range fields {
			c := s.columns[f]
			if c.Refs != nil {
				c.Refs = c.Refs[at:end]
			} else {
				c.Values = c.Values[at:end]
			}
			batch.Columns = append(batch.Columns, c)
		}
		if err := yield(batch); err != nil {
			return err
		}
	}
	return nil
}
