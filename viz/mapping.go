package viz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// accepts tells how well a field fits a dimension: the place of its property
// among those that are accepted, or -1.
func (d Dimension) accepts(f data.Field) int {
	return slices.IndexFunc(d.Accepts, f.Has)
}

// Fields lists the fields of an event type that fit a dimension, in the order
// of the type's fields; indirect references come after direct ones.
func (d Dimension) Fields(set *data.Set, subject *data.EventTable) []data.Path {
	if d.Call != "" {
		return d.callField(set, subject)
	}
	var fit []data.Path
	for _, p := range set.Paths(subject.Definition) {
		if d.accepts(p.Field) >= 0 {
			fit = append(fit, p)
		}
	}
	return fit
}

// dimension finds a dimension by its name or another name of it.
func (d Definition) dimension(name string) int {
	return slices.IndexFunc(d.Dimensions, func(dim Dimension) bool {
		return dim.Name == name || slices.Contains(dim.Aliases, name)
	})
}

// Map checks a mapping of fields to dimensions and completes it: a dimension
// that is not mapped gets the first field that fits and is not taken, unless
// it is optional. The answer is as Config.Fields.
func (d Definition) Map(set *data.Set, subject *data.EventTable, fields map[string]string) ([]data.Path, error) {
	paths := make([]data.Path, len(d.Dimensions))
	for name, field := range fields {
		i := d.dimension(name)
		if i < 0 {
			return nil, fmt.Errorf("%s: has no dimension %q (it has %s)", d.Name, name, d.dimensionNames())
		}
		if paths[i].Name != "" {
			return nil, fmt.Errorf("%s: dimension %q is mapped twice", d.Name, d.Dimensions[i].Name)
		}
		if field == "" && d.Dimensions[i].Optional {
			continue
		}
		p, ok := set.Path(subject.Definition, field)
		if !ok {
			return nil, fmt.Errorf("%s: dimension %q: %s has no field %q (it has %s)", d.Name, d.Dimensions[i].Name, subject.Definition.Name, field, pathNames(set, subject))
		}
		if !d.Dimensions[i].fits(set, subject, p) {
			return nil, fmt.Errorf("%s: dimension %q needs a field with the property %s, which %q has not", d.Name, d.Dimensions[i].Name, d.Dimensions[i].properties(), field)
		}
		paths[i] = p
	}
	for i, dim := range d.Dimensions {
		if paths[i].Name != "" || dim.Optional && (dim.Call == "" || len(dim.callField(set, subject)) == 0) {
			continue
		}
		p, ok := d.byDefault(set, subject, paths, i)
		if !ok {
			return nil, fmt.Errorf("%s: dimension %q: %s has no field with the property %s", d.Name, dim.Name, subject.Definition.Name, dim.properties())
		}
		paths[i] = p
	}
	if d.Check != nil {
		if err := d.Check(paths); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return paths, nil
}

// preferred is the property by which a source recommends an amount.
const preferred data.Property = "preferred"

// byDefault chooses a field for a dimension: its default, or what fits best, is
// not used already, and passes the definition's own check.
func (d Definition) byDefault(set *data.Set, subject *data.EventTable, paths []data.Path, at int) (data.Path, bool) {
	dim := d.Dimensions[at]
	fit := dim.Fields(set, subject)
	stacks := slices.ContainsFunc(fit, func(p data.Path) bool {
		return p.Field.IsReference() && set.Entity(p.Field.Refers).Names == nil
	})
	rank := func(p data.Path) int {
		switch {
		case dim.Default != "" && p.Name == dim.Default:
			return -1
		case stacks && p.Field.Refers == typeMethod:
			// Calling contexts have no names of their own: their methods say
			// more, and are fewer. Labels come after both.
			return 0
		case p.Field.IsReference() && set.Entity(p.Field.Refers).Names == nil:
			return 2 * len(dim.Accepts)
		case p.Field.Has(preferred):
			return 2 * dim.accepts(p.Field)
		}
		return 2*dim.accepts(p.Field) + 1
	}
	slices.SortStableFunc(fit, func(a, b data.Path) int { return rank(a) - rank(b) })
	// A field that another dimension uses is better than none, and a
	// combination that is refused only later can still be told why.
	for _, strict := range []bool{true, false} {
		for _, p := range fit {
			taken := slices.ContainsFunc(paths, func(q data.Path) bool { return q.Name == p.Name })
			if strict && (taken || !d.passes(paths, at, p)) {
				continue
			}
			return p, true
		}
	}
	return data.Path{}, false
}

// passes runs the check of the definition on what is mapped so far, if that is
// everything but the dimension in question.
func (d Definition) passes(paths []data.Path, at int, p data.Path) bool {
	if d.Check == nil {
		return true
	}
	all := slices.Clone(paths)
	all[at] = p
	for i, q := range all {
		if q.Name == "" && !d.Dimensions[i].Optional {
			return true
		}
	}
	return d.Check(all) == nil
}

// Subject finds the event type to draw: the named one, or the first with
// events that the definition can be mapped to.
func (d Definition) Subject(set *data.Set, name string) (*data.EventTable, error) {
	if name != "" {
		if t := set.Event(name); t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("%s: %s has no type of event called %q (it has %s)", d.Name, set.Name, name, eventNames(set))
	}
	var fits *data.EventTable
	for _, t := range set.Events() {
		if _, err := d.Map(set, t, nil); err == nil {
			if t.Rows() > 0 {
				return t, nil
			}
			if fits == nil {
				fits = t
			}
		}
	}
	if fits == nil {
		return nil, fmt.Errorf("%s: no type of event of %s has the fields for it", d.Name, set.Name)
	}
	return fits, nil
}

// fits tells whether a field can be mapped to a dimension.
func (d Dimension) fits(set *data.Set, subject *data.EventTable, p data.Path) bool {
	if d.Call == "" {
		return d.accepts(p.Field) >= 0
	}
	field := d.callField(set, subject)
	return len(field) > 0 && field[0].Name == p.Name
}

func (d Dimension) properties() string {
	if d.Call != "" {
		return d.Call + " of a call"
	}
	words := make([]string, len(d.Accepts))
	for i, p := range d.Accepts {
		words[i] = string(p)
	}
	return strings.Join(words, " or ")
}

func (d Definition) dimensionNames() string {
	var names []string
	for _, dim := range d.Dimensions {
		names = append(names, dim.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

func pathNames(set *data.Set, subject *data.EventTable) string {
	var names []string
	for _, p := range set.Paths(subject.Definition) {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func eventNames(set *data.Set) string {
	var names []string
	for _, t := range set.Events() {
		names = append(names, t.Definition.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
