package all

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/viz"
)

// Two runs of two threads, of which the second does things in another order and
// calls something new.
const (
	runA = `
m-----------------------
 f----  f-------  k----
  g h    g------   g--

  w-----
   f-
`
	runB = `
m-----------------------
 k--- f----   f------- n
  g-   h g     g------

w------  w-
  f-
`
	runC = "m-----------------------\n f--"
)

func comparedRuns(t *testing.T, texts ...string) *viz.Workspace {
	t.Helper()
	var sides []*viz.Workspace
	for _, text := range texts {
		w, err := viz.NewWorkspace(t.Context(), sourcetest.Drawing(t, text))
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, w)
	}
	w, err := viz.NewComparison(t.Context(), match.Names{}, sides[0], sides[1], sides[2:]...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func pairCharts() (specs []viz.ChartSpec) {
	for _, f := range viz.All() {
		if f.Definition.Pair {
			specs = append(specs, viz.ChartSpec{View: f.Definition.Name})
		}
	}
	return specs
}

// TestPairs takes every chart of comparisons through its life: with filters,
// groups, selections, any focus, threads and τ, in any size, pointed at and
// selected in anywhere. Drawn again, a picture is the same.
func TestPairs(t *testing.T) {
	tau, much := -1.0, 1.0
	period := func(from, to int64) *viz.Period { return &viz.Period{From: from, To: to} }
	sharings := []viz.Shared{
		{},
		{Filter: `Method == "g"`},
		{Filter: "event < 0"},
		{Selection: `Method == "f"`, Groups: []viz.Group{{Name: "w", Color: scene.RGB(1, 2, 3), Filter: `Method == "w"`}}},
		{Pairing: viz.Pairing{Tau: &tau, Threads: [2]int{-1, -1}}},
		{Pairing: viz.Pairing{Tau: &much, Threads: [2]int{2, 9}, Names: "short"}},
		{Selection: `Method == "g"`, Pairing: viz.Pairing{Focus: [2]*viz.Period{period(0, 0), period(500, 1500)}}},
		{Pairing: viz.Pairing{Focus: [2]*viz.Period{period(1e15, 2e15), nil}}},
	}
	specs := pairCharts()
	if len(specs) < 2 {
		t.Fatal("which charts draw comparisons?")
	}
	for i, shared := range sharings {
		w := comparedRuns(t, runA, runB)
		charts, err := w.Charts(t.Context(), specs, shared, nil)
		if err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		again, err := comparedRuns(t, runA, runB).Charts(t.Context(), specs, shared, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range charts {
			for _, size := range []viz.Viewport{{Width: 1, Height: 1}, {Width: 700, Height: 420}, {Width: 60, Height: 1500}, {Width: 3000, Height: 40}} {
				for _, dark := range []bool{false, true} {
					v := viz.View{Viewport: size, Dark: dark}
					s, err := c.Scene(v, shared)
					if err != nil {
						t.Fatalf("state %d, %s, %v: %v", i, specs[k].View, size, err)
					}
					other, err := again[k].Scene(v, shared)
					if err != nil || text(s) != text(other) {
						t.Fatalf("state %d, %s, %v: another picture the second time (%v)", i, specs[k].View, size, err)
					}
				}
				v := viz.View{Viewport: size}
				for y := -9.0; y < size.Height+9; y += 23 {
					for x := -9.0; x < size.Width+9; x += 31 {
						h, _, err := c.At(v, shared, x, y)
						if err != nil {
							t.Fatalf("%s at %g, %g: %v", specs[k].View, x, y, err)
						}
						for _, m := range h.Marks {
							if !(m.X0 <= m.X1 && m.Y0 <= m.Y1) {
								t.Errorf("%s at %g, %g has a mark %+v", specs[k].View, x, y, m)
							}
						}
						for _, box := range []scene.Box{{X0: x, Y0: y, X1: x, Y1: y}, {X0: x, Y0: y, X1: x + 40, Y1: y + 20}} {
							p, err := c.Pick(v, shared, box)
							if err != nil {
								break // nothing can be selected in it
							}
							if _, err := w.Filter(p.Filter); err != nil {
								t.Fatalf("%s: what is selected at %g, %g is no filter: %v", specs[k].View, x, y, err)
							}
							next := shared
							next.Pairing.Focus = p.Focus
							if err := w.CheckShared(next); err != nil {
								t.Fatalf("%s: the focus at %g, %g: %v", specs[k].View, x, y, err)
							}
						}
					}
				}
			}
		}
	}
}

// TestRuns chooses among several, and says what they are.
func TestRuns(t *testing.T) {
	w := comparedRuns(t, runA, runB, runC)
	runs, err := w.Comparison.Runs(t.Context(), viz.Pairing{})
	if err != nil || len(runs) != 3 {
		t.Fatal(runs, err)
	}
	for i, want := range []struct {
		calls, length int64
		threads       int
		similarity    float64
	}{{10, 2400, 2, 1}, {12, 2400, 2, 6. / 7}, {2, 2400, 1, 2. / 6}} {
		r := runs[i]
		if r.Calls != want.calls || r.Length != want.length || len(r.Threads) != want.threads || r.Similarity != want.similarity {
			t.Errorf("run %d is %+v, want %+v", i, r, want)
		}
	}
	title := func(run int) string {
		shared := viz.Shared{Pairing: viz.Pairing{Run: run}}
		charts, err := w.Charts(t.Context(), []viz.ChartSpec{{View: "overview"}}, shared, nil)
		if err != nil {
			t.Fatal(err)
		}
		return text(must(charts[0].Answer(viz.View{}, shared)))
	}
	if title(0) == title(1) {
		t.Error("both runs look the same")
	}
	for _, wrong := range []viz.Pairing{{Run: 2}, {Run: -1}, {Names: "long"}, {Focus: [2]*viz.Period{{From: 2, To: 1}}}} {
		if err := w.CheckShared(viz.Shared{Pairing: wrong}); err == nil {
			t.Errorf("%+v is right", wrong)
		}
	}
	if _, err := viz.NewComparison(t.Context(), match.Names{}, w, w); err == nil {
		t.Error("comparisons are compared")
	}
}

// memory keeps results for a test.
type memory struct {
	kept      map[string][]byte
	puts, got int
}

func (m *memory) Get(key string) ([]byte, bool) {
	text, ok := m.kept[key]
	if ok {
		m.got++
	}
	return text, ok
}

func (m *memory) Put(key string, result []byte) { m.puts++; m.kept[key] = result }

// TestKeptOverview finds sums again that were made once, and no others.
func TestKeptOverview(t *testing.T) {
	m := &memory{kept: map[string][]byte{}}
	answerOf := func(shared viz.Shared, params map[string]string) string {
		w := comparedRuns(t, runA, runB)
		w.Comparison.Kept = m
		charts, err := w.Charts(t.Context(), []viz.ChartSpec{{View: "overview", Params: params}}, shared, nil)
		if err != nil {
			t.Fatal(err)
		}
		return text(must(charts[0].Answer(viz.View{}, shared)))
	}
	once := answerOf(viz.Shared{}, nil)
	if m.puts != 1 || m.got != 0 {
		t.Fatalf("%d kept, %d found", m.puts, m.got)
	}
	if again := answerOf(viz.Shared{}, nil); again != once || m.got != 1 {
		t.Errorf("found %d, and the same: %v", m.got, again == once)
	}
	tau := 0.9
	for _, other := range []viz.Shared{{Pairing: viz.Pairing{Tau: &tau}}, {Pairing: viz.Pairing{Threads: [2]int{-1, 0}}}, {Filter: `Method == "g"`}} {
		if answerOf(other, nil) == once || m.got != 1 {
			t.Errorf("%+v has the sums of another", other)
		}
	}
	if answerOf(viz.Shared{}, map[string]string{"distance": "no"}) == once || m.got != 1 {
		t.Error("distances that are not wanted are found")
	}
}

// TestCancelledComparison ends the search for matches, and says so.
func TestCancelledComparison(t *testing.T) {
	w := comparedRuns(t, runA, runB)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Charts(ctx, pairCharts(), viz.Shared{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := w.Charts(t.Context(), pairCharts(), viz.Shared{}, nil); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// TestOnlyPairs has comparisons and single data sets refuse each other's charts.
func TestOnlyPairs(t *testing.T) {
	one, err := viz.NewWorkspace(t.Context(), sourcetest.Drawing(t, runA))
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range pairCharts() {
		if _, err := one.Complete(spec, 0); err == nil {
			t.Errorf("%s draws one trace", spec.View)
		}
	}
	if _, err := comparedRuns(t, runA, runB, runC).Complete(viz.ChartSpec{View: "timeline"}, 0); err == nil {
		t.Error("a timeline draws a comparison")
	}
	var saved viz.State
	saved.Pairing.Focus[1] = &viz.Period{From: 3, To: 7}
	w := comparedRuns(t, runA, runB)
	state, _, err := w.ReadState(t.Context(), must(w.Save(saved)))
	if err != nil || fmt.Sprint(*state.Pairing.Focus[1]) != "{3 7}" || state.Pairing.Focus[0] != nil {
		t.Errorf("saved and read, the pairing is %+v, %v", state.Pairing, err)
	}
	if plain, err := json.Marshal(viz.Shared{}); err != nil || string(plain) != "{}" {
		t.Errorf("nothing shared is %s, %v", plain, err)
	}
}
