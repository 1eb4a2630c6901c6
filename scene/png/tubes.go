package png

import (
	"encoding/binary"
	"image"
	"math"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// tubes paints tubes row by row of pixels. The borders of a tube are beside its
// curve, so that what a row shows of it is one stretch for each time that the curve
// comes by.
func (p *painter) tubes(t *scene.Tubes) {
	for i := range t.Len() {
		if text.CanDrawTube(t, i) {
			p.tube(t, i)
		}
	}
}

// shades is how many steps there are from the middle of a tube to its borders.
const shades = 128

// stretch is what a row of pixels shows of a tube.
type stretch struct {
	left, right float64 // in image pixels
	any         bool
}

func (p *painter) tube(t *scene.Tubes, i int) {
	var tones [shades + 1]scene.Color
	for s := range tones {
		tones[s] = t.Shade(i, float64(s)/shades)
	}
	line := text.TubeLine(t, i)
	first, end := t.First[i], t.First[i+1]
	for from := first; from+1 < end; {
		// As long as the curve goes the same way, up or down.
		to, down := from+1, t.Y[from+1] >= t.Y[from]
		for to+1 < end && (t.Y[to+1] >= t.Y[to]) == down {
			to++
		}
		top, bottom := min(t.Y[from], t.Y[to]), max(t.Y[from], t.Y[to])
		row0 := max(int(math.Floor(float64(top)*p.scale)), 0)
		row1 := min(int(math.Floor(float64(bottom)*p.scale)), p.image.Bounds().Dy()-1)
		if row0 <= row1 {
			p.stretches = append(p.stretches[:0], make([]stretch, row1-row0+1)...)
			for k := from; k < to; k++ {
				p.follow(t, k, row0)
			}
			for n, s := range p.stretches {
				if s.any {
					p.row(row0+n, s, &tones, line)
				}
			}
		}
		from = to
	}
}

// follow widens stretches by a piece of a curve.
func (p *painter) follow(t *scene.Tubes, k uint32, row0 int) {
	x0, y0, w0 := float64(t.X[k])*p.scale, float64(t.Y[k])*p.scale, float64(t.W[k])*p.scale
	x1, y1, w1 := float64(t.X[k+1])*p.scale, float64(t.Y[k+1])*p.scale, float64(t.W[k+1])*p.scale
	// Several to a row of pixels, so that its stretch is as wide as what it shows.
	n := max(int(math.Ceil(4*math.Abs(y1-y0))), 1)
	for j := range n + 1 {
		part := float64(j) / float64(n)
		row := int(math.Floor(y0+part*(y1-y0))) - row0
		if row < 0 || row >= len(p.stretches) {
			continue
		}
		x, w := x0+part*(x1-x0), w0+part*(w1-w0)
		s := &p.stretches[row]
		if !s.any {
			s.any, s.left, s.right = true, x-w/2, x+w/2
		}
		s.left, s.right = min(s.left, x-w/2), max(s.right, x+w/2)
	}
}

// row paints a stretch. One that is narrower than a pixel is made as wide.
func (p *painter) row(y int, s stretch, tones *[shades + 1]scene.Color, line scene.Color) {
	middle, half := (s.left+s.right)/2, (s.right-s.left)/2
	flat := half < 0.75
	half = max(half, 0.5)
	left, right := middle-half, middle+half
	size := p.image.Bounds()
	x0, x1 := max(int(math.Floor(left)), 0), min(int(math.Ceil(right)), size.Dx())
	per := shades / half
	for x := x0; x < x1; x++ {
		c := line
		if !flat {
			c = tones[int(min(math.Abs(float64(x)+0.5-middle)*per, shades))]
		}
		if inside := float64(x) >= left && float64(x+1) <= right; inside && c&0xff == 0xff {
			at := p.image.PixOffset(x, y)
			binary.BigEndian.PutUint32(p.image.Pix[at:], uint32(c))
			continue
		}
		if cover := min(float64(x+1), right) - max(float64(x), left); cover > 0 {
			p.blend(x, y, c, min(cover, 1))
		}
	}
}

// blend paints a part of a pixel.
func (p *painter) blend(x, y int, c scene.Color, cover float64) {
	r, g, b, a := c.RGBA8()
	alpha := uint32(math.Round(float64(a) * cover))
	at := p.image.PixOffset(x, y)
	pix := p.image.Pix[at : at+4 : at+4]
	mix := func(k int, v uint32) {
		pix[k] = uint8((v*alpha + uint32(pix[k])*(255-alpha) + 127) / 255)
	}
	mix(0, uint32(r))
	mix(1, uint32(g))
	mix(2, uint32(b))
	mix(3, 255)
}

// cushion paints a rectangle that is shaded from left to right.
func (p *painter) cushion(r *scene.Rects, i int, b scene.Box) {
	box := p.pixels(b.X0, b.Y0, b.X1, b.Y1)
	if box.Dx() < 2 {
		p.box(b)
		p.fill(text.CushionAt(r, i, 0.5))
		return
	}
	p.columns(box, func(x int) scene.Color {
		return text.CushionAt(r, i, ((float64(x)+0.5)/p.scale-r.X[i])/r.W[i])
	})
}

func (p *painter) columns(box image.Rectangle, color func(x int) scene.Color) {
	for x := box.Min.X; x < box.Max.X; x++ {
		c := color(x)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			p.blend(x, y, c, 1)
		}
	}
}
