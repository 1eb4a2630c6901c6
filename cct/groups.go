package cct

import (
	"cmp"
	"slices"
	"sync"

	"github.com/cambium-prof/cambium/data"
)

// A tree of callers is the calling context tree turned round: what was measured
// in a method, split by who called it, and by who called that one. All of it is
// as many times larger than the tree as stacks are deep, so that it is never
// made. Groups are the part of it that somebody looked at.
//
// A [Group] stands for all contexts with the same path of methods to where the
// tree begins. It keeps an entry for each of them: the context that the path
// ends at, and the context whose amount it is. To expand a group is to follow
// each entry one step, and to distribute the entries over groups by the methods
// they come to. A group needs its entries no more then: at any time every entry
// belongs to one group that is not expanded. So all groups of a tree hold at
// most as many entries as there are contexts, 16 bytes each, however much was
// looked at.
//
// Callees of a method, all of its contexts together, are the same the other way:
// an entry is followed to the callees of its context.

// Group stands for contexts with one path of methods. It is never changed, but
// for what [Groups.Expand] fills in.
type Group struct {
	Method data.EntityID
	First  NodeID // the first row of those that it stands for
	Total  int64  // sum over its entries; those of callers: above zero each
	Second int64  // the same of the second metric, if there is one
	// Own and OwnSecond are the parts of both that no other group takes further;
	// valid once expanded.
	Own, OwnSecond int64
	// Stacks is how many entries it has; Ended, once it is expanded, how many of
	// them go no further.
	Stacks, Ended int
	Below         int // of callees: contexts that it stands for, and all below these

	entries  []groupEntry
	children []*Group
	expanded bool
}

type groupEntry struct {
	at, of NodeID
	amount int64 // of the latter: it would be far away in memory
}

// Groups are groups of a part of a tree, made as far as they were asked for.
// They are safe for concurrent use.
type Groups struct {
	tree           *Tree
	root           NodeID
	metric, second int // second is -1 for none
	callees        bool
	of             []int64 // per metric: what an entry amounts to
	ofSecond       []int64
	tops           []*Group // the roots, largest first

	mu sync.Mutex
	// Scratch of distribute.
	count   []int32         // method -> entries
	place   []*Group        // method -> its group
	next    []groupEntry    // to be distributed
	methods []data.EntityID // of these
	used    []data.EntityID // that occur
}

// Roots are the groups that the tree of groups begins with, largest first. The
// slice is shared: do not change it.
func (g *Groups) Roots() []*Group { return g.tops }

// groupsKey names groups of a tree.
type groupsKey struct {
	root           NodeID
	metric, second int
	method         data.EntityID // of which the callers or callees are; None: of all
	callees        bool
}

// mostScratch is how many entries room is kept for.
const mostScratch = 1 << 14

// keptGroups is how many are kept for each tree.
const keptGroups = 4

type recentGroups struct {
	mu     sync.Mutex
	keys   []groupsKey
	groups []*Groups
}

func (r *recentGroups) get(key groupsKey, make func() *Groups) *Groups {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.keys, key); i >= 0 {
		g := r.groups[i]
		r.keys, r.groups = append(slices.Delete(r.keys, i, i+1), key), append(slices.Delete(r.groups, i, i+1), g)
		return g
	}
	g := make()
	if len(r.keys) == keptGroups {
		r.keys, r.groups = slices.Delete(r.keys, 0, 1), slices.Delete(r.groups, 0, 1)
	}
	r.keys, r.groups = append(r.keys, key), append(r.groups, g)
	return g
}

// BottomUp gives the methods of the subtree of root with what was measured in
// each of them, to be split by callers. Contexts with nothing above zero of
// their own do not take part. second is another metric to sum up, or -1.
//
// It costs a pass over the subtree, once.
func (t *Tree) BottomUp(root NodeID, metric, second int) *Groups {
	return t.groups.get(groupsKey{root: root, metric: metric, second: second, method: data.None}, func() *Groups {
		g := t.newGroups(root, metric, second, t.Self)
		stacks := 0
		for i, v := range g.of[root:t.End[root]] {
			if m := t.Method[int(root)+i]; v > 0 && m != data.None {
				g.tally(m)
				stacks++
			}
		}
		g.tops = g.open(stacks)
		for i, v := range g.of[root:t.End[root]] {
			n := root + NodeID(i)
			if m := t.Method[n]; v > 0 && m != data.None {
				g.put(m, groupEntry{n, n, v})
			}
		}
		g.sort(g.tops)
		return g
	})
}

// CallersOf gives a method of the subtree of root, to be split by callers:
// all of its contexts that are not within another one of its own, with their
// totals. There is one root, or none.
func (t *Tree) CallersOf(method data.EntityID, root NodeID, metric, second int) *Groups {
	return t.around(groupsKey{root: root, metric: metric, second: second, method: method})
}

// CalleesOf gives the same method to be split by what it calls.
func (t *Tree) CalleesOf(method data.EntityID, root NodeID, metric, second int) *Groups {
	return t.around(groupsKey{root: root, metric: metric, second: second, method: method, callees: true})
}

func (t *Tree) around(key groupsKey) *Groups {
	return t.groups.get(key, func() *Groups {
		g := t.newGroups(key.root, key.metric, key.second, t.Total)
		g.callees = key.callees
		outside := key.root
		for _, n := range t.OfMethod(key.method) {
			if n < outside || n >= t.End[key.root] {
				continue // a call within another counts once
			}
			outside = t.End[n]
			if g.of[n] > 0 {
				g.add(n, n, g.of[n])
			}
		}
		g.tops = g.distribute()
		return g
	})
}

