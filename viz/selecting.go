package viz

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
)

// Picked is what a rectangle of a picture covers.
type Picked struct {
	Filter string     // the text of a filter; "" if it covers nothing
	Focus  [2]*Period // of a comparison: where it moves the focus, as of Selection
}

// Select gives what a rectangle of the picture covers, as the text of a
// filter; "" if that is nothing.
func (c *OpenChart) Select(v View, shared Shared, r scene.Box) (string, error) {
	p, err := c.Pick(v, shared, r)
	return p.Filter, err
}

// Pick is Select with what else there is to say.
func (c *OpenChart) Pick(v View, shared Shared, r scene.Box) (p Picked, err error) {
	selectable, can := c.chart.(Selectable)
	if !can {
		return p, fmt.Errorf("%s: nothing can be selected in it", c.Definition.Name)
	}
	if err := v.Viewport.check(); err != nil {
		return p, err
	}
	lead, err := c.lead(v)
	if err != nil {
		return p, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return p, err
	}
	selection := selectable.Select(f, r)
	return Picked{c.text(selection), selection.Focus}, nil
}

// text writes a selection as a filter.
func (c *OpenChart) text(s Selection) string {
	var parts []string
	for i, dim := range c.Definition.Dimensions {
		name := strconv.Quote(c.Fields[i].Name)
		if ids := s.Entities[dim.Name]; len(ids) > 0 {
			of := c.w.Set.Entity(c.Fields[i].Field.Refers)
			if len(ids) > query.MostListed {
				ids = slices.Clone(ids)
				slices.Sort(ids)
				parts = append(parts, name+" in "+query.Pack(of, slices.Compact(ids)))
			} else {
				parts = append(parts, name+" in ["+strings.Join(c.w.mention(of, ids), ", ")+"]")
			}
		}
		if p, ok := s.Periods[dim.Name]; ok {
			parts = append(parts, p.text(name))
		}
	}
	if s.Events != nil {
		parts = append(parts, fmt.Sprintf("event in %d..%d", s.Events.From, s.Events.To))
	}
	if s.Filter != "" {
		parts = append(parts, s.Filter)
	}
	return strings.Join(parts, " and ")
}

// text writes a period as a filter of a field. The least integer cannot be
// written there, and need not be.
func (p Period) text(field string) string {
	if p.From == math.MinInt64 {
		return fmt.Sprintf("%s <= %d", field, p.To)
	}
	return fmt.Sprintf("%s in %d..%d", field, p.From, p.To)
}

// mention writes entities as a filter names them: by name where that is
// enough, and otherwise by number.
func (w *Workspace) mention(t *data.EntityTable, ids []data.EntityID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		switch {
		case w.Tree != nil && t == w.Tree.ContextTable:
			texts[i] = strconv.FormatInt(int64(w.Tree.OfContext(id)), 10)
		case t.Names == nil || w.ambiguous(t)[t.Names[id]]:
			texts[i] = strconv.FormatInt(int64(id), 10)
		default:
			texts[i] = strconv.Quote(t.Names[id])
		}
	}
	return texts
}

// ambiguous gives the names that several entities of a type have.
func (w *Workspace) ambiguous(t *data.EntityTable) map[string]bool {
	w.twins.Lock()
	defer w.twins.Unlock()
	if twins, ok := w.twins.of[t]; ok {
		return twins
	}
	seen, twins := make(map[string]bool, len(t.Names)), map[string]bool{}
	for _, name := range t.Names {
		if seen[name] {
			twins[name] = true
		}
		seen[name] = true
	}
	if w.twins.of == nil {
		w.twins.of = map[*data.EntityTable]map[string]bool{}
	}
	w.twins.of[t] = twins
	return twins
}
