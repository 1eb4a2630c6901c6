package ring

import (
	"fmt"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// paint gives the sectors their names and colours and adds the legend.
func paint(s *scene.Scene, config viz.Config, nodes []cct.NodeID) error {
	by, err := config.SecondMetric()
	if err != nil {
		return fmt.Errorf("ring: %w", err)
	}
	sec, t := &s.Sectors, config.View.Tree
	cells := make([]viz.Cell, len(nodes))
	for i, n := range nodes {
		cells[i] = viz.Cell{Node: n, Method: t.Method[n], Mark: sec.Kind[i] == scene.Mark, Self: sec.Self[i], Total: sec.Total[i]}
		if by >= 0 {
			cells[i].Total, cells[i].Second = float64(t.Total[config.Metric][n]), float64(t.Total[by][n])
		}
	}
	p, err := config.Paint(cells)
	if err != nil {
		return fmt.Errorf("ring: %w", err)
	}
	s.Background, s.Legend = p.Background, p.Legend
	sec.Fill, sec.Ink, sec.Name, sec.Names, sec.ShortNames = p.Fill, p.Ink, p.Name, p.Names, p.ShortNames
	sec.Sides = p.Sides
	return nil
}
