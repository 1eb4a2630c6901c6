package match

import (
	"context"
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

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

// has tells whether a path is in the region.
func (r *region) has(b *paths, y pathID) bool {
	for ; r.from != nil; r = r.from {
		if _, out := over(r.roots, b, y); out {
			return false
		}
	}
	return true
}

// cover is the walk down the paths of A: the regions on the way to the present
// one, and what the last of them lacks.
type cover struct {
	b       *paths
	open    []*region // by depth of the path of A that comes next
	out     []bool    // path of B -> not in open[applied]
	applied int
	undo    []pathID // what was put out, in order
	levels  []int    // region in open -> length of undo before its roots were put out
}

func newCover(b *paths) *cover {
	return &cover{b: b, open: []*region{{left: b.outermost()}}, out: make([]bool, len(b.class)), levels: []int{0}}
}

// back goes back to the region of a depth.
func (c *cover) back(depth int) *region {
	c.open = c.open[:depth+1]
	if c.applied > depth {
		mark := c.levels[depth+1]
		for _, y := range c.undo[mark:] {
			c.out[y] = false
		}
		c.undo, c.levels, c.applied = c.undo[:mark], c.levels[:depth+1], depth
	}
	return c.open[depth]
}

// take finds which of the outermost paths that match a class are in the last
// region, and what they leave of it.
func (c *cover) take(tops []pathID) *step {
	for c.applied+1 < len(c.open) {
		c.applied++
		c.levels = append(c.levels, len(c.undo))
		if c.open[c.applied] == c.open[c.applied-1] {
			continue
		}
		for _, root := range c.open[c.applied].roots {
			for y := root; y < c.b.end[root]; y++ {
				if !c.out[y] {
					c.out[y] = true
					c.undo = append(c.undo, y)
				}
			}
		}
	}
	r := c.open[c.applied]
	st := &step{in: r, rest: r}
	left := r.left
	for _, y := range tops {
		if c.out[y] {
			continue
		}
		st.roots = append(st.roots, y)
		st.calls += c.b.calls(y)
		if c.b.parent[y] == noPath {
			left--
		}
	}
	if len(st.roots) > 0 {
		st.rest = &region{from: r, roots: st.roots, left: left}
	}
	return st
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

func (m *Matches) findGroups() *Groups {
	g := &Groups{m: m}
	_ = parallel(context.Background(), 2, 1, func(_, side, _ int) error {
		g.paths[side] = newPaths(m.Traces[side], m.Classes[side])
		return nil
	})
	a, b := g.paths[A], g.paths[B]
	g.steps = make([]*step, len(a.class))
	tops := &tops{m: m, b: b, s: m.searcher(A), matches: make([]bool, m.Classes[B].Len()), of: map[ClassID][]pathID{}}
	cover := newCover(b)
	for x := pathID(0); int(x) < len(a.class); {
		in := cover.back(int(a.depth[x]))
		if in.left == 0 {
			x = a.end[x]
			continue
		}
		class := a.class[x]
		st := in.steps[class]
		if st == nil {
			st = cover.take(tops.get(class))
			if in.steps == nil {
				in.steps = map[ClassID]*step{}
			}
			in.steps[class] = st
		}
		g.steps[x] = st
		g.Total += a.calls(x) * st.calls
		cover.open = append(cover.open, st.rest)
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
