package viz

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/scene"
)

// How charts of trees show a comparison of two profiles: what each shape was on
// either side, and the colour of its change.
//
// A colour says the change as a part of the larger of both amounts, from -1,
// which is gone, over nothing to 1, which is new. So doubling is as far from
// nothing as halving. What changed by next to nothing of the whole is gray,
// however large a part of itself that is: one sample more or less says nothing.

// Names of parameters: for which of its amounts' change something is coloured,
// and for what next to nothing is.
const (
	changeOf    = "of"
	leastChange = "least"
)

// changeOfSelf is the value of changeOf that is not the default.
const changeOfSelf = "self"

// ChangeParameters are the settings of how changes are coloured. with is as of
// [Parameter].
func ChangeParameters(with string) []Parameter {
	return []Parameter{
		{Name: changeOf, Title: "Change of", Type: Choice, Default: "total", With: with, OnlyCompared: true,
			Description: "which change the colour says",
			Choices: []Option{
				{Value: "total", Title: "Total", Description: "what it cost with all that it calls"},
				{Value: changeOfSelf, Title: "Self", Description: "what it cost itself, without what it calls"},
			}},
		{Name: leastChange, Title: "Least change", Type: Number, Default: "0.5", Min: 0, Max: 100, With: with, OnlyCompared: true,
			Description: "what changed by less than this percentage of the larger of both totals is gray"},
	}
}

// Change is what something was on either side: amounts, or shares of the whole.
type Change struct{ From, To float64 }

// Difference is how much more it became.
func (c Change) Difference() float64 { return c.To - c.From }

// Relative is the difference as a part of the larger amount: -1 of what is gone,
// 1 of what is new.
func (c Change) Relative() float64 {
	larger := max(math.Abs(c.From), math.Abs(c.To))
	if larger == 0 {
		return 0
	}
	return min(max(c.Difference()/larger, -1), 1)
}

// comparing is how a chart compares: by the metric that it shows.
type comparing struct {
	ComparedMetric
	normalised bool
	swapped    bool
	whole      [2]float64 // from, to
}

// comparing says how the chart compares; ok is false if it does not, or has a
// metric that only one side has.
func (c Config) comparing() (q comparing, ok bool) {
	if c.Difference == nil {
		return q, false
	}
	m, normalised, ok := c.Difference.Compared(c.Metric)
	q = comparing{ComparedMetric: m, normalised: normalised, swapped: c.Swapped}
	q.whole = [2]float64{float64(m.Whole[0]), float64(m.Whole[1])}
	if normalised {
		q.whole = [2]float64{min(q.whole[0], 1), min(q.whole[1], 1)}
	}
	if c.Swapped {
		q.whole[0], q.whole[1] = q.whole[1], q.whole[0]
	}
	return q, ok
}

// of makes a change of amounts in A and in B.
func (q *comparing) of(a, b float64) Change {
	if q.normalised {
		a, b = a/max(float64(q.Whole[0]), 1), b/max(float64(q.Whole[1]), 1)
	}
	if q.swapped {
		a, b = b, a
	}
	return Change{a, b}
}

func (q *comparing) self(t *cct.Tree, n cct.NodeID) Change {
	return q.of(float64(t.Self[q.Side[0]][n]), float64(t.Self[q.Side[1]][n]))
}

func (q *comparing) total(t *cct.Tree, n cct.NodeID) Change {
	return q.of(float64(t.Total[q.Side[0]][n]), float64(t.Total[q.Side[1]][n]))
}

// sideMetric is the metric that tells, together with that of the sizes, what
// something was on both sides.
func (c Config) sideMetric() int {
	if q, ok := c.comparing(); ok {
		return q.Side[1]
	}
	return -1
}

// unknown is the change of what has none, or none that is known.
var unknown = Change{math.NaN(), math.NaN()}

// group is the change of what stands for several contexts, by its amounts of the
// chart's metric and of sideMetric. Groups by one side have nothing of contexts
// that only the other side has, so that their change is not known.
func (q *comparing) group(metric int, total, second float64) Change {
	switch metric {
	case q.Both:
		return q.of(total-second, second)
	case q.Normalised:
		b := second / max(float64(q.Whole[1]), 1)
		a := total/sharesOfWhole - b
		if a < 100.0/sharesOfWhole {
			a = 0 // shares of contexts are rounded to one of these parts
		}
		if q.swapped {
			a, b = b, a
		}
		return Change{a, b}
	}
	return unknown
}

