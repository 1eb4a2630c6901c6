// Package perfscript reads what `perf script` of Linux prints: samples with
// their call chains, as text.
//
//	sqlite3 25351/25351 [001]  3331.464828:     500751 cpu-clock:
//		    7f1c4b787 moveToRoot+0x57 (/usr/bin/sqlite3)
//		    7f1c69f6c sqlite3BtreeIndexMoveto+0xcc (/usr/bin/sqlite3)
//
// Definition: there is none but the program. This follows process_event,
// perf_sample__fprintf_start and sample__fprintf_callchain of tools/perf
// (builtin-script.c, util/evsel_fprintf.c). The recorded files are of perf 6.1.
//
// Supported: the fields comm, pid, tid, cpu, misc, time, period and event in
// perf's order, each there or not (perf script -F); call chains with ip, sym,
// symoff, dso, dsoff and srcline, each there or not; inlined frames; the single
// symbol that perf prints at the end of the line for samples without a call
// chain; several events in one file; tracepoints; kernel and user frames;
// headers (--header); tabs that became spaces on the way.
//
// Dialects that are refused or left out with a warning: records of other kinds
// (--show-mmap-events and the like), branch stacks, registers, source code and
// disassembly (+brstack, +iregs, +srccode, +insn), what scripts of perf print.
//
// Quirks. A command may have blanks, brackets and digits in its name, so that
// the line is read from the thread's number on, which is the first number that
// is followed by what has to follow it. A function that perf knows no name of
// is called after its binary, [libc.so.6], as FlameGraph does: its address
// differs from run to run. Functions of one name in different binaries are
// different methods.
package perfscript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/perfsamples"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "perfscript",
		Title: "perf script (text)",
		Order: 10, // no signature, but a form that nothing else has
		Sniff: sniff,
		Read:  read,
	})
}

const expected = "a sample as perf script prints it, such as main 123 4.567: 100 cycles:, and its frames below it"

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(b)
	lines := source.NewLines(ctx, in)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if ctx.Err() != nil || in.Refused() != nil || r.samples.Len() == 0 {
				return err
			}
			b.Warn("reading ended after line %d: %v", lines.Line(), err)
			break
		}
		r.line(line, lines.Line())
		if r.bad >= maxBad && r.samples.Len() == 0 {
			break
		}
	}
	if r.open && in.Warning() != "" {
		r.open = false // its outer frames are lost
		b.Warn("line %d: the sample is left out, as its stack is not whole", r.header.line)
	}
	if r.open && lines.Cut() {
		b.Warn("line %d: the file ends here without a line break; it may have been cut off", lines.Line())
	}
	return r.finish()
}

// maxBad is how many lines without a sample before them it takes to see that
// this is something else.
const maxBad = 1000

// reader collects samples as columns. A sample is open from its header to the
// blank line, the next header or the end.
type reader struct {
	b *data.Builder
	p *source.Profile

	open   bool
	header header
	head   []byte // copy of the header's comm, event and rest
	stack  []data.EntityID

	waiting []waiting // frames of stack
	texts   []byte    // of waiting
	stacks  perfsamples.Stacks

	frames []source.Frame // method -> what is known of it
	dsos   map[string]*dso
	last   *dso

	samples  *perfsamples.Samples
	bad      int   // lines left out
	firstBad error // what was wrong with the first of them
	records  int   // records of other kinds
	stackful bool  // a sample has a stack
}

func newReader(b *data.Builder) *reader {
	p := source.NewProfile(b, symbol.Unknown, 0)
	return &reader{
		b: b, p: p,
		stacks: perfsamples.Stacks{Child: p.Child}, dsos: map[string]*dso{}, samples: perfsamples.New(p),
	}
}

func (r *reader) line(line []byte, number int) {
	if len(line) == 0 {
		r.close()
		return
	}
	switch c := line[0]; {
	case c == '\t':
		if r.frame(line, number) {
			return
		}
	case c == ' ':
		if h := parseHeader(line); !h.weak {
			r.start(h, number)
			return
		}
		if r.frame(line, number) {
			return
		}
		if r.open && len(r.stack) > 0 && r.sourceLine(line) {
			return
		}
		if h := parseHeader(line); !r.open {
			r.start(h, number)
			return
		}
		if len(bytes.TrimSpace(line)) == 0 {
			r.close()
			return
		}
	case c == '#' && !r.open:
		return
	default:
		if h := parseHeader(line); !h.weak || !r.open {
			r.start(h, number)
			return
		}
	}
	r.leaveOut(line, number)
}

func (r *reader) leaveOut(line []byte, number int) {
	r.bad++
	if r.firstBad == nil {
		r.firstBad = fmt.Errorf("line %d: expected %s, but found %s", number, expected, source.Quote(line))
	}
}

func (r *reader) start(h header, number int) {
	r.close()
	if h.record {
		r.records++
		return
	}
	// The line is gone when the next one is read.
	r.head = append(append(append(r.head[:0], h.comm...), h.event...), h.rest...)
	h.comm = r.head[:len(h.comm):len(h.comm)]
	h.event = r.head[len(h.comm):][:len(h.event):len(h.event)]
	h.rest = r.head[len(h.comm)+len(h.event):]
	h.line = number
	r.open, r.header = true, h
}

// close takes the open sample.
func (r *reader) close() {
	if !r.open {
		return
	}
	r.open = false
	r.resolve(frame{})
	if len(r.stack) == 0 {
		if r.header.weak {
			r.leaveOut(r.header.comm, r.header.line)
			return
		}
		if f := r.header.symbol(); f.ok {
			r.stack = append(r.stack, r.method(f))
		}
	}
	r.stackful = r.stackful || len(r.stack) > 0
	h := &r.header
	r.samples.Add(perfsamples.Sample{Command: h.comm, Event: h.event, Process: h.pid, Thread: h.tid, CPU: h.cpu, Time: h.time, Period: h.period}, r.stacks.Context(r.stack))
	r.stack = r.stack[:0]
}

func (r *reader) finish() error {
	r.close()
	if r.samples.Len() == 0 {
		switch {
		case r.firstBad != nil:
			return r.firstBad
		case r.records > 0:
			return fmt.Errorf("there are %d records of other kinds, but no samples", r.records)
		}
		return errors.New("line 1: expected " + expected + ", but there are only blank lines and comments")
	}
	if r.bad > 0 {
		r.b.Warn("%v; %d lines were left out", r.firstBad, r.bad)
	}
	if r.records > 0 {
		r.b.Warn("%d records that are no samples were left out", r.records)
	}
	if !r.stackful {
		r.b.Warn("no sample has a stack: perf record -g, or --call-graph, records them")
	}
	for _, f := range r.frames {
		r.p.AddMethod(f)
	}
	r.samples.Finish(r.b)
	return r.p.Finish()
}
