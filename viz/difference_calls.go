package viz

import (
	"context"
	"fmt"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/trace"
)

// Where both profiles are traces, what is chosen in their common tree is chosen
// in both timelines: a filter is decided for the contexts of the comparison, and
// a call has the mark of its context. So ids of contexts, and names that are the
// same only for the comparison, mean in the traces what they mean in the tree.
//
// What of a filter only the traces can decide, such as threads and times, is
// decided by each trace (see sided).

// sideCalls prepares the calls of a side; d may be nil.
func (d *Difference) sideCalls(ctx context.Context, w, of *Workspace, side match.Side, shared Shared) (Calls, error) {
	if d == nil {
		return of.calls(ctx, shared, "", of.callsThat)
	}
	return of.calls(ctx, shared, d.key(), d.marking(w, of, side))
}

// sideSelection gives the positions of the selected calls of a side, as
// selectedCalls does.
func (d *Difference) sideSelection(w, of *Workspace, side match.Side, c Calls, shared Shared) ([]int32, error) {
	if d == nil {
		return of.selectedCalls(c, shared, "", of.callsThat)
	}
	return of.selectedCalls(c, shared, d.key(), d.marking(w, of, side))
}

// key keeps apart what a side's workspace keeps for its own charts and for those
// of a comparison.
func (d *Difference) key() string { return fmt.Sprintf("%p:", d) }

// marking marks calls by what a filter says of the comparison's contexts, and of
// the calls of the side.
func (d *Difference) marking(w, of *Workspace, side match.Side) marking {
	return func(ctx context.Context, t *trace.Trace, text string) ([]bool, error) {
		parts, err := w.sided(text)
		if err != nil {
			return nil, err
		}
		keep, err := d.markContexts(ctx, w, of, side, t, parts.own)
		if err != nil || parts.theirs == "" {
			return keep, err
		}
		theirs, err := of.callsThat(ctx, t, parts.theirs)
		if err != nil || theirs == nil {
			return keep, err
		}
		for i := range keep {
			theirs[i] = theirs[i] && keep[i]
		}
		return theirs, nil
	}
}

// markContexts marks calls whose contexts a filter keeps; nil if it keeps all.
func (d *Difference) markContexts(ctx context.Context, w, of *Workspace, side match.Side, t *trace.Trace, text string) ([]bool, error) {
	f, err := w.Filter(text)
	if err != nil || f == nil {
		return nil, err
	}
	marks := f.Entities(w.Tree.ContextTable)
	_, fields, ok := trace.FindCalls(of.Set)
	if marks == nil || !ok || fields.Context.Name == "" {
		return nil, nil // calls without contexts are all that they can be
	}
	keep := make([]bool, t.Len())
	err = t.Calls.Read(ctx, []data.Path{fields.Context}, func(b data.Batch) error {
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

// contextOf is the comparison's context that a node of a side's tree is.
func (d *Difference) contextOf(side match.Side, n cct.NodeID) data.EntityID {
	return d.union.Context[side][n]
}