// sides tells what cells were on either side.
func (c Config) sides(cells []Cell) *scene.Sides {
	q, ok := c.comparing()
	if !ok {
		return nil
	}
	s := &scene.Sides{Whole: q.whole, Titles: c.Difference.Titles, Share: q.normalised}
	if c.Swapped {
		s.Titles[0], s.Titles[1] = s.Titles[1], s.Titles[0]
	}
	for side := range 2 {
		s.Self[side], s.Total[side] = make([]float64, len(cells)), make([]float64, len(cells))
	}
	put := func(into *[2][]float64, i int, v Change) { into[0][i], into[1][i] = v.From, v.To }
	byMetric := c.Params["color"] == "metric"
	for i := range cells {
		cell := &cells[i]
		self, total := unknown, unknown
		switch {
		case cell.Mark, cell.Group && byMetric:
		case cell.Group:
			total = q.group(c.Metric, cell.Total, cell.Second)
			if !math.IsNaN(cell.SelfSecond) {
				self = q.group(c.Metric, cell.Self, cell.SelfSecond)
			}
		default:
			self, total = q.self(c.View.Tree, cell.Node), q.total(c.View.Tree, cell.Node)
		}
		put(&s.Self, i, self)
		put(&s.Total, i, total)
	}
	return s
}

// changes colours by the change of the total or of self, and sets the legend.
func (c Config) changes(p *Paint) func(i int) scene.Color {
	color := c.ChangeColor()
	if p.Sides == nil {
		c.noLegend(p)
		return func(int) scene.Color { return Quiet(c.Dark) }
	}
	p.Legend = c.changeLegend()
	return func(i int) scene.Color { return color(c.coloured(p.Sides, i)) }
}

// coloured is the change of a shape that its colour says. What stands for callers
// has nothing of its own: in a bottom-up tree, all of it is another method's self.
func (c Config) coloured(s *scene.Sides, i int) Change {
	if self := (Change{s.Self[0][i], s.Self[1][i]}); c.bySelf() && !math.IsNaN(self.From) {
		return self
	}
	return Change{s.Total[0][i], s.Total[1][i]}
}

// bySelf tells whether colours say the change of self.
func (c Config) bySelf() bool { return c.Params[changeOf] == changeOfSelf }

// noLegend says why nothing is coloured.
func (c Config) noLegend(p *Paint) {
	p.Legend = &scene.Legend{Title: "There is nothing to compare " + c.View.Metrics[c.Metric].Name + " with"}
}

// changeSteps are how many colours a legend shows.
const changeSteps = 9

func (c Config) changeLegend() *scene.Legend {
	q, _ := c.comparing()
	from, to := "A", "B"
	if c.Swapped {
		from, to = to, from
	}
	least, larger := c.least(), max(q.whole[0], q.whole[1])
	what := q.Name
	if c.bySelf() {
		what = "self " + what
	}
	l := &scene.Legend{
		Title:   fmt.Sprintf("Change of %s, %s to %s", what, from, to),
		RampLow: "gone", RampHigh: "new",
	}
	little := fmt.Sprintf("under %g %% of all", least)
	if q.normalised {
		l.Title = fmt.Sprintf("Change of the share of %s, %s to %s", what, from, to)
	} else {
		little += " (" + c.Amount(least/100*larger) + ")"
	}
	l.Entries = []scene.LegendEntry{{Label: little, Color: ChangeColor(0, c.Dark)}}
	for i := range changeSteps {
		l.Ramp = append(l.Ramp, ChangeColor(2*float64(i)/(changeSteps-1)-1, c.Dark))
	}
	return l
}

// least is the parameter for what next to nothing is, in percent.
func (c Config) least() float64 {
	least, err := strconv.ParseFloat(c.Params[leastChange], 64)
	if err != nil {
		return 0 // parameters are checked
	}
	return least
}

// ChangeColor gives the colour of changes in this chart.
func (c Config) ChangeColor() func(Change) scene.Color {
	q, _ := c.comparing()
	limit := c.least() / 100 * max(q.whole[0], q.whole[1])
	return func(v Change) scene.Color {
		size := math.Abs(v.Difference())
		if size == 0 || size < limit || math.IsNaN(size) {
			return ChangeColor(0, c.Dark)
		}
		return ChangeColor(v.Relative(), c.Dark)
	}
}

