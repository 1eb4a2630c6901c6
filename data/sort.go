package data

import (
	"cmp"
	"context"
	"slices"
)

// Rows is what rows can be taken from.
type Rows interface {
	// Take takes the first rows away that are left, and gives whether there are
	// some. Each column is as long as the block. into's slices are used again.
	Take(into *Block) (bool, error)
}

// Each takes all rows away, and gives the columns that each is in and its index
// there.
func Each(ctx context.Context, rows Rows, yield func(columns []Column, row int) error) error {
	var block Block
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, err := rows.Take(&block)
		if err != nil || !ok {
			return err
		}
		for i := range block.Rows {
			if err := yield(block.Columns, i); err != nil {
				return err
			}
		}
	}
}

// Sort takes all rows away and gives them in the order of columns of values:
// rising in the first of these, equals in the next. Rows that agree in all
// keep their order.
//
// Runs of rows are sorted in memory, wait in spools, and are merged.
func (s *Spool) Sort(keys ...int) (Rows, error) {
	// What is sorted is copied, which should not be much of all.
	size := s.b.Often(max(fewestSorted, min(s.rows/16, sortedRows)))
	m := &mergingRuns{s: s, keys: keys, left: s.rows, piece: min(size/16+1, mergedPiece)}
	run, block := s.blank(min(size, s.rows)), Block{}
	for {
		ok, err := s.Take(&block)
		if err != nil {
			return nil, err
		}
		for from := 0; ok && from < block.Rows; {
			n := min(block.Rows-from, size-run.Rows)
			run.add(block, from, from+n)
			if from += n; run.Rows == size {
				m.cut(&run)
			}
		}
		if !ok {
			break
		}
	}
	if len(m.runs) == 0 {
		if order := run.inOrder(keys); order != nil {
			run = run.pick(order, 0, run.Rows)
		}
		return &only{run}, nil
	}
	m.cut(&run)
	run, block = Block{}, Block{}
	return m, m.start()
}

// sortedRows is the length of a run at most, fewestSorted that of one of not many
// rows, and mergedPiece that of the piece of each, at most, that is in memory while
// runs are merged.
const sortedRows, fewestSorted, mergedPiece = 1 << 20, 64 << 10, 4 << 10

// blank gives an empty block with room for so many rows.
func (s *Spool) blank(rows int) Block {
	b := Block{Columns: make([]Column, len(s.refs))}
	for i, refs := range s.refs {
		if refs {
			b.Columns[i].Refs = make([]EntityID, 0, rows)
		} else {
			b.Columns[i].Values = make([]int64, 0, rows)
		}
	}
	return b
}

// add appends the rows from..to-1 of another block.
func (b *Block) add(o Block, from, to int) {
	for len(b.Columns) < len(o.Columns) {
		b.Columns = append(b.Columns, Column{})
	}
	for i, c := range o.Columns {
		if c.Refs != nil {
			b.Columns[i].Refs = append(b.Columns[i].Refs, c.Refs[from:to]...)
		} else {
			b.Columns[i].Values = append(b.Columns[i].Values, c.Values[from:to]...)
		}
	}
	b.Rows += to - from
}

// clear empties a block, but keeps its memory.
func (b *Block) clear() {
	for i, c := range b.Columns {
		b.Columns[i] = Column{Refs: c.Refs[:0], Values: c.Values[:0]}
	}
	b.Rows = 0
}

// inOrder gives the rows of a block in their order; nil if they are in order.
// What comes thread by thread is mostly in order by itself: such stretches are
// merged, two by two, and only where there are many are rows sorted.
func (b *Block) inOrder(keys []int) []int32 {
	first := b.Columns[keys[0]].Values
	compare := func(x, y int32) int {
		if first[x] != first[y] {
			return cmp.Compare(first[x], first[y])
		}
		for _, k := range keys[1:] {
			if v := b.Columns[k].Values; v[x] != v[y] {
				return cmp.Compare(v[x], v[y])
			}
		}
		return cmp.Compare(x, y)
	}
	var ends []int // of stretches that are in order
	for i := 1; i < b.Rows; i++ {
		if compare(int32(i-1), int32(i)) > 0 {
			ends = append(ends, i)
		}
	}
	if ends = append(ends, b.Rows); len(ends) == 1 {
		return nil
	}
	order := make([]int32, b.Rows)
	if len(ends) > b.Rows/longStretch {
		// Beside the row, and not in its column, the first key is found sooner.
		type keyed struct {
			key int64
			row int32
		}
		rows := make([]keyed, b.Rows)
		for i, key := range first {
			rows[i] = keyed{key, int32(i)}
		}
		slices.SortFunc(rows, func(x, y keyed) int {
			if x.key != y.key {
				return cmp.Compare(x.key, y.key)
			}
			return compare(x.row, y.row)
		})
		for i, r := range rows {
			order[i] = r.row
		}
		return order
	}
	for i := range order {
		order[i] = int32(i)
	}
	for merged := make([]int32, b.Rows); len(ends) > 1; {
		fewer, from := ends[:0], 0
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[i]
			if i+1 < len(ends) {
				end = ends[i+1]
			}
			out, x, y := merged[from:end], order[from:middle], order[middle:end]
			for len(x) > 0 && len(y) > 0 {
				if compare(x[0], y[0]) < 0 {
					out[0], out, x = x[0], out[1:], x[1:]
				} else {
					out[0], out, y = y[0], out[1:], y[1:]
				}
			}
			copy(out[copy(out, x):], y)
			fewer, from = append(fewer, end), end
		}
		order, merged, ends = merged, order, fewer
	}
	return order
}

// longStretch is how many rows stretches that are merged have on average, at
// least.
const longStretch = 64

