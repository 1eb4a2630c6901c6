package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cambium-prof/cambium/data"
)

// This file adds events up in loops over decoded columns.
//
// Every event has a cell: the number that its keys make, each key a digit with
// the base of how many values it can have, which the segments' smallest and
// largest values bound. Where there are few cells, sums are arrays by cell;
// where there are many, a hash table numbers those that occur. Each core adds
// up whole row groups into sums of its own, which are united in the end.

// maxDense is how many cells sums are arrays for: what a core's caches hold.
const maxDense = 1 << 21

// Reduce adds events up; see [data.Reducer]. The loops were faster than DuckDB
// in every reduction that was measured (BENCHMARKS.md), so that DuckDB is for
// keys that have more values together than a cell's 64 bits, and for whoever
// asks for it.
func (e *events) Reduce(ctx context.Context, r data.Reduction) (data.Reduced, error) {
	r.From, r.To = max(r.From, 0), min(r.To, e.table.Rows)
	if r.From >= r.To {
		return newReduced(r, e.table.Fields, 0), nil
	}
	cells, err := e.cells(r)
	engine := e.engine
	if engine == "" {
		engine = os.Getenv(engineVariable)
	}
	switch {
	case duckDB && (engine == engineDuckDB || engine == "" && err != nil):
		return e.reduceInDuckDB(ctx, r)
	case err != nil:
		return data.Reduced{}, err
	}
	return e.reduceInLoops(ctx, r, cells, cells.count <= maxDense)
}

// engineVariable is the environment variable that chooses an engine.
const engineVariable = "CAMBIUM_ENGINE"

const (
	engineLoops  = "loops"
	engineDuckDB = "duckdb"
)

func newReduced(r data.Reduction, fields []data.Field, rows int) data.Reduced {
	out := data.Reduced{Rows: rows, First: make([]int64, rows)}
	for _, k := range r.Keys {
		if fields[k.Field].IsReference() {
			out.Keys = append(out.Keys, data.Column{Refs: make([]data.EntityID, rows)})
		} else {
			out.Keys = append(out.Keys, data.Column{Values: make([]int64, rows)})
		}
	}
	for range r.Sums {
		out.Sums = append(out.Sums, make([]int64, rows))
	}
	if len(r.Groups) > 0 {
		out.Group = make([]uint8, rows)
	}
	return out
}

// numbering says which cell an event is in.
type numbering struct {
	digits []digit
	groups uint64 // the last digit's base: one more than there are groups
	count  uint64 // of cells
}

// digit is a key. Of a reference, the digit of nothing is the largest.
type digit struct {
	reference bool
	low, high int64  // of what occurs
	width     int64  // of a value's steps, counted from low
	base      uint64 // how many values the digit has
}

// extent gives the smallest and the largest value of a field in a run of events.
func (e *events) extent(field int, from, to int64) (low, high int64) {
	low, high = math.MaxInt64, math.MinInt64
	for s := from / e.table.SegmentRows; s*e.table.SegmentRows < to; s++ {
		if seg := &e.table.Segments[s]; seg.Min[field] <= seg.Max[field] {
			low, high = min(low, seg.Min[field]), max(high, seg.Max[field])
		}
	}
	return low, high
}

func (e *events) cells(r data.Reduction) (numbering, error) {
	n := numbering{groups: uint64(len(r.Groups)) + 1}
	n.count = n.groups
	for _, k := range r.Keys {
		d := digit{reference: e.table.Fields[k.Field].IsReference(), width: max(k.Width, 1)}
		d.low, d.high = e.extent(k.Field, r.From, r.To)
		switch {
		case d.reference && d.high < d.low:
			d.low, d.high, d.base = 0, -1, 1
		case d.reference:
			d.base = uint64(d.high-d.low) + 2
		default:
			if d.low = data.Floor(d.low, d.width); d.low%d.width != 0 {
				return n, data.ErrTooMany // at the lower end of 64 bits, steps do not count from low
			}
			d.base = uint64(d.high-d.low)/uint64(d.width) + 1
		}
		high, low := bits.Mul64(n.count, d.base)
		if high != 0 || d.base == 0 {
			return n, data.ErrTooMany
		}
		n.count = low
		n.digits = append(n.digits, d)
	}
	return n, nil
}

