package matches

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
)

// bundled lays out two drawings, and joins calls by name: of each name the first
// with the first, and so on. All are in the group of the outermost calls.
type bundled struct {
	halves [2]*half
	edges  []edge
	groups []match.Group
}

func bundle2(t testing.TB, a, b string, width, height float64, joined ...string) *bundled {
	t.Helper()
	traces := [2]*trace.Trace{traceOf(t, drawing(t, a)), traceOf(t, drawing(t, b))}
	d := &bundled{groups: []match.Group{{A: 0, B: 0, Similarity: 1}}}
	for side, tr := range traces {
		d.halves[side] = newHalf(tr, trace.NewLevels(tr, nil), match.Side(side), [2]int64{0, tr.To - tr.From}, threadsOf(tr), 0, width)
	}
	rows := max(d.halves[0].used, d.halves[1].used)
	d.halves[match.A].layOut(0, 10, rows)
	d.halves[match.B].layOut(height, -10, rows)
	for _, name := range joined {
		var calls [2][]trace.CallID
		for side, tr := range traces {
			for c := range trace.CallID(tr.Len()) {
				if tr.Name(c) == name {
					calls[side] = append(calls[side], c)
				}
			}
		}
		for i := range min(len(calls[0]), len(calls[1])) {
			e := edge{Match: match.Match{A: calls[0][i], B: calls[1][i], Similarity: 1}}
			e.ends = [2]end{d.halves[match.A].endOf(e.A), d.halves[match.B].endOf(e.B)}
			d.edges = append(d.edges, e)
		}
	}
	return d
}

// route gives the control points of an edge.
func (d *bundled) route(i int, b band) []point {
	r := startsOf(&d.halves, d.edges, d.groups, b)
	e := &d.edges[i]
	return r.trees.route(nil, &e.ends[match.A], &e.ends[match.B], r.at[match.A][i], r.at[match.B][i])
}

// turns counts how often a curve changes between left and right.
func turns(x []float32) (n int) {
	way := 0
	for i := 1; i < len(x); i++ {
		d := x[i] - x[i-1]
		if math.Abs(float64(d)) < 1e-3 {
			continue
		}
		now := 1
		if d < 0 {
			now = -1
		}
		if way != 0 && now != way {
			n++
		}
		way = now
	}
	return n
}

// TestFigure3 is the wave of figure 3: A and C are not in the middle of their
// callers B and D. Their edge is not drawn out to those middles and back.
func TestFigure3(t *testing.T) {
	const left = `
m-----------------------------
d-----------------------------
 c---`
	d := bundle2(t, left, left, 300, 400, "c")
	b := band{mid: 200, half: 120}
	for _, p := range d.route(0, b) {
		if p.x != 30 {
			t.Errorf("a control point is at %g, beside the calls at 30", p.x)
		}
	}
	tubes := bundle(&d.halves, d.edges, d.groups, look{lambda: 0.3, band: b, strength: 1}, splines{})
	if n := turns(tubes.X); n != 0 {
		t.Errorf("the edge turns %d times", n)
	}

	// The same with another match further right: the callers' control points are
	// between both, and those of the outermost call are no further out.
	const both = `
m-----------------------------
d-----------------------------
 c---     e--`
	d = bundle2(t, both, both, 300, 400, "c", "e")
	for i, own := range []float64{30, 115} {
		for _, p := range d.route(i, b) {
			if p.x < 30 || p.x > 115 {
				t.Errorf("a control point of the edge at %g is at %g, beyond the matches", own, p.x)
			}
		}
	}
	tubes = bundle(&d.halves, d.edges, d.groups, look{lambda: 0.3, band: b, strength: 1}, splines{})
	for i := range tubes.Len() {
		if n := turns(tubes.X[tubes.First[i]:tubes.First[i+1]]); n > 1 {
			t.Errorf("edge %d turns %d times", i, n)
		}
	}
}

// TestFigure4 is the sharp bends of figure 4: call stacks so deep that they reach
// into the band have no control points there. What is in the band is hung on the
// nearest one outside it, so that the tree gets no higher.
func TestFigure4(t *testing.T) {
	const deep = `
m-----------------------------
f------------g----------------
h------------i-------j--------
k------------l-------n--------
o------------p-------q--------
 r-           s-      t-`
	const flat = `
m-----------------------------
rr-s-t------------------------`
	// Rows are 10 high: from y = 30 on they are in the band.
	d := bundle2(t, deep, flat, 300, 130, "r", "s", "t")
	b := band{mid: 65, half: 34}
	r := startsOf(&d.halves, d.edges, d.groups, b)
	for i, e := range d.edges {
		start := r.trees.control[r.at[match.A][i]]
		if start.y > b.mid || b.mid-start.y > b.half+1e-9 {
			t.Errorf("edge %d starts at a control point at %g, outside of the upper half of the band", i, start.y)
		}
		// h, i and j are the innermost ones outside.
		if want := []float64{65, 170, 255}[i]; start.x != want {
			t.Errorf("edge %d at %g is hung on the control point at %g, want that of its caller at %g", i, e.ends[match.A].x, start.x, want)
		}
	}
	high := len(d.route(0, b))
	// The same without what is in the band: no fewer control points on the way.
	d = bundle2(t, "m-----------------------------\nf------------g----------------\nh------------i-------j--------", flat, 300, 130, "m")
	d.edges = append(d.edges, edge{})
	d.edges = d.edges[:1]
	if got := len(d.route(0, b)); got > high {
		t.Errorf("%d points without what is in the band, %d with it", got, high)
	}
}

