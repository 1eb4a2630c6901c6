package perfscript

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
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

func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "sqlite.perfscript.txt.gz"))
	if len(set.Warnings) > 0 {
		t.Errorf("warnings: %q", set.Warnings)
	}
	s := sourcetest.Profile(set)
	// The manifest's folded stacks have the command as outermost frame.
	if s.Contexts != 950 || s.MaxDepth != 34 {
		t.Errorf("got %d contexts, depth %d", s.Contexts, s.MaxDepth)
	}
	// Samples: the manifest. Shares of cpu-clock: perf report, with and without --children.
	want := map[string]int64{"sqlite3VdbeExec": 1619, "sqlite3BtreeTableMoveto": 562, "sqlite3BtreeIndexMoveto": 324}
	for method, n := range want {
		if s.Self[0][method] != n {
			t.Errorf("%s has %d samples, want %d", method, s.Self[0][method], n)
		}
	}
	if s.Totals[0] != 5994 || s.Totals[1] != 3001501494 || s.Total[0]["main"] != 5833 {
		t.Errorf("totals are %d, of main %d", s.Totals, s.Total[0]["main"])
	}
	checkShares(t, s.Self[1], s.Totals[1], "/sqlite.perf_report.truth.txt", 1)
	checkShares(t, s.Total[1], s.Totals[1], "/sqlite.perf_children.truth.txt", 2)
}

// checkShares compares shares of the total with a table of perf report, whose
// first column has them and whose last the symbols.
func checkShares(t *testing.T, got map[string]int64, total int64, name string, columns int) {
	t.Helper()
	raw, err := os.ReadFile("testdata/truth" + name)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) < columns+3 || !strings.HasSuffix(fields[0], "%") {
			continue
		}
		rows++
		symbol := fields[len(fields)-1]
		if strings.Trim(symbol, "0") == "" {
			continue // of no symbol
		}
		if share := fmt.Sprintf("%.2f%%", 100*float64(got[symbol])/float64(total)); share != fields[0] {
			t.Errorf("%s has %s, but perf report says %s", symbol, share, fields[0])
		}
	}
	if rows < 10 {
		t.Errorf("%s has %d rows", name, rows)
	}
}

// TestFieldOrders reads one recording as perf script prints it with other
// fields: what is there must be the same.
func TestFieldOrders(t *testing.T) {
	all := fields(t, file(t, "all-fields.txt.gz"))
	def := fields(t, file(t, "inlined.txt.gz"))
	for name, want := range all.labels {
		if name != "Process" && name != "CPU" && !maps.Equal(def.labels[name], want) {
			t.Errorf("%s: %v, want %v", name, def.labels[name], want)
		}
	}
	if !slices.Equal(all.stats.Totals, def.stats.Totals) || !maps.Equal(all.stats.Stacks[1], def.stats.Stacks[1]) {
		t.Errorf("totals are %d, want %d", def.stats.Totals, all.stats.Totals)
	}
	raw := string(file(t, "inlined.txt.gz"))
	for name, edit := range map[string]struct {
		change func(string) string
		lost   string
	}{
		"no command":     {replaceHeads(`^\S+ (.*)`, "${1}"), "Command Thread"},
		"no thread":      {replaceHeads(`^(\S+) \d+ (\[.*)`, "${1} ${2}"), "Thread"},
		"process thread": {replaceHeads(`^(\S+) (\d+) (.*)`, "${1} ${2}/${2} ${3}"), ""},
		"no processor":   {replaceHeads(`\[\d+\] `, ""), "CPU"},
		"no time":        {replaceHeads(`\d+\.\d+: `, ""), "Time"},
		"misc":           {replaceHeads(`\] `, "] UH   "), ""},
		"long name":      {replaceHeads(`^\S+`, "Web 7 [1] Worker"), "Command Thread"},
		"only time":      {replaceHeads(`^\S+ \d+ \[\d+\] (\d+\.\d+:).*`, "${1} "), "Command Thread CPU Event metric"},
		"only event":     {replaceHeads(`^.* (\S+: )$`, "${1}"), "Command Thread CPU Time metric"},
		"only stacks":    {replaceHeads(`.*`, ""), "Command Thread CPU Time Event metric"},
		"only command":   {replaceHeads(`^(\S+) .*`, "${1} "), "Thread CPU Time Event metric"},
		"only processor": {replaceHeads(`^\S+ \d+ (\[\d+\]).*`, "${1} "), "Command Thread Time Event metric"},
		"no period":      {replaceHeads(`: +\d+ +`, ": "), "metric"},
		"spaces":         {func(s string) string { return strings.ReplaceAll(s, "\t", "        ") }, ""},
		"carriage":       {func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, ""},
		"no offsets":     {func(s string) string { return offset.ReplaceAllString(s, "$1") }, ""},
	} {
		text := edit.change(raw)
		if text == raw {
			t.Errorf("%s: the edit changes nothing", name)
		}
		got := fields(t, []byte(text))
		if got.stats.Totals[0] != def.stats.Totals[0] || !maps.Equal(got.stats.Stacks[0], def.stats.Stacks[0]) {
			t.Errorf("%s: %d samples of %d, in %d stacks", name, got.stats.Totals[0], def.stats.Totals[0], len(got.stats.Stacks[0]))
		}
		if !strings.Contains(edit.lost, "metric") && !slices.Equal(got.stats.Totals, def.stats.Totals) {
			t.Errorf("%s: the metrics are %d", name, got.stats.Totals)
		}
		for label, want := range def.labels {
			if lost := strings.Contains(edit.lost, label); lost == maps.Equal(got.labels[label], want) {
				t.Errorf("%s: label %s is %v", name, label, got.labels[label])
			}
		}
	}
}

