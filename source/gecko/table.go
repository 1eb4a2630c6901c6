package gecko

import (
	"math"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// null is the value of what is null, missing, or no number that can be used.
const null = math.MinInt64

// table is a table of numbers by columns, however it was written. Columns may
// be of different lengths.
type table struct {
	columns map[string][]int64
	length  int // that of the longest column
}

// at gives the value of a column in a row. Where all rows are gone through,
// [column.at] is quicker.
func (t *table) at(name string, row int64) int64 { return t.column(name).at(row) }

// column is one of a table.
type column []int64

func (t *table) column(name string) column { return t.columns[name] }

func (c column) at(row int64) int64 {
	if row >= 0 && row < int64(len(c)) {
		return c[row]
	}
	return null
}

// inOrder gives the numbers from 0 to n-1 in the order of their times; those of
// one time keep theirs. Threads come one after the other, each mostly in order:
// runs are merged, two by two.
func inOrder(n int, at func(i int32) int64) []int32 {
	type key struct {
		at int64
		i  int32
	}
	keys, spare := make([]key, n), []key(nil)
	var runs []int // where they end
	for i := range keys {
		if keys[i] = (key{at(int32(i)), int32(i)}); i > 0 && keys[i].at < keys[i-1].at {
			runs = append(runs, i)
		}
	}
	for runs = append(runs, n); len(runs) > 1; {
		if spare == nil {
			spare = make([]key, n)
		}
		out, ends, from := spare[:0], runs[:0], 0
		for r := 0; r < len(runs); r += 2 {
			a, b := keys[from:runs[r]], []key(nil)
			if r+1 < len(runs) {
				b = keys[runs[r]:runs[r+1]]
			}
			for len(a) > 0 && len(b) > 0 {
				if b[0].at < a[0].at {
					out, b = append(out, b[0]), b[1:]
				} else {
					out, a = append(out, a[0]), a[1:]
				}
			}
			out = append(append(out, a...), b...)
			from = len(out)
			ends = append(ends, from)
		}
		keys, spare, runs = out, keys, ends
	}
	order := make([]int32, n)
	for i, k := range keys {
		order[i] = k.i
	}
	return order
}

func (t *table) has(name string) bool { return t.columns[name] != nil }

func (t *table) set(name string, column []int64) {
	if t.columns == nil {
		t.columns = map[string][]int64{}
	}
	t.columns[name] = column
	t.length = max(t.length, len(column))
}

// columns are those of a table that are of use, with the digits that are wanted
// of each behind the point: milliseconds with six are nanoseconds.
type columns map[string]int

const milliDigits = 6

// The columns of all versions. In Gecko profiles, a frame has a location, which
// is a string; in processed ones it has a function.
var (
	sampleColumns = columns{"stack": 0, "time": milliDigits, "timeDeltas": milliDigits, "weight": milliDigits, "threadCPUDelta": 3}
	stackColumns  = columns{"prefix": 0, "frame": 0, "category": 0}
	frameColumns  = columns{"location": 0, "func": 0, "category": 0, "line": 0, "address": 0}

	functionColumns   = columns{"name": 0, "resource": 0, "fileName": 0, "source": 0, "lineNumber": 0}
	resourceColumns   = columns{"lib": 0, "name": 0}
	sourceColumns     = columns{"filename": 0}
	allocationColumns = columns{"time": milliDigits, "stack": 0, "weight": 0, "className": 0}
)

// schema is the order of the columns of a Gecko table. These are of version 34;
// a file tells its own, mostly before the rows.
var schemas = map[string]int{
	"stack": 0, "time": 1, "threadCPUDelta": 4,
	"prefix": 0, "frame": 1,
	"location": 0, "line": 4, "category": 6,
}

// rows reads a table in either form.
func (r *reader) rows(t *table, wanted columns) error {
	return r.columns(t, wanted, func(string) (bool, error) { return false, nil })
}

// columns reads a table in either form; other takes members that are not of it.
func (r *reader) columns(t *table, wanted columns, other func(key string) (taken bool, err error)) error {
	if c, err := r.Next(); err != nil || c != '{' {
		return r.skipped(err)
	}
	var order map[string]int
	return r.Object(func(key string) error {
		switch key {
		case "schema":
			order = map[string]int{}
			return r.Object(func(key string) error {
				n, err := r.number(0)
				order[key] = int(n)
				return err
			})
		case "data":
			if order == nil {
				order = schemas
			}
			return r.data(t, wanted, order)
		}
		if taken, err := other(key); taken || err != nil {
			return err
		}
		digits, ok := wanted[key]
		if c, err := r.Next(); err != nil || c != '[' || !ok {
			return r.skipped(err)
		}
		column := []int64{}
		err := r.Array(func() error {
			raw, err := r.Raw()
			column = append(column, value(raw, digits))
			return err
		})
		t.set(key, column)
		return err
	})
}

// data reads the rows of a Gecko table.
func (r *reader) data(t *table, wanted columns, order map[string]int) error {
	type part struct {
		name   string
		digits int
		values []int64
	}
	var at []*part // by position in a row
	var all []*part
	for name, digits := range wanted {
		i, ok := order[name]
		if !ok || i < 0 || i > 1000 {
			continue
		}
		for len(at) <= i {
			at = append(at, nil)
		}
		at[i] = &part{name: name, digits: digits}
		all = append(all, at[i])
	}
	length := 0
	err := r.Array(func() error {
		raw, err := r.Raw()
		if err != nil {
			return err
		}
		length++
		if !jsonstream.Elements(raw, func(i int, raw []byte) {
			if i < len(at) && at[i] != nil {
				at[i].values = append(at[i].values, value(raw, at[i].digits))
			}
		}) {
			r.misshapen++
		}
		for _, c := range all {
			for len(c.values) < length {
				c.values = append(c.values, null) // rows end where only nulls are left
			}
			c.values = c.values[:length]
		}
		return nil
	})
	for _, c := range all {
		t.set(c.name, c.values)
	}
	return err
}

// value reads a number.
func value(raw []byte, digits int) int64 {
	if len(raw) == 0 || raw[0] == 'n' || raw[0] == '"' {
		return null
	}
	n, ok := jsonstream.Decimal(raw, digits, source.MaxTime)
	if !ok {
		return null
	}
	return n
}
