// Package hprof reads the text output of the JDK's hprof agent
// (-agentlib:hprof=cpu=samples and others, JDK 1.2 to 8).
//
// Definition: the agent's source (hprof_trace.c, hprof_site.c, hprof_io.c of
// OpenJDK 8); the text is described nowhere else.
//
// Supported: THREAD START, TRACE (with and without thread), and the tables
// CPU SAMPLES, CPU TIME (ms) and SITES, each with its own metrics. A file
// without the "JAVA PROFILE" header that begins with a TRACE is taken too:
// papers and bug reports show them like that.
//
// Ignored: HEAP DUMP, MONITOR DUMP, MONITOR TIME and other sections (with a
// warning); traces that no table refers to (the agent's cutoff leaves many).
// The binary form (format=b) is refused.
//
// Strategy: a trace is its frames as text, so frames are interned once and a
// trace is a run of their numbers. Tables come last, so stacks are built when
// all is read, and only for the traces that a table names. The agent writes
// its tables anew on every dump request with sums since the start, so of
// several tables of a kind the last counts.
package hprof

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "hprof",
		Title: "hprof (text of the JDK's agent)",
		Sniff: sniff,
		Read:  read,
	})
}

const header = "JAVA PROFILE 1."

func sniff(head []byte) bool {
	if bytes.HasPrefix(head, []byte(header)) {
		return true
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte{'\n'})
	_, _, ok := traceLine(bytes.TrimSpace(line))
	return ok
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	head, err := in.Peek(64)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(head, []byte(header)) && bytes.IndexByte(head, 0) >= 0 {
		return fmt.Errorf("this is a binary heap dump (format=b); expected the text of hprof, which format=a writes")
	}
	r := newReader(b)
	lines := source.NewLines(ctx, in)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if ctx.Err() != nil || in.Refused() != nil || len(r.traces) == 0 {
				return err
			}
			b.Warn("reading ended after line %d: %v", lines.Line(), err)
			break
		}
		r.line(line, lines.Line())
	}
	return r.finish(lines.Line())
}

// trace is a stack as the file has it, innermost frame first.
type trace struct {
	from, to int // in reader.frames
	thread   int64
}

type reader struct {
	b       *data.Builder
	frames  []uint32 // of all traces, one after the other
	names   []source.Frame
	byText  map[string]uint32
	traces  map[int64]trace
	threads map[int64]string

	current int64 // the trace that frames belong to, -1 outside of one
	table   *table
	tables  map[string]*table
	skip    []byte // the line that ends an unknown section, or nil
	started int    // line where table or skip began
}

func newReader(b *data.Builder) *reader {
	return &reader{
		b:       b,
		byText:  map[string]uint32{},
		traces:  map[int64]trace{},
		threads: map[int64]string{},
		current: -1,
		tables:  map[string]*table{},
	}
}

func (r *reader) line(raw []byte, number int) {
	line := bytes.TrimSpace(raw)
	switch {
	case r.skip != nil:
		if bytes.Equal(line, r.skip) {
			r.skip = nil
		}
	case r.table != nil:
		if bytes.HasPrefix(line, r.table.kind.end) {
			r.table = nil
		} else {
			r.row(line, number)
		}
	case len(line) == 0:
		r.current = -1
	case r.marker(line, number):
	case r.current >= 0:
		r.frame(line)
	}
	// What is left is the prose of the header.
}

