package cct

import "github.com/cambium-prof/cambium/data"

// EliminateRecursion gives a new tree of the subtree of root in which no
// method occurs twice on a path: what was measured in a recursive call is
// added to the ancestor of the same method (2010, section 4.3 and figure 8).
// The root takes part with its own method, if it has one.
//
// Figure 8 looks for that ancestor by walking up the new tree, which is
// quadratic in the depth of the result. Here it is found in one step. Let
// o(0) … o(k) be the new nodes of the input path from the root to the current
// node. Each o(i+1) is either a child of o(i) or one of its ancestors, so the
// path of the new tree behaves like a stack: going to a child pushes, going to
// an ancestor truncates. Hence only the node of method m that was visited last
// on the input path can be on the new path: an earlier one that still were on
// it would have been found instead of making the later one. last[m] is that
// node, and it is on the path exactly if path[its depth] still is that node
// and the path reaches so far. Both are restored when the walk leaves an
// input node, which is one entry each.
func EliminateRecursion(t *Tree, root NodeID) *Tree {
	end := t.End[root]
	out := newFold(t, root)

	const none = ^uint32(0)
	last := make([]uint32, t.Methods.Rows())
	for i := range last {
		last[i] = none
	}
	type saved struct {
		end        NodeID // of the input node
		out        uint32 // its new node
		depth      int32  // depth of that node
		pathBefore uint32 // what path[depth] was before
		lastBefore uint32 // what last[method] was before
		method     data.EntityID
	}
	path := []uint32{0} // depth -> new node
	depth := []int32{0} // new node -> depth
	if m := t.Method[root]; m != data.None {
		last[m] = 0
	}
	stack := []saved{{end: end, out: 0, method: data.None}}
	for i := root + 1; i < end; i++ {
		for stack[len(stack)-1].end <= i {
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			path[s.depth], last[s.method] = s.pathBefore, s.lastBefore
		}
		top := stack[len(stack)-1]
		m := t.Method[i]
		node := last[m]
		if node == none || depth[node] > top.depth || path[depth[node]] != node {
			node = out.child(top.out, m, i)
			if int(node) == len(depth) {
				depth = append(depth, top.depth+1)
			}
		}
		out.add(node, i)
		d := depth[node]
		if int(d) == len(path) {
			path = append(path, none)
		}
		stack = append(stack, saved{end: t.End[i], out: node, depth: d, pathBefore: path[d], lastBefore: last[m], method: m})
		path[d], last[m] = node, node
	}
	return out.finish()
}
