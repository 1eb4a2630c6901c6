// Package treetable is the table of a calling context tree (the TreeTable of
// Taiani et al., ProfVis, figures 3 and 4): a row per context, indented below
// its caller, that is opened to show what it calls.
//
// Which rows are opened is a parameter, so that it is part of a view's state as
// everything is. Only the rows that are asked for are ever made (see rows).
//
// What does not belong here: tables of events, which is viz/table.
package treetable

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// Name is the name of the visualization.
const Name = "treetable"

var definition = viz.Definition{
	Name:        Name,
	Title:       "Tree table",
	Description: "calling contexts as rows below their callers, opened one by one",
	Tree:        true,
	Parameters: append([]viz.Parameter{
		{Name: "levels", Title: "Opened levels", Type: viz.Number, Default: "1", Min: 0, Max: 1e6,
			Description: "how many layers are open without being opened one by one"},
		{Name: "open", Title: "Opened rows", Type: viz.Text, Valid: validOpen, Contexts: true,
			Description: "the ids of contexts that were opened beyond these levels, or closed within them, with dots between them"},
		{Name: "sort", Title: "Order", Type: viz.Text, Valid: validSort,
			Description: "what siblings are sorted by: total or self, with :METRIC for another one, name, or, of two profiles, change or selfchange, what grew most first; a - before it turns the order round"},
	}, viz.ChangeParameters("")...),
}

func init() {
	viz.Register(viz.Factory{Definition: definition, New: func() viz.Chart { return &chart{} }})
}

type chart struct{ config viz.Config }

func (c *chart) Configure(config viz.Config) error {
	c.config = config
	return nil
}

func validOpen(text string) error {
	_, err := parseOpen(text)
	return err
}

func parseOpen(text string) ([]cct.NodeID, error) {
	if text == "" {
		return nil, nil
	}
	ids := make([]cct.NodeID, 0, strings.Count(text, ".")+1)
	for part := range strings.SplitSeq(text, ".") {
		id, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("is %q, but must be ids with dots between them, such as 12.7", text)
		}
		ids = append(ids, cct.NodeID(id))
	}
	return ids, nil
}

func validSort(text string) error {
	_, _, err := parseSort(text)
	return err
}

// parseSort reads an order; the metric is still a name.
func parseSort(text string) (o order, metric string, err error) {
	key := strings.TrimPrefix(text, "-")
	o.turned = key != text
	o.by, metric, _ = strings.Cut(key, ":")
	switch {
	case text == "":
		o.by = "total"
	case o.by == "total", o.by == "self", key == "name", key == "change", key == "selfchange":
	default:
		return o, "", fmt.Errorf("is %q, but must be total, self, name, change or selfchange, such as -total or self:bytes", text)
	}
	return o, metric, nil
}

// rowHeight is that of a row, and of the head, in the page and in pictures.
const rowHeight = 24

func (c *chart) Scene(v viz.Viewport) (*scene.Scene, error) {
	view := c.config.View
	levels, err := strconv.ParseFloat(c.config.Params["levels"], 64)
	if err != nil {
		return nil, err
	}
	toggled, err := parseOpen(c.config.Params["open"])
	if err != nil {
		return nil, fmt.Errorf("treetable: parameter \"open\": %w", err)
	}
	o, name, err := parseSort(c.config.Params["sort"])
	if err != nil {
		return nil, fmt.Errorf("treetable: parameter \"sort\": %w", err)
	}
	o.metric = c.config.Metric
	if name != "" {
		var ok bool
		if o.metric, ok = view.Metric(name); !ok {
			return nil, fmt.Errorf("treetable: parameter \"sort\": there is no metric %q", name)
		}
	}
	if o.by == "change" || o.by == "selfchange" {
		if o.growth = c.config.Growth(o.by == "selfchange"); o.growth == nil {
			o.by = "total" // there is nothing to compare with
		}
	}
	r := newRows(view, int(levels), toggled, o)
	all := r.total(view.Root)
	first := max(0, min(c.config.First, all-1))
	t := &scene.Table{Columns: c.columns(o), First: first, Total: all, Tree: true}
	color := c.config.ChangeColor()
	found := c.config.Matches
	for _, p := range r.from(first, int(math.Ceil(v.Height/rowHeight))+1) {
		row := c.row(r, p, found)
		if v, ok := c.config.ColoredChange(p.node); ok && row.Color == 0 {
			row.Color = color(v)
		}
		t.Rows = append(t.Rows, row)
	}
	s := &scene.Scene{Width: v.Width, Height: v.Height, Background: viz.Background(c.config.Dark), Table: t, Legend: viz.GroupLegend(nil, c.config.Legend)}
	s.Drawn = int64(all)
	contexts := int64(view.End[view.Root] - view.Root)
	if view.Method[view.Root] == data.None {
		s.Drawn--
		contexts--
	}
	s.Deeper = contexts - s.Drawn
	return s, nil
}

