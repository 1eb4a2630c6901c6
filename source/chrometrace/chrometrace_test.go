package chrometrace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"

	"github.com/klauspost/compress/gzip"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unpack(t testing.TB, raw []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func TestHostile(t *testing.T) {
	for _, name := range []string{"complete-and-begun.json", "disorder.json", "uftrace-ends-early.json", "older-profiles.json"} {
		sourcetest.Hostile(t, file(t, name))
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"complete-and-begun.json", "disorder.json", "ends.json", "uftrace-ends-early.json", "older-profiles.json"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "chrometrace", raw) })
}

// TestTruth compares recorded traces with what another program counted.
func TestTruth(t *testing.T) {
	type truth = map[string]int64
	calls := func(span int64, n, contexts, depth, methods int, calls, self, total truth) sourcetest.Truth {
		return sourcetest.Truth{
			Totals: map[string]int64{"Self": span, "calls": int64(n)}, Contexts: contexts, MaxDepth: depth, Methods: methods,
			TopSelf: map[string]map[string]int64{"Self": self, "calls": calls}, TopTotal: map[string]map[string]int64{"Self": total},
		}
	}
	for name, want := range map[string]sourcetest.Truth{
		"calltrace/lua_run1.chrome.json.gz": calls(7828961, 54977, 8817, 199, 584,
			truth{"index2value": 7137, "l_alloc": 1601, "lua_geti": 1433},
			truth{"luaH_newkey": 351072, "lua_geti": 312969, "internshrstr": 309609},
			truth{"main": 7828961, "luaD_rawrunprotected": 7815561, "lua_pcallk": 7741358}),
		"calltrace/lua_run2.chrome.json.gz": calls(7080942, 54399, 8797, 199, 584,
			truth{"index2value": 6995, "l_alloc": 1601, "lua_geti": 1397},
			truth{"lua_compare": 381707, "lua_pushvalue": 293430, "internshrstr": 286890},
			truth{"main": 7080942, "luaD_rawrunprotected": 7070630, "lua_pcallk": 7001156}),
		"calltrace/lua_changed.chrome.json.gz": calls(14713693, 72099, 8629, 199, 580,
			truth{"index2value": 13429, "lua_geti": 4006, "lua_seti": 2066},
			truth{"lua_geti": 986549, "index2value": 748223, "heap_sift": 661603},
			truth{"main": 14713693, "luaD_rawrunprotected": 14703863, "lua_pcallk": 14595800}),
		"calltrace/sqlite3_a.chrome.json.gz": calls(13498061, 70863, 14057, 35, 1190,
			truth{"yy_find_shift_action": 2131, "sqlite3DbMallocRawNN": 1720, "sqlite3MemSize": 1500},
			truth{"sqlite3VdbeExec": 788609, "mallocWithAlarm": 595749, "sqlite3Parser": 591949},
			truth{"main": 13498061, "process_input": 12940295, "runOneSqlLine": 12795016}),
		"calltrace/sqlite3_b.chrome.json.gz": calls(17331967, 99374, 27350, 46, 1414,
			truth{"yy_find_shift_action": 4073, "sqlite3MemSize": 3063, "sqlite3MallocSize": 2980},
			truth{"mallocWithAlarm": 976901, "sqlite3Parser": 880039, "sqlite3MallocSize": 662409},
			truth{"main": 17331967, "process_input": 16811638, "runOneSqlLine": 16689161}),
	} {
		t.Run(name, func(t *testing.T) {
			set := sourcetest.Read(t, sourcetest.Recorded(t, name))
			sourcetest.CheckTruth(t, set, want)
			if len(set.Warnings) > 0 {
				t.Errorf("warnings: %q", set.Warnings)
			}
		})
	}
	t.Run("nodetrace, begun calls only", func(t *testing.T) {
		text := regexp.MustCompile(`"ph":"X"`).ReplaceAll(unpack(t, file(t, "nodetrace.json.gz")), []byte(`"ph":"?"`))
		set := sourcetest.Read(t, text)
		want := calls(0, 143, 8, 1, 8, truth{"fs.sync.lstat": 48, "fs.sync.close": 25, "fs.sync.open": 25},
			truth{"MinorGC": 300962000, "fs.sync.lstat": 42571000, "MajorGC": 24205000}, truth{"MinorGC": 300962000, "fs.sync.lstat": 42571000, "MajorGC": 24205000})
		want.Totals["Self"] = sourcetest.Profile(set).Totals[0] // calls do not cover the span
		sourcetest.CheckTruth(t, set, want)
	})
	t.Run("chromium, open calls", func(t *testing.T) {
		text := unpack(t, sourcetest.Recorded(t, "chrometrace/chromium_manual.json.gz"))
		set := sourcetest.Read(t, regexp.MustCompile(`"ph":"X"`).ReplaceAll(text, []byte(`"ph":"?"`)))
		if n := set.Event(source.TypeCall).Rows(); n != 22 || len(set.Warnings) != 1 || !strings.HasPrefix(set.Warnings[0], "22 calls have no end") {
			t.Errorf("%d calls, warnings %q", n, set.Warnings)
		}
	})
}

