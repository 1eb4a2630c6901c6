package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

// draw makes a trace of a drawing: a line is a call, indented below its caller,
// and a bar of time, of which a column is a nanosecond. A line "--" begins another
// thread.
//
//	main  |──────|
//	  f   | ───  |
//
// Times are where the bar is not blank.
func draw(t testing.TB, text string) *trace.Trace {
	t.Helper()
	r := &recorder{}
	var open []int // indents
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		name, bar, ok := strings.Cut(strings.TrimRight(line, " \t"), "|")
		word := strings.TrimSpace(name)
		if word == "" || word == "--" {
			if word != "" {
				open = nil
				r.thread()
			}
			continue
		}
		if !ok {
			t.Fatalf("no bar: %q", line)
		}
		bar = strings.TrimSuffix(bar, "|")
		indent := len(name) - len(strings.TrimLeft(name, " \t"))
		for len(open) > 0 && open[len(open)-1] >= indent {
			open = open[:len(open)-1]
		}
		columns := []rune(bar)
		from, to := -1, 0
		for i, c := range columns {
			if c != ' ' {
				if from < 0 {
					from = i
				}
				to = i + 1
			}
		}
		if from < 0 {
			t.Fatalf("no time: %q", line)
		}
		r.call(len(open), word, int64(from), int64(to))
		open = append(open, indent)
	}
	return r.trace(t)
}

// recorder collects calls in pre-order.
type recorder struct {
	t     trace.Trace
	names []string
	open  []trace.CallID
}

func (r *recorder) thread() {
	n := trace.CallID(len(r.t.Parent))
	if k := len(r.t.Threads); k > 0 {
		r.t.Threads[k-1].End = n
	}
	r.t.Threads = append(r.t.Threads, trace.Thread{First: n, Name: fmt.Sprint(len(r.t.Threads)), Entity: data.None})
	r.open = nil
}

func (r *recorder) call(depth int, method string, start, stop int64) {
	if len(r.t.Threads) == 0 {
		r.thread()
	}
	row := trace.CallID(len(r.t.Parent))
	parent := trace.NoCall
	r.open = r.open[:depth]
	if depth > 0 {
		parent = r.open[depth-1]
	}
	r.t.Parent, r.t.Depth = append(r.t.Parent, parent), append(r.t.Depth, int32(depth))
	r.t.Start, r.t.Stop = append(r.t.Start, start), append(r.t.Stop, stop)
	r.t.End = append(r.t.End, row+1)
	r.names = append(r.names, method)
	for p := parent; p != trace.NoCall; p = r.t.Parent[p] {
		r.t.End[p] = row + 1
	}
	r.open = append(r.open, row)
}

// methods makes a table of methods.
func methods(t testing.TB, names []string) (*data.EntityTable, []data.EntityID) {
	t.Helper()
	b := data.NewBuilder("test", "test")
	e, err := b.EntityType("Method", "")
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]data.EntityID, len(names))
	for i, name := range names {
		if rows[i], err = e.Intern(name); err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set.Entity("Method"), rows
}

func (r *recorder) trace(t testing.TB) *trace.Trace {
	t.Helper()
	tr := r.t
	n := trace.CallID(len(tr.Parent))
	if k := len(tr.Threads); k > 0 {
		tr.Threads[k-1].End = n
	}
	tr.Methods, tr.Method = methods(t, r.names)
	for c := range tr.Parent {
		if c == 0 || tr.Start[c] < tr.From {
			tr.From = tr.Start[c]
		}
		if c == 0 || tr.Stop[c] > tr.To {
			tr.To = tr.Stop[c]
		}
	}
	return &tr
}

// random makes a trace of about n calls of a few methods, of one to three
// threads, some calls without time.
func random(t testing.TB, r *rand.Rand, n, methods int) *trace.Trace {
	rec := &recorder{}
	base := r.Int64N(1000) - 500
	threads := 1 + r.IntN(3)*r.IntN(2)
	var starts []int64
	for range threads {
		starts = append(starts, base+r.Int64N(20))
	}
	// Threads are in the order of their first start.
	for i := range starts {
		for j := range i {
			if starts[i] < starts[j] {
				starts[i], starts[j] = starts[j], starts[i]
			}
		}
	}
	left := n
	for _, now := range starts {
		rec.thread()
		deep := 1 + r.IntN(6)
		var body func(depth int)
		body = func(depth int) {
			left--
			row := len(rec.t.Parent)
			rec.call(depth, fmt.Sprintf("m%d", r.IntN(methods)), now, 0)
			now += r.Int64N(3)
			for depth < deep && left > 0 && r.IntN(3) > 0 {
				body(depth + 1)
				now += r.Int64N(3)
			}
			rec.t.Stop[row] = now
		}
		quota := max(left/threads, 1)
		for first := true; first || left > 0 && quota > 0 && r.IntN(4) > 0; first = false {
			before := left
			body(0)
			quota -= before - left
			now += r.Int64N(5)
		}
	}
	return rec.trace(t)
}

func pairOf(t testing.TB, a, b *trace.Trace, names Names) *Pair {
	t.Helper()
	p, err := NewPair(context.Background(), a, b, names)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func matchesOf(t testing.TB, a, b *trace.Trace, tau float64) *Matches {
	t.Helper()
	m, err := pairOf(t, a, b, Names{}).At(context.Background(), tau, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
