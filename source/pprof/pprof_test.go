package pprof

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// msg builds messages by hand: pairs of field number and an int (a number), a
// []byte or a string (a message or text).
func msg(pairs ...any) []byte {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		num := pairs[i].(int)
		switch v := pairs[i+1].(type) {
		case int:
			b = binary.AppendUvarint(append(b, byte(num<<3)), uint64(v))
		case []byte:
			b = append(binary.AppendUvarint(append(b, byte(num<<3|wireBytes)), uint64(len(v))), v...)
		case string:
			b = append(binary.AppendUvarint(append(b, byte(num<<3|wireBytes)), uint64(len(v))), v...)
		}
	}
	return b
}

func packed(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// tail is what makes locations 1 to 3 the functions a, b and c.
var tail = msg(
	4, msg(1, 1, 4, msg(1, 1)), 4, msg(1, 2, 4, msg(1, 2, 2, 20)), 4, msg(1, 3, 4, msg(1, 3)),
	5, msg(1, 1, 2, 3, 5, 10, 4, 6), 5, msg(1, 2, 2, 4), 5, msg(1, 3, 3, 5),
	6, "", 6, "cpu", 6, "ns", 6, "a", 6, "b", 6, "c", 6, "a.go", 6, "key", 6, "value", 6, "bytes",
)

var cpuType = msg(1, msg(1, 1, 2, 2))

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestEncodingsOfSamples(t *testing.T) {
	want := sums{"c\nb\na": {5}}
	for name, sample := range map[string][]byte{
		"packed":         msg(1, packed(1, 2, 3), 2, packed(5)),
		"unpacked":       msg(1, 1, 1, 2, 1, 3, 2, 5),
		"mixed":          msg(1, packed(1), 1, 2, 2, 5, 1, packed(3)),
		"in pieces":      msg(1, packed(1), 1, packed(2, 3), 2, 5),
		"values first":   msg(2, 5, 1, packed(1, 2, 3)),
		"unknown fields": msg(1, packed(1, 2), 9, "new", 10, 3, 1, 3, 2, 5),
	} {
		got := sumsOf(mustRead(t, join(cpuType, msg(2, sample), tail)))
		if len(got) != 1 || !slices.Equal(got["c\nb\na"], want["c\nb\na"]) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestFrames(t *testing.T) {
	set := mustRead(t, join(cpuType, msg(2, msg(1, packed(1, 2, 3), 2, 5), 2, msg(2, 3)), tail))
	methods := set.Entity(source.TypeMethod)
	line, _ := methods.Column("Line")
	file, _ := methods.Column("File")
	for i, name := range methods.Names {
		want := map[string]int64{"a": 10, "b": 20, "c": 0}[name]
		if line.Values[i] != want {
			t.Errorf("%s is at line %d, want %d", name, line.Values[i], want)
		}
		if got := set.Entity(source.TypeFile).NameOf(file.Refs[i]); got != map[string]string{"a": "a.go"}[name] {
			t.Errorf("%s is in file %q", name, got)
		}
	}
	if c := set.Event(source.TypeSample).Columns[0].Refs; c[1] != data.None {
		t.Errorf("the empty stack has context %d", c[1])
	}
}

func TestAddresses(t *testing.T) {
	set := mustRead(t, join(cpuType,
		msg(2, msg(1, 7, 2, 1), 2, msg(1, 8, 2, 2), 2, msg(1, 9, 2, 4)),
		msg(4, msg(1, 7, 2, 1, 3, 0x5234), 4, msg(1, 8, 3, 0x77), 4, msg(1, 9)),
		msg(3, msg(1, 1, 2, 0x5000, 3, 0x6000, 4, 0x1000, 5, 10)), tail, msg(6, "/usr/lib/libfoo.so")))
	compare(t, sumsOf(set), sums{"libfoo.so+0x1234": {1}, "0x77": {2}, "<unknown>": {4}})
	if names := set.Entity(source.TypeBinary).Names; !slices.Equal(names, []string{"libfoo.so"}) {
		t.Errorf("binaries are %q", names)
	}
}

func TestLabels(t *testing.T) {
	set := mustRead(t, join(cpuType, msg(
		2, msg(1, 1, 2, 1),
		2, msg(1, 1, 2, 2, 3, msg(1, 7, 2, 8)),
		2, msg(1, 2, 2, 3, 3, msg(1, 7, 3, 40, 4, 9), 3, msg(1, 9, 3, 50)),
		2, msg(1, 2, 2, 3, 3, msg(1, 7, 3, 60, 4, 2)),
		2, msg(1, 2, 2, 4)), tail))
	samples := set.Event(source.TypeSample)
	var fields []string
	for _, f := range samples.Fields {
		fields = append(fields, f.Name+"/"+string(f.Unit))
	}
	if want := []string{"Context/", "cpu/ns", "key/", "key (2)/bytes", "bytes/bytes", "key (ns)/ns"}; !slices.Equal(fields, want) {
		t.Fatalf("fields are %q, want %q", fields, want)
	}
	if refs := samples.Columns[2].Refs; !slices.Equal(refs, []data.EntityID{data.None, 0, data.None, data.None, data.None}) {
		t.Errorf("text labels are %v", refs)
	}
	for i, want := range [][]int64{{0, 0, 40, 0, 0}, {0, 0, 50, 0, 0}, {0, 0, 0, 60, 0}} {
		if got := samples.Columns[3+i].Values; !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", fields[3+i], got, want)
		}
	}
}

// Broken files: what is said about them.
func TestWarnings(t *testing.T) {
	sample := msg(2, msg(1, packed(1, 2, 3), 2, 5))
	for _, c := range []struct {
		name    string
		content []byte
		samples int
		warning string
	}{
		{"no samples", join(cpuType, tail), 0, "the profile has no samples"},
		{"no values", join(cpuType, sample, msg(2, msg(1, packed(1))), tail), 1, "1 samples have no values and were left out, the first is the one at byte 15"},
		{"wrong number of values", join(cpuType, sample, msg(2, msg(1, packed(1), 2, packed(1, 2))), tail), 1, "the sample at byte 15 has 2 values instead of 1"},
		{"unknown location", join(cpuType, msg(2, msg(1, 99, 2, 5)), tail), 1, "locations are referred to that are not in the file, and shown as unknown: location 99"},
		{"unknown function", join(cpuType, msg(2, msg(1, 4, 2, 5), 4, msg(1, 4, 4, msg(1, 77))), tail), 1, "function 77"},
		{"unknown mapping", join(cpuType, msg(2, msg(1, 4, 2, 5), 4, msg(1, 4, 2, 66)), tail), 1, "mapping 66"},
		{"unknown string", join(cpuType, sample, tail, msg(5, msg(1, 1, 2, 1000))), 1, "string 1000 of 10"},
		{"cut off", join(cpuType, sample, tail[:20]), 1, "ends in the middle of the part that starts at byte 33"},
		{"broken tag", join(cpuType, sample, []byte{0x07, 1}), 1, "byte 15: 0x7 is not the tag of a field"},
		{"broken sample", join(cpuType, sample, msg(2, msg(1, []byte{0x80}, 2, 1)), tail), 1, "1 malformed messages were left out, the first is the sample at byte 15"},
		{"broken drop_frames", join(cpuType, sample, tail, msg(6, "a(", 7, 10)), 1, "drop_frames of the profile is not a regular expression"},
		{"two of a label", join(cpuType, msg(2, msg(1, 1, 2, 1, 3, msg(1, 7, 2, 8), 3, msg(1, 7, 2, 3))), tail), 1, `several values of the label "key"`},
	} {
		set, err := readAll(bytes.NewReader(c.content))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n := set.Event(source.TypeSample).Rows(); n != c.samples {
			t.Errorf("%s: %d samples, want %d", c.name, n, c.samples)
		}
		if !strings.Contains(strings.Join(set.Warnings, "\n"), c.warning) {
			t.Errorf("%s: warnings are %q, want %q", c.name, set.Warnings, c.warning)
		}
	}
}

func TestErrors(t *testing.T) {
	sample := msg(2, msg(1, packed(1, 2, 3), 2, 5))
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"broken at once":   {join(cpuType, []byte{0x07}), "byte 6: 0x7 is not the tag of a field"},
		"cut off at once":  {join(cpuType, sample[:4]), "starts at byte 6"},
		"all without":      {join(cpuType, msg(2, msg(1, 1)), tail), "none of the 1 samples has a value"},
		"all uneven":       {join(cpuType, msg(2, msg(1, 1, 2, packed(1, 2))), tail), "the sample at byte 6 has 2 values instead of 1"},
		"no types":         {join(sample, tail), "samples have 1 values, but there are 0 sample types"},
		"enormous message": {join(cpuType, []byte{0x12, 0xff, 0xff, 0xff, 0xff, 0x7f}), "a sample of 34359738367 bytes is longer"},
		"two profiles":     {join(cpuType, sample, tail, msg(9, 1), cpuType, tail, msg(9, 2)), "two profiles follow each other"},
	} {
		_, err := readAll(bytes.NewReader(c.content))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", name, err, c.want)
		}
	}
}

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := readFrom(ctx, bytes.NewReader(unpack(t, file(t, "types.block.pb.gz"))), data.NewBuilder("", ""))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// A small file must not become a large tree: a location of very many inlined
// functions on very many stacks.
func TestInliningBomb(t *testing.T) {
	location := msg(1, 9)
	for range 20000 {
		location = append(location, msg(4, "")...)
	}
	stack := bytes.Repeat([]byte{9}, 30000)
	_, err := readAll(bytes.NewReader(join(cpuType, msg(2, msg(1, stack, 2, 1), 4, location), tail)))
	if err == nil || !strings.Contains(err.Error(), "contexts") {
		t.Errorf("error is %v", err)
	}
}

