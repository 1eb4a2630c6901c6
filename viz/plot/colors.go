package plot

import (
	"math"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Background is the colour that charts are drawn on.
func Background(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x15, 0x15, 0x15)
	}
	return scene.RGB(0xff, 0xff, 0xff)
}

// Ink is the colour of titles.
func Ink(dark bool) scene.Color { return scene.InkOn(Background(dark)) }

// Faint is the colour of labels: quieter than ink, and still readable.
func Faint(dark bool) scene.Color {
	if dark {
		return scene.RGB(0xb4, 0xb4, 0xb4)
	}
	return scene.RGB(0x50, 0x50, 0x50)
}

func quiet(dark bool) scene.Color {
	if dark {
		return scene.RGB(0x55, 0x55, 0x55)
	}
	return scene.RGB(0xb8, 0xb8, 0xb8)
}

// Plain is the colour of what belongs to no group: grey beside groups, so that
// those stand out, and a colour of its own if there are none.
func Plain(dark bool, groups []viz.Group) scene.Color {
	if visible(groups) {
		if dark {
			return scene.RGB(0x8c, 0x8c, 0x8c)
		}
		return scene.RGB(0x8a, 0x8a, 0x8a)
	}
	if dark {
		return scene.OKLCH(0.72, 0.12, 250)
	}
	return scene.OKLCH(0.55, 0.14, 250)
}

func visible(groups []viz.Group) bool {
	for _, g := range groups {
		if !g.Hidden {
			return true
		}
	}
	return false
}

// GroupColor is the colour of a row of a batch's Group: 0 is no group.
func GroupColor(f viz.Frame, group int) scene.Color {
	if g, shown := GroupOf(f, group); shown {
		return g.Color
	}
	return Plain(f.Dark, f.Groups)
}

// GroupOf is the colour group that a row of a batch's Group stands for; shown is
// false for none, and for one that is hidden.
func GroupOf(f viz.Frame, group int) (g viz.Group, shown bool) {
	if group < 1 || group > len(f.Groups) {
		return g, false
	}
	g = f.Groups[group-1]
	return g, !g.Hidden
}

// Legend lists the colour groups; nil if there are none.
func Legend(f viz.Frame) *scene.Legend {
	if !visible(f.Groups) {
		return nil
	}
	l := &scene.Legend{Title: "Groups"}
	for _, g := range f.Groups {
		if !g.Hidden {
			l.Entries = append(l.Entries, scene.LegendEntry{Label: g.Name, Color: g.Color})
		}
	}
	return l
}

// Heat is a scale of colours from little to much.
type Heat struct {
	Low, High float64 // > 0
	Linear    bool    // else logarithmic
	dark      bool
}

// NewHeat makes a scale for values from low to high.
func NewHeat(low, high float64, linear, dark bool) Heat {
	return Heat{Low: math.Max(low, 1e-300), High: math.Max(high, 1e-300), Linear: linear, dark: dark}
}

// Part places a value on the scale, 0 to 1.
func (h Heat) Part(v float64) float64 {
	if h.High <= h.Low || v >= h.High {
		return 1
	}
	if v <= h.Low {
		return 0
	}
	if h.Linear {
		return (v - h.Low) / (h.High - h.Low)
	}
	return math.Log(v/h.Low) / math.Log(h.High/h.Low)
}

// heatSteps is how finely the scale is painted.
const heatSteps = 64

// Ramp gives the colours of the scale, low to high: from blue to red, as the
// correlation graph has it (Wang 2002, B.6), with lightness that rises or
// falls all the way, so that it can be read without hue.
func (h Heat) Ramp() []scene.Color {
	ramp := make([]scene.Color, heatSteps)
	for i := range ramp {
		x := float64(i) / (heatSteps - 1)
		light, hue := 0.74-0.26*x, 250-225*x
		if hue < 0 {
			hue += 360
		}
		if h.dark {
			light = 0.42 + 0.36*x
		}
		ramp[i] = scene.OKLCH(light, 0.07+0.13*x, hue)
	}
	return ramp
}

// Tone makes a colour as strong as a part of a scale, 0 to 1, on the
// background: what is there at all can be seen.
func Tone(c scene.Color, part float64, dark bool) scene.Color {
	const least = 0.5
	strength := least + (1-least)*math.Max(0, math.Min(1, part))
	r, g, b, _ := c.RGBA8()
	br, bg, bb, _ := Background(dark).RGBA8()
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*strength + float64(y)*(1-strength))) }
	return scene.RGB(mix(r, br), mix(g, bg), mix(b, bb))
}
