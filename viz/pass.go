package viz

import (
	"context"
	"fmt"

	"github.com/cambium-prof/cambium/data"
)

// Use is a chart of events in a pass: its type of event and the fields mapped
// to its dimensions, in the order of its definition.
type Use struct {
	Chart   EventChart
	Subject *data.EventTable
	Fields  []data.Path
}

// Map checks a mapping of fields to dimensions by name: every dimension needs
// a field of the subject that has the property it asks for.
func (d Definition) Map(set *data.Set, subject *data.EventTable, fields map[string]string) ([]data.Path, error) {
	var paths []data.Path
	for _, dim := range d.Dimensions {
		name, ok := fields[dim.Name]
		if !ok {
			return nil, fmt.Errorf("%s: dimension %q has no field", d.Name, dim.Name)
		}
		p, ok := set.Path(subject.Definition, name)
		if !ok {
			return nil, fmt.Errorf("%s: dimension %q: %s has no field %q", d.Name, dim.Name, subject.Definition.Name, name)
		}
		if !p.Field.Has(dim.Property) {
			return nil, fmt.Errorf("%s: dimension %q needs a field with the property %s, which %q has not", d.Name, dim.Name, dim.Property, name)
		}
		paths = append(paths, p)
	}
	for name := range fields {
		if !d.hasDimension(name) {
			return nil, fmt.Errorf("%s: has no dimension %q", d.Name, name)
		}
	}
	return paths, nil
}

func (d Definition) hasDimension(name string) bool {
	for _, dim := range d.Dimensions {
		if dim.Name == name {
			return true
		}
	}
	return false
}

// Pass feeds all charts from one pass over each type of event they draw: a
// field that several charts use is read, and an indirect one resolved, once.
func Pass(ctx context.Context, uses []Use) error {
	var order []*data.EventTable
	bySubject := map[*data.EventTable][]Use{}
	for _, u := range uses {
		if _, ok := bySubject[u.Subject]; !ok {
			order = append(order, u.Subject)
		}
		bySubject[u.Subject] = append(bySubject[u.Subject], u)
	}
	for _, subject := range order {
		if err := passOne(ctx, subject, bySubject[subject]); err != nil {
			return err
		}
	}
	return nil
}

func passOne(ctx context.Context, subject *data.EventTable, uses []Use) error {
	var paths []data.Path
	at := map[string]int{} // field name -> column of the shared batch
	columns := make([][]int, len(uses))
	for i, u := range uses {
		for _, p := range u.Fields {
			c, ok := at[p.Name]
			if !ok {
				c = len(paths)
				at[p.Name] = c
				paths = append(paths, p)
			}
			columns[i] = append(columns[i], c)
		}
	}
	mine := make([]data.Column, 0, 8)
	return subject.Read(ctx, paths, func(b data.Batch) error {
		for i, u := range uses {
			mine = mine[:0]
			for _, c := range columns[i] {
				mine = append(mine, b.Columns[c])
			}
			if err := u.Chart.Batch(data.Batch{First: b.First, Rows: b.Rows, Columns: mine}); err != nil {
				return err
			}
		}
		return nil
	})
}
