package data

import "strings"

// Path is a way from an element to a field: a direct field (one step), or an
// indirect one that goes through references (allocation -> method -> class).
// [Count] is the one path that goes nowhere.
type Path struct {
	Name  string // unique among the paths of its element type
	Field Field  // the field at the end of the path
	steps []int  // field indexes: of the element, then of each entity type on the way; none: Count
}

// Direct reports whether the path is a field of the element itself.
func (p Path) Direct() bool { return len(p.steps) == 1 }

// Start is the index of the direct field that the path begins with, or
// [CountField] for [Count].
func (p Path) Start() int {
	if len(p.steps) == 0 {
		return CountField
	}
	return p.steps[0]
}

// Count is an amount that every type of event has: one for each event.
var Count = Path{Name: "count", Field: Value("count", "count", "how many events there are", Amount)}

// IsCount reports whether the path is [Count] and not a field of a source.
func (p Path) IsCount() bool { return len(p.steps) == 0 && p.Name == Count.Name }

// maxSteps bounds indirect references; a source with deeper chains is one
// whose definitions refer to each other in circles.
const maxSteps = 6

// Paths lists the direct fields of an element type and every reference that
// can be reached through its references. Sources define direct references
// only; the indirect ones are found here. Hierarchies are not followed: the
// ancestors of an entity are not further fields of it.
//
// An indirect reference is called after what it leads to, in the words of the
// reference it goes through: Allocating Method, then Class, is the Allocating
// Class (EVolve, 3.2.1). Where that is taken, it is spelled out with arrows.
//
// A way around is left out: if a method refers to its package, the package of
// its class is not offered beside it.
//
// Events also have [Count], last, unless a field of theirs is called so.
func (s *Set) Paths(def Definition) []Path {
	var paths []Path
	taken := map[string]bool{}
	for i, f := range def.Fields {
		paths = append(paths, Path{Name: f.Name, Field: f, steps: []int{i}})
		taken[f.Name] = true
	}
	// Breadth first, so that the shortest way to an entity gets the short name.
	for at := 0; at < len(paths); at++ {
		p := paths[at]
		if !p.Field.IsReference() || len(p.steps) == maxSteps {
			continue
		}
		target := s.Entity(p.Field.Refers)
		if target == nil {
			continue
		}
		for i, f := range target.Fields {
			if !f.IsReference() || f.Has(Hierarchy) || p.through(s, def, f.Refers) || p.wayAround(s, def, f.Refers) {
				continue
			}
			name := indirectName(p.Name, p.Field.Refers, f)
			if taken[name] {
				name = p.Name + " → " + f.Name
			}
			if taken[name] {
				continue
			}
			taken[name] = true
			steps := append(append([]int(nil), p.steps...), i)
			paths = append(paths, Path{Name: name, Field: f, steps: steps})
		}
	}
	if def.Kind == Event && !taken[Count.Name] {
		paths = append(paths, Count)
	}
	return paths
}

// through reports whether the path already visits the entity type, so that
// circles among definitions end.
func (p Path) through(s *Set, def Definition, entityType string) bool {
	for _, i := range p.steps {
		f := def.Fields[i]
		if f.Refers == entityType {
			return true
		}
		if t := s.Entity(f.Refers); t != nil {
			def = t.Definition
		}
	}
	return false
}

// wayAround reports whether an entity type that the path goes through before
// its end refers to the entity type itself, so that a shorter way exists. The
// element that the path starts from does not count: an event's own thread is
// something else than the thread of the object it touches.
func (p Path) wayAround(s *Set, def Definition, entityType string) bool {
	for _, i := range p.steps[:len(p.steps)-1] {
		t := s.Entity(def.Fields[i].Refers)
		if t == nil {
			return false
		}
		def = t.Definition
		for _, f := range def.Fields {
			if f.Refers == entityType && !f.Has(Hierarchy) {
				return true
			}
		}
	}
	return false
}

func indirectName(path, through string, f Field) string {
	words, ok := strings.CutSuffix(path, through)
	if !ok {
		return path + " " + f.Name
	}
	if strings.HasSuffix(f.Name, " "+f.Refers) {
		return words + f.Refers // Allocating Method, Defining Class: the Allocating Class
	}
	return words + f.Name
}

// Path finds a path of an element type by name.
func (s *Set) Path(def Definition, name string) (Path, bool) {
	for _, p := range s.Paths(def) {
		if p.Name == name {
			return p, true
		}
	}
	return Path{}, false
}

// Lift carries marks from the end of a path to its start: it gives the direct
// reference that the path begins with and, for every entity that one can refer
// to, whether following the rest of the path leads to a marked entity. marked
// is by row of the entity type that the path ends at; it is not changed, and
// the answer does not share its memory.
func (s *Set) Lift(def Definition, p Path, marked []bool) (first Path, lifted []bool) {
	f := def.Fields[p.steps[0]]
	first = Path{Name: f.Name, Field: f, steps: p.steps[:1]}
	var way []*EntityTable
	for _, step := range p.steps[1:] {
		t := s.Entity(f.Refers)
		way = append(way, t)
		f = t.Fields[step]
	}
	lifted = append([]bool(nil), marked...)
	for i := len(way) - 1; i >= 0; i-- {
		below := make([]bool, way[i].Rows())
		for row, e := range way[i].Columns[p.steps[i+1]].Refs {
			below[row] = e != None && lifted[e]
		}
		lifted = below
	}
	return first, lifted
}
