package fan

import (
	"math"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
	"github.com/cambium-prof/cambium/viz"
)

// paint gives discs their names and colours, and makes the legend.
func (l *layout) paint(s *scene.Scene, by int) error {
	sec, t := &s.Sectors, l.view.Tree
	cells := make([]viz.Cell, len(l.nodes))
	for i := range l.nodes {
		n := &l.nodes[i]
		cells[i] = viz.Cell{Node: n.of, Method: t.Method[n.of], Mark: n.mark, Self: sec.Self[i], Total: sec.Total[i]}
		if by >= 0 {
			cells[i].Second = float64(t.Total[by][n.of])
		}
	}
	p, err := l.config.Paint(cells)
	if err != nil {
		return err
	}
	s.Background, s.Legend = p.Background, p.Legend
	sec.Fill, sec.Ink, sec.Name, sec.Names, sec.ShortNames = p.Fill, p.Ink, p.Name, p.Names, p.ShortNames
	sec.Sides = p.Sides
	return nil
}

// edges draws a line from every disc to its parent's, the wider the more of the
// root's total goes that way.
func (l *layout) edges(s *scene.Scene) {
	color := scene.RGB(0xb4, 0xb4, 0xb4)
	if l.config.Dark {
		color = scene.RGB(0x62, 0x62, 0x62)
	}
	whole := l.nodes[0].total
	for i := range l.nodes {
		n := &l.nodes[i]
		if n.parent < 0 {
			continue
		}
		p := &l.nodes[n.parent]
		x0, y0 := l.xy(p)
		x1, y1 := l.xy(n)
		length := math.Hypot(x1-x0, y1-y0)
		if length <= p.radius+n.radius {
			continue
		}
		dx, dy := (x1-x0)/length, (y1-y0)/length
		width := 1.0
		if whole > 0 {
			width += 3 * math.Sqrt(n.total/whole)
		}
		s.Lines.Add(x0+dx*(p.radius+0.5), y0+dy*(p.radius+0.5), x1-dx*(n.radius+0.5), y1-dy*(n.radius+0.5), width, color)
	}
}

const (
	smallText, largeText = 11.0, 15.0
	mostLabels           = 300
	labelLeast           = 2.5   // radius of the smallest disc that is named
	wideLabel            = 180.0 // pixels
	narrowLabel          = 84.0
	shortened            = 24.0 // radius of the smallest disc that has a shortened name in it if there is no room beside it
	// Pages draw text in other fonts than the one that is measured here.
	wider = 1.08
)

// label names discs, the largest first: inside where there is room, else beside
// the disc, where the name covers no disc and no other name. A disc without room
// has none.
func (l *layout) label(s *scene.Scene) {
	if len(l.nodes) == 0 {
		return
	}
	p := &placer{s: s, width: l.room.Width, height: l.room.Height}
	p.discs(&s.Sectors)
	ink := scene.RGB(0x2b, 0x2b, 0x2b)
	if l.config.Dark {
		ink = scene.RGB(0xe4, 0xe4, 0xe4)
	}
	labels := 0
	for _, i := range p.order {
		n := &l.nodes[i]
		if n.mark || s.Sectors.Name[i] == scene.NoName || n.radius < labelLeast {
			continue
		}
		if labels++; labels > mostLabels {
			break
		}
		name := text.Clean(s.Sectors.ShortNames[s.Sectors.Name[i]])
		if name == "" {
			name = text.Clean(s.Sectors.Names[s.Sectors.Name[i]])
		}
		size := math.Round(min(max(9+n.radius/6, smallText), largeText))
		if l.inside(s, i, name, l.config.ColoredLabel(s.Sectors.Total[i], s.Sectors.Sides, i), size) {
			continue
		}
		if !p.beside(i, name, size, ink) && n.radius >= shortened {
			x, y, r := s.Sectors.Disc(i)
			s.Texts = append(s.Texts, scene.Text{X: x, Y: y + smallText*0.36, Text: name, Color: s.Sectors.Ink[i], Anchor: scene.Middle,
				Size: smallText, MaxWidth: 2*r - 6, Bold: true})
		}
	}
	if l.synthetic() {
		p.beside(0, everything(l.config, s), smallText, ink)
	}
}

// everything is what is written beside the root that is no context.
func everything(config viz.Config, s *scene.Scene) string {
	if s.Sectors.Sides == nil {
		return "everything, " + config.LongLabel(s.Sectors.Total[0], nil, 0)
	}
	return "everything, " + config.Label(s.Sectors.Total[0], s.Sectors.Sides, 0)
}

// inside writes a name into its disc, and the amount below it.
func (l *layout) inside(s *scene.Scene, i int, name, amount string, size float64) bool {
	sec := &s.Sectors
	x, y, r := sec.Disc(i)
	ink := sec.Ink[i]
	if sec.Match != nil && sec.Match[i] == scene.MatchNone {
		return false // on what recedes, no ink is sure to be read
	}
	chord := func(far float64) float64 { return 2*math.Sqrt(max(r*r-far*far, 0)) - 6 }
	line := func(what string, dy float64, bold bool, width float64) {
		s.Texts = append(s.Texts, scene.Text{X: x, Y: y + dy, Text: what, Color: ink, Anchor: scene.Middle, Size: size, MaxWidth: width, Bold: bold})
	}
	if width := chord(size * 1.3); text.Bold.Measure(name, size)*wider <= width && text.Measure(amount, size)*wider <= width {
		line(name, -size*0.2, true, width)
		line(amount, size*1.05, false, width)
		return true
	}
	for ; size >= smallText-1; size-- {
		if width := chord(size * 0.7); text.Bold.Measure(name, size)*wider <= width {
			line(name, size*0.36, true, width)
			return true
		}
	}
	return false
}
