// Package plot is what charts with axes have in common: axes with ticks and
// labels that thin out, cells and sums by colour group, rasters of cells,
// colours, numbers for people, and what a rectangle selects. With it a chart
// is left with what is new about it.
//
// What does not belong here: knowledge of a particular chart, and renderers.
package plot

import (
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
	"github.com/cambium-prof/cambium/viz"
)

// Axis is what one direction of a plot spans.
type Axis struct {
	scene.Axis
	entities *viz.Entities
	order    []data.EntityID
}

// Values makes an axis of a value that spans min to max, of which the part is
// shown that window says; everything if it is empty.
func Values(name, dimension string, unit data.Unit, min, max float64, window viz.Range) Axis {
	if !(max > min) {
		max = math.Max(min+1, math.Nextafter(min, math.Inf(1)))
	}
	a := Axis{Axis: scene.Axis{Name: name, Unit: string(unit), Dimension: dimension, Min: min, Max: max, From: min, To: max}}
	if !window.All() {
		a.From, a.To = window.From, window.To
	}
	return a
}

// Entities makes an axis of entities in an order, which are counted from the
// top, or from the left. It begins and ends with whole entities, so that they,
// their labels and pixels agree: a window is moved to the nearest.
func Entities(name, dimension string, e *viz.Entities, order []data.EntityID, window viz.Range) Axis {
	n := float64(len(order))
	a := Axis{Axis: scene.Axis{Name: name, Dimension: dimension, Entities: true, Max: n, To: n}, entities: e, order: order}
	if from, to := math.Max(0, window.From), math.Min(n, window.To); from < to {
		length := math.Max(1, math.Round(to-from))
		a.From = math.Min(math.Round(from), n-length)
		a.To = a.From + length
	}
	return a
}

// Entity is the entity at a position; ok is false beyond the ends.
func (a Axis) Entity(position float64) (id data.EntityID, ok bool) {
	if !a.Axis.Entities || !(position >= 0 && position < float64(len(a.order))) {
		return 0, false
	}
	return a.order[int(position)], true
}

// Visible is the range of positions of which at least a part is shown.
func (a Axis) Visible() (from, to int) {
	return int(a.From), min(len(a.order), int(math.Ceil(a.To)))
}

// Title names the axis, its range, and how many entities it has.
func (a Axis) Title() string {
	if a.Axis.Entities {
		from, to := a.Visible()
		if to-from < len(a.order) {
			return a.Name + ": " + Count(int64(from)+1) + " to " + Count(int64(to)) + " of " + Count(int64(len(a.order)))
		}
		return a.Name + ": " + Count(int64(len(a.order)))
	}
	ends := Numbers([]float64{a.From, a.To}, a.Unit)
	return a.Name + ": " + ends[0] + " to " + ends[1]
}

// Area is the part of a picture between its axes.
type Area struct {
	X, Y, W, H float64
	Across, Up Axis
}

const (
	titleSize = 12
	labelSize = 11
	margin    = 10
	tickLine  = 4
	rowLine   = 13 // distance of labels that do not touch
	labelRoom = 84 // width for a label below a column
)

// Draw starts a picture: its background, its axes with titles, ticks and
// labels, and the area between them.
func Draw(f viz.Frame, across, up Axis) (*scene.Scene, Area) {
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: Background(f.Dark)}
	a := Area{Across: across, Up: up}
	left := up.labelWidth(f)
	a.X, a.Y = margin+left+tickLine+2, margin+titleSize+8
	a.W = math.Max(1, f.Width-a.X-margin-8)
	a.H = math.Max(1, f.Height-a.Y-margin-titleSize-labelSize-tickLine-12)
	a.frame(s, f.Dark)
	ink := Ink(f.Dark)
	s.Texts = append(s.Texts,
		scene.Text{X: margin, Y: margin + titleSize, Text: up.Title(), Color: ink, Size: titleSize, MaxWidth: f.Width - 2*margin, Bold: true},
		scene.Text{X: a.X + a.W, Y: f.Height - margin, Text: across.Title(), Color: ink, Anchor: scene.End, Size: titleSize, MaxWidth: a.W, Bold: true})
	a.acrossLabels(s, f.Dark)
	a.upLabels(s, f.Dark)
	s.Plots = []scene.Plot{{X: a.X, Y: a.Y, W: a.W, H: a.H, Across: across.Axis, Up: up.Axis}}
	return s, a
}

