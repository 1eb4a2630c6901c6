package pprof

import (
	"math/bits"
	"math/rand/v2"

	"github.com/cambium-prof/cambium/data"
)

// pathTrie is a trie whose nodes are found by a hash of their whole path
// rather than by parent and key. A path is there if and only if its start is,
// so the longest known start of a stack of fifty frames is found in six
// lookups instead of fifty, each of which costs a cache miss in a trie of
// millions. This is what makes samples in random order bearable.
//
// Two paths of one 64-bit hash would become one. With a seed that nobody
// knows, ten million contexts have a chance of one in 300,000 for that.
type pathTrie struct {
	parents []data.EntityID // node -> parent, None for the outermost
	keys    []data.EntityID // node -> row of its location
	slots   []slot          // a power of two many, at most two thirds in use
	seed    uint64
}

type slot struct {
	hash uint64
	node uint32 // + 1; 0 is free
}

func newPathTrie() *pathTrie {
	return &pathTrie{slots: make([]slot, 1<<12), seed: rand.Uint64()}
}

func (t *pathTrie) len() int { return len(t.keys) }

// extend gives the hash of a path with one more frame. The hash of the empty
// path is 0.
func (t *pathTrie) extend(hash, id uint64) uint64 {
	hi, lo := bits.Mul64(hash^t.seed, id^0x9e3779b97f4a7c15)
	return hi ^ lo + 0x94d049bb133111eb
}

// find gives the node of a path.
func (t *pathTrie) find(hash uint64) (data.EntityID, bool) {
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch s := &t.slots[at]; {
		case s.node == 0:
			return data.None, false
		case s.hash == hash:
			return data.EntityID(s.node - 1), true
		}
	}
}

// add adds the node of a path that is not there yet.
func (t *pathTrie) add(hash uint64, parent, key data.EntityID) data.EntityID {
	node := data.EntityID(len(t.keys))
	t.parents = append(t.parents, parent)
	t.keys = append(t.keys, key)
	if len(t.keys)*3 > len(t.slots)*2 {
		old := t.slots
		t.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.node != 0 {
				t.place(s)
			}
		}
	}
	t.place(slot{hash: hash, node: uint32(node) + 1})
	return node
}

func (t *pathTrie) place(s slot) {
	mask := uint64(len(t.slots) - 1)
	at := s.hash & mask
	for t.slots[at].node != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
}
