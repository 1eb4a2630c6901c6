package overview

import (
	"math"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// palette gives bars their colour: by how much later, on the average, the other
// trace's calls start than those of the bar.
type palette struct {
	most               float64 // the time at which the colour is strongest
	past, future, none scene.Color
	ramp               []scene.Color
}

// rampSteps is how finely the colours are painted; it is odd, so that the middle
// one is gray.
const rampSteps = 33

func newPalette(name string, bars [2][]match.Interval, pair *viz.Pair, dark bool) *palette {
	p := &palette{}
	longest := 1.0
	for _, c := range pair.Calls {
		longest = math.Max(longest, float64(uint64(c.Trace.To)-uint64(c.Trace.From)))
	}
	// What is aligned but for a hundredth of the trace is gray, however exact
	// the rest is.
	p.most = math.Max(top(bars, func(b match.Interval) float64 { return math.Abs(mean(b)) }), longest/100)
	past, future := 25.0, 145.0
	if name == "purple" {
		past, future = 60, 305
	}
	light, gray := 0.60, 0.68
	if dark {
		light, gray = 0.68, 0.55
	}
	for i := range rampSteps {
		x := 2*float64(i)/(rampSteps-1) - 1
		hue := past
		if x > 0 {
			hue = future
		}
		a := math.Abs(x)
		p.ramp = append(p.ramp, scene.OKLCH(gray+(light-gray)*a, 0.19*a, hue))
	}
	return p
}

// mean is how much later the matches of a bar start in the other trace.
func mean(b match.Interval) float64 {
	if b.Matches == 0 {
		return 0
	}
	return b.Offset.Float() / float64(b.Matches)
}

func (p *palette) color(b match.Interval) scene.Color {
	x := math.Max(-1, math.Min(1, mean(b)/p.most))
	return p.ramp[int(math.Round((x+1)/2*(rampSteps-1)))]
}

func (p *palette) legend() *scene.Legend {
	n := plot.Numbers([]float64{-p.most, p.most}, "nanoseconds")
	return &scene.Legend{
		Title: "matches lie in the other trace", Ramp: p.ramp,
		RampLow: "earlier, " + n[0], RampHigh: "later, +" + n[1],
	}
}

// height is how high a sum is, of the height that there is.
func (c *chart) height(v, most float64) float64 {
	if most <= 0 {
		return 0
	}
	if c.config.Params["height"] == "root" {
		return math.Sqrt(v / most)
	}
	return v / most
}

func (l *layout) drawBars(s *scene.Scene, c *chart, which match.Side, bars [2][]match.Interval, p *palette) {
	d := &l.sides[which]
	most := top(bars, func(b match.Interval) float64 { return b.Similarity })
	for i, b := range bars[which] {
		if b.Matches == 0 {
			continue
		}
		x0, x1 := l.barAt(d, i)
		h := math.Max(1, c.height(b.Similarity, most)*d.bars)
		y := d.base - h
		if which == match.B {
			y = d.base
		}
		s.Rects.Add(x0, y, math.Max(x1-x0-1, 1), h, p.color(b), scene.NoName)
		s.Rects.Count = append(s.Rects.Count, 0)
	}
}

// barAt is from where to where a bar is.
func (l *layout) barAt(d *side, i int) (x0, x1 float64) {
	return l.x + float64(i)/float64(l.n)*d.w, l.x + float64(i+1)/float64(l.n)*d.w
}
