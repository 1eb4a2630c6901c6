package text

import (
	"math"

	"github.com/cambium-prof/cambium/scene"
)

// CanDrawTube tells whether tube i has points, all with finite numbers.
func CanDrawTube(t *scene.Tubes, i int) bool {
	first, end := t.First[i], t.First[i+1]
	if end < first+2 || t.Fill[i]&0xff == 0 {
		return false
	}
	for k := first; k < end; k++ {
		if !near(float64(t.X[k]), float64(t.Y[k]), float64(t.W[k])) {
			return false
		}
	}
	return true
}

// Widest is how wide a tube gets.
func Widest(t *scene.Tubes, i int) (widest float64) {
	for _, w := range t.W[t.First[i]:t.First[i+1]] {
		widest = max(widest, float64(w))
	}
	return widest
}

// TubeLine is the colour of a tube where it is a line, or narrower than one.
func TubeLine(t *scene.Tubes, i int) scene.Color {
	if Widest(t, i) == 0 {
		return t.Fill[i]
	}
	return t.Shade(i, 0.6)
}

// CushionAt is the colour of rectangle i at a part of its width, 0 to 1.
func CushionAt(r *scene.Rects, i int, part float64) scene.Color {
	s := r.Slope[i]
	light := scene.Cushion(s.Left + min(max(part, 0), 1)*(s.Right-s.Left))
	red, green, blue, alpha := r.Fill[i].RGBA8()
	mix := func(v uint8) scene.Color { return scene.Color(math.Round(float64(v) * light)) }
	return mix(red)<<24 | mix(green)<<16 | mix(blue)<<8 | scene.Color(alpha)
}
