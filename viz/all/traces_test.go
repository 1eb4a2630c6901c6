package all

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/viz"
)

// Recorded traces, read twice: by the program, and by a few lines here.
const (
	helloTrace = "../../source/evolve/testdata/hello.evolve.txt.gz"
	xalanTrace = "../../source/alloccsv/testdata/xalan.alloc.csv.gz"
)

func unpacked(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func recorded(t *testing.T, name string) *viz.Workspace {
	t.Helper()
	in, err := source.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// invocation is an I line of a trace.
type invocation struct {
	bytecode         int64
	location, method string
}

// invocations reads a trace as table 5.1 of the thesis has it.
func invocations(t *testing.T) []invocation {
	t.Helper()
	names := map[string]string{}
	var all []invocation
	lines := bufio.NewScanner(unpacked(t, helloTrace))
	for lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), ": ")
		if kind == "I" {
			f := strings.Fields(rest)
			bytecode := must(strconv.ParseInt(f[0], 10, 64))
			all = append(all, invocation{bytecode, names["L"+f[1]], names["M"+f[2]]})
			continue
		}
		end := strings.LastIndexByte(rest, ' ')
		names[kind+rest[end+1:]] = rest[:end]
	}
	if len(all) != 83705 {
		t.Fatalf("%d invocations", len(all))
	}
	return all
}

// byAmount is a sum for each name as bar and table answer it.
func byAmount(a *axis) string {
	values := []map[string]any{}
	for _, name := range a.sorted("amount", nil) {
		values = append(values, map[string]any{"entity": name, "value": a.amounts[name]})
	}
	return text(values)
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("%s: from byte %d on it is %.200q, want %.200q", what, i, got[i:], want[i:])
	}
}

