// Package callgrind reads what Valgrind's callgrind writes, and what others
// write in its form: Xdebug's profiler (cachegrind.out files), and converters
// for KCachegrind.
//
//	# callgrind format
//	events: Ir
//	fl=(1) main.c
//	fn=(1) main
//	3 20
//	cfn=(2) work
//	calls=2 7
//	4 400
//
//	fn=(2)
//	7 400
//
// Definition: https://valgrind.org/docs/manual/cl-format.html (version 1).
//
// Supported: names with ids or without, in the three name spaces of objects,
// files and functions; fn, fl, fi, fe, ob; cfn, cfl, cfi, cob and calls; jump and
// jcnd, which are skipped with the line they are at, but for the names that their
// jfi and jfn introduce (the definition forgets them); relative and hexadecimal
// positions by line, instruction or both; several parts and threads in one file,
// which are added up; inherited events; costs that are left out at the end of a
// line, which are 0. Cachegrind's own files, which have no calls.
//
// A call graph is no tree. If each line of calls stands for one call, and blocks
// of functions stand in the order in which calls returned, then the file says
// all there is to know, and the tree is built as it was (nest.go). Xdebug writes
// like that. Otherwise contexts are made up by [source.CallGraph], with a warning.
//
// Quirks. Callgrind tells levels of recursion apart as f and f'2; they are one
// method here, of which one context calls another. Functions of one name in
// different files or objects are different methods. Units are taken from names
// such as Time_(10ns) and Memory_(bytes); other events are counts. Xdebug writes 0
// where a function frees more memory than it takes, so that the sum of Memory is
// more than what the program kept; and each time rounded on its own.
//
// Ignored: derived events, where calls go to within a function, jumps.
package callgrind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "callgrind",
		Title: "callgrind, and Xdebug's cachegrind",
		Sniff: sniff,
		Read:  read,
	})
}

// sniff wants the first line of callgrind, or the line of events and something
// that has costs, in the first lines.
func sniff(head []byte) bool {
	if bytes.HasPrefix(head, []byte("# callgrind format")) {
		return true
	}
	events, keys := false, 0
	for range 200 {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		head = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		key, _, ok := bytes.Cut(line, []byte{':'})
		switch {
		case len(line) == 0 || line[0] == '#':
		case bytes.HasPrefix(line, []byte("events: ")):
			events = true
		case ok && headerKeys[string(key)]:
			keys++
		case positionKey(line) != "":
			return events
		default:
			return false
		}
		if !more {
			break
		}
	}
	return events && keys > 1
}

var headerKeys = map[string]bool{
	"version": true, "creator": true, "pid": true, "thread": true, "part": true, "cmd": true, "desc": true,
	"positions": true, "events": true, "event": true, "summary": true, "totals": true,
}

// positionKey is the key of a line that says where costs are, or "".
func positionKey(line []byte) string {
	equals := bytes.IndexByte(line, '=')
	if equals < 2 || equals > 5 {
		return ""
	}
	switch string(line[:equals]) {
	case "fn":
		return "fn"
	case "cfn":
		return "cfn"
	case "fl":
		return "fl"
	case "fi", "fe":
		return "fi"
	case "cfi", "cfl":
		return "cfl"
	case "ob":
		return "ob"
	case "cob":
		return "cob"
	case "calls":
		return "calls"
	case "jump", "jcnd":
		return "jump"
	case "jfi":
		return "jfi"
	case "jfn":
		return "jfn"
	}
	return ""
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(b)
	if err := source.EachLine(ctx, in, b, r.line); err != nil {
		return err
	}
	return r.finish(ctx)
}

// finish makes the tree.
func (r *reader) finish(ctx context.Context) error {
	if r.graph == nil || r.graph.Functions() == 0 {
		return errors.New("there are no functions: expected a line events: and lines fn=")
	}
	r.endBlock()
	if r.callsWithoutCost > 0 {
		r.b.Warn("%d lines calls= are not followed by a line of costs", r.callsWithoutCost)
	}
	if !r.xdebug() {
		r.checkSummary() // that of Xdebug is of the whole process
	}
	if len(r.threads) > 1 {
		r.b.Warn("the costs of %d threads are added up", len(r.threads))
	}
	metrics := r.metrics
	if r.called {
		metrics = append(metrics, source.Metric{Name: "calls", Unit: "count", Description: "how often the method was called"})
	}
	p := source.NewProfile(r.b, r.language(), 0, metrics...)
	for _, m := range r.methods {
		p.AddMethod(m)
	}
	switch {
	case !r.called:
		r.b.Warn("the file has no calls, only what each function costs itself: each is a context of its own")
		for f := range int32(r.graph.Functions()) {
			p.Sample(p.Child(data.None, r.method[f]), r.graph.Self(f)...)
		}
	case r.nest != nil:
		if err := r.nest.build(ctx, p, r.nodeMethod); err != nil {
			return err
		}
		if n := r.nest.roots(); n > 1 {
			r.b.Warn("%d calls have no caller: the file may have been cut off", n)
		}
	default:
		a, err := r.graph.Attribute(ctx, p)
		if err != nil {
			return err
		}
		r.b.Warn("%s", a.Note())
	}
	return p.Finish()
}

func (r *reader) xdebug() bool { return strings.HasPrefix(r.creator, "xdebug") }

func (r *reader) language() symbol.Language {
	if r.xdebug() {
		return symbol.PHP
	}
	return symbol.Unknown
}

// checkSummary compares the sums with what the file says they are.
func (r *reader) checkSummary() {
	stated := r.totals
	if stated == nil {
		stated = r.summary
	}
	for m := range min(len(stated), len(r.metrics)) {
		sum := int64(0)
		for f := range int32(r.graph.Functions()) {
			sum += r.graph.Self(f)[m]
		}
		if sum != stated[m] {
			r.b.Warn("%s: the functions' costs add up to %d, but the file says %d", r.metrics[m].Name, sum, stated[m])
		}
	}
}

// metric reads the name of an event: Ir, Time_(10ns).
func metric(event string) (m source.Metric, scale int64) {
	name, unit, ok := strings.Cut(event, "_(")
	unit, closed := strings.CutSuffix(unit, ")")
	if ok && closed {
		if u, known := units[unit]; known {
			return source.Metric{Name: name, Unit: u.unit, Description: event}, u.scale
		}
	}
	m = source.Metric{Name: event, Unit: "count", Description: descriptions[event]}
	if m.Description == "" {
		m.Description = fmt.Sprintf("event %s of the profiler", event)
	}
	return m, 1
}

var units = map[string]struct {
	unit  data.Unit
	scale int64
}{
	"10ns": {"nanoseconds", 10}, "ns": {"nanoseconds", 1}, "us": {"microseconds", 1}, "µs": {"microseconds", 1},
	"ms": {"milliseconds", 1}, "s": {"seconds", 1}, "bytes": {"bytes", 1},
}

var descriptions = map[string]string{
	"Ir": "instructions executed", "Dr": "reads of data", "Dw": "writes of data",
	"I1mr": "misses of the first instruction cache", "D1mr": "reads that miss the first data cache", "D1mw": "writes that miss the first data cache",
	"ILmr": "instruction reads that miss the last cache", "DLmr": "reads that miss the last cache", "DLmw": "writes that miss the last cache",
	"Bc": "conditional branches", "Bcm": "conditional branches mispredicted", "Bi": "indirect branches", "Bim": "indirect branches mispredicted",
	"Ge": "global bus events", "sysCount": "system calls",
}
