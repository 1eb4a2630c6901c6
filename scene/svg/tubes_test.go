package svg

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

// tubed has a wide tube, a thin one that can be seen through, a line, and one that
// nobody can draw; and a cushion.
func tubed() *scene.Scene {
	s := &scene.Scene{Width: 120, Height: 80, Background: scene.RGB(255, 255, 255)}
	t := &s.Tubes
	add := func(fill scene.Color, shine float64, points ...[3]float32) {
		n := uint32(len(t.A))
		t.A, t.B, t.Similarity = append(t.A, n), append(t.B, 10+n), append(t.Similarity, 0.5)
		t.First = append(t.First, uint32(len(t.X)))
		t.Fill, t.Shine = append(t.Fill, fill), append(t.Shine, shine)
		for _, p := range points {
			t.X, t.Y, t.W = append(t.X, p[0]), append(t.Y, p[1]), append(t.W, p[2])
		}
	}
	add(red, 1, [3]float32{30, 10, 40}, [3]float32{30, 40, 12}, [3]float32{40, 70, 20})
	add(green&^0xff|0x80, 0, [3]float32{60, 10, 3}, [3]float32{60, 30, 3}, [3]float32{60, 50, 3}, [3]float32{70, 70, 3})
	add(blue, 0, [3]float32{90, 10, 0}, [3]float32{100, 70, 0})
	add(red, 0, [3]float32{float32(math.NaN()), 10, 9}, [3]float32{100, 70, 9})
	t.First = append(t.First, uint32(len(t.X)))
	s.Rects.Add(10, 2, 40, 8, green, 0)
	s.Rects.Add(60, 2, 1, 8, green, 1)
	s.Rects.Slope = []scene.Slope{{Left: 1, Right: -1}, {Left: 1, Right: -1}}
	return s
}

func TestTubesGolden(t *testing.T) {
	const golden = "testdata/tubes.svg"
	got := write(t, tubed())
	parse(t, got)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the document is\n%s\nwant\n%s", got, want)
	}
	// The third point of the second tube is on the line that its neighbours make.
	if n := strings.Count(got, "NaN"); n != 0 || strings.Contains(got, `data-a="3"`) {
		t.Errorf("what has no place is drawn")
	}
}
