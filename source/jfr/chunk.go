package jfr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// The types of events that are the tables of the file.
const (
	metadataEvent   = 0
	checkpointEvent = 1
)

// pollEvents is after how many events to see whether reading was cancelled.
const pollEvents = 1 << 14

// chunk is a chunk being read.
type chunk struct {
	r      *reader
	at     int64 // in the file
	header []byte
	b      []byte // all of it, the header included
	end    int    // of the last event that is whole
	packed bool

	start, startTicks, perSecond int64 // nanoseconds since 1970; ticks

	classes     map[int64]*class
	pools       map[int64]*pool // by class
	counts      map[int64]int   // events by class
	checkpoints []int
	plans       map[int64]*plan
	named       map[string]*class // see byName
	frames      []data.EntityID   // scratch
}

func newChunk(r *reader, at int64, header []byte) *chunk {
	word := func(i int) int64 { return int64(binary.BigEndian.Uint64(header[i:])) }
	k := &chunk{
		r: r, at: at, header: header, packed: header[headerBytes-1]&compressed != 0,
		start: word(32), startTicks: word(48), perSecond: word(56),
		pools: map[int64]*pool{}, counts: map[int64]int{}, plans: map[int64]*plan{}, named: map[string]*class{},
	}
	if k.perSecond <= 0 {
		k.perSecond, r.timeless = 1e9, true
	}
	if r.chunk == 1 {
		r.started = k.start
	}
	return k
}

func (k *chunk) read() error {
	broken := k.survey()
	if k.classes == nil {
		if broken == nil {
			broken = fmt.Errorf("byte %d: the chunk ends without the metadata that describes its events", k.at)
		}
		return broken
	}
	for _, at := range k.checkpoints {
		if err := k.checkpoint(at); err != nil {
			k.r.b.Warn("byte %d: %v; names may be missing", k.at+int64(at), err)
		}
	}
	if err := k.all(); err != nil {
		return err
	}
	return broken
}

// survey finds the metadata and the checkpoints, and counts events.
func (k *chunk) survey() error {
	var damage error
	at := headerBytes
	for n := 0; at < len(k.b); n++ {
		if n%pollEvents == 0 && k.r.ctx.Err() != nil {
			return k.r.ctx.Err()
		}
		body, next, kind, ok := k.event(at)
		if !ok {
			damage = fmt.Errorf("byte %d: expected an event, but its size is more than the chunk has left", k.at+int64(at))
			if kind == checkpointEvent { // some of its constants may be there
				k.checkpoints = append(k.checkpoints, at)
			}
			break
		}
		switch kind {
		case metadataEvent:
			c := newCursor(k.b[body:next], k.packed)
			classes, err := k.r.metadata(&c)
			if err == nil {
				k.classes = classes // the last one knows all types
			} else if damage == nil {
				damage = fmt.Errorf("byte %d: %w", k.at+int64(at), err)
			}
		case checkpointEvent:
			k.checkpoints = append(k.checkpoints, at)
		default:
			k.counts[kind]++
		}
		at = next
		k.end = at
	}
	return damage
}

// event takes the event at a place apart: where its values are, where it ends,
// and its type.
func (k *chunk) event(at int) (body, next int, kind int64, ok bool) {
	c := cursor{b: k.b, at: at, packed: k.packed}
	size := int(c.int())
	kind = c.long()
	return c.at, at + size, kind, !c.broken && size > 0 && c.at <= at+size && at+size <= len(k.b)
}

// checkpoint notes where the constants of a checkpoint are.
func (k *chunk) checkpoint(at int) error {
	body, next, _, ok := k.event(at)
	if !ok {
		next = len(k.b)
	}
	c := newCursor(k.b[:next], k.packed)
	c.at, c.fuel = body, 4096+16*(next-body)
	c.long() // start
	c.long() // duration
	c.long() // where the checkpoint before is
	c.u8()   // what kind of constants these are
	for n := c.count(); n > 0 && c.burn(); n-- {
		id := c.long()
		class := k.classes[id]
		if c.broken {
			break
		}
		if class == nil {
			return fmt.Errorf("a checkpoint has constants of the type %d, which is not described", id)
		}
		p := k.pools[id]
		if p == nil {
			p = &pool{class: class, rows: map[int64]int32{}}
			k.pools[id] = p
		}
		for n := c.count(); n > 0 && c.burn(); n-- {
			id := c.long()
			at := c.at
			k.skipValue(&c, class, 0)
			if !c.broken {
				p.add(id, at)
			}
		}
	}
	if c.broken {
		return errors.New("a checkpoint ends within its constants")
	}
	return nil
}