func TestChartsOfARecordedTrace(t *testing.T) {
	events := invocations(t)
	w := recorded(t, helloTrace)
	const interval = 1000
	names := []string{"bar", "tall", "table", "hotspot", "hotspot-amount", "correlation", "prediction"}
	specs := []viz.ChartSpec{
		{View: "bar", Subject: "Invocation", Map: map[string]string{"y": "Location", "x": "count"}},
		{View: "bar", Subject: "Invocation", Map: map[string]string{"x": "Location", "y": "count"}},
		{View: "table", Map: map[string]string{"left": "Method", "right": "count"}},
		{View: "hotspot", Map: map[string]string{"x": "Bytecode", "y": "Location"}, Params: map[string]string{"interval": "1000"}},
		{View: "hotspot", Map: map[string]string{"x": "count", "y": "Method"}, Params: map[string]string{"interval": "1000"}},
		{View: "correlation", Map: map[string]string{"x": "Location", "y": "Method"}},
		{View: "prediction", Map: map[string]string{"x": "Bytecode", "y": "Location", "prediction": "Method"}, Params: map[string]string{"interval": "1000"}},
	}
	charts := open(t, w, viz.Shared{}, specs...)
	got := map[string]string{}
	for i, c := range charts {
		v := viz.View{} // hot spots are temporal, the others by amount
		a, err := c.Answer(v, viz.Shared{})
		if err != nil {
			t.Fatal(err)
		}
		got[names[i]] = text(a)
	}

	var byLocation, byMethod, across, up axis
	hot, running, wrong := &grid{}, &grid{}, &grid{}
	last := map[string]string{}
	pairs := map[[2]string]int64{}
	fanOut := map[string]map[string]bool{}
	misses := int64(0)
	for i, e := range events {
		byLocation.add(e.location, 1)
		byMethod.add(e.method, 1)
		hot.add(e.bytecode/interval, e.location, 1)
		running.add(int64(i)/interval, e.method, 1)
		miss := int64(0)
		if before := last[e.location]; before != "" && before != e.method {
			miss = 1
		}
		last[e.location] = e.method
		misses += miss
		wrong.add(e.bytecode/interval, e.location, miss)
		across.add(e.location, 1)
		up.add(e.method, 1)
		pairs[[2]string{e.location, e.method}]++
		if fanOut[e.location] == nil {
			fanOut[e.location] = map[string]bool{}
		}
		fanOut[e.location][e.method] = true
	}
	same(t, "bar", got["bar"], byAmount(&byLocation))
	same(t, "tall", got["tall"], byAmount(&byLocation))
	same(t, "table", got["table"], byAmount(&byMethod))
	same(t, "hotspot", got["hotspot"], text(hot.answer(interval, "temporal", nil)))
	same(t, "hotspot-amount", got["hotspot-amount"], text(running.answer(interval, "temporal", nil)))
	a := wrong.answer(interval, "temporal", nil)
	a["predictors"] = []any{map[string]any{"name": "one-bit", "misses": misses, "events": len(events)}}
	same(t, "prediction", got["prediction"], text(a))

	columns, rows := across.sorted("amount", nil), up.sorted("amount", nil)
	correlation := answer(t, charts[5], "amount", viz.Shared{}).(*viz.Grid)
	if !slices.Equal(correlation.Columns, columns) || !slices.Equal(correlation.Rows, rows) || len(correlation.Cells) != len(pairs) {
		t.Fatalf("%d × %d with %d cells", len(correlation.Columns), len(correlation.Rows), len(correlation.Cells))
	}
	for _, cell := range correlation.Cells {
		if n := pairs[[2]string{columns[cell[0]], rows[cell[1]]}]; n != cell[2] {
			t.Errorf("%s calls %s %d times, want %d", columns[cell[0]], rows[cell[1]], cell[2], n)
		}
	}

	// What the manifest of the recorded data says: so many locations have 1, 2,
	// 3 targets, and a miss needs two.
	byTargets := map[int]int{}
	for _, targets := range fanOut {
		byTargets[len(targets)]++
	}
	if want := map[int]int{1: 1394, 2: 9, 3: 5}; fmt.Sprint(byTargets) != fmt.Sprint(want) {
		t.Errorf("locations by targets: %v", byTargets)
	}
	prediction := answer(t, charts[6], "amount", viz.Shared{}).(viz.Celled).Grid()
	guilty := map[string]bool{}
	for _, cell := range prediction.Cells {
		if name := prediction.Rows[cell[1]]; cell[2] > 0 {
			guilty[name] = true
			if len(fanOut[name]) < 2 {
				t.Errorf("%s has one target and %d misses", name, cell[2])
			}
		}
	}
	if len(guilty) != 14 { // all that have more than one target, as there each comes up
		t.Errorf("%d locations have misses", len(guilty))
	}
	if misses == 0 || misses >= 923 { // invocations from locations with more than one target
		t.Errorf("%d misses", misses)
	}
}

func TestPredictorsOfARecordedTrace(t *testing.T) {
	events := invocations(t)
	oracles := map[string]func(seen []string) string{ // what is guessed after these targets
		"one-bit": func(seen []string) string { return seen[len(seen)-1] },
		"static":  func(seen []string) string { return seen[0] },
		"last-3": func(seen []string) string {
			window := seen[max(0, len(seen)-3):]
			best, most := "", 0
			for i := len(window) - 1; i >= 0; i-- { // the most recent of equally frequent ones
				n := 0
				for _, target := range window {
					if target == window[i] {
						n++
					}
				}
				if n > most {
					best, most = window[i], n
				}
			}
			return best
		},
	}
	w := recorded(t, helloTrace)
	for name, guess := range oracles {
		seen := map[string][]string{}
		misses := int64(0)
		for _, e := range events {
			if before := seen[e.location]; len(before) > 0 && guess(before) != e.method {
				misses++
			}
			seen[e.location] = append(seen[e.location], e.method)
		}
		c := open(t, w, viz.Shared{}, viz.ChartSpec{View: "prediction", Map: map[string]string{"x": "Bytecode", "y": "Location", "prediction": "Method"},
			Params: map[string]string{"predictor": name, "against": "one-bit"}})[0]
		a := answer(t, c, "amount", viz.Shared{})
		sum := int64(0)
		for _, cell := range a.(viz.Celled).Grid().Cells {
			sum += cell[2]
		}
		want := fmt.Sprintf(`{"events":83705,"misses":%d,"name":"%s"}`, misses, name)
		if got := text(a); sum != misses || !strings.Contains(got, want) || strings.Count(got, `"events"`) != 2 {
			t.Errorf("%s: the cells have %d misses, want %d, and in all %s", name, sum, misses, got[strings.Index(got, `"predictors"`):])
		}
	}
}

