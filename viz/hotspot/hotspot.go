// Package hotspot shows who is active when (Wang 2002, B.2 and B.3): entities
// on the y axis, time on the x axis, and a cell wherever events occurred. Time
// is a coordinate of the events, or the running sum of an amount.
package hotspot

import (
	"fmt"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name: "hotspot", Title: "Hot spots", Description: "which entities are active when",
			Dimensions: []viz.Dimension{
				{Name: "x", Title: "X axis", Accepts: []data.Property{data.Coordinate, data.Amount},
					Description: "when: a coordinate, or an amount, which is then added up from event to event"},
				{Name: "y", Title: "Y axis", Accepts: []data.Property{data.Reference}, Description: "entities"},
				{Name: "amount", Title: "Strength", Aliases: []string{"value"}, Accepts: []data.Property{data.Amount}, Default: data.Count.Name,
					Description: "the amount that makes a cell strong"},
			},
			Parameters: []viz.Parameter{
				{Name: "interval", Title: "Interval", Type: viz.Number, Default: "0", Min: 0, Max: plot.MaxInterval, Valid: plot.ValidInterval,
					Description: "width of a column on the x axis; 0 is as narrow as can be seen"},
				{Name: "scale", Title: "Strength", Type: viz.Choice, Default: "log", Description: "how amounts become tones",
					Choices: []viz.Option{{Value: "log", Title: "Logarithmic"}, {Value: "linear", Title: "Linear"}}},
			},
			Sort: "temporal",
		},
		New: func() viz.Chart { return &chart{} },
	})
}

const (
	across   = 0
	up       = 1
	strength = 2
)

type chart struct {
	config   viz.Config
	interval int64
	running  *plot.Running // the x axis is an amount that is added up; else nil
	entities *viz.Entities
	cells    *plot.Cells
	skipped  int64
}

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	var err error
	if c.interval, err = plot.Interval(config.Params["interval"]); err != nil {
		return err
	}
	if config.Fields[across].Field.Has(data.Amount) {
		c.running = plot.NewRunning(config.Period)
	}
	c.entities = viz.NewEntities(config.Set.Entity(config.Fields[up].Field.Refers), config.Names)
	c.cells = plot.NewCells(config.Groups, c.interval)
	return nil
}

func (c *chart) Batch(b viz.Batch) error {
	xs, ids, amounts := b.Columns[across].Values, b.Columns[up].Refs, b.Columns[strength].Values
	from, to := plot.Limits(c.config.Period)
	for i, id := range ids {
		x := xs[i]
		if c.running != nil {
			x = c.running.Next(x, b.Sequence(i), c.cells)
		}
		if x < from || x > to {
			continue
		}
		if id == data.None {
			c.skipped += b.Events(i)
			continue
		}
		g := 0
		if b.Group != nil {
			g = int(b.Group[i])
		}
		p := c.entities.Position(id)
		c.entities.Add(p, amounts[i])
		c.cells.Add(p, g, x, amounts[i], 0)
	}
	return c.cells.Check()
}

// Additive: cells are sums, unless where they are depends on the order of
// events. Columns of an interval that is not given are chosen by what occurs.
func (c *chart) Additive() (bins map[int]int64, ok bool) {
	if c.running != nil {
		return nil, false
	}
	if c.interval > 0 {
		return map[int]int64{across: c.interval}, true
	}
	return nil, true
}

func (c *chart) Entities(dimension string) *viz.Entities {
	if dimension == "y" {
		return c.entities
	}
	return nil
}

func (c *chart) Answer(f viz.Frame) any {
	return c.cells.Grid(c.up(f), func(cell plot.Cell) int64 { return cell.Value })
}

func (c *chart) up(f viz.Frame) plot.Axis {
	return plot.Entities(c.config.Fields[up].Name, "y", c.entities, f.Orders["y"], f.Rows)
}

func (c *chart) layOut(f viz.Frame) (*scene.Scene, plot.Area) {
	x := c.config.Fields[across]
	return plot.Draw(f, plot.Columns(c.cells, x.Name, "x", x.Field.Unit, c.config.Period), c.up(f))
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s, area := c.layOut(f)
	r := plot.CellRaster(area, c.cells, f.Selected["y"])
	low, high := r.Range()
	heat := plot.NewHeat(low, high, c.config.Params["scale"] == "linear", f.Dark)
	r.Paint(s, f.Dark, func(pixel int, total float64) scene.Color {
		return plot.Tone(plot.GroupColor(f, r.Group(pixel)), heat.Part(total), f.Dark)
	})
	s.Legend = plot.Legend(f)
	s.Drawn = int64(len(f.Orders["y"]))
	if c.skipped > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s events have no %s", plot.Count(c.skipped), c.config.Fields[up].Name))
	}
	return s, nil
}

func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	_, area := c.layOut(f)
	h, _, ok := plot.CellHit(f, area, c.cells, c.entities, x, y, func(cell plot.Cell) []viz.Fact {
		p := c.config.Fields[strength]
		return []viz.Fact{{Name: p.Name, Value: plot.Exact(cell.Value, string(p.Field.Unit))}}
	})
	return h, ok
}

func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	_, area := c.layOut(f)
	return plot.SelectCells(area, c.cells, c.running, c.config.Period, r)
}
