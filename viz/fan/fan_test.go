package fan

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
	"github.com/cambium-prof/cambium/viz"
)

// tb is what *testing.T and *rapid.T share.
type tb interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// drawn makes a workspace of the tree of a drawing.
func drawn(t tb, drawing string) *viz.Workspace {
	t.Helper()
	w, err := viz.NewWorkspace(context.Background(), datatest.Drawn(t, drawing, "samples"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return w
}

// take draws a fan and checks what holds of every one.
func take(t tb, w *viz.Workspace, r viz.Request) (*scene.Scene, cct.View) {
	t.Helper()
	r.View = Name
	s, v, err := w.Scene(context.Background(), r)
	if err != nil {
		t.Fatalf("%v", err)
	}
	sec := &s.Sectors
	if all := int64(v.End[v.Root]-v.Root) - int64(btoi(v.Method[v.Root] == data.None)); s.Drawn+s.TooSmall+s.Deeper != all {
		t.Errorf("%d drawn, %d too small and %d deeper are not %d", s.Drawn, s.TooSmall, s.Deeper, all)
	}
	metric, _ := v.Metric(r.Look.Metric)
	factor := 0.0
	at := map[uint32]int{}
	for i := range sec.Len() {
		x, y, radius := sec.Disc(i)
		if x-radius < 0 || y-radius < 0 || x+radius > s.Width || y+radius > s.Height {
			t.Errorf("disc %d at (%.1f, %.1f) of %.1f is not in the picture", i, x, y, radius)
		}
		for j := range i {
			x2, y2, radius2 := sec.Disc(j)
			if math.Hypot(x-x2, y-y2) < radius+radius2-1e-6 {
				t.Errorf("the discs %d and %d overlap", i, j)
			}
		}
		if sec.Kind[i] == scene.Segment {
			at[sec.ID[i]] = i
		}
		if sec.Kind[i] == scene.Segment && i == 0 && v.Method[v.Root] == data.None {
			continue
		}
		// The area is in proportion to the total.
		if f := radius * radius / sec.Total[i]; factor == 0 {
			factor = f
		} else if math.Abs(f/factor-1) > 1e-6 {
			t.Errorf("disc %d of %g has a radius of %g, which is %g times what others have", i, sec.Total[i], radius, f/factor)
		}
		// Its sector is in its parent's, and it is in its sector.
		parent := sec.ID[i]
		if sec.Kind[i] == scene.Segment {
			n, ok := v.Node(cct.NodeID(sec.ID[i]))
			if !ok || float64(v.Total[metric][n]) != sec.Total[i] {
				t.Errorf("disc %d is of no node, or of another", i)
				continue
			}
			if n == v.Root {
				continue
			}
			parent = uint32(v.ID(v.Parent[n]))
		}
		p, ok := at[parent]
		if !ok {
			t.Errorf("disc %d has no parent", i)
			continue
		}
		if sec.A0[i] < sec.A0[p]-1e-9 || sec.A1[i] > sec.A1[p]+1e-9 {
			t.Errorf("the sector of disc %d, %g to %g, is not in its parent's, %g to %g", i, sec.A0[i], sec.A1[i], sec.A0[p], sec.A1[p])
		}
		if middle := (sec.R0[i] + sec.R1[i]) / 2; math.Sin((sec.A1[i]-sec.A0[i])/2)*middle < radius-1e-6 {
			t.Errorf("disc %d is not in its sector", i)
		}
	}
	names(t, s)
	return s, v
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// names checks that texts cover neither each other nor discs that they are not in.
func names(t tb, s *scene.Scene) {
	t.Helper()
	var boxes []scene.Box
	for _, line := range s.Texts {
		w := min(text.FaceOf(line.Bold).Measure(line.Text, line.Size), line.MaxWidth)
		b := scene.Box{X0: line.X, X1: line.X + w, Y0: line.Y - line.Size*0.75, Y1: line.Y + line.Size*0.2}
		switch line.Anchor {
		case scene.Middle:
			b.X0, b.X1 = line.X-w/2, line.X+w/2
		case scene.End:
			b.X0, b.X1 = line.X-w, line.X
		}
		if b.X0 < 0 || b.X1 > s.Width || b.Y0 < 0 || b.Y1 > s.Height {
			t.Errorf("%q is not in the picture", line.Text)
		}
		for i, o := range boxes {
			if b.X0 < o.X1 && o.X0 < b.X1 && b.Y0 < o.Y1 && o.Y0 < b.Y1 {
				t.Errorf("%q covers %q", line.Text, s.Texts[i].Text)
			}
		}
		boxes = append(boxes, b)
		for i := range s.Sectors.Len() {
			x, y, r := s.Sectors.Disc(i)
			if math.Hypot(line.X-x, line.Y-line.Size*0.3-y) < r { // its own
				continue
			}
			dx, dy := max(b.X0-x, 0, x-b.X1), max(b.Y0-y, 0, y-b.Y1)
			if math.Hypot(dx, dy) < r-0.5 {
				t.Errorf("%q covers disc %d", line.Text, i)
			}
		}
	}
}

// toy is figure 2 of the paper. Its contexts have the ids 1 to 11, in order, but
// that of siblings the larger comes first.
const toy = `
lib1.Whale.breath
  lib1.Mammal.inhale
    lib2.Lung.inhale
      lib2.Muscle.contract
        lib2.Nerve.transmit
          lib3.Signal.travel 3
        lib3.Pressure.foo
          lib3.Blood.flow 1
      lib2.Muscle.stop
        lib2.Nerve.transmit
          lib3.Signal.travel 2
`

// discs writes a fan as a tree: a line per disc, with its name and what its
// area is of that of the largest.
func discs(s *scene.Scene, v cct.View) string {
	sec := &s.Sectors
	largest := 0.0
	for i := range sec.Len() {
		if i > 0 || v.Method[v.Root] != data.None {
			largest = max(largest, sec.R1[i]-sec.R0[i])
		}
	}
	lines := make(map[cct.NodeID]string)
	for i := range sec.Len() {
		n, _ := v.Node(cct.NodeID(sec.ID[i]))
		if i == 0 && v.Method[v.Root] == data.None || sec.Kind[i] == scene.Mark {
			continue
		}
		part := (sec.R1[i] - sec.R0[i]) / largest
		lines[n] = fmt.Sprintf("%s%s %.2f\n", strings.Repeat(" ", int(v.Depth[n])-1), v.Name(n), part*part)
	}
	var b strings.Builder
	for n := v.Root; n < v.End[v.Root]; n++ {
		b.WriteString(lines[n])
	}
	return strings.TrimSpace(b.String())
}

func TestFigures(t *testing.T) {
	w := drawn(t, toy)
	for _, c := range []struct{ figure, steps, want string }{
		{"2", "compact:3", `
lib1.Whale.breath 1.00
 lib1.Mammal.inhale 1.00
  lib2.Lung.inhale 1.00
   lib2.Muscle.contract 0.67
    lib2.Nerve.transmit 0.50
     lib3.Signal.travel 0.50
    lib3.Pressure.foo 0.17
     lib3.Blood.flow 0.17
   lib2.Muscle.stop 0.33
    lib2.Nerve.transmit 0.33
     lib3.Signal.travel 0.33`},
		{"5", "compact:2", `
lib1.Whale 1.00
 lib1.Mammal 1.00
  lib2.Lung 1.00
   lib2.Muscle 1.00
    lib2.Nerve 0.83
     lib3.Signal 0.83
    lib3.Pressure 0.17
     lib3.Blood 0.17`},
		{"6, where the fan begins", "", `
lib1 1.00
 lib2 1.00
  lib3 1.00`},
		{"7", "compact:1;expand-package:lib2", `
lib1 1.00
 lib2.Lung 1.00
  lib2.Muscle 1.00
   lib2.Nerve 0.83
    lib3 0.83
   lib3 0.17`},
		{"8", "compact:1;expand-package:lib2;expand:6", `
lib1 1.00
 lib2.Lung 1.00
  lib2.Muscle 1.00
   lib2.Nerve 0.83
    lib3.Signal 0.83
   lib3 0.17`},
		{"10", "compact:1;expand-package:lib1;expand-package:lib1;expand-package:lib3;expand-package:lib3", `
lib1.Whale.breath 1.00
 lib1.Mammal.inhale 1.00
  lib2 1.00
   lib3.Signal.travel 0.83
   lib3.Pressure.foo 0.17
    lib3.Blood.flow 0.17`},
	} {
		s, v := take(t, w, viz.Request{Look: viz.Look{Steps: c.steps}, Viewport: viz.Viewport{Width: 900, Height: 600}})
		if got := discs(s, v); got != strings.TrimSpace(c.want) {
			t.Errorf("figure %s is drawn as\n%s", c.figure, got)
		}
		if len(s.Texts) < s.Sectors.Len() {
			t.Errorf("figure %s: %d texts name %d discs", c.figure, len(s.Texts), s.Sectors.Len())
		}
		if s.Lines.Len() != s.Sectors.Len()-1 {
			t.Errorf("figure %s: %d edges join %d discs", c.figure, s.Lines.Len(), s.Sectors.Len())
		}
	}
}

// The parameters say what the fan begins with, and steps go before them.
func TestBeginning(t *testing.T) {
	w := drawn(t, toy)
	for _, c := range []struct{ steps, start, nodes, want string }{
		{"", "full", "", "compact:1"},
		{"focus:3,depth:2", "", "", "focus:3,depth:2,compact:1"},
		{"", "explain", "5", "compact:explain:5=samples"},
		{"compact:2,norec", "explain", "5", "compact:2,norec"},
	} {
		params := map[string]string{"start": c.start, "nodes": c.nodes}
		l, err := w.Completed(Name, params, viz.Look{Steps: c.steps, Metric: "samples"})
		if err != nil || l.Steps != c.want {
			t.Errorf("%q with %v begins with %q (%v)", c.steps, params, l.Steps, err)
		}
		take(t, w, viz.Request{Look: viz.Look{Steps: c.steps, Metric: "samples"}, Params: params, Viewport: viz.Viewport{Width: 500, Height: 500}})
	}
	if s, _ := take(t, w, viz.Request{Params: map[string]string{"start": "explain", "nodes": "2"}, Viewport: viz.Viewport{Width: 500, Height: 500}}); s.Drawn > 2 {
		t.Errorf("%d nodes explain, and not 2", s.Drawn)
	}
}

// Every fan is drawn as it should be: all sizes of trees, of amounts and of rooms.
func TestFans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 150).Draw(t, "contexts")
		packages := rapid.IntRange(1, 6).Draw(t, "packages")
		reach := rapid.IntRange(1, 12).Draw(t, "reach")
		most := rapid.SampledFrom([]int64{1, 10, 1e6, 1e15}).Draw(t, "most")
		least := rapid.SampledFrom([]int64{0, 0, 0, -3}).Draw(t, "least")
		depth := make([]int, n)
		var b strings.Builder
		for i := range n {
			if i > 0 {
				depth[i] = rapid.IntRange(max(0, depth[i-1]+1-reach), depth[i-1]+1).Draw(t, "depth")
			}
			name := rapid.IntRange(0, packages*3-1).Draw(t, "name")
			fmt.Fprintf(&b, "%sp%d.C.m%d %d\n", strings.Repeat("  ", depth[i]), name/3, name, rapid.Int64Range(least, most).Draw(t, "self"))
		}
		w := drawn(t, b.String())
		steps := rapid.SampledFrom([]string{"", "compact:2", "compact:9", "focus:1", "depth:2", "compact:3,norec", "compact:explain:7", "compact:2,bymethod"}).Draw(t, "steps")
		room := viz.Viewport{Width: rapid.Float64Range(80, 2000).Draw(t, "width"), Height: rapid.Float64Range(80, 1500).Draw(t, "height")}
		r := viz.Request{Look: viz.Look{Steps: steps}, Viewport: room, Dark: rapid.Bool().Draw(t, "dark")}
		if rapid.Bool().Draw(t, "search") {
			r.Highlight = "p1"
		}
		take(t, w, r)
	})
}
