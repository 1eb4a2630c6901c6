package compact

import (
	"slices"
	"sync"

	"github.com/cambium-prof/cambium/cct"
)

// outermost leaves the rows that are not in the subtree of another, each once
// and in order.
func outermost(t *cct.Tree, rows []cct.NodeID) []cct.NodeID {
	slices.Sort(rows)
	kept := rows[:0]
	end := cct.NodeID(0)
	for _, row := range rows {
		if row >= end {
			kept = append(kept, row)
			end = t.End[row]
		}
	}
	return kept
}

// begin makes a row for each old row that is to be solved anew, with its
// highest contexts.
func (s *solver) begin(roots []cct.NodeID) {
	if len(roots) == 1 && roots[0] == cct.Root {
		s.add(none, s.shownName(0))
		s.put(0, 0)
		return
	}
	old := s.old
	rowOf := make(map[cct.NodeID]uint32, len(roots))
	wanted := make(bits, old.Len()/64+1)
	for _, o := range roots {
		rowOf[o] = s.add(none, noName)
		wanted.set(int(o))
	}
	for i, o := range old.into {
		if !wanted.has(int(o)) || !old.isTop(uint32(i)) {
			continue
		}
		r, name := rowOf[o], s.shownName(uint32(i))
		if s.name[r] == noName || s.names.depth[name] < s.names.depth[s.name[r]] {
			s.name[r] = name
		}
		s.put(r, uint32(i))
	}
}

// splice is how the rows of the result come from those of the old tree and of
// the draft. Outside of the old rows that were solved anew (the roots) the old
// rows stay in order: between two roots they move by the same number of rows.
type splice struct {
	roots []cct.NodeID // in rising order; the rows of the draft that they became come first in it
	end   []cct.NodeID // root -> end of its old subtree
	shift []int64      // root -> how far what comes behind it moves
}

