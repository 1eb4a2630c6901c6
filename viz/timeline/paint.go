package timeline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// painter gives calls their colours and names.
type painter struct {
	config viz.Config
	f      viz.Frame
	by     string
	colors []scene.Color // by method; nil for "self"
	heat   []scene.Color // for "self"
	quiet  scene.Color   // of what is too small, and of what has no method

	packages map[string]int64 // package -> the time of its own that was drawn
	whole    int64
}

func newPainter(config viz.Config, f viz.Frame) *painter {
	p := &painter{config: config, f: f, by: config.Params["color"], packages: map[string]int64{}}
	p.quiet = scene.RGB(0xb4, 0xb4, 0xb4)
	if f.Dark {
		p.quiet = scene.RGB(0x5c, 0x5c, 0x5c)
	}
	switch p.by {
	case "method":
		p.colors = config.Program.MethodColors(f.Dark)
	case "self":
		p.heat = plot.NewHeat(1, 2, true, f.Dark).Ramp()
	default:
		p.colors = config.Program.PackageColors(f.Dark)
	}
	return p
}

func (p *painter) color(c trace.CallID) scene.Color {
	if groups := p.config.Calls.Groups; groups != nil {
		if g, shown := plot.GroupOf(p.f, int(groups[c])); shown {
			return g.Color
		}
	}
	t := p.config.Calls.Trace
	if p.heat != nil {
		part := 0.0
		if d := t.Duration(c); d > 0 {
			part = float64(t.Self[c]) / float64(d)
		}
		return p.heat[int(part*float64(len(p.heat)-1))]
	}
	m := t.Method[c]
	if int(m) >= len(p.colors) {
		return p.quiet
	}
	p.packages[p.config.Program.Packages[m]] += t.Self[c]
	p.whole += t.Self[c]
	return p.colors[m]
}

// name is the method's short name, on one line.
func (p *painter) name(c trace.CallID) string {
	m := p.config.Calls.Trace.Method[c]
	name := ""
	if int(m) < len(p.config.Program.Short) {
		name = p.config.Program.Short[m]
	} else if m != data.None {
		name = p.config.Calls.Trace.Name(c)
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, name)
}

// fewPackages is how many packages a legend lists.
const fewPackages = 8

// legend says what colours mean, unless it lists colour groups already.
func (p *painter) legend(s *scene.Scene) {
	switch {
	case s.Legend != nil:
	case p.by == "self":
		s.Legend = &scene.Legend{Title: "own time", Ramp: p.heat, RampLow: "0 %", RampHigh: "100 %"}
	case p.by == "package":
		names := slices.SortedFunc(maps.Keys(p.packages), func(a, b string) int {
			return cmp.Or(cmp.Compare(p.packages[b], p.packages[a]), cmp.Compare(a, b))
		})
		l := &scene.Legend{Title: "Packages"}
		for _, name := range names {
			if name != "" && len(l.Entries) < fewPackages {
				l.Entries = append(l.Entries, scene.LegendEntry{Label: name, Color: p.config.Program.PackageColor(name, p.f.Dark), Share: float64(p.packages[name]) / float64(max(p.whole, 1))})
			}
		}
		if len(l.Entries) > 0 {
			s.Legend = l
		}
	}
}
