package sourcetest

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data"
)

// Benchmark reads raw again and again, of which text are its bytes unpacked. It
// reports them per second of the process's processor time, which others on the
// machine change less than the clock, and what the reader held at most for a
// byte of the tables; of small files that is the buffers every reader has.
func Benchmark(b *testing.B, raw []byte, text int) {
	b.Helper()
	b.SetBytes(int64(text))
	b.ReportAllocs()
	var spent time.Duration
	n := 0
	for b.Loop() {
		before := ProcessorTime()
		Read(b, raw)
		spent += ProcessorTime() - before
		n++
	}
	b.ReportMetric(float64(text)*float64(n)/1e6/spent.Seconds(), "MB/cpu-s")
	var set *data.Set
	held := Peak(func() { set = Read(b, raw) })
	b.ReportMetric(float64(held)/float64(TableBytes(set)), "held/tables")
	b.ReportMetric(float64(TableBytes(set))/1e6, "tables-MB")
}

// Peak runs f, and gives the largest live heap meanwhile, beyond that before.
func Peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	debug.FreeOSMemory()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	live := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	before, most := live(), int64(0)
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			most = max(most, live())
			time.Sleep(time.Millisecond)
		}
	}()
	f()
	done.Store(true)
	<-ended
	return most - before
}

// TableBytes is what the tables of a set take.
func TableBytes(set *data.Set) (bytes int64) {
	row := func(fields []data.Field) (bytes int64) {
		for _, f := range fields {
			bytes += 8
			if f.IsReference() {
				bytes -= 4
			}
		}
		return bytes
	}
	for _, e := range set.Entities() {
		bytes += int64(e.Rows()) * row(e.Fields)
		for _, name := range e.Names {
			bytes += 16 + int64(len(name))
		}
	}
	for _, e := range set.Events() {
		bytes += int64(e.Rows()) * row(e.Fields)
	}
	return bytes
}
