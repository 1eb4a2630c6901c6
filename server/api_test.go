package server

import (
	"encoding/binary"
	"encoding/csv"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

// sqlite opens a sample and waits until it is read.
func sqlite(t *testing.T) (*running, *v1.DataSet) {
	t.Helper()
	r := serve(t, Options{Samples: allSamples(), Version: "test"})
	answer, err := r.client.OpenSample(t.Context(), connect.NewRequest(&v1.OpenSampleRequest{Name: "sqlite.folded"}))
	if err != nil {
		t.Fatal(err)
	}
	return r, r.await(answer.Msg.DataSet, v1.DataSet_STATE_READY)
}

func (r *running) scene(q *v1.GetSceneRequest) *v1.Scene {
	r.t.Helper()
	answer, err := r.client.GetScene(r.t.Context(), connect.NewRequest(q))
	if err != nil {
		r.t.Fatal(err)
	}
	if answer.Msg.LayoutMs < 0 {
		r.t.Errorf("the layout took %g ms", answer.Msg.LayoutMs)
	}
	return answer.Msg.Scene
}

func TestCatalog(t *testing.T) {
	r, _ := sqlite(t)
	answer, err := r.client.GetCatalog(t.Context(), connect.NewRequest(&v1.GetCatalogRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	c := answer.Msg
	if c.Version != "test" || len(c.Samples) != 3 || len(c.Formats) < 3 || len(c.Schemes) < 4 || c.Schemes[0].Title == "" {
		t.Fatalf("the catalog is %v", c)
	}
	views := map[string]*v1.View{}
	for _, v := range c.Views {
		views[v.Name] = v
		if (v.Tree || v.Pair) == (len(v.Dimensions) > 0) || v.Tree == (v.Sort != "") {
			t.Errorf("a view is %v", v)
		}
	}
	if y := views["bar"].Dimensions[1]; y.Name != "y" || y.Title == "" || y.Description == "" || y.Optional {
		t.Errorf("a dimension is %v", y)
	}
	for _, p := range views["ring"].Parameters {
		if p.Title == "" || p.Type == v1.Parameter_TYPE_UNSPECIFIED || p.Type == v1.Parameter_TYPE_CHOICE && len(p.Choices) < 2 {
			t.Errorf("a parameter is %v", p)
		}
	}
	// What a parameter goes with exists, in every view.
	for _, v := range c.Views {
		for _, p := range v.Parameters {
			if p.With == "" {
				continue
			}
			name, value, ok := strings.Cut(p.With, "=")
			if !ok || !slices.ContainsFunc(v.Parameters, func(o *v1.Parameter) bool {
				return o.Name == name && (o.Type != v1.Parameter_TYPE_CHOICE || slices.ContainsFunc(o.Choices, func(c *v1.Choice) bool { return c.Value == value }))
			}) {
				t.Errorf("%s: %s is offered with %q, which cannot be", v.Name, p.Name, p.With)
			}
		}
	}
	if by := views["ring"].Parameters[2]; by.Name != "by" || by.With != "color=metric" {
		t.Errorf("the second metric is %v", by)
	}
}

func TestSample(t *testing.T) {
	r, d := sqlite(t)
	// The numbers are those of the tool that wrote the sample.
	if d.Format != "folded" || d.Contexts != 951 || d.MaxDepth != 35 || d.Metrics[0].Total != 5994 || d.PreferredMetric != d.Metrics[0].Name || d.BytesRead != d.BytesTotal || d.BytesTotal != 131340 {
		t.Errorf("the data set is %v", d)
	}
	_, err := r.client.OpenSample(t.Context(), connect.NewRequest(&v1.OpenSampleRequest{Name: "../go.mod"}))
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("an unknown sample gives %v", err)
	}
}

func TestScene(t *testing.T) {
	r, d := sqlite(t)
	for _, c := range []struct {
		steps, highlight string
		layers           uint32
		crumbs           int
	}{{"", "", 35, 1}, {"", "btree", 35, 1}, {"focus:3,depth:4", "", 4, 4}, {"norec", "", 35, 1}, {"bymethod", "", 1, 1}} {
		s := r.scene(&v1.GetSceneRequest{
			Look: &v1.Look{DataSet: d.Id, Steps: c.steps}, View: "ring", Width: 640, Height: 480, Highlight: c.highlight,
			Params: map[string]string{"sizing": "area", "color": "method"},
		})
		sec := s.Sectors
		n := len(sec.Kind)
		if n == 0 {
			t.Fatalf("%s: nothing is drawn", c.steps)
		}
		matches := 0
		if c.highlight != "" {
			matches = n
		}
		for name, size := range map[string][2]int{
			"id": {len(sec.Id), 4 * n}, "r0": {len(sec.R0), 4 * n}, "r1": {len(sec.R1), 4 * n}, "a0": {len(sec.A0), 4 * n}, "a1": {len(sec.A1), 4 * n},
			"fill": {len(sec.Fill), 4 * n}, "ink": {len(sec.Ink), 4 * n}, "method": {len(sec.Method), 4 * n}, "count": {len(sec.Count), 4 * n},
			"self": {len(sec.Self), 8 * n}, "total": {len(sec.Total), 8 * n}, "label": {len(sec.Label), n}, "match": {len(sec.Match), matches},
			"short names": {len(sec.ShortNames), len(sec.Names)},
		} {
			if size[0] != size[1] {
				t.Errorf("%s: %d sectors, but %s takes %d bytes, not %d", c.steps, n, name, size[0], size[1])
			}
		}
		for i := range n {
			if m := binary.LittleEndian.Uint32(sec.Method[4*i:]); m != math.MaxUint32 && int(m) >= len(sec.Names) {
				t.Errorf("%s: sector %d has name %d of %d", c.steps, i, m, len(sec.Names))
			}
		}
		if s.Width != 640 || s.Height != 480 || sec.Cx != 320 || sec.Cy != 240 || sec.MetricTotal != 5994 {
			t.Errorf("%s: %g×%g at %g,%g of %g", c.steps, s.Width, s.Height, sec.Cx, sec.Cy, sec.MetricTotal)
		}
		if total := math.Float64frombits(binary.LittleEndian.Uint64(sec.Total)); total != sec.RootTotal || binary.LittleEndian.Uint32(sec.Id) != s.Root {
			t.Errorf("%s: the first sector is not the root", c.steps)
		}
		if c.steps != "norec" && s.Layers != c.layers || len(s.Crumbs) != c.crumbs || s.Crumbs[len(s.Crumbs)-1].Id != s.Root {
			t.Errorf("%s: %d of %d layers, crumbs %v", c.steps, s.Layers, s.MaxLayers, s.Crumbs)
		}
	}
}

func TestContext(t *testing.T) {
	r, d := sqlite(t)
	get := func(id uint32, steps string) (*v1.GetContextResponse, error) {
		answer, err := r.client.GetContext(t.Context(), connect.NewRequest(&v1.GetContextRequest{Look: &v1.Look{DataSet: d.Id, Steps: steps}, Id: id}))
		if err != nil {
			return nil, err
		}
		return answer.Msg, nil
	}
	root, err := get(0, "")
	if err != nil || root.Name != "" || root.Contexts != 951 || len(root.Stack) != 0 || root.Metrics[0].TotalOfParent != 1 || root.Metrics[0].TotalOfRoot != 1 {
		t.Fatalf("the root is %v (%v)", root, err)
	}
	c, err := get(3, "focus:1")
	if err != nil {
		t.Fatal(err)
	}
	m := c.Metrics[0]
	if c.Id != 3 || c.Name != "main" || c.Depth != 3 || len(c.Stack) != 3 || c.StackOmitted != 0 || c.Merged != 1 || c.MethodContexts != 1 ||
		m.Total != 5833 || m.TotalOfRoot != 5833.0/5994 || m.TotalOfView != 5833.0/5994 || m.TotalOfParent != 1 || m.SelfOfRoot != float64(m.Self)/5994 {
		t.Errorf("main is %v", c)
	}
	for i, want := range []string{"main", "__libc_start_call_main", "sqlite3-fp"} {
		if f := c.Stack[i]; f.Name != want || f.Id != uint32(3-i) {
			t.Errorf("frame %d is %v", i, f)
		}
	}
	if len(c.Callees) == 0 || int64(len(c.Callees)) > c.CalleesTotal {
		t.Errorf("main calls %d of %d", len(c.Callees), c.CalleesTotal)
	}
	for i := 1; i < len(c.Callees); i++ {
		if c.Callees[i].Total > c.Callees[i-1].Total {
			t.Errorf("callees are not by falling total")
		}
	}
	for _, id := range []uint32{952, math.MaxUint32} {
		if _, err := get(id, ""); connect.CodeOf(err) != connect.CodeNotFound {
			t.Errorf("context %d gives %v", id, err)
		}
	}
}

func TestDeepStackIsCut(t *testing.T) {
	r := serve(t, Options{})
	d := r.await(r.upload("deep", strings.Repeat("f;", 999)+"g 1\n"), v1.DataSet_STATE_READY)
	answer, err := r.client.GetContext(t.Context(), connect.NewRequest(&v1.GetContextRequest{Look: &v1.Look{DataSet: d.Id}, Id: 1000}))
	if err != nil {
		t.Fatal(err)
	}
	s := answer.Msg.Stack
	if len(s) != 2*stackEnds || answer.Msg.StackOmitted != 1000-2*stackEnds || s[0].Id != 1000 || s[stackEnds-1].Id != 801 || s[stackEnds].Id != 200 || s[len(s)-1].Id != 1 {
		t.Errorf("%d frames, %d left out", len(s), answer.Msg.StackOmitted)
	}
	scene := r.scene(&v1.GetSceneRequest{Look: &v1.Look{DataSet: d.Id, Steps: "focus:1000"}, View: "ring", Width: 300, Height: 300})
	if n := len(scene.Crumbs); n != 2*stackEnds+1 || scene.Crumbs[1].Id != 1 || scene.Crumbs[n-1].Id != 1000 {
		t.Errorf("%d crumbs", n)
	}
}

func TestSearchCall(t *testing.T) {
	r, d := sqlite(t)
	search := func(q *v1.SearchRequest) *v1.SearchResponse {
		t.Helper()
		q.Look = &v1.Look{DataSet: d.Id}
		answer, err := r.client.Search(t.Context(), connect.NewRequest(q))
		if err != nil {
			t.Fatal(err)
		}
		return answer.Msg
	}
	a := search(&v1.SearchRequest{Query: "sqlite3-fp"})
	if a.Count != 1 || a.Total != 5994 || a.Share != 1 || a.MethodCount != 1 || a.Methods[0] != "sqlite3-fp" || a.Hits[0].Id != 1 {
		t.Errorf("found %v", a)
	}
	a = search(&v1.SearchRequest{Query: "btree -insert total>1", Limit: 7})
	if len(a.Hits) != 7 || a.Count < 7 || a.Total > 5994 || int(a.MethodCount) < len(a.Methods) {
		t.Fatalf("found %v", a)
	}
	for i, h := range a.Hits {
		name := strings.ToLower(h.Name)
		if !strings.Contains(name, "btree") || strings.Contains(name, "insert") || h.Total <= 1 || i > 0 && h.Total > a.Hits[i-1].Total {
			t.Errorf("hit %d is %v", i, h)
		}
	}
	if a = search(&v1.SearchRequest{Query: "total>=0"}); len(a.Hits) != defaultHits || a.Count != 951 || a.Share != 1 || len(a.Methods) != shownNames {
		t.Errorf("%d hits of %d, %d methods", len(a.Hits), a.Count, len(a.Methods))
	}
	if a = search(&v1.SearchRequest{Query: "/(/"}); a.Error == "" || a.Count != 0 || len(a.Hits) != 0 {
		t.Errorf("a wrong query gives %v", a)
	}
	if a = search(&v1.SearchRequest{Query: "nothing like it"}); a.Error != "" || a.Count != 0 || a.Share != 0 {
		t.Errorf("found %v", a)
	}
}

func TestWrongLooks(t *testing.T) {
	r, d := sqlite(t)
	good := func() *v1.GetSceneRequest {
		return &v1.GetSceneRequest{Look: &v1.Look{DataSet: d.Id}, View: "ring", Width: 100, Height: 100}
	}
	for want, c := range map[string]struct {
		code  connect.Code
		spoil func(*v1.GetSceneRequest)
	}{
		`no data set "d7"`:            {connect.CodeNotFound, func(q *v1.GetSceneRequest) { q.Look.DataSet = "d7" }},
		`no data set ""`:              {connect.CodeNotFound, func(q *v1.GetSceneRequest) { q.Look = nil }},
		`no view called "pie"`:        {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.View = "pie" }},
		`no metric "calories"`:        {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Look.Metric = "calories" }},
		`step "prune"`:                {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Look.Steps = "prune" }},
		`no context 952`:              {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Look.Steps = "focus:952" }},
		`parameter "sizing": is "xl"`: {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Params = map[string]string{"sizing": "xl"} }},
		`no parameter "x"`:            {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Params = map[string]string{"x": "1"} }},
		`0×100 pixels`:                {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Width = 0 }},
		`NaN pixels`:                  {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Height = math.NaN() }},
		`1e+09×100`:                   {connect.CodeInvalidArgument, func(q *v1.GetSceneRequest) { q.Width = 1e9 }},
	} {
		q := good()
		c.spoil(q)
		_, err := r.client.GetScene(t.Context(), connect.NewRequest(q))
		if connect.CodeOf(err) != c.code || !strings.Contains(err.Error(), want) {
			t.Errorf("the error %v does not say %q", err, want)
		}
	}
	// A search is wrong while it is typed; the picture stays.
	typed := good()
	typed.Highlight = "/(/"
	if s := r.scene(typed); s.Drawn == 0 || len(s.Sectors.Match) != 0 {
		t.Errorf("%d drawn, %d matches", s.Drawn, len(s.Sectors.Match))
	}
	// A search that is wrong, as while it is typed, does not take the picture away.
	q := good()
	q.Highlight = "/(/"
	if answer, err := r.client.GetScene(t.Context(), connect.NewRequest(q)); err != nil || answer.Msg.Scene.Drawn == 0 || len(answer.Msg.Scene.Sectors.Match) != 0 {
		t.Errorf("with a wrong search: %v", err)
	}
}

