package png

import (
	"image"
	"math"

	"golang.org/x/image/vector"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// tolerance is how far, in image pixels, a polygon may be from the arc it
// stands for.
const tolerance = 0.05

// painter collects a path of closed polygons and fills it. The rasteriser only
// ever sees the box around the path, so the cost is that of what is painted.
type painter struct {
	image  *image.RGBA
	scale  float64
	raster vector.Rasterizer
	points []point
	starts []int // where polygons start in points
	glyphs map[glyphKey][]segment

	stretches []stretch // scratch of tubes
}

type point struct{ x, y float64 } // in image pixels

func (p *painter) move(x, y float64) {
	p.starts = append(p.starts, len(p.points))
	p.line(x, y)
}

func (p *painter) line(x, y float64) {
	p.points = append(p.points, point{x * p.scale, y * p.scale})
}

// fill paints what the polygons enclose. A polygon within another one that
// turns the other way round is a hole.
func (p *painter) fill(c scene.Color) {
	defer func() { p.points, p.starts = p.points[:0], p.starts[:0] }()
	if len(p.points) == 0 || c&0xff == 0 {
		return
	}
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, q := range p.points {
		x0, x1 = min(x0, q.x), max(x1, q.x)
		y0, y1 = min(y0, q.y), max(y1, q.y)
	}
	size := p.image.Bounds()
	clamp := func(v float64, limit int) int { return int(min(max(v, 0), float64(limit))) }
	box := image.Rect(clamp(math.Floor(x0), size.Dx()), clamp(math.Floor(y0), size.Dy()),
		clamp(math.Ceil(x1), size.Dx()), clamp(math.Ceil(y1), size.Dy()))
	if box.Empty() {
		return
	}
	p.raster.Reset(box.Dx(), box.Dy())
	for i, start := range p.starts {
		end := len(p.points)
		if i+1 < len(p.starts) {
			end = p.starts[i+1]
		}
		for k, q := range p.points[start:end] {
			x, y := float32(q.x-float64(box.Min.X)), float32(q.y-float64(box.Min.Y))
			if k == 0 {
				p.raster.MoveTo(x, y)
			} else {
				p.raster.LineTo(x, y)
			}
		}
		p.raster.ClosePath()
	}
	p.raster.Draw(p.image, box, image.NewUniform(nrgba(c)), image.Point{})
}

// sector adds the outline of sector i, drawn in by gap on every side, but
// never by more than a quarter of its width. A negative gap widens it.
func (p *painter) sector(s *scene.Sectors, i int, gap float64) {
	if s.Discs {
		x, y, r := s.Disc(i)
		p.arc(x, y, r-min(gap, r/4), 0, 2*math.Pi, true)
		return
	}
	a0, a1 := s.A0[i], s.A1[i]
	radial := min(gap, (s.R1[i]-s.R0[i])/4)
	r0, r1 := s.R0[i], s.R1[i]-radial
	if r0 > 0 {
		r0 = max(r0+radial, 0)
	}
	if text.IsFull(s, i) {
		p.arc(s.CX, s.CY, r1, 0, 2*math.Pi, true)
		if r0 > 0 {
			p.arc(s.CX, s.CY, r0, 2*math.Pi, 0, true)
		}
		return
	}
	// A side that is gap pixels off its ray meets a circle asin(gap/r) further.
	side := func(r float64) float64 {
		return min(math.Asin(min(max(gap/r, -1), 1)), (a1-a0)/4)
	}
	in := side(r1)
	p.arc(s.CX, s.CY, r1, a0+in, a1-in, true)
	if r0 > 0 {
		in = side(r0)
		p.arc(s.CX, s.CY, r0, a1-in, a0+in, false)
	} else {
		p.line(s.CX, s.CY)
	}
}

// arc adds an arc from angle a0 to a1 as lines.
func (p *painter) arc(cx, cy, r, a0, a1 float64, first bool) {
	n := 1
	if device := r * p.scale; device > tolerance {
		step := 2 * math.Acos(1-tolerance/device)
		n = max(int(math.Ceil(math.Abs(a1-a0)/step)), 1)
	}
	for i := range n + 1 {
		sin, cos := math.Sincos(a0 + (a1-a0)*float64(i)/float64(n))
		x, y := cx+r*sin, cy-r*cos
		if i == 0 && first {
			p.move(x, y)
		} else {
			p.line(x, y)
		}
	}
}
