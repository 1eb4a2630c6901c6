package data

import (
	"context"
	"fmt"
)

// TypeRun is the entity type that Merge adds: the data set an event came from.
const TypeRun = "Run"

// Merge makes one data set of several. Entities of one type and name are the
// same entity (the second of a name in one set is the second in all); entities
// without names that hang in a hierarchy, as calling contexts do, are the same
// if their path is. Events follow each other in the order of the sets, and
// every event type gains a reference to the run its events came from. A field
// that some sets do not have is None, or 0, for their elements.
//
// b, a new builder, says what the set is called and where events go that do not
// fit into memory. Events are read and added batch by batch, wherever they are.
func Merge(ctx context.Context, b *Builder, sets []*Set) (*Set, error) {
	defer b.Close()
	m := &merger{b: b, sets: sets, ids: make([]map[string][]EntityID, len(sets))}
	for i, s := range sets {
		m.ids[i] = map[string][]EntityID{}
		if i == 0 {
			m.b.set.Format = s.Format
		} else if s.Format != m.b.set.Format {
			m.b.set.Format = "merged"
		}
		for _, w := range s.Warnings {
			m.b.Warn("%s: %s", s.Name, w)
		}
	}
	entities, events := m.definitions()
	for _, def := range entities {
		if !m.nameless(def.Name) {
			m.mergeNamed(def)
		}
	}
	for _, def := range entities {
		if m.nameless(def.Name) {
			m.mergePaths(def)
		}
	}
	for _, def := range entities {
		if err := m.addEntities(def); err != nil {
			return nil, err
		}
	}
	runs, err := m.b.EntityType(TypeRun, "the data set an event came from")
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		if _, err := runs.Add(s.Name); err != nil {
			return nil, err
		}
	}
	for _, def := range events {
		if err := m.addEvents(ctx, def); err != nil {
			return nil, err
		}
	}
	return m.b.Finish()
}

type merger struct {
	b      *Builder
	sets   []*Set
	ids    []map[string][]EntityID // set -> entity type -> old id -> new id
	merged map[string]*mergedType
}

// mergedType is an entity type while it is merged: where the first of each new
// entity is, whose fields count.
type mergedType struct {
	names []string
	first []origin
}

type origin struct {
	set int
	row EntityID
}

// definitions gives the union of all definitions: fields by name, the first
// definition of a name counts.
func (m *merger) definitions() (entities, events []Definition) {
	m.merged = map[string]*mergedType{}
	union := func(into []Definition, def Definition) []Definition {
		for i := range into {
			if into[i].Name != def.Name {
				continue
			}
			for _, f := range def.Fields {
				if into[i].Field(f.Name) < 0 {
					into[i].Fields = append(into[i].Fields[:len(into[i].Fields):len(into[i].Fields)], f)
				}
			}
			return into
		}
		return append(into, def)
	}
	for _, s := range m.sets {
		for _, t := range s.entities {
			entities = union(entities, t.Definition)
			m.merged[t.Definition.Name] = &mergedType{}
		}
		for _, t := range s.events {
			events = union(events, t.Definition)
		}
	}
	return entities, events
}

func (m *merger) nameless(entityType string) bool {
	for _, s := range m.sets {
		if t := s.Entity(entityType); t != nil && t.Names == nil && t.rows > 0 {
			return true
		}
	}
	return false
}

func (m *merger) mergeNamed(def Definition) {
	type key struct {
		name string
		nth  int // of this name in its set
	}
	into := m.merged[def.Name]
	known := map[key]EntityID{}
	for i, s := range m.sets {
		t := s.Entity(def.Name)
		if t == nil {
			continue
		}
		ids, seen := make([]EntityID, t.rows), map[string]int{}
		for row, name := range t.Names {
			k := key{name, seen[name]}
			seen[name]++
			id, ok := known[k]
			if !ok {
				id = EntityID(len(into.first))
				known[k] = id
				into.names = append(into.names, name)
				into.first = append(into.first, origin{i, EntityID(row)})
			}
			ids[row] = id
		}
		m.ids[i][def.Name] = ids
	}
}

