package plot

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// added is one call of Cells.Add.
type added struct {
	position, group  int
	x, value, second int64
}

// drawAdded draws calls: values near 0, far apart, rising and in any order.
func drawAdded(t *rapid.T, groups int) []added {
	far := rapid.SampledFrom([]int64{10, 5000, 1 << 20, 1 << 40, math.MaxInt64}).Draw(t, "far")
	rising := rapid.Bool().Draw(t, "rising")
	n := rapid.IntRange(0, 300).Draw(t, "events")
	calls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) added {
		return added{
			position: rapid.IntRange(0, 4).Draw(t, "position"),
			group:    rapid.IntRange(0, groups).Draw(t, "group"),
			x:        rapid.Int64Range(-far, far).Draw(t, "x"),
			value:    rapid.OneOf(rapid.Int64Range(-3, 9), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64})).Draw(t, "value"),
			second:   rapid.Int64Range(0, 1).Draw(t, "second"),
		}
	}), n, n).Draw(t, "calls")
	if rising {
		slices.SortStableFunc(calls, func(a, b added) int {
			if a.x < b.x {
				return -1
			}
			return 1
		})
	}
	return calls
}

// floor is the column of a value, by numbers without an end.
func floor(x, interval int64) int64 {
	q, m := new(big.Int).DivMod(big.NewInt(x), big.NewInt(interval), new(big.Int))
	_ = m // Euclidean: never negative, so that q is rounded down
	return q.Int64()
}

// What is in the cells is what a map would hold, by whatever interval they have
// grown to. Sums stay between the ends of the integers, so that small ones are
// exact; beyond, the order matters, and only one value per cell is compared.
func TestCellsAreSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.IntRange(0, 2).Draw(t, "groups")
		interval := rapid.SampledFrom([]int64{0, 1, 2, 7, 1000, MaxInterval}).Draw(t, "interval")
		calls := drawAdded(t, groups)
		c := NewCells(groups, interval)
		for i, a := range calls {
			c.Add(a.position, a.group, a.x, a.value, a.second)
			if i%100 == 50 {
				c.Row(a.position, a.group) // a picture between batches
			}
		}
		if interval > 0 && c.Interval() != interval {
			t.Fatalf("the interval became %d", c.Interval())
		}
		type place struct {
			position, group int
			column          int64
		}
		type sum struct{ value, second, count int64 }
		want := map[place]sum{}
		extreme := map[place]bool{}
		first, last := int64(math.MaxInt64), int64(math.MinInt64)
		for _, a := range calls {
			column := floor(a.x, c.Interval())
			first, last = min(first, column), max(last, column)
			at := place{a.position, a.group, column}
			s := want[at]
			want[at] = sum{s.value + a.value, s.second + a.second, s.count + 1}
			if a.value == math.MaxInt64 || a.value == math.MinInt64 {
				extreme[at] = true
			}
		}
		if f, l, ok := c.Columns(); ok != (len(calls) > 0) || ok && (f != first || l != last) {
			t.Fatalf("columns are %d to %d (%v), want %d to %d", f, l, ok, first, last)
		}
		found := 0
		for p := range 6 {
			for g := range groups + 1 {
				row := c.Row(p, g)
				for i, cell := range row {
					if i > 0 && row[i-1].Column >= cell.Column {
						t.Fatalf("columns %d and %d are not in order", row[i-1].Column, cell.Column)
					}
					at := place{p, g, cell.Column}
					s, ok := want[at]
					if !ok || cell.Second != s.second || (!extreme[at] || s.count == 1) && cell.Value != s.value {
						t.Fatalf("%+v is %+v, want %+v (%v)", at, cell, s, ok)
					}
					found++
				}
			}
		}
		if found != len(want) {
			t.Fatalf("%d cells, want %d", found, len(want))
		}
		if interval == 0 && len(calls) > 0 {
			if n := uint64(last) - uint64(first); n >= maxColumns {
				t.Fatalf("%d columns", n)
			}
			if w := c.Interval(); w > 1 { // half of it would not do
				from, to := int64(math.MaxInt64), int64(math.MinInt64)
				for _, a := range calls {
					from, to = min(from, floor(a.x, w/2)), max(to, floor(a.x, w/2))
				}
				if uint64(to)-uint64(from) < maxColumns {
					t.Fatalf("the interval %d is too wide", w)
				}
			}
		}
	})
}

