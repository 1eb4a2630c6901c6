package compact

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
)

// oracle is section 3.2 of the paper, written as it stands there: the take-over
// relation as the least fixed point over all pairs of contexts, and its
// connected components. name gives the elements of a context's compacted name.
type oracle struct {
	t     *cct.Tree
	root  cct.NodeID
	name  func(n cct.NodeID) []string
	takes map[[2]cct.NodeID]bool // A ▷ B
}

func (o *oracle) contexts() []cct.NodeID {
	var all []cct.NodeID
	for n := o.root; n < o.t.End[o.root]; n++ {
		all = append(all, n)
	}
	return all
}

// synthetic tells of the root that takes part in nothing, but that it makes
// its children siblings.
func (o *oracle) synthetic(n cct.NodeID) bool { return o.t.Method[n] == noName }

// nameless tells of the synthetic root and what is hidden in it. (Contexts that
// are hidden, shown as part of their callers, are not the paper's.)
func (o *oracle) nameless(n cct.NodeID) bool { return len(o.name(n)) == 0 }

func isPrefix(a, b []string) bool {
	return len(a) <= len(b) && slices.Equal(a, b[:len(a)])
}

func (o *oracle) solve() {
	o.takes = map[[2]cct.NodeID]bool{}
	all := o.contexts()
	for _, a := range all {
		o.takes[[2]cct.NodeID{a, a}] = true // (1)
	}
	for changed := true; changed; {
		changed = false
		for _, a := range all {
			for _, b := range all {
				if o.takes[[2]cct.NodeID{a, b}] || o.nameless(a) != o.nameless(b) || !isPrefix(o.name(a), o.name(b)) {
					continue
				}
				if o.second(a, b) || o.third(a, b, all) {
					o.takes[[2]cct.NodeID{a, b}] = true
					changed = true
				}
			}
		}
	}
}

// second is condition (2): A ▷ parent(B).
func (o *oracle) second(a, b cct.NodeID) bool {
	return b != o.root && o.takes[[2]cct.NodeID{a, o.t.Parent[b]}]
}

// third is condition (3): ∃D: D ▷ parent(A) ∧ D ▷ parent(B).
func (o *oracle) third(a, b cct.NodeID, all []cct.NodeID) bool {
	if a == o.root || b == o.root {
		return false
	}
	for _, d := range all {
		if o.takes[[2]cct.NodeID{d, o.t.Parent[a]}] && o.takes[[2]cct.NodeID{d, o.t.Parent[b]}] {
			return true
		}
	}
	return false
}

// nodes are the connected components, each in rising order, in the order of
// their first members.
func (o *oracle) nodes() [][]cct.NodeID {
	all := o.contexts()
	seen := map[cct.NodeID]bool{}
	var nodes [][]cct.NodeID
	for _, n := range all {
		if seen[n] {
			continue
		}
		seen[n] = true
		node := []cct.NodeID{n}
		for i := 0; i < len(node); i++ {
			for _, m := range all {
				if !seen[m] && (o.takes[[2]cct.NodeID{node[i], m}] || o.takes[[2]cct.NodeID{m, node[i]}]) {
					seen[m] = true
					node = append(node, m)
				}
			}
		}
		slices.Sort(node)
		nodes = append(nodes, node)
	}
	return nodes
}

