package compact

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/cctcsv"
	_ "github.com/cambium-prof/cambium/source/hprof"
	"github.com/cambium-prof/cambium/symbol"
)

// read reads a profile, and splits its names as the program does.
func read(t testing.TB, path string) (*cct.Tree, *Names) {
	t.Helper()
	in, err := source.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := cct.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	split := make([]symbol.Name, tree.Methods.Rows())
	for m, name := range tree.Methods.Names {
		split[m] = symbol.Split(symbol.Unknown, name, "", "")
	}
	return tree, NewNames(tree.Methods, split)
}

// figure1 is the paper's toy program, from its hprof output.
func figure1(t testing.TB, level int) *Tree {
	tree, names := read(t, "../source/hprof/testdata/figure1.txt")
	return New(tree, cct.Root, names, level)
}

// at finds a compacted node by the names on the way to it.
func at(t testing.TB, c *Tree, path string) cct.NodeID {
	t.Helper()
	row := cct.Root
	for name := range strings.SplitSeq(path, "/") {
		next := cct.NoNode
		for child := range c.Children(row) {
			if c.Name(child) == name {
				next = child
			}
		}
		if next == cct.NoNode {
			t.Fatalf("there is no %q in\n%s", path, draw(c))
		}
		row = next
	}
	return c.ID(row)
}

// do takes actions, none of which may fail.
func do(t testing.TB, c *Tree, actions ...Action) *Tree {
	t.Helper()
	for _, a := range actions {
		made, err := c.Apply(a)
		if err != nil {
			t.Fatalf("%s: %v\n%s", a, err, draw(c))
		}
		c = made
	}
	return c
}

func expect(t testing.TB, c *Tree, want string) {
	t.Helper()
	if got := draw(c); strings.TrimSpace(got) != strings.ReplaceAll(strings.TrimSpace(want), "\t", "  ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	verify(t, c)
}

const figure2 = `
lib1.Whale.breath [6]
	lib1.Mammal.inhale [6]
		lib2.Lung.inhale [6]
			lib2.Muscle.contract [4]
				lib2.Nerve.transmit [3]
					lib3.Signal.travel [3]
				lib3.Pressure.foo [1]
					lib3.Blood.flow [1]
			lib2.Muscle.stop [2]
				lib2.Nerve.transmit [2]
					lib3.Signal.travel [2]`

func TestFigure2(t *testing.T) { expect(t, figure1(t, 3), figure2) }

// Showing classes, the two calls of Muscle become one, so that the two Nerves
// are siblings, and the two Signals below them.
func TestFigure5(t *testing.T) {
	expect(t, figure1(t, 2), `
lib1.Whale [6]
	lib1.Mammal [6]
		lib2.Lung [6]
			lib2.Muscle [6] ×2
				lib2.Nerve [5] ×2
					lib3.Signal [5] ×2
				lib3.Pressure [1]
					lib3.Blood [1]`)
}

const figure6 = `
lib1 [6] ×2
	lib2 [6] ×5
		lib3 [6] ×4`

func TestFigure6(t *testing.T) { expect(t, figure1(t, 1), figure6) }

const figure7 = `
lib1 [6] ×2
	lib2.Lung [6]
		lib2.Muscle [6] ×2
			lib2.Nerve [5] ×2
				lib3 [5] ×2
			lib3 [1] ×2`

// From figure 6, the classes of lib2 are shown. Both calls of lib3 remain
// compacted, but have different callers now.
func TestFigure7(t *testing.T) {
	c := figure1(t, 1)
	lib2 := at(t, c, "lib1/lib2")
	expect(t, do(t, c, Action{Kind: ExpandPackage, Name: "lib2"}), figure7)
	expect(t, do(t, c, Action{Kind: Expand, Node: lib2}), figure7)
	expect(t, do(t, c, Action{Kind: ExpandPackage, Name: "lib2"}, Action{Kind: CompactPackage, Name: "lib2"}), figure6)
}

// One of the two lib3 is expanded, the other is not.
func TestFigure8(t *testing.T) {
	c := do(t, figure1(t, 1), Action{Kind: ExpandPackage, Name: "lib2"})
	const figure8 = `
lib1 [6] ×2
	lib2.Lung [6]
		lib2.Muscle [6] ×2
			lib2.Nerve [5] ×2
				lib3 [5] ×2
			lib3.Pressure [1]
				lib3.Blood [1]`
	right := at(t, c, "lib1/lib2.Lung/lib2.Muscle/lib3")
	expect(t, do(t, c, Action{Kind: Expand, Node: right}), figure8)
	expect(t, do(t, c, Action{Kind: ExpandHere, Node: right, Name: "lib3"}), figure8)
	// And back, though lib2.Muscle shows more elements than lib3 will.
	back := do(t, c, Action{Kind: Expand, Node: right})
	expect(t, do(t, back, Action{Kind: CompactHere, Node: right, Name: "lib3"}), figure7)
}

// Figure 9 has the levels: 1 for lib2, 3 for all others. The two Signals become
// siblings, because the Nerves below which they are join lib2.
func TestFigure10(t *testing.T) {
	const figure10 = `
lib1.Whale.breath [6]
	lib1.Mammal.inhale [6]
		lib2 [6] ×5
			lib3.Signal.travel [5] ×2
			lib3.Pressure.foo [1]
				lib3.Blood.flow [1]`
	c := figure1(t, 3)
	levels := map[cct.NodeID]int{}
	for n := range c.From.Len() {
		if strings.HasPrefix(c.From.Name(cct.NodeID(n)), "lib2") {
			levels[cct.NodeID(n)] = 1
		}
	}
	expect(t, c.Set(levels), figure10)
	twice := Action{Kind: CompactPackage, Name: "lib2"}
	expect(t, do(t, c, twice, twice), figure10)
}

func TestFigure10Members(t *testing.T) {
	c := figure1(t, 3)
	c = do(t, c, Action{Kind: CompactPackage, Name: "lib2"}, Action{Kind: CompactPackage, Name: "lib2"})
	row, _ := c.Node(at(t, c, "lib1.Whale.breath/lib1.Mammal.inhale/lib2"))
	var names []string
	for id := range c.Members(row) {
		names = append(names, c.Base().Name(id))
	}
	want := "lib2.Lung.inhale lib2.Muscle.contract lib2.Nerve.transmit lib2.Muscle.stop lib2.Nerve.transmit"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("lib2 stands for %s, want %s", got, want)
	}
}

