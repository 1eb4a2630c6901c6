package match

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"

	"github.com/cambium-prof/cambium/trace"
)

// Interval is what a trace has in one of equally long stretches of time. A call
// belongs to the stretch in which it starts.
type Interval struct {
	// From and To are nanoseconds from the beginning of the trace. To belongs
	// to the next interval, except that the last one has it.
	From, To float64
	Calls    int64
	Matches  int64 // of these calls
	// Similarity is the sum over the matches.
	Similarity float64
	// Offset is the sum, over the matches, of how much later the other trace's
	// call starts than this one's, each from the beginning of its own trace: it
	// is positive if the matches lie in the future of the other trace.
	Offset Int128
	// Distance is the sum of the absolute values of the same (eq. 4).
	Distance Int128
}

// MaxIntervals is how many intervals a trace can be divided into.
const MaxIntervals = 1 << 20

// Overview gives sums over n equal intervals of each trace. It is exact: the sum
// of the similarities up to rounding, all else to the last digit.
func (m *Matches) Overview(ctx context.Context, n int) ([2][]Interval, error) {
	return m.OverviewOf(ctx, n, Part{Distances: true})
}

// Part says what of an overview is asked for.
type Part struct {
	// Calls marks the calls of each trace that intervals sum up; nil is all. The
	// matches of those are all there are.
	Calls [2][]bool
	// Distances asks for Interval.Distance, which takes most of the time.
	Distances bool
}

// Outside is the interval of a call that none sums up.
const Outside int32 = -1

// DivideOf is [Divide] for a part of the calls: the others are [Outside].
func DivideOf(t *trace.Trace, n int, calls []bool) []int32 {
	in := Divide(t, n)
	for call, there := range calls {
		if !there {
			in[call] = Outside
		}
	}
	return in
}

// OverviewOf gives the same for a part of the calls, or in part.
func (m *Matches) OverviewOf(ctx context.Context, n int, part Part) ([2][]Interval, error) {
	var all [2][]Interval
	if n < 1 || n > MaxIntervals {
		return all, fmt.Errorf("%d intervals are not between 1 and %d", n, MaxIntervals)
	}
	for side := A; side <= B; side++ {
		var err error
		if all[side], err = m.overview(ctx, side, n, part); err != nil {
			return all, err
		}
	}
	return all, nil
}

// Divide gives the interval, of n equal ones, in which each call of a trace
// starts.
func Divide(t *trace.Trace, n int) []int32 {
	in := make([]int32, t.Len())
	length := uint64(t.To) - uint64(t.From)
	for call := range in {
		start := at(t, trace.CallID(call))
		if start >= length {
			if length > 0 {
				in[call] = int32(n - 1)
			}
			continue
		}
		hi, lo := bits.Mul64(start, uint64(n))
		i, _ := bits.Div64(hi, lo, length)
		in[call] = int32(i)
	}
	return in
}

func (m *Matches) overview(ctx context.Context, side Side, n int, part Part) ([]Interval, error) {
	t, c := m.Traces[side], m.Classes[side]
	bars := make([]Interval, n)
	length := float64(uint64(t.To) - uint64(t.From))
	for i := range bars {
		bars[i].From, bars[i].To = float64(i)*length/float64(n), float64(i+1)*length/float64(n)
	}
	in := DivideOf(t, n, part.Calls[side])
	for call, class := range c.Of {
		if in[call] == Outside {
			continue
		}
		bar := &bars[in[call]]
		bar.Calls++
		if count := m.count[side][class]; count > 0 {
			bar.Matches += count
			bar.Similarity += m.sum[side][class]
			bar.Offset = bar.Offset.plus(m.times[side][class].minus(multiple(at(t, trace.CallID(call)), count)))
		}
	}
	if !part.Distances {
		return bars, ctx.Err()
	}
	distances, err := m.distances(ctx, side, n, in)
	if err != nil {
		return nil, err
	}
	for i, d := range distances {
		bars[i].Distance = d
	}
	return bars, nil
}

// multiple gives x*n for n that is not negative.
func multiple(x uint64, n int64) Int128 {
	hi, lo := bits.Mul64(x, uint64(n))
	return Int128{int64(hi), lo}
}

// distances adds up eq. 4 for each interval.
//
// For one call f that starts at t, with N matches whose starts sum up to T, of
// which n with the sum S start before t, the sum of |t - start| is
//
//	(t·n - S) + ((T - S) - t·(N - n)).
//
// N and T are known by class; n and S are found for all calls of one class
// together. The other trace's clock tells in which blocks of its calls the
// matching classes occur, and how often, so that n and S up to any block are
// running sums. Within the block where t lies its calls are looked at one by
// one. Calls of one class come by start, so that both only go forward.
func (m *Matches) distances(ctx context.Context, side Side, n int, in []int32) ([]Int128, error) {
	t := m.Traces[side]
	own, other := m.clocks[side](), m.clocks[side.Other()]()
	ranks := other.ranks(own, t)
	type state struct {
		sums    []Int128 // by interval
		counts  []int64  // by block
		starts  []Int128
		matches []bool // by class of the other trace
	}
	states := make([]*state, runtime.GOMAXPROCS(0))
	blocks := len(other.start)/other.block + 1
	err := m.eachWith(ctx, side, func(worker int, class ClassID, row []link) {
		if len(row) == 0 {
			return
		}
		s := states[worker]
		if s == nil {
			s = &state{make([]Int128, n), make([]int64, blocks), make([]Int128, blocks), make([]bool, m.Classes[side.Other()].Len())}
			states[worker] = s
		}
		clear(s.counts)
		clear(s.starts)
		for _, l := range row {
			s.matches[l.class] = true
			for _, p := range other.parts[other.first[l.class]:other.first[l.class+1]] {
				s.counts[p.block] += int64(p.calls)
				s.starts[p.block] = s.starts[p.block].plus(p.starts)
			}
		}
		all, sum := m.count[side][class], m.times[side][class]
		next := 0          // block that is not in before yet
		before := int64(0) // matches in all blocks up to it
		beforeSum := Int128{}
		rank := 0 // the next to be looked at
		within, withinSum := int64(0), Int128{}
		for _, call := range own.of(class) {
			if in[call] == Outside {
				continue
			}
			if b := int(ranks[call]) / other.block; b > next {
				for ; next < b; next++ {
					before += s.counts[next]
					beforeSum = beforeSum.plus(s.starts[next])
				}
				rank, within, withinSum = b*other.block, 0, Int128{}
			}
			for ; rank < int(ranks[call]); rank++ {
				if s.matches[other.class[rank]] {
					within++
					withinSum = withinSum.plus(Int128{0, other.start[rank]})
				}
			}
			start := at(t, call)
			count, early := before+within, beforeSum.plus(withinSum)
			d := multiple(start, count).minus(early).plus(sum.minus(early)).minus(multiple(start, all-count))
			s.sums[in[call]] = s.sums[in[call]].plus(d)
		}
		for _, l := range row {
			s.matches[l.class] = false
		}
	})
	if err != nil {
		return nil, err
	}
	sums := make([]Int128, n)
	for _, s := range states {
		if s == nil {
			continue
		}
		for i, d := range s.sums {
			sums[i] = sums[i].plus(d)
		}
	}
	return sums, nil
}
