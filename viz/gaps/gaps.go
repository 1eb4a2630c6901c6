// Package gaps lists what only one of two traces did: methods that the other one
// does not call, and stretches of calls to which no call of the other one is
// similar (gaps). What takes most time comes first.
//
// Both are needed. A changed program calls other methods, but what these call in
// turn often matches, so that the stretches between are short; and a stretch
// without a match may be of methods that both call, in sets that differ.
package gaps

import (
	"cmp"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
	"github.com/cambium-prof/cambium/viz/plot"
)

// Name is the name of the visualization.
const Name = "gaps"

func init() {
	viz.Register(viz.Factory{
		Definition: viz.Definition{
			Name:        Name,
			Title:       "What only one run did",
			Description: "methods that one trace alone calls, and stretches of calls without a match",
			Pair:        true,
		},
		New: func() viz.Chart { return &chart{} },
	})
}

// mostGaps is how many gaps are listed: the longest.
const mostGaps = 1000

type chart struct {
	pair *viz.Pair
	rows []row
	left int // gaps that are not listed
}

// row is a method that only one trace calls, or a gap.
type row struct {
	side  match.Side
	gap   bool
	name  string // of the method, or of that of the first call of the gap
	calls int
	took  int64 // nanoseconds
	first trace.CallID
	// The time to look at, in nanoseconds as the trace has them: of a method its
	// first call.
	from, to int64
}

func (c *chart) Configure(config viz.Config) error {
	c.pair = config.Pair
	if c.pair == nil {
		return nil
	}
	m := c.pair.Matches
	for side := match.A; side <= match.B; side++ {
		t := m.Traces[side]
		for _, o := range m.Only(side) {
			c.rows = append(c.rows, row{side, false, o.Method, o.Calls, o.Total, o.First, t.Start[o.First], t.Stop[o.First]})
		}
	}
	gaps := m.Gaps()
	c.left = max(0, len(gaps)-mostGaps)
	for _, g := range gaps[:len(gaps)-c.left] {
		c.rows = append(c.rows, row{g.Side, true, m.Traces[g.Side].Name(g.First), g.Calls(), g.To - g.From, g.First, g.From, g.To})
	}
	slices.SortStableFunc(c.rows, func(x, y row) int { return cmp.Compare(y.took, x.took) })
	return nil
}

// rowHeight is that of a row, and of the head, in the page and in pictures.
const rowHeight = 24

func (c *chart) Scene(f viz.Frame) (*scene.Scene, error) {
	s := &scene.Scene{Width: f.Width, Height: f.Height, Background: plot.Background(f.Dark)}
	first := c.first(f)
	t := &scene.Table{
		Columns: []scene.TableColumn{{Title: "What"}, {Title: "Time", Number: true}, {Title: "Calls", Number: true}},
		First:   first, Total: len(c.rows),
	}
	room := int(math.Ceil(f.Height/rowHeight)) + 1
	for i, r := range c.rows[first:min(first+room, len(c.rows))] {
		t.Rows = append(t.Rows, scene.TableRow{
			Cells: []string{r.what(), ns(r.took), plot.Count(int64(r.calls))},
			ID:    uint32(first + i), Share: float64(r.took) / math.Max(1, float64(c.rows[0].took)),
		})
	}
	s.Table, s.Drawn = t, int64(len(t.Rows))
	if len(c.rows) == 0 {
		s.Notes = append(s.Notes, "both runs call the same methods, and every call has a match")
	}
	if c.left > 0 {
		s.Notes = append(s.Notes, plot.Count(int64(c.left))+" shorter stretches are not listed")
	}
	return s, nil
}

func ns(v int64) string { return plot.Number(float64(v), "nanoseconds") }

// what says what a row is of.
func (r row) what() string {
	side := string(rune('A'+r.side)) + "  "
	if r.gap {
		return side + "no match from " + r.name + " on"
	}
	return side + r.name
}

// first is the first row to write out.
func (c *chart) first(f viz.Frame) int { return max(0, min(f.First, len(c.rows)-1)) }

// Select moves the focus of both sides to the row at the top of a rectangle.
func (c *chart) Select(f viz.Frame, r scene.Box) viz.Selection {
	var s viz.Selection
	i := c.first(f) + int(math.Floor(math.Max(0, r.Y0)/rowHeight)) - 1
	if c.pair == nil || r.Y0 < rowHeight || i >= len(c.rows) {
		return s
	}
	x := c.rows[i]
	s.Focus[x.side] = around(c.pair.Matches.Traces[x.side], x.from, x.to)
	// The other trace shows what it did instead: what is most similar to the
	// nearest caller that has a match.
	m := c.pair.Matches
	t, other := m.Traces[x.side], m.Traces[x.side.Other()]
	for call := t.Parent[x.first]; call != trace.NoCall; call = t.Parent[call] {
		if best, _, ok := m.Best(x.side, call); ok {
			s.Focus[x.side.Other()] = around(other, other.Start[best], other.Stop[best])
			break
		}
	}
	return s
}

// around gives a time, with some of what is before and after it, from the start
// of a trace.
func around(t *trace.Trace, from, to int64) *viz.Period {
	length := t.To - t.From
	margin := max((to-from)/4, length/2000, 1)
	return &viz.Period{From: max(0, from-t.From-margin), To: max(1, min(length, to-t.From+margin))}
}

// Answer lists the rows.
func (c *chart) Answer(viz.Frame) any {
	type line struct {
		Method string       `json:"method"`
		Gap    bool         `json:"gap"` // a stretch that begins with a call of the method
		Trace  string       `json:"trace"`
		Time   int64        `json:"time"` // nanoseconds
		Calls  int          `json:"calls"`
		First  trace.CallID `json:"first"`
		From   int64        `json:"from"` // nanoseconds from the start of the trace
		To     int64        `json:"to"`   // of a method: of its first call
	}
	lines := []line{}
	for _, r := range c.rows {
		start := c.pair.Matches.Traces[r.side].From
		lines = append(lines, line{r.name, r.gap, string(rune('a' + r.side)), r.took, r.calls, r.first, r.from - start, r.to - start})
	}
	return lines
}
