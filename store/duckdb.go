//go:build duckdb && cgo && (((linux || darwin) && (amd64 || arm64)) || (windows && amd64))

package store

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	duckdb "github.com/duckdb/duckdb-go-bindings"

	"github.com/cambium-prof/cambium/data"
)

// This file adds events up in DuckDB, which reads the segments itself.
//
// The bindings are used as they are, below database/sql: a result then is
// columns in DuckDB's own memory, which cost nothing to look at. Results are
// whole before the first row can be had, so that a reduction should be of a
// few million events at a time where it may give many rows.

// duckDB tells whether DuckDB is part of this build.
const duckDB = true

// engine is the one database of the process. It holds no tables but those of
// the marks of filters, for as long as a query runs.
var engine = sync.OnceValues(func() (duckdb.Database, error) {
	var config duckdb.Config
	var db duckdb.Database
	if duckdb.CreateConfig(&config) != duckdb.StateSuccess {
		return db, fmt.Errorf("DuckDB gives no configuration")
	}
	defer duckdb.DestroyConfig(&config)
	for _, option := range [][2]string{
		{"threads", strconv.Itoa(runtime.GOMAXPROCS(0))},
		{"memory_limit", fmt.Sprintf("%dMiB", Memory()>>20)},
		{"temp_directory", ""}, // nothing is written that nobody asked for
		{"autoinstall_known_extensions", "false"},
		{"autoload_known_extensions", "false"},
		{"preserve_insertion_order", "false"},
		{"enable_external_file_cache", "false"}, // the system keeps files in memory; this one also trusts times of change
	} {
		if duckdb.SetConfig(config, option[0], option[1]) != duckdb.StateSuccess {
			return db, fmt.Errorf("DuckDB does not take the option %s", option[0])
		}
	}
	var message string
	if duckdb.OpenExt("", &db, config, &message) != duckdb.StateSuccess {
		return db, fmt.Errorf("DuckDB does not start: %s", message)
	}
	return db, nil
})

// query is one question to DuckDB, on a connection of its own.
type query struct {
	conn  duckdb.Connection
	table *eventTable
	marks int // tables of marks so far
}

func (e *events) reduceInDuckDB(ctx context.Context, r data.Reduction) (data.Reduced, error) {
	db, err := engine()
	if err != nil {
		return data.Reduced{}, err
	}
	q := &query{table: &e.table}
	if duckdb.Connect(db, &q.conn) != duckdb.StateSuccess {
		return data.Reduced{}, fmt.Errorf("DuckDB gives no connection")
	}
	defer duckdb.Disconnect(&q.conn)
	sql, err := q.reduction(e.root, r)
	if err != nil {
		return data.Reduced{}, err
	}
	out := newReduced(r, e.table.Fields, 0)
	err = q.run(ctx, sql, &out)
	q.forget()
	if err == nil {
		err = e.verify(r, out)
	}
	return out, err
}

// run asks a question; out, which may be nil, gets the answer.
func (q *query) run(ctx context.Context, sql string, out *data.Reduced) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ctx.Done():
			duckdb.Interrupt(q.conn)
		case <-ended:
		}
	})
	var res duckdb.Result
	state := duckdb.Query(q.conn, sql, &res)
	close(ended)
	watch.Wait()
	defer duckdb.DestroyResult(&res)
	if err := ctx.Err(); err != nil {
		return err
	}
	if state != duckdb.StateSuccess {
		if duckdb.ResultErrorType(&res) == duckdb.ErrorTypeOutOfMemory {
			return data.ErrTooMany
		}
		return fmt.Errorf("%s: DuckDB: %s", q.table.Name, duckdb.ResultError(&res))
	}
	if out != nil {
		collect(res, out)
	}
	return nil
}

// forget drops the tables of marks: the database outlives the question.
func (q *query) forget() {
	for i := range q.marks {
		q.run(context.Background(), fmt.Sprintf("DROP TABLE IF EXISTS temp.marks%d", i), nil)
	}
}

// sequence is an event's number, from where it is.
const sequence = "cambium_sequence"

