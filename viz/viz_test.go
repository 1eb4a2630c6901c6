package viz

import (
	"context"
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

var sieve = Definition{
	Name: "sieve",
	Dimensions: []Dimension{
		{Name: "what", Aliases: []string{"entity"}, Accepts: []data.Property{data.Reference}},
		{Name: "size", Accepts: []data.Property{data.Amount}},
		{Name: "when", Accepts: []data.Property{data.Coordinate, data.Amount}, Optional: true},
	},
	Parameters: []Parameter{
		{Name: "mesh", Type: Choice, Default: "fine", Choices: []Option{{Value: "fine"}, {Value: "coarse"}}},
		{Name: "turns", Type: Number, Default: "3", Min: 1, Max: 9},
		{Name: "wet", Type: Bool, Default: "false"},
		{Name: "by", Type: Metric},
	},
}

func TestCheckParams(t *testing.T) {
	all, err := sieve.CheckParams(map[string]string{"turns": "4.5", "mesh": ""})
	if err != nil || len(all) != 4 || all["turns"] != "4.5" || all["mesh"] != "fine" || all["wet"] != "false" {
		t.Errorf("the parameters are %v (%v)", all, err)
	}
	for want, given := range map[string][2]string{
		`sieve: parameter "mesh": is "thin", but must be one of fine, coarse`: {"mesh", "thin"},
		`is "10", but must be a number from 1 to 9`:                           {"turns", "10"},
		`is "NaN", but must be a number`:                                      {"turns", "NaN"},
		`is "x", but must be a number`:                                        {"turns", "x"},
		`is "yes", but must be true or false`:                                 {"wet", "yes"},
		`has no parameter "speed" (it has mesh, turns, wet, by)`:              {"speed", "1"},
	} {
		if _, err := sieve.CheckParams(map[string]string{given[0]: given[1]}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error %v does not say %q", err, want)
		}
	}
}

// heap is a set of allocations by methods, and of calls of one main context.
func heap(t *testing.T) *data.Set {
	t.Helper()
	b := data.NewBuilder("heap", "test")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := b.EntityType("Method", "")
	check(err)
	check(m.Adopt([]string{"main", "f"}, 2))
	c, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	check(err)
	check(c.Adopt(nil, 2, data.Column{Refs: []data.EntityID{data.None, 0}}, data.Column{Refs: []data.EntityID{0, 1}}))
	e, err := b.EventType("Allocation", "", data.Ref("Context", "Context", ""), data.Value("bytes", "bytes", "", data.Amount), data.Value("time", "", "", data.Coordinate))
	check(err)
	check(e.Adopt(3, data.Column{Refs: []data.EntityID{0, 1, 1}}, data.Column{Values: []int64{1, 2, 4}}, data.Column{Values: []int64{7, 8, 9}}))
	set, err := b.Finish()
	check(err)
	return set
}

func TestMap(t *testing.T) {
	set := heap(t)
	subject := set.Event("Allocation")
	paths, err := sieve.Map(set, subject, map[string]string{"what": "Context", "size": "bytes"})
	if err != nil || len(paths) != 3 || paths[0].Name != "Context" || paths[1].Name != "bytes" || paths[2].Name != "" {
		t.Errorf("mapped to %v (%v)", paths, err)
	}
	// What is not mapped gets a default, unless it is optional.
	paths, err = sieve.Map(set, subject, map[string]string{"entity": "Method", "when": "time"})
	if err != nil || paths[0].Name != "Method" || paths[1].Name != "bytes" || paths[2].Name != "time" {
		t.Errorf("mapped to %v (%v)", paths, err)
	}
	for want, fields := range map[string]map[string]string{
		`dimension "what" is mapped twice`:                                      {"what": "Context", "entity": "Method"},
		`dimension "size": Allocation has no field "weight"`:                    {"what": "Context", "size": "weight"},
		`dimension "size" needs a field with the property amount, which "time"`: {"what": "Context", "size": "time"},
		`has no dimension "colour" (it has what, size, when)`:                   {"what": "Context", "size": "bytes", "colour": "time"},
	} {
		if _, err := sieve.Map(set, subject, fields); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error %v does not say %q", err, want)
		}
	}
}

// summing sums what it is fed, column by column.
type summing struct{ sums []int64 }

