package jsonstream

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1000, "-1": -1000, "2.5": 2500, "2392547089.727": 2392547089727, `"3.25"`: 3250,
		"1.0004": 1000, "1.0005": 1001, "1.00049": 1000, "-1.0005": -1001, "1e3": 1000000, "1.5E-1": 150,
		"9000000000000000": 9000000000000000000, "0.00000000000000000001": 0, "123456789012.123456789": 123456789012123,
	} {
		if got, ok := Decimal([]byte(text), 3, math.MaxInt64); !ok || got != want {
			t.Errorf("%s is %d (%v), want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", ".", "x", "1.2.3", "null", "1e300", "99999999999999999999", "9223372036854775", "NaN", "inf", `""`} {
		if got, ok := Decimal([]byte(text), 3, math.MaxInt64/2); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// TestNumber draws numbers and what is none, and compares with Value and Decimal.
func TestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{0,20})?`),
			rapid.StringMatching(`-?[0-9]{0,3}\.?[0-9]{0,3}([eE][-+]?[0-9]{1,3})?`),
			rapid.SampledFrom([]string{"null", "true", `"12"`, `"x\"]"`, "[1,2]", `{"a":1}`, "-", ".", "]", "}", "1x", "1-2"}),
		).Draw(t, "text") + rapid.SampledFrom([]string{"", ",", "]", " ,"}).Draw(t, "behind")
		b := []byte("[" + text)
		digits := rapid.IntRange(0, 9).Draw(t, "digits")
		most := rapid.SampledFrom([]int64{1000, math.MaxInt64 / 2, math.MaxInt64}).Draw(t, "most")
		n, ok, end, err := Number(b, 1, digits, most)
		wantEnd, wantErr := Value(b, 1)
		if (err == nil) != (wantErr == nil) || err == Short != (wantErr == Short) {
			t.Fatalf("%q: %v, want %v", b, err, wantErr)
		}
		if err != nil {
			return
		}
		want, wantOK := Decimal(b[1:wantEnd], digits, most)
		if end != wantEnd || ok != wantOK || ok && n != want {
			t.Fatalf("%q with %d digits: %d (%v) to %d, want %d (%v) to %d", b, digits, n, ok, end, want, wantOK, wantEnd)
		}
	})
}

// TestWalk draws JSON of any shape and walks over it, in a window that shows
// one more byte at a time: encoding/json must agree about where values end.
func TestWalk(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.StringOf(rapid.RuneFrom([]rune(`a"\{}[],:é`+"\n\u2028"))).AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf, rapid.SliceOfN(value(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(rapid.StringOf(rapid.RuneFrom([]rune(`a"\{}`))), value(depth-1), 0, 4).AsAny())
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(value(3), 0, 5).Draw(t, "value")
		text, err := json.MarshalIndent(v, "", strings.Repeat(" ", rapid.IntRange(0, 2).Draw(t, "indent")))
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(context.Background(), iotest.OneByteReader(strings.NewReader("\xef\xbb\xbf"+string(text)+" ")))
		n := 0
		err = r.Array(func() error {
			n++
			if n%2 == 0 {
				return r.Skip()
			}
			raw, err := r.Raw()
			if err != nil {
				return err
			}
			var got any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			want, _ := json.Marshal(v[n-1])
			if again, _ := json.Marshal(got); string(again) != string(want) {
				t.Fatalf("%s is not %s", again, want)
			}
			return nil
		})
		if err != nil || n != len(v) {
			t.Fatalf("%s: %d elements, %v", text, n, err)
		}
		// The same, several elements at a time, and cut off at any place.
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		for _, text := range []string{string(text), string(text[:cut])} {
			n = 0
			r = NewReader(context.Background(), iotest.HalfReader(strings.NewReader(text)))
			err = r.Each(func(b []byte, i int) (int, error) {
				end, err := Value(b, i)
				if err != nil {
					return end, err
				}
				var got any
				if err := json.Unmarshal(b[i:end], &got); err != nil {
					t.Fatalf("%s: %v", b[i:end], err)
				}
				want, _ := json.Marshal(v[n])
				if again, _ := json.Marshal(got); string(again) != string(want) {
					t.Fatalf("%s is not %s", again, want)
				}
				n++
				return end, nil
			})
			if whole := json.Valid([]byte(text)); whole != (err == nil) || whole && n != len(v) {
				t.Fatalf("%s: %d elements, %v", text, n, err)
			}
		}
	})
}

// TestParseLarge reads an element that comes in many pieces: it is not parsed as
// often.
func TestParseLarge(t *testing.T) {
	element := `"` + strings.Repeat("x", 1<<20) + `"`
	r := NewReader(context.Background(), iotest.OneByteReader(strings.NewReader(element+"1")))
	parsed := 0
	err := r.Parse(func(b []byte) (int, error) {
		parsed++
		return Value(b, 0)
	})
	if c, next := r.Next(); err != nil || next != nil || c != '1' || parsed > 25 {
		t.Errorf("parsed %d times: %v, %v, then %c", parsed, err, next, c)
	}
	// The end of the text is where it is.
	r = NewReader(context.Background(), strings.NewReader("5"))
	err = r.Parse(func(b []byte) (int, error) { return Value(b, 0) })
	if err != io.EOF || r.Offset() != 0 {
		t.Errorf("the error is %v at %d", err, r.Offset())
	}
}
