package server

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/cambium-prof/cambium/data"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

func (r *running) form(q *v1.GetFormRequest) *v1.GetFormResponse {
	r.t.Helper()
	answer, err := r.client.GetForm(r.t.Context(), connect.NewRequest(q))
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.Msg
}

func TestFormOffersWhatFits(t *testing.T) {
	r, id := sampling(t)
	describe := func(f *v1.GetFormResponse) string {
		var b strings.Builder
		for _, s := range f.Subjects {
			fmt.Fprintf(&b, "%s (%s, %d) ", s.Name, s.Description, s.Rows)
		}
		fmt.Fprintf(&b, "> %s\n", f.Subject)
		for _, d := range f.Dimensions {
			fmt.Fprintf(&b, "%s %q:", d.Name, f.Map[d.Name])
			for _, c := range d.Fields {
				fmt.Fprintf(&b, " %s", c.Name)
				if c.Indirect {
					b.WriteString(" (indirect)")
				}
				if c.Refers != "" {
					fmt.Fprintf(&b, "→%s", c.Refers)
				}
				if c.Unit != "" {
					fmt.Fprintf(&b, " in %s", c.Unit)
				}
			}
			b.WriteByte('\n')
		}
		return b.String() + f.Problem
	}
	for _, c := range []struct {
		q    *v1.GetFormRequest
		want string
	}{
		{&v1.GetFormRequest{View: "table", Map: map[string]string{"left": "Method"}}, "Sample (a look at the stack, 786432) > Sample\n" +
			"left \"Method\": Context→Context Method (indirect)→Method\nright \"Weight\": Weight in bytes count in count\n"},
		{&v1.GetFormRequest{View: "table", Map: map[string]string{"left": "Method", "right": "count"}}, "Sample (a look at the stack, 786432) > Sample\n" +
			"left \"Method\": Context→Context Method (indirect)→Method\nright \"count\": Weight in bytes count in count\n"},
		{&v1.GetFormRequest{View: "table", Map: map[string]string{"left": "Method", "right": "Method"}}, "Sample (a look at the stack, 786432) > Sample\n" +
			"left \"Method\": Context→Context Method (indirect)→Method\nright \"Weight\": Weight in bytes count in count\n" +
			`table: dimension "right" needs a field with the property amount, which "Method" has not`},
		{&v1.GetFormRequest{View: "table", Subject: "Sneeze"}, "Sample (a look at the stack, 786432) > \n" +
			`table: sampled has no type of event called "Sneeze" (it has Sample)`},
		{&v1.GetFormRequest{View: "ring"}, "> \n"},
	} {
		c.q.DataSet = id
		got := r.form(c.q)
		if d := describe(got); d != c.want {
			t.Errorf("%v:\n%s\nwant\n%s", c.q, d, c.want)
		}
		if c.q.View == "ring" && len(got.Parameters) != 3 {
			t.Errorf("the ring has %d parameters", len(got.Parameters))
		}
	}
	// What can only be drawn in part: no coordinates, no references.
	bare, err := r.Sets.Add("bare", func(context.Context) (*data.Set, error) {
		b := data.NewBuilder("bare", "test")
		e, err := b.EventType("Pause", "", data.Value("At", "ns", "", data.Coordinate))
		if err == nil {
			err = e.Add(1)
		}
		if err != nil {
			return nil, err
		}
		return b.Finish()
	})
	if err != nil {
		t.Fatal(err)
	}
	r.await(bare.ID, v1.DataSet_STATE_READY)
	for view, want := range map[string]string{"hotspot": "no type of event of bare has the fields for it", "ring": "has no calling contexts"} {
		if f := r.form(&v1.GetFormRequest{DataSet: bare.ID, View: view}); len(f.Subjects) != 0 || !strings.Contains(f.Problem, want) {
			t.Errorf("%s: the form is %v", view, f)
		}
	}
	if _, err := r.client.GetForm(t.Context(), connect.NewRequest(&v1.GetFormRequest{DataSet: id, View: "pie"})); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("the error is %v", err)
	}
}

