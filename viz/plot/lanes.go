package plot

import (
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Columns makes the axis of a grid's columns: it spans the columns that occur,
// or the period if one is shown.
func Columns(c *Cells, name, dimension string, unit data.Unit, period *viz.Period) Axis {
	first, last, _ := c.Columns()
	from, to := float64(first)*float64(c.interval), (float64(last)+1)*float64(c.interval)
	if period != nil {
		from, to = float64(period.From), float64(period.To)+1
	}
	return Values(name, dimension, unit, from, to, viz.Range{})
}

// lanes tells which pixels of a raster the columns of a grid have. Many narrow
// columns share a pixel, that of their middle. Columns that are wider than a
// dot have as many pixels as they are wide, or, if the axis begins and ends with
// whole columns, one pixel each, which is exact.
type lanes struct {
	from, interval float64
	pixel          float64 // width of a pixel, in values
	n              int     // pixels
	first, last    int64   // columns that occur
	spread         bool    // a column may have several pixels
}

func lanesOf(a Area, c *Cells) lanes {
	l := lanes{from: a.Across.From, interval: float64(c.interval), first: c.first, last: c.last}
	span := a.Across.To - a.Across.From
	columns := span / l.interval
	fit := math.Max(1, math.Floor(a.W/dot))
	switch {
	case columns > fit:
		l.n = int(fit)
	case columns == math.Trunc(columns) && l.from/l.interval == math.Floor(l.from/l.interval):
		l.n = int(columns)
	default:
		l.n, l.spread = int(math.Max(1, math.Floor(a.W))), true
	}
	l.pixel = span / float64(l.n)
	return l
}

// of gives the first and the last pixel of a column; first > last if it has none.
func (l lanes) of(column int64) (first, last int) {
	start := (float64(column)*l.interval - l.from) / l.pixel
	end := start + l.interval/l.pixel
	n := float64(l.n)
	if !(end > 0 && start < n) {
		return 1, 0
	}
	start, end = math.Max(start, 0), math.Min(end, n)
	if !l.spread {
		middle := int(math.Min(math.Floor((start+end)/2), n-1))
		return middle, middle
	}
	first = int(math.Min(math.Round(start), n-1))
	return first, max(first, int(math.Round(end))-1)
}

// under gives the columns that the pixel at a value stands for.
func (l lanes) under(value float64) (first, last int64) {
	at := whole(math.Floor(value / l.interval))
	pixel := int(math.Max(0, math.Min(math.Floor((value-l.from)/l.pixel), float64(l.n-1))))
	start := l.from + float64(pixel)*l.pixel
	first, last = whole(math.Floor(start/l.interval)), whole(math.Floor((start+l.pixel)/l.interval))
	has := func(column int64) bool {
		from, to := l.of(column)
		return from <= pixel && pixel <= to
	}
	for first < last && !has(first) {
		first++
	}
	for first < last && !has(last) {
		last--
	}
	if l.spread || !has(first) {
		return at, at
	}
	// Far from 0 numbers are too coarse to end with the last column.
	if pixel == 0 {
		first = min(first, l.first)
	}
	if pixel == l.n-1 {
		last = max(last, l.last)
	}
	return first, last
}

// CellRaster adds the cells of the visible rows up in the pixels of an area.
func CellRaster(a Area, c *Cells, selected []bool) *Raster {
	l := lanesOf(a, c)
	r := newRaster(a, l.n, pixels(a.H, a.Up.To-a.Up.From), c.groups)
	up := a.Up
	from, to := up.Visible()
	for i := from; i < to; i++ {
		id := up.order[i]
		y, ok := r.row(float64(i) + 0.5)
		if !ok {
			continue
		}
		marked := selected != nil && selected[id]
		for g := range c.Groups() {
			for _, cell := range c.Row(up.entities.Find(id), g) {
				first, last := l.of(cell.Column)
				for x := first; x <= last; x++ {
					r.Add(y*r.w+x, g, float64(cell.Value), float64(cell.Second))
					if marked {
						r.Highlight(y*r.w + x)
					}
				}
			}
		}
	}
	r.Select(selected != nil)
	return r
}

// SelectCells gives what is under a rectangle: the entities of the rows, and the
// events of the columns, told by their values or, where the x axis is running, one
// by one.
func SelectCells(a Area, c *Cells, running *Running, period *viz.Period, r scene.Box) viz.Selection {
	r, ok := a.Clip(r)
	if !ok {
		return viz.Selection{}
	}
	s := viz.Selection{Entities: map[string][]data.EntityID{"y": a.SelectRows(r)}}
	if running != nil {
		s.Events = running.Events(a, c, r)
	} else {
		s.Periods = map[string]viz.Period{"x": CellPeriod(a, c, r, period)}
	}
	return s
}

// CellPeriod gives the values that the columns under a rectangle stand for, so
// that what is selected is what is seen to be covered. period is the part that
// the chart shows, or nil.
func CellPeriod(a Area, c *Cells, r scene.Box, period *viz.Period) viz.Period {
	first, last := cellColumns(a, c, r)
	from, to := Limits(period)
	return viz.Period{From: max(from, c.startOf(first)), To: min(to, c.endOf(last))}
}

// cellColumns gives the columns under a rectangle.
func cellColumns(a Area, c *Cells, r scene.Box) (first, last int64) {
	l := lanesOf(a, c)
	first, last = l.under(a.AcrossAt(r.X0))
	if x := r.X1 - touch; x > r.X0 {
		_, last = l.under(a.AcrossAt(x))
	}
	return first, last
}

// CellHit says what is under a point: of the entities that share the pixel, the
// one with most, in all columns that share it. facts gives the lines for what
// there is, all groups together; its first line tells of a group, too. id is
// that of the entity.
func CellHit(f viz.Frame, a Area, c *Cells, e *viz.Entities, x, y float64, facts func(Cell) []viz.Fact) (h viz.Hit, id data.EntityID, ok bool) {
	if !a.Contains(x, y) {
		return h, 0, false
	}
	first, last := lanesOf(a, c).under(a.AcrossAt(x))
	from, to := a.rowsAt(y)
	if from >= to {
		return h, 0, false
	}
	id, _ = a.Up.Entity(a.UpAt(y))
	var all Cell
	there := 0
	for i := from; i < to; i++ {
		var sum Cell
		any := false
		for g := range c.groups {
			part, some := c.Sum(e.Find(a.Up.order[i]), g, first, last)
			sum.Value, sum.Second = Saturating(sum.Value, part.Value), Saturating(sum.Second, part.Second)
			any = any || some
		}
		if !any {
			continue
		}
		if there++; there == 1 || size(sum.Value) > size(all.Value) {
			id, all = a.Up.order[i], sum
		}
	}
	texts := Numbers([]float64{float64(c.startOf(first)), float64(c.endOf(last)) + 1}, a.Across.Unit)
	h = viz.Hit{Title: e.Name(id), Facts: []viz.Fact{{Name: a.Across.Name, Value: texts[0] + " to " + texts[1]}}}
	for g := 1; g < c.groups; g++ {
		if group, shown := GroupOf(f, g); shown {
			if part, some := c.Sum(e.Find(id), g, first, last); some {
				h.Facts = append(h.Facts, viz.Fact{Name: group.Name, Value: facts(part)[0].Value})
			}
		}
	}
	h.Facts = append(h.Facts, facts(all)...)
	if there > 1 {
		h.Facts = append(h.Facts, viz.Fact{Name: "others in this place", Value: strconv.Itoa(there - 1)})
	}
	return h, id, true
}

// size is the absolute value; that of the least integer is no integer.
func size(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
