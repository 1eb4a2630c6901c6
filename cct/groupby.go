package cct

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// A data set grouped by threads, processes or the values of a label has these as
// the outermost callers of its contexts, as `pprof -tagroot` does. It is a data
// set of its own, not a step of a pipeline: a context that two threads reached
// is two contexts there, which could not keep the one id that a pipeline
// promises. Everything but contexts and methods is shared with the data set it
// is made from; of events, only what refers to contexts is new.

// GroupBy makes a data set whose contexts begin with what a field of its events
// refers to; of several fields, the first is the outermost. The fields are
// references, direct or indirect, of the events that the tree is made from.
func GroupBy(ctx context.Context, set *data.Set, fields ...string) (*data.Set, error) {
	for _, field := range slices.Backward(fields) {
		var err error
		if set, err = groupBy(ctx, set, field); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func groupBy(ctx context.Context, set *data.Set, field string) (*data.Set, error) {
	events, contexts, _, ok := findContexts(set)
	if !ok {
		return nil, &ErrNoContexts{Set: set.Name}
	}
	p, ok := pathOf(set, events, field)
	if !ok || !p.Field.IsReference() {
		return nil, fmt.Errorf("%s: events of type %s cannot be grouped by %q: they refer to %s", set.Name, events.Definition.Name, field, references(set, events, contexts))
	}
	g := &grouping{set: set, contexts: contexts, values: set.Entity(p.Field.Refers), parents: contexts.Columns[contexts.FieldWith(data.Hierarchy)].Refs}
	g.reached = make([]*ranked, g.values.Rows()+1)
	for _, e := range set.Events() {
		g.events = append(g.events, g.referring(e, field))
	}
	for _, e := range g.events {
		if err := g.reach(ctx, e); err != nil {
			return nil, err
		}
	}
	if err := g.number(); err != nil {
		return nil, err
	}
	return g.build(ctx, field)
}

func pathOf(set *data.Set, events *data.EventTable, field string) (data.Path, bool) {
	paths := set.Paths(events.Definition)
	i := slices.IndexFunc(paths, func(p data.Path) bool { return p.Name == field })
	if i < 0 {
		return data.Path{}, false
	}
	return paths[i], true
}

// references lists what can be grouped by, for a person who wrote something else.
func references(set *data.Set, events *data.EventTable, contexts *data.EntityTable) string {
	names := ""
	for _, p := range set.Paths(events.Definition) {
		if p.Field.IsReference() && set.Entity(p.Field.Refers) != contexts {
			names += ", " + p.Name
		}
	}
	if names == "" {
		return "nothing else"
	}
	return names[2:]
}

// grouping is the data set while it is made.
type grouping struct {
	set      *data.Set
	contexts *data.EntityTable
	values   *data.EntityTable // what is grouped by
	parents  []data.EntityID   // of contexts
	events   []referring

	reached []*ranked // value, and after all of them none -> contexts that its events reached, and their callers
	base    []uint32  // value -> the new context that stands for it; those it reached follow
	rows    uint32    // new contexts
}

// referring is an event type with its fields that refer to contexts.
type referring struct {
	table  *data.EventTable
	fields []int
	value  data.Path // the zero Path if its events have no such value
}

func (g *grouping) referring(e *data.EventTable, field string) referring {
	r := referring{table: e}
	for i, f := range e.Fields {
		if f.IsReference() && g.set.Entity(f.Refers) == g.contexts {
			r.fields = append(r.fields, i)
		}
	}
	if p, ok := pathOf(g.set, e, field); ok && g.set.Entity(p.Field.Refers) == g.values {
		r.value = p
	}
	return r
}

// ranked is a set of contexts that can tell how many of them come before one.
type ranked struct {
	words  []uint64
	before []uint32 // word -> members in the words before it
}

func (r *ranked) add(c data.EntityID) { r.words[c/64] |= 1 << (c % 64) }

func (r *ranked) has(c data.EntityID) bool { return r.words[c/64]>>(c%64)&1 != 0 }

func (r *ranked) rank(c data.EntityID) uint32 {
	return r.before[c/64] + uint32(bits.OnesCount64(r.words[c/64]&(1<<(c%64)-1)))
}

// mostGrouping bounds, in bytes, what the sets of contexts of all values take.
const mostGrouping = 1 << 30

// reach notes which contexts the events of each value reached.
func (g *grouping) reach(ctx context.Context, e referring) error {
	words, made := (g.contexts.Rows()+63)/64, int64(0)
	for _, field := range e.fields {
		err := e.read(ctx, 0, int64(e.table.Rows()), []int{field}, func(b data.Batch, values []data.EntityID) error {
			for i, c := range b.Columns[0].Refs {
				v := g.row(values, i)
				if g.reached[v] == nil {
					if made++; made*int64(words)*12 > mostGrouping {
						return fmt.Errorf("%s: %d contexts cannot be grouped by %s: too many of these have events", g.set.Name, g.contexts.Rows(), g.values.Definition.Name)
					}
					g.reached[v] = &ranked{words: make([]uint64, words), before: make([]uint32, words)}
				}
				if c != data.None {
					g.reached[v].add(c)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// row is the index of an event's value; values is nil if its type has none.
func (g *grouping) row(values []data.EntityID, i int) int {
	if values == nil || values[i] == data.None {
		return len(g.reached) - 1
	}
	return int(values[i])
}

// number adds callers, and gives each value, and then each context that it
// reached, a new row. Callers come before what they call, here and there.
func (g *grouping) number() error {
	g.base = make([]uint32, len(g.reached))
	all := uint64(0)
	for v, r := range g.reached {
		if r == nil {
			continue
		}
		for c := g.contexts.Rows() - 1; c >= 0; c-- {
			if p := g.parents[c]; p != data.None && r.has(data.EntityID(c)) {
				r.add(p)
			}
		}
		g.base[v] = uint32(all)
		n := uint32(0)
		for w, word := range r.words {
			r.before[w] = n
			n += uint32(bits.OnesCount64(word))
		}
		if all += uint64(n) + 1; all >= uint64(data.None) {
			return fmt.Errorf("%s: grouped by %s, there would be more contexts than can be numbered", g.set.Name, g.values.Definition.Name)
		}
	}
	g.rows = uint32(all)
	return nil
}

// moved is the new row of a context that events of a value reached.
func (g *grouping) moved(v int, c data.EntityID) data.EntityID {
	if c == data.None {
		return data.EntityID(g.base[v])
	}
	return data.EntityID(g.base[v] + 1 + g.reached[v].rank(c))
}

// build puts the data set together.
func (g *grouping) build(ctx context.Context, field string) (*data.Set, error) {
	b := data.NewBuilder(g.set.Name+" by "+field, g.set.Format)
	for _, text := range g.set.Warnings {
		b.Warn("%s", text)
	}
	methods := g.set.Entity(g.contexts.Fields[methodOf(g.contexts)].Refers)
	for _, t := range g.set.Entities() {
		e, err := b.EntityType(t.Definition.Name, t.Description, t.Fields...)
		if err != nil {
			return nil, err
		}
		names, rows, columns := t.Names, t.Rows(), t.Columns
		switch t {
		case g.contexts:
			names, rows, columns = nil, int(g.rows), g.contextColumns(methods)
		case methods:
			names, rows, columns = g.methodColumns(methods, field)
		default:
			if i := slices.IndexFunc(t.Fields, func(f data.Field) bool { return g.set.Entity(f.Refers) == g.contexts }); i >= 0 {
				return nil, fmt.Errorf("%s: cannot be grouped: each %s has one context (%s)", g.set.Name, t.Definition.Name, t.Fields[i].Name)
			}
		}
		if err := e.Adopt(names, rows, columns...); err != nil {
			return nil, err
		}
	}
	for _, e := range g.events {
		if err := g.addEvents(ctx, b, e); err != nil {
			return nil, err
		}
	}
	return b.Finish()
}

// contextColumns are the new contexts: each value, then what it reached.
func (g *grouping) contextColumns(methods *data.EntityTable) []data.Column {
	up, named := g.contexts.FieldWith(data.Hierarchy), methodOf(g.contexts)
	columns := make([]data.Column, len(g.contexts.Fields))
	for i, f := range g.contexts.Fields {
		if f.IsReference() {
			columns[i].Refs = make([]data.EntityID, 0, g.rows)
		} else {
			columns[i].Values = make([]int64, 0, g.rows)
		}
	}
	group := data.EntityID(methods.Rows())
	for v, r := range g.reached {
		if r == nil {
			continue
		}
		for i := range columns {
			switch c := &columns[i]; {
			case c.Refs == nil:
				c.Values = append(c.Values, 0)
			case i == named:
				c.Refs = append(c.Refs, group)
			default:
				c.Refs = append(c.Refs, data.None)
			}
		}
		group++
		for w, word := range r.words {
			for ; word != 0; word &= word - 1 {
				row := data.EntityID(64*w + bits.TrailingZeros64(word))
				for i, from := range g.contexts.Columns {
					switch c := &columns[i]; {
					case c.Refs == nil:
						c.Values = append(c.Values, from.Values[row])
					case i == up:
						c.Refs = append(c.Refs, g.moved(v, from.Refs[row]))
					default:
						c.Refs = append(c.Refs, from.Refs[row])
					}
				}
			}
		}
	}
	return columns
}

// methodColumns are the methods, and after them what is grouped by, which is
// called as the field and the value.
func (g *grouping) methodColumns(methods *data.EntityTable, field string) (names []string, rows int, columns []data.Column) {
	names = slices.Clone(methods.Names)
	for v, r := range g.reached {
		switch {
		case r == nil:
		case v == g.values.Rows():
			names = append(names, "no "+field)
		default:
			names = append(names, field+" "+g.values.NameOf(data.EntityID(v)))
		}
	}
	columns = make([]data.Column, len(methods.Columns))
	for i, c := range methods.Columns {
		if methods.Fields[i].IsReference() {
			columns[i].Refs = slices.Clone(c.Refs)
			for range len(names) - methods.Rows() {
				columns[i].Refs = append(columns[i].Refs, data.None)
			}
		} else {
			columns[i].Values = append(slices.Clone(c.Values), make([]int64, len(names)-methods.Rows())...)
		}
	}
	return names, len(names), columns
}

func (g *grouping) addEvents(ctx context.Context, b *data.Builder, e referring) error {
	t := e.table
	into, err := b.EventType(t.Definition.Name, t.Description, t.Fields...)
	if err != nil {
		return err
	}
	if t.Store() != nil {
		if len(e.fields) == 0 {
			return into.AdoptStore(t.Store())
		}
		return into.AdoptStore(regrouped{g, e})
	}
	columns := slices.Clone(t.Columns)
	for _, field := range e.fields {
		moved := make([]data.EntityID, 0, t.Rows())
		err := e.read(ctx, 0, int64(t.Rows()), []int{field}, func(b data.Batch, values []data.EntityID) error {
			for i, c := range b.Columns[0].Refs {
				moved = append(moved, g.moved(g.row(values, i), c))
			}
			return nil
		})
		if err != nil {
			return err
		}
		columns[field] = data.Column{Refs: moved}
	}
	return into.Adopt(t.Rows(), columns...)
}

// read reads columns of the events from..to-1, and the values they are grouped
// by, which are nil if they have none.
func (e referring) read(ctx context.Context, from, to int64, fields []int, yield func(b data.Batch, values []data.EntityID) error) error {
	grouped := e.value.Name != ""
	if grouped {
		fields = append(slices.Clone(fields), e.value.Start())
	}
	last := len(fields) - 1
	var values []data.EntityID
	hand := func(b data.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !grouped {
			return yield(b, nil)
		}
		values = append(values[:0], b.Columns[last].Refs...)
		if !e.value.Direct() {
			if err := e.table.Follow(e.value, values); err != nil {
				return err
			}
		}
		b.Columns = b.Columns[:last]
		return yield(b, values)
	}
	if s := e.table.Store(); s != nil {
		return s.Read(ctx, fields, from, to, hand)
	}
	for ; from < to; from += data.BatchRows {
		end := min(from+data.BatchRows, to)
		b := data.Batch{First: from, Rows: int(end - from)}
		for _, f := range fields {
			c := e.table.Columns[f]
			if c.Refs != nil {
				c.Refs = c.Refs[from:end]
			} else {
				c.Values = c.Values[from:end]
			}
			b.Columns = append(b.Columns, c)
		}
		if err := hand(b); err != nil {
			return err
		}
	}
	return nil
}

// regrouped are events on disk with new contexts.
type regrouped struct {
	g *grouping
	e referring
}

func (s regrouped) Rows() int { return s.e.table.Rows() }

func (s regrouped) Read(ctx context.Context, fields []int, from, to int64, yield func(data.Batch) error) error {
	moved := make([][]data.EntityID, len(fields))
	return s.e.read(ctx, from, to, fields, func(b data.Batch, values []data.EntityID) error {
		b.Columns = slices.Clone(b.Columns)
		for at, field := range fields {
			if !slices.Contains(s.e.fields, field) {
				continue
			}
			moved[at] = moved[at][:0]
			for i, c := range b.Columns[at].Refs {
				moved[at] = append(moved[at], s.g.moved(s.g.row(values, i), c))
			}
			b.Columns[at] = data.Column{Refs: moved[at]}
		}
		return yield(b)
	})
}