// marker handles lines that begin something.
func (r *reader) marker(line []byte, number int) bool {
	if id, thread, ok := traceLine(line); ok {
		if _, known := r.traces[id]; known {
			r.b.Warn("line %d: TRACE %d is defined a second time; the last counts", number, id)
		}
		r.current = id
		r.traces[id] = trace{from: len(r.frames), to: len(r.frames), thread: thread}
		return true
	}
	if bytes.HasPrefix(line, []byte("THREAD ")) {
		r.current = -1
		r.thread(line)
		return true
	}
	if line[0] < 'A' || line[0] > 'Z' {
		return false
	}
	at := bytes.Index(line, []byte(" BEGIN"))
	// A section's name is in capitals, apart from a unit: CPU TIME (ms) BEGIN.
	if at < 0 || bytes.ContainsAny(line[:at], ".:;") || len(line) < 2 || line[1]-'A' > 25 {
		return false
	}
	r.current, r.started = -1, number
	name := string(line[:at])
	for i := range kinds {
		if kinds[i].name == name {
			if r.tables[name] != nil {
				r.b.Warn("line %d: another %s table, as each dump request writes one; the last counts", number, name)
			}
			r.table = &table{kind: &kinds[i], total: headerTotal(line)}
			r.tables[name] = r.table
			return true
		}
	}
	r.b.Warn("line %d: the section %s is not read", number, name)
	r.skip = []byte(name + " END")
	return true
}

// traceLine parses "TRACE 300001:" and "TRACE 300001: (thread=200001)".
func traceLine(line []byte) (id, thread int64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("TRACE "))
	if !ok {
		return 0, 0, false
	}
	id, rest, ok = source.Number(rest)
	if !ok || len(rest) == 0 || rest[0] != ':' {
		return 0, 0, false
	}
	thread = -1
	if rest, ok = bytes.CutPrefix(bytes.TrimSpace(rest[1:]), []byte("(thread=")); ok {
		if n, _, ok := source.Number(rest); ok {
			thread = n
		}
	}
	return id, thread, true
}

// thread parses THREAD START (obj=…, id = 200001, name="main", group="main").
func (r *reader) thread(line []byte) {
	_, rest, ok := bytes.Cut(line, []byte("id = "))
	if !ok || !bytes.HasPrefix(line, []byte("THREAD START")) {
		return
	}
	id, rest, ok := source.Number(rest)
	if !ok {
		return
	}
	_, rest, ok = bytes.Cut(rest, []byte(`name="`))
	if !ok {
		return
	}
	// A name may hold quotes; the group that follows ends it.
	end := bytes.LastIndex(rest, []byte(`", group=`))
	if end < 0 {
		end = bytes.LastIndexByte(rest, '"')
	}
	if end >= 0 {
		r.threads[id] = string(rest[:end])
	}
}

func (r *reader) frame(line []byte) {
	if bytes.Equal(line, []byte("<empty>")) {
		return
	}
	id, ok := r.byText[string(line)]
	if !ok {
		text := string(line)
		id = uint32(len(r.names))
		r.names = append(r.names, parseFrame(text))
		r.byText[text] = id
	}
	r.frames = append(r.frames, id)
	t := r.traces[r.current]
	t.to = len(r.frames)
	r.traces[r.current] = t
}

func (r *reader) finish(line int) error {
	if r.table != nil {
		r.b.Warn("the file ends within the table that begins in line %d: %d of its rows were read", r.started, len(r.table.rows))
	}
	if r.skip != nil {
		r.b.Warn("the section that begins in line %d has no line %q: the rest of the file was not read", r.started, r.skip)
	}
	var metrics []source.Metric
	var used []*table
	for i := range kinds {
		if t := r.tables[kinds[i].name]; t != nil {
			t.first = len(metrics)
			metrics = append(metrics, t.kind.metrics...)
			used = append(used, t)
		}
	}
	if len(used) == 0 && len(r.traces) == 0 {
		return fmt.Errorf("line %d: the file ends without a TRACE and without a table (expected CPU SAMPLES BEGIN, CPU TIME (ms) BEGIN or SITES BEGIN)", line)
	}
	if len(used) == 0 {
		r.b.Warn("the file ends in line %d without a table of samples, so that all its %d traces have no cost", line, len(r.traces))
		metrics = kinds[0].metrics
	}
	s := stacks{r: r, p: source.NewProfile(r.b, symbol.Java, 0, metrics...), methods: map[uint32]data.EntityID{}, contexts: map[int64]data.EntityID{}}
	for _, t := range used {
		s.addTable(t, len(metrics))
	}
	if len(used) == 0 {
		s.addAll()
	}
	return s.p.Finish()
}
