package ring

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"pgregory.net/rapid"
)

// The equations are those of Moret et al. (2010), section 3.

// tb is what *testing.T and *rapid.T share.
type tb interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// drawn makes a workspace of the tree of a drawing.
func drawn(t tb, text string) *viz.Workspace { return workspaceOf(t, datatest.Drawn(t, text)) }

func workspace(t tb, names []string, parents, methods []data.EntityID, values [][]int64) *viz.Workspace {
	return workspaceOf(t, datatest.Contexts(t, names, parents, methods, values))
}

func workspaceOf(t tb, set *data.Set) *viz.Workspace {
	t.Helper()
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return w
}

func request(sizing Sizing, steps, metric string) viz.Request {
	return viz.Request{
		View: Name, Look: viz.Look{Steps: steps, Metric: metric},
		Params: map[string]string{"sizing": string(sizing)}, Viewport: viz.Viewport{Width: 800, Height: 600},
	}
}

// picture is a scene with what it was made from.
type picture struct {
	s      *scene.Scene
	v      cct.View
	metric int
	sizing Sizing
	at     map[cct.NodeID]int // node -> its segment
	marks  map[cct.NodeID]int // node -> the mark of its callees
}

// take makes a picture and checks what holds of all pictures.
func take(t tb, w *viz.Workspace, r viz.Request) *picture {
	t.Helper()
	s, v, err := w.Scene(context.Background(), r)
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &picture{s: s, v: v, sizing: Sizing(r.Params["sizing"]), at: map[cct.NodeID]int{}, marks: map[cct.NodeID]int{}}
	p.metric, _ = v.Metric(r.Look.Metric)
	sec := &s.Sectors
	for name, n := range map[string]int{
		"kind": len(sec.Kind), "r0": len(sec.R0), "r1": len(sec.R1), "a0": len(sec.A0), "a1": len(sec.A1), "fill": len(sec.Fill),
		"ink": len(sec.Ink), "name": len(sec.Name), "self": len(sec.Self), "total": len(sec.Total), "count": len(sec.Count), "label": len(sec.Label),
	} {
		if n != sec.Len() {
			t.Fatalf("column %s has %d of %d rows", name, n, sec.Len())
		}
	}
	for i, id := range sec.ID {
		n, ok := v.Node(cct.NodeID(id))
		if !ok {
			t.Fatalf("sector %d has the unknown id %d", i, id)
		}
		into := p.at
		if sec.Kind[i] == scene.Mark {
			into = p.marks
		}
		if _, twice := into[n]; twice {
			t.Fatalf("context %d is drawn twice", id)
		}
		into[n] = i
	}
	p.checkPlaces(t)
	p.checkSums(t)
	return p
}

const eps = 1e-9

// layer is the ring that a sector is on.
func (p *picture) layer(i int) int {
	n, _ := p.v.Node(cct.NodeID(p.s.Sectors.ID[i]))
	layer := int(p.v.Depth[n] - p.v.Depth[p.v.Root])
	if p.s.Sectors.Kind[i] == scene.Mark {
		layer++
	}
	return layer
}

