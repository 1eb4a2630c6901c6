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
func Number(v float64, unit string) string {
	key := strings.ToLower(unit)
	if f, ok := times[key]; ok {
		return duration(v * f)
	}
	if f, ok := sizes[key]; ok {
		return scaled(v*f, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
	}
	return scaled(v, 1000, "", "k", "M", "G", "T", "P", "E")
}

// space keeps a number and its unit on one line.
const space = "\u00a0"

func duration(ns float64) string {
	size := math.Abs(ns)
	switch {
	case size == 0:
		return "0" + space + "s"
	case size < 999.5:
		return short(ns) + space + "ns"
	case size < 999.5e3:
		return digits(ns/1e3) + space + "µs"
	case size < 999.5e6:
		return digits(ns/1e6) + space + "ms"
	case size < 100e9:
		return digits(ns/1e9) + space + "s"
	case size < 5995e9:
		return digits(ns/60e9) + space + "min"
	}
	return digits(ns/3600e9) + space + "h"
}

func scaled(v, step float64, names ...string) string {
	i := 0
	for math.Abs(v) >= 999.5 && i < len(names)-1 {
		v /= step
		i++
	}
	text := digits(v)
	if i == 0 {
		text = short(v)
	}
	if names[i] == "" {
		return text
	}
	return text + space + names[i]
}

// short writes whole numbers as they are.
func short(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return digits(v)
}

// digits writes three significant digits, never an exponent.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case size >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
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
	return digits(percent) + space + "%"
}
