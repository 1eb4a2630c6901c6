package data

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// merging is a set of contexts with a sample each, as plain slices.
type merging struct {
	names            []string
	parents, methods []EntityID
	cost             []int64
}

func (m merging) set(t interface{ Fatalf(string, ...any) }, name string) *Set {
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	b := NewBuilder(name, "test")
	me, err := b.EntityType("Method", "")
	must(err)
	must(me.Adopt(m.names, len(m.names)))
	ce, err := b.EntityType("Context", "", Ref("Caller", "Context", "", Hierarchy), Ref("Method", "Method", ""))
	must(err)
	must(ce.Adopt(nil, len(m.parents), Column{Refs: m.parents}, Column{Refs: m.methods}))
	se, err := b.EventType("Sample", "", Ref("Context", "Context", ""), Value("cost", "count", "", Amount))
	must(err)
	at := make([]EntityID, len(m.parents))
	for i := range at {
		at[i] = EntityID(i)
	}
	must(se.Adopt(len(at), Column{Refs: at}, Column{Values: m.cost}))
	s, err := b.Finish()
	must(err)
	return s
}

// paths gives every context's path in words; the second of equal siblings has
// #1 behind its name, the third #2.
func paths(names []string, parents, methods []EntityID) []string {
	all := make([]string, len(parents))
	seen := map[string]int{}
	for i, p := range parents {
		path := names[methods[i]]
		if p != None {
			path = all[p] + ";" + path
		}
		if n := seen[path]; n > 0 {
			seen[path]++
			path = fmt.Sprintf("%s#%d", path, n)
		} else {
			seen[path] = 1
		}
		all[i] = path
	}
	return all
}

func (m merging) paths() []string { return paths(m.names, m.parents, m.methods) }

// costs sums a set's samples per path; runs does so per run.
func costs(t interface{ Fatalf(string, ...any) }, s *Set) (all map[string]int64, runs map[string]map[string]int64) {
	contexts, samples := s.Entity("Context"), s.Event("Sample")
	words := paths(s.Entity("Method").Names, contexts.Columns[0].Refs, contexts.Columns[1].Refs)
	if slices.Contains(words, "") || len(words) != contexts.Rows() {
		t.Fatalf("paths are %q", words)
	}
	all, runs = map[string]int64{}, map[string]map[string]int64{}
	at, _ := samples.Column("Context")
	cost, _ := samples.Column("cost")
	run, ok := samples.Column(TypeRun)
	if !ok {
		t.Fatalf("samples have no run")
	}
	for i, c := range at.Refs {
		all[words[c]] += cost.Values[i]
		name := s.Entity(TypeRun).NameOf(run.Refs[i])
		if runs[name] == nil {
			runs[name] = map[string]int64{}
		}
		runs[name][words[c]] += cost.Values[i]
	}
	return all, runs
}

func anyMerging(t *rapid.T, twins bool) merging {
	m := merging{names: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 5, rapid.ID[string]).Draw(t, "names")}
	type child struct{ parent, method EntityID }
	taken := map[child]bool{}
	for i := range rapid.IntRange(1, 20).Draw(t, "n") {
		c := child{EntityID(rapid.IntRange(-1, i-1).Draw(t, "parent")), EntityID(rapid.IntRange(0, len(m.names)-1).Draw(t, "method"))}
		if len(m.parents) <= int(c.parent) && c.parent != None {
			c.parent = None
		}
		if taken[c] && !twins {
			continue
		}
		taken[c] = true
		m.parents, m.methods = append(m.parents, c.parent), append(m.methods, c.method)
		m.cost = append(m.cost, rapid.Int64Range(-5, 100).Draw(t, "cost"))
	}
	return m
}

func TestMergeWithItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMerging(t, true)
		s := m.set(t, "one")
		both, err := Merge(context.Background(), NewBuilder("both", ""), []*Set{s, s})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if both.Name != "both" || both.Format != "test" || both.Entity("Context").Rows() != len(m.parents) || both.Entity("Method").Rows() != len(m.names) ||
			both.Event("Sample").Rows() != 2*len(m.parents) || both.Entity(TypeRun).Rows() != 2 {
			t.Fatalf("%d contexts became %d", len(m.parents), both.Entity("Context").Rows())
		}
		got, _ := costs(t, both)
		for i, path := range m.paths() {
			if got[path] != 2*m.cost[i] {
				t.Fatalf("%s has %d, not twice %d", path, got[path], m.cost[i])
			}
		}
	})
}

func TestMergeOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		twins := rapid.Bool().Draw(t, "twins")
		want, runs := map[string]int64{}, map[string]map[string]int64{}
		methods := map[string]bool{}
		var sets []*Set
		for i := range rapid.IntRange(1, 3).Draw(t, "sets") {
			m := anyMerging(t, twins)
			name := fmt.Sprint("run ", i)
			runs[name] = map[string]int64{}
			for i, path := range m.paths() {
				want[path] += m.cost[i]
				runs[name][path] += m.cost[i]
			}
			for _, name := range m.names {
				methods[name] = true
			}
			sets = append(sets, m.set(t, name))
		}
		merged, err := Merge(context.Background(), NewBuilder("all", ""), sets)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got, gotRuns := costs(t, merged)
		if merged.Entity("Context").Rows() != len(want) || merged.Entity("Method").Rows() != len(methods) {
			t.Fatalf("%d contexts of %d methods, not %d of %d", merged.Entity("Context").Rows(), merged.Entity("Method").Rows(), len(want), len(methods))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(gotRuns) != fmt.Sprint(runs) {
			t.Fatalf("merged\n%v\nnot\n%v", gotRuns, runs)
		}
		for row, p := range merged.Entity("Context").Columns[0].Refs {
			if p != None && int(p) >= row {
				t.Fatalf("context %d comes before its caller", row)
			}
		}
	})
}

func TestMergeKeepsTwins(t *testing.T) {
	// Two callees of one name below one caller, in both sets.
	m := merging{[]string{"f", "g"}, []EntityID{None, 0, 0, 2}, []EntityID{0, 1, 1, 0}, []int64{1, 2, 3, 4}}
	s, err := Merge(context.Background(), NewBuilder("", ""), []*Set{m.set(t, "a"), m.set(t, "b")})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := costs(t, s)
	if fmt.Sprint(got) != "map[f:2 f;g:4 f;g#1:6 f;g#1;f:8]" {
		t.Errorf("merged to %v", got)
	}
	// A twin is one of its own method only, wherever it stands in its set.
	a := merging{[]string{"f", "g"}, []EntityID{None, None, None}, []EntityID{0, 1, 1}, []int64{1, 2, 3}}
	b := merging{[]string{"f", "g"}, []EntityID{None, None, None}, []EntityID{1, 0, 0}, []int64{4, 5, 6}}
	if s, err = Merge(context.Background(), NewBuilder("", ""), []*Set{a.set(t, "a"), b.set(t, "b")}); err != nil {
		t.Fatal(err)
	}
	if got, _ = costs(t, s); fmt.Sprint(got) != "map[f:6 f#1:6 g:6 g#1:3]" {
		t.Errorf("merged to %v", got)
	}
}

func TestMergeUnites(t *testing.T) {
	make := func(name, format string, fill func(*Builder)) *Set {
		b := NewBuilder(name, format)
		fill(b)
		return first(b.Finish())
	}
	a := make("a", "x", func(b *Builder) {
		b.Warn("lost a line")
		m := first(b.EntityType("Method", "", Value("Line", "", "")))
		m.Add("f", 7)
		e := first(b.EventType("Sample", "", Ref("Method", "Method", ""), Value("cpu", "", "", Amount)))
		e.Add(0, 5)
	})
	b := make("b", "y", func(b *Builder) {
		m := first(b.EntityType("Method", "", Ref("Class", "Class", "")))
		c := first(b.EntityType("Class", ""))
		c.Add("C")
		m.Add("f", 0)
		m.Add("g", 0)
		e := first(b.EventType("Sample", "", Value("wall", "", "", Amount), Ref("Method", "Method", "")))
		e.Add(9, 1)
		e.Add(8, 0)
	})
	s, err := Merge(context.Background(), NewBuilder("ab", ""), []*Set{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if s.Format != "merged" || strings.Join(s.Warnings, "") != "a: lost a line" {
		t.Errorf("the format is %s, warnings %q", s.Format, s.Warnings)
	}
	method, sample := s.Entity("Method"), s.Event("Sample")
	line, _ := method.Column("Line")
	class, _ := method.Column("Class")
	if !slices.Equal(method.Names, []string{"f", "g"}) || !slices.Equal(line.Values, []int64{7, 0}) || !slices.Equal(class.Refs, []EntityID{None, 0}) {
		t.Errorf("methods are %v %v %v", method.Names, line, class)
	}
	of, _ := sample.Column("Method")
	cpu, _ := sample.Column("cpu")
	wall, _ := sample.Column("wall")
	run, _ := sample.Column(TypeRun)
	if !slices.Equal(of.Refs, []EntityID{0, 1, 0}) || !slices.Equal(cpu.Values, []int64{5, 0, 0}) || !slices.Equal(wall.Values, []int64{0, 9, 8}) || !slices.Equal(run.Refs, []EntityID{0, 1, 1}) {
		t.Errorf("samples are %v %v %v %v", of, cpu, wall, run)
	}
	if !slices.Equal(s.Entity(TypeRun).Names, []string{"a", "b"}) {
		t.Errorf("runs are %q", s.Entity(TypeRun).Names)
	}
	if _, err := Merge(context.Background(), NewBuilder("again", ""), []*Set{s, s}); err == nil || !strings.Contains(err.Error(), `"Run"`) {
		t.Errorf("merging what was merged gives %v", err)
	}
}
