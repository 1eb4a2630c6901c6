package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/store"
	"github.com/cambium-prof/cambium/viz"
	_ "github.com/cambium-prof/cambium/viz/all"
)

// trace makes a data set of invocations, with methods in classes.
func trace(t *rapid.T) *data.Set {
	b := data.NewBuilder("trace", "test")
	classes, _ := b.EntityType("Class", "")
	methods, _ := b.EntityType("Method", "", data.Ref("Class", "Class", ""))
	calls, _ := b.EventType("Invocation", "",
		data.Value("Bytecode", "count", "", data.Coordinate), data.Ref("Location", "Method", ""), data.Ref("Method", "Method", ""), data.Value("Cost", "ns", "", data.Amount))
	for i := range 3 {
		classes.Add(fmt.Sprint("C", i))
	}
	for i := range 20 {
		methods.Add(fmt.Sprintf("C%d.m%d", i%3, i), int64(i%3))
	}
	r := rapid.Uint64().Draw(t, "seed")
	next := func(n uint64) int64 { // an xorshift generator
		r ^= r << 13
		r ^= r >> 7
		r ^= r << 17
		return int64(r % n)
	}
	r |= 1
	now := int64(-500)
	for range rapid.SampledFrom([]int{1, 1000, 20_000}).Draw(t, "events") {
		now += next(3)
		to := next(21)
		if to == 20 {
			to = int64(data.None)
		}
		if err := calls.Add(now, next(5)*next(5), to, next(50)-3); err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestChartsAgree draws the same charts of events in memory and in a store.
func TestChartsAgree(t *testing.T) {
	root, n := t.TempDir(), 0
	filter := rapid.SampledFrom([]string{
		"", "", `Method == "C0.m3"`, `not (Method == "C0.m3")`, `Location_Class == "C1" and Bytecode in 100..900`, `Class == "C2" or Cost > 20`,
		`event in 0..499`, `Cost < 0`, `Location in ["C0.m0", "C1.m4"] and not (Cost in 3..9)`, `Cost > 5 and not (Method == "C0.m3" or event in 10..20)`,
	})
	rapid.Check(t, func(rt *rapid.T) {
		set := trace(rt)
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		w, err := store.Create(dir)
		if err == nil {
			err = w.Finish(context.Background(), set)
		}
		if err != nil {
			rt.Fatal(err)
		}
		back, err := store.Open(context.Background(), dir)
		if err != nil {
			rt.Fatal(err)
		}
		for range 2 {
			spec := viz.ChartSpec{View: rapid.SampledFrom([]string{"bar", "table", "correlation", "hotspot", "prediction"}).Draw(rt, "view"), Map: map[string]string{}, Params: map[string]string{}}
			amount := rapid.SampledFrom([]string{"count", "Cost"}).Draw(rt, "amount")
			entity := rapid.SampledFrom([]string{"Method", "Location", "Class", "Location Class"}).Draw(rt, "entity")
			switch spec.View {
			case "bar":
				spec.Map["x"], spec.Map["y"] = amount, entity
			case "correlation":
				spec.Map["x"], spec.Map["y"], spec.Map["color"] = "Location", entity, amount
			case "hotspot":
				spec.Map["x"], spec.Map["y"] = "Bytecode", entity
				spec.Params["interval"] = rapid.SampledFrom([]string{"7", "100", "100000"}).Draw(rt, "interval")
				if rapid.Bool().Draw(rt, "zoomed") {
					from := rapid.Int64Range(-600, 2000).Draw(rt, "from")
					spec.Period = &viz.Period{From: from, To: from + rapid.Int64Range(0, 5000).Draw(rt, "length")}
				}
			}
			shared := viz.Shared{Filter: filter.Draw(rt, "filter")}
			for i := range rapid.IntRange(0, 3).Draw(rt, "groups") {
				shared.Groups = append(shared.Groups, viz.Group{Name: fmt.Sprint("g", i), Filter: filter.Draw(rt, "group"), Hidden: rapid.Bool().Draw(rt, "hidden")})
			}
			sort := rapid.SampledFrom([]string{"temporal", "amount"}).Draw(rt, "sort")
			want, got := show(set, spec, shared, sort), show(back, spec, shared, sort)
			if want != got {
				rt.Fatalf("%+v with %+v by %s gives\n%.3000s\nnot\n%.3000s", spec, shared, sort, got, want)
			}
		}
	})
}

// show is everything that a chart shows, or why it does not.
func show(set *data.Set, spec viz.ChartSpec, shared viz.Shared, sort string) string {
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		return err.Error()
	}
	last := int64(-1)
	charts, err := w.Charts(context.Background(), []viz.ChartSpec{spec, {View: "bar"}}, shared, func(_ []*viz.OpenChart, done, total int64) {
		if done < last || done > total {
			panic(fmt.Sprintf("%d of %d events after %d", done, total, last))
		}
		last = done
	})
	if err != nil {
		return err.Error()
	}
	v := viz.View{Viewport: viz.Viewport{Width: 300, Height: 200}, Sort: map[string]string{}}
	for i, dim := range charts[0].Definition.Dimensions {
		if charts[0].Fields[i].Field.IsReference() && dim.Name != "prediction" {
			v.Sort[dim.Name] = sort
		}
	}
	answer, err := charts[0].Answer(v, shared)
	if err != nil {
		return err.Error()
	}
	scene, err := charts[0].Scene(v, shared)
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal([]any{answer, scene})
	if err != nil {
		return err.Error()
	}
	return string(text)
}
