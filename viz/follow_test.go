package viz

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// tally counts the events of each entity: the smallest chart of events that
// does everything that one can do. A rectangle is a row of it, 10 pixels high.
type tally struct {
	entities *Entities
	fail     string
}

var tallyDefinition = Definition{
	Name: "tally", Title: "Tally", Description: "how many events each entity has",
	Dimensions: []Dimension{{Name: "what", Title: "What", Accepts: []data.Property{data.Reference}}},
	Parameters: []Parameter{{Name: "fail", Type: Choice, Default: "no", Choices: []Option{{Value: "no"}, {Value: "configure"}, {Value: "batch"}, {Value: "scene"}}}},
}

func init() {
	Register(Factory{Definition: tallyDefinition, New: func() Chart { return &tally{} }})
}

func (c *tally) failing(where string) error {
	if c.fail == where {
		return fmt.Errorf("tally: fails in %s, as it was asked to", where)
	}
	return nil
}

func (c *tally) Configure(config Config) error {
	c.fail = config.Params["fail"]
	c.entities = NewEntities(config.Set.Entity(config.Fields[0].Field.Refers), config.Names)
	return c.failing("configure")
}

func (c *tally) Batch(b Batch) error {
	for _, id := range b.Columns[0].Refs {
		if id != data.None {
			c.entities.Amounts[c.entities.Position(id)]++
		}
	}
	return c.failing("batch")
}

func (c *tally) Scene(f Frame) (*scene.Scene, error) {
	s := &scene.Scene{Width: f.Width, Height: f.Height}
	for i, id := range f.Orders["what"] {
		s.Rects.Add(0, float64(10*i), float64(c.entities.Amounts[c.entities.Find(id)]), 10, 0xff, uint32(id))
		if marks := f.Selected["what"]; marks != nil {
			match := scene.MatchNone
			if marks[id] {
				match = scene.MatchSelf
			}
			s.Rects.Match = append(s.Rects.Match, match)
		}
	}
	return s, c.failing("scene")
}

func (c *tally) Entities(string) *Entities { return c.entities }

func (c *tally) At(f Frame, _, y float64) (Hit, bool) {
	row := int(y / 10)
	if row < 0 || row >= len(f.Orders["what"]) {
		return Hit{}, false
	}
	return Hit{Title: c.entities.Name(f.Orders["what"][row])}, true
}

func (c *tally) Select(f Frame, r scene.Box) Selection {
	order := f.Orders["what"]
	from, to := min(max(int(r.Y0/10), 0), len(order)), min(max(int(r.Y1/10)+1, 0), len(order))
	return Selection{Entities: map[string][]data.EntityID{"what": order[from:to]}}
}

func (c *tally) Answer(f Frame) any {
	values := []Value{}
	for _, id := range f.Orders["what"] {
		values = append(values, Value{c.entities.Name(id), c.entities.Amounts[c.entities.Find(id)]})
	}
	return values
}

// calls is a set of calls and of returns of methods with one letter, from two
// threads that are named by case.
func calls(t *testing.T, events, returns string) *Workspace {
	t.Helper()
	b := data.NewBuilder("calls", "test")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	methods, err := b.EntityType("Method", "")
	check(err)
	threads, err := b.EntityType("Thread", "")
	check(err)
	for _, of := range [][2]string{{"Call", events}, {"Return", returns}} {
		e, err := b.EventType(of[0], "", data.Ref("Method", "Method", ""), data.Ref("Thread", "Thread", ""))
		check(err)
		for _, letter := range of[1] {
			m, err := methods.Intern(strings.ToLower(string(letter)))
			check(err)
			thread := "main"
			if letter < 'a' {
				thread = "other"
			}
			th, err := threads.Intern(thread)
			check(err)
			check(e.Add(int64(m), int64(th)))
		}
	}
	set, err := b.Finish()
	check(err)
	w, err := NewWorkspace(context.Background(), set)
	check(err)
	return w
}

func open(t *testing.T, w *Workspace, shared Shared, specs ...ChartSpec) []*OpenChart {
	t.Helper()
	charts, err := w.Charts(t.Context(), specs, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	return charts
}

func answer(t *testing.T, c *OpenChart, v View, shared Shared) string {
	t.Helper()
	a, err := c.Answer(v, shared)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range a.([]Value) {
		out = append(out, fmt.Sprint(v.Entity, v.Value))
	}
	return strings.Join(out, " ")
}

func TestChartsFollowTheOrderOfAnother(t *testing.T) {
	w := calls(t, "cabbaaa", "dcb")
	charts := open(t, w, Shared{}, ChartSpec{View: "tally", Subject: "Call"}, ChartSpec{View: "tally", Subject: "Return"})
	a, b := charts[0], charts[1]
	for _, c := range []struct {
		chart *OpenChart
		view  View
		want  string
	}{
		{a, View{}, "a4 b2 c1"},
		{a, View{Sort: map[string]string{"what": "temporal"}}, "c1 a4 b2"},
		// The leader is sorted in its way, the rest in one's own.
		{b, View{Like: a}, "b1 c1 d1"},
		{b, View{Like: a, LikeSort: map[string]string{"what": "temporal"}}, "c1 b1 d1"},
		{a, View{Like: b, LikeSort: map[string]string{"what": "temporal"}, Sort: map[string]string{"what": "lexical"}}, "c1 b2 a4"},
		{a, View{Like: a, LikeSort: map[string]string{"what": "lexical"}}, "a4 b2 c1"},
	} {
		if got := answer(t, c.chart, c.view, Shared{}); got != c.want {
			t.Errorf("the order is %s, want %s", got, c.want)
		}
	}
	if _, err := a.Answer(View{Like: b, LikeSort: map[string]string{"what": "x"}}, Shared{}); err == nil || !strings.Contains(err.Error(), `no sorting scheme "x"`) {
		t.Errorf("the error is %v", err)
	}
}

// Two pages may let two charts follow each other the two ways round.
func TestChartsThatFollowEachOtherDoNotWaitForEachOther(t *testing.T) {
	w := calls(t, "abc", "cba")
	charts := open(t, w, Shared{}, ChartSpec{View: "tally", Subject: "Call"}, ChartSpec{View: "tally", Subject: "Return"})
	var wait sync.WaitGroup
	for i := range 2 {
		wait.Go(func() {
			for range 2000 {
				if _, err := charts[i].Answer(View{Like: charts[1-i]}, Shared{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}
