package data

import "slices"

// Spool is rows that wait for something that comes last: the fields they will
// have, what their references mean, their order. Readers fill it while a file
// streams by, and take the rows away again, in order and once, to make events
// of them ([EventBuilder.AdoptSpool]) or other rows.
//
// A spool is a list of blocks of columns. All spools of a builder together keep
// as many bytes in memory as events may take ([Builder.SpillTo]); beyond that
// all their blocks go to disk, as pages. So what it costs to hold rows does not
// grow with their number, and nothing is copied while they grow.
//
// A column may be added late. Rows without a value in a column are blank there:
// None, or 0.
type Spool struct {
	b       *Builder
	at      int    // index in b.spools; -1 once everything was taken
	per     int    // rows of a block
	refs    []bool // column -> it holds references
	rowSize int64  // bytes

	pages   []page  // the first rows
	blocks  []Block // the next ones, per rows each
	tail    Block   // the last ones; columns may be shorter than the others
	blocked int     // rows in blocks
	room    int     // rows for which there is room in tail
	held    int64   // bytes that b was told of
	paged   int     // rows that went to disk: what is in blocks begins there
	rows    int
}

// Block is a run of rows of a [Spool].
type Block struct {
	Rows    int
	Columns []Column
}

type page struct{ number, rows int }

// Pages is a place for rows that memory should not hold for now.
type Pages interface {
	// Write keeps columns, each of them rows long or empty, and gives a number
	// for them. It does not keep the slices.
	Write(rows int, columns []Column) (int, error)
	// Read gives what was written: into's slices are used if they are large
	// enough. Columns beyond those that were written are empty.
	Read(page int, into []Column) ([]Column, error)
	// Close forgets everything.
	Close() error
}

// Spool starts a spool with blocks of so many rows. refs tells of each column
// whether it holds references.
func (b *Builder) Spool(per int, refs ...bool) *Spool {
	s := &Spool{b: b, at: len(b.spools), per: b.Often(per)}
	b.spools = append(b.spools, s)
	for _, r := range refs {
		s.AddColumn(r)
	}
	return s
}

// AddColumn adds a column, blank so far, and gives its index.
func (s *Spool) AddColumn(refs bool) int {
	s.refs = append(s.refs, refs)
	s.tail.Columns = append(s.tail.Columns, Column{})
	if refs {
		s.rowSize += 4
	} else {
		s.rowSize += 8
	}
	return len(s.refs) - 1
}

// Rows is the number of rows that were added.
func (s *Spool) Rows() int { return s.rows }

// Refs tells of each column whether it holds references.
func (s *Spool) Refs() []bool { return slices.Clone(s.refs) }

// Row adds a blank row, and gives the columns that it is in, of which it is the
// last row. The caller appends a value to those where every row has one, and
// calls SetRef and SetValue for others. What could not be written to disk is
// told by [Builder.Finish], and lost.
func (s *Spool) Row() []Column {
	if s.tail.Rows == s.room {
		s.grow()
	}
	s.tail.Rows++
	s.rows++
	return s.tail.Columns
}

// Room is taken in steps, unless there are few spools, or some blocks before: of
// thousands of threads most do little.
const firstRoom, fewSpools, someBlocks = 16, 16, 4

func (s *Spool) grow() {
	if s.tail.Rows >= s.per {
		s.complete(&s.tail)
		s.block(s.tail)
		s.empty()
	}
	// Memory is accounted for by room, before there are values in it.
	more := min(max(firstRoom, s.tail.Rows), s.per-s.tail.Rows)
	if n := len(s.blocks); n > 0 && (n >= someBlocks || len(s.b.spools) <= fewSpools) {
		more = s.per
	}
	s.room = s.tail.Rows + more
	if s.tooMany() {
		s.b.page() // all, also what is in tail
		s.room = min(more, s.per)
		s.tooMany()
	}
	for i := range s.tail.Columns {
		c := &s.tail.Columns[i]
		switch before := s.before(i); {
		case len(c.Refs) > 0 || len(before.Refs) > 0:
			c.Refs = append(make([]EntityID, 0, s.room), c.Refs...)
		case len(c.Values) > 0 || len(before.Values) > 0:
			c.Values = append(make([]int64, 0, s.room), c.Values...)
		}
	}
}

