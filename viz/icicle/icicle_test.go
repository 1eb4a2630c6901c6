package icicle

import (
	"context"
	"fmt"
	"math"
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

// tb is what *testing.T and *rapid.T share.
type tb interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// drawn makes a workspace of the tree of a drawing.
func drawn(t tb, text string) *viz.Workspace { return workspaceOf(t, datatest.Drawn(t, text)) }

func workspaceOf(t tb, set *data.Set) *viz.Workspace {
	t.Helper()
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return w
}

func request(params ...string) viz.Request {
	r := viz.Request{View: Name, Params: map[string]string{}, Viewport: viz.Viewport{Width: 800, Height: 600}}
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		r.Params[name] = value
	}
	return r
}

// take makes a picture and checks what holds of all pictures.
func take(t tb, w *viz.Workspace, r viz.Request) (*scene.Scene, cct.View) {
	t.Helper()
	s, v, err := w.Scene(context.Background(), r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	contexts := int64(v.End[v.Root] - v.Root)
	if v.Method[v.Root] == data.None {
		contexts--
	}
	if sum := s.Drawn + s.TooSmall + s.Deeper; sum != contexts {
		t.Errorf("%v: %d drawn, %d too small and %d deeper are not the %d contexts", r.Params, s.Drawn, s.TooSmall, s.Deeper, contexts)
	}
	const off = 1e-6
	c := &s.Rects
	for i := range c.Len() {
		if c.X[i] < -off || c.X[i]+c.W[i] > s.Width+off || c.Y[i] < -off || c.Y[i]+c.H[i] > s.Height+off || !(c.W[i] > 0) || c.H[i] < pixel-off {
			t.Errorf("%v: box %d is at %g, %g, %g wide and %g high", r.Params, i, c.X[i], c.Y[i], c.W[i], c.H[i])
		}
		if c.Count[i] == 0 && c.W[i] < pixel-off {
			t.Errorf("%v: box %d is %g wide", r.Params, i, c.W[i])
		}
		for k := range i {
			if math.Abs(c.Y[i]-c.Y[k]) < off && c.X[i] < c.X[k]+c.W[k]-off && c.X[k] < c.X[i]+c.W[i]-off {
				t.Errorf("%v: boxes %d and %d overlap", r.Params, k, i)
			}
		}
	}
	return s, v
}

// text writes boxes as a tree: what a box stands on is the one that it lies
// within, one layer nearer to where it grows from.
func text(s *scene.Scene, up bool) string {
	c := &s.Rects
	var write func(y, x0, x1 float64, indent string) string
	write = func(y, x0, x1 float64, indent string) string {
		out := ""
		var layer []int
		for i := range c.Len() {
			if math.Abs(c.Y[i]-y) < 1e-6 && c.X[i] >= x0-1e-6 && c.X[i]+c.W[i] <= x1+1e-6 {
				layer = append(layer, i)
			}
		}
		slices.SortFunc(layer, func(a, b int) int {
			if c.X[a] < c.X[b] {
				return -1
			}
			return 1
		})
		for _, i := range layer {
			name := "everything"
			if c.Count[i] > 0 {
				name = fmt.Sprintf("(%d)", c.Count[i])
			} else if n := c.Boxes.Name[i]; n != scene.NoName {
				name = c.Boxes.Names[n]
			}
			out += fmt.Sprintf("%s%s %g\n", indent, name, c.Boxes.Total[i])
			next := y + c.H[i]
			if up {
				next = y - c.H[i]
			}
			if c.Count[i] == 0 {
				out += write(next, c.X[i], c.X[i]+c.W[i], indent+"  ")
			}
		}
		return out
	}
	if c.Len() == 0 {
		return ""
	}
	return write(c.Y[0], 0, s.Width, "")
}

const toy = `
main 0
  a 0
    b 5
    c 3
  b 2
    c 0
      b 1
`

func TestWays(t *testing.T) {
	w := drawn(t, toy)
	for _, c := range []struct {
		params string
		want   string
	}{
		{"mode=callees", "everything 11|  main 11|    a 8|      b 5|      c 3|    b 3|      c 1|        b 1|"},
		{"mode=callees direction=up", "everything 11|  main 11|    a 8|      b 5|      c 3|    b 3|      c 1|        b 1|"},
		{"mode=callers", "everything 11|  b 8|    a 5|      main 5|    main 2|    c 1|      b 1|        main 1|  c 3|    a 3|      main 3|"},
		{"mode=callers zoom=3", "everything 11|  b 8|    a 5|      main 5|    main 2|    c 1|      b 1|        main 1|"},
		{"mode=callers zoom=3.2", "everything 11|  b 8|    a 5|      main 5|"},
		{"mode=around around=b", "b 8|  c 1|    b 1|"},
		{"mode=around around=c", "c 4|  b 1|"},
		{"mode=around around=2", "a 8|  b 5|  c 3|"},
	} {
		s, _ := take(t, w, request(strings.Fields(c.params)...))
		if got := strings.ReplaceAll(text(s, strings.Contains(c.params, "up")), "\n", "|"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.params, got, c.want)
		}
	}
	// Callers of a method grow to the other side.
	for _, up := range []bool{false, true} {
		direction := map[bool]string{false: "down", true: "up"}[up]
		s, _ := take(t, w, request("mode=around", "around=b", "direction="+direction))
		if got, want := strings.ReplaceAll(text(s, !up), "\n", "|"), "b 8|  a 5|    main 5|  main 3|"; got != want {
			t.Errorf("%s: callers are\n%s\nwant\n%s", direction, got, want)
		}
	}
}

