package overview

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz/plot"
)

// palette gives bars their colour: by how much later, on the average, the other
// trace's calls start than those of the bar.
type palette struct {
	most  float64       // nanoseconds at which the colour is strongest
	ramp  []scene.Color // from earlier to later
	alone scene.Color   // of calls that only one trace has
}

// rampSteps is how finely the colours are painted; it is odd, so that the middle
// one is gray.
const rampSteps = 33

// Hues of the ends, by the parameter "color".
var hues = map[string][2]float64{"green": {25, 145}, "purple": {60, 305}}

func newPalette(c *chart, sums *sums, dark bool) *palette {
	p := &palette{alone: aloneColor(dark)}
	longest := 1.0
	for _, calls := range c.pair.Calls {
		longest = math.Max(longest, float64(uint64(calls.Trace.To)-uint64(calls.Trace.From)))
	}
	// What is aligned but for a hundredth of the trace is gray, however exact
	// the rest is.
	p.most = math.Max(sums.top(func(b match.Interval) float64 { return math.Abs(mean(b)) }), longest/100)
	light, gray := 0.60, 0.68
	if dark {
		light, gray = 0.68, 0.55
	}
	ends := hues[c.config.Params["color"]]
	for i := range rampSteps {
		x := 2*float64(i)/(rampSteps-1) - 1
		hue := ends[0]
		if x > 0 {
			hue = ends[1]
		}
		p.ramp = append(p.ramp, scene.OKLCH(gray+(light-gray)*math.Abs(x), 0.19*math.Abs(x), hue))
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

// similarity is what the height of a bar says.
func similarity(b match.Interval) float64 { return b.Similarity }

// distance is eq. 4.
func distance(b match.Interval) float64 { return b.Distance.Float() }

// top gives the greatest of some values of the bars of both traces, which can
// then be compared.
func (s *sums) top(of func(match.Interval) float64) float64 {
	most := 0.0
	for _, bars := range s.bars {
		for _, b := range bars {
			most = math.Max(most, of(b))
		}
	}
	return most
}

func (p *palette) color(b match.Interval) scene.Color {
	x := math.Max(-1, math.Min(1, mean(b)/p.most))
	return p.ramp[int(math.Round((x+1)/2*(rampSteps-1)))]
}

// explain says what colours mean, and what is not to be seen.
func (p *palette) explain(s *scene.Scene, c *chart) {
	n := plot.Numbers([]float64{-p.most, p.most}, "nanoseconds")
	s.Legend = &scene.Legend{
		Title: "matches start", Ramp: p.ramp,
		RampLow: n[0], RampHigh: "+" + n[1] + " there",
	}
	if c.config.Params["calls"] == "alone" {
		s.Legend.Entries = []scene.LegendEntry{{Label: "in one trace only", Color: p.alone}}
	}
	m := c.pair.Matches
	s.Notes = append(s.Notes, fmt.Sprintf("%s matches above τ = %v", plot.Count(m.Total), m.Tau))
	if c.config.Params["distance"] == "auto" && !c.distances() {
		s.Notes = append(s.Notes, "the line of distances is left out of traces of so many calls: see Configure")
	}
}

// height is how high a value is, of the height that there is.
func (c *chart) height(d *side, v, most float64) float64 {
	if !(v > 0) || most <= 0 {
		return 0
	}
	part := v / most
	if c.config.Params["height"] == "root" {
		part = math.Sqrt(part)
	}
	return math.Max(1, part*d.bars)
}

// barHeight is how high a bar is.
func (c *chart) barHeight(d *side, sums *sums, i int) float64 {
	return c.height(d, sums.bars[d.which][i].Similarity, sums.top(similarity))
}

func (l *layout) drawBars(s *scene.Scene, c *chart, d *side, sums *sums, p *palette) {
	most := sums.top(similarity)
	for i, b := range sums.bars[d.which] {
		h := c.height(d, b.Similarity, most)
		if h == 0 {
			continue
		}
		x0, x1 := l.barAt(d, i)
		y0, y1 := d.between(0, h)
		addRect(s, x0, y0, math.Max(x1-x0-1, 1), y1-y0, p.color(b), scene.NoName, 0)
	}
	if c.distances() {
		l.drawDistances(s, c, d, sums)
	}
}

// drawDistances draws the sum of distances as a line with a step per bar.
func (l *layout) drawDistances(s *scene.Scene, c *chart, d *side, sums *sums) {
	most := sums.top(distance)
	if most == 0 {
		return
	}
	ink := plot.Faint(l.dark)
	before := d.base
	for i, b := range sums.bars[d.which] {
		x0, x1 := l.barAt(d, i)
		y := d.away(c.height(d, distance(b), most))
		if y != before {
			s.Lines.Add(x0, before, x0, y, 1, ink)
		}
		if y != d.base {
			s.Lines.Add(x0, y, x1, y, 1, ink)
		}
		before = y
	}
	if before != d.base {
		s.Lines.Add(l.x+d.w, before, l.x+d.w, d.base, 1, ink)
	}
}
