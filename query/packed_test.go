package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"pgregory.net/rapid"
)

// touched is a data set of items, each of which an event refers to.
func touched(t testing.TB, items int, prefix string) *data.Set {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b := data.NewBuilder("touched", "test")
	e, err := b.EntityType("Item", "")
	must(err)
	names, refs := make([]string, items), make([]data.EntityID, items)
	for i := range names {
		names[i], refs[i] = fmt.Sprint(prefix, i), data.EntityID(i)
	}
	must(e.Adopt(names, items))
	ev, err := b.EventType("Touch", "", data.Ref("Item", "Item", ""))
	must(err)
	must(ev.Adopt(items, data.Column{Refs: refs}))
	set, err := b.Finish()
	must(err)
	return set
}

// What is packed holds for just the entities that it was made from, negated and
// joined to others too.
func TestPacked(t *testing.T) {
	set := touched(t, 1000, "i")
	items := set.Entity("Item")
	rapid.Check(t, func(rt *rapid.T) {
		chosen := make([]bool, items.Rows())
		switch rapid.IntRange(0, 2).Draw(rt, "how") {
		case 0: // runs
			for range rapid.IntRange(0, 5).Draw(rt, "runs") {
				from := rapid.IntRange(0, len(chosen)-1).Draw(rt, "from")
				for i := from; i < min(len(chosen), from+rapid.IntRange(1, 400).Draw(rt, "length")); i++ {
					chosen[i] = true
				}
			}
		case 1: // here and there
			for i := range chosen {
				chosen[i] = (i*7919)%rapid.IntRange(2, 9).Draw(rt, "of") == 0
			}
		default:
			for _, i := range rapid.SliceOf(rapid.IntRange(0, len(chosen)-1)).Draw(rt, "ids") {
				chosen[i] = true
			}
		}
		var ids []data.EntityID
		for i, in := range chosen {
			if in {
				ids = append(ids, data.EntityID(i))
			}
		}
		text := query.Pack(items, ids)
		if len(text) > 40+items.Rows()/8*4/3+8 {
			rt.Fatalf("%d of %d entities take %d bytes", len(ids), items.Rows(), len(text))
		}
		for _, c := range []struct {
			text string
			want func(i int) bool
		}{
			{"Item in " + text, func(i int) bool { return chosen[i] }},
			{"not (Item in " + text + ")", func(i int) bool { return !chosen[i] }},
			{"Item not in " + text, func(i int) bool { return !chosen[i] }},
			{`Item in ` + text + ` or Item == "i5"`, func(i int) bool { return chosen[i] || i == 5 }},
		} {
			f, err := query.ParseFilter(c.text, set, nil)
			if err != nil {
				rt.Fatal(err)
			}
			marks := f.Entities(items)
			for i := range marks {
				if marks[i] != c.want(i) {
					rt.Fatalf("%.60s says %v of %d", c.text, marks[i], i)
				}
			}
		}
	})
}

// A selection of more entities than a filter can list.
func TestVeryLargeSelection(t *testing.T) {
	set := touched(t, 600_000, "i")
	items := set.Entity("Item")
	var ids []data.EntityID
	for i := range items.Rows() {
		if i%3 != 1 {
			ids = append(ids, data.EntityID(i))
		}
	}
	text := "Item in " + query.Pack(items, ids)
	f, err := query.ParseFilter(text, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := keptBy(t, set, f, "Touch"); len(got) != len(ids) || got[7] != 11 {
		t.Errorf("%d of %d events are kept", len(got), len(ids))
	}
	if len(text) > 110_000 {
		t.Errorf("it is %d bytes long", len(text))
	}
	// As many cannot be named one by one; fewer are, for other data sets.
	if kept, err := query.Portable(text, set, nil); err != nil || kept != text {
		t.Errorf("saved, it becomes %.80s (%v)", kept, err)
	}
	few, err := query.Portable("Item in "+query.Pack(items, ids[:30_000]), set, nil)
	if err != nil || !strings.HasPrefix(few, `Item in ["i0", "i2", "i3",`) {
		t.Errorf("saved, fewer become %.80s (%v)", few, err)
	}
	if missing, err := query.Missing(text, set, nil); err != nil || slices.ContainsFunc(missing, func(m query.Mentioned) bool { return m.Missing > 0 }) {
		t.Errorf("in its own data set, %v are missing (%v)", missing, err)
	}
	for _, other := range []*data.Set{touched(t, 600_000, "j"), touched(t, 5, "i")} {
		if _, err := query.ParseFilter(text, other, nil); err == nil || !strings.Contains(err.Error(), "filter: Item: these 400000 were selected in another data set, and are not known here: select them again") {
			t.Errorf("in another data set the error is %v", err)
		}
	}
	for broken, want := range map[string]string{
		`Item in packed(3, "")`:                                "the packed text is broken",
		`Item in packed(3, "!")`:                               "the packed text is broken",
		strings.Replace(text, "400000", "3", 1):                "the packed text has 400000 entities and not 3",
		text[:len(text)-6] + `")`:                              "the packed text is broken",
		`Item in packed("x")`:                                  "expected a list",
		`Item in other(3, "x")`:                                "expected a list",
		`Item == packed(3, "x")`:                               "expected a name in quotes or a number",
		`event in packed(3, "x")`:                              "expected FROM..TO or a list",
		`Item in packed(3, "` + strings.Repeat("A", 40) + `")`: "not known here",
	} {
		if _, err := query.ParseFilter(broken, set, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s gives the error %v, which does not say %q", broken, err, want)
		}
	}
}
