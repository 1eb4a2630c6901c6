// Package chrometrace reads traces in the Trace Event Format: what Chrome,
// Chromium and Node.js record, and what uftrace, clang -ftime-trace and many
// others export for chrome://tracing and Perfetto.
//
// Definition: "Trace Event Format", Google 2016 (revision of 2023):
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMh4h6I0nSsKchNAySU
//
// Supported: the array and the object form, the array also without its end;
// complete events (X); begin and end (B, E), in any order of time, ends with
// and without a name; the metadata process_name and thread_name.
//
// Ignored: instant, counter, asynchronous, flow, sample, object and memory
// events, and their arguments: none of them is a call of a thread. Thread times
// (tts, tdur) and stack frames. Times are those of the file, in nanoseconds.
//
// The events Profile and ProfileChunk, which Chrome records with the category
// disabled-by-default-v8.cpu_profiler, hold a sampled profile of V8 in pieces: see
// profile.go.
//
// Strategy: traces are large and their events small, so events are parsed in a
// window that moves along the text, each in one walk over its bytes, and never
// become values. A call is kept as a time and the number of its method; see
// source.Calls for how they become calls with callers.
package chrometrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "chrometrace",
		Title: "Chrome trace events (JSON)",
		Order: 5, // has no signature, but keys of its own
		Sniff: sniff,
		Read:  read,
	})
}

func sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	i := jsonstream.Space(head, 0)
	if i == len(head) {
		return false
	}
	switch head[i] {
	case '{':
		return jsonstream.HasKey(head, `"traceEvents"`, '[')
	case '[':
		i = jsonstream.Space(head, i+1)
		return i < len(head) && head[i] == '{' && jsonstream.HasKey(head, `"ph"`, '"')
	}
	return false
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{
		Reader: jsonstream.NewReader(ctx, in), b: b, calls: source.NewCalls(b, symbol.Unknown),
		byName: map[string]data.EntityID{}, byText: map[string]data.EntityID{}, byThread: map[string]*thread{}, processes: map[string]string{},
	}
	r.profiles.init(r)
	err := r.file()
	switch {
	case err == nil:
	case ctx.Err() != nil || in.Refused() != nil:
		return err
	case r.events == 0 && errors.Is(err, io.EOF):
		return fmt.Errorf("byte %d: the file ends before the first event", r.Offset())
	case r.events == 0:
		return err
	case errors.Is(err, io.EOF):
		if !r.array || in.Warning() != "" {
			b.Warn("the file ends early, at byte %d: %d events could be read", r.Offset(), r.events)
		}
	default:
		b.Warn("reading ended after %d events: %v", r.events, err)
	}
	return r.finish(ctx)
}

type reader struct {
	*jsonstream.Reader
	b     *data.Builder
	calls *source.Calls

	byName    map[string]data.EntityID // the text of a name with its quotes
	byText    map[string]data.EntityID // the name
	byThread  map[string]*thread       // the texts of pid and tid
	current   *thread                  // of the last event
	key       []byte                   // scratch
	processes map[string]string        // pid -> name

	profiles profiles

	array  bool // the file is one, and may end without its bracket
	events int64

	untimed, endless, unknown int64
}

type thread struct {
	*source.CallThread
	pid, tid []byte
}

// file reads all of the text.
func (r *reader) file() error {
	c, err := r.Next()
	if err != nil {
		return err
	}
	switch c {
	case '[':
		r.array = true
		if err := r.Array(r.event); err != nil {
			return err
		}
		r.array = false
	case '{':
		err := r.Object(func(key string) error {
			if key != "traceEvents" {
				return r.Skip()
			}
			return r.Array(r.event)
		})
		if err != nil {
			return err
		}
	default:
		return r.Wrong("an array or an object")
	}
	if _, err := r.Next(); err == nil {
		return r.Wrong("the end of the file")
	}
	return nil
}

// fields are the texts of an event's members that matter, quotes included.
type fields struct {
	ph, name, pid, tid, ts, dur, args, id []byte
	escaped                               bool // there are escapes in name
}

func (r *reader) event() error {
	var f fields
	err := r.Parse(func(b []byte) (int, error) {
		f = fields{}
		return f.parse(b)
	})
	if err != nil {
		return err
	}
	r.events++
	if len(f.ph) != 3 {
		r.unknown++
		return nil
	}
	switch f.ph[1] {
	case 'B', 'E', 'X':
		r.call(&f)
	case 'M':
		r.metadata(&f)
	case 'P', 'I':
		r.profiles.event(&f)
	}
	return nil
}

