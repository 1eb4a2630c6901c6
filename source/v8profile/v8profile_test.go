package v8profile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
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

// TestTruth: numbers of samples are the manifest's; times were computed by a
// program in Python.
func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "tsc.cpuprofile.gz"))
	if len(set.Warnings) > 0 {
		t.Errorf("warnings: %q", set.Warnings)
	}
	s := sourcetest.Profile(set)
	if s.Contexts != 7994-1 || s.MaxDepth != 140-1 { // without (root)
		t.Errorf("%d contexts, depth %d", s.Contexts, s.MaxDepth)
	}
	const duration, beforeFirst = 3850918000, 3253121383000 - 3253116661000
	if s.Totals[0] != duration-beforeFirst || s.Totals[1] != 2703 {
		t.Errorf("totals are %d", s.Totals)
	}
	for method, want := range map[string][2]int64{"wrapSafe": {211606000, 182}, "(garbage collector)": {250724000, 152}, "(anonymous)": {115096000, 79}} {
		if got := [2]int64{s.Self[0][method], s.Self[1][method]}; got != want {
			t.Errorf("%s has %d, want %d", method, got, want)
		}
	}
	for method, want := range map[string][2]int64{"executeUserEntryPoint": {3583520000, 2546}, "Module._load": {3582362000, s.Total[1]["Module._load"]}} {
		if got := [2]int64{s.Total[0][method], s.Total[1][method]}; got != want {
			t.Errorf("%s has %d in all, want %d", method, got, want)
		}
	}
	times, _ := set.Event(source.TypeSample).Column("Time")
	if !slices.IsSorted(times.Values) || times.Values[0] != 3253121383000 {
		t.Errorf("the first time is %d", times.Values[0])
	}

	heap := sourcetest.Read(t, file(t, "tsc.heapprofile.gz"))
	sourcetest.CheckTruth(t, heap, sourcetest.Truth{
		Totals: map[string]int64{"size": 60109896}, Contexts: 907 - 1, MaxDepth: 129 - 1,
		TopSelf: map[string]map[string]int64{"size": {"readFileSync": 6213112, "slice": 4405016, "wrapSafe": 2232288}},
	})
	if len(heap.Warnings) > 0 {
		t.Errorf("warnings: %q", heap.Warnings)
	}
}

// TestOrder: members may come in any order.
func TestOrder(t *testing.T) {
	members := []string{
		`"nodes":[{"id":7,"hitCount":0,"children":[9],"callFrame":{"functionName":"f","url":"a.js","lineNumber":1,"columnNumber":0}},{"id":9,"callFrame":{"functionName":"g","url":"a.js","lineNumber":2,"columnNumber":0}}]`,
		`"samples" : [9, 9 ,7, 9]`, `"timeDeltas":[1 ,2, 3.0, 4e0]`, `"startTime":100`, `"endTime":200`,
	}
	want := ""
	for range members {
		got := strings.Join(strings.Split(sourcetest.Summary(sourcetest.Read(t, []byte("{"+strings.Join(members, ",")+"}"))), "\n"), "\n")
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "95000 f;g") || !strings.Contains(got, "4000 f\n") {
			t.Errorf("beginning with %.20s it is read as\n%s", members[0], got)
		}
		members = append(members[1:], members[0])
	}
}

// Lists of numbers are cut by the window anywhere.
func TestLongLists(t *testing.T) {
	for _, separator := range []string{",", ", ", " ,\n "} {
		var samples, deltas strings.Builder
		const n = 300_000
		for i := range n {
			if i > 0 {
				samples.WriteString(separator)
				deltas.WriteString(separator)
			}
			fmt.Fprint(&samples, 1+i%2)
			fmt.Fprint(&deltas, i%1000)
		}
		text := fmt.Sprintf(`{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},{"id":2,"callFrame":{"functionName":"g"}}],"startTime":0,"endTime":%d,"samples":[%s],"timeDeltas":[%s]}`,
			n/1000*499500, samples.String(), deltas.String())
		s := sourcetest.Profile(sourcetest.Read(t, []byte(text)))
		if s.Totals[1] != n || s.Totals[0] != n/1000*499500*1000 || s.Self[1]["g"] != n/2 {
			t.Errorf("%q: totals are %d", separator, s.Totals)
		}
	}
}