func (a Area) frame(s *scene.Scene, dark bool) {
	c := quiet(dark)
	s.Lines.Add(a.X, a.Y, a.X, a.Y+a.H, 1, c)
	s.Lines.Add(a.X, a.Y+a.H, a.X+a.W, a.Y+a.H, 1, c)
}

// labelWidth is the room that the labels of a vertical axis need.
func (a Axis) labelWidth(f viz.Frame) float64 {
	widest := 0.0
	if !a.Axis.Entities {
		for _, label := range Numbers(Ticks(a.From, a.To, f.Height/40), a.Unit) {
			widest = math.Max(widest, text.Measure(label, labelSize))
		}
		return widest
	}
	limit := math.Min(260, f.Width*0.3)
	from, to := a.Visible()
	step := thin(to-from, f.Height, rowLine)
	for i := from; i < to && widest < limit; i += step {
		widest = math.Max(widest, text.Measure(a.entities.Short(a.order[i]), labelSize))
	}
	return math.Min(widest, limit)
}

// thin is the step at which n labels leave room for each other.
func thin(n int, length, room float64) int {
	if fit := math.Floor(length / room); float64(n) > fit {
		return int(math.Ceil(float64(n) / math.Max(fit, 1)))
	}
	return 1
}

func (a Area) acrossLabels(s *scene.Scene, dark bool) {
	ink, y := Faint(dark), a.Y+a.H
	put := func(x float64, label string, room float64) {
		s.Lines.Add(x, y, x, y+tickLine, 1, quiet(dark))
		s.Texts = append(s.Texts, scene.Text{X: x, Y: y + tickLine + labelSize + 1, Text: label, Color: ink, Anchor: scene.Middle, Size: labelSize, MaxWidth: room})
	}
	if !a.Across.Axis.Entities {
		ticks := Ticks(a.Across.From, a.Across.To, a.W/90)
		free := 2.0
		for i, label := range Numbers(ticks, a.Across.Unit) {
			x := a.XOf(ticks[i])
			// What would stick out of the picture is left to the title, and of
			// numbers with very many digits one is enough.
			if half := text.Measure(label, labelSize) / 2; x+half <= s.Width-2 && x-half >= free {
				put(x, label, 0)
				free = x + half + 4
			}
		}
		return
	}
	from, to := a.Across.Visible()
	step := thin(to-from, a.W, labelRoom)
	for i := from; i < to; i += step {
		if x := a.XOf(float64(i) + 0.5); x >= a.X && x <= a.X+a.W {
			put(x, a.Across.entities.Short(a.Across.order[i]), math.Min(labelRoom-6, 2*math.Min(x-2, s.Width-2-x)))
		}
	}
}

func (a Area) upLabels(s *scene.Scene, dark bool) {
	ink := Faint(dark)
	put := func(y float64, label string) {
		s.Lines.Add(a.X-tickLine, y, a.X, y, 1, quiet(dark))
		s.Texts = append(s.Texts, scene.Text{X: a.X - tickLine - 3, Y: y + labelSize*0.36, Text: label, Color: ink, Anchor: scene.End, Size: labelSize, MaxWidth: a.X - tickLine - 3 - margin/2})
	}
	if !a.Up.Axis.Entities {
		ticks := Ticks(a.Up.From, a.Up.To, a.H/40)
		for i, label := range Numbers(ticks, a.Up.Unit) {
			put(a.YOf(ticks[i]), label)
		}
		return
	}
	from, to := a.Up.Visible()
	step := thin(to-from, a.H, rowLine)
	for i := from; i < to; i += step {
		if y := a.YOf(float64(i) + 0.5); y >= a.Y && y <= a.Y+a.H {
			put(y, a.Up.entities.Short(a.Up.order[i]))
		}
	}
}

// XOf is where a value, or a position among entities, is.
func (a Area) XOf(v float64) float64 {
	return a.X + (v-a.Across.From)/(a.Across.To-a.Across.From)*a.W
}

// YOf is where a value, or a position among entities, is: values grow upwards,
// entities are counted from the top.
func (a Area) YOf(v float64) float64 {
	part := (v - a.Up.From) / (a.Up.To - a.Up.From)
	if a.Up.Axis.Entities {
		return a.Y + part*a.H
	}
	return a.Y + a.H - part*a.H
}

// AcrossAt is the value or the position at x.
func (a Area) AcrossAt(x float64) float64 {
	return a.Across.From + (x-a.X)/a.W*(a.Across.To-a.Across.From)
}

// UpAt is the value or the position at y.
func (a Area) UpAt(y float64) float64 {
	part := (y - a.Y) / a.H
	if !a.Up.Axis.Entities {
		part = 1 - part
	}
	return a.Up.From + part*(a.Up.To-a.Up.From)
}

