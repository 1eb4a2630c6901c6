// Package gotrace reads execution traces of Go: what runtime/trace, `go test
// -trace`, the flight recorder and /debug/pprof/trace write.
//
// Definition: the sources of Go, internal/trace; what the events mean is said in
// golang.org/x/exp/trace, which reads them here. It is kept by the Go team, and
// knows all versions from Go 1.11 on. It holds one generation of a trace at a
// time, about a second of it; a trace of Go before 1.22 it holds as a whole.
//
// A goroutine is a thread of a call trace. What it does is a call, with the
// stack that the trace has of it as its callers: [syscall], [waiting: chan
// receive] and the like; [running] and [runnable] have no stack. Around these
// are the regions of the program's own (runtime/trace.StartRegion) and what the
// runtime has the goroutine do (GC assists, stopping the world). So the times
// of a goroutine add up to its life, and a calling context tree tells where
// goroutines wait. Tasks are calls on lanes of their own, because they span
// goroutines; what the runtime does in the background is on threads of the
// process "runtime".
//
// Everything is an event besides: changes of state of goroutines and processors,
// metrics, labels, logs, samples of the CPU profiler.
//
// Ignored: experimental events, threads' scheduling by the system, clock
// snapshots.
package gotrace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/exp/trace"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{Name: "gotrace", Title: "Go execution trace", Sniff: sniff, Read: read})
}

// sniff looks for the header: go 1.22 trace, and zero bytes up to 16.
func sniff(head []byte) bool {
	return len(head) >= 16 && bytes.HasPrefix(head, []byte("go 1.")) && bytes.HasPrefix(bytes.TrimLeft(head[5:16], "0123456789"), []byte(" trace\x00"))
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(b)
	err := r.read(ctx, in)
	if ctx.Err() != nil || in.Refused() != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		if r.events == 0 {
			return fmt.Errorf("byte %d: %w", in.Offset(), err)
		}
		b.Warn("reading ended after %d events, at byte %d: %v", r.events, in.Offset(), err)
	}
	if r.events == 0 {
		return errors.New("there are no events in the trace")
	}
	return r.finish(ctx)
}

// reader makes calls and events of a trace.
type reader struct {
	b     *data.Builder
	calls *source.Calls
	tables

	goroutines map[trace.GoID]*goroutine
	background map[lane]*goroutine // what is no goroutine's
	tasks      map[trace.TaskID]*task
	lanes      map[string]*lanes // by type of task

	stacks  map[trace.Stack][]data.EntityID // methods, outermost first; of this generation
	methods map[function]data.EntityID
	names   []string // of methods
	// Calls are told as paths: the frames that are no calls, and the call.
	paths  *data.Trie
	frames []data.EntityID // scratch

	events int64
	last   int64 // the time of the last one
	others int64 // events of kinds that are not known
}

// function is one as a stack has it.
type function struct{ name, file string }

func newReader(b *data.Builder) *reader {
	r := &reader{
		tables: tables{processorIDs: map[int64]data.EntityID{}, threadIDs: map[int64]data.EntityID{}, waiting: map[string]data.EntityID{}},
		b:      b, calls: source.NewCalls(b, symbol.Go),
		goroutines: map[trace.GoID]*goroutine{}, background: map[lane]*goroutine{},
		tasks: map[trace.TaskID]*task{}, lanes: map[string]*lanes{},
		stacks: map[trace.Stack][]data.EntityID{}, methods: map[function]data.EntityID{}, paths: data.NewTrie(0),
	}
	r.calls.Measure(0, source.Metric{Name: "samples", Unit: "count", Description: "stacks that the CPU profiler saw"})
	return r
}

// read hands on all events. What the library cannot bear of a broken trace is
// an error like others.
func (r *reader) read(ctx context.Context, in io.Reader) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the trace is broken: %v", p)
		}
	}()
	events, err := trace.NewReader(in)
	if err != nil {
		return err
	}
	for {
		e, err := events.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if r.events++; r.events%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.event(&e); err != nil {
			return err
		}
	}
}