// TestHungOnTheNearest: a call under a pixel begins at the control point that is
// nearest to it, among those in the call stack of its caller, and not at its
// caller's.
func TestHungOnTheNearest(t *testing.T) {
	const text = `
m---------------------------------------
a-------            b-------       z
c-----              e-----`
	d := bundle2(t, text, text, 36, 400, "c", "e", "z") // 0.9 pixels a column
	if n := len(d.edges); n != 3 || d.edges[2].ends[match.A].own || !d.edges[1].ends[match.A].own {
		t.Fatalf("%d edges, %+v", n, d.edges[2].ends[match.A])
	}
	r := startsOf(&d.halves, d.edges, d.groups, band{mid: 200, half: 100})
	if c, z := r.at[match.A][1], r.at[match.A][2]; c != z {
		t.Errorf("z begins at %+v, want e's %+v", r.trees.control[z], r.trees.control[c])
	}
	if c, e := r.at[match.A][0], r.at[match.A][1]; c == e {
		t.Errorf("c and e begin at one control point, %+v", r.trees.control[c])
	}
}

// TestFigure6 is a call that matches two of the other trace: both tubes start at
// it and end at each of these, and the one around all lies behind them.
func TestFigure6(t *testing.T) {
	a := traceOf(t, drawing(t, "m--------------\ng----\na-b--"))
	b := traceOf(t, drawing(t, "m--------------\ng----  g------\na-b--  a--b---"))
	m, levels := pair(t, a, b, 0.9)
	p := layOut(m, levels, all(m, 100))
	tubes := bundle(&p.halves, p.edges, p.groups, look{lambda: 0.5, band: band{450, 180}, strength: 0.8}, splines{})
	var order []string
	for i := range tubes.Len() {
		ca, cb := trace.CallID(tubes.A[i]), trace.CallID(tubes.B[i])
		order = append(order, a.Name(ca)+b.Name(cb))
		for k, side := range []match.Side{match.A, match.B} {
			at := [2]uint32{tubes.First[i], tubes.First[i+1] - 1}[k]
			h, c := p.halves[side], []trace.CallID{ca, cb}[k]
			x0, x1 := h.clip(h.t.Start[c], h.t.Stop[c])
			left, right := tubes.X[at]-tubes.W[at]/2, tubes.X[at]+tubes.W[at]/2
			if math.Abs(float64(left)-x0) > 1e-2 || math.Abs(float64(right)-x1) > 1e-2 {
				t.Errorf("tube %d ends at %g to %g, its call at %g to %g", i, left, right, x0, x1)
			}
		}
	}
	if want := []string{"mm", "gg", "gg"}; !slices.Equal(order[:3], want) || len(order) != 7 {
		t.Errorf("drawn in the order %v, want %v first of 7", order, want)
	}
}

// TestControlTrees checks, for traces of any shape, all that section IV-B says of
// control points.
func TestControlTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawTrace(rt, t, "a"), drawTrace(rt, t, "b")
		m, levels := pair(t, a, b, rapid.SampledFrom([]float64{0.1, 0.2, 0.3, 0.6}).Draw(rt, "tau"))
		w := all(m, rapid.IntRange(1, 200).Draw(rt, "most"))
		w.size.Width, w.size.Height = rapid.Float64Range(30, 700).Draw(rt, "width"), rapid.Float64Range(100, 900).Draw(rt, "height")
		p := layOut(m, levels, w)
		if total := min(int64(w.most), p.total); int64(len(p.edges)) != total || p.total != m.Total {
			rt.Fatalf("%d edges, total %d, want %d of %d", len(p.edges), p.total, total, m.Total)
		}
		bd := band{mid: w.size.Height / 2, half: rapid.Float64Range(0.02, 1).Draw(rt, "band") * w.size.Height / 2}
		for side := match.A; side <= match.B; side++ {
			checkTrees(rt, p, side, bd)
		}
	})
}

