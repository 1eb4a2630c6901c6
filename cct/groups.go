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
// most as many entries as there are contexts, 8 bytes each, however much was
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
	Own    int64  // the part of Total that no other group takes further; valid once expanded
	// Stacks is how many entries it has; Ended, once it is expanded, how many of
	// them go no further.
	Stacks, Ended int
	Below         int // of callees: contexts that it stands for, and all below these

	entries  []groupEntry
	children []*Group
	expanded bool
}

type groupEntry struct{ at, of NodeID }

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

	mu    sync.Mutex
	count []int32  // scratch: method -> entries
	place []*Group // scratch: method -> its group
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
		var from []groupEntry
		for n := root; n < t.End[root]; n++ {
			if g.of[n] > 0 && t.Method[n] != data.None {
				from = append(from, groupEntry{n, n})
			}
		}
		g.tops = g.distribute(from)
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
		var from []groupEntry
		for n := key.root; n < t.End[key.root]; {
			if t.Method[n] != key.method {
				n++
				continue
			}
			if g.of[n] > 0 {
				from = append(from, groupEntry{n, n})
			}
			n = t.End[n] // a call within counts once
		}
		g.tops = g.distribute(from)
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
	p.Own = p.Total
	if g.callees {
		var next []groupEntry
		for _, e := range p.entries {
			before := len(next)
			for c := range t.Children(e.at) {
				if g.of[c] > 0 {
					next = append(next, groupEntry{c, c})
				}
			}
			if len(next) == before {
				p.Ended++
			}
		}
		p.children = g.distribute(next)
	} else {
		next := p.entries[:0]
		for _, e := range p.entries {
			up := t.Parent[e.at]
			if e.at == g.root || up == NoNode || t.Method[up] == data.None {
				p.Ended++
				continue
			}
			next = append(next, groupEntry{up, e.of})
		}
		p.children = g.distribute(next)
	}
	for _, c := range p.children {
		p.Own -= c.Total
	}
	p.entries = nil
	return p.children
}

// distribute makes groups of entries by method.
func (g *Groups) distribute(entries []groupEntry) []*Group {
	if len(entries) == 0 {
		return nil
	}
	method := g.tree.Method
	var used []data.EntityID
	for _, e := range entries {
		m := method[e.at]
		if g.count[m] == 0 {
			used = append(used, m)
		}
		g.count[m]++
	}
	room := make([]groupEntry, len(entries))
	groups, made := make([]*Group, len(used)), make([]Group, len(used))
	at := 0
	for i, m := range used {
		n := int(g.count[m])
		groups[i] = &made[i]
		made[i] = Group{Method: m, First: NoNode, Stacks: n, entries: room[at : at : at+n]}
		g.place[m] = groups[i]
		g.count[m] = 0
		at += n
	}
	for _, e := range entries {
		p := g.place[method[e.at]]
		p.entries = append(p.entries, e)
		p.First = min(p.First, e.at)
		p.Below += int(g.tree.End[e.at] - e.at)
		p.Total, _ = addSaturating(p.Total, g.of[e.of])
		if g.ofSecond != nil {
			p.Second, _ = addSaturating(p.Second, g.ofSecond[e.of])
		}
	}
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
	return groups
}