func TestSniff(t *testing.T) {
	for _, name := range realFiles {
		plain := unpack(t, file(t, name))
		for _, size := range []int{64, 1000, source.SniffBytes} {
			if !sniff(plain[:min(size, len(plain))]) {
				t.Errorf("%s: the first %d bytes are not recognised", name, size)
			}
		}
	}
	for name, head := range map[string]string{
		"empty":      "",
		"text":       "\nmain;run 12\n",
		"folded":     "main;foo;bar 12\nmain;foo 3\n",
		"json":       `{"nodes":[{"id":1}]}`,
		"json, line": "\n{\n  \"traceEvents\": [\n" + strings.Repeat(" ", 200),
		"csv":        "#methods\nid,class,name,descriptor\n0,a,b,c\n",
		"jfr":        "FLR\x00\x00\x02\x00\x01\x00\x00\x00\x00",
		"digits":     strings.Repeat("8", 500),
		"quotes":     strings.Repeat(`"`, 500),
		"brackets":   `"(` + strings.Repeat("(", 500),
		"stars":      strings.Repeat("*", 500),
		"spaces":     strings.Repeat(" ", 500),
		"newlines":   strings.Repeat("\n", 500),
		"zeros":      strings.Repeat("\x00", 500),
		"elf":        "\x7fELF\x02\x01\x01",
		"perf.data":  "PERFILE2\x68\x00\x00\x00",
		"perfetto":   string(msg(1, msg(8, 1, 58, 2), 1, msg(8, 3))),
		"otlp":       string(msg(1, msg(1, msg(1, "x"), 2, msg(2, "y")))),
	} {
		if sniff([]byte(head)) {
			t.Errorf("%s: is taken for a profile", name)
		}
	}
	// Other recordings on this machine, if there are any.
	if folder := os.Getenv("CAMBIUM_DATA"); folder != "" {
		sniffFolder(t, folder)
	}
}

