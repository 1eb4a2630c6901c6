package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/data"
)

// toy is the tree of figure 2 of Lin et al. (2010), with its ids:
//
//	1 lib1.Whale.breath
//	2   lib1.Mammal.inhale
//	3     lib2.Lung.inhale
//	4       lib2.Muscle.contract
//	5         lib2.Nerve.transmit
//	6           lib3.Signal.travel 3
//	7         lib3.Pressure.foo
//	8           lib3.Blood.flow 1
//	9       lib2.Muscle.stop
//	10        lib2.Nerve.transmit
//	11          lib3.Signal.travel 2
func toy(t tb) *cct.Tree {
	return tree(t,
		[]string{"lib1.Whale.breath", "lib1.Mammal.inhale", "lib2.Lung.inhale", "lib2.Muscle.contract", "lib2.Nerve.transmit",
			"lib3.Signal.travel", "lib3.Pressure.foo", "lib3.Blood.flow", "lib2.Muscle.stop"},
		[]data.EntityID{data.None, 0, 1, 2, 3, 4, 3, 6, 2, 8, 9},
		[]data.EntityID{0, 1, 2, 3, 4, 5, 6, 7, 8, 4, 5},
		[]int64{0, 0, 0, 0, 0, 3, 0, 1, 0, 0, 2})
}