// reduction writes a reduction in SQL.
func (q *query) reduction(root string, r data.Reduction) (string, error) {
	per := q.table.SegmentRows
	from, to := r.From/per, (r.To+per-1)/per
	var files, selected, grouped []string
	for _, s := range q.table.Segments[from:to] {
		files = append(files, text(filepath.Join(root, filepath.FromSlash(s.File))))
	}
	for i, k := range r.Keys {
		selected = append(selected, fmt.Sprintf("%s AS k%d", q.key(k), i))
		grouped = append(grouped, fmt.Sprintf("k%d", i))
	}
	if len(r.Groups) > 0 {
		var cases strings.Builder
		for i, g := range r.Groups {
			condition, err := q.condition(g)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&cases, " WHEN %s THEN %d", condition, i+1)
		}
		selected = append(selected, fmt.Sprintf("CAST(CASE%s ELSE 0 END AS UTINYINT) AS g", cases.String()))
		grouped = append(grouped, "g")
	}
	results := append([]string{}, grouped...)
	for i, field := range r.Sums {
		if field == data.CountField {
			results = append(results, fmt.Sprintf("count(*) AS s%d", i))
			continue
		}
		selected = append(selected, fmt.Sprintf("%s AS v%d", column(q.table.Columns[field]), i))
		results = append(results, fmt.Sprintf("CAST(greatest(least(sum(v%d), 9223372036854775807), -9223372036854775808) AS BIGINT) AS s%d", i, i))
	}
	results = append(results, "min("+sequence+") AS first")
	var where []string
	if r.From%per != 0 || r.To%per != 0 && r.To != q.table.Rows {
		where = append(where, fmt.Sprintf("%s BETWEEN %d AND %d", sequence, r.From, r.To-1))
	}
	if r.Where != nil {
		condition, err := q.condition(r.Where)
		if err != nil {
			return "", err
		}
		where = append(where, condition)
	}
	sql := fmt.Sprintf("SELECT %s FROM (SELECT %s FROM (SELECT *, CAST(%d + file_index * %d + file_row_number AS BIGINT) AS %s FROM read_parquet([%s], file_row_number = true))",
		strings.Join(results, ", "), strings.Join(append(selected, sequence), ", "), from*per, per, sequence, strings.Join(files, ", "))
	if where != nil {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	sql += ")"
	if grouped != nil {
		sql += " GROUP BY " + strings.Join(grouped, ", ")
	} else {
		sql += " HAVING count(*) > 0"
	}
	return sql + " ORDER BY first", nil
}

// key writes a key, rounded down as data.Floor does.
func (q *query) key(k data.Key) string {
	c := column(q.table.Columns[k.Field])
	if k.Width <= 1 || q.table.Fields[k.Field].IsReference() {
		return c
	}
	w := k.Width
	// % keeps the sign of what it divides.
	return fmt.Sprintf("CASE WHEN %[1]s %% %[2]d >= 0 THEN %[1]s - %[1]s %% %[2]d WHEN %[1]s < %[3]s THEN %[1]s ELSE %[1]s - %[1]s %% %[2]d - %[2]d END", c, w, number(math.MinInt64+w))
}

// number writes a number: the smallest has no sign in front of digits in SQL.
func number(v int64) string {
	if v < 0 {
		return fmt.Sprintf("'%d'::BIGINT", v)
	}
	return strconv.FormatInt(v, 10)
}

