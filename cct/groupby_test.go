package cct

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
)

// sampledBy makes a data set of samples with threads, which belong to
// processes. A thread of -1 is none, and so is a context.
func sampledBy(t testing.TB, methods []string, parents, of []data.EntityID, threads []string, process []int64, samples [][3]int64, stored bool) *data.Set {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	id := func(v int64) int64 {
		if v < 0 {
			return int64(data.None)
		}
		return v
	}
	b := data.NewBuilder("run", "test")
	me, err := b.EntityType("Method", "", data.Value("size", "bytes", ""))
	must(err)
	for i, name := range methods {
		_, err := me.Add(name, int64(i))
		must(err)
	}
	ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""), data.Value("line", "", ""))
	must(err)
	lines := make([]int64, len(parents))
	for i := range lines {
		lines[i] = int64(100 + i)
	}
	must(ce.Adopt(nil, len(parents), data.Column{Refs: parents}, data.Column{Refs: of}, data.Column{Values: lines}))
	pe, err := b.EntityType("Process", "")
	must(err)
	for _, name := range []string{"one", "two"} {
		_, err := pe.Add(name)
		must(err)
	}
	te, err := b.EntityType("Thread", "", data.Ref("Process", "Process", ""))
	must(err)
	for i, name := range threads {
		_, err := te.Add(name, id(process[i]))
		must(err)
	}
	fields := []data.Field{data.Ref("Context", "Context", ""), data.Ref("Thread", "Thread", ""), data.Value("cost", "count", "", data.Amount)}
	columns := []data.Column{{Refs: []data.EntityID{}}, {Refs: []data.EntityID{}}, {Values: []int64{}}}
	for _, s := range samples {
		columns[0].Refs = append(columns[0].Refs, data.EntityID(id(s[0])))
		columns[1].Refs = append(columns[1].Refs, data.EntityID(id(s[1])))
		columns[2].Values = append(columns[2].Values, s[2])
	}
	se, err := b.EventType("Sample", "", fields...)
	must(err)
	if stored {
		must(se.AdoptStore(elsewhere(columns)))
	} else {
		must(se.Adopt(len(samples), columns...))
	}
	ge, err := b.EventType("Pause", "has no thread", data.Ref("Context", "Context", ""), data.Value("cost", "count", "", data.Amount))
	must(err)
	must(ge.Adopt(1, data.Column{Refs: []data.EntityID{0}}, data.Column{Values: []int64{7}}))
	set, err := b.Finish()
	must(err)
	return set
}

// elsewhere is a store that hands on three events at a time.
type elsewhere []data.Column

func (s elsewhere) Rows() int { return len(s[2].Values) }

func (s elsewhere) Read(_ context.Context, fields []int, from, to int64, yield func(data.Batch) error) error {
	for ; from < to; from += 3 {
		end := min(from+3, to)
		b := data.Batch{First: from, Rows: int(end - from)}
		for _, f := range fields {
			if c := s[f]; c.Refs != nil {
				b.Columns = append(b.Columns, data.Column{Refs: c.Refs[from:end]})
			} else {
				b.Columns = append(b.Columns, data.Column{Values: c.Values[from:end]})
			}
		}
		if err := yield(b); err != nil {
			return err
		}
	}
	return nil
}

// stacks gives what each stack costs itself.
func stacks(t *Tree) map[string]int64 {
	all := map[string]int64{}
	for n := range t.Len() {
		if v := t.Self[0][n]; v != 0 {
			var names []string
			for at := NodeID(n); at != Root; at = t.Parent[at] {
				names = append(names, t.Name(at))
			}
			slices.Reverse(names)
			all[strings.Join(names, ";")] += v
		}
	}
	return all
}

