package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
)

// anySet makes a data set of methods in classes and two types of event.
func anySet(t *rapid.T, rows int) *data.Set {
	b := data.NewBuilder("any", "test")
	classes, _ := b.EntityType("Class", "")
	methods, _ := b.EntityType("Method", "what runs", data.Ref("Class", "Class", ""), data.Value("name", "", "a field called as the column of names"))
	contexts, _ := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	nClasses, nMethods := rapid.IntRange(1, 3).Draw(t, "classes"), rapid.IntRange(1, 300).Draw(t, "methods")
	for i := range nClasses {
		classes.Add(fmt.Sprintf("C%d \x00é", i))
	}
	for i := range nMethods {
		class := int64(i % nClasses)
		if i%7 == 0 {
			class = int64(data.None)
		}
		methods.Add(fmt.Sprint("m", i), class, int64(i)-5)
	}
	parents, of := []data.EntityID{data.None, 0, 1}, []data.EntityID{0, 0, data.None}
	if err := contexts.Adopt(nil, 3, data.Column{Refs: parents}, data.Column{Refs: of}); err != nil {
		t.Fatal(err)
	}
	calls, _ := b.EventType("Call", "it happened", data.Value("Time", "ns", "", data.Coordinate), data.Ref("Method", "Method", ""), data.Ref("time", "Context", "called almost as another field"), data.Value("Cost", "bytes", "", data.Amount))
	if _, err := b.EventType("Nothing", "", data.Ref("Method", "Method", "")); err != nil {
		t.Fatal(err)
	}
	seed := rapid.Uint64().Draw(t, "seed")
	next := func() uint64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return seed
	}
	if seed == 0 {
		seed = 1
	}
	spread := rapid.SampledFrom([]int64{3, 1000, 1 << 40}).Draw(t, "spread")
	now := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "start")
	for range rows {
		now += int64(next() % 5)
		context := int64(next() % 4)
		if context == 3 {
			context = int64(data.None)
		}
		if err := calls.Add(now, int64(next()%uint64(nMethods)), context, int64(next()%uint64(spread))); err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// dump is a text of everything in a set.
func dump(t testing.TB, s *data.Set) string {
	var text []byte
	put := func(format string, args ...any) { text = fmt.Appendf(text, format, args...) }
	put("%s %q\n", s.Format, s.Warnings)
	for _, e := range s.Entities() {
		put("%+v %d %q %v\n", e.Definition, e.Rows(), e.Names, e.Columns)
	}
	for _, e := range s.Events() {
		put("%+v %d\n", e.Definition, e.Rows())
		paths, next := s.Paths(e.Definition), int64(0)
		hashes := make([]uint64, len(paths)) // FNV, by column
		mix := func(c int, v uint64) { hashes[c] = (hashes[c] ^ v) * 1099511628211 }
		for _, p := range paths {
			put("%s ", p.Name)
		}
		err := e.Read(context.Background(), paths, func(b data.Batch) error {
			if b.First != next {
				return fmt.Errorf("a batch begins with event %d instead of %d", b.First, next)
			}
			next += int64(b.Rows)
			for i, c := range b.Columns {
				for _, v := range c.Refs {
					mix(i, uint64(v))
				}
				for _, v := range c.Values {
					mix(i, uint64(v))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		put("%d %x\n", next, hashes)
	}
	return string(text)
}

func stored(t testing.TB, set *data.Set, dir string, c cuts) *data.Set {
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.cuts = c
	if err := w.Finish(context.Background(), set); err != nil {
		t.Fatal(err)
	}
	back, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestRealCuts is a round trip with more than one row group of real size.
func TestRealCuts(t *testing.T) {
	b := data.NewBuilder("", "")
	e, err := b.EventType("E", "", data.Value("v", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int64, groupRows+data.BatchRows+1)
	for i := range values {
		values[i] = int64(i) * int64(i)
	}
	if err := e.Adopt(len(values), data.Column{Values: values}); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	back := stored(t, set, filepath.Join(t.TempDir(), "real"), realCuts)
	if got, want := dump(t, back), dump(t, set); got != want {
		t.Errorf("stored, it is\n%s\nnot\n%s", got, want)
	}
	err = back.Event("E").Read(context.Background(), back.Paths(e.Definition()), func(b data.Batch) error {
		if b.Rows != data.BatchRows && b.First+int64(b.Rows) != int64(len(values)) {
			return fmt.Errorf("a batch of %d events", b.Rows)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRoundTrip(t *testing.T) {
	root, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SampledFrom([]int{0, 1, 100, 400, 401, 3000}).Draw(rt, "rows")
		set := anySet(rt, rows)
		n++
		back := stored(t, set, filepath.Join(root, fmt.Sprint(n)), cuts{1200, 400})
		if got, want := dump(t, back), dump(t, set); got != want {
			rt.Fatalf("stored, it is\n%.2000s\nnot\n%.2000s", got, want)
		}
		if back.Event("Call").Columns != nil || back.Event("Call").Store() == nil {
			rt.Fatal("the events are in memory")
		}
		// A part of the events, not from the start of a batch.
		if rows > 10 {
			want, _ := set.Event("Call").Column("Cost")
			var got []int64
			from, to := int64(rapid.IntRange(0, rows-1).Draw(rt, "from")), int64(rows)-3
			err := back.Event("Call").Store().Read(context.Background(), []int{3}, from, max(from, to), func(b data.Batch) error {
				got = append(got, b.Columns[0].Values...)
				return nil
			})
			if err != nil || !slices.Equal(got, want.Values[from:max(from, to)]) {
				rt.Fatalf("%d..%d of %d: %d values, %v", from, to, rows, len(got), err)
			}
		}
	})
}

// TestSegmentsOfLargeEvents cuts the events of many fields into segments of
// fewer, which are read as all are.
func TestSegmentsOfLargeEvents(t *testing.T) {
	b := data.NewBuilder("wide", "test")
	var fields []data.Field
	columns := make([]data.Column, 14)
	const n = groupRows + 5
	for i := range columns {
		fields = append(fields, data.Value(fmt.Sprint("v", i), "", ""))
		columns[i].Values = make([]int64, n)
		for row := range n {
			columns[i].Values[row] = int64(row * i)
		}
	}
	e, err := b.EventType("Wide", "", fields...)
	if err == nil {
		err = e.Adopt(n, columns...)
	}
	if err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	back := stored(t, set, filepath.Join(t.TempDir(), "wide"), realCuts)
	if s := back.Event("Wide").Store().(*events).table; s.SegmentRows != groupRows || len(s.Segments) != 2 {
		t.Errorf("segments of %d events: %d", s.SegmentRows, len(s.Segments))
	}
	if got, want := dump(t, back), dump(t, set); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}
