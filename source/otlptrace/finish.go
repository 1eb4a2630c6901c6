package otlptrace

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

const (
	typeTrace  = "Trace"
	typeKind   = "Kind"
	typeStatus = "Status"
)

// finish finds callers, contexts and lanes, defines all types and hands on the
// calls.
func (r *reader) finish() error {
	if r.unusable > 0 {
		r.b.Warn("%d spans have no id or no time, and were left out", r.unusable)
	}
	r.traces, r.names, r.byProcess = nil, nil, nil
	spans := r.spans.Rows()
	profile := source.NewProfile(r.b, symbol.Native, 0) // the package of a method is its service
	waiting, err := (&callers{r: r, profile: profile}).find()
	if err != nil {
		return err
	}
	calls := newCalls(r.b, spans, len(r.processes))
	if err := calls.place(r.ctx, profile.Contexts, waiting); err != nil {
		return err
	}
	if calls.placed > 0 {
		r.b.Warn("%d spans overlap another one of their caller, or are not within its time: they are in lanes of their own, and the totals of callers count each of them", calls.placed)
	}
	if err := profile.Define(); err != nil {
		return err
	}
	threads, err := r.threads(calls)
	if err != nil {
		return err
	}
	return r.define(calls, threads)
}

// threads defines processes and threads, and gives the thread of each lane.
func (r *reader) threads(c *calls) (threads []data.EntityID, err error) {
	processType, err := r.b.EntityType(source.TypeProcess, "a service, or an instance of it")
	if err != nil {
		return nil, err
	}
	threadType, err := r.b.EntityType(source.TypeThread, "a lane of a service, in which spans do not overlap",
		data.Ref("Process", source.TypeProcess, "the service of the lane"))
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, p := range r.processes {
		count[p.Title()]++
	}
	threads = make([]data.EntityID, c.count)
	for i, p := range r.processes {
		name := p.Title()
		if count[name] > 1 {
			name += " (" + cmp.Or(p.Instance, "no instance") + ")"
		}
		row, err := processType.Add(strings.ToValidUTF8(name, "\uFFFD"))
		if err != nil {
			return nil, err
		}
		for n, lane := range c.of[i].lanes {
			if threads[lane], err = threadType.Add(fmt.Sprintf("lane %d", n+1), int64(row)); err != nil {
				return nil, err
			}
		}
	}
	return threads, nil
}

// define defines the other types, and makes events of the calls.
func (r *reader) define(c *calls, threads []data.EntityID) error {
	traces := make([]string, len(r.traceIDs))
	for i, id := range r.traceIDs {
		traces[i] = hex.EncodeToString(id[:])
	}
	r.traceIDs = nil
	for _, t := range []struct {
		name, description string
		names             []string
	}{
		{typeTrace, "a distributed trace", traces},
		{typeKind, "what part a span has in a call between services", kinds[1:]},
		{typeStatus, "how a span ended", statuses[1:]},
	} {
		e, err := r.b.EntityType(t.name, t.description)
		if err == nil {
			err = e.Adopt(t.names, len(t.names))
		}
		if err != nil {
			return err
		}
	}
	events, err := r.b.EventType(source.TypeCall, "a span: something was done, and ended",
		data.Ref(source.TypeContext, source.TypeContext, "the span's name, along its callers"),
		data.Ref(source.TypeThread, source.TypeThread, "the lane of the span's service"),
		data.Ref("Caller", source.TypeMethod, "the name of the span's parent"),
		data.Value("Start", "nanoseconds", "when the span began, since the first one did", data.Coordinate),
		data.Value("Self", "nanoseconds", "the time that no span within covers", data.Amount, source.Exclusive, source.Preferred),
		data.Value("Duration", "nanoseconds", "the time from the start of the span to its end", data.Amount, source.Inclusive),
		data.Ref("Trace", typeTrace, "the trace of the span"),
		data.Ref("Kind", typeKind, "what part the span has in a call between services"),
		data.Ref("Status", typeStatus, "how the span ended, if that was told"))
	if err != nil {
		return err
	}
	first := 0
	return events.AdoptSpool(c.rows, []int{rowContext, rowThread, rowCaller, rowStart, rowSelf, rowTook, rowTrace, rowKind, rowStatus},
		func(rows int, columns []data.Column) error {
			for i, lane := range columns[rowThread].Refs {
				columns[rowThread].Refs[i] = threads[lane]
			}
			for len(c.amended) > 0 && c.amended[0].row < first+rows {
				columns[rowSelf].Values[c.amended[0].row-first] = c.amended[0].self
				c.amended = c.amended[1:]
			}
			first += rows
			return r.ctx.Err()
		})
}
