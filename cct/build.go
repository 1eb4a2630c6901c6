package cct

import (
	"context"
	"fmt"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// Properties of amounts. A source recommends a metric by preferred. Of events
// that nest, an inclusive amount contains that of the events within, and an
// exclusive one does not.
const (
	preferred data.Property = "preferred"
	inclusive data.Property = "inclusive"
	exclusive data.Property = "exclusive"
)

// ErrNoContexts tells that a data set holds no calling contexts, so that there
// is no tree to build.
type ErrNoContexts struct{ Set string }

func (e *ErrNoContexts) Error() string {
	return fmt.Sprintf("%s: has no calling contexts (no event refers to an entity type with a hierarchy and a reference to a method)", e.Set)
}

// Measured is a type of event that metrics of a tree add up.
type Measured struct {
	Events  *data.EventTable
	First   int         // the first of its metrics
	Amounts []data.Path // what its metrics, in their order, are the sums of

	way data.Path // to the context
}

// Build makes the tree of a data set in one pass over its events. The
// contexts are the entity type with a hierarchy field and one more reference,
// to what its elements are named by (the method), to which an event type
// refers; the metrics are that event type's amounts. Events without amounts
// are counted. A context without a method is no frame: what was measured in it
// counts for its caller.
//
// Further event types that refer to the same contexts, and recommend one of
// their amounts, add metrics of their own, as the samples within a trace of
// calls do. Their names have the type's before them where they are taken.
//
// Of events that nest, which calls do, an inclusive amount is what the tree's
// totals come to by themselves: the exclusive one is added up and called like
// it, and the calls are counted.
func Build(ctx context.Context, set *data.Set) (*Tree, error) {
	events, contexts, way, ok := findContexts(set)
	if !ok {
		return nil, &ErrNoContexts{Set: set.Name}
	}
	parents := contexts.Columns[contexts.FieldWith(data.Hierarchy)].Refs
	methodField := methodOf(contexts)
	methods := set.Entity(contexts.Fields[methodField].Refers)

	t := &Tree{Methods: methods, rank: rankNames(methods.Names)}
	t.measure(set, events, way)
	for _, more := range set.Events() {
		if way, ok := wayTo(contexts, set, more); ok && more != events && recommends(more) {
			t.measure(set, more, way)
		}
	}

	d, rows := draftOf(parents, contexts.Columns[methodField].Refs)
	d.like, d.self = t, make([][]int64, len(t.Metrics))
	for m := range d.self {
		d.self[m] = make([]int64, len(d.parent))
	}
	saturated := false
	for _, by := range t.measured {
		err := by.Events.Read(ctx, append([]data.Path{by.way}, by.Amounts...), func(b data.Batch) error {
			at := b.Columns[0].Refs
			if rows != nil {
				moved := make([]data.EntityID, len(at))
				for i, c := range at {
					moved[i] = data.EntityID(rows[c+1]) - 1
				}
				at = moved
			}
			for m := range by.Amounts {
				self, values := d.self[by.First+m], b.Columns[1+m].Values
				for i, c := range at {
					sum, ok := addSaturating(self[c+1], values[i])
					self[c+1] = sum
					saturated = saturated || !ok
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	built, place := arrange(d)
	built.set, built.measured = set, t.measured
	built.contexts, built.ContextTable = place[1:], contexts
	if rows != nil {
		built.contexts = make([]NodeID, len(parents))
		for i, row := range rows[1:] {
			built.contexts[i] = place[row]
		}
	}
	built.Saturated = built.Saturated || saturated
	return built, nil
}

// measure adds the metrics of a type of event.
func (t *Tree) measure(set *data.Set, events *data.EventTable, way data.Path) {
	by := Measured{Events: events, First: len(t.Metrics), way: way}
	add := func(p data.Path, m Metric) int {
		if _, taken := t.Metric(m.Name); taken {
			m.Name = events.Definition.Name + " " + m.Name
		}
		t.Metrics = append(t.Metrics, m)
		by.Amounts = append(by.Amounts, p)
		return len(t.Metrics) - 1
	}
	var whole data.Path
	for _, p := range set.Paths(events.Definition) {
		switch {
		case !p.Direct() || !p.Field.Has(data.Amount):
		case p.Field.Has(inclusive):
			whole = p
		default:
			m := add(p, Metric{Name: p.Field.Name, Unit: p.Field.Unit, Description: p.Field.Description})
			if p.Field.Has(preferred) && by.First == 0 {
				t.Preferred = m
			}
		}
	}
	if whole.Name != "" {
		for i, p := range by.Amounts {
			if p.Field.Has(exclusive) && p.Field.Unit == whole.Field.Unit {
				own := &t.Metrics[by.First+i]
				own.Name, own.Description = whole.Name, whole.Field.Description
				break
			}
		}
		add(data.Count, Metric{Name: "calls", Unit: "count", Description: "number of calls"})
	}
	if len(by.Amounts) == 0 {
		add(data.Count, Metric{Name: "count", Unit: "count", Description: "number of events"})
	}
	t.measured = append(t.measured, by)
}

// recommends reports whether one of the amounts of the events is one to look at
// first: other events with stacks are details.
func recommends(events *data.EventTable) bool {
	return slices.ContainsFunc(events.Fields, func(f data.Field) bool { return f.Has(data.Amount) && f.Has(preferred) })
}

// wayTo is the way from events to contexts.
func wayTo(contexts *data.EntityTable, set *data.Set, events *data.EventTable) (data.Path, bool) {
	for _, p := range set.Paths(events.Definition) {
		if p.Field.IsReference() && set.Entity(p.Field.Refers) == contexts {
			return p, true
		}
	}
	return data.Path{}, false
}

// draftOf gives the rows of contexts, without values: that of context c is
// rows[c+1], or simply c+1 if rows is nil; row 0 is the root. Contexts without
// a method have the row of their caller.
func draftOf(parents, methods []data.EntityID) (d draft, rows []NodeID) {
	n := len(parents) + 1
	d = draft{parent: make([]NodeID, n), method: make([]data.EntityID, n)}
	d.parent[0], d.method[0] = NoNode, data.None
	if !slices.Contains(methods, data.None) {
		for i, p := range parents {
			d.parent[i+1] = NodeID(p + 1) // None + 1 is the root's row
		}
		copy(d.method[1:], methods)
		return d, nil
	}
	rows = make([]NodeID, n)
	next := NodeID(1)
	for i, p := range parents {
		if methods[i] == data.None {
			rows[i+1] = rows[p+1]
			continue
		}
		d.parent[next], d.method[next], rows[i+1] = rows[p+1], methods[i], next
		next++
	}
	d.parent, d.method = d.parent[:next], d.method[:next]
	return d, rows
}

// findContexts finds the event type that refers to calling contexts, that
// entity type, and the way from one to the other.
//
// If there are several, it is the first that has an amount; what can only be
// counted says less of a program.
func findContexts(set *data.Set) (events *data.EventTable, contexts *data.EntityTable, way data.Path, ok bool) {
	var measured, counted []*data.EventTable
	for _, e := range set.Events() {
		if e.FieldWith(data.Amount) >= 0 {
			measured = append(measured, e)
		} else {
			counted = append(counted, e)
		}
	}
	for _, e := range append(measured, counted...) {
		for _, p := range set.Paths(e.Definition) {
			if !p.Field.IsReference() {
				continue
			}
			t := set.Entity(p.Field.Refers)
			if t == nil || t.FieldWith(data.Hierarchy) < 0 || methodOf(t) < 0 {
				continue
			}
			// Without any method there are no names, but there can be costs.
			if methods := set.Entity(t.Fields[methodOf(t)].Refers); methods.Names != nil || methods.Rows() == 0 {
				return e, t, p, true
			}
		}
	}
	return nil, nil, data.Path{}, false
}

// methodOf gives the field of a context type that names its elements: its
// first reference that is not the hierarchy, or -1.
func methodOf(t *data.EntityTable) int {
	for i, f := range t.Fields {
		if f.IsReference() && !f.Has(data.Hierarchy) {
			return i
		}
	}
	return -1
}