// columnOf gives the loaded column of a field.
func columnOf(fields []int, columns []data.Column, field, from, to int) data.Column {
	return cut(columns[slices.Index(fields, field)], from, to)
}

// stride is how many rows are numbered and then added at a time: what stays in
// the first cache.
const stride = 4096

// adder is one core's sums.
type adder struct {
	r      data.Reduction
	n      numbering
	fields []int
	block  block
	where  *data.Decider
	groups []*data.Decider

	// Scratch, by row of a stride.
	cell   []uint64
	row    []uint32 // distance from the stride's first event
	all    []uint32 // every row
	marks  []bool
	values []int64
	ids    []data.EntityID

	// seen has, by cell, one more than the sequence number of its first event
	// in the upper half, and how many events there are in the lower half: one
	// look at memory for both. 0 is a cell that does not occur.
	seen  []uint64
	sums  [][]int64  // nil for the number of events
	table *cellTable // nil if cells are numbered as they are
}

func newAdder(r data.Reduction, n numbering, fields []int, dense bool) *adder {
	a := &adder{r: r, n: n, fields: fields, sums: make([][]int64, len(r.Sums)),
		cell: make([]uint64, stride), row: make([]uint32, stride), all: make([]uint32, stride), marks: make([]bool, stride), values: make([]int64, stride), ids: make([]data.EntityID, stride)}
	for i := range a.all {
		a.all[i] = uint32(i)
	}
	if r.Where != nil {
		a.where = &data.Decider{Condition: r.Where}
	}
	for _, g := range r.Groups {
		a.groups = append(a.groups, &data.Decider{Condition: g})
	}
	if !dense {
		a.table = newCellTable()
		return a
	}
	a.seen = make([]uint64, n.count)
	for i, s := range r.Sums {
		if s != data.CountField {
			a.sums[i] = make([]int64, n.count)
		}
	}
	return a
}

