package match

import "github.com/cambium-prof/cambium/trace"

// Span is the calls First to End-1 of a trace.
type Span struct{ First, End trace.CallID }

// Spread gives at most n matches between some calls of A and some of B, the
// strongest, but of calls that are alike not all with all others. total is how many
// there are. No call may be in two spans of its trace.
//
// Pairs of classes come by falling weight, as with [ByWeight]. Of the matches that
// a pair of classes stands for, those are given first that join calls in the same
// order: the first call of one class with the first of the other one, the last
// with the last, and those between in proportion. A thousand runs of a loop in
// both traces are then a thousand matches and not the first runs with each of the
// others; what joins them crosswise is given if n is not reached without it.
//
// It costs as much as there are calls, and links between their classes.
func (m *Matches) Spread(as, bs []Span, n int) (matches []Match, total int64) {
	counts := [2][]int64{countByClass(as, m.Classes[A]), countByClass(bs, m.Classes[B])}
	top := newTop(max(n, 0))
	s := m.searcher(A)
	for x := len(counts[A]) - 1; x >= 0; x-- { // large sets first, as in Strongest
		a := counts[A][x]
		if a == 0 {
			continue
		}
		for _, l := range m.row(A, ClassID(x), s) {
			b := counts[B][l.class]
			if b == 0 {
				continue
			}
			total += a * b
			top.add([2]float64{m.similarity(ClassID(x), l.class, l.shared) * float64(l.shared)}, max(a, b), uint32(x), uint32(l.class))
		}
	}
	chosen := top.list()
	var wanted [2][]bool
	for side := range wanted {
		wanted[side] = make([]bool, m.Classes[side].Len())
	}
	for _, e := range chosen {
		wanted[A][e.a], wanted[B][e.b] = true, true
	}
	byA, byB := collect(as, m.Classes[A], wanted[A]), collect(bs, m.Classes[B], wanted[B])
	most := int(min(int64(max(n, 0)), total))
	matches = make([]Match, 0, most)
	for round := 0; len(matches) < most; round++ {
		for _, e := range chosen {
			x, y := ClassID(e.a), ClassID(e.b)
			similarity := m.similarity(x, y, uint32(shared(m.Classes[A], x, m.Classes[B], y)))
			across(byA[x], byB[y], round, func(a, b trace.CallID) bool {
				matches = append(matches, Match{a, b, similarity})
				return len(matches) < most
			})
			if len(matches) == most {
				break
			}
		}
	}
	return matches, total
}

// across gives the pairs that are so many places off the diagonal of a table with
// a row per call of A and a column per call of B. All rounds together give each
// pair once.
func across(as, bs []trace.CallID, round int, give func(a, b trace.CallID) bool) {
	long, short := as, bs
	if len(bs) > len(as) {
		long, short = bs, as
	}
	if round >= max(len(short), 1) {
		return
	}
	for i, c := range long {
		on := 0
		if len(long) > 1 {
			on = (2*i*(len(short)-1) + len(long) - 1) / (2 * (len(long) - 1))
		}
		for k, at := range [2]int{on - round, on + round} {
			if at < 0 || at >= len(short) || k == 1 && round == 0 {
				continue
			}
			a, b := c, short[at]
			if len(bs) > len(as) {
				a, b = b, a
			}
			if !give(a, b) {
				return
			}
		}
	}
}

func countByClass(spans []Span, c *Classes) []int64 {
	counts := make([]int64, c.Len())
	for _, s := range spans {
		for _, class := range c.Of[s.First:s.End] {
			counts[class]++
		}
	}
	return counts
}

// collect sorts the calls of wanted classes into these.
func collect(spans []Span, c *Classes, wanted []bool) [][]trace.CallID {
	by := make([][]trace.CallID, c.Len())
	for _, s := range spans {
		for i, class := range c.Of[s.First:s.End] {
			if wanted[class] {
				by[class] = append(by[class], s.First+trace.CallID(i))
			}
		}
	}
	return by
}
