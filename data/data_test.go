package data

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not say %q", err, part)
		}
	}
}

func TestDefinitionsRefused(t *testing.T) {
	for want, fields := range map[string][]Field{
		"field 0 has no name":                 {Value("", "", "")},
		`two fields are called "a"`:           {Value("a", "", ""), Value("a", "", "")},
		"must refer to an entity of its own":  {Ref("a", "Other", "", Hierarchy)},
		"cannot be an amount or a coordinate": {Ref("a", "Other", "", Amount)},
		"names no entity type it refers to":   {Value("a", "", "", Reference)},
		"both an amount and a coordinate":     {Value("a", "", "", Amount, Coordinate)},
	} {
		_, err := NewBuilder("", "").EntityType("T", "", fields...)
		wantError(t, err, want, `entity type "T"`)
	}
	b := NewBuilder("", "")
	_, err := b.EventType("E", "", Ref("a", "E", "", Hierarchy))
	wantError(t, err, `event type "E"`, "hierarchy")
	_, err = b.EventType("", "")
	wantError(t, err, "event type without a name")
	_, err = b.EntityType("T", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.EntityType("T", "")
	wantError(t, err, `two types are called "T"`)
	_, err = b.EventType("T", "")
	wantError(t, err, `two types are called "T"`)
	if _, err := b.EventType("Ev", "", Ref("x", "Nowhere", "")); err != nil {
		t.Fatal(err)
	}
	_, err = b.Finish()
	wantError(t, err, `"Ev"`, `"x"`, `"Nowhere"`)
}

func TestBuildersNameFieldAndElement(t *testing.T) {
	b := NewBuilder("", "")
	m := first(b.EntityType("Method", "", Ref("up", "Method", "", Hierarchy), Value("line", "", "")))
	_, err := m.Add("f", int64(None))
	wantError(t, err, `Method 0 ("f")`, "has 1 fields", "defined with 2")
	_, err = m.Add("f", -1, 0)
	wantError(t, err, `Method 0 ("f")`, `field "up"`, "-1")
	_, err = m.Add("f", 0, 0)
	wantError(t, err, `Method 0 ("f")`, `field "up"`, "comes after its child")
	if m.Rows() != 0 {
		t.Errorf("%d rows after errors", m.Rows())
	}

	root, err := m.Add("f", int64(None), 3)
	if root != 0 || err != nil {
		t.Errorf("%d %v", root, err)
	}
	again, _ := m.Intern("g", 0, 1)
	same, _ := m.Intern("g", 99, 99)
	if again != 1 || same != 1 {
		t.Errorf("interned as %d and %d", again, same)
	}
	if got, ok := m.Lookup("g"); got != 1 || !ok {
		t.Error("not looked up")
	}
	if _, ok := m.Lookup("f"); ok {
		t.Error("what was added is not interned")
	}
	e, err := b.EventType("Call", "", Ref("method", "Method", ""))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, e.Add(), "Call 0", "has 0 fields")
	if err := e.Add(7); err != nil {
		t.Fatal(err)
	}
	_, err = b.Finish()
	wantError(t, err, "Call 0", `field "method"`, "Method 7", "only 2")
}

