// Package viz is the visualization protocol: how a chart says what it can
// draw and how it is configured, and how it is fed.
//
// A visualization is a [Definition] and a factory. The platform creates a
// chart, configures it (checked against the definition), lets it visualize,
// and hands on what a person does with it (manipulate: selection, filter,
// colours), as EVolve has it (Wang 2002, chapter 4). The page builds its forms
// from the definition; a new chart needs no TypeScript.
//
// There are four kinds of chart. Charts of events receive batches during the
// one pass that a [Workspace] makes for all open charts. Charts of trees draw
// a [cct.View], charts of traces a [trace.Trace], and charts of comparisons a
// [Pair] of traces, which the workspace has at hand. All answer with a scene.
//
// What does not belong here: the charts themselves (one folder each below this
// one), rendering, and HTTP.
package viz

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// Type is the type of a parameter's value.
type Type uint8

const (
	Choice Type = iota // one of Choices
	Number             // between Min and Max
	Bool               // "true" or "false"
	Metric             // the name of a metric of the data set; "" is the preferred one
	Text               // what Valid allows: a state that is set in the chart itself, so that no form has it
)

// Parameter is a setting of a visualization.
type Parameter struct {
	Name        string // the key
	Title       string // for people
	Description string
	Type        Type
	Default     string
	Choices     []Option
	// Options gives the choices where they are registered elsewhere and not
	// known when the definition is made; Valid then decides what else is
	// allowed. Both may be nil.
	Options  func() []Option
	Valid    func(value string) error
	Min, Max float64
	// Contexts tells that a text is ids of contexts with dots between them:
	// saved workspaces name them by their stacks.
	Contexts bool
	// With is "parameter=value": the parameter is of use, and is offered, only
	// while another one has that value. "" is always.
	With string
	// OnlyCompared parameters are there where two profiles are compared, and
	// Compared is the default there, if it is another one. See [Definition.For].
	OnlyCompared bool
	Compared     string
}

// Option is one of the values of a choice.
type Option struct {
	Value, Title, Description string
	OnlyCompared              bool // where two profiles are compared
}

// Dimension is a slot that a field of the subject is mapped to.
type Dimension struct {
	Name        string   // short and stable: "x"
	Aliases     []string // other names that a command may use
	Title       string   // for people
	Description string
	// Accepts are the properties of which a field must have one to be mapped
	// here. Among several fields that fit, one with an earlier property is
	// the default.
	Accepts []data.Property
	// Default is the name of the field that is mapped if none is given and the
	// event type has it.
	Default string
	// Optional dimensions may stay empty, and by default do.
	Optional bool
	// Call makes the dimension stand for a field by which traces are built (see
	// the Call constants): no other can be mapped to it, and Accepts is not asked.
	Call string
}

// Definition describes a visualization.
type Definition struct {
	Name        string // short and stable: "ring"
	Title       string
	Description string
	// Tree tells that the chart draws a calling context tree; it then has no
	// dimensions, because the tree is what its events amount to.
	Tree bool
	// Trace tells that the chart draws the calls of a trace. Its dimensions,
	// with Call, are the fields that can be selected in it.
	Trace bool
	// Pair tells that the chart draws two traces, of a comparison. It has no
	// dimensions.
	Pair       bool
	Dimensions []Dimension
	Parameters []Parameter
	// Check refuses mappings that fit dimension by dimension, but not
	// together. It may be nil. Fields are as in Config.
	Check func(fields []data.Path) error
	// Compaction gives the step that compacts what the chart draws, if no step of
	// a person does; metric is as in Look. Nil if the chart draws trees as they are.
	Compaction func(params map[string]string, metric string) string
	// Sort is the sorting scheme to begin with; "" is "amount".
	Sort string
}

// Factory makes a chart that is not configured yet.
type Factory struct {
	Definition Definition
	New        func() Chart
}

// Chart is one visualization in use: a [TreeChart], an [EventChart], a
// [TraceChart] or a [PairChart]. The
// platform calls Configure once, before anything else; a chart that is
// configured differently is another chart. Calls are never concurrent.
type Chart interface {
	Configure(Config) error
}

// TreeChart is a chart that draws a calling context tree.
type TreeChart interface {
	Chart
	Scene(Viewport) (*scene.Scene, error)
}

