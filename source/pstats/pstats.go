// Package pstats reads the statistics of Python's profilers, as
// python -m cProfile -o FILE and Stats.dump_stats write them: a marshalled
// dictionary
//
//	(file, line, function) -> (primitive calls, calls, own time, time, callers)
//
// where callers is a dictionary from functions to the same for calls from there.
//
// Definition: there is none but the library, Lib/cProfile.py and Lib/pstats.py;
// marshal is Python/marshal.c. Read are the versions 0 to 5 of marshal, of
// Python 2.0 to 3.14, as far as such dictionaries need them.
//
// Supported: what cProfile writes. (It writes calls and primitive calls of callers
// the other way round than those of functions.) Where callers are counts only,
// times are shared out by calls. What the library's
// module profile writes is refused: its functions are code objects.
//
// A call graph is no tree: contexts are made up by [source.CallGraph], with a
// warning. What each function itself takes when called by another is in the
// file, and is in the tree.
//
// Quirks. Times are seconds as floating-point numbers, and become nanoseconds.
// Built-in functions have no file; theirs are names such as
// <built-in method builtins.exec>. Functions of one name at different places are
// different methods.
package pstats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "pstats",
		Title: "Python cProfile (pstats)",
		Sniff: sniff,
		Read:  read,
	})
}

// sniff wants a dictionary whose first key is three things, the first of them a text.
func sniff(head []byte) bool {
	const flag = 0x80
	if len(head) < 8 || head[0]&^flag != '{' {
		return false
	}
	text := head[3]
	switch {
	case head[1]&^flag == ')' && head[2] == 3:
	case head[1]&^flag == '(' && string(head[2:6]) == "\x03\x00\x00\x00":
		text = head[6]
	default:
		return false
	}
	switch text &^ flag {
	case 's', 't', 'u', 'a', 'A', 'z', 'Z':
		return true
	}
	return false
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	p := source.NewProfile(b, symbol.Python, 0,
		source.Metric{Name: "time", Unit: "nanoseconds", Description: "time of the function's own"},
		source.Metric{Name: "calls", Unit: "count", Description: "how often the method was called"})
	r := reader{
		ctx: ctx, b: b, p: p, graph: source.NewCallGraph(1), functions: map[function]int32{},
		marshal: unmarshaler{r: in},
	}
	err := r.table()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case err != nil && (r.rows == 0 || errors.Is(err, errCode)):
		return err
	case err != nil:
		b.Warn("reading ended after %d functions: %v", r.rows, err)
	}
	if r.rows == 0 {
		return errors.New("the file has no functions")
	}
	if r.counted {
		b.Warn("the file does not say how long calls took, only how often there were any: times are shared out by that")
	}
	a, err := r.graph.Attribute(ctx, p)
	if err != nil {
		return err
	}
	b.Warn("%s", a.Note())
	return p.Finish()
}

// function is a key of the table.
type function struct {
	file string
	line int64
	name string
}

type reader struct {
	ctx       context.Context
	b         *data.Builder
	p         *source.Profile
	graph     *source.CallGraph
	functions map[function]int32
	keys      []int32 // by the tuple itself, which is in the file once: function + 1
	marshal   unmarshaler
	rows      int
	counted   bool // callers are counts only
}

// table takes the dictionary entry by entry.
func (r *reader) table() error {
	m := &r.marshal
	code, err := m.code()
	if err != nil {
		return err
	}
	if code != '{' {
		return m.wrong("a dictionary", code)
	}
	m.reserve()
	for {
		if r.rows%1024 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		key, end, err := m.key()
		if err != nil || end {
			return err
		}
		at, err := r.function(key)
		if err != nil {
			return err
		}
		if err := r.stat(at); err != nil {
			return err
		}
		r.rows++
	}
}

