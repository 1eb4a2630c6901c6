package viz

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
)

// TraceChart is a chart that draws the calls of a trace. It is asked as charts
// of events are, but receives no events: the workspace builds the trace once,
// for all charts and however often they are looked at.
type TraceChart interface {
	Chart
	Scene(Frame) (*scene.Scene, error)
}

// Calls are what a chart of traces draws.
type Calls struct {
	Trace *trace.Trace
	// Levels are the calls that the filter keeps.
	Levels *trace.Levels
	// Groups is the colour group per call: 0 for none, g for group g-1. It is
	// nil if there are no groups.
	Groups []uint8
}

// Values of Dimension.Call.
const (
	CallStart   = "start"
	CallMethod  = "method"
	CallThread  = "thread"
	CallContext = "context"
)

var callFields = []string{CallStart, CallMethod, CallThread, CallContext}

// callField gives the field of calls that the dimension stands for, if the
// subject is calls and has it.
func (d Dimension) callField(set *data.Set, subject *data.EventTable) []data.Path {
	calls, fields, ok := trace.FindCalls(set)
	if !ok || calls != subject {
		return nil
	}
	p := map[string]data.Path{CallStart: fields.Start, CallMethod: fields.Method, CallThread: fields.Thread, CallContext: fields.Context}[d.Call]
	if p.Name == "" {
		return nil
	}
	return []data.Path{p}
}

// traces keeps the trace of a data set, and what filters, groups and selections
// made of it.
type traces struct {
	mu    sync.Mutex
	trace *trace.Trace

	levels   recent[*trace.Levels]
	groups   recent[[]uint8]
	selected recent[[]int32]
}

// Trace gives the trace of the data set. It is built when it is first asked
// for.
func (w *Workspace) Trace(ctx context.Context) (*trace.Trace, error) {
	w.traces.mu.Lock()
	defer w.traces.mu.Unlock()
	if w.traces.trace == nil {
		t, err := trace.Build(ctx, w.Set)
		if err != nil {
			return nil, err
		}
		w.traces.trace = t
	}
	return w.traces.trace, nil
}

// marking marks the calls that a filter keeps; nil if it keeps all.
type marking func(ctx context.Context, t *trace.Trace, filter string) ([]bool, error)

// calls prepares what charts of traces draw. What marks calls by the same filters
// in another way has another key.
func (w *Workspace) calls(ctx context.Context, shared Shared, by string, mark marking) (c Calls, err error) {
	if c.Trace, err = w.Trace(ctx); err != nil {
		return c, err
	}
	c.Levels, err = w.traces.levels.get(by+strings.TrimSpace(shared.Filter), func() (*trace.Levels, error) {
		keep, err := mark(ctx, c.Trace, shared.Filter)
		if err != nil {
			return nil, err
		}
		return trace.NewLevels(c.Trace, keep), nil
	})
	if err != nil {
		return c, err
	}
	var key strings.Builder
	key.WriteString(by)
	for _, g := range shared.Groups {
		fmt.Fprintf(&key, "%v%d:%s", g.Hidden, len(g.Filter), g.Filter)
	}
	c.Groups, err = w.traces.groups.get(key.String(), func() ([]uint8, error) { return callGroups(ctx, c.Trace, shared.Groups, mark) })
	return c, err
}

// callsThat is the marking of a trace by itself.
func (w *Workspace) callsThat(ctx context.Context, t *trace.Trace, filter string) ([]bool, error) {
	f, err := w.Filter(filter)
	if err != nil {
		return nil, err
	}
	return callsThat(ctx, t, f)
}

// callsThat marks the calls that a filter keeps; nil if it keeps all.
func callsThat(ctx context.Context, t *trace.Trace, f *query.Filter) ([]bool, error) {
	mask := f.Events(t.Calls.Definition)
	if mask == nil {
		return nil, nil
	}
	keep := make([]bool, t.Len())
	marks := make([]bool, data.BatchRows)
	err := t.Calls.Read(ctx, mask.Paths, func(b data.Batch) error {
		mask.Apply(b, marks[:b.Rows])
		for i, in := range marks[:b.Rows] {
			keep[t.OfEvent(b.First+int64(i))] = in
		}
		return nil
	})
	return keep, err
}

func callGroups(ctx context.Context, t *trace.Trace, groups []Group, mark marking) ([]uint8, error) {
	var colors []uint8
	groups = groups[:min(len(groups), maxGroups)]
	// Backwards, so that the first group that holds has the last word.
	for g := len(groups) - 1; g >= 0; g-- {
		if groups[g].Hidden {
			continue
		}
		keep, err := mark(ctx, t, groups[g].Filter)
		if err != nil {
			return nil, err
		}
		if keep != nil && colors == nil {
			colors = make([]uint8, t.Len())
		}
		for c, in := range keep {
			if in {
				colors[c] = uint8(g + 1)
			}
		}
	}
	return colors, nil
}

// selectedCalls gives the positions of the selected calls; nil if the selection
// says nothing about calls.
func (w *Workspace) selectedCalls(c Calls, shared Shared, by string, mark marking) ([]int32, error) {
	if strings.TrimSpace(shared.Selection) == "" {
		return nil, nil
	}
	key := fmt.Sprintf("%s%d:%s%s", by, len(shared.Filter), shared.Filter, shared.Selection)
	return w.traces.selected.get(key, func() ([]int32, error) {
		marks, err := mark(context.Background(), c.Trace, shared.Selection)
		if err != nil || marks == nil {
			return nil, err
		}
		positions := []int32{}
		for i := range c.Levels.Len() {
			if marks[c.Levels.Call(i)] {
				positions = append(positions, int32(i))
			}
		}
		return positions, nil
	})
}
