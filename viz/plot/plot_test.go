package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
	"github.com/cambium-prof/cambium/viz"
)

type id = data.EntityID

// places is a table of so many places, of which none occurs yet.
func places(t interface{ Fatal(...any) }, n int) *viz.Entities {
	b := data.NewBuilder("places", "test")
	e, err := b.EntityType("Place", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := e.Add(fmt.Sprintf("place number %d", i*i)); err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return viz.NewEntities(set.Entity("Place"), viz.Names{})
}

// axisOf is an axis of n places that all occur.
func axisOf(t interface{ Fatal(...any) }, n int, window viz.Range) Axis {
	e := places(t, n)
	for i := range n {
		e.Position(id(i))
	}
	return Entities("Place", "y", e, e.IDs, window)
}

func plain(text string) string { return strings.ReplaceAll(text, space, " ") }

// The examples are those of ui/src/format/numbers.test.ts: a value looks the
// same in a picture and in the page around it.
func TestNumberAsThePage(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{0, "count", "0"},
		{7, "count", "7"},
		{999, "count", "999"},
		{999.6, "count", "1.00 k"},
		{1000, "count", "1.00 k"},
		{274_848, "contexts", "275 k"},
		{14_800_000, "bytecodes", "14.8 M"},
		{999_499, "x", "999 k"},
		{999_500, "x", "1.00 M"},
		{-14_800_000, "x", "-14.8 M"},
		{1_530_000_000, "nanoseconds", "1.53 s"},
		{1_530_000_000, "ns", "1.53 s"},
		{250, "nanoseconds", "250 ns"},
		{999_600, "nanoseconds", "1.00 ms"},
		{90, "s", "90.0 s"},
		{180, "seconds", "3.00 min"},
		{7200, "s", "2.00 h"},
		{86_088_089, "bytes", "82.1 MiB"},
		{1023, "bytes", "1.00 KiB"},
		{512, "bytes", "512 B"},
		{2, "MB", "2.00 MiB"},
	} {
		if got := plain(Number(c.v, c.unit)); got != c.want {
			t.Errorf("%g %s is %s, want %s", c.v, c.unit, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 83705: "83,705", 1234567: "1,234,567", -1: "−1", -999: "−999", -1000: "−1,000",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "−9,223,372,036,854,775,808",
	} {
		if got := Count(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if got := Exact(1234567, "bytes"); got != "1,234,567 bytes" {
		t.Errorf("with its unit: %s", got)
	}
	if got := Exact(12, "count"); got != "12" {
		t.Errorf("without a unit: %s", got)
	}
}

func TestShare(t *testing.T) {
	for want, c := range map[string][2]int64{
		"0 %": {0, 7}, "100 %": {7, 7}, "11.8 %": {118, 1000}, "1.70 %": {17, 1000}, "< 0.01 %": {1, 1 << 40}, "33.3 %": {-1, -3},
	} {
		if got := plain(Share(c[0], c[1])); got != want {
			t.Errorf("%d of %d is %s, want %s", c[0], c[1], got, want)
		}
	}
	if got := plain(Share(3, 0)); got != "0 %" {
		t.Errorf("of nothing: %s", got)
	}
}

func TestNumbersCanBeToldApart(t *testing.T) {
	for _, c := range []struct {
		values []float64
		unit   string
		want   string
	}{
		{[]float64{0, 500, 1000}, "", "0 500 1.00 k"},
		{[]float64{14_800_000, 14_800_200, 14_800_400}, "", "14.8000 M 14.8002 M 14.8004 M"},
		{[]float64{1_000_000_000, 1_000_001_000}, "ns", "1.000000 s 1.000001 s"},
		{[]float64{5, 5}, "", "5 5"},
	} {
		if got := plain(strings.Join(Numbers(c.values, c.unit), " ")); got != strings.ReplaceAll(c.want, space, " ") {
			t.Errorf("%v are %s, want %s", c.values, got, c.want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from, to, n float64
		want        string
	}{
		{0, 10, 5, "[0 2 4 6 8 10]"},
		{0, 1, 5, "[0 0.2 0.4 0.6000000000000001 0.8 1]"},
		{-7, 7, 3, "[-5 0 5]"},
		{1234, 5678, 5, "[2000 3000 4000 5000]"},
		{3, 3, 5, "[]"},
		{5, 3, 5, "[]"},
		{0, 10, 0.5, "[]"},
		{0, 10, math.NaN(), "[]"},
		{math.NaN(), 10, 5, "[]"},
		{math.Inf(-1), 0, 5, "[]"},
	} {
		if got := fmt.Sprint(Ticks(c.from, c.to, c.n)); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// Ticks rise within the axis, at a distance that is 1, 2 or 5 times a power of
// ten, and are as many as asked for or somewhat fewer.
func TestTicksOfAnyAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Float64Range(-9.3e18, 9.3e18)).Draw(t, "from")
		to := from + rapid.OneOf(rapid.Float64Range(1e-3, 1e3), rapid.Float64Range(0, 1.9e19)).Draw(t, "length")
		n := rapid.Float64Range(1, 60).Draw(t, "n")
		ticks := Ticks(from, to, n)
		if float64(len(ticks)) > n+1.001 {
			t.Fatalf("%d ticks in place of %g", len(ticks), n)
		}
		for i, v := range ticks {
			if v < from || v > to || i > 0 && v <= ticks[i-1] {
				t.Fatalf("ticks from %g to %g are %v", from, to, ticks)
			}
		}
		// Where numbers are fine enough, no tick is missing: two and a half steps
		// are never without one.
		if precise := (to - from) / math.Max(math.Abs(from), math.Abs(to)); precise > 1e-9 && float64(len(ticks)) < math.Floor(n/2.5)-1 {
			t.Fatalf("only %d ticks from %g to %g in place of %g", len(ticks), from, to, n)
		}
	})
}

// drawArea draws a picture with one axis of entities and one of values, either
// way round.
func drawArea(t *rapid.T) (*scene.Scene, Area) {
	from := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Float64Range(-9.2e18, 9.2e18)).Draw(t, "from")
	values := Values("Time", "x", rapid.SampledFrom([]data.Unit{"", "ns", "bytes"}).Draw(t, "unit"), from, from+rapid.Float64Range(0, 1e7).Draw(t, "length"), viz.Range{})
	n := rapid.IntRange(0, 3000).Draw(t, "entities")
	window := viz.Range{From: rapid.Float64Range(-10, 3000).Draw(t, "first"), To: rapid.Float64Range(-10, 3010).Draw(t, "end")}
	entities := axisOf(t, n, window)
	f := viz.Frame{Viewport: viz.Viewport{Width: float64(rapid.IntRange(200, 3000).Draw(t, "width")), Height: float64(rapid.IntRange(120, 2000).Draw(t, "height"))}}
	if rapid.Bool().Draw(t, "upright") {
		return Draw(f, entities, values)
	}
	return Draw(f, values, entities)
}

func TestAreasAreInThePicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a := drawArea(t)
		if !(a.X >= 0 && a.Y >= 0 && a.W > 0 && a.H > 0 && a.X+a.W <= s.Width && a.Y+a.H <= s.Height) {
			t.Fatalf("the area is %+v of %g × %g", a, s.Width, s.Height)
		}
		type span struct{ from, to float64 }
		lines := map[string][]span{} // baseline or column of labels -> what they cover
		for _, label := range s.Texts {
			w := measure(label)
			if label.MaxWidth > 0 {
				w = math.Min(w, label.MaxWidth)
			}
			if label.MaxWidth < 0 {
				t.Fatalf("%q has a room of %g", label.Text, label.MaxWidth)
			}
			x := label.X
			switch label.Anchor {
			case scene.Middle:
				x -= w / 2
			case scene.End:
				x -= w
			}
			if x < -0.01 || x+w > s.Width+0.01 || label.Y-label.Size < -0.01 || label.Y > s.Height+0.01 {
				t.Fatalf("%q sticks out: from %g to %g at %g of %g × %g", label.Text, x, x+w, label.Y, s.Width, s.Height)
			}
			if label.Bold {
				continue // titles have lines of their own
			}
			if label.Anchor == scene.End { // labels of the vertical axis
				lines["up"] = append(lines["up"], span{label.Y - label.Size*0.8, label.Y + label.Size*0.2})
			} else {
				lines["across"] = append(lines["across"], span{x, x + w})
			}
		}
		for which, spans := range lines {
			slices.SortFunc(spans, func(a, b span) int {
				if a.from < b.from {
					return -1
				}
				return 1
			})
			for i := 1; i < len(spans); i++ {
				if spans[i].from < spans[i-1].to-0.01 {
					t.Fatalf("labels %s overlap: %v", which, spans)
				}
			}
		}
		for i := range s.Lines.Len() {
			if s.Lines.X0[i] < 0 || s.Lines.X1[i] > s.Width || s.Lines.Y0[i] < 0 || s.Lines.Y1[i] > s.Height {
				t.Fatalf("a line sticks out")
			}
		}
	})
}