// move is how far an old row moves that is in no root; at may also be the end
// of such a row's subtree.
func (p *splice) move(at cct.NodeID) int64 {
	i, _ := slices.BinarySearchFunc(p.end, at, func(end, at cct.NodeID) int {
		if end <= at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	return p.shift[i-1]
}

// build puts the draft into order, as the tree's rows. If there are roots, the
// draft replaces these rows of the tree t, the first of its rows the first of
// them and so on; otherwise it is all of the tree.
func (s *solver) build(t *Tree, roots []cct.NodeID) *Tree {
	n := len(s.parent)
	size := s.sizes()
	if roots == nil {
		roots = []cct.NodeID{cct.Root}
	}
	p := &splice{roots: roots, end: make([]cct.NodeID, len(roots)), shift: make([]int64, len(roots))}
	rows := int64(size[0])
	if s.old != nil {
		rows = int64(s.old.Len())
		for k, root := range roots {
			p.end[k] = s.old.End[root]
			rows += int64(size[k]) - int64(p.end[k]-root)
			p.shift[k] = rows - int64(s.old.Len())
		}
	}
	place := s.places(p, size)

	depth, height := make([]int32, n), make([]int32, n)
	for r := range n { // parents before children
		if up := s.parent[r]; up != none {
			depth[r] = depth[up] + 1
		} else if s.old != nil {
			depth[r] = s.old.Depth[roots[r]]
		}
	}
	for r := n - 1; r >= 0; r-- {
		if o := s.kept[r]; o != cct.NoNode {
			height[r] = s.old.Height[o]
		}
		if up := s.parent[r]; up != none {
			height[up] = max(height[up], height[r]+1)
		}
	}
	var pieces []piece
	var moved []cct.NodeID // old row -> row, NoNode if it was made anew
	outside := 0
	if s.old != nil {
		pieces, outside, moved = s.pieces(p, place, depth)
	}
	out := newColumns(int(rows), len(s.total), s.old, pieces)
	s.reconnect(out, p, pieces[:outside])
	for r := range n {
		at, parent := place[r], cct.NoNode
		if up := s.parent[r]; up != none {
			parent = place[up]
		} else if s.old != nil && roots[r] != cct.Root {
			parent = s.old.Parent[roots[r]]
			parent += cct.NodeID(p.move(parent))
		}
		out.Parent[at] = parent
		if s.kept[r] != cct.NoNode {
			continue
		}
		out.Depth[at], out.End[at], out.Height[at] = depth[r], at+cct.NodeID(size[r]), height[r]
		out.Method[at], out.Origin[at], out.Merged[at], out.tops[at] = s.name[r], s.origin[r], s.merged[r], s.tops[r]
		for m, total := range s.total {
			out.Total[m][at] = total[r]
		}
	}
	s.sumSelf(out, place)
	s.fixHeights(out, p)

	made := &Tree{From: t.From, FromRoot: t.FromRoot, Names: t.Names, level: s.level, tops: out.tops, typed: map[cct.NodeID]bool{}}
	for r := range s.typed {
		made.typed[place[r]] = true
	}
	if s.old != nil {
		for o := range s.old.typed {
			if to := moved[o]; to != cct.NoNode {
				made.typed[to] = true
			}
		}
	}
	made.into = s.rowsOfContexts(place, moved)
	made.Tree = cct.Assemble(t.From, t.FromRoot, t.Names.naming, out.Rows, made.into)
	if s.cut {
		made.Saturated = true
	}
	if made.Saturated {
		made.sumSaturated()
	}
	return made
}

// sizes is, per row of the draft, the number of rows in its subtree.
func (s *solver) sizes() []uint32 {
	size := make([]uint32, len(s.parent))
	for r := len(size) - 1; r >= 0; r-- {
		if o := s.kept[r]; o != cct.NoNode {
			size[r] = uint32(s.old.End[o] - o)
		} else {
			size[r]++
		}
		if up := s.parent[r]; up != none {
			size[up] += size[r]
		}
	}
	return size
}

// places gives each row of the draft its row in the result.
func (s *solver) places(p *splice, size []uint32) []cct.NodeID {
	n := len(s.parent)
	first := make([]uint32, n+1)
	for _, up := range s.parent {
		if up != none {
			first[up+1]++
		}
	}
	for r := range n {
		first[r+1] += first[r]
	}
	children := make([]uint32, first[n])
	fill := slices.Clone(first[:n])
	for r, up := range s.parent {
		if up != none {
			children[fill[up]] = uint32(r)
			fill[up]++
		}
	}
	place := make([]cct.NodeID, n)
	before := int64(0)
	for k, root := range p.roots {
		place[k] = cct.NodeID(int64(root) + before)
		before = p.shift[k]
	}
	for r := range n {
		group := children[first[r]:first[r+1]]
		if len(group) > 1 {
			s.sortSiblings(group)
		}
		next := place[r] + 1
		for _, c := range group {
			place[c] = next
			next += cct.NodeID(size[c])
		}
	}
	return place
}

func (s *solver) sortSiblings(group []uint32) {
	naming := s.names.naming
	slices.SortFunc(group, func(a, b uint32) int {
		if len(s.total) > 0 && s.total[0][a] != s.total[0][b] {
			if s.total[0][a] > s.total[0][b] {
				return -1
			}
			return 1
		}
		if ra, rb := naming.Rank(s.name[a]), naming.Rank(s.name[b]); ra != rb {
			return int(ra) - int(rb)
		}
		return int(s.origin[a]) - int(s.origin[b])
	})
}

// piece is a run of old rows that move together: into a place between the
// others, and perhaps deeper.
type piece struct {
	from, to cct.NodeID
	move     int64
	deeper   int32
}

// pieces lists the old rows outside of the roots, in order, and then those that
// are kept in them; outside is the number of the former. It also gives where
// every old row is now.
func (s *solver) pieces(p *splice, place []cct.NodeID, depth []int32) (all []piece, outside int, moved []cct.NodeID) {
	moved = make([]cct.NodeID, s.old.Len())
	add := func(c piece) {
		all = append(all, c)
		for o := c.from; o < c.to; o++ {
			moved[o] = o + cct.NodeID(c.move)
		}
	}
	from, move := cct.Root, int64(0)
	for k := 0; k <= len(p.roots); k++ {
		to := cct.NodeID(s.old.Len())
		if k < len(p.roots) {
			to = p.roots[k]
		}
		if from < to {
			add(piece{from, to, move, 0})
		}
		if k < len(p.roots) {
			for o := to; o < p.end[k]; o++ {
				moved[o] = cct.NoNode
			}
			from, move = p.end[k], p.shift[k]
		}
	}
	outside = len(all)
	for r, o := range s.kept {
		if o != cct.NoNode {
			add(piece{o, s.old.End[o], int64(place[r]) - int64(o), depth[r] - s.old.Depth[o]})
		}
	}
	return all, outside, moved
}

// columns is what a tree is made of, being filled.
type columns struct {
	cct.Rows
	tops []uint32
}

// newColumns makes columns with pieces of an old tree in them, the parents and
// ends moved as the rows are. With many rows this is most of the work of a
// small change, so two goroutines share it.
func newColumns(rows, metrics int, old *Tree, pieces []piece) *columns {
	c := &columns{}
	var wait sync.WaitGroup
	wait.Go(func() {
		c.Self, c.Total = make([][]int64, metrics), make([][]int64, metrics)
		for m := range metrics {
			c.Self[m], c.Total[m] = make([]int64, rows), make([]int64, rows)
			for _, p := range pieces {
				copyPiece(c.Self[m], old.Self[m], p)
				copyPiece(c.Total[m], old.Total[m], p)
			}
		}
		c.tops = make([]uint32, rows)
		for _, p := range pieces {
			copyPiece(c.tops, old.tops, p)
		}
	})
	c.Parent, c.End, c.Origin = make([]cct.NodeID, rows), make([]cct.NodeID, rows), make([]cct.NodeID, rows)
	c.Depth, c.Height = make([]int32, rows), make([]int32, rows)
	c.Method, c.Merged = make([]NameID, rows), make([]uint32, rows)
	for _, p := range pieces {
		copyPiece(c.Height, old.Height, p)
		copyPiece(c.Method, old.Method, p)
		copyPiece(c.Origin, old.Origin, p)
		copyPiece(c.Merged, old.Merged, p)
		copyMoved(c.Parent, old.Parent, p, cct.NodeID(p.move)) // modulo 2^32
		copyMoved(c.End, old.End, p, cct.NodeID(p.move))
		copyMoved(c.Depth, old.Depth, p, p.deeper)
	}
	wait.Wait()
	return c
}

func copyPiece[T any](to, from []T, p piece) {
	copy(to[int64(p.from)+p.move:int64(p.to)+p.move], from[p.from:p.to])
}

func copyMoved[T cct.NodeID | int32](to, from []T, p piece, by T) {
	to, from = to[int64(p.from)+p.move:int64(p.to)+p.move], from[p.from:p.to]
	for i, v := range from {
		to[i] = v + by
	}
}

// reconnect corrects, in the pieces outside of the roots, parents before an
// earlier root and ends behind a later one.
func (s *solver) reconnect(out *columns, p *splice, pieces []piece) {
	for _, c := range pieces {
		for o := c.from; o < c.to; o++ {
			if parent := s.old.Parent[o]; parent < c.from {
				out.Parent[int64(o)+c.move] = parent + cct.NodeID(p.move(parent))
			}
			if end := s.old.End[o]; end > c.to {
				out.End[int64(o)+c.move] = end + cct.NodeID(p.move(end))
			}
		}
		if c.from == 0 {
			out.Parent[0] = cct.NoNode
		}
	}
}

// sumSelf gives the new rows what their total has beyond that of their
// children.
func (s *solver) sumSelf(out *columns, place []cct.NodeID) {
	for m := range out.Self {
		self, total := out.Self[m], out.Total[m]
		for r, at := range place {
			if s.kept[r] == cct.NoNode {
				self[at] = total[at]
			}
		}
		for r, at := range place {
			if up := s.parent[r]; up != none {
				self[place[up]] -= total[at] // wraps around on the way, but not in the end
			}
		}
	}
}

// fixHeights corrects the heights above the roots.
func (s *solver) fixHeights(out *columns, p *splice) {
	if len(p.roots) > 16 { // many paths upwards share most of their rows
		clear(out.Height)
		for at := len(out.Height) - 1; at > 0; at-- {
			up := out.Parent[at]
			out.Height[up] = max(out.Height[up], out.Height[at]+1)
		}
		return
	}
	for k, root := range p.roots {
		if s.old == nil || root == cct.Root {
			return
		}
		before := int64(0)
		if k > 0 {
			before = p.shift[k-1]
		}
		for at := out.Parent[int64(root)+before]; at != cct.NoNode; at = out.Parent[at] {
			height := int32(0)
			for c := at + 1; c < out.End[at]; c = out.End[c] {
				height = max(height, out.Height[c]+1)
			}
			if height == out.Height[at] {
				break
			}
			out.Height[at] = height
		}
	}
}

// rowsOfContexts gives the row of every context. It is the end of the solver,
// whose memory that is.
func (s *solver) rowsOfContexts(place, moved []cct.NodeID) []cct.NodeID {
	for i, r := range s.into {
		if r != 0 {
			s.into[i] = place[r-1]
		} else {
			s.into[i] = moved[s.old.into[i]]
		}
	}
	return s.into
}

// sumSaturated sums up anew, without leaving the range of 64 bits, what cannot
// be told from totals that were cut.
func (t *Tree) sumSaturated() {
	for m := range t.Self {
		self := make([]int64, t.Len())
		for i, row := range t.into {
			self[row], _ = add(self[row], t.From.Self[m][t.FromRoot+cct.NodeID(i)])
		}
		t.Self[m] = self
	}
}
