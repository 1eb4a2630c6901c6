package text

import (
	"math"
	"unicode/utf8"

	"github.com/cambium-prof/cambium/scene"
)

const (
	// Gap is the width of the line in the colour of the background that
	// separates segments.
	Gap = 0.5
	// Outline is the width of the line around what a search found; it lies
	// outside of the sector.
	Outline = 1.2

	faded  = 0.3  // opacity of what a search did not find
	quiet  = 0.8  // opacity of marks
	second = 0.72 // opacity of text that comes second
)

// CanDraw tells whether sector i has an area, and finite numbers.
func CanDraw(s *scene.Sectors, i int) bool {
	r0, r1, a0, a1 := s.R0[i], s.R1[i], s.A0[i], s.A1[i]
	return (r0 >= 0 || s.Discs) && r1 > r0 && a1 > a0 && near(r1, a0, a1, s.CX, s.CY)
}

// farAway is, in pixels and radians, where nothing is a picture any more.
const farAway = 1e6

func near(values ...float64) bool {
	for _, v := range values {
		if !(math.Abs(v) <= farAway) {
			return false
		}
	}
	return true
}

// Visible gives the part of rectangle i that is within the picture, or up to
// edge pixels beyond; ok is false if there is none.
func Visible(s *scene.Scene, i int, edge float64) (b scene.Box, ok bool) {
	r := &s.Rects
	b = scene.Box{
		X0: max(r.X[i], -edge), Y0: max(r.Y[i], -edge),
		X1: min(r.X[i]+r.W[i], s.Width+edge), Y1: min(r.Y[i]+r.H[i], s.Height+edge),
	}
	return b, b.X1 > b.X0 && b.Y1 > b.Y0
}

// CanDrawRaster tells whether a raster has an area, finite numbers and all of
// its pixels.
func CanDrawRaster(r *scene.Raster) bool {
	return r.W > 0 && r.H > 0 && near(r.X, r.Y, r.W, r.H) && r.Columns > 0 && r.Rows > 0 &&
		r.Columns <= len(r.Pixels) && len(r.Pixels)/r.Columns == r.Rows && len(r.Pixels)%r.Columns == 0
}

// CanDrawLine tells whether line i can be seen, and has finite numbers.
func CanDrawLine(l *scene.Lines, i int) bool {
	return l.Width[i] > 0 && l.Color[i]&0xff != 0 && near(l.X0[i], l.Y0[i], l.X1[i], l.Y1[i], l.Width[i])
}

// Chosen tells whether rectangle i is outlined as selected.
func Chosen(r *scene.Rects, i int) bool {
	return i < len(r.Match) && (r.Match[i] == scene.MatchSelf || r.Boxes != nil && r.Match[i] == scene.MatchHidden)
}

// IsFull tells whether sector i goes all the way round.
func IsFull(s *scene.Sectors, i int) bool { return s.A1[i]-s.A0[i] >= 2*math.Pi-1e-6 }

// Tone is the colour that sector i is drawn in.
func Tone(s *scene.Sectors, i int) scene.Color {
	opacity := 1.0
	if s.Kind[i] == scene.Mark {
		opacity = quiet
	}
	if s.Match != nil {
		opacity = 1
		if s.Match[i] == scene.MatchNone {
			opacity = faded
		}
	}
	return WithOpacity(s.Fill[i], opacity)
}

// Found tells whether sector i is outlined as something that a search found.
func Found(s *scene.Sectors, i int) bool { return s.Match != nil && s.Match[i] != scene.MatchNone }

// WithOpacity multiplies the opacity of a colour.
func WithOpacity(c scene.Color, opacity float64) scene.Color {
	a := math.Round(float64(c&0xff) * opacity)
	return c&^0xff | scene.Color(a)
}

// over is what one sees of a colour on a background; what is behind a
// transparent background is taken to be white.
func over(c, background scene.Color) scene.Color {
	r, g, b, a := c.RGBA8()
	br, bg, bb, ba := uint8(255), uint8(255), uint8(255), uint8(255)
	if background&0xff != 0xff {
		background = over(background, scene.RGB(br, bg, bb))
	}
	br, bg, bb, _ = background.RGBA8()
	mix := func(x, y uint8) uint8 {
		return uint8((int(x)*int(a) + int(y)*int(ba-a) + 127) / 255)
	}
	return scene.RGB(mix(r, br), mix(g, bg), mix(b, bb))
}

// Ink is the colour of lines and text on the background.
func Ink(s *scene.Scene) scene.Color {
	return scene.InkOn(over(s.Background, scene.RGB(255, 255, 255)))
}

// Label is a name along an arc, or along a radius.
type Label struct {
	Text   string
	Size   float64
	Color  scene.Color
	Radius float64 // of the baseline; of a radial label: where it ends at the rim
	Middle float64 // angle of the middle of the text
	Span   float64 // the angle that it has room for
	// Flipped: on the lower half, text runs counterclockwise with its feet
	// outwards, so that it is upright. Radial text on the left half runs from
	// the rim inwards.
	Flipped bool
	Radial  bool
}

