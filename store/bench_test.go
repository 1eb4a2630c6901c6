//go:build linux || darwin

package store

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data"
)

// BenchmarkEngines compares the engines on the first 67 million events of the
// store that CAMBIUM_EVENTS names (go run ./bench/genevents makes one): it is
// what Reduce chooses by.
func BenchmarkEngines(b *testing.B) {
	dir := os.Getenv("CAMBIUM_EVENTS")
	if dir == "" {
		b.Skip("CAMBIUM_EVENTS names no store")
	}
	set, err := Open(context.Background(), dir)
	if err != nil {
		b.Fatal(err)
	}
	e := set.Events()[0].Store().(*events)
	const when, location, method, bytes = 0, 1, 2, 3
	marks := make([]bool, set.Entity("Location").Rows())
	for i := range marks {
		marks[i] = i%3 == 0
	}
	few := &data.Condition{Op: data.InRanges, Field: bytes, Ranges: []data.Span{{From: 0, To: 64}}}
	many := &data.Condition{Op: data.IsMarked, Field: location, Marks: marks}
	for _, c := range []struct {
		name string
		r    data.Reduction
	}{
		{"count by 1,000", data.Reduction{Keys: []data.Key{{Field: method}}, Sums: []int{data.CountField}}},
		{"sum by 1,000", data.Reduction{Keys: []data.Key{{Field: method}}, Sums: []int{bytes}}},
		{"sum by 50,000", data.Reduction{Keys: []data.Key{{Field: location}}, Sums: []int{bytes}}},
		{"sum by 50,000 where a value is small", data.Reduction{Keys: []data.Key{{Field: location}}, Sums: []int{bytes}, Where: few}},
		{"sum by 50,000 where marked", data.Reduction{Keys: []data.Key{{Field: location}}, Sums: []int{bytes}, Where: many}},
		{"sum by 50,000 in 2 groups", data.Reduction{Keys: []data.Key{{Field: location}}, Sums: []int{bytes}, Groups: []*data.Condition{few, many}}},
		{"count by 50,000 and 1,000", data.Reduction{Keys: []data.Key{{Field: location}, {Field: method}}, Sums: []int{data.CountField}}},
		{"count by interval and 50,000", data.Reduction{Keys: []data.Key{{Field: when, Width: 1 << 20}, {Field: location}}, Sums: []int{data.CountField}}},
	} {
		c.r.To = min(lastBenchmarked, e.table.Rows)
		for _, engine := range []string{engineLoops, engineDuckDB} {
			if engine == engineDuckDB && !duckDB {
				continue
			}
			b.Run(c.name+"/"+engine, func(b *testing.B) {
				e := *e
				e.engine = engine
				rows := 0
				start := processor()
				for b.Loop() {
					out, err := e.Reduce(context.Background(), c.r)
					if err != nil {
						b.Fatal(err)
					}
					rows = out.Rows
				}
				b.ReportMetric(float64(c.r.To)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
				b.ReportMetric(float64(processor()-start)/float64(c.r.To)/float64(b.N), "cpu-ns/event")
				b.ReportMetric(float64(rows), "rows")
			})
		}
	}
}

const lastBenchmarked = 1 << 26

// processor is what this process has computed: it means something while others
// use the machine, too.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