func TestChartsOfRecordedAllocations(t *testing.T) {
	rows, err := csv.NewReader(unpacked(t, xalanTrace)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = rows[1:]
	w := recorded(t, xalanTrace)
	const interval = 100_000
	var bySize, byCount, up, across axis
	running := &grid{}
	pairs := map[[2]string]int64{}
	at, filtered := int64(0), int64(0)
	for _, r := range rows { // seq, type, size, method, class, thread
		size := must(strconv.ParseInt(r[2], 10, 64))
		kind, method := r[1], r[4]+"."+r[3]
		bySize.add(kind, size)
		byCount.add(method, 1)
		running.add(at/interval, kind, 1)
		at += size
		across.add(kind, size)
		up.add(method, size)
		pairs[[2]string{kind, method}] += size
		if kind == "byte[]" && size > 100 {
			filtered += size
		}
	}
	charts := open(t, w, viz.Shared{},
		viz.ChartSpec{View: "table", Subject: "Allocation", Map: map[string]string{"left": "Object Type", "right": "Object Size"}},
		viz.ChartSpec{View: "bar", Map: map[string]string{"x": "count", "y": "Allocating Method"}},
		viz.ChartSpec{View: "hotspot", Map: map[string]string{"x": "Object Size", "y": "Object Type"}, Params: map[string]string{"interval": strconv.Itoa(interval)}},
		viz.ChartSpec{View: "correlation", Map: map[string]string{"x": "Object Type", "y": "Allocating Method", "colour": "Object Size"}},
	)
	same(t, "table", text(answer(t, charts[0], "amount", viz.Shared{})), byAmount(&bySize))
	same(t, "bar", text(answer(t, charts[1], "amount", viz.Shared{})), byAmount(&byCount))
	same(t, "hotspot", text(answer(t, charts[2], "temporal", viz.Shared{})), text(running.answer(interval, "temporal", nil)))
	g := answer(t, charts[3], "amount", viz.Shared{}).(*viz.Grid)
	if !slices.Equal(g.Columns, across.sorted("amount", nil)) || !slices.Equal(g.Rows, up.sorted("amount", nil)) || len(g.Cells) != len(pairs) {
		t.Fatalf("%d × %d with %d cells", len(g.Columns), len(g.Rows), len(g.Cells))
	}
	for _, cell := range g.Cells {
		if v := pairs[[2]string{g.Columns[cell[0]], g.Rows[cell[1]]}]; v != cell[2] {
			t.Errorf("%s by %s: %d, want %d", g.Columns[cell[0]], g.Rows[cell[1]], cell[2], v)
		}
	}

	// The manifest of the recorded data.
	if len(rows) != 166470 || at != 13162376 || bySize.amounts["byte[]"] != 8122480 || byCount.amounts["java.util.Arrays.copyOf([BI)[B"] == 0 {
		t.Errorf("%d allocations of %d bytes", len(rows), at)
	}
	shared := viz.Shared{Filter: `Object_Type == "byte[]" and Object_Size > 100`}
	c := open(t, w, shared, viz.ChartSpec{View: "table", Map: map[string]string{"left": "Object Type", "right": "Object Size"}})[0]
	if got, want := fmt.Sprint(answer(t, c, "amount", shared)), fmt.Sprintf("[{byte[] %d}]", filtered); got != want {
		t.Errorf("of large byte arrays there are %s, want %s", got, want)
	}
	// An indirect reference: what classes allocate is what their methods do.
	c = open(t, w, viz.Shared{}, viz.ChartSpec{View: "table", Map: map[string]string{"left": "Allocating Class", "right": "count"}})[0]
	var byClass axis
	for _, r := range rows {
		byClass.add(r[4], 1)
	}
	same(t, "classes", text(answer(t, c, "amount", viz.Shared{})), byAmount(&byClass))
}
