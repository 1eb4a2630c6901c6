// Package fan draws a compacted calling context tree as a fan (Lin, Taïani,
// Ormerod, Ball: "Towards anomaly comprehension: using structural compression to
// navigate profiling call-trees", 2010, section 3.3): a disc per node, whose area
// is in proportion to the metric, in a sector of its parent's sector; half of a
// circle, so that there is room for names.
//
// It draws whatever tree the steps make. If none of them compacts it, the fan
// adds one that does, as a person has to begin with something that can be taken
// in.
//
// What does not belong here: compaction (packages compact and query), and
// colours, which all charts of trees share ([viz.Config.Paint]).
package fan

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Name is the name of the visualization.
const Name = "fan"

var definition = viz.Definition{
	Name:        Name,
	Title:       "Fan",
	Description: "packages, classes and methods as discs in half a circle; each can be expanded or compacted",
	Tree:        true,
	Compaction:  compaction,
	Parameters: append([]viz.Parameter{
		{Name: "start", Title: "Begin with", Type: viz.Choice, Default: "full",
			Description: "what is shown before anything is expanded or compacted",
			Choices: []viz.Option{
				{Value: "full", Title: "First elements", Description: "fully compacted: names show their first element alone"},
				{Value: "explain", Title: "What tells most", Description: "the nodes that tell most about where the metric goes"},
			}},
		{Name: "nodes", Title: "Nodes", Type: viz.Number, Default: "40", Min: 1, Max: 1000, With: "start=explain",
			Description: "how many nodes there may be to begin with"},
	}, viz.ColorParameters("node")...),
}

func init() {
	viz.Register(viz.Factory{Definition: definition, New: func() viz.Chart { return &chart{} }})
}

// compaction is the step to begin with.
func compaction(params map[string]string, metric string) string {
	if params["start"] != "explain" {
		return "compact:1"
	}
	nodes, err := strconv.ParseFloat(params["nodes"], 64)
	if err != nil {
		nodes = 1 // parameters are checked
	}
	step := fmt.Sprintf("compact:explain:%d", int(nodes))
	if metric != "" {
		step += "=" + url.QueryEscape(metric)
	}
	return step
}

type chart struct{ config viz.Config }

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	return nil
}

func (c *chart) Scene(v viz.Viewport) (*scene.Scene, error) {
	by, err := c.config.SecondMetric()
	if err != nil {
		return nil, fmt.Errorf("fan: %w", err)
	}
	l := newLayout(c.config, v)
	l.place()
	s := l.draw()
	if err := l.paint(s, by); err != nil {
		return nil, fmt.Errorf("fan: %w", err)
	}
	l.edges(s)
	l.label(s)
	return s, nil
}
