package viz

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
)

// ChartSpec says which chart of events: all that decides what it receives.
type ChartSpec struct {
	View    string            `json:"view"`
	Subject string            `json:"subject,omitempty"` // "" is the first type of event that fits
	Map     map[string]string `json:"map,omitempty"`     // dimension -> field; what is missing gets its default
	Params  map[string]string `json:"params,omitempty"`
	Period  *Period           `json:"period,omitempty"`
}

// Shared is what all charts of a workspace have in common.
type Shared struct {
	Filter    string  `json:"filter,omitempty"` // see query.ParseFilter
	Groups    []Group `json:"groups,omitempty"`
	Selection string  `json:"selection,omitempty"` // a filter too
	Pairing   Pairing `json:"pairing,omitzero"`    // of comparisons alone
}

// OpenChart is a chart of events that has received, or receives, its events; or
// a chart of traces, which needs none. It is safe for concurrent use.
type OpenChart struct {
	Definition Definition
	Spec       ChartSpec // complete: every dimension and parameter has its value
	Subject    *data.EventTable
	Fields     []data.Path

	w      *Workspace
	mu     sync.Mutex
	chart  drawn
	calls  Calls                      // of a chart of traces
	pair   *Pair                      // of a chart of comparisons
	orders map[string][]data.EntityID // dimension + "\x00" + scheme -> order; kept once complete
	begun  bool                       // it is configured, and can be drawn
	done   bool
}

// Begun tells whether the chart can be drawn already: one of a comparison waits
// for its matches first.
func (c *OpenChart) Begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// drawn is what charts of events and of traces have in common.
type drawn interface {
	Chart
	Scene(Frame) (*scene.Scene, error)
}

// keptCharts is how many charts keep what they received, so that undoing a
// change, or going back to another panel, needs no pass.
const keptCharts = 24

// Charts opens charts. Those that are open already, with the same
// configuration, filter and groups, are given as they are; the others are fed
// from one pass, which is shared with those who ask for the same meanwhile.
// progress, which may be nil, is called between batches with
// the charts as they are at that time, complete or not.
func (w *Workspace) Charts(ctx context.Context, specs []ChartSpec, shared Shared, progress func(charts []*OpenChart, done, total int64)) ([]*OpenChart, error) {
	if err := w.CheckShared(shared); err != nil {
		return nil, err
	}
	pass, err := w.pass(shared)
	if err != nil {
		return nil, err
	}
	charts := make([]*OpenChart, len(specs))
	var fresh []*OpenChart
	var keys []string             // of fresh
	at := make([]int, len(specs)) // chart -> its place in fresh
	for i, spec := range specs {
		c, err := w.prepare(spec)
		if err != nil {
			return nil, err
		}
		key := c.key(shared)
		if charts[i] = w.open.get(key); charts[i] != nil {
			continue
		}
		if at[i] = slices.Index(keys, key); at[i] < 0 {
			at[i] = len(fresh)
			fresh, keys = append(fresh, c), append(keys, key)
		}
	}
	if len(fresh) == 0 {
		return charts, nil
	}
	missing := slices.Clone(charts)
	complete := func(fed []*OpenChart) {
		for i, c := range missing {
			if c == nil {
				charts[i] = fed[at[i]]
			}
		}
	}
	var tell func([]*OpenChart, int64, int64)
	if progress != nil {
		tell = func(fed []*OpenChart, done, total int64) {
			complete(fed)
			progress(charts, done, total)
		}
	}
	fed, err := w.feeding.do(ctx, strings.Join(keys, "\x00"), tell, func(ctx context.Context, report func([]*OpenChart, int64, int64)) ([]*OpenChart, error) {
		pass.Progress = func(done, total int64) { report(fresh, done, total) }
		return fresh, w.feed(ctx, fresh, keys, shared, pass)
	})
	if err != nil {
		return nil, err
	}
	complete(fed)
	return charts, nil
}

// feed gives charts their events in one pass, and keeps them.
func (w *Workspace) feed(ctx context.Context, charts []*OpenChart, keys []string, shared Shared, pass Pass) error {
	events, err := w.eventsInstead(ctx, shared)
	if err != nil {
		return err
	}
	var uses []Use
	for _, c := range charts {
		if c.Definition.Trace {
			var err error
			if c.calls, err = w.calls(ctx, shared, "", w.callsThat); err != nil {
				return err
			}
		}
		if c.Definition.Pair {
			var err error
			if c.pair, err = w.pair(ctx, shared, pass.Progress); err != nil {
				return err
			}
		}
		if err := c.configure(len(shared.Groups)); err != nil {
			return err
		}
		if receiver, ok := c.chart.(EventChart); ok {
			subject := c.Subject
			if events != nil {
				subject = events
			}
			uses = append(uses, Use{Chart: receiver, Subject: subject, Fields: c.Fields, Period: c.Spec.Period})
		}
	}
	if err := pass.Run(ctx, uses); err != nil {
		return err
	}
	for i, c := range charts {
		c.mu.Lock()
		c.done, c.orders = true, map[string][]data.EntityID{}
		c.mu.Unlock()
		w.open.put(keys[i], c)
	}
	return nil
}

// pass makes the filter and the groups ready.
func (w *Workspace) pass(shared Shared) (Pass, error) {
	var p Pass
	if w.Comparison != nil && w.Difference == nil {
		return p, nil
	}
	filter, err := w.sided(shared.Filter)
	if err != nil {
		return p, err
	}
	if p.Filter, err = w.Filter(filter.own); err != nil {
		return p, err
	}
	for _, g := range shared.Groups {
		text := g.Filter
		if g.Hidden {
			text = ""
		}
		f, err := w.ownFilter(text)
		if err != nil {
			return p, fmt.Errorf("colour group %q: %w", g.Name, err)
		}
		p.Groups = append(p.Groups, f)
	}
	return p, nil
}

