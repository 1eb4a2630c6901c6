// Package ring draws calling context ring charts (Moret, Binder, Ansaloni,
// Villazón: "Visualizing and exploring profiles with calling context ring
// charts", 2010, section 3; "Exploring large profiles with calling context
// ring charts", 2010).
//
// The root is the circle in the centre; what a context calls surrounds its
// segment on the next ring. The part of a segment that no callee covers is its
// own share.
package ring

import (
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Name is the name of the visualization.
const Name = "ring"

var definition = viz.Definition{
	Name:        Name,
	Title:       "Ring chart",
	Description: "calling contexts as ring segments around their callers",
	Tree:        true,
	Parameters: append([]viz.Parameter{
		{Name: "sizing", Title: "Size", Type: viz.Choice, Default: "length",
			Description: "what the size of a segment says",
			Choices: []viz.Option{
				{Value: "length", Title: "Length", Description: "the angle is proportional to the total (eq. 2)"},
				{Value: "area", Title: "Area", Description: "the area is proportional to the total: outer rings are narrower (eq. 4)"},
				{Value: "equal", Title: "Equal", Description: "all callees of a caller have the same size (eq. 1)"},
			}},
	}, viz.ColorParameters("segment")...),
}

func init() {
	viz.Register(viz.Factory{Definition: definition, New: func() viz.Chart { return &chart{} }})
}

type chart struct{ config viz.Config }

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	return nil
}

func (c *chart) Scene(v viz.Viewport) (*scene.Scene, error) {
	l := newLayout(c.config.View, c.config.Metric, Sizing(c.config.Params["sizing"]), v)
	l.matches = c.config.Marked()
	s := l.run()
	if err := paint(s, c.config, l.nodes); err != nil {
		return nil, err
	}
	title(s, c.config)
	return s, nil
}

// Sizing is what the size of a segment says.
type Sizing string

const (
	Equal  Sizing = "equal"  // eq. 1
	Length Sizing = "length" // eq. 2
	Area   Sizing = "area"   // eq. 2 with the radii of eq. 4
)
