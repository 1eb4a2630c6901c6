package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
)

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// jsonString quotes s as JSON does, invalid UTF-8 replaced.
func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// printable keeps names from files from steering the terminal.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, name)
}

// quantity writes a value for people: three significant digits with a prefix.
func quantity(v int64, unit string) string {
	x := float64(v)
	switch unit {
	case "nanoseconds", "ns":
		return scaled(x, 1000, []string{" ns", " µs", " ms", " s"})
	case "microseconds", "us", "µs":
		return scaled(x, 1000, []string{" µs", " ms", " s"})
	case "milliseconds", "ms":
		return scaled(x, 1000, []string{" ms", " s"})
	case "bytes", "byte", "B":
		return scaled(x, 1024, []string{" B", " KiB", " MiB", " GiB", " TiB", " PiB"})
	}
	return scaled(x, 1000, []string{"", " k", " M", " G", " T", " P"})
}

func scaled(x, step float64, units []string) string {
	i := 0
	for i < len(units)-1 && math.Abs(x) >= step {
		x /= step
		i++
	}
	digits := 2
	switch a := math.Abs(x); {
	case i == 0 || a >= 100:
		digits = 0
	case a >= 10:
		digits = 1
	}
	return fmt.Sprintf("%.*f%s", digits, x, units[i])
}

func percent(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(whole))
}