// checkPlaces checks that sectors are on their rings, within what their caller
// covers, apart from each other and no segment under a pixel; and the radii.
func (p *picture) checkPlaces(t tb) {
	t.Helper()
	sec := &p.s.Sectors
	byLayer := map[int][]int{}
	radius := map[int]float64{}
	for i := range sec.Len() {
		for _, x := range []float64{sec.R0[i], sec.R1[i], sec.A0[i], sec.A1[i], sec.Self[i], sec.Total[i]} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("sector %d has a number that is none", i)
			}
		}
		layer := p.layer(i)
		byLayer[layer] = append(byLayer[layer], i)
		if r, ok := radius[layer]; ok && r != sec.R1[i] {
			t.Fatalf("ring %d has the radii %g and %g", layer, r, sec.R1[i])
		}
		radius[layer] = sec.R1[i]
		if sec.A0[i] < 0 || sec.A1[i] < sec.A0[i] || sec.A1[i] > 2*math.Pi+eps {
			t.Fatalf("sector %d goes from %g to %g", i, sec.A0[i], sec.A1[i])
		}
	}
	root, ok := p.at[p.v.Root]
	if !ok || sec.R0[root] != 0 || sec.A0[root] != 0 || sec.A1[root] != 2*math.Pi {
		t.Fatalf("the root is no whole circle")
	}
	if most := max(min(p.s.Width, p.s.Height)/2, 4); radius[len(radius)-1] > most {
		t.Fatalf("the radius %g leaves the picture", radius[len(radius)-1])
	}
	for layer, sectors := range byLayer {
		slices.SortFunc(sectors, func(a, b int) int {
			switch {
			case sec.A0[a] < sec.A0[b] || sec.A0[a] == sec.A0[b] && sec.A1[a] < sec.A1[b]:
				return -1
			}
			return 1
		})
		for k, i := range sectors {
			if k > 0 && sec.A0[i] < sec.A1[sectors[k-1]]-eps {
				t.Fatalf("two sectors of ring %d overlap", layer)
			}
			if layer == 0 {
				continue
			}
			n, _ := p.v.Node(cct.NodeID(sec.ID[i]))
			parent := n
			if sec.Kind[i] == scene.Segment {
				parent = p.v.Parent[n]
				if arc := (sec.A1[i] - sec.A0[i]) * sec.R1[i]; arc < pixel-1e-6 || sec.R1[i]-sec.R0[i] < pixel-1e-6 {
					t.Fatalf("a segment of %g × %g pixels is drawn", arc, sec.R1[i]-sec.R0[i])
				}
			}
			up, ok := p.at[parent]
			if !ok || sec.A0[i] < sec.A0[up]-eps || sec.A1[i] > sec.A1[up]+eps || sec.R0[i] != sec.R1[up] {
				t.Fatalf("sector %d does not surround its caller", i)
			}
		}
	}
	p.checkRadii(t, radius)
}

func (p *picture) checkRadii(t tb, radius map[int]float64) {
	t.Helper()
	for layer := 1; layer < len(radius); layer++ {
		r, before := radius[layer], radius[layer-1]
		if p.sizing == Area { // eq. 4
			if k := radius[0] * radius[0]; math.Abs(r*r-before*before-k) > 1e-6*k {
				t.Fatalf("r(%d)² - r(%d)² is %g, not %g", layer, layer-1, r*r-before*before, k)
			}
		} else if c := radius[1] - radius[0]; math.Abs(r-before-c) > 1e-6 {
			t.Fatalf("r(%d) - r(%d) is %g, not %g", layer, layer-1, r-before, c)
		}
	}
}

// checkSums checks that every context is counted once.
func (p *picture) checkSums(t tb) {
	t.Helper()
	all := int64(p.v.End[p.v.Root] - p.v.Root)
	segments := int64(len(p.at))
	if p.v.Method[p.v.Root] == data.None {
		all--
		segments--
	}
	if p.s.Drawn != segments || p.s.TooSmall < 0 || p.s.Deeper < 0 || p.s.Drawn+p.s.TooSmall+p.s.Deeper != all {
		t.Fatalf("%d are drawn, %d too small, %d deeper, but there are %d contexts and %d segments", p.s.Drawn, p.s.TooSmall, p.s.Deeper, all, segments)
	}
}

// callees gives the angles of what is drawn of n's callees, and what is not.
func (p *picture) callees(n cct.NodeID) (shown []int, hidden int64, hiddenTotal float64) {
	for c := range p.v.Children(n) {
		if i, ok := p.at[c]; ok {
			shown = append(shown, i)
		} else {
			hidden += int64(p.v.End[c] - c)
			hiddenTotal += float64(p.v.Total[p.metric][c])
		}
	}
	return shown, hidden, hiddenTotal
}

