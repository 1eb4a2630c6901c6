// Package austin reads the text of Austin, a sampler of Python:
//
//	# austin: 3.4.1
//	# mode: wall
//	P8374;T8374;app.py:<module>:25;app.py:work:12 1907
//
// Definition: https://github.com/P403n1x87/austin (README, Usage), Austin 3.
//
// Supported: the modes wall, cpu, memory and full; threads with and without the
// number of their interpreter; the alternative frames app.py:work;L12.
//
// Quirks. It looks like folded stacks, but says in front what it is; each line is
// one sample, and the first two elements are no frames but the process and the
// thread. In mode full, idle samples take no processor time. Memory that grew and
// memory that shrank are two metrics, as their sum would hide both. The frames
// :GC: and :INVALID:, a stack that Austin could not read, are methods of that name.
//
// Not read: the binary form MOJO (mojo2austin makes text of it), and the text of
// Austin 1 and 2, whose lines begin otherwise.
package austin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "austin",
		Title: "Austin (Python)",
		Sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte("# austin: ")) },
		Read:  read,
	})
}

// mode is what the numbers at the end of a line are.
type mode struct {
	metrics []source.Metric // before the number of samples
	numbers int
	values  func(numbers [3]int64, values []int64)
}

var (
	wall      = source.Metric{Name: "time", Unit: "nanoseconds", Description: "wall-clock time"}
	processor = source.Metric{Name: "cpu", Unit: "nanoseconds", Description: "time in which the thread was not idle"}
	allocated = source.Metric{Name: "allocated", Unit: "bytes", Description: "growth of the process's resident memory"}
	freed     = source.Metric{Name: "freed", Unit: "bytes", Description: "shrinkage of the process's resident memory"}
)

var modes = map[string]mode{
	"wall":   {[]source.Metric{wall}, 1, func(n [3]int64, v []int64) { v[0] = n[0] * 1000 }},
	"cpu":    {[]source.Metric{processor}, 1, func(n [3]int64, v []int64) { v[0] = n[0] * 1000 }},
	"memory": {[]source.Metric{allocated, freed}, 1, func(n [3]int64, v []int64) { v[0], v[1] = max(0, n[0]), max(0, -n[0]) }},
	"full": {[]source.Metric{wall, processor, allocated, freed}, 3, func(n [3]int64, v []int64) {
		v[0], v[1] = n[0]*1000, 0
		if n[1] == 0 {
			v[1] = v[0]
		}
		v[2], v[3] = max(0, n[2]), max(0, -n[2])
	}},
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := reader{b: b, methods: map[string]data.EntityID{}, byPlace: map[place]data.EntityID{}}
	var firstBad error
	if err := source.EachLine(ctx, in, b, func(line []byte) error {
		err := r.line(line)
		if firstBad == nil {
			firstBad = err
		}
		return err
	}); err != nil {
		return err
	}
	if r.p == nil || r.p.Samples() == 0 {
		if firstBad != nil {
			return fmt.Errorf("the file has no samples: %w", firstBad)
		}
		return errors.New("the file has no samples")
	}
	return r.p.Finish()
}

type reader struct {
	b       *data.Builder
	p       *source.Profile
	mode    mode
	values  []int64
	methods map[string]data.EntityID // by the text of a frame without its line
	byPlace map[place]data.EntityID
}

type place struct{ file, name string }

const expected = "P1;T1;file.py:function:12 and a number"

func (r *reader) line(line []byte) error {
	if line[0] == '#' {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line[1:])), ": ")
		if key != "mode" || r.p != nil {
			return nil
		}
		m, ok := modes[value]
		if !ok {
			return fmt.Errorf("expected the mode wall, cpu, memory or full, but found %s", source.Quote(line))
		}
		r.mode = m
		r.values = make([]int64, len(m.metrics)+1)
		metrics := append(m.metrics[:len(m.metrics):len(m.metrics)], source.Metric{Name: "samples", Unit: "count", Description: "how often the stack was seen"})
		r.p = source.NewProfile(r.b, symbol.Python, 0, metrics...)
		return nil
	}
	if r.p == nil {
		return errors.New("expected a line # mode: before the first sample")
	}
	blank := bytes.LastIndexByte(line, ' ')
	if blank < 0 {
		return fmt.Errorf("expected %s, but found %s", expected, source.Quote(line))
	}
	stack, rest := line[:blank], line[blank+1:]
	var numbers [3]int64
	for i := range r.mode.numbers {
		n, after, ok := source.Number(rest)
		if more := i+1 < r.mode.numbers; !ok || more && (len(after) == 0 || after[0] != ',') || !more && len(after) > 0 ||
			n > math.MaxInt64/1000 || n < -math.MaxInt64/1000 {
			return fmt.Errorf("expected %d numbers at the end, but found %s", r.mode.numbers, source.Quote(line[blank+1:]))
		}
		numbers[i] = n
		rest = after
		if len(rest) > 0 {
			rest = rest[1:]
		}
	}
	process, stack, _ := bytes.Cut(stack, []byte{';'})
	thread, stack, _ := bytes.Cut(stack, []byte{';'})
	if len(process) < 2 || process[0] != 'P' || len(thread) < 2 || thread[0] != 'T' {
		return fmt.Errorf("expected %s, but found %s", expected, source.Quote(line))
	}
	context, last := data.None, data.None
	for len(stack) > 0 {
		var frame []byte
		frame, stack, _ = bytes.Cut(stack, []byte{';'})
		if isLine(frame) && last != data.None {
			continue // of the frame before
		}
		if len(frame) > 0 {
			last = r.method(frame)
			context = r.p.Child(context, last)
		}
	}
	r.mode.values(numbers, r.values)
	r.values[len(r.values)-1] = 1
	r.p.Sample(context, r.values...)
	r.p.Label("Process", string(process[1:]))
	r.p.Label("Thread", string(thread[1:]))
	return nil
}

// isLine reports whether a frame is the L12 of alternative frames.
func isLine(frame []byte) bool {
	if len(frame) < 2 || frame[0] != 'L' {
		return false
	}
	_, rest, ok := source.Number(frame[1:])
	return ok && len(rest) == 0
}

// method reads file:function:line, or file:function.
func (r *reader) method(frame []byte) data.EntityID {
	name, line := frame, int64(0)
	if colon := bytes.LastIndexByte(frame, ':'); colon >= 0 {
		if n, rest, ok := source.Number(frame[colon+1:]); ok && len(rest) == 0 {
			name, line = frame[:colon], n
		}
	}
	if id, ok := r.methods[string(name)]; ok {
		return id
	}
	p := place{name: string(name)}
	if colon := strings.LastIndexByte(p.name, ':'); colon > 0 && colon < len(p.name)-1 && p.name[0] != ':' {
		p.file, p.name = p.name[:colon], p.name[colon+1:]
	}
	id, ok := r.byPlace[p]
	if !ok {
		id = r.p.AddMethod(source.Frame{Name: p.name, File: p.file, Line: line})
		r.byPlace[p] = id
	}
	r.methods[string(name)] = id
	return id
}
