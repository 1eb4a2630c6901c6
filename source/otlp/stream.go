// Package otlp is what the readers of OTLP, the protocol of OpenTelemetry, have
// in common: messages of protocol buffers that are too large to be held, and the
// attributes of resources, in both forms.
//
// A [Stream] goes into messages without having them in memory; what is small is
// handed out whole, to be read with protowire or, as JSON, with jsonstream.
//
// The modules that OpenTelemetry publishes are not used: go.opentelemetry.io/proto
// makes an object of every span and needs the whole file at once, requires gRPC,
// and has no profiles.
//
// What does not belong: spans and profiles.
package otlp

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// maxMessage bounds what is handed out whole: a span, a sample, a string.
	maxMessage = 64 << 20
	// prefixBytes is the length in front of each message, where there is one.
	prefixBytes = 4
)

// Stream walks the fields of a message, and of the messages in it.
type Stream struct {
	ctx   context.Context
	in    *bufio.Reader
	at    int64
	ends  []int64 // of the messages around, the outermost first; -1 if it is not known
	buf   []byte
	typ   protowire.Type
	field int64 // where the last field starts
	polls int
}

// NewStream starts at the fields of the outermost message, whose end is that of
// the content. Reading fails with the error of ctx once that is done.
func NewStream(ctx context.Context, in io.Reader) *Stream {
	return &Stream{ctx: ctx, in: bufio.NewReaderSize(in, 256<<10), ends: []int64{-1}}
}

// ErrEnd tells that the content ends within a message.
var ErrEnd = errors.New("the file ends within a message")

// Offset is where the next byte is in the content.
func (s *Stream) Offset() int64 { return s.at }

// wrong tells what is wrong with the last field.
func (s *Stream) wrong(format string, args ...any) error {
	return fmt.Errorf("byte %d: %s", s.field, fmt.Sprintf(format, args...))
}

// ended makes of an early end of the content what it is.
func (s *Stream) ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("byte %d: %w", s.at, ErrEnd)
	}
	return err
}

// firstTag tells whether a byte may begin a message of OTLP: field 1, resources with
// what comes from them, or field 2, the dictionary of profiles.
func firstTag(b byte) bool {
	return b == 1<<3|byte(protowire.BytesType) || b == 2<<3|byte(protowire.BytesType)
}

// First gives the first message at the head of a file, as far as it is there: there
// may be its length in front, as the collector's file exporter writes it.
func First(head []byte) []byte {
	if n, ok := prefixed(head); ok {
		return head[prefixBytes:min(len(head), prefixBytes+n)]
	}
	return head
}

func prefixed(head []byte) (n int, ok bool) {
	if len(head) <= prefixBytes || firstTag(head[0]) {
		return 0, false
	}
	n = int(binary.BigEndian.Uint32(head))
	return n, n > 0 && n < 1<<30 && firstTag(head[prefixBytes])
}

// Messages has each message of a file read: the only one, which ends with the
// file, or several with their length in front, as its head tells.
func (s *Stream) Messages(head []byte, message func() error) error {
	if _, ok := prefixed(head); !ok {
		return message()
	}
	for {
		s.field = s.at
		var length [prefixBytes]byte
		n, err := io.ReadFull(s.in, length[:])
		s.at += int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.ended(err)
		}
		s.ends[0] = s.at + int64(binary.BigEndian.Uint32(length[:]))
		if err := message(); err != nil {
			return err
		}
	}
}

// Next gives the number of the next field of the current message, and io.EOF at
// its end. The caller then takes the value by one of Enter, Bytes, Number and Skip.
func (s *Stream) Next() (protowire.Number, error) {
	if s.polls++; s.polls%(1<<12) == 0 && s.ctx.Err() != nil {
		return 0, s.ctx.Err()
	}
	end := s.ends[len(s.ends)-1]
	if s.at == end {
		return 0, io.EOF
	}
	s.field = s.at
	tag, err := s.varint()
	if err == io.EOF && end < 0 && s.at == s.field {
		return 0, io.EOF
	}
	if err != nil {
		return 0, s.ended(err)
	}
	num, typ := protowire.DecodeTag(tag)
	if num < 1 || typ == protowire.StartGroupType || typ == protowire.EndGroupType || typ > protowire.Fixed32Type {
		return 0, s.wrong("%#x is not the tag of a field", tag)
	}
	s.typ = typ
	return num, nil
}

func (s *Stream) varint() (uint64, error) {
	v, err := binary.ReadUvarint(counter{s})
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && s.ctx.Err() == nil {
		return 0, s.wrong("a number is longer than 64 bits")
	}
	return v, err
}

// counter counts the bytes that are read one by one.
type counter struct{ *Stream }

func (c counter) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.at++
	}
	return b, err
}

// length reads how long the value of the field is.
func (s *Stream) length(what string) (int64, error) {
	if s.typ != protowire.BytesType {
		return 0, s.wrong("expected a %s, but the field is a number", what)
	}
	n, err := s.varint()
	if err != nil {
		return 0, s.ended(err)
	}
	if end := s.ends[len(s.ends)-1]; n > 1<<62 || end >= 0 && s.at+int64(n) > end {
		return 0, s.wrong("a %s of %d bytes is longer than the message around it", what, n)
	}
	return int64(n), nil
}

