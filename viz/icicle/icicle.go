// Package icicle draws calling contexts as boxes on, or below, those that
// called them: an icicle from the top down, a flame graph from the bottom up.
//
// It looks at a tree in three ways: from callers to callees, as it is; from
// methods to their callers, with what was measured in each; and around one
// method, with its callers on one side and its callees on the other. The second
// and the third are other trees than the data set's, of which only what is
// drawn is ever made (see [cct.Groups]).
//
// What does not belong here: colours, which all charts of trees share
// ([viz.Config.Paint]).
package icicle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Name is the name of the visualization.
const Name = "icicle"

// Values of the parameter "mode".
const (
	callees = "callees"
	callers = "callers"
	around  = "around"
)

var definition = viz.Definition{
	Name:        Name,
	Title:       "Icicle",
	Description: "calling contexts as boxes below their callers; upside down, a flame graph",
	Tree:        true,
	Parameters: append([]viz.Parameter{
		{Name: "mode", Title: "Show", Type: viz.Choice, Default: callees,
			Description: "what grows out of what",
			Choices: []viz.Option{
				{Value: callees, Title: "Callees", Description: "contexts with what they call"},
				{Value: callers, Title: "Callers", Description: "bottom-up: methods with what was measured in themselves, split by who called them"},
				{Value: around, Title: "Around a method", Description: "one method, all its contexts together, between its callers and its callees"},
			}},
		{Name: "direction", Title: "Direction", Type: viz.Choice, Default: "down",
			Description: "where it grows",
			Choices: []viz.Option{
				{Value: "down", Title: "Down", Description: "an icicle: the root is at the top"},
				{Value: "up", Title: "Up", Description: "a flame graph: the root is at the bottom"},
			}},
		{Name: "around", Title: "Method", Type: viz.Text, With: "mode=around", Contexts: true,
			Description: "the method to look around: its name, or the id of one of its contexts; without it, the one with most of its own"},
		{Name: "zoom", Title: "Zoom", Type: viz.Text, With: "mode=callers", Contexts: true, Valid: validZoom,
			Description: "the path of boxes to fill the width with, from the first layer: the id of each, with dots between them"},
	}, viz.ColorParameters("box")...),
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
	by, err := c.config.SecondMetric()
	if err != nil {
		return nil, fmt.Errorf("icicle: %w", err)
	}
	l := newLayout(c.config, by, v)
	switch c.config.Params["mode"] {
	case callers:
		zoom, err := parseZoom(c.config.Params["zoom"])
		if err != nil {
			return nil, fmt.Errorf("icicle: parameter \"zoom\": %w", err)
		}
		l.bottomUp(zoom)
	case around:
		method, err := c.method()
		if err != nil {
			return nil, fmt.Errorf("icicle: parameter \"around\": %w", err)
		}
		l.around(method)
	default:
		l.topDown()
	}
	return l.finish(c.config.Params["direction"] == "up")
}

// method finds the method to look around.
func (c *chart) method() (data.EntityID, error) {
	v, text := c.config.View, c.config.Params["around"]
	if text == "" {
		if top := v.BottomUp(v.Root, c.config.Metric, -1).Roots(); len(top) > 0 {
			return top[0].Method, nil
		}
		return v.Method[v.Root], nil
	}
	if id, err := strconv.ParseUint(text, 10, 32); err == nil {
		if n, ok := v.Node(cct.NodeID(id)); ok && v.Method[n] != data.None {
			return v.Method[n], nil
		}
		// Steps may have left it out: its name is still known.
		if base := v.Base(); id < uint64(base.Len()) && base.Methods == v.Methods && base.Method[id] != data.None {
			return base.Method[id], nil
		}
		return data.None, fmt.Errorf("there is no context %s with a method", text)
	}
	for m := range v.Methods.Rows() {
		if v.Methods.NameOf(data.EntityID(m)) == text {
			return data.EntityID(m), nil
		}
	}
	return data.None, fmt.Errorf("there is no method %q", text)
}

func validZoom(text string) error {
	_, err := parseZoom(text)
	return err
}

func parseZoom(text string) ([]cct.NodeID, error) {
	if text == "" {
		return nil, nil
	}
	var path []cct.NodeID
	for part := range strings.SplitSeq(text, ".") {
		id, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("is %q, but must be ids with dots between them, such as 12.7", text)
		}
		path = append(path, cct.NodeID(id))
	}
	return path, nil
}
