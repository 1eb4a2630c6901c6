package all

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/viz"
)

// What charts show is compared with what plain loops over a list of events
// find. They are written to be read, with maps and names, and share nothing with
// what they test.

// occurrence is an event in words: "" for a reference to nothing.
type occurrence struct {
	sequence                       int64
	time, size                     int64
	method, thread, class, library string // the class of the method, and its library
}

func (o occurrence) entity(field string) string {
	return map[string]string{"Method": o.method, "Thread": o.thread, "Class": o.class, "Library": o.library}[field]
}

func (o occurrence) value(field string) int64 {
	return map[string]int64{"Time": o.time, "Size": o.size, "count": 1}[field]
}

// world is a data set with what is in it in words.
type world struct {
	set    *data.Set
	store  *portions
	events []occurrence
	around map[string]string // method or class or library -> what it belongs to
}

// portions gives events in batches of a few, from columns, and counts.
type portions struct {
	rows    int
	columns []data.Column
	reads   atomic.Int64
}

const portion = 7

func (p *portions) Rows() int { return p.rows }

func (p *portions) Read(_ context.Context, fields []int, from, to int64, yield func(data.Batch) error) error {
	p.reads.Add(1)
	for ; from < to; from += portion {
		end := min(from+portion, to)
		b := data.Batch{First: from, Rows: int(end - from)}
		for _, f := range fields {
			c := p.columns[f]
			if c.Refs != nil {
				c.Refs = slices.Clone(c.Refs[from:end])
			} else {
				c.Values = slices.Clone(c.Values[from:end])
			}
			b.Columns = append(b.Columns, c)
		}
		if err := yield(b); err != nil {
			return err
		}
		for _, c := range b.Columns { // a chart that kept a column finds it changed
			for i := range c.Refs {
				c.Refs[i] = data.None
			}
			for i := range c.Values {
				c.Values[i] = -77
			}
		}
	}
	return nil
}

// must ends a test that cannot go on.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Names that need care in a filter's text.
var methodNames = []string{"m0", `m "one"`, "m\\two\n", "m→3", "\u0085m\u2028", "zero\x00", "a.b.C.d(I)V"}

// drawWorld draws a data set: allocations with a time in any order, a size that
// may be negative, and references that may lead nowhere.
func drawWorld(t *rapid.T) *world {
	far := rapid.SampledFrom([]int64{20, 3000, 1 << 33, math.MaxInt64 / 2}).Draw(t, "far")
	// Beyond 64 bits the order of adding matters if signs are mixed: not here.
	sizes := rapid.SampledFrom([]*rapid.Generator[int64]{
		rapid.Int64Range(0, 9), rapid.Int64Range(-9, 9),
		rapid.OneOf(rapid.Int64Range(0, 9), rapid.Just(int64(math.MaxInt64))),
		rapid.OneOf(rapid.Int64Range(-9, 0), rapid.Just(int64(math.MinInt64))),
	}).Draw(t, "sizes")
	n := rapid.IntRange(0, 60).Draw(t, "events")
	type raw struct {
		time, size     int64
		method, thread int
	}
	events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) raw {
		return raw{
			rapid.Int64Range(-far, far).Draw(t, "time"), sizes.Draw(t, "size"),
			rapid.IntRange(-1, len(methodNames)-1).Draw(t, "method"), rapid.IntRange(-1, 2).Draw(t, "thread"),
		}
	}), n, n).Draw(t, "raw events")
	if rapid.Bool().Draw(t, "rising") {
		slices.SortStableFunc(events, func(a, b raw) int { return cmp.Compare(a.time, b.time) })
	}

	b := data.NewBuilder("world", "test")
	libraries := must(b.EntityType("Library", ""))
	classes := must(b.EntityType("Class", "", data.Ref("Library", "Library", "")))
	methods := must(b.EntityType("Method", "", data.Ref("Class", "Class", "")))
	threads := must(b.EntityType("Thread", ""))
	w := &world{around: map[string]string{}}
	for _, name := range []string{"lib b", "lib a"} {
		must(libraries.Add(name))
	}
	classOf := []int{2, 0, 1, 0, 1, 2, 0}
	libraryOf := []int{0, 1, -1}
	for i, name := range []string{"class c", "class b", "class a"} {
		library := int64(data.None)
		if libraryOf[i] >= 0 {
			library = int64(libraryOf[i])
			w.around[name] = []string{"lib b", "lib a"}[libraryOf[i]]
		}
		must(classes.Add(name, library))
	}
	for i, name := range methodNames {
		must(methods.Add(name, int64(classOf[i])))
		w.around[name] = []string{"class c", "class b", "class a"}[classOf[i]]
	}
	for i := range 3 {
		must(threads.Add(fmt.Sprint("thread ", i)))
	}
	e := must(b.EventType("Allocation", "", data.Value("Time", "ns", "", data.Coordinate), data.Value("Size", "bytes", "", data.Amount),
		data.Ref("Method", "Method", ""), data.Ref("Thread", "Thread", "")))
	w.store = &portions{rows: n, columns: []data.Column{{Values: make([]int64, n)}, {Values: make([]int64, n)}, {Refs: make([]data.EntityID, n)}, {Refs: make([]data.EntityID, n)}}}
	for i, r := range events {
		o := occurrence{sequence: int64(i), time: r.time, size: r.size}
		w.store.columns[0].Values[i], w.store.columns[1].Values[i] = r.time, r.size
		w.store.columns[2].Refs[i], w.store.columns[3].Refs[i] = data.None, data.None
		if r.method >= 0 {
			w.store.columns[2].Refs[i] = data.EntityID(r.method)
			o.method = methodNames[r.method]
			o.class = w.around[o.method]
			o.library = w.around[o.class]
		}
		if r.thread >= 0 {
			w.store.columns[3].Refs[i] = data.EntityID(r.thread)
			o.thread = fmt.Sprint("thread ", r.thread)
		}
		w.events = append(w.events, o)
	}
	if err := e.AdoptStore(w.store); err != nil {
		t.Fatal(err)
	}
	w.set = must(b.Finish())
	return w
}

