package folded

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"pgregory.net/rapid"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTruth(t *testing.T) {
	sourcetest.CheckTruth(t, sourcetest.Read(t, file(t, "sqlite.folded")), sourcetest.Truth{
		Totals: map[string]int64{"samples": 5994}, Contexts: 951, MaxDepth: 35,
		TopSelf:  map[string]map[string]int64{"samples": {"sqlite3VdbeExec": 1619, "sqlite3BtreeTableMoveto": 562, "sqlite3BtreeIndexMoveto": 324}},
		TopTotal: map[string]map[string]int64{"samples": {"sqlite3-fp": 5994, "__libc_start_call_main": 5833, "main": 5833}},
	})
}

func TestHostile(t *testing.T) { sourcetest.Hostile(t, file(t, "sqlite.folded")[:20000]) }

func TestMillionDeep(t *testing.T) {
	set := sourcetest.Read(t, []byte(strings.Repeat("f;", 999_999)+"f 3\n"))
	s := sourcetest.Profile(set)
	if s.MaxDepth != 1_000_000 || s.Totals[0] != 3 || s.Total[0]["f"] != 3 {
		t.Errorf("depth %d, total %d, f %d", s.MaxDepth, s.Totals[0], s.Total[0]["f"])
	}
}

func TestNothingGood(t *testing.T) {
	_, err := sourcetest.TryRead([]byte("a;b 99999999999999999999\n"))
	if err == nil || !strings.Contains(err.Error(), "line 1:") || !strings.Contains(err.Error(), "64 bits") {
		t.Errorf("%v", err)
	}
}

func TestExtremes(t *testing.T) {
	set := sourcetest.Read(t, []byte("a;b 9223372036854775807\na;c -9223372036854775808\na;d -9223372036854775809\na;e 9223372036854775808\n"))
	if got := set.Event("Sample").Columns[1].Values; !slices.Equal(got, []int64{math.MaxInt64, math.MinInt64}) {
		t.Errorf("the counts are %d", got)
	}
	if len(set.Warnings) != 3 || !strings.Contains(set.Warnings[0], "line 3:") || !strings.Contains(set.Warnings[1], "line 4:") {
		t.Errorf("warnings are %q", set.Warnings)
	}
}

// TestAgainstMap compares the reader with the obvious one.
func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		want := map[string]int64{}
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			frames := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "abcdefgh", "abcdefghi", "a b", "c"}), 1, 6).Draw(t, "frames")
			n := rapid.Int64Range(-5, 1000).Draw(t, "count")
			stack := strings.Join(append([]string{"root"}, frames...), ";")
			want[stack] += n
			fmt.Fprintf(&text, "%s %d\n", stack, n)
		}
		s := sourcetest.Profile(sourcetest.Read(quiet{t: t}, []byte(text.String())))
		for stack, n := range want {
			if s.Stacks[0][stack] != n {
				t.Fatalf("%s: got %d, want %d, of\n%s", stack, s.Stacks[0][stack], n, text.String())
			}
		}
	})
}

// quiet makes of a rapid.T what helpers ask for.
type quiet struct {
	testing.TB
	t *rapid.T
}

func (q quiet) Helper()           {}
func (q quiet) Fatal(args ...any) { q.t.Fatal(args...) }

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"main;a 1\n":                       true,
		"main 1\nfoo 2\n":                  true,
		"a;b;c 12.5":                       true,
		"[unknown];x y;z 1\n":              true,
		"# c\n\na;b 1\nbad\na;c 2\nd;e 4":  true,
		"version: 1\ncreator: x\n":         false,
		"I: 1 2 3\nI: 2 3 4\n":             false,
		"M: a.b(Ljava/lang/String;)V 12\n": false,
		"{\"a;b\": 1\n":                    false,
		"a;b;c\n1;2;3\n":                   false,
		"seq,type 3\n":                     false,
		"12 13\n":                          false,
		"2026-01-01 10:00:00 took 5\n":     false,
		"Hello, world\n":                   false,
		"int a; int b = 5\n":               false,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !sniff([]byte(strings.Repeat("frame;", source.SniffBytes)[:source.SniffBytes])) {
		t.Error("a stack deeper than the head is not recognised")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.folded"))
	f.Add(file(f, "diff.folded"))
	f.Add(file(f, "sqlite.folded")[:2000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "folded", raw) })
}

func BenchmarkRead(b *testing.B) {
	one := file(b, "sqlite.folded")
	raw := bytes.Repeat(one, 400)
	sourcetest.Benchmark(b, raw, len(raw))
}
