package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/store"
)

// generated writes so many events in a format.
type generated struct {
	format string
	write  func(w *bufio.Writer, events int)
}

// streams writes generated files of so many events in one format each: a few
// hundred stacks again and again, so that what grows is the number of events.
var streams = []generated{
	{"folded", func(w *bufio.Writer, events int) {
		for i := range events {
			fmt.Fprintf(w, "main;f%d;g%d %d\n", i%7, i%31, 1+i%100)
		}
	}},
	{"austin", func(w *bufio.Writer, events int) {
		fmt.Fprint(w, "# austin: 3.4.1\n# mode: wall\n\n")
		for i := range events {
			fmt.Fprintf(w, "P1;T%d;app.py:f%d:1;app.py:g%d:2 %d\n", i%3, i%7, i%31, 1+i%100)
		}
	}},
	{"perfscript", func(w *bufio.Writer, events int) {
		for i := range events {
			fmt.Fprintf(w, "app 12/%d [00%d] %d.%06d: %d cycles: \n\t 7f%02x g%d+0x1 (/app)\n\t 7e%02x f%d+0x1 (/app)\n\n",
				13+i%3, i%4, 100+i/1000000, i%1000000, 1000+i%100, i%31, i%31, i%7, i%7)
		}
	}},
	{"pprof", writeLabelled},
	{"chrometrace", func(w *bufio.Writer, events int) { // begins and ends, in a call that is open all the time
		fmt.Fprint(w, `[{"ph":"B","ts":0,"pid":1,"tid":1,"name":"main"}`)
		for i := range events - 1 {
			at := 2 * i
			fmt.Fprintf(w, ",\n{\"ph\":\"B\",\"ts\":%d,\"pid\":1,\"tid\":1,\"name\":\"f%d\"},\n{\"ph\":\"E\",\"ts\":%d,\"pid\":1,\"tid\":1}", at, i%31, at+1)
		}
		fmt.Fprintf(w, `,{"ph":"E","ts":%d,"pid":1,"tid":1}]`, 2*events)
	}},
	{"chrometrace", func(w *bufio.Writer, events int) { // whole calls, written when they end
		fmt.Fprint(w, "[")
		for i := range events {
			group, in := i/10, i%10 // nine calls, and then the one that makes them
			at, took := 100*group+1+10*in, 9
			if in == 9 {
				at, took = 100*group, 100
			}
			if i > 0 {
				fmt.Fprint(w, ",\n")
			}
			fmt.Fprintf(w, `{"ph":"X","ts":%d,"dur":%d,"pid":1,"tid":%d,"name":"f%d"}`, at, took, group%5, in)
		}
		fmt.Fprint(w, "]")
	}},
	{"speedscope", func(w *bufio.Writer, events int) {
		fmt.Fprint(w, `{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"evented","unit":"milliseconds","name":"t","events":[`)
		for i := range events {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, `{"type":"O","frame":%d,"at":%d},{"type":"C","frame":%d,"at":%d}`, i%7, i, i%7, i+1)
		}
		fmt.Fprint(w, `]}],"shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"},{"name":"f"},{"name":"g"}]}}`)
	}},
	{"v8profile", func(w *bufio.Writer, events int) {
		fmt.Fprint(w, `{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3]},{"id":2,"callFrame":{"functionName":"f"}},{"id":3,"callFrame":{"functionName":"g"}}],"startTime":5,"endTime":6,"samples":[2`)
		for i := range events - 1 {
			fmt.Fprintf(w, ",%d", 2+i%2)
		}
		fmt.Fprint(w, `],"timeDeltas":[1`)
		for i := range events - 1 {
			fmt.Fprintf(w, ",%d", 100+i%7-40*(i%11/10)) // now and then earlier than it should
		}
		fmt.Fprint(w, "]}")
	}},
	{"otlptrace", writeSpans},
	{"otlpprofile", writeProfileJSON},
	{"otlpprofile", writeProfile},
	{"ndjson", func(w *bufio.Writer, events int) {
		fmt.Fprintln(w, `{"entity_type":"M"}`)
		fmt.Fprintln(w, `{"event_type":"A","fields":[{"name":"M","refers":"M"},{"name":"time","properties":["coordinate"]},{"name":"size","properties":["amount"]}]}`)
		fmt.Fprintln(w, `{"entity":"M","rows":[["a","f"],["b","g"],["c","h"]]}`)
		for i := range events {
			switch i % 100 {
			case 0:
				fmt.Fprint(w, `{"event":"A","rows":[`)
			default:
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, `["%c",%d,%d]`, 'a'+i%3, 1000*i, i%97)
			if i%100 == 99 || i == events-1 {
				fmt.Fprintln(w, "]}")
			}
		}
	}},
	{"xdebugtrace", func(w *bufio.Writer, events int) { // calls of one that is open all the time
		fmt.Fprint(w, "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-21 12:03:05.850839]\n1\t0\t0\t0.0\t400000\t{main}\t1\t\t/a.php\t0\t0\n")
		for i := range events - 1 {
			fmt.Fprintf(w, "2\t%d\t0\t%d.%06d\t%d\tf%d\t0\t\t/a.php\t6\t0\n", i+1, i/1e6, i%1e6, 400000+i%100, i%31)
			fmt.Fprintf(w, "2\t%d\t1\t%d.%06d\t%d\n", i+1, i/1e6, i%1e6, 400000+i%50)
		}
		fmt.Fprintf(w, "1\t0\t1\t%d.0\t400000\n\t\t\t%d.0\t400000\nTRACE END   [2026-11-21 12:03:06.0]\n", events/1e6+1, events/1e6+1)
	}},
	{"gecko", func(w *bufio.Writer, events int) { writeGecko(w, events, false) }},
	{"gecko", func(w *bufio.Writer, events int) { writeGecko(w, events, true) }},
	{"gecko", writeMarkers},
}

