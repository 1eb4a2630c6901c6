package hprof

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTruth(t *testing.T) {
	sourcetest.CheckTruth(t, sourcetest.Read(t, file(t, "javac.hprof.txt.gz")), sourcetest.Truth{
		Totals: map[string]int64{"samples": 2096}, Contexts: 25144, MaxDepth: 178,
		TopSelf:  map[string]map[string]int64{"samples": {"com.sun.tools.javac.parser.UnicodeReader.nextCodeUnit": 115, "com.sun.tools.javac.parser.UnicodeReader.is": 76, "jdk.internal.misc.Unsafe.allocateInstance": 73}},
		TopTotal: map[string]map[string]int64{"samples": {"com.sun.tools.javac.Main.main": 2096, "com.sun.tools.javac.Main.compile": 2095, "com.sun.tools.javac.main.Main.compile": 2095}},
	})
	sourcetest.CheckTruth(t, sourcetest.Read(t, file(t, "jflex.hprof.txt.gz")), sourcetest.Truth{
		Totals: map[string]int64{"samples": 707}, Contexts: 468, MaxDepth: 43,
		TopSelf:  map[string]map[string]int64{"samples": {"jdk.internal.util.Preconditions.checkIndex": 271, "java.util.Objects.checkIndex": 60, "java.util.ArrayList.elementData": 54}},
		TopTotal: map[string]map[string]int64{"samples": {"jflex.Main.generate": 702, "jflex.Main.main": 702, "java_cup.runtime.lr_parser.parse": 585}},
	})
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "jflex.hprof.txt.gz"))
	sourcetest.Hostile(t, file(t, "tables.txt"))
}

func TestBinary(t *testing.T) {
	_, err := sourcetest.TryRead([]byte("JAVA PROFILE 1.0.2\x00\x00\x00\x00\x04\x00\x00"))
	if err == nil || !strings.Contains(err.Error(), "binary") {
		t.Errorf("%v", err)
	}
}

// A table of times has shares of a total, which may be as large as it likes.
func TestExtremeTimes(t *testing.T) {
	for share, want := range map[string]int64{"1000000.00%": math.MaxInt64, "50.00%": 1 << 62, "0.00%": 0} {
		set := sourcetest.Read(t, []byte("JAVA PROFILE 1.0.1\nTRACE 1:\n\ta.B.c(B.java:1)\nCPU TIME (ms) BEGIN (total = 9223372036854775807) Sat\n"+
			"rank self accum count trace method\n1 "+share+" 1% 5 1 a.B.c\nCPU TIME (ms) END\n"))
		if got := set.Event("Sample").Columns[1].Values; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %d, want %d", share, got, want)
		}
	}
	set := sourcetest.Read(t, []byte("JAVA PROFILE 1.0.1\nTRACE 1:\n\ta.B.c(B.java:1)\nCPU SAMPLES BEGIN (total = 7) Sat\n"+
		"1 1% 1% 9223372036854775807 1 a.B.c\n2 1% 1% 9223372036854775807 1 a.B.c\nCPU SAMPLES END\n"))
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "announces 7, but its 2 rows have 18446744073709551616") {
		t.Errorf("warnings are %q", set.Warnings)
	}
}

func TestNoTable(t *testing.T) {
	set := sourcetest.Read(t, []byte("JAVA PROFILE 1.0.1\nTRACE 1:\n\ta.B.c(B.java:1)\n"))
	if s := sourcetest.Profile(set); s.Contexts != 1 || len(set.Warnings) != 1 {
		t.Errorf("%d contexts, warnings %q", s.Contexts, set.Warnings)
	}
	if _, err := sourcetest.TryRead([]byte("JAVA PROFILE 1.0.1\nprose\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "tables.txt"))
	f.Add(file(f, "figure1.txt"))
	raw := file(f, "jflex.hprof.txt.gz")
	f.Add(raw[:3000])
	f.Add(raw[len(raw)-1000:])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "hprof", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := file(b, "javac.hprof.txt.gz")
	sourcetest.Benchmark(b, raw, len(raw))
}