// Config is what a chart is configured with, after the platform checked it.
type Config struct {
	Set    *data.Set
	View   cct.View          // charts of trees
	Metric int               // index into View.Metrics
	Params map[string]string // every parameter of the definition has a value
	// Subject and Fields are for charts of events: the event type, and per
	// dimension the field that is mapped to it; the zero Path for an optional
	// dimension that is not used.
	Subject *data.EventTable
	Fields  []data.Path
	// Period is the part of the coordinate on the x axis to show, nil for all.
	// Charts of traces count from the start of the trace, in nanoseconds.
	Period  *Period
	Calls   Calls    // charts of traces
	Pair    *Pair    // charts of comparisons
	Groups  int      // how many colour groups there are
	Names   Names    // how entities are called
	Program *Program // names and colours of the data set's methods
	// Legend are the colour groups, and Colors gives a context of the data set's
	// own tree its group: 0 for none, g for group g-1. Colors is nil without groups.
	Legend []Group
	Colors []uint8
	// Selected marks the contexts of the data set's own tree that are
	// selected; nil without a selection.
	Selected []bool
	// Matches are the nodes that the current search found, or nil.
	Matches *cct.Matches
	First   int // charts of trees: the first row of a table to write out
	// Difference is nil unless the tree is that of two profiles. Swapped looks at
	// it the other way round: from B to A.
	Difference *Difference
	Swapped    bool
	Dark       bool
}

// Viewport is the room a chart has, in CSS pixels.
type Viewport struct{ Width, Height float64 }

// For gives the definition with the parameters and defaults that it has where
// two profiles are compared, or those where they are not.
func (d Definition) For(compared bool) Definition {
	parameters := make([]Parameter, 0, len(d.Parameters))
	for _, p := range d.Parameters {
		if p.OnlyCompared && !compared {
			continue
		}
		if compared && p.Compared != "" {
			p.Default = p.Compared
		}
		if !compared && slices.ContainsFunc(p.Choices, func(o Option) bool { return o.OnlyCompared }) {
			p.Choices = slices.DeleteFunc(slices.Clone(p.Choices), func(o Option) bool { return o.OnlyCompared })
		}
		parameters = append(parameters, p)
	}
	d.Parameters = parameters
	return d
}

// CheckParams fills in defaults and refuses what the definition does not
// allow, naming the parameter and what it can be.
func (d Definition) CheckParams(given map[string]string) (map[string]string, error) {
	all := map[string]string{}
	for _, p := range d.Parameters {
		v, ok := given[p.Name]
		if !ok || v == "" {
			v = p.Default
		}
		if err := p.check(v); err != nil {
			return nil, fmt.Errorf("%s: parameter %q: %w", d.Name, p.Name, err)
		}
		all[p.Name] = v
	}
	for name := range given {
		if _, ok := all[name]; !ok {
			return nil, fmt.Errorf("%s: has no parameter %q (it has %s)", d.Name, name, d.parameterNames())
		}
	}
	return all, nil
}

func (d Definition) parameterNames() string {
	names := "none"
	for i, p := range d.Parameters {
		if i == 0 {
			names = p.Name
		} else {
			names += ", " + p.Name
		}
	}
	return names
}

// AllChoices gives the values of a choice.
func (p Parameter) AllChoices() []Option {
	if p.Options != nil {
		return p.Options()
	}
	return p.Choices
}

func (p Parameter) check(v string) error {
	if p.Valid != nil {
		return p.Valid(v)
	}
	switch p.Type {
	case Choice:
		choices := p.AllChoices()
		if !slices.ContainsFunc(choices, func(o Option) bool { return o.Value == v }) {
			allowed := ""
			for i, o := range choices {
				if i > 0 {
					allowed += ", "
				}
				allowed += o.Value
			}
			return fmt.Errorf("is %q, but must be one of %s", v, allowed)
		}
	case Number:
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(x >= p.Min && x <= p.Max) {
			return fmt.Errorf("is %q, but must be a number from %g to %g", v, p.Min, p.Max)
		}
	case Bool:
		if v != "true" && v != "false" {
			return fmt.Errorf("is %q, but must be true or false", v)
		}
	}
	return nil
}

var registry struct {
	sync.Mutex
	factories map[string]Factory
}

// Register adds a visualization. It panics if the name is taken or the
// definition is wrong (see [Definition.Verify]): both are mistakes of whoever
// builds the binary.
func Register(f Factory) {
	if err := f.Definition.Verify(); err != nil {
		panic("viz: " + err.Error())
	}
	registry.Lock()
	defer registry.Unlock()
	if registry.factories == nil {
		registry.factories = map[string]Factory{}
	}
	if _, taken := registry.factories[f.Definition.Name]; taken {
		panic("viz: two visualizations are called " + f.Definition.Name)
	}
	registry.factories[f.Definition.Name] = f
}

// Find gives the visualization of that name.
func Find(name string) (Factory, error) {
	registry.Lock()
	defer registry.Unlock()
	if f, ok := registry.factories[name]; ok {
		return f, nil
	}
	names := make([]string, 0, len(registry.factories))
	for n := range registry.factories {
		names = append(names, n)
	}
	sort.Strings(names)
	return Factory{}, fmt.Errorf("there is no view called %q (there are %v)", name, names)
}

// All lists the registered visualizations by name.
func All() []Factory {
	registry.Lock()
	defer registry.Unlock()
	var all []Factory
	for _, f := range registry.factories {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Factory) int {
		if a.Definition.Name < b.Definition.Name {
			return -1
		}
		return 1
	})
	return all
}
