// Package table is the table (Wang 2002, B.1): entities on the left, and on
// the right the sum of an amount over their events.
package table

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name: "table", Title: "Table", Description: "the sum of an amount for each entity",
			Dimensions: []viz.Dimension{
				{Name: "left", Aliases: []string{"y", "entity"}, Title: "Left column", Accepts: []data.Property{data.Reference}, Description: "entities"},
				{Name: "right", Aliases: []string{"x", "value"}, Title: "Right column", Accepts: []data.Property{data.Amount}, Description: "an amount, added up over the events of an entity"},
			},
		},
		New: func() viz.Chart { return &chart{} },
	})
}

const (
	entities = "left"
	left     = 0
	right    = 1
)

type chart struct {
	config viz.Config
	sums   *plot.Sums
}

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	of := config.Set.Entity(config.Fields[left].Field.Refers)
	c.sums = plot.NewSums(viz.NewEntities(of, config.Names), config.Groups)
	return nil
}

func (c *chart) Batch(b viz.Batch) error {
	c.sums.Add(&b, left, right)
	return nil
}

// Additive: rows are sums, in whatever portions they come.
func (c *chart) Additive() (bins map[int]int64, ok bool) { return nil, true }

func (c *chart) Entities(dimension string) *viz.Entities {
	if dimension == entities {
		return c.sums.Entities
	}
	return nil
}

func (c *chart) Answer(f viz.Frame) any {
	values := []viz.Value{}
	for _, id := range f.Orders[entities] {
		values = append(values, viz.Value{Entity: c.sums.Entities.Name(id), Value: c.sums.Of(id)})
	}
	return values
}

// rowHeight is that of a row, and of the head, in the page and in pictures.
const rowHeight = 24

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	order, amount := f.Orders[entities], c.config.Fields[right]
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: plot.Background(f.Dark), Legend: plot.Legend(f)}
	first := firstOf(f)
	t := &scene.Table{
		Columns: []scene.TableColumn{
			{Title: fmt.Sprintf("%s (%s)", c.config.Fields[left].Name, plot.Count(int64(len(order))))},
			{Title: amount.Name, Number: true},
			{Title: "share", Number: true},
		},
		First: first, Total: len(order),
	}
	most, total := int64(0), c.sums.Total()
	for _, id := range order {
		most = max(most, c.sums.Of(id))
	}
	selected := f.Selected[entities]
	room := int(math.Ceil(f.Height/rowHeight)) + 1
	for _, id := range order[first:min(first+room, len(order))] {
		v := c.sums.Of(id)
		row := scene.TableRow{
			Cells: []string{c.sums.Entities.Name(id), plot.Exact(v, string(amount.Field.Unit)), plot.Share(v, total)},
			ID:    uint32(id), Selected: selected != nil && selected[id],
		}
		if most > 0 {
			row.Share = math.Max(0, float64(v)/float64(most))
		}
		if g, shown := plot.GroupOf(f, c.sums.Group(id)); shown {
			row.Color = g.Color
		}
		t.Rows = append(t.Rows, row)
	}
	s.Table, s.Drawn = t, int64(len(t.Rows))
	if n := c.sums.Skipped(); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s events have no %s", plot.Count(n), c.config.Fields[left].Name))
	}
	return s, nil
}

// firstOf is the first row to write out.
func firstOf(f viz.Frame) int { return max(0, min(f.First, len(f.Orders[entities])-1)) }

// rows gives the positions of the rows from y0 to y1: from..to-1.
func rows(f viz.Frame, y0, y1 float64) (from, to int) {
	last := float64(len(f.Orders[entities]) - firstOf(f))
	at := func(y float64) int { return firstOf(f) + int(math.Max(-1, math.Min(math.Floor(y/rowHeight)-1, last))) }
	if !(y0 <= y1) {
		return 0, 0
	}
	// What ends where a row begins does not touch it.
	return max(at(y0), firstOf(f)), min(max(at(y0), at(y1-0.01))+1, len(f.Orders[entities]))
}

func (c *chart) At(f viz.Frame, _, y float64) (viz.Hit, bool) {
	from, to := rows(f, y, y)
	if from >= to {
		return viz.Hit{}, false
	}
	return plot.SumHit(f, c.sums, f.Orders[entities][from], c.config.Fields[right]), true
}

func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	from, to := rows(f, min(r.Y0, r.Y1), max(r.Y0, r.Y1))
	if from >= to {
		return viz.Selection{}
	}
	return viz.Selection{Entities: map[string][]data.EntityID{entities: f.Orders[entities][from:to]}}
}