// Contains reports whether a point is between the axes.
func (a Area) Contains(x, y float64) bool {
	return x >= a.X && x < a.X+a.W && y >= a.Y && y < a.Y+a.H
}

// Clip gives the part of a rectangle that is between the axes; ok is false if
// none is. It may be drawn from any corner.
func (a Area) Clip(r scene.Box) (scene.Box, bool) {
	r.X0, r.X1 = math.Min(r.X0, r.X1), math.Max(r.X0, r.X1)
	r.Y0, r.Y1 = math.Min(r.Y0, r.Y1), math.Max(r.Y0, r.Y1)
	r = scene.Box{X0: math.Max(r.X0, a.X), Y0: math.Max(r.Y0, a.Y), X1: math.Min(r.X1, a.X+a.W), Y1: math.Min(r.Y1, a.Y+a.H)}
	return r, r.X0 <= r.X1 && r.Y0 <= r.Y1
}

// touch is how far a rectangle must reach into something to select it, in
// pixels: one that ends where the next row begins does not mean that row.
const touch = 0.01

// SelectRows gives the entities on the vertical axis that a rectangle touches.
func (a Area) SelectRows(r scene.Box) []data.EntityID {
	from, _ := a.rowsAt(r.Y0)
	_, to := a.rowsAt(math.Max(r.Y0, r.Y1-touch))
	return a.Up.between(from, to)
}

// SelectColumns gives the entities on the horizontal axis that it touches.
func (a Area) SelectColumns(r scene.Box) []data.EntityID {
	from, _ := a.columnsAt(r.X0)
	_, to := a.columnsAt(math.Max(r.X0, r.X1-touch))
	return a.Across.between(from, to)
}

// between gives the entities from a position to before another one.
func (a Axis) between(from, to int) []data.EntityID {
	from, to = max(from, 0), min(to, len(a.order))
	if from >= to {
		return nil
	}
	return a.order[from:to]
}

// rowsAt gives the positions of the entities that share a pixel of a raster at
// y: from..to-1.
func (a Area) rowsAt(y float64) (from, to int) { return a.Up.sharing(a.UpAt(y), a.H) }

// columnsAt is rowsAt for the horizontal axis.
func (a Area) columnsAt(x float64) (from, to int) { return a.Across.sharing(a.AcrossAt(x), a.W) }

// sharing gives the positions that share a pixel with one, on an axis of a
// length. What is beyond the axis is taken to be at its end.
func (a Axis) sharing(position, length float64) (from, to int) {
	if len(a.order) == 0 {
		return 0, 0
	}
	n := pixels(length, a.To-a.From)
	position = math.Max(a.From, math.Min(position, math.Nextafter(a.To, 0)))
	pixel, _ := place(position, a, n)
	each := (a.To - a.From) / float64(n)
	from = max(0, int(a.From+float64(pixel)*each)-1)
	to = min(len(a.order), int(math.Ceil(a.From+float64(pixel+1)*each))+1)
	for ; from < to-1; from++ {
		if at, ok := place(float64(from)+0.5, a, n); ok && at == pixel {
			break
		}
	}
	for ; to > from+1; to-- {
		if at, ok := place(float64(to)-0.5, a, n); ok && at == pixel {
			break
		}
	}
	return from, to
}

// SelectPeriod gives the part of a value on the horizontal axis that a
// rectangle covers: of a point, the value that it is in.
func (a Area) SelectPeriod(r scene.Box) viz.Period {
	from, to := math.Floor(a.AcrossAt(r.X0)), math.Ceil(a.AcrossAt(r.X1)-touch*(a.Across.To-a.Across.From)/a.W)-1
	return viz.Period{From: whole(from), To: whole(math.Max(from, to))}
}

func whole(v float64) int64 {
	switch {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return int64(v)
}

// Ticks gives about n round values from from to to: multiples of 1, 2 or 5
// times a power of ten.
func Ticks(from, to, n float64) []float64 {
	if !(to > from) || !(n >= 1) || math.IsInf(to-from, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((to-from)/n)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (to-from)/(step*f) <= n {
			step *= f
			break
		}
	}
	var ticks []float64
	for first, i := math.Ceil(from/step)*step, 0.0; i <= 2*n; i++ {
		// Far from 0, a step may be less than what numbers can tell apart.
		t := first + i*step
		if t > to {
			break
		}
		if t >= from && (len(ticks) == 0 || t > ticks[len(ticks)-1]) {
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// Count writes a number with its digits in groups: 83,705.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
