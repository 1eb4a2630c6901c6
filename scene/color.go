package scene

import (
	"fmt"
	"hash/fnv"
	"math"
)

// RGB makes an opaque colour.
func RGB(r, g, b uint8) Color { return Color(uint32(r)<<24 | uint32(g)<<16 | uint32(b)<<8 | 0xff) }

// RGBA8 gives the components of a colour, 8 bits each.
func (c Color) RGBA8() (r, g, b, a uint8) {
	return uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)
}

// Hex gives "#rrggbb".
func (c Color) Hex() string { return fmt.Sprintf("#%06x", uint32(c)>>8) }

// OKLCH makes a colour from perceived lightness (0 to 1), chroma (0 to about
// 0.3) and hue (degrees), so that equal steps look equal (Ottosson, "A
// perceptual color space for image processing", 2020). Chroma is lowered until
// the colour exists in sRGB: lightness and hue carry the meaning, so they stay.
func OKLCH(l, c, h float64) Color {
	for ; c > 0; c -= 0.005 {
		if r, g, b, ok := oklchToRGB(l, c, h); ok {
			return RGB(r, g, b)
		}
	}
	r, g, b, _ := oklchToRGB(l, 0, h)
	return RGB(r, g, b)
}

func oklchToRGB(l, c, h float64) (r, g, b uint8, ok bool) {
	sin, cos := math.Sincos(h * math.Pi / 180)
	a, bb := c*cos, c*sin
	l1 := l + 0.3963377774*a + 0.2158037573*bb
	m1 := l - 0.1055613458*a - 0.0638541728*bb
	s1 := l - 0.0894841775*a - 1.2914855480*bb
	l3, m3, s3 := l1*l1*l1, m1*m1*m1, s1*s1*s1
	linear := [3]float64{
		4.0767416621*l3 - 3.3077115913*m3 + 0.2309699292*s3,
		-1.2684380046*l3 + 2.6097574011*m3 - 0.3413193965*s3,
		-0.0041960863*l3 - 0.7034186147*m3 + 1.7076147010*s3,
	}
	var out [3]uint8
	ok = true
	for i, v := range linear {
		if v < -0.0005 || v > 1.0005 {
			ok = false
		}
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(v * 255))
	}
	return out[0], out[1], out[2], ok
}

// Luminance is the relative luminance of WCAG 2, 0 to 1.
func (c Color) Luminance() float64 {
	r, g, b, _ := c.RGBA8()
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// Contrast is the contrast ratio of WCAG 2, 1 to 21.
func Contrast(a, b Color) float64 {
	la, lb := a.Luminance(), b.Luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// InkOn chooses black or white for text on a colour: the one that reads better.
// The black must be this deep for one of the two to reach a contrast of 4.5 on
// any colour.
func InkOn(fill Color) Color {
	dark, light := RGB(0x04, 0x04, 0x04), RGB(0xff, 0xff, 0xff)
	if Contrast(fill, dark) >= Contrast(fill, light) {
		return dark
	}
	return light
}

// Hash gives a stable number for a name, for colours that stay the same from
// run to run.
func Hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	x := h.Sum32()
	// FNV alone leaves similar names close together.
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
