package query

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
	"pgregory.net/rapid"
)

// tb is what *testing.T and *rapid.T share.
type tb interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// tree makes a tree from columns with one metric, as readers do.
func tree(t tb, names []string, parents, methods []data.EntityID, self []int64) *cct.Tree {
	t.Helper()
	tree, err := cct.Build(context.Background(), datatest.Contexts(t, names, parents, methods, [][]int64{self}, "cost"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return tree
}

// recursive is
//
//	row  self  total
//	 0                 ·
//	 1    10    100      main
//	 2    20     70        f
//	 3    10     40          g
//	 4    30     30            f
//	 5    10     10          h
//	 6    20     20        g
func recursive(t tb) *cct.Tree {
	return tree(t, []string{"main", "f", "g", "h"},
		[]data.EntityID{data.None, 0, 1, 2, 1, 0},
		[]data.EntityID{0, 1, 2, 1, 3, 2},
		[]int64{10, 20, 10, 30, 10, 20})
}

func TestPipelineText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		" , ,":                            "",
		"norec":                           "norec",
		" focus:12 , norec,focus:040,":    "focus:12,norec,focus:40",
		"bymethod,depth:3":                "bymethod,depth:3",
		"focus:0,depth:0":                 "focus:0,depth:0",
		"depth:9223372036854775807,norec": "depth:9223372036854775807,norec",
		"norec,depth:auto":                "norec,depth:auto",
		"compact":                         "compact:1",
		"compact:3, norec":                "compact:3,norec",
		"compact:expand:4":                "compact:1;expand:4",
		"compact:2;expand:4;reset":        "compact:1",
		"compact:2;expand:4;level-all:3;compact:5": "compact:3;compact:5",
		"compact:2;explain:40=x%2Cy;expand:4":      "compact:explain:40=x%2Cy;expand:4",
		"compact:1;expand-package:a%3Bb":           "compact:1;expand-package:a%3Bb",
		`norec, filter: cost in [1%2C 2] ,focus:1`: `norec,filter:cost in [1%2C 2],focus:1`,
		`filter:Method matches "%d 100%25"`:        `filter:Method matches "%25d 100%25"`,
	} {
		p, err := ParsePipeline(text)
		if err != nil || p.String() != want {
			t.Errorf("%q is read as %q (%v), not %q", text, p, err, want)
		}
	}
}

func TestPipelineRoundTrip(t *testing.T) {
	step := rapid.Custom(func(t *rapid.T) Step {
		s := Step{Kind: rapid.SampledFrom([]Kind{Focus, NoRecursion, ByMethod, Depth, Keep}).Draw(t, "kind")}
		if s.Kind == Keep {
			return FilterStep(rapid.StringMatching(`[!-~λ→]|[!-~→][ -~λ\n→]*[!-~→]`).Draw(t, "expression"))
		}
		if s.Kind == Focus || s.Kind == Depth {
			s.N = rapid.Int64Min(0).Draw(t, "n")
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		p := Pipeline(rapid.SliceOfN(step, 0, maxSteps).Draw(t, "pipeline"))
		back, err := ParsePipeline(p.String())
		if err != nil || !slices.Equal(p, back) {
			t.Fatalf("%q became %q (%v)", p, back, err)
		}
	})
}

func TestPipelineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"focus":                              `step "focus": expected focus:N`,
		"focus:":                             `expected focus:N`,
		"focus:-1":                           `step "focus:-1"`,
		"focus:x":                            `step "focus:x"`,
		"focus:1.5":                          `expected focus:N with a number from 0`,
		"norec,depth:-2":                     `step "depth:-2": expected depth:N`,
		"depth:99999999999999999999":         `expected depth:N`,
		"norec:1":                            "norec takes no number",
		"compact:0":                          `step "compact:0": the level 0: expected a number from 1`,
		"compact:x":                          `step "compact:x": action "x": is not one of expand:ID`,
		"compact:1;expand:x":                 `expected the id of a node`,
		"bymethod:x":                         "bymethod takes no number",
		"prune":                              `step "prune": is not one of focus:ID, norec, bymethod, depth:N`,
		"Focus:1":                            "is not one of",
		"filter: ":                           `step "filter:": expected filter:EXPRESSION`,
		strings.Repeat("norec,", maxSteps+1): "more than 100 steps",
	} {
		if _, err := ParsePipeline(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gives the error %v, which does not say %q", text, err, want)
		}
	}
}

func TestAnyPipelineText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := ParsePipeline(rapid.StringMatching(`[a-z:0-9, -]{0,40}`).Draw(t, "text"))
		if err != nil {
			return
		}
		if back, err := ParsePipeline(p.String()); err != nil || !slices.Equal(p, back) {
			t.Fatalf("%q became %q (%v)", p, back, err)
		}
	})
}

