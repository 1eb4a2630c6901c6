// Package cct holds calling context trees: which method was reached along
// which path of callers, and what that cost.
//
// A [Tree] is a struct of arrays in pre-order. It is built from a data set
// ([Build]) or from another tree by an operation; it is never changed
// afterwards. The operations are those of Moret et al., "Visualizing and
// exploring profiles with calling context ring charts" (2010), section 4:
// subtree selection and depth limitation (a [View]), recursion elimination
// ([EliminateRecursion]) and aggregation per method ([ByMethod]), and finding
// contexts by a predicate ([Find]).
//
// Depth is data here, not stack: a profile may hold a stack a million frames
// deep, so every walk is a loop over arrays.
//
// What does not belong: reading files, the text form of a pipeline of
// operations (package query), and layout.
package cct

import (
	"math"

	"github.com/cambium-prof/cambium/data"
)

// NodeID is the row of a context in its tree.
type NodeID uint32

const (
	// Root is the root of every tree: row 0.
	Root NodeID = 0
	// NoNode is the parent of the root, and the answer "there is none".
	NoNode NodeID = math.MaxUint32
)

// Metric is an amount kept per context.
type Metric struct {
	Name        string
	Unit        data.Unit
	Description string
}

// Tree is a calling context tree.
//
// Row 0 is the synthetic root, which is no context: it has no method, and its
// self values are what was measured with an empty stack. (The root of a tree
// that an operation made from a subtree is that subtree's root and keeps its
// method.) All other rows are contexts, in pre-order: a parent comes before
// its children, a subtree is the slice from a node to its end. Children are in
// falling order of the first metric's total, then of the name, so a row number
// is also the line of `cambium tree`.
//
//	row  parent  end  depth  method        main
//	 0   NoNode   5     0    None          ├── f
//	 1      0     5     1    main          │   └── h
//	 2      1     4     2    f             └── h
//	 3      2     4     3    h
//	 4      1     5     2    h
type Tree struct {
	Parent []NodeID        // node -> parent; NoNode for the root
	End    []NodeID        // node -> first row after its subtree
	Depth  []int32         // node -> layers below the root; the root has 0
	Height []int32         // node -> layers below it that its subtree has; 0 for a leaf
	Method []data.EntityID // node -> row of Methods; data.None for a synthetic root

	Metrics   []Metric
	Preferred int       // index of the metric to look at first
	Self      [][]int64 // metric -> node -> the node's own amount
	Total     [][]int64 // metric -> node -> ag(M): the sum of Self over its subtree

	// Methods names the methods: its row is the method's id. It belongs to
	// the data set and is shared by all trees made from it.
	Methods *data.EntityTable
	// ContextTable is the data set's table of calling contexts, from which the
	// data set's own tree was built.
	ContextTable *data.EntityTable

	// Origin names nodes across operations: node -> the smallest row of the
	// data set's own tree that it stands for. It is nil for that tree itself,
	// whose nodes stand for themselves.
	Origin []NodeID
	// Merged is the number of those rows; nil if it is 1 for every node.
	Merged []uint32

	// Negative tells, per metric, that some self value is below zero, so that a
	// child's total can exceed its parent's.
	Negative []bool

	// Saturated tells that sums left the range of 64 bits and were cut there.
	Saturated bool

	// Of the base: the data set, and the events it was built from.
	set      *data.Set
	measured []Measured

	kept     []*data.Condition // by type of measured event, which of them the amounts are of; nil for all
	base     *Tree             // the data set's own tree; nil for itself
	image    []NodeID          // base row -> row here, NoNode if it is not in this tree; nil for the base
	rank     []uint32          // method -> position of its name among all names, for ordering
	contexts []NodeID          // of the base: data set's context entity -> row
	orders   []orders          // by metric: children of visited parents in falling order (see children.go)
	groups   recentGroups
	levels   recentLevels
	byMethod byMethod
}

// Len is the number of rows, the root included.
func (t *Tree) Len() int { return len(t.Parent) }

