package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
)

// compacted opens the profile and compacts it to a level.
func compacted(b *testing.B, level int) *compact.Tree {
	w := open(b)
	names := compact.NewNames(w.Tree.Methods, w.Program().Names)
	return compact.New(w.Tree, cct.Root, names, level)
}

// BenchmarkCompactAll compacts the whole tree to a level, and reports what that
// keeps in memory per context, and how many nodes are left.
func BenchmarkCompactAll(b *testing.B) {
	for _, level := range []int{1, 2, 3, 1000} {
		b.Run(fmt.Sprint("level=", level), func(b *testing.B) {
			t := compacted(b, level)
			for b.Loop() {
				t = compact.New(t.From, cct.Root, t.Names, level)
			}
			from, names := t.From, t.Names
			t = nil
			before := heap()
			t = compact.New(from, cct.Root, names, level)
			b.ReportMetric(float64(heap()-before)/float64(from.Len()), "B/context")
			b.ReportMetric(float64(t.Nodes()), "nodes")
			runtime.KeepAlive(t)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkCompactStep expands or compacts one node after the other, from all
// contexts at a level on: a random one, or one of the hundred that cost most.
// It reports the median, the 99th percentile and the worst in milliseconds.
func BenchmarkCompactStep(b *testing.B) {
	for _, level := range []int{1, 2, 3, 1000} {
		for _, which := range []string{"random", "largest"} {
			b.Run(fmt.Sprint("level=", level, "/", which), func(b *testing.B) {
				t := compacted(b, level)
				steps(b, t, which == "largest")
			})
		}
	}
}

func steps(b *testing.B, t *compact.Tree, largest bool) {
	r := rand.New(rand.NewPCG(1, 2))
	start := t
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took, cpu []time.Duration
	blocked := 0
	for b.Loop() {
		if len(took)%50 == 0 {
			t = start
		}
		row := cct.NodeID(r.IntN(t.Len()))
		if largest {
			row = top(t, r.IntN(100))
		}
		a := compact.Action{Kind: compact.Expand, Node: t.ID(row)}
		if r.IntN(2) == 0 {
			a.Kind = compact.Compact
		}
		before, spent := time.Now(), cpuTime()
		made, err := t.Apply(a)
		if err != nil {
			blocked++
			continue
		}
		took, cpu = append(took, time.Since(before)), append(cpu, cpuTime()-spent)
		t = made
	}
	if len(took) == 0 {
		return
	}
	for _, d := range []struct {
		of    []time.Duration
		named string
	}{{took, "ms"}, {cpu, "cpu-ms"}} {
		slices.Sort(d.of)
		ms := func(at float64) float64 {
			return float64(d.of[min(int(at*float64(len(d.of))), len(d.of)-1)].Microseconds()) / 1000
		}
		b.ReportMetric(ms(0.5), "median-"+d.named)
		b.ReportMetric(ms(0.99), "p99-"+d.named)
		b.ReportMetric(ms(1), "worst-"+d.named)
	}
	b.ReportMetric(float64(blocked), "blocked")
}

// BenchmarkCompactCold takes 200 actions at once, as an address that is opened
// anew has them: those that a person could take one after the other.
func BenchmarkCompactCold(b *testing.B) {
	for _, level := range []int{1, 2, 1000} {
		b.Run(fmt.Sprint("level=", level), func(b *testing.B) {
			start := compacted(b, level)
			r := rand.New(rand.NewPCG(1, 2))
			var actions []compact.Action
			for t := start; len(actions) < 200; {
				a := compact.Action{Kind: compact.Expand, Node: t.ID(cct.NodeID(r.IntN(t.Len())))}
				if len(actions)%2 == 0 {
					a.Node = t.ID(top(t, r.IntN(100)))
				}
				if r.IntN(2) == 0 {
					a.Kind = compact.Compact
				}
				if made, err := t.Apply(a); err == nil {
					actions, t = append(actions, a), made
				}
			}
			for b.Loop() {
				t := compact.New(start.From, cct.Root, start.Names, level)
				if _, errs := t.ApplyAll(actions); slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
					b.Fatal(errs)
				}
			}
		})
	}
}

// top goes down to the n-th row of those that come first: always to the largest.
func top(t *compact.Tree, n int) cct.NodeID {
	row := cct.Root
	for range n % 20 {
		if row+1 < t.End[row] {
			row++
		}
	}
	for range n / 20 {
		if t.End[row] < t.End[cct.Root] {
			row = t.End[row]
		}
	}
	return row
}

// BenchmarkCompactExplain compacts the whole tree to the forty nodes that tell
// most about where the preferred metric goes.
func BenchmarkCompactExplain(b *testing.B) {
	t := compacted(b, 1)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var bits float64
	spent := cpuTime()
	for b.Loop() {
		bits = t.Explain(compact.DefaultNodes, t.Preferred).Information(t.Preferred)
	}
	b.ReportMetric(float64((cpuTime()-spent).Milliseconds())/float64(b.N), "cpu-ms/op")
	b.ReportMetric(bits, "bits")
	b.ReportMetric(t.Information(t.Preferred), "fully-compacted-bits")
}
