package store

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/cambium-prof/cambium/data"
)

// events are the events of one type in a store. It is safe for concurrent use.
type events struct {
	root  string // the store's folder
	table eventTable
	// engine is the one that reductions use: "" chooses.
	engine string
}

// Rows is the number of events.
func (e *events) Rows() int { return int(e.table.Rows) }

// part is a piece of a row group: what is decoded at a time.
type part struct {
	segment, group int
	first          int64 // sequence number of the first row of the group
	from, to       int   // rows of the group
	rows           int   // of the group
}

// parts lists the pieces of a run of events, in order.
func (e *events) parts(from, to int64) []part {
	var parts []part
	per, perGroup := e.table.SegmentRows, e.table.GroupRows
	for s := from / per; s*per < to; s++ {
		rows := e.table.Segments[s].Rows
		for g := int64(0); g*perGroup < rows; g++ {
			first := s*per + g*perGroup
			n := min(perGroup, rows-g*perGroup)
			if first >= to || first+n <= from {
				continue
			}
			parts = append(parts, part{int(s), int(g), first, int(max(from-first, 0)), int(min(to-first, n)), int(n)})
		}
	}
	return parts
}

// block holds the decoded columns of a part, and keeps their memory.
type block struct {
	columns []data.Column // by index of the fields that were asked for
	err     error
}

// reading is a row group that is being decoded.
type reading struct {
	file    *file
	cursors []*cursor // by index of the fields that were asked for
}

// open begins to decode fields of a row group.
func (e *events) open(p part, fields []int) (_ *reading, err error) {
	s := &e.table.Segments[p.segment]
	f, err := openFile(filepath.Join(e.root, filepath.FromSlash(s.File)))
	if err != nil {
		return nil, err
	}
	r := &reading{file: f}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	defer caught(f.name, &err)
	g, err := f.group(p.group, int64(p.rows))
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		kind := parquet.Int64
		if e.table.Fields[field].IsReference() {
			kind = parquet.Int32
		}
		leaf, err := f.leaf(e.table.Columns[field], kind)
		if err != nil {
			return nil, err
		}
		r.cursors = append(r.cursors, f.cursor(g, leaf, s.Max[field]))
	}
	return r, nil
}

func (r *reading) close() {
	for _, c := range r.cursors {
		c.close()
	}
	r.file.close()
}

// fill decodes the next n rows into a block.
func (e *events) fill(r *reading, n int, fields []int, b *block) error {
	if b.columns == nil {
		b.columns = make([]data.Column, len(fields))
	}
	for i, field := range fields {
		c := &b.columns[i]
		var err error
		if e.table.Fields[field].IsReference() {
			if cap(c.Refs) < n {
				c.Refs = make([]data.EntityID, n)
			}
			c.Refs = c.Refs[:n]
			err = r.cursors[i].refs(c.Refs)
		} else {
			if cap(c.Values) < n {
				c.Values = make([]int64, n)
			}
			c.Values = c.Values[:n]
			err = r.cursors[i].values(c.Values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load decodes the fields of a whole row group.
func (e *events) load(p part, fields []int, b *block) error {
	r, err := e.open(p, fields)
	if err != nil {
		return err
	}
	defer r.close()
	return e.fill(r, p.rows, fields, b)
}

// Read makes a pass over a run of events. Row groups are decoded ahead on all
// cores, and handed over in order.
func (e *events) Read(ctx context.Context, fields []int, from, to int64, yield func(data.Batch) error) error {
	parts := e.parts(from, to)
	cores := min(runtime.GOMAXPROCS(0), len(parts))
	// Each part has a place of its own to appear in. Blocks are few, so that
	// decoding waits for whoever uses them.
	decoded := make([]chan *block, len(parts))
	for i := range decoded {
		decoded[i] = make(chan *block, 1)
	}
	free := make(chan *block, cores+1)
	for range cores + 1 {
		free <- &block{}
	}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	defer workers.Wait()
	defer close(stop)
	next := make(chan int)
	workers.Go(func() {
		defer close(next)
		for i := range parts {
			select {
			case next <- i:
			case <-stop:
				return
			}
		}
	})
	for range cores {
		workers.Go(func() {
			for {
				var b *block
				select {
				case b = <-free: // before the number, so that the next in order is never without a block
				case <-stop:
					return
				}
				i, ok := <-next
				if !ok {
					return
				}
				b.err = e.load(parts[i], fields, b)
				decoded[i] <- b
			}
		})
	}
	batch := data.Batch{Columns: make([]data.Column, len(fields))}
	for i, p := range parts {
		var b *block
		select {
		case b = <-decoded[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		if b.err != nil {
			return b.err
		}
		for at := p.from; at < p.to; at += data.BatchRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			end := min(at+data.BatchRows, p.to)
			batch.First, batch.Rows = p.first+int64(at), end-at
			for c, column := range b.columns {
				batch.Columns[c] = cut(column, at, end)
			}
			if err := yield(batch); err != nil {
				return err
			}
		}
		free <- b
	}
	return nil
}

func cut(c data.Column, from, to int) data.Column {
	if c.Refs != nil {
		return data.Column{Refs: c.Refs[from:to]}
	}
	return data.Column{Values: c.Values[from:to]}
}

// copyEvents hands all events of a table to a writer.
func copyEvents(ctx context.Context, t *data.EventTable, w data.EventWriter) error {
	if t.Store() == nil {
		for from := 0; from < t.Rows(); from += segmentRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(from+segmentRows, t.Rows())
			part := make([]data.Column, len(t.Columns))
			for i, c := range t.Columns {
				part[i] = cut(c, from, to)
			}
			if err := w.Write(to-from, part); err != nil {
				return err
			}
		}
		return nil
	}
	fields := make([]int, len(t.Fields))
	for i := range fields {
		fields[i] = i
	}
	return t.Store().Read(ctx, fields, 0, int64(t.Rows()), func(b data.Batch) error { return w.Write(b.Rows, b.Columns) })
}
