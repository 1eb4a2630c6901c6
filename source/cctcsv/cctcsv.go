// Package cctcsv reads a calling context tree written as CSV in pre-order:
//
//	#methods
//	id,class,name,descriptor
//	0,java.lang.String,isLatin1,()Z
//	#nodes
//	depth,method,invocations,bytecodes
//	0,7,0,0
//
// Definition: the manifest of the recorded data ("Formats made here"); see
// docs/formats.md. The files are large and usually packed by zstd.
//
// Supported: any number of metric columns after depth and method (at most 64),
// quoting by RFC 4180 in the methods, gaps in the ids. The last metric is the
// preferred one. Contexts of the pseudo class <thread> name the thread of all
// that is below them, which samples have as a label.
//
// Ignored: methods that no node uses; rows of depth 0 whose class is <root>
// (the synthetic root, or several of them), except for what they cost.
//
// Strategy: the file is a tree already, with siblings of one method apart, so
// nothing is interned: a row is a context, its parent the last row one level
// up, and what it cost a sample.
package cctcsv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "cctcsv",
		Title: "calling context tree as CSV",
		Sniff: sniff,
		Read:  read,
	})
}

func sniff(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.Equal(bytes.TrimSpace(line), []byte("#methods")) && bytes.HasPrefix(rest, []byte("id,"))
}

// maxColumns bounds the memory a short row can take.
const maxColumns = 64

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{ctx: ctx, in: in, b: b, lines: source.NewLines(ctx, in)}
	err := r.read()
	if err == io.EOF {
		return fmt.Errorf("line %d: the file ends here; expected %s", r.lines.Line(), r.expect)
	}
	if err != nil {
		return err
	}
	p := r.profile
	ids := make([]data.EntityID, len(r.methods))
	for i := range ids {
		ids[i] = data.None
	}
	for i, m := range r.nodeMethods {
		if ids[m] == data.None {
			// Added, not interned: two methods may have one name.
			ids[m] = p.AddMethod(source.Frame{Name: r.methods[m].display()})
		}
		r.nodeMethods[i] = ids[m]
	}
	for row := range slices.Chunk(r.rootCosts, r.metrics) {
		p.Sample(data.None, row...)
	}
	p.AdoptContexts(r.parents, r.nodeMethods)
	if r.threadNames != nil {
		r.threads.Name(r.threadNames)
	}
	return p.Finish()
}

type reader struct {
	ctx    context.Context
	in     *source.Input
	b      *data.Builder
	lines  *source.Lines
	expect string // what the next line should be

	methods []method
	byID    map[int64]data.EntityID // ids that are not the row's number

	profile     *source.Profile
	metrics     int
	parents     []data.EntityID
	nodeMethods []data.EntityID // rows of methods, at first
	rootCosts   []int64         // of the synthetic roots that cost something, metric by metric
	threaded    bool            // some method is the pseudo method of a thread
	threads     *source.Label
	threadNames []string
	path        []step // depth -> the last row there
}

// step is the last row of a depth; None for a synthetic root.
type step struct{ row, thread data.EntityID }

func (r *reader) read() error {
	if err := r.readMethods(); err != nil {
		return err
	}
	return r.readNodes()
}

