// Package prediction shows where a predictor guesses wrong (Wang 2002, 5.3 and
// B.7): a hot spot chart in which every event is the next target of an entity
// on the y axis, and cells with a wrong guess are red.
package prediction

import (
	"fmt"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/predict"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name: "prediction", Title: "Prediction", Description: "where a predictor guesses the next target of an entity wrong",
			Dimensions: []viz.Dimension{
				{Name: "x", Title: "X axis", Accepts: []data.Property{data.Coordinate, data.Amount},
					Description: "when: a coordinate, or an amount, which is then added up from event to event"},
				{Name: "y", Title: "Y axis", Accepts: []data.Property{data.Reference}, Description: "entities whose targets are guessed"},
				{Name: "prediction", Title: "Prediction", Accepts: []data.Property{data.Reference}, Description: "the target to guess"},
			},
			Parameters: []viz.Parameter{
				{Name: "predictor", Title: "Predictor", Type: viz.Choice, Default: "one-bit", Options: predictors, Valid: known,
					Description: "how the next target is guessed"},
				{Name: "against", Title: "Compare with", Type: viz.Choice, Options: orNone, Valid: knownOrNone,
					Description: "a second predictor, whose misses are told beside those of the first"},
				{Name: "interval", Title: "Interval", Type: viz.Number, Default: "0", Min: 0, Max: plot.MaxInterval, Valid: plot.ValidInterval,
					Description: "width of a column on the x axis; 0 is as narrow as can be seen"},
			},
			Sort: "temporal",
		},
		New: func() viz.Chart { return &chart{} },
	})
}

func predictors() []viz.Option {
	var options []viz.Option
	for _, d := range predict.All() {
		options = append(options, viz.Option{Value: d.String(), Title: d.Title, Description: d.Description})
	}
	return options
}

func orNone() []viz.Option {
	return append([]viz.Option{{Value: "", Title: "None", Description: "no second predictor"}}, predictors()...)
}

func known(name string) error {
	_, err := predict.Find(name)
	return err
}

func knownOrNone(name string) error {
	if name == "" {
		return nil
	}
	return known(name)
}

const (
	across = 0
	up     = 1
	target = 2
)

type chart struct {
	config     viz.Config
	running    *plot.Running // the x axis is an amount that is added up; else nil
	predictors []predict.Definition
	score      *predict.Score
	entities   *viz.Entities
	cells      *plot.Cells // events, and misses of the first predictor as the second sum
	skipped    int64
}

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	interval, err := plot.Interval(config.Params["interval"])
	if err != nil {
		return err
	}
	for _, name := range []string{config.Params["predictor"], config.Params["against"]} {
		if name == "" {
			continue
		}
		d, err := predict.Find(name)
		if err != nil {
			return err
		}
		c.predictors = append(c.predictors, d)
	}
	of := config.Set.Entity(config.Fields[up].Field.Refers)
	if config.Fields[across].Field.Has(data.Amount) {
		c.running = plot.NewRunning(config.Period)
	}
	c.score = predict.NewScore(of.Rows(), c.predictors...)
	c.entities = viz.NewEntities(of, config.Names)
	c.cells = plot.NewCells(config.Groups, interval)
	return nil
}

func (c *chart) Batch(b viz.Batch) error {
	xs, ids, targets := b.Columns[across].Values, b.Columns[up].Refs, b.Columns[target].Refs
	from, to := plot.Limits(c.config.Period)
	for i, id := range ids {
		x := xs[i]
		if c.running != nil {
			x = c.running.Next(x, b.Sequence(i), c.cells)
		}
		missed, ok := c.score.Observe(id, targets[i])
		if !ok {
			c.skipped++
			continue
		}
		if x < from || x > to {
			continue // it taught the predictor, but is not shown
		}
		g := 0
		if b.Group != nil {
			g = int(b.Group[i])
		}
		miss := int64(missed & 1)
		p := c.entities.Position(id)
		c.entities.Add(p, miss)
		c.cells.Add(p, g, x, 1, miss)
	}
	return c.cells.Check()
}

