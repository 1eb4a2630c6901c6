package timeline

import (
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
)

// usualWidth is that of a picture for which nobody says how wide it is.
const usualWidth = 1440

// shownCall is a call that the timeline shows, or several that are too short to
// be shown by themselves, of which the first is given.
type shownCall struct {
	Thread   string       `json:"thread"`
	Depth    int          `json:"depth"`
	Start    int64        `json:"start"`    // nanoseconds from the start of the trace
	Duration int64        `json:"duration"` // of several, from the start of the first to the end of the last
	Self     int64        `json:"self"`     // of one: that none of the calls it makes covers
	Calls    int          `json:"calls"`    // how many these are
	Call     trace.CallID `json:"call"`
	Method   string       `json:"method"`
}

// Answer lists the calls in the window, by thread, depth and start: those that
// are at least a pixel of a usual picture wide one by one.
func (c *chart) Answer(f viz.Frame) any {
	calls := []shownCall{}
	if c.config.Calls.Trace == nil {
		return calls
	}
	if f.Width == 0 {
		f.Width, f.Height = usualWidth, usualWidth
	}
	l := c.layOut(f)
	t, levels := l.calls.Trace, l.calls.Levels
	for thread := range t.Threads {
		name := threadName(t.Threads[thread])
		for depth := range levels.Depths(thread) {
			for r := range levels.Window(thread, depth, t.From+l.from, until(t, l.to), l.perPixel()) {
				call := levels.Call(r.First)
				s := shownCall{name, depth, r.From - t.From, r.To - r.From, 0, r.Count, call, t.Name(call)}
				if !r.Short {
					s.Self = t.Self[call]
				}
				calls = append(calls, s)
			}
		}
	}
	return calls
}