// Names that are not UTF-8 do not keep a profile from being recognised.
func TestSniffInvalidNames(t *testing.T) {
	content := bytes.Replace(join(cpuType, msg(2, msg(1, packed(1, 2, 3), 2, 5)), tail), msg(6, "a"), msg(6, "\xff"), 1)
	if !sniff(content) {
		t.Error("is not recognised")
	}
	compare(t, sumsOf(mustRead(t, content)), sums{"c\nb\n\uFFFD": {5}})

	// Two that look alike are two methods.
	content = bytes.Replace(content, msg(6, "b"), msg(6, "\xfe"), 1)
	if names := mustRead(t, content).Entity(source.TypeMethod).Names; !slices.Equal(names, []string{"c", "\uFFFD", "\uFFFD"}) {
		t.Errorf("the methods are %q", names)
	}
	set := mustRead(t, bytes.Replace(content, msg(6, "ns"), msg(6, "\xff"), 1))
	if unit := set.Event(source.TypeSample).Fields[1].Unit; unit != "\uFFFD" {
		t.Errorf("the unit is %q", unit)
	}
}

// BenchmarkRead measures a profile of Go, its samples many times, and one whose
// every context has a sample.
func BenchmarkRead(b *testing.B) {
	p, err := profile.ParseData(file(b, "types.cpu.pb.gz"))
	if err != nil {
		b.Fatal(err)
	}
	p.Sample = slices.Repeat(p.Sample, 100)
	var stacks bytes.Buffer
	if err := p.WriteUncompressed(&stacks); err != nil {
		b.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(file(b, "hello.cct.pb.gz")))
	if err != nil {
		b.Fatal(err)
	}
	tree, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("stacks", func(b *testing.B) { sourcetest.Benchmark(b, stacks.Bytes(), stacks.Len()) })
	b.Run("tree", func(b *testing.B) { sourcetest.Benchmark(b, tree, len(tree)) })
}
