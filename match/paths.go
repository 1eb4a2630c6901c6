package match

import (
	"slices"

	"github.com/cambium-prof/cambium/trace"
)

// pathID is the row of a path.
type pathID uint32

const noPath = ^pathID(0)

// paths are the different sequences of classes on the way from the outermost
// calls of a trace to its calls; a class that repeats itself counts once. A row is
// a path. Rows are in pre-order.
type paths struct {
	of     []pathID  // call -> path
	class  []ClassID // path -> its last class
	parent []pathID  // path -> the path without its last class, or noPath
	end    []pathID  // path -> first row after its subtree
	depth  []int32   // path -> classes before its last

	// Calls that begin the path, because their callers have another one; in
	// rising order: begin[first[p]:first[p+1]].
	first []int
	begin []trace.CallID

	ofClass []int    // class -> its first path in byClass; with one entry more
	byClass []pathID // by class, then path
}

// withClass gives the paths that end with a class.
func (p *paths) withClass(class ClassID) []pathID {
	return p.byClass[p.ofClass[class]:p.ofClass[class+1]]
}

// outermost counts the paths of one class.
func (p *paths) outermost() (n int) {
	for path := pathID(0); int(path) < len(p.class); path = p.end[path] {
		n++
	}
	return n
}

// heads gives the calls that begin a path.
func (p *paths) heads(path pathID) []trace.CallID { return p.begin[p.first[path]:p.first[path+1]] }

// calls is their number.
func (p *paths) calls(path pathID) int64 { return int64(p.first[path+1] - p.first[path]) }

// begins tells whether a call begins its path.
func begins(t *trace.Trace, p *paths, call trace.CallID) bool {
	return t.Parent[call] == trace.NoCall || p.of[t.Parent[call]] != p.of[call]
}

// begin gives the caller of a call, or itself, that begins a path on its way.
func begin(t *trace.Trace, p *paths, call trace.CallID, path pathID) trace.CallID {
	for p.of[call] != path || !begins(t, p, call) {
		call = t.Parent[call]
	}
	return call
}

func newPaths(t *trace.Trace, c *Classes) *paths {
	p := &paths{of: make([]pathID, t.Len())}
	// First in the order in which they are met: a path comes after its parent.
	known := map[uint64]pathID{}
	var parents []pathID
	var classes []ClassID
	var heads []int
	for call := range p.of {
		parent := noPath
		if caller := t.Parent[call]; caller != trace.NoCall {
			parent = p.of[caller]
			if c.Of[caller] == c.Of[call] {
				p.of[call] = parent
				continue
			}
		}
		key := uint64(parent)<<32 | uint64(c.Of[call])
		path, ok := known[key]
		if !ok {
			path = pathID(len(parents))
			known[key] = path
			parents, classes, heads = append(parents, parent), append(classes, c.Of[call]), append(heads, 0)
		}
		p.of[call] = path
		heads[path]++
	}
	// Then in pre-order, siblings as they are met.
	n := len(parents)
	size := make([]pathID, n)
	for path := n - 1; path >= 0; path-- {
		size[path]++
		if parents[path] != noPath {
			size[parents[path]] += size[path]
		}
	}
	place, next := make([]pathID, n), make([]pathID, n) // next: where the next child goes
	top := pathID(0)
	p.class, p.parent, p.end, p.depth = make([]ClassID, n), make([]pathID, n), make([]pathID, n), make([]int32, n)
	p.first = make([]int, n+1)
	for path, parent := range parents {
		to := top
		if parent == noPath {
			top += size[path]
			p.parent[to] = noPath
		} else {
			to = next[parent]
			next[parent] += size[path]
			p.parent[to], p.depth[to] = place[parent], p.depth[place[parent]]+1
		}
		place[path], next[path] = to, to+1
		p.class[to], p.end[to] = classes[path], to+size[path]
		p.first[to+1] = heads[path]
	}
	for path := range n {
		p.first[path+1] += p.first[path]
	}
	p.ofClass, p.byClass = make([]int, c.Len()+1), make([]pathID, n)
	for _, class := range p.class {
		p.ofClass[class+1]++
	}
	for class := range c.Len() {
		p.ofClass[class+1] += p.ofClass[class]
	}
	nextOf := slices.Clone(p.ofClass)
	for path, class := range p.class {
		p.byClass[nextOf[class]] = pathID(path)
		nextOf[class]++
	}
	p.begin = make([]trace.CallID, p.first[n])
	at := slices.Clone(p.first)
	for call, path := range p.of {
		to := place[path]
		p.of[call] = to
		// Callers come first, and have their new number already.
		if caller := t.Parent[call]; caller == trace.NoCall || p.of[caller] != to {
			p.begin[at[to]] = trace.CallID(call)
			at[to]++
		}
	}
	return p
}
