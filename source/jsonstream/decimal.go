package jsonstream

import (
	"math"
	"strconv"
)

// Decimal reads a number, which may be quoted, times 10 to the power of
// digits, rounded to the nearest integer: 2.5 with 3 digits is 2500. ok is
// false if it is no number, or beyond max either way.
func Decimal(raw []byte, digits int, max int64) (n int64, ok bool) {
	if len(raw) >= 2 && raw[0] == '"' {
		raw = raw[1 : len(raw)-1]
	}
	i, negative := 0, false
	if len(raw) > 0 && raw[0] == '-' {
		i, negative = 1, true
	}
	from, point := i, -1
	for ; i < len(raw); i++ {
		c := raw[i]
		if c == '.' && point < 0 {
			point = i
			continue
		}
		if c-'0' > 9 {
			return decimalSlow(raw, digits, max) // an exponent, or none
		}
		if point >= 0 && i-point > digits {
			if i-point == digits+1 && c >= '5' {
				n++ // all that is beyond is less than that
			}
			continue
		}
		if n > (math.MaxInt64-9)/10 {
			return decimalSlow(raw, digits, max)
		}
		n = n*10 + int64(c-'0')
	}
	if i == from || point == from && i == from+1 {
		return 0, false
	}
	have := 0
	if point >= 0 {
		have = min(i-point-1, digits)
	}
	for ; have < digits; have++ {
		if n > math.MaxInt64/10 {
			return decimalSlow(raw, digits, max)
		}
		n *= 10
	}
	if n > max {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

// Number is [Value] and [Decimal] of the value that starts at i, in one go if it
// is a number without an exponent.
func Number(b []byte, i, digits int, max int64) (n int64, ok bool, end int, err error) {
	at := i
	if at < len(b) && b[at] == '-' {
		at++
	}
	from := at
	for at < len(b) && b[at]-'0' <= 9 {
		n = n*10 + int64(b[at]-'0')
		at++
	}
	plain := at > from && at-from+digits <= 18 // which fits into 64 bits
	left := digits
	if at < len(b) && b[at] == '.' {
		for at++; at < len(b) && b[at]-'0' <= 9; at++ {
			if left > 0 {
				n = n*10 + int64(b[at]-'0')
			} else if left == 0 && b[at] >= '5' {
				n++ // all that is beyond is less than that
			}
			left--
		}
	}
	if at == len(b) {
		return 0, false, at, Short
	}
	if !plain || inWord(b[at]) {
		if end, err = Value(b, i); err == nil {
			n, ok = Decimal(b[i:end], digits, max)
		}
		return n, ok, end, err
	}
	for ; left > 0; left-- {
		n *= 10
	}
	if n > max {
		return 0, false, at, nil
	}
	if from > i {
		n = -n
	}
	return n, true, at, nil
}

func decimalSlow(raw []byte, digits int, most int64) (int64, bool) {
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, false
	}
	v = math.Round(v * math.Pow10(digits))
	if !(math.Abs(v) < math.MaxInt64) || int64(math.Abs(v)) > most {
		return 0, false
	}
	return int64(v), true
}
