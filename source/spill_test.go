package source_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/symbol"
)

// built gives what fill makes of a builder, with so many rows in memory; 0 is
// all.
func built(t interface{ Fatal(...any) }, often int, fill func(b *data.Builder) error) *data.Set {
	b := data.NewBuilder("x", "test")
	if often > 0 {
		b.SpillTo(&sourcetest.Shelf{}, 0)
		b.SpillOften(often)
	}
	if err := fill(b); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestTracesSpill makes traces of anything that may be told of threads, in and
// out of order, with calls that begin and end and whole ones: with nearly
// nothing in memory they are the same.
func TestTracesSpill(t *testing.T) {
	type told struct{ thread, kind, at, took, method int }
	rapid.Check(t, func(t *rapid.T) {
		threads := rapid.IntRange(1, 4).Draw(t, "threads")
		kinds := rapid.SampledFrom([][]int{{0, 1}, {2}, {0, 1, 2}, {0, 0, 0, 1}}).Draw(t, "kinds")
		disorder := rapid.IntRange(0, 3).Draw(t, "disorder")
		late := rapid.Bool().Draw(t, "names come last")
		var ops []told
		now := 0
		for range rapid.IntRange(0, 150).Draw(t, "ops") {
			now += rapid.IntRange(-disorder, 4).Draw(t, "step")
			ops = append(ops, told{rapid.IntRange(0, threads-1).Draw(t, "thread"), rapid.SampledFrom(kinds).Draw(t, "kind"), now,
				rapid.IntRange(0, 9).Draw(t, "took"), rapid.IntRange(0, 3).Draw(t, "method")})
		}
		fill := func(b *data.Builder) error {
			c := source.NewCalls(b, symbol.Unknown)
			method := func(n int) data.EntityID { return c.Method(source.Frame{Name: fmt.Sprint("f", n%3)}) }
			if late {
				c.Resolve = func(n data.EntityID) data.EntityID { return method(int(n)) }
				method = func(n int) data.EntityID { return data.EntityID(n) }
			}
			c.Measure(0, source.Metric{Name: "samples"})
			var all []*source.CallThread
			for i := range threads {
				thread := c.Thread()
				thread.ID = fmt.Sprint(i)
				all = append(all, thread)
			}
			for _, op := range ops {
				thread := all[op.thread]
				switch op.kind {
				case 0:
					thread.Begin(int64(op.at), method(op.method))
				case 1:
					if op.took == 0 {
						thread.End(int64(op.at), data.None)
					} else {
						thread.End(int64(op.at), method(op.method))
					}
				default:
					thread.Whole(int64(op.at), int64(op.took), method(op.method))
				}
				if op.took == 7 {
					c.Sample(data.None, int64(op.at))
					thread.Sampled()
				}
			}
			if late {
				method = func(n int) data.EntityID { return c.Method(source.Frame{Name: fmt.Sprint("f", n%3)}) }
			}
			return c.Finish(context.Background())
		}
		want := built(t, 0, fill)
		for _, often := range []int{1, 3, 40} {
			if diff := sourcetest.Difference(want, built(t, often, fill)); diff != "" {
				t.Fatalf("with %d rows in memory: %s", often, diff)
			}
		}
	})
}

// TestLateLabels adds labels, numbers, times and metrics to a profile whose
// first million samples are on disk already.
func TestLateLabels(t *testing.T) {
	const early, all = 1_000_000, 1_000_300
	fill := func(b *data.Builder) error {
		p := source.NewProfile(b, symbol.Unknown, 0, source.Metric{Name: "samples", Unit: "count"})
		f := p.Child(data.None, p.Method(source.Frame{Name: "f"}))
		unused := p.LateLabel("unused")
		unused.Name([]string{"x"})
		late := p.LateLabel("late")
		for i := range all {
			p.Sample(f, int64(i))
			switch {
			case i == early:
				p.AddMetric(source.Metric{Name: "more", Unit: "bytes"})
			case i > early && i%2 == 0:
				p.SetMetric(1, int64(i))
				p.Label("state", fmt.Sprint("s", i%4))
				p.Number("size", "bytes", int64(-i))
			case i > early:
				p.Time("nanoseconds", int64(i))
				late.Set(data.EntityID(i % 3))
			}
		}
		late.Name([]string{"a", "b", "a"})
		return p.Finish()
	}
	want := built(t, 0, fill)
	got := built(t, 70_000, fill)
	if got.Event(source.TypeSample).Store() == nil {
		t.Fatal("nothing was spilled")
	}
	if diff := sourcetest.Difference(want, got); diff != "" {
		t.Fatal(diff)
	}
	samples := want.Event(source.TypeSample)
	columns := sourcetest.Columns(want, samples)
	at := func(field string) data.Column { return columns[samples.Field(field)] }
	if samples.Field("unused") >= 0 || samples.Rows() != all {
		t.Errorf("%d samples with %+v", samples.Rows(), samples.Fields)
	}
	for _, i := range []int{0, early - 1, early, early + 1, early + 2, all - 1} {
		size, more, time, state, name := int64(0), int64(0), int64(0), data.None, data.None
		if i > early && i%2 == 0 {
			size, more, state = int64(-i), int64(i), 0 // s2, which is the first one
			if i%4 == 0 {
				state = 1
			}
		} else if i > early {
			time, name = int64(i), data.EntityID(i%3)
		}
		if at("size").Values[i] != size || at("more").Values[i] != more || at("Time").Values[i] != time || at("state").Refs[i] != state || at("late").Refs[i] != name {
			t.Errorf("sample %d: size %d, more %d, time %d, state %d, late %d", i, at("size").Values[i], at("more").Values[i], at("Time").Values[i], at("state").Refs[i], at("late").Refs[i])
		}
	}
}

// TestAdoptedSamplesSpill hands whole columns to a profile.
func TestAdoptedSamplesSpill(t *testing.T) {
	const n = 200_000
	fill := func(b *data.Builder) error {
		p := source.NewProfile(b, symbol.Unknown, 0)
		f := p.Child(data.None, p.Method(source.Frame{Name: "f"}))
		contexts, values, times, refs := make([]data.EntityID, n), make([]int64, n), make([]int64, n), make([]data.EntityID, n)
		for i := range n {
			contexts[i], values[i], times[i], refs[i] = f, int64(i), int64(2*i), data.EntityID(i%2)
		}
		p.AdoptMetrics(0, source.Metric{Name: "v"})
		p.AdoptSamples(contexts, [][]int64{values})
		p.AdoptTime("nanoseconds", times)
		p.AdoptLabel("l", []string{"a", "b"}, refs)
		return p.Finish()
	}
	adopted := built(t, 0, fill)
	if diff := sourcetest.Difference(adopted, built(t, 30_000, fill)); diff != "" {
		t.Error(diff)
	}
	// One by one, with the times at once, which do not fit where samples are.
	oneByOne := func(b *data.Builder) error {
		p := source.NewProfile(b, symbol.Unknown, 0, source.Metric{Name: "v"})
		f := p.Child(data.None, p.Method(source.Frame{Name: "f"}))
		times, refs := make([]int64, n), make([]data.EntityID, n)
		for i := range n {
			p.Sample(f, int64(i))
			times[i], refs[i] = int64(2*i), data.EntityID(i%2)
		}
		p.AdoptTime("nanoseconds", times)
		p.AdoptLabel("l", []string{"a", "b"}, refs)
		return p.Finish()
	}
	for _, often := range []int{0, 30_000} {
		if diff := sourcetest.Difference(adopted, built(t, often, oneByOne)); diff != "" {
			t.Errorf("with %d rows in memory: %s", often, diff)
		}
	}
}
