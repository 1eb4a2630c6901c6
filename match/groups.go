package match

import (
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// Group is a match that lies within no other match: the root of all matches
// that are put into its group.
type Group struct {
	A, B       trace.CallID
	Similarity float64
}

// Groups are the groups of all matches of two traces.
//
// They, too, can be more than can be listed: if one trace calls f a million
// times from nowhere and the other one g, and f and g match, then that is a
// billion groups for each thousand calls of g. So they are kept by path.
//
// Whether a match (u, v) is a root depends on the classes of u and its callers,
// and of v and its callers, alone. Going down from a caller to a callee Γ stays
// or shrinks; where it stays, the callee is in no root, since its caller's match
// contains it. So what matters are the sequences of different classes on the way
// to a call, its path. A call begins a path if its caller has another one.
//
// The paths of a trace are a tree. For a path x of A, the region of x is all
// paths of B that no class on x matches, nor a class above them. It shrinks going
// down. The roots of x are the paths y of the region of x's parent whose class
// matches that of x, and that lie in no other such. Then (u, v) is the root of a
// group if u begins x, v begins y and y is a root of x: an earlier pair of
// callers would have taken y out of the region.
//
// A match (u, v) belongs to the group (f, g) for the outermost caller f of u
// (or u itself) that has a root over v; g is that root's call over v.
// That is the group which the paper's traversal, breadth first over A, meets
// first.
type Groups struct {
	// Total is the number of groups.
	Total int64

	m     *Matches
	paths [2]*paths
	steps []*step // path of A -> what it takes from its parent's region; nil if that is empty

	// Calls of A that are in roots, in order, and how many groups come before
	// theirs. Groups are numbered by call of A, then call of B.
	first  []trace.CallID
	before []int64
}

// Groups finds the groups; it does so once.
func (m *Matches) Groups() *Groups { return m.groups() }

// Of gives the group of a match.
func (g *Groups) Of(a, b trace.CallID) Group {
	// The outermost caller that has a root over b is the last one that is seen
	// on the way up.
	pa, pb := g.paths[A], g.paths[B]
	y := pb.of[b]
	var x, root pathID
	found := false
	for p := pa.of[a]; p != noPath; p = pa.parent[p] {
		if st := g.steps[p]; st != nil {
			if r, ok := over(st.roots, pb, y); ok {
				x, root, found = p, r, true
			}
		}
	}
	if !found {
		return Group{A: trace.NoCall, B: trace.NoCall}
	}
	return g.group(begin(g.m.Traces[A], pa, a, x), begin(g.m.Traces[B], pb, b, root))
}

func (g *Groups) group(a, b trace.CallID) Group { return Group{a, b, g.m.Similarity(a, b)} }

// ID is the number of a group: how many there are before it, by call of A, then
// of B.
func (g *Groups) ID(group Group) int64 {
	i, ok := slices.BinarySearch(g.first, group.A)
	if !ok {
		return -1
	}
	id := g.before[i]
	b := g.paths[B]
	for _, y := range g.steps[g.paths[A].of[group.A]].roots {
		n, _ := slices.BinarySearch(b.heads(y), group.B)
		id += int64(n)
	}
	return id
}

// All calls yield for every group with its number, in order, until it says no.
func (g *Groups) All(yield func(id int64, group Group) bool) {
	b := g.paths[B]
	var of *step
	var partners []trace.CallID
	for i, a := range g.first {
		if st := g.steps[g.paths[A].of[a]]; st != of {
			of, partners = st, partners[:0]
			for _, y := range st.roots {
				partners = append(partners, b.heads(y)...)
			}
			slices.Sort(partners)
		}
		for k, call := range partners {
			if !yield(g.before[i]+int64(k), g.group(a, call)) {
				return
			}
		}
	}
}

// Strongest gives at most n groups: those whose roots have the greatest weight
// (see [ByWeight]), in falling order. What it leaves out is the rest of Total.
func (g *Groups) Strongest(n int) []Group {
	n = int(min(int64(max(n, 0)), g.Total))
	a, b := g.paths[A], g.paths[B]
	top := newTop(n)
	for x, st := range g.steps {
		if st == nil {
			continue
		}
		for _, y := range st.roots {
			top.add([2]float64{g.m.weight(a.class[x], b.class[y])}, a.calls(pathID(x))*b.calls(y), uint32(x), uint32(y))
		}
	}
	all := make([]Group, 0, n)
	for _, e := range top.list() {
		top.expand(a.heads(pathID(e.a)), b.heads(pathID(e.b)), func(u, v trace.CallID) { all = append(all, g.group(u, v)) })
	}
	return all
}

// Counter counts the matches of groups.
type Counter struct {
	g     *Groups
	s     *searcher
	of    trace.CallID // the call of A that weight is of
	calls []int64      // class of A -> calls below it
	has   []ClassID    // those that are not 0
	// weight tells by class of B how many calls in the subtree of the group's
	// call of A match.
	weight  []int64
	weighed []ClassID
}

// Counter makes one. It is not safe for concurrent use; it is quicker if groups
// of the same call of A come one after the other.
func (g *Groups) Counter() *Counter {
	return &Counter{
		g: g, s: g.m.searcher(A), of: trace.NoCall,
		calls:  make([]int64, g.m.Classes[A].Len()),
		weight: make([]int64, g.m.Classes[B].Len()),
	}
}

// Count gives the number of matches in a group, its root included.
func (c *Counter) Count(group Group) int64 {
	g, m := c.g, c.g.m
	if c.of != group.A {
		c.weigh(group.A)
	}
	st := g.steps[g.paths[A].of[group.A]]
	t, of, class := m.Traces[B], g.paths[B].of, m.Classes[B].Of
	n := int64(0)
	for call := group.B; call < t.End[group.B]; {
		if !st.in.has(g.paths[B], of[call]) { // belongs to a group further out
			call = t.End[call]
			continue
		}
		n += c.weight[class[call]]
		call++
	}
	return n
}

func (c *Counter) weigh(a trace.CallID) {
	m := c.g.m
	for _, class := range c.weighed {
		c.weight[class] = 0
	}
	c.weighed, c.of = c.weighed[:0], a
	of := m.Classes[A].Of
	for _, class := range of[a:m.Traces[A].End[a]] {
		if c.calls[class] == 0 {
			c.has = append(c.has, class)
		}
		c.calls[class]++
	}
	for _, class := range c.has {
		for _, l := range m.row(A, class, c.s) {
			if c.weight[l.class] == 0 {
				c.weighed = append(c.weighed, l.class)
			}
			c.weight[l.class] += c.calls[class]
		}
		c.calls[class] = 0
	}
	c.has = c.has[:0]
}
