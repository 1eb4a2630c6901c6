// Package bar is the bar chart (Wang 2002, B.4 and B.5): a bar per entity, as
// long as the sum of an amount over its events. Entities on the y axis make
// horizontal bars, entities on the x axis vertical ones.
package bar

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

var either = []data.Property{data.Reference, data.Amount}

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name: "bar", Title: "Bar chart", Description: "how much of an amount each entity has",
			Dimensions: []viz.Dimension{
				{Name: "x", Title: "X axis", Accepts: []data.Property{data.Amount, data.Reference},
					Description: "an amount, for horizontal bars; entities, for vertical ones"},
				{Name: "y", Title: "Y axis", Accepts: either,
					Description: "entities, for horizontal bars; an amount, for vertical ones"},
			},
			Parameters: []viz.Parameter{
				{Name: "scale", Title: "Scale", Type: viz.Choice, Default: "linear", Description: "how amounts become lengths",
					Choices: []viz.Option{{Value: "linear", Title: "Linear"}, {Value: "log", Title: "Logarithmic"}}},
			},
			Check: func(fields []data.Path) error {
				if fields[0].Field.IsReference() == fields[1].Field.IsReference() {
					return fmt.Errorf("one axis needs entities and the other an amount, but %q and %q are of one kind", fields[0].Name, fields[1].Name)
				}
				return nil
			},
		},
		New: func() viz.Chart { return &chart{} },
	})
}

type chart struct {
	config           viz.Config
	entities, amount int // dimensions
	sums             *plot.Sums
}

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	c.entities, c.amount = 1, 0
	if config.Fields[0].Field.IsReference() {
		c.entities, c.amount = 0, 1
	}
	of := config.Set.Entity(config.Fields[c.entities].Field.Refers)
	c.sums = plot.NewSums(viz.NewEntities(of, config.Names), config.Groups)
	return nil
}

func (c *chart) Batch(b viz.Batch) error {
	c.sums.Add(b.Columns[c.entities].Refs, b.Columns[c.amount].Values, b.Group)
	return nil
}

// Additive: bars are sums, in whatever portions they come.
func (c *chart) Additive() (bins map[int]int64, ok bool) { return nil, true }

func (c *chart) dimension() string { return []string{"x", "y"}[c.entities] }

func (c *chart) Entities(dimension string) *viz.Entities {
	if dimension == c.dimension() {
		return c.sums.Entities
	}
	return nil
}

func (c *chart) Answer(f viz.Frame) any {
	values := []viz.Value{}
	for _, id := range f.Orders[c.dimension()] {
		values = append(values, viz.Value{Entity: c.sums.Entities.Name(id), Value: c.sums.Of(id)})
	}
	return values
}

// bars is a chart laid out.
type bars struct {
	*chart
	f        viz.Frame
	area     plot.Area
	order    []data.EntityID
	vertical bool
	log      bool
}

func (c *chart) layOut(f viz.Frame) (*scene.Scene, bars) {
	b := bars{chart: c, f: f, order: f.Orders[c.dimension()], vertical: c.entities == 0, log: c.config.Params["scale"] == "log"}
	low, high := int64(0), int64(0)
	for _, id := range b.order {
		v := c.sums.Of(id)
		low, high = min(low, v), max(high, v)
	}
	from, to := float64(low), float64(high)
	if b.log {
		from, to = 0, logOf(to)
	}
	amount := c.config.Fields[c.amount]
	values := plot.Values(amount.Name, c.other(), amount.Field.Unit, from, to, viz.Range{})
	if b.log {
		values.Name, values.Unit = "log₁₀ of "+values.Name, ""
	}
	window := f.Rows
	if b.vertical {
		window = f.Columns
	}
	entities := plot.Entities(c.config.Fields[c.entities].Name, c.dimension(), c.sums.Entities, b.order, window)
	var s *scene.Scene
	if b.vertical {
		s, b.area = plot.Draw(f, entities, values)
	} else {
		s, b.area = plot.Draw(f, values, entities)
	}
	return s, b
}

func (c *chart) other() string { return []string{"x", "y"}[c.amount] }

// logOf is the length of an amount on a logarithmic scale: that of 1 is not 0.
func logOf(v float64) float64 { return math.Log10(1 + math.Max(v, 0)) }

