package pprof

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The wire types of protocol buffers that are in use.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

const (
	bufferBytes = 1 << 20
	// maxMessage bounds the buffer. A stack of ten million frames fits.
	maxMessage = 256 << 20
)

// wireError tells where the file stops being a profile.
type wireError struct {
	at    int64
	text  string
	early bool // the file ended, rather than being wrong
}

func (e *wireError) Error() string {
	if e.early {
		return fmt.Sprintf("the profile ends in the middle of the part that starts at byte %d", e.at)
	}
	return fmt.Sprintf("byte %d: %s", e.at, e.text)
}

// stream cuts the outermost message into its fields. The buffer grows only as
// far as content arrives, so that a wrong length costs nothing.
type stream struct {
	ctx  context.Context
	in   io.Reader
	buf  []byte
	from int   // start of what was not handed out yet
	to   int   // end of what was read
	base int64 // position of buf[0] in the content
	err  error // what ended the content

	// The current field, valid until the next call of next.
	num, wire int
	val       uint64 // of numbers
	body      []byte // of messages and strings
	at        int64  // where it starts
}

func newStream(ctx context.Context, in io.Reader) *stream {
	return &stream{ctx: ctx, in: in, buf: make([]byte, bufferBytes)}
}

// fill makes the next n bytes available, or as many as there are.
func (s *stream) fill(n int) error {
	for s.to-s.from < n && s.err == nil {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if s.from > 0 {
			copy(s.buf, s.buf[s.from:s.to])
			s.base += int64(s.from)
			s.from, s.to = 0, s.to-s.from
		}
		if s.to == len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		// As much as there is: every refill moves what is left over.
		for s.to < n || s.to < len(s.buf)/2 {
			m, err := s.in.Read(s.buf[s.to:])
			s.to += m
			if err != nil {
				s.err = err
				break
			}
			if s.to == len(s.buf) {
				break
			}
		}
	}
	if s.err != nil && s.err != io.EOF {
		return s.err
	}
	return nil
}

// next reads the next field. The error is io.EOF at the end, a *wireError if
// the content is no profile from here on, else a failure of reading.
func (s *stream) next() error {
	const maxHeader = 2 * binary.MaxVarintLen64
	if s.to-s.from < maxHeader {
		if err := s.fill(maxHeader); err != nil {
			return err
		}
		if s.from == s.to {
			return io.EOF
		}
	}
	s.at = s.base + int64(s.from)
	tag, n := binary.Uvarint(s.buf[s.from:s.to])
	if n <= 0 {
		return s.badVarint(n)
	}
	s.from += n
	s.num, s.wire, s.body = int(min(tag>>3, 1<<29)), int(tag&7), nil
	if s.num == 0 || s.num >= 1<<29 {
		return &wireError{at: s.at, text: fmt.Sprintf("%#x is not the tag of a field", tag)}
	}
	switch s.wire {
	case wireVarint:
		if s.val, n = binary.Uvarint(s.buf[s.from:s.to]); n <= 0 {
			return s.badVarint(n)
		}
		s.from += n
	case wireFixed64:
		return s.skip(8)
	case wireFixed32:
		return s.skip(4)
	case wireBytes:
		size, n := binary.Uvarint(s.buf[s.from:s.to])
		if n <= 0 {
			return s.badVarint(n)
		}
		s.from += n
		if s.num > profileString {
			if size > 1<<62 {
				return &wireError{at: s.at, text: fmt.Sprintf("a field has a length of %d", size)}
			}
			return s.skip(int64(size))
		}
		if size > maxMessage {
			return &wireError{at: s.at, text: fmt.Sprintf("a %s of %d bytes is longer than the %d that are read", fieldNames[s.num], size, maxMessage)}
		}
		if s.to-s.from < int(size) {
			if err := s.fill(int(size)); err != nil {
				return err
			}
			if s.to-s.from < int(size) {
				return &wireError{at: s.at, early: true}
			}
		}
		s.body = s.buf[s.from : s.from+int(size) : s.from+int(size)]
		s.from += int(size)
	default:
		return &wireError{at: s.at, text: fmt.Sprintf("%#x is not the tag of a field (wire type %d)", tag, s.wire)}
	}
	return nil
}

func (s *stream) badVarint(n int) error {
	if n == 0 {
		return &wireError{at: s.at, early: true}
	}
	return &wireError{at: s.at, text: "a number is longer than 64 bits"}
}

// skip passes over n bytes that nobody wants.
func (s *stream) skip(n int64) error {
	for {
		have := min(n, int64(s.to-s.from))
		s.from += int(have)
		if n -= have; n == 0 {
			return nil
		}
		if err := s.fill(1); err != nil {
			return err
		}
		if s.from == s.to {
			return &wireError{at: s.at, early: true}
		}
	}
}

var (
	errVarint = errors.New("a number is cut off or longer than 64 bits")
	errLength = errors.New("a part is longer than the message around it")
	errTag    = errors.New("a tag is not that of a field")
)

// message walks the fields of one message that is wholly in memory.
type message struct {
	rest []byte
	num  int
	wire int
	val  uint64
	body []byte
}

// next reads the next field; more is false at the end.
func (m *message) next() (more bool, err error) {
	if len(m.rest) == 0 {
		return false, nil
	}
	tag, n := binary.Uvarint(m.rest)
	if n <= 0 {
		return false, errVarint
	}
	m.rest = m.rest[n:]
	m.num, m.wire, m.body = int(min(tag>>3, 1<<29)), int(tag&7), nil
	if m.num == 0 {
		return false, errTag
	}
	size := uint64(0)
	switch m.wire {
	case wireVarint:
		if m.val, n = binary.Uvarint(m.rest); n <= 0 {
			return false, errVarint
		}
		m.rest = m.rest[n:]
		return true, nil
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	case wireBytes:
		if size, n = binary.Uvarint(m.rest); n <= 0 {
			return false, errVarint
		}
		m.rest = m.rest[n:]
	default:
		return false, errTag
	}
	if size > uint64(len(m.rest)) {
		return false, errLength
	}
	m.body, m.rest = m.rest[:size], m.rest[size:]
	return true, nil
}

// is tells whether the field is the number called num.
func (m *message) is(num int) bool { return m.num == num && m.wire == wireVarint }
