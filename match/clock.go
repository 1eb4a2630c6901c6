package match

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// Times are nanoseconds from the beginning of the trace that they are of. They
// are unsigned, because two times of 64 bits with sign can be further apart.

// at is the start of a call, from the beginning of its trace.
func at(t *trace.Trace, call trace.CallID) uint64 { return uint64(t.Start[call]) - uint64(t.From) }

// sumStarts adds up the starts of the calls of each class.
func sumStarts(t *trace.Trace, c *Classes) []Int128 {
	sums := make([]Int128, c.Len())
	for call, class := range c.Of {
		sums[class] = sums[class].plus(Int128{0, at(t, trace.CallID(call))})
	}
	return sums
}

// A clock has the calls of a trace in the order of their start, in blocks of
// equally many. Of each class it knows in which blocks its calls are.
type clock struct {
	start []uint64  // rank -> start
	class []ClassID // rank -> class
	block int       // calls in a block: a power of two

	first []int // class -> its first part; with one entry more at the end
	parts []part

	ofClass []int          // class -> the first of its calls in calls
	calls   []trace.CallID // by class, then start
}

// part is the calls that a class has in a block.
type part struct {
	block, calls uint32
	starts       Int128 // their sum
}

// Half a block is looked at for each call of the other trace, and all parts of
// a class for each class that it matches. Blocks of blockOf(n) balance that.
func blockOf(calls int) int { return 1 << max(bits.Len(uint(calls))/2-1, 4) }

func newClock(t *trace.Trace, c *Classes) *clock {
	n := t.Len()
	k := &clock{start: make([]uint64, n), class: make([]ClassID, n), block: blockOf(n)}
	// The rows of one thread are in the order of their start.
	order := make([]trace.CallID, n)
	for call := range order {
		order[call] = trace.CallID(call)
	}
	if len(t.Threads) > 1 {
		slices.SortFunc(order, func(x, y trace.CallID) int { return cmp.Or(cmp.Compare(t.Start[x], t.Start[y]), cmp.Compare(x, y)) })
	}
	counts := make([]int, c.Len()+1) // of calls, behind each class
	parts := make([]int, c.Len()+1)
	last := make([]int, c.Len()) // class -> block of its last call, plus one
	for rank, call := range order {
		class := c.Of[call]
		k.start[rank], k.class[rank] = at(t, call), class
		counts[class+1]++
		if b := rank/k.block + 1; last[class] != b {
			last[class] = b
			parts[class+1]++
		}
	}
	for class := range c.Len() {
		counts[class+1] += counts[class]
		parts[class+1] += parts[class]
	}
	k.first, k.parts = slices.Clone(parts), make([]part, parts[c.Len()])
	k.ofClass, k.calls = slices.Clone(counts), make([]trace.CallID, n)
	clear(last)
	for rank, call := range order {
		class := k.class[rank]
		k.calls[counts[class]] = call
		counts[class]++
		b := rank/k.block + 1
		if last[class] != b {
			last[class] = b
			k.parts[parts[class]].block = uint32(b - 1)
			parts[class]++
		}
		p := &k.parts[parts[class]-1]
		p.calls++
		p.starts = p.starts.plus(Int128{0, k.start[rank]})
	}
	return k
}

// of gives the calls of a class by start.
func (k *clock) of(class ClassID) []trace.CallID {
	return k.calls[k.ofClass[class]:k.ofClass[class+1]]
}

// ranks gives, for each call of t, how many calls of the clock's trace start
// before it.
func (k *clock) ranks(own *clock, t *trace.Trace) []uint32 {
	ranks := make([]uint32, t.Len())
	for class := range len(own.ofClass) - 1 {
		rank := 0
		for _, call := range own.of(ClassID(class)) {
			// Calls of one class are in order: look near the last one first.
			start := at(t, call)
			step := 1
			low := rank
			for rank+step <= len(k.start) && k.start[rank+step-1] < start {
				low = rank + step
				step *= 2
			}
			i, _ := slices.BinarySearch(k.start[low:min(rank+step, len(k.start))], start)
			rank = low + i
			ranks[call] = uint32(rank)
		}
	}
	return ranks
}
