package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/cambium-prof/cambium/data"
)

// Writer makes a store. Events can be handed to it while a data set is being
// read, see [data.Builder.SpillTo]; what was not, and the entities, come with
// [Writer.Finish]. It is for one goroutine.
//
// The folder gets its name when everything is in it. Until then it is called
// NAME.part.
type Writer struct {
	dir, part string
	events    []*eventWriter
	cuts      cuts
}

// cuts are the numbers of rows in segments and in their row groups.
type cuts struct{ segment, group int }

var realCuts = cuts{segmentRows, groupRows}

// of gives the cuts for events of these fields.
func (c cuts) of(fields []data.Field) cuts {
	row := 0
	for _, f := range fields {
		row += 8
		if f.IsReference() {
			row -= 4
		}
	}
	for c.segment > c.group && c.segment*row > segmentBytes {
		c.segment -= c.group
	}
	return c
}

// partSuffix is how the folder of an unfinished store ends.
const partSuffix = ".part"

// Create starts a store in the folder dir, which must not exist yet.
func Create(dir string) (*Writer, error) {
	dir = filepath.Clean(dir)
	w := &Writer{dir: dir, part: dir + partSuffix, cuts: realCuts}
	if err := free(dir); err != nil {
		return nil, err
	}
	// Something that was interrupted may have left one.
	if _, err := os.Stat(filepath.Join(w.part, "events")); err == nil {
		if err := os.RemoveAll(w.part); err != nil {
			return nil, err
		}
	}
	for _, folder := range []string{w.part, filepath.Join(w.part, "entities"), filepath.Join(w.part, "events")} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func free(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s: exists already; a store is a new folder", dir)
	}
	return nil
}

// Events starts a type of event.
func (w *Writer) Events(def data.Definition) (data.EventWriter, error) {
	e, err := newEventWriter(def, w.part, filepath.Join("events", fileName(len(w.events), def.Name)), w.cuts)
	if err == nil {
		w.events = append(w.events, e)
	}
	return e, err
}

// Pages starts a place for rows that are no events yet, where there is room for
// the store.
func (w *Writer) Pages() (data.Pages, error) { return newPages(w.part) }

// Finish completes the store with what a data set has and the writer was not
// handed yet.
func (w *Writer) Finish(ctx context.Context, set *data.Set) error {
	m := &manifest{Format: signature, Version: version, Name: set.Name, Source: set.Format, Warnings: set.Warnings, Entities: []entityTable{}, Events: []eventTable{}}
	for i, t := range set.Entities() {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := entityTable{Definition: t.Definition, Rows: t.Rows(), Named: t.Names != nil, Columns: columnNames(t.Fields)}
		e.File = "entities/" + fileName(i, t.Definition.Name) + ".parquet"
		if err := writeTable(filepath.Join(w.part, filepath.FromSlash(e.File)), table{t.Names, t.Columns, e.Columns, t.Rows()}, groupRows); err != nil {
			return err
		}
		m.Entities = append(m.Entities, e)
	}
	for _, t := range set.Events() {
		e, err := w.table(ctx, t)
		if err != nil {
			return err
		}
		m.Events = append(m.Events, e.table)
	}
	if err := m.write(w.part); err != nil {
		return err
	}
	if err := free(w.dir); err != nil {
		return err
	}
	return os.Rename(w.part, w.dir)
}

// table gives what was written of a type of event, or writes it.
func (w *Writer) table(ctx context.Context, t *data.EventTable) (*events, error) {
	if e, ok := t.Store().(*events); ok {
		for _, mine := range w.events {
			if mine.done == e {
				return e, nil
			}
		}
	}
	e, err := w.Events(t.Definition)
	if err != nil {
		return nil, err
	}
	if err := copyEvents(ctx, t, e); err != nil {
		return nil, err
	}
	done, err := e.Finish()
	if err != nil {
		return nil, err
	}
	return done.(*events), nil
}

// Abort ends an unfinished store and removes what there is of it.
func (w *Writer) Abort() error {
	for _, e := range w.events {
		e.wait()
	}
	return os.RemoveAll(w.part)
}

