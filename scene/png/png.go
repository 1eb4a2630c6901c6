// Package png draws a scene into an image, without a browser, and writes it as
// PNG. It looks as what scene/svg writes.
package png

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// MaxPixels is the most that is drawn: 256 MiB of memory.
const MaxPixels = 64 << 20

// Size is the size of the image in pixels, or an error if it cannot be drawn.
func Size(s *scene.Scene, scale float64) (width, height int, err error) {
	w, h := math.Ceil(s.Width*scale), math.Ceil(text.Height(s)*scale)
	if !(scale > 0 && w > 0 && h > 0) || math.IsInf(w, 0) || math.IsInf(h, 0) {
		return 0, 0, fmt.Errorf("png: a picture of %g × %g pixels at scale %g cannot be drawn", s.Width, s.Height, scale)
	}
	if w*h > MaxPixels {
		return 0, 0, fmt.Errorf("png: %.0f × %.0f are %.1f million pixels, but at most %.1f million can be drawn: make the picture or the scale (%g) smaller",
			w, h, w*h/1e6, MaxPixels/1e6, scale)
	}
	return int(w), int(h), nil
}

// Write writes the scene with scale image pixels per CSS pixel.
func Write(w io.Writer, s *scene.Scene, scale float64) error {
	if _, _, err := Size(s, scale); err != nil {
		return err
	}
	if err := png.Encode(w, Draw(s, scale)); err != nil {
		return fmt.Errorf("png: %w", err)
	}
	return nil
}

// Draw draws the scene. The image is nil if [Size] gives an error.
func Draw(s *scene.Scene, scale float64) *image.RGBA {
	width, height, err := Size(s, scale)
	if err != nil {
		return nil
	}
	p := &painter{image: image.NewRGBA(image.Rect(0, 0, width, height)), scale: scale}
	draw.Draw(p.image, p.image.Bounds(), image.NewUniform(nrgba(s.Background)), image.Point{}, draw.Src)
	p.rasters(s)
	p.tubes(&s.Tubes)
	p.rects(s)
	p.sectors(s)
	for i := range s.Sectors.Len() {
		if l, ok := text.LabelOf(s, i); ok {
			p.label(l, s.Sectors.CX, s.Sectors.CY)
		}
	}
	for _, t := range text.BoxLabels(s) {
		p.text(t)
	}
	p.lines(&s.Lines)
	for _, t := range s.Texts {
		p.text(t)
	}
	sheet, corner := text.TableOf(s), text.CornerOf(s)
	p.sheet(sheet.Swatches, sheet.Lines)
	p.sheet(corner.Swatches, corner.Lines)
	return p.image
}

func nrgba(c scene.Color) color.NRGBA {
	r, g, b, a := c.RGBA8()
	return color.NRGBA{R: r, G: g, B: b, A: a}
}

// sectors draws what a search did not find, then outlines around what it
// found, and then that: so no neighbour covers a part of a line, and no line
// covers a thin segment.
func (p *painter) sectors(s *scene.Scene) {
	sec := &s.Sectors
	gap := text.Gap / 2
	if s.Background&0xff == 0 {
		gap = 0
	}
	p.segments(sec, false, gap)
	if sec.Match == nil {
		return
	}
	for i := range sec.Len() {
		if text.CanDraw(sec, i) && text.Found(sec, i) {
			p.sector(sec, i, -text.Outline)
			p.fill(text.Ink(s))
		}
	}
	p.segments(sec, true, 0)
}

// segments draws the sectors that a search found, or all others.
func (p *painter) segments(s *scene.Sectors, found bool, gap float64) {
	for i := range s.Len() {
		if !text.CanDraw(s, i) || text.Found(s, i) != found {
			continue
		}
		if s.Kind[i] == scene.Mark {
			p.sector(s, i, 0) // it can be as thin as the gap
		} else {
			p.sector(s, i, gap)
		}
		p.fill(text.Tone(s, i))
	}
}
