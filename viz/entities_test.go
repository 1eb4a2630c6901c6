package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// shop is a data set with all that names and orders depend on: methods of
// classes in packages within packages, call sites in them, and contexts.
func shop(t *testing.T) *Workspace {
	t.Helper()
	b := data.NewBuilder("shop", "test")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	none := int64(data.None)
	add := func(e *data.EntityBuilder, name string, row ...int64) {
		t.Helper()
		_, err := e.Add(name, row...)
		check(err)
	}
	packages, err := b.EntityType("Package", "", data.Ref("Parent", "Package", "", data.Hierarchy))
	check(err)
	classes, err := b.EntityType("Class", "", data.Ref("Package", "Package", ""))
	check(err)
	methods, err := b.EntityType("Method", "", data.Ref("Class", "Class", ""))
	check(err)
	sites, err := b.EntityType("Location", "", data.Ref("Caller", "Method", ""))
	check(err)
	contexts, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	check(err)
	add(packages, "org", none)
	add(packages, "org.shop", 0)
	add(packages, "com", none)
	add(classes, "org.shop.Till", 1)
	add(classes, "com.Bank", 2)
	add(methods, "org.shop.Till.pay(I)V", 0)
	add(methods, "com.Bank.book(J)V", 1)
	add(methods, "com.Bank.audit()V", 1)
	add(sites, "org.shop.Till.pay(I)V#12", 0)
	add(sites, "elsewhere#3", none)
	check(contexts.Adopt(nil, 3, data.Column{Refs: []data.EntityID{data.None, 0, 1}}, data.Column{Refs: []data.EntityID{0, 1, data.None}}))
	e, err := b.EventType("Sale", "", data.Ref("Method", "Method", ""), data.Ref("Context", "Context", ""), data.Ref("Location", "Location", ""), data.Value("Sum", "", "", data.Amount))
	check(err)
	for i := range int64(3) {
		check(e.Add(2-i, i, min(i, 1), []int64{5, -7, 5}[i]))
	}
	set, err := b.Finish()
	check(err)
	w, err := NewWorkspace(t.Context(), set)
	check(err)
	return w
}

func TestNames(t *testing.T) {
	w := shop(t)
	n := w.Names()
	for _, c := range []struct {
		table       string
		id          data.EntityID
		full, short string
	}{
		{"Method", 0, "org.shop.Till.pay(I)V", "Till.pay"},
		{"Method", 2, "com.Bank.audit()V", "Bank.audit"},
		{"Method", data.None, "", ""},
		{"Class", 1, "com.Bank", "com.Bank"},
		{"Context", 1, "com.Bank.book(J)V", "Bank.book"}, // as its method
		{"Context", 2, "", ""},                           // of no method
		{"Location", 0, "org.shop.Till.pay(I)V#12", "Till.pay#12"},
		{"Location", 1, "elsewhere#3", "elsewhere#3"},
	} {
		table := w.Set.Entity(c.table)
		if full, short := n.Full(table, c.id), n.Short(table, c.id); full != c.full || short != c.short {
			t.Errorf("%s %d is called %q, for short %q, want %q and %q", c.table, c.id, full, short, c.full, c.short)
		}
	}
	if got := (Names{}).Full(w.Set.Entity("Context"), 1); got != "Context 1" {
		t.Errorf("without a program a context is called %q", got)
	}
}

func TestEntitiesOccur(t *testing.T) {
	w := shop(t)
	e := NewEntities(w.Set.Entity("Method"), w.Names())
	if e.Find(0) != -1 || e.Find(99) != -1 || e.Find(data.None) != -1 {
		t.Error("entities occur before they do")
	}
	if e.Position(2) != 0 || e.Position(0) != 1 || e.Position(2) != 0 || e.Find(0) != 1 || !slices.Equal(e.IDs, []data.EntityID{2, 0}) {
		t.Errorf("positions are those of %v", e.IDs)
	}
	for _, v := range []int64{math.MaxInt64, 1} {
		e.Add(0, v)
		e.Add(1, -v)
	}
	e.Add(1, -1)
	e.Add(1, 0)
	if e.Amounts[0] != math.MaxInt64 || e.Amounts[1] != math.MinInt64 {
		t.Errorf("the amounts are %v", e.Amounts)
	}
}

