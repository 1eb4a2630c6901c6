package austin

import (
	"maps"
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
	return raw
}

func TestWall(t *testing.T) {
	set := sourcetest.Read(t, file(t, "wall.austin"))
	s := sourcetest.Profile(set)
	want := map[string]int64{"__init__;_read": 14292000, "<module>;:INVALID:": 2012000, "<module>;f;:GC:": 100000}
	if !maps.Equal(s.Stacks[0], want) || s.Totals[0] != 14292000+1887000+2012000+100000 || s.Totals[1] != 5 {
		t.Errorf("got %v, totals %d", s.Stacks[0], s.Totals)
	}
	if len(set.Warnings) != 2 || !strings.Contains(set.Warnings[0], "line 9:") || !strings.Contains(set.Warnings[1], "line 10:") {
		t.Errorf("warnings are %q", set.Warnings)
	}
	if names := set.Entity("Thread").Names; !slices.Equal(names, []string{"8374", "0:8375", "8375"}) {
		t.Errorf("threads are %q", names)
	}
	methods := set.Entity(source.TypeMethod)
	files, _ := methods.Column("File")
	lines, _ := methods.Column("Line")
	for i, name := range methods.Names {
		if name == "_read" && (set.Entity(source.TypeFile).NameOf(files.Refs[i]) != `C:\app\lib.py` || lines.Values[i] != 354) {
			t.Errorf("_read is at line %d of file %d", lines.Values[i], files.Refs[i])
		}
	}
}

func TestModes(t *testing.T) {
	for text, want := range map[string][]int64{
		"# mode: cpu\nP1;T1;a:f:1 7\n":                   {7000, 1},
		"# mode: memory\nP1;T1;a:f:1 7\nP1;T1;a:f:1 -9":  {7, 9, 2},
		string(file(t, "full.austin")):                   {1750000, 1250000, 4096, 1024, 3},
		"# mode: wall\nP1;T1;a:f:1 9223372036854775\n\n": {9223372036854775000, 1},
	} {
		if !strings.HasPrefix(text, "# austin") {
			text = "# austin: 3.1.0\n" + text
		}
		if s := sourcetest.Profile(sourcetest.Read(t, []byte(text))); !slices.Equal(s.Totals, want) {
			t.Errorf("%s: totals are %d, want %d", text, s.Totals, want)
		}
	}
	for text, want := range map[string]string{
		"P1;T1;a:f:1 7\n": "line # mode:",
		"# mode: other\n": "mode wall",
		"# mode: wall\nP1;T1;a:f:1 9223372036854776000": "1 numbers",
		"# mode: wall\n# only comments\n":               "no samples",
		"# mode: full\nP1;T1;a:f:1 7\n":                 "3 numbers",
	} {
		_, err := sourcetest.TryRead([]byte("# austin: 3.1.0\n" + text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "wall.austin"))
	sourcetest.Hostile(t, file(t, "full.austin"))
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "wall.austin"))
	f.Add(file(f, "full.austin"))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "austin", raw) })
}

func BenchmarkRead(b *testing.B) {
	stack := "P8374;T8374"
	for i := range 12 {
		stack += ";/usr/lib/python3.11/site-packages/package/module.py:function_" + string(rune('a'+i)) + ":123"
	}
	raw := []byte("# austin: 3.4.1\n# mode: wall\n" + strings.Repeat(stack+" 1000\n", 50_000))
	sourcetest.Benchmark(b, raw, len(raw))
}
