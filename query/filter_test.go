package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
)

// events is a data set with a way from an event to a package in three steps, a
// second way to methods, and a type of event that has neither.
func eventSet(t testing.TB) *data.Set {
	t.Helper()
	b := data.NewBuilder("", "")
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	packages, err := b.EntityType("Package", "", data.Ref("Parent", "Package", "", data.Hierarchy))
	must(err)
	classes, err := b.EntityType("Class", "", data.Ref("Package", "Package", ""))
	must(err)
	methods, err := b.EntityType("Method", "", data.Ref("Class", "Class", ""))
	must(err)
	allocations, err := b.EventType("Allocation", "", data.Value("Object Size", "bytes", "", data.Amount),
		data.Ref("Allocating Method", "Method", ""), data.Ref("Called Method", "Method", ""))
	must(err)
	pauses, err := b.EventType("Pause", "", data.Value("At", "", "", data.Coordinate))
	must(err)
	none := int64(data.None)
	for _, p := range []struct {
		name   string
		parent int64
	}{{"java", none}, {"java.util", 0}, {"org", none}} {
		_, err := packages.Add(p.name, p.parent)
		must(err)
	}
	for i, name := range []string{"java.A", "java.util.B", "org.C"} {
		_, err := classes.Add(name, int64(i))
		must(err)
	}
	for i, name := range []string{"a", "b", "c"} {
		_, err := methods.Add(name, int64(i))
		must(err)
	}
	//            size, allocating, called
	for _, row := range [][]int64{{8, 0, 2}, {16, 1, none}, {24, 2, 1}, {-1, none, 0}} {
		must(allocations.Add(row...))
	}
	for at := range int64(3) {
		must(pauses.Add(at * 10))
	}
	set, err := b.Finish()
	must(err)
	return set
}

