package cct

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"pgregory.net/rapid"
)

// figure1 runs the program of figure 1(a) of both papers and counts its calls
// per calling context; every call costs one unit besides.
func figure1(t testing.TB) *Tree {
	trie := data.NewTrie(0)
	names := []string{"main(String[])", "f(int)", "g(int)", "h(int)", "i(int)"}
	const mainM, fM, gM, hM, iM = 0, 1, 2, 3, 4
	calls := map[data.EntityID]int64{}
	enter := func(caller, m data.EntityID) data.EntityID {
		c := trie.Child(caller, m)
		calls[c]++
		return c
	}
	i := func(at data.EntityID, n int) { enter(at, iM) }
	h := func(at data.EntityID, n int) int { at = enter(at, hM); i(at, n); return n - 1 }
	var g func(at data.EntityID, n int) int
	g = func(at data.EntityID, n int) int {
		at = enter(at, gM)
		if n%2 == 0 {
			return h(at, n/2)
		}
		return g(at, n+1)
	}
	f := func(at data.EntityID, n int) { at = enter(at, fM); k := g(at, n); h(at, k) }
	root := enter(data.None, mainM)
	for j := 0; j < 20; j++ {
		f(root, j)
		g(root, j)
		for k := 1; k < j/2; k++ {
			h(root, k)
		}
	}
	values := make([]int64, trie.Len())
	for c, n := range calls {
		values[c] = n
	}
	return built(t, names, trie.Parents, trie.Keys, [][]int64{values})
}

func TestFigure1(t *testing.T) {
	want := strings.TrimLeft(`
· 0/345
  main(String[]) 1/345
    h(int) 72/144
      i(int) 72/72
    f(int) 20/130
      g(int) 20/70
        g(int) 10/30
          h(int) 10/20
            i(int) 10/10
        h(int) 10/20
          i(int) 10/10
      h(int) 20/40
        i(int) 20/20
    g(int) 20/70
      g(int) 10/30
        h(int) 10/20
          i(int) 10/10
      h(int) 10/20
        i(int) 10/10
`, "\n")
	if got := draw(figure1(t)); got != want {
		t.Errorf("the tree is\n%s", got)
	}
	if tree := figure1(t); tree.Contexts() != 18 || int(tree.Height[Root]) != 6 {
		t.Errorf("%d contexts, depth %d", tree.Contexts(), int(tree.Height[Root]))
	}
}

// Figure 7(a): the recursive call of g disappears, what it called moves up.
func TestFigure7RecursionElimination(t *testing.T) {
	tree := EliminateRecursion(figure1(t), Root)
	verify(t, tree)
	want := strings.TrimLeft(`
· 0/345
  main(String[]) 1/345
    h(int) 72/144
      i(int) 72/72
    f(int) 20/130
      g(int) 30/70
        h(int) 20/40
          i(int) 20/20
      h(int) 20/40
        i(int) 20/20
    g(int) 30/70
      h(int) 20/40
        i(int) 20/20
`, "\n")
	if got := draw(tree); got != want {
		t.Errorf("the tree is\n%s", got)
	}
}

// Figure 7(b): a pie of methods.
func TestFigure7ByMethod(t *testing.T) {
	tree := ByMethod(figure1(t), Root)
	verify(t, tree)
	total := int64(0)
	for c := range tree.Children(Root) {
		if tree.Self[0][c] != tree.Total[0][c] {
			t.Errorf("%s has callees", tree.Name(c))
		}
		total += tree.Self[0][c]
	}
	if n := tree.CountChildren(Root); n != 5 || total != tree.Total[0][Root] {
		t.Errorf("%d methods, %d in all", n, total)
	}
}