func (c *chart) Entities(dimension string) *viz.Entities {
	if dimension == "y" {
		return c.entities
	}
	return nil
}

type cells = viz.Grid

// grid is what the chart shows in numbers: a cell's value is its misses.
type grid struct {
	*cells
	Predictors []result `json:"predictors"`
}

// result is how a predictor did in all.
type result struct {
	Name   string `json:"name"`
	Misses int64  `json:"misses"`
	Events int64  `json:"events"`
}

func (c *chart) Answer(f viz.Frame) any {
	g := grid{cells: c.cells.Grid(c.up(f), func(cell plot.Cell) int64 { return cell.Second })}
	for i, p := range c.predictors {
		g.Predictors = append(g.Predictors, result{p.String(), c.score.TotalMisses[i], c.score.TotalEvents})
	}
	return g
}

func (c *chart) up(f viz.Frame) plot.Axis {
	return plot.Entities(c.config.Fields[up].Name, "y", c.entities, f.Orders["y"], f.Rows)
}

func (c *chart) layOut(f viz.Frame) (*scene.Scene, plot.Area) {
	x := c.config.Fields[across]
	return plot.Draw(f, plot.Columns(c.cells, x.Name, "x", x.Field.Unit, c.config.Period), c.up(f))
}

// Missed and hit are the colours of the thesis: red where any guess was wrong,
// light blue where none was.
func missed(dark bool) scene.Color {
	if dark {
		return scene.OKLCH(0.68, 0.20, 27)
	}
	return scene.OKLCH(0.55, 0.21, 27)
}

func hit(dark bool) scene.Color {
	if dark {
		return scene.OKLCH(0.50, 0.08, 240)
	}
	return scene.OKLCH(0.80, 0.08, 240)
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s, area := c.layOut(f)
	r := plot.CellRaster(area, c.cells, f.Selected["y"])
	r.Paint(s, f.Dark, func(pixel int, _ float64) scene.Color {
		if r.Second != nil && r.Second[pixel] > 0 {
			return missed(f.Dark)
		}
		return hit(f.Dark)
	})
	s.Legend = &scene.Legend{Title: "Prediction", Entries: []scene.LegendEntry{
		{Label: "a miss or more", Color: missed(f.Dark)}, {Label: "all right", Color: hit(f.Dark)},
	}}
	s.Drawn = int64(len(f.Orders["y"]))
	for i, p := range c.predictors {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %s of %s guesses wrong (%s)", p.String(),
			plot.Count(c.score.TotalMisses[i]), plot.Count(c.score.TotalEvents), plot.Share(c.score.TotalMisses[i], c.score.TotalEvents)))
	}
	if c.skipped > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s events have no %s or no %s", plot.Count(c.skipped), c.config.Fields[up].Name, c.config.Fields[target].Name))
	}
	return s, nil
}

func (c *chart) At(f viz.Frame, x, y float64) (viz.Hit, bool) {
	_, area := c.layOut(f)
	h, id, ok := plot.CellHit(f, area, c.cells, c.entities, x, y, func(cell plot.Cell) []viz.Fact {
		return []viz.Fact{{Name: "events here", Value: plot.Count(cell.Value)}, {Name: "misses here", Value: plot.Count(cell.Second)}}
	})
	if !ok {
		return h, false
	}
	for i, p := range c.predictors {
		misses, events := c.score.Misses[i][id], c.score.Events[id]
		h.Facts = append(h.Facts, viz.Fact{Name: p.String() + " in all", Value: fmt.Sprintf("%s of %s wrong", plot.Count(misses), plot.Count(events))})
	}
	return h, true
}

func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	_, area := c.layOut(f)
	return plot.SelectCells(area, c.cells, c.running, c.config.Period, r)
}
