package match

import (
	"cmp"
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

// Gap is a stretch of one thread of a trace without a match: calls, one started
// after the other, to which no call of the other trace is similar. It is what
// only one run did.
type Gap struct {
	Side   Side
	Thread int          // index in Threads
	First  trace.CallID // the calls are rows First to Last
	Last   trace.CallID
	// From is the start of the first call. The stretch ends at To: when the last
	// of its calls has ended, or when a call starts that has a match.
	From, To int64 // nanoseconds, as the trace has them
}

// Calls is the number of calls in the gap.
func (g Gap) Calls() int { return int(g.Last-g.First) + 1 }

// Gaps lists the gaps of both traces, the longest first; of equally long ones
// those of A, then by call.
func (m *Matches) Gaps() []Gap {
	var gaps []Gap
	for side := A; side <= B; side++ {
		t, of, count := m.Traces[side], m.Classes[side].Of, m.count[side]
		for thread, th := range t.Threads {
			for c := th.First; c < th.End; c++ {
				if count[of[c]] != 0 {
					continue
				}
				gap := Gap{side, thread, c, c, t.Start[c], t.Stop[c]}
				for c++; c < th.End && count[of[c]] == 0; c++ {
					gap.Last, gap.To = c, max(gap.To, t.Stop[c])
				}
				if c < th.End {
					gap.To = min(gap.To, t.Start[c])
				}
				gaps = append(gaps, gap)
			}
		}
	}
	slices.SortFunc(gaps, func(x, y Gap) int {
		return cmp.Or(cmp.Compare(uint64(y.To)-uint64(y.From), uint64(x.To)-uint64(x.From)), cmp.Compare(x.Side, y.Side), cmp.Compare(x.First, y.First))
	})
	return gaps
}

// Repetition is a run of siblings of which each is similar to the next.
type Repetition struct {
	First trace.CallID
	Last  trace.CallID // the last sibling, itself not its subtree
	Count int          // at least 2
}

// Repetitions lists the runs of consecutive siblings in one trace of which each
// is more similar than τ to the next, in the order of their first call. The
// outermost calls of a thread are siblings.
func (p *Pair) Repetitions(ctx context.Context, side Side, tau float64) ([]Repetition, error) {
	t, c := p.Traces[side], p.Classes[side]
	least := thresholds(tau, [2]*Classes{c, c})
	similar := func(x, y trace.CallID) bool {
		i, j := c.Of[x], c.Of[y]
		sum := c.Size[i] + c.Size[j]
		if i == j {
			return least[sum] <= c.Size[i]
		}
		return least[sum] <= min(c.Size[i], c.Size[j]) && least[sum] <= uint32(shared(c, i, c, j))
	}
	var all []Repetition
	for _, th := range t.Threads {
		for call := th.First; call < th.End; call++ {
			if call%data.BatchRows == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			// Runs of the calls that this one makes; those of the outermost
			// calls come with the first of them.
			if call == th.First {
				all = appendRuns(all, t, th.First, th.End, similar)
			}
			all = appendRuns(all, t, call+1, t.End[call], similar)
		}
	}
	slices.SortFunc(all, func(x, y Repetition) int { return cmp.Compare(x.First, y.First) })
	return all, nil
}

// Repeated lists the repetitions of a trace for the τ of the matches; it finds them
// once.
func (m *Matches) Repeated(side Side) []Repetition { return m.repeated[side]() }

func (m *Matches) findRepetitions(side Side) []Repetition {
	all, _ := m.Repetitions(context.Background(), side, m.Tau) // nothing else is an error
	return all
}

// appendRuns finds the runs among the siblings that begin at first and end
// before end.
func appendRuns(all []Repetition, t *trace.Trace, first, end trace.CallID, similar func(x, y trace.CallID) bool) []Repetition {
	for first < end {
		run := Repetition{first, first, 1}
		next := t.End[first]
		for next < end && similar(run.Last, next) {
			run.Last = next
			run.Count++
			next = t.End[next]
		}
		if run.Count > 1 {
			all = append(all, run)
		}
		first = next
	}
	return all
}
