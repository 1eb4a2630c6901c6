package matches

import "math"

type point struct{ x, y float64 }

// straighten moves the points of a route towards the straight line between its
// ends: not at all with a strength of 1, onto it with 0 (Holten 2006, section 4.3).
func straighten(points []point, strength float64) {
	if strength >= 1 {
		return
	}
	last := len(points) - 1
	a, b := points[0], points[last]
	for i := 1; i < last; i++ {
		part := float64(i) / float64(last)
		points[i].x = strength*points[i].x + (1-strength)*(a.x+part*(b.x-a.x))
		points[i].y = strength*points[i].y + (1-strength)*(a.y+part*(b.y-a.y))
	}
}

// Curves are sampled at so many points, more if they are longer.
const (
	fewSamples, mostSamples = 50, 100
	sampleStep              = 10 // the number is a multiple of it
	perSample               = 12 // pixels of the route
)

func samplesFor(points []point) int {
	length := 0.0
	for i := 1; i < len(points); i++ {
		dx, dy := points[i].x-points[i-1].x, points[i].y-points[i-1].y
		length += math.Sqrt(dx*dx + dy*dy)
	}
	n := int(length/perSample/sampleStep) * sampleStep
	return min(max(n, fewSamples), mostSamples)
}

// weight is how a sample is made of four points next to each other.
type weight struct {
	first int
	by    [4]float64
}

// splines are the weights of cubic B-splines, by number of points and of samples:
// they do not depend on where the points are.
type splines map[[2]int][]weight

// of gives the weights of a curve of at least four points that begins at the first
// of them and ends at the last one: each of both counts three times. The curve stays within the hull of
// its points, and is straight if they are on a line.
func (s splines) of(points, samples int) []weight {
	key := [2]int{points, samples}
	if w, ok := s[key]; ok {
		return w
	}
	all := make([]weight, samples)
	segments := points + 1
	for i := range all {
		at := float64(i) / float64(samples-1) * float64(segments)
		segment := min(int(at), segments-1)
		u := at - float64(segment)
		v := 1 - u
		by := [4]float64{v * v * v / 6, (3*u*u*u - 6*u*u + 4) / 6, (3*v*v*v - 6*v*v + 4) / 6, u * u * u / 6}
		// Points before the first one, and behind the last, are these: what they
		// weigh is put together.
		first := min(max(segment-2, 0), points-4)
		w := weight{first: first}
		for k, b := range by {
			w.by[min(max(segment-2+k, 0), points-1)-first] += b
		}
		all[i] = w
	}
	s[key] = all
	return all
}

// phi is how much of its width a tube has on the way (eq. 5): all of it at both
// ends, and lambda of it in the middle.
func phi(t, lambda float64) float64 { return lambda + (1-lambda)/2*(1+math.Cos(2*math.Pi*t)) }

// width is how wide a tube is on the way from a call that is wf wide to one that is
// wg wide. Its borders are half of that to either side of the curve:
//
//	γL = γ - φ(t)·((1-t)·wf/2 + t·wg/2)        γR = γ + φ(t)·((1-t)·wf/2 + t·wg/2)
//
// The paper prints a minus before t·wg/2. Then the left border ends at γ + wg/2,
// which is the right edge of the call, and the tube is twisted.
func width(t, lambda, wf, wg float64) float64 { return phi(t, lambda) * ((1-t)*wf + t*wg) }