// Labels of values are written whole: they are few, and a number without its
// end is another number.
func TestValuesAreNotCutShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a := drawArea(t)
		for _, label := range s.Texts {
			vertical := label.Anchor == scene.End && !label.Bold && !a.Up.Axis.Entities
			if vertical && label.MaxWidth > 0 && measure(label) > label.MaxWidth {
				t.Fatalf("%q is %g wide and has a room of %g", label.Text, measure(label), label.MaxWidth)
			}
		}
	})
}

func measure(t scene.Text) float64 { return text.FaceOf(t.Bold).Measure(t.Text, t.Size) }

// What is at a place of the picture is where the picture shows it.
func TestAreasLeadThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, a := drawArea(t)
		for _, part := range []float64{0, 0.1, 0.5, 0.999, 1} {
			x, y := a.X+part*a.W, a.Y+part*a.H
			if got := a.XOf(a.AcrossAt(x)); math.Abs(got-x) > 1e-6*a.W+slack(a.Across, a.W) && a.Across.To > a.Across.From {
				t.Fatalf("x %g becomes %g", x, got)
			}
			if got := a.YOf(a.UpAt(y)); math.Abs(got-y) > 1e-6*a.H+slack(a.Up, a.H) && a.Up.To > a.Up.From {
				t.Fatalf("y %g becomes %g", y, got)
			}
		}
		if a.Up.Axis.Entities && len(a.Up.order) > 0 && a.YOf(a.Up.From) != a.Y {
			t.Fatal("entities are not counted from the top")
		}
		if !a.Up.Axis.Entities && a.YOf(a.Up.From) != a.Y+a.H {
			t.Fatal("values do not grow upwards")
		}
	})
}

