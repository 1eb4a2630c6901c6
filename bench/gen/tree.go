package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// tree is a calling context tree in preorder. Contexts of depth 1 are threads.
type tree struct {
	parent      []int32 // -1 for threads
	method      []int32
	depth       []int32 // from 1
	invocations []int64
	bytecodes   []int64
	names       []name
}

// newTree makes a tree of exactly this size: contexts are distinct paths, all
// methods occur, and the deepest context is at depth (if there are contexts
// enough for that).
//
// It walks the tree in preorder: each step goes down or up a few levels and
// down again, pulled towards a usual depth well below half of the deepest.
func newTree(contexts, methods, depth int, seed uint64) (*tree, error) {
	if contexts < 1 || methods < 1 || depth < 1 || contexts > math.MaxInt32 || methods > contexts {
		return nil, fmt.Errorf("no tree has %d contexts of %d methods with a depth of %d", contexts, methods, depth)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	t := &tree{
		parent:      make([]int32, 0, contexts),
		method:      make([]int32, 0, contexts),
		depth:       make([]int32, 0, contexts),
		invocations: make([]int64, 0, contexts),
		bytecodes:   make([]int64, 0, contexts),
		names:       makeNames(r, methods),
	}
	w := walk{r: r, depth: depth, usual: float64(depth) * 0.19, tried: make([][]int32, depth+1)}
	path := make([]int32, 0, depth) // context of each level
	deepest := false
	for i := range contexts {
		dive := i >= min(contexts/3, contexts-2*depth) && !deepest // once, to the greatest depth
		level := w.level(len(path), dive)
		path = path[:level]
		deepest = deepest || level+1 == depth
		caller := int32(-1)
		if level > 0 {
			caller = t.method[path[level-1]]
		}
		// New methods turn up in the first four fifths, the more the earlier.
		due := 1 + int(float64(methods)*math.Sqrt(min(1, float64(i)/(0.8*float64(contexts)))))
		m := int32(w.known)
		if w.known >= min(due, methods) && contexts-i > methods-w.known {
			m = w.callee(caller, level)
		}
		if m == int32(w.known) {
			if w.known == methods {
				return nil, fmt.Errorf("%d methods are too few for a tree of %d contexts with a depth of %d", methods, contexts, depth)
			}
			w.known++
		}
		w.tried[level] = append(w.tried[level], m)
		if level+1 < len(w.tried) {
			w.tried[level+1] = w.tried[level+1][:0]
		}
		parent := int32(-1)
		if level > 0 {
			parent = path[level-1]
		}
		invocations, bytecodes := w.cost()
		path = append(path, int32(i))
		t.parent = append(t.parent, parent)
		t.method = append(t.method, m)
		t.depth = append(t.depth, int32(level+1))
		t.invocations = append(t.invocations, invocations)
		t.bytecodes = append(t.bytecodes, bytecodes)
	}
	return t, nil
}

// walk is the state of newTree.
type walk struct {
	r     *rand.Rand
	depth int
	usual float64
	known int       // methods that occurred; their numbers are in this order
	tried [][]int32 // level -> methods that the open context there has as siblings, with itself
}

// level gives the level, from 0, of the context that comes after one that ends
// a path of the given length.
func (w *walk) level(length int, dive bool) int {
	if length == 0 {
		return 0
	}
	down := 0.53 + 0.35*(w.usual-float64(length))/float64(w.depth)
	if length < w.depth && (dive || length < 3 || w.r.Float64() < down) {
		return length
	}
	up := 1
	for w.r.Float64() < 0.45 {
		up++
	}
	return max(length-up, min(length, w.depth)-8, min(2, w.depth-1))
}

// callee picks a method that the caller's context does not call yet. Callers
// have favourites, and everybody calls the first few methods (as Java programs
// call strings and collections); a caller is its own callee now and then.
func (w *walk) callee(caller int32, level int) int32 {
	for try := range 40 {
		var m int32
		switch p := w.r.Float64(); {
		case p < 0.03 && caller >= 0:
			m = caller
		case p < 0.30:
			x := w.r.Float64()
			m = int32(float64(min(w.known, 150)) * x * x)
		default:
			k := uint64(w.r.ExpFloat64() * (3 + float64(try)))
			h := (uint64(caller+2)*0x9e3779b97f4a7c15 ^ k*0xbf58476d1ce4e5b9) * 0x94d049bb133111eb
			m = int32((h >> 33) % uint64(w.known))
		}
		if !w.has(level, m) {
			return m
		}
	}
	for m := range int32(w.known) {
		if !w.has(level, m) {
			return m
		}
	}
	return int32(w.known) // everything is called already: only a new one will do
}

func (w *walk) has(level int, m int32) bool {
	for _, other := range w.tried[level] {
		if other == m {
			return true
		}
	}
	return false
}

// cost gives values from one to millions, most of them small.
func (w *walk) cost() (invocations, bytecodes int64) {
	invocations = 1
	if w.r.Float64() < 0.55 {
		invocations += int64(math.Exp(w.r.ExpFloat64() * 1.6))
	}
	return invocations, invocations * int64(3+w.r.ExpFloat64()*20)
}

// order is the order of samples: preorder, or any.
func (t *tree) order(seed uint64, shuffle bool) []int32 {
	order := make([]int32, len(t.parent))
	for i := range order {
		order[i] = int32(i)
	}
	if shuffle {
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}

// leafFirst gives the methods of a context and its callers.
func (t *tree) leafFirst(into []int32, context int32) []int32 {
	into = into[:0]
	for ; context >= 0; context = t.parent[context] {
		into = append(into, t.method[context])
	}
	return into
}
