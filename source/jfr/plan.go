package jfr

import (
	"math"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// How the fields of an event become columns.
//
// The metadata says of each field its class, whether the event has the value or
// the id of a constant, and by annotations what it means. A plan is made of that
// once per type of event and chunk, and run for each event:
//
//	Timespan, DataAmount, numbers of no content    amounts: nanoseconds, bytes, bits, count
//	Timestamp                                      a coordinate, nanoseconds since the recording began
//	Percentage, Frequency, MemoryAddress           coordinates: adding them up means nothing
//	numbers with an annotation that is Relational  references to an entity per number: GcId …
//	booleans                                       references to Boolean
//	strings                                        references to Text
//	threads, classes, methods, stack traces        references to Thread, Class, Method, Context
//	values that are a name, or that have one       references to an entity type of that class: GCCause …
//	other values                                   their fields, with the name of the outer in front
//
// Fractions become whole numbers: percentages in millionths (ppm), others
// rounded. What is told in another unit is converted to nanoseconds or bytes. The
// smallest number of a type stands for that there is none, and becomes 0.

// plan is how events of a type are read.
type plan struct {
	table  *table
	ops    []op
	blank  []int64 // a row of nothing
	sample *sample // nil if the events have no stacks
}

// op reads one field, of the event or of a value in it.
type op struct {
	does   doing
	field  *field
	column int
	kind   *kind // of the entities that names stand for
	sub    []op  // of values with fields
}

type doing uint8

const (
	skips doing = iota
	number
	related // a number that is the name of an entity
	truth
	text
	entity // a value that becomes a reference
	nested // a value whose fields are columns
)

const (
	maxColumns = 64 // of a type of event
	maxDepth   = 4  // of values within values
)

func (k *chunk) plan(id int64) *plan {
	of := k.classes[id]
	if of == nil || of.super != eventClass {
		return nil
	}
	p := &plan{table: k.r.table(of)}
	p.ops = k.opsOf(p.table, of, "", "", []*class{of})
	p.blank = make([]int64, len(p.table.columns))
	for i, c := range p.table.columns {
		if c.field.IsReference() {
			p.blank[i] = int64(data.None)
		}
	}
	p.sample = k.r.sampleOf(of, p)
	return p
}

// opsOf plans the fields of a class. path and title are those of the fields
// around, within the classes that they have.
func (k *chunk) opsOf(t *table, of *class, path, title string, within []*class) []op {
	var ops []op
	for i := range of.fields {
		f := &of.fields[i]
		o := op{does: skips, field: f}
		at := path + f.name
		define := func(def data.Field, does doing) {
			def.Name, def.Description = strings.TrimSpace(title+" "+f.title()), f.description
			if c, ok := t.column(at, def); ok {
				o.does, o.column = does, c
			}
		}
		switch does := k.doing(f); {
		case f.array:
			k.r.leftOut[t.name+"."+at] = true
		case does == nested && (slices.Contains(within, f.class) || len(within) == maxDepth):
			k.r.leftOut[t.name+"."+at] = true
		case does == nested:
			o.does = nested
			o.sub = k.opsOf(t, f.class, at+".", strings.TrimSpace(title+" "+f.title()), append(within, f.class))
		case does == number:
			define(f.measure(), number)
		case does == related:
			o.kind = k.r.kind(f.relation)
			define(data.Ref("", o.kind.title, ""), related)
		case does == truth:
			define(data.Ref("", typeBoolean, ""), truth)
		case does == text:
			define(data.Ref("", typeText, ""), text)
		case does == entity:
			refers, kind := k.r.refers(f.class)
			o.kind = kind
			define(data.Ref("", refers, ""), entity)
		}
		ops = append(ops, o)
	}
	for len(ops) > 0 && ops[len(ops)-1].does == skips {
		ops = ops[:len(ops)-1] // nothing that matters follows
	}
	return ops
}

func (k *chunk) doing(f *field) doing {
	if f.constant && f.class.primitive != composite && f.class.primitive != isString {
		return skips // nobody writes numbers so
	}
	switch f.class.primitive {
	case isBoolean:
		return truth
	case isString, isChar:
		return text
	case composite:
		if f.class.isEntity() {
			return entity
		}
		return nested
	}
	if f.relation != nil {
		return related
	}
	return number
}

// measure says what the numbers of a field mean.
func (f *field) measure() data.Field {
	switch {
	case f.content == timespan:
		return data.Value("", "nanoseconds", "", data.Amount)
	case f.content == timestamp:
		return data.Value("", "nanoseconds", "", data.Coordinate)
	case f.content == percentage:
		return data.Value("", "ppm", "", data.Coordinate)
	case f.content == memoryAddress:
		return data.Value("", "", "", data.Coordinate)
	case f.content == dataAmount && f.rate:
		return data.Value("", data.Unit(f.bits("bits", "bytes")+" per second"), "", data.Coordinate)
	case f.content == dataAmount:
		return data.Value("", data.Unit(f.bits("bits", "bytes")), "", data.Amount)
	case f.rate:
		return data.Value("", "hertz", "", data.Coordinate)
	}
	return data.Value("", "count", "", data.Amount)
}

func (f *field) bits(bits, bytes string) string {
	if f.unit == "BITS" {
		return bits
	}
	return bytes
}

// run reads a value with fields, and puts them into a row.
func (k *chunk) run(c *cursor, ops []op, row []int64) {
	for i := range ops {
		o := &ops[i]
		switch o.does {
		case skips:
			k.skip(c, o.field, 0)
		case number:
			row[o.column] = k.number(c, o.field)
		case related:
			row[o.column] = int64(o.kind.number(k.integer(c, o.field)))
		case truth:
			row[o.column] = int64(c.u8() & 1)
		case text, entity:
			switch {
			case o.field.constant:
				row[o.column] = int64(k.reference(o.kind, o.field.class, c.long()))
			case o.does == text:
				row[o.column] = int64(k.text(c, o.field.class))
			default:
				row[o.column] = int64(k.entity(o.kind, c, o.field.class))
			}
		case nested:
			if !o.field.constant {
				k.run(c, o.sub, row)
				k.rest(c, o)
			} else if at, ok := k.constant(o.field.class, c.long()); ok {
				k.run(&at, o.sub, row)
			}
		}
	}
}

// rest passes over the fields of a value behind those that its ops read.
func (k *chunk) rest(c *cursor, o *op) {
	for i := len(o.sub); i < len(o.field.class.fields); i++ {
		k.skip(c, &o.field.class.fields[i], 0)
	}
}

// integer reads a number as it is.
func (k *chunk) integer(c *cursor, f *field) int64 {
	switch f.class.primitive {
	case isByte:
		if v := c.u8(); f.unsigned {
			return int64(v)
		} else {
			return int64(int8(v))
		}
	case isShort:
		if v := c.short(); f.unsigned {
			return int64(v)
		} else {
			return int64(int16(v))
		}
	case isInt:
		if v := c.int(); f.unsigned {
			return int64(uint32(v))
		} else {
			return int64(v)
		}
	case isFloat:
		return whole(c.float())
	case isDouble:
		return whole(c.double())
	}
	if v := c.long(); f.unsigned && v < 0 {
		return math.MaxInt64
	} else {
		return v
	}
}

// number reads a number in the unit that measure says.
func (k *chunk) number(c *cursor, f *field) int64 {
	switch f.class.primitive {
	case isFloat, isDouble:
		v := 0.0
		if f.class.primitive == isFloat {
			v = c.float()
		} else {
			v = c.double()
		}
		switch f.content {
		case percentage:
			v *= 1e6
		case timespan:
			v *= nanoseconds[f.unit]
		}
		return whole(v)
	}
	v := k.integer(c, f)
	if f.absent(v) {
		return 0
	}
	switch f.content {
	case timespan:
		if f.unit == "TICKS" {
			return k.span(max(-source.MaxTime, min(v, source.MaxTime)))
		}
		return scale(v, nanoseconds[f.unit])
	case timestamp:
		switch f.unit {
		case "TICKS":
			return k.since(v)
		case "NANOSECONDS_SINCE_EPOCH":
			return clampTime(v) - clampTime(k.r.started)
		}
		return clampTime(scale(v, 1e6)) - clampTime(k.r.started) // milliseconds, the default
	case percentage:
		return scale(v, 1e6)
	}
	return v
}

// absent tells whether a number stands for that there is none.
func (f *field) absent(v int64) bool {
	return !f.unsigned && (f.class.primitive == isLong && v == math.MinInt64 || f.class.primitive == isInt && v == math.MinInt32)
}

// nanoseconds is how many of them a unit of time has; nothing stands for
// nanoseconds, too.
var nanoseconds = map[string]float64{"": 1, "NANOSECONDS": 1, "MICROSECONDS": 1e3, "MILLISECONDS": 1e6, "SECONDS": 1e9}

// scale multiplies, within 64 bits.
func scale(v int64, by float64) int64 {
	n := int64(by)
	if n <= 1 {
		return v
	}
	if v > math.MaxInt64/n {
		return math.MaxInt64
	}
	if v < math.MinInt64/n {
		return math.MinInt64
	}
	return v * n
}

// whole rounds, within 64 bits.
func whole(v float64) int64 {
	switch {
	case v != v:
		return 0
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return int64(math.Round(v))
}
