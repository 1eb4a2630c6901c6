package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
)

// Entities are the entities that occur on an axis of a chart, and nothing
// else: what EVolve calls a reference dimension (Wang 2002, 4.5.1). Positions
// count them in the order in which they first occurred.
type Entities struct {
	Table *data.EntityTable
	IDs   []data.EntityID // position -> entity
	// Amounts is what each has in the chart, for sorting; by position.
	Amounts []int64

	position []int32 // entity -> position, or -1
	names    Names
}

// NewEntities starts with no entity occurring.
func NewEntities(t *data.EntityTable, names Names) *Entities {
	e := &Entities{Table: t, names: names, position: make([]int32, t.Rows())}
	for i := range e.position {
		e.position[i] = -1
	}
	return e
}

// Position gives the position of an entity that occurs, which from now on it
// does. id must not be data.None.
func (e *Entities) Position(id data.EntityID) int {
	if p := e.position[id]; p >= 0 {
		return int(p)
	}
	return e.add(id)
}

// add is apart from Position so that the usual case is inlined.
func (e *Entities) add(id data.EntityID) int {
	e.position[id] = int32(len(e.IDs))
	e.IDs = append(e.IDs, id)
	e.Amounts = append(e.Amounts, 0)
	return len(e.IDs) - 1
}

// Add adds to the amount at a position; what is beyond the range of integers
// stays at its end.
func (e *Entities) Add(position int, v int64) {
	a := &e.Amounts[position]
	sum := *a + v
	if (*a^sum)&(v^sum) < 0 { // both have another sign than their sum
		sum = math.MaxInt64 ^ (v >> 63)
	}
	*a = sum
}

// Find is Position without adding: -1 for an entity that does not occur.
func (e *Entities) Find(id data.EntityID) int {
	if int(id) >= len(e.position) {
		return -1
	}
	return int(e.position[id])
}

// Name is the entity's full name.
func (e *Entities) Name(id data.EntityID) string { return e.names.Full(e.Table, id) }

// Short is the entity's name for a label.
func (e *Entities) Short(id data.EntityID) string { return e.names.Short(e.Table, id) }

// Names tells how entities are called. A calling context is called as its
// method; methods have short names for labels.
type Names struct{ program *Program }

// Full is the whole name of an entity.
func (n Names) Full(t *data.EntityTable, id data.EntityID) string {
	if id == data.None {
		return ""
	}
	if t.Names != nil {
		return t.NameOf(id)
	}
	if name, ok := n.through(t, id, Names.Full); ok {
		return name
	}
	return fmt.Sprintf("%s %d", t.Definition.Name, id)
}

// Short is a name of an entity that fits on a label.
func (n Names) Short(t *data.EntityTable, id data.EntityID) string {
	switch {
	case id == data.None:
		return ""
	case n.program != nil && t == n.program.methods:
		return n.program.Short[id]
	case t.Names == nil:
		if name, ok := n.through(t, id, Names.Short); ok {
			return name
		}
	case n.program != nil:
		return n.within(t, id)
	}
	return n.Full(t, id)
}

// within shortens the name of a place in a method, such as a call site: it
// begins with the method's own.
func (n Names) within(t *data.EntityTable, id data.EntityID) string {
	name := t.NameOf(id)
	for i, f := range t.Fields {
		if n.program.methods == nil || f.Refers != n.program.methods.Definition.Name {
			continue
		}
		if m := t.Columns[i].Refs[id]; m != data.None {
			if rest, ok := strings.CutPrefix(name, n.program.methods.NameOf(m)); ok {
				return n.program.Short[m] + rest
			}
		}
	}
	return name
}

// through names an entity without a name by what it refers to.
func (n Names) through(t *data.EntityTable, id data.EntityID, name func(Names, *data.EntityTable, data.EntityID) string) (string, bool) {
	for i, f := range t.Fields {
		if f.IsReference() && !f.Has(data.Hierarchy) && n.program != nil {
			if of := n.program.set.Entity(f.Refers); of != nil && of.Names != nil {
				return name(n, of, t.Columns[i].Refs[id]), true
			}
		}
	}
	return "", false
}