// lines draws a view: a node per line, indented by its depth.
func lines(v cct.View) string {
	var b strings.Builder
	for n := v.Root; n < v.End[v.Root]; n++ {
		if v.Method[n] != data.None {
			b.WriteString(strings.Repeat(" ", int(v.Depth[n]-v.Depth[v.Root])) + v.Name(n) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func TestCompactionIsAStep(t *testing.T) {
	base := toy(t)
	for _, c := range []struct{ steps, want string }{
		{"compact", "lib1\n  lib2\n   lib3"}, // figure 6
		{"compact:2", "lib1.Whale\n  lib1.Mammal\n   lib2.Lung\n    lib2.Muscle\n     lib2.Nerve\n      lib3.Signal\n     lib3.Pressure\n      lib3.Blood"}, // figure 5
		{"compact:1;expand-package:lib2", "lib1\n  lib2.Lung\n   lib2.Muscle\n    lib2.Nerve\n     lib3\n    lib3"},                                         // figure 7
		{"focus:9,compact", "lib2\n lib3"},
		{"compact:2,focus:9", "lib2.Muscle\n lib2.Nerve\n  lib3.Signal\n lib3.Pressure\n  lib3.Blood"},
		{"norec,compact,focus:11", "lib3"},
		{"compact,bymethod", "lib3\n lib1\n lib2"},
		{"compact,norec,depth:1", "lib1\n  lib2\n   lib3"},
		{"compact:2,compact:1", "lib1\n  lib2\n   lib3"},
		// What is not there (the subtree of 9 has no 3) is passed over.
		{"focus:9,compact:1;expand:3", "lib2\n lib3"},
	} {
		p, err := ParsePipeline(c.steps)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Apply(context.Background(), base, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.steps, err)
		}
		if got := lines(v); got != strings.TrimSpace(c.want) {
			t.Errorf("%s gives\n%s\nand not\n%s", c.steps, got, c.want)
		}
	}
	p, _ := ParsePipeline("compact:1;expand:99")
	if _, err := p.Apply(context.Background(), base, nil); err == nil || !strings.Contains(err.Error(), "there is no context 99") {
		t.Errorf("an action on a context that there is not gives %v", err)
	}
}

// Actions change the last compaction, and only that.
func TestAct(t *testing.T) {
	base, k := toy(t), newKept()
	start := Step{Kind: Compact, Text: "1"}
	for _, c := range []struct {
		steps string
		act   Act
		want  string // or the sentence
	}{
		{"", Act{Kind: compact.Expand, Node: 3}, "compact:1;expand:3"},
		{"focus:3,depth:4", Act{Kind: compact.Expand, Node: 5}, "focus:3,depth:4,compact:1;expand:5"},
		{"compact:1,norec,focus:3", Act{Kind: compact.Expand, Node: 3}, "compact:1;expand:3,norec,focus:3"},
		{"compact:2", Act{Kind: compact.CompactAll}, "compact:2;compact-all"},
		{"compact:2;expand:5", Act{Kind: compact.LevelAll, N: 3}, "compact:3"},
		{"compact:2;expand:5", Act{Kind: compact.Reset}, "compact:1"},
		{"compact:2", Act{Kind: compact.Explain, N: 4}, "compact:explain:4"},
		{"compact:1", Act{Kind: compact.ExpandPackage, Node: 4}, "compact:1;expand-package:lib2"},
		{"compact:2", Act{Kind: compact.CompactPackage, Node: 3}, "compact:2;compact-package:lib2"},
		{"compact:2", Act{Kind: compact.ExpandHere, Node: 5}, "compact:2;expand-here:5=lib2.Nerve"},
		{"compact:3", Act{Kind: compact.Expand, Node: 5}, "lib2.Nerve.transmit shows its whole name already."},
		{"compact:1", Act{Kind: compact.Compact, Node: 5}, "lib2 shows a single element of its name already."},
		{"compact:3", Act{Kind: compact.Compact, Node: 5}, "lib2.Nerve.transmit cannot be shown as lib2.Nerve below lib2.Muscle.contract"},
		{"compact:3", Act{Kind: compact.Compact, Node: 6}, "compact:3;compact:6"},
		{"focus:9,compact", Act{Kind: compact.Expand, Node: 3}, "This is not part of what the compaction shows"},
		{"", Act{Kind: compact.ExpandPackage}, "The root is no package"},
	} {
		p, err := ParsePipeline(c.steps)
		if err != nil {
			t.Fatal(err)
		}
		before := p.String()
		got, err := p.Act(context.Background(), base, k, start, c.act)
		blocked := new(compact.Blocked)
		switch {
		case errors.As(err, &blocked):
			if !strings.HasPrefix(blocked.Why, c.want) {
				t.Errorf("%+v on %q is blocked: %s", c.act, c.steps, blocked.Why)
			}
		case err != nil:
			t.Errorf("%+v on %q: %v", c.act, c.steps, err)
		case got.String() != c.want:
			t.Errorf("%+v on %q gives %q and not %q", c.act, c.steps, got, c.want)
		default:
			// What the action remembered is what the steps make.
			a, errA := got.Apply(context.Background(), base, k)
			b, errB := got.Apply(context.Background(), base, nil)
			if errA != nil || errB != nil || show(a) != show(b) {
				t.Errorf("%q gives\n%s (%v) and anew\n%s (%v)", got, show(a), errA, show(b), errB)
			}
		}
		if p.String() != before {
			t.Errorf("%+v changed %q to %q", c.act, before, p)
		}
	}
}

// What cannot be done any more is told: which action, and why.
func TestDoubts(t *testing.T) {
	base := toy(t)
	for steps, want := range map[string]string{
		"compact:1;expand:3": "",
		"focus:9,compact:1;expand:3;expand:9;expand-package:lib2": "1: 1 of 3 actions do not apply here\n expand:3: lib2.Lung.inhale is not part of what the steps before leave.\n",
		"filter:Context == 4,norec,compact:2;expand:9":            "2: its action does not apply here\n expand:9: lib2.Muscle.stop is not part of what the steps before leave.\n",
		"compact:1,compact:1;expand-package:lib2.Lung;expand:1": "1: 2 of 2 actions do not apply here\n expand-package:lib2.Lung: Nothing of lib2.Lung is called here.\n" +
			" expand:1: lib1 shows its whole name already.\n",
		"compact:1;expand-package:lib9":             "0: its action does not apply here\n expand-package:lib9: There is no package, class or method lib9.\n",
		"compact:explain:2;expand:4;compact:4":      "0: 1 of 3 actions do not apply here\n compact:4: lib2 shows a single element of its name already.\n",
		`filter:Method == "lib2.Lung.inhale",norec`: "",
	} {
		p, err := ParsePipeline(steps)
		if err != nil {
			t.Fatal(err)
		}
		k := newKept()
		for _, trees := range []Trees{nil, k, k} { // anew, and what was remembered
			doubts, err := p.Doubts(context.Background(), base, trees)
			if err != nil {
				t.Fatalf("%s: %v", steps, err)
			}
			got := ""
			for _, d := range doubts {
				got += fmt.Sprintf("%d: %s\n", d.Step, d.Text)
				for _, detail := range d.Details {
					got += " " + detail + "\n"
				}
			}
			if got != want {
				t.Errorf("%s: it is told\n%s, not\n%s", steps, got, want)
			}
		}
	}
}