// slack is what the precision of numbers far from 0 makes of pixels.
func slack(a Axis, length float64) float64 {
	most := math.Max(math.Abs(a.From), math.Abs(a.To))
	return 4 * (math.Nextafter(most, math.Inf(1)) - most) / (a.To - a.From) * length
}

func TestWindowsOfEntities(t *testing.T) {
	for _, c := range []struct {
		window   viz.Range
		from, to float64
	}{
		{viz.Range{}, 0, 10},
		{viz.Range{From: 2, To: 5}, 2, 5},
		{viz.Range{From: 2.4, To: 5.4}, 2, 5},
		{viz.Range{From: 2.6, To: 5.6}, 3, 6},
		{viz.Range{From: 3.2, To: 3.4}, 3, 4}, // at least one
		{viz.Range{From: 9.9, To: 9.95}, 9, 10},
		{viz.Range{From: -5, To: 3}, 0, 3},
		{viz.Range{From: 7, To: 1e300}, 7, 10},
		{viz.Range{From: 7, To: math.Inf(1)}, 7, 10},
		{viz.Range{From: math.Inf(-1), To: math.Inf(1)}, 0, 10},
		{viz.Range{From: 5, To: 2}, 0, 10},
		{viz.Range{From: 20, To: 30}, 0, 10},
		{viz.Range{From: -30, To: -20}, 0, 10},
		{viz.Range{From: math.NaN(), To: 3}, 0, 10},
		{viz.Range{From: 3, To: math.NaN()}, 0, 10},
		{viz.Range{From: math.NaN(), To: math.NaN()}, 0, 10},
	} {
		a := axisOf(t, 10, c.window)
		if from, to := a.Visible(); a.From != c.from || a.To != c.to || float64(from) != c.from || float64(to) != c.to {
			t.Errorf("%v shows %g to %g, want %g to %g", c.window, a.From, a.To, c.from, c.to)
		}
		if a.Min != 0 || a.Max != 10 {
			t.Errorf("%v changes the whole to %g to %g", c.window, a.Min, a.Max)
		}
	}
	if !(viz.Range{From: math.NaN(), To: 1}).All() || !(viz.Range{From: 1, To: math.NaN()}).All() || (viz.Range{From: 1, To: 2}).All() {
		t.Error("a range without numbers is everything")
	}
}

func TestTitles(t *testing.T) {
	for want, a := range map[string]Axis{
		"Place: 1,234":             axisOf(t, 1234, viz.Range{}),
		"Place: 11 to 20 of 1,234": axisOf(t, 1234, viz.Range{From: 10, To: 20}),
		"Place: 0":                 axisOf(t, 0, viz.Range{}),
		"Time: 0 ns to 1.50 µs":    Values("Time", "x", "ns", 0, 1500, viz.Range{}),
		"Time: 14.80 M to 14.81 M": Values("Time", "x", "", 14_800_000, 14_810_000, viz.Range{}),
	} {
		if got := plain(a.Title()); got != strings.ReplaceAll(want, "0 ns", "0 s") {
			t.Errorf("the title is %s, want %s", got, want)
		}
	}
}

