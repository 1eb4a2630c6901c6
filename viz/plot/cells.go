package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/viz"
)

// Cells adds amounts up in a grid: rows of entities, columns of equal
// intervals of a value.
//
// A row is a list of the columns in which something is, in order. Most events
// fall into the last column of their row or right of it, so that adding one
// touches the end of one list; what comes out of order is sorted in later. The
// memory is that of the cells which are not empty, however fine the interval.
// (Blocks of columns per row were tried in mind and left: with fine intervals
// they are nearly empty, and with many rows they outgrow the events.)
type Cells struct {
	groups   int
	rows     []row // position*groups + group
	interval int64 // exact, or what it has grown to
	grows    bool  // by doubling, whenever there are too many columns
	first    int64 // columns that occur, in intervals from 0
	last     int64
	any      bool
	// The column that the last value was in, and its values: mostly the next one
	// is in it, too, and no division is needed.
	column   int64
	from, to int64
	filled   int // cells at the last count
	added    int // events since then
}

// Cell is a column of a row: a sum, and a second one for charts that need it.
type Cell struct {
	Column        int64 // in intervals from 0
	Value, Second int64
}

type row struct {
	cells  []Cell
	sorted int // cells before this one are in order, each column once
	dirty  bool
}

const (
	// maxColumns is how many columns a grid whose interval grows may have:
	// about the pixels of a wide picture.
	maxColumns = 4096
	// maxCells bounds a grid whose interval grows: 24 bytes each.
	maxCells = 12 << 20
	// minColumns is kept even then.
	minColumns = 256
)

// NewCells makes a grid. interval is the width of a column; 0 lets it grow from
// 1, by doubling, until what occurs fits into some thousand columns.
func NewCells(groups int, interval int64) *Cells {
	c := &Cells{groups: groups + 1, interval: interval, to: -1}
	if interval <= 0 {
		c.interval, c.grows = 1, true
	}
	return c
}

// Interval is the width of a column.
func (c *Cells) Interval() int64 { return c.interval }

// Columns gives the first and the last column that occur, in intervals from 0;
// ok is false if none does.
func (c *Cells) Columns() (first, last int64, ok bool) { return c.first, c.last, c.any }

