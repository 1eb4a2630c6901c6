package heaptrack

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

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
	var unpacked io.Reader = bytes.NewReader(raw)
	switch {
	case strings.HasSuffix(name, ".zst"):
		unpacked, err = zstd.NewReader(unpacked)
	case strings.HasSuffix(name, ".gz"):
		unpacked, err = gzip.NewReader(unpacked)
	}
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = io.ReadAll(unpacked); err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestTotals compares with the summary of heaptrack_print, which rounds bytes to
// three digits: 224.99K, 3.80K.
func TestTotals(t *testing.T) {
	for name, want := range map[string]map[string]int64{
		"sqlite.heaptrack.zst":  {"allocations": 735, "temporary": 34, "peak": 288189, "leaked": 9800, "suppressed": 3799},
		"inlined.heaptrack.zst": {"allocations": 2980, "temporary": 1, "peak": 224994, "leaked": 6000},
	} {
		set := sourcetest.Read(t, file(t, name))
		if len(set.Warnings) > 0 {
			t.Errorf("%s: warnings are %q", name, set.Warnings)
		}
		s := sourcetest.Profile(set)
		for i, metric := range s.Metrics {
			if metric != "allocated" && s.Totals[i] != want[metric] {
				t.Errorf("%s: %s is %d, want %d", name, metric, s.Totals[i], want[metric])
			}
			delete(want, metric)
		}
		if len(want) > 0 {
			t.Errorf("%s: there is no %v", name, want)
		}
	}
}

var place = regexp.MustCompile(` \([^()]*\)$`)

// same gives what heaptrack_print and this say of a stack in the same words.
// heaptrack_print begins with main, if that is not inlined, writes inlined
// functions the other way round, leaves operator new out, and gives addresses
// where this gives modules.
func same(stack string) string {
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(stack, ";"), ";") {
		name = place.ReplaceAllString(name, "")
		switch {
		case name == "_start", strings.HasPrefix(name, "__libc_start"), strings.HasPrefix(name, "operator new"):
			continue
		case strings.HasPrefix(name, "0x"), strings.HasPrefix(name, "["):
			name = "?"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ";")
}

// TestStacks compares each stack and each metric with heaptrack_print's.
func TestStacks(t *testing.T) {
	for _, name := range []string{"sqlite", "inlined"} {
		s := sourcetest.Profile(sourcetest.Read(t, file(t, name+".heaptrack.zst")))
		for i, metric := range s.Metrics {
			if metric == "allocated" || metric == "suppressed" {
				continue
			}
			want, got := map[string]int64{}, map[string]int64{}
			for line := range strings.Lines(string(file(t, "truth/"+name+"."+metric+".folded.gz"))) {
				stack, count, ok := strings.Cut(strings.TrimSpace(line), "; ")
				n, err := strconv.ParseInt(count, 10, 64)
				if !ok || err != nil {
					t.Fatalf("heaptrack_print wrote %q", line)
				}
				if n != 0 {
					want[same(stack)] += n
				}
			}
			for stack, n := range s.Stacks[i] {
				got[same(stack)] += n
			}
			if !maps.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s: %s has %d stacks, want %d", name, metric, len(got), len(want))
				for stack, n := range want {
					if got[stack] != n {
						t.Errorf("%d instead of %d of %s", got[stack], n, stack)
						break
					}
				}
			}
		}
	}
}

// TestPeak compares the peak of each kind with that of a loop which copies all
// kinds whenever there is a new peak.
func TestPeak(t *testing.T) {
	raw := file(t, "inlined.heaptrack.zst")
	var sizes, live, peak []int64
	var now, most int64
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, err := strconv.ParseInt(fields[1], 16, 64)
		switch fields[0] {
		case "a":
			sizes, live = append(sizes, n), append(live, 0)
		case "+", "-":
			if err != nil {
				t.Fatal(err)
			}
			one := int64(1)
			if fields[0] == "-" {
				one = -1
			}
			live[n] += one
			if now += one * sizes[n]; now > most {
				most, peak = now, slices.Clone(live)
			}
		}
	}
	var want []int64
	for i, n := range peak {
		want = append(want, n*sizes[i])
	}
	want = append(want, make([]int64, len(sizes)-len(peak))...)
	c, _ := sourcetest.Read(t, raw).Event(source.TypeSample).Column("peak")
	if !slices.Equal(c.Values, want) {
		t.Errorf("peaks are %d, want %d", c.Values, want)
	}
}

