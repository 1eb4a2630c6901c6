package compact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cambium-prof/cambium/cct"
)

// This file solves the rare compacted node of which no single context takes
// over all others. It needs a context whose compacted name is a proper prefix
// of its caller's:
//
//	m   lib1.A
//	├── x   lib1.A
//	│   └── w   lib3
//	├── y   lib1
//	│   └── z   lib3
//	└── v   lib3
//
// m takes over x, and y does so too, as its sibling; so all three are one node.
// But m and y do not take over each other. By condition (3), contexts are
// brought together by a context that takes over both their callers: so v and w
// are (by m) and w and z (by y), and v and z are only because of w.
//
// So a compacted node consists of parts, which overlap: a part is what one
// context, its maker, takes over. Contexts are as good as siblings if their
// callers have a part in common. An ordinary node has one part, that of its
// highest context with the shortest name; here they are found as a fixed
// point: until nothing changes, the parts decide which contexts belong
// to the node and the contexts of the node make parts. A maker of which another
// takes over all that it could is left out, so that there are few.

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }

func (b *bits) set(i int) {
	for i/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

func (b bits) meets(c bits) bool {
	for i := range min(len(b), len(c)) {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

// isIn reports whether all of b is in c, but perhaps for one number (-1: none).
func (b bits) isIn(c bits, but int) bool {
	for i, word := range b {
		if i < len(c) {
			word &^= c[i]
		}
		if but >= 0 && but/64 == i {
			word &^= 1 << (but % 64)
		}
		if word != 0 {
			return false
		}
	}
	return true
}

func (b bits) empty() bool { return b.isIn(nil, -1) }

// zone is what is looked at to find the contexts of one row: its contexts, and
// those right below them.
type zone struct {
	s     *solver
	nodes []zoneNode
	parts []part
}

type zoneNode struct {
	context uint32
	up      int // node of its caller, -1 for the highest contexts
	name    NameID
	member  bool
	open    bool // its children are nodes
	outer   bits // of a highest context: the parts of the parent row that its caller is in
	inner   bits // the parts that it is in
}

// part is what the node maker takes over.
type part struct {
	maker int
	name  NameID
}

// solveParts finds the contexts of row r and makes the rows below it. types
// has the parts of the parent row that r's highest contexts hang on; nil if
// they are all siblings.
func (s *solver) solveParts(r uint32, types []bits) {
	z := &zone{s: s}
	for i, top := 0, s.head[r]; top != none; i, top = i+1, s.next[top] {
		n := zoneNode{context: top, up: -1, name: s.names.at(s.method[top], s.level[top]), member: true, outer: bits{1}}
		if types != nil {
			n.outer = types[i]
		}
		z.nodes = append(z.nodes, n)
	}
	for z.spread() || z.link() || z.make() {
	}
	merged := uint32(0)
	for _, n := range z.nodes {
		if n.member {
			s.into[n.context] = cct.NodeID(r + 1)
			merged++
			if s.names.depth[n.name] < s.names.depth[s.name[r]] {
				s.name[r] = n.name
			}
		}
	}
	s.merged[r] = merged
	s.setOrigin(r)
	z.divide(r)
}

// spread lets the parts take over what they can. It reports whether something
// changed.
func (z *zone) spread() bool {
	changed := false
	for i := 0; i < len(z.nodes); i++ {
		n := &z.nodes[i]
		for p, part := range z.parts {
			if !n.inner.has(p) && z.takes(p, part, i) {
				n.inner.set(p)
				n.member = true
				changed = true
			}
		}
		if n.member && !n.open {
			z.open(i)
			changed = true
		}
	}
	return changed
}

// takes reports whether the maker of part p takes over node i, going by what
// is known by now.
func (z *zone) takes(p int, part part, i int) bool {
	n, maker := &z.nodes[i], &z.nodes[part.maker]
	switch {
	case part.maker == i: // condition (1)
		return true
	case !z.s.names.prefixes(part.name, n.name):
		return false
	case n.up < 0:
		return maker.up < 0 && n.outer.meets(maker.outer) // (3); the callers are in the parent row
	case z.nodes[n.up].inner.has(p): // (2)
		return true
	}
	return maker.up >= 0 && z.nodes[n.up].inner.meets(z.nodes[maker.up].inner) // (3)
}

// open adds the children of a node.
func (z *zone) open(i int) {
	s := z.s
	z.nodes[i].open = true
	context, name := z.nodes[i].context, z.nodes[i].name
	end := uint32(s.end[context] - s.root)
	for c := context + 1; c < end; c = uint32(s.end[c] - s.root) {
		n := zoneNode{context: c, up: i, name: name, member: true}
		if l := s.level[c]; l > 0 {
			n.name, n.member = s.names.at(s.method[c], l), false
		}
		z.nodes = append(z.nodes, n)
	}
}

// link finds nodes that are no members, but take over a member as a sibling.
func (z *zone) link() bool {
	s, changed := z.s, false
	for p := range z.parts {
		s.stamp++
		for i := range z.nodes {
			if n := &z.nodes[i]; n.member && n.up >= 0 && z.nodes[n.up].inner.has(p) {
				begin := s.names.rep[n.name]
				for _, prefix := range s.names.chain[begin : begin+uint32(s.names.depth[n.name])] {
					s.mark[prefix] = s.stamp
				}
			}
		}
		for i := range z.nodes {
			if n := &z.nodes[i]; !n.member && z.nodes[n.up].inner.has(p) && s.mark[n.name] == s.stamp {
				n.member = true
				changed = true
			}
		}
	}
	return changed
}

// make gives a part to the members that need one.
func (z *zone) make() bool {
	var makers []int
	for i := range z.nodes {
		if z.nodes[i].member && z.needsPart(i) {
			makers = append(makers, i)
		}
	}
	// Those with short names take over most.
	slices.SortFunc(makers, func(a, b int) int {
		if c := cmp.Compare(z.s.names.depth[z.nodes[a].name], z.s.names.depth[z.nodes[b].name]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	for _, i := range makers {
		if z.needsPart(i) {
			z.parts = append(z.parts, part{i, z.nodes[i].name})
		}
	}
	return len(makers) > 0
}

// needsPart reports whether node i can take over something that no maker of a
// part is sure to: what i takes over has i's name as a prefix, and a caller
// that has a part in common with i's caller, or is itself taken over by i. A
// maker with a prefix of that name takes over all of it if each of those
// parts is its own or one that its caller is in.
func (z *zone) needsPart(i int) bool {
	n := &z.nodes[i]
	if n.up >= 0 && z.nodes[n.up].inner.empty() {
		return false // its caller needs one first
	}
	for p, part := range z.parts {
		maker := &z.nodes[part.maker]
		switch {
		case part.maker == i:
			return false
		case !z.s.names.prefixes(part.name, n.name):
		case n.up < 0:
			if maker.up < 0 && n.outer.isIn(maker.outer, -1) {
				return false
			}
		case maker.up < 0:
			if z.nodes[n.up].inner.isIn(nil, p) {
				return false
			}
		default:
			if z.nodes[n.up].inner.isIn(z.nodes[maker.up].inner, p) {
				return false
			}
		}
	}
	return true
}

// divide makes the nodes that are no members into rows below r: within each
// part as in [solver.divide], and those that any part brings together are
// together.
func (z *zone) divide(r uint32) {
	s := z.s
	var rest []int
	for i := range z.nodes {
		if !z.nodes[i].member {
			rest = append(rest, i)
		}
	}
	slices.SortFunc(rest, func(a, b int) int { return cmp.Compare(z.nodes[a].context, z.nodes[b].context) })
	with := make([]int, len(rest)) // disjoint sets
	for k := range with {
		with[k] = k
	}
	find := func(k int) int {
		for with[k] != k {
			with[k] = with[with[k]]
			k = with[k]
		}
		return k
	}
	for p := range z.parts {
		s.stamp++
		in := func(k int) bool { return z.nodes[z.nodes[rest[k]].up].inner.has(p) }
		for k, i := range rest {
			if in(k) {
				s.mark[z.nodes[i].name] = s.stamp
			}
		}
		for k, i := range rest {
			if !in(k) {
				continue
			}
			at := s.names.rep[z.nodes[i].name]
			for s.mark[s.names.chain[at]] != s.stamp {
				at++
			}
			shortest := s.names.chain[at]
			if s.made[shortest] != s.stamp {
				s.made[shortest], s.slot[shortest] = s.stamp, uint32(k)
			}
			a, b := find(int(s.slot[shortest])), find(k)
			with[max(a, b)] = min(a, b)
		}
	}
	classes := map[int][]int{}
	for k := range rest {
		classes[find(k)] = append(classes[find(k)], rest[k])
	}
	first := uint32(len(s.parent))
	for k := range rest { // in order
		if class := classes[k]; class != nil {
			z.addRow(r, class)
		}
	}
	s.keep(first)
}

// addRow makes a row of the nodes that are its highest contexts.
func (z *zone) addRow(r uint32, class []int) {
	s := z.s
	shortest := z.nodes[class[0]].name
	for _, i := range class {
		if name := z.nodes[i].name; s.names.depth[name] < s.names.depth[shortest] {
			shortest = name
		}
	}
	row := s.add(r, shortest)
	types := make([]bits, len(class))
	for k, i := range class {
		s.put(row, z.nodes[i].context)
		types[k] = z.nodes[z.nodes[i].up].inner
	}
	// If one of them takes over all, it does not matter who is whose sibling.
	distinct := map[string]bits{}
	for _, t := range types {
		distinct[fmt.Sprint(t)] = t
	}
	for k, i := range class {
		if z.nodes[i].name != shortest || distinct[fmt.Sprint(types[k])] == nil {
			continue
		}
		all := true
		for _, t := range distinct {
			all = all && t.meets(types[k])
		}
		if all {
			return
		}
	}
	s.typed[row] = types
}