func TestCheckFilter(t *testing.T) {
	r, id := sampling(t)
	for text, want := range map[string]string{
		``:                                "Sample 786432 of 786432, Method 3 of 3, Context 3 of 3",
		`Method == "c"`:                   "Sample* 262144 of 786432, Method* 1 of 3, Context* 1 of 3",
		`Context == 2`:                    "Sample* 524288 of 786432, Method 3 of 3, Context* 2 of 3",
		`Weight > 1 and not (Time < 100)`: "Sample* 393166 of 786432, Method 3 of 3, Context 3 of 3",
		`Method = "c"`:                    `error`,
		`Mthod == "c"`:                    `error`,
	} {
		answer, err := r.client.CheckFilter(t.Context(), connect.NewRequest(&v1.CheckFilterRequest{DataSet: id, Filter: text}))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, k := range answer.Msg.Kept {
			mark := ""
			if k.Applies {
				mark = "*"
			}
			if k.Event != (k.Type == "Sample") || k.Unknown {
				t.Errorf("%s: %v", text, k)
			}
			all = append(all, fmt.Sprintf("%s%s %d of %d", k.Type, mark, k.Kept, k.Rows))
		}
		got := strings.Join(all, ", ")
		if answer.Msg.Error != "" {
			got += "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%s)", text, got, want, answer.Msg.Error)
		}
	}
	b := testBoard(t, nil)
	f, err := b.w.Filter(`Method == "c"`)
	if err != nil {
		t.Fatal(err)
	}
	if k, err := countEvents(t.Context(), f, b.w.Set.Event("Sample"), 1000); err != nil || !k.Unknown || !k.Applies || k.Kept != 0 {
		t.Errorf("of too many events it is said %v (%v)", k, err)
	}
}

func TestLookHasAFilter(t *testing.T) {
	r, id := sampling(t)
	look := &v1.Look{DataSet: id, Filter: `Method == "c"`}
	s := r.scene(&v1.GetSceneRequest{Look: look, View: "ring", Width: 300, Height: 300})
	const c = 262144 * 3 / 2
	if s.Sectors.MetricTotal != c || s.Sectors.RootTotal != c {
		t.Errorf("of %v and %v", s.Sectors.MetricTotal, s.Sectors.RootTotal)
	}
	answer, err := r.client.GetContext(t.Context(), connect.NewRequest(&v1.GetContextRequest{Look: look, Id: 3}))
	if err != nil || answer.Msg.Name != "c" || answer.Msg.Metrics[0].Total != c || answer.Msg.Metrics[0].TotalOfRoot != 1 {
		t.Errorf("the context is %v (%v)", answer, err)
	}
	found, err := r.client.Search(t.Context(), connect.NewRequest(&v1.SearchRequest{Look: look, Query: "b"}))
	if err != nil || found.Msg.Total != c || found.Msg.Share != 1 {
		t.Errorf("found is %v (%v)", found, err)
	}
	look.Filter = "("
	if _, err := r.client.GetContext(t.Context(), connect.NewRequest(&v1.GetContextRequest{Look: look, Id: 3})); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("the error is %v", err)
	}
}

func TestSavedWorkspaces(t *testing.T) {
	r, id := sampling(t)
	w := &v1.Workspace{
		Title: "mine", Layout: `{"a":[1]}`,
		Panels: []*v1.Panel{
			{Id: "a", Title: "Bars", View: "bar", Subject: "Sample", Map: map[string]string{"x": "count", "y": "Method"}, Params: map[string]string{"scale": "log"}, Sort: map[string]string{"y": "lexical"}},
			{Id: "b", View: "hotspot", Subject: "Sample", Map: map[string]string{"y": "Method"}, Params: map[string]string{}, Like: "a", Period: &v1.Period{From: 5, To: 9}},
			{Id: "c", View: "ring", Steps: "focus:2,norec", Metric: "Weight", Params: map[string]string{"sizing": "area"}},
		},
		Shared: &v1.Shared{Filter: `Context == 2`, Selection: `Time in 0..99`, Groups: []*v1.Group{{Name: "g", Color: 0x01020304, Filter: `Method == "c"`, Hidden: true}}},
	}
	saved, err := r.client.SaveWorkspace(t.Context(), connect.NewRequest(&v1.SaveWorkspaceRequest{DataSet: id, Workspace: w}))
	if err != nil || saved.Msg.FileName != "sampled.workspace.json" || !json.Valid(saved.Msg.Content) {
		t.Fatalf("saved is %v (%v)", saved, err)
	}
	opened, err := r.client.OpenWorkspace(t.Context(), connect.NewRequest(&v1.OpenWorkspaceRequest{DataSet: id, Content: saved.Msg.Content}))
	if err != nil || len(opened.Msg.Problems) != 0 {
		t.Fatalf("opened with %v (%v)", opened, err)
	}
	want := proto.CloneOf(w)
	want.Shared.Filter = `Context == "a → b"`
	var compact any
	if json.Unmarshal([]byte(opened.Msg.Workspace.Layout), &compact) != nil || fmt.Sprint(compact) != "map[a:[1]]" {
		t.Errorf("the layout is %s", opened.Msg.Workspace.Layout)
	}
	opened.Msg.Workspace.Layout = want.Layout
	if !proto.Equal(opened.Msg.Workspace, want) {
		t.Errorf("opened is\n%v\nnot\n%v", opened.Msg.Workspace, want)
	}
	other := r.await(r.upload("other.folded", "a 1\n"), v1.DataSet_STATE_READY)
	opened, err = r.client.OpenWorkspace(t.Context(), connect.NewRequest(&v1.OpenWorkspaceRequest{DataSet: other.Id, Content: saved.Msg.Content}))
	if err != nil || len(opened.Msg.Problems) < 4 || !slices.ContainsFunc(opened.Msg.Problems, func(s string) bool { return strings.Contains(s, `no metric "Weight"`) }) {
		t.Errorf("opened with %q (%v)", opened.Msg.Problems, err)
	}
	for want, content := range map[string]string{"no saved workspace": "\x00", "newer program": `{"version":99}`} {
		_, err := r.client.OpenWorkspace(t.Context(), connect.NewRequest(&v1.OpenWorkspaceRequest{DataSet: id, Content: []byte(content)}))
		if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v", err)
		}
	}
	w.Layout = "{"
	if _, err := r.client.SaveWorkspace(t.Context(), connect.NewRequest(&v1.SaveWorkspaceRequest{DataSet: id, Workspace: w})); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("the error is %v", err)
	}
}

