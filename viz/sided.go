package viz

import (
	"context"
	"fmt"
	"slices"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
)

// Filters of a comparison of two profiles. Its events say what a context cost in
// A and in B: they have no thread, no time, nothing else that the events of both
// sides may have. A filter of such a field is decided by each side for itself,
// and the comparison's tree is then of events that are made, as those that it was
// built from, of what is left of both.
//
// Filters that must all hold are told apart: of "Context == 7 and Thread == x",
// the first is about the comparison, whose contexts have other ids than those of
// the sides, and the second about the sides.

// sided is a filter taken apart, each part the text of a filter or empty.
type sided struct {
	own    string // decided by the comparison's own contexts and events
	theirs string // decided by each side
}

// sided takes a filter apart. Of data sets that are no comparison, all of it is
// their own.
func (w *Workspace) sided(text string) (sided, error) {
	if _, err := w.Filter(text); err == nil || w.Difference == nil {
		return sided{own: text}, err
	}
	var own, theirs []string
	for _, part := range query.Conjuncts(text) {
		_, err := w.Filter(part)
		if err == nil {
			own = append(own, part)
			continue
		}
		if err := w.Difference.sidesDecide(w, part, err); err != nil {
			return sided{}, err
		}
		theirs = append(theirs, part)
	}
	return sided{query.AllOf(own), query.AllOf(theirs)}, nil
}

// sidesDecide says why the sides cannot decide a filter; not is why the
// comparison cannot.
func (d *Difference) sidesDecide(w *Workspace, text string, not error) error {
	var errs [2]error
	for side, of := range d.sides {
		_, errs[side] = of.Filter(text)
	}
	switch {
	case errs[0] != nil && errs[1] != nil:
		return not
	case errs[0] != nil:
		return fmt.Errorf("only B can be filtered so; %s: %w", titleOf(d.sides[0]), errs[0])
	case errs[1] != nil:
		return fmt.Errorf("only A can be filtered so; %s: %w", titleOf(d.sides[1]), errs[1])
	case query.Mentions(text, w.Tree.ContextTable.Name):
		return fmt.Errorf("filter: %q is about contexts of the comparison and about what only the events of A and B have: write two filters, or join them by \"and\"", text)
	}
	return nil
}

// amountsOf gives what is left of both sides by filters, as amounts of the nodes
// of their own trees.
func (d *Difference) amountsOf(ctx context.Context, filter string) (of amounts, err error) {
	for side, w := range d.sides {
		v, _, err := w.View(ctx, Look{Filter: filter})
		if err != nil {
			return of, fmt.Errorf("%s: %w", titleOf(w), err)
		}
		t := v.Tree
		for _, self := range t.Self {
			amounts := make([]int64, d.trees[side].Len())
			for n, amount := range self {
				amounts[t.ID(cct.NodeID(n))] = amount
			}
			of[side] = append(of[side], amounts)
		}
	}
	return of, nil
}

// eventsOf gives the comparison's events of what is left of both sides by a
// filter; all of them for none.
func (d *Difference) eventsOf(ctx context.Context, filter string) (*data.EventTable, error) {
	all := d.set.Events()[0]
	if filter == "" {
		return all, nil
	}
	of, err := d.amountsOf(ctx, filter)
	if err != nil {
		return nil, err
	}
	rows, columns, _ := d.rows(of)
	return all.Instead(rows, columns), nil
}

// eventsInstead gives the events that charts receive in place of the comparison's,
// if sides decide a part of the filter; otherwise nil.
func (w *Workspace) eventsInstead(ctx context.Context, shared Shared) (*data.EventTable, error) {
	if w.Difference == nil {
		return nil, nil
	}
	filter, err := w.sided(shared.Filter)
	if err != nil || filter.theirs == "" {
		return nil, err
	}
	return w.Difference.eventsOf(ctx, filter.theirs)
}

// ownFilter reads what a selection or a colour group says of the data set itself:
// nil, which is nothing, if a part of it is decided by the sides of a comparison.
func (w *Workspace) ownFilter(text string) (*query.Filter, error) {
	f, err := w.sided(text)
	if err != nil || f.theirs != "" {
		return nil, err
	}
	return w.Filter(f.own)
}

// FilterOfSides reads what a filter says of the comparison, and of each of its
// sides; all but the first are nil unless two profiles are compared.
func (w *Workspace) FilterOfSides(text string) (own *query.Filter, sides [2]*query.Filter, err error) {
	f, err := w.sided(text)
	if err != nil {
		return nil, sides, err
	}
	if f.theirs != "" {
		for side, of := range w.Difference.sides {
			if sides[side], err = of.Filter(f.theirs); err != nil {
				return nil, sides, err
			}
		}
	}
	own, err = w.Filter(f.own)
	return own, sides, err
}

// keep is [cct.Keep] of a filter that was taken apart, the last of those that
// each side decides being part of theirs already.
func (w *Workspace) keep(ctx context.Context, t *cct.Tree, root cct.NodeID, f sided, progress func(done, total int64)) (*cct.Tree, error) {
	base := t.Base()
	if f.theirs != "" {
		events, err := w.Difference.eventsOf(ctx, f.theirs)
		if err != nil {
			return nil, err
		}
		base = base.Measuring(events)
	}
	own, err := w.Filter(f.own)
	if err != nil {
		return nil, err
	}
	conditions := make([]*data.Condition, len(base.Measured()))
	if own != nil {
		if says := own.Measured(w.Tree); says != nil {
			conditions = says
		}
	}
	return cct.KeepOf(ctx, t, base, root, conditions, progress)
}

// KeepOfSides is of [query.Sides].
func (m made) KeepOfSides(ctx context.Context, t *cct.Tree, root cct.NodeID, filters []string, progress func(done, total int64)) (*cct.Tree, error) {
	if len(filters) == 0 {
		return t, nil
	}
	var f sided
	var theirs []string
	for _, text := range slices.Concat([]string{m.filter}, filters) {
		var err error
		if f, err = m.w.sided(text); err != nil {
			return nil, err
		}
		if f.theirs != "" {
			theirs = append(theirs, f.theirs)
		}
	}
	f.theirs = query.AllOf(theirs) // own is that of the last; t knows the others
	return m.w.keep(ctx, t, root, f, progress)
}
