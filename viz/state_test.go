package viz

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// bush is a chart of trees that draws nothing.
type bush struct{}

func (bush) Configure(Config) error               { return nil }
func (bush) Scene(Viewport) (*scene.Scene, error) { return &scene.Scene{}, nil }

func init() {
	Register(Factory{New: func() Chart { return bush{} }, Definition: Definition{Name: "bush", Title: "Bush", Tree: true,
		Parameters: []Parameter{{Name: "by", Type: Metric}, {Name: "wet", Type: Bool, Default: "false"}, {Name: "cut", Type: Text, Contexts: true}}}})
}

// stacks is a data set of samples of stacks of methods with one letter.
func stacks(t *testing.T, metric string, stacks ...string) *Workspace {
	t.Helper()
	b := data.NewBuilder("stacks", "test")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	methods, err := b.EntityType("Method", "")
	check(err)
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	check(err)
	samples, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value(metric, "", "", data.Amount))
	check(err)
	trie := data.NewTrie(0)
	var reached []int64
	for _, stack := range stacks {
		at := data.None
		for _, letter := range stack {
			m, err := methods.Intern(string(letter))
			check(err)
			at = trie.Child(at, m)
		}
		reached = append(reached, int64(at))
	}
	check(contexts.Adopt(nil, trie.Len(), data.Column{Refs: trie.Parents}, data.Column{Refs: trie.Keys}))
	for i, c := range reached {
		check(samples.Add(c, int64(len(reached)-i)))
	}
	set, err := b.Finish()
	check(err)
	w, err := NewWorkspace(context.Background(), set)
	check(err)
	return w
}

const saved = `{
  "version": 1,
  "title": "What calls g",
  "charts": [
    {
      "id": "a",
      "title": "All",
      "view": "bush",
      "params": {
        "wet": "true"
      },
      "metric": "time",
      "steps": [
        "focus m → f",
        "norec",
        "compact:2",
        "then expand at m → f → g",
        "then level=1 at m → f",
        "then compact-package:g",
        "depth:3"
      ]
    },
    {
      "id": "b",
      "view": "tally",
      "subject": "Sample",
      "map": {
        "what": "Method"
      },
      "sort": {
        "what": "lexical"
      },
      "like": "a"
    }
  ],
  "filter": "Method in [\"f\", \"g\"]",
  "groups": [
    {
      "name": "io",
      "color": "#ff0000",
      "filter": "Context == \"m → f → g\""
    },
    {
      "name": "half",
      "color": "#00ff0080",
      "filter": "Context in [\"m → g\", \"m → f\"] or (",
      "hidden": true
    }
  ],
  "selection": "not (Context == \"m → g\")",
  "layout": {
    "left": [
      "a"
    ]
  }
}
`

func TestSaveAndRead(t *testing.T) {
	w := stacks(t, "time", "mfg", "mg", "mf")
	// 1 m, 2 m → f, 3 m → f → g, 4 m → g.
	s := State{
		Title: "What calls g",
		Charts: []ChartState{
			{ID: "a", Title: "All", ChartSpec: ChartSpec{View: "bush", Params: map[string]string{"wet": "true"}}, Steps: "focus:2,norec,compact:2;expand:3;level:2=1;compact-package:g,depth:3", Metric: "time"},
			{ID: "b", ChartSpec: ChartSpec{View: "tally", Subject: "Sample", Map: map[string]string{"what": "Method"}}, Sort: map[string]string{"what": "lexical"}, Like: "a"},
		},
		Shared: Shared{
			Filter: `Method in ["f", "g"]`,
			Groups: []Group{
				{"io", scene.RGB(255, 0, 0), "Context == 3", false},
				{"half", 0x00ff0080, `Context in ["m → g", "m → f"] or (`, true}, // somebody is typing
			},
			Selection: "not (Context == 4)",
		},
		Layout: json.RawMessage(`{"left":["a"]}`),
	}
	text, err := w.Save(s)
	if err != nil || string(text) != saved {
		t.Fatalf("it is saved as\n%s\n(%v)", text, err)
	}
	got, problems, err := w.ReadState(context.Background(), text)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], `The colour group "half" cannot be applied here: filter, at character`) {
		t.Fatalf("reading it gives %q (%v)", problems, err)
	}
	want := s
	want.Filter, want.Selection = `Method in ["f", "g"]`, `not (Context == "m → g")`
	want.Groups = []Group{{"io", scene.RGB(255, 0, 0), `Context == "m → f → g"`, false}, {"half", 0x00ff0080, "", true}}
	want.Charts[1].Params = map[string]string{}
	want.Charts[0].Sort, want.Charts[0].Map = nil, nil
	got.Layout = want.Layout
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it is read as\n%+v\nnot\n%+v", got, want)
	}
}