func first[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAdopt(t *testing.T) {
	b := NewBuilder("n", "f")
	c := first(b.EntityType("Context", "", Ref("up", "Context", "", Hierarchy), Value("v", "", "")))
	up := Column{Refs: []EntityID{None, 0}}
	wantError(t, c.Adopt([]string{"a"}, 2, up, Column{Values: []int64{1, 2}}), "1 names for 2")
	wantError(t, c.Adopt(nil, 2, up), "1 columns", "2 fields")
	wantError(t, c.Adopt(nil, 2, up, Column{Refs: []EntityID{0, 0}}), `field "v"`, "kind")
	wantError(t, c.Adopt(nil, 2, up, Column{Values: []int64{1}}), `field "v"`, "1 rows instead of 2")
	wantError(t, c.Adopt(nil, 2, Column{Refs: []EntityID{None, 1}}, Column{Values: []int64{1, 2}}), "Context 1", `field "up"`, "after its child")
	wantError(t, c.Adopt(nil, -1, up, up), "Context")
	if err := c.Adopt(nil, 2, up, Column{Values: []int64{1, 2}}); err != nil {
		t.Fatal(err)
	}
	wantError(t, c.Adopt(nil, 2, up, Column{Values: []int64{1, 2}}), "empty table")
	set := first(b.Finish())
	if set.Entity("Context").NameOf(1) != "" || set.Entity("Context").NameOf(None) != "" || set.Entity("Nowhere") != nil || set.Event("Context") != nil {
		t.Error("names of a type without names")
	}
}

func names(paths []Path) []string {
	var names []string
	for _, p := range paths {
		names = append(names, p.Name)
	}
	return names
}

// TestAllocatingClass is EVolve's example (3.2.1).
func TestAllocatingClass(t *testing.T) {
	b := NewBuilder("", "")
	classes := first(b.EntityType("Class", ""))
	methods := first(b.EntityType("Method", "", Ref("Defining Class", "Class", "")))
	events := first(b.EventType("Allocation", "", Ref("Allocating Method", "Method", ""), Ref("Allocated Class", "Class", ""), Value("Size", "bytes", "", Amount)))
	for _, name := range []string{"A", "B"} {
		first(classes.Add(name))
	}
	first(methods.Add("A.f", 0))
	first(methods.Add("none", int64(None)))
	for _, row := range [][]int64{{0, 1, 8}, {1, 1, 8}, {int64(None), 0, 8}} {
		if err := events.Add(row...); err != nil {
			t.Fatal(err)
		}
	}
	set := first(b.Finish())
	def := set.Event("Allocation").Definition
	if got, want := names(set.Paths(def)), []string{"Allocating Method", "Allocated Class", "Size", "Allocating Class", "count"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	path, ok := set.Path(def, "Allocating Class")
	if !ok || path.Direct() {
		t.Fatal("no indirect path")
	}
	err := set.Event("Allocation").Read(context.Background(), []Path{path}, func(batch Batch) error {
		if got := batch.Columns[0].Refs; !slices.Equal(got, []EntityID{0, None, None}) {
			t.Errorf("%d", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, ok := set.Path(def, "nowhere"); ok {
		t.Error("a path that is not there")
	}
	wantError(t, set.Event("Allocation").Read(context.Background(), []Path{{Name: "x"}}, nil), `path "x"`)
}

// TestWayAround: a method has a class and a package, its class has a package.
func TestWayAround(t *testing.T) {
	b := NewBuilder("", "")
	first(b.EntityType("Package", "", Ref("Parent", "Package", "", Hierarchy)))
	first(b.EntityType("Class", "", Ref("Package", "Package", "")))
	first(b.EntityType("Method", "", Ref("Class", "Class", ""), Ref("Package", "Package", "")))
	first(b.EntityType("Context", "", Ref("Caller", "Context", "", Hierarchy), Ref("Method", "Method", "")))
	first(b.EntityType("Thread", ""))
	first(b.EntityType("Object", "", Ref("Owner", "Thread", "")))
	first(b.EventType("Sample", "", Ref("Context", "Context", "")))
	first(b.EventType("Touch", "", Ref("Thread", "Thread", ""), Ref("Object", "Object", "")))
	set := first(b.Finish())
	if got, want := names(set.Paths(set.Event("Sample").Definition)), []string{"Context", "Method", "Class", "Package", "count"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// The event's own reference does not hide that of another thing.
	if got, want := names(set.Paths(set.Event("Touch").Definition)), []string{"Thread", "Object", "Owner", "count"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCount: every type of event has the amount count, unless a field of its
// own is called so; entities have none.
func TestCount(t *testing.T) {
	b := NewBuilder("", "")
	first(b.EntityType("Thread", ""))
	plain := first(b.EventType("Plain", "", Value("At", "", "", Coordinate)))
	first(b.EventType("Own", "", Value("count", "", "", Amount)))
	for range BatchRows + 3 {
		if err := plain.Add(7); err != nil {
			t.Fatal(err)
		}
	}
	set := first(b.Finish())
	path, ok := set.Path(set.Event("Plain").Definition, "count")
	if !ok || !path.IsCount() || !path.Field.Has(Amount) {
		t.Fatalf("got %+v, %v", path, ok)
	}
	var sum int64
	err := set.Event("Plain").Read(context.Background(), []Path{path}, func(b Batch) error {
		for _, v := range b.Columns[0].Values {
			sum += v
		}
		return nil
	})
	if err != nil || sum != BatchRows+3 {
		t.Errorf("got %d, %v", sum, err)
	}
	if path, ok := set.Path(set.Event("Own").Definition, "count"); !ok || path.IsCount() {
		t.Error("a field called count is hidden")
	}
	if _, ok := set.Path(set.Entity("Thread").Definition, "count"); ok {
		t.Error("entities do not occur, so that they cannot be counted")
	}
}

func TestCircle(t *testing.T) {
	b := NewBuilder("", "")
	first(b.EntityType("A", "", Ref("B", "B", "")))
	first(b.EntityType("B", "", Ref("A", "A", "")))
	first(b.EventType("E", "", Ref("A", "A", ""), Ref("Other", "A", "")))
	set := first(b.Finish())
	if got, want := names(set.Paths(set.Event("E").Definition)), []string{"A", "Other", "B", "Other B", "count"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBatches(t *testing.T) {
	const n = 2*BatchRows + 3
	b := NewBuilder("", "")
	classes := first(b.EntityType("Class", ""))
	methods := first(b.EntityType("Method", "", Ref("Class", "Class", "")))
	first(classes.Add("c"))
	first(classes.Add("d"))
	first(methods.Add("m", 1))
	first(methods.Add("n", 0))
	events := first(b.EventType("E", "", Ref("Method", "Method", ""), Value("v", "", "")))
	for i := range int64(n) {
		if err := events.Add(i%2, i); err != nil {
			t.Fatal(err)
		}
	}
	set := first(b.Finish())
	table := set.Event("E")
	paths := set.Paths(table.Definition)
	var next int64
	var sizes []int
	err := table.Read(context.Background(), paths, func(batch Batch) error {
		sizes = append(sizes, batch.Rows)
		if batch.First != next {
			t.Errorf("a batch begins at %d, not %d", batch.First, next)
		}
		for i := range batch.Rows {
			if batch.Columns[0].Refs[i] != EntityID(next%2) || batch.Columns[1].Values[i] != next || batch.Columns[2].Refs[i] != EntityID(1-next%2) {
				t.Fatalf("row %d is wrong", next)
			}
			next++
		}
		return nil
	})
	if err != nil || next != n || !slices.Equal(sizes, []int{BatchRows, BatchRows, 3}) {
		t.Errorf("%v, %d rows, batches %d", err, next, sizes)
	}

	ctx, cancel := context.WithCancel(context.Background())
	batches := 0
	err = table.Read(ctx, paths, func(Batch) error { batches++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || batches != 1 {
		t.Errorf("cancelled: %v after %d batches", err, batches)
	}
	stop := errors.New("enough")
	if err := table.Read(context.Background(), nil, func(Batch) error { return stop }); err != stop {
		t.Errorf("stopped: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	b := NewBuilder("a", "b")
	b.Describe("name", "")
	for i := range 10_000 {
		b.Warn("warning %d", i)
		b.Warn("always")
	}
	set := first(b.Finish())
	if n := len(set.Warnings); n != maxWarnings+1 || set.Warnings[1] != "always" || set.Name != "name" || set.Format != "b" {
		t.Errorf("%d warnings of %q, %q", n, set.Name, set.Format)
	}
}

func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct{ parent, key EntityID }
		trie, known := NewTrie(rapid.IntRange(0, 100).Draw(t, "room")), map[pair]EntityID{}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			p := pair{None, EntityID(rapid.Uint32Range(0, 5).Draw(t, "key"))}
			if n := trie.Len(); n > 0 {
				if at := rapid.IntRange(-1, n-1).Draw(t, "parent"); at >= 0 {
					p.parent = EntityID(at)
				}
			}
			node := trie.Child(p.parent, p.key)
			want, ok := known[p]
			if !ok {
				want = EntityID(len(known))
				known[p] = want
			}
			if node != want || trie.Len() != len(known) || trie.Parents[node] != p.parent || trie.Keys[node] != p.key {
				t.Fatalf("%v is node %d, want %d", p, node, want)
			}
		}
	})
}
