package trace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// calls makes a data set of calls, one a line: thread, method, start and stop,
// and behind a slash its caller in the calling context, or "-" for none.
func calls(t *testing.T, text string) *data.Set {
	t.Helper()
	b := data.NewBuilder("test", "test")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	methods, err := b.EntityType("Method", "")
	must(err)
	threads, err := b.EntityType("Thread", "")
	must(err)
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	fields := []data.Field{
		data.Ref("Caller", "Method", ""), // to be mistaken for the method
		data.Ref("Thread", "Thread", ""),
		data.Value("Start", "nanoseconds", "", data.Coordinate),
		data.Value("Duration", "nanoseconds", "", data.Amount, inclusive),
	}
	withContexts := strings.Contains(text, "/")
	if withContexts {
		fields = append(fields, data.Ref("Context", "Context", ""))
	} else {
		fields = append(fields, data.Ref("Method", "Method", ""))
	}
	events, err := b.EventType("Call", "", fields...)
	must(err)
	trie := data.NewTrie(0)
	known := map[string]data.EntityID{}
	var rows [][]int64
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var thread, method string
		var start, stop int64
		line, caller, _ := strings.Cut(line, "/")
		_, err := fmt.Sscan(line, &thread, &method, &start, &stop)
		must(err)
		m, err := methods.Intern(method)
		must(err)
		th, err := threads.Intern(thread)
		must(err)
		row := []int64{int64(data.None), int64(th), start, stop - start, int64(m)}
		if withContexts {
			parent := data.None
			if caller = strings.TrimSpace(caller); caller != "-" {
				parent = known[caller]
			}
			at := trie.Child(parent, m)
			known[caller+"."+method] = at
			if caller == "-" {
				known[method] = at
			}
			row[4] = int64(at)
		}
		rows = append(rows, row)
	}
	must(contexts.Adopt(nil, trie.Len(), data.Column{Refs: append([]data.EntityID{}, trie.Parents...)}, data.Column{Refs: append([]data.EntityID{}, trie.Keys...)}))
	for _, row := range rows {
		must(events.Add(row...))
	}
	set, err := b.Finish()
	must(err)
	return set
}

func build(t *testing.T, text string) *Trace {
	t.Helper()
	tr, err := Build(context.Background(), calls(t, text))
	if err != nil {
		t.Fatal(err)
	}
	verify(t, tr)
	return tr
}

// verify checks what every trace promises.
func verify(t *testing.T, tr *Trace) {
	t.Helper()
	last := CallID(0)
	for _, th := range tr.Threads {
		if th.First != last || th.End <= th.First {
			t.Fatalf("thread %q is rows %d to %d, after %d", th.Name, th.First, th.End, last)
		}
		last = th.End
	}
	if int(last) != tr.Len() {
		t.Fatalf("threads have %d of %d calls", last, tr.Len())
	}
	for c := range CallID(tr.Len()) {
		th := tr.Threads[tr.ThreadOf(c)]
		if tr.Stop[c] < tr.Start[c] || tr.End[c] <= c || tr.End[c] > th.End || tr.OfEvent(tr.Event(c)) != c {
			t.Fatalf("call %d: %d to %d, end %d, event %d", c, tr.Start[c], tr.Stop[c], tr.End[c], tr.Event(c))
		}
		own, until := tr.Duration(c), tr.Start[c]
		for k := range tr.Children(c) {
			if tr.Parent[k] != c || tr.Depth[k] != tr.Depth[c]+1 || tr.Start[k] < until || tr.Stop[k] > tr.Stop[c] {
				t.Fatalf("call %d does not lie in %d, or is not the next", k, c)
			}
			until = tr.Stop[k]
			own -= tr.Duration(k)
		}
		if tr.Self[c] != own {
			t.Fatalf("call %d: self %d, want %d", c, tr.Self[c], own)
		}
		if p := tr.Parent[c]; p == NoCall && tr.Depth[c] != 0 || p != NoCall && (p >= c || tr.End[p] < tr.End[c]) {
			t.Fatalf("call %d: caller %d", c, p)
		}
	}
}

// drawn shows a trace as an indented tree.
func drawn(tr *Trace) string {
	var b strings.Builder
	for _, th := range tr.Threads {
		fmt.Fprintf(&b, "%s:\n", th.Name)
		for c := th.First; c < th.End; c++ {
			fmt.Fprintf(&b, "%s%s %d-%d self %d\n", strings.Repeat("  ", int(tr.Depth[c])+1), tr.Name(c), tr.Start[c], tr.Stop[c], tr.Self[c])
		}
	}
	return b.String()
}

func TestBuild(t *testing.T) {
	for _, c := range []struct{ name, calls, want string }{
		{"nested", "T main 0 6\nT f 1 4\nT h 2 3\nT f 5 6", `
T:
  main 0-6 self 2
    f 1-4 self 2
      h 2-3 self 1
    f 5-6 self 1
`},
		{"threads in order of first start", "U u 5 9\nT a 1 2\nU v 6 7\nT b 2 8\nV w 1 1", `
T:
  a 1-2 self 1
  b 2-8 self 6
V:
  w 1-1 self 0
U:
  u 5-9 self 3
    v 6-7 self 1
`},
		{"out of order, the longer one calls", "T f 3 4\nT g 1 2\nT main 1 9", `
T:
  main 1-9 self 6
    g 1-2 self 1
    f 3-4 self 1
`},
		{"cut where the caller ends", "T main 0 5\nT f 3 9\nT g 4 7", `
T:
  main 0-5 self 3
    f 3-5 self 1
      g 4-5 self 1
`},
		{"what starts as another ends is its sibling", "T f 0 5\nT g 5 5\nT h 5 5", `
T:
  f 0-5 self 5
  g 5-5 self 0
  h 5-5 self 0
`},
		{"unless its context says otherwise", "T f 0 5 / -\nT g 5 5 / f\nT h 5 5 / f.g\nT g 5 5 / f\nT f 5 6 / -", `
T:
  f 0-5 self 5
    g 5-5 self 0
      h 5-5 self 0
    g 5-5 self 0
  f 5-6 self 1
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := build(t, c.calls)
			if got := "\n" + drawn(tr); got != c.want {
				t.Errorf("got:%swant:%s", got, c.want)
			}
		})
	}
}

func TestNoCalls(t *testing.T) {
	b := data.NewBuilder("empty", "test")
	if _, err := b.EventType("Call", "", data.Value("Start", "bytes", "", data.Coordinate)); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Build(context.Background(), set)
	var none *ErrNoCalls
	if !errors.As(err, &none) {
		t.Errorf("the error is %v", err)
	}
}