func TestFitToAnotherDataSet(t *testing.T) {
	for name, c := range map[string]struct {
		w    *Workspace
		want []string
	}{
		"the same": {stacks(t, "time", "mfg", "mg"), nil},
		"other metrics and methods": {stacks(t, "bytes", "mg"), []string{
			`"All": the context m → f does not occur here, so that its callers are shown too.`,
			`"All": there is no metric "time" here; bytes is shown.`,
			`The filter: 1 of the 2 it names as Method do not occur here.`,
			`The colour group "io": what it names as Context does not occur here.`,
			`The colour group "half": 1 of the 2 it names as Context do not occur here.`,
		}},
		"no calling contexts": {calls(t, "fg", ""), []string{
			`"All" is left out: it draws calling contexts, of which there are none here.`,
			`The chart tally: there are no events of the type "Sample" here; it shows those of the type Call.`,
			`The selection cannot be applied here: filter: there is no field and no type of entity called "Context" (there are Method, Thread, event).`,
			`The colour group "io" cannot be applied here: filter: there is no field and no type of entity called "Context" (there are Method, Thread, event).`,
			`The colour group "half" cannot be applied here: filter: there is no field and no type of entity called "Context" (there are Method, Thread, event).`,
		}},
	} {
		s, problems, err := c.w.ReadState(context.Background(), []byte(strings.ReplaceAll(saved, " or (", "")))
		if err != nil || !reflect.DeepEqual(problems, c.want) {
			t.Errorf("%s: %s\n(%v)", name, strings.Join(problems, "\n"), err)
		}
		if err := c.w.CheckShared(s.Shared); err != nil {
			t.Errorf("%s: what is left is wrong: %v", name, err)
		}
		for _, chart := range s.Charts {
			if chart.View == "tally" {
				if _, err := c.w.Complete(chart.ChartSpec, len(s.Groups)); err != nil {
					t.Errorf("%s: the chart that is left is wrong: %v", name, err)
				}
			} else if _, _, err := c.w.View(context.Background(), Look{Steps: chart.Steps, Metric: chart.Metric, Filter: s.Filter}); err != nil {
				t.Errorf("%s: the steps that are left are wrong: %v", name, err)
			}
		}
		if len(s.Charts) == 1 && s.Charts[0].Like != "" {
			t.Errorf("%s: a chart follows one that is left out", name)
		}
	}
}

