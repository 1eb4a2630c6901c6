package perfdata

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// sample is one as perf script prints it.
type sample struct {
	comm, event            string
	pid, tid, time, period int64
	stack                  []frame // the innermost first
}

type frame struct {
	name, binary string
	offset       int64 // in the function
	address      uint64
}

var (
	headLine  = regexp.MustCompile(`^(.*?) +(\d+)(?:/(\d+))? +(\d+)\.(\d+): +(\d+) +(\S+): *(.*)$`)
	frameLine = regexp.MustCompile(`^\s*([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \((.*)\)$`)
)

// script reads what perf script printed of a recording.
func script(t *testing.T, text []byte) (all []sample) {
	t.Helper()
	number := func(s string, base int) int64 {
		n, err := strconv.ParseInt("0"+s, base, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			continue
		}
		if h := headLine.FindStringSubmatch(line); h != nil && line[0] != '\t' {
			s := sample{comm: strings.TrimSpace(h[1]), event: h[7], pid: number(h[2], 10), tid: number(h[3], 10),
				time: number(h[4], 10)*1e9 + number((h[5] + "000")[:9], 10), period: number(h[6], 10)}
			if h[3] == "" {
				s.tid = s.pid
			}
			all = append(all, s)
			if line = h[8]; line == "" {
				continue
			}
		}
		f := frameLine.FindStringSubmatch(line)
		if f == nil {
			t.Fatalf("perf printed %q", line)
		}
		address, err := strconv.ParseUint(f[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		last := &all[len(all)-1]
		last.stack = append(last.stack, frame{f[2], f[4], number(f[3], 16), address})
	}
	return all
}

// samples are those of a set in the same form; a frame's binary is its last
// element.
func samples(t *testing.T, set *data.Set) (all []sample) {
	t.Helper()
	events, contexts, methods := set.Event(source.TypeSample), set.Entity(source.TypeContext), set.Entity(source.TypeMethod)
	parents, _ := contexts.Column("Caller")
	keys, _ := contexts.Column("Method")
	binaries, _ := methods.Column("Binary")
	label := func(name string, row int) string {
		c, ok := events.Column(name)
		if !ok {
			return ""
		}
		return set.Entity(name).NameOf(c.Refs[row])
	}
	id := func(name string, row int) int64 {
		fields := strings.Fields(label(name, row))
		n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	times, _ := events.Column("Time")
	at, _ := events.Column(source.TypeContext)
	for row := range events.Rows() {
		s := sample{comm: label("Command", row), event: label("Event", row), pid: id("Process", row), tid: id("Thread", row), time: times.Values[row]}
		periods, ok := events.Column(s.event)
		if !ok {
			t.Fatalf("there is no metric %s", s.event)
		}
		s.period = periods.Values[row]
		for c := at.Refs[row]; c != data.None; c = parents.Refs[c] {
			f := frame{name: methods.NameOf(keys.Refs[c])}
			if b := binaries.Refs[keys.Refs[c]]; b != data.None {
				f.binary = set.Entity(source.TypeBinary).NameOf(b)
			}
			s.stack = append(s.stack, f)
		}
		all = append(all, s)
	}
	return all
}

var recorded = []string{"two-events", "compressed", "pipe", "pipe-compressed", "no-chains", "build-id-mmap", "sqlite"}

func truth(t *testing.T, name string) []sample {
	if name == "sqlite" {
		text, err := os.ReadFile("../perfscript/testdata/sqlite.perfscript.txt.gz")
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
		return script(t, text)
	}
	return script(t, file(t, "truth/"+name+".perfscript.txt.gz"))
}

// TestTruth compares each sample of each recording with what perf script makes
// of it: command, process, thread, time, period, event, and the stack. The
// binaries are not at hand, so a function has no name; but what perf says of it
// tells where it starts in its binary, and that must be the same for all of its
// frames.
func TestTruth(t *testing.T) {
	for _, name := range recorded {
		t.Run(name, func(t *testing.T) {
			want := truth(t, name)
			got := samples(t, sourcetest.Read(t, file(t, name+".perf.data.gz")))
			if len(got) != len(want) || len(want) < 30 {
				t.Fatalf("%d samples, perf has %d", len(got), len(want))
			}
			starts, frames := map[frame]int64{}, 0
			for i, w := range want {
				g := got[i]
				if g.comm != w.comm || g.pid != w.pid || g.tid != w.tid || g.event != w.event || g.period != w.period || g.time/1000 != w.time/1000 || len(g.stack) != len(w.stack) {
					t.Fatalf("sample %d is %+v, perf has %+v", i, g, w)
				}
				for j, f := range w.stack {
					inner := j == 0 || strings.HasPrefix(w.stack[j-1].binary, "[kernel") && !strings.HasPrefix(f.binary, "[kernel")
					if f.binary == "[unknown]" {
						if g.stack[j].name != "[unknown]" {
							t.Fatalf("sample %d: frame %d is %+v, perf has %+v", i, j, g.stack[j], f)
						}
						continue
					}
					if f.name == "[unknown]" {
						continue // perf does not know where it starts
					}
					binary, place, ok := strings.Cut(g.stack[j].name, "+0x")
					if !ok || binary != filepath.Base(f.binary) || g.stack[j].binary != binary {
						t.Fatalf("sample %d: frame %d is %+v, perf has %+v", i, j, g.stack[j], f)
					}
					start, err := strconv.ParseInt(place, 16, 64)
					if err != nil {
						t.Fatal(err)
					}
					start -= f.offset
					if !inner {
						start++
					}
					key := frame{f.name, f.binary, 0, 0}
					if before, ok := starts[key]; ok && before != start {
						// Of one name there may be several local functions.
						key.offset = 1
						if before, ok := starts[key]; ok && before != start {
							t.Fatalf("sample %d: frame %d is %+v, perf has %+v, and the function starts at %x or %x", i, j, g.stack[j], f, before, start)
						}
					}
					starts[key] = start
					frames++
				}
			}
			if frames < len(want)/2 {
				t.Errorf("only %d frames could be compared", frames)
			}
		})
	}
}

// TestNames reads the recordings with the recorded program at hand, and
// compares the names of its functions with perf's.
func TestNames(t *testing.T) {
	const recordedAt = "/tmp/recorded-for-tests-that-put-a-folder-of-their-own-in-place-of-this-long-name-with-as-many-letters/busy"
	program := file(t, "truth/busy.gz")
	for _, name := range []string{"two-events", "pipe", "no-chains", "build-id-mmap"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if len(folder)+5 > len(recordedAt) {
				t.Skip("the folder of temporary files has a long name")
			}
			path := folder + strings.Repeat("/", len(recordedAt)-len(folder)-4) + "busy"
			if err := os.WriteFile(path, program, 0o755); err != nil {
				t.Fatal(err)
			}
			raw := file(t, name+".perf.data.gz")
			set := readWithBinaries(t, bytes.ReplaceAll(raw, []byte(recordedAt), []byte(path)))
			got, compared := samples(t, set), map[string]int{}
			for i, w := range truth(t, name) {
				for j, f := range w.stack {
					if f.binary != recordedAt || f.name == "[unknown]" {
						continue
					}
					if g := got[i].stack[j]; g.name != f.name || g.binary != "busy" {
						t.Fatalf("sample %d: frame %d is %+v, perf has %+v", i, j, g, f)
					}
					compared[f.name]++
				}
			}
			if compared["work::Machine::compute"] < 20 || name != "no-chains" && compared["main"] < 20 {
				t.Errorf("compared were %v", compared)
			}
		})
	}
}

func readWithBinaries(t *testing.T, raw []byte) *data.Set {
	t.Helper()
	in, err := source.NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	in.Binaries = true
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Integrity(t, set)
	return set
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "sqlite.perf.data.gz")[:200_000])
	sourcetest.Hostile(t, file(t, "two-events.perf.data.gz"))
	sourcetest.Hostile(t, file(t, "compressed.perf.data.gz"))
	sourcetest.Hostile(t, file(t, "pipe.perf.data.gz"))
	sourcetest.Hostile(t, file(t, "tracepoints-pipe.perf.data.gz"))
}

