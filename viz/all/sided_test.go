package all

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/viz"
)

// threaded makes a Chrome trace of calls, a line each: thread, name, start and
// duration in microseconds. Those of other threads than the wanted are left out.
func threaded(t testing.TB, name string, want string, calls ...string) *viz.Workspace {
	t.Helper()
	var events []string
	for _, call := range calls {
		f := strings.Fields(call)
		if want == "" || f[0] == want {
			events = append(events, fmt.Sprintf(`{"ph":"X","pid":7,"tid":%s,"name":%q,"ts":%s,"dur":%s}`, f[0], f[1], f[2], f[3]))
		}
	}
	return opened(t, name, `{"traceEvents":[`+strings.Join(events, ",\n")+`]}`)
}

var (
	callsOfA = []string{"1 main 0 100", "1 srv.run.func1 10 20", "1 leaf 15 5", "1 other 60 10", "2 main 0 50", "2 srv.run.func1 5 10", "2 idle 30 10"}
	callsOfB = []string{"1 main 0 200", "1 first 0 50", "1 srv.run.func7 100 40", "2 main 0 80", "2 srv.run.func7 5 40", "2 leaf 6 3"}
)

// costs writes what contexts cost in A and in B, in total: a line each.
func costs(w *viz.Workspace, v cct.View) string {
	m := w.Difference.Metrics[0]
	var lines []string
	for n := v.Root; n < v.End[v.Root]; n++ {
		path := ""
		for at := n; at != cct.NoNode && v.Name(at) != ""; at = v.Parent[at] {
			path = "/" + v.Name(at) + path
		}
		lines = append(lines, fmt.Sprintf("%s %d %d %d", path, v.Total[m.Side[0]][n], v.Total[m.Side[1]][n], v.Total[m.Both][n]))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// A filter of what only traces have, such as threads, is decided by each of them:
// the tree is that of two traces without the other threads, wherever the filter
// stands.
func TestFilterOfSides(t *testing.T) {
	ctx := context.Background()
	pair := func(thread string) *viz.Workspace {
		t.Helper()
		w, err := viz.NewComparison(ctx, match.Names{Stable: true}, threaded(t, "a.json", thread, callsOfA...), threaded(t, "b.json", thread, callsOfB...))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	view := func(w *viz.Workspace, l viz.Look) cct.View {
		t.Helper()
		v, _, err := w.View(ctx, l)
		if err != nil {
			t.Fatalf("%+v: %v", l, err)
		}
		return v
	}
	w, only := pair(""), pair("2")
	second := `Thread contains "2"`
	want := costs(only, view(only, viz.Look{}))
	for _, l := range []viz.Look{
		{Filter: second}, {Steps: "filter:" + second}, {Steps: "filter:" + second + ",filter:" + second}, {Filter: second, Steps: "filter:" + second},
		{Filter: "(" + second + ") and (Method matches \".\")"},
	} {
		if got := costs(w, view(w, l)); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", l, got, want)
		}
	}
	// Other steps and filters on both sides of it.
	leaf := `Method == "leaf"`
	for _, steps := range []string{"norec", "bymethod", "compact:1", "filter:" + leaf, "norec,filter:" + leaf + ",bymethod"} {
		want := costs(only, view(only, viz.Look{Steps: steps}))
		for _, l := range []viz.Look{{Filter: second, Steps: steps}, {Steps: "filter:" + second + "," + steps}} {
			if got := costs(w, view(w, l)); got != want {
				t.Errorf("%+v:\n%s\nwant\n%s", l, got, want)
			}
		}
		if strings.Contains(steps, "compact") {
			continue // after it, a filter leaves nodes as all events made them
		}
		if got := costs(w, view(w, viz.Look{Steps: steps + ",filter:" + second})); got != want {
			t.Errorf("%s, then the filter:\n%s\nwant\n%s", steps, got, want)
		}
	}
	// Times, in nanoseconds: what began later, below what called it.
	if got, want := costs(w, view(w, viz.Look{Filter: "Start >= 12000"})), ` 25000 40000 65000
/main 25000 40000 65000
/main/idle 10000 0 10000
/main/other 10000 0 10000
/main/srv.run.func# 5000 40000 45000
/main/srv.run.func#/leaf 5000 0 5000`; got != want {
		t.Errorf("by time:\n%s\nwant\n%s", got, want)
	}
	// Ids of contexts are the comparison's beside a filter that the sides decide.
	var run cct.NodeID
	for n := range cct.NodeID(w.Tree.Len()) {
		if w.Tree.Name(n) == "srv.run.func#" {
			run = n
		}
	}
	mixed := fmt.Sprintf("(Context == %d) and (%s)", run, second)
	v := view(w, viz.Look{Filter: mixed})
	if m := w.Difference.Metrics[0]; v.Total[m.Side[0]][cct.Root] != 10000 || v.Total[m.Side[1]][cct.Root] != 40000 {
		t.Errorf("%s: %s", mixed, costs(w, v))
	}

	// Charts of all kinds agree, and what is chosen so takes no colours away.
	shared := viz.Shared{Filter: second, Selection: second, Groups: []viz.Group{{Name: "second", Filter: second}}}
	if err := w.CheckShared(shared); err != nil {
		t.Fatal(err)
	}
	charts, err := w.Charts(ctx, []viz.ChartSpec{{View: "overview"}, {View: "table", Map: map[string]string{"entity": "Method"}}}, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := charts[1].Scene(viz.View{Viewport: viz.Viewport{Width: 800, Height: 600}}, shared)
	if err != nil {
		t.Fatal(err)
	}
	rows := ""
	for _, r := range s.Table.Rows {
		rows += strings.Join(r.Cells, " ") + "\n"
	}
	if strings.Contains(rows, "other") || strings.Contains(rows, "first") || !strings.Contains(rows, "idle") {
		t.Errorf("the table has rows of other threads:\n%s", rows)
	}
	if _, _, err := w.Scene(ctx, viz.Request{View: "icicle", Viewport: viz.Viewport{Width: 800, Height: 600}, Look: viz.Look{Filter: second}, Groups: shared.Groups, Selection: shared.Selection}); err != nil {
		t.Error(err)
	}

	for filter, want := range map[string]string{
		`Nobody == "x"`: "Nobody",
		fmt.Sprintf(`Context == %d or %s`, run, second): `is about contexts of the comparison and about what only the events of A and B have: write two filters, or join them by "and"`,
	} {
		if _, _, err := w.View(ctx, viz.Look{Filter: filter}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", filter, err)
		}
	}
}

// Where only one side has what a filter is about, that is said, with its name.
func TestFilterOfOneSide(t *testing.T) {
	profile := func(name string, threads bool) *viz.Workspace {
		t.Helper()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		b := data.NewBuilder("runs/"+name, "test")
		methods, err := b.EntityType("Method", "")
		must(err)
		_, err = methods.Add("main")
		must(err)
		contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
		must(err)
		_, err = contexts.Add("", int64(data.None), 0)
		must(err)
		fields, rows := []data.Field{data.Ref("Context", "Context", ""), data.Value("n", "count", "", data.Amount)}, [][]int64{{0, 7}, {0, 1}}
		if threads {
			table, err := b.EntityType("Thread", "")
			must(err)
			for i, name := range []string{"gc", "worker"} {
				_, err = table.Add(name)
				must(err)
				rows[i] = append(rows[i], int64(i))
			}
			fields = append(fields, data.Ref("Thread", "Thread", ""))
		}
		samples, err := b.EventType("Sample", "", fields...)
		must(err)
		for _, row := range rows {
			must(samples.Add(row...))
		}
		set, err := b.Finish()
		must(err)
		w, err := viz.NewWorkspace(context.Background(), set)
		must(err)
		return w
	}
	with, without := profile("with.pb", true), profile("without.pb", false)
	filter := viz.Look{Filter: `Thread == "gc"`}
	for _, c := range []struct {
		a, b *viz.Workspace
		want string // of an error; or the totals of A and B
	}{
		{with, without, "only A can be filtered so; without.pb: filter: there is no field"},
		{without, with, "only B can be filtered so; without.pb: filter: there is no field"},
		{without, without, `called "Thread"`},
		{with, with, "7 7"},
	} {
		w := compared(t, c.a, c.b)
		v, _, err := w.View(context.Background(), filter)
		got := fmt.Sprint(err)
		if err == nil {
			m := w.Difference.Metrics[0]
			got = fmt.Sprint(v.Total[m.Side[0]][cct.Root], v.Total[m.Side[1]][cct.Root])
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
