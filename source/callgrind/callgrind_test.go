package callgrind

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

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

// TestAnnotate compares what each function costs itself with callgrind_annotate.
func TestAnnotate(t *testing.T) {
	for name, total := range map[string]int64{"callgrind.lua.out": 1945490, "callgrind.lua_uncompressed.out.gz": 1118792, "jumps.out.gz": 567184 /* its totals; its summary is 2 more */} {
		set := sourcetest.Read(t, file(t, name))
		if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "made up") {
			t.Errorf("%s: warnings are %q", name, set.Warnings)
		}
		s := sourcetest.Profile(set)
		if s.Totals[0] != total {
			t.Errorf("%s: the total is %d, want %d", name, s.Totals[0], total)
		}
		want := annotated(t, strings.NewReplacer(".out", "", ".gz", "").Replace(name)+".all.truth.txt")
		for method, n := range want {
			if s.Self[0][method] != n {
				t.Errorf("%s: %s costs %d, but callgrind_annotate says %d", name, method, s.Self[0][method], n)
			}
		}
		if len(want) < 380 {
			t.Errorf("%s: only %d functions are compared", name, len(want))
		}
	}
}

// TestInclusive compares inclusive costs, which depend on how they are shared
// out, with callgrind_annotate: of methods that are no recursion of themselves
// within a hundredth of the program, and within a fifteenth of what all sorting
// costs in Lua, whose functions call each other in circles.
func TestInclusive(t *testing.T) {
	set := sourcetest.Read(t, file(t, "callgrind.lua.out"))
	got := sourcetest.Profile(set).Total[0]
	compared := 0
	for method, want := range annotated(t, "callgrind.lua.inclusive.truth.txt") {
		if strings.Contains(method, "below main") {
			continue
		}
		compared++
		limit := 1945490 / 100.0
		if strings.Contains(method, "sort") || strings.Contains(method, "lua_callk") {
			limit = 1945490 / 15.0
		}
		if off := math.Abs(float64(got[method] - want)); off > limit {
			t.Errorf("%s costs %d in all, but callgrind_annotate says %d", method, got[method], want)
		}
	}
	if compared < 25 {
		t.Errorf("only %d functions are compared", compared)
	}
}

// annotated reads the table of callgrind_annotate by name: it lists code that is
// inlined under the file that has it, without the binary. Levels of recursion are
// added up, unless costs are inclusive: then the first is all.
func annotated(t *testing.T, name string) map[string]int64 {
	t.Helper()
	costs := map[string]int64{}
	inclusive := strings.Contains(name, "inclusive")
	for line := range strings.Lines(string(file(t, "truth/"+name))) {
		text, rest, ok := strings.Cut(line, "%)  ")
		if !ok || !strings.Contains(rest, ":") {
			continue
		}
		var n int64
		if _, err := fmt.Sscan(strings.ReplaceAll(strings.Fields(text)[0], ",", ""), &n); err != nil {
			t.Fatal(err)
		}
		method := strings.TrimSpace(rest[strings.Index(rest, ":")+1:])
		if at := strings.LastIndex(method, " ["); at > 0 {
			method = method[:at]
		}
		base := withoutLevel(method)
		if base == method || !inclusive {
			costs[base] += n
		}
	}
	return costs
}

// TestXdebug compares with a program in Python that builds the tree call by call.
func TestXdebug(t *testing.T) {
	raw := file(t, "cachegrind.out.phpbench.gz")
	set := sourcetest.Read(t, raw)
	if len(set.Warnings) > 0 {
		t.Errorf("warnings: %q", set.Warnings)
	}
	sourcetest.CheckTruth(t, set, sourcetest.Truth{
		Totals:   map[string]int64{"Time": 571280440, "Memory": 11908712, "calls": 255551}, // one block fn= per call: the manifest
		Contexts: 34, MaxDepth: 6, Methods: 21,
		TopSelf: map[string]map[string]int64{
			"Time":   {"{closure:/home/dev/src/work/e/bench.php:9-9}": 175428470, "php::uksort": 153976390, "php::strrev": 96811820, "{main}": 60306320},
			"Memory": {"php::str_split": 6155672, "php::strrev": 2983464},
			"calls":  {"php::strrev": 82364, "{closure:/home/dev/src/work/e/bench.php:9-9}": 41301},
		},
		TopTotal: map[string]map[string]int64{"Time": {"{main}": 571280440, "php::uksort": 429814100, "php::glob": 69830, "walk": 7627830}},
	})
	if unit := set.Event(source.TypeSample).Fields[1].Unit; unit != "nanoseconds" {
		t.Errorf("the unit of time is %q", unit)
	}

	// Were it not written call by call, costs would be the same, and contexts made up.
	shared := sourcetest.Read(t, bytes.Replace(raw, []byte("calls=1 0 0"), []byte("calls=2 0 0"), 1))
	s, want := sourcetest.Profile(shared), sourcetest.Profile(set)
	if len(shared.Warnings) != 1 || !strings.Contains(shared.Warnings[0], "made up") {
		t.Errorf("warnings: %q", shared.Warnings)
	}
	for method, n := range want.Self[0] {
		if s.Self[0][method] != n {
			t.Errorf("%s costs %d, want %d", method, s.Self[0][method], n)
		}
		if off := s.Total[0][method] - want.Total[0][method]; math.Abs(float64(off)) > 571280440/100 {
			t.Errorf("%s costs %d in all, want about %d", method, s.Total[0][method], want.Total[0][method])
		}
	}
}

