package otlp

import (
	"fmt"
	"testing"

	"github.com/cambium-prof/cambium/source/jsonstream"
)

// TestNumeral compares numbers read in place with those of their text.
func TestNumeral(t *testing.T) {
	for _, text := range []string{"0", "7", "-7", "1700000000000000000", "9223372036854775807", "9223372036854775808", "18446744073709551615",
		"18446744073709551616", "99999999999999999999999", "1e3", "1.0", "2.5", "true", "null", "x", "007"} {
		for _, raw := range []string{text, `"` + text + `"`} {
			want, _ := Integer([]byte(raw))
			for _, behind := range []string{",", "]", "}", " ", "\n", "\t,"} {
				got, end, err := Numeral([]byte(raw+behind), 0)
				if got != want || end != len(raw) || err != nil {
					t.Errorf("%s%q is %d, ends at %d (%v); want %d", raw, behind, got, end, err, want)
				}
			}
			if raw[0] != '"' { // it may go on
				if _, _, err := Numeral([]byte(raw), 0); err != jsonstream.Short {
					t.Errorf("%s at the end of the window: %v", raw, err)
				}
			}
		}
	}
	for _, raw := range []string{`""`, `"`, `"12`, `[1,[2]]`, `{"a":"}"}`, `"a\"b"`} {
		wantEnd, wantErr := jsonstream.Value([]byte(raw+","), 0)
		if n, end, err := Numeral([]byte(raw+","), 0); n != 0 || end != wantEnd || err != wantErr {
			t.Errorf("%s is %d, ends at %d (%v); want %d (%v)", raw, n, end, err, wantEnd, wantErr)
		}
	}
}

// TestObject reads values cut off at each byte: they are too short, and nothing else.
func TestObject(t *testing.T) {
	const text = `{"a": [1, "2" ,{"x":[]}], "b" :{"c":-3}, "a":[ ], "d":"\"}", "a":5 }`
	read := func(b []byte) (found string, end int, err error) {
		end, err = Object(b, 0, func(key []byte, i int) (int, error) {
			found += string(key)
			if string(key) != "a" {
				return jsonstream.Value(b, i)
			}
			return Numerals(b, i, func(n int64) { found += fmt.Sprint(n) })
		})
		return found, end, err
	}
	if found, end, err := read([]byte(text + "}")); found != "a120bada" || end != len(text) || err != nil {
		t.Errorf("found %s to %d: %v", found, end, err)
	}
	for n := range text {
		if _, _, err := read([]byte(text[:n])); err != jsonstream.Short {
			t.Errorf("%s: the error is %v", text[:n], err)
		}
	}
	for _, wrong := range []string{`{"a":[1 2]}`, `{"a" 1}`, `{1:2}`, `{"a":1 "b":2}`, `{"a":}`, `{"a":[,]}`} {
		if _, _, err := read([]byte(wrong)); err == nil || err == jsonstream.Short {
			t.Errorf("%s: the error is %v", wrong, err)
		}
	}
}
