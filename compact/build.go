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
	if s.old != nil {
		pieces, moved = s.pieces(p, place, depth)
	}
	var into []cct.NodeID
	out := newColumns(int(rows), len(s.total), s.old, pieces, func() { into = s.rowsOfContexts(place, moved) })
	s.reconnect(out, p)
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

	made := &Tree{From: t.From, FromRoot: t.FromRoot, Names: t.Names, level: s.level, into: into, tops: out.tops, typed: map[cct.NodeID]bool{}}
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
	s.release()
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
// are kept in them. It also gives where every old row is now.
func (s *solver) pieces(p *splice, place []cct.NodeID, depth []int32) (all []piece, moved []cct.NodeID) {
	moved = sized(&s.scratch.moved, s.old.Len())
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
	for r, o := range s.kept {
		if o != cct.NoNode {
			add(piece{o, s.old.End[o], int64(place[r]) - int64(o), depth[r] - s.old.Depth[o]})
		}
	}
	return all, moved
}

// columns is what a tree is made of, being filled.
type columns struct {
	cct.Rows
	tops []uint32
}

// newColumns makes columns with pieces of an old tree in them, the parents and
// ends moved as the rows are, and does beside it what else there is to do. With
// many rows this is most of the work of a small change, so all processors share
// it.
func newColumns(rows, metrics int, old *Tree, pieces []piece, beside func()) *columns {
	c := &columns{}
	c.Self, c.Total = make([][]int64, metrics), make([][]int64, metrics)
	if old == nil {
		old = &Tree{Tree: &cct.Tree{Self: c.Self, Total: c.Total}}
	}
	var work sync.WaitGroup
	work.Go(beside)
	for m := range metrics {
		work.Go(func() { c.Self[m] = copied(rows, old.Self[m], pieces) })
		work.Go(func() { c.Total[m] = copied(rows, old.Total[m], pieces) })
	}
	rowMoves, deeper := func(p piece) int64 { return p.move }, func(p piece) int64 { return int64(p.deeper) }
	work.Go(func() { c.Parent = copiedMoved(rows, old.Parent, pieces, rowMoves) })
	work.Go(func() { c.End = copiedMoved(rows, old.End, pieces, rowMoves) })
	work.Go(func() { c.Depth = copiedMoved(rows, old.Depth, pieces, deeper) })
	work.Go(func() { c.Height = copied(rows, old.Height, pieces) })
	work.Go(func() { c.Method = copied(rows, old.Method, pieces) })
	work.Go(func() { c.Origin = copied(rows, old.Origin, pieces) })
	work.Go(func() { c.Merged = copied(rows, old.Merged, pieces) })
	work.Go(func() { c.tops = copied(rows, old.tops, pieces) })
	work.Wait()
	return c
}

// copied is a column with pieces of another.
func copied[T any](rows int, from []T, pieces []piece) []T {
	// What is copied at once cannot be interrupted: the garbage collector makes all
	// others wait until it is done.
	const most = 1 << 16
	to := make([]T, rows)
	for _, p := range pieces {
		to := to[int64(p.from)+p.move:]
		for from := from[p.from:p.to]; len(from) > 0; {
			n := copy(to, from[:min(most, len(from))])
			to, from = to[n:], from[n:]
		}
	}
	return to
}

// copiedMoved is copied with what by says added.
func copiedMoved[T cct.NodeID | int32](rows int, from []T, pieces []piece, by func(piece) int64) []T {
	to := make([]T, rows)
	for _, p := range pieces {
		to, from, by := to[int64(p.from)+p.move:int64(p.to)+p.move], from[p.from:p.to], T(by(p)) // modulo 2^32
		for i, v := range from {
			to[i] = v + by
		}
	}
	return to
}

// reconnect corrects, in the pieces outside of the roots, ends behind a root and
// parents before one: those of what a root is below, and of what comes behind a
// root there.
func (s *solver) reconnect(out *columns, p *splice) {
	if s.old == nil {
		return
	}
	old, seen := s.old, map[cct.NodeID]bool{}
	for k, root := range p.roots {
		if root == cct.Root {
			return
		}
		for at := root; at != cct.Root; {
			up, next := old.Parent[at], p.end[k]
			if at != root {
				next = old.End[at]
			}
			if seen[up] {
				break // an earlier root was below it, too
			}
			seen[up] = true
			to := up + cct.NodeID(p.move(up))
			end := old.End[up]
			out.End[to] = end + cct.NodeID(p.move(end))
			for c := next; c < end; c = old.End[c] {
				out.Parent[c+cct.NodeID(p.move(c))] = to
			}
			at = up
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

// rowsOfContexts gives the row of every context.
func (s *solver) rowsOfContexts(place, moved []cct.NodeID) []cct.NodeID {
	into := make([]cct.NodeID, len(s.into))
	for i, r := range s.into {
		if r != 0 {
			into[i] = place[r-1]
		} else {
			into[i] = moved[s.old.into[i]]
		}
	}
	return into
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
