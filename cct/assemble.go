package cct

import (
	"github.com/cambium-prof/cambium/data"
)

// Naming is a table of names for trees whose nodes are not named by the data
// set's methods, with the order that children of equal totals have.
type Naming struct {
	Table *data.EntityTable // what Methods of such a tree is
	rank  []uint32
}

// NewNaming makes a table of an entity type of its own, a row per name.
func NewNaming(entityType, description string, names []string) *Naming {
	b := data.NewBuilder(entityType, "")
	e, err := b.EntityType(entityType, description)
	if err == nil {
		err = e.Adopt(names, len(names))
	}
	if err != nil {
		panic(err) // a table of nothing but names has nothing to verify
	}
	set, err := b.Finish()
	if err != nil {
		panic(err)
	}
	return &Naming{Table: set.Entity(entityType), rank: rankNames(names)}
}

// Rank is the position of a name among all names. [data.None] comes first.
func (n *Naming) Rank(id data.EntityID) uint32 { return rankOf(n.rank, id) }

// Rows are the columns of a [Tree] that an operation of another package made;
// their meaning and order are those of the tree's.
type Rows struct {
	Parent, End   []NodeID
	Depth, Height []int32
	Method        []data.EntityID // row of the Naming's table
	Self, Total   [][]int64
	Origin        []NodeID // smallest ID of what the row stands for
	Merged        []uint32
}

// Assemble makes a tree of rows that stand for the nodes of the subtree of
// root in from: into[n-root] is the row of node n. It keeps all slices.
func Assemble(from *Tree, root NodeID, naming *Naming, rows Rows, into []NodeID) *Tree {
	base := from.Base()
	t := &Tree{
		Parent: rows.Parent, End: rows.End, Depth: rows.Depth, Height: rows.Height, Method: rows.Method,
		Self: rows.Self, Total: rows.Total, Origin: rows.Origin, Merged: rows.Merged,
		Metrics: from.Metrics, Preferred: from.Preferred, Methods: naming.Table,
		Negative: make([]bool, len(rows.Self)), Saturated: from.Saturated,
		base: base, kept: from.kept, rank: naming.rank, orders: make([]orders, len(rows.Self)),
	}
	for m, self := range rows.Self {
		if !from.Negative[m] {
			continue // sums of what is not negative
		}
		for _, v := range self {
			t.Negative[m] = t.Negative[m] || v < 0
		}
	}
	if from.image == nil && root == Root {
		t.image = into
		return t
	}
	t.image = make([]NodeID, base.Len())
	fill(t.image, NoNode)
	if from.image == nil {
		copy(t.image[root:], into)
		return t
	}
	for id, n := range from.image {
		if n != NoNode && n >= root && n < from.End[root] {
			t.image[id] = into[n-root]
		}
	}
	return t
}