// rule is a filter, and what it means.
type rule struct {
	text  string
	holds func(occurrence) bool
}

var rules = []rule{
	{`Method == "m0"`, func(o occurrence) bool { return o.method == "m0" }},
	{`Thread in ["thread 0", "thread 2"]`, func(o occurrence) bool { return o.thread == "thread 0" || o.thread == "thread 2" }},
	{`Size > 3`, func(o occurrence) bool { return o.size > 3 }},
	{`Time in -10..10`, func(o occurrence) bool { return o.time >= -10 && o.time <= 10 }},
	{`Class == "class b"`, func(o occurrence) bool { return o.class == "class b" }},
	{`Library == "lib b" or Thread == "thread 1"`, func(o occurrence) bool { return o.library == "lib b" || o.thread == "thread 1" }},
	{`not (Method == "m0") and Size >= 1`, func(o occurrence) bool { return o.method != "m0" && o.size >= 1 }},
	{`event in 5..25`, func(o occurrence) bool { return o.sequence >= 5 && o.sequence <= 25 }},
	{`Size == 100`, func(o occurrence) bool { return o.size == 100 }},
}

var everything = rule{"", func(occurrence) bool { return true }}

func drawFilter(t *rapid.T) rule {
	return rapid.SampledFrom(append([]rule{everything, everything}, rules...)).Draw(t, "filter")
}

// drawGroups draws colour groups, some of them hidden: those have no events.
func drawGroups(t *rapid.T) ([]viz.Group, []rule) {
	var groups []viz.Group
	var of []rule
	for i := range rapid.IntRange(0, 3).Draw(t, "groups") {
		r := rapid.SampledFrom(rules).Draw(t, "group")
		g := viz.Group{Name: fmt.Sprint("group ", i), Filter: r.text, Color: colorOf(i)}
		if g.Hidden = rapid.IntRange(0, 4).Draw(t, "hidden") == 0; g.Hidden {
			r.holds = func(occurrence) bool { return false }
		}
		groups, of = append(groups, g), append(of, r)
	}
	return groups, of
}

// groupOf is the first group that holds, from 1; 0 is none.
func groupOf(o occurrence, groups []rule) int {
	for i, g := range groups {
		if g.holds(o) {
			return i + 1
		}
	}
	return 0
}

