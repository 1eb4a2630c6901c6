package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/viz"
)

// brittle is a chart of events that fails where it is told to.
type brittle struct{ fail string }

func init() {
	viz.Register(viz.Factory{New: func() viz.Chart { return &brittle{} }, Definition: viz.Definition{
		Name: "brittle", Title: "Brittle", Description: "fails where it is told to",
		Dimensions: []viz.Dimension{{Name: "what", Title: "What", Description: "entities", Accepts: []data.Property{data.Reference}}},
		Parameters: []viz.Parameter{{Name: "fail", Title: "Fail", Type: viz.Choice, Default: "never", Choices: []viz.Option{
			{Value: "never"}, {Value: "configure"}, {Value: "batch"}, {Value: "scene"}}}},
	}})
}

func (b *brittle) at(where string) error {
	if b.fail == where {
		return errors.New("brittle: failed in " + where)
	}
	return nil
}

func (b *brittle) Configure(c viz.Config) error {
	b.fail = c.Params["fail"]
	return b.at("configure")
}
func (b *brittle) Batch(viz.Batch) error { return b.at("batch") }
func (b *brittle) Scene(f viz.Frame) (*scene.Scene, error) {
	return &scene.Scene{Width: f.Width, Height: f.Height}, b.at("scene")
}

// batches is how many batches of events the test's data set has.
const batches = 12

// sampled is a data set of stacks over time, in which a calls b, and b calls c
// in the last third of the time.
func sampled(context.Context) (*data.Set, error) {
	b := data.NewBuilder("sampled", "test")
	methods, err := b.EntityType("Method", "a function")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"a", "b", "c"} {
		if _, err := methods.Add(name); err != nil {
			return nil, err
		}
	}
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	if err != nil {
		return nil, err
	}
	if err := contexts.Adopt(nil, 3, data.Column{Refs: []data.EntityID{data.None, 0, 1}}, data.Column{Refs: []data.EntityID{0, 1, 2}}); err != nil {
		return nil, err
	}
	samples, err := b.EventType("Sample", "a look at the stack", data.Ref("Context", "Context", "the stack"),
		data.Value("Time", "ns", "when", data.Coordinate), data.Value("Weight", "bytes", "how much", data.Amount))
	if err != nil {
		return nil, err
	}
	const n = batches * data.BatchRows
	refs, times, weights := make([]data.EntityID, n), make([]int64, n), make([]int64, n)
	for i := range n {
		refs[i] = data.EntityID(i % 2)
		if i >= 2*n/3 {
			refs[i] = 2
		}
		times[i], weights[i] = int64(i), int64(1+i%2)
	}
	if err := samples.Adopt(n, data.Column{Refs: refs}, data.Column{Values: times}, data.Column{Values: weights}); err != nil {
		return nil, err
	}
	return b.Finish()
}

// sampling serves that data set.
func sampling(t *testing.T) (*running, string) {
	t.Helper()
	r := serve(t, Options{})
	d, err := r.Sets.Add("some/sampled.run", sampled)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.await(d.ID, v1.DataSet_STATE_READY).Id
}

func bar(id string) *v1.Panel {
	return &v1.Panel{Id: id, View: "bar", Width: 300, Height: 200, Map: map[string]string{"y": "Method", "x": "count"}}
}

// everything shows one panel of each kind, and one that is wrong.
func everything() []*v1.Panel {
	return []*v1.Panel{
		bar("bars"),
		{Id: "heat", View: "hotspot", Width: 300, Height: 200, Map: map[string]string{"y": "Method"}, Like: "bars"},
		{Id: "rows", View: "table", Width: 300, Height: 200},
		{Id: "ring", View: "ring", Width: 300, Height: 200},
		{Id: "pie", View: "pie", Width: 300, Height: 200},
	}
}

// visualized makes the call and collects what is answered.
func (r *running) visualized(q *v1.VisualizeRequest) []*v1.VisualizeResponse {
	r.t.Helper()
	stream, err := r.client.Visualize(r.t.Context(), connect.NewRequest(q))
	if err != nil {
		r.t.Fatal(err)
	}
	defer stream.Close()
	var all []*v1.VisualizeResponse
	for stream.Receive() {
		all = append(all, stream.Msg())
	}
	if stream.Err() != nil {
		r.t.Fatal(stream.Err())
	}
	return all
}