func TestSchemes(t *testing.T) {
	w := shop(t)
	order := func(table, scheme string) string {
		t.Helper()
		e := NewEntities(w.Set.Entity(table), w.Names())
		n := w.Set.Entity(table).Rows()
		for i := range n { // the second occurs first, and the first last
			id := (i + 1) % n
			e.Add(e.Position(data.EntityID(id)), []int64{9, 4, 9}[id])
		}
		s, err := FindScheme(scheme)
		if err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(e.IDs)
		ids := s.Order(w.Set, e)
		if fmt.Sprint(e.IDs) != before {
			t.Errorf("%s changed the entities", scheme)
		}
		return fmt.Sprint(ids)
	}
	for _, c := range []struct{ table, scheme, want string }{
		{"Method", "temporal", "[1 2 0]"},
		{"Method", "lexical", "[2 1 0]"},   // audit, book, pay
		{"Method", "amount", "[2 0 1]"},    // 9, 9 by name, 4
		{"Method", "hierarchy", "[2 1 0]"}, // com before org
		{"Package", "hierarchy", "[2 0 1]"},
		{"Package", "lexical", "[2 0 1]"},
		{"Package", "amount", "[2 0 1]"},
		{"Context", "hierarchy", "[0 1 2]"}, // a callee after its caller
		{"Context", "lexical", "[2 1 0]"},
		{"Location", "hierarchy", "[1 0]"}, // that of no method first
	} {
		if got := order(c.table, c.scheme); got != c.want {
			t.Errorf("%s by %s: %s, want %s", c.table, c.scheme, got, c.want)
		}
	}
	var names []string
	for _, s := range Schemes() {
		if s.Name == "" || s.Title == "" || s.Description == "" {
			t.Errorf("%+v is not described", s)
		}
		names = append(names, s.Name)
	}
	if !slices.Equal(names[:4], []string{"amount", "temporal", "lexical", "hierarchy"}) {
		t.Errorf("there are %v", names)
	}
	if _, err := FindScheme("size"); err == nil || !strings.Contains(err.Error(), `no sorting scheme "size" (there are amount, temporal, lexical, hierarchy`) {
		t.Errorf("the error is %v", err)
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "viz: two sorting schemes are called lexical" {
			t.Errorf("it panics with %s", got)
		}
		if len(Schemes()) != len(names) {
			t.Error("a scheme that is refused is there")
		}
	}()
	RegisterScheme(Scheme{Name: "lexical"})
}

// Choices that are registered elsewhere, and texts that are not in a list.
func TestParametersOfOthers(t *testing.T) {
	list := []Option{{Value: "a"}}
	d := Definition{Name: "open", Parameters: []Parameter{
		{Name: "which", Type: Choice, Default: "a", Options: func() []Option { return list }},
		{Name: "even", Type: Number, Default: "0", Valid: func(v string) error {
			if len(v)%2 == 0 {
				return fmt.Errorf("is odd")
			}
			return nil
		}},
	}}
	if _, err := d.CheckParams(map[string]string{"which": "b"}); err == nil || !strings.Contains(err.Error(), `is "b", but must be one of a`) {
		t.Errorf("the error is %v", err)
	}
	list = append(list, Option{Value: "b"})
	if got, err := d.CheckParams(map[string]string{"which": "b", "even": "xyz"}); err != nil || got["which"] != "b" || got["even"] != "xyz" {
		t.Errorf("the parameters are %v (%v)", got, err)
	}
	if got := d.Parameters[0].AllChoices(); len(got) != 2 {
		t.Errorf("the choices are %v", got)
	}
	if _, err := d.CheckParams(map[string]string{"even": "12"}); err == nil || err.Error() != `open: parameter "even": is odd` {
		t.Errorf("the error is %v", err)
	}
}

// Subject takes the first type of event that has what the chart needs, and
// rather one with events.
func TestSubject(t *testing.T) {
	b := data.NewBuilder("empty and full", "test")
	m, err := b.EntityType("Method", "")
	if err != nil {
		t.Fatal(err)
	}
	m.Add("f")
	for _, name := range []string{"Bare", "Idle", "Busy"} {
		fields := []data.Field{data.Ref("Method", "Method", "")}
		if name == "Bare" {
			fields = nil
		}
		e, err := b.EventType(name, "", fields...)
		if err == nil && name == "Busy" {
			err = e.Add(0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "Busy", "Idle": "Idle", "Bare": "Bare"} {
		if got, err := tallyDefinition.Subject(set, name); err != nil || got.Definition.Name != want {
			t.Errorf("for %q it is %v (%v)", name, got, err)
		}
	}
	if _, err := tallyDefinition.Subject(set, "Lazy"); err == nil || !strings.Contains(err.Error(), `no type of event called "Lazy" (it has Bare, Idle, Busy)`) {
		t.Errorf("the error is %v", err)
	}
	if _, err := tallyDefinition.Map(set, set.Event("Bare"), nil); err == nil || !strings.Contains(err.Error(), `dimension "what": Bare has no field with the property reference`) {
		t.Errorf("the error is %v", err)
	}
}