// checkEquations checks eq. 1 to 4 for trees without negative values.
func (p *picture) checkEquations(t tb) {
	t.Helper()
	sec := &p.s.Sectors
	angle := func(i int) float64 { return sec.A1[i] - sec.A0[i] }
	root := p.at[p.v.Root]
	rootArea := angle(root) / 2 * sec.R1[root] * sec.R1[root]
	for n, i := range p.at {
		total := float64(p.v.Total[p.metric][n])
		if sec.Total[i] != total || sec.Self[i] != float64(p.v.Self[p.metric][n]) {
			t.Fatalf("context %d has other values in the picture", sec.ID[i])
		}
		if p.sizing == Area { // eq. 3: areas are to each other as totals are
			area := angle(i) / 2 * (sec.R1[i]*sec.R1[i] - sec.R0[i]*sec.R0[i])
			if whole := float64(p.v.Total[p.metric][p.v.Root]); whole > 0 && math.Abs(area*whole-rootArea*total) > 1e-6*rootArea*whole {
				t.Fatalf("context %d has the area %g for %g of %g, the root %g", sec.ID[i], area, total, whole, rootArea)
			}
		}
		shown, hidden, hiddenTotal := p.callees(n)
		if len(shown) == 0 {
			if m, ok := p.marks[n]; ok {
				p.checkMark(t, n, m, hidden, hiddenTotal)
			}
			continue
		}
		sum := 0.0
		for _, c := range shown {
			want := angle(i) / float64(p.v.CountChildren(n)) // eq. 1
			if p.sizing != Equal {
				want = angle(i) * sec.Total[c] / total // eq. 2
			}
			if math.Abs(angle(c)-want) > eps {
				t.Fatalf("context %d has the angle %g, not %g", sec.ID[c], angle(c), want)
			}
			sum += angle(c)
		}
		if p.sizing == Equal {
			if hidden > 0 || math.Abs(sum-angle(i)) > eps {
				t.Fatalf("the callees of %d cover %g of %g and hide %d", sec.ID[i], sum, angle(i), hidden)
			}
			continue
		}
		if own := angle(i) - sum - angle(i)*hiddenTotal/total; math.Abs(own-angle(i)*sec.Self[i]/total) > eps {
			t.Fatalf("context %d: %g is not covered, but its own share is %g", sec.ID[i], own, angle(i)*sec.Self[i]/total)
		}
		if m, ok := p.marks[n]; ok {
			p.checkMark(t, n, m, hidden, hiddenTotal)
		} else if hiddenTotal > 0 {
			t.Fatalf("there is no mark for what %d hides", sec.ID[i])
		}
	}
}

// checkMark checks that a mark spans just what it stands for, or a pixel.
func (p *picture) checkMark(t tb, n cct.NodeID, m int, hidden int64, total float64) {
	t.Helper()
	sec, i := &p.s.Sectors, p.at[n]
	if int64(sec.Count[m]) != hidden || sec.Total[m] != total {
		t.Fatalf("the mark below %d stands for %d contexts of %g, not %d of %g", sec.ID[m], sec.Count[m], sec.Total[m], hidden, total)
	}
	if total == 0 && p.sizing != Equal {
		t.Fatalf("there is a mark below %d for what has no size", sec.ID[m])
	}
	want := sec.A1[i] - sec.A0[i] // eq. 1: callees cover their caller
	if p.sizing != Equal {
		want *= total / float64(p.v.Total[p.metric][n])
	}
	want = max(want, pixel/sec.R1[m])
	want = min(want, sec.A1[i]-sec.A0[m]) // the caller's end is its end
	if got := sec.A1[m] - sec.A0[m]; math.Abs(got-want) > eps {
		t.Fatalf("the mark below %d spans %g, not %g", sec.ID[m], got, want)
	}
}

// figure is the tree of figure 1(b), with the same shape and made-up costs.
const figure = `
main 30 1
  f 10 20
    g 20 20
      g 5 10
        h 6 10
          i 4 10
      h 9 10
    h 8 20
      i 8 20
  g 12 20
    h 8 10
  h 10 72
    i 20 72
`

