package viz

import (
	"context"
	"sync"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// Facet is a way to take a data set apart that is not its calling contexts:
// threads, processes, the values of a label. A person switches between the
// values, or looks at several.
type Facet struct {
	Field  string // as filters name it
	Values []FacetValue
	Others int // values that are not listed, because there are so many
	// Unit is that of the amounts.
	Unit data.Unit
	// Whole is the sum over all events; Without is the part of those that have no value.
	Whole, Without int64
}

// FacetValue is one entity, with what its events amount to.
type FacetValue struct {
	Name    string
	Amount  int64
	Mention string // how a filter names it
}

// mostValues is how many values of a facet are listed, the largest ones.
const mostValues = 200

// mostEntities bounds a facet: a type with more entities than that is nothing
// that a person switches between.
const mostEntities = 1 << 20

// facets keeps what was found, by metric.
type facets struct {
	mu sync.Mutex
	of map[string][]Facet
}

// Facets gives the ways to take the events apart that a metric of the data set's
// tree is of, with their sums of it; "" is the preferred one. Those with
// fewer than two values are left out. It costs one pass over the events, once.
func (w *Workspace) Facets(ctx context.Context, metric string) ([]Facet, error) {
	if w.Tree == nil {
		return nil, nil
	}
	index, ok := w.Tree.Metric(metric)
	if !ok {
		return nil, nil
	}
	w.facets.mu.Lock()
	defer w.facets.mu.Unlock()
	if found, ok := w.facets.of[w.Tree.Metrics[index].Name]; ok {
		return found, nil
	}
	events, amount := w.Tree.Amount(index)
	var sums []*facetSums
	var uses []Use
	for _, p := range w.facetPaths(events) {
		s := &facetSums{path: p, entities: NewEntities(w.Set.Entity(p.Field.Refers), w.Names())}
		sums = append(sums, s)
		uses = append(uses, Use{Chart: s, Subject: events, Fields: []data.Path{p, amount}})
	}
	if err := (Pass{}).Run(ctx, uses); err != nil {
		return nil, err
	}
	var found []Facet
	for _, s := range sums {
		if f := w.facet(s, w.Tree.Total[index][cct.Root]); len(f.Values) > 1 || len(f.Values) == 1 && f.Without != 0 {
			f.Unit = amount.Field.Unit
			found = append(found, f)
		}
	}
	if w.facets.of == nil {
		w.facets.of = map[string][]Facet{}
	}
	w.facets.of[w.Tree.Metrics[index].Name] = found
	return found, nil
}

// facetPaths are the references of events to anything but contexts and methods,
// and what is reached through these.
func (w *Workspace) facetPaths(events *data.EventTable) []data.Path {
	var paths []data.Path
	for _, p := range w.Set.Paths(events.Definition) {
		if p.IsCount() || !p.Field.IsReference() {
			continue
		}
		t := w.Set.Entity(p.Field.Refers)
		first := w.Set.Entity(events.Definition.Fields[p.Start()].Refers)
		if t == nil || t == w.Tree.Methods || first == w.Tree.ContextTable || first == w.Tree.Methods || t.Rows() > mostEntities {
			continue
		}
		paths = append(paths, p)
	}
	return paths
}

func (w *Workspace) facet(s *facetSums, whole int64) Facet {
	e := s.entities
	f := Facet{Field: s.path.Name, Whole: whole, Without: whole}
	for _, v := range e.Amounts {
		f.Without -= v
	}
	ids := byAmount(nil, e)
	if len(ids) > mostValues {
		f.Others = len(ids) - mostValues
		ids = ids[:mostValues]
	}
	texts := w.mention(e.Table, ids)
	for i, id := range ids {
		f.Values = append(f.Values, FacetValue{Name: e.Name(id), Amount: e.Amounts[e.Find(id)], Mention: texts[i]})
	}
	return f
}

// facetSums adds up an amount by entity.
type facetSums struct {
	path     data.Path
	entities *Entities
}

func (s *facetSums) Batch(b Batch) error {
	values := b.Columns[1].Values
	for i, id := range b.Columns[0].Refs {
		if id != data.None {
			s.entities.Add(s.entities.Position(id), values[i])
		}
	}
	return nil
}

// Additive: the values are sums, in whatever portions they come.
func (s *facetSums) Additive() (bins map[int]int64, ok bool) { return nil, true }