func TestExport(t *testing.T) {
	r, d := sqlite(t)
	get := func(ending, query string) (*http.Response, string) {
		return r.do("GET", r.Address()+"export."+ending+"?data_set="+url.QueryEscape(d.Id)+"&view=ring&width=200&height=200"+query, "", nil)
	}
	for ending, want := range map[string][2]string{
		"svg": {"image/svg+xml", "<svg"},
		"png": {"image/png", "\x89PNG"},
		"csv": {"text/csv; charset=utf-8", "id,parent,depth,name,self "},
	} {
		answer, body := get(ending, "&p.sizing=area&dark=1")
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != want[0] || !strings.Contains(body[:min(len(body), 200)], want[1]) {
			t.Errorf("%s: %s, %s: %.60q", ending, answer.Status, answer.Header.Get("Content-Type"), body)
		}
		if got := answer.Header.Get("Content-Disposition"); got != "attachment; filename=sqlite."+ending {
			t.Errorf("%s is to be kept as %q", ending, got)
		}
		if answer, body := get(ending, "&steps=prune"); answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, `step "prune"`) {
			t.Errorf("%s: a wrong step gives %s: %s", ending, answer.Status, body)
		}
	}
	_, body := get("csv", "&steps=depth:3")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || rows[1][1] != "-1" || rows[2][3] != "sqlite3-fp" || rows[2][5] != "5994" {
		t.Errorf("the table is %q (%v)", rows, err)
	}
	for _, row := range rows[1:] {
		if row[2] > "3" {
			t.Errorf("a row is %q", row)
		}
	}
	if answer, _ := r.do("GET", r.Address()+"export.svg?data_set=d9&view=ring", "", nil); answer.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown data set gives %s", answer.Status)
	}
}