// keptBy lists the events that a filter keeps; nil if it says nothing.
func keptBy(t *testing.T, set *data.Set, f *query.Filter, event string) []int {
	t.Helper()
	table := set.Event(event)
	m := f.Events(table.Definition)
	if m == nil {
		return nil
	}
	rows := []int{}
	err := table.Read(context.Background(), m.Paths, func(b data.Batch) error {
		keep := make([]bool, b.Rows)
		m.Apply(b, keep)
		for i, k := range keep {
			if k {
				rows = append(rows, int(b.First)+i)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestFilterEvents(t *testing.T) {
	set := eventSet(t)
	for text, want := range map[string][]int{
		`Allocating_Method == "a"`:                        {0},
		`"Allocating Method" == "a"`:                      {0},
		`Called_Method == "c"`:                            {0},
		`Method == "b"`:                                   {1, 2}, // any way to a method
		`Method in ["a", "b"]`:                            {0, 1, 2, 3},
		`not (Method == "b")`:                             {0, 3},
		`Method != "b"`:                                   {0, 3},
		`Allocating_Class == "org.C"`:                     {2},
		`Package == "java"`:                               {0, 1, 2, 3}, // java.util too
		`Allocating_Package == "java"`:                    {0, 1},
		`Allocating_Package == "java.util"`:               {1},
		`Allocating_Class matches "^java\\."`:             {0, 1},
		`Allocating_Method contains "c"`:                  {2},
		`Allocating_Class startsWith "org"`:               {2},
		`Allocating_Class endsWith "B"`:                   {1},
		`Object_Size > 8`:                                 {1, 2},
		`Object_Size >= 8`:                                {0, 1, 2},
		`Object_Size < 8`:                                 {3},
		`Object_Size <= 8`:                                {0, 3},
		`Object_Size == -1`:                               {3},
		`Object_Size in 10..24`:                           {1, 2},
		`Object_Size in [8, 24]`:                          {0, 2},
		`event in 1..2`:                                   {1, 2},
		`event == 3 or Allocating_Method == 0`:            {0, 3},
		`Object_Size > 8 and not (Allocating_Method==1)`:  {2},
		`At > 3 and Object_Size > 8`:                      {1, 2}, // At says nothing here
		`At > 3`:                                          nil,
		`At > 3 or Object_Size > 8`:                       nil,
		`not (At > 3)`:                                    nil,
		`Allocating_Method == "nobody"`:                   {},
		`Object_Size < -9223372036854775807 and event>=0`: {},
	} {
		f, err := query.ParseFilter(text, set, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := keptBy(t, set, f, "Allocation"); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: keeps %v, want %v", text, got, want)
		}
	}
}

func TestFilterEntities(t *testing.T) {
	set := eventSet(t)
	for _, c := range []struct {
		text, entity, want string
	}{
		{`Class == "java.A"`, "Method", "a"}, // choose a class: its methods light up
		{`Package == "java"`, "Method", "a b"},
		{`Package == "java"`, "Package", "java java.util"},
		{`Package == "java"`, "Class", "java.A java.util.B"},
		{`Method == "a"`, "Class", "says nothing"},
		{`Package == "java" and not (Class == "java.A")`, "Method", "b"},
	} {
		f, err := query.ParseFilter(c.text, set, nil)
		if err != nil {
			t.Fatal(err)
		}
		table := set.Entity(c.entity)
		got := "says nothing"
		if marks := f.Entities(table); marks != nil {
			var names []string
			for row, mark := range marks {
				if mark {
					names = append(names, table.Names[row])
				}
			}
			got = strings.Join(names, " ")
		}
		if got != c.want {
			t.Errorf("%s on %s: got %q, want %q", c.text, c.entity, got, c.want)
		}
	}
}

// maxText is about as long as a filter may be.
const maxText = 8 << 20

// TestFilterOfManyEntities: a selection names its entities one by one.
func TestFilterOfManyEntities(t *testing.T) {
	set := eventSet(t)
	names := make([]string, 50_000)
	for i := range names {
		names[i] = fmt.Sprintf("%q", fmt.Sprint("name", i))
	}
	names[40_000] = `"a"`
	f, err := query.ParseFilter("Allocating_Method in ["+strings.Join(names, ",")+"]", set, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := keptBy(t, set, f, "Allocation"); !slices.Equal(got, []int{0}) {
		t.Errorf("keeps %v", got)
	}
}

func TestFilterErrors(t *testing.T) {
	set := eventSet(t)
	for text, want := range map[string]string{
		`Metod == "a"`:            `no field and no type of entity called "Metod"`,
		`Object_Size == "a"`:      "whole number is expected",
		`Method < 3`:              "cannot be compared by <",
		`Method == `:              "at character",
		`Method`:                  "expected a comparison",
		`Method matches "("`:      "missing closing )",
		`Method matches 3`:        "expected a text in quotes",
		`Object_Size in "x"`:      "FROM..TO",
		`3 == 3`:                  "expected the name of a field",
		`Method == [1]`:           "expected a name in quotes or a number",
		`Object_Size in 1.."a"`:   "whole numbers on both sides",
		strings.Repeat("(", 5000): "",
		`Object_Size + 1 == 3`:    "expected the name of a field",
		`Method ? "a"`:            `at character 8: '?'`,
	} {
		_, err := query.ParseFilter(text, set, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want … %s …", text, err, want)
		}
	}
	for _, hostile := range []string{strings.Repeat("(", maxText), strings.Repeat("-", maxText), strings.Repeat("not ", maxText/4), strings.Repeat("!", maxText),
		strings.Repeat("a ? ", maxText/4), strings.Repeat("a ** ", maxText/5), strings.Repeat("{", maxText), strings.Repeat("a.", maxText/2),
		strings.Repeat("a or ", maxText/5) + "a", strings.Repeat("a()", maxText/3), strings.Repeat("a[0]", maxText/4)} {
		if _, err := query.ParseFilter(hostile, set, nil); err == nil {
			t.Errorf("%.10s…: no error", hostile)
		}
	}
	deep := strings.Repeat("not (", 3000) + `Method == "a"` + strings.Repeat(")", 3000)
	if _, err := query.ParseFilter(deep, set, nil); err == nil {
		t.Error("a filter of any depth is accepted")
	}
	if f, err := query.ParseFilter(" ", set, nil); f != nil || err != nil {
		t.Errorf("an empty filter: %v, %v", f, err)
	}
}

// TestFilterContexts: contexts by id and by stack bring along their subtrees.
func TestFilterContexts(t *testing.T) {
	set := stackSet(t, "main;f;h 1", "main;f 2", "main;h 3", "main;h;f 4")
	tree, err := cct.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	find := func(stack string) cct.NodeID {
		for n := range tree.Len() {
			if query.StackOf(tree, cct.NodeID(n)) == stack {
				return cct.NodeID(n)
			}
		}
		t.Fatalf("no context %s", stack)
		return 0
	}
	for text, want := range map[string][]int{
		fmt.Sprintf("Context == %d", find("main → f")):   {0, 1},
		fmt.Sprintf("Context in [%d]", find("main → h")): {2, 3},
		`Context == "main → f"`:                          {0, 1},
		`Context in ["main → f → h", "main → h → f"]`:    {0, 3},
		`Context == "f"`: {},
		`Context == 0`:   {0, 1, 2, 3},
		`Method == "f"`:  {1, 3}, // the method itself, not what it calls
		`Method == "f" or Context == "main → h" and 1 < 2`: nil,
	} {
		f, err := query.ParseFilter(text, set, tree)
		if want == nil {
			if err == nil {
				t.Errorf("%s: no error", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := keptBy(t, set, f, "Sample"); !slices.Equal(got, want) {
			t.Errorf("%s: keeps %v, want %v", text, got, want)
		}
	}
}

// stackSet is a data set of samples of stacks, each "outermost;…;innermost n".
func stackSet(t *testing.T, lines ...string) *data.Set {
	t.Helper()
	b := data.NewBuilder("", "")
	methods, err := b.EntityType("Method", "")
	if err != nil {
		t.Fatal(err)
	}
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value("samples", "count", "", data.Amount))
	if err != nil {
		t.Fatal(err)
	}
	trie := data.NewTrie(0)
	var rows [][]int64
	for _, line := range lines {
		var stack string
		var n int64
		if _, err := fmt.Sscan(line, &stack, &n); err != nil {
			t.Fatal(err)
		}
		at := data.None
		for name := range strings.SplitSeq(stack, ";") {
			m, err := methods.Intern(name)
			if err != nil {
				t.Fatal(err)
			}
			at = trie.Child(at, m)
		}
		rows = append(rows, []int64{int64(at), n})
	}
	if err := contexts.Adopt(nil, trie.Len(), data.Column{Refs: trie.Parents}, data.Column{Refs: trie.Keys}); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := samples.Add(row...); err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func FuzzFilter(f *testing.F) {
	for _, text := range []string{`Method == "a"`, `not (At in 1..3) and event > 2`, `Package matches "^j" or Class in ["x", 3]`, `--- "a"`, `a ? b : c`,
		`Package in packed(1, "AQAAAAABAAE")`, `not (Class in packed(2, "AgECAwQAAw"))`} {
		f.Add(text)
	}
	set := eventSet(f)
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := query.ParseFilter(text, set, nil)
		if err != nil || filter == nil {
			return
		}
		keptBy(t, set, filter, "Allocation")
		for _, e := range set.Entities() {
			filter.Entities(e)
		}
	})
}