// story tells the answers, a line each.
func story(all []*v1.VisualizeResponse) string {
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%d/%d", a.Done/data.BatchRows, a.Total/data.BatchRows)
		for _, p := range a.Pictures {
			fmt.Fprintf(&b, " %s", p.Panel)
			switch {
			case p.Error != "":
				b.WriteString("!")
			case !p.Final:
				b.WriteString("…")
			}
		}
		if a.Complete {
			b.WriteString(" complete")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestVisualize(t *testing.T) {
	r, id := sampling(t)
	all := r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: everything()})
	first, last := all[0], all[len(all)-1]
	if got := story([]*v1.VisualizeResponse{first, last}); got != "0/0 ring pie!\n12/12 bars heat rows complete\n" {
		t.Errorf("the answers are\n%s", story(all))
	}
	if e := first.Pictures[1].Error; !strings.Contains(e, `no view called "pie"`) {
		t.Errorf("the error is %q", e)
	}
	if ring := first.Pictures[0]; ring.Scene.Sectors == nil || len(ring.Scene.Crumbs) != 1 || ring.Params["sizing"] != "length" || ring.Selectable {
		t.Errorf("the ring is %v", ring)
	}
	bars, heat, rows := last.Pictures[0], last.Pictures[1], last.Pictures[2]
	if bars.Subject != "Sample" || bars.Map["x"] != "count" || bars.Params["scale"] != "linear" || !bars.Selectable || !bars.Pointed {
		t.Errorf("the bars are configured as %v", bars)
	}
	rects := bars.Scene.Rects
	n := len(rects.Id)
	for name, column := range map[string][]byte{"x": rects.X, "y": rects.Y, "w": rects.W, "h": rects.H, "fill": rects.Fill} {
		if len(column) != n || n%4 != 0 {
			t.Errorf("%s has %d bytes, the ids have %d", name, len(column), n)
		}
	}
	lines := bars.Scene.Lines
	if len(lines.X0) == 0 || len(lines.X0) != len(lines.Color) || len(lines.Width) != len(lines.Y1) || len(bars.Scene.Texts) == 0 {
		t.Errorf("the lines are %v", lines)
	}
	if p := bars.Scene.Plots; len(p) != 1 || p[0].Up == nil || !p[0].Up.Entities || p[0].Up.Dimension != "y" || p[0].Up.Max != 3 || p[0].Across.Name != "count" {
		t.Errorf("the plots are %v", p)
	}
	if raster := heat.Scene.Rasters; len(raster) == 0 || len(raster[0].Pixels) != int(4*raster[0].Columns*raster[0].Rows) {
		t.Errorf("there are %d rasters", len(raster))
	}
	if table := rows.Scene.Table; table == nil || table.Total != 3 || len(table.Rows) != 3 || len(table.Rows[0].Cells) != len(table.Columns) || !table.Columns[1].Number || table.Rows[0].Share != 1 {
		t.Errorf("the table is %v", table)
	}
	// All of it is there now.
	if got := story(r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: everything(), Dark: true})); got != "0/0 bars heat rows ring pie! complete\n" {
		t.Errorf("the second time, the answers are\n%s", got)
	}
	// A panel that is new takes the others along, who need no pass.
	more := append(everything(), &v1.Panel{Id: "more", View: "table", Map: map[string]string{"left": "Method", "right": "count"}, Width: 99, Height: 99})
	all = r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: more})
	if got := story(all[:1]) + story(all[len(all)-1:]); got != "0/0 bars heat rows ring pie!\n12/12 more complete\n" {
		t.Errorf("with one more, the answers are\n%s", story(all))
	}
}