func (e *events) reduceInLoops(ctx context.Context, r data.Reduction, n numbering, dense bool) (data.Reduced, error) {
	var fields []int
	add := func(field int) {
		if field >= 0 && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	for _, k := range r.Keys {
		add(k.Field)
	}
	for _, s := range r.Sums {
		add(s)
	}
	fields = r.Where.Fields(fields)
	for _, g := range r.Groups {
		fields = g.Fields(fields)
	}
	parts := e.parts(r.From, r.To)
	adders := make([]*adder, min(runtime.GOMAXPROCS(0), len(parts)))
	errs := make([]error, len(adders))
	var next atomic.Int64
	var wait sync.WaitGroup
	for i := range adders {
		a := newAdder(r, n, fields, dense)
		adders[i] = a
		wait.Go(func() {
			// A core's parts are in order, so that what it sees first is first.
			for {
				p := int(next.Add(1)) - 1
				if p >= len(parts) {
					return
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = a.addPart(e, parts[p])
				}
				if errs[i] != nil {
					next.Store(int64(len(parts)))
					return
				}
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		if ctx.Err() != nil {
			return data.Reduced{}, ctx.Err()
		}
		return data.Reduced{}, fmt.Errorf("%s: %w", e.table.Name, err)
	}
	for _, other := range adders[1:] {
		adders[0].unite(other)
	}
	return adders[0].reduced(e.table.Fields), nil
}

// piece is how many rows are decoded at a time: what stays in the second cache.
const piece = 8 * stride

// addPart decodes a part and adds it up.
func (a *adder) addPart(e *events, p part) error {
	r, err := e.open(p, a.fields)
	if err != nil {
		return err
	}
	defer r.close()
	for at := 0; at < p.to; at += piece {
		n := min(piece, p.rows-at)
		if err := e.fill(r, n, a.fields, &a.block); err != nil {
			return err
		}
		if err := a.add(p.first+int64(at), max(p.from-at, 0), min(p.to-at, n)); err != nil {
			return err
		}
	}
	return nil
}

// add adds up the rows start..end-1 of the decoded piece, whose first row is
// event zero.
func (a *adder) add(zero int64, start, end int) error {
	for from := start; from < end; from += stride {
		to := min(from+stride, end)
		first := zero + int64(from)
		column := func(field int) data.Column { return columnOf(a.fields, a.block.columns, field, from, to) }
		rows := a.choose(first, to-from, column)
		if rows == nil {
			continue
		}
		cell := a.cell[:len(rows)]
		clear(cell)
		if len(a.groups) > 0 {
			a.decideGroups(first, to-from, rows, cell, column)
		}
		for i, d := range a.n.digits {
			if d.add(cell, a.chosen(column(a.r.Keys[i].Field), rows, to-from)) {
				return fmt.Errorf("events from %d on: a value is not between %d and %d, where the store says it is", first, d.low, d.high)
			}
		}
		if a.table != nil {
			a.look(cell)
		}
		seen := a.seen
		for i, c := range cell {
			s := seen[c]
			if s == 0 {
				s = uint64(first+int64(rows[i])+1) << 32
			}
			seen[c] = s + 1
		}
		for i, s := range a.r.Sums {
			if s != data.CountField {
				addValues(a.sums[i], cell, a.chosen(column(s), rows, to-from).Values)
			}
		}
	}
	return nil
}

// choose gives the rows that the condition keeps.
func (a *adder) choose(first int64, n int, column func(int) data.Column) []uint32 {
	if a.where == nil {
		return a.all[:n]
	}
	rows, keep := a.row[:n], a.marks[:n]
	a.where.Decide(first, keep, column)
	kept := 0
	for i, k := range keep {
		rows[kept] = uint32(i)
		if k {
			kept++
		}
	}
	if kept == 0 {
		return nil
	}
	return rows[:kept]
}

// chosen gives the chosen rows of a column. It is only good until the next one.
func (a *adder) chosen(c data.Column, rows []uint32, n int) data.Column {
	if len(rows) == n {
		return c
	}
	if c.Refs != nil {
		ids := a.ids[:len(rows)]
		for i, row := range rows {
			ids[i] = c.Refs[row]
		}
		return data.Column{Refs: ids}
	}
	values := a.values[:len(rows)]
	for i, row := range rows {
		values[i] = c.Values[row]
	}
	return data.Column{Values: values}
}

func addValues(sums []int64, cell []uint64, values []int64) {
	values = values[:len(cell)]
	for i, c := range cell {
		s, v := sums[c], values[i]
		t := s + v
		if (s^t)&(v^t) < 0 {
			t = saturated(v)
		}
		sums[c] = t
	}
}

func saturated(v int64) int64 {
	if v < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// add appends the digit to the numbers of cells; bad tells that a value is not
// where the digit's bounds say.
func (d *digit) add(cell []uint64, c data.Column) (bad bool) {
	if d.reference {
		return d.addReferences(cell, c.Refs)
	}
	return d.addValues(cell, c.Values)
}

func (d *digit) addReferences(cell []uint64, ids []data.EntityID) (bad bool) {
	low, largest := uint64(d.low), d.base-1
	for i, id := range ids[:len(cell)] {
		x := uint64(id) - low
		if x >= largest {
			bad = bad || id != data.None
			x = largest
		}
		cell[i] = cell[i]*d.base + x
	}
	return bad
}

func (d *digit) addValues(cell []uint64, values []int64) (bad bool) {
	width := uint64(d.width)
	narrow := d.base <= math.MaxUint32/width // then 32 bits divide, in a third of the time
	for i, v := range values[:len(cell)] {
		x := uint64(v) - uint64(d.low)
		if width > 1 {
			if narrow && x <= math.MaxUint32 {
				x = uint64(uint32(x) / uint32(width))
			} else {
				x /= width
			}
		}
		if x >= d.base {
			bad, x = true, 0
		}
		cell[i] = cell[i]*d.base + x
	}
	return bad
}

func (a *adder) decideGroups(first int64, n int, rows []uint32, cell []uint64, column func(int) data.Column) {
	marks := a.marks[:n]
	// Backwards, so that the first group that holds has the last word.
	for g := len(a.groups) - 1; g >= 0; g-- {
		a.groups[g].Decide(first, marks, column)
		for i, row := range rows {
			if marks[row] {
				cell[i] = uint64(g + 1)
			}
		}
	}
}

// look puts the place in the table in place of the number of a cell.
func (a *adder) look(cell []uint64) {
	for i, c := range cell {
		cell[i] = uint64(a.table.place(c))
	}
	a.grow()
}

// grow makes room for all cells of the table.
func (a *adder) grow() {
	n := len(a.table.cells)
	grow(&a.seen, n)
	for i, s := range a.r.Sums {
		if s != data.CountField {
			grow(&a.sums[i], n)
		}
	}
}

func grow[T any](s *[]T, n int) {
	if n > len(*s) {
		*s = append(*s, make([]T, n-len(*s))...)
	}
}

// unite adds another core's sums.
func (a *adder) unite(b *adder) {
	var from, to []uint64 // the cells that occur in b, and what they are in a
	for c, s := range b.seen {
		if s != 0 {
			from = append(from, uint64(c))
		}
	}
	to = from
	if a.table != nil {
		to = make([]uint64, len(from))
		for i, c := range from {
			to[i] = uint64(a.table.place(b.table.cells[c]))
		}
		a.grow()
	}
	for i, c := range to {
		x, y := a.seen[c], b.seen[from[i]]
		first := min(x>>32, y>>32)
		if x == 0 {
			first = y >> 32
		}
		a.seen[c] = first<<32 | (x&math.MaxUint32 + y&math.MaxUint32)
	}
	for i, s := range a.r.Sums {
		if s == data.CountField {
			continue
		}
		values := make([]int64, len(from))
		for v, c := range from {
			values[v] = b.sums[i][c]
		}
		addValues(a.sums[i], to, values)
	}
}

// reduced gives the cells that occurred, by their first event.
func (a *adder) reduced(fields []data.Field) data.Reduced {
	var order []uint64 // first event in the upper half, place in the lower
	for at, s := range a.seen {
		if s != 0 {
			order = append(order, s&^math.MaxUint32|uint64(at))
		}
	}
	slices.Sort(order)
	out := newReduced(a.r, fields, len(order))
	for row, o := range order {
		at := o & math.MaxUint32
		out.First[row] = int64(o>>32) - 1
		for i, s := range a.r.Sums {
			if s == data.CountField {
				out.Sums[i][row] = int64(a.seen[at] & math.MaxUint32)
			} else {
				out.Sums[i][row] = a.sums[i][at]
			}
		}
		cell := at
		if a.table != nil {
			cell = a.table.cells[at]
		}
		for i := len(a.n.digits) - 1; i >= 0; i-- {
			d := &a.n.digits[i]
			x := cell % d.base
			cell /= d.base
			switch {
			case !d.reference:
				out.Keys[i].Values[row] = d.low + int64(x*uint64(d.width))
			case x == d.base-1:
				out.Keys[i].Refs[row] = data.None
			default:
				out.Keys[i].Refs[row] = data.EntityID(d.low + int64(x))
			}
		}
		if out.Group != nil {
			out.Group[row] = uint8(cell)
		}
	}
	return out
}

// cellTable numbers the cells that occur, by open addressing.
type cellTable struct {
	cells []uint64 // place -> cell
	slots []uint32 // hash -> place + 1, 0 when free; a power of two long
}

func newCellTable() *cellTable { return &cellTable{slots: make([]uint32, 1<<16)} }

func (t *cellTable) place(cell uint64) uint32 {
	mask := uint64(len(t.slots) - 1)
	for at := hash(cell) & mask; ; at = (at + 1) & mask {
		p := t.slots[at]
		if p == 0 {
			t.cells = append(t.cells, cell)
			t.slots[at] = uint32(len(t.cells))
			if 3*len(t.cells) > 2*len(t.slots) {
				t.rehash()
			}
			return uint32(len(t.cells) - 1)
		}
		if t.cells[p-1] == cell {
			return p - 1
		}
	}
}

func (t *cellTable) rehash() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for p, cell := range t.cells {
		at := hash(cell) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = uint32(p + 1)
	}
}

// hash mixes as splitmix64 does.
func hash(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
