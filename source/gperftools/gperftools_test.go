package gperftools

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

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

// TestTruth compares every function with google-pprof --text of the same file.
func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "lua.gperf.raw"))
	if len(set.Warnings) > 0 {
		t.Errorf("warnings: %q", set.Warnings)
	}
	s := sourcetest.Profile(set)
	if len(s.Totals) != 1 || s.Totals[0] != 1036 {
		t.Errorf("totals are %d", s.Totals)
	}
	if s := sourcetest.Profile(sourcetest.Read(t, file(t, "lua.gperf"))); s.Totals[0] != 1036 || s.Totals[1] != 1036*1_000_000 {
		t.Errorf("without names, totals are %d", s.Totals)
	}
	rows := 0
	selfs, totals := map[string]int64{}, map[string][]int64{}
	for line := range strings.Lines(string(file(t, "truth/lua.gperf.truth.txt"))) {
		var self, total int64
		var a, b, c string
		var name string
		if n, _ := fmt.Sscan(line, &self, &a, &b, &total, &c, &name); n != 6 {
			continue
		}
		rows++
		selfs[name] += self // pprof lists what is inlined by itself
		totals[name] = append(totals[name], total)
	}
	for name, self := range selfs {
		if s.Self[0][name] != self || s.Total[0][name] != slices.Max(totals[name]) {
			t.Errorf("%s has %d and %d in all, but pprof says %d and %d", name, s.Self[0][name], s.Total[0][name], self, totals[name])
		}
	}
	if rows < 100 {
		t.Errorf("only %d functions are compared", rows)
	}
}

// TestLibrary compares the file without names with what the library of pprof reads.
func TestLibrary(t *testing.T) {
	raw := file(t, "lua.gperf")
	want := map[string]int64{}
	p, err := pprof.ParseData(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range p.Sample {
		var names []string
		for i := len(sample.Location) - 1; i >= 0; i-- {
			l := sample.Location[i]
			name := fmt.Sprintf("0x%x", l.Address)
			if m := l.Mapping; m != nil {
				name = fmt.Sprintf("%s+0x%x", m.File[strings.LastIndexByte(m.File, '/')+1:], l.Address-m.Start+m.Offset)
			}
			names = append(names, name)
		}
		want[strings.Join(names, ";")] += sample.Value[0]
	}
	got := sourcetest.Profile(sourcetest.Read(t, raw)).Stacks[0]
	if len(got) != len(want) {
		t.Errorf("%d stacks, but the library has %d", len(got), len(want))
	}
	for stack, n := range want {
		if got[stack] != n {
			t.Errorf("%s was seen %d times, want %d", stack, got[stack], n)
		}
	}
}

// written makes a profile.
func written(w words, header int, records ...[]uint64) []byte {
	var b bytes.Buffer
	put := func(v uint64) {
		var word [8]byte
		if w.size == 4 {
			w.order.PutUint32(word[:], uint32(v))
		} else {
			w.order.PutUint64(word[:], v)
		}
		b.Write(word[:w.size])
	}
	put(0)
	put(uint64(header))
	put(0)
	put(500)
	for range header - 2 {
		put(0)
	}
	for _, r := range records {
		put(r[0])
		put(uint64(len(r) - 1))
		for _, v := range r[1:] {
			put(v)
		}
	}
	return b.Bytes()
}

func TestWords(t *testing.T) {
	for _, w := range []words{{8, binary.LittleEndian}, {8, binary.BigEndian}, {4, binary.LittleEndian}, {4, binary.BigEndian}} {
		for _, header := range []int{3, 7} {
			raw := written(w, header, []uint64{3, 0x1010, 0x2011}, []uint64{2, 0x1010, 0x1010, 0x2011}, []uint64{1, 0x9000}, []uint64{0, 0})
			raw = append(raw, "1000-3000 r-xp 00000100 00:00 0  /usr/lib/my lib.so\n5000-6000 rw-p 0 0 0 x\nnonsense\n"...)
			s := sourcetest.Profile(sourcetest.Read(t, raw))
			if s.Stacks[0]["my lib.so+0x1110;my lib.so+0x110"] != 5 || s.Stacks[1]["0x9000"] != 500_000 || s.Totals[0] != 6 {
				t.Errorf("words of %d bytes, header of %d: %v", w.size, header, s.Stacks)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"f":                                    "f",
		"f<0000000000023d30>--g":               "f|g",
		"a--b<0000000000023d30>--c":            "a|b|c",
		"std::vector<int>::push_back":          "std::vector<int>::push_back",
		"A::operator--":                        "A::operator--",
		"A::operator--(int)<0000000000023d30>": "A::operator--(int)",
		"--":                                   "----",
	} {
		if got := strings.Join(splitInlined(name), "|"); got != want {
			t.Errorf("%s is split as %s, want %s", name, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	raw := file(t, "lua.gperf")
	set := sourcetest.Read(t, raw[:10000])
	if s := sourcetest.Profile(set); s.Totals[0] == 0 || s.Totals[0] >= 1036 || len(set.Warnings) != 1 {
		t.Errorf("%d samples, warnings %q", s.Totals[0], set.Warnings)
	}
	for n, want := range map[int]string{45: "ends before the first sample", 8: "no format"} {
		if _, err := sourcetest.TryRead(raw[:n]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	// Lengths are claimed before what they are of.
	huge := written(words{8, binary.LittleEndian}, 3, []uint64{1, 0x10})
	huge = append(huge, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
	if set := sourcetest.Read(t, append(huge, make([]byte, 8)...)); len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "addresses") {
		t.Errorf("warnings: %q", set.Warnings)
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "lua.gperf"))
	sourcetest.Hostile(t, file(t, "lua.gperf.raw"))
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "lua.gperf")[:3000])
	raw := file(f, "lua.gperf.raw")
	at := bytes.Index(raw, []byte(profile))
	f.Add(append(append(raw[:500:500], "\n---\n"...), raw[at:at+3000]...))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "gperftools", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := file(b, "lua.gperf")
	maps := bytes.Index(raw, []byte(" r--p "))
	end := 40 + (bytes.LastIndexByte(raw[:maps], 0)-40)/8*8 // in the words 0 1 0
	stacks := raw[40 : end-16]
	big := append(bytes.Clone(raw[:40]), bytes.Repeat(stacks, 500)...)
	sourcetest.Benchmark(b, big, len(big))
}
