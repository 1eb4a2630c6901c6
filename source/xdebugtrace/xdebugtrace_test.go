package xdebugtrace

import (
	"bytes"
	"io"
	"os"
	"slices"
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
	return raw
}

func TestHostile(t *testing.T) {
	for _, name := range []string{"small-returns.xt", "people-returns.xt", "damaged.xt"} {
		sourcetest.Hostile(t, file(t, name))
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"small.xt", "people.xt", "damaged.xt"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "xdebugtrace", raw) })
}

// TestTruth compares a recorded trace with what a script made of it.
func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, sourcetest.Recorded(t, "xdebug/trace.phpbench.xt.gz"))
	const closure = "{closure:/home/dev/src/work/e/bench.php:9-9}"
	sourcetest.CheckTruth(t, set, sourcetest.Truth{
		Totals: map[string]int64{"Self": 94530000, "Memory": 218664, "calls": 18864}, Methods: 22, Contexts: 35, MaxDepth: 6,
		TopSelf: map[string]map[string]int64{
			"Self":   {closure: 22677000, "add": 18440000, "strrev": 15943000, "strcmp": 9292000},
			"Memory": {"strrev": 422168, "str_split": 412152, "strcmp": 198400, "substr": 137360},
			"calls":  {"strrev": 6200, closure: 3101, "strcmp": 3100, "tokens": 1189, "add": 1185},
		},
		TopTotal: map[string]map[string]int64{"Self": {"{main}": 94530000}},
	})
	if len(set.Warnings) > 0 {
		t.Errorf("warnings: %q", set.Warnings)
	}
}

// The format for people has the same calls as the computerized one, in the same
// order and as deep.
func TestSameCalls(t *testing.T) {
	calls := func(name string) (all []string) {
		set := sourcetest.Read(t, file(t, name))
		contexts := set.Entity(source.TypeContext)
		callers, _ := contexts.Column("Caller")
		methods, _ := contexts.Column("Method")
		at, _ := set.Event(source.TypeCall).Column(source.TypeContext)
		for _, c := range at.Refs {
			text := ""
			for ; c != data.None; c = callers.Refs[c] {
				text = set.Entity(source.TypeMethod).NameOf(methods.Refs[c]) + "/" + text
			}
			all = append(all, text)
		}
		return all
	}
	want := calls("small.xt")
	for _, name := range []string{"small-returns.xt", "people.xt", "people-returns.xt"} {
		if got := calls(name); !slices.Equal(got, want) {
			t.Errorf("%s has %d calls, want %d:\n%q", name, len(got), len(want), got)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	z, err := gzip.NewReader(bytes.NewReader(file(b, "phpbench-ends-early.xt.gz")))
	if err != nil {
		b.Fatal(err)
	}
	one, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	head := bytes.Index(one, []byte("\n1\t")) + 1
	text := append(one[:head:head], bytes.Repeat(one[head:], 64<<20/len(one))...) // all in one trace
	sourcetest.Benchmark(b, text, len(text))
}
