package gecko

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// null is the value of what is null, missing, or no number that can be used.
const null = math.MinInt64

// column is what the values of a table's column are put into, row by row.
type column interface{ add(v int64) }

// columns gives the columns of a table by their names. A column that comes again
// begins anew. Columns may be of different lengths.
type columns interface{ begin(name string) column }

// table is what stacks refer to by row: it is in memory, packed.
type table map[string]*packed

// packed is a column of row numbers, lines and the like.
type packed struct{ values []int32 }

const packedNull = math.MinInt32

func (t *table) begin(name string) column {
	if *t == nil {
		*t = table{}
	}
	(*t)[name] = &packed{}
	return (*t)[name]
}

func (p *packed) add(v int64) {
	if v == null {
		v = packedNull
	} else {
		v = max(-1, min(v, math.MaxInt32)) // what is beyond refers to nothing
	}
	p.values = append(p.values, int32(v))
}

// at gives the value in a row, null if there is none.
func (p *packed) at(row int64) int64 {
	if p == nil || row < 0 || row >= int64(len(p.values)) || p.values[row] == packedNull {
		return null
	}
	return int64(p.values[row])
}

func (t table) at(name string, row int64) int64 { return t[name].at(row) }

// length is that of the longest column.
func (t table) length() int {
	n := 0
	for _, c := range t {
		n = max(n, len(c.values))
	}
	return n
}

// series is what happened: samples, markers and allocations. There may be more of
// it than memory, so it waits in spools until it is known what it refers to.
type series struct {
	b       *data.Builder
	columns map[string]*waiting
}

// waiting is a column of a series. Columns of processed profiles come one after
// the other, so each has a spool of its own.
type waiting struct {
	spool *data.Spool
	refs  bool // it holds row numbers
}

// References are told from None, which is null.
const (
	beyond     = data.None - 1 // refers to nothing
	seriesRows = 16 << 10      // in a block
)

// references are the columns that hold row numbers.
var references = map[string]bool{"stack": true, "name": true, "category": true, "phase": true}

func (s *series) begin(name string) column {
	if before := s.columns[name]; before != nil {
		before.spool.Drop()
	}
	if s.columns == nil {
		s.columns = map[string]*waiting{}
	}
	refs := references[name]
	s.columns[name] = &waiting{s.b.Spool(seriesRows, refs), refs}
	return s.columns[name]
}

// again gives the column to add to it, whether it began or not.
func (s *series) again(name string) column {
	if c := s.columns[name]; c != nil {
		return c
	}
	return s.begin(name)
}

func (w *waiting) add(v int64) {
	c := &w.spool.Row()[0]
	switch {
	case !w.refs:
		c.Values = append(c.Values, v)
	case v == null:
		c.Refs = append(c.Refs, data.None)
	case v < 0 || v >= int64(beyond):
		c.Refs = append(c.Refs, beyond)
	default:
		c.Refs = append(c.Refs, data.EntityID(v))
	}
}

func (s *series) has(name string) bool { return s.columns[name] != nil }

func (s *series) length() int {
	n := 0
	for _, c := range s.columns {
		n = max(n, c.spool.Rows())
	}
	return n
}