// Enter goes into the message that is the value of the field; Next gives its
// fields, and io.EOF at its end, where Leave goes back.
func (s *Stream) Enter(what string) error {
	n, err := s.length(what)
	if err == nil {
		s.ends = append(s.ends, s.at+n)
	}
	return err
}

// Leave goes back to the message around.
func (s *Stream) Leave() { s.ends = s.ends[:len(s.ends)-1] }

// Within goes into the message that is the value of the field, and has each of
// its fields read.
func (s *Stream) Within(what string, field func(num protowire.Number) error) error {
	if err := s.Enter(what); err != nil {
		return err
	}
	if err := s.Each(field); err != nil {
		return err
	}
	s.Leave()
	return nil
}

// Each has each field of the current message read.
func (s *Stream) Each(field func(num protowire.Number) error) error {
	for {
		num, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = field(num)
		}
		if err != nil {
			return err
		}
	}
}

// Bytes gives the value of the field, valid until the next call.
func (s *Stream) Bytes(what string) ([]byte, error) {
	n, err := s.length(what)
	if err != nil {
		return nil, err
	}
	if n > maxMessage {
		return nil, s.wrong("a %s of %d bytes is longer than the %d that are read", what, n, maxMessage)
	}
	s.buf = s.buf[:0]
	for int64(len(s.buf)) < n { // as far as there is content: the length may be wrong
		more := int(min(n-int64(len(s.buf)), 1<<20))
		from := len(s.buf)
		if cap(s.buf) < from+more {
			s.buf = append(make([]byte, 0, max(2*cap(s.buf), from+more)), s.buf...)
		}
		s.buf = s.buf[:from+more]
		m, err := io.ReadFull(s.in, s.buf[from:])
		s.at += int64(m)
		if err != nil {
			return nil, s.ended(err)
		}
	}
	return s.buf, nil
}

// Message tells whether the field is a message, a text or a list, and no number.
func (s *Stream) Message() bool { return s.typ == protowire.BytesType }

// Number gives the value of the field.
func (s *Stream) Number() (uint64, error) {
	var b [8]byte
	n := 8
	switch s.typ {
	case protowire.VarintType:
		v, err := s.varint()
		if err != nil {
			err = s.ended(err)
		}
		return v, err
	case protowire.Fixed32Type:
		n = 4
	case protowire.Fixed64Type:
	default:
		return 0, s.wrong("expected a number, but the field is a message")
	}
	m, err := io.ReadFull(s.in, b[:n])
	s.at += int64(m)
	if err != nil {
		return 0, s.ended(err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// Skip passes over the value of the field.
func (s *Stream) Skip() error {
	if s.typ != protowire.BytesType {
		_, err := s.Number()
		return err
	}
	n, err := s.length("field")
	for n > 0 && err == nil {
		if err = s.ctx.Err(); err == nil {
			var m int
			m, err = s.in.Discard(int(min(n, 1<<20)))
			s.at += int64(m)
			n -= int64(m)
		}
	}
	if err != nil {
		return s.ended(err)
	}
	return nil
}

// Fields has each field of a message in memory read: of numbers the value, of
// others the bytes. It is false if the message is broken.
func Fields(message []byte, field func(num protowire.Number, typ protowire.Type, n uint64, body []byte)) bool {
	for len(message) > 0 {
		f, n := next(message)
		if n < 0 || f.cut {
			return false
		}
		message = message[n:]
		field(f.num, f.typ, f.n, f.body)
	}
	return true
}

// Looks goes through the fields of a message that may be cut off, as long as
// field is true; it is false otherwise, or if this is no message. It is for
// telling messages by their fields, which may be in any order.
func Looks(message []byte, field func(num protowire.Number, typ protowire.Type, body []byte) bool) bool {
	for len(message) > 0 {
		f, n := next(message)
		if n < 0 {
			return f.cut // within a number, or the tag
		}
		if !field(f.num, f.typ, f.body) {
			return false
		}
		message = message[n:]
	}
	return true
}

// inMemory is a field of a message in memory.
type inMemory struct {
	num  protowire.Number
	typ  protowire.Type
	n    uint64 // of numbers
	body []byte // of others
	cut  bool   // the message ends within it
}

// next takes a field apart, and tells how long it is: negative if it is none.
func next(message []byte) (f inMemory, size int) {
	tag, n := protowire.ConsumeVarint(message)
	if n < 0 {
		f.cut = len(message) < 10
		return f, n
	}
	f.num, f.typ = protowire.DecodeTag(tag)
	if f.num < 1 {
		return f, -1
	}
	rest, m := message[n:], 0
	switch f.typ {
	case protowire.VarintType:
		f.n, m = protowire.ConsumeVarint(rest)
		f.cut = m < 0 && len(rest) < 10
	case protowire.Fixed64Type:
		f.n, m = protowire.ConsumeFixed64(rest)
		f.cut = m < 0
	case protowire.Fixed32Type:
		var v uint32
		v, m = protowire.ConsumeFixed32(rest)
		f.n, f.cut = uint64(v), m < 0
	case protowire.BytesType:
		length, k := protowire.ConsumeVarint(rest)
		if k < 0 {
			f.cut = len(rest) < 10
			return f, k
		}
		end := min(length, uint64(len(rest)-k))
		f.body, f.cut = rest[k:k+int(end)], end < length
		m = k + int(end)
	default:
		m = -1
	}
	if m < 0 {
		return f, m
	}
	return f, n + m
}