// show writes the rows of a view that are shown: id, name, total.
func show(v cct.View) string {
	var b strings.Builder
	for n := v.Root; n < v.End[v.Root]; n++ {
		if v.Shows(n) {
			b.WriteString(strings.Repeat(">", int(v.Depth[n]-v.Depth[v.Root])))
			b.WriteString(v.Name(n))
			b.WriteByte('/')
			b.WriteString(itoa(int64(v.ID(n))))
			b.WriteByte('/')
			b.WriteString(itoa(v.Total[0][n]))
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

func itoa(v int64) string { return Step{Kind: Depth, N: v}.String()[len("depth:"):] }

func TestApply(t *testing.T) {
	base := recursive(t)
	for text, want := range map[string]string{
		"":                          "/0/100 >main/1/100 >>f/2/70 >>>g/3/40 >>>>f/4/30 >>>h/5/10 >>g/6/20",
		"focus:2":                   "f/2/70 >g/3/40 >>f/4/30 >h/5/10",
		"focus:2,focus:3":           "g/3/40 >f/4/30",
		"norec":                     "/0/100 >main/1/100 >>f/2/70 >>>g/3/10 >>>h/5/10 >>g/6/20",
		"norec,focus:4":             "f/2/70 >g/3/10 >h/5/10", // 4 went into 2
		"focus:3,norec":             "g/3/40 >f/4/30",         // no recursion below g
		"focus:2,norec":             "f/2/70 >g/3/10 >h/5/10",
		"norec,focus:2,depth:0":     "f/2/70",
		"bymethod":                  "/0/100 >f/2/50 >g/3/30 >h/5/10 >main/1/10",
		"bymethod,focus:6":          "g/3/30",
		"focus:2,bymethod":          "/0/70 >f/2/50 >g/3/10 >h/5/10",
		"focus:2,depth:1":           "f/2/70 >g/3/40 >h/5/10",
		"depth:1,focus:2":           "f/2/70 >g/3/40 >h/5/10",
		"depth:1,depth:2,focus:2":   "f/2/70 >g/3/40 >>f/4/30 >h/5/10",
		"focus:2,norec,bymethod":    "/0/70 >f/2/50 >g/3/10 >h/5/10",
		"norec,focus:2,bymethod":    "/0/70 >f/2/50 >g/3/10 >h/5/10",
		"depth:9223372036854775807": "/0/100 >main/1/100 >>f/2/70 >>>g/3/40 >>>>f/4/30 >>>h/5/10 >>g/6/20",
	} {
		p, err := ParsePipeline(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Apply(context.Background(), base, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := show(v); got != want {
			t.Errorf("%s gives\n%s, not\n%s", text, got, want)
		}
	}
	for text, step := range map[string]string{
		"focus:7":                   `"focus:7"`,
		"focus:4294967295":          `"focus:4294967295"`,
		"focus:9223372036854775807": `"focus:9223372036854775807"`,
		"focus:2,focus:6":           `"focus:6"`, // not below 2
		"focus:3,focus:2":           `"focus:2"`,
		"focus:2,norec,focus:6":     `"focus:6"`,
		"focus:2,bymethod,focus:1":  `"focus:1"`,
	} {
		p, err := ParsePipeline(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Apply(context.Background(), base, nil); err == nil || !strings.Contains(err.Error(), "step "+step+": there is no context") {
			t.Errorf("%s gives the error %v", text, err)
		}
	}
}

func TestMaking(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"depth:3":                               "",
		"focus:1,focus:2,norec":                 "focus:2,norec",
		"focus:1,depth:2,focus:3,norec,depth:9": "focus:3,norec",
		"norec,focus:4,bymethod":                "norec,focus:4,bymethod",
		"focus:1,norec,focus:2,focus:3":         "focus:1,norec,focus:3",
	} {
		p, err := ParsePipeline(text)
		if err != nil {
			t.Fatal(err)
		}
		before := p.String()
		if got := p.making(); got != want || p.String() != before {
			t.Errorf("the tree of %s is remembered as %q, not %q", text, got, want)
		}
	}
}

// kept remembers all trees and counts what it was asked for.
type kept struct {
	trees     map[string]*cct.Tree
	compacted map[string]*Compacted
	names     map[*data.EntityTable]*compact.Names
	hits      int
}

func newKept() *kept {
	return &kept{trees: map[string]*cct.Tree{}, compacted: map[string]*Compacted{}, names: map[*data.EntityTable]*compact.Names{}}
}

func (k *kept) GetCompacted(text string) *Compacted    { return k.compacted[text] }
func (k *kept) PutCompacted(text string, t *Compacted) { k.compacted[text] = t }
func (k *kept) CompactNames(methods *data.EntityTable) *compact.Names {
	if k.names[methods] == nil {
		k.names[methods] = namesFor(methods, nil)
	}
	return k.names[methods]
}

func (k *kept) Get(text string) *cct.Tree {
	t := k.trees[text]
	if t != nil {
		k.hits++
	}
	return t
}
func (k *kept) Put(text string, t *cct.Tree) { k.trees[text] = t }
func (k *kept) Filtered(ctx context.Context, text string, work Filtering) (*cct.Tree, error) {
	if t := k.Get(text); t != nil {
		return t, nil
	}
	t, err := work(ctx, nil)
	if err == nil {
		k.Put(text, t)
	}
	return t, err
}

// What was remembered gives the same as what was not, whatever was asked before.
func TestRememberedTrees(t *testing.T) {
	step := rapid.SampledFrom([]string{"focus:0", "focus:1", "focus:2", "focus:3", "focus:4", "focus:6", "norec", "bymethod", "depth:0", "depth:2",
		"compact", "compact:2", "compact:1;expand:1", "compact:1;expand:1;expand:2", "compact:explain:2",
		`filter:Method != "f"`, `filter:Context == 3 or event < 2`, `filter:Method in ["h"%2C "g"]`})
	base := recursive(t)
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		k := newKept()
		for range rapid.IntRange(1, 8).Draw(t, "pipelines") {
			p, err := ParsePipeline(strings.Join(rapid.SliceOfN(step, 0, 5).Draw(t, "steps"), ","))
			if err != nil {
				t.Fatalf("%v", err)
			}
			a, errA := p.Apply(context.Background(), base, k)
			b, errB := p.Apply(context.Background(), base, nil)
			if (errA == nil) != (errB == nil) || errA == nil && show(a) != show(b) {
				t.Fatalf("%s gives\n%s (%v) and anew\n%s (%v)", p, show(a), errA, show(b), errB)
			}
		}
		hits += k.hits
	})
	if hits == 0 {
		t.Errorf("no tree was ever used again")
	}
}

// An id names the same context in every pipeline that keeps it.
func TestIDsAreStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		parents, methods, self := make([]data.EntityID, n), make([]data.EntityID, n), make([]int64, n)
		for i := range n {
			parents[i] = data.EntityID(rapid.IntRange(max(-1, i-5), i-1).Draw(t, "parent"))
			methods[i] = data.EntityID(rapid.IntRange(0, 3).Draw(t, "method"))
			self[i] = rapid.Int64Range(0, 9).Draw(t, "self")
		}
		base := tree(t, []string{"a", "b", "c", "d"}, parents, methods, self)
		id := rapid.IntRange(1, n).Draw(t, "id")
		for _, op := range []Kind{NoRecursion, ByMethod} {
			p := Pipeline{{Kind: op}, {Kind: Focus, N: int64(id)}}
			v, err := p.Apply(context.Background(), base, nil)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			if v.Name(v.Root) != base.Name(cct.NodeID(id)) {
				t.Fatalf("%s is %s, but %d is %s", p, v.Name(v.Root), id, base.Name(cct.NodeID(id)))
			}
			again, err := Pipeline{{Kind: op}, {Kind: Focus, N: int64(v.ID(v.Root))}}.Apply(context.Background(), base, nil)
			if err != nil || again.Root != v.Root {
				t.Fatalf("the id %d that %s gives names another node", v.ID(v.Root), p)
			}
		}
	})
}

// A depth of its own accord begins to count where the tree first forks, below
// the callers that only call the next, in whatever the other steps leave.
func TestAutomaticDepth(t *testing.T) {
	names := []string{"start", "run", "main", "f", "g"}
	parents := []data.EntityID{data.None, 0, 1, 2, 2}
	methods := []data.EntityID{0, 1, 2, 3, 4}
	base := tree(t, names, parents, methods, []int64{0, 1, 3, 50, 46})
	for text, want := range map[string]int{
		"":                         -1,
		"depth:auto":               3 + autoLayers,
		"depth:auto,focus:2":       1 + autoLayers,
		"focus:3,depth:auto":       autoLayers,
		"depth:auto,depth:2":       2,
		"bymethod,depth:auto":      autoLayers,
		"focus:4,depth:auto":       autoLayers,
		"depth:2,norec":            2,
		"depth:2,norec,depth:auto": 3 + autoLayers,
	} {
		p, err := ParsePipeline(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Apply(context.Background(), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v.Layers != want {
			t.Errorf("%q shows %d layers, expected %d", text, v.Layers, want)
		}
	}
}
