package viz

import (
	"context"
	"fmt"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/trace"
)

// Run is one of the data sets of a comparison, to choose from.
type Run struct {
	Title   string
	Calls   int64
	Length  int64 // nanoseconds from the first start to the last stop
	Threads []trace.Thread
	// Similarity is that of all it does to all that the first run does (eq. 3 of
	// the whole traces); of the first one itself it is 1.
	Similarity float64
}

// Runs describes the data sets of a comparison, the first one first.
func (c *Comparison) Runs(ctx context.Context, p Pairing) ([]Run, error) {
	if err := c.check(p); err != nil {
		return nil, err
	}
	base, err := c.Sides[0].Trace(ctx)
	if err != nil {
		return nil, err
	}
	var runs []Run
	for i, w := range c.Sides {
		t, err := w.Trace(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Set.Name, err)
		}
		r := Run{Title: titleOf(w), Calls: int64(t.Len()), Length: t.To - t.From, Threads: t.Threads, Similarity: 1}
		if i > 0 {
			r.Similarity = match.Whole(base, t, p.names())
		}
		runs = append(runs, r)
	}
	return runs, nil
}
