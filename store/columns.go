package store

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/cambium-prof/cambium/data"
)

const (
	// segmentRows is the number of events in every segment but the last: what
	// one core encodes at a time, 32 MB for an event of 16 bytes. Of larger
	// events there are fewer, down to a row group, so that they are not more
	// than segmentBytes.
	segmentRows  = 4 * groupRows
	segmentBytes = 48 << 20
	// groupRows is the number of rows in every row group but the last: long
	// enough for dictionaries of 50,000 entities to be worth their place.
	groupRows = 8 * data.BatchRows
	// maxGroupRows bounds what is decoded at once for stores of other writers.
	maxGroupRows = 64 * data.BatchRows
)

// nameColumn is the column of the names of entities.
const nameColumn = "name"

// pageBytes is about how large a page is before it is encoded.
const pageBytes = 512 << 10

// table is what a Parquet file holds.
type table struct {
	names   []string // nil if there are none; entities only
	columns []data.Column
	headers []string // of columns
	rows    int
}

// writeTable writes a file of rows in groups of perGroup.
func writeTable(name string, t table, perGroup int) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
	}()
	group := parquet.Group{}
	if t.names != nil {
		group[nameColumn] = parquet.Encoded(parquet.Required(parquet.String()), &parquet.Plain)
	}
	for i, c := range t.columns {
		group[t.headers[i]] = node(c, t.rows)
	}
	if len(group) == 0 { // a file has a column at least
		group["row"] = parquet.Encoded(parquet.Required(parquet.Uint(32)), &parquet.DeltaBinaryPacked)
	}
	schema := parquet.NewSchema("table", group)
	w := parquet.NewWriter(f, schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.PageBufferSize(pageBytes),
		parquet.DataPageStatistics(false), parquet.DictionaryMaxBytes(4<<20),
		parquet.CreatedBy("cambium", "1", ""))
	writers := w.ColumnWriters()
	buffer := make([]parquet.Value, 1024)
	for from := 0; from < t.rows; from += perGroup {
		to := min(from+perGroup, t.rows)
		put := func(header string, value func(row int) parquet.Value) error {
			leaf, _ := schema.Lookup(header)
			for at := from; at < to; at += len(buffer) {
				part := buffer[:min(len(buffer), to-at)]
				for i := range part {
					part[i] = value(at+i).Level(0, 0, leaf.ColumnIndex)
				}
				if _, err := writers[leaf.ColumnIndex].WriteRowValues(part); err != nil {
					return err
				}
			}
			return nil
		}
		if t.names != nil {
			err = put(nameColumn, func(row int) parquet.Value { return parquet.ByteArrayValue([]byte(t.names[row])) })
		}
		for i, c := range t.columns {
			if err == nil && c.Refs != nil {
				err = put(t.headers[i], func(row int) parquet.Value { return parquet.Int32Value(int32(c.Refs[row])) })
			} else if err == nil {
				err = put(t.headers[i], func(row int) parquet.Value { return parquet.Int64Value(c.Values[row]) })
			}
		}
		if err == nil && t.names == nil && len(t.columns) == 0 {
			err = put("row", func(row int) parquet.Value { return parquet.Int32Value(int32(row)) })
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// node chooses the encoding of a column: a dictionary where few values repeat,
// differences otherwise. Of 16.8 million events, both decode at 500 million
// values a second and more, plain values at 40 to 150 (see BENCHMARKS.md).
func node(c data.Column, rows int) parquet.Node {
	const sample = 64 << 10
	few := 1 + min(rows, sample)/4
	distinct := map[int64]struct{}{}
	for i := 0; i < min(rows, sample) && len(distinct) <= few; i++ {
		if c.Refs != nil {
			distinct[int64(c.Refs[i])] = struct{}{}
		} else {
			distinct[c.Values[i]] = struct{}{}
		}
	}
	n := parquet.Required(parquet.Int(64))
	if c.Refs != nil {
		n = parquet.Required(parquet.Uint(32))
	}
	if len(distinct) <= few {
		return parquet.Encoded(n, &parquet.RLEDictionary)
	}
	return parquet.Encoded(n, &parquet.DeltaBinaryPacked)
}

// file is an open Parquet file. Its methods turn what parquet-go panics with,
// on bytes that no writer wrote, into errors.
type file struct {
	*parquet.File
	name string
	f    *os.File
}

func openFile(name string) (_ *file, err error) {
	defer caught(name, &err)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(256<<10))
	if err != nil {
		return nil, fmt.Errorf("%s: is no complete Parquet file (%d bytes): %w", name, info.Size(), err)
	}
	return &file{p, name, f}, nil
}

func (f *file) close() { f.f.Close() }

// caught makes an error of a panic.
func caught(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: is damaged: %v", name, p)
	}
}