// expect writes what the definition gives: per node its members, its parent's
// first member, its name and weights.
func (o *oracle) expect() string {
	o.solve()
	nodes := o.nodes()
	nodeOf := map[cct.NodeID]int{}
	for k, node := range nodes {
		for _, n := range node {
			nodeOf[n] = k
		}
	}
	var lines []string
	for k, node := range nodes {
		parent, name := int64(-1), ""
		weights := make([]int64, len(o.t.Total))
		for _, n := range node {
			if text := strings.Join(o.name(n), "."); !o.nameless(n) && (name == "" || len(text) < len(name)) {
				name = text
			}
			if n == o.root || nodeOf[o.t.Parent[n]] != k { // a highest one
				for m := range weights {
					weights[m] += o.t.Total[m][n]
				}
				if n != o.root {
					parent = int64(nodes[nodeOf[o.t.Parent[n]]][0])
				}
			}
		}
		lines = append(lines, fmt.Sprint(node, " in ", parent, " ", name, " ", weights))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// actual writes the same of a compacted tree whose contexts are those of a
// data set's own tree.
func actual(t *Tree) string {
	var lines []string
	start, members := t.AllMembers()
	for r := range t.Len() {
		row := cct.NodeID(r)
		parent, name := int64(-1), ""
		if row != cct.Root {
			parent = int64(t.ID(t.Parent[row]))
		}
		if t.Method[row] != noName {
			name = elementsText(t.Names, t.Method[row])
		}
		weights := make([]int64, len(t.Total))
		for m := range weights {
			weights[m] = t.Total[m][row]
		}
		lines = append(lines, fmt.Sprint(members[start[row]:start[row+1]], " in ", parent, " ", name, " ", weights))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func elementsText(n *Names, name NameID) string {
	return strings.Join(n.Symbols[name].Elements(), ".")
}

// ask makes the oracle for a tree with the levels of a compacted one.
func ask(t *Tree) *oracle {
	o := &oracle{t: t.From, root: t.FromRoot}
	o.name = func(n cct.NodeID) []string {
		if o.synthetic(n) {
			return nil
		}
		level := t.level[n-t.FromRoot]
		if level == 0 { // as its caller
			return o.name(t.From.Parent[n])
		}
		return strings.Split(t.From.Name(n), ".")[:level]
	}
	return o
}

// TestDefinition compares random trees at random levels with the definition:
// names with a common beginning, of different lengths, and levels that mostly
// make a caller's name longer than its callee's, too.
func TestDefinition(t *testing.T) {
	trees := 6000
	if testing.Short() {
		trees = 1500
	}
	typed, several := 0, 0
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		tree := randomTree(t, r, 3+r.IntN(24))
		names := namesOf(tree)
		c := New(tree, cct.Root, names, 1+r.IntN(3))
		levels := map[cct.NodeID]int{}
		hidden := r.IntN(4) == 0
		for n := 1; n < tree.Len(); n++ {
			levels[cct.NodeID(n)] = 1 + r.IntN(4)
			if hidden && r.IntN(5) == 0 {
				levels[cct.NodeID(n)] = 0
			}
		}
		full := c.fresh(c.levelsWith(levels))
		check(t, full, seed)
		if len(full.typed) > 0 {
			typed++
		}
		if full.Len() < tree.Len()-1 {
			several++
		}
		// The same by single changes.
		for id, level := range levels {
			c = c.Set(map[cct.NodeID]int{id: level})
		}
		same(t, c, full, seed)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, describe(full))
		}
	}
	if typed < trees/500 || several < trees/2 {
		t.Errorf("of %d trees only %d had a node of several parts below one of several parts, and %d merged anything", trees, typed, several)
	}
}

// levelsWith gives the levels of a tree with some replaced.
func (t *Tree) levelsWith(levels map[cct.NodeID]int) []uint16 {
	all := slices.Clone(t.level)
	for id, level := range levels {
		n, _ := t.From.Node(id)
		all[n-t.FromRoot] = t.clamp(uint32(n-t.FromRoot), level)
	}
	return all
}

func check(t testing.TB, c *Tree, seed int) {
	t.Helper()
	if want, got := ask(c).expect(), actual(c); got != want {
		t.Errorf("seed %d: the nodes are\n%s\nbut by the definition\n%s", seed, got, want)
	}
	verify(t, c)
}

// same checks that two compactions are equal in everything.
func same(t testing.TB, got, want *Tree, seed int) {
	t.Helper()
	if a, b := dump(got), dump(want); a != b {
		t.Errorf("seed %d: step by step gives\n%s\nbut at once\n%s", seed, a, b)
	}
	verify(t, got)
}

func describe(t *Tree) string {
	var b strings.Builder
	for n := t.FromRoot; n < t.From.End[t.FromRoot]; n++ {
		fmt.Fprintf(&b, "%s%d %s %d\n", strings.Repeat("  ", int(t.From.Depth[n])), n, t.From.Name(n), t.level[n-t.FromRoot])
	}
	return b.String()
}
