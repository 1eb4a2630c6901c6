package compact

import (
	"math"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// NameID is the row of a compacted name: of a method's name or of one of its
// prefixes.
type NameID = data.EntityID

// noName is the name of the synthetic root, which is a prefix of none.
const noName = data.None

// maxLevel bounds the elements of a name, as a level has 16 bits. What a name
// has beyond belongs to its last element.
const maxLevel = math.MaxUint16

// Names holds the compacted names of a data set's methods: each prefix of
// elements once, as a number. It is made once per data set.
//
// The names are a trie. A method's chain are the rows of its prefixes, by the
// number of elements less one, so that the compacted name of a context, and
// whether one name is a prefix of another, are one look at a table:
//
//	method                     chain
//	lib2.Nerve.transmit   0    lib2  lib2.Nerve  lib2.Nerve.transmit
//	lib2.Lung.inhale      3    lib2  lib2.Lung   lib2.Lung.inhale
type Names struct {
	// Symbols has the elements of each compacted name, for colours and labels.
	Symbols []symbol.Name

	naming *cct.Naming
	start  []uint32 // method -> where its chain begins; one more entry for the end
	chain  []NameID
	depth  []uint16 // name -> number of its elements
	rep    []uint32 // name -> where a chain begins that it is part of
	lookup map[string]NameID
}

// NewNames prepares the names of methods; split has the elements of each.
func NewNames(methods *data.EntityTable, split []symbol.Name) *Names {
	n := &Names{start: make([]uint32, 1, len(split)+1), lookup: map[string]NameID{}}
	words := map[string]data.EntityID{}
	trie := data.NewTrie(2 * len(split))
	var texts []string
	for m, name := range split {
		elements := name.Elements()
		if len(elements) == 0 {
			elements = []string{""}
		}
		if len(elements) > maxLevel {
			elements = append(elements[:maxLevel-1:maxLevel-1], strings.Join(elements[maxLevel-1:], name.Language.Separator()))
		}
		at, begin := data.None, n.start[m]
		// The texts of a package's prefixes share the memory of the longest.
		whole, length := name.PackageName(len(name.Package)), 0
		for i, e := range elements {
			word, ok := words[e]
			if !ok {
				word = data.EntityID(len(words))
				words[e] = word
			}
			at = trie.Child(at, word)
			n.chain = append(n.chain, at)
			if i < len(name.Package) {
				if i > 0 {
					length += len(name.Language.Separator())
				}
				length = min(length+len(name.Package[i]), len(whole))
			}
			if int(at) < len(texts) {
				continue
			}
			text, symbol := methods.NameOf(data.EntityID(m)), name
			if i < len(elements)-1 {
				symbol.Method = ""
				if i < len(name.Package) {
					text, symbol.Package, symbol.Class = whole[:length], name.Package[:i+1], ""
				} else {
					text = name.ClassName()
				}
			}
			if _, ok := n.lookup[text]; !ok {
				n.lookup[text] = at
			}
			texts = append(texts, text)
			n.Symbols = append(n.Symbols, symbol)
			n.depth = append(n.depth, uint16(i+1))
			n.rep = append(n.rep, begin)
		}
		n.start = append(n.start, uint32(len(n.chain)))
	}
	n.naming = cct.NewNaming("Compacted name", "a method, class or package, as far as its name is shown", texts)
	return n
}

// Table is the table of compacted names: the Methods of compacted trees.
func (n *Names) Table() *data.EntityTable { return n.naming.Table }

// Find gives the compacted name of that text.
func (n *Names) Find(text string) (id NameID, ok bool) {
	id, ok = n.lookup[text]
	return id, ok
}

// Levels is the number of elements of a method's name: its highest level.
func (n *Names) Levels(method data.EntityID) int {
	return int(n.start[method+1] - n.start[method])
}

// Depth is the number of elements of a compacted name, 0 for the synthetic
// root's.
func (n *Names) Depth(name NameID) int {
	if name == noName {
		return 0
	}
	return int(n.depth[name])
}

// Prefix is the compacted name of the first elements of a name.
func (n *Names) Prefix(name NameID, elements int) NameID {
	return n.chain[n.rep[name]+uint32(elements)-1]
}

// at is the compacted name of a method at a level of 1 or more.
func (n *Names) at(method data.EntityID, level uint16) NameID {
	return n.chain[n.start[method]+uint32(level)-1]
}

// prefixes reports whether a is a prefix of b, or b itself.
func (n *Names) prefixes(a, b NameID) bool {
	return n.depth[a] <= n.depth[b] && n.Prefix(b, int(n.depth[a])) == a
}

// within reports whether the full name of a method begins with a name.
func (n *Names) within(method data.EntityID, name NameID) bool {
	d := uint32(n.depth[name])
	return n.start[method]+d <= n.start[method+1] && n.chain[n.start[method]+d-1] == name
}