// mergePaths merges entities without names: by path, if they have a hierarchy
// and a reference to something that was merged already; otherwise they stay
// apart.
func (m *merger) mergePaths(def Definition) {
	into := m.merged[def.Name]
	up, key := def.FieldWith(Hierarchy), -1
	for f, field := range def.Fields {
		if key < 0 && field.IsReference() && !field.Has(Hierarchy) && !m.nameless(field.Refers) {
			key = f
		}
	}
	trie := NewTrie(0)
	for i, s := range m.sets {
		t := s.Entity(def.Name)
		if t == nil {
			continue
		}
		ids := make([]EntityID, t.rows)
		// Siblings of one key in one set stay apart: the next one is a node
		// below the one before it, with a key that no entity has.
		last := map[EntityID]EntityID{} // first of equal siblings -> the last so far
		for row := range ids {
			id := EntityID(len(into.first))
			if up >= 0 && key >= 0 {
				parent, ok := t.Column(def.Fields[up].Name)
				refs, ok2 := t.Column(def.Fields[key].Name)
				if ok && ok2 {
					p := parent.Refs[row]
					if p != None {
						p = ids[p]
					}
					id = trie.Child(p, m.moved(i, def.Fields[key].Refers, refs.Refs[row]))
					one := id
					if before, ok := last[one]; ok {
						id = trie.Child(before, None-1)
					}
					last[one] = id
				}
			}
			if int(id) == len(into.first) {
				into.first = append(into.first, origin{i, EntityID(row)})
			}
			ids[row] = id
		}
		m.ids[i][def.Name] = ids
	}
}

// moved is the new id of an entity of a set.
func (m *merger) moved(set int, entityType string, id EntityID) EntityID {
	if id == None {
		return None
	}
	return m.ids[set][entityType][id]
}

func (m *merger) addEntities(def Definition) error {
	e, err := m.b.EntityType(def.Name, def.Description, def.Fields...)
	if err != nil {
		return err
	}
	into := m.merged[def.Name]
	columns := make([]Column, len(def.Fields))
	for f, field := range def.Fields {
		if field.IsReference() {
			columns[f].Refs = make([]EntityID, len(into.first))
		} else {
			columns[f].Values = make([]int64, len(into.first))
		}
		for id, at := range into.first {
			c, ok := m.sets[at.set].Entity(def.Name).Column(field.Name)
			switch {
			case field.IsReference() && (!ok || c.Refs == nil):
				columns[f].Refs[id] = None
			case field.IsReference():
				columns[f].Refs[id] = m.moved(at.set, field.Refers, c.Refs[at.row])
			case ok && c.Values != nil:
				columns[f].Values[id] = c.Values[at.row]
			}
		}
	}
	names := into.names
	if names == nil && !m.nameless(def.Name) {
		names = []string{}
	}
	return e.Adopt(names, len(into.first), columns...)
}

func (m *merger) addEvents(ctx context.Context, def Definition) error {
	if def.Field(TypeRun) >= 0 {
		return fmt.Errorf("event type %q has a field %q already", def.Name, TypeRun)
	}
	fields := append(def.Fields[:len(def.Fields):len(def.Fields)], Ref(TypeRun, TypeRun, "the data set the event came from"))
	e, err := m.b.EventType(def.Name, def.Description, fields...)
	if err != nil {
		return err
	}
	for i, s := range m.sets {
		if t := s.Event(def.Name); t != nil {
			if err := m.appendEvents(ctx, i, t, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendEvents adds the events of a set; the last field is the run.
func (m *merger) appendEvents(ctx context.Context, set int, t *EventTable, e *EventBuilder) error {
	fields := e.def.Fields
	var paths []Path
	at := make([]int, len(fields)) // field -> index in paths, or -1
	for f, field := range fields {
		at[f] = -1
		if own := t.Field(field.Name); own >= 0 && t.Fields[own].IsReference() == field.IsReference() && f < len(fields)-1 {
			at[f] = len(paths)
			paths = append(paths, Path{Name: field.Name, Field: t.Fields[own], steps: []int{own}})
		}
	}
	columns := make([]Column, len(fields))
	return t.Read(ctx, paths, func(b Batch) error {
		for f, field := range fields {
			c := &columns[f]
			switch {
			case f == len(fields)-1:
				c.Refs = fillRefs(c.Refs[:0], b.Rows)
				for row := range c.Refs {
					c.Refs[row] = EntityID(set)
				}
			case at[f] < 0 && field.IsReference():
				c.Refs = fillRefs(c.Refs[:0], b.Rows)
			case at[f] < 0:
				c.Values = fillValues(c.Values[:0], b.Rows)
			case field.IsReference():
				c.Refs = append(c.Refs[:0], b.Columns[at[f]].Refs...)
				moved := m.ids[set][field.Refers]
				for row, id := range c.Refs {
					if id != None {
						c.Refs[row] = moved[id]
					}
				}
			default:
				c.Values = b.Columns[at[f]].Values
			}
		}
		return e.Append(b.Rows, columns...)
	})
}
