package viz

import (
	"fmt"
	"math"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// How charts of trees are coloured: all of them alike, so that what looks the
// same is the same.

// ColorParameters are the settings of [Config.Paint], for the definition of a
// chart; what is the name of its shapes: "segment".
func ColorParameters(what string) []Parameter {
	return append([]Parameter{
		{Name: "color", Title: "Colour", Type: Choice, Default: "package", Compared: "change",
			Description: "what the colour of a " + what + " says",
			Choices: []Option{
				{Value: "change", Title: "By change", Description: "how the context changed: blue is less, orange is more", OnlyCompared: true},
				{Value: "package", Title: "By package", Description: "close in the program, close in hue"},
				{Value: "method", Title: "By method", Description: "each method has its own hue, the same in every run"},
				{Value: "metric", Title: "By second metric", Description: "darker (on dark: lighter) where the context's total of another metric is more per unit of the first"},
			}},
		{Name: "by", Title: "Second metric", Type: Metric, With: "color=metric", Description: "the metric that colours"},
	}, ChangeParameters("color=change")...)
}

// Cell is what [Config.Paint] must know of a shape.
type Cell struct {
	Node                cct.NodeID    // whose colour group it has
	Method              data.EntityID // data.None for a synthetic root
	Mark                bool          // it stands for what is under a pixel
	Group               bool          // it stands for several contexts; Node is one of them
	Self, Total, Second float64       // amounts; Second is of the metric that [Config.SecondMetric] gives
	SelfSecond          float64       // of a group, the same metric's part of Self; NaN if the group has none
}

// Paint is what shapes look like: a row of each column per cell.
type Paint struct {
	Background scene.Color
	Fill, Ink  []scene.Color
	Name       []uint32 // index into Names and ShortNames, or scene.NoName
	Names      []string
	ShortNames []string
	Legend     *scene.Legend
	Sides      *scene.Sides // nil unless two profiles are compared
}

// SecondMetric is the metric that colours, or -1 if none does. In a comparison
// it is that of a side, unless somebody chose another.
func (c Config) SecondMetric() (int, error) {
	if c.Params["color"] != "metric" {
		return c.sideMetric(), nil
	}
	by, ok := c.View.Metric(c.Params["by"])
	if !ok {
		return -1, fmt.Errorf("parameter \"by\": there is no metric %q", c.Params["by"])
	}
	if c.Params["by"] == "" && by == c.Metric {
		by = (by + 1) % len(c.View.Metrics)
	}
	return by, nil
}

// Paint gives cells their names and colours, by the chart's [ColorParameters]
// and the colour groups, and makes the legend.
func (c Config) Paint(cells []Cell) (*Paint, error) {
	p := &Paint{Background: Background(c.Dark)}
	p.name(c, cells)
	p.Sides = c.sides(cells)
	fill, err := c.fills(p, cells)
	if err != nil {
		return nil, err
	}
	p.Legend = GroupLegend(p.Legend, c.Legend)
	p.Fill, p.Ink = make([]scene.Color, len(cells)), make([]scene.Color, len(cells))
	quiet := Quiet(c.Dark)
	for i := range cells {
		cell := &cells[i]
		switch {
		case cell.Mark, cell.Method == data.None:
			p.Fill[i] = quiet
		default:
			p.Fill[i] = fill(i)
			if g, ok := c.NodeColor(cell.Node); ok {
				p.Fill[i] = c.Legend[g].Color
			}
		}
		p.Ink[i] = scene.InkOn(p.Fill[i])
	}
	return p, nil
}

// Background is the page's own.
func Background(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x15, 0x15, 0x15)
	}
	return scene.RGB(0xff, 0xff, 0xff)
}

// Quiet is the colour of what has no method, and of marks.
func Quiet(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x3b, 0x3b, 0x3b)
	}
	return scene.RGB(0xde, 0xde, 0xde)
}

// name collects the methods that occur.
func (p *Paint) name(c Config, cells []Cell) {
	p.Name = make([]uint32, len(cells))
	index := map[data.EntityID]uint32{}
	for i := range cells {
		m := cells[i].Method
		if m == data.None || cells[i].Mark {
			p.Name[i] = scene.NoName
			continue
		}
		at, ok := index[m]
		if !ok {
			at = uint32(len(p.Names))
			index[m] = at
			p.Names = append(p.Names, c.View.Methods.NameOf(m))
			p.ShortNames = append(p.ShortNames, c.Program.Short[m])
		}
		p.Name[i] = at
	}
}

// fills gives the colour of a cell by what colours say, and sets the legend.
func (c Config) fills(p *Paint, cells []Cell) (func(i int) scene.Color, error) {
	switch c.Params["color"] {
	case "change":
		return c.changes(p), nil
	case "method":
		colors := c.Program.MethodColors(c.Dark)
		return func(i int) scene.Color { return colors[cells[i].Method] }, nil
	case "metric":
		by, err := c.SecondMetric()
		if err != nil {
			return nil, err
		}
		return c.density(p, cells, by), nil
	default:
		colors := c.Program.PackageColors(c.Dark)
		p.Legend = packageLegend(c, cells)
		return func(i int) scene.Color { return colors[cells[i].Method] }, nil
	}
}

// density colours by the second metric per unit of the first, on a logarithmic
// scale between the least and the most that is drawn. (Its plain total would
// say again what the size says.)
func (c Config) density(p *Paint, cells []Cell, by int) func(i int) scene.Color {
	t := c.View.Tree
	of := func(cell *Cell) float64 {
		if cell.Total <= 0 || cell.Second <= 0 {
			return 0
		}
		return cell.Second / cell.Total
	}
	low, high := math.Inf(1), 0.0
	for i := range cells {
		if d := of(&cells[i]); d > 0 && !cells[i].Mark {
			low, high = min(low, d), max(high, d)
		}
	}
	color := func(x float64) scene.Color { // 0 to 1
		if c.Dark {
			return scene.OKLCH(0.34+0.54*x, 0.11, 250)
		}
		return scene.OKLCH(0.92-0.52*x, 0.11, 250)
	}
	first, second := t.Metrics[c.Metric].Name, t.Metrics[by].Name
	per, factor := perUnit(string(t.Metrics[c.Metric].Unit), high)
	legend := &scene.Legend{Title: fmt.Sprintf("%s per %s%s", second, per, first)}
	for i := range 9 {
		legend.Ramp = append(legend.Ramp, color(float64(i)/8))
	}
	if high > 0 {
		unit := string(t.Metrics[by].Unit)
		legend.RampLow, legend.RampHigh = Amount(low*factor, unit), Amount(high*factor, unit)
	}
	p.Legend = legend
	return func(i int) scene.Color {
		d := of(&cells[i])
		switch {
		case d == 0:
			return Quiet(c.Dark)
		case high <= low:
			return color(0.5)
		}
		return color(math.Log(d/low) / math.Log(high/low))
	}
}

// perUnit says of what a density is told, in words, and what one of the first
// metric's unit makes of that: nobody knows what a quarter of a sample per
// million nanoseconds is.
func perUnit(unit string, most float64) (words string, factor float64) {
	unit = strings.ToLower(unit)
	if ns, ok := nanoseconds[unit]; ok {
		return "second of ", 1e9 / ns
	}
	if one, ok := octets[unit]; ok {
		return "MiB of ", (1 << 20) / one
	}
	switch {
	case most <= 0 || most >= 0.1:
		return "", 1
	case most >= 1e-4:
		return "thousand ", 1e3
	}
	return "million ", 1e6
}
