package text

import (
	"math"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

func boxed() *scene.Scene {
	s := &scene.Scene{Width: 300, Height: 60, Background: scene.RGB(255, 255, 255)}
	r := &s.Rects
	fill := scene.RGB(200, 100, 50)
	r.Add(0, 0, 300, 20, fill, 1)
	r.Add(0, 20, 60, 20, fill, 2)
	r.Add(60, 20, 5, 20, fill, 1)
	r.Count = []uint32{0, 0, 9}
	ink := scene.InkOn(fill)
	r.Boxes = &scene.Boxes{Ink: []scene.Color{ink, ink, ink}, Name: []uint32{0, 1, scene.NoName}, Label: []bool{true, true, false},
		Self: make([]float64, 3), Total: make([]float64, 3), Count: make([]uint32, 3),
		Names: []string{"a.b.Main.main()\x00", "a.b.Other.aVeryLongNameIndeed"}, ShortNames: []string{"Main.main", "Other.aVeryLongNameIndeed"}}
	return s
}

func TestBoxLabels(t *testing.T) {
	s := boxed()
	labels := BoxLabels(s)
	if len(labels) != 2 || labels[0].Text != "Main.main" || !strings.Contains(labels[1].Text, "…") {
		t.Fatalf("labels are %+v", labels)
	}
	for i, l := range labels {
		r := &s.Rects
		if l.X < r.X[i] || l.X+Measure(l.Text, l.Size) > r.X[i]+r.W[i] || l.Y > r.Y[i]+r.H[i] || l.Y-l.Size < r.Y[i]-1 {
			t.Errorf("%q is at %g, %g and not in its box", l.Text, l.X, l.Y)
		}
	}
	if got := BoxTitle(&s.Rects, 0); got != "a.b.Main.main()" {
		t.Errorf("the title is %q", got)
	}
	if got := BoxTitle(&s.Rects, 2); got != "" {
		t.Errorf("the title of a mark is %q", got)
	}
	if Height(s) != 60 || len(BoxLabels(&scene.Scene{})) != 0 {
		t.Errorf("without a legend the picture is %g high", Height(s))
	}
	s.Rects.X[0] = math.NaN()
	if got := BoxLabels(s); len(got) != 1 {
		t.Errorf("with a number that is none, labels are %+v", got)
	}
}

func TestBoxesRecede(t *testing.T) {
	s := boxed()
	r := &s.Rects
	if BoxTone(r, 0) != r.Fill[0] || BoxTone(r, 2) == r.Fill[2] {
		t.Error("a box has its colour, and a mark is quieter")
	}
	r.Match = []uint8{scene.MatchNone, scene.MatchSelf, scene.MatchHidden}
	if BoxTone(r, 0) == r.Fill[0] || BoxTone(r, 1) != r.Fill[1] || !Chosen(r, 1) || !Chosen(r, 2) || Chosen(r, 0) {
		t.Error("what a search did not find recedes")
	}
}

func TestRowsOfTreesAreIndented(t *testing.T) {
	s := table(500, 24+4*24+5, "main Main 9", "f Other 8", "g Other 1")
	s.Table.Tree = true
	for i, r := range []struct {
		depth                int
		expandable, expanded bool
	}{{0, true, true}, {1, true, false}, {100, false, false}} {
		row := &s.Table.Rows[i]
		row.Depth, row.Expandable, row.Expanded = r.depth, r.expandable, r.expanded
	}
	d := TableOf(s)
	at := map[string]float64{}
	for _, l := range d.Lines {
		at[Line(l)] = l.X
	}
	if at["f"] != at["main"]+tableStep || at["g"] != at["main"]+deepestIndent*tableStep {
		t.Errorf("names are at %v", at)
	}
	signs := 0
	for _, w := range d.Swatches {
		if w.Width == 7 && w.Height == 1 || w.Width == 1 && w.Height == 7 {
			signs++
		}
	}
	if signs != 3 { // a minus, and a plus of two lines
		t.Errorf("signs have %d lines", signs)
	}
	s.Table.Columns[0].Sorted, s.Table.Columns[2].Sorted = scene.Rising, scene.Falling
	if got := written(TableOf(s)); !strings.HasPrefix(got, "Method ↑ | Class | Size ↓\n") {
		t.Errorf("it says\n%s", got)
	}
}