// ChangeColor is the colour of a relative change from -1 to 1: blue over gray to
// orange, which eyes that cannot tell red from green can tell apart. Both ends
// are equally far from the gray in the middle, which is not the gray of marks.
func ChangeColor(x float64, dark bool) scene.Color {
	hue := 55.0 // orange
	if x < 0 {
		hue = 255
	}
	size := math.Abs(x)
	// Small changes are seen, too: half of the chroma belongs to a fifth of the scale.
	chroma := 0.145 * math.Pow(size, 0.6)
	if dark {
		return scene.OKLCH(0.45+0.27*size, chroma, hue)
	}
	return scene.OKLCH(0.85-0.22*size, chroma, hue)
}

// Amount writes an amount of the chart's metric, or a share of the whole if that
// is what it compares.
func (c Config) Amount(x float64) string {
	q, ok := c.comparing()
	switch {
	case ok && q.normalised:
		return strconv.FormatFloat(100*x, 'f', 2, 64) + space + "%"
	case ok:
		return Amount(x, string(q.Unit))
	}
	return Amount(x, string(c.View.Metrics[c.Metric].Unit))
}

// Text writes a change as a part of what was: +20 %, new, gone.
func (v Change) Text() string {
	switch {
	case v.From == v.To:
		return "the same"
	case v.From == 0:
		return "new"
	case v.To == 0:
		return "gone"
	case v.From < 0:
		return ""
	}
	percent := 100 * v.Difference() / v.From
	digits := 0
	if math.Abs(percent) < 9.95 {
		digits = 1
	}
	text := strconv.FormatFloat(percent, 'f', digits, 64) + space + "%"
	if percent > 0 {
		text = "+" + text
	}
	return text
}

// Label writes what a shape amounts to in a few letters: its total, or how that
// changed.
func (c Config) Label(total float64, sides *scene.Sides, i int) string {
	if sides == nil {
		return c.Amount(total)
	}
	return Change{sides.Total[0][i], sides.Total[1][i]}.Text()
}

// ColoredLabel is Label with the change that the shape's colour says.
func (c Config) ColoredLabel(total float64, sides *scene.Sides, i int) string {
	if sides == nil {
		return c.Amount(total)
	}
	return c.coloured(sides, i).Text()
}

// LongLabel is Label where there is room for both sides.
func (c Config) LongLabel(total float64, sides *scene.Sides, i int) string {
	metric := c.View.Metrics[c.Metric].Name
	if sides == nil {
		return c.Amount(total) + " of " + metric
	}
	q, _ := c.comparing()
	v := Change{sides.Total[0][i], sides.Total[1][i]}
	return fmt.Sprintf("%s → %s of %s, %s", c.Amount(v.From), c.Amount(v.To), q.Name, v.Text())
}

// SignedAmount is Amount with a sign for what grew.
func (c Config) SignedAmount(x float64) string {
	if x > 0 {
		return "+" + c.Amount(x)
	}
	return c.Amount(x)
}

// TotalChange is the change of a node's total; ok is false where nothing is
// compared.
func (c Config) TotalChange(n cct.NodeID) (v Change, ok bool) {
	q, ok := c.comparing()
	if !ok {
		return v, false
	}
	return q.total(c.View.Tree, n), true
}

// SelfChange is the change of a node's own amount.
func (c Config) SelfChange(n cct.NodeID) (v Change, ok bool) {
	q, ok := c.comparing()
	if !ok {
		return v, false
	}
	return q.self(c.View.Tree, n), true
}

// ColoredChange is the one of both that colours say.
func (c Config) ColoredChange(n cct.NodeID) (v Change, ok bool) {
	if c.bySelf() {
		return c.SelfChange(n)
	}
	return c.TotalChange(n)
}

// Growth gives how much more nodes became, in total or in themselves; nil where
// nothing is compared.
func (c Config) Growth(self bool) func(cct.NodeID) float64 {
	q, ok := c.comparing()
	switch {
	case !ok:
		return nil
	case self:
		return func(n cct.NodeID) float64 { return q.self(c.View.Tree, n).Difference() }
	}
	return func(n cct.NodeID) float64 { return q.total(c.View.Tree, n).Difference() }
}

// SideNames are the letters of the sides, in the order that they are looked at.
func (c Config) SideNames() (from, to string, ok bool) {
	if _, ok = c.comparing(); !ok {
		return "", "", false
	}
	if c.Swapped {
		return "B", "A", true
	}
	return "A", "B", true
}