func TestAllByOne(t *testing.T) {
	c := figure1(t, 3)
	c = do(t, c, Action{Kind: CompactAll}, Action{Kind: CompactAll})
	expect(t, c, figure6)
	c = do(t, c, Action{Kind: ExpandAll}, Action{Kind: ExpandAll})
	expect(t, c, figure2)
	expect(t, do(t, c, Action{Kind: Reset}), figure6)
	expect(t, do(t, c, Action{Kind: LevelAll, N: 1}, Action{Kind: LevelAll, N: 7}), figure2)
}

// blockedBy checks that an action is refused, and why.
func blockedBy(t *testing.T, c *Tree, a Action, why string) {
	t.Helper()
	h := NewHistory(c)
	err := h.Do(a)
	var b *Blocked
	if !errors.As(err, &b) {
		t.Fatalf("%s is not blocked: %v\n%s", a, err, draw(h.Tree()))
	}
	if b.Why != why {
		t.Errorf("%s is blocked because\n%s\nand not\n%s", a, b.Why, why)
	}
	if h.Tree() != c || h.CanUndo() {
		t.Errorf("%s changed something", a)
	}
}

// The first situation of section 3.3.1.
func TestBlockedBelowCaller(t *testing.T) {
	c := figure1(t, 3)
	const lung = "lib1.Whale.breath/lib1.Mammal.inhale/lib2.Lung.inhale"
	blockedBy(t, c, Action{Kind: Compact, Node: at(t, c, lung+"/lib2.Muscle.stop")},
		"lib2.Muscle.stop cannot be shown as lib2.Muscle below lib2.Lung.inhale, since a callee cannot take over its caller: compact lib2.Lung.inhale first.")
	blockedBy(t, c, Action{Kind: Level, Node: at(t, c, lung+"/lib2.Muscle.stop"), N: 1},
		"lib2.Muscle.stop cannot be shown as lib2 below lib2.Lung.inhale, since a callee cannot take over its caller: compact lib2.Lung.inhale first.")
	// What is asked for first helps.
	c = do(t, c, Action{Kind: Compact, Node: at(t, c, lung)})
	do(t, c, Action{Kind: Compact, Node: at(t, c, "lib1.Whale.breath/lib1.Mammal.inhale/lib2.Lung/lib2.Muscle.stop")})
	// A caller that has no element in common is never taken over.
	do(t, figure1(t, 3), Action{Kind: Compact, Node: at(t, figure1(t, 3), lung)})
}

