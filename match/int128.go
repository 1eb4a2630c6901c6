package match

import (
	"math/big"
	"math/bits"
)

// Int128 is a signed integer of 128 bits. Sums of time offsets need it: tens of
// billions of matches, each with an offset in nanoseconds, leave 64 bits.
type Int128 struct {
	hi int64
	lo uint64
}

// plus gives a+b.
func (a Int128) plus(b Int128) Int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Int128{a.hi + b.hi + int64(carry), lo}
}

// minus gives a-b.
func (a Int128) minus(b Int128) Int128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return Int128{a.hi - b.hi - int64(borrow), lo}
}

// wide gives x in 128 bits.
func wide(x int64) Int128 { return Int128{x >> 63, uint64(x)} }

// Float is the nearest number of 64 bits.
func (a Int128) Float() float64 {
	if a.hi == int64(a.lo)>>63 {
		return float64(int64(a.lo))
	}
	f, _ := new(big.Float).SetInt(a.big()).Float64()
	return f
}

func (a Int128) big() *big.Int {
	b := new(big.Int).SetInt64(a.hi)
	b.Lsh(b, 64)
	return b.Add(b, new(big.Int).SetUint64(a.lo))
}

// String writes all digits.
func (a Int128) String() string { return a.big().String() }

// MarshalJSON writes all digits, as a number.
func (a Int128) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Int128) UnmarshalJSON(text []byte) error {
	b := new(big.Int)
	if err := b.UnmarshalJSON(text); err != nil {
		return err
	}
	low := new(big.Int).And(b, new(big.Int).SetUint64(^uint64(0)))
	a.lo = low.Uint64()
	a.hi = b.Rsh(b, 64).Int64()
	return nil
}