func TestFitReplacesWhatIsNotThere(t *testing.T) {
	w := calls(t, "fg", "")
	chart := func(change func(*ChartState)) []ChartState {
		c := ChartState{ID: "b", ChartSpec: ChartSpec{View: "tally", Subject: "Call", Map: map[string]string{"what": "Thread"}}}
		change(&c)
		return []ChartState{c}
	}
	for want, charts := range map[string][]ChartState{
		"[] Call Thread": chart(func(*ChartState) {}),
		`[The chart pie is left out: there is no view called "pie" (there are [bush tally]).]`:                                     chart(func(c *ChartState) { c.View = "pie" }),
		`[The chart tally: events of the type Call have no field "Class" that could be its what; it has its default.] Call Method`: chart(func(c *ChartState) { c.Map["what"] = "Class" }),
		`[The chart tally: this build's Tally has no dimension "size".] Call Thread`:                                               chart(func(c *ChartState) { c.Map["size"] = "x" }),
		`[The chart tally: a setting is not kept: tally: has no parameter "x" (it has fail).] Call Thread`:                         chart(func(c *ChartState) { c.Params = map[string]string{"x": "1"} }),
		`[The chart tally: there is no sorting scheme "height" (there are amount, temporal, lexical, hierarchy).] Call Thread`:     chart(func(c *ChartState) { c.Sort = map[string]string{"what": "height", "gone": "amount"} }),
	} {
		s, problems := w.Fit(context.Background(), State{Charts: charts})
		got := fmt.Sprint(problems)
		for _, c := range s.Charts {
			spec, err := w.Complete(c.ChartSpec, 0)
			if err != nil {
				t.Error(err)
			}
			got += " " + spec.Subject + " " + spec.Map["what"]
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestWhatIsNoSavedWorkspace(t *testing.T) {
	w := calls(t, "fg", "")
	for text, want := range map[string]string{
		"":                             "no saved workspace",
		"[]":                           "no saved workspace",
		"{}":                           "it has no version",
		`{"version": 2}`:               "saved by a newer program",
		`{"version": 1, "charts": 3}`:  "no saved workspace",
		strings.Repeat("[", 1_000_000): "no saved workspace",
		`{"version": 1, "groups": [{"name": "x", "color": "red"}]}`: `colour group "x": the colour "red" is not written as #rrggbb`,
	} {
		if _, _, err := w.ReadState(context.Background(), []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: the error is %v", text, err)
		}
	}
	if _, err := w.Save(State{Layout: json.RawMessage("{")}); err == nil {
		t.Error("a layout that is no JSON is saved")
	}
}

func TestSettingsNameContextsByStacks(t *testing.T) {
	from := stacks(t, "samples", "ab", "ac", "d")
	state := State{Charts: []ChartState{
		{ID: "1", ChartSpec: ChartSpec{View: "bush", Params: map[string]string{"cut": "0.2.3"}}},
		{ID: "2", ChartSpec: ChartSpec{View: "bush", Params: map[string]string{"cut": "a"}}},
	}}
	text, err := from.Save(state)
	if err != nil {
		t.Fatal(err)
	}
	again, problems, err := from.ReadState(context.Background(), text)
	if err != nil || len(problems) > 0 || !reflect.DeepEqual(again.Charts[0].Params, state.Charts[0].Params) || again.Charts[1].Params["cut"] != "a" {
		t.Errorf("the same data set gives %+v, %q, %v of\n%s", again.Charts, problems, err, text)
	}
	other := stacks(t, "samples", "x", "y", "ac")
	there, problems, err := other.ReadState(context.Background(), text)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], `1 of 3 contexts of the setting "cut"`) {
		t.Fatalf("another data set says %q, %v", problems, err)
	}
	var names []string
	for id := range strings.SplitSeq(there.Charts[0].Params["cut"], ".") {
		for n := range other.Tree.Len() {
			if fmt.Sprint(n) == id {
				names = append(names, other.Tree.Methods.NameOf(other.Tree.Method[n]))
			}
		}
	}
	if got := strings.Join(names, ","); got != ",c" {
		t.Errorf("the contexts there are %q", got)
	}
}

// A filter among the steps is named by stacks too; where it cannot be applied, it
// alone is left out.
func TestSavedFilterSteps(t *testing.T) {
	w := stacks(t, "time", "mfg", "mg", "mf")
	text, err := w.Save(State{Charts: []ChartState{{ID: "a", Title: "All", ChartSpec: ChartSpec{View: "bush"}, Steps: `norec,filter:Context in [3%2C 4] and time > 0,bymethod`}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		w        *Workspace
		steps    string
		problems string
	}{
		"the same":        {w, `norec,filter:Context in ["m → f → g"%2C "m → g"] and time > 0,bymethod`, ""},
		"other stacks":    {stacks(t, "time", "mg"), `norec,filter:Context in ["m → f → g"%2C "m → g"] and time > 0,bymethod`, `"All": its filter: 1 of the 2 it names as Context do not occur here.`},
		"another measure": {stacks(t, "bytes", "mfg"), `norec,bymethod`, `"All": its filter cannot be applied here: filter: there is no field and no type of entity called "time" (there are Caller, Caller Method, Context, Method, bytes, event).`},
	} {
		s, problems, err := c.w.ReadState(context.Background(), text)
		if err != nil || s.Charts[0].Steps != c.steps || strings.Join(problems, "\n") != c.problems {
			t.Errorf("%s: it is read as %q, %q (%v)", name, s.Charts[0].Steps, problems, err)
		}
	}
}
