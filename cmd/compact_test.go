package cmd

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data/datatest"
)

const toy = "../source/hprof/testdata/figure1.txt"

type compactLine struct {
	ID      int64            `json:"id"`
	Parent  int64            `json:"parent"`
	Name    string           `json:"name"`
	Level   int              `json:"level"`
	Members []int64          `json:"members"`
	Total   map[string]int64 `json:"total"`
}

func compactLines(t *testing.T, args ...string) []compactLine {
	t.Helper()
	var lines []compactLine
	for line := range strings.Lines(good(t, append([]string{"compact", "--json"}, args...)...)) {
		var l compactLine
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestCompact(t *testing.T) {
	const figure6 = `{"id":0,"parent":-1,"name":"","level":0,"members":[0],"total":{"samples":6}}
{"id":1,"parent":0,"name":"lib1","level":1,"members":[1,2],"total":{"samples":6}}
{"id":3,"parent":1,"name":"lib2","level":1,"members":[3,4,5,9,10],"total":{"samples":6}}
{"id":6,"parent":3,"name":"lib3","level":1,"members":[6,7,8,11],"total":{"samples":6}}
`
	if got := good(t, "compact", toy, "--json"); got != figure6 {
		t.Errorf("got\n%s", got)
	}
	// Figure 10: the levels of figure 9.
	names := []string{}
	for _, l := range compactLines(t, toy, "--level", "3", "--set", "3=1", "--set", "4=1", "--set", "5=1", "--set", "9=1", "--set", "10=1") {
		names = append(names, l.Name)
	}
	want := []string{"", "lib1.Whale.breath", "lib1.Mammal.inhale", "lib2", "lib3.Signal.travel", "lib3.Pressure.foo", "lib3.Blood.flow"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if got := good(t, "compact", toy, "--do", "expand-package:lib2;expand:7"); !strings.Contains(got, "lib3.Pressure") {
		t.Errorf("got\n%s", got)
	}
}

// What of the steps is not possible is a warning, and the rest is printed.
func TestStepsThatDoNotApply(t *testing.T) {
	status, stdout, stderr := cambium(t, "", "tree", toy, "--steps", "focus:9,compact:1;expand:3;expand:9", "--json")
	if want := "warning: step 2, compact: 1 of 2 actions do not apply here\ncambium:   expand:3: lib2.Lung.inhale is not part of what the steps before leave.\n"; status != 0 || !strings.HasSuffix(stderr, want) {
		t.Errorf("status %d, it says %s", status, stderr)
	}
	if !strings.Contains(stdout, "lib2.Muscle") {
		t.Errorf("got\n%s", stdout)
	}
	if got := good(t, "tree", toy, "--filter", "Context == 9", "--json"); strings.Count(got, "\n") != 7 {
		t.Errorf("with a filter, the tree is\n%s", got)
	}
	if got := good(t, "top", toy, "--steps", "filter:Context == 9,compact:1", "--json"); !strings.Contains(got, `"lib3","self":2,"total":2`) {
		t.Errorf("of what is compacted, the top is\n%s", got)
	}
}

// TestCompactLikeTree compares with the tree: members are its ids, each once,
// and the totals are those of the highest members.
func TestCompactLikeTree(t *testing.T) {
	if datatest.Race {
		t.Skip("takes minutes with the race detector")
	}
	type node struct {
		parent int64
		total  int64
	}
	tree := map[int64]node{}
	for line := range strings.Lines(good(t, "tree", "--json", xalan)) {
		var l struct {
			ID, Parent int64
			Total      map[string]int64
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		tree[l.ID] = node{l.Parent, l.Total["bytecodes"]}
	}
	for _, args := range [][]string{{}, {"--level", "2"}, {"--explain", "40", "--metric", "bytecodes"}} {
		lines := compactLines(t, append(args, xalan)...)
		in := map[int64]int64{}
		for _, l := range lines {
			if l.ID != slices.Min(l.Members) {
				t.Errorf("node %d has no member of that id at the beginning", l.ID)
			}
			for _, m := range l.Members {
				in[m] = l.ID
			}
		}
		if len(in) != len(tree) {
			t.Errorf("%q: %d contexts are in nodes, of %d", args, len(in), len(tree))
		}
		for _, l := range lines {
			total := int64(0)
			for _, m := range l.Members {
				if up := tree[m].parent; up < 0 || in[up] != l.ID {
					total += tree[m].total
					if up >= 0 && in[up] != l.Parent {
						t.Errorf("%q: context %d of node %d has a caller outside of its parent", args, m, l.ID)
					}
				}
			}
			if total != l.Total["bytecodes"] {
				t.Errorf("%q: node %d has the total %d, not %d", args, l.ID, l.Total["bytecodes"], total)
			}
		}
		if len(args) > 2 && len(lines) > 41 {
			t.Errorf("%q: there are %d nodes", args, len(lines)-1)
		}
	}
}

func TestCompactRefuses(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"--level 0", 2, "--level 0: expected a number from 1"},
		{"--explain 0", 2, "--explain 0"},
		{"--explain 3 --level 2", 2, "leave --level out"},
		{"--set 3", 2, "expected NODE=LEVEL"},
		{"--set 3=-1", 2, "expected NODE=LEVEL"},
		{"--set 99=1", 1, "--set 99=1: there is no such context"},
		{"--set 0=1", 1, "--set 0=1: there is no such context"},
		{"--do fly", 2, "is not one of"},
		{"--do compact:1", 1, "compact:1: lib1 shows a single element of its name already."},
		{"--do expand:99", 1, "there is no context 99"},
	} {
		status, _, stderr := cambium(t, "", append([]string{"compact", toy}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d: %s", c.args, status, stderr)
		}
	}
}
