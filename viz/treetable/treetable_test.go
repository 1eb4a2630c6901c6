package treetable

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"pgregory.net/rapid"
)

// tb is what *testing.T and *rapid.T share.
type tb interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// drawnContext is a context of a tree: its caller's position before it, -1 for none.
type drawnContext struct {
	caller int
	name   string
	self   [2]int64
}

func workspace(t tb, contexts []drawnContext) *viz.Workspace {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	var names []string
	n := len(contexts)
	parents, methods, at := make([]data.EntityID, n), make([]data.EntityID, n), make([]data.EntityID, n)
	values := [2][]int64{make([]int64, n), make([]int64, n)}
	for i, c := range contexts {
		m := slices.Index(names, c.name)
		if m < 0 {
			m = len(names)
			names = append(names, c.name)
		}
		at[i], methods[i], parents[i] = data.EntityID(i), data.EntityID(m), data.None
		if c.caller >= 0 {
			parents[i] = data.EntityID(c.caller)
		}
		values[0][i], values[1][i] = c.self[0], c.self[1]
	}
	b := data.NewBuilder("drawn", "test")
	me, err := b.EntityType("Method", "")
	must(err)
	must(me.Adopt(names, len(names)))
	ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(ce.Adopt(nil, n, data.Column{Refs: parents}, data.Column{Refs: methods}))
	se, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value("m0", "count", "", data.Amount), data.Value("m1", "bytes", "", data.Amount))
	must(err)
	must(se.Adopt(n, data.Column{Refs: at}, data.Column{Values: values[0]}, data.Column{Values: values[1]}))
	set, err := b.Finish()
	must(err)
	w, err := viz.NewWorkspace(context.Background(), set)
	must(err)
	return w
}

func request(params ...string) viz.Request {
	r := viz.Request{View: Name, Params: map[string]string{}, Viewport: viz.Viewport{Width: 800, Height: 600}}
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		r.Params[name] = value
	}
	return r
}

func take(t tb, w *viz.Workspace, r viz.Request) *scene.Scene {
	t.Helper()
	s, v, err := w.Scene(context.Background(), r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	contexts := int64(v.End[v.Root] - v.Root)
	if v.Method[v.Root] == data.None {
		contexts--
	}
	if s.Drawn+s.TooSmall+s.Deeper != contexts {
		t.Errorf("%v: %d drawn, %d too small and %d deeper are not the %d contexts", r.Params, s.Drawn, s.TooSmall, s.Deeper, contexts)
	}
	return s
}

var toy = []drawnContext{
	{-1, "main", [2]int64{0, 0}}, {0, "a", [2]int64{1, 50}}, {1, "x", [2]int64{7, 0}}, {0, "b", [2]int64{5, 2}}, {3, "y", [2]int64{0, 3}}, {4, "z", [2]int64{1, 1}},
}

// text writes the rows, indented, with the sign of each and its cells.
func text(s *scene.Scene) string {
	var out strings.Builder
	for _, r := range s.Table.Rows {
		sign := " "
		if r.Expanded {
			sign = "-"
		} else if r.Expandable {
			sign = "+"
		}
		fmt.Fprintf(&out, "%s%s%s|", strings.Repeat(" ", r.Depth), sign, r.Cells[0])
	}
	return out.String()
}

func TestRows(t *testing.T) {
	w := workspace(t, toy)
	for _, c := range []struct{ params, steps, want string }{
		{"", "", "-everything| +main|"},
		{"levels=0", "", "+everything|"},
		{"open=1", "", "-everything| -main|  +a|  +b|"},
		{"open=1.4.5", "", "-everything| -main|  +a|  -b|   -y|     z|"},
		{"open=1.5", "", "-everything| -main|  +a|  +b|"}, // 5 is open within what is closed
		{"open=0.1", "", "+everything|"},
		{"levels=9", "", "-everything| -main|  -a|    x|  -b|   -y|     z|"},
		{"levels=9 open=4", "", "-everything| -main|  -a|    x|  +b|"},
		{"levels=9", "depth:2", "-everything| -main|   a|   b|"},
		{"levels=9", "focus:4", "-b| -y|   z|"},
		{"levels=9 sort=total:m1", "", "-everything| -main|  -a|    x|  -b|   -y|     z|"},
		{"levels=9 sort=-total:m1", "", "-everything| -main|  -b|   -y|     z|  -a|    x|"},
		{"levels=9 sort=self", "", "-everything| -main|  -b|   -y|     z|  -a|    x|"},
		{"levels=9 sort=-name", "", "-everything| -main|  -b|   -y|     z|  -a|    x|"},
		{"levels=2 sort=name", "bymethod", "-everything|  a|  b|  main|  x|  y|  z|"},
	} {
		r := request(strings.Fields(c.params)...)
		r.Look.Steps = c.steps
		if got := text(take(t, w, r)); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s, %s:\n%s\nwant\n%s", c.params, c.steps, got, c.want)
		}
	}
}