// block adds a block behind the others.
func (s *Spool) block(b Block) { s.blocks, s.blocked = append(s.blocks, b), s.blocked+b.Rows }

// before is a column of the block before the tail, if that is in memory.
func (s *Spool) before(column int) Column {
	if n := len(s.blocks); n > 0 && column < len(s.blocks[n-1].Columns) {
		return s.blocks[n-1].Columns[column]
	}
	return Column{}
}

func (s *Spool) empty() {
	s.tail, s.room = Block{Columns: make([]Column, len(s.refs))}, 0
}

// complete makes all columns as long as a block is, except those that are
// blank.
func (s *Spool) complete(b *Block) {
	for i := range b.Columns {
		if c := &b.Columns[i]; s.refs[i] && len(c.Refs) > 0 {
			c.Refs = fillRefs(c.Refs, b.Rows)
		} else if len(c.Values) > 0 {
			c.Values = fillValues(c.Values, b.Rows)
		}
	}
}

func fillRefs(refs []EntityID, n int) []EntityID {
	refs = slices.Grow(refs, n-len(refs))
	for len(refs) < n {
		refs = append(refs, None)
	}
	return refs
}

func fillValues(values []int64, n int) []int64 {
	from := len(values)
	values = slices.Grow(values, n-from)[:n]
	clear(values[from:])
	return values
}

// SetRef sets a reference of the last row.
func (s *Spool) SetRef(column int, id EntityID) {
	c := &s.tail.Columns[column]
	if n := len(c.Refs); n == s.tail.Rows-1 && n < cap(c.Refs) { // as it mostly is
		c.Refs = append(c.Refs, id)
		return
	}
	if len(c.Refs) < s.tail.Rows {
		if cap(c.Refs) == 0 {
			c.Refs = make([]EntityID, 0, max(s.room, s.tail.Rows))
		}
		c.Refs = fillRefs(c.Refs, s.tail.Rows)
	}
	c.Refs[s.tail.Rows-1] = id
}

// SetValue sets a value of the last row.
func (s *Spool) SetValue(column int, v int64) {
	c := &s.tail.Columns[column]
	if n := len(c.Values); n == s.tail.Rows-1 && n < cap(c.Values) {
		c.Values = append(c.Values, v)
		return
	}
	if len(c.Values) < s.tail.Rows {
		if cap(c.Values) == 0 {
			c.Values = make([]int64, 0, max(s.room, s.tail.Rows))
		}
		c.Values = fillValues(c.Values, s.tail.Rows)
	}
	c.Values[s.tail.Rows-1] = v
}

// Find gives the columns that a row is in and its index there, or ok = false if
// it is on disk, or blank in all columns.
func (s *Spool) Find(row int) (columns []Column, i int, ok bool) {
	row -= s.paged
	if in := row - s.blocked; in >= 0 { // as it mostly is
		return s.tail.Columns, in, true
	}
	if row < 0 {
		return nil, 0, false
	}
	return s.blocks[row/s.per].Columns, row % s.per, true
}

// Adopt makes whole columns all that is in the spool, without copying; columns
// that are not given stay what they are. Rows can be labelled after it, but not
// added.
func (s *Spool) Adopt(rows int, at []int, columns []Column) {
	for i, c := range columns {
		s.tail.Columns[at[i]] = c
	}
	s.rows, s.tail.Rows, s.room = rows, rows, rows
	s.tooMany() // they are not put on disk before they are labelled
}

// AdoptColumn is Adopt for one column, if all rows are in one block.
func (s *Spool) AdoptColumn(column int, c Column) (ok bool) {
	if s.tail.Rows < s.rows {
		return false
	}
	s.tail.Columns[column] = c
	return true
}

