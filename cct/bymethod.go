package cct

import "github.com/cambium-prof/cambium/data"

// ByMethod discards calling contexts (2010, section 4.4): a tree of depth one
// with a node for every method of the subtree of root, holding the sum of what
// was measured in that method itself. The new root is synthetic; it keeps what
// was measured with an empty stack.
func ByMethod(t *Tree, root NodeID) *Tree {
	out := newFold(t, root)
	start := root
	if t.Method[root] == data.None {
		start++
	} else {
		out.detachRoot()
	}
	node := make([]uint32, t.Methods.Rows())
	for i := start; i < t.End[root]; i++ {
		m := t.Method[i]
		if node[m] == 0 {
			node[m] = out.child(0, m, i)
		}
		out.add(node[m], i)
	}
	return out.finish()
}
