package source_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/symbol"
	"pgregory.net/rapid"
)

// drawGraph makes a call graph of lines such as
//
//	main 10
//	main -> work 2 50
//
// a function with what it costs itself, and calls with their number and
// inclusive cost; a fifth word is what the callee itself costs of that.
func drawGraph(t testing.TB, text string) (*sourcetest.Stats, source.Attribution) {
	t.Helper()
	b := data.NewBuilder("test", "test")
	p := source.NewProfile(b, symbol.Unknown, 0, source.Metric{Name: "cost"}, source.Metric{Name: "calls"})
	g := source.NewCallGraph(1)
	byName := map[string]int32{}
	function := func(name string) int32 {
		f, ok := byName[name]
		if !ok {
			f = g.Function(p.Method(source.Frame{Name: name}))
			byName[name] = f
		}
		return f
	}
	for line := range strings.Lines(text) {
		var from, arrow, to string
		var self, calls, cost, own int64
		if n, _ := fmt.Sscan(line, &from, &arrow, &to, &calls, &cost, &own); n >= 5 {
			g.Call(function(from), function(to), calls)[0] += cost
			if n == 6 {
				g.Own(function(from), function(to))[0] += own
			}
		} else if n, _ := fmt.Sscan(line, &from, &self); n == 2 {
			g.Self(function(from))[0] += self
		} else if strings.TrimSpace(line) != "" {
			t.Fatalf("what is %q?", line)
		}
	}
	a, err := g.Attribute(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.Profile(set), a
}

func stacks(s *sourcetest.Stats, metric int) string {
	var lines []string
	for _, stack := range slices.Sorted(maps.Keys(s.Stacks[metric])) {
		if n := s.Stacks[metric][stack]; n != 0 {
			lines = append(lines, fmt.Sprintf("%s %d", stack, n))
		}
	}
	return strings.Join(lines, "\n")
}

func TestAttribute(t *testing.T) {
	for _, c := range []struct{ name, graph, want, calls string }{
		{"shared callee", `
			A -> C 6 60
			B -> C 4 40
			C 50
			C -> D 20 50
			D 50`,
			"A;C 30\nA;C;D 30\nB;C 20\nB;C;D 20", "A 1\nA;C 6\nA;C;D 12\nB 1\nB;C 4\nB;C;D 8"},
		{"what a callee costs itself is known", `
			A -> C 1 60 10
			B -> C 1 40 40
			C 50
			C -> D 1 50
			D 50`,
			"A;C 10\nA;C;D 30\nB;C 40\nB;C;D 20", ""},
		{"recursion of itself", `
			main -> f 1 100
			f 100
			f -> f 9 90`,
			"main;f 100", "main 1\nmain;f 10"},
		{"a circle", `
			main 1
			main -> a 1 30
			a 10
			a -> b 5 20
			b 20
			b -> a 4 15`,
			"main 1\nmain;a 10\nmain;a;b 20", "main 1\nmain;a 5\nmain;a;b 5"},
		{"a circle that nobody enters", `
			a 10
			a -> b 5 20
			b 20
			b -> a 4 15`,
			"b 20\nb;a 10", ""},
		{"also called by nobody", `
			main -> f 1 40
			f 100`,
			"f 60\nmain;f 40", "f 1\nmain 1\nmain;f 1"},
		{"calls that cost nothing", `
			main 5
			main -> f 3 0
			f -> g 3 0`,
			"main 5", "main 1\nmain;f 3\nmain;f;g 3"},
		{"less than nothing", `
			main -> f 1 -10
			main -> g 1 30
			g -> f 3 -30
			f -40
			g 60`,
			"main;f -10\nmain;g 60\nmain;g;f -30", ""},
		{"rounding", `
			a -> d 1 1
			b -> d 1 1
			c -> d 1 1
			d 100`,
			"", ""},
	} {
		s, _ := drawGraph(t, c.graph)
		if got := stacks(s, 0); c.want != "" && got != c.want {
			t.Errorf("%s: costs are\n%s\nwant\n%s", c.name, got, c.want)
		}
		if got := stacks(s, 1); c.calls != "" && got != c.calls {
			t.Errorf("%s: calls are\n%s\nwant\n%s", c.name, got, c.calls)
		}
		if c.name == "rounding" && s.Totals[0] != 100 {
			t.Errorf("%s: the sum is %d", c.name, s.Totals[0])
		}
	}
}

// TestAttributeTrees makes graphs of random trees in which what a method does
// does not depend on its caller: the tree must come back.
func TestAttributeTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "methods")
		type call struct{ to, times int }
		self, calls := make([]int64, n), make([][]call, n)
		for f := range n {
			self[f] = rapid.Int64Range(1, 50).Draw(t, "self")
			for to := f + 1; to < n; to++ { // no circles
				if rapid.Bool().Draw(t, "calls") {
					calls[f] = append(calls[f], call{to, rapid.IntRange(1, 3).Draw(t, "times")})
				}
			}
		}
		name := func(f int) string { return fmt.Sprintf("f%d", f) }
		want := map[string]int64{}
		wantCalls := map[string]int64{}
		selfs := map[string]int64{}
		edges := map[string][2]int64{}
		var run func(stack string, f int, times int64) int64
		run = func(stack string, f int, times int64) int64 {
			want[stack] += self[f] * times
			wantCalls[stack] += times
			selfs[name(f)] += self[f] * times
			sum := self[f] * times
			for _, c := range calls[f] {
				cost := run(stack+";"+name(c.to), c.to, times*int64(c.times))
				e := edges[name(f)+" -> "+name(c.to)]
				edges[name(f)+" -> "+name(c.to)] = [2]int64{e[0] + times*int64(c.times), e[1] + cost}
				sum += cost
			}
			return sum
		}
		run(name(0), 0, 1)
		var text strings.Builder
		for f, v := range selfs {
			fmt.Fprintf(&text, "%s %d\n", f, v)
		}
		for e, v := range edges {
			fmt.Fprintf(&text, "%s %d %d\n", e, v[0], v[1])
		}
		s, a := drawGraph(quiet{t: t}, text.String())
		if !maps.Equal(s.Stacks[0], want) || !maps.Equal(s.Stacks[1], wantCalls) || a.Cycles != 0 || a.Limited {
			t.Fatalf("of\n%sgot\n%s\nwant %v", text.String(), stacks(s, 0), want)
		}
	})
}