// metrics gives the metrics in the order of their columns: the chosen one first.
func (c *chart) metrics() []int {
	all := []int{c.config.Metric}
	for m := range c.config.View.Metrics {
		if m != c.config.Metric {
			all = append(all, m)
		}
	}
	return all
}

func (c *chart) columns(now order) []scene.TableColumn {
	column := func(title string, number bool, o order, key string) scene.TableColumn {
		col := scene.TableColumn{Title: title, Number: number, Sort: key}
		if o.by == now.by && (o.by == "name" || o.metric == now.metric) {
			col.Sorted = scene.Falling
			if now.turned != (o.by == "name") {
				col.Sorted = scene.Rising
			}
			if !now.turned {
				col.Sort = "-" + key
			}
		}
		return col
	}
	all := []scene.TableColumn{column("Context", false, order{by: "name"}, "name")}
	if from, to, ok := c.config.SideNames(); ok {
		return append(all, scene.TableColumn{Title: "total " + from, Number: true}, scene.TableColumn{Title: "total " + to, Number: true},
			column("change", true, order{by: "change", metric: now.metric}, "change"), scene.TableColumn{Title: "of itself", Number: true},
			scene.TableColumn{Title: "self " + from, Number: true}, scene.TableColumn{Title: "self " + to, Number: true},
			column("change of self", true, order{by: "selfchange", metric: now.metric}, "selfchange"), scene.TableColumn{Title: "of itself", Number: true},
			column("both", true, order{by: "total", metric: c.config.Metric}, "total"))
	}
	for i, m := range c.metrics() {
		name := c.config.View.Metrics[m].Name
		all = append(all, column("total "+name, true, order{by: "total", metric: m}, "total:"+name))
		if i == 0 {
			all = append(all, scene.TableColumn{Title: "share", Number: true})
		}
		all = append(all, column("self "+name, true, order{by: "self", metric: m}, "self:"+name))
	}
	return all
}

func (c *chart) row(r *rows, p place, found *cct.Matches) scene.TableRow {
	t, n, metric := c.config.View.Tree, p.node, c.config.Metric
	name := "everything"
	if t.Method[n] != data.None {
		name = t.Name(n)
	}
	whole := t.Total[metric][r.view.Root]
	cells := []string{name}
	if total, ok := c.config.TotalChange(n); ok {
		self, _ := c.config.SelfChange(n)
		for _, v := range []viz.Change{total, self} {
			cells = append(cells, c.config.Amount(v.From), c.config.Amount(v.To), c.config.SignedAmount(v.Difference()), v.Text())
		}
		cells = append(cells, plot.Share(t.Total[metric][n], whole))
	} else {
		cells = append(cells, c.amounts(n, whole)...)
	}
	row := scene.TableRow{
		Cells: cells, ID: uint32(t.ID(n)),
		Depth:      int(t.Depth[n] - t.Depth[r.view.Root]),
		Expandable: r.expandable(n), Expanded: r.expanded(n), Sibling: p.at + 1, Siblings: p.siblings, Parent: p.parent,
		Match: r.find(found, n),
	}
	if whole > 0 {
		row.Share = min(max(float64(t.Total[metric][n])/float64(whole), 0), 1)
	}
	if c.config.Selected != nil {
		row.Selected = c.config.Selected[t.ID(n)]
	}
	if g, ok := c.config.NodeColor(n); ok {
		row.Color = c.config.Legend[g].Color
	}
	return row
}

// amounts are the cells of a row: of the chosen metric with its share, and of the
// others.
func (c *chart) amounts(n cct.NodeID, whole int64) []string {
	t := c.config.View.Tree
	var cells []string
	for i, m := range c.metrics() {
		unit := string(t.Metrics[m].Unit)
		cells = append(cells, plot.Number(float64(t.Total[m][n]), unit))
		if i == 0 {
			cells = append(cells, plot.Share(t.Total[m][n], whole))
		}
		cells = append(cells, plot.Number(float64(t.Self[m][n]), unit))
	}
	return cells
}
