package pprof

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/google/pprof/profile"
	"pgregory.net/rapid"
)

// Names that pruning treats in special ways, or that are easily confused.
var functionNames = []string{
	"main", "main.run", "foo", "foo(int)", "(anonymous namespace)::foo(int)", "ns::operator()(int)", ".dot", "malloc",
	"operator new(unsigned long)", "std::vector<int>::push_back(int const&)", "", "a\tb", "größe", "foo (inline)",
}

var patterns = []string{"", "", "malloc|foo", "operator new.*|malloc", ".*", "(anonymous namespace)::.*", `\(anonymous namespace\)::foo`, "ns::operator\\(\\)", "dot", "main.*"}

// genProfile draws a small profile whose parts refer to each other at random.
func genProfile(t *rapid.T) *profile.Profile {
	p := &profile.Profile{
		DropFrames: rapid.SampledFrom(patterns).Draw(t, "drop"),
		KeepFrames: rapid.SampledFrom(patterns).Draw(t, "keep"),
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "types") {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: fmt.Sprint("type", i), Unit: "count"})
	}
	if rapid.Bool().Draw(t, "default") {
		p.DefaultSampleType = "type0"
	}
	ids := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 1<<rapid.SampledFrom([]uint{4, 14, 22, 63}).Draw(t, "bits")), 8, 8, rapid.ID[uint64]).Draw(t, "ids")
	for i := range rapid.IntRange(0, 2).Draw(t, "mappings") {
		p.Mapping = append(p.Mapping, &profile.Mapping{ID: ids[i], Start: 0x1000 * uint64(i+1), Limit: 0x1000 * uint64(i+2), Offset: 16, File: rapid.SampledFrom([]string{"", "/lib/libfoo.so", "/bin/prog"}).Draw(t, "binary")})
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "functions") {
		p.Function = append(p.Function, &profile.Function{
			ID: ids[i], Name: rapid.SampledFrom(functionNames).Draw(t, "name"),
			SystemName: rapid.SampledFrom([]string{"", "_Zfoo"}).Draw(t, "system"), Filename: "file.go", StartLine: int64(i),
		})
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "locations") {
		l := &profile.Location{ID: ids[i], Address: rapid.SampledFrom([]uint64{0, 0x1234, 0x2345}).Draw(t, "address")}
		if len(p.Mapping) > 0 && rapid.Bool().Draw(t, "mapped") {
			l.Mapping = rapid.SampledFrom(p.Mapping).Draw(t, "mapping")
		}
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			l.Line = append(l.Line, profile.Line{Line: 7, Function: rapid.SampledFrom(p.Function).Draw(t, "function")})
		}
		p.Location = append(p.Location, l)
	}
	for range rapid.IntRange(0, 20).Draw(t, "samples") {
		s := &profile.Sample{Location: rapid.SliceOfN(rapid.SampledFrom(p.Location), 0, 12).Draw(t, "stack")}
		for range p.SampleType {
			s.Value = append(s.Value, rapid.Int64Range(-1000, 1<<40).Draw(t, "value"))
		}
		if rapid.IntRange(0, 3).Draw(t, "labelled") == 0 {
			s.Label = map[string][]string{"thread": {rapid.SampledFrom([]string{"main", "worker"}).Draw(t, "thread")}}
			s.NumLabel = map[string][]int64{"bytes": {rapid.Int64Range(1, 9).Draw(t, "bytes")}}
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// Whatever the order of the fields in the file, the sums per stack are those
// of pprof itself.
func TestAsTheOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var packed bytes.Buffer
		if err := genProfile(rt).WriteUncompressed(&packed); err != nil {
			rt.Fatal(err)
		}
		content := shuffleFields(rt, packed.Bytes())
		set, err := readAll(bytes.NewReader(content))
		if err != nil {
			rt.Fatal(err)
		}
		_, want := oracle(t, content)
		compare(rt, sumsOf(set), want)
		again, err := readRaw(iotest.OneByteReader(bytes.NewReader(content)))
		if err != nil {
			rt.Fatal(err)
		}
		compare(rt, sumsOf(again), want)
	})
}

// shuffleFields puts the kinds of fields of a message in any order; what is
// repeated keeps its order, as strings must.
func shuffleFields(t *rapid.T, content []byte) []byte {
	fields := map[uint64][]byte{}
	for rest := content; len(rest) > 0; {
		tag, n := binary.Uvarint(rest)
		v, m := binary.Uvarint(rest[n:])
		size := n + m
		if tag&7 == wireBytes {
			size += int(v)
		}
		fields[tag>>3] = append(fields[tag>>3], rest[:size]...)
		rest = rest[size:]
	}
	var out []byte
	for _, num := range rapid.Permutation([]uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).Draw(t, "order") {
		out = append(out, fields[num]...)
	}
	return out
}

// Long stacks that share starts, in any order: the trie against plain maps.
func TestDeepStacks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &decoder{}
		d.samples.init()
		want := map[string][]uint64{}
		var stacks [][]uint64
		// Few ids make shared stacks, many make more children than are walked.
		ids := rapid.SampledFrom([]uint64{1, 2, 127, 128, 129, 1 << 14, 1 << 21, 1<<63 + 1})
		if rapid.Bool().Draw(rt, "wide") {
			ids = rapid.Uint64Range(1, 200)
		}
		for range rapid.IntRange(1, 100).Draw(rt, "stacks") {
			var stack []uint64 // outermost first
			if len(stacks) > 0 {
				from := rapid.SampledFrom(stacks).Draw(rt, "from")
				stack = append(stack, from[:rapid.IntRange(0, len(from)).Draw(rt, "shared")]...)
			}
			stack = append(stack, rapid.SliceOfN(ids, 0, 40).Draw(rt, "new")...)
			stacks = append(stacks, stack)
			var packed []byte
			for i := len(stack) - 1; i >= 0; i-- {
				packed = binary.AppendUvarint(packed, stack[i])
			}
			node, err := d.samples.node(packed)
			if err != nil {
				rt.Fatal(err)
			}
			var got []uint64 // leaf first
			for at := node; int(at) < d.samples.trie.len(); at = d.samples.trie.nodes.at(at).parent {
				got = append(got, d.samples.locations.list[d.samples.trie.nodes.at(at).key])
			}
			for i, id := range got {
				if len(got) != len(stack) || id != stack[len(stack)-1-i] {
					rt.Fatalf("stack %v became %v backwards", stack, got)
				}
			}
			if len(got) != len(stack) {
				rt.Fatalf("stack %v became %v backwards", stack, got)
			}
			for i := range stack {
				want[fmt.Sprint(stack[:i+1])] = stack
			}
		}
		if n := d.samples.trie.len(); n != len(want) {
			rt.Fatalf("%d nodes, want %d", n, len(want))
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"types.block.pb.gz", "types.goroutine.pb.gz", "types.threadcreate.pb.gz", "types.mutex.pb.gz"} {
		f.Add(unpack(f, file(f, name)))
	}
	f.Add([]byte("\x0a\x04\x08\x01\x10\x02\x12\x04\x08\x03\x10\x01\x22\x02\x08\x03"))
	f.Fuzz(func(t *testing.T, content []byte) {
		sniff(content)
		set, err := readRaw(bytes.NewReader(content))
		if err != nil {
			return
		}
		if n := set.Event("Sample").Rows(); n > len(content) {
			t.Errorf("%d samples in %d bytes", n, len(content))
		}
	})
}