func TestVisualizeShares(t *testing.T) {
	r, id := sampling(t)
	rows := &v1.Panel{Id: "rows", View: "table", Width: 300, Height: 200, Map: map[string]string{"left": "Method", "right": "count"}}
	ring := &v1.Panel{Id: "ring", View: "ring", Width: 300, Height: 200}
	all := r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: []*v1.Panel{rows, ring}, Shared: &v1.Shared{
		Filter: `Method != "c"`, Selection: `Method == "b"`,
		Groups: []*v1.Group{{Name: "mine", Color: 0xff0000ff, Filter: `Method == "a"`}, {Name: "gone", Color: 0x00ff00ff, Filter: `Method == "b"`, Hidden: true}},
	}})
	table := all[len(all)-1].Pictures[0].Scene.Table
	got := ""
	for _, row := range table.Rows {
		got += fmt.Sprintf("%s %s %08x %v\n", row.Cells[0], row.Cells[1], row.Color, row.Selected)
	}
	if want := "a 262,144 ff0000ff false\nb 262,144 00000000 true\n"; got != want {
		t.Errorf("the table is\n%s", got)
	}
	// Between these there is progress, and unfinished pictures, if passes take their time.
	drawn := slices.IndexFunc(all, func(a *v1.VisualizeResponse) bool { return len(a.Pictures) > 0 && a.Pictures[0].Panel == "ring" })
	if drawn < 0 {
		t.Fatalf("the answers are\n%s", story(all))
	}
	if got := story(all[:1]) + story(all[drawn:drawn+1]) + story(all[len(all)-1:]); got != "0/0\n0/0 ring\n12/12 rows complete\n" {
		t.Errorf("the answers are\n%s", story(all))
	}
	s := all[drawn].Pictures[0].Scene
	if s.Legend == nil || s.Legend.Entries[0].Label != "mine" || len(s.Sectors.Match) != 3 || s.Sectors.Match[2] != 1 || s.Sectors.MetricTotal != 3*262144 ||
		binary.LittleEndian.Uint32(s.Sectors.Fill[4:]) != 0xff0000ff {
		t.Errorf("the ring is %v", s)
	}
}

// A search marks contexts in a tree with colour groups too; one that cannot be
// read takes no picture away.
func TestVisualizeHighlights(t *testing.T) {
	r, id := sampling(t)
	for search, want := range map[string]bool{"b": true, "/(/": false, "": false} {
		ring := &v1.Panel{Id: "ring", View: "ring", Width: 300, Height: 200, Highlight: search}
		all := r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: []*v1.Panel{ring}})
		p := all[len(all)-1].Pictures[0]
		if p.Error != "" || bytes.Contains(p.Scene.Sectors.Match, []byte{1}) != want {
			t.Errorf("%q: the picture marks %v (%s)", search, p.Scene.GetSectors().GetMatch(), p.Error)
		}
	}
}

