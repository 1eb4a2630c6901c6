package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
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

// Reduce adds events up; see [data.Reducer]. Of 100 million events, loops with
// arrays are faster than DuckDB, and DuckDB is faster than loops with a hash
// table: see BENCHMARKS.md.
func (e *events) Reduce(ctx context.Context, r data.Reduction) (data.Reduced, error) {
	r.From, r.To = max(r.From, 0), min(r.To, e.table.Rows)
	if r.From >= r.To {
		return newReduced(r, e.table.Fields, 0), nil
	}
	cells, err := e.cells(r)
	dense := err == nil && cells.count <= maxDense
	duck := e.engine == engineDuckDB || e.engine == "" && !dense
	switch {
	case duck && duckDB:
		return e.reduceInDuckDB(ctx, r)
	case err != nil:
		return data.Reduced{}, err
	}
	return e.reduceInLoops(ctx, r, cells, dense)
}

// engines, for tests
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
	cell   []uint64 // scratch, by row
	keep   []bool
	marks  []bool
	where  *data.Decider
	groups []*data.Decider

	// first is one more than the sequence number of the first event of a
	// cell, 0 where there is none. The last is for events that are left out.
	first []int64
	sums  [][]int64
	table *cellTable // nil if cells are numbered as they are
}

func newAdder(r data.Reduction, n numbering, fields []int, dense bool) *adder {
	a := &adder{r: r, n: n, fields: fields, cell: make([]uint64, stride), keep: make([]bool, stride), marks: make([]bool, stride), sums: make([][]int64, len(r.Sums))}
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
	a.first = make([]int64, n.count+1)
	for i := range a.sums {
		a.sums[i] = make([]int64, n.count+1)
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
					errs[i] = e.load(parts[p], fields, &a.block)
				}
				if errs[i] == nil {
					errs[i] = a.add(parts[p])
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

// add adds up a part that is loaded.
func (a *adder) add(p part) error {
	for from := p.from; from < p.to; from += stride {
		to := min(from+stride, p.to)
		first := p.first + int64(from)
		column := func(field int) data.Column { return columnOf(a.fields, a.block.columns, field, from, to) }
		cell := a.cell[:to-from]
		if err := a.number(first, cell, column); err != nil {
			return err
		}
		if a.table != nil {
			a.look(cell)
		}
		for i, c := range cell {
			if a.first[c] == 0 {
				a.first[c] = first + int64(i) + 1
			}
		}
		for i, s := range a.r.Sums {
			if s == data.CountField {
				sums := a.sums[i]
				for _, c := range cell {
					sums[c]++
				}
				continue
			}
			addValues(a.sums[i], cell, column(s).Values)
		}
	}
	return nil
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

// outside is the cell of what is left out.
const outside = math.MaxUint64

// number gives each row its cell.
func (a *adder) number(first int64, cell []uint64, column func(int) data.Column) error {
	clear(cell)
	if len(a.groups) > 0 {
		a.decideGroups(first, cell, column)
	}
	for i, d := range a.n.digits {
		var bad bool
		c := column(a.r.Keys[i].Field)
		if d.reference {
			bad = d.addReferences(cell, c.Refs)
		} else {
			bad = d.addValues(cell, c.Values)
		}
		if bad {
			return fmt.Errorf("events from %d on: a value is not between %d and %d, where the store says it is", first, d.low, d.high)
		}
	}
	if a.where == nil {
		return nil
	}
	keep := a.keep[:len(cell)]
	a.where.Decide(first, keep, column)
	out := uint64(outside)
	if a.table == nil {
		out = a.n.count
	}
	for i, k := range keep {
		if !k {
			cell[i] = out
		}
	}
	return nil
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

func (a *adder) decideGroups(first int64, cell []uint64, column func(int) data.Column) {
	marks := a.marks[:len(cell)]
	// Backwards, so that the first group that holds has the last word.
	for g := len(a.groups) - 1; g >= 0; g-- {
		a.groups[g].Decide(first, marks, column)
		for i, in := range marks {
			if in {
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
	grow(&a.first, len(a.table.cells))
	for i := range a.sums {
		grow(&a.sums[i], len(a.table.cells))
	}
}

func grow(s *[]int64, n int) {
	if n > len(*s) {
		*s = append(*s, make([]int64, n-len(*s))...)
	}
}

// unite adds another core's sums.
func (a *adder) unite(b *adder) {
	for from, first := range b.first {
		if first == 0 {
			continue
		}
		to := from
		if a.table != nil {
			to = int(a.table.place(b.table.cells[from]))
			grow(&a.first, to+1)
		}
		if a.first[to] == 0 || first < a.first[to] {
			a.first[to] = first
		}
		for i := range a.sums {
			grow(&a.sums[i], to+1)
			addValues(a.sums[i], []uint64{uint64(to)}, b.sums[i][from:from+1])
		}
	}
}

// reduced gives the cells that occurred, by their first event.
func (a *adder) reduced(fields []data.Field) data.Reduced {
	type found struct{ first, at int64 }
	var all []found
	for at, first := range a.first {
		left := uint64(at) == a.n.count
		if a.table != nil {
			left = a.table.cells[at] == outside
		}
		if first > 0 && !left {
			all = append(all, found{first, int64(at)})
		}
	}
	slices.SortFunc(all, func(x, y found) int { return int(x.first - y.first) })
	out := newReduced(a.r, fields, len(all))
	for row, f := range all {
		out.First[row] = f.first - 1
		for i := range out.Sums {
			out.Sums[i][row] = a.sums[i][f.at]
		}
		cell := uint64(f.at)
		if a.table != nil {
			cell = a.table.cells[f.at]
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