// all hands on all events.
func (k *chunk) all() error {
	at := headerBytes
	for n := 0; at < k.end; n++ {
		if n%pollEvents == 0 && k.r.ctx.Err() != nil {
			return k.r.ctx.Err()
		}
		body, next, kind, _ := k.event(at)
		at = next
		if kind == metadataEvent || kind == checkpointEvent {
			continue
		}
		p, ok := k.plans[kind]
		if !ok {
			p = k.plan(kind)
			k.plans[kind] = p
		}
		if p == nil {
			k.r.unknown++
			continue
		}
		c := newCursor(k.b[:next], k.packed)
		c.at, c.fuel = body, 4096+16*(next-body)
		row := k.r.row[:0]
		row = append(row, p.blank...)
		k.r.row = row
		k.run(&c, p.ops, row)
		if c.broken {
			k.r.broken++
			continue
		}
		k.r.events++
		p.table.add(row)
		if p.sample != nil {
			k.r.samples.add(p.sample, row)
		}
	}
	return nil
}

// since gives the nanoseconds from the start of the recording to a time in
// ticks.
func (k *chunk) since(ticks int64) int64 {
	return clampTime(k.start-k.r.started) + k.span(clampTime(ticks)-clampTime(k.startTicks))
}

// span gives the nanoseconds of a number of ticks.
func (k *chunk) span(ticks int64) int64 {
	if k.perSecond == 1e9 {
		return ticks
	}
	abs := uint64(max(ticks, -source.MaxTime))
	if ticks < 0 {
		abs = -abs
	}
	high, low := bits.Mul64(abs, 1e9)
	n := int64(source.MaxTime)
	if high < uint64(k.perSecond) {
		if quotient, _ := bits.Div64(high, low, uint64(k.perSecond)); quotient < source.MaxTime {
			n = int64(quotient)
		}
	}
	if ticks < 0 {
		return -n
	}
	return n
}

// clampTime keeps differences of times within 64 bits.
func clampTime(t int64) int64 { return max(-source.MaxTime/2, min(t, source.MaxTime/2)) }

// skip passes over the value of a field.
func (k *chunk) skip(c *cursor, f *field, depth int) {
	n := 1
	if f.array {
		n = c.count()
	}
	for ; n > 0 && c.burn(); n-- {
		if f.constant {
			c.long()
		} else {
			k.skipValue(c, f.class, depth)
		}
	}
}

func (k *chunk) skipValue(c *cursor, class *class, depth int) {
	switch class.primitive {
	case composite:
		if depth == maxNesting {
			c.fail()
			return
		}
		for i := range class.fields {
			k.skip(c, &class.fields[i], depth+1)
		}
	case isBoolean, isByte:
		c.u8()
	case isChar, isShort:
		c.short()
	case isInt:
		c.int()
	case isLong:
		c.long()
	case isFloat:
		c.take(4)
	case isDouble:
		c.take(8)
	case isString:
		c.skipText()
	}
}

// pool holds the constants of a class: by id, where they are, and what became
// of them.
type pool struct {
	class *class
	rows  map[int64]int32
	at    []int
	ids   []data.EntityID
	known []bool // ids has it
}

// add notes a constant. If there is one of that id, it stays: the JDK's own
// reader goes through the checkpoints from the last to the first.
func (p *pool) add(id int64, at int) {
	if _, ok := p.rows[id]; ok {
		return
	}
	p.rows[id] = int32(len(p.at))
	p.at, p.ids, p.known = append(p.at, at), append(p.ids, data.None), append(p.known, false)
}

// constant gives a cursor at a constant; ok is false if it is not there.
func (k *chunk) constant(class *class, id int64) (c cursor, ok bool) {
	if p := k.pools[class.id]; p != nil {
		if row, ok := p.rows[id]; ok {
			c = cursor{b: k.b, at: p.at[row], packed: k.packed, fuel: 1 << 20}
			return c, true
		}
	}
	return c, false
}