func TestCellsSaturate(t *testing.T) {
	c := NewCells(0, 10)
	for range 3 {
		c.Add(0, 0, -1, math.MaxInt64/2, 0)
		c.Add(1, 0, -1, math.MinInt64/2-1, 0)
	}
	if up, down := c.Row(0, 0), c.Row(1, 0); up[0] != (Cell{-1, math.MaxInt64, 0}) || down[0] != (Cell{-1, math.MinInt64, 0}) {
		t.Errorf("the sums are %v and %v", up, down)
	}
}

// Out of order, a row is sorted now and then and not at every event.
func TestCellsOutOfOrder(t *testing.T) {
	c := NewCells(0, 1)
	const n = 50_000
	for i := range int64(n) {
		c.Add(0, 0, (i*7919)%1000, 1, 0)
		if held := cap(c.rows[0].cells); held > 10_000 {
			t.Fatalf("after %d events %d cells are held for 1000 columns", i, held)
		}
	}
	row := c.Row(0, 0)
	for i, cell := range row {
		if cell != (Cell{int64(i), n / 1000, 0}) {
			t.Fatalf("cell %d is %v", i, cell)
		}
	}
	if len(row) != 1000 {
		t.Errorf("%d cells", len(row))
	}
}

func TestGridAtTheEndsOfIntegers(t *testing.T) {
	e := places(t, 1)
	c := NewCells(0, 4)
	c.Add(e.Position(0), 0, math.MinInt64, 1, 0)
	c.Add(e.Position(0), 0, math.MaxInt64, 2, 0)
	g := c.Grid(Entities("", "y", e, e.IDs, viz.Range{}), func(c Cell) int64 { return c.Value })
	if want := fmt.Sprint([][3]int64{{0, 0, 1}, {1<<62 - 1, 0, 2}}); fmt.Sprint(g.Cells) != want || g.X0 != math.MinInt64 || c.Check() != nil {
		t.Errorf("from %d the cells are %v, want %s (%v)", g.X0, g.Cells, want, c.Check())
	}
	// Not representable: the first column starts below the least integer.
	c = NewCells(0, 3)
	c.Add(0, 0, math.MinInt64, 1, 0)
	if g := c.Grid(Entities("", "y", e, e.IDs, viz.Range{}), func(c Cell) int64 { return c.Value }); g.X0 != math.MinInt64 {
		t.Errorf("the grid starts at %d", g.X0)
	}
	c = NewCells(0, 1)
	c.Add(0, 0, math.MinInt64, 1, 0)
	if c.Check() != nil {
		t.Error(c.Check())
	}
	c.Add(0, 0, math.MaxInt64, 1, 0)
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "the interval must be larger than 1") {
		t.Errorf("the error is %v", err)
	}
}

func TestInterval(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "0": 0, "1": 1, "1000": 1000, "1e6": 1_000_000, " 5 ": 5, "9007199254740993": 9007199254740993, "4611686018427387904": 1 << 62,
	} {
		if got, err := Interval(text); err != nil || got != want {
			t.Errorf("%q is %d (%v)", text, got, err)
		}
	}
	for _, text := range []string{"-1", "0.5", "x", "NaN", "Inf", "-Inf", "1e400", "4611686018427387905", "9223372036854775807", "1 000"} {
		if _, err := Interval(text); err == nil || !strings.Contains(err.Error(), "must be a whole number from 0 to 4611686018427387904") {
			t.Errorf("%q: the error is %v", text, err)
		}
	}
}

