package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"pgregory.net/rapid"
)

// random makes calls that nest, of any shape.
func random(t *rapid.T) string {
	var b strings.Builder
	threads := rapid.IntRange(1, 3).Draw(t, "threads")
	for th := range threads {
		now := int64(rapid.IntRange(0, 20).Draw(t, "start"))
		var nest func(depth int, from, to int64)
		nest = func(depth int, from, to int64) {
			for n := rapid.IntRange(0, 4).Draw(t, "calls"); n > 0 && from <= to; n-- {
				start := from + int64(rapid.IntRange(0, 6).Draw(t, "gap"))
				stop := start + int64(rapid.IntRange(0, 12).Draw(t, "took"))
				if stop > to {
					return
				}
				fmt.Fprintf(&b, "T%d m%d %d %d\n", th, rapid.IntRange(0, 3).Draw(t, "method"), start, stop)
				if depth < 4 {
					nest(depth+1, start, stop)
				}
				from = stop
			}
		}
		fmt.Fprintf(&b, "T%d main %d %d\n", th, now, now+60)
		nest(1, now, now+60)
	}
	return b.String()
}

// TestWindow compares what levels give with a plain loop over all calls.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := build(t, random(rt))
		var keep []bool
		if rapid.Bool().Draw(rt, "filtered") {
			keep = rapid.SliceOfN(rapid.Bool(), tr.Len(), tr.Len()).Draw(rt, "keep")
		}
		l := NewLevels(tr, keep)
		from := int64(rapid.IntRange(-5, 90).Draw(rt, "from"))
		to := from + int64(rapid.IntRange(1, 90).Draw(rt, "width"))
		least := int64(rapid.IntRange(0, 15).Draw(rt, "least"))
		for th, thread := range tr.Threads {
			for d := range l.Depths(th) {
				var want []CallID // all that have a part of the window
				for c := thread.First; c < thread.End; c++ {
					starts := tr.Start[c] < to || to > tr.To
					if (keep == nil || keep[c]) && int(tr.Depth[c]) == d && starts && (tr.Stop[c] > from || tr.Start[c] >= from) {
						want = append(want, c)
					}
				}
				var got []CallID
				end := int64(-1 << 60)
				for r := range l.Window(th, d, from, to, least) {
					for i := range r.Count {
						c := l.Call(r.First + i)
						got = append(got, c)
						if short := tr.Duration(c) < max(least, 1); short != r.Short {
							rt.Fatalf("call %d takes %d of %d, in a run %+v", c, tr.Duration(c), least, r)
						}
						if i > 0 && tr.Start[c]-tr.Stop[l.Call(r.First+i-1)] >= max(least, 1) {
							rt.Fatalf("run %+v has a gap before %d", r, c)
						}
					}
					first, last := l.Call(r.First), l.Call(r.First+r.Count-1)
					if !r.Short && r.Count != 1 || r.From != tr.Start[first] || r.To != tr.Stop[last] {
						rt.Fatalf("run %+v from %d to %d", r, tr.Start[first], tr.Stop[last])
					}
					if r.From < end {
						rt.Fatalf("run %+v begins before %d", r, end)
					}
					end = r.To
				}
				if !slices.Equal(got, want) || l.Within(th, d, from, to) != len(want) {
					rt.Fatalf("thread %d depth %d, %d to %d: %v (%d), want %v", th, d, from, to, got, l.Within(th, d, from, to), want)
				}
				for at := from; at <= to; at++ {
					slack := least % 4
					c, ok := l.At(th, d, at, slack)
					best := slack + 1
					for c := thread.First; c < thread.End; c++ {
						if (keep == nil || keep[c]) && int(tr.Depth[c]) == d {
							best = min(best, max(tr.Start[c]-at, at-tr.Stop[c], 0))
						}
					}
					if ok != (best <= slack) || ok && max(tr.Start[c]-at, at-tr.Stop[c], 0) != best {
						rt.Fatalf("at %d: call %d (%v), %d away, want %d", at, c, ok, max(tr.Start[c]-at, at-tr.Stop[c]), best)
					}
				}
			}
		}
	})
}

// big makes a trace of n short calls below main, and some long ones.
func big(n int) *Trace {
	tr := &Trace{Threads: []Thread{{End: CallID(n)}}}
	rng := rand.New(rand.NewPCG(1, 2))
	now := int64(0)
	for c := range CallID(n) {
		tr.Parent, tr.End, tr.Depth = append(tr.Parent, 0), append(tr.End, c+1), append(tr.Depth, 1)
		tr.Method = append(tr.Method, data.EntityID(c%7))
		took := int64(rng.IntN(100))
		if c%1000 == 999 {
			took *= 1000
		}
		tr.Start, tr.Stop = append(tr.Start, now), append(tr.Stop, now+took)
		now += took + int64(rng.IntN(10))
	}
	tr.Parent[0], tr.End[0], tr.Depth[0], tr.Stop[0] = NoCall, CallID(n), 0, now
	tr.Start[1] = max(tr.Start[1], 0)
	tr.To = now
	return tr
}

// BenchmarkWindow shows all of a trace in 1440 pixels: the time must hardly
// depend on how many calls there are.
func BenchmarkWindow(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		l := NewLevels(big(n), nil)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				runs, calls := 0, 0
				for r := range l.Window(0, 1, l.trace.From, l.trace.To+1, (l.trace.To-l.trace.From)/1440) {
					runs++
					calls += r.Count
				}
				if calls != n-1 || runs > 3*1440 {
					b.Fatalf("%d runs of %d calls", runs, calls)
				}
			}
		})
	}
}

// TestBelow compares what is given of the calls of a caller with a plain loop, and
// the greatest depth with another one.
func TestBelow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := build(t, random(rt))
		l := NewLevels(tr, nil)
		from := int64(rapid.IntRange(-5, 90).Draw(rt, "from"))
		to := from + int64(rapid.IntRange(1, 90).Draw(rt, "width"))
		least := int64(rapid.IntRange(0, 15).Draw(rt, "least"))
		for c := range CallID(tr.Len()) {
			var want, got []CallID
			for k := range tr.Children(c) {
				if (tr.Start[k] < to || to > tr.To) && (tr.Stop[k] > from || tr.Start[k] >= from) {
					want = append(want, k)
				}
			}
			for r := range l.Below(c, from, to, least) {
				for i := range r.Count {
					got = append(got, l.Call(r.First+i))
				}
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("below %d, %d to %d: %v, want %v", c, from, to, got, want)
			}
		}
	})
}

func TestDeepest(t *testing.T) {
	tr := big(5000)
	for _, c := range []CallID{700, 2047, 3072, 4999} {
		tr.Depth[c] = int32(c % 97)
	}
	l := NewLevels(tr, nil)
	for range 2000 {
		from := CallID(rand.IntN(5000))
		end := from + CallID(rand.IntN(5001-int(from)))
		want := int32(-1)
		for c := from; c < end; c++ {
			want = max(want, tr.Depth[c])
		}
		if got := l.Deepest(from, end); got != want {
			t.Fatalf("%d to %d: %d, want %d", from, end, got, want)
		}
	}
}
