package viz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
)

// Workspace is one data set with everything its charts share: the tree, the
// names and colours, the trees that pipelines made, and what charts of events
// received. It is safe for concurrent use.
type Workspace struct {
	Set  *data.Set
	Tree *cct.Tree // nil if the data set has no calling contexts
	made recentTrees
	open openCharts

	filtering flights[*cct.Tree]
	feeding   flights[[]*OpenChart]

	// Comparison is set if this is a comparison of data sets; such a workspace has
	// neither events nor a tree of its own.
	Comparison *Comparison

	traces   traces
	filters  recent[*query.Filter]
	colored  recent[[]uint8] // see nodeGroups
	selected recent[[]bool]  // see selectedNodes

	compactions compactions
	facets      facets

	// Difference says what the tree is of, if the data set compares two profiles.
	Difference *Difference

	once    sync.Once
	program *Program
	twins   struct {
		sync.Mutex
		of map[*data.EntityTable]map[string]bool
	}
}

// keptFilters is how many filters are kept as they were read: each colour group
// has one.
const keptFilters = 32

// NewWorkspace builds the tree of a data set.
func NewWorkspace(ctx context.Context, set *data.Set) (*Workspace, error) {
	w := &Workspace{Set: set, filters: recent[*query.Filter]{most: keptFilters}}
	t, err := cct.Build(ctx, set)
	var none *cct.ErrNoContexts
	switch {
	case errors.As(err, &none):
		return w, nil
	case err != nil:
		return nil, err
	}
	w.Tree = t
	return w, nil
}

// Program gives the names and colours of the data set's methods. They are made
// when they are first asked for: most commands never do.
func (w *Workspace) Program() *Program {
	w.once.Do(func() { w.program = NewProgram(w.Set, w.Tree) })
	return w.program
}

// Look is what part of a data set to look at, as text: it is checked here.
type Look struct {
	Steps  string // a query.Pipeline
	Metric string // "" is the preferred one
	Filter string // of the events that the tree is made from, see query.ParseFilter
}

// View applies a look to the tree.
func (w *Workspace) View(ctx context.Context, l Look) (v cct.View, metric int, err error) {
	return w.view(ctx, l, nil)
}

func (w *Workspace) view(ctx context.Context, l Look, progress func(done, total int64)) (v cct.View, metric int, err error) {
	if w.Tree == nil {
		return v, 0, &cct.ErrNoContexts{Set: w.Set.Name}
	}
	metric, ok := w.Tree.Metric(l.Metric)
	if !ok {
		return v, 0, fmt.Errorf("there is no metric %q (there are %s)", l.Metric, metricNames(w.Tree))
	}
	steps, err := query.ParsePipeline(l.Steps)
	if err != nil {
		return v, 0, err
	}
	trees := made{w: w, filter: l.Filter, progress: progress}
	base, err := trees.base(ctx)
	if err != nil {
		return v, 0, err
	}
	v, err = steps.Apply(ctx, base, trees)
	return v, metric, err
}

// Doubts tells which steps of a look do not, or not wholly, do what they say.
func (w *Workspace) Doubts(ctx context.Context, l Look) ([]query.Doubt, error) {
	steps, err := query.ParsePipeline(l.Steps)
	if err != nil || w.Tree == nil {
		return nil, err
	}
	trees := made{w: w, filter: l.Filter}
	base, err := trees.base(ctx)
	if err != nil {
		return nil, err
	}
	return steps.Doubts(ctx, base, trees)
}

// Whole is the tree that shares are of: what the filters leave, those among the
// steps too. v is the view of the look.
func (w *Workspace) Whole(ctx context.Context, v cct.View, look Look) *cct.Tree {
	if v.ID(cct.Root) == cct.Root && v.MergedInto(cct.Root) > 0 {
		return v.Tree // no step selected a subtree of it
	}
	steps, err := query.ParsePipeline(look.Steps)
	if err == nil {
		if v, _, err = w.View(ctx, Look{Steps: steps.Filters().String(), Filter: look.Filter}); err == nil {
			return v.Tree
		}
	}
	return w.Tree // not after a view with those filters
}

