package match

import (
	"math/big"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// oracle is section III taken literally, for tiny traces.
type oracle struct {
	t     [2]*trace.Trace
	gamma [2][]map[string]bool // eq. 2
	tau   float64
	all   []Match // by a, then b
	roots []Match // those that lie in no other, likewise
}

func newOracle(a, b *trace.Trace, tau float64) *oracle {
	o := &oracle{t: [2]*trace.Trace{a, b}, tau: tau}
	for side, t := range o.t {
		for f := range t.Parent {
			set := map[string]bool{}
			for g := range t.Parent {
				if within(t, trace.CallID(g), trace.CallID(f)) {
					set[t.Name(trace.CallID(g))] = true
				}
			}
			o.gamma[side] = append(o.gamma[side], set)
		}
	}
	for u := range a.Parent {
		for v := range b.Parent {
			if s := o.similarity(u, v); s > tau {
				o.all = append(o.all, Match{trace.CallID(u), trace.CallID(v), s})
			}
		}
	}
	for _, k := range o.all {
		if !slices.ContainsFunc(o.all, func(other Match) bool { return other != k && o.lies(k, other) }) {
			o.roots = append(o.roots, k)
		}
	}
	return o
}

// within tells whether g is in S(f), by walking up.
func within(t *trace.Trace, g, f trace.CallID) bool {
	for g != f && g != trace.NoCall {
		g = t.Parent[g]
	}
	return g == f
}

// similarity is eq. 3.
func (o *oracle) similarity(u, v int) float64 {
	both, either := 0, len(o.gamma[B][v])
	for m := range o.gamma[A][u] {
		if o.gamma[B][v][m] {
			both++
		} else {
			either++
		}
	}
	return float64(both) / float64(either)
}

// lies tells whether a match lies within another one.
func (o *oracle) lies(k, in Match) bool {
	return within(o.t[A], k.A, in.A) && within(o.t[B], k.B, in.B)
}

// fewest is the least number of matches such that every match lies within one
// of them. It tries all sets of matches.
func (o *oracle) fewest() int {
	best := len(o.all)
	for set := range 1 << len(o.all) {
		n := 0
		for s := set; s != 0; s &= s - 1 {
			n++
		}
		if n >= best {
			continue
		}
		covered := true
		for _, k := range o.all {
			if !slices.ContainsFunc(o.all, func(in Match) bool {
				return set>>slices.Index(o.all, in)&1 != 0 && o.lies(k, in)
			}) {
				covered = false
				break
			}
		}
		if covered {
			best = n
		}
	}
	return best
}

// groupOf is the first of the roots that a match lies in, breadth first over A.
func (o *oracle) groupOf(k Match) Match {
	var first Match
	found := false
	for _, root := range o.roots {
		if o.lies(k, root) && (!found || o.t[A].Depth[root.A] < o.t[A].Depth[first.A]) {
			first, found = root, true
		}
	}
	return first
}

// overview takes each match by itself; calls says which calls count.
func (o *oracle) overview(side Side, n int, calls func(trace.CallID) bool) []Interval {
	t := o.t[side]
	bars := make([]Interval, n)
	length := t.To - t.From
	exact := func(i int) float64 {
		f, _ := new(big.Rat).SetFrac64(int64(i)*max(length, 1), int64(n)).Float64()
		if length == 0 {
			return 0
		}
		return f
	}
	in := func(c trace.CallID) int {
		for i := range n - 1 {
			// start < (i+1)·length/n, in whole numbers
			if (t.Start[c]-t.From)*int64(n) < int64(i+1)*length || length == 0 {
				return i
			}
		}
		return n - 1
	}
	for i := range bars {
		bars[i].From, bars[i].To = exact(i), exact(i+1)
	}
	for c := range t.Parent {
		if calls(trace.CallID(c)) {
			bars[in(trace.CallID(c))].Calls++
		}
	}
	for _, k := range o.all {
		both := [2]trace.CallID{k.A, k.B}
		own, other := both[side], both[side.Other()]
		if !calls(own) {
			continue
		}
		offset := (o.t[side.Other()].Start[other] - o.t[side.Other()].From) - (t.Start[own] - t.From)
		bar := &bars[in(own)]
		bar.Matches++
		bar.Similarity += k.Similarity
		bar.Offset = bar.Offset.plus(wide(offset))
		bar.Distance = bar.Distance.plus(wide(max(offset, -offset)))
	}
	return bars
}

// literal counts the groups that the paper's traversal makes as it is printed:
// a match goes to the group that was made last, or begins another one.
func (o *oracle) literal() (groups int) {
	matches := slices.Clone(o.all)
	slices.SortStableFunc(matches, func(x, y Match) int { return int(o.t[A].Depth[x.A]) - int(o.t[A].Depth[y.A]) })
	var current Match
	for _, k := range matches {
		if groups == 0 || !o.lies(k, current) {
			groups++
			current = k
		}
	}
	return groups
}