func TestMillionDeep(t *testing.T) {
	const n = 1_000_000
	text := `{"head":` + strings.Repeat(`{"callFrame":{"functionName":"f"},"selfSize":0,"children":[`, n-1) + `{"selfSize":3}` + strings.Repeat("]}", n-1) + "}"
	if s := sourcetest.Profile(sourcetest.Read(t, []byte(text))); s.MaxDepth != n || s.Totals[0] != 3 {
		t.Errorf("depth %d, total %d", s.MaxDepth, s.Totals[0])
	}
	// Cut anywhere within, what was read stays.
	set := sourcetest.Read(t, []byte(text[:len(text)/3]))
	if s := sourcetest.Profile(set); s.MaxDepth < n/4 || len(set.Warnings) != 1 {
		t.Errorf("cut: depth %d, warnings %q", s.MaxDepth, set.Warnings)
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "tree.cpuprofile"))
	sourcetest.Hostile(t, file(t, "hits-only.cpuprofile"))
	sourcetest.Hostile(t, append(file(t, "tsc.heapprofile.gz")[:20000], "}}"...))
	cpu := file(t, "tsc.cpuprofile.gz")
	at := bytes.Index(cpu, []byte(`],"startTime"`))
	sourcetest.Hostile(t, append(cpu[:9000:9000], cpu[at-3000:at+5000]...))
}

func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"nodes":[{"id":1,"callFrame":{}}],"startTime":"x"}`:              "neither samples nor hit counts",
		`{"nodes":[],"samples":[],"callFrame":1}`:                          "no known format",
		`{"nodes":["callFrame"]}`:                                          "expected a node",
		`{"nodes":[{"callFrame":{},"hitCount":1}],"samples":[1,x]}`:        "",
		`{"nodes":[{"id":1,"callFrame":{},"hitCount":1}],"samples":[1,1]}`: "",
	} {
		set, err := sourcetest.TryRead([]byte(text))
		if err == nil && want == "" && len(set.Warnings) == 0 {
			t.Errorf("%s: read without a warning", text)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) && want != "no known format") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		`{"nodes":[{"id":1,"callFrame":`:                           true,
		"\n{ \"startTime\": 1, \"nodes\": [ {\"callFrame\":":       true,
		`{"head":{"callFrame":{`:                                   true,
		`{"head":{"functionName":"(root)","hitCount":0`:            true,
		`{"id":1,"result":{"profile":{"nodes":[{"callFrame"`:       true,
		`{"nodes":[{"id":1,"name":"x"}]}`:                          false,
		`{"traceEvents":[{"args":{"data":{"cpuProfile":{"nodes":[`: false,
		`{"meta":{"version":1},"nodes":[{"callFrame"`:              false,
		`[{"callFrame"`: false,
		`{"profile":7}`: false,
		`{"profile":`:   false,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !sniff([]byte(`{"startTime":1,"endTime":2,"samples":[` + strings.Repeat("1,", source.SniffBytes)[:source.SniffBytes-50])) {
		t.Error("samples longer than the head are not recognised")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "tree.cpuprofile"))
	f.Add(file(f, "hits-only.cpuprofile"))
	f.Add(file(f, "tsc.cpuprofile.gz")[:3000])
	f.Add(file(f, "tsc.heapprofile.gz")[:3000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "v8profile", raw) })
}

// BenchmarkRead reads a profile with thirty times the samples and nodes.
func BenchmarkRead(b *testing.B) {
	one := string(file(b, "tsc.cpuprofile.gz"))
	nodes := one[len(`{"nodes":[`):strings.Index(one, `],"startTime"`)]
	list := func(name string) string {
		from := strings.Index(one, `"`+name+`":[`) + len(name) + 4
		return one[from : from+strings.IndexByte(one[from:], ']')]
	}
	times := func(text string) string { return strings.TrimSuffix(strings.Repeat(text+",", 30), ",") }
	raw := []byte(`{"nodes":[` + times(nodes) + `],"startTime":0,"samples":[` + times(list("samples")) + `],"timeDeltas":[` + times(list("timeDeltas")) + `]}`)
	sourcetest.Benchmark(b, raw, len(raw))
}
