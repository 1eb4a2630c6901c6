package plot

import (
	"math"
	"strconv"
	"strings"
)

// How much one of a unit is in the base unit of its kind. The names are those
// that profilers write.
var (
	times = map[string]float64{
		"ns": 1, "nanosecond": 1, "nanoseconds": 1,
		"us": 1e3, "µs": 1e3, "microsecond": 1e3, "microseconds": 1e3,
		"ms": 1e6, "millisecond": 1e6, "milliseconds": 1e6,
		"s": 1e9, "sec": 1e9, "second": 1e9, "seconds": 1e9,
	}
	sizes = map[string]float64{
		"b": 1, "byte": 1, "bytes": 1,
		"kb": 1 << 10, "kib": 1 << 10, "kilobytes": 1 << 10,
		"mb": 1 << 20, "mib": 1 << 20, "megabytes": 1 << 20,
	}
)

// Number writes a value for people, with three digits and a prefix or a unit
// of time, as the page does: 1.53 s, 82.1 MiB, 14.8 M.
func Number(v float64, unit string) string { return number(v, unit, fewDigits) }

// How many significant digits numbers have.
const (
	fewDigits  = 3
	mostDigits = 17 // a float64 has no more
)

// Numbers writes rising values with as many digits as it takes to tell each
// from the next: on an axis that shows a small part, 14.8 M is everywhere.
func Numbers(values []float64, unit string) []string {
	texts := make([]string, len(values))
	for n := fewDigits; ; n++ {
		same := false
		for i, v := range values {
			texts[i] = number(v, unit, n)
			same = same || i > 0 && texts[i] == texts[i-1] && v != values[i-1]
		}
		if !same || n == mostDigits {
			return texts
		}
	}
}

func number(v float64, unit string, n int) string {
	key := strings.ToLower(unit)
	if f, ok := times[key]; ok {
		return duration(v*f, n)
	}
	if f, ok := sizes[key]; ok {
		return scaled(v*f, n, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
	}
	return scaled(v, n, 1000, "", "k", "M", "G", "T", "P", "E")
}

// space keeps a number and its unit on one line.
const space = "\u00a0"

func duration(ns float64, n int) string {
	size := math.Abs(ns)
	switch {
	case size == 0:
		return "0" + space + "s"
	case size < 999.5:
		return short(ns, n) + space + "ns"
	case size < 999.5e3:
		return digits(ns/1e3, n) + space + "µs"
	case size < 999.5e6:
		return digits(ns/1e6, n) + space + "ms"
	case size < 100e9:
		return digits(ns/1e9, n) + space + "s"
	case size < 5995e9:
		return digits(ns/60e9, n) + space + "min"
	}
	return digits(ns/3600e9, n) + space + "h"
}

func scaled(v float64, n int, step float64, names ...string) string {
	i := 0
	for math.Abs(v) >= 999.5 && i < len(names)-1 {
		v /= step
		i++
	}
	text := digits(v, n)
	if i == 0 {
		text = short(v, n)
	}
	if names[i] == "" {
		return text
	}
	return text + space + names[i]
}

// short writes whole numbers as they are.
func short(v float64, n int) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return digits(v, n)
}

// digits writes n significant digits, or a few more before the point, and never
// an exponent.
func digits(v float64, n int) string {
	switch size := math.Abs(v); {
	case size >= 99.95:
		return strconv.FormatFloat(v, 'f', n-3, 64)
	case size >= 9.995:
		return strconv.FormatFloat(v, 'f', n-2, 64)
	}
	return strconv.FormatFloat(v, 'f', n-1, 64)
}

// Exact writes a value with all its digits, and its unit.
func Exact(v int64, unit string) string {
	if unit == "" || unit == "count" {
		return Count(v)
	}
	return Count(v) + " " + unit
}

// Share writes a part of a whole as a percentage.
func Share(part, whole int64) string {
	if whole == 0 {
		return "0" + space + "%"
	}
	percent := float64(part) / float64(whole) * 100
	switch {
	case percent == 0:
		return "0" + space + "%"
	case percent > 0 && percent < 0.01:
		return "<" + space + "0.01" + space + "%"
	}
	return digits(percent, fewDigits) + space + "%"
}