// writeLabelled writes a pprof file whose later samples have labels, and whose
// strings come last.
func writeLabelled(w *bufio.Writer, events int) {
	value := func(b []byte, number int, v uint64) []byte {
		return binary.AppendUvarint(append(b, byte(number<<3)), v)
	}
	w.Write(protoField(nil, 1, value(value(nil, 1, 1), 2, 2)))
	var sample, part, out []byte
	for i := range events {
		part = binary.AppendUvarint(binary.AppendUvarint(part[:0], uint64(1+i%31)), uint64(1+i%7))
		sample = protoField(sample[:0], 1, part)
		sample = protoField(sample, 2, binary.AppendUvarint(part[:0], uint64(1+i%100)))
		if i > events/2 {
			sample = protoField(sample, 3, value(value(part[:0], 1, 3), 2, uint64(4+i%3)))
		}
		out = protoField(out[:0], 2, sample)
		w.Write(out)
	}
	for i := range 31 {
		w.Write(protoField(nil, 4, protoField(value(nil, 1, uint64(i+1)), 4, value(nil, 1, uint64(i+1)))))
		w.Write(protoField(nil, 5, value(value(nil, 1, uint64(i+1)), 2, uint64(7+i))))
	}
	for _, text := range []string{"", "samples", "count", "state", "idle", "busy", "lost"} {
		w.Write(protoField(nil, 6, []byte(text)))
	}
	for i := range 31 {
		w.Write(protoField(nil, 6, fmt.Appendf(nil, "f%d", i)))
	}
}

