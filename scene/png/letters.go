package png

import (
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

type glyphKey struct {
	face *text.Face
	char rune
}

// segment is a piece of a glyph's outline in em, y down.
type segment struct {
	op   sfnt.SegmentOp
	args [3]point
}

// glyph gives the outline of a character; the font's own sign for it, if the
// font does not have it.
func (p *painter) glyph(f *text.Face, r rune) []segment {
	key := glyphKey{f, r}
	if g, ok := p.glyphs[key]; ok {
		return g
	}
	var buf sfnt.Buffer
	var outline []segment
	const em = 1024
	if index, err := f.Font().GlyphIndex(&buf, r); err == nil {
		if segments, err := f.Font().LoadGlyph(&buf, index, fixed.I(em), nil); err == nil {
			for _, s := range segments {
				o := segment{op: s.Op}
				for i, a := range s.Args {
					o.args[i] = point{float64(a.X) / 64 / em, float64(a.Y) / 64 / em}
				}
				outline = append(outline, o)
			}
		}
	}
	if p.glyphs == nil {
		p.glyphs = map[glyphKey][]segment{}
	}
	p.glyphs[key] = outline
	return outline
}

// letter adds a glyph with its origin at x, y, turned clockwise by angle.
func (p *painter) letter(f *text.Face, r rune, size, x, y, angle float64) {
	sin, cos := math.Sincos(angle)
	place := func(q point) (float64, float64) {
		return x + size*(q.x*cos-q.y*sin), y + size*(q.x*sin+q.y*cos)
	}
	var at point
	for _, s := range p.glyph(f, r) {
		switch s.op {
		case sfnt.SegmentOpMoveTo:
			p.move(place(s.args[0]))
			at = s.args[0]
		case sfnt.SegmentOpLineTo:
			p.line(place(s.args[0]))
			at = s.args[0]
		case sfnt.SegmentOpQuadTo:
			n := p.steps(size, at, s.args[0], s.args[1])
			for i := 1; i <= n; i++ {
				t := float64(i) / float64(n)
				u := 1 - t
				p.line(place(point{
					u*u*at.x + 2*u*t*s.args[0].x + t*t*s.args[1].x,
					u*u*at.y + 2*u*t*s.args[0].y + t*t*s.args[1].y,
				}))
			}
			at = s.args[1]
		case sfnt.SegmentOpCubeTo:
			// The Go fonts have none; a few lines would do.
			const n = 8
			for i := 1; i <= n; i++ {
				t := float64(i) / n
				u := 1 - t
				a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
				p.line(place(point{
					a*at.x + b*s.args[0].x + c*s.args[1].x + d*s.args[2].x,
					a*at.y + b*s.args[0].y + c*s.args[1].y + d*s.args[2].y,
				}))
			}
			at = s.args[2]
		}
	}
}

// steps is how many lines stand for a quadratic curve: the distance between
// them is a quarter of the curve's second difference, over n².
func (p *painter) steps(size float64, a, b, c point) int {
	bend := math.Hypot(a.x-2*b.x+c.x, a.y-2*b.y+c.y) * size * p.scale / 4
	return min(max(int(math.Ceil(math.Sqrt(bend/tolerance))), 1), 64)
}

func (p *painter) text(t scene.Text) {
	line := text.Line(t)
	face := text.FaceOf(t.Bold)
	x := t.X
	switch t.Anchor {
	case scene.Middle:
		x -= face.Measure(line, t.Size) / 2
	case scene.End:
		x -= face.Measure(line, t.Size)
	}
	for _, r := range line {
		p.letter(face, r, t.Size, x, t.Y, 0)
		p.fill(t.Color)
		x += face.Advance(r) * t.Size
	}
}

// radial draws a name along a radius.
func (p *painter) radial(l text.Label, cx, cy float64) {
	x, y, turn := l.RadialBaseline(cx, cy)
	sin, cos := math.Sincos(turn)
	at := 0.0
	if !l.Flipped {
		at = -text.Measure(l.Text, l.Size)
	}
	for _, r := range l.Text {
		p.letter(text.Regular, r, l.Size, x+at*cos, y+at*sin, turn)
		p.fill(l.Color)
		at += text.Regular.Advance(r) * l.Size
	}
}

// label draws a name along its arc: every letter stands on the tangent at its
// middle.
func (p *painter) label(l text.Label, cx, cy float64) {
	if l.Radial {
		p.radial(l, cx, cy)
		return
	}
	at := -text.Measure(l.Text, l.Size) / 2 // along the arc, from its middle
	for _, r := range l.Text {
		width := text.Regular.Advance(r) * l.Size
		turn := (at + width/2) / l.Radius
		a, tangent := l.Middle+turn, l.Middle+turn
		if l.Flipped {
			a, tangent = l.Middle-turn, l.Middle-turn+math.Pi
		}
		sin, cos := math.Sincos(a)
		x, y := cx+l.Radius*sin, cy-l.Radius*cos
		sin, cos = math.Sincos(tangent)
		p.letter(text.Regular, r, l.Size, x-width/2*cos, y-width/2*sin, tangent)
		p.fill(l.Color)
		at += width
	}
}
