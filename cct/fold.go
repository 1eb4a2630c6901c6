package cct

import "github.com/cambium-prof/cambium/data"

// fold builds a tree whose nodes stand for sets of nodes of another. Row 0 is
// the image of the subtree's root.
type fold struct {
	from   *Tree
	root   NodeID
	paths  *data.Trie // rows 1… by (parent row, method); its node i is row i+1
	method []data.EntityID
	parent []NodeID
	self   [][]int64
	origin []NodeID // row -> smallest id
	merged []uint32
	into   []uint32 // node of from, less root -> row
	cut    bool
}

func newFold(t *Tree, root NodeID) *fold {
	f := &fold{
		from:   t,
		root:   root,
		paths:  data.NewTrie(0),
		method: []data.EntityID{t.Method[root]},
		parent: []NodeID{NoNode},
		self:   make([][]int64, len(t.Self)),
		origin: []NodeID{t.ID(root)},
		merged: []uint32{0},
		into:   make([]uint32, t.End[root]-root),
	}
	for m := range f.self {
		f.self[m] = []int64{0}
	}
	f.add(0, root)
	return f
}

// child gives the row for method below parent; first is the node that asks
// for it, which names it if it is new.
func (f *fold) child(parent uint32, method data.EntityID, first NodeID) uint32 {
	row := uint32(f.paths.Child(data.EntityID(parent), method)) + 1
	if int(row) == len(f.parent) {
		f.parent = append(f.parent, NodeID(parent))
		f.method = append(f.method, method)
		f.origin = append(f.origin, f.from.ID(first))
		f.merged = append(f.merged, 0)
		for m := range f.self {
			f.self[m] = append(f.self[m], 0)
		}
	}
	return row
}

// add counts a node of the old tree to a row of the new one.
func (f *fold) add(row uint32, n NodeID) {
	for m := range f.self {
		sum, ok := addSaturating(f.self[m][row], f.from.Self[m][n])
		f.self[m][row] = sum
		f.cut = f.cut || !ok
	}
	f.origin[row] = min(f.origin[row], f.from.ID(n))
	f.merged[row] += uint32(f.from.MergedInto(n))
	f.into[n-f.root] = row
}

// detachRoot makes row 0 a synthetic root, which stands for nothing of the old
// tree. It then has the id of every synthetic root.
func (f *fold) detachRoot() {
	for m := range f.self {
		f.self[m][0] = 0
	}
	f.method[0], f.origin[0], f.merged[0] = data.None, Root, 0
}

func (f *fold) finish() *Tree {
	t, place := arrange(draft{parent: f.parent, method: f.method, self: f.self, like: f.from})
	base := f.from.Base()
	t.base = base
	t.Saturated = t.Saturated || f.cut || f.from.Saturated
	t.Origin = make([]NodeID, len(place))
	t.Merged = make([]uint32, len(place))
	for row, n := range place {
		t.Origin[n], t.Merged[n] = f.origin[row], f.merged[row]
	}
	t.image = make([]NodeID, base.Len())
	fill(t.image, NoNode)
	if f.from.image == nil {
		for i, row := range f.into {
			t.image[int(f.root)+i] = place[row]
		}
	}
	for id, n := range f.from.image {
		if n != NoNode && n >= f.root && n < f.from.End[f.root] {
			t.image[id] = place[f.into[n-f.root]]
		}
	}
	if t.Method[Root] == data.None {
		t.image[Root] = Root
	}
	return t
}

func fill(s []NodeID, v NodeID) {
	for i := range s {
		s[i] = v
	}
}
