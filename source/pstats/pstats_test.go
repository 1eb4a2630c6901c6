package pstats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/symbol"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return raw
}

// TestTruth compares with Python's own reading. What functions take themselves
// and how often they are called is exact; inclusive times are estimates here.
func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "sympy.prof.gz"))
	s := sourcetest.Profile(set)
	if s.Methods != 4282 || s.Totals[0] != 10584297097 || s.Totals[1] != 4052858 {
		t.Errorf("%d methods, totals %d", s.Methods, s.Totals)
	}
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "made up") {
		t.Errorf("warnings: %q", set.Warnings)
	}
	rows, far := 0, 0
	sc := bufio.NewScanner(bytes.NewReader(file(t, "truth/sympy.txt")))
	for sc.Scan() {
		var inclusive, self, primitive, calls int64
		var name string
		if _, err := fmt.Sscanf(sc.Text(), "%d %d %d %d %q", &inclusive, &self, &primitive, &calls, &name); err != nil {
			t.Fatal(err)
		}
		rows++
		if s.Self[0][name] != self || s.Self[1][name] != calls {
			t.Errorf("%s takes %d in %d calls, want %d in %d", name, s.Self[0][name], s.Self[1][name], self, calls)
		}
		off := math.Abs(float64(s.Total[0][name]-inclusive)) / 10584297097
		if off > 0.05 {
			far++
		}
	}
	// 2082 of the functions are one circle, through eval and import.
	if rows != 80 || far > 13 {
		t.Errorf("of %d functions %d have inclusive times that are off by more than a twentieth of the program", rows, far)
	}
}

// TestCallers: a program in which what functions do does not depend on their
// callers, but for leaf, of which it is known what it takes for whom.
func TestCallers(t *testing.T) {
	for _, name := range []string{"python-2.7.18.prof", "python-3.6.15.prof", "python-3.13.0.prof"} {
		s := sourcetest.Profile(sourcetest.Read(t, file(t, name)))
		calls := map[string]int64{}
		for stack, n := range s.Stacks[1] {
			calls[strings.TrimPrefix(stack, "<built-in method builtins.exec>;")] += n // Python 2 has a statement
		}
		for stack, want := range map[string]int64{
			"<module>;main": 1, "<module>;main;a": 20, "<module>;main;b": 40, "<module>;main;a;leaf": 20, "<module>;main;b;leaf": 40,
			"<module>;main;a;fact": 120, "<module>;main;even": 5, "<module>;main;even;odd": 5,
		} {
			if calls[stack] != want {
				t.Errorf("%s: %d calls of %s, want %d", name, calls[stack], stack, want)
			}
		}
	}
}

// marshalled writes what marshal writes, version 2.
type marshalled struct{ bytes.Buffer }

func (m *marshalled) number(n int32) *marshalled {
	m.WriteByte('i')
	binary.Write(m, binary.LittleEndian, n)
	return m
}

func (m *marshalled) text(s string) *marshalled {
	m.WriteByte('s')
	binary.Write(m, binary.LittleEndian, int32(len(s)))
	m.WriteString(s)
	return m
}

func (m *marshalled) tuple(n int32) *marshalled {
	m.WriteByte('(')
	binary.Write(m, binary.LittleEndian, n)
	return m
}

func (m *marshalled) key(name string) *marshalled {
	return m.tuple(3).text("x.py").number(1).text(name)
}

func TestDialects(t *testing.T) {
	// Callers are counts, times are text or whole, numbers are long.
	var m marshalled
	m.WriteByte('{')
	m.key("main").tuple(5).number(1).number(1).number(0).number(2)
	m.WriteString("{0")
	m.key("f").tuple(5).number(2).number(2)
	m.WriteString("f\x041e-3f\x031.0{")
	m.key("main").WriteString("l\x01\x00\x00\x00\x02\x00")
	m.WriteString("00")
	set := sourcetest.Read(t, m.Bytes())
	s := sourcetest.Profile(set)
	if s.Stacks[0]["main;f"] != 1e6 || s.Stacks[1]["main;f"] != 2 || len(set.Warnings) != 2 || !strings.Contains(set.Warnings[0], "how often") {
		t.Errorf("got %v, %v, warnings %q", s.Stacks[0], s.Stacks[1], set.Warnings)
	}

	for what, want := range map[string]string{
		"c":                    "code objects",
		"Q":                    "found the type",
		"r\x07\x00\x00\x00":    "no value number 7",
		"R\x07\x00\x00\x00":    "no text number 7",
		"s\xff\xff\xff\x7f":    "bytes long",
		"s\xff\xff\xff\xff":    "negative",
		"(\xff\xff\xff\x7f":    "values, or is too deep",
		"l\x06\x00\x00\x00":    "more than 64 bits",
		"N":                    "expected a function",
		"g\x00\x00":            "ends within",
		"i\x01\x00\x00\x00...": "expected a function",
	} {
		raw := append([]byte("{(\x03\x00\x00\x00s\x01\x00\x00\x00ai\x01\x00\x00\x00"), what...)
		if _, err := sourcetest.TryRead(raw); err == nil || !strings.Contains(err.Error(), want) {
			if want != "expected a function" || err == nil {
				t.Errorf("%q: %v", what, err)
			}
		}
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "sympy.prof.gz")[:20000])
	sourcetest.Hostile(t, file(t, "python-2.7.18.prof"))
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"{(\x03\x00\x00\x00s\x01\x00\x00\x00a":   true,
		"\xfb)\x03\xfa\x01a\xe9\x00\x00\x00\x00": true,
		"{(\x02\x00\x00\x00s\x01\x00\x00\x00a":   false,
		"{)\x03i\x01\x00\x00\x00":                false,
		"{\"nodes\":[]}":                         false,
		"{0":                                     false,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "python-2.7.18.prof"))
	f.Add(file(f, "python-3.13.0.prof"))
	f.Add(file(f, "sympy.prof.gz")[:3000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "pstats", raw) })
}

// BenchmarkRead measures all of it, and reading without making contexts up.
func BenchmarkRead(b *testing.B) {
	raw := file(b, "sympy.prof.gz")
	b.Run("contexts", func(b *testing.B) { sourcetest.Benchmark(b, raw, len(raw)) })
	b.Run("graph", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		before := sourcetest.ProcessorTime()
		n := 0
		for ; b.Loop(); n++ {
			r := reader{
				ctx: context.Background(), p: source.NewProfile(data.NewBuilder("", ""), symbol.Python, 0), graph: source.NewCallGraph(1),
				functions: map[function]int32{}, marshal: unmarshaler{r: bytes.NewReader(raw)},
			}
			if err := r.table(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(raw)*n)/1e6/(sourcetest.ProcessorTime()-before).Seconds(), "MB/cpu-s")
	})
}
