package png

import (
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

func tube(fill scene.Color, points ...[3]float32) *scene.Scene {
	s := &scene.Scene{Width: 12, Height: 6, Background: white}
	s.Tubes = scene.Tubes{A: []uint32{0}, B: []uint32{0}, Similarity: []float64{1}, Fill: []scene.Color{fill}, Shine: []float64{0}, First: []uint32{0, uint32(len(points))}}
	for _, p := range points {
		s.Tubes.X, s.Tubes.Y, s.Tubes.W = append(s.Tubes.X, p[0]), append(s.Tubes.Y, p[1]), append(s.Tubes.W, p[2])
	}
	return s
}

// TestTubeIsAsWideAsItSays: its borders are beside the curve, from row to row;
// pixels that it covers a part of are in between.
func TestTubeIsAsWideAsItSays(t *testing.T) {
	s := tube(black, [3]float32{6, 0, 8}, [3]float32{6, 3, 2}, [3]float32{6, 6, 8})
	const want = `..oooooooo..
...oooooo...
....oooo....
....?oo?....
...?oooo?...
..?oooooo?..
`
	if got := letters(s, 1); got != want {
		t.Errorf("the tube is\n%s, want\n%s", got, want)
	}
}

func TestTubeWithoutWidthIsALine(t *testing.T) {
	s := tube(red, [3]float32{2.5, 0, 0}, [3]float32{2.5, 6, 0})
	const want = `..r.........
..r.........
..r.........
..r.........
..r.........
..r.........
`
	if got := letters(s, 1); got != want {
		t.Errorf("the line is\n%s, want\n%s", got, want)
	}
}

// TestTubeThatTurnsBack: what goes up and down again is not filled in between.
func TestTubeThatTurnsBack(t *testing.T) {
	s := tube(black, [3]float32{1.5, 0, 1}, [3]float32{1.5, 5.9, 1}, [3]float32{10.5, 5.9, 1}, [3]float32{10.5, 0, 1})
	const want = `.o........o.
.o........o.
.o........o.
.o........o.
.o........o.
.oooooooooo.
`
	if got := letters(s, 1); got != want {
		t.Errorf("the tube is\n%s, want\n%s", got, want)
	}
}

// TestTubeIsDarkAtItsBorders, and can be seen through.
func TestTubeIsDarkAtItsBorders(t *testing.T) {
	img := Draw(tube(scene.RGB(200, 200, 200), [3]float32{6, 0, 10}, [3]float32{6, 6, 10}), 4)
	middle, border := img.RGBAAt(24, 12).R, img.RGBAAt(5, 12).R
	if middle < 198 || border > 125 || border < 95 {
		t.Errorf("the middle is %d, the border %d", middle, border)
	}
	img = Draw(tube(0x00000080, [3]float32{6, 0, 10}, [3]float32{6, 6, 10}), 1)
	if c := img.RGBAAt(6, 3); c.R < 120 || c.R > 135 || c.A != 255 {
		t.Errorf("half of black on white is %v", c)
	}
}

func TestCushionFacesTheLight(t *testing.T) {
	s := &scene.Scene{Width: 12, Height: 6, Background: white}
	s.Rects.Add(1, 1, 10, 4, scene.RGB(200, 200, 200), 0)
	s.Rects.Slope = []scene.Slope{{Left: 1.5, Right: -1.5}}
	img := Draw(s, 2)
	left, middle, right := img.RGBAAt(3, 6).R, img.RGBAAt(12, 6).R, img.RGBAAt(20, 6).R
	if left >= middle || right >= left {
		t.Errorf("from left to right: %d, %d, %d", left, middle, right)
	}
	if c := img.RGBAAt(0, 6); c.R != 255 {
		t.Errorf("beside it: %v", c)
	}
}
