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
	c.sums.Add(&b, c.entities, c.amount)
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
	from, to int // positions that are shown
	step     int // how many entities share the place of a bar
}

func (c *chart) layOut(f viz.Frame) (*scene.Scene, bars) {
	b := bars{chart: c, f: f, order: f.Orders[c.dimension()], vertical: c.entities == 0, log: c.config.Params["scale"] == "log"}
	low, high := int64(0), int64(0)
	for _, id := range b.order {
		l, h := c.sums.Ends(id)
		low, high = min(low, l), max(high, h)
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
	b.from, b.to = entities.Visible()
	var s *scene.Scene
	room := 0.0
	if b.vertical {
		s, b.area = plot.Draw(f, entities, values)
		room = b.area.W
	} else {
		s, b.area = plot.Draw(f, values, entities)
		room = b.area.H
	}
	b.step = max(1, int(math.Ceil(float64(b.to-b.from)/math.Max(room, 1))))
	return s, b
}

func (c *chart) other() string { return []string{"x", "y"}[c.amount] }

// logOf is the length of an amount on a logarithmic scale: that of 1 is not 0.
func logOf(v float64) float64 { return math.Log10(1 + math.Max(v, 0)) }

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s, b := c.layOut(f)
	s.Legend = plot.Legend(f)
	selected := f.Selected[c.dimension()]
	for i := b.from; i < b.to; i += b.step {
		end := min(i+b.step, b.to)
		mark := false
		for j := i; j < end; j++ {
			mark = mark || selected != nil && selected[b.order[j]]
		}
		b.bar(s, i, end, selected != nil, mark)
		s.Drawn += int64(end - i)
	}
	if n := c.sums.Skipped(); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s events have no %s", plot.Count(n), c.config.Fields[c.entities].Name))
	}
	return s, nil
}

// longest is the entity that is drawn for those at from..to-1. Bars thinner than
// a pixel share it, and what one looks for are the long ones.
func (b bars) longest(from, to int) data.EntityID {
	best, length := from, 0.0
	for i := from; i < to; i++ {
		if v := math.Abs(float64(b.sums.Of(b.order[i]))); v > length {
			best, length = i, v
		}
	}
	return b.order[best]
}

// bar draws the entities at from..to-1, a part for each colour group: what is
// positive away from 0 one after the other, and what is negative the other way.
func (b bars) bar(s *scene.Scene, from, to int, selecting, mark bool) {
	id := b.longest(from, to)
	scale := 1.0
	if b.log {
		// Parts keep their shares on a logarithmic scale, which shows no less than 0.
		_, high := b.sums.Ends(id)
		scale = logOf(float64(high)) / math.Max(float64(high), 1)
	}
	low, high := 0.0, 0.0 // where the parts so far end
	for g := range b.sums.Groups() {
		group := (g + 1) % b.sums.Groups() // groups first, the rest last
		part := float64(b.sums.OfGroup(id, group)) * scale
		var start, end float64
		switch {
		case part > 0:
			start, end = high, high+part
			high = end
		case part < 0 && !b.log:
			start, end = low+part, low
			low = start
		default:
			continue
		}
		s.Rects.Add(b.place(from, to, start, end, group, uint32(id)))
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

// place gives the rectangle of a part, within the axes.
func (b bars) place(from, to int, start, end float64, group int, id uint32) (x, y, w, h float64, fill scene.Color, _ uint32) {
	a := b.area
	// along is the direction of the amount, and across that of the entities.
	along0, along1, across0, across1 := a.XOf(start), a.XOf(end), a.YOf(float64(from)), a.YOf(float64(to))
	least, most := a.X, a.X+a.W
	if b.vertical {
		along0, along1, across0, across1 = a.YOf(end), a.YOf(start), a.XOf(float64(from)), a.XOf(float64(to))
		least, most = a.Y, a.Y+a.H
	}
	if along1-along0 < minLength {
		if b.vertical {
			along0 = along1 - minLength
		} else {
			along1 = along0 + minLength
		}
	}
	// Sums that are beyond 64 bits end before their parts do.
	along0, along1 = math.Max(least, math.Min(along0, most)), math.Max(least, math.Min(along1, most))
	across1 -= spacing(across1 - across0)
	fill = plot.GroupColor(b.f, group)
	if b.vertical {
		return across0, along0, across1 - across0, along1 - along0, fill, id
	}
	return along0, across0, along1 - along0, across1 - across0, fill, id
}

// spacing is the gap between bars of a thickness.
func spacing(thickness float64) float64 {
	if thickness < 3 {
		return 0
	}
	return math.Min(2, thickness*0.2)
}

// under gives the entity whose bar is drawn at a point of the picture.
func (b bars) under(x, y float64) (data.EntityID, bool) {
	if !b.area.Contains(x, y) || b.from >= b.to {
		return 0, false
	}
	position := b.area.UpAt(y)
	if b.vertical {
		position = b.area.AcrossAt(x)
	}
	i := min(max(int(position), b.from), b.to-1)
	i -= (i - b.from) % b.step
	return b.longest(i, min(i+b.step, b.to)), true
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