func TestOperationsOnSubtree(t *testing.T) {
	tree := drawn(t, `
main 1
  f 2
    g 3
      f 4
        h 5
  h 6`)
	f, _ := tree.Node(2)
	if tree.Name(f) != "f" {
		t.Fatalf("row 2 is %s", tree.Name(f))
	}
	sub := EliminateRecursion(tree, f)
	verify(t, sub)
	if got, want := draw(sub), "f 6/14\n  h 5/5\n  g 3/3\n"; got != want {
		t.Errorf("recursion eliminated:\n%s", got)
	}
	if sub.ID(Root) != f {
		t.Errorf("the root has the id %d, not %d", sub.ID(Root), f)
	}
	pie := ByMethod(tree, f)
	verify(t, pie)
	if got, want := draw(pie), "· 0/14\n  f 6/6\n  h 5/5\n  g 3/3\n"; got != want {
		t.Errorf("by method:\n%s", got)
	}
	if got := pie.MergedInto(1); got != 2 {
		t.Errorf("f stands for %d contexts", got)
	}
}

// naive is figure 8 of the 2010 paper, word for word.
type naive struct {
	method   data.EntityID
	parent   *naive
	children []*naive
	self     int64
}

func (n *naive) getOrCreateChild(m data.EntityID) *naive {
	for _, c := range n.children {
		if c.method == m {
			return c
		}
	}
	c := &naive{method: m, parent: n}
	n.children = append(n.children, c)
	return c
}

func findMatchingAncestor(n *naive, m data.EntityID) *naive {
	if n == nil {
		return nil
	}
	if n.method == m {
		return n
	}
	return findMatchingAncestor(n.parent, m)
}

func eliminateRec(t *Tree, in NodeID, out *naive) {
	for nIn := range t.Children(in) {
		nOut := findMatchingAncestor(out, t.Method[nIn])
		if nOut == nil {
			nOut = out.getOrCreateChild(t.Method[nIn])
		}
		nOut.self += t.Self[0][nIn]
		eliminateRec(t, nIn, nOut)
	}
}

func (n *naive) flatten(names []string, trie *data.Trie, parent data.EntityID, values *[]int64) {
	for _, c := range n.children {
		id := trie.Child(parent, c.method)
		*values = append(*values, c.self)
		c.flatten(names, trie, id, values)
	}
}

func randomTree(r *rapid.T, t testing.TB) *Tree {
	n := rapid.IntRange(1, 60).Draw(r, "contexts")
	methods := rapid.IntRange(1, 6).Draw(r, "methods")
	names := []string{"a", "b", "c", "d", "e", "f"}[:methods]
	trie := data.NewTrie(0)
	for range n {
		parent := data.None
		if trie.Len() > 0 && rapid.IntRange(0, 9).Draw(r, "nest") > 0 {
			parent = data.EntityID(rapid.IntRange(max(0, trie.Len()-8), trie.Len()-1).Draw(r, "parent"))
		}
		trie.Child(parent, data.EntityID(rapid.IntRange(0, methods-1).Draw(r, "method")))
	}
	values := make([]int64, trie.Len())
	for i := range values {
		values[i] = int64(rapid.IntRange(0, 9).Draw(r, "value"))
	}
	return built(t, names, trie.Parents, trie.Keys, [][]int64{values})
}

func TestEliminateRecursionIsFigure8(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tree := randomTree(r, t)
		root := &naive{method: data.None}
		eliminateRec(tree, Root, root)
		trie := data.NewTrie(0)
		var values []int64
		root.flatten(tree.Methods.Names, trie, data.None, &values)
		want := built(t, tree.Methods.Names, trie.Parents, trie.Keys, [][]int64{values})
		got := EliminateRecursion(tree, Root)
		verify(t, got)
		if draw(got) != draw(want) {
			r.Fatalf("of\n%s\ngot\n%s\nwant\n%s", draw(tree), draw(got), draw(want))
		}
		// Every context of the base tree is somewhere, with its metric.
		for id := range tree.Parent {
			if _, ok := got.Node(NodeID(id)); !ok {
				r.Fatalf("context %d is lost", id)
			}
		}
	})
}

