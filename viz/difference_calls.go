package viz

import (
	"context"
	"fmt"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/trace"
)

// Where both profiles are traces, what is chosen in their common tree is chosen
// in both timelines: a filter is decided for the contexts of the comparison, and
// a call has the mark of its context. So ids of contexts, and names that are the
// same only for the comparison, mean in the traces what they mean in the tree.
//
// A filter of what the tree has not, such as threads and times, is decided by
// each trace.

// sideCalls prepares the calls of a side; d may be nil.
func (d *Difference) sideCalls(ctx context.Context, w, of *Workspace, side match.Side, shared Shared) (Calls, error) {
	if d != nil {
		if pass, err := w.pass(shared); err == nil {
			return of.calls(ctx, shared, pass, d.key(), d.marking(w, of, side))
		}
	}
	pass, err := of.pass(shared)
	if err != nil {
		return Calls{}, err
	}
	return of.calls(ctx, shared, pass, "", callsThat)
}

// sideSelection gives the positions of the selected calls of a side, as
// selectedCalls does.
func (d *Difference) sideSelection(w, of *Workspace, side match.Side, c Calls, shared Shared) ([]int32, error) {
	if d != nil {
		if selection, err := w.Filter(shared.Selection); err == nil {
			if selection == nil {
				return nil, nil
			}
			return of.selectedCalls(c, shared, selection, d.key(), d.marking(w, of, side))
		}
	}
	selection, err := of.Filter(shared.Selection)
	if err != nil || selection == nil {
		return nil, err
	}
	return of.selectedCalls(c, shared, selection, "", callsThat)
}

// key keeps apart what a side's workspace keeps for its own charts and for those
// of a comparison.
func (d *Difference) key() string { return fmt.Sprintf("%p:", d) }

// marking marks calls by what a filter says of the comparison's contexts.
func (d *Difference) marking(w, of *Workspace, side match.Side) marking {
	return func(ctx context.Context, t *trace.Trace, f *query.Filter) ([]bool, error) {
		marks := f.Entities(w.Tree.ContextTable)
		if marks == nil {
			return nil, nil
		}
		_, fields, ok := trace.FindCalls(of.Set)
		if !ok || fields.Context.Name == "" {
			return nil, nil // calls without contexts are all that they can be
		}
		keep := make([]bool, t.Len())
		err := t.Calls.Read(ctx, []data.Path{fields.Context}, func(b data.Batch) error {
			for i, c := range b.Columns[0].Refs {
				at := data.None
				if c != data.None {
					at = d.contextOf(side, of.Tree.OfContext(c))
				}
				keep[t.OfEvent(b.First+int64(i))] = at != data.None && marks[at]
			}
			return nil
		})
		return keep, err
	}
}

// contextOf is the comparison's context that a node of a side's tree is.
func (d *Difference) contextOf(side match.Side, n cct.NodeID) data.EntityID {
	return d.union.Context[side][n]
}
