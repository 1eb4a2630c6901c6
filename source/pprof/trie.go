package pprof

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// pathTrie is a trie over the locations of stacks. A node of millions can be
// found in two ways, because either is slow where the other is fast.
//
// Files made from trees come in the tree's order: nearly every sample is a new
// child of a node just seen, most often its first. The children of a node are
// therefore a list, newest first, that is walked a few steps: nothing but
// memory just used is touched.
//
// In other orders, every level of a stack of fifty frames would cost a cache
// miss. Nodes have therefore also a hash of their whole path. A path is there
// if and only if its start is, so the longest known start is found in six
// lookups instead of fifty. The table is filled when it is first asked, and
// never for a file in the tree's order.
//
// Two paths of one 64-bit hash would become one. With a seed that nobody
// knows, ten million contexts have a chance of one in 300,000 for that.
type pathTrie struct {
	nodes nodes
	roots data.EntityID // the newest of the outermost nodes

	ids    *ids     // of locations
	hashes []uint64 // node -> hash of its path; as far as the table was filled
	seed   uint64
	slots  []slot // a power of two many, at most two thirds in use
	placed int    // nodes in slots
}

type node struct {
	parent  data.EntityID // None for the outermost
	key     data.EntityID // row of its location
	child   data.EntityID // the newest, None if there is none
	sibling data.EntityID // the next older one
}

// nodes is a list of nodes in blocks, so that it grows without being copied: in
// a profile with a sample per context it is the largest that there is.
type nodes struct {
	blocks [][]node
	n      int
}

const blockNodes = 16 << 10

func (l *nodes) at(i data.EntityID) *node { return &l.blocks[i/blockNodes][i%blockNodes] }

func (l *nodes) push(n node) {
	if l.n%blockNodes == 0 {
		l.blocks = append(l.blocks, nil)
	}
	last := &l.blocks[len(l.blocks)-1]
	if len(*last) == cap(*last) {
		room := blockNodes
		if len(l.blocks) == 1 {
			room = min(max(64, 2*len(*last)), blockNodes)
		}
		*last = append(make([]node, 0, room), *last...)
	}
	*last = append(*last, n)
	l.n++
}

type slot struct {
	hash uint64
	node uint32 // + 1; 0 is free
}

// maxWalk is how many children are looked at before the table is asked.
const maxWalk = 32

func newPathTrie(locations *ids) *pathTrie {
	return &pathTrie{roots: data.None, ids: locations, seed: rand.Uint64()}
}

func (t *pathTrie) len() int { return t.nodes.n }

// extend gives the hash of a path with one more frame. The hash of the empty
// path is 0.
func (t *pathTrie) extend(hash, id uint64) uint64 {
	hi, lo := bits.Mul64(hash^t.seed, id^0x9e3779b97f4a7c15)
	return (hi ^ lo) + 0x94d049bb133111eb
}

// walk looks for the child of a node among its newest children. It is not
// sure if there are too many.
func (t *pathTrie) walk(parent, key data.EntityID) (child data.EntityID, sure bool) {
	child = t.roots
	if parent != data.None {
		child = t.nodes.at(parent).child
	}
	for range maxWalk {
		if child == data.None {
			return data.None, true
		}
		n := t.nodes.at(child)
		if n.key == key {
			return child, true
		}
		child = n.sibling
	}
	return data.None, false
}

// find gives the node of a path, None if it is not there.
func (t *pathTrie) find(hash uint64) data.EntityID {
	if t.placed < t.nodes.n {
		t.place()
	}
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch s := &t.slots[at]; {
		case s.node == 0:
			return data.None
		case s.hash == hash:
			return data.EntityID(s.node - 1)
		}
	}
}

// add adds a child that is not there yet.
func (t *pathTrie) add(parent, key data.EntityID) data.EntityID {
	id := data.EntityID(t.nodes.n)
	newest := &t.roots
	if parent != data.None {
		newest = &t.nodes.at(parent).child
	}
	n := node{parent: parent, key: key, child: data.None, sibling: *newest}
	*newest = id
	t.nodes.push(n)
	return id
}

// place puts the nodes that are not in the table yet into it.
func (t *pathTrie) place() {
	if t.nodes.n*3 > len(t.slots)*2 {
		size := max(1<<12, len(t.slots))
		for t.nodes.n*3 > size*2 {
			size *= 2
		}
		t.slots = nil // so that it can go
		t.slots, t.placed = make([]slot, size), 0
	}
	for i := len(t.hashes); i < t.nodes.n; i++ {
		n := t.nodes.at(data.EntityID(i))
		around := uint64(0)
		if n.parent != data.None {
			around = t.hashes[n.parent]
		}
		t.hashes = push(t.hashes, t.extend(around, t.ids.list[n.key]))
	}
	mask := uint64(len(t.slots) - 1)
	for ; t.placed < t.nodes.n; t.placed++ {
		hash := t.hashes[t.placed]
		at := hash & mask
		for t.slots[at].node != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot{hash: hash, node: uint32(t.placed) + 1}
	}
}

// done frees what is only needed to find nodes.
func (t *pathTrie) done() { t.slots, t.hashes = nil, nil }

// push appends to a slice that may get millions long: append itself would
// grow by a quarter each time, and copy everything five times over.
func push[T any](s []T, v T) []T {
	if len(s) == cap(s) {
		s = slices.Grow(s, max(len(s), 64))
	}
	return append(s, v)
}