// TestAttributeAnything gives what no program does: the costs of functions must
// stay what they are, whatever the bounds.
func TestAttributeAnything(t *testing.T) {
	for _, limit := range []int{1, 10, 1 << 18} {
		defer source.LimitContexts(limit)()
		rapid.Check(t, func(t *rapid.T) {
			var text strings.Builder
			selfs := map[string]int64{}
			n := rapid.IntRange(1, 12).Draw(t, "functions")
			for f := range n {
				v := rapid.OneOf(rapid.Int64Range(-100, 1000), rapid.Int64()).Draw(t, "self") / 16
				selfs[fmt.Sprintf("f%d", f)] = v
				fmt.Fprintf(&text, "f%d %d\n", f, v)
			}
			for range rapid.IntRange(0, 40).Draw(t, "calls") {
				f := rapid.IntRange(0, n-1)
				cost := rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64()).Draw(t, "cost") / 64
				fmt.Fprintf(&text, "f%d -> f%d %d %d %d\n", f.Draw(t, "from"), f.Draw(t, "to"), rapid.Int64Range(0, 9).Draw(t, "times"), cost, cost/2)
			}
			s, _ := drawGraph(quiet{t: t}, text.String())
			if !maps.Equal(s.Self[0], selfs) || s.Contexts > limit+n {
				t.Fatalf("of\n%sgot %v in %d contexts\nwant %v", text.String(), s.Self[0], s.Contexts, selfs)
			}
		})
	}
}

// quiet makes of a rapid.T what helpers ask for.
type quiet struct {
	testing.TB
	t *rapid.T
}

func (q quiet) Helper()                           {}
func (q quiet) Fatal(args ...any)                 { q.t.Fatal(args...) }
func (q quiet) Fatalf(format string, args ...any) { q.t.Fatalf(format, args...) }