// made keeps trees of different filters apart.
type made struct {
	w        *Workspace
	filter   string
	progress func(done, total int64) // of passes over events; may be nil
}

// base is the tree of the events that the filter keeps.
func (m made) base(ctx context.Context) (*cct.Tree, error) {
	s, err := m.w.sided(m.filter)
	if err != nil {
		return nil, err
	}
	f, err := m.w.Filter(s.own)
	if err != nil {
		return nil, err
	}
	if s.theirs == "" && (f == nil || f.Measured(m.w.Tree) == nil) {
		return m.w.Tree, nil // it says nothing about what the tree is made from
	}
	return m.Filtered(ctx, "", func(ctx context.Context, progress func(done, total int64)) (*cct.Tree, error) {
		return m.w.keep(ctx, m.w.Tree, cct.Root, s, progress)
	})
}

// Filtered gives the tree of a pipeline that ends with a filter.
func (m made) Filtered(ctx context.Context, pipeline string, work query.Filtering) (*cct.Tree, error) {
	if t := m.Get(pipeline); t != nil {
		return t, nil
	}
	var tell func(*cct.Tree, int64, int64)
	if m.progress != nil {
		tell = func(_ *cct.Tree, done, total int64) { m.progress(done, total) }
	}
	return m.w.filtering.do(ctx, m.filter+"\x00"+pipeline, tell, func(ctx context.Context, report func(*cct.Tree, int64, int64)) (*cct.Tree, error) {
		if t := m.Get(pipeline); t != nil {
			return t, nil
		}
		t, err := work(ctx, func(done, total int64) { report(nil, done, total) })
		if err == nil {
			m.Put(pipeline, t)
		}
		return t, err
	})
}

// passes is how many passes over the events a look needs before it can be shown.
func (w *Workspace) passes(l Look) int {
	if w.Tree == nil {
		return 0
	}
	n := 0
	trees := made{w: w, filter: l.Filter}
	if s, err := w.sided(l.Filter); err == nil && trees.Get("") == nil {
		if f, err := w.Filter(s.own); s.theirs != "" || err == nil && f != nil && f.Measured(w.Tree) != nil {
			n++
		}
	}
	if steps, err := query.ParsePipeline(l.Steps); err == nil {
		for _, made := range steps.Making(query.Keep) {
			if trees.Get(made) == nil {
				n++
			}
		}
	}
	return n
}

// Ready reports whether a look can be shown without a pass over the events.
func (w *Workspace) Ready(l Look) bool { return w.passes(l) == 0 }

