// Package scene is what visualizations hand to renderers: primitives with
// positions, colours, labels and the ids of what they stand for.
//
// A scene is complete: a renderer needs no other knowledge to draw it, to tell
// what is under a pointer, or to write it to a file. Coordinates are CSS
// pixels, origin top left, y down; angles are radians clockwise from twelve
// o'clock; colours are 0xRRGGBBAA. Primitives of many elements are columns,
// so that they travel to the page as they are.
//
// Renderers without a browser are in scene/svg and scene/png. What does not
// belong here: trees, metrics, layout.
package scene

import "math"

// Color is 0xRRGGBBAA, not premultiplied.
type Color uint32

// Scene is one picture. Primitives are drawn in the order of the fields.
type Scene struct {
	Width, Height float64
	Background    Color
	Rasters       []Raster
	Tubes         Tubes
	Rects         Rects
	Sectors       Sectors
	Lines         Lines
	Texts         []Text
	Table         *Table
	Legend        *Legend

	Plots []Plot // the parts of the picture that have axes

	Drawn    int64    // elements that are drawn
	TooSmall int64    // elements that are not, because they would be under a pixel
	Deeper   int64    // elements that are not, because a depth limit hides them
	Notes    []string // what a person should know about this picture, in sentences
}

// SectorKind tells what an annular sector stands for.
type SectorKind uint8

const (
	// Segment is one element.
	Segment SectorKind = iota
	// Mark is a run of siblings that would each be under a pixel, drawn as
	// one quiet line or tone that says "more here".
	Mark
)

// NoName is the Name of a sector that has none.
const NoName = ^uint32(0)

// Sectors are annular sectors around one centre. All columns but Match have
// the same length; a row is a sector, in drawing order.
type Sectors struct {
	CX, CY float64
	// Discs draws, instead of each sector, the disc between its radii in the
	// middle of its angles. Around the centre the inner radius is below zero.
	Discs  bool
	Kind   []SectorKind
	ID     []uint32 // of the element; of a mark's parent
	R0, R1 []float64
	A0, A1 []float64
	Fill   []Color
	Ink    []Color   // for a label on the fill
	Name   []uint32  // index into Names and ShortNames, or NoName
	Self   []float64 // the element's own amount
	Total  []float64 // its whole amount; of a mark: the sum of what it hides
	Count  []uint32  // elements it stands for: 1, or for a mark all that it hides
	Label  []bool    // whether there is room for a part of the name, along the arc or the radius
	Match  []uint8   // what a search found: see the Match constants; nil without a search

	Names      []string
	ShortNames []string
	Sides      *Sides // nil unless two profiles are compared
}

// What a search found in a sector.
const (
	MatchNone   uint8 = 0
	MatchSelf   uint8 = 1 // the element itself
	MatchHidden uint8 = 2 // only something a mark hides
)

// Len is the number of sectors.
func (s *Sectors) Len() int { return len(s.ID) }

// Disc is the disc that is drawn instead of sector i.
func (s *Sectors) Disc(i int) (x, y, r float64) {
	at, r := (s.R0[i]+s.R1[i])/2, (s.R1[i]-s.R0[i])/2
	sin, cos := math.Sincos((s.A0[i] + s.A1[i]) / 2)
	return s.CX + at*sin, s.CY - at*cos, r
}

// Anchor tells which point of a text its position is.
type Anchor uint8

const (
	Start Anchor = iota
	Middle
	End
)

// Text is a line of text; y is its baseline.
type Text struct {
	X, Y     float64
	Text     string
	Color    Color
	Anchor   Anchor
	Size     float64
	MaxWidth float64 // shortened in the middle beyond this; 0 is no limit
	Bold     bool
}

// Legend says what colours mean: by entries, or by a scale from low to high.
type Legend struct {
	Title             string
	Entries           []LegendEntry
	Ramp              []Color
	RampLow, RampHigh string
}

// LegendEntry is one named colour.
type LegendEntry struct {
	Label string
	Color Color
	Share float64 // of the whole picture, drawn or not; 0 if it is not known
}