func keep(events []occurrence, r rule) []occurrence {
	var kept []occurrence
	for _, o := range events {
		if r.holds(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

// add is a sum that stays within 64 bits.
func add(a, b int64) int64 {
	sum := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
	switch {
	case sum.IsInt64():
		return sum.Int64()
	case sum.Sign() > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}

// column is the interval that a value is in.
func column(x, interval int64) int64 {
	q := x / interval
	if q*interval > x {
		q--
	}
	return q
}

// axis are the entities of one dimension as they occur, with what they have.
type axis struct {
	first   []string // in the order of their first event
	amounts map[string]int64
}

func (a *axis) add(name string, amount int64) {
	if a.amounts == nil {
		a.amounts = map[string]int64{}
	}
	if _, known := a.amounts[name]; !known {
		a.first = append(a.first, name)
	}
	a.amounts[name] = add(a.amounts[name], amount)
}

// sorted is the order of a scheme.
func (a *axis) sorted(scheme string, around map[string]string) []string {
	names := slices.Clone(a.first)
	if scheme == "temporal" {
		return names
	}
	slices.Sort(names)
	switch scheme {
	case "amount":
		slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(a.amounts[y], a.amounts[x]) })
	case "hierarchy":
		way := func(name string) string {
			all := []string{name}
			for around != nil && !strings.HasPrefix(name, "lib") && !strings.HasPrefix(name, "thread") {
				name = around[name]
				all = append([]string{name}, all...)
				if name == "" {
					break
				}
			}
			return strings.Join(all, "\x00")
		}
		slices.SortStableFunc(names, func(x, y string) int { return strings.Compare(way(x), way(y)) })
	}
	return names
}

// bars is what bar and table answer.
func bars(events []occurrence, entity, amount, scheme string, around map[string]string) any {
	var a axis
	for _, o := range events {
		if name := o.entity(entity); name != "" {
			a.add(name, o.value(amount))
		}
	}
	values := []map[string]any{}
	for _, name := range a.sorted(scheme, around) {
		values = append(values, map[string]any{"entity": name, "value": a.amounts[name]})
	}
	return values
}

// grid is what hot spots and predictions answer. Each event has a place on the
// x axis and a value; interval is how wide columns are.
type grid struct {
	axis  axis
	cells map[[2]string]int64 // column in decimal, entity -> value
}

func (g *grid) add(col int64, name string, value int64) {
	if g.cells == nil {
		g.cells = map[[2]string]int64{}
	}
	at := [2]string{fmt.Sprint(col), name}
	g.cells[at] = add(g.cells[at], value)
	g.axis.add(name, value)
}

func (g *grid) answer(interval int64, scheme string, around map[string]string) map[string]any {
	rows := g.axis.sorted(scheme, around)
	first, some := int64(0), false
	for at := range g.cells {
		var col int64
		fmt.Sscan(at[0], &col)
		if !some || col < first {
			first, some = col, true
		}
	}
	cells := [][3]int64{}
	for at, v := range g.cells {
		var col int64
		fmt.Sscan(at[0], &col)
		cells = append(cells, [3]int64{col - first, int64(slices.Index(rows, at[1])), v})
	}
	slices.SortFunc(cells, func(a, b [3]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	if rows == nil {
		rows = []string{}
	}
	return map[string]any{"x0": first * interval, "interval": interval, "rows": rows, "cells": cells}
}

// places gives where each event stands on an x axis: its coordinate, or the sum
// of the amounts before it.
func places(events []occurrence, x string) []int64 {
	var at []int64
	sum := int64(0)
	for _, o := range events {
		if x == "Time" {
			at = append(at, o.time)
			continue
		}
		at = append(at, sum)
		sum = add(sum, o.value(x))
	}
	return at
}

func within(x int64, p *viz.Period) bool { return p == nil || x >= p.From && x <= p.To }

func hotspots(events []occurrence, x, entity, amount string, interval int64, period *viz.Period) *grid {
	g := &grid{}
	for i, at := range places(events, x) {
		if name := events[i].entity(entity); name != "" && within(at, period) {
			g.add(column(at, interval), name, events[i].value(amount))
		}
	}
	return g
}

// mispredictions counts where the last target of an entity was another one.
func mispredictions(events []occurrence, x, entity, target string, interval int64, period *viz.Period) (g *grid, misses, all int64) {
	g = &grid{}
	last := map[string]string{}
	for i, at := range places(events, x) {
		name, now := events[i].entity(entity), events[i].entity(target)
		if name == "" || now == "" {
			continue
		}
		miss := int64(0)
		if before, ok := last[name]; ok && before != now {
			miss = 1
		}
		last[name] = now
		misses, all = misses+miss, all+1
		if within(at, period) {
			g.add(column(at, interval), name, miss)
		}
	}
	return g, misses, all
}

func correlations(events []occurrence, x, y, amount, scheme string, around map[string]string) any {
	var columns, rows axis
	cells := map[[2]string]int64{}
	for _, o := range events {
		if o.entity(x) == "" || o.entity(y) == "" {
			continue
		}
		columns.add(o.entity(x), o.value(amount))
		rows.add(o.entity(y), o.value(amount))
		at := [2]string{o.entity(x), o.entity(y)}
		cells[at] = add(cells[at], o.value(amount))
	}
	across, up := columns.sorted(scheme, around), rows.sorted(scheme, around)
	out := [][3]int64{}
	for _, at := range slices.SortedFunc(maps.Keys(cells), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(slices.Index(across, a[0]), slices.Index(across, b[0])), cmp.Compare(slices.Index(up, a[1]), slices.Index(up, b[1])))
	}) {
		out = append(out, [3]int64{int64(slices.Index(across, at[0])), int64(slices.Index(up, at[1])), cells[at]})
	}
	answer := map[string]any{"x0": 0, "interval": 1, "rows": append([]string{}, up...), "cells": out}
	if len(across) > 0 {
		answer["columns"] = across
	}
	return answer
}

// text is JSON with sorted keys.
func text(v any) string {
	raw := must(json.Marshal(v))
	var loose any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&loose); err != nil {
		panic(err)
	}
	return string(must(json.Marshal(loose)))
}