// Far from 0 numbers are coarse; an axis is never without an extent.
func TestAxesOfNothing(t *testing.T) {
	for _, at := range []float64{0, -1, 1e18, math.MaxInt64, math.MinInt64} {
		if a := Values("", "", "", at, at, viz.Range{}); !(a.To > a.From) || !(a.Max > a.Min) {
			t.Errorf("at %g: from %g to %g", at, a.From, a.To)
		}
	}
	c := NewCells(0, 1)
	c.Add(0, 0, math.MaxInt64, 1, 0)
	if a := Columns(c, "", "x", "", nil); !(a.To > a.From) {
		t.Errorf("from %g to %g", a.From, a.To)
	}
}

// A rectangle selects what it reaches into, in whatever order its corners come.
func TestSelectRows(t *testing.T) {
	a := Area{X: 100, Y: 50, W: 400, H: 200, Across: axisOf(t, 8, viz.Range{}), Up: axisOf(t, 10, viz.Range{})} // rows are 20 high, columns 50 wide
	for _, c := range []struct {
		box           scene.Box
		rows, columns string
	}{
		{scene.Box{X0: 100, Y0: 50, X1: 500, Y1: 250}, "[0 1 2 3 4 5 6 7 8 9]", "[0 1 2 3 4 5 6 7]"},
		{scene.Box{X0: 150, Y0: 70, X1: 250, Y1: 110}, "[1 2]", "[1 2]"}, // ends where the next begin
		{scene.Box{X0: 160, Y0: 80, X1: 160, Y1: 80}, "[1]", "[1]"},      // a point
		{scene.Box{X0: 251, Y0: 111, X1: 149, Y1: 69}, "[0 1 2 3]", "[0 1 2 3]"},
		{scene.Box{X0: -1e9, Y0: 240, X1: 1e9, Y1: 1e9}, "[9]", "[0 1 2 3 4 5 6 7]"},
	} {
		r, ok := a.Clip(c.box)
		if got, across := fmt.Sprint(a.SelectRows(r)), fmt.Sprint(a.SelectColumns(r)); !ok || got != c.rows || across != c.columns {
			t.Errorf("%v selects %s and %s (%v), want %s and %s", c.box, got, across, ok, c.rows, c.columns)
		}
	}
	for _, box := range []scene.Box{{X0: 0, X1: 99, Y0: 60, Y1: 70}, {X0: 110, X1: 120, Y0: 251, Y1: 900}, {X0: math.NaN(), X1: 120, Y0: 60, Y1: 70}} {
		if _, ok := a.Clip(box); ok {
			t.Errorf("%v is between the axes", box)
		}
	}
	b := Area{X: 0, Y: 0, W: 100, H: 100, Across: Values("", "", "", 0, 10, viz.Range{}), Up: axisOf(t, 0, viz.Range{})}
	for want, box := range map[viz.Period]scene.Box{
		{From: 0, To: 9}: {X0: 0, X1: 100}, {From: 2, To: 3}: {X0: 20, X1: 40}, {From: 4, To: 4}: {X0: 45, X1: 45}, {From: 1, To: 2}: {X0: 19, X1: 21},
	} {
		if got := b.SelectPeriod(box); got != want {
			t.Errorf("%v selects %v, want %v", box, got, want)
		}
	}
	if got := b.SelectRows(scene.Box{Y1: 100}); got != nil {
		t.Errorf("of no entities %v are selected", got)
	}
}

func TestHeat(t *testing.T) {
	log, linear := NewHeat(1, 10_000, false, false), NewHeat(0, 10, true, true)
	for v, want := range map[float64]float64{0: 0, 1: 0, 100: 0.5, 10_000: 1, 1e9: 1, -5: 0} {
		if got := log.Part(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is at %g of the logarithmic scale, want %g", v, got, want)
		}
	}
	if got := linear.Part(2.5); math.Abs(got-0.25) > 1e-9 {
		t.Errorf("2.5 is at %g of the linear scale", got)
	}
	if got := NewHeat(5, 5, false, false).Part(5); got != 1 {
		t.Errorf("what is all there is is at %g", got)
	}
	if ramp := log.Ramp(); len(ramp) != heatSteps || ramp[0] == ramp[heatSteps-1] {
		t.Errorf("the ramp is %x", ramp)
	}
}