// stream reads what write writes, through a pipe.
func stream(t testing.TB, events int, write func(*bufio.Writer, int), spill data.Spill, beyond int64, often int) *data.Set {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 64<<10)
		write(b, events)
		b.Flush()
		w.Close()
	}()
	in, err := source.NewInput(context.Background(), "stream", r, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	in.Spill, in.SpillBeyond, in.SpillOften = spill, beyond, often
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// sink counts events and forgets them; pages go to disk.
type sink struct{ store.Scratch }

func (s *sink) Events(data.Definition) (data.EventWriter, error) { return &counter{}, nil }

type counter struct{ rows int }

func (c *counter) Write(rows int, _ []data.Column) error {
	c.rows += rows
	return nil
}

func (c *counter) Finish() (data.EventStore, error) { return c, nil }

func (c *counter) Rows() int { return c.rows }

func (c *counter) Read(context.Context, []int, int64, int64, func(data.Batch) error) error {
	return nil
}

// TestReadersHoldLittle reads files of which little may be in memory: it is
// about as much with five times the events.
func TestReadersHoldLittle(t *testing.T) {
	if datatest.Race {
		t.Skip("takes minutes with the race detector")
	}
	const few, many, often = 150_000, 750_000, 20_000
	for i, s := range streams {
		t.Run(fmt.Sprint(i, "-", s.format), func(t *testing.T) {
			read := func(events int) (held, tables int64) {
				var to sink
				defer to.Close()
				var set *data.Set
				held = sourcetest.Peak(func() { set = stream(t, events, s.write, &to, 0, often) })
				rows := set.Events()[0].Rows()
				if set.Format != s.format || rows != events || len(set.Warnings) > 0 {
					t.Fatalf("%s: %d events, warnings %q", set.Format, rows, set.Warnings)
				}
				return held, sourcetest.TableBytes(set)
			}
			heldOfFew, tablesOfFew := read(few)
			heldOfMany, tablesOfMany := read(many)
			t.Logf("%.1f MB for tables of %.1f, %.1f MB for tables of %.1f", float64(heldOfFew)/1e6, float64(tablesOfFew)/1e6, float64(heldOfMany)/1e6, float64(tablesOfMany)/1e6)
			if more := tablesOfMany - tablesOfFew; heldOfMany-heldOfFew > more/3+1<<20 {
				t.Errorf("%d bytes more were in memory, for tables with %d bytes more", heldOfMany-heldOfFew, more)
			}
		})
	}
}

// BenchmarkReaderMemory tells how much memory readers need for what they make,
// all of it in memory, in bytes per byte of the tables; and with
// -bench Spilled/, what they hold if events go to disk beyond 64 MB.
func BenchmarkReaderMemory(b *testing.B) {
	const events = 4_000_000
	for i, s := range append(streams, generated{"otlptrace", writeTraces}, generated{"otlptrace", writeOneTrace}) {
		b.Run(fmt.Sprint("InMemory/", i, "-", s.format), func(b *testing.B) { memory(b, events, s.write, nil) })
	}
	for i, s := range streams {
		b.Run(fmt.Sprint("Spilled/", i, "-", s.format), func(b *testing.B) {
			var to store.Scratch
			defer to.Close()
			memory(b, 5*events, s.write, &to)
		})
	}
	folder := os.Getenv("CAMBIUM_DATA")
	for _, name := range recorded {
		b.Run("Recorded/"+filepath.Base(name), func(b *testing.B) {
			path := filepath.Join(folder, name)
			if _, err := os.Stat(path); folder == "" || err != nil {
				b.Skip("CAMBIUM_DATA names no folder with ", name)
			}
			for b.Loop() {
				var set *data.Set
				held := sourcetest.Peak(func() {
					in, err := source.Open(context.Background(), path)
					if err != nil {
						b.Fatal(err)
					}
					defer in.Close()
					if set, err = source.Read(context.Background(), in); err != nil {
						b.Fatal(err)
					}
				})
				report(b, held, set)
			}
		})
	}
}

// recorded are files of the recorded data that are large enough to tell.
var recorded = []string{
	"alloc/xalan.alloc.csv.gz", "callgrind/callgrind.lua.out", "calltrace/sqlite3_b.chrome.json.gz", "calltrace/sqlite3_big1.uftrace.tar.zst",
	"cct/javac-small.cct.csv.zst", "cct/xalan.cct.pb.gz", "chrometrace/nodetrace_terser.json", "evolve/xalan.evolve.txt.gz",
	"gperftools/lua.gperf", "hprof/javac.hprof.txt.gz", "jfr/javac.jfr", "node/tsc.cpuprofile.gz", "node/tsc.heapprofile",
	"perf/sqlite.perf.data.gz", "perf/sqlite.perfscript.txt.gz", "python/sympy.prof", "xdebug/cachegrind.out.phpbench.gz", "xdebug/trace.phpbench.xt.gz",
}

func memory(b *testing.B, events int, write func(*bufio.Writer, int), spill data.Spill) {
	for b.Loop() {
		var set *data.Set
		held := sourcetest.Peak(func() { set = stream(b, events, write, spill, 64<<20, 0) })
		report(b, held, set)
	}
}

func report(b *testing.B, held int64, set *data.Set) {
	b.ReportMetric(float64(held)/1e6, "held-MB")
	b.ReportMetric(float64(sourcetest.TableBytes(set))/1e6, "tables-MB")
	b.ReportMetric(float64(held)/float64(sourcetest.TableBytes(set)), "held/tables")
	b.ReportMetric(0, "ns/op") // the collector runs all the time
}
