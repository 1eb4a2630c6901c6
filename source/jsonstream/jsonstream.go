// Package jsonstream reads JSON that is too large to be held: a window of the
// text moves along, and what is of no use is passed over without being looked
// at twice.
//
// A caller that knows the shape of the text parses elements in the window with
// the functions on byte slices ([Space], [String], [Value]); what the window
// cuts off they call [Short], and [Reader.Fill] moves it on. encoding/json
// would make values of everything: it reads traces at a tenth of the speed.
//
// What does not belong: what the JSON means. It is checked as far as it is
// looked at; what is passed over only has its strings and brackets balanced.
package jsonstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-prof/cambium/source"
)

// Short tells that the text ends within what was to be read.
var Short = errors.New("the text ends too early")

// Wrong tells that something else was expected at a position.
type Wrong struct {
	At       int64
	Expected string
	Found    string // from there on
}

func (w *Wrong) Error() string {
	return fmt.Sprintf("byte %d: expected %s, but found %s", w.At, w.Expected, w.Found)
}

// Expected tells that something else was expected at b[i].
func Expected(b []byte, i int, what string) error { return wrong(b, i, what) }

// wrong describes what is at b[i:].
func wrong(b []byte, i int, expected string) error {
	return &Wrong{int64(i), expected, source.Quote(b[i:min(len(b), i+100)])}
}

// Space gives the first position from i on that is no blank.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// String gives the end of the string that starts at i, behind its last quote,
// and whether there are escapes in it.
func String(b []byte, i int) (end int, escaped bool, err error) {
	if i >= len(b) {
		return i, false, Short
	}
	if b[i] != '"' {
		return i, false, wrong(b, i, "a string")
	}
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1, escaped, nil
		case '\\':
			escaped = true
			i++
		}
	}
	return i, escaped, Short
}

// Unquote gives the text of a string with its quotes.
func Unquote(raw []byte, escaped bool) string {
	if !escaped {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\uFFFD")
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\uFFFD")
	}
	return text
}

// Value gives the end of the value that starts at i.
func Value(b []byte, i int) (end int, err error) {
	if i >= len(b) {
		return i, Short
	}
	switch b[i] {
	case '"':
		end, _, err = String(b, i)
		return end, err
	case '{', '[':
		depth := 0
		for ; i < len(b); i++ {
			switch b[i] {
			case '"':
				if i, _, err = String(b, i); err != nil {
					return i, err
				}
				i--
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1, nil
				}
			}
		}
		return i, Short
	}
	from := i
	for i < len(b) && inWord(b[i]) {
		i++
	}
	switch {
	case i == len(b):
		return i, Short // the number may go on
	case i == from:
		return i, wrong(b, i, "a value")
	}
	return i, nil
}