// function finds or makes the function of a key.
func (r *reader) function(key value) (int32, error) {
	m := &r.marshal
	t, number, ok := m.tupleOf(key, 3)
	if !ok {
		return 0, fmt.Errorf("byte %d: expected a function as file, line and name", m.at())
	}
	if number < len(r.keys) && r.keys[number] > 0 {
		return r.keys[number] - 1, nil
	}
	file, isText := m.isText(t[0])
	name, isName := m.isText(t[2])
	if !isText || !isName || t[1].kind != isNumber {
		return 0, fmt.Errorf("byte %d: expected a function as file, line and name", m.at())
	}
	f := function{file, int64(t[1].bits), name}
	at, known := r.functions[f]
	if !known {
		frame := source.Frame{Name: name}
		if file != "~" && file != "" {
			frame.File, frame.Line = file, f.line
		}
		if name == "" {
			frame.Name = "<unknown>"
		}
		at = r.graph.Function(r.p.AddMethod(frame))
		r.functions[f] = at
	}
	for len(r.keys) <= number {
		r.keys = append(r.keys, make([]int32, len(r.keys)+64)...)
	}
	r.keys[number] = at + 1
	return at, nil
}

// stat takes the value of a function.
func (r *reader) stat(at int32) error {
	m := &r.marshal
	n, ref, err := m.tuple()
	if err != nil {
		return err
	}
	if n != 5 {
		return fmt.Errorf("byte %d: expected five statistics of a function, but found %d", m.at(), n)
	}
	var numbers [4]value
	for i := range numbers {
		if numbers[i], err = m.value(0); err != nil {
			return err
		}
	}
	calls, ok := whole(numbers[1])
	self, ok2 := nanoseconds(numbers[2])
	inclusive, ok3 := nanoseconds(numbers[3])
	if !ok || !ok2 || !ok3 {
		return fmt.Errorf("byte %d: the statistics of a function are no numbers, or too large", m.at())
	}
	r.graph.Self(at)[0] = self
	r.graph.Called(at, calls)
	if ref >= 0 { // nobody refers to it, but it has a number
		m.keep(ref, m.tupleFrom(numbers[:]))
	}

	code, err := m.code()
	if err != nil {
		return err
	}
	if code != '{' {
		return m.wrong("the callers, a dictionary", code)
	}
	m.reserve() // it may have a number too
	for {
		key, end, err := m.key()
		if err != nil || end {
			return err
		}
		from, err := r.function(key)
		if err != nil {
			return err
		}
		items, shared := len(m.items), m.shared
		value, err := m.value(0)
		if err != nil {
			return err
		}
		if t, _, ok := m.tupleOf(value, 4); ok {
			if m.shared == shared {
				m.items = m.items[:items] // it is in t yet
			}
			times, ok := whole(t[0])
			own, ok2 := nanoseconds(t[2])
			cost, ok3 := nanoseconds(t[3])
			if ok && ok2 && ok3 {
				r.graph.Call(from, at, times)[0] = cost
				r.graph.Own(from, at)[0] = own
				continue
			}
		} else if times, ok := whole(value); ok {
			r.counted = true
			r.graph.Call(from, at, times)[0] = int64(float64(inclusive) * min(1, float64(times)/float64(max(1, calls))))
			continue
		}
		return fmt.Errorf("byte %d: expected the statistics of a caller", m.at())
	}
}

// whole gives a number of calls.
func whole(v value) (int64, bool) {
	return int64(v.bits), v.kind == isNumber && int64(v.bits) >= 0
}

// nanoseconds makes them of seconds. profile, of Python 2, writes whole numbers
// where a time is 0.
func nanoseconds(v value) (int64, bool) {
	var s float64
	switch v.kind {
	case isFloat:
		s = math.Float64frombits(v.bits)
	case isNumber:
		s = float64(int64(v.bits))
	default:
		return 0, false
	}
	ns := math.Round(s * 1e9)
	if !(math.Abs(ns) < 1<<62) { // NaN too
		return 0, false
	}
	return int64(ns), true
}

var errCode = errors.New("the file has code objects, as Python's module profile writes them; record it with cProfile")

var errShort = errors.New("the file ends within the statistics")

func short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errShort
	}
	return err
}