// Prepare makes what looks need passes over the events for. It tells how many
// events are done, in all of the passes.
func (w *Workspace) Prepare(ctx context.Context, looks []Look, progress func(done, total int64)) error {
	all, before := 0, int64(0)
	for _, l := range looks {
		all += w.passes(l)
	}
	for _, l := range looks {
		n := w.passes(l)
		if n == 0 {
			continue
		}
		rows := w.Tree.EventRows()
		// What is wrong with a look is said when it is shown.
		_, _, _ = w.view(ctx, l, func(done, _ int64) {
			progress(before+done, max(int64(all)*rows, before+done))
			if done == rows {
				before += rows
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (m made) Get(pipeline string) *cct.Tree    { return m.w.made.Get(m.filter + "\x00" + pipeline) }
func (m made) Put(pipeline string, t *cct.Tree) { m.w.made.Put(m.filter+"\x00"+pipeline, t) }

func metricNames(t *cct.Tree) string {
	names := "none"
	for i, m := range t.Metrics {
		if i == 0 {
			names = m.Name
		} else {
			names += ", " + m.Name
		}
	}
	return names
}

// Find runs a search on what a look leaves.
func (w *Workspace) Find(v cct.View, metric int, search string) (*cct.Matches, error) {
	p, err := query.ParseSearch(search, v.Tree, metric, w.ProgramOf(v.Tree).Names)
	if err != nil {
		return nil, err
	}
	return cct.Find(v.Tree, v.Root, metric, p), nil
}

// CheckSearch tells what is wrong with a search, without running it.
func (w *Workspace) CheckSearch(v cct.View, metric int, search string) error {
	_, err := query.ParseSearch(search, v.Tree, metric, w.ProgramOf(v.Tree).Names)
	return err
}

// Request is one picture to make.
type Request struct {
	View      string // the visualization's name
	Look      Look
	Params    map[string]string
	Viewport  Viewport
	Dark      bool
	Highlight string // a search, "" for none
	Groups    []Group
	Selection string // a filter: contexts that it holds for are marked
	First     int    // the first row of a table to write out
	Swapped   bool   // of a comparison of profiles: from B to A
}

// maxSide bounds the size of a picture in pixels.
const maxSide = 20000

func (v Viewport) check() error {
	if v.Width >= 1 && v.Width <= maxSide && v.Height >= 1 && v.Height <= maxSide {
		return nil
	}
	return fmt.Errorf("a picture of %g×%g pixels cannot be made: each side must be from 1 to %d", v.Width, v.Height, maxSide)
}

// Scene makes one picture of a tree: create, configure, visualize.
func (w *Workspace) Scene(ctx context.Context, r Request) (*scene.Scene, cct.View, error) {
	var v cct.View
	f, err := Find(r.View)
	if err != nil {
		return nil, v, err
	}
	if err := r.Viewport.check(); err != nil {
		return nil, v, err
	}
	if !f.Definition.Tree {
		return nil, v, fmt.Errorf("%s: draws events and not a calling context tree", f.Definition.Name)
	}
	config := Config{Set: w.Set, Dark: r.Dark, First: r.First, Difference: w.Difference, Swapped: r.Swapped}
	if config.Params, err = f.Definition.For(w.Difference != nil).CheckParams(r.Params); err != nil {
		return nil, v, err
	}
	look, err := w.Completed(r.View, r.Params, r.Look)
	if err != nil {
		return nil, v, err
	}
	if config.View, config.Metric, err = w.View(ctx, look); err != nil {
		return nil, v, err
	}
	config.Program = w.ProgramOf(config.View.Tree)
	if r.Highlight != "" {
		if config.Matches, err = w.Find(config.View, config.Metric, r.Highlight); err != nil {
			return nil, v, err
		}
	}
	if config.Colors, err = w.nodeGroups(r.Groups); err != nil {
		return nil, v, err
	}
	config.Legend = r.Groups
	if config.Selected, err = w.selectedNodes(r.Selection); err != nil {
		return nil, v, err
	}
	c := f.New()
	if err := c.Configure(config); err != nil {
		return nil, v, err
	}
	tree, ok := c.(TreeChart)
	if !ok {
		return nil, v, fmt.Errorf("%s: is a chart of trees that cannot draw one", r.View)
	}
	s, err := tree.Scene(r.Viewport)
	if err == nil {
		if err = checkScene(s); err != nil {
			err = fmt.Errorf("%s: drew a wrong scene: %w", r.View, err)
		}
	}
	return s, config.View, err
}

// recentTrees keeps the last few trees that pipelines made. Each is as large
// as the data set's own at worst, so that few are kept.
type recentTrees struct {
	mu    sync.Mutex
	texts []string
	trees []*cct.Tree
}

const keptTrees = 6

func (r *recentTrees) Get(pipeline string) *cct.Tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, text := range r.texts {
		if text == pipeline {
			return r.trees[i]
		}
	}
	return nil
}

func (r *recentTrees) Put(pipeline string, t *cct.Tree) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.texts, pipeline); i >= 0 {
		r.trees[i] = t
		return
	}
	if len(r.texts) == keptTrees {
		r.texts, r.trees = r.texts[1:], r.trees[1:]
	}
	r.texts, r.trees = append(r.texts, pipeline), append(r.trees, t)
}
