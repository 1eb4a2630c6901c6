package cct

import (
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// Keep makes the tree of a part of a data set's events, as seen through a tree
// and below a root of it: the contexts that the kept events reached, with what
// those events cost. A context is left if a kept event was measured in it or in
// what it calls, a node if one of its contexts is; the root always is. Which
// contexts are one node stays as it is in t.
//
// Conditions are by type of measured event (see [Tree.Measured]); nil keeps all
// events of a type. If t itself is of a part of the events, it is a part of
// these. progress, which may be nil, is told how many events are done.
func Keep(ctx context.Context, t *Tree, root NodeID, conditions []*data.Condition, progress func(done, total int64)) (*Tree, error) {
	return KeepOf(ctx, t, t.Base(), root, conditions, progress)
}

// Measuring gives the data set's own tree with other events in place of those
// that it was built from, for [KeepOf]. It must be built from one type of events,
// and that is theirs. Amounts and order of siblings are still of all events.
func (t *Tree) Measuring(events *data.EventTable) *Tree {
	b := t.Base()
	measured := slices.Clone(b.measured)
	measured[0].Events = events
	return &Tree{
		Parent: b.Parent, End: b.End, Depth: b.Depth, Height: b.Height, Method: b.Method,
		Metrics: b.Metrics, Preferred: b.Preferred, Self: b.Self, Total: b.Total,
		Methods: b.Methods, ContextTable: b.ContextTable, Negative: b.Negative, Saturated: b.Saturated,
		set: b.set, measured: measured, rank: b.rank, contexts: b.contexts, orders: make([]orders, len(b.orders)),
	}
}

// KeepOf is Keep with the events of another base, which has the same contexts
// (see [Tree.Measuring]). That is the base of the tree that it makes.
func KeepOf(ctx context.Context, t, base *Tree, root NodeID, conditions []*data.Condition, progress func(done, total int64)) (*Tree, error) {
	conditions = slices.Clone(conditions)
	for i, kept := range t.kept {
		switch {
		case conditions[i] == nil:
			conditions[i] = kept
		case kept != nil:
			conditions[i] = &data.Condition{Op: data.AllOf, Of: []*data.Condition{kept, conditions[i]}}
		}
	}
	end := t.End[root]
	rows := int(end - root) // nodes that there are; the n-th of them is root + n
	self := make([][]int64, len(t.Self))
	for m := range self {
		self[m] = make([]int64, rows)
	}
	// Where an event of a context goes; what was measured with an empty stack
	// goes to a root that stands for it, and not to one that a step put there.
	in := func(id NodeID) (NodeID, bool) {
		n, ok := t.Node(id)
		return n, ok && n >= root && n < end && (n != root || t.MergedInto(n) > 0)
	}
	reached := make([]bool, base.Len()) // by id
	marks := make([]bool, data.BatchRows)
	cut := false
	var done int64
	for i, by := range base.measured {
		decide, paths := by.decider(base.set, conditions[i])
		own := 1 + len(by.Amounts)
		err := by.Events.Read(ctx, append(append([]data.Path{by.way}, by.Amounts...), paths...), func(b data.Batch) error {
			marks := marks[:b.Rows]
			decide(data.Batch{First: b.First, Rows: b.Rows, Columns: b.Columns[own:]}, marks)
			for i, c := range b.Columns[0].Refs {
				if !marks[i] {
					continue
				}
				id := Root
				if c != data.None {
					id = base.contexts[c]
				}
				n, ok := in(id)
				if !ok {
					continue
				}
				reached[id] = true
				for m := range by.Amounts {
					at := &self[by.First+m][n-root]
					sum, ok := addSaturating(*at, b.Columns[1+m].Values[i])
					*at = sum
					cut = cut || !ok
				}
			}
			if done += int64(b.Rows); progress != nil {
				progress(done, base.EventRows())
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	// Callers come before what they call: backwards, a context is reached if
	// anything it calls is.
	for id := len(reached) - 1; id > 0; id-- {
		if reached[id] {
			reached[base.Parent[id]] = true
		}
	}
	merged := make([]uint32, rows)
	origin := make([]NodeID, rows)
	left := make([]bool, rows)
	fill(origin, NoNode)
	for id := range base.Len() {
		if n, ok := in(NodeID(id)); ok && reached[id] {
			merged[n-root]++
			origin[n-root] = min(origin[n-root], NodeID(id))
			left[n-root] = true
		}
	}
	for n := rows - 1; n > 0; n-- {
		if up := t.Parent[root+NodeID(n)]; left[n] {
			left[up-root] = true
		}
	}
	left[0] = true
	if origin[0] == NoNode {
		origin[0] = t.ID(root)
	}
	row := make([]NodeID, rows) // of the draft
	d := draft{like: t, self: make([][]int64, len(self))}
	kept := 0
	for n := range rows {
		row[n] = NoNode
		if !left[n] {
			continue
		}
		row[n] = NodeID(kept)
		parent := NoNode
		if n > 0 {
			parent = row[t.Parent[root+NodeID(n)]-root]
		}
		d.parent = append(d.parent, parent)
		d.method = append(d.method, t.Method[root+NodeID(n)])
		for m := range self {
			d.self[m] = append(d.self[m], self[m][n])
		}
		origin[kept], merged[kept] = origin[n], merged[n]
		kept++
	}
	out, place := arrange(d)
	out.base, out.kept = base, conditions
	out.Saturated = out.Saturated || cut
	out.Origin = make([]NodeID, kept)
	out.Merged = make([]uint32, kept)
	for r, at := range place {
		out.Origin[at], out.Merged[at] = origin[r], merged[r]
	}
	if !slices.ContainsFunc(out.Merged, func(n uint32) bool { return n != 1 }) {
		out.Merged = nil
	}
	out.image = make([]NodeID, base.Len())
	for id := range out.image {
		out.image[id] = NoNode
		if n, ok := in(NodeID(id)); ok && reached[id] {
			out.image[id] = place[row[n-root]]
		}
	}
	// The root answers to what it did, whether an event reached it or not.
	out.image[out.Origin[Root]] = Root
	return out, nil
}

// decider marks the events for which a condition holds, of columns that are
// those of paths; all of them without a condition.
func (by *Measured) decider(set *data.Set, condition *data.Condition) (decide func(b data.Batch, marks []bool), paths []data.Path) {
	if condition == nil {
		return func(_ data.Batch, marks []bool) {
			for i := range marks {
				marks[i] = true
			}
		}, nil
	}
	column := map[int]int{} // field -> column of a batch
	for _, field := range condition.Fields(nil) {
		p, _ := set.Path(by.Events.Definition, by.Events.Fields[field].Name)
		column[field] = len(paths)
		paths = append(paths, p)
	}
	decider := data.Decider{Condition: condition}
	return func(b data.Batch, marks []bool) {
		decider.Decide(b.First, marks, func(field int) data.Column { return b.Columns[column[field]] })
	}, paths
}