// Take is of Rows.
func (s *Spool) Take(into *Block) (bool, error) {
	if s.b.ended != nil {
		if err := s.b.ended(); err != nil {
			return false, err
		}
	}
	switch {
	case len(s.pages) > 0:
		p := s.pages[0]
		s.pages = s.pages[1:]
		var err error
		if into.Columns, err = s.b.pages.Read(p.number, into.Columns); err != nil {
			return false, err
		}
		into.Rows = p.rows
	case len(s.blocks) > 0:
		*into = s.blocks[0]
		s.blocks[0] = Block{}
		s.blocks, s.blocked = s.blocks[1:], s.blocked-into.Rows
		s.tooMany()
	case s.tail.Rows > 0:
		s.complete(&s.tail)
		*into = s.tail
		s.empty()
		s.tooMany()
	default:
		s.leave()
		return false, s.b.failed
	}
	for i, refs := range s.refs {
		if i == len(into.Columns) {
			into.Columns = append(into.Columns, Column{})
		}
		if c := &into.Columns[i]; refs {
			c.Refs = fillRefs(c.Refs, into.Rows)
		} else {
			c.Values = fillValues(c.Values, into.Rows)
		}
	}
	return true, nil
}

// Drop forgets all rows.
func (s *Spool) Drop() {
	s.blocks, s.blocked, s.pages = nil, 0, nil
	s.empty()
	s.tooMany()
	s.leave()
}

// leave forgets a spool that is empty.
func (s *Spool) leave() {
	if s.at < 0 {
		return
	}
	last := len(s.b.spools) - 1
	s.b.spools[s.at] = s.b.spools[last]
	s.b.spools[s.at].at = s.at
	s.b.spools, s.at = s.b.spools[:last], -1
}

// tooMany accounts for the rows in memory, by the room they have, and gives
// whether all spools have too many.
func (s *Spool) tooMany() bool {
	before := s.held
	s.held = int64(s.blocked+s.room) * s.rowSize
	s.b.waiting += s.held - before
	if s.b.spill == nil {
		return false
	}
	if s.b.spillRows > 0 {
		return s.b.waiting > int64(s.b.spillRows)*s.rowSize && s.held > before
	}
	return s.b.waiting > max(s.b.limit, leastSpooled)
}

// leastSpooled is what spools may hold however little memory they should take:
// it makes pages worth the writing where thousands of threads have one each.
const leastSpooled = 16 << 20

// page puts all that spools hold on disk.
func (b *Builder) page() {
	if b.pages == nil && b.failed == nil {
		b.pages, b.failed = b.spill.Pages()
	}
	write := func(s *Spool, block Block) {
		part := make([]Column, len(block.Columns))
		for from := 0; from < block.Rows && b.failed == nil; from += s.per { // what was adopted is longer
			n, number := min(s.per, block.Rows-from), 0
			for i, c := range block.Columns {
				if part[i] = c; c.len() > 0 {
					part[i] = c.slice(from, from+n)
				}
			}
			if number, b.failed = b.pages.Write(n, part); b.failed == nil {
				s.pages = append(s.pages, page{number, n})
			}
		}
	}
	for _, s := range b.spools {
		for _, block := range s.blocks {
			write(s, block)
		}
		s.complete(&s.tail)
		write(s, s.tail)
		s.blocks, s.blocked, s.paged, s.held = nil, 0, s.rows, 0
		s.empty()
	}
	b.waiting = 0
}

// AdoptSpool makes the rows of a spool, or those that one sorted, the events of the still empty table:
// field f is the column columns[f], or blank if that is -1. change, which may be
// nil, is given the columns of each run of rows, by field, to change them in
// place. A row that is blank where it must not be is an error here.
func (e *EventBuilder) AdoptSpool(rows Rows, columns []int, change func(rows int, columns []Column) error) error {
	part := make([]Column, len(columns))
	var block Block
	for {
		own := false // the block can be kept
		switch rows := rows.(type) {
		case *Spool:
			own = len(rows.pages) == 0
		case *only, *mergingRuns:
			own = true
		}
		ok, err := rows.Take(&block)
		if err != nil || !ok {
			return err
		}
		for f, c := range columns {
			switch {
			case c >= 0:
				part[f] = block.Columns[c]
			case e.def.Fields[f].IsReference():
				part[f].Refs = fillRefs(part[f].Refs[:0], block.Rows)
			default:
				part[f].Values = fillValues(part[f].Values[:0], block.Rows)
			}
		}
		if change != nil {
			if err := change(block.Rows, part); err != nil {
				return err
			}
		}
		if own {
			err = e.take(block.Rows, part)
			part, block = make([]Column, len(columns)), Block{}
		} else {
			err = e.Append(block.Rows, part...)
		}
		if err != nil {
			return err
		}
	}
}
