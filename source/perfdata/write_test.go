package perfdata

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// byteOrder is what both orders of encoding/binary are.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// writer makes recordings of one event, whose samples have an address, a thread,
// a time, a period and a call chain.
type writer struct {
	byteOrder
	records []byte
}

const writtenHas = hasIP | hasTID | hasTime | hasPeriod | hasCallchain

func (w *writer) words(b []byte, values ...uint64) []byte {
	for _, v := range values {
		b = w.AppendUint64(b, v)
	}
	return b
}

func (w *writer) pair(b []byte, x, y int32) []byte {
	return w.AppendUint32(w.AppendUint32(b, uint32(x)), uint32(y))
}

func (w *writer) record(kind uint32, misc uint16, body []byte) []byte {
	rec := w.AppendUint32(nil, kind)
	rec = w.AppendUint16(rec, misc)
	rec = w.AppendUint16(rec, uint16(recordHeader+len(body)))
	return append(rec, body...)
}

// at ends a record that is no sample with where and when it was made.
func (w *writer) at(pid int32, time uint64, kind uint32, misc uint16, body []byte) {
	w.records = append(w.records, w.record(kind, misc, w.words(w.pair(body, pid, pid), time))...)
}

func (w *writer) text(b []byte, text string) []byte {
	return append(append(b, text...), make([]byte, 8-len(text)%8)...)
}

func (w *writer) mmap(pid int32, time, start, size, offset uint64, path string) {
	w.at(pid, time, recordMmap, modeUser, w.text(w.words(w.pair(nil, pid, pid), start, size, offset), path))
}

func (w *writer) comm(pid int32, time uint64, exec bool, name string) {
	misc := uint16(0)
	if exec {
		misc = miscExec
	}
	w.at(pid, time, recordComm, misc, w.text(w.pair(nil, pid, pid), name))
}

func (w *writer) fork(parent, child int32, time uint64) {
	body := w.pair(w.pair(nil, child, parent), child, parent)
	w.at(parent, time, recordFork, 0, w.words(body, time))
}

func (w *writer) sample(pid int32, time uint64, chain ...uint64) {
	body := w.words(nil, chain[0])
	body = w.words(w.pair(body, pid, pid), time, 1000, uint64(len(chain)+1), markUser)
	w.records = append(w.records, w.record(recordSample, modeUser, w.words(body, chain...))...)
}

func (w *writer) round() { w.records = append(w.records, w.record(recordFinishedRound, 0, nil)...) }

// attribute is that of task-clock.
func (w *writer) attribute() []byte {
	const software, taskClock, size = 1, 1, 64
	flags := uint64(flagSampleIDAll)
	if w.byteOrder == binary.BigEndian {
		flags = bits.Reverse64(flags)
	}
	a := w.AppendUint32(w.AppendUint32(nil, software), size)
	a = w.words(a, taskClock, 1000, writtenHas, 0, flags)
	return append(a, make([]byte, size-len(a))...)
}

func (w *writer) magic() []byte {
	if w.byteOrder == binary.BigEndian {
		return []byte(magicBig)
	}
	return []byte(magicLittle)
}

func (w *writer) pipe() []byte {
	raw := w.words(w.magic(), pipeHeader)
	raw = append(raw, w.record(recordAttr, 0, w.attribute())...)
	return append(raw, w.records...)
}

func (w *writer) file(size uint64) []byte {
	attr := append(w.attribute(), make([]byte, 16)...)
	raw := w.words(w.magic(), fileHeader, uint64(len(attr)), fileHeader, uint64(len(attr)),
		uint64(fileHeader+len(attr)), size, 0, 0, 0, 0, 0, 0)
	return append(append(raw, attr...), w.records...)
}

// packed has all records within compressed ones.
func (w *writer) packed(t *testing.T) []byte {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	all := w.records
	w.records = nil
	for part := range slices.Chunk(all, 100) { // records are cut in the middle
		z.Write(part)
		z.Flush()
		for piece := range slices.Chunk(out.Bytes(), 77) {
			w.records = append(w.records, w.record(recordCompressed, 0, piece)...)
		}
		out.Reset()
	}
	raw := w.file(uint64(len(w.records)))
	w.records = all
	return raw
}

// life is a recording of a process that forks and becomes another program.
func life(order byteOrder) *writer {
	w := &writer{byteOrder: order}
	w.comm(1, 1, true, "parent")
	w.mmap(1, 2, 0x1000, 0x1000, 0x500, "/bin/parent")
	w.sample(1, 3, 0x1010, 0x1801)
	w.fork(1, 2, 4)
	w.sample(2, 5, 0x1010)
	w.mmap(2, 6, 0x1800, 0x100, 0, "/lib/child") // the parent does not have it
	w.sample(2, 7, 0x1810, 0x1701, 0x1901)
	w.sample(1, 8, 0x1810)
	w.comm(2, 9, true, "other")
	w.sample(2, 10, 0x1010)
	w.mmap(2, 11, 0x1000, 0x1000, 0, "//anon")
	w.sample(2, 12, 0x1010)
	return w
}