// leaf gives the index of a column after checking its type.
func (f *file) leaf(header string, kind parquet.Kind) (int, error) {
	c, ok := f.Schema().Lookup(header)
	switch {
	case !ok || !c.Node.Leaf():
		return 0, fmt.Errorf("%s: has no column %q", f.name, header)
	case !c.Node.Required() || c.Node.Type().Kind() != kind:
		return 0, fmt.Errorf("%s: column %q is a %s (required: %t) instead of a required %s", f.name, header, c.Node.Type(), c.Node.Required(), kind)
	}
	return c.ColumnIndex, nil
}

// group gives a row group after checking that it has as many rows as it must.
func (f *file) group(g int, rows int64) (parquet.RowGroup, error) {
	groups := f.RowGroups()
	if g >= len(groups) {
		return nil, fmt.Errorf("%s: has %d row groups, but number %d should be there", f.name, len(groups), g)
	}
	if n := groups[g].NumRows(); n != rows {
		return nil, fmt.Errorf("%s: row group %d has %d rows instead of %d", f.name, g, n, rows)
	}
	return groups[g], nil
}

// readRefs decodes references into ids, whose length is the number of rows;
// all must be None or at most largest.
func (f *file) readRefs(g parquet.RowGroup, leaf int, ids []data.EntityID, largest int64) error {
	c := f.cursor(g, leaf, largest)
	defer c.close()
	if err := c.refs(ids); err != nil {
		return err
	}
	return c.end()
}

// readValues decodes values into values, whose length is the number of rows.
func (f *file) readValues(g parquet.RowGroup, leaf int, values []int64) error {
	c := f.cursor(g, leaf, 0)
	defer c.close()
	if err := c.values(values); err != nil {
		return err
	}
	return c.end()
}

// cursor decodes a column of a row group piece by piece.
type cursor struct {
	f       *file
	leaf    int
	largest int64 // of references
	pages   parquet.Pages
	page    parquet.Page // nil before the first and after the last
	rows    encoding.Values
	at, n   int // of the page's rows: how many are used, how many there are
	seen    int // rows before the page

	known   encoding.Values // of the page's dictionary, if it has one
	coded   bool            // whether it has
	checked bool            // whether the dictionary is known to be within bounds
}

func (f *file) cursor(g parquet.RowGroup, leaf int, largest int64) *cursor {
	return &cursor{f: f, leaf: leaf, largest: largest, pages: g.ColumnChunks()[leaf].Pages()}
}

func (c *cursor) close() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
	c.pages.Close()
}

func (c *cursor) header() string { return c.f.Schema().Columns()[c.leaf][0] }

// more makes sure that there are rows in the page; it gives io.EOF after the last.
func (c *cursor) more() error {
	for c.at == c.n {
		if c.page != nil {
			parquet.Release(c.page)
			c.page = nil
		}
		c.seen += c.n
		c.at, c.n = 0, 0
		p, err := c.pages.ReadPage()
		if err == io.EOF {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: column %q cannot be decoded after row %d of its group: %w", c.f.name, c.header(), c.seen, err)
		}
		c.page, c.rows, c.n = p, p.Data(), int(p.NumValues())
		d := p.Dictionary()
		if c.coded = d != nil; c.coded {
			c.known = d.Page().Data()
		}
	}
	return nil
}

