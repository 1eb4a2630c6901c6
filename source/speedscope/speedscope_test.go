package speedscope

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

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
	return raw
}

// TestTruth: the file has no frame for the program, which the text that was
// counted has, and each of its 5994 samples weighs as much.
func TestTruth(t *testing.T) {
	const weight = 500751
	by := func(samples map[string]int64) map[string]map[string]int64 {
		for method := range samples {
			samples[method] *= weight
		}
		return map[string]map[string]int64{"time": samples}
	}
	sourcetest.CheckTruth(t, sourcetest.Read(t, file(t, "sqlite.speedscope.json.gz")), sourcetest.Truth{
		Totals: map[string]int64{"time": 5994 * weight}, Contexts: 951 - 1, MaxDepth: 35 - 1,
		TopSelf:  by(map[string]int64{"sqlite3VdbeExec": 1619, "sqlite3BtreeTableMoveto": 562, "sqlite3BtreeIndexMoveto": 324}),
		TopTotal: by(map[string]int64{"__libc_start_call_main": 5833, "main": 5833}),
	})
}

func TestHostile(t *testing.T) {
	for _, name := range []string{"evented.json", "mixed.json", "cambium.json"} {
		sourcetest.Hostile(t, file(t, name))
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"evented.json", "mixed.json", "cambium.json"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "speedscope", raw) })
}

func TestBroken(t *testing.T) {
	for text, want := range map[string]string{
		`{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled","unit":"none","samples":[[`: "the file ends before the first sample or event",
		`{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":7}`:                                            `expected "["`,
	} {
		if _, err := sourcetest.TryRead([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

// TestDeep: stacks may be a million frames deep.
func TestDeep(t *testing.T) {
	const depth = 1_000_000
	var events strings.Builder
	for i := range depth {
		fmt.Fprintf(&events, `{"type":"O","frame":0,"at":%d},`, i)
	}
	for i := range depth {
		fmt.Fprintf(&events, `{"type":"C","frame":0,"at":%d},`, depth+i)
	}
	text := `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"evented","unit":"microseconds","name":"","events":[` +
		strings.TrimSuffix(events.String(), ",") + `]}]}`
	set := sourcetest.Read(t, []byte(text))
	if n := set.Event(source.TypeCall).Rows(); n != depth || len(set.Warnings) > 0 {
		t.Errorf("%d calls, warnings %q", n, set.Warnings)
	}
}

func BenchmarkRead(b *testing.B) {
	z, err := gzip.NewReader(bytes.NewReader(file(b, "sqlite.speedscope.json.gz")))
	if err != nil {
		b.Fatal(err)
	}
	one, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(one), `"samples": [`)
	samples, weights, _ := strings.Cut(rest, `], "weights": [`)
	weights, _, _ = strings.Cut(weights, "]")
	times := func(list string) string { return strings.TrimSuffix(strings.Repeat(list+",", 100), ",") }
	sampled := []byte(head + `"samples":[` + times(samples) + `],"weights":[` + times(weights) + `]}]}`)
	evented := []byte(`{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"}]},"profiles":[{"type":"evented","unit":"nanoseconds","events":[`)
	for at := 0; len(evented) < 32<<20; at += 37 {
		evented = fmt.Appendf(evented, `{"type":"O","frame":%d,"at":%d},{"type":"O","frame":2,"at":%d},{"type":"C","frame":2,"at":%d},{"type":"C","frame":%[1]d,"at":%d},`, at%2, at, at+5, at+11, at+30)
	}
	evented = append(evented[:len(evented)-1], "]}]}"...)
	b.Run("sampled", func(b *testing.B) { sourcetest.Benchmark(b, sampled, len(sampled)) })
	b.Run("evented", func(b *testing.B) { sourcetest.Benchmark(b, evented, len(evented)) })
}
