package ring

import (
	"fmt"
	"math"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// paint gives the sectors their names and colours and adds the legend.
func paint(s *scene.Scene, config viz.Config, nodes []cct.NodeID) error {
	s.Background = background(config.Dark)
	name(&s.Sectors, config, nodes)
	fill, err := fills(s, config, nodes)
	if err != nil {
		return err
	}
	s.Legend = groupLegend(s.Legend, config.Legend)
	sec := &s.Sectors
	sec.Fill, sec.Ink = make([]scene.Color, len(nodes)), make([]scene.Color, len(nodes))
	quiet := quietTone(config.Dark)
	for i, n := range nodes {
		switch {
		case sec.Kind[i] == scene.Mark, config.View.Method[n] == data.None:
			sec.Fill[i] = quiet
		default:
			sec.Fill[i] = fill(n)
			if g, ok := config.NodeColor(n); ok {
				sec.Fill[i] = config.Legend[g].Color
			}
		}
		sec.Ink[i] = scene.InkOn(sec.Fill[i])
	}
	return nil
}

func background(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x15, 0x15, 0x15)
	}
	return scene.RGB(0xff, 0xff, 0xff)
}

func quietTone(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x3b, 0x3b, 0x3b)
	}
	return scene.RGB(0xde, 0xde, 0xde)
}

// name collects the methods that occur.
func name(s *scene.Sectors, config viz.Config, nodes []cct.NodeID) {
	s.Name = make([]uint32, len(nodes))
	index := map[data.EntityID]uint32{}
	for i, n := range nodes {
		m := config.View.Method[n]
		if m == data.None || s.Kind[i] == scene.Mark {
			s.Name[i] = scene.NoName
			continue
		}
		at, ok := index[m]
		if !ok {
			at = uint32(len(s.Names))
			index[m] = at
			s.Names = append(s.Names, config.View.Methods.NameOf(m))
			s.ShortNames = append(s.ShortNames, config.Program.Short[m])
		}
		s.Name[i] = at
	}
}

// fills gives the colour of a node by what colours say, and sets the legend.
func fills(s *scene.Scene, config viz.Config, nodes []cct.NodeID) (func(cct.NodeID) scene.Color, error) {
	t := config.View.Tree
	switch config.Params["color"] {
	case "method":
		colors := config.Program.MethodColors(config.Dark)
		return func(n cct.NodeID) scene.Color { return colors[t.Method[n]] }, nil
	case "metric":
		by, ok := t.Metric(config.Params["by"])
		if !ok {
			return nil, fmt.Errorf("ring: parameter \"by\": there is no metric %q", config.Params["by"])
		}
		if config.Params["by"] == "" && by == config.Metric {
			by = (by + 1) % len(t.Metrics)
		}
		return density(s, config, nodes, by), nil
	default:
		colors := config.Program.PackageColors(config.Dark)
		s.Legend = packageLegend(s, config, nodes)
		return func(n cct.NodeID) scene.Color { return colors[t.Method[n]] }, nil
	}
}

// density colours by the second metric per unit of the first, on a logarithmic
// scale between the least and the most that is drawn. (Its plain total would
// say again what the size says.)
func density(s *scene.Scene, config viz.Config, nodes []cct.NodeID, by int) func(cct.NodeID) scene.Color {
	t := config.View.Tree
	of := func(n cct.NodeID) float64 {
		a, b := t.Total[config.Metric][n], t.Total[by][n]
		if a <= 0 || b <= 0 {
			return 0
		}
		return float64(b) / float64(a)
	}
	low, high := math.Inf(1), 0.0
	for i, n := range nodes {
		if d := of(n); d > 0 && s.Sectors.Kind[i] == scene.Segment {
			low, high = min(low, d), max(high, d)
		}
	}
	color := func(x float64) scene.Color { // 0 to 1
		if config.Dark {
			return scene.OKLCH(0.34+0.54*x, 0.11, 250)
		}
		return scene.OKLCH(0.92-0.52*x, 0.11, 250)
	}
	first, second := t.Metrics[config.Metric].Name, t.Metrics[by].Name
	per, factor := perUnit(string(t.Metrics[config.Metric].Unit), high)
	legend := &scene.Legend{Title: fmt.Sprintf("%s per %s%s", second, per, first)}
	for i := range 9 {
		legend.Ramp = append(legend.Ramp, color(float64(i)/8))
	}
	if high > 0 {
		unit := string(t.Metrics[by].Unit)
		legend.RampLow, legend.RampHigh = amount(low*factor, unit), amount(high*factor, unit)
	}
	s.Legend = legend
	return func(n cct.NodeID) scene.Color {
		d := of(n)
		switch {
		case d == 0:
			return quietTone(config.Dark)
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
