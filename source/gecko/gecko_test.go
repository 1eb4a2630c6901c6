package gecko

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return raw
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestHostile(t *testing.T) { sourcetest.Hostile(t, file(t, "weights.json")) }

func FuzzRead(f *testing.F) {
	f.Add(file(f, "weights.json"))
	f.Add(file(f, "firefox.json.gz")[:8000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "gecko", raw) })
}

// by sums up an amount of events by the name of what they refer to.
func by(set *data.Set, event, field, amount string) map[string]int64 {
	e := set.Event(event)
	refs, _ := e.Column(field)
	values, _ := e.Column(amount)
	names := set.Entity(e.Fields[e.Field(field)].Refers)
	sums := map[string]int64{}
	for row, id := range refs.Refs {
		sums[names.NameOf(id)] += values.Values[row]
	}
	return sums
}

// TestTruth compares a recorded profile, and what a script made of it in the
// other format, with what another script counted.
func TestTruth(t *testing.T) {
	for _, name := range []string{"firefox.json.gz", "processed.json.gz", "processed-shared.json.gz"} {
		t.Run(name, func(t *testing.T) {
			set := sourcetest.Read(t, file(t, name))
			s := sourcetest.Profile(set)
			if s == nil || fmt.Sprint(s.Metrics) != "[Self calls]" || s.Totals[1] != 81 {
				t.Errorf("calls: %v %v", s.Metrics, s.Totals)
			}
			s = sourcetest.Events(set, source.TypeSample)
			if got := fmt.Sprint(s.Metrics, s.Totals); got != "[samples time cpu] [308 1540000000 62354144]" {
				t.Errorf("samples: %s", got)
			}
			for method, want := range map[string]int64{"libc.so.6+0x85f14": 278, "libc.so.6+0xfc26f": 15, "libxul.so+0x7a86d00": 2} {
				if got := s.Self[0][method]; got != want {
					t.Errorf("self of %s is %d, want %d", method, got, want)
				}
			}
			for method, want := range map[string]int64{"ThreadEventQueue::GetEvent::Wait": 277, "XRE_InitChildProcess": 30, "PollWrapper": 15} {
				if got := s.Total[0][method]; got != want {
					t.Errorf("total of %s is %d, want %d", method, got, want)
				}
			}
			if got, want := by(set, source.TypeSample, "Category", "samples"), map[string]int64{"Idle": 292, "Other": 9, "JavaScript": 5, "Graphics": 1, "Layout": 1}; !maps.Equal(got, want) {
				t.Errorf("categories: %v", got)
			}
			if got, want := by(set, source.TypeSample, source.TypeThread, "samples"), map[string]int64{"Compositor": 277, "GeckoMain": 31}; !maps.Equal(got, want) {
				t.Errorf("threads: %v", got)
			}
			if got, want := by(set, "Allocation", "Allocator", "allocated"), map[string]int64{"JavaScript": 1456, "native": 0}; got["JavaScript"] != want["JavaScript"] || set.Event("Allocation").Rows() != 26 {
				t.Errorf("allocations: %v", got)
			}
			// The script that wrote the processed forms wrote times as sums of
			// milliseconds, whose last digit may be another.
			lengths := by(set, "Marker", "Name", "Length")
			for marker, want := range map[string]int64{"UserTiming": 19955325, "Awake": 4111410, "NotifyObservers": 62533} {
				if got := lengths[marker]; got < want-100 || got > want+100 {
					t.Errorf("%s lasts %d, want %d", marker, got, want)
				}
			}
			at, _ := set.Event(source.TypeSample).Column("Time")
			if first, last := at.Values[0], at.Values[len(at.Values)-1]; first/1000 != 491467 || last/1000 != 1911284 {
				t.Errorf("samples from %d to %d", first, last)
			}
			if n := set.Event("Marker").Rows(); n != 122 || set.Event(source.TypeCall).Rows() != 81 {
				t.Errorf("%d markers, %d calls", n, set.Event(source.TypeCall).Rows())
			}
		})
	}
}

// BenchmarkRead reads a recorded thread eight times over, with many more samples
// or markers, and such samples in the processed form.
func BenchmarkRead(b *testing.B) {
	const threads, size = 8, 1 << 23
	one := string(file(b, "firefox.json.gz"))
	before, rest, _ := strings.Cut(one, `"threads":[{`)
	thread, _, _ := strings.Cut(rest, `}],"pausedRanges"`)
	more := func(behind string, row func(text *bytes.Buffer, thread, i int)) []byte {
		head, tail, ok := strings.Cut(thread, behind)
		if !ok {
			b.Fatalf("there is no %s", behind)
		}
		var text bytes.Buffer
		text.WriteString(before + `"threads":[`)
		for i := range threads {
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString("{" + head + behind)
			for n := 0; text.Len() < (i+1)*size; n++ {
				row(&text, i, n)
			}
			text.WriteString(tail + "}")
		}
		text.WriteString("]}")
		return text.Bytes()
	}
	run := func(name string, text []byte) {
		b.Run(name, func(b *testing.B) { sourcetest.Benchmark(b, text, len(text)) })
	}
	run("samples", more(`"threadCPUDelta":4},"data":[`, func(text *bytes.Buffer, thread, i int) {
		fmt.Fprintf(text, "[%d,%.6f,0.049,null,%d],", i%50, 500+float64(i)+float64(thread)/8, i*977%100_000)
	}))
	run("markers", more(`"category":4,"data":5},"data":[`, func(text *bytes.Buffer, thread, i int) {
		fmt.Fprintf(text, `[%d,%d.%06d,%d.5,1,0,{"type":"UserTiming","category":"DOM","innerWindowID":21474836482,"name":"step %d","entryType":"measure"}],`, i%20, 500+i, thread, 500+i, i%100)
	}))
	var text bytes.Buffer
	text.WriteString(`{"meta":{"preprocessedProfileVersion":57,"startTime":0,"interval":1,"categories":[{"name":"Other"}]},"libs":[],"threads":[`)
	for i := range threads {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(`{"samples":{"stack":[0`)
		for n := range size / 30 {
			fmt.Fprintf(&text, ",%d", n*7%300)
		}
		text.WriteString(`],"time":[500`)
		for n := range size / 30 {
			fmt.Fprintf(&text, ",%.6f", 500+float64(n)+float64(i)/8)
		}
		text.WriteString(`],"threadCPUDelta":[null`)
		for n := range size / 30 {
			fmt.Fprintf(&text, ",%d", n*977%100_000)
		}
		text.WriteString(`]}}`)
	}
	text.WriteString(`],"shared":{"stackTable":{"prefix":[null`)
	for n := range 299 {
		fmt.Fprintf(&text, ",%d", n/3)
	}
	text.WriteString(`],"frame":[0`)
	for n := range 299 {
		fmt.Fprintf(&text, ",%d", n%2)
	}
	text.WriteString(`]},"frameTable":{"func":[0,1],"category":[0,0]},"funcTable":{"name":[0,1]},"resourceTable":{},"stringArray":["f","g"]}}`)
	run("processed", text.Bytes())
}