func TestFlameIsIcicleUpsideDown(t *testing.T) {
	w := drawn(t, toy)
	for _, mode := range []string{callees, callers, around} {
		down, _ := take(t, w, request("mode="+mode))
		up, _ := take(t, w, request("mode="+mode, "direction=up"))
		if !up.Rects.Boxes.Up || down.Rects.Boxes.Up || up.Rects.Len() != down.Rects.Len() {
			t.Fatalf("%s: the flame graph has %d boxes, the icicle %d", mode, up.Rects.Len(), down.Rects.Len())
		}
		for i := range up.Rects.Len() {
			if up.Rects.X[i] != down.Rects.X[i] || math.Abs(up.Rects.Y[i]+up.Rects.H[i]+down.Rects.Y[i]-600) > 1e-9 {
				t.Errorf("%s: box %d is at %g and %g", mode, i, up.Rects.Y[i], down.Rects.Y[i])
			}
		}
	}
}

func TestUnderAPixel(t *testing.T) {
	var tree strings.Builder
	tree.WriteString("main 0\n  big 10000\n")
	for i := range 30 {
		fmt.Fprintf(&tree, "  s%d 1\n    t%d 1\n", i, i)
	}
	w := drawn(t, tree.String())
	s, _ := take(t, w, request())
	if got, want := text(s, false), "everything 10060\n  main 10060\n    big 10000\n    (60) 60\n"; got != want {
		t.Errorf("the icicle is\n%swant\n%s", got, want)
	}
	if s.Drawn != 2 || s.TooSmall != 60 {
		t.Errorf("%d drawn, %d too small", s.Drawn, s.TooSmall)
	}
	s, _ = take(t, w, request("mode=callers"))
	if got, want := text(s, false), "everything 10060\n  big 10000\n    main 10000\n  (60) 60\n"; got != want {
		t.Errorf("callers are\n%swant\n%s", got, want)
	}
	s, _ = take(t, w, request("mode=around", "around=main"))
	if got, want := text(s, false), "main 10060\n  big 10000\n  (60) 60\n"; got != want {
		t.Errorf("around it is\n%swant\n%s", got, want)
	}
}

func TestDepthHides(t *testing.T) {
	w := drawn(t, toy)
	for _, c := range []struct {
		mode, steps string
		deeper      int64
		want        string
	}{
		{callees, "depth:2", 4, "everything 11|  main 11|    a 8|    b 3|"},
		{callers, "depth:1", 4, "everything 11|  b 8|  c 3|"},
		{callers, "depth:2", 3, "everything 11|  b 8|    a 5|    main 2|    c 1|  c 3|    a 3|"},
		{around, "depth:1", 1, "b 8|  c 1|"},
		{callees, "depth:0", 7, "everything 11|"},
		{callers, "depth:0", 4, "everything 11|"},
	} {
		r := request("mode=" + c.mode)
		r.Look.Steps = c.steps
		s, _ := take(t, w, r)
		if got := strings.ReplaceAll(text(s, false), "\n", "|"); got != c.want || s.Deeper != c.deeper {
			t.Errorf("%s, %s: %d deeper of\n%s\nwant %d of\n%s", c.mode, c.steps, s.Deeper, got, c.deeper, c.want)
		}
	}
}

