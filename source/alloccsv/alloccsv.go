// Package alloccsv reads allocations of objects written as CSV:
//
//	seq,type,size,method,class,thread
//	0,java.lang.StringBuilder,24,<clinit>()V,sun.launcher.LauncherHelper,main
//
// Definition: the manifest of the recorded data ("Formats made here"); see
// docs/formats.md.
//
// Supported: quoting by RFC 4180 within a line, headers that occur again (of
// files that were put together), allocations without a method or a thread.
//
// Ignored: nothing. Rows that are not of the format are left out with a
// warning.
//
// Strategy: methods, types and threads are looked up by the bytes of the line;
// a name becomes a string only when it is new.
package alloccsv

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "alloccsv",
		Title: "allocations as CSV",
		Sniff: sniff,
		Read:  read,
	})
}

var header = []byte("seq,type,size,method,class,thread")

func sniff(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.Equal(bytes.TrimSuffix(line, []byte{'\r'}), header)
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{
		program: source.NewProgram(b, symbol.Java),
		types:   map[string]data.EntityID{},
		methods: map[string]data.EntityID{},
		threads: map[string]data.EntityID{},

		threadNames: []string{},
	}
	var err error
	r.allocations, err = b.EventType("Allocation", "an object was allocated",
		data.Value("Sequence", "", "number of the allocation in the run that was recorded", data.Coordinate),
		data.Value("Object Size", "bytes", "memory that the object takes", data.Amount),
		data.Ref("Object Type", source.TypeClass, "class of the object"),
		data.Ref("Allocating Method", source.TypeMethod, "the method that allocated the object"),
		data.Ref("Thread", "Thread", "the thread that allocated the object"))
	if err != nil {
		return err
	}
	if err := source.EachLine(ctx, in, b, r.line); err != nil {
		return err
	}
	return r.finish(b)
}

type reader struct {
	program     *source.Program
	types       map[string]data.EntityID
	methods     map[string]data.EntityID
	threads     map[string]data.EntityID
	threadNames []string
	name        []byte // of a row's method, to look it up

	// Allocations that the builder does not have yet, in the order they occurred.
	allocations *data.EventBuilder
	seq, sizes  []int64
	typ, by, on []data.EntityID // class, method, thread
	failed      error           // what ended handing them on; no fault of a line
}

// The columns.
const (
	colSeq = iota
	colType
	colSize
	colMethod
	colClass
	colThread
	columns
)

func (r *reader) line(line []byte) error {
	if bytes.Equal(line, header) {
		return nil
	}
	fields, ok := split(line)
	seq, after, isNumber := source.Number(fields[colSeq])
	ok = ok && isNumber && len(after) == 0
	size, after, isNumber := source.Number(fields[colSize])
	ok = ok && isNumber && len(after) == 0
	if !ok || size < 0 || len(fields[colType]) == 0 {
		return fmt.Errorf("expected %s, but found %s", header, source.Quote(line))
	}
	if len(r.seq) == data.BatchRows {
		r.flush()
	}
	r.seq = append(r.seq, seq)
	r.sizes = append(r.sizes, size)
	r.typ = append(r.typ, r.class(fields[colType]))
	r.by = append(r.by, r.method(fields[colClass], fields[colMethod]))
	r.on = append(r.on, r.thread(fields[colThread]))
	return nil
}

func split(line []byte) (fields [columns][]byte, ok bool) {
	if bytes.IndexByte(line, '"') >= 0 {
		texts, ok := source.SplitRecord(nil, line)
		if !ok || len(texts) != columns {
			return fields, false
		}
		for i, text := range texts {
			fields[i] = []byte(text)
		}
		return fields, true
	}
	for i := range columns - 1 {
		end := bytes.IndexByte(line, ',')
		if end < 0 {
			return fields, false
		}
		fields[i], line = line[:end], line[end+1:]
	}
	fields[colThread] = line
	return fields, bytes.IndexByte(line, ',') < 0
}

// flush hands on what was read: a builder may keep it on disk.
func (r *reader) flush() {
	if r.failed != nil {
		return
	}
	r.failed = r.allocations.Append(len(r.seq), data.Column{Values: r.seq}, data.Column{Values: r.sizes},
		data.Column{Refs: r.typ}, data.Column{Refs: r.by}, data.Column{Refs: r.on})
	r.seq, r.sizes, r.typ, r.by, r.on = r.seq[:0], r.sizes[:0], r.typ[:0], r.by[:0], r.on[:0]
}

func (r *reader) class(name []byte) data.EntityID {
	id, ok := r.types[string(name)]
	if !ok {
		id = r.program.Class(string(name))
		r.types[string(name)] = id
	}
	return id
}

// method gives None if no method is named: the program was not in one of Java.
func (r *reader) method(class, method []byte) data.EntityID {
	if len(method) == 0 {
		return data.None
	}
	r.name = r.name[:0]
	if len(class) > 0 {
		r.name = append(append(r.name, class...), '.')
	}
	r.name = append(r.name, method...)
	id, ok := r.methods[string(r.name)]
	if !ok {
		id = r.program.Method(source.Frame{Name: string(r.name)})
		r.methods[string(r.name)] = id
	}
	return id
}

func (r *reader) thread(name []byte) data.EntityID {
	if len(name) == 0 {
		return data.None
	}
	id, ok := r.threads[string(name)]
	if !ok {
		id = data.EntityID(len(r.threadNames))
		r.threads[string(name)] = id
		r.threadNames = append(r.threadNames, strings.ToValidUTF8(string(name), "\uFFFD"))
	}
	return id
}

func (r *reader) finish(b *data.Builder) error {
	if r.allocations.Rows()+len(r.seq) == 0 {
		b.Warn("there are no allocations in the file")
	}
	if err := r.program.Finish(); err != nil {
		return err
	}
	threads, err := b.EntityType("Thread", "a thread of the program")
	if err != nil {
		return err
	}
	if err := threads.Adopt(r.threadNames, len(r.threadNames)); err != nil {
		return err
	}
	r.flush()
	return r.failed
}
