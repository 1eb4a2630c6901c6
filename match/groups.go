package match

import (
	"context"
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

// region is all paths of B but those that lie in certain others. A path is in
// it unless it lies in one of roots, or is not in the region that this one was
// taken from.
type region struct {
	from  *region // nil: all paths
	roots []pathID
	// left is how many outermost paths are in the region. Without any there is
	// none at all, since what lies in a path that is out is out, too.
	left  int
	steps map[ClassID]*step // what a class of A takes from it
}

// step is what one more class takes from a region.
type step struct {
	in    *region
	roots []pathID // in rising order; none lies in another
	rest  *region
	calls int64 // how many calls begin the roots
}

// Groups finds the groups; it does so once.
func (m *Matches) Groups() *Groups { return m.groups() }

func (m *Matches) findGroups() *Groups {
	g := &Groups{m: m}
	_ = parallel(context.Background(), 2, 1, func(_, side, _ int) error {
		g.paths[side] = newPaths(m.Traces[side], m.Classes[side])
		return nil
	})
	a, b := g.paths[A], g.paths[B]
	g.steps = make([]*step, len(a.class))
	tops := &tops{m: m, b: b, s: m.searcher(A), matches: make([]bool, m.Classes[B].Len()), of: map[ClassID][]pathID{}}
	open := []*region{{left: b.outermost()}} // by depth of the path that comes next
	for x := pathID(0); int(x) < len(a.class); {
		open = open[:a.depth[x]+1]
		in := open[a.depth[x]]
		if in.left == 0 {
			x = a.end[x]
			continue
		}
		class := a.class[x]
		st := in.steps[class]
		if st == nil {
			st = in.take(tops.get(class), b)
			if in.steps == nil {
				in.steps = map[ClassID]*step{}
			}
			in.steps[class] = st
		}
		g.steps[x] = st
		g.Total += a.calls(x) * st.calls
		open = append(open, st.rest)
		x++
	}
	t := m.Traces[A]
	n := int64(0)
	for call := trace.CallID(0); int(call) < t.Len(); {
		x := a.of[call]
		if st := g.steps[x]; st == nil {
			call = t.End[call] // nor has anything that it calls
		} else {
			if len(st.roots) > 0 && begins(t, a, call) {
				g.first, g.before = append(g.first, call), append(g.before, n)
				n += st.calls
			}
			call++
		}
	}
	return g
}

// take finds which of the outermost paths that match a class are in the region,
// and what they leave of it.
func (r *region) take(tops []pathID, b *paths) *step {
	st := &step{in: r, rest: r}
	left := r.left
	for _, y := range tops {
		if !r.has(b, y) {
			continue
		}
		st.roots = append(st.roots, y)
		st.calls += b.calls(y)
		if b.parent[y] == noPath {
			left--
		}
	}
	if len(st.roots) > 0 {
		st.rest = &region{from: r, roots: st.roots, left: left}
	}
	return st
}

// has tells whether a path is in the region.
func (r *region) has(b *paths, y pathID) bool {
	for ; r.from != nil; r = r.from {
		if _, out := over(r.roots, b, y); out {
			return false
		}
	}
	return true
}

// tops finds, for classes of A, the paths of B whose last class matches, and
// that lie in no other such path.
type tops struct {
	m       *Matches
	b       *paths
	s       *searcher
	matches []bool // by class of B; all false between calls
	of      map[ClassID][]pathID
	kept    int // in of
}

// maxTops bounds what is kept.
const maxTops = 1 << 25

func (t *tops) get(class ClassID) []pathID {
	found, ok := t.of[class]
	if ok {
		return found
	}
	row := t.m.row(A, class, t.s)
	if len(row) == 0 {
		return nil
	}
	b := t.b
	n := 0
	for _, l := range row {
		n += len(b.withClass(l.class))
	}
	covered := pathID(0) // what lies before it lies in what was found
	if n < len(b.class)/16 {
		all := make([]pathID, 0, n)
		for _, l := range row {
			all = append(all, b.withClass(l.class)...)
		}
		slices.Sort(all)
		for _, y := range all {
			if y >= covered {
				found = append(found, y)
				covered = b.end[y]
			}
		}
	} else {
		for _, l := range row {
			t.matches[l.class] = true
		}
		for y := pathID(0); int(y) < len(b.class); {
			switch c := b.class[y]; {
			case t.matches[c]:
				found = append(found, y)
				y = b.end[y]
			case c < row[0].class: // and so are all in it: their sets are smaller
				y = b.end[y]
			default:
				y++
			}
		}
		for _, l := range row {
			t.matches[l.class] = false
		}
	}
	if t.kept += len(found); t.kept > maxTops {
		clear(t.of)
		t.kept = len(found)
	}
	t.of[class] = found
	return found
}

// over gives the root that y lies in, if it lies in one.
func over(roots []pathID, b *paths, y pathID) (pathID, bool) {
	i, ok := slices.BinarySearch(roots, y)
	if ok {
		return y, true
	}
	if i == 0 || y >= b.end[roots[i-1]] {
		return 0, false
	}
	return roots[i-1], true
}

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