func (r *reader) readNodes() error {
	r.expect = "the header depth,method,…"
	header, err := r.lines.Next()
	if err != nil {
		return err
	}
	columns, ok := source.SplitRecord(nil, header)
	if !ok || len(columns) < 3 || columns[0] != "depth" || columns[1] != "method" {
		return fmt.Errorf("line %d: expected the header depth,method and the names of metrics, but found %s", r.lines.Line(), source.Quote(header))
	}
	if len(columns) > maxColumns+2 {
		return fmt.Errorf("line %d: %d metrics are more than the %d that can be read", r.lines.Line(), len(columns)-2, maxColumns)
	}
	var metrics []source.Metric
	for _, name := range columns[2:] {
		metrics = append(metrics, source.Metric{Name: name, Unit: "count", Description: name + " of the method itself"})
	}
	r.metrics = len(metrics)
	r.profile = source.NewProfile(r.b, symbol.Java, len(metrics)-1, metrics...)
	if r.threaded {
		r.threads = r.profile.LateLabel("Thread")
	}
	row := make([]int64, len(columns))
	r.expect = "the root, a row of depth 0"
	for {
		line, err := r.lines.Next()
		if err == io.EOF && len(r.path) > 0 {
			return nil
		}
		if err != nil {
			if len(r.parents) == 0 || r.ctx.Err() != nil || r.in.Refused() != nil {
				return err
			}
			r.b.Warn("reading ended after line %d: %v", r.lines.Line(), err)
			return nil
		}
		if len(line) == 0 {
			continue
		}
		n, ok := parseRow(line, row)
		if n < 2 || len(r.path) == 0 && row[0] != 0 {
			err := fmt.Errorf("line %d: expected %s of %d integers, but found %s", r.lines.Line(), r.expect, len(row), source.Quote(line))
			if len(r.path) == 0 {
				return err
			}
			r.b.Warn("%v; the row is left out", err)
			continue
		}
		if !ok || n < len(row) {
			r.b.Warn("line %d: expected %d integers, but found %s; what is missing is taken as 0", r.lines.Line(), len(row), source.Quote(line))
			clear(row[n:])
		}
		r.expect = "a row"
		r.node(row)
	}
}

func (r *reader) node(row []int64) {
	depth := row[0]
	if depth < 0 || depth > int64(len(r.path)) {
		r.b.Warn("line %d: depth %d cannot follow depth %d; the node is put below the row before", r.lines.Line(), depth, len(r.path)-1)
		depth = int64(len(r.path))
	}
	m := r.method(row[1])
	if depth == 0 && r.methods[m].root {
		r.path = append(r.path[:0], step{data.None, data.None})
		if slices.ContainsFunc(row[2:], func(v int64) bool { return v != 0 }) {
			r.rootCosts = append(r.rootCosts, row[2:]...)
		}
		return
	}
	parent := step{data.None, data.None}
	if depth > 0 {
		parent = r.path[depth-1]
	}
	at := step{data.EntityID(len(r.parents)), parent.thread}
	if r.methods[m].thread {
		// Threads of one name are different threads.
		at.thread = data.EntityID(len(r.threadNames))
		r.threadNames = append(r.threadNames, r.methods[m].name)
	}
	r.path = append(r.path[:depth], at)
	if len(r.parents) == cap(r.parents) {
		r.grow()
	}
	r.parents = append(r.parents, parent.row)
	r.nodeMethods = append(r.nodeMethods, m)
	r.profile.Sample(at.row, row[2:]...)
	if at.thread != data.None {
		r.threads.Set(at.thread)
	}
}

// grow doubles all columns: append grows large slices by a quarter, and
// copying millions of rows that often takes longer than parsing them.
func (r *reader) grow() {
	more := max(1024, len(r.parents))
	r.parents = slices.Grow(r.parents, more)
	r.nodeMethods = slices.Grow(r.nodeMethods, more)
}

// parseRow parses integers separated by commas into row and gives how many
// there are. ok is false if something else is in the line.
func parseRow(line []byte, row []int64) (n int, ok bool) {
	i := 0
	for n < len(row) {
		negative := false
		if i < len(line) && line[i] == '-' {
			negative = true
			i++
		}
		from := i
		var v uint64
		for ; i < len(line); i++ {
			d := line[i] - '0'
			if d > 9 {
				break
			}
			v = v*10 + uint64(d)
		}
		limit := uint64(math.MaxInt64)
		if negative {
			limit++
		}
		// 18 digits always fit; 19 may, and then the sum has not wrapped.
		if i == from || i-from > 19 || v > limit {
			return n, false
		}
		if row[n] = int64(v); negative {
			row[n] = int64(-v)
		}
		n++
		if i == len(line) {
			return n, true
		}
		if line[i] != ',' {
			return n - 1, false
		}
		i++
	}
	return n, false
}
