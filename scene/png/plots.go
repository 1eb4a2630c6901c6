package png

import (
	"image"
	"image/draw"
	"math"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// rasters draws images without smoothing: a pixel has the colour of the cell
// that its middle lies in.
func (p *painter) rasters(s *scene.Scene) {
	for i := range s.Rasters {
		r := &s.Rasters[i]
		if !text.CanDrawRaster(r) {
			continue
		}
		box := p.pixels(r.X, r.Y, r.X+r.W, r.Y+r.H)
		columns := make([]int, box.Dx())
		for x := range columns {
			columns[x] = cellAt(float64(box.Min.X+x), p.scale, r.X, r.W, r.Columns)
		}
		row := image.NewNRGBA(image.Rect(box.Min.X, 0, box.Max.X, 1))
		for y := box.Min.Y; y < box.Max.Y; y++ {
			at := cellAt(float64(y), p.scale, r.Y, r.H, r.Rows) * r.Columns
			for x, column := range columns {
				row.SetNRGBA(box.Min.X+x, 0, nrgba(r.Pixels[at+column]))
			}
			draw.Draw(p.image, image.Rect(box.Min.X, y, box.Max.X, y+1), row, image.Pt(box.Min.X, 0), draw.Over)
		}
	}
}

// cellAt is the cell that the middle of a pixel lies in.
func cellAt(pixel, scale, start, size float64, cells int) int {
	at := ((pixel+0.5)/scale - start) / size * float64(cells)
	return min(max(int(at), 0), cells-1)
}

// pixels gives the pixels of the image whose middles lie in a rectangle.
func (p *painter) pixels(x0, y0, x1, y1 float64) image.Rectangle {
	size := p.image.Bounds()
	from := func(v float64, limit int) int {
		return int(min(max(math.Ceil(v*p.scale-0.5), 0), float64(limit)))
	}
	return image.Rect(from(x0, size.Dx()), from(y0, size.Dy()), from(x1, size.Dx()), from(y1, size.Dy()))
}

func (p *painter) rects(s *scene.Scene) {
	r := &s.Rects
	for i := range r.Len() {
		if b, ok := text.Visible(s, i, 2*text.Outline); ok {
			if r.Boxes != nil {
				b = shrunk(b, text.Gap/2)
			}
			if r.Slope != nil {
				p.cushion(r, i, b)
				continue
			}
			p.box(b)
			p.fill(text.BoxTone(r, i))
		}
	}
	if r.Match == nil {
		return
	}
	for i := range r.Len() {
		if b, ok := text.Visible(s, i, 2*text.Outline); ok && text.Chosen(r, i) {
			const out = text.Outline
			p.box(scene.Box{X0: b.X0 - out, Y0: b.Y0 - out, X1: b.X1 + out, Y1: b.Y1 + out})
			p.move(b.X0, b.Y0) // the other way round: a hole
			p.line(b.X0, b.Y1)
			p.line(b.X1, b.Y1)
			p.line(b.X1, b.Y0)
			p.fill(text.Ink(s))
		}
	}
}

// shrunk draws a box in by a gap, but never by more than a quarter of its side.
func shrunk(b scene.Box, gap float64) scene.Box {
	x, y := min(gap, (b.X1-b.X0)/4), min(gap, (b.Y1-b.Y0)/4)
	return scene.Box{X0: b.X0 + x, Y0: b.Y0 + y, X1: b.X1 - x, Y1: b.Y1 - y}
}

func (p *painter) box(b scene.Box) {
	p.move(b.X0, b.Y0)
	p.line(b.X1, b.Y0)
	p.line(b.X1, b.Y1)
	p.line(b.X0, b.Y1)
}

func (p *painter) lines(l *scene.Lines) {
	for i := range l.Len() {
		if !text.CanDrawLine(l, i) {
			continue
		}
		dx, dy := l.X1[i]-l.X0[i], l.Y1[i]-l.Y0[i]
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		// Half the width to each side.
		sx, sy := -dy/length*l.Width[i]/2, dx/length*l.Width[i]/2
		p.move(l.X0[i]+sx, l.Y0[i]+sy)
		p.line(l.X1[i]+sx, l.Y1[i]+sy)
		p.line(l.X1[i]-sx, l.Y1[i]-sy)
		p.line(l.X0[i]-sx, l.Y0[i]-sy)
		p.fill(l.Color[i])
	}
}

func (p *painter) sheet(swatches []text.Swatch, lines []scene.Text) {
	for _, r := range swatches {
		p.box(scene.Box{X0: r.X, Y0: r.Y, X1: r.X + r.Width, Y1: r.Y + r.Height})
		p.fill(r.Color)
	}
	for _, t := range lines {
		p.text(t)
	}
}