// parse reads the event that b begins with.
func (f *fields) parse(b []byte) (end int, err error) {
	if len(b) > 0 && b[0] != '{' {
		return jsonstream.Value(b, 0) // no event: not used
	}
	at := 1
	for first := true; ; first = false {
		key, value, done, err := jsonstream.Member(b, at, first)
		if err != nil || done {
			return value, err
		}
		var escaped bool
		if b[value] == '"' {
			at, escaped, err = jsonstream.String(b, value)
		} else {
			at, err = jsonstream.Value(b, value)
		}
		if err != nil {
			return at, err
		}
		switch string(key) {
		case "ph":
			f.ph = b[value:at]
		case "ts":
			f.ts = b[value:at]
		case "dur":
			f.dur = b[value:at]
		case "pid":
			f.pid = b[value:at]
		case "tid":
			f.tid = b[value:at]
		case "name":
			f.name, f.escaped = b[value:at], escaped
		case "args":
			f.args = b[value:at]
		case "id":
			f.id = b[value:at]
		}
	}
}

// nanoDigits are those of a microsecond.
const nanoDigits = 3

func (r *reader) call(f *fields) {
	at, ok := jsonstream.Decimal(f.ts, nanoDigits, source.MaxTime)
	if !ok {
		r.untimed++
		return
	}
	t := r.thread(f.pid, f.tid)
	switch f.ph[1] {
	case 'B':
		t.Begin(at, r.method(f))
	case 'E':
		method := data.None
		if len(f.name) > 2 {
			method = r.method(f)
		}
		t.End(at, method)
	case 'X':
		took, ok := jsonstream.Decimal(f.dur, nanoDigits, source.MaxTime)
		if !ok || took < 0 || at > source.MaxTime-took {
			r.endless++
			took = 0
		}
		t.Whole(at, took, r.method(f))
	}
}

// noName is what a call without a name is called.
const noName = "<unnamed>"

func (r *reader) method(f *fields) data.EntityID {
	id, ok := r.byName[string(f.name)]
	if !ok {
		name := noName
		if len(f.name) > 2 && f.name[0] == '"' {
			name = jsonstream.Unquote(f.name, f.escaped)
		}
		if id, ok = r.byText[name]; !ok {
			id = r.calls.AddMethod(source.Frame{Name: name}) // also if a function of a profile has its name
			r.byText[name] = id
		}
		r.byName[string(f.name)] = id
	}
	return id
}

// thread finds the thread of an event. Mostly it is that of the last one.
func (r *reader) thread(pid, tid []byte) *thread {
	if t := r.current; t != nil && bytes.Equal(t.pid, pid) && bytes.Equal(t.tid, tid) {
		return t
	}
	r.key = append(append(append(r.key[:0], pid...), ' '), tid...)
	t, ok := r.byThread[string(r.key)]
	if !ok {
		t = &thread{r.calls.Thread(), bytes.Clone(pid), bytes.Clone(tid)}
		t.ProcessID, t.ID = number(pid), number(tid)
		if len(tid) == 0 { // a trace of processes with one thread each
			t.ID = t.ProcessID
		}
		r.byThread[string(r.key)] = t
	}
	r.current = t
	return t
}

// number gives a process or thread id, which is a number or a string.
func number(raw []byte) string {
	if len(raw) >= 2 && raw[0] == '"' {
		return jsonstream.Unquote(raw, true)
	}
	return string(raw)
}

// metadata takes the names of processes and threads.
func (r *reader) metadata(f *fields) {
	kind := string(f.name)
	if kind != `"process_name"` && kind != `"thread_name"` {
		return
	}
	var name string
	jsonstream.Members(f.args, func(key, value []byte) {
		if string(key) == "name" && value[0] == '"' {
			name = jsonstream.Unquote(value, true)
		}
	})
	if name == "" {
		return
	}
	if kind == `"process_name"` {
		r.processes[string(f.pid)] = name
		return
	}
	r.thread(f.pid, f.tid).Name = name
}

func (r *reader) finish(ctx context.Context) error {
	for _, t := range r.byThread {
		t.Process = r.processes[string(t.pid)]
	}
	r.b.WarnCount(r.untimed, "%d events of calls have no time that can be used and were left out")
	r.b.WarnCount(r.endless, "%d complete events have no duration that can be used; they are shown as if they took no time")
	r.b.WarnCount(r.unknown, "%d elements are no events and were left out")
	if err := r.profiles.finish(ctx); err != nil {
		return err
	}
	if err := r.calls.Finish(ctx); err != nil {
		return err
	}
	if r.calls.Found() == 0 && r.calls.Samples() == 0 {
		r.b.Warn("there are no calls in the file: none of its %d events is of the kind X or B", r.events)
	}
	return nil
}