func TestGroupBy(t *testing.T) {
	none := data.None
	set := sampledBy(t, []string{"main", "f"}, []data.EntityID{none, 0, 1}, []data.EntityID{0, 1, 1},
		[]string{"a", "b", "idle"}, []int64{0, 1, 1},
		[][3]int64{{0, 0, 1}, {1, 0, 2}, {1, 1, 4}, {2, 1, 8}, {-1, 1, 16}, {1, -1, 32}}, false)
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{[]string{"Thread"}, `
Thread a;main 1
Thread a;main;f 2
Thread b 16
Thread b;main;f 4
Thread b;main;f;f 8
no Thread;main;f 32`},
		{[]string{"Process", "Thread"}, `
Process one;Thread a;main 1
Process one;Thread a;main;f 2
Process two;Thread b 16
Process two;Thread b;main;f 4
Process two;Thread b;main;f;f 8
no Process;no Thread;main;f 32`},
	} {
		grouped, err := GroupBy(t.Context(), set, c.fields...)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := Build(t.Context(), grouped)
		if err != nil {
			t.Fatal(err)
		}
		costs, got := stacks(tree), ""
		for _, stack := range slices.Sorted(maps.Keys(costs)) {
			got += fmt.Sprintf("\n%s %d", stack, costs[stack])
		}
		if got != c.want {
			t.Errorf("by %v: got%s\nexpected%s", c.fields, got, c.want)
		}
		if want := "run by " + c.fields[len(c.fields)-1]; !strings.HasPrefix(grouped.Name, want) {
			t.Errorf("it is called %q, expected %q", grouped.Name, want)
		}
	}
	for field, want := range map[string]string{
		"Colour":  `run: events of type Sample cannot be grouped by "Colour": they refer to Thread, Method, Process`,
		"cost":    `run: events of type Sample cannot be grouped by "cost": they refer to Thread, Method, Process`,
		"Process": "",
	} {
		_, err := GroupBy(t.Context(), set, field)
		if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
			t.Errorf("by %s: %v, expected %q", field, err, want)
		}
	}
}

// Every stack costs what the events of its value with this stack do, however
// events, contexts and threads are, in memory and elsewhere; and what belonged
// to a context still does.
func TestGroupByIsSumsByValueAndStack(t *testing.T) {
	names := []string{"a", "b", "c"}
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(r, "contexts")
		parents, of := make([]data.EntityID, n), make([]data.EntityID, n)
		for i := range parents {
			parents[i] = data.None
			if p := rapid.IntRange(-1, i-1).Draw(r, "parent"); p >= 0 {
				parents[i] = data.EntityID(p)
			}
			of[i] = data.EntityID(rapid.IntRange(0, 2).Draw(r, "method"))
		}
		threads, process := []string{"t0", "t1", "t2"}, []int64{-1, 0, 1}
		samples := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) [3]int64 {
			return [3]int64{rapid.Int64Range(-1, int64(n)-1).Draw(r, "context"), rapid.Int64Range(-1, 2).Draw(r, "thread"), rapid.Int64Range(1, 9).Draw(r, "cost")}
		}), 0, 40).Draw(r, "samples")
		set := sampledBy(t, names, parents, of, threads, process, samples, rapid.Bool().Draw(r, "stored"))
		grouped, err := GroupBy(t.Context(), set, "Process", "Thread")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{}
		for _, s := range samples {
			stack := ""
			for c := s[0]; c >= 0; {
				stack = ";" + names[of[c]] + stack
				if parents[c] == data.None {
					break
				}
				c = int64(parents[c])
			}
			thread, proc := "no Thread", "no Process"
			if s[1] >= 0 {
				thread = "Thread " + threads[s[1]]
				if p := process[s[1]]; p >= 0 {
					proc = "Process " + []string{"one", "two"}[p]
				}
			}
			want[proc+";"+thread+stack] += s[2]
		}
		tree, err := Build(t.Context(), grouped)
		if err != nil {
			t.Fatal(err)
		}
		if got := stacks(tree); !maps.Equal(got, want) {
			t.Fatalf("got %v, expected %v", got, want)
		}
		contexts := grouped.Entity("Context")
		lines, _ := contexts.Column("line")
		methods, _ := contexts.Column("Method")
		for c, line := range lines.Values {
			if line == 0 { // it stands for a thread or a process
				continue
			}
			if of[line-100] != methods.Refs[c] {
				t.Fatalf("context %d was context %d, but has another method", c, line-100)
			}
		}
	})
}
