// Package folded reads folded stacks, the text that FlameGraph's stackcollapse
// scripts, async-profiler and many others write:
//
//	main;parse;next token 12
//
// Definition: https://github.com/brendangregg/FlameGraph (flamegraph.pl and
// difffolded.pl); there is no other.
//
// Supported: frames with blanks in them (the count follows the last blank or
// tab), Windows line ends, negative counts, decimal counts (rounded to the
// nearest integer, with a warning), annotations (_[k] and the like stay part
// of the name), and two counts per line as difffolded.pl writes them, if nine
// of ten lines at the start of the file have them. A stack that occurs on several
// lines is several samples.
//
// Ignored: blank lines, lines that begin with #, empty frames (a;;b is a;b).
// A line without a count, or with one beyond 64 bits, is left out with a
// warning: a saturated count would make every sum wrong.
//
// Strategy: writers sort their stacks, so that a line shares most of its bytes
// with the one before it. The frames that lie within the common prefix are
// taken over; only the rest is split and looked up.
package folded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "folded",
		Title: "folded stacks (flame graph text)",
		Order: 100, // it has no signature
		Sniff: sniff,
		Read:  read,
	})
}

// expected is what an error says a line should be.
const expected = "a stack and its count, such as main;run;step 12"

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	head, err := in.Peek(source.SniffBytes)
	if err != nil {
		return err
	}
	metrics := []source.Metric{{Name: "samples", Unit: "count", Description: "the count of the stack"}}
	if differential(head) {
		metrics = []source.Metric{
			{Name: "samples", Unit: "count", Description: "the count of the stack in the first profile"},
			{Name: "samples after", Unit: "count", Description: "the count of the stack in the second profile"},
		}
	}
	r := reader{
		b:       b,
		p:       source.NewProfile(b, symbol.Unknown, 0, metrics...),
		methods: map[string]data.EntityID{},
		two:     len(metrics) == 2,
	}
	lines := source.NewLines(ctx, in)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if ctx.Err() != nil || in.Refused() != nil || r.p.Samples() == 0 {
				return err
			}
			b.Warn("reading ended after line %d: %v", lines.Line(), err)
			break
		}
		if err := r.line(line, lines.Line()); err != nil {
			return err
		}
	}
	if lines.Cut() && r.p.Samples() > 0 {
		b.Warn("line %d: the file ends here without a line break; it may have been cut off", lines.Line())
	}
	return r.finish()
}

type reader struct {
	b       *data.Builder
	p       *source.Profile
	methods map[string]data.EntityID // by the frame's bytes
	two     bool                     // two counts per line

	// The line before: its stack, and per frame where it ends and its context.
	stack []byte
	ends  []int
	nodes []data.EntityID

	bad      int   // lines left out
	firstBad error // what was wrong with the first of them
	rounded  int   // counts with decimals
}

// maxBad is how many lines without a good one before them it takes to see that
// this is something else.
const maxBad = 1000

func (r *reader) line(line []byte, number int) error {
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 || line[0] == '#' {
		return nil
	}
	stack, values, err := r.counts(line)
	if err != nil {
		err = fmt.Errorf("line %d: %w", number, err)
		r.bad++
		if r.firstBad == nil {
			r.firstBad = err
		}
		r.b.Warn("%v; the line is left out", err)
		if r.bad >= maxBad && r.p.Samples() == 0 {
			return r.firstBad
		}
		return nil
	}
	node := r.context(stack)
	if r.two {
		r.p.Sample(node, values[0], values[1])
	} else {
		r.p.Sample(node, values[0])
	}
	return nil
}

func (r *reader) counts(line []byte) (stack []byte, values [2]int64, err error) {
	wanted := 1
	if r.two {
		wanted = 2
	}
	stack = line
	for i := wanted - 1; i >= 0; i-- {
		blank := lastBlank(stack)
		if blank < 0 {
			return nil, values, fmt.Errorf("expected %s, but found %s", expected, source.Quote(line))
		}
		v, decimals, err := parseCount(stack[blank+1:])
		switch {
		case errors.Is(err, errNoNumber) && r.two:
			return nil, values, fmt.Errorf("expected two counts at the end, as on the lines before, but found %s", source.Quote(line))
		case errors.Is(err, errNoNumber):
			return nil, values, fmt.Errorf("expected %s, but found %s", expected, source.Quote(line))
		case err != nil:
			return nil, values, fmt.Errorf("the count %s %w", source.Quote(stack[blank+1:]), err)
		}
		if decimals {
			r.rounded++
		}
		values[i] = v
		stack = bytes.TrimRight(stack[:blank], " \t")
	}
	return stack, values, nil
}

// context gives the context of a stack, taking over what the line before has
// in common with it.
func (r *reader) context(stack []byte) data.EntityID {
	common := commonPrefix(r.stack, stack)
	keep := len(r.ends)
	for keep > 0 {
		// The frame must end here in both: its end is a ';' or the stack's end.
		end := r.ends[keep-1]
		if end < common || end == common && (end == len(stack) || stack[end] == ';') {
			break
		}
		keep--
	}
	r.ends, r.nodes = r.ends[:keep], r.nodes[:keep]
	node, from := data.None, 0
	if keep > 0 {
		node, from = r.nodes[keep-1], r.ends[keep-1]+1
	}
	for from < len(stack) {
		end := from + bytes.IndexByte(stack[from:], ';')
		if end < from {
			end = len(stack)
		}
		if end > from {
			node = r.p.Child(node, r.method(stack[from:end]))
		}
		r.ends = append(r.ends, end)
		r.nodes = append(r.nodes, node)
		from = end + 1
	}
	// Only what differs has to be copied.
	r.stack = append(r.stack[:common], stack[common:]...)
	return node
}

func (r *reader) method(frame []byte) data.EntityID {
	id, ok := r.methods[string(frame)]
	if !ok {
		name := string(frame)
		id = r.p.Method(source.Frame{Name: name})
		r.methods[name] = id
	}
	return id
}

func (r *reader) finish() error {
	if r.p.Samples() == 0 {
		if r.firstBad != nil {
			return r.firstBad
		}
		return fmt.Errorf("line 1: expected %s, but there are only blank lines and comments", expected)
	}
	if r.bad > 1 {
		r.b.Warn("%d lines were left out", r.bad)
	}
	if r.rounded > 0 {
		r.b.Warn("%d counts have decimals and were rounded to the nearest integer", r.rounded)
	}
	return r.p.Finish()
}
