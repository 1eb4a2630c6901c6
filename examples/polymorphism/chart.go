package main

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// A chart of how polymorphic sites become: time on the x axis, sites on the y
// axis, and a cell in the colour of how many targets its site has had so far.
func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name: "polymorphism", Title: "Polymorphism", Description: "how many targets each site has had so far",
			Dimensions: []viz.Dimension{
				{Name: "x", Title: "Time", Accepts: []data.Property{data.Coordinate}, Description: "when"},
				{Name: "y", Title: "Sites", Accepts: []data.Property{data.Reference}, Description: "who calls"},
				{Name: "target", Title: "Targets", Accepts: []data.Property{data.Reference}, Description: "what is called"},
			},
			Sort: "temporal",
		},
		New: func() viz.Chart { return &chart{} },
	})
}

type chart struct {
	config viz.Config
	sites  *viz.Entities
	seen   map[[2]data.EntityID]bool // site and target
	degree []int                     // position of a site -> its targets so far
	cells  *plot.Cells               // by degree in place of colour groups
}

// most is the degree from which on all look alike.
const most = 4

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	c.sites = viz.NewEntities(config.Set.Entity(config.Fields[1].Field.Refers), config.Names)
	c.seen = map[[2]data.EntityID]bool{}
	c.cells = plot.NewCells(most, 0)
	return nil
}

func (c *chart) Batch(b viz.Batch) error {
	times, sites, targets := b.Columns[0].Values, b.Columns[1].Refs, b.Columns[2].Refs
	for i, site := range sites {
		if site == data.None || targets[i] == data.None {
			continue
		}
		p := c.sites.Position(site)
		if p == len(c.degree) {
			c.degree = append(c.degree, 0)
		}
		if pair := [2]data.EntityID{site, targets[i]}; !c.seen[pair] {
			c.seen[pair] = true
			c.degree[p]++
			c.sites.Amounts[p]++ // what sorting by amount goes by
		}
		c.cells.Add(p, min(c.degree[p], most), times[i], 1, 0)
	}
	return nil
}

// Entities lets the platform sort the y axis.
func (c *chart) Entities(dimension string) *viz.Entities {
	if dimension == "y" {
		return c.sites
	}
	return nil
}

func (c *chart) layOut(f viz.Frame) (*scene.Scene, plot.Area) {
	return plot.Draw(f,
		plot.Columns(c.cells, c.config.Fields[0].Name, "x", c.config.Fields[0].Field.Unit, nil),
		plot.Entities(c.config.Fields[1].Name, "y", c.sites, f.Orders["y"], f.Rows))
}

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s, area := c.layOut(f)
	r := plot.CellRaster(area, c.cells, f.Selected["y"])
	r.Paint(s, f.Dark, func(pixel int, _ float64) scene.Color { return color(r.Group(pixel)) })
	s.Legend = &scene.Legend{Title: "Targets so far"}
	for i, label := range []string{"1", "2", "3", "4 or more"} {
		s.Legend.Entries = append(s.Legend.Entries, scene.LegendEntry{Label: label, Color: color(i + 1)})
	}
	s.Drawn = int64(len(c.sites.IDs))
	return s, nil
}

// color goes from blue to red with the number of targets.
func color(degree int) scene.Color {
	return scene.OKLCH(0.62, 0.15, []float64{250, 250, 140, 70, 27}[degree])
}

// Answer is what `cambium chart` prints.
func (c *chart) Answer(f viz.Frame) any {
	values := []viz.Value{}
	for _, id := range f.Orders["y"] {
		values = append(values, viz.Value{Entity: c.sites.Name(id), Value: int64(c.degree[c.sites.Find(id)])})
	}
	return values
}

// Select lets a rectangle select sites and a part of time.
func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	_, area := c.layOut(f)
	r, ok := area.Clip(r)
	if !ok {
		return viz.Selection{}
	}
	return viz.Selection{
		Entities: map[string][]data.EntityID{"y": area.SelectRows(r)},
		Periods:  map[string]viz.Period{"x": area.SelectPeriod(r)},
	}
}