// A file that is cut has the calls that returned, and no caller of the last.
func TestCutXdebug(t *testing.T) {
	raw := file(t, "cachegrind.out.phpbench.gz")
	at := bytes.LastIndex(raw[:len(raw)/2], []byte("\nfl=")) + 1
	set := sourcetest.Read(t, raw[:at])
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "calls have no caller") {
		t.Errorf("warnings: %q", set.Warnings)
	}
	if n := sourcetest.Profile(set).Totals[2]; n != int64(bytes.Count(raw[:at], []byte("\nfn="))) {
		t.Errorf("%d calls", n)
	}
}

func TestQuirks(t *testing.T) {
	set := sourcetest.Read(t, file(t, "quirks.out"))
	s := sourcetest.Profile(set)
	for stack, want := range map[string][2]int64{
		"main": {31, 10}, "main;work": {400, 400}, "main;recurse": {10, 0}, "main;recurse;recurse": {40, 50},
	} {
		if got := [2]int64{s.Stacks[0][stack], s.Stacks[1][stack]}; got != want {
			t.Errorf("%s costs %d, want %d", stack, got, want)
		}
	}
	for i, want := range []string{"line 39: expected costs", "line 40: the name (77)", "line 41: expected a line fn=", "event Other", "Ir: the functions' costs add up to 481, but the file says 482"} {
		if i >= len(set.Warnings) || !strings.Contains(set.Warnings[i], want) {
			t.Errorf("warning %d should be %s: %q", i, want, set.Warnings)
		}
	}
	methods := set.Entity(source.TypeMethod)
	lines, _ := methods.Column("Line")
	if fmt.Sprint(methods.Names, lines.Values) != "[main work recurse] [3 7 9]" {
		t.Errorf("%v at lines %v", methods.Names, lines.Values)
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "callgrind.lua.out")[:30000])
	sourcetest.Hostile(t, file(t, "cachegrind.out.phpbench.gz")[:30000])
	sourcetest.Hostile(t, file(t, "quirks.out"))
}

// A chain of calls as deep as a file can make it.
func TestDeep(t *testing.T) {
	var text strings.Builder
	text.WriteString("events: Ir\ncmd: x\n")
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&text, "fn=(%d) f%d\n1 1\ncfn=(%d) f%d\ncalls=1 0\n1 %d\n", i, i, i+1, i+1, n-i-1)
	}
	set := sourcetest.Read(t, []byte(text.String()))
	if s := sourcetest.Profile(set); s.MaxDepth != n+1 || s.Totals[0] != n {
		t.Errorf("depth %d, total %d", s.MaxDepth, s.Totals[0])
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"# callgrind format\n":                           true,
		"version: 1\nevents: Ir\nfn=main\n":              true,
		"desc: I1\ncmd: ls\nevents: Ir\nfl=a\nfn=b\n":    true,
		"version: 1\ncreator: x\n":                       false,
		"events: Ir\n":                                   false,
		"fn=main\n1 2\n":                                 false,
		"version: 1\nevents: Ir\nHello\n":                false,
		"TRACE START [2026-01-01]\nevents: 1\nfn=main\n": false,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.out"))
	f.Add(file(f, "callgrind.lua.out")[:5000])
	f.Add(file(f, "jumps.out.gz")[:5000])
	f.Add(file(f, "cachegrind.out.phpbench.gz")[:3000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "callgrind", raw) })
}

func BenchmarkRead(b *testing.B) {
	xdebug := file(b, "cachegrind.out.phpbench.gz")
	lua := file(b, "callgrind.lua.out")
	body := lua[bytes.Index(lua, []byte("\nob=")):]
	for name, raw := range map[string][]byte{
		"xdebug": xdebug, "callgrind": append(bytes.Clone(lua), bytes.Repeat(body, 150)...),
	} {
		b.Run(name, func(b *testing.B) {
			sourcetest.Benchmark(b, raw, len(raw))
		})
	}
}