// move makes the column of a value the current one, and widens what occurs.
func (c *Cells) move(x int64) {
	col := floorDiv(x, c.interval)
	if !c.any || col < c.first || col > c.last {
		c.widen(col)
		col = floorDiv(x, c.interval)
	}
	c.column, c.from, c.to = col, c.startOf(col), c.endOf(col)
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

func (c *Cells) widen(col int64) {
	if !c.any {
		c.first, c.last, c.any = col, col, true
		return
	}
	c.first, c.last = min(c.first, col), max(c.last, col)
	for c.grows && uint64(c.last)-uint64(c.first) >= maxColumns {
		c.coarsen()
	}
}

// coarsen doubles the interval.
func (c *Cells) coarsen() {
	c.interval <<= 1
	c.first, c.last = c.first>>1, c.last>>1
	c.from, c.to = 0, -1 // the current column is another one
	for i := range c.rows {
		r := &c.rows[i]
		r.tidy()
		for j := range r.cells {
			r.cells[j].Column >>= 1
		}
		r.cells = merge(r.cells)
		r.sorted = len(r.cells)
	}
}

// Add adds to the cell of an entity's position, a colour group and a value.
func (c *Cells) Add(position, group int, x, value, second int64) {
	if x < c.from || x > c.to {
		c.move(x)
	}
	at := position*c.groups + group
	if at >= len(c.rows) {
		c.rows = append(c.rows, make([]row, max(at+1-len(c.rows), len(c.rows)/2))...)
	}
	r := &c.rows[at]
	if n := len(r.cells); n > 0 {
		switch last := &r.cells[n-1]; {
		case last.Column == c.column:
			last.Value = Saturating(last.Value, value)
			if second != 0 {
				last.Second = Saturating(last.Second, second)
			}
			return
		case last.Column > c.column:
			r.dirty = true
		}
	}
	r.cells = append(r.cells, Cell{c.column, value, second})
	if r.dirty && len(r.cells) > 2*r.sorted+1024 {
		r.tidy()
	}
	if c.added++; c.grows && c.added > maxCells/4 {
		c.bound()
	}
}

// bound coarsens a grid that has too many cells.
func (c *Cells) bound() {
	for {
		c.filled, c.added = 0, 0
		for i := range c.rows {
			c.rows[i].tidy()
			c.filled += len(c.rows[i].cells)
		}
		if c.filled < maxCells || uint64(c.last)-uint64(c.first) < minColumns {
			return
		}
		c.coarsen()
	}
}

// tidy puts the cells of a row in order.
func (r *row) tidy() {
	if r.dirty {
		slices.SortStableFunc(r.cells, func(a, b Cell) int { return cmp.Compare(a.Column, b.Column) })
		r.cells, r.dirty = merge(r.cells), false
	}
	r.sorted = len(r.cells)
}

// merge adds up neighbours of one column.
func merge(cells []Cell) []Cell {
	n := 0
	for _, c := range cells {
		if n > 0 && cells[n-1].Column == c.Column {
			cells[n-1].Value = Saturating(cells[n-1].Value, c.Value)
			cells[n-1].Second = Saturating(cells[n-1].Second, c.Second)
			continue
		}
		cells[n] = c
		n++
	}
	return cells[:n]
}

// Row gives the cells of an entity's position and a colour group, in order.
func (c *Cells) Row(position, group int) []Cell {
	at := position*c.groups + group
	if at >= len(c.rows) {
		return nil
	}
	c.rows[at].tidy()
	return c.rows[at].cells
}

// Groups is how many colour groups there are, none included.
func (c *Cells) Groups() int { return c.groups }

// Sum adds up the cells of an entity's position and a colour group from column
// first to column last.
func (c *Cells) Sum(position, group int, first, last int64) (sum Cell, any bool) {
	cells := c.Row(position, group)
	i, _ := slices.BinarySearchFunc(cells, first, func(cell Cell, column int64) int { return cmp.Compare(cell.Column, column) })
	sum.Column = first
	for ; i < len(cells) && cells[i].Column <= last; i++ {
		sum.Value, sum.Second = Saturating(sum.Value, cells[i].Value), Saturating(sum.Second, cells[i].Second)
		any = true
	}
	return sum, any
}

// Check refuses what cannot be numbered: columns so narrow, for values so far
// apart, that their number has no representation. Charts ask after each batch.
func (c *Cells) Check() error {
	if uint64(c.last)-uint64(c.first) > math.MaxInt64 {
		return fmt.Errorf("the x axis spans more columns than can be counted: the interval must be larger than %d", c.interval)
	}
	return nil
}

// startOf is where a column starts, as far as that has a representation.
func (c *Cells) startOf(column int64) int64 {
	start := column * c.interval
	if start/c.interval != column {
		if column < 0 {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return start
}

// endOf is the last value of a column.
func (c *Cells) endOf(column int64) int64 {
	if column == math.MaxInt64 {
		return math.MaxInt64
	}
	if next := c.startOf(column + 1); next != math.MaxInt64 || next/c.interval == column+1 && next%c.interval == 0 {
		return next - 1
	}
	return math.MaxInt64
}

// Grid gives the cells in numbers, groups added up: what `cambium chart` prints.
func (c *Cells) Grid(a Axis, value func(Cell) int64) *viz.Grid {
	g := &viz.Grid{X0: c.startOf(c.first), Interval: c.interval, Rows: []string{}, Cells: [][3]int64{}}
	for i, id := range a.order {
		g.Rows = append(g.Rows, a.entities.Name(id))
		var all []Cell
		for group := range c.groups {
			all = append(all, c.Row(a.entities.Find(id), group)...)
		}
		r := row{cells: all, dirty: true}
		r.tidy()
		for _, cell := range r.cells {
			g.Cells = append(g.Cells, [3]int64{cell.Column - c.first, int64(i), value(cell)})
		}
	}
	slices.SortFunc(g.Cells, func(a, b [3]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return g
}

// Interval reads the parameter of charts with columns: a whole number, or "" or
// 0 for columns as narrow as can be seen.
func Interval(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil { // a page may write 1e6, too
		var f float64
		if f, err = strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && f >= 0 && f <= MaxInterval {
			v = int64(f)
		} else {
			v = -1
		}
	}
	if v < 0 || v > MaxInterval {
		return 0, fmt.Errorf("is %q, but must be a whole number from 0 to %d", text, int64(MaxInterval))
	}
	return v, nil
}

// MaxInterval is the widest column that a person can ask for.
const MaxInterval = 1 << 62

// ValidInterval is [Interval] for definitions of parameters.
func ValidInterval(text string) error {
	_, err := Interval(text)
	return err
}

// Limits gives the ends of a period, which are those of all values for nil.
func Limits(p *viz.Period) (from, to int64) {
	if p == nil {
		return math.MinInt64, math.MaxInt64
	}
	return p.From, p.To
}