// each takes all rows away: yield gets the values of the named columns, null of
// columns that are missing or have ended.
func (s *series) each(ctx context.Context, names []string, yield func(row []int64) error) error {
	type part struct {
		spool *data.Spool
		data.Block
		at int
	}
	length := s.length()
	parts, row := make([]part, len(names)), make([]int64, len(names))
	for i, name := range names {
		row[i] = null
		if c := s.columns[name]; c != nil {
			parts[i].spool = c.spool
		}
	}
	for n := range length {
		if n%seriesRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range parts {
			p := &parts[i]
			if p.at == p.Rows {
				if p.spool == nil {
					continue
				}
				p.at = 0
				ok, err := p.spool.Take(&p.Block)
				if err != nil {
					return err
				}
				if !ok {
					row[i], p.spool, p.Block = null, nil, data.Block{}
					continue
				}
			}
			if c := &p.Columns[0]; c.Refs == nil {
				row[i] = c.Values[p.at]
			} else if row[i] = null; c.Refs[p.at] != data.None {
				row[i] = int64(c.Refs[p.at])
			}
			p.at++
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return nil
}

// digits are those that are wanted behind the point, by column: milliseconds with
// six are nanoseconds.
type digits map[string]int

const milliDigits = 6

// The columns of all versions that are of use. In Gecko profiles, a frame has a
// location, which is a string; in processed ones it has a function.
var (
	sampleColumns     = digits{"stack": 0, "time": milliDigits, "timeDeltas": milliDigits, "weight": milliDigits, "threadCPUDelta": 3}
	allocationColumns = digits{"time": milliDigits, "stack": 0, "weight": 0}
	markerColumns     = digits{"name": 0, "startTime": milliDigits, "endTime": milliDigits, "phase": 0, "category": 0}

	stackColumns    = digits{"prefix": 0, "frame": 0, "category": 0}
	frameColumns    = digits{"location": 0, "func": 0, "category": 0}
	functionColumns = digits{"name": 0, "resource": 0, "fileName": 0, "source": 0, "lineNumber": 0}
	resourceColumns = digits{"lib": 0}
	sourceColumns   = digits{"filename": 0}
)

// schema is the order of the columns of a Gecko table.
type schema map[string]int

// schemas are of version 34; a file tells its own, mostly before the rows.
var schemas = schema{
	"stack": 0, "time": 1, "threadCPUDelta": 4,
	"prefix": 0, "frame": 1,
	"location": 0, "line": 4, "category": 6,
}

// rows reads a table in either form.
func (r *reader) rows(into columns, wanted digits) error {
	return r.columns(into, wanted, func(string, schema) (bool, error) { return false, nil })
}

// columns reads a table in either form; other takes members that are not of it,
// and gets the order of columns, if that was told.
func (r *reader) columns(into columns, wanted digits, other func(key string, order schema) (taken bool, err error)) error {
	if c, err := r.Next(); err != nil || c != '{' {
		return r.skipped(err)
	}
	var order schema
	return r.Object(func(key string) error {
		if key == "schema" {
			order = schema{}
			return r.Object(func(key string) error {
				n, err := r.number(0)
				order[key] = int(n)
				return err
			})
		}
		if taken, err := other(key, order); taken || err != nil {
			return err
		}
		if key == "data" {
			if order == nil {
				order = schemas
			}
			return r.data(into, wanted, order, nil)
		}
		digits, ok := wanted[key]
		if c, err := r.Next(); err != nil || c != '[' || !ok {
			return r.skipped(err)
		}
		column := into.begin(key)
		return r.Each(func(b []byte, i int) (int, error) {
			v, end, err := value(b, i, digits)
			if err == nil {
				column.add(v)
			}
			return end, err
		})
	})
}

// maxColumns bounds the rows of Gecko tables.
const maxColumns = 1000

// data reads the rows of a Gecko table. payload, if it is not nil, gets what
// stands in the column "data", and tells whether the row is one of the table.
func (r *reader) data(into columns, wanted digits, order schema, payload func(raw []byte, row []int64) bool) error {
	type part struct {
		column
		at int // position in a row
	}
	const unwanted = -1
	var parts []part
	var kinds []int // by position: the digits, or unwanted
	at := func(name string) (int, bool) {
		i, ok := order[name]
		if !ok || i < 0 || i > maxColumns {
			return 0, false
		}
		for len(kinds) <= i {
			kinds = append(kinds, unwanted)
		}
		return i, true
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if i, ok := at(name); ok {
			kinds[i] = wanted[name]
			parts = append(parts, part{into.begin(name), i})
		}
	}
	held := -1
	if i, ok := at("data"); ok && payload != nil {
		held = i
	}
	row := make([]int64, len(kinds))
	return r.Each(func(b []byte, i int) (int, error) {
		for k := range row {
			row[k] = null // rows end where only nulls are left
		}
		var raw []byte
		end, err := elements(b, i, func(k, i int) (end int, err error) {
			if k < len(kinds) && kinds[k] != unwanted {
				row[k], end, err = value(b, i, kinds[k])
			} else if end, err = jsonstream.Value(b, i); k == held && err == nil {
				raw = b[i:end]
			}
			return end, err
		})
		if err != nil && err != jsonstream.Short {
			if end, err = jsonstream.Value(b, i); err == nil {
				r.misshapen++
			}
		}
		if err != nil || payload != nil && !payload(raw, row) {
			return end, err
		}
		for _, p := range parts {
			p.add(row[p.at])
		}
		return end, nil
	})
}

var errNoRow = errors.New("not an array")

// elements calls f with the position of each element of the array that starts at
// i, and gives the end of the array. Commas may be missing.
func elements(b []byte, i int, f func(k, i int) (end int, err error)) (end int, err error) {
	if b[i] != '[' {
		return i, errNoRow
	}
	i = jsonstream.Space(b, i+1)
	for k := 0; ; k++ {
		if i >= len(b) {
			return i, jsonstream.Short
		}
		if b[i] == ']' {
			return i + 1, nil
		}
		if i, err = f(k, i); err != nil {
			return i, err
		}
		if i = jsonstream.Space(b, i); i < len(b) && b[i] == ',' {
			i = jsonstream.Space(b, i+1)
		}
	}
}

// value reads the number that starts at i.
func value(b []byte, i, digits int) (v int64, end int, err error) {
	if i < len(b) && (b[i] == 'n' || b[i] == '"') {
		end, err = jsonstream.Value(b, i)
		return null, end, err
	}
	v, ok, end, err := jsonstream.Number(b, i, digits, source.MaxTime)
	if !ok {
		v = null
	}
	return v, end, err
}

// whole reads a number without digits behind the point.
func whole(raw []byte) int64 {
	if n, ok := jsonstream.Decimal(raw, 0, source.MaxTime); ok && raw[0] != '"' {
		return n
	}
	return null
}
