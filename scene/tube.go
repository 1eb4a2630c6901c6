package scene

import "math"

// Tubes are bands along curves, each from one call to another. All columns have
// the same length, but First, which has one entry more, and the columns of points.
// A row is a tube, in drawing order.
type Tubes struct {
	A, B       []uint32 // ids of what it joins
	Similarity []float64
	First      []uint32 // tube -> its first point
	// X and Y are points of the curve, and W how wide the tube is there, from left
	// to right. One that has no width is a line.
	X, Y, W []float32
	Fill    []Color // not opaque if it is to be seen through
	// Shine is how strong the highlight along the middle is, 0 to 1.
	Shine []float64
	// Other is Fill while the pointer is in the lower half of the picture; nil if
	// that makes no difference.
	Other []Color
}

// Len is the number of tubes.
func (t *Tubes) Len() int { return len(t.A) }

// How bright a tube is: its borders are as dark as this, and its middle has the
// colour itself.
const tubeBorder = 0.5

// Shade is the colour of a tube so far off its middle: 0 there, 1 at the borders.
// The luminance is a parabola, and the highlight a narrow one around the middle.
func (t *Tubes) Shade(i int, off float64) Color { return shade(t.Fill[i], t.Shine[i], off) }

func shade(fill Color, shine, off float64) Color {
	round := 1 - off*off
	light := tubeBorder + (1-tubeBorder)*round
	gloss := shine * math.Pow(max(round, 0), highlight)
	r, g, b, a := fill.RGBA8()
	mix := func(v uint8) uint32 {
		x := float64(v) * light
		return uint32(math.Round(x + (255-x)*gloss))
	}
	return Color(mix(r)<<24 | mix(g)<<16 | mix(b)<<8 | uint32(a))
}

// highlight is the power that makes the parabola narrow.
const highlight = 12

// Slope is how steep a cushion is at its left and right edge; it changes evenly
// between them.
type Slope struct{ Left, Right float64 }

// Cushion is how bright a surface of some slope is, as a part of its colour, in the
// light of van Wijk and van de Wetering ("Cushion treemaps", 1999): from the left,
// above and ahead, 40 of 255 from everywhere.
func Cushion(slope float64) float64 {
	const x, z = 1 / 10.246950765959598, 10 / 10.246950765959598 // of (1, 2, 10), whose length is that
	cos := (slope*x + z) / math.Sqrt(slope*slope+1)
	return (40 + 215*max(cos, 0)) / 255
}
