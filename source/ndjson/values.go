package ndjson

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// unset stands for a field that an object leaves out.
var unset = []byte("null")

// fieldsOf fills r.row from an object of fields by name.
func (r *reader) fieldsOf(def *data.Definition, fields []byte, element int) error {
	values := make([][]byte, len(def.Fields))
	for i := range values {
		values[i] = unset
	}
	if fields != nil && string(fields) != "null" {
		if fields[0] != '{' {
			return wrong("%s %d: fields: expected an object, but found %s", def.Name, element, excerpt(fields))
		}
		err := object(fields, func(key, value []byte) error {
			i := def.Field(text(key))
			if i < 0 {
				return wrong("%s %d: %q is defined without a field %s", def.Name, element, def.Name, excerpt(key))
			}
			values[i] = value
			return nil
		})
		if err != nil {
			return err
		}
	}
	return r.valuesOf(def, values, element)
}

// valuesOf fills r.row from values in the order of the definition.
func (r *reader) valuesOf(def *data.Definition, values [][]byte, element int) error {
	if len(values) != len(def.Fields) {
		return wrong("%s %d: has %d fields, but %q is defined with %d", def.Name, element, len(values), def.Name, len(def.Fields))
	}
	r.row = r.row[:0]
	for i, v := range values {
		f := &def.Fields[i]
		var n int64
		var err error
		if f.IsReference() {
			n, err = r.reference(f, v)
		} else {
			n, err = integer(v)
		}
		if err != nil {
			return wrong("%s %d: field %q: %w", def.Name, element, f.Name, err)
		}
		r.row = append(r.row, n)
	}
	return nil
}

func (r *reader) reference(f *data.Field, v []byte) (int64, error) {
	if string(v) == "null" {
		return int64(data.None), nil
	}
	t := r.entities[f.Refers]
	if t == nil {
		return 0, fmt.Errorf("refers to the entity type %q, which is not defined by a line before", f.Refers)
	}
	if v[0] != '"' && !isInteger(v) {
		return 0, fmt.Errorf("expected the id of a %s, a text or an integer, but found %s", f.Refers, excerpt(v))
	}
	id, ok := t.ids.find(textBytes(v))
	if !ok {
		return 0, fmt.Errorf("there is no %s with the id %s on a line before", f.Refers, excerpt(v))
	}
	return int64(id), nil
}

func integer(v []byte) (int64, error) {
	if string(v) == "null" {
		return 0, fmt.Errorf("has no value; expected an integer")
	}
	if !isInteger(v) {
		if v[0] == '-' || v[0]-'0' <= 9 {
			return 0, fmt.Errorf("%s is not an integer; choose a finer unit, so that all values are", excerpt(v))
		}
		return 0, fmt.Errorf("expected an integer, but found %s", excerpt(v))
	}
	digits, negative := v, v[0] == '-'
	if negative {
		digits = v[1:]
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	var n uint64
	for _, c := range digits { // JSON has no leading zeros
		n = n*10 + uint64(c-'0')
	}
	if len(digits) > 19 || n > limit {
		return 0, fmt.Errorf("%s does not fit 64 bits; choose a coarser unit", excerpt(v))
	}
	if negative {
		return int64(-n), nil
	}
	return int64(n), nil
}

// The functions below walk JSON that is known to be valid.

func isInteger(v []byte) bool {
	for i, c := range v {
		if c-'0' > 9 && (c != '-' || i > 0) {
			return false
		}
	}
	return true
}

// plainText gives the bytes of a text without escapes, or of anything else.
func plainText(v []byte) ([]byte, bool) {
	if v[0] != '"' {
		return v, true
	}
	v = v[1 : len(v)-1]
	for _, c := range v {
		if c == '\\' || c >= 0x80 {
			return nil, false
		}
	}
	return v, true
}

// textBytes is text, without a copy where that can be.
func textBytes(v []byte) []byte {
	if raw, plain := plainText(v); plain && string(v) != "null" {
		return raw
	}
	return []byte(text(v))
}

// text decodes a text; another value is given as it is written, and none and
// null as "".
func text(v []byte) string {
	if len(v) == 0 || string(v) == "null" {
		return ""
	}
	if raw, ok := plainText(v); ok {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return ""
	}
	return s
}

// object calls f with every key and value of an object.
func object(v []byte, f func(key, value []byte) error) error {
	i := blank(v, 1)
	for v[i] != '}' {
		from := i
		i = skip(v, i)
		key := v[from:i]
		i = blank(v, blank(v, i)+1) // the colon
		from = i
		i = skip(v, i)
		if err := f(key, v[from:i]); err != nil {
			return err
		}
		if i = blank(v, i); v[i] == ',' {
			i = blank(v, i+1)
		}
	}
	return nil
}

// array calls f with every element of an array.
func array(v []byte, f func(value []byte) error) error {
	i := blank(v, 1)
	for v[i] != ']' {
		from := i
		i = skip(v, i)
		if err := f(v[from:i]); err != nil {
			return err
		}
		if i = blank(v, i); v[i] == ',' {
			i = blank(v, i+1)
		}
	}
	return nil
}

func blank(v []byte, i int) int {
	for v[i] == ' ' || v[i] == '\t' || v[i] == '\r' || v[i] == '\n' {
		i++
	}
	return i
}

// skip gives the index after the value that begins at i.
func skip(v []byte, i int) int {
	switch v[i] {
	case '"':
		return skipText(v, i)
	case '{', '[':
		depth := 0
		for {
			switch v[i] {
			case '"':
				i = skipText(v, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				return i
			}
		}
	}
	for i < len(v) {
		switch v[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return i
}

func skipText(v []byte, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func excerpt(v []byte) string {
	const shown = 60
	if len(v) > shown {
		return strings.ToValidUTF8(string(v[:shown]), "") + "…"
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}
