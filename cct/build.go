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

// Build makes the tree of a data set in one pass over its events. The
// contexts are the entity type with a hierarchy field and one more reference,
// to what its elements are named by (the method), to which an event type
// refers; the metrics are that event type's amounts. Events without amounts
// are counted. A context without a method is no frame: what was measured in it
// counts for its caller.
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
	paths := append([]data.Path{way}, t.measure(set, events)...)
	counting := len(t.Metrics) == 0
	if counting {
		t.Metrics = []Metric{{Name: "count", Unit: "count", Description: "number of events"}}
	}

	d, rows := draftOf(parents, contexts.Columns[methodField].Refs)
	d.like, d.self = t, make([][]int64, len(t.Metrics))
	for m := range d.self {
		d.self[m] = make([]int64, len(d.parent))
	}
	saturated := false
	err := events.Read(ctx, paths, func(b data.Batch) error {
		at := b.Columns[0].Refs
		if rows != nil {
			moved := make([]data.EntityID, len(at))
			for i, c := range at {
				moved[i] = data.EntityID(rows[c+1]) - 1
			}
			at = moved
		}
		for m, self := range d.self {
			var values []int64
			if !counting {
				values = b.Columns[1+m].Values
			}
			for i, c := range at {
				v := int64(1)
				if values != nil {
					v = values[i]
				}
				sum, ok := addSaturating(self[c+1], v)
				self[c+1] = sum
				saturated = saturated || !ok
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	built, place := arrange(d)
	built.set, built.events, built.way, built.amounts = set, events, way, paths[1:]
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

// measure sets the metrics of a tree, and gives the amount of each.
func (t *Tree) measure(set *data.Set, events *data.EventTable) []data.Path {
	var amounts []data.Path
	var whole data.Path
	for _, p := range set.Paths(events.Definition) {
		switch {
		case !p.Direct() || !p.Field.Has(data.Amount):
		case p.Field.Has(inclusive):
			whole = p
		default:
			if p.Field.Has(preferred) {
				t.Preferred = len(t.Metrics)
			}
			t.Metrics = append(t.Metrics, Metric{Name: p.Field.Name, Unit: p.Field.Unit, Description: p.Field.Description})
			amounts = append(amounts, p)
		}
	}
	if whole.Name == "" {
		return amounts
	}
	for m, p := range amounts {
		if p.Field.Has(exclusive) && p.Field.Unit == whole.Field.Unit {
			t.Metrics[m].Name, t.Metrics[m].Description = whole.Name, whole.Field.Description
			break
		}
	}
	t.Metrics = append(t.Metrics, Metric{Name: "calls", Unit: "count", Description: "number of calls"})
	return append(amounts, data.Count)
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
func findContexts(set *data.Set) (events *data.EventTable, contexts *data.EntityTable, way data.Path, ok bool) {
	for _, e := range set.Events() {
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
