package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// A filter as a step of a pipeline. It is about events, wherever it stands: of
// those that the steps before it leave, it keeps the ones for which it holds.
// Contexts that no kept event reached go, and amounts are those of what is kept.
// Names and ids in it are those of the data set, whatever the steps before it
// merged.
//
// So its place says what the shape of the tree was made from. Subtrees, recursion
// and methods are the same for a part of the events and for all of them: a
// filter can change places with these. Compaction looks at which contexts there
// are, and at what they cost if it is to explain that: before it, a filter
// decides what there is to compact; after it, nodes stay as all events made them,
// and show the part of them that is kept.

// filterEscapes are the signs that a filter does not have in the text of a
// pipeline: the one that ends a step, and the one that escapes it.
var filterEscapes = strings.NewReplacer("%", "%25", ",", "%2C")

func escapeFilter(text string) string { return filterEscapes.Replace(text) }

// unescapeFilter reads what escapeFilter wrote. Other uses of % are as written:
// people do not escape what needs it not.
func unescapeFilter(text string) (string, error) {
	text = strings.TrimSpace(strings.NewReplacer("%25", "%", "%2C", ",", "%2c", ",").Replace(text))
	if text == "" {
		return "", fmt.Errorf("expected filter:EXPRESSION")
	}
	return text, nil
}

// FilterStep keeps the events for which an expression holds.
func FilterStep(text string) Step { return Step{Kind: Keep, Text: strings.TrimSpace(text)} }

// filtered makes the tree of a filter, the last step of p, from what the steps
// before it leave. It is the same tree if the filter says nothing about the
// events that it is made from.
func (p Pipeline) filtered(ctx context.Context, v cct.View, trees Trees) (*cct.Tree, error) {
	step := p[len(p)-1]
	work := func(ctx context.Context, progress func(done, total int64)) (*cct.Tree, error) {
		conditions, err := eventsOf(step.Text, v.Tree)
		if err != nil {
			if sides, ok := trees.(Sides); ok {
				return sides.KeepOfSides(ctx, v.Tree, v.Root, p.filters(), progress)
			}
		}
		if err != nil || conditions == nil {
			return v.Tree, err
		}
		return cct.Keep(ctx, v.Tree, v.Root, conditions, progress)
	}
	var t *cct.Tree
	var err error
	if trees != nil {
		t, err = trees.Filtered(ctx, p.making(), work)
	} else {
		t, err = work(ctx, nil)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("step %q: %w", step, err)
	}
	return t, err
}

// Sides are [Trees] of a data set that is made of others, its sides, whose events
// have more to filter by. They are asked to do what a filter says that the data
// set's own events cannot decide.
type Sides interface {
	// KeepOfSides is [cct.Keep] of the last of the filters of a pipeline; the tree
	// is what the others, and all steps between them, left.
	KeepOfSides(ctx context.Context, t *cct.Tree, root cct.NodeID, filters []string, progress func(done, total int64)) (*cct.Tree, error)
}

// filters are the texts of the filters of a pipeline.
func (p Pipeline) filters() []string {
	var texts []string
	for _, s := range p.Filters() {
		texts = append(texts, s.Text)
	}
	return texts
}

// eventsOf gives the tests of a filter for the events that a tree is made from.
func eventsOf(text string, t *cct.Tree) ([]*data.Condition, error) {
	f, err := ParseFilter(text, t.Set(), t.Base())
	if err != nil {
		return nil, err
	}
	return f.Measured(t), nil
}

// Measured gives the tests for the types of events that a tree is made from, as
// [cct.Keep] takes them; nil if the filter says nothing about any of them.
func (f *Filter) Measured(t *cct.Tree) []*data.Condition {
	var conditions []*data.Condition
	says := false
	for _, by := range t.Measured() {
		var condition *data.Condition
		if mask := f.Events(by.Events.Definition); mask != nil {
			condition, says = mask.Condition, true
		}
		conditions = append(conditions, condition)
	}
	if !says {
		return nil
	}
	return conditions
}

// Filters are the filters of a pipeline, without the other steps: what they
// leave of everything is what shares are of.
func (p Pipeline) Filters() Pipeline {
	var filters Pipeline
	for _, s := range p {
		if s.Kind == Keep {
			filters = append(filters, s)
		}
	}
	return filters
}
