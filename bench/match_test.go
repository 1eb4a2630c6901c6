package bench

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	calls "github.com/cambium-prof/cambium/trace"
)

// readCalls reads a trace of the recorded data.
func readCalls(b *testing.B, name string) *calls.Trace {
	b.Helper()
	folder := os.Getenv("CAMBIUM_DATA")
	if folder == "" {
		b.Skip("CAMBIUM_DATA does not name the folder of recorded profiles")
	}
	t, err := calls.Build(b.Context(), readRecorded(b, filepath.Join(folder, "calltrace", name)))
	if err != nil {
		b.Fatal(err)
	}
	return t
}

func readRecorded(b *testing.B, name string) *data.Set {
	b.Helper()
	in, err := source.Open(b.Context(), name)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(b.Context(), in)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// repeat makes a trace in which a program runs n times, one after the other, in
// one thread.
func repeat(t *calls.Trace, n int) *calls.Trace {
	r := &calls.Trace{Methods: t.Methods, From: t.From, To: t.From + int64(n)*(t.To-t.From)}
	size := calls.CallID(t.Len())
	for i := range n {
		first, later := calls.CallID(i)*size, int64(i)*(t.To-t.From)
		for c := range size {
			parent := t.Parent[c]
			if parent != calls.NoCall {
				parent += first
			}
			r.Parent, r.End = append(r.Parent, parent), append(r.End, t.End[c]+first)
			r.Start, r.Stop = append(r.Start, t.Start[c]+later), append(r.Stop, t.Stop[c]+later)
		}
		r.Depth, r.Method = append(r.Depth, t.Depth...), append(r.Method, t.Method...)
	}
	r.Threads = []calls.Thread{{First: 0, End: calls.CallID(n) * size, Entity: data.None}}
	return r
}

// BenchmarkMatch compares recorded traces at τ = 0.2: what is needed once per
// pair, once per τ, and for a view. cpu-ms is processor time on all cores.
// "everything" is all of it from two traces in memory: classes, similarity,
// groups, and an overview as for a picture 1,400 pixels wide.
func BenchmarkMatch(b *testing.B) {
	ctx := context.Background()
	const tau, bars, tubes = 0.2, 140, 3000
	for _, size := range []struct {
		name, a, b string
		times      int
	}{
		{"100k", "sqlite3_a.chrome.json.gz", "sqlite3_b.chrome.json.gz", 1},
		{"1500k", "sqlite3_big1.uftrace.tar.zst", "sqlite3_big2.uftrace.tar.zst", 1},
		{"10M", "sqlite3_big1.uftrace.tar.zst", "sqlite3_big2.uftrace.tar.zst", 7},
	} {
		b.Run(size.name, func(b *testing.B) {
			a, z := readCalls(b, size.a), readCalls(b, size.b)
			if size.times > 1 {
				a, z = repeat(a, size.times), repeat(z, size.times)
			}
			runtime.GC()
			must := func(err error) {
				if err != nil {
					b.Fatal(err)
				}
			}
			pair := func() *match.Pair {
				p, err := match.NewPair(ctx, a, z, match.Names{})
				must(err)
				return p
			}
			at := func(p *match.Pair) *match.Matches {
				m, err := p.At(ctx, tau, nil)
				must(err)
				return m
			}
			overview := func(m *match.Matches) {
				_, err := m.Overview(ctx, bars)
				must(err)
			}
			wide := func(t *calls.Trace) (all []calls.CallID) { // at least a pixel
				pixel := (t.To - t.From) / 1440
				for c := calls.CallID(0); int(c) < t.Len(); {
					if t.Duration(c) < pixel {
						c = t.End[c]
						continue
					}
					all = append(all, c)
					c++
				}
				return all
			}
			measure := func(name string, f func()) {
				b.Run(name, func(b *testing.B) {
					before := sourcetest.ProcessorTime()
					for b.Loop() {
						f()
					}
					b.ReportMetric(float64(sourcetest.ProcessorTime()-before)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
				})
			}
			p := pair()
			m := at(p)
			overview(m) // what depends on the pair alone is there then
			as, zs := wide(a), wide(z)
			measure("pair", func() { pair() })
			measure("tau", func() { at(p) })
			measure("groups", func() { at(p).Groups() }) // with the above
			measure("overview", func() { overview(m) })
			measure("view", func() { m.Strongest(as, zs, tubes, match.ByWeight) })
			measure("everything", func() {
				m := at(pair())
				m.Groups()
				overview(m)
			})
			runtime.GC()
			var held runtime.MemStats
			runtime.ReadMemStats(&held)
			b.Logf("%d and %d calls, %d matches, %d groups, %d and %d calls in the view, %d MB in use with all of it",
				a.Len(), z.Len(), m.Total, m.Groups().Total, len(as), len(zs), held.HeapAlloc>>20)
			runtime.KeepAlive(m)
		})
	}
}
