package ring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
	sec := &s.Sectors
	sec.Fill, sec.Ink = make([]scene.Color, len(nodes)), make([]scene.Color, len(nodes))
	quiet := quietTone(config.Dark)
	for i, n := range nodes {
		switch {
		case sec.Kind[i] == scene.Mark, config.View.Method[n] == data.None:
			sec.Fill[i] = quiet
		default:
			sec.Fill[i] = fill(n)
		}
		sec.Ink[i] = scene.InkOn(sec.Fill[i])
	}
	return nil
}

func background(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x16, 0x18, 0x1c)
	}
	return scene.RGB(0xff, 0xff, 0xff)
}

func quietTone(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x3a, 0x3e, 0x46)
	}
	return scene.RGB(0xdd, 0xde, 0xe2)
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

const legendEntries = 10

// packageLegend names the packages whose own cost takes most of the picture.
func packageLegend(s *scene.Scene, config viz.Config, nodes []cct.NodeID) *scene.Legend {
	cost := map[string]float64{}
	for i, n := range nodes {
		if m := config.View.Method[n]; m != data.None && s.Sectors.Kind[i] == scene.Segment {
			cost[config.Program.Packages[m]] += max(s.Sectors.Self[i], 0)
		}
	}
	delete(cost, "")
	names := make([]string, 0, len(cost))
	for p := range cost {
		names = append(names, p)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := cmp.Compare(cost[b], cost[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	legend := &scene.Legend{Title: "Packages with most of their own " + config.View.Metrics[config.Metric].Name + " here"}
	for _, p := range names[:min(len(names), legendEntries)] {
		legend.Entries = append(legend.Entries, scene.LegendEntry{Label: p, Color: config.Program.PackageColor(p, config.Dark)})
	}
	if len(legend.Entries) == 0 {
		return nil
	}
	return legend
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
	legend := &scene.Legend{Title: fmt.Sprintf("%s per %s", second, first)}
	for i := range 9 {
		legend.Ramp = append(legend.Ramp, color(float64(i)/8))
	}
	if high > 0 {
		legend.RampLow, legend.RampHigh = fmt.Sprintf("%.3g", low), fmt.Sprintf("%.3g", high)
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