// All cells of the visible rows are in the raster: in one pixel if they are
// narrow, over their width if they are wide, and where a pointer finds them.
func TestCellsArePainted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "entities")
		e := places(t, n)
		interval := rapid.SampledFrom([]int64{0, 1, 3, 50}).Draw(t, "interval")
		var period *viz.Period
		if rapid.Bool().Draw(t, "zoomed") {
			from := rapid.Int64Range(-300, 300).Draw(t, "from")
			period = &viz.Period{From: from, To: from + rapid.Int64Range(0, 500).Draw(t, "length")}
		}
		c := NewCells(0, interval)
		sums := map[[2]int64]int64{} // position, column -> what is there
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			x := rapid.Int64Range(-400, 1000).Draw(t, "x")
			if from, to := Limits(period); x < from || x > to {
				continue
			}
			c.Add(e.Position(id(rapid.IntRange(0, n-1).Draw(t, "entity"))), 0, x, 1, 0)
		}
		for p := range e.IDs {
			for _, cell := range c.Row(p, 0) {
				sums[[2]int64{int64(p), cell.Column}] += cell.Value
			}
		}
		order := slices.Clone(e.IDs)
		slices.Reverse(order)
		width, height := float64(rapid.IntRange(120, 320).Draw(t, "width")), float64(rapid.IntRange(70, 160).Draw(t, "height"))
		f := viz.Frame{Viewport: viz.Viewport{Width: width, Height: height}}
		_, a := Draw(f, Columns(c, "x", "x", "", period), Entities("y", "y", e, order, viz.Range{}))
		r := CellRaster(a, c, nil)
		var s scene.Scene
		r.Paint(&s, false, func(int, float64) scene.Color { return 1 })
		image := s.Rasters[0]
		painted := func(x, y float64) bool {
			column, row := int((x-image.X)/image.W*float64(image.Columns)), int((y-image.Y)/image.H*float64(image.Rows))
			return image.Pixels[min(row, image.Rows-1)*image.Columns+min(column, image.Columns-1)] != 0
		}
		reached := map[[2]int64]bool{}
		for x := a.X + a.W/float64(4*r.w); x < a.X+a.W; x += a.W / float64(2*r.w) { // never between two pixels
			for y := a.Y + a.H/float64(4*r.h); y < a.Y+a.H; y += a.H / float64(2*r.h) {
				first, last := lanesOf(a, c).under(a.AcrossAt(x))
				from, to := a.rowsAt(y)
				sum := int64(0)
				for i := from; i < to; i++ {
					for column := first; column <= last; column++ {
						at := [2]int64{int64(e.Find(order[i])), column}
						sum += sums[at]
						reached[at] = true
					}
				}
				// At the edges of wide columns a pixel more or less is no matter.
				edge := false
				if wide := float64(c.Interval()) / (a.Across.To - a.Across.From) * a.W; wide > dot {
					off := math.Mod(x-a.XOf(float64(first)*float64(c.Interval()))+wide, wide)
					edge = off < 1.01 || off > wide-1.01
				}
				if !edge && painted(x, y) != (sum != 0) {
					t.Fatalf("at %g, %g: painted is %v, but columns %d to %d of rows %d to %d have %d", x, y, painted(x, y), first, last, from, to, sum)
				}
			}
		}
		for at := range sums {
			// What a period leaves of its first and last column may be a sliver.
			start := a.XOf(float64(at[1]) * float64(c.Interval()))
			shown := math.Min(start+float64(c.Interval())/(a.Across.To-a.Across.From)*a.W, a.X+a.W) - math.Max(start, a.X)
			if !reached[at] && (shown > 0.6 || !lanesOf(a, c).spread) {
				t.Fatalf("no point of the picture stands for position %d, column %d", at[0], at[1])
			}
		}
		total := 0.0
		for p := range r.present {
			total += r.total(p)
		}
		want := 0.0
		for _, v := range sums {
			want += float64(v)
		}
		if spread := lanesOf(a, c).spread; !spread && total != want || total < want {
			t.Fatalf("the raster adds up to %g, the cells to %g", total, want)
		}
	})
}

func TestRasterSumsByPixel(t *testing.T) {
	a := Area{X: 10, Y: 20, W: 40, H: 20, Across: Values("x", "x", "", 0, 100, viz.Range{}), Up: Entities("y", "y", places(t, 4), []id{0, 1, 2, 3}, viz.Range{})}
	r := NewRaster(a, 100, 4, 3)
	if r.w != 20 || r.h != 4 {
		t.Fatalf("%d × %d pixels", r.w, r.h)
	}
	p, ok := r.Pixel(99.9, 3.5)
	if !ok || p != 79 {
		t.Errorf("the last pixel is %d (%v)", p, ok)
	}
	for _, at := range [][2]float64{{-0.1, 0}, {100, 0}, {0, 4}, {0, -1}, {math.NaN(), 0}, {0, math.Inf(1)}} {
		if _, ok := r.Pixel(at[0], at[1]); ok {
			t.Errorf("%v is on the axes", at)
		}
	}
	r.Add(p, 0, 3, 0)
	r.Add(p, 2, -4, 1)
	r.Add(p, 1, 2, 1)
	if r.Group(p) != 2 || r.total(p) != 1 || r.Second[p] != 2 {
		t.Errorf("group %d has most, the sum is %g, the second %g", r.Group(p), r.total(p), r.Second[p])
	}
	r.Add(0, 0, 7, 0)
	if low, high := r.Range(); low != 1 || high != 7 {
		t.Errorf("from %g to %g", low, high)
	}
	r.Highlight(0)
	var s scene.Scene
	r.Paint(&s, false, func(int, float64) scene.Color { return scene.RGB(0, 0, 0) })
	if got := s.Rasters[0]; got.Pixels[0] != scene.RGB(0, 0, 0) || got.Pixels[p] != fade(scene.RGB(0, 0, 0), false) || got.Pixels[1] != 0 {
		t.Errorf("pixels are %x, %x and %x", got.Pixels[0], got.Pixels[p], got.Pixels[1])
	}
}

func TestPairsAreSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPairs()
		want := map[Pair]int64{}
		many := rapid.IntRange(1, 3000).Draw(t, "places")
		at := rapid.IntRange(0, many)
		for range rapid.IntRange(0, 3000).Draw(t, "events") {
			key := Pair{Column: at.Draw(t, "column"), Row: at.Draw(t, "row"), Group: rapid.SampledFrom([]int{0, 1, 255}).Draw(t, "group")}
			v := rapid.Int64Range(-5, 5).Draw(t, "value")
			p.Add(key.Column, key.Row, key.Group, v)
			want[key] += v
		}
		if p.Len() != len(want) || p.Of(many+1, 0, 0) != 0 {
			t.Fatalf("%d pairs, want %d", p.Len(), len(want))
		}
		n := 0
		for got := range p.All {
			v := got.Value
			got.Value = 0
			if w, ok := want[got]; !ok || w != v || p.Of(got.Column, got.Row, got.Group) != v {
				t.Fatalf("%+v is %d, want %d (%v)", got, v, w, ok)
			}
			n++
		}
		if n != len(want) {
			t.Fatalf("%d pairs come, want %d", n, len(want))
		}
	})
}

// The largest position and group come back as they went in.
func TestPairsOfTheLargestPositions(t *testing.T) {
	p := NewPairs()
	const most = 1<<positionBits - 1
	p.Add(most, most-1, 255, 7)
	p.Add(most-1, most, 255, 8)
	if p.Of(most, most-1, 255) != 7 || p.Of(most-1, most, 255) != 8 || p.Of(most, most-1, 254) != 0 {
		t.Error("large positions are mixed up")
	}
	for range 3 {
		p.Add(0, 0, 0, math.MaxInt64)
	}
	if p.Of(0, 0, 0) != math.MaxInt64 {
		t.Errorf("the sum is %d", p.Of(0, 0, 0))
	}
}

// A running axis leads from columns back to just the events that are in them.
func TestRunningLeadsBackToEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := rapid.SampledFrom([]int64{0, 1, 3, 40}).Draw(t, "interval")
		amounts := rapid.SliceOfN(rapid.Int64Range(0, 30), 1, 400).Draw(t, "amounts")
		skip := rapid.Int64Range(1, 5).Draw(t, "skip") // what a filter leaves out
		c, run := NewCells(0, interval), NewRunning(nil)
		var at []int64
		sum := int64(0)
		for i, v := range amounts {
			x := run.Next(v, int64(i)*skip, c)
			if x != sum {
				t.Fatalf("event %d stands at %d, want %d", i, x, sum)
			}
			c.Add(0, 0, x, 1, 0)
			at = append(at, x)
			sum += v
		}
		e := places(t, 1)
		e.Position(0)
		_, a := Draw(viz.Frame{Viewport: viz.Viewport{Width: 500, Height: 100}}, Columns(c, "x", "x", "", nil), Entities("y", "y", e, e.IDs, viz.Range{}))
		x0 := a.X + rapid.Float64Range(0, a.W-0.1).Draw(t, "from")
		box := scene.Box{X0: x0, X1: rapid.Float64Range(x0, a.X+a.W).Draw(t, "to"), Y0: a.Y, Y1: a.Y + 1}
		first, last := cellColumns(a, c, box)
		got := run.Events(a, c, box)
		for i, x := range at {
			column := floor(x, c.Interval())
			in := int64(i)*skip >= got.From && int64(i)*skip <= got.To
			if want := column >= first && column <= last; in != want {
				t.Fatalf("event %d at %d is selected: %v; columns %d to %d of %d are, which is %v", i, x, in, first, last, c.Interval(), got)
			}
		}
	})
}

// Sums that turn back, or stay at the end of the integers, do no harm.
func TestRunningOfAnyAmounts(t *testing.T) {
	c, run := NewCells(0, 0), NewRunning(&viz.Period{From: -10, To: 1 << 40})
	for i, v := range []int64{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64, math.MinInt64, 5, math.MaxInt64} {
		run.Next(v, int64(i), c)
		for j := 1; j < len(run.starts); j++ {
			if run.starts[j].at <= run.starts[j-1].at || run.starts[j].event <= run.starts[j-1].event {
				t.Fatalf("starts are %v", run.starts)
			}
		}
	}
	run = NewRunning(nil)
	c = NewCells(0, 1)
	for i := range int64(2 * maxStarts) {
		run.Next(3, i, c)
	}
	if n := len(run.starts); n >= maxStarts || n < maxStarts/4 {
		t.Errorf("%d starts are kept", n)
	}
}
