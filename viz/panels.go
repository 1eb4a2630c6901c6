package viz

import (
	"fmt"

	"github.com/cambium-prof/cambium/data"
)

// What a page of panels asks before, and beside, a pass.

// Subjects lists the types of events that a chart can draw.
func (d Definition) Subjects(set *data.Set) []*data.EventTable {
	var fit []*data.EventTable
	if d.Pair {
		return nil
	}
	for _, t := range set.Events() {
		if _, err := d.Map(set, t, nil); err == nil {
			fit = append(fit, t)
		}
	}
	return fit
}

// Complete checks a specification and gives it its defaults. It tries whether
// a chart can be configured so, but needs no events.
func (w *Workspace) Complete(spec ChartSpec, groups int) (ChartSpec, error) {
	c, err := w.prepare(spec)
	if err != nil {
		return spec, err
	}
	return c.Spec, c.configure(groups)
}

// Opened gives a chart that has received all of its events, or nil: it never
// starts a pass.
func (w *Workspace) Opened(spec ChartSpec, shared Shared) (*OpenChart, error) {
	c, err := w.prepare(spec)
	if err != nil {
		return nil, err
	}
	return w.open.get(c.key(shared)), nil
}

// CheckShared says what is wrong with what all charts have in common.
func (w *Workspace) CheckShared(shared Shared) error {
	if len(shared.Groups) > maxGroups {
		return fmt.Errorf("there are %d colour groups, which are more than %d", len(shared.Groups), maxGroups)
	}
	if w.Comparison != nil {
		return w.Comparison.checkShared(w, shared)
	}
	if _, err := w.pass(shared); err != nil {
		return err
	}
	if _, err := w.sided(shared.Selection); err != nil {
		return fmt.Errorf("selection: %w", err)
	}
	return nil
}

// Pointed tells whether the chart can say what is under the pointer.
func (c *OpenChart) Pointed() bool {
	_, can := c.chart.(Pointed)
	return can
}

// Selectable tells whether something can be selected in the chart.
func (c *OpenChart) Selectable() bool {
	_, can := c.chart.(Selectable)
	return can
}
