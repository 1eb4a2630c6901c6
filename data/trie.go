package data

// Trie interns paths: a node is a parent and a key, and the same pair is the
// same node. It is how stacks become calling contexts, for readers and for
// operations on trees alike.
//
// A node is the row of two columns; parents always come before their
// children. The pairs are found through an open-addressing table of node ids:
// 4 bytes a slot, no pointers, nothing for the garbage collector to walk.
type Trie struct {
	Parents []EntityID // node -> parent, None for the first nodes of paths
	Keys    []EntityID // node -> key
	slots   []EntityID // hash -> node, None when free; a power of two long
}

// NewTrie makes a trie with room for about n nodes.
func NewTrie(n int) *Trie {
	t := &Trie{}
	size := 64
	for size < n+n/2 {
		size *= 2
	}
	t.grow(size)
	return t
}

// Len is the number of nodes.
func (t *Trie) Len() int { return len(t.Keys) }

// Child gives the node for key below parent (None: at the start of a path),
// adding it if there is none yet.
func (t *Trie) Child(parent, key EntityID) EntityID {
	mask := uint64(len(t.slots) - 1)
	at := hashPair(parent, key) & mask
	for {
		node := t.slots[at]
		if node == None {
			break
		}
		if t.Keys[node] == key && t.Parents[node] == parent {
			return node
		}
		at = (at + 1) & mask
	}
	node := EntityID(len(t.Keys))
	t.Parents = append(t.Parents, parent)
	t.Keys = append(t.Keys, key)
	t.slots[at] = node
	if len(t.Keys)*3 > len(t.slots)*2 {
		t.grow(2 * len(t.slots))
	}
	return node
}

func (t *Trie) grow(size int) {
	t.slots = make([]EntityID, size)
	for i := range t.slots {
		t.slots[i] = None
	}
	mask := uint64(size - 1)
	for node := range t.Keys {
		at := hashPair(t.Parents[node], t.Keys[node]) & mask
		for t.slots[at] != None {
			at = (at + 1) & mask
		}
		t.slots[at] = EntityID(node)
	}
}

// hashPair mixes as splitmix64 does: cheap, and good enough that consecutive
// ids do not cluster.
func hashPair(a, b EntityID) uint64 {
	x := uint64(a)<<32 | uint64(b)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
