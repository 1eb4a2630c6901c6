package pstats

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/source"
)

// unmarshaler reads what Python's marshal writes, of the types that statistics
// have. A value is a byte for its type and what that type has; with flagRef, the
// value is numbered, and 'r' and the number stand for it later.
//
//	{ key value … 0        a dictionary
//	( int32  ) byte        a tuple of as many values
//	i int32  I int64  l    whole numbers; l has digits of 15 bits
//	g f                    numbers with a point, in binary and as text
//	s u t a A  z Z         texts, with a length of 4 bytes or 1; t, A, Z are interned
//	R                      of Python 2: an interned text again
//	N T F                  None, True, False
type unmarshaler struct {
	r        io.Reader
	window   []byte // what was read of r
	from, to int    // what was not taken yet of it: indexes, as pointers would be told to the collector each time
	before   int64  // bytes before window
	err      error  // of r, after window
	refs     []value
	texts    []string
	items    []value // of tuples
	shared   int     // tuples that have a number, so that their items must stay
	interned []int   // of Python 2: texts
	flag     bool    // the value whose code was read has a number
}

// value is a value without a box around it, of which there are millions.
type value struct {
	kind byte // 0: not read yet
	bits uint64
}

const (
	isNumber = 'i' // bits are an int64
	isFloat  = 'f' // bits are those of a float64
	isText   = 's' // bits are the index of a text
	isTuple  = '(' // bits are the index of the first item, and how many there are in the lowest byte
	isOther  = 'N'
)

func number(n int64) value { return value{isNumber, uint64(n)} }

func (m *unmarshaler) isText(v value) (string, bool) {
	if v.kind != isText {
		return "", false
	}
	return m.texts[v.bits], true
}

// tupleOf gives the items of a tuple, and the index of the first, which tells
// tuples apart.
func (m *unmarshaler) tupleOf(v value, n int) (items []value, at int, ok bool) {
	if v.kind != isTuple || int(v.bits&0xff) != n {
		return nil, 0, false
	}
	at = int(v.bits >> 8)
	return m.items[at : at+n], at, true
}

const flagRef = 0x80

// maxText bounds a text: its length is claimed before it is there.
const maxText = 16 << 20

// at is how many bytes were taken.
func (m *unmarshaler) at() int64 { return m.before + int64(m.from) }

// fill sees to it that n bytes, at most windowBytes, can be taken.
func (m *unmarshaler) fill(n int) error {
	if m.window == nil {
		m.window = make([]byte, windowBytes)
	}
	m.before = m.at()
	m.from, m.to = 0, copy(m.window, m.window[m.from:m.to])
	for m.to < n && m.err == nil {
		var k int
		k, m.err = m.r.Read(m.window[m.to:])
		m.to += k
	}
	if m.to < n {
		return short(m.err)
	}
	return nil
}

const windowBytes = 64 << 10

func (m *unmarshaler) code() (byte, error) {
	if m.from == m.to {
		if err := m.fill(1); err != nil {
			return 0, err
		}
	}
	c := m.window[m.from]
	m.from++
	m.flag = c&flagRef != 0
	return c &^ flagRef, nil
}

func (m *unmarshaler) wrong(expected string, code byte) error {
	return fmt.Errorf("byte %d: expected %s, but found the type %q of Python's marshal", m.at()-1, expected, code)
}

// bytes takes at most windowBytes, which stay until the next ones are taken.
func (m *unmarshaler) bytes(n int) ([]byte, error) {
	if m.to-m.from < n {
		if err := m.fill(n); err != nil {
			m.from = m.to
			return make([]byte, n), err
		}
	}
	b := m.window[m.from : m.from+n]
	m.from += n
	return b, nil
}

func (m *unmarshaler) int32() (int32, error) {
	b, err := m.bytes(4)
	return int32(binary.LittleEndian.Uint32(b)), err
}

// key takes the key of an entry of a dictionary, or its end.
func (m *unmarshaler) key() (key value, end bool, err error) {
	code, err := m.code()
	if err != nil || code == '0' {
		return key, err == nil, err
	}
	key, err = m.of(code, 0)
	return key, false, err
}

// tuple takes the beginning of a tuple: its values follow.
func (m *unmarshaler) tuple() (n int, ref int, err error) {
	code, err := m.code()
	if err != nil {
		return 0, -1, err
	}
	if code != '(' && code != ')' {
		return 0, -1, m.wrong("a tuple", code)
	}
	ref = m.reserve()
	n, err = m.length(code == ')')
	return n, ref, err
}

// reserve gives the value its number, before what is in it gets any.
func (m *unmarshaler) reserve() int {
	if !m.flag {
		return -1
	}
	if len(m.refs) == cap(m.refs) { // append grows large slices by a quarter, and copies them again and again
		m.refs = slices.Grow(m.refs, len(m.refs)+1024)
	}
	m.refs = append(m.refs, value{})
	return len(m.refs) - 1
}

func (m *unmarshaler) keep(ref int, v value) {
	if ref >= 0 {
		m.refs[ref] = v
	}
}

