package ring

import (
	"math"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

func TestLegendShares(t *testing.T) {
	// a.b.C.m is too small to be drawn below d.e.G.o, but it is a.b's own.
	w := drawn(t, "a.b.C.m()V 1000\n  d.e.F.n()V 5000\n  d.e.G.o()V 3999\n    a.b.C.m()V 1\n")
	shares := func(steps string) map[string]float64 {
		got := map[string]float64{}
		for _, e := range take(t, w, request(Length, steps, "")).s.Legend.Entries {
			got[e.Label] = e.Share
		}
		return got
	}
	if got := shares(""); len(got) != 2 || got["a.b"] != 0.1001 || math.Abs(got["d.e"]-0.8999) > 1e-12 {
		t.Errorf("of everything the shares are %v", got)
	}
	// Of the root's total.
	if got := shares("focus:3"); len(got) != 1 || got["d.e"] != 3999.0/4000 {
		t.Errorf("of G.o the shares are %v", got)
	}
	// Where values below zero take part there is no share.
	w = drawn(t, "a.b.C.m()V 10\n  d.e.F.n()V 5\n  d.e.G.o()V -3\n")
	if got := shares(""); len(got) != 2 || got["a.b"] != 0 || got["d.e"] != 0 {
		t.Errorf("with negative values the shares are %v", got)
	}
}

// texts are the lines in the centre.
func texts(s *scene.Scene) string {
	var lines []string
	for _, l := range s.Texts {
		lines = append(lines, l.Text)
	}
	return strings.Join(lines, " | ")
}

func TestCentreSaysNameAndTotal(t *testing.T) {
	w := drawn(t, "a.b.C.m()V 1000\n  d.e.F.n()V 500000\n")
	r := request(Length, "", "")
	s := take(t, w, r).s
	if got := texts(s); got != "everything | 501\u00a0k" {
		t.Errorf("in the centre stands %q", got)
	}
	for _, l := range s.Texts {
		if y := l.Y - s.Sectors.CY; math.Hypot(l.MaxWidth/2, y) > s.Sectors.R1[0] {
			t.Errorf("%q may be %g wide at %g, beyond the radius %g", l.Text, l.MaxWidth, y, s.Sectors.R1[0])
		}
	}
	r.Look.Steps = "focus:2"
	if got := texts(take(t, w, r).s); got != "F.n | 500\u00a0k" {
		t.Errorf("in the centre of F.n stands %q", got)
	}
	// Without room for a name, the total alone; without room for that, nothing.
	deep := "m 1\n"
	for i := 1; i < 30; i++ {
		deep += strings.Repeat("  ", i) + "m 1\n"
	}
	r = request(Length, "", "")
	if got := texts(take(t, drawn(t, deep), r).s); got != "30" {
		t.Errorf("in a small centre stands %q", got)
	}
	r.Viewport = viz.Viewport{Width: 40, Height: 40}
	if got := texts(take(t, drawn(t, deep), r).s); got != "" {
		t.Errorf("in a very small centre stands %q", got)
	}
}

func TestCentreCanBeRead(t *testing.T) {
	w := drawn(t, "a.b.C.m()V 10\n  d.e.F.n()V 50\n")
	for _, dark := range []bool{false, true} {
		for _, steps := range []string{"", "focus:1"} {
			r := request(Length, steps, "")
			r.Dark, r.Highlight = dark, "n"
			s := take(t, w, r).s
			// As far as the page lets it recede, and as far as the other renderers do.
			for _, recedes := range []float64{0.7, 0.78} {
				mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*recedes) }
				fr, fg, fb, _ := s.Sectors.Fill[0].RGBA8()
				br, bg, bb, _ := s.Background.RGBA8()
				seen := scene.RGB(mix(fr, br), mix(fg, bg), mix(fb, bb))
				if c := scene.Contrast(seen, s.Texts[0].Color); c < 4.5 {
					t.Errorf("dark %v, %q: contrast %.1f", dark, steps, c)
				}
			}
		}
	}
}

func TestRoomForALabel(t *testing.T) {
	for _, c := range []struct {
		r0, r1, span float64
		want         bool
	}{
		{100, 120, 0.4, true},    // along the arc
		{100, 120, 0.2, false},   // neither
		{80, 300, 0.045, true},   // along the radius
		{80, 300, 0.03, false},   // thinner than a line at the rim
		{100, 110, 3, false},     // the ring is thinner than a line
		{100, 130, 0.094, false}, // wide enough for a line, but it would be short
	} {
		if got := hasRoom(c.r0, c.r1, c.span); got != c.want {
			t.Errorf("from %g to %g over %g: %v", c.r0, c.r1, c.span, got)
		}
	}
}