func TestFigure(t *testing.T) {
	w := drawn(t, figure)
	for _, sizing := range []Sizing{Equal, Length, Area} {
		for _, metric := range []string{"m0", "m1"} {
			p := take(t, w, request(sizing, "", metric))
			p.checkEquations(t)
			if p.s.Drawn != 13 || p.s.TooSmall != 0 || len(p.marks) != 0 {
				t.Errorf("%s by %s: %d drawn, %d too small", sizing, metric, p.s.Drawn, p.s.TooSmall)
			}
		}
	}
	// By hand: main has 150, f 70, g 20, h 30; the uncovered fifth is main's own.
	p := take(t, w, request(Length, "focus:1", "m0"))
	sec := &p.s.Sectors
	want := map[string][2]float64{"f": {0, 70.0 / 150}, "h": {70.0 / 150, 100.0 / 150}, "g": {100.0 / 150, 120.0 / 150}}
	for c := range p.v.Children(1) {
		i, turn := p.at[c], want[p.v.Name(c)]
		if math.Abs(sec.A0[i]/2/math.Pi-turn[0]) > eps || math.Abs(sec.A1[i]/2/math.Pi-turn[1]) > eps {
			t.Errorf("%s goes from %g to %g of a turn, not %v", p.v.Name(c), sec.A0[i]/2/math.Pi, sec.A1[i]/2/math.Pi, turn)
		}
	}
}

func anySizing(t *rapid.T) Sizing {
	return rapid.SampledFrom([]Sizing{Equal, Length, Area}).Draw(t, "sizing")
}

// anyTree draws a tree with two metrics whose self values value gives.
func anyTree(t *rapid.T, value *rapid.Generator[int64]) *viz.Workspace {
	n := rapid.IntRange(1, 300).Draw(t, "n")
	wide := rapid.Bool().Draw(t, "wide")
	names := []string{"a.B.c", "a.B.d", "a.b.C.e", "f", "g"}
	parents, methods := make([]data.EntityID, n), make([]data.EntityID, n)
	values := [][]int64{make([]int64, n), make([]int64, n)}
	for i := range n {
		lowest := -1
		if !wide {
			lowest = max(-1, i-4)
		}
		parents[i] = data.EntityID(rapid.IntRange(lowest, i-1).Draw(t, "parent")) // -1 is None
		methods[i] = data.EntityID(rapid.IntRange(0, len(names)-1).Draw(t, "method"))
		values[0][i], values[1][i] = value.Draw(t, "a"), value.Draw(t, "b")
	}
	return workspace(t, names, parents, methods, values)
}

func TestEquationsOfAnyTree(t *testing.T) {
	value := rapid.OneOf(rapid.Int64Range(0, 10), rapid.Int64Range(0, 1_000_000), rapid.Just(int64(0)))
	rapid.Check(t, func(t *rapid.T) {
		w := anyTree(t, value)
		steps := rapid.SampledFrom([]string{"", "norec", "bymethod", "depth:0", "depth:3", "focus:1", "focus:1,depth:2"}).Draw(t, "steps")
		r := request(anySizing(t), steps, rapid.SampledFrom([]string{"m0", "m1"}).Draw(t, "metric"))
		side := float64(rapid.SampledFrom([]int{1, 20, 60, 300, 2000}).Draw(t, "side"))
		r.Viewport = viz.Viewport{Width: side + 100, Height: side}
		take(t, w, r).checkEquations(t)
	})
}

func TestNegativeValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyTree(t, rapid.Int64Range(-100, 100))
		p := take(t, w, request(anySizing(t), "", rapid.SampledFrom([]string{"m0", "m1"}).Draw(t, "metric")))
		if p.v.Negative[p.metric] != (len(p.s.Notes) > 0) {
			t.Fatalf("the notes are %q", p.s.Notes)
		}
	})
	// 10 and 30 share the turn with 5 that are main's own; -35 have no size.
	p := take(t, drawn(t, "main 5\n  f 10\n  g 30\n  h -35\n"), request(Length, "focus:1", ""))
	for name, want := range map[string]float64{"f": 10.0 / 45, "g": 30.0 / 45} {
		for n, i := range p.at {
			if got := (p.s.Sectors.A1[i] - p.s.Sectors.A0[i]) / 2 / math.Pi; p.v.Name(n) == name && math.Abs(got-want) > eps {
				t.Errorf("%s takes %g of the turn, not %g", name, got, want)
			}
		}
	}
	if p.s.Drawn != 3 || p.s.TooSmall != 1 {
		t.Errorf("%d drawn, %d too small", p.s.Drawn, p.s.TooSmall)
	}
}

