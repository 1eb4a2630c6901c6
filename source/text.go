package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cambium-prof/cambium/data"
)

const (
	// shownBad is how many lines that are left out get a warning of their own.
	shownBad = 20
	// maxBad is how many lines without a good one before them it takes to see
	// that this is something else.
	maxBad = 1000
)

// EachLine gives all lines of in that are not blank to read, until ctx is done.
// What read finds wrong with a line becomes a warning on b that names the line,
// which is left out; beyond the first few, one warning tells their number. The
// error is the first of these if no line was any good.
func EachLine(ctx context.Context, in *Input, b *data.Builder, read func(line []byte) error) error {
	lines := NewLines(ctx, in)
	var firstBad error
	good, bad := 0, 0
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if ctx.Err() != nil || in.Refused() != nil || good == 0 {
				return err
			}
			b.Warn("reading ended after line %d: %v", lines.Line(), err)
			break
		}
		if len(line) == 0 {
			continue
		}
		if err := read(line); err == nil {
			good++
		} else if bad++; bad <= shownBad {
			err = fmt.Errorf("line %d: %w", lines.Line(), err)
			if firstBad == nil {
				firstBad = err
			}
			b.Warn("%v; the line is left out", err)
		} else if good == 0 && bad >= maxBad {
			return firstBad
		}
	}
	switch {
	case firstBad != nil && good == 0:
		return firstBad
	case good == 0:
		return errors.New("there are only blank lines")
	case bad > shownBad:
		b.Warn("%d lines were left out", bad)
	}
	if lines.Cut() {
		b.Warn("line %d: the file ends here without a line break; it may have been cut off", lines.Line())
	}
	return nil
}

// Number takes a decimal integer off the front of b. ok is false if there is
// none, or one beyond 64 bits.
func Number(b []byte) (n int64, rest []byte, ok bool) {
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		i, negative = 1, true
	}
	from := i
	for sure := min(len(b), from+18); i < sure && b[i]-'0' <= 9; i++ { // so many digits always fit
		n = n*10 + int64(b[i]-'0')
	}
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		d := int64(b[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			return 0, b, false
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, b[i:], i > from
}

// SplitRecord appends the fields of a line of CSV to fields. They are separated
// by commas and quoted by RFC 4180; ok is false if quotes are out of place.
func SplitRecord(fields []string, line []byte) (_ []string, ok bool) {
	for {
		if len(line) == 0 || line[0] != '"' {
			end := bytes.IndexByte(line, ',')
			if end < 0 {
				return append(fields, string(line)), true
			}
			fields = append(fields, string(line[:end]))
			line = line[end+1:]
			continue
		}
		var field []byte
		line = line[1:]
		for {
			end := bytes.IndexByte(line, '"')
			if end < 0 {
				return append(fields, string(line)), false
			}
			field = append(field, line[:end]...)
			line = line[end+1:]
			if len(line) == 0 || line[0] != '"' {
				break
			}
			field = append(field, '"')
			line = line[1:]
		}
		fields = append(fields, string(field))
		if len(line) == 0 {
			return fields, true
		}
		if line[0] != ',' {
			return fields, false
		}
		line = line[1:]
	}
}

// Quote shows the start of a text in an error.
func Quote(b []byte) string {
	const shown = 60
	if len(b) > shown {
		return fmt.Sprintf("%q…", b[:shown])
	}
	return fmt.Sprintf("%q", b)
}
