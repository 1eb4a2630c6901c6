package convert

import (
	"context"
	"encoding/json"

	"math"

	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
	"github.com/cambium-prof/cambium/trace"
)

// call is what a format must keep of a call.
type call struct {
	thread      int
	depth       int
	name        string
	start, stop int64
}

// callsOf lists the calls of a data set as trace.Build has them, threads in
// their order.
func callsOf(t *testing.T, set *data.Set) (calls []call, threads []string) {
	t.Helper()
	tr, err := trace.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	for i, thread := range tr.Threads {
		threads = append(threads, thread.Process+" / "+thread.Name)
		for c := thread.First; c < thread.End; c++ {
			calls = append(calls, call{i, int(tr.Depth[c]), tr.Name(c), tr.Start[c], tr.Stop[c]})
		}
	}
	return calls, threads
}

// stacks puts calls together from beginnings and ends.
type stacks struct {
	t     *testing.T
	open  map[int][]int
	last  map[int]int64
	calls []call
}

func (s *stacks) begin(thread int, name string, at int64) {
	s.open[thread] = append(s.open[thread], len(s.calls))
	s.calls = append(s.calls, call{thread, len(s.open[thread]) - 1, name, at, math.MinInt64})
	s.at(thread, at)
}

func (s *stacks) end(thread int, name string, at int64) {
	s.t.Helper()
	open := s.open[thread]
	if len(open) == 0 {
		s.t.Fatalf("thread %d: an end of %q without a beginning", thread, name)
	}
	c := &s.calls[open[len(open)-1]]
	if name != "" && c.name != name {
		s.t.Fatalf("thread %d: %q ends within %q", thread, name, c.name)
	}
	c.stop, s.open[thread] = at, open[:len(open)-1]
	s.at(thread, at)
}

func (s *stacks) at(thread int, at int64) {
	if last, ok := s.last[thread]; ok && at < last {
		s.t.Fatalf("thread %d: times fall from %d to %d", thread, last, at)
	}
	s.last[thread] = at
}

func sameCalls(t *testing.T, what string, got, want []call) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d calls, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: call %d is %+v, want %+v", what, i, got[i], want[i])
			return
		}
	}
}

// checkCalls writes the calls of a data set in the formats that have calls, and
// compares what encoding/json and a stack make of them, and what the readers
// make of them, with what was there.
func checkCalls(t *testing.T, set *data.Set) {
	t.Helper()
	want, threads := callsOf(t, set)
	for i := range want {
		if want[i].name == "" {
			want[i].name = unnamed
		}
	}

	var chrome struct {
		TraceEvents []struct {
			Ph, Name string
			Pid, Tid int
			Ts       json.Number
			Args     struct{ Name string }
		}
	}
	raw := write(t, Chrome, set, nil)
	if err := json.Unmarshal(raw, &chrome); err != nil {
		t.Fatal(err)
	}
	s := stacks{t: t, open: map[int][]int{}, last: map[int]int64{}}
	processes, names, of := map[int]string{}, map[int]string{}, map[int]int{}
	for _, e := range chrome.TraceEvents {
		switch e.Ph {
		case "M":
			if e.Name == "process_name" {
				processes[e.Pid] = e.Args.Name
			} else {
				names[e.Tid], of[e.Tid] = e.Args.Name, e.Pid
			}
		case "B":
			s.begin(e.Tid-1, e.Name, nanoseconds(t, string(e.Ts)))
		case "E":
			s.end(e.Tid-1, e.Name, nanoseconds(t, string(e.Ts)))
		default:
			t.Fatalf("an event of the kind %q", e.Ph)
		}
		if e.Ph != "M" && of[e.Tid] != e.Pid {
			t.Fatalf("thread %d is of process %d, not of %d", e.Tid, of[e.Tid], e.Pid)
		}
	}
	sameCalls(t, "Chrome", s.calls, want)
	for i, name := range threads {
		if got := processes[of[i+1]] + " / " + names[i+1]; got != name {
			t.Errorf("Chrome: thread %d is called %q, want %q", i, got, name)
		}
	}
	back := read(t, raw)
	if back.Format != "chrometrace" || len(back.Warnings) > 0 {
		t.Errorf("read as %s with warnings %q", back.Format, back.Warnings)
	}
	got, _ := callsOf(t, back)
	sameCalls(t, "our reader of Chrome", got, want)

	var file struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Type, Name, Unit     string
			StartValue, EndValue int64
			Events               []struct {
				Type  string
				Frame int
				At    int64
			}
		}
	}
	raw = write(t, Speedscope, set, nil)
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	s = stacks{t: t, open: map[int][]int{}, last: map[int]int64{}}
	for i, p := range file.Profiles {
		if p.Type != "evented" || p.Unit != "nanoseconds" {
			t.Errorf("speedscope: %s in %s", p.Type, p.Unit)
		}
		for _, e := range p.Events {
			if e.At < p.StartValue || e.At > p.EndValue {
				t.Fatalf("speedscope: %d is not within %d and %d", e.At, p.StartValue, p.EndValue)
			}
			name := file.Shared.Frames[e.Frame].Name
			if e.Type == "O" {
				s.begin(i, name, e.At)
			} else {
				s.end(i, name, e.At)
			}
		}
	}
	sameCalls(t, "speedscope", s.calls, want)
	back = read(t, raw)
	if back.Format != "speedscope" || len(back.Warnings) > 0 {
		t.Errorf("read as %s with warnings %q", back.Format, back.Warnings)
	}
	got, _ = callsOf(t, back)
	sameCalls(t, "our reader of speedscope", got, want)
}

// nanoseconds reads microseconds with up to three decimals, digit by digit.
func nanoseconds(t *testing.T, text string) int64 {
	t.Helper()
	n, decimals, negative := int64(0), -1, false
	for _, c := range text {
		switch {
		case c == '-':
			negative = true
		case c == '.':
			decimals = 0
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
			if decimals >= 0 {
				decimals++
			}
		default:
			t.Fatalf("%q is no number of microseconds", text)
		}
	}
	for decimals = max(decimals, 0); decimals < 3; decimals++ {
		n *= 10
	}
	if negative {
		return -n
	}
	return n
}

// TestOddCalls: times below zero, calls that take no time, names that JSON must
// escape, processes of one name.
func TestOddCalls(t *testing.T) {
	set := oddCalls(t)
	if calls, threads := callsOf(t, set); len(calls) != 15 || len(threads) != 3 {
		t.Fatalf("%d calls of %d threads", len(calls), len(threads))
	}
	checkCalls(t, set)
}

func oddCalls(t *testing.T) *data.Set {
	t.Helper()
	b := data.NewBuilder("odd \"<trace>\"", "by hand")
	c := source.NewCalls(b, symbol.Unknown)
	outer, inner := c.Method(source.Frame{Name: "a\"\\\n<é>", File: "a.c", Line: 7}), c.Method(source.Frame{Name: "b"})
	for i := range 3 {
		thread := c.Thread()
		thread.Process, thread.ProcessID, thread.Name, thread.ID = "p\"", string(rune('1'+i/2)), "t", string(rune('1'+i))
		thread.Begin(-1001, outer)
		thread.Begin(-1001, inner)
		thread.Begin(-1001, outer)
		thread.End(-1001, outer)
		thread.End(-1001, inner)
		thread.Begin(999, inner)
		thread.End(1000, inner)
		thread.End(1000, outer)
		thread.Begin(1000, inner)
		thread.End(1000, inner)
	}
	if err := c.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}