func (t *Tree) newGroups(root NodeID, metric, second int, amounts [][]int64) *Groups {
	g := &Groups{tree: t, root: root, metric: metric, second: second, of: amounts[metric]}
	if second >= 0 {
		g.ofSecond = amounts[second]
	}
	g.count, g.place = make([]int32, t.Methods.Rows()), make([]*Group, t.Methods.Rows())
	return g
}

// Expand gives the groups that g goes on to, largest first, those of the same
// total by name. The first time it costs as much as g has entries. The slice is
// shared: do not change it.
func (g *Groups) Expand(p *Group) []*Group {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.expanded {
		return p.children
	}
	p.expanded = true
	t := g.tree
	p.Own, p.OwnSecond = p.Total, p.Second
	if g.callees {
		for _, e := range p.entries {
			before := len(g.next)
			for c := e.at + 1; c < t.End[e.at]; c = t.End[c] {
				if g.of[c] > 0 {
					g.add(c, c, g.of[c])
				}
			}
			if len(g.next) == before {
				p.Ended++
			}
		}
	} else {
		g.expect(len(p.entries))
		for _, e := range p.entries {
			up := t.Parent[e.at]
			if e.at == g.root || up == NoNode || t.Method[up] == data.None {
				p.Ended++
				continue
			}
			g.add(up, e.of, e.amount)
		}
	}
	p.children = g.distribute()
	for _, c := range p.children {
		p.Own -= c.Total
		p.OwnSecond -= c.Second
	}
	p.entries = nil
	return p.children
}

// expect makes room for entries to be added.
func (g *Groups) expect(n int) {
	g.next, g.methods = slices.Grow(g.next, n), slices.Grow(g.methods, n)
}

// add puts an entry where distribute finds it.
func (g *Groups) add(at, of NodeID, amount int64) {
	m := g.tree.Method[at]
	g.tally(m)
	g.next = append(g.next, groupEntry{at, of, amount})
	g.methods = append(g.methods, m)
}

// tally counts an entry of a method that is to be put into its group.
func (g *Groups) tally(m data.EntityID) {
	if g.count[m] == 0 {
		g.used = append(g.used, m)
	}
	g.count[m]++
}

// distribute makes groups of the entries that were added.
func (g *Groups) distribute() []*Group {
	if len(g.next) == 0 {
		return nil
	}
	groups := g.open(len(g.next))
	for i, e := range g.next {
		g.put(g.methods[i], e)
	}
	g.sort(groups)
	g.next, g.methods = g.next[:0], g.methods[:0]
	if cap(g.next) > mostScratch {
		g.next, g.methods = nil, nil
	}
	return groups
}

// open makes groups with room for the entries that were counted, n in all.
func (g *Groups) open(n int) []*Group {
	room := make([]groupEntry, n)
	groups, made := make([]*Group, len(g.used)), make([]Group, len(g.used))
	at := 0
	for i, m := range g.used {
		n := int(g.count[m])
		groups[i] = &made[i]
		made[i] = Group{Method: m, First: NoNode, Stacks: n, entries: room[at : at : at+n]}
		g.place[m], g.count[m] = groups[i], 0
		at += n
	}
	g.used = g.used[:0]
	return groups
}

// put adds an entry to the group of its method.
func (g *Groups) put(m data.EntityID, e groupEntry) {
	p := g.place[m]
	p.entries = append(p.entries, e)
	p.First = min(p.First, e.at)
	p.Total, _ = addSaturating(p.Total, e.amount)
	if g.callees {
		p.Below += int(g.tree.End[e.at] - e.at)
	}
	if g.ofSecond != nil {
		p.Second, _ = addSaturating(p.Second, g.ofSecond[e.of])
	}
}

// sort orders groups by falling total, then by name.
func (g *Groups) sort(groups []*Group) {
	rank := g.tree.rank
	slices.SortFunc(groups, func(a, b *Group) int {
		if c := cmp.Compare(b.Total, a.Total); c != 0 {
			return c
		}
		if c := cmp.Compare(rankOf(rank, a.Method), rankOf(rank, b.Method)); c != 0 {
			return c
		}
		return cmp.Compare(a.First, b.First)
	})
}

// byMethod lists the contexts of each method.
type byMethod struct {
	sync.Once
	first []uint32 // method -> its first in nodes
	nodes []NodeID
}

// OfMethod gives the nodes of a method, in the order of the rows. The first
// time it costs a pass over the tree, and 4 bytes per node. The slice is shared:
// do not change it.
func (t *Tree) OfMethod(m data.EntityID) []NodeID {
	if m == data.None {
		return nil
	}
	x := &t.byMethod
	x.Do(func() {
		x.first = make([]uint32, t.Methods.Rows()+2)
		for _, m := range t.Method {
			if m != data.None {
				x.first[m+2]++
			}
		}
		for i := 2; i < len(x.first); i++ {
			x.first[i] += x.first[i-1]
		}
		x.nodes = make([]NodeID, x.first[len(x.first)-1])
		for n, m := range t.Method {
			if m != data.None {
				x.nodes[x.first[m+1]] = NodeID(n)
				x.first[m+1]++
			}
		}
	})
	return x.nodes[x.first[m]:x.first[m+1]]
}