func (b bars) length(v int64) float64 {
	if b.log {
		return logOf(float64(v))
	}
	return float64(v)
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s, b := c.layOut(f)
	s.Legend = plot.Legend(f)
	axis, room := b.area.Up, b.area.H
	if b.vertical {
		axis, room = b.area.Across, b.area.W
	}
	from, to := axis.Visible()
	selected := f.Selected[c.dimension()]
	// Bars thinner than a pixel share it: the longest is drawn for all of them.
	step := max(1, int(math.Ceil((axis.To-axis.From)/math.Max(room, 1))))
	for i := from; i < to; i += step {
		longest, mark := i, false
		for j := i; j < min(i+step, to); j++ {
			if c.sums.Of(b.order[j]) > c.sums.Of(b.order[longest]) {
				longest = j
			}
			mark = mark || selected != nil && selected[b.order[j]]
		}
		b.bar(s, i, step, b.order[longest], selected != nil, mark)
		s.Drawn += int64(min(i+step, to) - i)
	}
	if n := c.sums.Skipped(); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s events have no %s", plot.Count(n), c.config.Fields[c.entities].Name))
	}
	return s, nil
}

// bar draws an entity in the place of step entities from position i on, a part
// for each of its colour groups.
func (b bars) bar(s *scene.Scene, i, step int, id data.EntityID, selecting, mark bool) {
	gap := 0.0
	at := 0.0
	whole := b.length(b.sums.Of(id))
	sum := float64(b.sums.Of(id))
	for g := range b.sums.Groups() {
		group := (g + 1) % b.sums.Groups() // groups first, the rest last
		part := float64(b.sums.OfGroup(id, group))
		if part == 0 {
			continue
		}
		if sum != 0 { // parts keep their shares on a logarithmic scale
			part = part / sum * whole
		}
		var x0, y0, x1, y1 float64
		if b.vertical {
			x0, x1 = b.area.XOf(float64(i)), b.area.XOf(float64(i+step))
			y0, y1 = b.area.YOf(at+part), b.area.YOf(at)
			gap = spacing(x1 - x0)
			x1 -= gap
		} else {
			x0, x1 = b.area.XOf(at), b.area.XOf(at+part)
			y0, y1 = b.area.YOf(float64(i)), b.area.YOf(float64(i+step))
			gap = spacing(y1 - y0)
			y1 -= gap
		}
		at += part
		x0, x1 = min(x0, x1), max(x0, x1)
		y0, y1 = min(y0, y1), max(y0, y1)
		if b.vertical {
			y0 = min(y0, y1-minLength)
		} else {
			x1 = max(x1, x0+minLength)
		}
		s.Rects.Add(x0, y0, x1-x0, y1-y0, plot.GroupColor(b.f, group), uint32(id))
		if selecting {
			match := scene.MatchNone
			if mark {
				match = scene.MatchSelf
			}
			s.Rects.Match = append(s.Rects.Match, match)
		}
	}
}

// minLength keeps what there is visible.
const minLength = 1

// spacing is the gap between bars of a thickness.
func spacing(thickness float64) float64 {
	if thickness < 3 {
		return 0
	}
	return math.Min(2, thickness*0.2)
}

// under gives the entity at a point of the picture.
func (b bars) under(x, y float64) (data.EntityID, bool) {
	if !b.area.Contains(x, y) {
		return 0, false
	}
	if b.vertical {
		return b.area.Across.Entity(b.area.AcrossAt(x))
	}
	return b.area.Up.Entity(b.area.UpAt(y))
}

func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	_, b := c.layOut(f)
	id, ok := b.under(x, y)
	if !ok {
		return viz.Hit{}, false
	}
	return plot.SumHit(f, c.sums, id, c.config.Fields[c.amount]), true
}

func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	_, b := c.layOut(f)
	r, ok := b.area.Clip(r)
	if !ok {
		return viz.Selection{}
	}
	ids := b.area.SelectRows(r)
	if b.vertical {
		ids = b.area.SelectColumns(r)
	}
	return viz.Selection{Entities: map[string][]data.EntityID{c.dimension(): ids}}
}
