package folded

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

var (
	errNoNumber = errors.New("is not a number")
	errTooLarge = errors.New("does not fit 64 bits")
)

// parseCount parses [-+]digits[.digits]. Decimals round half away from zero;
// decimals reports whether any was not 0.
func parseCount(b []byte) (v int64, decimals bool, err error) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 || b[0]-'0' > 9 {
		return 0, false, errNoNumber
	}
	var n uint64
	tooLarge := false
	i := 0
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if n > math.MaxInt64/10 {
			tooLarge = true
		}
		n = n*10 + uint64(b[i]-'0')
	}
	if i < len(b) {
		if b[i] != '.' {
			return 0, false, errNoNumber
		}
		up := false
		for j := i + 1; j < len(b); j++ {
			d := b[j] - '0'
			if d > 9 {
				return 0, false, errNoNumber
			}
			decimals = decimals || d != 0
			up = up || j == i+1 && d >= 5
		}
		if up {
			n++
		}
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	if tooLarge || n > limit {
		return 0, false, errTooLarge
	}
	if negative {
		return int64(-n), decimals, nil
	}
	return int64(n), decimals, nil
}

func lastBlank(b []byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == ' ' || b[i] == '\t' {
			return i
		}
	}
	return -1
}

// commonPrefix is the number of bytes that a and b begin with alike.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
