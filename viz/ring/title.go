package ring

import (
	"math"

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
	value := config.Label(sec.Total[0], sec.Sides, 0)
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
