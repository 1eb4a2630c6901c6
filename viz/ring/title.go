package ring

import (
	"math"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

const (
	// everything is what the root is called that is no context.
	everything = "everything"

	// The least radius of a centre that has room for a name and a total, and
	// for a total alone.
	roomForBoth, roomForOne = 34, 20

	glyph = 0.6 // the width of a digit or letter, at most, as part of its size
)

// title writes the root's name and total into the centre, as far as there is
// room: a name cut down to a few letters says less than none.
func title(s *scene.Scene, config viz.Config) {
	sec := &s.Sectors
	radius := sec.R1[0] // the root is the first sector
	metric := config.View.Metrics[config.Metric]
	value := amount(sec.Total[0], string(metric.Unit))
	ink := centreInk(s)
	line := func(text string, size, y float64, bold bool) {
		// The chord at the end of the line that is further from the centre.
		far := max(math.Abs(y-size*0.8), math.Abs(y+size*0.2))
		width := 2*math.Sqrt(max(radius*radius-far*far, 0)) - 6
		if !bold && float64(len([]rune(text)))*size*glyph > width {
			return // digits that are left out would change the value
		}
		s.Texts = append(s.Texts, scene.Text{
			X: sec.CX, Y: sec.CY + y, Text: text, Color: ink, Anchor: scene.Middle, Size: size, MaxWidth: width, Bold: bold,
		})
	}
	if radius < roomForOne {
		return
	}
	if radius < roomForBoth {
		line(value, min(11, radius*0.42), 4, false)
		return
	}
	size := min(max(radius*0.26, 10), 15)
	name := everything
	if m := config.View.Method[config.View.Root]; m != data.None {
		name = config.Program.Short[m]
	}
	line(name, size, -size*0.2, true)
	line(value, size, size*1.1, false)
}

// centreInk is what can be read on the root's sector as it is drawn: with a
// search that does not find it, it recedes most of the way to the background.
func centreInk(s *scene.Scene) scene.Color {
	sec := &s.Sectors
	if sec.Match == nil || sec.Match[0] != scene.MatchNone {
		return sec.Ink[0]
	}
	const recedes = 0.75
	r, g, b, _ := sec.Fill[0].RGBA8()
	br, bg, bb, _ := s.Background.RGBA8()
	mix := func(from, to uint8) uint8 { return uint8(float64(from) + (float64(to)-float64(from))*recedes) }
	return scene.InkOn(scene.RGB(mix(r, br), mix(g, bg), mix(b, bb)))
}

var (
	nanoseconds = map[string]float64{
		"ns": 1, "nanosecond": 1, "nanoseconds": 1, "us": 1e3, "µs": 1e3, "microsecond": 1e3, "microseconds": 1e3,
		"ms": 1e6, "millisecond": 1e6, "milliseconds": 1e6, "s": 1e9, "sec": 1e9, "second": 1e9, "seconds": 1e9,
	}
	octets = map[string]float64{
		"b": 1, "byte": 1, "bytes": 1, "kb": 1 << 10, "kib": 1 << 10, "kilobytes": 1 << 10, "mb": 1 << 20, "mib": 1 << 20, "megabytes": 1 << 20,
	}
)

// amount writes a value with three digits, as the page does: 1.53 s, 82.1 MiB,
// 14.8 M.
func amount(x float64, unit string) string {
	unit = strings.ToLower(unit)
	if ns, ok := nanoseconds[unit]; ok {
		return duration(x * ns)
	}
	if one, ok := octets[unit]; ok {
		return scaled(x*one, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
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