// TestProfile compares a profile within a trace with what a script of its own
// makes of the recorded file: a part of it is in testdata.
func TestProfile(t *testing.T) {
	check := func(raw []byte, calls int) {
		t.Helper()
		set := sourcetest.Read(t, raw)
		if n := set.Event(source.TypeCall).Rows(); n != calls {
			t.Errorf("%d calls, want %d", n, calls)
		}
		s := sourcetest.Events(set, source.TypeSample)
		if s.Totals[0] != 2453236000 || s.Totals[1] != 4600 {
			t.Errorf("totals %v", s.Totals)
		}
		for kind, want := range map[string]map[string]int64{
			"self":  {"(idle)": 2234664000, "(program)": 156436000, "(anonymous)": 31439000, "sendCommand": 12261000, "(garbage collector)": 1349000},
			"total": {"(idle)": 2234664000, "executeCommands": 18788000, "eventName": 15165000, "create": 14991000, "window.cdp.onmessage": 7430000},
		} {
			for name, v := range want {
				got := s.Self[0][name]
				if kind == "total" {
					got = s.Total[0][name]
				}
				if got != v {
					t.Errorf("%s of %s is %d, want %d", kind, name, got, v)
				}
			}
		}
		// Each renderer has one profile, of its main thread.
		samples := set.Event(source.TypeSample)
		thread, _ := samples.Column(source.TypeThread)
		took, _ := samples.Column("time")
		at, _ := samples.Column("Time")
		by := map[string]int64{}
		for row, id := range thread.Refs {
			by[set.Entity(source.TypeThread).NameOf(id)] += took.Values[row]
		}
		if by["CrRendererMain"] != 2378262000+74974000 {
			t.Errorf("time by thread: %v", by)
		}
		if first, last := at.Values[0], at.Values[len(at.Values)-1]; first != 4057703834000 || last != 4060082096000 {
			t.Errorf("samples from %d to %d", first, last)
		}
	}
	check(file(t, "chromium-profile.json.gz"), 2722)
	check(sourcetest.Recorded(t, "chrometrace/chromium_manual.json.gz"), 34991)
}

// TestWindow reads events of which each is longer than what is read at a time,
// and one that is longer than what is allowed.
func TestWindow(t *testing.T) {
	long := func(n int) string {
		return `[{"ph":"X","ts":1,"dur":2,"name":"f","args":{"a":"` + strings.Repeat(`\"]}`, n/4) + `"}},` + "\n" +
			`{"ph":"X","ts":3,"dur":2,"name":"g"}]`
	}
	set := sourcetest.Read(t, []byte(long(3<<20)))
	if n := set.Event(source.TypeCall).Rows(); n != 2 || len(set.Warnings) > 0 {
		t.Errorf("%d calls, warnings %q", n, set.Warnings)
	}
	_, err := sourcetest.TryRead([]byte(long(70 << 20)))
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("the error is %v", err)
	}
	skipped := `{"metadata":"` + strings.Repeat(`\"}]`, 20<<20) + `", "traceEvents":[{"ph":"X","ts":1,"dur":2,"name":"f"}]}`
	b := data.NewBuilder("test", "chrometrace")
	in, err := source.NewInput(context.Background(), "test", strings.NewReader(skipped), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := read(context.Background(), in, b); err != nil {
		t.Errorf("what is not looked at may be of any size: %v", err)
	}
}

func TestBroken(t *testing.T) {
	for text, want := range map[string]string{
		`[{"ph":"B","ts":1 "name":"f"}]`:        `byte 18: expected a comma or the end of the object, but found "\"name`,
		`{"traceEvents":[{"ph":"B","ts":`:       "the file ends before the first event",
		`{"traceEvents":[{"ph":"B","ts":1}]`:    "",
		`{"traceEvents":[{"ph":"B","ts":1},;]}`: "",
	} {
		set, err := sourcetest.TryRead([]byte(text))
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: the error is %v", text, err)
		case want == "" && (err != nil || len(set.Warnings) == 0):
			t.Errorf("%s: %v, without a warning", text, err)
		}
	}
}

// many repeats a recorded trace, in the words of uftrace, with times that rise.
func many(t testing.TB, size int) []byte {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("{\"traceEvents\":[\n")
	now := int64(2392547089727)
	event := func(kind, name string) {
		now += 137
		fmt.Fprintf(&text, "{\"ts\":%d.%03d,\"ph\":%q,\"pid\":5915,\"name\":%q},\n", now/1000, now%1000, kind, name)
	}
	events := regexp.MustCompile(`"ph":"([BE])".*"name":"(.*)"`).FindAllStringSubmatch(string(file(t, "uftrace-ends-early.json")), -1)
	for text.Len() < size {
		var open []string
		for _, e := range events {
			if event(e[1], e[2]); e[1] == "B" {
				open = append(open, e[2])
			} else {
				open = open[:len(open)-1]
			}
		}
		for i := len(open) - 1; i >= 0; i-- {
			event("E", open[i])
		}
	}
	return append(bytes.TrimSuffix(text.Bytes(), []byte(",\n")), "]}\n"...)
}

func BenchmarkRead(b *testing.B) {
	text := many(b, 64<<20)
	sourcetest.Benchmark(b, text, len(text))
}