// column quotes the name of a column, text a text.
func column(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
func text(s string) string      { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// condition writes a condition.
func (q *query) condition(c *data.Condition) (string, error) {
	join := func(word, empty string) (string, error) {
		var parts []string
		for _, of := range c.Of {
			part, err := q.condition(of)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		if parts == nil {
			return empty, nil
		}
		return "(" + strings.Join(parts, word) + ")", nil
	}
	switch c.Op {
	case data.AllOf:
		return join(" AND ", "true")
	case data.AnyOf:
		return join(" OR ", "false")
	case data.NoneOf:
		any, err := join(" OR ", "false")
		return "(NOT " + any + ")", err
	case data.InRanges:
		return q.ranges(c), nil
	case data.IsMarked:
		return q.marked(c)
	}
	return "", fmt.Errorf("there is no condition of kind %d", c.Op)
}

func (q *query) ranges(c *data.Condition) string {
	of := sequence
	if c.Field != data.OwnRow {
		of = column(q.table.Columns[c.Field])
	}
	var parts []string
	for _, s := range c.Ranges {
		switch {
		case s.From > s.To:
		case s.From == math.MinInt64 && s.To == math.MaxInt64:
			return "true"
		case s.From == math.MinInt64:
			parts = append(parts, of+" <= "+number(s.To))
		case s.To == math.MaxInt64:
			parts = append(parts, of+" >= "+number(s.From))
		default:
			parts = append(parts, fmt.Sprintf("%s BETWEEN %s AND %s", of, number(s.From), number(s.To)))
		}
	}
	if parts == nil {
		return "false"
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// maxListed is how many marked entities are listed in the question; more go
// into a table.
const maxListed = 200

func (q *query) marked(c *data.Condition) (string, error) {
	of := column(q.table.Columns[c.Field])
	var ids []string
	for id, mark := range c.Marks {
		if mark {
			ids = append(ids, strconv.Itoa(id))
		}
	}
	switch {
	case ids == nil:
		return "false", nil
	case len(ids) <= maxListed:
		return of + " IN (" + strings.Join(ids, ", ") + ")", nil
	case len(c.Marks)-len(ids) <= maxListed:
		rest := []string{strconv.FormatUint(uint64(data.None), 10)}
		for id, mark := range c.Marks {
			if !mark {
				rest = append(rest, strconv.Itoa(id))
			}
		}
		return of + " NOT IN (" + strings.Join(rest, ", ") + ")", nil
	}
	name := fmt.Sprintf("marks%d", q.marks)
	q.marks++
	sql := fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT unnest(CAST([%s] AS UINTEGER[])) AS id", name, strings.Join(ids, ", "))
	if err := q.run(context.Background(), sql, nil); err != nil {
		return "", err
	}
	return of + " IN (SELECT id FROM " + name + ")", nil
}

// collect copies a result, column by column.
func collect(res duckdb.Result, out *data.Reduced) {
	for {
		chunk := duckdb.FetchChunk(res)
		if chunk.Ptr == nil {
			return
		}
		n := int(duckdb.DataChunkGetSize(chunk))
		at := duckdb.IdxT(0)
		next := func() unsafe.Pointer {
			p := duckdb.VectorGetData(duckdb.DataChunkGetVector(chunk, at))
			at++
			return p
		}
		for i := range out.Keys {
			if k := &out.Keys[i]; k.Refs != nil {
				k.Refs = append(k.Refs, unsafe.Slice((*data.EntityID)(next()), n)...)
			} else {
				k.Values = append(k.Values, unsafe.Slice((*int64)(next()), n)...)
			}
		}
		if out.Group != nil {
			out.Group = append(out.Group, unsafe.Slice((*uint8)(next()), n)...)
		}
		for i := range out.Sums {
			out.Sums[i] = append(out.Sums[i], unsafe.Slice((*int64)(next()), n)...)
		}
		out.First = append(out.First, unsafe.Slice((*int64)(next()), n)...)
		out.Rows += n
		duckdb.DestroyDataChunk(&chunk)
	}
}

// verify checks what DuckDB read from files that anybody may have written:
// ids are indexes for whoever gets them.
func (e *events) verify(r data.Reduction, out data.Reduced) error {
	for i, k := range r.Keys {
		if !e.table.Fields[k.Field].IsReference() {
			continue
		}
		_, high := e.extent(k.Field, r.From, r.To)
		for _, id := range out.Keys[i].Refs {
			if id != data.None && int64(id) > high {
				return fmt.Errorf("%s: field %q refers to entity %d, but the largest should be %d", e.table.Name, e.table.Fields[k.Field].Name, id, high)
			}
		}
	}
	for _, seq := range out.First {
		if seq < r.From || seq >= r.To {
			return fmt.Errorf("%s: event %d is not in a segment where it should be", e.table.Name, seq)
		}
	}
	return nil
}