func (m *unmarshaler) length(small bool) (int, error) {
	if small {
		b, err := m.bytes(1)
		return int(b[0]), err
	}
	n, err := m.int32()
	if err == nil && n < 0 {
		err = fmt.Errorf("byte %d: a length is negative", m.at())
	}
	return int(n), err
}

// value takes any value. depth bounds tuples within tuples.
func (m *unmarshaler) value(depth int) (value, error) {
	code, err := m.code()
	if err != nil {
		return value{}, err
	}
	return m.of(code, depth)
}

const (
	maxDepth = 4
	maxTuple = 16
)

func (m *unmarshaler) of(code byte, depth int) (v value, err error) {
	ref := -1
	switch code {
	case 'r':
		n, err := m.int32()
		if err != nil {
			return v, err
		}
		if n < 0 || int(n) >= len(m.refs) || m.refs[n].kind == 0 {
			return v, fmt.Errorf("byte %d: there is no value number %d", m.at(), n)
		}
		return m.refs[n], nil
	case 'R':
		n, err := m.int32()
		if err != nil {
			return v, err
		}
		if n < 0 || int(n) >= len(m.interned) {
			return v, fmt.Errorf("byte %d: there is no text number %d", m.at(), n)
		}
		return value{isText, uint64(m.interned[n])}, nil
	case 'N', 'T', 'F':
		return value{isOther, 0}, nil
	case 'i', 'I', 'l', 'g', 'f', 's', 'u', 't', 'a', 'A', 'z', 'Z', '(', ')':
		ref = m.reserve()
	case 'c':
		return v, errCode
	default:
		return v, m.wrong("a number, a text or a tuple", code)
	}
	switch code {
	case 'i':
		n, e := m.int32()
		v, err = number(int64(n)), e
	case 'I':
		b, e := m.bytes(8)
		v, err = value{isNumber, binary.LittleEndian.Uint64(b)}, e
	case 'l':
		n, e := m.long()
		v, err = number(n), e
	case 'g':
		b, e := m.bytes(8)
		v, err = value{isFloat, binary.LittleEndian.Uint64(b)}, e
	case 'f':
		f, e := m.floatText()
		v, err = value{isFloat, math.Float64bits(f)}, e
	case '(', ')':
		n, e := m.length(code == ')')
		if e != nil {
			return v, e
		}
		if n > maxTuple || depth >= maxDepth {
			return v, fmt.Errorf("byte %d: a tuple has %d values, or is too deep", m.at(), n)
		}
		var items [maxTuple]value
		for i := range n {
			if items[i], err = m.value(depth + 1); err != nil {
				return v, err
			}
		}
		v = m.tupleFrom(items[:n])
		if ref >= 0 {
			m.shared++
		}
	default:
		text, e := m.text(code)
		v, err = value{isText, uint64(text)}, e
	}
	if err == nil {
		m.keep(ref, v)
	}
	return v, err
}

func (m *unmarshaler) tupleFrom(items []value) value {
	at := len(m.items)
	if at+len(items) > cap(m.items) {
		m.items = slices.Grow(m.items, at+1024)
	}
	m.items = append(m.items, items...)
	return value{isTuple, uint64(at)<<8 | uint64(len(items))}
}

// text takes a text, and gives its index.
func (m *unmarshaler) text(code byte) (int, error) {
	n, err := m.length(code == 'z' || code == 'Z')
	if err != nil {
		return 0, err
	}
	if n > maxText {
		return 0, fmt.Errorf("byte %d: a text is %d bytes long, more than %d", m.at(), n, maxText)
	}
	var text string
	if n <= windowBytes {
		b, err := m.bytes(n)
		if err != nil {
			return 0, err
		}
		text = string(b)
	} else {
		var b strings.Builder
		for left := n; left > 0; { // grows with what is there
			part, err := m.bytes(min(left, windowBytes))
			if err != nil {
				return 0, err
			}
			b.Write(part)
			left -= len(part)
		}
		text = b.String()
	}
	m.texts = append(m.texts, text)
	if code == 't' {
		m.interned = append(m.interned, len(m.texts)-1)
	}
	return len(m.texts) - 1, nil
}

// long takes a whole number in digits of 15 bits.
func (m *unmarshaler) long() (int64, error) {
	n, err := m.int32()
	if err != nil {
		return 0, err
	}
	negative := n < 0
	if negative {
		n = -n
	}
	if n < 0 || n > 5 {
		return 0, fmt.Errorf("byte %d: a number has more than 64 bits", m.at())
	}
	v := uint64(0)
	for i := range n {
		b, err := m.bytes(2)
		if err != nil {
			return 0, err
		}
		digit := uint64(binary.LittleEndian.Uint16(b))
		if i == 4 && digit >= 1<<3 {
			return 0, fmt.Errorf("byte %d: a number has more than 64 bits", m.at())
		}
		v |= digit << (15 * i)
	}
	if negative {
		return -int64(v), nil
	}
	return int64(v), nil
}

func (m *unmarshaler) floatText() (float64, error) {
	n, err := m.length(true)
	if err != nil {
		return 0, err
	}
	text, err := m.bytes(n)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, fmt.Errorf("byte %d: expected a number, but found %s", m.at(), source.Quote(text))
	}
	return v, nil
}
