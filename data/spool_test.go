package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// disk is a Spill in memory, which is full after so many pages.
type disk struct {
	room  int
	pages [][]Column
	open  bool
}

var errFull = errors.New("the disk is full")

func (d *disk) Events(Definition) (EventWriter, error) { return &written{}, nil }

func (d *disk) Pages() (Pages, error) {
	d.open = true
	return d, nil
}

func (d *disk) Write(rows int, columns []Column) (int, error) {
	if len(d.pages) == d.room {
		return 0, errFull
	}
	var page []Column
	for _, c := range columns {
		if c.len() != 0 && c.len() != rows {
			return 0, fmt.Errorf("%d rows of %d", c.len(), rows)
		}
		page = append(page, Column{slices.Clone(c.Refs), slices.Clone(c.Values)})
	}
	d.pages = append(d.pages, page)
	return len(d.pages) - 1, nil
}

func (d *disk) Read(page int, into []Column) ([]Column, error) {
	into = into[:0]
	for _, c := range d.pages[page] {
		into = append(into, Column{slices.Clone(c.Refs), slices.Clone(c.Values)})
	}
	return into, nil
}

func (d *disk) Close() error {
	d.open = false
	return nil
}

// written is an EventWriter, and then its store.
type written struct {
	columns []Column
	rows    int
}

func (w *written) Write(rows int, columns []Column) error {
	if w.columns == nil {
		w.columns = make([]Column, len(columns))
	}
	for i, c := range columns {
		w.columns[i].Refs = append(w.columns[i].Refs, c.Refs...)
		w.columns[i].Values = append(w.columns[i].Values, c.Values...)
	}
	w.rows += rows
	return nil
}

func (w *written) Finish() (EventStore, error) { return w, nil }

func (w *written) Rows() int { return w.rows }

func (w *written) Read(_ context.Context, fields []int, from, to int64, yield func(Batch) error) error {
	b := Batch{First: from, Rows: int(to - from)}
	for _, f := range fields {
		b.Columns = append(b.Columns, w.columns[f].slice(int(from), int(to)))
	}
	return yield(b)
}

// rowsOf takes all rows, as texts.
func rowsOf(t interface{ Fatal(...any) }, rows Rows, columns int) []string {
	var all []string
	err := Each(context.Background(), rows, func(c []Column, i int) error {
		text := ""
		for n := range columns {
			if c[n].Refs != nil {
				text += fmt.Sprint(" @", c[n].Refs[i])
			} else {
				text += fmt.Sprint(" ", c[n].Values[i])
			}
		}
		all = append(all, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSpool fills spools with columns that come late and values that are not
// always there, in and out of memory, and compares them with lists of rows.
func TestSpool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &disk{room: 1 << 30}
		b := NewBuilder("x", "")
		if often := rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "often"); often > 0 {
			b.SpillTo(d, 0)
			b.SpillOften(often)
		}
		type row []int64 // by column; of references those to nothing are -1
		type model struct {
			*Spool
			refs []bool
			rows []row
		}
		spools := make([]*model, rapid.IntRange(1, 3).Draw(t, "spools"))
		for i := range spools {
			spools[i] = &model{Spool: b.Spool(rapid.IntRange(1, 40).Draw(t, "per"), false), refs: []bool{false}}
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			s := spools[rapid.IntRange(0, len(spools)-1).Draw(t, "spool")]
			switch op := rapid.IntRange(0, 9).Draw(t, "step"); {
			case op == 0 && len(s.refs) < 4:
				refs := rapid.Bool().Draw(t, "refs")
				if got := s.AddColumn(refs); got != len(s.refs) {
					t.Fatalf("column %d is %d", len(s.refs), got)
				}
				s.refs = append(s.refs, refs)
			case op == 1 && len(s.rows) > 0:
				at := rapid.IntRange(0, len(s.rows)-1).Draw(t, "row")
				if columns, i, ok := s.Find(at); ok {
					if columns[0].Values[i] != s.rows[at][0] {
						t.Fatalf("row %d is found where %d is, not %d", at, columns[0].Values[i], s.rows[at][0])
					}
					columns[0].Values[i], s.rows[at][0] = -7, -7
				}
			default:
				v := rapid.Int64Range(0, 5).Draw(t, "value")
				c := s.Row()
				c[0].Values = append(c[0].Values, v)
				s.rows = append(s.rows, row{v})
				for column := 1; column < len(s.refs); column++ {
					if !rapid.Bool().Draw(t, "there") {
						continue
					}
					last := &s.rows[len(s.rows)-1]
					for len(*last) <= column {
						*last = append(*last, -1)
					}
					(*last)[column] = v + 1
					if s.refs[column] {
						s.SetRef(column, EntityID(v+1))
					} else {
						s.SetValue(column, v+1)
					}
				}
			}
		}
		for _, s := range spools {
			var want []string
			sorted := rapid.Bool().Draw(t, "sorted")
			if sorted {
				slices.SortStableFunc(s.rows, func(a, b row) int { return int(a[0] - b[0]) })
			}
			for _, r := range s.rows {
				text := fmt.Sprint(" ", r[0])
				for column := 1; column < len(s.refs); column++ {
					v := int64(-1)
					if column < len(r) {
						v = r[column]
					}
					switch {
					case s.refs[column] && v < 0:
						text += fmt.Sprint(" @", None)
					case s.refs[column]:
						text += fmt.Sprint(" @", v)
					default:
						text += fmt.Sprint(" ", max(v, 0))
					}
				}
				want = append(want, text)
			}
			if s.Rows() != len(want) {
				t.Fatalf("%d rows of %d", s.Rows(), len(want))
			}
			rows := Rows(s.Spool)
			if sorted {
				var err error
				if rows, err = s.Sort(0); err != nil {
					t.Fatal(err)
				}
			}
			if got := rowsOf(t, rows, len(s.refs)); !slices.Equal(got, want) {
				t.Fatalf("sorted %v:\n%q\nnot\n%q", sorted, got, want)
			}
		}
		if len(b.spools) != 0 || b.waiting != 0 && b.spill == nil {
			t.Fatalf("%d spools are left, with %d bytes", len(b.spools), b.waiting)
		}
		if b.Finish(); d.open {
			t.Fatal("pages were not closed")
		}
	})
}