func TestExportOfEvents(t *testing.T) {
	r, id := sampling(t)
	get := func(ending, query string) (*http.Response, string) {
		return r.do("GET", r.Address()+"export."+ending+"?data_set="+id+"&width=300&height=200&"+query, "", nil)
	}
	bars := "view=bar&m.y=Method&m.x=count&s.y=lexical&filter=" + url.QueryEscape(`Method != "b"`)
	for ending, want := range map[string]string{"svg": "<svg", "png": "\x89PNG", "csv": "entity,value\na,262144\nc,262144\n"} {
		answer, body := get(ending, bars)
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(body, want) || answer.Header.Get("Content-Disposition") != "attachment; filename=sampled."+ending {
			t.Errorf("%s: %s, %v: %.80q", ending, answer.Status, answer.Header, body)
		}
	}
	_, body := get("svg", bars+"&groups="+url.QueryEscape(`[{"name":"my <group>","color":4278190335,"filter":"Method == \"a\""}]`))
	if !strings.Contains(body, "my &lt;group&gt;") || !strings.Contains(body, "#ff0000") {
		t.Errorf("the group is not in %s", body)
	}
	_, body = get("csv", "view=hotspot&m.y=Method&m.amount=count&p.interval=100000&period=0..300000&s.y=temporal")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || fmt.Sprint(rows[:4]) != "[[column row value] [0 a 50000] [0 b 50000] [100000 a 50000]]" {
		t.Errorf("the cells are %v (%v)", rows, err)
	}
	// What the page shows, with a panel that another is sorted like.
	shown := &v1.VisualizeRequest{DataSet: id, Panels: []*v1.Panel{bar("first"), bar("second")}}
	shown.Panels[0].Sort, shown.Panels[1].Like = map[string]string{"y": "lexical"}, "first"
	request, err := protojson.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	answer, body := r.do("POST", r.Address()+"export.csv?panel=second", string(request), nil)
	if answer.StatusCode != http.StatusOK || body != "entity,value\na,262144\nb,262144\nc,262144\n" {
		t.Errorf("%s: %s", answer.Status, body)
	}
	for _, c := range []struct{ method, query, body, want string }{
		{"GET", "view=pie&data_set=" + id, "", "no view called"},
		{"GET", "view=bar&m.x=Colour&data_set=" + id, "", `no field "Colour"`},
		{"GET", "view=bar&filter=(&data_set=" + id, "", "filter, at character"},
		{"GET", "view=bar&groups=x&data_set=" + id, "", "expected a list in JSON"},
		{"GET", "view=bar&period=a..b&data_set=" + id, "", "whole numbers"},
		{"GET", "view=bar&width=1e9&data_set=" + id, "", "1e+09×900 pixels"},
		{"GET", "view=brittle&p.fail=batch&data_set=" + id, "", "failed in batch"},
		{"POST", "panel=x", "{", "no VisualizeRequest"},
		{"POST", "panel=x", string(request), `no panel "x"`},
	} {
		answer, body := r.do(c.method, r.Address()+"export.svg?"+c.query, c.body, nil)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, c.want) || strings.Contains(body, "invalid_argument") {
			t.Errorf("%s: %s: %s", c.query, answer.Status, body)
		}
	}
}