func TestQuirks(t *testing.T) {
	set := sourcetest.Read(t, file(t, "quirks.heaptrack"))
	s := sourcetest.Profile(set)
	for _, c := range []struct {
		metric, stack string
		want          int64
	}{
		{"allocations", "main;keep(int, char)", 2},
		{"suppressed", "main;keep(int, char)", 32},
		{"leaked", "main;keep(int, char)", 0},
		{"leaked", "main;lose", 32},
		{"peak", "main;[unknown]", 128},
		{"temporary", "main;lose", 1},
		{"temporary", "main;[unknown]", 1},
	} {
		i := slices.Index(s.Metrics, c.metric)
		if i < 0 || s.Stacks[i][c.stack] != c.want {
			t.Errorf("%s of %s: got %v, want %d", c.metric, c.stack, s.Stacks[i], c.want)
		}
	}
	if len(set.Warnings) != 2 || !strings.Contains(set.Warnings[0], "2 lines could not be read and were left out, the first is line 27") || !strings.Contains(set.Warnings[1], "1 times something was freed") {
		t.Errorf("warnings are %q", set.Warnings)
	}
	use := set.Event("Memory Use")
	if heap, _ := use.Column("Heap"); !slices.Equal(heap.Values, []int64{16, 32}) {
		t.Errorf("heap is %d", heap.Values)
	}
	if c, _ := use.Column("Resident"); !slices.Equal(c.Values, []int64{0x10000, 0x12000}) {
		t.Errorf("resident is %d", c.Values)
	}
}

// Strings may have line breaks since version 3.
func TestStrings(t *testing.T) {
	set := sourcetest.Read(t, []byte("v 10500 3\nX a\ns 1 a\ns 7 f\n\n(b)c\ns 0 \ns 2 \nx\ni 1 1 2 3 1\nt 1 0\na 8 1\n+ 0\n"))
	if name := set.Entity(source.TypeMethod).NameOf(0); name != "f\n\n(b)c" || len(set.Warnings) > 0 {
		t.Errorf("the function is %q, warnings %q", name, set.Warnings)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"v 10500 4\nX a\n+ 0\n":   "line 1: expected version 1 to 3 of the format, but found 4",
		"v 10000\nX a\n+ 0\n":     "line 1: expected version 1 to 3 of the format, but found 0",
		"v 10500 3\nx a\n":        "heaptrack --interpret",
		"v 10500 3\nX a\nc 1\n":   "there are no allocations",
		"v 10500 3\nX a\ns z b\n": "line 3: expected a string",
	} {
		if _, err := sourcetest.TryRead([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"b", "abc", true}, {"x", "abc", false}, {"^b", "abc", false}, {"^a", "abc", true}, {"c$", "abc", true},
		{"b$", "abc", false}, {"^abc$", "abc", true}, {"^ab$", "abc", false}, {"a*c", "xabcx", true}, {"c*a", "abc", false},
		{"^a*c$", "abcabc", true}, {"*", "abc", true}, {"", "abc", true}, {"", "", false},
	} {
		if got := matches(c.pattern, c.text); got != c.want {
			t.Errorf("%q in %q: %v", c.pattern, c.text, got)
		}
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "sqlite.heaptrack.zst"))
	sourcetest.Hostile(t, file(t, "quirks.heaptrack"))
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.heaptrack"))
	f.Add(file(f, "inlined.heaptrack.zst"))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "heaptrack", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := file(b, "sqlite.heaptrack.zst")
	events := bytes.Repeat([]byte("+ 1a\n+ b\n- b\n- 1a\n"), 1_000_000)
	raw = append(raw, events...)
	sourcetest.Benchmark(b, raw, len(raw))
}
