package viz

import (
	"fmt"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// View is how to look at an open chart.
type View struct {
	Viewport
	Dark bool
	// Sort is the sorting scheme per dimension; what is missing has the
	// definition's. Like names another chart whose order to follow, and LikeSort
	// is how that one is sorted: entities that it does not have come after, by
	// this chart's own scheme.
	Sort     map[string]string
	Like     *OpenChart
	LikeSort map[string]string
	// Rows and Columns are the part of the entities on the axes to show.
	Rows, Columns Range
	First         int
}

// Scene draws the chart.
func (c *OpenChart) Scene(v View, shared Shared) (*scene.Scene, error) {
	if err := v.Viewport.check(); err != nil {
		return nil, err
	}
	lead, err := c.lead(v)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return nil, err
	}
	s, err := c.chart.Scene(f)
	if err == nil {
		if err = checkScene(s); err != nil {
			err = fmt.Errorf("%s: drew a wrong scene: %w", c.Definition.Name, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// At says what is under the pointer; ok is false if that is nothing.
func (c *OpenChart) At(v View, shared Shared, x, y float64) (h Hit, ok bool, err error) {
	pointed, can := c.chart.(Pointed)
	if !can {
		return h, false, nil
	}
	if err := v.Viewport.check(); err != nil {
		return h, false, err
	}
	lead, err := c.lead(v)
	if err != nil {
		return h, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return h, false, err
	}
	h, ok = pointed.At(f, x, y)
	return h, ok, nil
}

// Answer says in numbers what the chart shows.
func (c *OpenChart) Answer(v View, shared Shared) (any, error) {
	answering, can := c.chart.(Answering)
	if !can {
		return nil, fmt.Errorf("%s: has no numbers to give", c.Definition.Name)
	}
	lead, err := c.lead(v)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.frame(v, lead, shared)
	if err != nil {
		return nil, err
	}
	return answering.Answer(f), nil
}

// lead gives by dimension the order of the chart to follow. It is asked for
// before this chart is locked: two charts may each follow the other, and must
// not wait for each other.
func (c *OpenChart) lead(v View) (map[string][]data.EntityID, error) {
	if v.Like == nil {
		return nil, nil
	}
	lead := map[string][]data.EntityID{}
	for i, dim := range c.Definition.Dimensions {
		if !c.Fields[i].Field.IsReference() {
			continue
		}
		var err error
		if lead[dim.Name], err = v.Like.orderOf(c.w.Set.Entity(c.Fields[i].Field.Refers), v.LikeSort); err != nil {
			return nil, err
		}
	}
	return lead, nil
}

// frame completes a view. lead is as lead gives it.
func (c *OpenChart) frame(v View, lead map[string][]data.EntityID, shared Shared) (Frame, error) {
	f := Frame{Viewport: v.Viewport, Dark: v.Dark, Groups: shared.Groups, Rows: v.Rows, Columns: v.Columns, First: v.First}
	for dim := range v.Sort {
		if c.Definition.dimension(dim) < 0 {
			return f, fmt.Errorf("%s: has no dimension %q to sort (it has %s)", c.Definition.Name, dim, c.Definition.dimensionNames())
		}
	}
	if c.Definition.Pair {
		err := c.frameSides(&f, shared)
		return f, err
	}
	selection, err := c.w.ownFilter(shared.Selection)
	if err != nil {
		return f, fmt.Errorf("selection: %w", err)
	}
	if c.Definition.Trace && selection != nil {
		if f.SelectedCalls, err = c.w.selectedCalls(c.calls, shared, "", c.w.callsThat); err != nil {
			return f, err
		}
	}
	sorted, _ := c.chart.(Sorted)
	f.Orders = map[string][]data.EntityID{}
	for i, dim := range c.Definition.Dimensions {
		if !c.Fields[i].Field.IsReference() {
			continue
		}
		if sorted != nil {
			order, err := c.order(sorted, dim.Name, v.Sort)
			if err != nil {
				return f, err
			}
			if lead[dim.Name] != nil && order != nil {
				order = follow(order, lead[dim.Name], sorted.Entities(dim.Name))
			}
			f.Orders[dim.Name] = order
		}
		if selection != nil {
			if f.Selected == nil {
				f.Selected = map[string][]bool{}
			}
			if marks := selection.Entities(c.w.Set.Entity(c.Fields[i].Field.Refers)); marks != nil {
				f.Selected[dim.Name] = marks
			}
		}
	}
	return f, nil
}

// DefaultScheme sorts the charts whose definition says nothing about it.
const DefaultScheme = "amount"

// order sorts the entities of a dimension.
func (c *OpenChart) order(chart Sorted, dim string, sort map[string]string) ([]data.EntityID, error) {
	e := chart.Entities(dim)
	if e == nil {
		return nil, nil
	}
	scheme := sort[dim]
	if scheme == "" {
		scheme = c.Definition.Sort
	}
	if scheme == "" {
		scheme = DefaultScheme
	}
	key := dim + "\x00" + scheme
	order, known := c.orders[key]
	if !known {
		s, err := FindScheme(scheme)
		if err != nil {
			return nil, err
		}
		order = s.Order(c.w.Set, e)
		if c.done {
			c.orders[key] = order
		}
	}
	return order, nil
}

// orderOf is the order in which this chart shows entities of a type, nil if it
// shows none.
func (c *OpenChart) orderOf(t *data.EntityTable, sort map[string]string) ([]data.EntityID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sorted, ok := c.chart.(Sorted)
	if !ok {
		return nil, nil
	}
	for i, dim := range c.Definition.Dimensions {
		if c.Fields[i].Field.IsReference() && c.w.Set.Entity(c.Fields[i].Field.Refers) == t {
			return c.order(sorted, dim.Name, sort)
		}
	}
	return nil, nil
}

// follow puts what the leader shows first, in the leader's order.
func follow(order, leader []data.EntityID, e *Entities) []data.EntityID {
	out := make([]data.EntityID, 0, len(order))
	led := make([]bool, len(e.IDs))
	for _, id := range leader {
		if p := e.Find(id); p >= 0 {
			led[p] = true
			out = append(out, id)
		}
	}
	for _, id := range order {
		if !led[e.Find(id)] {
			out = append(out, id)
		}
	}
	return out
}