func FuzzRead(f *testing.F) {
	for _, name := range recorded[:len(recorded)-1] {
		f.Add(file(f, name+".perf.data.gz"))
	}
	f.Add(file(f, "stack-memory.perf.data.gz"))
	f.Add(file(f, "tracepoints-pipe.perf.data.gz"))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "perfdata", raw) })
}

// repeated is the recording of sqlite, over and over, each time a while later. It
// ends with its records.
func repeated(b *testing.B, times int) []byte {
	raw := file(b, "sqlite.perf.data.gz")
	const sizeAt, timeAt, span = 48, recordHeader + 16, 10e9
	begin, size := binary.LittleEndian.Uint64(raw[40:]), binary.LittleEndian.Uint64(raw[sizeAt:])
	records := raw[begin:][:size]
	out := bytes.Clone(raw[:begin])
	for n := range times {
		for at := 0; at < len(records); {
			rec := records[at:][:binary.LittleEndian.Uint16(records[at+6:])]
			at += len(rec)
			from := len(out)
			out = append(out, rec...)
			if binary.LittleEndian.Uint32(rec) == recordSample {
				binary.LittleEndian.PutUint64(out[from+timeAt:], binary.LittleEndian.Uint64(rec[timeAt:])+uint64(n)*span)
			}
		}
	}
	binary.LittleEndian.PutUint64(out[sizeAt:], 0)
	return out
}

func BenchmarkRead(b *testing.B) {
	raw := repeated(b, 60)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		sourcetest.Read(b, raw)
	}
}