// TestForms: the same recording in both byte orders, as a file, a pipe, an
// unfinished file, and compressed.
func TestForms(t *testing.T) {
	want := map[string]int64{
		"parent+0xd00;parent+0x510":            1, // 0x1801 is where a call returns to
		"parent+0xe00;parent+0xc00;child+0x10": 1,
		"parent+0xd10":                         1,
		"[unknown]":                            1,
		"parent+0x510":                         1,
		"[anon]":                               1,
	}
	for name, order := range map[string]byteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		w := life(order)
		for form, raw := range map[string][]byte{"file": w.file(uint64(len(w.records))), "pipe": w.pipe(), "unfinished": w.file(0), "compressed": w.packed(t)} {
			set := sourcetest.Read(t, raw)
			s := sourcetest.Profile(set)
			for stack, n := range want {
				if s.Stacks[0][stack] != n {
					t.Errorf("%s, %s: %d samples of %s, want %d; all are %v", name, form, s.Stacks[0][stack], stack, n, s.Stacks[0])
				}
			}
			if len(s.Stacks[0]) != len(want) || len(s.Metrics) != 2 || s.Metrics[1] != "task-clock" || s.Totals[1] != 6000 {
				t.Errorf("%s, %s: %v %d, stacks are %v", name, form, s.Metrics, s.Totals, s.Stacks[0])
			}
			if unfinished := slices.ContainsFunc(set.Warnings, func(w string) bool { return strings.Contains(w, "not finished") }); unfinished != (form == "unfinished") {
				t.Errorf("%s, %s: warnings are %q", name, form, set.Warnings)
			}
		}
	}
}

// TestRounds writes the records of several processors in turn, as perf does, and
// expects what all of them in the order of time give.
func TestRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const processors = 3
		sorted := &writer{byteOrder: binary.LittleEndian}
		var buffers [processors][][]byte
		inRounds := &writer{byteOrder: binary.LittleEndian}
		time := uint64(1)
		happen := func() {
			for range rapid.IntRange(0, 4).Draw(t, "records") {
				time += uint64(rapid.IntRange(1, 3).Draw(t, "later"))
				before := len(sorted.records)
				if rapid.Bool().Draw(t, "mapping") {
					start := uint64(rapid.IntRange(1, 8).Draw(t, "start")) * 0x100
					sorted.mmap(1, time, start, 0x180, 0, "/lib/"+rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "path"))
				} else {
					sorted.sample(1, time, uint64(rapid.IntRange(0x100, 0xa00).Draw(t, "ip")))
				}
				on := rapid.IntRange(0, processors-1).Draw(t, "processor")
				buffers[on] = append(buffers[on], slices.Clone(sorted.records[before:]))
			}
		}
		for range 1 + rapid.IntRange(0, 4).Draw(t, "rounds") {
			for on := range buffers { // meanwhile, things go on
				happen()
				inRounds.records = append(inRounds.records, bytes.Join(buffers[on], nil)...)
				buffers[on] = nil
			}
			inRounds.round()
		}
		for on := range buffers {
			inRounds.records = append(inRounds.records, bytes.Join(buffers[on], nil)...)
		}
		sorted.sample(1, time+1, 0x100)
		inRounds.sample(1, time+1, 0x100)
		stacks := func(w *writer) map[string]int64 {
			set, err := sourcetest.TryRead(w.pipe())
			if err != nil || slices.ContainsFunc(set.Warnings, func(w string) bool { return strings.Contains(w, "order") }) {
				t.Fatalf("%v, %v", err, set)
			}
			return sourcetest.Profile(set).Stacks[0]
		}
		if got, want := stacks(inRounds), stacks(sorted); !maps.Equal(got, want) {
			t.Fatalf("stacks are %v, want %v", got, want)
		}
	})
}

// TestSpaces compares mappings with an array that says of each address what is
// there.
func TestSpaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type at struct {
			binary int32
			place  uint64
		}
		const size = 64
		var spaces [2]space
		var want [2][size]at
		spaces[1].shared = true
		for n := range int32(rapid.IntRange(0, 30).Draw(t, "mappings")) {
			if rapid.IntRange(0, 9).Draw(t, "fork") == 0 {
				spaces[0].shared = true
				spaces[1] = space{maps: spaces[0].maps, shared: true}
				want[1] = want[0]
			}
			in := rapid.IntRange(0, 1).Draw(t, "space")
			start := rapid.Uint64Range(0, size-1).Draw(t, "start")
			end := rapid.Uint64Range(start+1, size).Draw(t, "end")
			offset := rapid.Uint64Range(0, 100).Draw(t, "offset")
			spaces[in].insert(mapping{start, end, offset, n + 1})
			for a := start; a < end; a++ {
				want[in][a] = at{n + 1, a - start + offset}
			}
		}
		for in := range spaces {
			for a := range uint64(size) {
				var got at
				if m := spaces[in].find(a); m != nil {
					got = at{m.binary, m.place(a)}
				}
				if got != want[in][a] {
					t.Fatalf("at %d of %d is %v, want %v in %v", a, in, got, want[in][a], spaces[in].maps)
				}
			}
			for i, m := range spaces[in].maps {
				if m.start >= m.end || i > 0 && spaces[in].maps[i-1].end > m.start {
					t.Fatalf("mappings are %v", spaces[in].maps)
				}
			}
		}
	})
}

// What unpacks to far more than it is gets no further than the limit.
func TestBomb(t *testing.T) {
	w := life(binary.LittleEndian)
	nothing := bytes.Repeat(w.record(1000, 0, make([]byte, 60000)), 2000)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(z.EncodeAll(nothing, nil), 60000) {
		w.records = append(w.records, w.record(recordCompressed, 0, part)...)
	}
	set := sourcetest.Read(t, w.pipe())
	if !slices.ContainsFunc(set.Warnings, func(w string) bool { return strings.Contains(w, "unpack to more than 200 times") }) {
		t.Errorf("%d bytes are unpacked to %d: warnings are %q", len(w.records), len(nothing), set.Warnings)
	}
	if n := set.Event(source.TypeSample).Rows(); n != 6 {
		t.Errorf("%d samples", n)
	}
}