// short makes an error of a column that ends early.
func (c *cursor) short(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%s: column %q ends after %d rows of its group", c.f.name, c.header(), c.seen)
	}
	return err
}

// end checks that there is nothing left.
func (c *cursor) end() (err error) {
	defer caught(c.f.name, &err)
	switch err := c.more(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("%s: column %q has more rows than its group, which has %d", c.f.name, c.header(), c.seen+c.at)
	default:
		return err
	}
}

// refs decodes the next len(into) references.
func (c *cursor) refs(into []data.EntityID) (err error) {
	defer caught(c.f.name, &err)
	within := func(id uint32) bool { return int64(id) <= c.largest || data.EntityID(id) == data.None }
	for len(into) > 0 {
		if err := c.more(); err != nil {
			return c.short(err)
		}
		n := min(len(into), c.n-c.at)
		if c.coded {
			values := c.known.Uint32()
			if !c.checked {
				for _, v := range values {
					if !within(v) {
						return c.f.dangling(c.leaf, v, c.largest)
					}
				}
				c.checked = true
			}
			for i, x := range c.rows.Int32()[c.at : c.at+n] {
				into[i] = data.EntityID(values[x])
			}
		} else {
			for i, v := range c.rows.Uint32()[c.at : c.at+n] {
				into[i] = data.EntityID(v)
				if !within(v) {
					return c.f.dangling(c.leaf, v, c.largest)
				}
			}
		}
		c.at += n
		into = into[n:]
	}
	return nil
}

// values decodes the next len(into) values.
func (c *cursor) values(into []int64) (err error) {
	defer caught(c.f.name, &err)
	for len(into) > 0 {
		if err := c.more(); err != nil {
			return c.short(err)
		}
		n := min(len(into), c.n-c.at)
		if c.coded {
			values := c.known.Int64()
			for i, x := range c.rows.Int32()[c.at : c.at+n] {
				into[i] = values[x]
			}
		} else {
			copy(into[:n], c.rows.Int64()[c.at:c.at+n])
		}
		c.at += n
		into = into[n:]
	}
	return nil
}

func (f *file) dangling(leaf int, id uint32, largest int64) error {
	return fmt.Errorf("%s: column %q refers to entity %d, but the largest should be %d", f.name, f.Schema().Columns()[leaf][0], id, largest)
}

// readNames decodes texts into names, whose length is the number of rows.
func (f *file) readNames(g parquet.RowGroup, leaf int, names []string) (err error) {
	defer caught(f.name, &err)
	at := 0
	return f.pages(g, leaf, len(names), func(p parquet.Page) error {
		into := names[at : at+int(p.NumValues())]
		at += len(into)
		if d := p.Dictionary(); d != nil {
			known, rows := d.Page().Data(), p.Data()
			bytes, offsets := known.ByteArray()
			all := string(bytes)
			for i, x := range rows.Int32()[:len(into)] {
				into[i] = all[offsets[x]:offsets[x+1]]
			}
			return nil
		}
		rows := p.Data()
		bytes, offsets := rows.ByteArray()
		all := string(bytes) // one allocation for all names of the page
		for i := range into {
			into[i] = all[offsets[i]:offsets[i+1]]
		}
		return nil
	})
}

// pages gives the pages of a column of a row group, which must have rows values.
func (f *file) pages(g parquet.RowGroup, leaf, rows int, each func(parquet.Page) error) error {
	pages := g.ColumnChunks()[leaf].Pages()
	defer pages.Close()
	seen := 0
	for {
		p, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: column %q cannot be decoded after row %d of its group: %w", f.name, f.Schema().Columns()[leaf][0], seen, err)
		}
		if seen += int(p.NumValues()); seen <= rows {
			err = each(p)
		}
		parquet.Release(p)
		if err != nil {
			return err
		}
	}
	if seen != rows {
		return fmt.Errorf("%s: column %q has %d values in a group of %d rows", f.name, f.Schema().Columns()[leaf][0], seen, rows)
	}
	return nil
}