// pick gives the rows of a column in an order; nil is as they are.
func pick[T any](column []T, order []int32, from, to int) []T {
	out := make([]T, to-from)
	if order == nil {
		copy(out, column[from:to])
		return out
	}
	for i, row := range order[from:to] {
		out[i] = column[row]
	}
	return out
}

// pick is the same for a block.
func (b *Block) pick(order []int32, from, to int) Block {
	part := Block{Rows: to - from, Columns: make([]Column, len(b.Columns))}
	for i, c := range b.Columns {
		if c.Refs != nil {
			part.Columns[i].Refs = pick(c.Refs, order, from, to)
		} else {
			part.Columns[i].Values = pick(c.Values, order, from, to)
		}
	}
	return part
}

// only is a single run.
type only struct{ run Block }

func (o *only) Take(into *Block) (bool, error) {
	*into, o.run = o.run, Block{}
	return into.Rows > 0, nil
}

// mergingRuns merges runs.
type mergingRuns struct {
	s     *Spool
	keys  []int
	piece int // rows of a piece of a run
	left  int // rows
	runs  []*run
	queue []*run // a heap: none comes before that at (i-1)/2

	taken []stretch // of the block that is being made
}

// stretch is rows of a run that follow each other.
type stretch struct {
	columns  []Column
	from, to int
}

// run is a run while it is merged.
type run struct {
	*Spool
	number int
	block  Block
	at     int     // the first row of block that is left
	first  []int64 // of block: by what it is sorted first
}

func (m *mergingRuns) cut(r *Block) {
	order := r.inOrder(m.keys)
	spool := m.s.b.Spool(m.piece, m.s.refs...)
	for from := 0; from < r.Rows; from += spool.per {
		spool.append(r.pick(order, from, min(from+spool.per, r.Rows)))
	}
	m.runs = append(m.runs, &run{Spool: spool, number: len(m.runs)})
	r.clear()
}

// append adds a block of rows.
func (s *Spool) append(b Block) {
	s.block(b)
	s.rows += b.Rows
	if s.tooMany() {
		s.b.page()
	}
}

func (m *mergingRuns) start() error {
	for _, r := range m.runs {
		if ok, err := m.load(r); err != nil {
			return err
		} else if ok {
			m.queue = append(m.queue, r)
		}
	}
	slices.SortFunc(m.queue, func(x, y *run) int {
		if m.before(x, y) {
			return -1
		}
		return 1
	})
	return nil
}

// load gets the next piece of a run.
func (m *mergingRuns) load(r *run) (ok bool, err error) {
	if ok, err = r.Take(&r.block); ok {
		r.at, r.first = 0, r.block.Columns[m.keys[0]].Values
	}
	return ok, err
}

// Take merges as many rows as a block has.
func (m *mergingRuns) Take(into *Block) (bool, error) {
	if into.clear(); len(into.Columns) < len(m.s.refs) {
		*into = m.s.blank(min(m.s.per, m.left))
	}
	for rows := 0; rows < m.s.per && len(m.queue) > 0; {
		// As many rows as come before the next one of another run.
		r := m.queue[0]
		from, to := r.at, min(r.block.Rows, r.at+m.s.per-rows)
		for r.at++; r.at < to && m.isFirst(r); r.at++ {
		}
		m.taken = append(m.taken, stretch{r.block.Columns, from, r.at})
		rows += r.at - from
		if r.at == r.block.Rows {
			m.gather(into) // before its memory is used again
			ok, err := m.load(r)
			if err != nil {
				return false, err
			}
			if !ok {
				last := len(m.queue) - 1
				m.queue[0], m.queue = m.queue[last], m.queue[:last]
			}
		}
		m.down()
	}
	m.gather(into)
	m.left -= into.Rows
	return into.Rows > 0, nil
}

// gather copies what was taken, column by column.
func (m *mergingRuns) gather(into *Block) {
	for i, refs := range m.s.refs {
		c := &into.Columns[i]
		for _, t := range m.taken {
			switch {
			case refs && t.to-t.from == 1: // as it mostly is where threads take turns
				c.Refs = append(c.Refs, t.columns[i].Refs[t.from])
			case refs:
				c.Refs = append(c.Refs, t.columns[i].Refs[t.from:t.to]...)
			case t.to-t.from == 1:
				c.Values = append(c.Values, t.columns[i].Values[t.from])
			default:
				c.Values = append(c.Values, t.columns[i].Values[t.from:t.to]...)
			}
		}
	}
	for _, t := range m.taken {
		into.Rows += t.to - t.from
	}
	m.taken = m.taken[:0]
}

// isFirst tells whether the run that was first still is.
func (m *mergingRuns) isFirst(r *run) bool {
	return (len(m.queue) < 2 || m.before(r, m.queue[1])) && (len(m.queue) < 3 || m.before(r, m.queue[2]))
}

// down moves the first run to where it belongs.
func (m *mergingRuns) down() {
	q, at := m.queue, 0
	if len(q) == 0 {
		return
	}
	r := q[0]
	for {
		next := 2*at + 1
		if next+1 < len(q) && m.before(q[next+1], q[next]) {
			next++
		}
		if next >= len(q) || m.before(r, q[next]) {
			break
		}
		q[at], at = q[next], next
	}
	q[at] = r
}

// before tells whether the next row of a run comes before that of another one.
func (m *mergingRuns) before(x, y *run) bool {
	if a, b := x.first[x.at], y.first[y.at]; a != b {
		return a < b
	}
	for _, k := range m.keys[1:] {
		if a, b := x.block.Columns[k].Values[x.at], y.block.Columns[k].Values[y.at]; a != b {
			return a < b
		}
	}
	return x.number < y.number
}
