package query_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/query"
)

func TestPortableNamesWhatWasNumbered(t *testing.T) {
	set := stackSet(t, "main;f;h 1", "main;f 2", "main;h 3", "main;h;f 4")
	tree, err := cct.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	// Falling by samples: 1 main, 2 main→h, 3 main→h→f, 4 main→f, 5 main→f→h.
	for text, want := range map[string]string{
		``:                                    ``,
		`Context == 4`:                        `Context == "main → f"`,
		`Context != 4`:                        `Context != "main → f"`,
		`Context in [2, 5]`:                   `Context in ["main → h", "main → f → h"]`,
		`Context in [2, "main → f"]`:          `Context in ["main → h", "main → f"]`,
		`Context not in [2]`:                  `not (Context in ["main → h"])`,
		`Method == 1`:                         `Method == "f"`,
		`Context == 0`:                        `Context == 0`, // everything, everywhere
		`Context == 99 or event == 4 `:        `Context == 99 or event == 4 `,
		`samples > 3 and Method matches "^f"`: `samples > 3 and Method matches "^f"`,
		`not (Context == 5 or Context == 3) and samples in 1..4`:       `not (Context == "main → f → h" or Context == "main → h → f") and samples in 1..4`,
		`samples == -1 or (Context == 5 and not (Method == "a\"\\b"))`: `samples == -1 or (Context == "main → f → h" and not (Method == "a\"\\b"))`,
	} {
		got, err := query.Portable(text, set, tree)
		if err != nil || got != want {
			t.Errorf("%s became %s (%v)", text, got, err)
			continue
		}
		before, err1 := query.ParseFilter(text, set, tree)
		after, err2 := query.ParseFilter(got, set, tree)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if a, b := keptBy(t, set, before, "Sample"), keptBy(t, set, after, "Sample"); !slices.Equal(a, b) {
			t.Errorf("%s keeps %v, but %s keeps %v", text, a, got, b)
		}
	}
	if _, err := query.Portable(`Contxt == 1`, set, tree); err == nil {
		t.Error("a filter that cannot be read is written")
	}
}

func TestMissing(t *testing.T) {
	set := stackSet(t, "main;f;h 1", "main;h 3")
	tree, err := cct.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		``:              `[]`,
		`samples > 3`:   `[]`,
		`Method == "f"`: `[{Method 1 0}]`,
		`Method in ["f", "gone", "h", "gone"] or not (Method == "lost")`:       `[{Method 4 2}]`,
		`Context in ["main → f", "main → f → f", "f"] and Method != "nowhere"`: `[{Context 3 2} {Method 1 1}]`,
		`Context == 3 or Method matches "x"`:                                   `[{Context 0 0}]`,
	} {
		got, err := query.Missing(text, set, tree)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s (%v)", text, got, want, err)
		}
	}
}

func TestFindStackFindsWhatStackOfNames(t *testing.T) {
	tree, err := cct.Build(context.Background(), stackSet(t, "main;f;h 1", "main;f 2", "main;h 3", "main;h;f 4"))
	if err != nil {
		t.Fatal(err)
	}
	for n := cct.Root + 1; int(n) < tree.Len(); n++ {
		if got, ok := query.FindStack(tree, query.StackOf(tree, n)); !ok || got != n {
			t.Errorf("%s is %d, not %d (%v)", query.StackOf(tree, n), got, n, ok)
		}
	}
	for _, stack := range []string{"", "f", "main → f → f", "main →"} {
		if n, ok := query.FindStack(tree, stack); ok {
			t.Errorf("%q is %d", stack, n)
		}
	}
}

func FuzzPortable(f *testing.F) {
	for _, text := range []string{`Method == 1`, `not (At in 1..3) and Class != 2`, `Package in [0, "x"] or Method not in [1]`, `"Allocating Method" == 0`} {
		f.Add(text)
	}
	set := eventSet(f)
	f.Fuzz(func(t *testing.T, text string) {
		before, err := query.ParseFilter(text, set, nil)
		if err != nil {
			return
		}
		written, err := query.Portable(text, set, nil)
		if err != nil {
			t.Fatal(err)
		}
		after, err := query.ParseFilter(written, set, nil)
		if err != nil {
			t.Fatalf("%s became %s: %v", text, written, err)
		}
		if before == nil {
			return
		}
		if a, b := keptBy(t, set, before, "Allocation"), keptBy(t, set, after, "Allocation"); !slices.Equal(a, b) {
			t.Fatalf("%s keeps %v, but %s keeps %v", text, a, written, b)
		}
		if _, err := query.Missing(text, set, nil); err != nil {
			t.Fatal(err)
		}
	})
}