const (
	labelPadding = 3 // pixels left free at both ends of a label
	leastOfLabel = 5 // characters that a shortened name must still have to say anything
	// Of those that turn the head to be read, more.
	leastOfRadial = 8

	leastSize, mostSize = 8, 11
	lineHeight          = 1.15 // of the size: what a radial label needs across
)

// LabelOf gives the label of sector i, if it has one and there is room. It
// runs along the arc if the name fits there, and else wherever more of it does.
func LabelOf(sc *scene.Scene, i int) (Label, bool) {
	s := &sc.Sectors
	if !s.Label[i] || s.Name[i] == scene.NoName || !CanDraw(s, i) {
		return Label{}, false
	}
	name := Clean(shortName(s, s.Name[i]))
	l, room := alongArc(s, i)
	l.Text = Shorten(name, room, l.Size)
	if l.Text != name {
		radial, room := alongRadius(s, i, name)
		radial.Text = Shorten(name, room, radial.Size)
		if n := utf8.RuneCountInString(radial.Text); n > utf8.RuneCountInString(l.Text) && (radial.Text == name || n >= leastOfRadial) {
			l = radial
		}
	}
	if l.Text == "" || l.Text != name && utf8.RuneCountInString(l.Text) < leastOfLabel {
		return Label{}, false
	}
	l.Color = s.Ink[i]
	if tone := Tone(s, i); tone != s.Fill[i] {
		l.Color = WithOpacity(scene.InkOn(over(tone, sc.Background)), second)
	}
	return l, true
}

// alongArc gives the place of a label along the arc, and its room.
func alongArc(s *scene.Sectors, i int) (Label, float64) {
	r0, r1 := s.R0[i], s.R1[i]
	l := Label{
		Size:   min(max((r1-r0)*0.7, leastSize), mostSize),
		Middle: math.Mod((s.A0[i]+s.A1[i])/2, 2*math.Pi),
		Span:   min(s.A1[i]-s.A0[i], 3), // less than half a turn: further round, it would hang
	}
	if IsFull(s, i) {
		l.Middle = 0
	}
	l.Flipped = math.Cos(l.Middle) < -1e-9
	l.Radius = (r0 + r1) / 2
	// Half the height of a lower-case letter with a bit of ascender.
	if shift := 0.34 * l.Size; l.Flipped {
		l.Radius += shift
	} else {
		l.Radius -= shift
	}
	// The room is that at the middle of the ring, even where the baseline is
	// further out: the letters need it over all of their height.
	return l, l.Span*min(l.Radius, (r0+r1)/2) - 2*labelPadding
}

// alongRadius gives the place of a label along the radius, and its room: from
// the rim inwards, to where the segment is no wider than a line. Smaller
// letters reach further in.
func alongRadius(s *scene.Sectors, i int, name string) (Label, float64) {
	r0, r1, span := s.R0[i], s.R1[i], min(s.A1[i]-s.A0[i], 3)
	l := Label{
		Size:   min(max(span*r1*0.6, leastSize), mostSize),
		Middle: math.Mod((s.A0[i]+s.A1[i])/2, 2*math.Pi),
		Span:   span,
		Radius: r1 - labelPadding - 1,
		Radial: true,
	}
	l.Flipped = math.Sin(l.Middle) < 0
	room := func() float64 { return l.Radius - labelPadding - max(r0, l.Size*lineHeight/span) }
	for l.Size > leastSize && Measure(name, l.Size) > room() {
		l.Size = max(l.Size-1, leastSize)
	}
	return l, room()
}

// RadialBaseline is where the baseline of a radial label touches the rim, and
// the angle clockwise that the text is turned by. Flipped text begins there,
// other text ends there.
func (l Label) RadialBaseline(cx, cy float64) (x, y, turn float64) {
	sin, cos := math.Sincos(l.Middle)
	turn = l.Middle - math.Pi/2
	down := 0.34 * l.Size // from the middle of the letters to their baseline
	if l.Flipped {
		turn += math.Pi
		down = -down
	}
	return cx + l.Radius*sin + down*cos, cy - l.Radius*cos + down*sin, turn
}

func shortName(s *scene.Sectors, name uint32) string {
	if int(name) < len(s.ShortNames) && s.ShortNames[name] != "" {
		return s.ShortNames[name]
	}
	return FullName(s, name)
}

// FullName is a name by its index, or nothing.
func FullName(s *scene.Sectors, name uint32) string {
	if name != scene.NoName && int(name) < len(s.Names) {
		return s.Names[name]
	}
	return ""
}

// Line is the text as it is drawn: clean and not wider than it may be.
func Line(t scene.Text) string {
	line := Clean(t.Text)
	if t.MaxWidth > 0 {
		line = FaceOf(t.Bold).Shorten(line, t.MaxWidth, t.Size)
	}
	return line
}