func TestCellsAndColumns(t *testing.T) {
	w := workspace(t, toy)
	r := request("levels=9")
	r.Look.Metric, r.Highlight, r.Selection = "m1", "y", `Method == "a"`
	r.Groups = []viz.Group{{Name: "hot", Color: scene.RGB(1, 2, 3), Filter: `Method == "z"`}}
	s := take(t, w, r)
	var heads []string
	for _, c := range s.Table.Columns {
		heads = append(heads, fmt.Sprintf("%s(%s,%d)", c.Title, c.Sort, c.Sorted))
	}
	if got, want := strings.Join(heads, " "), "Context(name,0) total m1(-total:m1,1) share(,0) self m1(self:m1,0) total m0(total:m0,0) self m0(self:m0,0)"; got != want {
		t.Errorf("the columns are\n%s\nwant\n%s", got, want)
	}
	for _, row := range s.Table.Rows {
		cells := strings.ReplaceAll(strings.Join(row.Cells, " "), "\u00a0", " ")
		switch row.Cells[0] {
		case "a":
			if cells != "a 50 B 89.3 % 50 B 8 1" || !row.Selected || row.Sibling != 1 || row.Siblings != 2 || row.Parent != 1 {
				t.Errorf("a has %q: %+v", cells, row)
			}
		case "y":
			if row.Match != scene.MatchSelf || row.Parent != 4 || row.Share < 4./56-1e-9 || row.Share > 4./56+1e-9 {
				t.Errorf("y has %+v", row)
			}
		case "z":
			if row.Color != scene.RGB(1, 2, 3) {
				t.Errorf("z has %+v", row)
			}
		}
	}
	if s.Legend == nil || s.Legend.Entries[0].Label != "hot" {
		t.Errorf("the legend is %+v", s.Legend)
	}
	// What is found in a closed row is told by the row.
	r.Params["levels"] = "2"
	for _, row := range take(t, w, r).Table.Rows {
		if want := map[bool]uint8{true: scene.MatchHidden}[row.Cells[0] == "b"]; row.Match != want {
			t.Errorf("%s is marked with %d", row.Cells[0], row.Match)
		}
	}
}

func TestWrongParameters(t *testing.T) {
	w := workspace(t, toy)
	for _, c := range []struct{ param, want string }{{"open=1,2", "ids with dots"}, {"sort=size", "total, self, name"}, {"sort=name:m0", "total, self, name"}, {"sort=self:x", `no metric "x"`}, {"levels=-1", "from 0"}} {
		if _, _, err := w.Scene(context.Background(), request(c.param)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.param, err)
		}
	}
}