// inWord tells whether a byte is of a number or a literal.
func inWord(c byte) bool {
	return c-'0' <= 9 || c == '-' || c == '+' || c == '.' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// HasKey tells whether a key, with its quotes, occurs whose value begins with a
// byte. A value that is cut off at the end of head counts.
func HasKey(head []byte, key string, value byte) bool {
	for {
		at := bytes.Index(head, []byte(key))
		if at < 0 {
			return false
		}
		head = head[at+len(key):]
		i := Space(head, 0)
		if i == len(head) {
			return true // cut off
		}
		if head[i] != ':' {
			continue
		}
		if i = Space(head, i+1); i == len(head) || head[i] == value {
			return true
		}
	}
}

// Member takes a key and its colon off an object's text at i, which is behind
// the opening brace or a comma. The value begins at value; done tells that the
// object ended, at value.
func Member(b []byte, i int, first bool) (key []byte, value int, done bool, err error) {
	if i = Space(b, i); i >= len(b) {
		return nil, i, false, Short
	}
	if b[i] == '}' {
		return nil, i + 1, true, nil
	}
	if !first {
		if b[i] != ',' {
			return nil, i, false, wrong(b, i, "a comma or the end of the object")
		}
		if i = Space(b, i+1); i >= len(b) {
			return nil, i, false, Short
		}
	}
	end, _, err := String(b, i)
	if err != nil {
		return nil, end, false, err
	}
	key = b[i+1 : end-1]
	if i = Space(b, end); i >= len(b) {
		return nil, i, false, Short
	}
	if b[i] != ':' {
		return nil, i, false, wrong(b, i, "a colon")
	}
	if i = Space(b, i+1); i >= len(b) {
		return nil, i, false, Short
	}
	return key, i, false, nil
}

// Members calls f for the members of an object's text, and tells whether it is
// one, to its end.
func Members(object []byte, f func(key, value []byte)) bool {
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	at := 1
	for first := true; ; first = false {
		key, start, done, err := Member(object, at, first)
		if err != nil || done {
			return err == nil
		}
		if at, err = Value(object, start); err != nil {
			return false
		}
		f(key, object[start:at])
	}
}

// Elements calls f for the elements of an array's text, and tells whether it is
// one, to its end.
func Elements(array []byte, f func(i int, value []byte)) bool {
	if len(array) == 0 || array[0] != '[' {
		return false
	}
	at := Space(array, 1)
	for i := 0; at < len(array) && array[at] != ']'; i++ {
		end, err := Value(array, at)
		if err != nil {
			return false
		}
		f(i, array[at:end])
		if at = Space(array, end); at < len(array) && array[at] == ',' {
			at = Space(array, at+1)
		}
	}
	return at < len(array)
}

// Reader is a window that moves along a text.
type Reader struct {
	ctx  context.Context
	in   io.Reader
	buf  []byte
	from int   // the next byte of the window
	to   int   // the end of the window
	base int64 // position of buf[0] in the text
	err  error // of reading, behind the window
}

const (
	window = 256 << 10
	// MaxElement bounds the memory that one element can take.
	MaxElement = 64 << 20
)

// NewReader starts at the beginning of in, behind a byte order mark.
func NewReader(ctx context.Context, in io.Reader) *Reader {
	r := &Reader{ctx: ctx, in: in, buf: make([]byte, window)}
	for r.to < 3 && r.Fill() == nil {
		continue
	}
	if string(r.Window()[:min(3, r.to)]) == "\xef\xbb\xbf" {
		r.from = 3
	}
	return r
}

// Window is what can be parsed now, from the current position on.
func (r *Reader) Window() []byte { return r.buf[r.from:r.to] }

// Advance moves on by n bytes of the window.
func (r *Reader) Advance(n int) { r.from += n }

// Offset is the current position in the text.
func (r *Reader) Offset() int64 { return r.base + int64(r.from) }

// Fill adds to the window. At the end of the text the error is io.EOF.
func (r *Reader) Fill() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	if r.from > 0 {
		copy(r.buf, r.buf[r.from:r.to])
		r.base += int64(r.from)
		r.from, r.to = 0, r.to-r.from
	}
	if r.to == len(r.buf) {
		if len(r.buf) >= MaxElement {
			return fmt.Errorf("byte %d: there is an element longer than %d bytes", r.base, MaxElement)
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.in.Read(r.buf[r.to:])
	r.to += n
	if err != nil {
		r.err = err
		if n > 0 && err == io.EOF {
			return nil
		}
	}
	return err
}

// Parse has the element at the current position parsed, with more of the text
// as long as that is Short, and moves behind it. Positions in errors are those
// in the text.
func (r *Reader) Parse(parse func(b []byte) (end int, err error)) error {
	for {
		end, err := parse(r.Window())
		if err == nil {
			r.from += end
			return nil
		}
		if err != Short {
			var w *Wrong
			if errors.As(err, &w) {
				w.At += r.Offset()
			}
			return err
		}
		if err := r.double(); err != nil {
			return err
		}
	}
}

// double makes the window twice as large, or as large as it gets, so that what is
// large is not parsed once for each piece that is read.
func (r *Reader) double() error {
	before := r.to - r.from
	for r.to-r.from < 2*before+1 {
		if err := r.Fill(); err != nil {
			if r.to-r.from > before {
				return nil // it is an error again if that is not enough
			}
			return err
		}
	}
	return nil
}

// Next moves to the next byte that is no blank, and gives it.
func (r *Reader) Next() (byte, error) {
	for {
		r.from = Space(r.buf[:r.to], r.from)
		if r.from < r.to {
			return r.buf[r.from], nil
		}
		if err := r.Fill(); err != nil {
			return 0, err
		}
	}
}

// Wrong says that something else was expected at the current position.
func (r *Reader) Wrong(expected string) error {
	return &Wrong{r.Offset(), expected, source.Quote(r.Window()[:min(100, len(r.Window()))])}
}

// Expect takes one byte, behind blanks.
func (r *Reader) Expect(c byte) error {
	got, err := r.Next()
	if err == nil && got != c {
		err = r.Wrong(fmt.Sprintf("%q", string(c)))
	}
	if err == nil {
		r.from++
	}
	return err
}

// Object calls member for every member of the object at the current position;
// it must take the value. key is valid until then.
func (r *Reader) Object(member func(key string) error) error {
	if err := r.Expect('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		var key string
		done := false
		err := r.Parse(func(b []byte) (int, error) {
			k, end, over, err := Member(b, 0, first)
			key, done = string(k), over
			return end, err
		})
		if err != nil || done {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
}

// Array calls element for every element of the array at the current position;
// it must take the element. A comma before the end is let pass.
func (r *Reader) Array(element func() error) error {
	if err := r.Expect('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := r.Next()
		if err != nil {
			return err
		}
		if c == ',' && !first {
			r.from++
			if c, err = r.Next(); err != nil {
				return err
			}
		} else if !first && c != ']' {
			return r.Wrong("a comma or the end of the array")
		}
		if c == ']' {
			r.from++
			return nil
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// Each is Array for elements that are parsed where they are in the window, many
// at a time: parse gives the end of the element that starts at b[i], or Short. It
// may be asked for an element again after an error, with more of the text.
func (r *Reader) Each(parse func(b []byte, i int) (end int, err error)) error {
	if err := r.Expect('['); err != nil {
		return err
	}
	first, over := true, false
	several := func(b []byte) (int, error) {
		at := 0 // behind the last element
		for {
			next, done, err := element(b, at, first)
			if done {
				over = true
				return next, nil
			}
			if err == nil {
				next, err = parse(b, next)
			}
			if err != nil && at > 0 {
				return at, nil // the rest is for the next time
			}
			if err != nil {
				return next, err
			}
			at, first = next, false
		}
	}
	for !over {
		if err := r.Parse(several); err != nil {
			return err
		}
	}
	return nil
}

// element gives the beginning of the next element of an array, of which b[i]
// is behind the opening bracket or an element, or the end of the array.
func element(b []byte, i int, first bool) (at int, done bool, err error) {
	if i = Space(b, i); i < len(b) && !first {
		if b[i] == ',' {
			i = Space(b, i+1)
		} else if b[i] != ']' {
			return i, false, wrong(b, i, "a comma or the end of the array")
		}
	}
	if i == len(b) {
		return i, false, Short
	}
	if b[i] == ']' {
		return i + 1, true, nil
	}
	return i, false, nil
}

// Text takes a string.
func (r *Reader) Text() (text string, err error) {
	if _, err := r.Next(); err != nil {
		return "", err
	}
	err = r.Parse(func(b []byte) (int, error) {
		end, escaped, err := String(b, 0)
		if err == nil {
			text = Unquote(b[:end], escaped)
		}
		return end, err
	})
	return text, err
}

// Raw takes a value and gives its text, which is valid until the next call.
func (r *Reader) Raw() (raw []byte, err error) {
	if _, err := r.Next(); err != nil {
		return nil, err
	}
	err = r.Parse(func(b []byte) (int, error) {
		end, err := Value(b, 0)
		raw = b[:end]
		return end, err
	})
	return raw, err
}

// Skip passes over a value of any size.
func (r *Reader) Skip() error {
	c, err := r.Next()
	if err != nil {
		return err
	}
	if c != '{' && c != '[' {
		if c == '"' {
			return r.skipString()
		}
		_, err := r.Raw()
		return err
	}
	depth := 0
	for {
		for r.from < r.to {
			switch r.buf[r.from] {
			case '"':
				if err := r.skipString(); err != nil {
					return err
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			r.from++
			if depth == 0 {
				return nil
			}
		}
		if err := r.Fill(); err != nil {
			return err
		}
	}
}

func (r *Reader) skipString() error {
	r.from++
	for {
		for r.from < r.to {
			switch r.buf[r.from] {
			case '"':
				r.from++
				return nil
			case '\\':
				if r.from+1 < r.to {
					r.from++
				} else if err := r.Fill(); err != nil { // the escaped byte is behind the window
					return err
				} else {
					continue
				}
			}
			r.from++
		}
		if err := r.Fill(); err != nil {
			return err
		}
	}
}