// The second: the paper's example of lib2 and lib2.Muscle.contract.
func TestBlockedAcrossLevels(t *testing.T) {
	c := figure1(t, 3)
	const lung = "lib1.Whale.breath/lib1.Mammal.inhale/lib2.Lung"
	c = do(t, c, Action{Kind: Compact, Node: at(t, c, lung+".inhale")})
	blockedBy(t, c, Action{Kind: Compact, Node: at(t, c, lung)},
		"lib2 would take over lib2.Muscle.contract, more than one level of the hierarchy away: compact lib2.Muscle.contract first.")
	c = do(t, c, Action{Kind: Compact, Node: at(t, c, lung+"/lib2.Muscle.contract")})
	blockedBy(t, c, Action{Kind: Compact, Node: at(t, c, lung)},
		"lib2 would take over lib2.Nerve.transmit, more than one level of the hierarchy away: compact lib2.Nerve.transmit first.")
}

func TestBlockedAtTheEnds(t *testing.T) {
	c := figure1(t, 1)
	blockedBy(t, c, Action{Kind: Compact, Node: at(t, c, "lib1")}, "lib1 shows a single element of its name already.")
	blockedBy(t, c, Action{Kind: CompactAll}, "All nodes show a single element of their names already.")
	blockedBy(t, c, Action{Kind: CompactPackage, Name: "lib2"}, "All of lib2 is shown as lib2 or less already.")
	blockedBy(t, c, Action{Kind: CompactHere, Node: at(t, c, "lib1/lib2"), Name: "lib1"}, "Nothing of lib1 is called here.")
	blockedBy(t, c, Action{Kind: Compact, Node: 0}, "The root stands for no context and has no level: choose a node below it.")
	blockedBy(t, c, Action{Kind: Expand, Node: 0}, "Nothing is hidden in the root.")
	c = figure1(t, 3)
	blockedBy(t, c, Action{Kind: Expand, Node: at(t, c, "lib1.Whale.breath")}, "lib1.Whale.breath shows its whole name already.")
	blockedBy(t, c, Action{Kind: ExpandAll}, "All nodes show their whole names already.")
	blockedBy(t, c, Action{Kind: ExpandPackage, Name: "lib2"}, "All of lib2 shows its whole names already.")
	for _, a := range []Action{{Kind: Expand, Node: 99}, {Kind: ExpandPackage, Name: "lib9"}, {Kind: "fly"}, {Kind: Level, N: -1, Node: 1}, {Kind: LevelAll}, {Kind: Explain, N: 1, Name: "sleep"}, {Kind: Explain}} {
		var b *Blocked
		if _, err := c.Apply(a); err == nil || errors.As(err, &b) {
			t.Errorf("%s: got %v, want an error that is no block", a, err)
		}
	}
}

// At level 0 a context is shown as part of its caller, and what it calls too,
// if that is hidden as well. To expand shows what is hidden first.
func TestHidden(t *testing.T) {
	c := figure1(t, 1)
	lib3 := at(t, c, "lib1/lib2/lib3")
	c = do(t, c, Action{Kind: Level, Node: lib3, N: 0})
	expect(t, c, `
lib1 [6] ×2
	lib2 [6] ×9`)
	c = do(t, c, Action{Kind: Level, Node: at(t, c, "lib1"), N: 0})
	expect(t, c, `lib2 [6] ×9`)
	if c.Merged[cct.Root] != 3 {
		t.Errorf("the root stands for %d, not for itself and what is hidden in it", c.Merged[cct.Root])
	}
	c = do(t, c, Action{Kind: Expand, Node: 0}, Action{Kind: Expand, Node: lib3})
	expect(t, c, figure6)
}