var offset = regexp.MustCompile(`(?m)\+0x[0-9a-f]+( \([^)]+\))$`)

// replaceHeads edits the headers of samples.
func replaceHeads(pattern, with string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(s string) string {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			if line != "" && line[0] != '\t' {
				lines[i] = re.ReplaceAllString(line, with)
			}
		}
		return strings.Join(lines, "\n")
	}
}

type summary struct {
	stats  *sourcetest.Stats
	labels map[string]map[string]int // label -> value -> samples
}

func fields(t *testing.T, raw []byte) summary {
	t.Helper()
	set := sourcetest.Read(t, raw)
	s := summary{sourcetest.Profile(set), map[string]map[string]int{}}
	samples := set.Event(source.TypeSample)
	for i, f := range samples.Fields {
		if f.Has(data.Amount) || f.Name == source.TypeContext {
			continue
		}
		values := map[string]int{}
		for _, v := range samples.Columns[i].Values {
			values[fmt.Sprint(v)]++
		}
		for _, id := range samples.Columns[i].Refs {
			values[set.Entity(f.Refers).NameOf(id)]++
		}
		s.labels[f.Name] = values
	}
	return s
}

func TestQuirks(t *testing.T) {
	s := fields(t, file(t, "quirks.txt"))
	for _, stack := range []string{"[unknown];[libx.so];std::function<void ()>::operator()() const;do_syscall_64",
		"_start;main", "operator new(unsigned long)"} {
		if s.stats.Stacks[0][stack] != 1 {
			t.Errorf("no sample of %s in %v", stack, s.stats.Stacks[0])
		}
	}
	if s.labels["Command"]["a 1 2"] != 1 || s.labels["Thread"]["Web Content 345"] != 2 || s.labels["Thread"][":-1 -1"] != 1 {
		t.Errorf("labels are %v", s.labels)
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "sqlite.perfscript.txt.gz")[:20000])
	sourcetest.Hostile(t, file(t, "quirks.txt"))
}

// A stack that is cut off would be another stack.
func TestCutStack(t *testing.T) {
	raw := file(t, "inlined.txt.gz")
	packed := sourcetest.Gzip(raw)
	set := sourcetest.Read(t, packed[:len(packed)*9/10])
	whole := sourcetest.Profile(sourcetest.Read(t, raw)).Stacks[0]
	for stack := range sourcetest.Profile(set).Stacks[0] {
		if whole[stack] == 0 {
			t.Errorf("the stack %s is not in the whole file", stack)
		}
	}
	if len(set.Warnings) != 2 {
		t.Errorf("warnings are %q", set.Warnings)
	}
}

func TestMillionDeep(t *testing.T) {
	set := sourcetest.Read(t, []byte("a 1 2.3: 7 cycles: \n"+strings.Repeat("\t 12345 f+0x1 (a)\n", 1_000_000)))
	if s := sourcetest.Profile(set); s.MaxDepth != 1_000_000 || s.Totals[1] != 7 {
		t.Errorf("depth %d, totals %d", s.MaxDepth, s.Totals)
	}
}

func TestManyEvents(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "a 1 2.3: 7 event%d: \n\t 12345 f+0x1 (a)\n\n", i)
	}
	set := sourcetest.Read(t, []byte(text.String()))
	if s := sourcetest.Profile(set); len(s.Metrics) != 33 || s.Totals[0] != 100 || len(set.Warnings) != 1 {
		t.Errorf("%d metrics, %d samples, warnings %q", len(s.Metrics), s.Totals[0], set.Warnings)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"a 1 2.3: 7 cycles: \n\t 12345 f+0x1 (a)\n":                      true,
		"# c\n\na b 1/2 [000] 2.3: cycles: \n\n":                         true,
		"            a  1 2.3: 7 cycles:      12345 f+0x1 (a)\n":         true,
		"\n\t           12345 f (a)\n\t           12346 g (a)\n":         true,
		"a \n\t           12345 f (a)\n":                                 true,
		"  <idle>-0     [001] d..2  1234.5: sched_switch: prev_comm=a\n": false,
		"main;a 1\n":                           false,
		"12:30:01 took 5: ok\n\tdead beef\n":   false,
		"Hello, world:\n\tadd (b)\n":           false,
		"TRACE 1:\n\ta.b(C.java:12)\n":         false,
		"{\"a\": 1,\n\t12 (3)\n}":              false,
		"I: 1 2 3\nM: a 3\n":                   false,
		"a 1 2.3: 7 cycles: \n\tnot a frame\n": false,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.txt"))
	f.Add(file(f, "all-fields.txt.gz")[:6000])
	f.Add(file(f, "no-chains.txt.gz")[:9000])
	f.Add(file(f, "tracepoint.txt")[:3000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "perfscript", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := bytes.Repeat(file(b, "sqlite.perfscript.txt.gz"), 10)
	sourcetest.Benchmark(b, raw, len(raw))
}

// TestStacks compares all stacks with those that another program folded.
func TestStacks(t *testing.T) {
	raw, err := os.ReadFile("../folded/testdata/sqlite.folded")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{}
	for line := range strings.Lines(string(raw)) {
		_, line, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "[[unknown]]", "[unknown]"), ";")
		blank := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(line[blank+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[line[:blank]] += n
	}
	if got := sourcetest.Profile(sourcetest.Read(t, file(t, "sqlite.perfscript.txt.gz"))).Stacks[0]; !maps.Equal(got, want) {
		t.Errorf("%d stacks, want %d", len(got), len(want))
	}
}
