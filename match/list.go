package match

import (
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// Match is a pair of calls that are more similar than τ.
type Match struct {
	A, B       trace.CallID
	Similarity float64
}

// Order is by what matches are strong.
type Order int

const (
	// ByWeight is by similarity times the number of methods that both call.
	// Two calls that do nothing but call the same method are as similar as
	// can be, and there are millions of those; this order asks how much is
	// similar, so that the large structure comes before the small.
	ByWeight Order = iota
	// BySimilarity is by similarity, and where that is equal by weight.
	BySimilarity
)

// weight is what [ByWeight] orders by.
func (p *Pair) weight(x, y ClassID) float64 {
	n := uint32(shared(p.Classes[A], x, p.Classes[B], y))
	return float64(n) * p.similarity(x, y, n)
}

// Strongest gives at most n matches between some calls of A and some of B:
// the strongest, in falling order. total is how many there are; what a view
// shows of them leaves out the rest. Which of equally strong ones are given is
// the same each time, but has no meaning.
//
// It costs as much as there are links between the classes of those calls.
func (m *Matches) Strongest(as, bs []trace.CallID, n int, order Order) (strongest []Match, total int64) {
	byA, byB := byClass(as, m.Classes[A]), byClass(bs, m.Classes[B])
	top := newTop(max(n, 0))
	s := m.searcher(A)
	// Large sets first: they are the strong ones, so that most of what comes
	// later is refused at once.
	for x, calls := range slices.Backward(byA) {
		if len(calls) == 0 {
			continue
		}
		for _, l := range slices.Backward(m.row(A, ClassID(x), s)) {
			count := int64(len(calls)) * int64(len(byB[l.class]))
			if count == 0 {
				continue
			}
			total += count
			similarity := m.similarity(ClassID(x), l.class, l.shared)
			strength := [2]float64{similarity * float64(l.shared)}
			if order == BySimilarity {
				strength = [2]float64{similarity, strength[0]}
			}
			top.add(strength, count, uint32(x), uint32(l.class))
		}
	}
	strongest = make([]Match, 0, min(int64(max(n, 0)), total))
	for _, e := range top.list() {
		x, y := ClassID(e.a), ClassID(e.b)
		similarity := m.similarity(x, y, uint32(shared(m.Classes[A], x, m.Classes[B], y)))
		top.expand(byA[x], byB[y], func(a, b trace.CallID) { strongest = append(strongest, Match{a, b, similarity}) })
	}
	return strongest, total
}

// byClass sorts calls into their classes.
func byClass(calls []trace.CallID, c *Classes) [][]trace.CallID {
	by := make([][]trace.CallID, c.Len())
	for _, call := range calls {
		by[c.Of[call]] = append(by[c.Of[call]], call)
	}
	return by
}

// Count is how many calls of the other trace match a call.
func (m *Matches) Count(side Side, call trace.CallID) int64 {
	return m.count[side][m.Classes[side].Of[call]]
}

// Best gives the call of the other trace that is most similar to a call: of
// equally similar ones that which starts nearest to it, each from the beginning
// of its own trace. ok is false if no call matches.
func (m *Matches) Best(side Side, call trace.CallID) (best trace.CallID, similarity float64, ok bool) {
	class := m.Classes[side].Of[call]
	other := m.Traces[side.Other()]
	row := m.row(side, class, m.searcher(side))
	for _, l := range row {
		similarity = max(similarity, m.similarityOf(side, class, l))
	}
	start := at(m.Traces[side], call)
	nearest := uint64(0)
	clock := m.clocks[side.Other()]()
	for _, l := range row {
		if m.similarityOf(side, class, l) != similarity {
			continue
		}
		calls := clock.of(l.class)
		i, _ := slices.BinarySearchFunc(calls, start, func(c trace.CallID, start uint64) int {
			if at(other, c) < start {
				return -1
			}
			return 1
		})
		for _, c := range calls[max(i-1, 0):min(i+1, len(calls))] {
			t := at(other, c)
			d := max(t, start) - min(t, start)
			if !ok || d < nearest || d == nearest && c < best {
				best, nearest, ok = c, d, true
			}
		}
	}
	return best, similarity, ok
}

// Holding tells which of n equal intervals of the other trace have matches of
// calls in the subtree of a call: the bars that turn blue.
func (m *Matches) Holding(side Side, call trace.CallID, n int) []bool {
	return m.HoldingOf(side, call, n, Divide(m.Traces[side.Other()], n))
}

// HoldingOf is [Matches.Holding] for intervals that [DivideOf] gave.
func (m *Matches) HoldingOf(side Side, call trace.CallID, n int, in []int32) []bool {
	own, other := m.Classes[side], m.Classes[side.Other()]
	seen, matches := make([]bool, own.Len()), make([]bool, other.Len())
	s := m.searcher(side)
	for _, class := range own.Of[call:m.Traces[side].End[call]] {
		if seen[class] {
			continue
		}
		seen[class] = true
		for _, l := range m.row(side, class, s) {
			matches[l.class] = true
		}
	}
	holding := make([]bool, n)
	for c, i := range in {
		if i != Outside && matches[other.Of[c]] {
			holding[i] = true
		}
	}
	return holding
}

// maxListed bounds the calls of B that are kept in lists by class of A while all
// matches are listed.
const maxListed = 1 << 25

// All calls yield for every match with the number of its group, by call of A
// and then of B, until it says no.
func (m *Matches) All(yield func(match Match, group int64) bool) {
	g := m.Groups()
	a, b := m.Traces[A], m.Traces[B]
	classA, classB := m.Classes[A], m.Classes[B]
	pa, pb := g.paths[A], g.paths[B]
	s := m.searcher(A)
	similarity := make([]float64, classB.Len()) // of those that match the present class
	matches := make([]bool, classB.Len())
	lists := map[ClassID][]trace.CallID{} // calls of B that match, in order
	listed := 0
	// The call of B that a group's root has over a call: it depends on that
	// call and on the root's path alone.
	type under struct {
		root pathID
		call trace.CallID
	}
	roots := make([]under, b.Len())
	for i := range roots {
		roots[i].root = noPath
	}
	type owner struct { // a call of A with roots, on the way to the present one
		call trace.CallID
		step *step
	}
	var owners []owner
	for u := range trace.CallID(a.Len()) {
		class := classA.Of[u]
		if m.count[A][class] == 0 {
			continue
		}
		row := m.row(A, class, s)
		for _, l := range row {
			matches[l.class], similarity[l.class] = true, m.similarity(class, l.class, l.shared)
		}
		list, ok := lists[class]
		if !ok {
			list = make([]trace.CallID, 0, m.count[A][class])
			for v, c := range classB.Of {
				if matches[c] {
					list = append(list, trace.CallID(v))
				}
			}
			if listed += len(list); listed > maxListed {
				clear(lists)
				listed = len(list)
			}
			lists[class] = list
		}
		owners = owners[:0]
		for c := u; c != trace.NoCall; c = a.Parent[c] {
			if begins(a, pa, c) {
				if st := g.steps[pa.of[c]]; st != nil && len(st.roots) > 0 {
					owners = append(owners, owner{c, st})
				}
			}
		}
		slices.Reverse(owners)
		last, id := Group{A: trace.NoCall, B: trace.NoCall}, int64(0)
		for _, v := range list {
			y := pb.of[v]
			for _, o := range owners {
				root, ok := over(o.step.roots, pb, y)
				if !ok {
					continue
				}
				if roots[v].root != root {
					roots[v] = under{root, begin(b, pb, v, root)}
				}
				if group := (Group{A: o.call, B: roots[v].call}); group != last {
					last, id = group, g.ID(group)
				}
				break
			}
			if !yield(Match{u, v, similarity[classB.Of[v]]}, id) {
				return
			}
		}
		for _, l := range row {
			matches[l.class] = false
		}
	}
}
