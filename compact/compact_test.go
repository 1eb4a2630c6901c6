package compact

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// TestActions takes random actions on random trees. After each the tree is what
// its levels give from nothing, and what the definition says; and all can be
// undone and done again.
func TestActions(t *testing.T) {
	trees := 400
	if testing.Short() {
		trees = 150
	}
	blockedOnes, taken := 0, map[Kind]int{}
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		from := randomTree(t, r, 3+r.IntN(40))
		root, base := cct.Root, true
		switch r.IntN(6) { // not always a data set's own tree, or all of it
		case 0:
			from, base = cct.EliminateRecursion(from, cct.Root), false
		case 1:
			root = cct.NodeID(r.IntN(from.Len()))
		}
		h := NewHistory(New(from, root, namesOf(from), 1+r.IntN(3)))
		states := []string{dump(h.Tree())}
		for range 12 {
			a := randomAction(h.Tree(), r)
			before := h.Tree()
			if err := h.Do(a); err != nil {
				blockedOnes++
				if h.Tree() != before {
					t.Errorf("seed %d: %s failed and changed something", seed, a)
				}
				continue
			}
			if h.Tree() == before {
				continue
			}
			taken[a.Kind]++
			same(t, h.Tree(), h.Tree().fresh(h.Tree().level), seed)
			if base {
				check(t, h.Tree(), seed)
			}
			if t.Failed() {
				t.Fatalf("%s of\n%s\nis\n%s", a, describe(before), describe(h.Tree()))
			}
			states = append(states, dump(h.Tree()))
			if again, err := ParseActions(Actions{a}.String()); err != nil || len(again) != 1 || again[0] != a {
				t.Errorf("%v becomes %q becomes %v, %v", a, Actions{a}.String(), again, err)
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			if !h.Undo() || dump(h.Tree()) != states[i] {
				t.Fatalf("seed %d: undoing does not lead back to state %d", seed, i)
			}
		}
		if h.Undo() {
			t.Errorf("seed %d: there is more to undo than was done", seed)
		}
		for i := 1; i < len(states); i++ {
			if !h.Redo() || dump(h.Tree()) != states[i] {
				t.Fatalf("seed %d: redoing does not lead to state %d", seed, i)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if blockedOnes == 0 || len(taken) != 12 {
		t.Errorf("%d actions were blocked, and these had an effect: %v", blockedOnes, taken)
	}
}

func randomAction(c *Tree, r *rand.Rand) Action {
	a := Action{Node: c.ID(cct.NodeID(r.IntN(c.Len())))}
	name := c.Names.Table().NameOf(NameID(r.IntN(c.Names.Table().Rows())))
	kinds := []Kind{Expand, Compact, Expand, Compact, ExpandAll, CompactAll, ExpandPackage, CompactPackage, ExpandHere, CompactHere, Level, LevelAll, Reset, Explain}
	switch a.Kind = kinds[r.IntN(len(kinds))]; a.Kind {
	case ExpandHere, CompactHere:
		a.Name = name
	case ExpandPackage, CompactPackage:
		a.Node, a.Name = 0, name
	case Level:
		a.N = r.IntN(4)
	case LevelAll:
		a.Node, a.N = 0, 1+r.IntN(4)
	case Explain:
		a.Node, a.N, a.Name = 0, 1+r.IntN(10), c.Metrics[r.IntN(len(c.Metrics))].Name
	case ExpandAll, CompactAll, Reset:
		a.Node = 0
	}
	return a
}

// TestRealTrees compacts recorded programs. Where no callee's name is a proper
// prefix of its caller's, the result is the one that cannot be compacted
// further: siblings do not begin alike, and no node begins like its parent.
func TestRealTrees(t *testing.T) {
	for _, c := range []struct {
		path  string
		nodes [3]int // at levels 1 to 3
	}{
		{"../source/hprof/testdata/javac.hprof.txt.gz", [3]int{42, 118, 404}},
		{"../source/hprof/testdata/jflex.hprof.txt.gz", [3]int{20, 94, 232}},
		{"../samples/xalan.cct.csv.zst", [3]int{405, 2009, 17996}},
	} {
		from, names := read(t, c.path)
		var nodes [3]int
		for level := 1; level <= 3; level++ {
			tree := New(from, cct.Root, names, level)
			nodes[level-1] = tree.Nodes()
			cannotCompact(t, tree)
			verify(t, tree)
			for m := range tree.Total {
				if tree.Total[m][0] != from.Total[m][0] {
					t.Errorf("%s: the total of %s is %d, not %d", c.path, tree.Metrics[m].Name, tree.Total[m][0], from.Total[m][0])
				}
			}
			if from.Len() > 100000 {
				continue
			}
			for range 20 {
				r := rand.New(rand.NewPCG(uint64(level), 3))
				a := Action{Kind: []Kind{Expand, Compact}[r.IntN(2)], Node: tree.ID(cct.NodeID(r.IntN(tree.Len())))}
				if made, err := tree.Apply(a); err == nil {
					tree = made
					same(t, tree, tree.fresh(tree.level), level)
				}
			}
		}
		if nodes != c.nodes {
			t.Errorf("%s has %v nodes at levels 1 to 3, not %v", c.path, nodes, c.nodes)
		}
		t.Logf("%s: %d contexts", c.path, from.Contexts())
	}
}

// cannotCompact checks the nodes of a tree in which each is taken over by one
// of its highest contexts.
func cannotCompact(t *testing.T, c *Tree) {
	t.Helper()
	if len(c.typed) > 0 {
		t.Fatal("there are nodes of several parts")
	}
	for i, row := range c.into {
		method := c.From.Method[c.FromRoot+cct.NodeID(i)]
		if method == noName {
			continue
		}
		if name := c.Names.at(method, c.level[i]); !c.Names.prefixes(c.Method[row], name) {
			t.Errorf("context %d is %s in node %s", i, c.Names.Table().NameOf(name), c.Name(row))
		}
		if i > 0 {
			caller := c.into[c.From.Parent[c.FromRoot+cct.NodeID(i)]-c.FromRoot]
			if caller != row && c.Parent[row] != caller {
				t.Errorf("context %d has a caller that is neither in its node nor in that node's parent", i)
			}
		}
	}
	for row := range c.Len() {
		seen := map[NameID]bool{}
		for child := range c.Children(cct.NodeID(row)) {
			if seen[c.Method[child]] || row > 0 && c.Names.prefixes(c.Method[row], c.Method[child]) {
				t.Errorf("node %s is beside or below one that takes it over", c.Name(child))
			}
			seen[c.Method[child]] = true
		}
		for name := range seen {
			for d := 1; d < c.Names.Depth(name); d++ {
				if seen[c.Names.Prefix(name, d)] {
					t.Errorf("node %s is beside one that takes it over", c.Names.Table().NameOf(name))
				}
			}
		}
	}
}

func TestLevelsOfOtherLanguages(t *testing.T) {
	for name, want := range map[string]string{
		"net/http.(*Server).Serve":                  "net | net/http | net/http.Server | net/http.(*Server).Serve",
		"std::collections::hash_map::Entry::insert": "std | std::collections | std::collections::hash_map | std::collections::hash_map::Entry | std::collections::hash_map::Entry::insert",
		"malloc": "malloc",
		"":       "",
	} {
		methods := cct.NewNaming("Method", "", []string{name}).Table
		n := NewNames(methods, []symbol.Name{symbol.Split(symbol.Unknown, name, "", "")})
		if got := strings.Join(n.Table().Names, " | "); got != want {
			t.Errorf("%q has the compacted names %q, want %q", name, got, want)
		}
	}
}

// A name of very many elements costs time and memory in proportion to its
// length.
func TestLongName(t *testing.T) {
	name := strings.Repeat("a.", 200000) + "b"
	elements := strings.Split(name, ".")
	methods := cct.NewNaming("Method", "", []string{name}).Table
	n := NewNames(methods, []symbol.Name{{Language: symbol.Java, Package: elements[:len(elements)-1], Method: "b"}})
	if got := n.Levels(0); got != maxLevel {
		t.Errorf("the name has %d levels", got)
	}
	if last := n.Table().Names[maxLevel-1]; last != name {
		t.Errorf("at the last level %d bytes are shown", len(last))
	}
}

// Operations of cct can follow and precede.
func TestCombined(t *testing.T) {
	from := drawn(t, `
main.Main.run 1
	a.A.f 2
		b.B.g 3
			a.A.f 4
				a.C.h 5
	a.C.h 6`)
	names := namesOf(from)
	expect(t, New(cct.EliminateRecursion(from, cct.Root), cct.Root, names, 1), `
main [21]
	a [20] ×4
		b [3]`)
	c := New(from, cct.Root, names, 1)
	expect(t, c, `
main [21]
	a [20] ×2
		b [12]
			a [9] ×2`)
	again := cct.EliminateRecursion(c.Tree, cct.Root)
	if n, ok := again.Node(4); !ok || again.Name(n) != "a" || again.MergedInto(n) != 4 {
		t.Errorf("context 4 is in %q, which stands for %d contexts", again.Name(n), again.MergedInto(n))
	}
	// A subtree, whose root is a context.
	n, _ := from.Node(2)
	sub := New(from, n, names, 1)
	if got := draw2(sub); got != "a b a" {
		t.Errorf("the subtree is %s", got)
	}
	if _, ok := sub.Node(1); ok {
		t.Error("a context outside of the subtree is in it")
	}
}

func draw2(c *Tree) string {
	var names []string
	for row := range c.Len() {
		names = append(names, c.Name(cct.NodeID(row)))
	}
	return strings.Join(names, " ")
}

func TestSaturated(t *testing.T) {
	from := drawn(t, `
a.f 9223372036854775807
	b.g 5
		c.h 1
	a.g 9223372036854775807`)
	c := New(from, cct.Root, namesOf(from), 1)
	if !c.Saturated || c.Self[0][1] != math.MaxInt64 || c.Self[0][2] != 5 {
		t.Errorf("self is %v, total %v", c.Self, c.Total)
	}
}

func TestEmpty(t *testing.T) {
	from := built(t, []string{"a.b"}, []data.EntityID{}, []data.EntityID{}, nil)
	c := New(from, cct.Root, namesOf(from), 1)
	if c.Nodes() != 0 || c.Explain(3, 0).Nodes() != 0 {
		t.Errorf("there are %d nodes", c.Nodes())
	}
}

func TestHistoryForgets(t *testing.T) {
	h := NewHistory(figure1(t, 1))
	h.Limit = 1
	for range 2 {
		if err := h.Do(Action{Kind: ExpandAll}); err != nil {
			t.Fatal(err)
		}
	}
	if !h.Undo() || h.Undo() {
		t.Error("the last step, and only that, should be kept")
	}
	if err := h.Do(Action{Kind: Reset}); err != nil || h.CanRedo() {
		t.Errorf("after another action there is nothing to redo: %v", err)
	}
	if got := h.Done().String(); got != "reset" {
		t.Errorf("done: %s", got)
	}
}

func TestParseActions(t *testing.T) {
	const text = "level-all:2;expand:12;compact:3;level:4=0;expand-all;compact-all;reset;" +
		"expand-package:a.b%3Bc;compact-package:x;expand-here:5=net%2Fhttp;compact-here:5=y;explain:40;explain:7=cpu+time"
	l, err := ParseActions(text)
	if err != nil || l.String() != text {
		t.Errorf("got %s, %v", l, err)
	}
	for _, wrong := range []string{"expand", "expand:x", "level:3", "level:3=-1", "level-all:0", "reset:1", "explain:0", "expand-here:3", "expand-package:", "expand-package:%zz", "jump:3", strings.Repeat("reset;", 1001)} {
		if l, err := ParseActions(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, l)
		}
	}
}

func TestExplain(t *testing.T) {
	from, names := read(t, "../samples/xalan.cct.csv.zst")
	metric := slices.IndexFunc(from.Metrics, func(m cct.Metric) bool { return m.Name == "bytecodes" })
	last := 0.0
	for _, nodes := range []int{1, 5, 20, 40, 80} {
		c := New(from, cct.Root, names, 1).Explain(nodes, metric)
		verify(t, c)
		known := c.Information(metric)
		if c.Nodes() > nodes || known < last {
			t.Errorf("for %d nodes there are %d, which tell %.2f bits after %.2f", nodes, c.Nodes(), known, last)
		}
		if _, least := New(from, cct.Root, names, 1).fewer(nodes, metric); known < least {
			t.Errorf("%d nodes tell %.2f bits; the full compaction's tell %.2f", nodes, known, least)
		}
		last = known
	}
}

// The information is the entropy of what the nodes cost themselves.
func TestInformation(t *testing.T) {
	c := New(drawn(t, `
a.f 4
	b.g 2
	c.h 1
		d.i 1`), cct.Root, namesOf(drawn(t, "a.f 4\n\tb.g 2\n\tc.h 1\n\t\td.i 1")), 1)
	if got := c.Information(0); math.Abs(got-1.75) > 1e-12 { // ½·1 + ¼·2 + 2·⅛·3
		t.Errorf("got %v bits", got)
	}
	// c and d are hidden: of the leaves, d tells least, and then c does.
	hidden, bits := c.fewer(2, 0)
	if h := c.hide(hidden); bits != h.Information(0) {
		t.Errorf("hiding leaves %v bits, not %v", h.Information(0), bits)
	}
	expect(t, c.hide(hidden), `
a [8] ×3
	b [2]`)
}
