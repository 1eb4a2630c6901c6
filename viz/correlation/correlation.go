// Package correlation shows which entities occur together (Wang 2002, B.6):
// entities on both axes, and a cell for every pair that events have, coloured
// by how much of an amount they add up to.
package correlation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name: "correlation", Title: "Correlation", Description: "which entities occur together, and how much",
			Dimensions: []viz.Dimension{
				{Name: "x", Title: "X axis", Accepts: []data.Property{data.Reference}, Description: "entities"},
				{Name: "y", Title: "Y axis", Accepts: []data.Property{data.Reference}, Description: "entities"},
				{Name: "color", Aliases: []string{"colour", "amount", "value"}, Title: "Colour", Accepts: []data.Property{data.Amount}, Default: data.Count.Name,
					Description: "the amount that colours a cell"},
			},
			Parameters: []viz.Parameter{
				{Name: "scale", Title: "Scale", Type: viz.Choice, Default: "log", Description: "how amounts become colours",
					Choices: []viz.Option{{Value: "log", Title: "Logarithmic"}, {Value: "linear", Title: "Linear"}}},
			},
		},
		New: func() viz.Chart { return &chart{} },
	})
}

const (
	across = 0
	up     = 1
	color  = 2
)

type chart struct {
	config        viz.Config
	columns, rows *viz.Entities
	pairs         *plot.Pairs
	skipped       int64
}

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	c.columns = viz.NewEntities(config.Set.Entity(config.Fields[across].Field.Refers), config.Names)
	c.rows = viz.NewEntities(config.Set.Entity(config.Fields[up].Field.Refers), config.Names)
	c.pairs = plot.NewPairs()
	return nil
}

func (c *chart) Batch(b viz.Batch) error {
	xs, ys, amounts := b.Columns[across].Refs, b.Columns[up].Refs, b.Columns[color].Values
	for i, x := range xs {
		y := ys[i]
		if x == data.None || y == data.None {
			c.skipped += b.Events(i)
			continue
		}
		g := 0
		if b.Group != nil {
			g = int(b.Group[i])
		}
		column, row := c.columns.Position(x), c.rows.Position(y)
		c.columns.Add(column, amounts[i])
		c.rows.Add(row, amounts[i])
		c.pairs.Add(column, row, g, amounts[i])
	}
	return nil
}

// Additive: cells are sums, in whatever portions they come.
func (c *chart) Additive() (bins map[int]int64, ok bool) { return nil, true }

func (c *chart) Entities(dimension string) *viz.Entities {
	switch dimension {
	case "x":
		return c.columns
	case "y":
		return c.rows
	}
	return nil
}

// places gives, by position, the place of an entity in an order.
func places(e *viz.Entities, order []data.EntityID) []int {
	places := make([]int, len(e.IDs))
	for i, id := range order {
		places[e.Find(id)] = i
	}
	return places
}

func (c *chart) Answer(f viz.Frame) any {
	g := &viz.Grid{Interval: 1, Columns: []string{}, Rows: []string{}, Cells: [][3]int64{}}
	for _, id := range f.Orders["x"] {
		g.Columns = append(g.Columns, c.columns.Name(id))
	}
	for _, id := range f.Orders["y"] {
		g.Rows = append(g.Rows, c.rows.Name(id))
	}
	column, row := places(c.columns, f.Orders["x"]), places(c.rows, f.Orders["y"])
	sums := map[[2]int]int64{}
	for p := range c.pairs.All {
		at := [2]int{column[p.Column], row[p.Row]}
		sums[at] = plot.Saturating(sums[at], p.Value)
	}
	for at, v := range sums {
		g.Cells = append(g.Cells, [3]int64{int64(at[0]), int64(at[1]), v})
	}
	slices.SortFunc(g.Cells, func(a, b [3]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return g
}

func (c *chart) layOut(f viz.Frame) (*scene.Scene, plot.Area) {
	return plot.Draw(f,
		plot.Entities(c.config.Fields[across].Name, "x", c.columns, f.Orders["x"], f.Columns),
		plot.Entities(c.config.Fields[up].Name, "y", c.rows, f.Orders["y"], f.Rows))
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s, area := c.layOut(f)
	r := plot.NewRaster(area, area.Across.To-area.Across.From, area.Up.To-area.Up.From, c.config.Groups+1)
	column, row := places(c.columns, f.Orders["x"]), places(c.rows, f.Orders["y"])
	chosenX, chosenY := f.Selected["x"], f.Selected["y"]
	for p := range c.pairs.All {
		pixel, ok := r.Pixel(float64(column[p.Column])+0.5, float64(row[p.Row])+0.5)
		if !ok {
			continue
		}
		r.Add(pixel, p.Group, float64(p.Value), 0)
		if (chosenX != nil || chosenY != nil) && plot.Selected(chosenX, c.columns.IDs[p.Column]) && plot.Selected(chosenY, c.rows.IDs[p.Row]) {
			r.Highlight(pixel)
		}
	}
	r.Select(chosenX != nil || chosenY != nil)
	low, high := r.Range()
	heat := plot.NewHeat(low, high, c.config.Params["scale"] == "linear", f.Dark)
	groups := plot.Legend(f)
	ramp := heat.Ramp()
	r.Paint(s, f.Dark, func(pixel int, total float64) scene.Color {
		if groups != nil {
			return plot.Tone(plot.GroupColor(f, r.Group(pixel)), heat.Part(total), f.Dark)
		}
		return ramp[int(math.Round(heat.Part(total)*float64(len(ramp)-1)))]
	})
	amount := c.config.Fields[color]
	if s.Legend = groups; groups == nil {
		s.Legend = &scene.Legend{Title: amount.Name, Ramp: ramp,
			RampLow: plot.Number(low, string(amount.Field.Unit)), RampHigh: plot.Number(high, string(amount.Field.Unit))}
	}
	s.Drawn = int64(c.pairs.Len())
	if c.skipped > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s events have no %s or no %s", plot.Count(c.skipped), c.config.Fields[across].Name, c.config.Fields[up].Name))
	}
	return s, nil
}

func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	_, area := c.layOut(f)
	if !area.Contains(x, y) {
		return viz.Hit{}, false
	}
	column, ok1 := area.Across.Entity(area.AcrossAt(x))
	row, ok2 := area.Up.Entity(area.UpAt(y))
	if !ok1 || !ok2 {
		return viz.Hit{}, false
	}
	amount := c.config.Fields[color]
	h := viz.Hit{Title: c.rows.Name(row), Facts: []viz.Fact{{Name: c.config.Fields[across].Name, Value: c.columns.Name(column)}}}
	sum := int64(0)
	for g := range c.config.Groups + 1 {
		v := c.pairs.Of(c.columns.Find(column), c.rows.Find(row), g)
		sum = plot.Saturating(sum, v)
		if group, shown := plot.GroupOf(f, g); shown && v != 0 {
			h.Facts = append(h.Facts, viz.Fact{Name: group.Name, Value: plot.Exact(v, string(amount.Field.Unit))})
		}
	}
	h.Facts = append(h.Facts, viz.Fact{Name: amount.Name, Value: plot.Exact(sum, string(amount.Field.Unit))})
	return h, true
}

func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	_, area := c.layOut(f)
	r, ok := area.Clip(r)
	if !ok {
		return viz.Selection{}
	}
	return viz.Selection{Entities: map[string][]data.EntityID{"x": area.SelectColumns(r), "y": area.SelectRows(r)}}
}