// board makes one without a server.
func testBoard(t *testing.T, shared *v1.Shared, panels ...*v1.Panel) *board {
	t.Helper()
	set, err := sampled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := viz.NewWorkspace(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBoard(w, shared, panels, false)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ticking is a clock that goes on by step each time that somebody looks.
func ticking(step time.Duration) func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

func TestCoarsePicturesComeAtGrowingDistances(t *testing.T) {
	for step, want := range map[time.Duration]string{
		time.Millisecond: "0/0 ring\n12/12 bars heat complete\n",
		// Progress alone at first; pictures after 0.3 s, and not again within 0.6 s.
		60 * time.Millisecond: "0/0 ring\n2/12\n4/12 bars… heat…\n5/12\n7/12\n9/12\n11/12\n12/12 bars heat complete\n",
		// Drawing that takes long is done less often.
		200 * time.Millisecond: "0/0 ring\n1/12 bars… heat…\n2/12\n3/12\n4/12\n5/12\n6/12\n7/12\n8/12\n9/12\n10/12\n11/12 bars… heat…\n12/12 bars heat complete\n",
	} {
		var all []*v1.VisualizeResponse
		b := testBoard(t, nil, everything()[:2]...)
		ring := &panel{Panel: everything()[3]}
		ring.err = b.prepare(ring)
		b.panels = append(b.panels, ring)
		err := b.visualize(t.Context(), ticking(step), func(a *v1.VisualizeResponse) error {
			all = append(all, a)
			return nil
		})
		if got := story(all); err != nil || got != want {
			t.Errorf("looking each %v:\n%s(%v)", step, got, err)
		}
		// What is coarse lacks the method that occurs only in the end.
		for _, a := range all {
			for _, p := range a.Pictures {
				entities := 3.0
				if !p.Final && a.Done < 8*data.BatchRows {
					entities = 2
				}
				if p.Panel == "bars" && p.Scene.Plots[0].Up.Max != entities {
					t.Errorf("after %d events there are %v methods", a.Done, p.Scene.Plots[0].Up.Max)
				}
			}
		}
	}
}

func TestWhoGoesAwayStopsThePass(t *testing.T) {
	b := testBoard(t, nil, bar("bars"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen int64
	err := b.visualize(ctx, ticking(time.Second), func(a *v1.VisualizeResponse) error {
		if seen = a.Done; seen > 0 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || seen != data.BatchRows {
		t.Errorf("after %d events: %v", seen, err)
	}
	if c, err := b.w.Opened(b.panels[0].spec, b.shared); c != nil || err != nil {
		t.Errorf("half a chart is kept (%v)", err)
	}
	gone := errors.New("the page was closed")
	calls := 0
	err = b.visualize(t.Context(), ticking(time.Second), func(a *v1.VisualizeResponse) error {
		if calls++; a.Done > 0 {
			return gone
		}
		return nil
	})
	if err != gone || calls != 2 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

func TestOneWrongPanelTakesNoOtherAway(t *testing.T) {
	fails := func(where string) *v1.Panel {
		return &v1.Panel{Id: where, View: "brittle", Width: 10, Height: 10, Params: map[string]string{"fail": where}, Like: "batch"}
	}
	panels := []*v1.Panel{
		bar("bars"), fails("configure"), fails("batch"), fails("scene"), fails("never"),
		{Id: "small", View: "table", Width: math.NaN(), Height: 1e9},
		{Id: "field", View: "bar", Width: 10, Height: 10, Map: map[string]string{"x": "Colour"}},
		{Id: "subject", View: "table", Width: 10, Height: 10, Subject: "Sneeze"},
		{Id: "period", View: "hotspot", Width: 10, Height: 10, Period: &v1.Period{From: 2, To: 1}},
		{Id: "param", View: "ring", Width: 10, Height: 10, Params: map[string]string{"x": "1"}},
		{Id: "steps", View: "ring", Width: 10, Height: 10, Steps: "jump"},
		{Id: "sort", View: "table", Width: 10, Height: 10, Sort: map[string]string{"left": "colour"}},
		{Id: "odd", View: "hotspot", Width: 300, Height: 200, Rows: &v1.Range{From: math.NaN(), To: math.Inf(1)}, Columns: &v1.Range{From: -1e300, To: 1e300}, First: math.MinInt64},
		{Id: "typed", View: "ring", Width: 300, Height: 200, Highlight: "/(/"},
	}
	r, id := sampling(t)
	for range 2 { // the second time from what is kept
		got := map[string]string{}
		for _, a := range r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: panels}) {
			for _, p := range a.Pictures {
				got[p.Panel] = p.Error
			}
		}
		for panel, want := range map[string]string{
			"bars": "", "never": "", "odd": "", "typed": "",
			"configure": "brittle: failed in configure", "batch": "brittle: failed in batch", "scene": "brittle: failed in scene",
			"small": "a picture of NaN×1e+09 pixels", "field": `no field "Colour"`, "subject": `no type of event called "Sneeze"`,
			"period": "ends before it begins", "param": `has no parameter "x"`, "steps": `step "jump"`, "sort": `no sorting scheme "colour"`,
		} {
			if !strings.Contains(got[panel], want) || (want == "") != (got[panel] == "") {
				t.Errorf("%s: the error is %q", panel, got[panel])
			}
		}
	}
}

func TestPanelsThatFollowEachOther(t *testing.T) {
	like := func(id, leader string) *v1.Panel {
		p := bar(id)
		p.Like = leader
		return p
	}
	b := testBoard(t, nil, like("a", "b"), like("b", "c"), like("c", "b"), like("d", "d"), like("e", "nobody"), like("f", "e"), like("", ""), like("g", "pie"),
		&v1.Panel{Id: "pie", View: "pie"})
	for _, p := range b.panels {
		got := ""
		if p.like != nil {
			got = p.like.GetId()
		}
		want, ok := map[string]string{"b": "c", "c": "b", "f": "e"}[p.GetId()]
		if p.GetId() == "a" {
			ok, want = true, got
			if got != "b" && got != "c" {
				t.Errorf("a follows %q", got)
			}
		}
		if got != want || ok != (got != "") {
			t.Errorf("%s follows %q", p.GetId(), got)
		}
	}
}

func TestWrongBoards(t *testing.T) {
	r, id := sampling(t)
	many := make([]*v1.Panel, maxPanels+1)
	for i := range many {
		many[i] = bar(fmt.Sprint(i))
	}
	for want, q := range map[string]*v1.VisualizeRequest{
		`not_found: there is no data set "d9"`:                {DataSet: "d9"},
		"invalid_argument: there are 25 panels":               {DataSet: id, Panels: many},
		`invalid_argument: two panels have the id "x"`:        {DataSet: id, Panels: []*v1.Panel{bar("x"), bar("x")}},
		"invalid_argument: filter, at character":              {DataSet: id, Shared: &v1.Shared{Filter: "Method =="}},
		`invalid_argument: selection: filter: there is no`:    {DataSet: id, Shared: &v1.Shared{Selection: "Mthod == 1"}},
		`invalid_argument: colour group "io": filter, at cha`: {DataSet: id, Shared: &v1.Shared{Groups: []*v1.Group{{Name: "io", Filter: "("}}}},
		"invalid_argument: there are 256 colour groups":       {DataSet: id, Shared: &v1.Shared{Groups: make([]*v1.Group, 256)}},
	} {
		for i := range q.GetShared().GetGroups() {
			if q.Shared.Groups[i] == nil {
				q.Shared.Groups[i] = &v1.Group{}
			}
		}
		stream, err := r.client.Visualize(t.Context(), connect.NewRequest(q))
		if err != nil {
			t.Fatal(err)
		}
		for stream.Receive() {
		}
		if err := stream.Err(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error %v does not begin with %q", err, want)
		}
		stream.Close()
	}
	if all := r.visualized(&v1.VisualizeRequest{DataSet: id}); story(all) != "0/0 complete\n" {
		t.Errorf("without panels the answer is\n%s", story(all))
	}
}

func TestPointAndSelect(t *testing.T) {
	r, id := sampling(t)
	panels := []*v1.Panel{bar("bars"), bar("other")}
	panels[0].Sort, panels[1].Like = map[string]string{"y": "lexical"}, "bars"
	point := func(panel string, x, y float64) *v1.PointResponse {
		t.Helper()
		a, err := r.client.Point(t.Context(), connect.NewRequest(&v1.PointRequest{DataSet: id, Panels: panels, Panel: panel, X: x, Y: y}))
		if err != nil {
			t.Fatal(err)
		}
		return a.Msg
	}
	if a := point("bars", 150, 100); a.Found {
		t.Errorf("before there is a picture, there is %v under the pointer", a)
	}
	if d, err := r.Sets.Find(id); err != nil {
		t.Fatal(err)
	} else if w, _ := d.Workspace(); w != nil {
		spec := viz.ChartSpec{View: "bar", Map: panels[0].Map}
		if c, err := w.Opened(spec, viz.Shared{}); c != nil || err != nil {
			t.Errorf("pointing started a pass (%v)", err)
		}
	}
	all := r.visualized(&v1.VisualizeRequest{DataSet: id, Panels: panels})
	plot := all[len(all)-1].Pictures[1].Scene.Plots[0]
	// The rows are a, b, c from the top, in both.
	for row, method := range []string{"a", "b", "c"} {
		y := plot.Y + plot.H*(float64(row)+0.5)/3
		a := point("other", plot.X+3, y)
		if !a.Found || a.Title != method || len(a.Facts) == 0 || a.Facts[0].Name == "" {
			t.Errorf("on row %d there is %v", row, a)
		}
	}
	if a := point("other", math.NaN(), math.Inf(1)); a.Found {
		t.Errorf("nowhere, there is %v", a)
	}
	selected := func(panel string, filter string, y0, y1 float64) (string, error) {
		a, err := r.client.Select(t.Context(), connect.NewRequest(&v1.SelectRequest{DataSet: id, Panels: panels, Panel: panel, Shared: &v1.Shared{Filter: filter},
			X0: plot.X + 5, X1: plot.X, Y0: y0, Y1: y1}))
		if err != nil {
			return "", err
		}
		return a.Msg.Filter, nil
	}
	third := plot.H / 3
	for _, filter := range []string{"", `event < 600000`} { // for the second, there is no picture yet
		text, err := selected("other", filter, plot.Y+1.5*third, plot.Y+0.5*third)
		if err != nil || text != `"Method" in ["a", "b"]` {
			t.Errorf("with the filter %q, selected is %s (%v)", filter, text, err)
		}
	}
	if text, err := selected("bars", "", -50, -40); err != nil || text != "" {
		t.Errorf("outside, selected is %q (%v)", text, err)
	}
	panels = append(panels, &v1.Panel{Id: "ring", View: "ring"}, &v1.Panel{Id: "pie", View: "pie"}, &v1.Panel{Id: "no", View: "brittle", Width: 9, Height: 9})
	for panel, want := range map[string]string{
		"ring": "draws a calling context tree and not events", "pie": "no view called", "none": `no panel "none"`, "no": "nothing can be selected in it",
	} {
		if _, err := selected(panel, "", 0, 1); connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", panel, err)
		}
	}
	if _, err := selected("bars", "", 0, math.NaN()); err == nil || !strings.Contains(err.Error(), "are no rectangle") {
		t.Errorf("the error is %v", err)
	}
}