func (s *summing) Configure(Config) error            { return nil }
func (s *summing) Scene(Frame) (*scene.Scene, error) { return nil, nil }
func (s *summing) Batch(b Batch) error {
	for i, c := range b.Columns {
		if i == len(s.sums) {
			s.sums = append(s.sums, 0)
		}
		for _, v := range c.Values {
			s.sums[i] += v
		}
		for _, v := range c.Refs {
			s.sums[i] += int64(v)
		}
	}
	return nil
}

func TestPassFeedsEachChartItsOwnFields(t *testing.T) {
	set := heap(t)
	subject := set.Event("Allocation")
	path := func(name string) data.Path {
		p, ok := set.Path(subject.Definition, name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		return p
	}
	var a, b summing
	err := Pass{}.Run(context.Background(), []Use{
		{Chart: &a, Subject: subject, Fields: []data.Path{path("bytes"), path("Context")}},
		{Chart: &b, Subject: subject, Fields: []data.Path{path("time"), path("bytes"), path("bytes")}},
	})
	if err != nil || len(a.sums) != 2 || a.sums[0] != 7 || a.sums[1] != 2 || len(b.sums) != 3 || b.sums[0] != 24 || b.sums[1] != 7 || b.sums[2] != 7 {
		t.Errorf("sums are %v and %v (%v)", a.sums, b.sums, err)
	}
}

func TestWriteCSV(t *testing.T) {
	w, err := NewWorkspace(context.Background(), heap(t))
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := w.View(context.Background(), Look{Steps: "focus:1"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := WriteCSV(&out, v); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0], " ") != "id parent depth name self bytes total bytes" || strings.Join(rows[1], " ") != "1 -1 0 main 1 7" || strings.Join(rows[2], " ") != "2 1 1 f 6 6" {
		t.Errorf("the table is %q (%v)", rows, err)
	}
}

func TestWriteAnswerCSV(t *testing.T) {
	for want, answer := range map[string]any{
		"entity,value\n\"a, b\",3\n":          []Value{{"a, b", 3}},
		"entity,value\n":                      []Value{},
		"column,row,value\n20,f,7\n30,g,-1\n": &Grid{X0: 20, Interval: 10, Rows: []string{"f", "g"}, Cells: [][3]int64{{0, 0, 7}, {1, 1, -1}}},
		"column,row,value\nc,f,7\n":           struct{ *cells }{&cells{Columns: []string{"c"}, Rows: []string{"f"}, Cells: [][3]int64{{0, 0, 7}}}},
		"hits,site\n3,\"x\"\"y\"\n0,z\n": []struct {
			Site string `json:"site"`
			Hits int    `json:"hits"`
		}{{`x"y`, 3}, {"z", 0}},
		"": []map[string]int{},
		"what the chart shows is no list, and cannot be written as a table": 12,
	} {
		var out strings.Builder
		got := ""
		if err := WriteAnswerCSV(&out, answer); err != nil {
			got = err.Error()
		}
		if got += out.String(); got != want {
			t.Errorf("%v is written as\n%s", answer, got)
		}
	}
}

// cells is a grid under a name that does not hide its method.
type cells = Grid

func TestWorkspaceWithoutContexts(t *testing.T) {
	set, err := data.NewBuilder("bare", "test").Finish()
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWorkspace(context.Background(), set)
	if err != nil || w.Tree != nil {
		t.Fatalf("the tree is %v (%v)", w.Tree, err)
	}
	if _, _, err := w.View(context.Background(), Look{}); err == nil || !strings.Contains(err.Error(), "bare: has no calling contexts") {
		t.Errorf("the error is %v", err)
	}
	if _, _, err := w.Scene(context.Background(), Request{View: "none", Viewport: Viewport{math.NaN(), 1}}); err == nil || !strings.Contains(err.Error(), `no view called "none"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestRecentTreesAreFew(t *testing.T) {
	var r recentTrees
	for i := range 2 * keptTrees {
		r.Put(strings.Repeat("x", i+1), &cct.Tree{})
	}
	if r.Get("x") != nil || r.Get(strings.Repeat("x", 2*keptTrees)) == nil || len(r.trees) != keptTrees {
		t.Errorf("%d trees are kept", len(r.trees))
	}
}
