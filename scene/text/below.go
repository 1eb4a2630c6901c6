package text

import (
	"math"

	"github.com/cambium-prof/cambium/scene"
)

// fills tells whether the chart takes all of the picture, as those with axes
// or boxes and tables do. They have no free corner: their legend is below the picture,
// which the renderers make that much higher.
func fills(s *scene.Scene) bool {
	return s.Sectors.Len() == 0 && (len(s.Plots) > 0 || s.Table != nil || s.Rects.Boxes != nil)
}

// Height is the height of the picture with what is below it.
func Height(s *scene.Scene) float64 {
	if !fills(s) || !(s.Width >= tooSmallForCorner) || s.Width > farAway || !(s.Height > 0) || s.Height > farAway {
		return s.Height
	}
	return math.Ceil(belowOf(s).bottom)
}

// below lays out legend and footer in rows from the top down.
type below struct {
	Corner
	scene  *scene.Scene
	bottom float64 // of the last row
}

func belowOf(s *scene.Scene) *below {
	b := &below{scene: s, bottom: s.Height}
	ink := Ink(s)
	if s.Legend != nil {
		b.legend(s.Legend, ink)
	}
	if footer := FooterText(s); footer != "" {
		c := corner{scene: s}
		// No chart is in the way: all rows have the same width.
		lines, _ := c.wrap(fields(footer), footerRows)
		for _, line := range lines {
			b.row()
			b.text(cornerMargin, line, s.Width-2*cornerMargin, WithOpacity(ink, second), false)
		}
	}
	if b.bottom > s.Height {
		b.bottom += cornerMargin / 2
	}
	return b
}

func (b *below) row() { b.bottom += cornerRow }

// text puts text into the last row and gives its width.
func (b *below) text(x float64, s string, room float64, color scene.Color, bold bool) float64 {
	s = FaceOf(bold).Shorten(s, room, cornerSize)
	if s == "" {
		return 0
	}
	b.Lines = append(b.Lines, scene.Text{X: x, Y: b.bottom - 4, Text: s, Color: color, Size: cornerSize, MaxWidth: room + 1, Bold: bold})
	return FaceOf(bold).Measure(s, cornerSize)
}

// legend writes title and entries one after the other, as text does.
func (b *below) legend(l *scene.Legend, ink scene.Color) {
	const between = 14.0
	right := b.scene.Width - cornerMargin
	b.row()
	x := cornerMargin + b.text(cornerMargin, Clean(l.Title), right-cornerMargin, ink, true)
	if x > cornerMargin {
		x += between
	}
	place := func(width float64) {
		if x > cornerMargin && x+width > right {
			b.row()
			x = cornerMargin
		}
	}
	if len(l.Ramp) > 0 {
		quiet := WithOpacity(ink, second)
		low, high := Clean(l.RampLow), Clean(l.RampHigh)
		width := min(rampWidth, right-cornerMargin)
		place(width + Measure(low, cornerSize) + Measure(high, cornerSize) + 12)
		if w := b.text(x, low, right-x, quiet, false); w > 0 {
			x += w + 6
		}
		width = min(width, max(right-x, 0))
		b.ramp(l.Ramp, x, width)
		x += width + 6
		x += b.text(x, high, right-x, quiet, false) + between
	}
	for _, e := range l.Entries {
		label := entryLabel(e, right-cornerMargin-swatchSize-6)
		width := swatchSize + 6 + Measure(label, cornerSize)
		place(width)
		b.Swatches = append(b.Swatches, Swatch{x, b.bottom - 13, swatchSize, swatchSize, e.Color})
		b.text(x+swatchSize+6, label, right-x-swatchSize-6+1, ink, false)
		x += width + between
	}
}

func (b *below) ramp(colors []scene.Color, x, width float64) {
	n := float64(len(colors))
	for i, color := range colors {
		x0, x1 := math.Round(float64(i)*width/n), math.Round(float64(i+1)*width/n)
		b.Swatches = append(b.Swatches, Swatch{x + x0, b.bottom - 13, x1 - x0, swatchSize, color})
	}
}