// Scheme is a way to sort the entities of an axis.
type Scheme struct {
	Name, Title, Description string
	// Order gives the entities in order. It must not change e.
	Order func(set *data.Set, e *Entities) []data.EntityID
}

var schemes struct {
	sync.Mutex
	all []Scheme
}

// RegisterScheme adds a sorting scheme. It panics if the name is taken.
func RegisterScheme(s Scheme) {
	schemes.Lock()
	defer schemes.Unlock()
	if slices.ContainsFunc(schemes.all, func(t Scheme) bool { return t.Name == s.Name }) {
		panic("viz: two sorting schemes are called " + s.Name)
	}
	schemes.all = append(schemes.all, s)
}

// Schemes lists the sorting schemes in the order they were registered.
func Schemes() []Scheme {
	schemes.Lock()
	defer schemes.Unlock()
	return slices.Clone(schemes.all)
}

// FindScheme gives the sorting scheme of that name.
func FindScheme(name string) (Scheme, error) {
	var names []string
	for _, s := range Schemes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scheme{}, fmt.Errorf("there is no sorting scheme %q (there are %s)", name, strings.Join(names, ", "))
}

func init() {
	RegisterScheme(Scheme{Name: "amount", Title: "Amount", Description: "the largest first", Order: byAmount})
	RegisterScheme(Scheme{Name: "temporal", Title: "First activity", Description: "in the order in which they first occur", Order: byTime})
	RegisterScheme(Scheme{Name: "lexical", Title: "Name", Description: "in the order of their names", Order: byName})
	RegisterScheme(Scheme{Name: "hierarchy", Title: "Hierarchy", Description: "by what they belong to: packages, their classes, their methods", Order: byHierarchy})
}

func byTime(_ *data.Set, e *Entities) []data.EntityID { return slices.Clone(e.IDs) }

func byName(_ *data.Set, e *Entities) []data.EntityID {
	return e.sortedBy(func(id data.EntityID) string { return e.Name(id) })
}

func byAmount(_ *data.Set, e *Entities) []data.EntityID {
	rank := e.sortedBy(func(id data.EntityID) string { return e.Name(id) })
	slices.SortStableFunc(rank, func(a, b data.EntityID) int {
		x, y := e.Amounts[e.position[a]], e.Amounts[e.position[b]]
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return rank
}

// byHierarchy sorts by the names of everything around an entity, outermost
// first, so that what belongs together stands together.
func byHierarchy(set *data.Set, e *Entities) []data.EntityID {
	return e.sortedBy(func(id data.EntityID) string {
		names := []string{e.Name(id)}
		t := e.Table
		// A chain is as long as the hierarchy is deep; contexts may be deep.
		for range maxAround {
			field := containerOf(t)
			if field < 0 || id == data.None {
				break
			}
			id = t.Columns[field].Refs[id]
			if id == data.None && t.Fields[field].Has(data.Hierarchy) {
				break
			}
			t = set.Entity(t.Fields[field].Refers)
			names = append(names, e.names.Full(t, id))
		}
		slices.Reverse(names)
		return strings.Join(names, "\x00")
	})
}

// maxAround bounds how many layers of a hierarchy are looked at.
const maxAround = 64

// containerOf gives the field that says what an entity belongs to: its parent
// in a hierarchy, else the first thing with a name that it refers to.
func containerOf(t *data.EntityTable) int {
	if h := t.FieldWith(data.Hierarchy); h >= 0 {
		return h
	}
	return t.FieldWith(data.Reference)
}

// sortedBy sorts by a text, then by id, which makes the order total.
func (e *Entities) sortedBy(key func(data.EntityID) string) []data.EntityID {
	type keyed struct {
		key string
		id  data.EntityID
	}
	all := make([]keyed, len(e.IDs))
	for i, id := range e.IDs {
		all[i] = keyed{key(id), id}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		return int(a.id) - int(b.id)
	})
	ids := make([]data.EntityID, len(all))
	for i, k := range all {
		ids[i] = k.id
	}
	return ids
}
