package jfr

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// cursor reads the values of an event or a constant. After the first one that
// is not there, or that costs more than its bytes can be worth, all that it
// gives is 0, and broken tells.
type cursor struct {
	b      []byte
	at     int
	packed bool // integers are compressed
	broken bool
	// fuel bounds the values that are read: types of no size, and arrays of
	// them, would otherwise make a few bytes into any number of values.
	fuel int
}

func newCursor(b []byte, packed bool) cursor {
	return cursor{b: b, packed: packed, fuel: 4096 + 16*len(b)}
}

func (c *cursor) burn() bool {
	if c.fuel--; c.fuel < 0 {
		c.fail()
	}
	return !c.broken
}

func (c *cursor) fail() { c.broken, c.at = true, len(c.b) }

// take gives the next n bytes, nil if there are not as many.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b)-c.at {
		c.fail()
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) u8() byte {
	if c.at >= len(c.b) {
		c.fail()
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

// varint is a compressed integer: seven bits a byte, the lowest first; of the
// ninth all eight bits count.
func (c *cursor) varint() int64 {
	var v uint64
	b, at := c.b, c.at
	for shift := 0; shift < 56; shift += 7 {
		if at >= len(b) {
			c.fail()
			return 0
		}
		x := b[at]
		at++
		v |= uint64(x&0x7f) << shift
		if x < 0x80 {
			c.at = at
			return int64(v)
		}
	}
	if at >= len(b) {
		c.fail()
		return 0
	}
	c.at = at + 1
	return int64(v | uint64(b[at])<<56)
}

func (c *cursor) long() int64 {
	if c.packed {
		return c.varint()
	}
	if b := c.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (c *cursor) int() int32 {
	if c.packed {
		return int32(c.varint())
	}
	if b := c.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (c *cursor) short() uint16 {
	if c.packed {
		return uint16(c.varint())
	}
	if b := c.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) float() float64 {
	if b := c.take(4); b != nil {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}
	return 0
}

func (c *cursor) double() float64 {
	if b := c.take(8); b != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return 0
}

// count is the length of an array or a text.
func (c *cursor) count() int {
	n := c.int()
	if n < 0 {
		c.fail()
		return 0
	}
	return int(n)
}

// How a string is written.
const (
	stringNull = iota
	stringEmpty
	stringConstant // an id among the constants of strings
	stringUTF8
	stringUTF16
	stringLatin1
)

// text reads a string. If it is a constant, that is given instead.
func (c *cursor) text() (text []byte, constant int64, isConstant bool) {
	switch c.u8() {
	case stringNull, stringEmpty:
	case stringConstant:
		return nil, c.long(), true
	case stringUTF8:
		text = c.take(c.count())
	case stringUTF16:
		n := c.count()
		if n > len(c.b)-c.at {
			c.fail()
			return nil, 0, false
		}
		units := make([]uint16, n)
		for i := range units {
			units[i] = c.short()
		}
		text = []byte(string(utf16.Decode(units)))
	case stringLatin1:
		for _, x := range c.take(c.count()) {
			if x >= 0x80 {
				text = append(text, 0xc0|x>>6, 0x80|x&0x3f)
			} else {
				text = append(text, x)
			}
		}
	default:
		c.fail()
	}
	return text, 0, false
}

// skipText passes over a string.
func (c *cursor) skipText() {
	switch c.u8() {
	case stringNull, stringEmpty:
	case stringConstant:
		c.long()
	case stringUTF8, stringLatin1:
		c.take(c.count())
	case stringUTF16:
		for n := c.count(); n > 0 && !c.broken; n-- {
			c.short()
		}
	default:
		c.fail()
	}
}