// eventWriter cuts events into segments and encodes them on all cores.
type eventWriter struct {
	cuts    cuts
	root    string // of the store
	folder  string // in it
	table   eventTable
	done    *events // once finished
	columns []data.Column
	rows    int

	slots  chan struct{} // as many as segments are encoded at a time
	buffer chan []data.Column
	busy   sync.WaitGroup
	mu     sync.Mutex
	err    error
}

func newEventWriter(def data.Definition, root, folder string, c cuts) (*eventWriter, error) {
	if err := os.Mkdir(filepath.Join(root, folder), 0o777); err != nil {
		return nil, err
	}
	cores := runtime.GOMAXPROCS(0)
	c = c.of(def.Fields)
	return &eventWriter{
		root: root, folder: folder, cuts: c, columns: make([]data.Column, len(def.Fields)),
		table: eventTable{Definition: def, Columns: columnNames(def.Fields), SegmentRows: int64(c.segment), GroupRows: int64(c.group), Segments: []segment{}},
		slots: make(chan struct{}, cores), buffer: make(chan []data.Column, cores+1),
	}, nil
}

// Write takes rows events.
func (w *eventWriter) Write(rows int, columns []data.Column) error {
	for from := 0; from < rows; {
		n := min(rows-from, w.cuts.segment-w.rows)
		for i, c := range columns {
			if c.Refs != nil {
				w.columns[i].Refs = append(w.columns[i].Refs, c.Refs[from:from+n]...)
			} else {
				w.columns[i].Values = append(w.columns[i].Values, c.Values[from:from+n]...)
			}
		}
		from += n
		if w.rows += n; w.rows == w.cuts.segment {
			w.cut()
		}
	}
	return w.failure()
}

// cut hands the segment so far to a core that is free.
func (w *eventWriter) cut() {
	s := segment{File: fmt.Sprintf("%s/%06d.parquet", filepath.ToSlash(w.folder), len(w.table.Segments)), Rows: int64(w.rows)}
	columns, rows := w.columns, w.rows
	for i, c := range columns {
		low, high := extent(c)
		s.Min, s.Max = append(s.Min, low), append(s.Max, high)
		if w.table.Fields[i].IsReference() && c.Refs == nil {
			columns[i].Refs = []data.EntityID{}
		}
	}
	if s.Min == nil {
		s.Min, s.Max = []int64{}, []int64{}
	}
	w.table.Segments = append(w.table.Segments, s)
	w.table.Rows += s.Rows
	w.slots <- struct{}{}
	w.busy.Go(func() {
		defer func() { <-w.slots }()
		if w.failure() == nil {
			w.fail(writeTable(filepath.Join(w.root, filepath.FromSlash(s.File)), table{nil, columns, w.table.Columns, rows}, w.cuts.group))
		}
		for i := range columns {
			columns[i] = data.Column{Refs: columns[i].Refs[:0], Values: columns[i].Values[:0]}
		}
		w.buffer <- columns
	})
	select {
	case w.columns = <-w.buffer:
	default:
		w.columns = make([]data.Column, len(columns))
	}
	w.rows = 0
}

// extent is the smallest and the largest value of a column, of references
// without those to nothing.
func extent(c data.Column) (low, high int64) {
	if c.Refs == nil {
		low, high = math.MaxInt64, math.MinInt64
		for _, v := range c.Values {
			low, high = min(low, v), max(high, v)
		}
		return low, high
	}
	low, high = 0, -1
	for _, id := range c.Refs {
		if id != data.None {
			if high < 0 || int64(id) < low {
				low = int64(id)
			}
			high = max(high, int64(id))
		}
	}
	return low, high
}

func (w *eventWriter) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *eventWriter) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, err)
}

func (w *eventWriter) wait() { w.busy.Wait() }

// Finish gives the events that were written.
func (w *eventWriter) Finish() (data.EventStore, error) {
	if w.rows > 0 {
		w.cut()
	}
	w.wait()
	w.columns, w.buffer = nil, nil
	if err := w.failure(); err != nil {
		return nil, err
	}
	w.done = &events{root: w.root, table: w.table}
	return w.done, nil
}
