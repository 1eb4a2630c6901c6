package viz

import (
	"context"
	"fmt"
	"math"
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
	var uses []Use
	for _, c := range charts {
		if c.Definition.Trace {
			var err error
			if c.calls, err = w.calls(ctx, shared, pass, "", callsThat); err != nil {
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
			uses = append(uses, Use{Chart: receiver, Subject: c.Subject, Fields: c.Fields, Period: c.Spec.Period})
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
	var err error
	if w.Comparison != nil && w.Difference == nil {
		return p, nil
	}
	if p.Filter, err = w.Filter(shared.Filter); err != nil {
		return p, err
	}
	for _, g := range shared.Groups {
		text := g.Filter
		if g.Hidden {
			text = ""
		}
		f, err := w.Filter(text)
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

// View is how to look at an open chart.
type View struct {
	Viewport
	Dark bool
	// Sort is the sorting scheme per dimension; what is missing has the
	// definition's. Like names another chart whose order to follow, and LikeSort
	// is how that one is sorted: entities that it does not have come after, by
	// this chart's own scheme.
	Sort     map[string]string
	Like     *OpenChart
	LikeSort map[string]string
	// Rows and Columns are the part of the entities on the axes to show.
	Rows, Columns Range
	First         int
}

// Scene draws the chart.
func (c *OpenChart) Scene(v View, shared Shared) (*scene.Scene, error) {
	if err := v.Viewport.check(); err != nil {
		return nil, err
	}
	lead, err := c.lead(v)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return nil, err
	}
	s, err := c.chart.Scene(f)
	if err == nil {
		if err = checkScene(s); err != nil {
			err = fmt.Errorf("%s: drew a wrong scene: %w", c.Definition.Name, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// At says what is under the pointer; ok is false if that is nothing.
func (c *OpenChart) At(v View, shared Shared, x, y float64) (h Hit, ok bool, err error) {
	pointed, can := c.chart.(Pointed)
	if !can {
		return h, false, nil
	}
	if err := v.Viewport.check(); err != nil {
		return h, false, err
	}
	lead, err := c.lead(v)
	if err != nil {
		return h, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return h, false, err
	}
	h, ok = pointed.At(f, x, y)
	return h, ok, nil
}

// Answer says in numbers what the chart shows.
func (c *OpenChart) Answer(v View, shared Shared) (any, error) {
	answering, can := c.chart.(Answering)
	if !can {
		return nil, fmt.Errorf("%s: has no numbers to give", c.Definition.Name)
	}
	lead, err := c.lead(v)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return nil, err
	}
	return answering.Answer(f), nil
}

// Picked is what a rectangle of a picture covers.
type Picked struct {
	Filter string     // the text of a filter; "" if it covers nothing
	Focus  [2]*Period // of a comparison: where it moves the focus, as of Selection
}

// Select gives what a rectangle of the picture covers, as the text of a
// filter; "" if that is nothing.
func (c *OpenChart) Select(v View, shared Shared, r scene.Box) (string, error) {
	p, err := c.Pick(v, shared, r)
	return p.Filter, err
}

// Pick is Select with what else there is to say.
func (c *OpenChart) Pick(v View, shared Shared, r scene.Box) (p Picked, err error) {
	selectable, can := c.chart.(Selectable)
	if !can {
		return p, fmt.Errorf("%s: nothing can be selected in it", c.Definition.Name)
	}
	if err := v.Viewport.check(); err != nil {
		return p, err
	}
	lead, err := c.lead(v)
	if err != nil {
		return p, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return p, err
	}
	selection := selectable.Select(f, r)
	return Picked{c.text(selection), selection.Focus}, nil
}

// text writes a selection as a filter.
func (c *OpenChart) text(s Selection) string {
	var parts []string
	for i, dim := range c.Definition.Dimensions {
		name := strconv.Quote(c.Fields[i].Name)
		if ids := s.Entities[dim.Name]; len(ids) > 0 {
			of := c.w.Set.Entity(c.Fields[i].Field.Refers)
			if len(ids) > query.MostListed {
				ids = slices.Clone(ids)
				slices.Sort(ids)
				parts = append(parts, name+" in "+query.Pack(of, slices.Compact(ids)))
			} else {
				parts = append(parts, name+" in ["+strings.Join(c.w.mention(of, ids), ", ")+"]")
			}
		}
		if p, ok := s.Periods[dim.Name]; ok {
			parts = append(parts, p.text(name))
		}
	}
	if s.Events != nil {
		parts = append(parts, fmt.Sprintf("event in %d..%d", s.Events.From, s.Events.To))
	}
	if s.Filter != "" {
		parts = append(parts, s.Filter)
	}
	return strings.Join(parts, " and ")
}

// text writes a period as a filter of a field. The least integer cannot be
// written there, and need not be.
func (p Period) text(field string) string {
	if p.From == math.MinInt64 {
		return fmt.Sprintf("%s <= %d", field, p.To)
	}
	return fmt.Sprintf("%s in %d..%d", field, p.From, p.To)
}

// mention writes entities as a filter names them: by name where that is
// enough, and otherwise by number.
func (w *Workspace) mention(t *data.EntityTable, ids []data.EntityID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		switch {
		case w.Tree != nil && t == w.Tree.ContextTable:
			texts[i] = strconv.FormatInt(int64(w.Tree.OfContext(id)), 10)
		case t.Names == nil || w.ambiguous(t)[t.Names[id]]:
			texts[i] = strconv.FormatInt(int64(id), 10)
		default:
			texts[i] = strconv.Quote(t.Names[id])
		}
	}
	return texts
}

// ambiguous gives the names that several entities of a type have.
func (w *Workspace) ambiguous(t *data.EntityTable) map[string]bool {
	w.twins.Lock()
	defer w.twins.Unlock()
	if twins, ok := w.twins.of[t]; ok {
		return twins
	}
	seen, twins := make(map[string]bool, len(t.Names)), map[string]bool{}
	for _, name := range t.Names {
		if seen[name] {
			twins[name] = true
		}
		seen[name] = true
	}
	if w.twins.of == nil {
		w.twins.of = map[*data.EntityTable]map[string]bool{}
	}
	w.twins.of[t] = twins
	return twins
}

// lead gives by dimension the order of the chart to follow. It is asked for
// before this chart is locked: two charts may each follow the other, and must
// not wait for each other.
func (c *OpenChart) lead(v View) (map[string][]data.EntityID, error) {
	if v.Like == nil {
		return nil, nil
	}
	lead := map[string][]data.EntityID{}
	for i, dim := range c.Definition.Dimensions {
		if !c.Fields[i].Field.IsReference() {
			continue
		}
		var err error
		if lead[dim.Name], err = v.Like.orderOf(c.w.Set.Entity(c.Fields[i].Field.Refers), v.LikeSort); err != nil {
			return nil, err
		}
	}
	return lead, nil
}

// frame completes a view. lead is as lead gives it.
func (c *OpenChart) frame(v View, lead map[string][]data.EntityID, shared Shared) (Frame, error) {
	f := Frame{Viewport: v.Viewport, Dark: v.Dark, Groups: shared.Groups, Rows: v.Rows, Columns: v.Columns, First: v.First}
	for dim := range v.Sort {
		if c.Definition.dimension(dim) < 0 {
			return f, fmt.Errorf("%s: has no dimension %q to sort (it has %s)", c.Definition.Name, dim, c.Definition.dimensionNames())
		}
	}
	if c.Definition.Pair {
		err := c.frameSides(&f, shared)
		return f, err
	}
	selection, err := c.w.Filter(shared.Selection)
	if err != nil {
		return f, fmt.Errorf("selection: %w", err)
	}
	if c.Definition.Trace && selection != nil {
		if f.SelectedCalls, err = c.w.selectedCalls(c.calls, shared, selection, "", callsThat); err != nil {
			return f, err
		}
	}
	sorted, _ := c.chart.(Sorted)
	f.Orders = map[string][]data.EntityID{}
	for i, dim := range c.Definition.Dimensions {
		if !c.Fields[i].Field.IsReference() {
			continue
		}
		if sorted != nil {
			order, err := c.order(sorted, dim.Name, v.Sort)
			if err != nil {
				return f, err
			}
			if lead[dim.Name] != nil && order != nil {
				order = follow(order, lead[dim.Name], sorted.Entities(dim.Name))
			}
			f.Orders[dim.Name] = order
		}
		if selection != nil {
			if f.Selected == nil {
				f.Selected = map[string][]bool{}
			}
			if marks := selection.Entities(c.w.Set.Entity(c.Fields[i].Field.Refers)); marks != nil {
				f.Selected[dim.Name] = marks
			}
		}
	}
	return f, nil
}

// DefaultScheme sorts the charts whose definition says nothing about it.
const DefaultScheme = "amount"

// order sorts the entities of a dimension.
func (c *OpenChart) order(chart Sorted, dim string, sort map[string]string) ([]data.EntityID, error) {
	e := chart.Entities(dim)
	if e == nil {
		return nil, nil
	}
	scheme := sort[dim]
	if scheme == "" {
		scheme = c.Definition.Sort
	}
	if scheme == "" {
		scheme = DefaultScheme
	}
	key := dim + "\x00" + scheme
	order, known := c.orders[key]
	if !known {
		s, err := FindScheme(scheme)
		if err != nil {
			return nil, err
		}
		order = s.Order(c.w.Set, e)
		if c.done {
			c.orders[key] = order
		}
	}
	return order, nil
}

// orderOf is the order in which this chart shows entities of a type, nil if it
// shows none.
func (c *OpenChart) orderOf(t *data.EntityTable, sort map[string]string) ([]data.EntityID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sorted, ok := c.chart.(Sorted)
	if !ok {
		return nil, nil
	}
	for i, dim := range c.Definition.Dimensions {
		if c.Fields[i].Field.IsReference() && c.w.Set.Entity(c.Fields[i].Field.Refers) == t {
			return c.order(sorted, dim.Name, sort)
		}
	}
	return nil, nil
}

// follow puts what the leader shows first, in the leader's order.
func follow(order, leader []data.EntityID, e *Entities) []data.EntityID {
	out := make([]data.EntityID, 0, len(order))
	led := make([]bool, len(e.IDs))
	for _, id := range leader {
		if p := e.Find(id); p >= 0 {
			led[p] = true
			out = append(out, id)
		}
	}
	for _, id := range order {
		if !led[e.Find(id)] {
			out = append(out, id)
		}
	}
	return out
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
