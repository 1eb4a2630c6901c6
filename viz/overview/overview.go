// Package overview draws two traces that are compared over their whole length:
// per trace bars of the similarity that its calls have with those of the other
// one, and the calls themselves, the second trace mirrored below the first
// (Trümper, Döllner and Telea, "Multiscale Visual Comparison of Execution
// Traces", 2013, section IV-A).
//
// A bar is an interval of ten pixels. Its height is the sum of the similarities
// of the matches of the calls that start in it. Its colour says where in time
// these matches are in the other trace: in its past, aligned, or in its future.
//
// What belongs here is this one picture. Sums are found by match, and what a
// line of calls shows by trace.
package overview

import (
	"context"
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// Name is the name of the visualization.
const Name = "overview"

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name:        Name,
			Title:       "Overview of two traces",
			Description: "where two traces are alike, and whether at the same time",
			Pair:        true,
			Parameters: []viz.Parameter{
				{Name: "color", Title: "Colour", Type: viz.Choice, Default: "green",
					Description: "how bars say where their matches are in the other trace",
					Choices: []viz.Option{
						{Value: "green", Title: "Red to green", Description: "red is its past, gray is aligned, green is its future"},
						{Value: "purple", Title: "Orange to purple", Description: "the same for those who cannot tell red from green"},
					}},
				{Name: "scale", Title: "Time", Type: viz.Choice, Default: "own",
					Description: "how long a pixel is",
					Choices: []viz.Option{
						{Value: "own", Title: "Each trace over the whole width", Description: "the shorter trace is stretched"},
						{Value: "same", Title: "The same in both", Description: "the shorter trace ends earlier"},
					}},
				{Name: "height", Title: "Height of bars", Type: viz.Choice, Default: "linear",
					Description: "how a sum becomes a height",
					Choices: []viz.Option{
						{Value: "linear", Title: "The sum", Description: "twice as high is twice as similar"},
						{Value: "root", Title: "Its square root", Description: "small sums can be seen beside large ones"},
					}},
			},
		},
		New: func() viz.Chart { return &chart{} },
	})
}

type chart struct {
	config viz.Config
	pair   *viz.Pair

	// The bars of the last picture: another size has other intervals.
	bars  [2][]match.Interval
	barsN int
}

func (c *chart) Configure(config viz.Config) error {
	c.config, c.pair = config, config.Pair
	return nil
}

// intervals gives the sums over n intervals of each trace.
func (c *chart) intervals(n int) ([2][]match.Interval, error) {
	if c.barsN != n {
		bars, err := c.pair.Matches.Overview(context.Background(), n)
		if err != nil {
			return bars, err
		}
		c.bars, c.barsN = bars, n
	}
	return c.bars, nil
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	if c.pair == nil {
		return nil, fmt.Errorf("%s: has no traces to compare", Name)
	}
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: plot.Background(f.Dark)}
	l := c.layOut(f)
	bars, err := c.intervals(l.n)
	if err != nil {
		return nil, err
	}
	p := newPalette(c.config.Params["color"], bars, c.pair, f.Dark)
	for side := match.A; side <= match.B; side++ {
		l.title(s, c, side)
		l.drawBars(s, c, side, bars, p)
		l.drawCalls(s, c, f, side)
		l.drawFocus(s, f, side)
	}
	s.Legend = p.legend()
	m := c.pair.Matches
	s.Notes = append(s.Notes, fmt.Sprintf("%s matches above τ = %v", plot.Count(m.Total), m.Tau))
	return s, nil
}

// top gives the greatest of the sums of both traces, from which heights are
// made: those of the two can be compared.
func top(bars [2][]match.Interval, of func(match.Interval) float64) float64 {
	most := 0.0
	for _, side := range bars {
		for _, b := range side {
			most = math.Max(most, of(b))
		}
	}
	return most
}
