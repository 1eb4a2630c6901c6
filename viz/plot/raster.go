package plot

import (
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// Raster is a grid of pixels over an area, in which cells are added up by
// colour group before they are painted: what many cells have in one pixel is
// one sum and neither the last nor the loudest of them.
type Raster struct {
	area       Area
	w, h       int
	groups     int
	sums       []float64 // (y*w + x)*groups + group
	present    []bool
	Second     []float64 // y*w + x: the second sums; nil if no cell has one
	highlights []bool    // pixels of selected entities
}

// dot is the least width and height of what is painted, in pixels of the
// picture: a single one is lost on a page.
const dot = 2

// NewRaster covers the area with pixels: each at least a dot, and at most
// columns × rows of them, so that a cell which is larger is one pixel.
func NewRaster(a Area, columns, rows float64, groups int) *Raster {
	return newRaster(a, pixels(a.W, columns), pixels(a.H, rows), groups)
}

func newRaster(a Area, w, h, groups int) *Raster {
	return &Raster{area: a, w: w, h: h, groups: groups, sums: make([]float64, w*h*groups), present: make([]bool, w*h)}
}

func pixels(length, cells float64) int {
	return int(math.Max(1, math.Min(math.Floor(length/dot), math.Ceil(cells))))
}

// Pixel gives the pixel of a place on the axes; ok is false outside of them.
func (r *Raster) Pixel(across, up float64) (pixel int, ok bool) {
	x, ok := place(across, r.area.Across, r.w)
	if !ok {
		return 0, false
	}
	y, ok := r.row(up)
	return y*r.w + x, ok
}

func (r *Raster) row(up float64) (y int, ok bool) { return place(up, r.area.Up, r.h) }

// place gives the one of n pixels along an axis that something is in.
func place(v float64, a Axis, n int) (pixel int, ok bool) {
	at := math.Floor((v - a.From) / (a.To - a.From) * float64(n))
	if !(at >= 0 && at < float64(n)) {
		return 0, false
	}
	return int(at), true
}

// Add adds to a pixel.
func (r *Raster) Add(pixel, group int, value, second float64) {
	r.present[pixel] = true
	r.sums[pixel*r.groups+group] += value
	if second != 0 {
		if r.Second == nil {
			r.Second = make([]float64, r.w*r.h)
		}
		r.Second[pixel] += second
	}
}

// Highlight marks a pixel as one of a selected entity.
func (r *Raster) Highlight(pixel int) {
	if r.highlights == nil {
		r.highlights = make([]bool, r.w*r.h)
	}
	r.highlights[pixel] = true
}

// Range gives the least and the most of the pixels that have something.
func (r *Raster) Range() (low, high float64) {
	low, high = math.Inf(1), 0
	for p, there := range r.present {
		if v := r.total(p); there && v > 0 {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if high == 0 {
		return 1, 1
	}
	return low, high
}

func (r *Raster) total(pixel int) float64 {
	sum := 0.0
	for _, v := range r.sums[pixel*r.groups : (pixel+1)*r.groups] {
		sum += v
	}
	return sum
}

// Group is the colour group that has most of a pixel.
func (r *Raster) Group(pixel int) int {
	best := 0
	sums := r.sums[pixel*r.groups : (pixel+1)*r.groups]
	for g, v := range sums {
		if math.Abs(v) > math.Abs(sums[best]) {
			best = g
		}
	}
	return best
}

// Paint adds the image to a scene. color is asked for every pixel that has
// something. With a selection, what is not selected steps back.
func (r *Raster) Paint(s *scene.Scene, dark bool, color func(pixel int, total float64) scene.Color) {
	image := scene.Raster{X: r.area.X, Y: r.area.Y, W: r.area.W, H: r.area.H, Columns: r.w, Rows: r.h, Pixels: make([]scene.Color, r.w*r.h)}
	for p, there := range r.present {
		if !there {
			continue
		}
		c := color(p, r.total(p))
		if r.highlights != nil && !r.highlights[p] {
			c = fade(c, dark)
		}
		image.Pixels[p] = c
	}
	s.Rasters = append(s.Rasters, image)
}

// fade is the colour of what is not selected while something is.
func fade(c scene.Color, dark bool) scene.Color {
	const strength = 0.35
	r, g, b, _ := c.RGBA8()
	br, bg, bb, _ := Background(dark).RGBA8()
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*strength + float64(y)*(1-strength))) }
	return scene.RGB(mix(r, br), mix(g, bg), mix(b, bb))
}

// Select tells that there is a selection, even if none of it is here: then
// everything steps back.
func (r *Raster) Select(there bool) {
	if there && r.highlights == nil {
		r.highlights = make([]bool, r.w*r.h)
	}
}

// Selected reports whether an entity is marked; everything is without a
// selection.
func Selected(marks []bool, id data.EntityID) bool { return marks == nil || marks[id] }
