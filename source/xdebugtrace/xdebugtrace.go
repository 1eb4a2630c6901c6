// Package xdebugtrace reads the function traces of Xdebug, a debugger and
// profiler of PHP: the computerized format, and the one for people.
//
//	Version: 3.2.0
//	File format: 4
//	TRACE START [2026-11-21 12:03:05.850839]
//	1	0	0	0.000375	405048	{main}	1		bench.php	0	0
//	2	1	0	0.000397	405048	glob	0		bench.php	6	1	'*.h'
//	2	1	1	0.000495	407936
//	1	0	1	0.094905	623712
//				0.095082	430176
//	TRACE END   [2026-11-21 12:03:05.945583]
//
//	TRACE START [2026-11-21 12:03:05.850839]
//	    0.0004     405048   -> {main}() bench.php:0
//	    0.0004     405048     -> glob($pattern = '*.h') bench.php:6
//	    0.0951     430176
//	TRACE END   [2026-11-21 12:03:05.945583]
//
// Definition: https://xdebug.org/docs/trace (trace_format 1 and 0; file format 4
// of Xdebug 3, and 2 of Xdebug 2, which has the same fields).
//
// Supported: beginnings, ends and what they say of time and memory; several
// traces in a file, which are a thread each, as Xdebug appends to a file that is
// there. Of the format for people, lines of calls and, where they are recorded,
// of what functions returned.
//
// Quirks. The format for people does not say when a call ends: it ends where the
// next line is that is no deeper, unless its result is there. Its times have four
// decimals. Files and lines are those of the caller, so that a function has a file
// only if it calls something. Included files are functions, with their path, as
// in Xdebug's profiles. A function that yields is called anew for each value.
// Memory is what PHP has in use when a call begins and ends; the difference, less
// that of the calls within, is the call's own, and negative where it frees more
// than it takes.
//
// Ignored: arguments, values that are returned and assigned, lines. The format
// as HTML (2) is not read.
package xdebugtrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "xdebugtrace",
		Title: "Xdebug function trace",
		Sniff: sniff,
		Read:  read,
	})
}

func sniff(head []byte) bool {
	head = bytes.TrimLeft(head, "\r\n")
	if bytes.HasPrefix(head, []byte("TRACE START [")) {
		return true
	}
	if !bytes.HasPrefix(head, []byte("Version: ")) {
		return false
	}
	_, rest, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.HasPrefix(rest, []byte("File format: "))
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{b: b, calls: source.NewCalls(b, symbol.PHP), byName: map[string]*function{}}
	r.calls.Level = &source.Metric{Name: "Memory", Unit: "bytes", Description: "what the call took of memory, less what it gave back, without the calls it makes"}
	if err := source.EachLine(ctx, in, b, r.line); err != nil {
		return err
	}
	if r.begun == 0 {
		return errors.New("there are no calls in the trace")
	}
	if r.lost > 0 {
		b.Warn("%d calls have no end; they were closed where the next line is that they cannot contain", r.lost)
	}
	if r.unmatched > 0 {
		b.Warn("%d ends of calls have no beginning and were left out", r.unmatched)
	}
	return r.calls.Finish(ctx)
}

type reader struct {
	b      *data.Builder
	calls  *source.Calls
	thread *source.CallThread
	traces int

	byName map[string]*function
	open   []call
	last   int64 // the last time of the thread

	begun, lost, unmatched int64
}

// function is one that was called.
type function struct {
	id    data.EntityID
	name  string
	user  bool // not PHP's own
	filed bool // its file is known
}

// call is one that has not ended.
type call struct {
	*function
	number int64 // of the call; in the format for people, -1
	level  int64 // of nesting; in the format for people, the column of the arrow
}

// line reads one line.
func (r *reader) line(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte("TRACE START")):
		r.start(line)
		return nil
	case bytes.HasPrefix(line, []byte("TRACE END")), bytes.HasPrefix(line, []byte("Version: ")), bytes.HasPrefix(line, []byte("File format: ")):
		return nil
	case bytes.IndexByte(line, '\t') >= 0 && (line[0] == '\t' || line[0]-'0' <= 9):
		return r.record(line)
	}
	return r.drawn(line)
}

// start begins a trace.
func (r *reader) start(line []byte) {
	r.traces++
	r.open, r.last = r.open[:0], 0
	r.thread = r.calls.Thread()
	r.thread.Process, r.thread.Name = "PHP", "main"
	if from, to := bytes.IndexByte(line, '['), bytes.IndexByte(line, ']'); from >= 0 && to > from {
		r.thread.ID = string(line[from+1 : to])
	} else {
		r.thread.ID = strconv.Itoa(r.traces)
	}
}

const (
	nanoDigits = 9 // of a second
	fields     = "level, number, 0 or 1, time and memory, separated by tabs"
)