func TestSumsBeyond64Bits(t *testing.T) {
	const much = "8000000000000000000"
	p := take(t, drawn(t, "main 1\n  a "+much+"\n  b "+much+"\n  c "+much+"\n  d "+much+"\n"), request(Length, "", ""))
	if len(p.s.Notes) != 1 || p.s.Drawn != 5 {
		t.Errorf("%d drawn, notes %q", p.s.Drawn, p.s.Notes)
	}
}

func TestNothingMeasured(t *testing.T) {
	w := drawn(t, "main 0\n  f 0\n    g 0\n  h 0\n")
	for sizing, want := range map[Sizing]int64{Equal: 4, Length: 0, Area: 0} {
		if p := take(t, w, request(sizing, "", "")); p.s.Drawn != want || p.s.TooSmall != 4-want {
			t.Errorf("%s: %d drawn, %d too small", sizing, p.s.Drawn, p.s.TooSmall)
		}
	}
}

func TestDepthLimitKeepsAngles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, sizing := anyTree(t, rapid.Int64Range(0, 50)), anySizing(t)
		whole := take(t, w, request(sizing, "", ""))
		layers := rapid.IntRange(0, 8).Draw(t, "layers")
		limited := take(t, w, request(sizing, fmt.Sprintf("depth:%d", layers), ""))
		a, b := &whole.s.Sectors, &limited.s.Sectors
		for n, i := range limited.at {
			if int(limited.v.Depth[n]) > layers {
				t.Fatalf("layer %d is drawn", limited.v.Depth[n])
			}
			if j, ok := whole.at[n]; ok && (math.Abs(a.A0[j]-b.A0[i]) > eps || math.Abs(a.A1[j]-b.A1[i]) > eps || a.Total[j] != b.Total[i]) {
				t.Fatalf("context %d moved from %g–%g to %g–%g", n, a.A0[j], a.A1[j], b.A0[i], b.A1[i])
			}
		}
	})
}

// chain draws n contexts, each called by the one before, that cost one each.
func chain(t tb, n int) *viz.Workspace {
	parents, methods, ones := make([]data.EntityID, n), make([]data.EntityID, n), make([]int64, n)
	for i := range n {
		parents[i], methods[i], ones[i] = data.EntityID(i-1), data.EntityID(i%2), 1
	}
	return workspace(t, []string{"a", "b"}, parents, methods, [][]int64{ones})
}

func TestVeryDeepChain(t *testing.T) {
	w := chain(t, 1_000_000)
	for _, sizing := range []Sizing{Equal, Length, Area} {
		p := take(t, w, request(sizing, "", ""))
		p.checkEquations(t)
		if n := p.s.Sectors.Len(); n < 3 || n > 300 {
			t.Errorf("%s: %d sectors on a radius of 294 pixels", sizing, n)
		}
	}
}

func TestVeryWideCaller(t *testing.T) {
	n := 200_000
	parents, methods, ones := make([]data.EntityID, n), make([]data.EntityID, n), make([]int64, n)
	parents[0] = data.None
	for i := range ones {
		ones[i] = 1
	}
	w := workspace(t, []string{"a"}, parents, methods, [][]int64{ones})
	for _, sizing := range []Sizing{Equal, Length, Area} {
		p := take(t, w, request(sizing, "", ""))
		p.checkEquations(t)
		if p.s.Sectors.Len() != 3 || p.s.TooSmall != int64(n-1) {
			t.Errorf("%s: %d sectors, %d too small", sizing, p.s.Sectors.Len(), p.s.TooSmall)
		}
	}
}

