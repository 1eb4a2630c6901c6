package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// lookFlags are the flags of commands that show a part of a tree.
type lookFlags struct {
	metric      string
	focus       int64
	depth       int64
	noRecursion bool
	byMethod    bool
	steps       string
	filter      string // of commands that draw nothing; see chartFlags
}

func (f *lookFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.metric, "metric", "", "the metric (see info for their names; default: the one the file prefers)")
	c.Flags().Int64Var(&f.focus, "focus", -1, "show the subtree of the context with this `ID`, as tree prints it")
	c.Flags().Int64Var(&f.depth, "depth", -1, "show `N` layers below the root; totals stay those of the whole")
	c.Flags().BoolVar(&f.noRecursion, "no-recursion", false, "count recursive calls to the outer call of the same method")
	c.Flags().BoolVar(&f.byMethod, "by-method", false, "discard calling contexts: one node per method")
	c.Flags().StringVar(&f.steps, "steps", "", "a pipeline before the flags above, such as focus:12,norec,focus:40 or 'filter:Thread == \"gc\"'")
}

// addFilter is for commands that have no chartFlags.
func (f *lookFlags) addFilter(c *cobra.Command) {
	c.Flags().StringVar(&f.filter, "filter", "", "only what the events for which this `EXPRESSION` holds reached, before all steps")
}

// look puts the flags into a pipeline: subtree first, then recursion, then
// aggregation per method, then depth.
func (f *lookFlags) look() (viz.Look, error) {
	p, err := query.ParsePipeline(f.steps)
	if err != nil {
		return viz.Look{}, usageError{err}
	}
	if f.focus < -1 || f.depth < -1 {
		return viz.Look{}, usagef("--focus and --depth take no negative numbers")
	}
	if f.focus >= 0 {
		p = append(p, query.Step{Kind: query.Focus, N: f.focus})
	}
	if f.noRecursion {
		p = append(p, query.Step{Kind: query.NoRecursion})
	}
	if f.byMethod {
		p = append(p, query.Step{Kind: query.ByMethod})
	}
	if f.depth >= 0 {
		p = append(p, query.Step{Kind: query.Depth, N: f.depth})
	}
	return viz.Look{Steps: p.String(), Metric: f.metric, Filter: f.filter}, nil
}

// pictureFlags are the flags of commands that lay out a picture.
type pictureFlags struct {
	lookFlags
	chartFlags
	view   string
	size   string
	sizing string
	params []string
	dark   bool
	search string
}

func (f *pictureFlags) add(c *cobra.Command) {
	f.lookFlags.add(c)
	f.chartFlags.add(c)
	c.Flags().StringVar(&f.view, "view", "ring", "the visualization")
	c.Flags().StringVar(&f.size, "size", "1440x900", "`WxH` in pixels")
	c.Flags().StringVar(&f.sizing, "sizing", "", "what sizes say: equal, length or area")
	c.Flags().StringArrayVar(&f.params, "param", nil, "another parameter of the view, as `NAME=VALUE` (repeatable)")
	c.Flags().BoolVar(&f.dark, "dark", false, "colours for a dark background")
	c.Flags().StringVar(&f.search, "highlight", "", "a search whose matches are marked")
	var views []string
	for _, v := range viz.All() {
		views = append(views, v.Definition.Name)
	}
	offer(c, "view", views...)
	offer(c, "sizing", "equal", "length", "area")
}

func (f *pictureFlags) request(compared bool) (viz.Request, error) {
	r := viz.Request{View: f.view, Dark: f.dark, Highlight: f.search, Params: map[string]string{}}
	var err error
	if r.Look, err = f.look(); err != nil {
		return r, err
	}
	factory, err := viz.Find(f.view)
	if err != nil {
		return r, usageError{err}
	}
	if f.sizing != "" {
		r.Params["sizing"] = f.sizing
	}
	for _, p := range f.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return r, usagef("--param %q: expected NAME=VALUE", p)
		}
		r.Params[name] = value
	}
	if _, err := factory.Definition.For(compared).CheckParams(r.Params); err != nil {
		return r, usageError{err}
	}
	r.Look.Filter = f.chartFlags.filter
	r.Viewport, err = parseSize(f.size)
	return r, err
}

// draw reads a file and makes the picture: of its tree, or of its events; or of
// two files that are compared.
func (f *pictureFlags) draw(c *cobra.Command, files []string) (*scene.Scene, error) {
	r, err := f.request(len(files) > 1)
	if err != nil {
		return nil, err
	}
	factory, err := viz.Find(r.View)
	if err != nil {
		return nil, usageError{err}
	}
	if !factory.Definition.Tree {
		return f.scene(c, files, factory, r)
	}
	var w *viz.Workspace
	if len(files) > 1 {
		r.Swapped = f.pair.swapped
		if w, err = loadPair(c.Context(), f.pair, files); err == nil && w.Difference == nil {
			err = fmt.Errorf("%s and %s have no metric of one name and unit to compare", files[0], files[1])
		}
	} else {
		w, err = loadTree(c.Context(), files[0], r.Look)
	}
	if err != nil {
		return nil, err
	}
	s, _, err := w.Scene(c.Context(), r)
	return s, err
}

func parseSize(text string) (viz.Viewport, error) {
	w, h, ok := strings.Cut(strings.ToLower(text), "x")
	width, err1 := strconv.ParseFloat(w, 64)
	height, err2 := strconv.ParseFloat(h, 64)
	fits := func(side float64) bool { return side >= 1 && side <= 20000 } // the most that viz draws; not NaN
	if !ok || err1 != nil || err2 != nil || !fits(width) || !fits(height) {
		return viz.Viewport{}, usagef("--size %q: expected WxH, such as 1440x900, and at most 20000x20000", text)
	}
	return viz.Viewport{Width: width, Height: height}, nil
}