// Contexts is the number of contexts: all rows but a synthetic root.
func (t *Tree) Contexts() int {
	if t.Method[Root] == data.None {
		return t.Len() - 1
	}
	return t.Len()
}

// Name is the name of the node's method, "" for a synthetic root.
func (t *Tree) Name(n NodeID) string { return t.Methods.NameOf(t.Method[n]) }

// Metric gives the index of the metric of that name; "" is the preferred one.
// ok is false if there is none.
func (t *Tree) Metric(name string) (index int, ok bool) {
	if name == "" {
		return t.Preferred, len(t.Metrics) > 0
	}
	for i, m := range t.Metrics {
		if m.Name == name {
			return i, true
		}
	}
	return 0, false
}

// ID is the name of a node that holds in every tree of the data set.
func (t *Tree) ID(n NodeID) NodeID {
	if t.Origin == nil {
		return n
	}
	return t.Origin[n]
}

// Node finds the node that stands, here, for the context of that id. ok is
// false if there is no such id or it is not part of this tree.
func (t *Tree) Node(id NodeID) (n NodeID, ok bool) {
	if t.image == nil {
		return id, int64(id) < int64(t.Len())
	}
	if int64(id) >= int64(len(t.image)) || t.image[id] == NoNode {
		return NoNode, false
	}
	return t.image[id], true
}

// Base is the data set's own tree, which this one was made from.
func (t *Tree) Base() *Tree {
	if t.base == nil {
		return t
	}
	return t.base
}

// MergedInto is the number of the data set's contexts that n stands for.
func (t *Tree) MergedInto(n NodeID) int {
	if t.Merged == nil {
		return 1
	}
	return int(t.Merged[n])
}

// Measured are the types of events that the data set's own tree was built from,
// by their metrics.
func (t *Tree) Measured() []Measured { return t.Base().measured }

// Events is the first of these types: what the preferred metric is of.
func (t *Tree) Events() *data.EventTable { return t.Base().measured[0].Events }

// EventRows is the number of events that the data set's own tree was built from.
func (t *Tree) EventRows() int64 {
	rows := int64(0)
	for _, by := range t.Measured() {
		rows += int64(by.Events.Rows())
	}
	return rows
}

// Set is the data set that the tree is of.
func (t *Tree) Set() *data.Set { return t.Base().set }

// Amount gives the field that a metric adds up, and the events that have it.
func (t *Tree) Amount(metric int) (*data.EventTable, data.Path) {
	all := t.Measured()
	by := all[0]
	for _, more := range all[1:] {
		if more.First <= metric {
			by = more
		}
	}
	return by.Events, by.Amounts[metric-by.First]
}

// OfContext gives the node of a row of the data set's context table, in the
// data set's own tree.
func (t *Tree) OfContext(context data.EntityID) NodeID { return t.Base().contexts[context] }

// View is a part of a tree to look at: subtree selection and depth limitation
// (sections 4.1 and 4.2). Totals are those of the tree; a limit on the depth
// does not change them.
type View struct {
	*Tree
	Root NodeID
	// Layers is the number of layers below Root to show; negative is all.
	Layers int
}

// Whole looks at all of the tree.
func (t *Tree) Whole() View { return View{Tree: t, Root: Root, Layers: -1} }

// Trunk is how many layers below the view's root the tree goes on as one stem:
// there is a child that holds nearly all of the root's total of the metric.
// Programs often begin with a dozen callers of which each only calls the next,
// and a picture of so many layers would show nothing else.
func (v View) Trunk(metric int) int {
	total := v.Total[metric]
	least := total[v.Root] - total[v.Root]/10
	layers := 0
	for n := v.Root; total[v.Root] > 0; layers++ {
		child := v.Largest(metric, n, least, 1, nil)
		if len(child) == 0 {
			break
		}
		n = child[0]
	}
	return layers
}

// Shows reports whether a node of the subtree is within the depth limit.
func (v View) Shows(n NodeID) bool {
	return v.Layers < 0 || int(v.Depth[n]-v.Depth[v.Root]) <= v.Layers
}