func (r *reader) event(e *trace.Event) error {
	at := int64(e.Time())
	if at > source.MaxTime || at < -source.MaxTime {
		return fmt.Errorf("expected a time within 146 years, but found %d ns", at)
	}
	if e.Kind() != trace.EventSync {
		r.last = max(r.last, at)
	}
	switch e.Kind() {
	case trace.EventSync:
		clear(r.stacks) // they hold on to a generation
	case trace.EventStateTransition:
		return r.transition(e, at)
	case trace.EventRangeBegin, trace.EventRangeActive:
		s := e.Range()
		g := r.around(e, s.Scope)
		if e.Kind() == trace.EventRangeActive && g.find(scopeRange, r.name(s.Name)) >= 0 {
			break // known already
		}
		g.push(r, at, scopeRange, r.name(s.Name), r.stack(e.Stack()))
	case trace.EventRangeEnd:
		s := e.Range()
		r.around(e, s.Scope).pop(r, at, scopeRange, r.name(s.Name))
	case trace.EventRegionBegin:
		s := e.Region()
		r.goroutine(e.Goroutine()).push(r, at, scopeRegion, r.name(s.Type), r.stack(e.Stack()))
	case trace.EventRegionEnd:
		s := e.Region()
		r.goroutine(e.Goroutine()).pop(r, at, scopeRegion, r.name(s.Type))
	case trace.EventTaskBegin:
		r.beginTask(e.Task(), at)
	case trace.EventTaskEnd:
		r.endTask(e.Task(), at)
	case trace.EventMetric:
		return r.metric(e, at)
	case trace.EventLabel:
		return r.label(e, at)
	case trace.EventLog:
		return r.log(e, at)
	case trace.EventStackSample:
		r.sample(e, at)
	case trace.EventExperimental:
	default:
		r.others++
	}
	return nil
}

// name gives the method that stands for what is no function.
func (r *reader) name(name string) data.EntityID { return r.method(function{name: name}, 0) }

func (r *reader) method(f function, line int64) data.EntityID {
	id, ok := r.methods[f]
	if !ok {
		frame := source.Frame{Name: f.name, File: f.file, Line: line}
		if frame.Name == "" {
			frame.Name = "<unknown>"
		}
		id = r.calls.AddMethod(frame)
		r.methods[f] = id
		r.names = append(r.names, frame.Name)
	}
	return id
}

// stack gives the functions of a stack, the outermost first.
func (r *reader) stack(s trace.Stack) []data.EntityID {
	if s == trace.NoStack {
		return nil
	}
	if known, ok := r.stacks[s]; ok {
		return known
	}
	var methods []data.EntityID
	for f := range s.Frames() {
		if f.Func == "runtime.goexit" {
			continue // where samples of the CPU profiler begin, and nothing else
		}
		methods = append(methods, r.method(function{f.Func, f.File}, int64(f.Line)))
	}
	for i, j := 0, len(methods)-1; i < j; i, j = i+1, j-1 {
		methods[i], methods[j] = methods[j], methods[i]
	}
	r.stacks[s] = methods
	return methods
}

// context gives the context of a stack, or None.
func (r *reader) context(s trace.Stack) data.EntityID {
	context := data.None
	for _, m := range r.stack(s) {
		context = r.calls.Child(context, m)
	}
	return context
}

func (r *reader) finish(ctx context.Context) error {
	for _, g := range r.goroutines {
		g.close(r.last)
	}
	for _, g := range r.background {
		g.close(r.last)
	}
	for _, t := range r.tasks {
		t.lane.End(r.last, data.None)
	}
	if r.others > 0 {
		r.b.Warn("%d events are of kinds that are not known here; they were left out", r.others)
	}
	if err := r.finishTables(); err != nil {
		return err
	}
	r.calls.Resolve = func(path data.EntityID) data.EntityID { return r.paths.Keys[path] }
	r.calls.Between = r.between
	return r.calls.Finish(ctx)
}
