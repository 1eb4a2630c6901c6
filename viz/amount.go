package viz

import (
	"math"
	"strconv"
	"strings"
)

var (
	nanoseconds = map[string]float64{
		"ns": 1, "nanosecond": 1, "nanoseconds": 1, "us": 1e3, "µs": 1e3, "microsecond": 1e3, "microseconds": 1e3,
		"ms": 1e6, "millisecond": 1e6, "milliseconds": 1e6, "s": 1e9, "sec": 1e9, "second": 1e9, "seconds": 1e9,
	}
	octets = map[string]float64{
		"b": 1, "byte": 1, "bytes": 1, "kb": 1 << 10, "kib": 1 << 10, "kilobytes": 1 << 10, "mb": 1 << 20, "mib": 1 << 20, "megabytes": 1 << 20,
	}
)

// Amount writes a value with three digits, as the page does: 1.53 s, 82.1 MiB,
// 14.8 M.
func Amount(x float64, unit string) string {
	unit = strings.ToLower(unit)
	if ns, ok := nanoseconds[unit]; ok {
		return duration(x * ns)
	}
	if one, ok := octets[unit]; ok {
		return scaled(x*one, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
	}
	if unit == string(unitShare) {
		return strconv.FormatFloat(100*x/sharesOfWhole, 'g', 3, 64) + space + "%"
	}
	return scaled(x, 1000, "", "k", "M", "G", "T", "P", "E")
}

const space = "\u00a0" // not to be broken

func duration(ns float64) string {
	size := math.Abs(ns)
	switch {
	case size == 0:
		return "0" + space + "s"
	case size < 999.5:
		return strconv.FormatFloat(ns, 'g', 3, 64) + space + "ns"
	case size < 999.5e3:
		return threeDigits(ns/1e3) + space + "µs"
	case size < 999.5e6:
		return threeDigits(ns/1e6) + space + "ms"
	case size < 100e9:
		return threeDigits(ns/1e9) + space + "s"
	case size < 5995e9:
		return threeDigits(ns/60e9) + space + "min"
	}
	return threeDigits(ns/3600e9) + space + "h"
}

func scaled(x, step float64, names ...string) string {
	i := 0
	for math.Abs(x) >= 999.5 && i < len(names)-1 {
		x /= step
		i++
	}
	digits := threeDigits(x)
	if i == 0 && x == math.Trunc(x) {
		digits = strconv.FormatFloat(x, 'f', -1, 64)
	}
	if names[i] == "" {
		return digits
	}
	return digits + space + names[i]
}

// threeDigits never writes an exponent.
func threeDigits(x float64) string {
	switch size := math.Abs(x); {
	case size >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}
