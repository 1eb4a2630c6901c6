package callgrind

import (
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// nest rebuilds calls from a file that has a block per call, written when the
// call returned, as Xdebug does:
//
//	fn=c           c returned
//	fn=b           b returned, which called c
//	cfn=c calls=1
//	fn=a           a returned, which called b
//	cfn=b calls=1
//
// Blocks whose callers did not return yet are on a stack. A block that made n
// calls is the caller of the n last of them, and these must be the functions
// that it says it called, in order. Where that does not hold, the file is not
// written call by call, and there is no nest.
type nest struct {
	metrics int

	// A row per call, callees before their callers.
	fn     []int32
	parent []int32 // -1 as long as it is on the stack
	self   []int64 // metrics each

	stack []int32 // calls without a caller so far
	cur   []int32 // functions that the current block called
	cost0 []int64 // of the current block
	bad   bool
}

// maxCalls bounds the memory for calls; beyond that, contexts are made up from
// the call graph. A call takes at least 40 bytes of the file.
const maxCalls = 1 << 24

func newNest(metrics int) *nest {
	return &nest{metrics: metrics, cost0: make([]int64, metrics)}
}

func (n *nest) call(callee int32, times int64) {
	n.cur = append(n.cur, callee)
	n.bad = n.bad || times != 1
}

func (n *nest) cost(costs []int64) { addTo(n.cost0, costs) }

// end ends the block of a call of f. It gives false if the file is not written
// call by call.
func (n *nest) end(f int32) bool {
	first := len(n.stack) - len(n.cur)
	if n.bad || first < 0 || len(n.fn) >= maxCalls {
		return false
	}
	node := int32(len(n.fn))
	for i, callee := range n.cur {
		below := n.stack[first+i]
		if n.fn[below] != callee {
			return false
		}
		n.parent[below] = node
	}
	n.stack = append(n.stack[:first], node)
	n.fn, n.parent = append(n.fn, f), append(n.parent, -1)
	n.self = append(n.self, n.cost0...)
	n.cur = n.cur[:0]
	clear(n.cost0)
	return true
}

func (n *nest) roots() int { return len(n.stack) }

// build adds the tree to p: a sample per context, with the number of calls.
func (n *nest) build(ctx context.Context, p *source.Profile, method func(int32) data.EntityID) error {
	context := n.fn // each row is read before it is written
	k := n.metrics + 1
	var values []int64
	for i, node := range slices.Backward(n.fn) {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		above := data.None
		if parent := n.parent[i]; parent >= 0 {
			above = data.EntityID(context[parent])
		}
		c := p.Child(above, method(node))
		context[i] = int32(c)
		if at := int(c) * k; at == len(values) {
			values = append(values, make([]int64, k)...)
		}
		row := values[int(c)*k:][:k]
		addTo(row, n.self[i*n.metrics:][:n.metrics])
		row[n.metrics]++
	}
	for c := range p.Contexts.Len() {
		p.Sample(data.EntityID(c), values[c*k:][:k]...)
	}
	return nil
}