// TestRandomTrees compares any part of the rows with all of them, as they are by
// definition: a row, and if it is open, its callees' rows in order.
func TestRandomTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contexts := []drawnContext{{-1, "m0", [2]int64{1, 1}}}
		for i := range rapid.IntRange(0, 60).Draw(t, "contexts") {
			contexts = append(contexts, drawnContext{
				rapid.IntRange(-1, i).Draw(t, "caller"), fmt.Sprint("m", rapid.IntRange(0, 9).Draw(t, "method")),
				[2]int64{rapid.Int64Range(0, 3).Draw(t, "self"), rapid.Int64Range(0, 3).Draw(t, "second")},
			})
		}
		w := workspace(t, contexts)
		v := w.Tree.Whole()
		steps := rapid.SampledFrom([]string{"", "depth:2", "depth:1000", fmt.Sprintf("focus:%d", rapid.IntRange(0, v.Len()-1).Draw(t, "focus")), "norec"}).Draw(t, "steps")
		v, metric, err := w.View(context.Background(), viz.Look{Steps: steps})
		if err != nil {
			t.Fatalf("%v", err)
		}
		levels := rapid.SampledFrom([]int{0, 1, 2, 3, 1000}).Draw(t, "levels")
		var open []string
		other := map[cct.NodeID]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "opened") {
			id := cct.NodeID(rapid.IntRange(0, v.Base().Len()+3).Draw(t, "open"))
			open = append(open, fmt.Sprint(id))
			if n, ok := v.Node(id); ok {
				other[n] = true
			}
		}
		sort := rapid.SampledFrom([]string{"", "-total", "total:m1", "self", "-self:m1", "name", "-name"}).Draw(t, "sort")
		o, name, err := parseSort(sort)
		if err != nil {
			t.Fatalf("%v", err)
		}
		by := metric
		if name != "" {
			by, _ = v.Metric(name)
		}
		type plain struct {
			node   cct.NodeID
			parent int
		}
		var all []plain
		var list func(n cct.NodeID, parent int)
		list = func(n cct.NodeID, parent int) {
			at := len(all)
			all = append(all, plain{n, parent})
			layer := int(v.Depth[n] - v.Depth[v.Root])
			if (layer < levels) == other[n] || v.Layers >= 0 && layer >= v.Layers {
				return
			}
			var kids []cct.NodeID
			for c := range v.Children(n) {
				kids = append(kids, c)
			}
			slices.SortStableFunc(kids, func(a, b cct.NodeID) int {
				byName := cmp.Compare(v.Name(a), v.Name(b))
				switch o.by {
				case "self":
					return cmp.Compare(v.Self[by][b], v.Self[by][a])
				case "name":
					return byName
				}
				return cmp.Or(cmp.Compare(v.Total[by][b], v.Total[by][a]), byName)
			})
			if o.turned {
				slices.Reverse(kids)
			}
			for _, c := range kids {
				list(c, at)
			}
		}
		list(v.Root, -1)
		r := request(fmt.Sprint("levels=", levels), "open="+strings.Join(open, "."), "sort="+sort)
		r.Look.Steps = steps
		r.Viewport.Height = 24 * float64(rapid.IntRange(1, 70).Draw(t, "room"))
		r.First = rapid.IntRange(0, len(all)+2).Draw(t, "first")
		s := take(t, w, r)
		if s.Table.Total != len(all) || s.Table.First != min(r.First, len(all)-1) {
			t.Fatalf("%d rows from %d on, not %d", s.Table.Total, s.Table.First, len(all))
		}
		if want := min(int(r.Viewport.Height/24)+1, len(all)-s.Table.First); len(s.Table.Rows) != want {
			t.Fatalf("%d rows were written, not %d", len(s.Table.Rows), want)
		}
		for i, row := range s.Table.Rows {
			want := all[s.Table.First+i]
			if row.ID != uint32(v.ID(want.node)) || row.Parent != want.parent {
				t.Fatalf("row %d is %d, below row %d, not %d below %d", s.Table.First+i, row.ID, row.Parent, v.ID(want.node), want.parent)
			}
		}
	})
}
