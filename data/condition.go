package data

import "slices"

// Op is what a [Condition] does.
type Op uint8

const (
	// AllOf holds if all of Of hold.
	AllOf Op = iota
	// AnyOf holds if one of Of holds.
	AnyOf
	// NoneOf holds if none of Of holds.
	NoneOf
	// InRanges holds if the value of Field is in one of Ranges.
	InRanges
	// IsMarked holds if Field refers to an entity that is marked.
	IsMarked
)

// OwnRow stands, as a field of a [Condition], for the row number of the
// element itself: the sequence number of an event.
const OwnRow = -1

// Condition is a test of elements by their direct fields. It is what a filter
// becomes for one type of element, and what stores can decide by themselves.
type Condition struct {
	Op     Op
	Of     []*Condition
	Field  int    // of InRanges and IsMarked; OwnRow is the row number
	Ranges []Span // of InRanges
	Marks  []bool // of IsMarked, by row of the entity table
}

// Span is a range of values, ends included.
type Span struct{ From, To int64 }

// Fields appends the fields that the condition looks at, each once.
func (c *Condition) Fields(fields []int) []int {
	if c == nil {
		return fields
	}
	if (c.Op == InRanges || c.Op == IsMarked) && c.Field != OwnRow && !slices.Contains(fields, c.Field) {
		fields = append(fields, c.Field)
	}
	for _, of := range c.Of {
		fields = of.Fields(fields)
	}
	return fields
}

// Decider decides a condition for batches. It keeps what it needs for that,
// and so is one goroutine's.
type Decider struct {
	Condition *Condition
	others    [][]bool // by depth
}

// Decide sets keep, which is as long as the batch, for every row. column gives
// the batch's column of a field.
func (d *Decider) Decide(first int64, keep []bool, column func(field int) Column) {
	d.decide(d.Condition, 0, first, keep, column)
}

func (d *Decider) decide(c *Condition, depth int, first int64, keep []bool, column func(field int) Column) {
	switch c.Op {
	case AllOf, AnyOf, NoneOf:
		d.combine(c, depth, first, keep, column)
	case InRanges:
		if c.Field == OwnRow {
			for i := range keep {
				keep[i] = c.in(first + int64(i))
			}
			return
		}
		values := column(c.Field).Values[:len(keep)]
		if len(c.Ranges) == 1 && c.Ranges[0].From <= c.Ranges[0].To {
			// One comparison without a branch: half of a filter's events
			// cannot be foreseen.
			from, length := uint64(c.Ranges[0].From), uint64(c.Ranges[0].To)-uint64(c.Ranges[0].From)
			for i, v := range values {
				keep[i] = uint64(v)-from <= length
			}
			return
		}
		for i, v := range values {
			keep[i] = c.in(v)
		}
	case IsMarked:
		marks := c.Marks
		if c.Field == OwnRow {
			copy(keep, marks[first:])
			return
		}
		for i, e := range column(c.Field).Refs[:len(keep)] {
			// None is the largest id, and so out of range.
			keep[i] = int(e) < len(marks) && marks[e]
		}
	}
}

func (d *Decider) combine(c *Condition, depth int, first int64, keep []bool, column func(field int) Column) {
	start := c.Op == AllOf // what nothing to combine gives
	for i := range keep {
		keep[i] = start
	}
	for len(d.others) <= depth {
		d.others = append(d.others, nil)
	}
	if len(d.others[depth]) < len(keep) {
		d.others[depth] = make([]bool, len(keep))
	}
	other := d.others[depth][:len(keep)]
	for i, of := range c.Of {
		into := other
		if i == 0 {
			into = keep
		}
		d.decide(of, depth+1, first, into, column)
		if i == 0 {
			continue
		}
		if c.Op == AllOf {
			for row, k := range other {
				keep[row] = keep[row] && k
			}
		} else {
			for row, k := range other {
				keep[row] = keep[row] || k
			}
		}
	}
	if c.Op == NoneOf {
		for i, k := range keep {
			keep[i] = !k
		}
	}
}

func (c *Condition) in(v int64) bool {
	for _, s := range c.Ranges {
		if v >= s.From && v <= s.To {
			return true
		}
	}
	return false
}