func TestSortingEndsWhenToldTo(t *testing.T) {
	b := NewBuilder("ended", "test")
	cause := errors.New("that will do")
	left := 2 // blocks
	b.Until(func() error {
		if left--; left < 0 {
			return cause
		}
		return nil
	})
	s := b.Spool(4, false)
	for v := range int64(40) {
		c := s.Row()
		c[0].Values = append(c[0].Values, -v)
	}
	if _, err := s.Sort(0); err != cause {
		t.Errorf("sorting ended with %v", err)
	}
}

// TestAdoptSpool makes events of spools, in and out of memory.
func TestAdoptSpool(t *testing.T) {
	for _, n := range []int{0, 1, BatchRows, 3*BatchRows + 5} {
		for _, often := range []int{0, 100_000, 1 << 30} {
			b := NewBuilder("x", "")
			d := &disk{room: 1 << 30}
			if often > 0 {
				b.SpillTo(d, 0)
				b.SpillOften(often)
			}
			s := b.Spool(1000, false, true)
			for i := range n {
				c := s.Row()
				c[0].Values = append(c[0].Values, int64(i))
				if i%1000 == 999 {
					s.SetRef(1, EntityID(i%3))
				}
			}
			if _, err := b.EntityType("Method", ""); err != nil {
				t.Fatal(err)
			}
			e, err := b.EventType("E", "", Ref("m", "Method", ""), Value("twice", "", ""), Value("blank", "", ""))
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := b.entity("Method").Add("m"); err != nil {
					t.Fatal(err)
				}
			}
			err = e.AdoptSpool(s, []int{1, 0, -1}, func(rows int, c []Column) error {
				for i := range c[1].Values {
					c[1].Values[i] *= 2
				}
				c[2].Values[0] = int64(rows)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			set, err := b.Finish()
			if err != nil {
				t.Fatal(err)
			}
			table, next, rows := set.Event("E"), 0, int64(0)
			if spilled := table.Store() != nil; spilled != (often == 100_000 && n >= often) || table.Rows() != n {
				t.Errorf("%d events, %d at a time: %d events, elsewhere: %v", n, often, table.Rows(), spilled)
			}
			err = table.Read(context.Background(), set.Paths(table.Definition)[:3], func(batch Batch) error {
				for i := range batch.Rows {
					m := None
					if next%1000 == 999 {
						m = EntityID(next % 3)
					}
					if batch.Columns[0].Refs[i] != m || batch.Columns[1].Values[i] != 2*int64(next) {
						return fmt.Errorf("event %d is %d %d", next, batch.Columns[0].Refs[i], batch.Columns[1].Values[i])
					}
					rows += batch.Columns[2].Values[i]
					next++
				}
				return nil
			})
			if err != nil || next != n || rows != int64(n) {
				t.Errorf("%d events, %d at a time: %v; %d, %d", n, often, err, next, rows)
			}
		}
	}
}

// TestFullDisk tells at the end that rows are lost, and holds none meanwhile.
func TestFullDisk(t *testing.T) {
	b := NewBuilder("x", "")
	d := &disk{room: 3}
	b.SpillTo(d, 0)
	b.SpillOften(10)
	s := b.Spool(BatchRows, false)
	for i := range 1000 {
		c := s.Row()
		c[0].Values = append(c[0].Values, int64(i))
	}
	if held := len(s.blocks)*s.per + s.tail.Rows; held > 20 {
		t.Errorf("%d rows are in memory", held)
	}
	e, err := b.EventType("E", "", Value("v", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AdoptSpool(s, []int{0}, nil); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
	if _, err := b.Finish(); !errors.Is(err, errFull) || d.open {
		t.Errorf("the error is %v; open: %v", err, d.open)
	}
}

// TestPartsAreChecked finds a reference to nobody in what was put aside.
func TestPartsAreChecked(t *testing.T) {
	b := NewBuilder("x", "")
	if _, err := b.EntityType("Method", ""); err != nil {
		t.Fatal(err)
	}
	e, err := b.EventType("E", "", Ref("m", "Method", ""))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 * BatchRows {
		id := int64(None)
		if i == 17 {
			id = 0
		}
		if err := e.Add(id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); err == nil || !strings.Contains(err.Error(), `E 17: field "m" refers to Method 0, but there are only 0`) {
		t.Errorf("the error is %v", err)
	}
}