func TestWrongParameters(t *testing.T) {
	w := drawn(t, toy)
	for _, c := range []struct{ params, want string }{
		{"mode=callers zoom=x", "ids with dots"}, {"mode=around around=nobody", `no method "nobody"`}, {"mode=around around=99", "no context 99"},
		{"color=metric by=x", `no metric "x"`}, {"mode=sideways", "must be one of"},
	} {
		if _, _, err := w.Scene(context.Background(), request(strings.Fields(c.params)...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.params, err)
		}
	}
	s, _ := take(t, w, request("mode=callers", "zoom=3.1.1"))
	if len(s.Notes) != 1 {
		t.Errorf("a path that is not there: %q", s.Notes)
	}
	s, _ = take(t, drawn(t, "main 1\n  f 0\n"), request("mode=around", "around=f"))
	if s.Rects.Len() != 0 || len(s.Notes) != 1 {
		t.Errorf("a method without anything: %q", s.Notes)
	}
}

func TestMarksOfSearchAndColours(t *testing.T) {
	w := drawn(t, "main 0 0\n  f 10 10\n  g 10 1000\n    f 5 0\n")
	for _, mode := range []string{callees, callers, around} {
		r := request("mode="+mode, "color=metric", "around=f")
		r.Highlight = "f"
		s, _ := take(t, w, r)
		if s.Legend == nil || s.Legend.Title != "m1 per m0" {
			t.Errorf("%s: the legend is %+v", mode, s.Legend)
		}
		for i, n := range s.Rects.Boxes.Name {
			found := n != scene.NoName && s.Rects.Boxes.Names[n] == "f"
			if (s.Rects.Match[i] == scene.MatchSelf) != found {
				t.Errorf("%s: box %d is marked with %d", mode, i, s.Rects.Match[i])
			}
		}
		r = request("mode=" + mode)
		r.Groups = []viz.Group{{Name: "hot", Color: scene.RGB(1, 2, 3), Filter: `Method == "f"`}}
		s, _ = take(t, w, r)
		colored := 0
		for _, c := range s.Rects.Fill {
			if c == scene.RGB(1, 2, 3) {
				colored++
			}
		}
		if colored == 0 || s.Legend.Entries[0].Label != "hot" {
			t.Errorf("%s: %d boxes have the colour of the group, the legend is %+v", mode, colored, s.Legend)
		}
	}
}

// inversion is the tree of callers, made of all of it: the plain definition.
type inversion struct {
	total    int64
	children map[string]*inversion
}

func (v *inversion) add(path []string, amount int64) {
	v.total += amount
	for _, name := range path {
		if v.children == nil {
			v.children = map[string]*inversion{}
		}
		if v.children[name] == nil {
			v.children[name] = &inversion{}
		}
		v = v.children[name]
		v.total += amount
	}
}

// agree compares what is drawn with a tree that was made of all: every box has
// its total and its width, and what is not drawn is under a pixel.
func agree(t tb, s *scene.Scene, base int, want *inversion, up bool) {
	t.Helper()
	c := &s.Rects
	var check func(i int, v *inversion)
	check = func(i int, v *inversion) {
		if c.Boxes.Total[i] != float64(v.total) {
			t.Fatalf("box %d has %g, not %d", i, c.Boxes.Total[i], v.total)
		}
		y := c.Y[i] + c.H[i]
		if up {
			y = c.Y[i] - c.H[i]
		}
		seen := map[string]bool{}
		for k := range c.Len() {
			if math.Abs(c.Y[k]-y) > 1e-6 || c.X[k] < c.X[i]-1e-6 || c.X[k]+c.W[k] > c.X[i]+c.W[i]+1e-6 || c.Count[k] > 0 {
				continue
			}
			name := c.Boxes.Names[c.Boxes.Name[k]]
			child := v.children[name]
			if child == nil {
				t.Fatalf("%s is not among what %d goes on to", name, i)
			}
			if w := c.W[i] * float64(child.total) / float64(v.total); math.Abs(w-c.W[k]) > 1e-6 {
				t.Fatalf("%s is %g wide and should be %g", name, c.W[k], w)
			}
			seen[name] = true
			check(k, child)
		}
		for name, child := range v.children {
			if w := c.W[i] * float64(child.total) / float64(v.total); !seen[name] && w > pixel+1e-6 && y >= -1e-6 && y+c.H[i] <= s.Height+1e-6 {
				t.Fatalf("%s would be %g wide, but is not drawn", name, w)
			}
		}
	}
	check(base, want)
}

func TestRandomTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, text := random(t)
		t.Logf("%s", text)
		v := w.Tree
		width := rapid.SampledFrom([]float64{30, 200, 1000}).Draw(t, "width")
		with := func(params ...string) viz.Request {
			r := request(params...)
			r.Viewport.Width = width
			return r
		}
		stack := func(n, until cct.NodeID) []string {
			var path []string
			for ; n != until && v.Method[n] != data.None; n = v.Parent[n] {
				path = append(path, v.Name(n))
			}
			return path
		}
		if v.Total[0][0] == 0 {
			return
		}
		down, callersOf := &inversion{}, &inversion{}
		for n := cct.NodeID(1); int(n) < v.Len(); n++ {
			path := stack(n, cct.Root)
			if v.Self[0][n] > 0 {
				callersOf.add(path, v.Self[0][n])
			}
			slices.Reverse(path)
			down.add(path, v.Self[0][n])
		}
		s, _ := take(t, w, with())
		agree(t, s, 0, down, false)
		s, _ = take(t, w, with("mode=callers", "direction=up"))
		agree(t, s, 0, callersOf, true)

		method := v.Methods.NameOf(v.Method[rapid.IntRange(1, v.Len()-1).Draw(t, "around")])
		above, below := &inversion{}, &inversion{}
		for n := cct.NodeID(1); int(n) < v.Len(); n++ {
			outer := cct.NoNode
			for a := n; a != cct.Root; a = v.Parent[a] {
				if v.Name(a) == method {
					outer = a
				}
			}
			if outer == cct.NoNode || v.Self[0][n] == 0 {
				continue
			}
			above.add(stack(v.Parent[outer], cct.Root), v.Self[0][n])
			path := stack(n, outer)
			slices.Reverse(path)
			below.add(path, v.Self[0][n])
		}
		s, _ = take(t, w, with("mode=around", "around="+method))
		if below.total > 0 {
			agree(t, s, 0, below, false)
			agree(t, s, 0, above, true)
		}
		// In any order of steps, depth and zoom, the accounts are right.
		r := with("mode="+rapid.SampledFrom([]string{callees, callers, around}).Draw(t, "mode"), fmt.Sprint("zoom=", rapid.IntRange(1, v.Len()-1).Draw(t, "zoom")))
		r.Look.Steps = fmt.Sprintf("focus:%d,%s,depth:%d", rapid.IntRange(0, v.Len()-1).Draw(t, "focus"), rapid.SampledFrom([]string{"norec", "bymethod"}).Draw(t, "step"), rapid.IntRange(0, 4).Draw(t, "depth"))
		r.Viewport.Height = rapid.SampledFrom([]float64{1, 3, 50, 500}).Draw(t, "height")
		take(t, w, r)
	})
}

// random makes a tree in which callees of one caller have different methods.
func random(t *rapid.T) (*viz.Workspace, string) {
	n := rapid.IntRange(1, 40).Draw(t, "contexts")
	lines := []string{"m0 1"}
	depth := []int{0}
	taken := map[string]bool{"m0": true}
	path := []string{"m0"}
	for range n {
		d := rapid.IntRange(0, depth[len(depth)-1]+1).Draw(t, "depth")
		name := fmt.Sprintf("m%d", rapid.IntRange(0, 5).Draw(t, "method"))
		path = append(path[:d:d], name)
		if key := strings.Join(path, "/"); taken[key] {
			path = pathOf(lines)
			continue
		} else {
			taken[key] = true
		}
		self := rapid.SampledFrom([]int{0, 0, 1, 5, 100, 3000}).Draw(t, "self")
		lines = append(lines, fmt.Sprintf("%s%s %d", strings.Repeat("  ", d), name, self))
		depth = append(depth, d)
	}
	text := strings.Join(lines, "\n")
	return drawn(t, text), text
}

// pathOf is the path of the last line.
func pathOf(lines []string) []string {
	var path []string
	for _, line := range lines {
		name := strings.Fields(line)[0]
		d := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		path = append(path[:d:d], name)
	}
	return path
}