// record reads a line of the computerized format.
func (r *reader) record(line []byte) error {
	if r.thread == nil {
		r.start(nil)
	}
	level, rest, _ := bytes.Cut(line, []byte{'\t'})
	number, rest, _ := bytes.Cut(rest, []byte{'\t'})
	kind, rest, _ := bytes.Cut(rest, []byte{'\t'})
	if len(kind) == 1 && (kind[0] == 'R' || kind[0] == 'A') {
		return nil
	}
	text, rest, _ := bytes.Cut(rest, []byte{'\t'})
	at, ok := jsonstream.Decimal(text, nanoDigits, source.MaxTime)
	memory, rest, more := bytes.Cut(rest, []byte{'\t'})
	inUse, okMemory := jsonstream.Decimal(memory, 0, source.MaxTime)
	if !ok || !okMemory || at < 0 {
		return fmt.Errorf("expected %s, but found %s", fields, source.Quote(line))
	}
	at = max(at, r.last)
	if len(level)+len(number)+len(kind) == 0 { // the end of the trace
		r.close(at, inUse, 0, true)
		r.last = at
		return nil
	}
	depth, okLevel := jsonstream.Decimal(level, 0, 1<<31)
	n, okNumber := jsonstream.Decimal(number, 0, source.MaxTime)
	if !okLevel || !okNumber || depth < 0 || len(kind) != 1 || kind[0] != '0' && kind[0] != '1' || kind[0] == '0' && !more {
		return fmt.Errorf("expected %s, but found %s", fields, source.Quote(line))
	}
	r.last = at
	if kind[0] == '1' {
		r.end(at, inUse, n)
		return nil
	}
	name, rest, _ := bytes.Cut(rest, []byte{'\t'})
	user, rest, _ := bytes.Cut(rest, []byte{'\t'})
	included, rest, _ := bytes.Cut(rest, []byte{'\t'})
	file, _, _ := bytes.Cut(rest, []byte{'\t'})
	r.close(at, inUse, depth, false)
	r.begin(at, inUse, call{number: n, level: depth}, name, included, file, string(user) == "1")
	return nil
}

// drawn reads a line of the format for people.
func (r *reader) drawn(line []byte) error {
	const expected = "time, memory and -> function()"
	if r.thread == nil {
		r.start(nil)
	}
	text := bytes.TrimLeft(line, " ")
	if bytes.HasPrefix(text, []byte("=> ")) || len(text) == 0 {
		return nil // an assignment
	}
	number, rest, _ := bytes.Cut(text, []byte{' '})
	at, ok := jsonstream.Decimal(number, nanoDigits, source.MaxTime)
	rest = bytes.TrimLeft(rest, " ")
	number, rest, _ = bytes.Cut(rest, []byte{' '})
	inUse, okMemory := jsonstream.Decimal(number, 0, source.MaxTime)
	if !ok || !okMemory || at < 0 {
		return fmt.Errorf("expected %s, but found %s", expected, source.Quote(line))
	}
	at = max(at, r.last)
	rest = bytes.TrimLeft(rest, " ")
	column := int64(len(line) - len(rest))
	switch {
	case len(rest) == 0: // the end of the trace
		r.close(at, inUse, 0, true)
	case bytes.HasPrefix(rest, []byte("-> ")):
		r.close(at, inUse, column, true)
		name, included, file := split(rest[3:])
		r.begin(at, inUse, call{number: -1, level: column}, name, included, file, true)
	case bytes.HasPrefix(rest, []byte(">=> ")):
		r.close(at, inUse, column-1, true) // its arrow is a column to the right
	default:
		return fmt.Errorf("expected %s, but found %s", expected, source.Quote(line))
	}
	r.last = at
	return nil
}

// split takes apart "name($arguments) file:line", or "require_once(path) file:line".
func split(text []byte) (name, included, file []byte) {
	from := 0
	if closure := bytes.Index(text, []byte("{closure:")); closure >= 0 { // has a path in it
		from = closure + max(0, bytes.IndexByte(text[closure:], '}'))
	}
	open := bytes.IndexByte(text[from:], '(')
	if open < 0 {
		return text, nil, nil
	}
	name = text[:from+open]
	arguments, place := text[from+open+1:], []byte(nil)
	if at := bytes.LastIndex(arguments, []byte(") ")); at >= 0 {
		arguments, place = arguments[:at], arguments[at+2:]
	}
	if colon := bytes.LastIndexByte(place, ':'); colon >= 0 {
		file = place[:colon]
	}
	switch string(name) {
	case "include", "include_once", "require", "require_once":
		included = arguments
	}
	return name, included, file
}

// begin begins a call. file is where it was made.
func (r *reader) begin(at, memory int64, c call, name, included, file []byte, user bool) {
	if n := len(r.open); n > 0 && len(file) > 0 {
		if caller := r.open[n-1].function; caller.user && !caller.filed {
			caller.filed = true
			r.calls.Method(source.Frame{Name: caller.name, File: string(file)})
		}
	}
	key := name
	if len(included) > 0 {
		key = append(append(append(make([]byte, 0, len(name)+2+len(included)), name...), "::"...), included...)
	}
	f := r.byName[string(key)]
	if f == nil {
		f = &function{name: string(key), user: user}
		frame := source.Frame{Name: f.name, File: string(included)}
		if f.name == "{main}" {
			frame.File = string(file)
		}
		f.id, f.filed = r.calls.Method(frame), frame.File != ""
		r.byName[f.name] = f
	}
	c.function = f
	r.open = append(r.open, c)
	r.thread.Begin(at, f.id)
	r.thread.Level(memory)
	r.begun++
}

// close ends the calls that are not around one of a level. Their own ends are
// missing, unless this is how the format tells them.
func (r *reader) close(at, memory, level int64, told bool) {
	for n := len(r.open); n > 0 && r.open[n-1].level >= level; n = len(r.open) {
		if !told {
			r.lost++
		}
		r.pop(at, memory)
	}
}

// end ends the call of a number.
func (r *reader) end(at, memory, number int64) {
	i := len(r.open) - 1
	for i >= 0 && r.open[i].number > number {
		i--
	}
	if i < 0 || r.open[i].number != number {
		r.unmatched++
		return
	}
	for len(r.open) > i+1 {
		r.lost++
		r.pop(at, memory)
	}
	r.pop(at, memory)
}

func (r *reader) pop(at, memory int64) {
	top := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.thread.End(at, top.id)
	r.thread.Level(memory)
}
