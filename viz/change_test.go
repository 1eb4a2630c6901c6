package viz

import (
	"math"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

func TestChangeRelative(t *testing.T) {
	for _, c := range []struct {
		from, to, want float64
		text           string
	}{
		{0, 0, 0, "the same"}, {5, 5, 0, "the same"}, {0, 5, 1, "new"}, {5, 0, -1, "gone"}, {1, 2, 0.5, "+100\u00a0%"}, {2, 1, -0.5, "-50\u00a0%"},
		{100, 101, 1.0 / 101, "+1.0\u00a0%"}, {-1, 3, 1, ""}, {3, -1, -1, "-133\u00a0%"},
	} {
		v := Change{c.from, c.to}
		if got := v.Relative(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("from %g to %g is %g, not %g", c.from, c.to, got, c.want)
		}
		if got := v.Text(); got != c.text {
			t.Errorf("from %g to %g is %q, not %q", c.from, c.to, got, c.text)
		}
	}
}

// How eyes without one kind of cones see linear RGB (Machado, Oliveira,
// Fernandes, "A physiologically-based model for simulation of color vision
// deficiency", 2009, severity 1.0).
var blindness = map[string][3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
}

// oklab gives the place of a colour in a space in which distances are about as
// large as they look, as somebody with a kind of vision sees it.
func oklab(c scene.Color, m [3][3]float64) [3]float64 {
	r, g, b, _ := c.RGBA8()
	var linear [3]float64
	for i, v := range []uint8{r, g, b} {
		x := float64(v) / 255
		if x <= 0.04045 {
			linear[i] = x / 12.92
		} else {
			linear[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	var seen [3]float64
	for i, row := range m {
		for k, v := range row {
			seen[i] += v * linear[k]
		}
		seen[i] = min(max(seen[i], 0), 1)
	}
	l := math.Cbrt(0.4122214708*seen[0] + 0.5363325363*seen[1] + 0.0514459929*seen[2])
	a := math.Cbrt(0.2119034982*seen[0] + 0.6806995451*seen[1] + 0.1073969566*seen[2])
	s := math.Cbrt(0.0883024619*seen[0] + 0.2817188376*seen[1] + 0.6299787005*seen[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*a - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*a + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*a - 0.8086757660*s,
	}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// Less, more and neither can be told apart with any kind of colour vision, also
// where they are half as strong; and names can be read on all of them.
func TestChangeColorsForAllEyes(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for kind, m := range blindness {
			for _, size := range []float64{0.5, 1} {
				less, none, more := oklab(ChangeColor(-size, dark), m), oklab(ChangeColor(0, dark), m), oklab(ChangeColor(size, dark), m)
				for name, d := range map[string]float64{"less and more": distance(less, more), "less and neither": distance(less, none), "more and neither": distance(more, none)} {
					if d < 0.08 { // what can just be told apart side by side is about 0.02
						t.Errorf("dark %v, %s, %g: %s are only %.3f apart", dark, kind, size, name, d)
					}
				}
			}
		}
		if a, b := oklab(ChangeColor(-1, dark), blindness["none"]), oklab(ChangeColor(1, dark), blindness["none"]); math.Abs(a[0]-b[0]) > 0.01 {
			t.Errorf("dark %v: one end is lighter: %.3f and %.3f", dark, a[0], b[0])
		}
		for x := -1.0; x <= 1; x += 0.05 {
			c := ChangeColor(x, dark)
			if got := scene.Contrast(c, scene.InkOn(c)); got < 4.5 {
				t.Errorf("dark %v: a name on %s (%g) has a contrast of %.2f", dark, c.Hex(), x, got)
			}
		}
		if ChangeColor(0, dark) == Quiet(dark) {
			t.Errorf("dark %v: what did not change looks as marks do", dark)
		}
	}
}