func TestByMethodAndMethodsArePlainLoops(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tree := randomTree(r, t)
		root := NodeID(rapid.IntRange(0, tree.Len()-1).Draw(r, "root"))
		self, total := map[data.EntityID]int64{}, map[data.EntityID]int64{}
		for i := root; i < tree.End[root]; i++ {
			m := tree.Method[i]
			if m == data.None {
				continue
			}
			self[m] += tree.Self[0][i]
			outermost := true
			for p := i; p != root; {
				p = tree.Parent[p]
				outermost = outermost && tree.Method[p] != m
			}
			if outermost {
				total[m] += tree.Total[0][i]
			}
		}
		pie := ByMethod(tree, root)
		verify(t, pie)
		for c := range pie.Children(Root) {
			if pie.Self[0][c] != self[pie.Method[c]] {
				r.Fatalf("%s: %d instead of %d", pie.Name(c), pie.Self[0][c], self[pie.Method[c]])
			}
		}
		costs := Methods(tree, root, 0)
		if len(costs) != len(self) || pie.CountChildren(Root) != len(self) {
			r.Fatalf("%d methods instead of %d", len(costs), len(self))
		}
		for _, c := range costs {
			if c.Self != self[c.Method] || c.Total != total[c.Method] {
				r.Fatalf("method %d: %+v", c.Method, c)
			}
		}
	})
}

func TestLargestIsSortedPrefix(t *testing.T) {
	tree := drawn(t, `
main 0 0
  a 5 1
  b 4 9
  c 3 2
  d 2 9`)
	main := NodeID(1)
	names := func(nodes []NodeID) (s string) {
		for _, n := range nodes {
			s += tree.Name(n)
		}
		return s
	}
	if got := names(tree.Largest(0, main, 3, 10, nil)); got != "abc" {
		t.Errorf("by the first metric: %s", got)
	}
	if got := names(tree.Largest(1, main, 2, 10, nil)); got != "bdc" {
		t.Errorf("by the second metric: %s", got)
	}
	if got := names(tree.Largest(1, main, 0, 1, nil)); got != "b" {
		t.Errorf("limited: %s", got)
	}
}

func TestFindCountsNestedMatchesOnce(t *testing.T) {
	tree := drawn(t, `
main 1
  f 2
    g 3
      f 4
  g 5`)
	found := Find(tree, Root, 0, Predicate{Method: func(m data.EntityID) bool { return tree.Methods.Names[m] != "main" }})
	if found.Count != 4 || found.Total != 14 || len(found.Methods) != 2 {
		t.Errorf("found %+v", found)
	}
	if got := found.Largest(tree, 0, 2); !slices.Equal(got, []NodeID{2, 3}) {
		t.Errorf("largest are %v of\n%s", got, draw(tree))
	}
}

func TestSumsSaturate(t *testing.T) {
	tree := func() *Tree {
		names := []string{"a", "b", "c"}
		values := []int64{math.MaxInt64, math.MaxInt64, 5}
		b := data.NewTrie(0)
		x := b.Child(data.None, 0)
		b.Child(x, 1)
		b.Child(x, 2)
		like := &Tree{Methods: &data.EntityTable{Names: names}, Metrics: []Metric{{Name: "m"}}, rank: rankNames(names)}
		tree, _ := arrange(draft{parent: []NodeID{NoNode, 0, 1, 1}, method: []data.EntityID{data.None, 0, 1, 2}, self: [][]int64{{0, values[0], values[1], values[2]}}, like: like})
		return tree
	}()
	if !tree.Saturated || tree.Total[0][Root] != math.MaxInt64 {
		t.Errorf("total %d, saturated %v", tree.Total[0][Root], tree.Saturated)
	}
}

func TestMillionDeep(t *testing.T) {
	const depth = 1_000_000
	trie := data.NewTrie(depth)
	at := data.None
	names := make([]string, 1000)
	for i := range names {
		names[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	for i := range depth {
		at = trie.Child(at, data.EntityID(i%len(names)))
	}
	values := make([]int64, depth)
	values[depth-1] = 1
	tree := built(t, names, trie.Parents, trie.Keys, [][]int64{values})
	if int(tree.Height[Root]) != depth {
		t.Fatalf("depth %d", int(tree.Height[Root]))
	}
	flat := EliminateRecursion(tree, Root)
	if flat.Contexts() != len(names) || flat.Total[0][1] != 1 {
		t.Fatalf("%d contexts without recursion", flat.Contexts())
	}
}