func checkTrees(t *rapid.T, p *picture, side match.Side, b band) {
	h := p.halves[side]
	r := startsOf(&p.halves, p.edges, p.groups, b)
	for g, group := range p.groups {
		root := [2]trace.CallID{group.A, group.B}[side]
		var of []int
		for i := range p.edges {
			if p.edges[i].group == int32(g) {
				of = append(of, i)
			}
		}
		// Key nodes of the group, by the words of the paper.
		key := func(n int32) bool {
			node := h.nodes[n]
			return node.x1-node.x0 > 0 && b.isKey(h, n) && node.call >= root && node.call < h.t.End[root]
		}
		for _, i := range of {
			e := &p.edges[i].ends[side]
			start := r.trees.control[r.at[side][i]]
			away := math.Abs(start.y - b.mid)
			if away > b.half+1e-9 || (start.y < b.mid) != (side == match.A) {
				t.Fatalf("control point at %g, band %+v", start.y, b)
			}
			// Up the tree: nearer and nearer to the middle, and there is an end to it.
			for c := start; c.parent >= 0; {
				up := r.trees.control[c.parent]
				if math.Abs(up.y-b.mid) >= math.Abs(c.y-b.mid) {
					t.Fatalf("control point at %g is above one at %g", up.y, c.y)
				}
				c = up
			}
			// From left to right it is among the middles of nodes with matches, or
			// where the root of a group is that is too narrow itself.
			low, high := math.Inf(1), math.Inf(-1)
			for n := range h.nodes {
				if key(int32(n)) {
					x := (h.nodes[n].x0 + h.nodes[n].x1) / 2
					low, high = min(low, x), max(high, x)
				}
			}
			x := h.endOf(root).x
			low, high = min(low, x), max(high, x)
			if start.x < low-1e-9 || start.x > high+1e-9 {
				t.Fatalf("control point of %+v at %g, not from %g to %g", e, start.x, low, high)
			}
		}
	}
}

// TestCurves: a curve begins and ends in the middle of its calls and stays within
// its control points; without strength it is straight.
func TestCurves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		coordinate := rapid.Float64Range(-1000, 1000)
		points := make([]point, rapid.IntRange(4, 30).Draw(rt, "points"))
		x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for i := range points {
			p := point{coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y")}
			points[i] = p
			x0, x1, y0, y1 = min(x0, p.x), max(x1, p.x), min(y0, p.y), max(y1, p.y)
		}
		first, last := points[0], points[len(points)-1]
		strength := rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "strength")
		straighten(points, strength)
		known := splines{}
		n := samplesFor(points)
		curve := sample(nil, points, known.of(len(points), n))
		if len(curve) != n || n < 50 || n > 100 {
			rt.Fatalf("%d samples", len(curve))
		}
		const near = 1e-6
		if math.Hypot(curve[0].x-first.x, curve[0].y-first.y) > near || math.Hypot(curve[n-1].x-last.x, curve[n-1].y-last.y) > near {
			rt.Fatalf("from %v to %v, want %v to %v", curve[0], curve[n-1], first, last)
		}
		for i, p := range curve {
			if p.x < x0-near || p.x > x1+near || p.y < y0-near || p.y > y1+near {
				rt.Fatalf("sample %d, %v, is not among the points", i, p)
			}
			if strength > 0 {
				continue
			}
			off := (last.x-first.x)*(p.y-first.y) - (last.y-first.y)*(p.x-first.x)
			if math.Abs(off) > near*(1+math.Hypot(last.x-first.x, last.y-first.y)) {
				rt.Fatalf("sample %d, %v, is beside the line from %v to %v", i, p, first, last)
			}
		}
	})
}

// TestEquation5: a tube is as wide as its calls at its ends, and λ of both in its
// middle; with λ = 1 it goes evenly from one to the other.
func TestEquation5(t *testing.T) {
	for _, c := range []struct{ t, lambda, wf, wg, want float64 }{
		{0, 0.3, 40, 10, 40},
		{1, 0.3, 40, 10, 10},
		{0.5, 0.3, 40, 10, 0.3 * 25},
		{0.5, 0, 40, 10, 0},
		{0.25, 0.2, 40, 10, 0.6 * (0.75*40 + 0.25*10)}, // φ = λ + (1-λ)/2
		{0.25, 1, 40, 20, 35},
		{0.5, 1, 40, 20, 30},
	} {
		if got := width(c.t, c.lambda, c.wf, c.wg); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("t = %g, λ = %g, from %g to %g: %g wide, want %g", c.t, c.lambda, c.wf, c.wg, got, c.want)
		}
	}
	// What is printed would put the left border to the right of the right one.
	printed := func(t, lambda, wf, wg float64) float64 { return phi(t, lambda) * ((1-t)*wf - t*wg) }
	if left := -printed(1, 0.3, 40, 10) / 2; left != 5 {
		t.Errorf("as printed, the left border ends %g from the middle of a call that is 10 wide", left)
	}
}

// TestTubeAlongCurve: t of eq. 5 is the length of the curve so far, however its
// samples lie.
func TestTubeAlongCurve(t *testing.T) {
	curve := []point{{0, 0}, {0, 10}, {0, 11}, {0, 12}, {0, 100}}
	var tubes scene.Tubes
	appendTube(&tubes, curve, nil, 0.4, 20, 8)
	for i, p := range curve {
		if want := width(p.y/100, 0.4, 20, 8); math.Abs(float64(tubes.W[i])-want) > 1e-5 {
			t.Errorf("at %g: %g wide, want %g", p.y, tubes.W[i], want)
		}
	}
	// A curve without length is a point, and no end of numbers.
	tubes = scene.Tubes{}
	appendTube(&tubes, []point{{1, 1}, {1, 1}}, nil, 0.4, 20, 8)
	if tubes.W[0] != 20 || tubes.W[1] != 20 {
		t.Errorf("without length: %v", tubes.W)
	}
}