func TestMarksTellOfHiddenMatches(t *testing.T) {
	text := "main 0\n  big 1000000\n  huge 5000000\n"
	for i := range 50 {
		text += fmt.Sprintf("  small%d 1\n", i)
	}
	w := drawn(t, text)
	for search, want := range map[string][3]uint8{ // big, huge, mark
		"big":     {scene.MatchSelf, scene.MatchNone, scene.MatchNone},
		"small7":  {scene.MatchNone, scene.MatchNone, scene.MatchHidden},
		"g":       {scene.MatchSelf, scene.MatchSelf, scene.MatchNone},
		"/l7|ge/": {scene.MatchNone, scene.MatchSelf, scene.MatchHidden},
		"nothing": {},
	} {
		r := request(Length, "focus:1", "")
		r.Highlight = search
		p := take(t, w, r)
		m, ok := p.marks[1]
		if !ok || len(p.s.Sectors.Match) != p.s.Sectors.Len() {
			t.Fatalf("%s: there is no mark or no column of matches", search)
		}
		var got [3]uint8
		for n, i := range p.at {
			switch p.v.Name(n) {
			case "big":
				got[0] = p.s.Sectors.Match[i]
			case "huge":
				got[1] = p.s.Sectors.Match[i]
			}
		}
		if got[2] = p.s.Sectors.Match[m]; got != want {
			t.Errorf("%s: found %v, not %v", search, got, want)
		}
	}
	if p := take(t, w, request(Length, "", "")); p.s.Sectors.Match != nil {
		t.Errorf("there is a column of matches without a search")
	}
}

func TestEqualInputEqualScene(t *testing.T) {
	for _, color := range []string{"package", "method", "metric"} {
		r := request(Length, "", "")
		r.Params["color"] = color
		a, b := take(t, drawn(t, figure), r), take(t, drawn(t, figure), r)
		if !reflect.DeepEqual(a.s, b.s) {
			t.Errorf("two scenes by %s differ", color)
		}
	}
}

func TestSecondMetric(t *testing.T) {
	w := drawn(t, "main 10 0\n  f 10 10\n  g 10 1000\n  h 10 0\n")
	r := request(Length, "", "")
	r.Params["color"], r.Params["by"] = "metric", "m1"
	p := take(t, w, r)
	l := p.s.Legend
	if l == nil || l.Title != "m1 per m0" || len(l.Ramp) != 9 || l.RampLow != "1" || l.RampHigh != "100" {
		t.Fatalf("the legend is %+v", l)
	}
	fill := map[string]scene.Color{}
	for n, i := range p.at {
		fill[p.v.Name(n)] = p.s.Sectors.Fill[i]
	}
	if fill["f"] != l.Ramp[0] || fill["g"] != l.Ramp[8] || fill["h"] != viz.Quiet(false) {
		t.Errorf("colours are %x, the scale %x", fill, l.Ramp)
	}
	// Without a name it is another one than the first.
	delete(r.Params, "by")
	if p := take(t, w, r); p.s.Legend.Title != "m1 per m0" {
		t.Errorf("the legend is called %q", p.s.Legend.Title)
	}
	r.Params["by"] = "calories"
	if _, _, err := w.Scene(context.Background(), r); err == nil || !strings.Contains(err.Error(), "calories") {
		t.Errorf("an unknown metric gives %v", err)
	}
}

func TestPackageLegend(t *testing.T) {
	w := drawn(t, "a.b.C.m()V 1\n  d.e.F.n()V 5\n  d.e.G.o()V 5\n")
	p := take(t, w, request(Length, "", ""))
	l := p.s.Legend
	if l == nil || len(l.Entries) != 2 || l.Entries[0].Label != "d.e" || l.Entries[1].Label != "a.b" || l.Entries[0].Color == l.Entries[1].Color {
		t.Fatalf("the legend is %+v", l)
	}
	i := p.at[1]
	if s := &p.s.Sectors; s.Names[s.Name[i]] != "a.b.C.m()V" || s.ShortNames[s.Name[i]] != "C.m" || s.Name[p.at[0]] != scene.NoName {
		t.Errorf("names are %q and %q", s.Names, s.ShortNames)
	}
}