// Filter reads a filter for this data set; nil for an empty text. The last few
// are kept: those of selections may be long. One of a comparison must hold for
// all sides; the first one's is given.
func (w *Workspace) Filter(text string) (*query.Filter, error) {
	if w.Comparison != nil && w.Difference == nil {
		for _, side := range w.Comparison.Sides {
			if _, err := side.Filter(text); err != nil {
				return nil, fmt.Errorf("%s: %w", side.Set.Name, err)
			}
		}
		return w.Comparison.Sides[0].Filter(text)
	}
	return w.filters.get(text, func() (*query.Filter, error) { return query.ParseFilter(text, w.Set, w.Tree) })
}

// prepare checks a specification and completes it.
func (w *Workspace) prepare(spec ChartSpec) (*OpenChart, error) {
	f, err := Find(spec.View)
	if err != nil {
		return nil, err
	}
	d := f.Definition
	if d.Tree {
		return nil, fmt.Errorf("%s: draws a calling context tree and not events", d.Name)
	}
	c := &OpenChart{Definition: d, w: w}
	switch {
	case d.Pair && w.Comparison == nil:
		return nil, fmt.Errorf("%s: draws a comparison of two data sets, and this is one", d.Name)
	case d.Pair && !w.Comparison.Traces:
		return nil, fmt.Errorf("%s: draws a comparison of two traces, and these are profiles", d.Name)
	case !d.Pair && w.Comparison != nil && w.Difference == nil:
		return nil, fmt.Errorf("%s: draws one data set, and this is a comparison", d.Name)
	}
	if !d.Pair {
		if c.Subject, err = d.Subject(w.Set, spec.Subject); err != nil {
			return nil, err
		}
		if c.Fields, err = d.Map(w.Set, c.Subject, spec.Map); err != nil {
			return nil, err
		}
	}
	params, err := d.CheckParams(spec.Params)
	if err != nil {
		return nil, err
	}
	if spec.Period != nil && spec.Period.From > spec.Period.To {
		return nil, fmt.Errorf("%s: the period from %d to %d ends before it begins", d.Name, spec.Period.From, spec.Period.To)
	}
	c.Spec = ChartSpec{View: d.Name, Map: map[string]string{}, Params: params, Period: spec.Period}
	if c.Subject != nil {
		c.Spec.Subject = c.Subject.Definition.Name
	}
	for i, p := range c.Fields {
		if p.Name != "" {
			c.Spec.Map[d.Dimensions[i].Name] = p.Name
		}
	}
	chart := f.New()
	if _, ok := chart.(EventChart); ok == (d.Trace || d.Pair) {
		return nil, fmt.Errorf("%s: is a chart of events that cannot receive any, or one of traces or pairs that does", d.Name)
	}
	var ok bool
	if c.chart, ok = chart.(drawn); !ok {
		return nil, fmt.Errorf("%s: is a chart that cannot draw", d.Name)
	}
	return c, nil
}

// configure gives the chart its configuration.
func (c *OpenChart) configure(groups int) error {
	err := c.chart.Configure(Config{
		Set: c.w.Set, Params: c.Spec.Params, Subject: c.Subject, Fields: c.Fields, Period: c.Spec.Period,
		Groups: groups, Names: c.w.Names(), Program: c.w.Program(), Calls: c.calls, Pair: c.pair,
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = err == nil
	return err
}

// Names tells how the entities of the data set are called.
func (w *Workspace) Names() Names { return Names{w.Program()} }

// key tells charts apart that receive different events or treat them
// differently. What is in a Frame has no part in it.
func (c *OpenChart) key(shared Shared) string {
	var b strings.Builder
	put := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(&b, "%d:%s", len(p), p)
		}
	}
	put(c.Spec.View, c.Spec.Subject)
	for i, p := range c.Fields {
		put(c.Definition.Dimensions[i].Name, p.Name)
	}
	for _, p := range c.Definition.Parameters {
		put(c.Spec.Params[p.Name])
	}
	if p := c.Spec.Period; p != nil {
		put("period", strconv.FormatInt(p.From, 10), strconv.FormatInt(p.To, 10))
	}
	put("filter", shared.Filter)
	if p := shared.Pairing; c.Definition.Pair {
		put(fmt.Sprint(p.Run, p.tau(), p.names()))
	}
	for _, g := range shared.Groups {
		if g.Hidden {
			put("")
			continue
		}
		put(g.Filter)
	}
	return b.String()
}

// openCharts keeps the charts that were used last.
type openCharts struct {
	mu     sync.Mutex
	keys   []string
	charts []*OpenChart
}

func (o *openCharts) get(key string) *OpenChart {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.keys, key)
	if i < 0 {
		return nil
	}
	c := o.charts[i]
	o.keys = append(slices.Delete(o.keys, i, i+1), key)
	o.charts = append(slices.Delete(o.charts, i, i+1), c)
	return c
}

func (o *openCharts) put(key string, c *OpenChart) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.keys, key); i >= 0 {
		// Somebody else opened the same meanwhile, or it is open twice.
		o.charts[i] = c
		return
	}
	if len(o.keys) == keptCharts {
		o.keys, o.charts = slices.Delete(o.keys, 0, 1), slices.Delete(o.charts, 0, 1)
	}
	o.keys, o.charts = append(o.keys, key), append(o.charts, c)
}
