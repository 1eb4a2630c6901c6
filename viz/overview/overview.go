// Package overview draws two traces that are compared over their whole length:
// per trace bars of the similarity that its calls have with those of the other
// one, and the calls themselves, the second trace mirrored below the first
// (Trümper, Döllner and Telea, "Multiscale Visual Comparison of Execution
// Traces", 2013, section IV-A).
//
// A bar is an interval of ten pixels. Its height is the sum of the similarities
// of the matches of the calls that start in it. Its colour says where in time
// these matches are in the other trace: in its past, aligned, or in its future.
// That is the mean of how much later they start, with its sign, so that matches
// in both directions cancel out; a line adds up the distances without it (eq. 4).
//
// Low bars are what the other trace has nothing like. Calls of methods that only
// one of the traces calls stand out from the others.
//
// What belongs here is this one picture. Sums are found by match, and what a
// line of calls shows by trace.
package overview

import (
	"context"
	"fmt"

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
				{Name: "color", Title: "Bars", Type: viz.Choice, Default: "green",
					Description: "how bars say where their matches are in the other trace",
					Choices: []viz.Option{
						{Value: "green", Title: "Red to green", Description: "red is its past, gray is aligned, green is its future"},
						{Value: "purple", Title: "Orange to purple", Description: "the same for those who cannot tell red from green"},
					}},
				{Name: "height", Title: "Height of bars", Type: viz.Choice, Default: "linear",
					Description: "how a sum becomes a height",
					Choices: []viz.Option{
						{Value: "linear", Title: "The sum", Description: "twice as high is twice as similar"},
						{Value: "root", Title: "Its square root", Description: "small sums can be seen beside large ones"},
					}},
				{Name: "distance", Title: "Line of distances", Type: viz.Choice, Default: "auto",
					Description: "the sum of how far the matches of a bar are off in time, in either direction",
					Choices: []viz.Option{
						{Value: "auto", Title: "Up to a million calls", Description: "it takes longer than all the rest"},
						{Value: "yes", Title: "Always"},
						{Value: "no", Title: "Never"},
					}},
				{Name: "calls", Title: "Calls", Type: viz.Choice, Default: "alone",
					Description: "what the colour of a call says",
					Choices: []viz.Option{
						{Value: "alone", Title: "What only one run calls", Description: "methods that the other trace does not call stand out"},
						{Value: "package", Title: "By package", Description: "close in the program, close in hue"},
						{Value: "method", Title: "By method", Description: "each method has its own hue, the same in every run"},
					}},
				{Name: "scale", Title: "Time", Type: viz.Choice, Default: "own",
					Description: "how long a pixel is",
					Choices: []viz.Option{
						{Value: "own", Title: "Each trace over the whole width", Description: "the shorter trace is stretched"},
						{Value: "same", Title: "The same in both", Description: "the shorter trace ends earlier"},
					}},
			},
		},
		New: func() viz.Chart { return &chart{} },
	})
}

// quickCalls is for how many calls in all distances are found unasked.
const quickCalls = 1_000_000

type chart struct {
	config viz.Config
	pair   *viz.Pair
	alone  [2][]bool // method -> the other trace does not call it

	// The sums of the last picture: another size has other intervals.
	sums sums
}

// sums are what bars are made of.
type sums struct {
	key  string
	n    int
	bars [2][]match.Interval
	// in is the interval of each call of the other side, once it is needed.
	in [2][]int32
}

func (c *chart) Configure(config viz.Config) error {
	c.config, c.pair = config, config.Pair
	if c.pair != nil {
		for side := match.A; side <= match.B; side++ {
			c.alone[side] = c.pair.Matches.Alone(side)
		}
	}
	return nil
}

// distances tells whether the sums of distances are wanted.
func (c *chart) distances() bool {
	switch c.config.Params["distance"] {
	case "yes":
		return true
	case "no":
		return false
	}
	return c.pair.Calls[0].Trace.Len()+c.pair.Calls[1].Trace.Len() <= quickCalls
}

func threadsOf(f viz.Frame) [2][]int { return [2][]int{f.Sides[0].Threads, f.Sides[1].Threads} }

// sum gives the sums over n intervals of each trace.
func (c *chart) sum(f viz.Frame, n int) (*sums, error) {
	if key := fmt.Sprint(n, threadsOf(f)); c.sums.key != key {
		bars, err := c.pair.Overview(context.Background(), n, threadsOf(f), c.distances())
		if err != nil {
			return nil, err
		}
		c.sums = sums{key: key, n: n, bars: bars}
	}
	return &c.sums, nil
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	if c.pair == nil {
		return nil, fmt.Errorf("%s: has no traces to compare", Name)
	}
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: plot.Background(f.Dark)}
	l := c.layOut(f)
	sums, err := c.sum(f, l.n)
	if err != nil {
		return nil, err
	}
	p := newPalette(c, sums, f.Dark)
	for side := match.A; side <= match.B; side++ {
		d := &l.sides[side]
		l.title(s, c, d)
		l.drawBars(s, c, d, sums, p)
		l.drawCalls(s, c, f, d)
		l.drawFocus(s, f, d)
		l.plot(s, d)
	}
	if s.Rects.Match != nil {
		undimmed(s)
	}
	p.explain(s, c)
	return s, nil
}

// Answer gives the sums over the intervals of a picture of the usual width.
func (c *chart) Answer(f viz.Frame) any {
	if f.Width == 0 {
		f.Width, f.Height = usualWidth, usualHeight
	}
	sums, err := c.sum(f, c.layOut(f).n)
	if err != nil {
		return err.Error()
	}
	type interval struct {
		From       float64       `json:"from"` // nanoseconds from the start of the trace
		To         float64       `json:"to"`
		Calls      int64         `json:"calls"`
		Matches    int64         `json:"matches"`
		Similarity float64       `json:"similarity"`
		Offset     match.Int128  `json:"offset"`
		Distance   *match.Int128 `json:"offset_abs,omitempty"`
	}
	var answer struct {
		A []interval `json:"a"`
		B []interval `json:"b"`
	}
	for side, to := range []*[]interval{&answer.A, &answer.B} {
		for _, b := range sums.bars[side] {
			i := interval{b.From, b.To, b.Calls, b.Matches, b.Similarity, b.Offset, nil}
			if c.distances() {
				i.Distance = &b.Distance
			}
			*to = append(*to, i)
		}
	}
	return answer
}

const usualWidth, usualHeight = 1440, 900
