package scene

import (
	"math"
	"testing"
)

// TestShade: a tube has its own colour in the middle, is darker towards its borders
// on both sides alike, and a highlight makes the middle white.
func TestShade(t *testing.T) {
	tubes := &Tubes{Fill: []Color{RGB(200, 100, 40), RGB(200, 100, 40)}, Shine: []float64{0, 1}}
	if c := tubes.Shade(0, 0); c != tubes.Fill[0] {
		t.Errorf("the middle is %s", c.Hex())
	}
	if c := tubes.Shade(1, 0); c != RGB(255, 255, 255) {
		t.Errorf("the middle of one that shines is %s", c.Hex())
	}
	last := math.Inf(1)
	for off := 0.0; off <= 1; off += 0.1 {
		c := tubes.Shade(0, off)
		if c.Luminance() > last || c != tubes.Shade(0, -off) {
			t.Errorf("at %g: %s, on the other side %s", off, c.Hex(), tubes.Shade(0, -off).Hex())
		}
		last = c.Luminance()
	}
	if c := tubes.Shade(0, 1); c != RGB(100, 50, 20) { // half as bright, as tubeBorder says
		t.Errorf("the border is %s", c.Hex())
	}
	if c := tubes.Shade(1, 1); c != tubes.Shade(0, 1) {
		t.Errorf("a highlight reaches the border: %s", c.Hex())
	}
}

// TestCushion compares with the formula of van Wijk and van de Wetering for a
// surface that is level from front to back.
func TestCushion(t *testing.T) {
	length := math.Sqrt(1 + 4 + 100)
	for _, slope := range []float64{-3, -1, -0.2, 0, 0.1, 0.5, 2} {
		// The normal of a surface that rises to the right is (-slope, 0, 1); the light
		// comes from the left.
		cos := (-slope*-1 + 10) / length / math.Sqrt(slope*slope+1)
		if got, want := Cushion(slope), (40+215*math.Max(cos, 0))/255; math.Abs(got-want) > 1e-12 {
			t.Errorf("slope %g: %g, want %g", slope, got, want)
		}
	}
	if Cushion(1) <= Cushion(-1) {
		t.Error("what faces the light is darker")
	}
}
