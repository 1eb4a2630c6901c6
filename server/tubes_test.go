package server

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

// TestWireTubes: columns arrive as they were sent, points by how many there are.
func TestWireTubes(t *testing.T) {
	tubes := &scene.Tubes{
		A: []uint32{3, 4}, B: []uint32{5, 6}, Similarity: []float64{0.5, 1}, First: []uint32{0, 2, 5},
		X: []float32{1, 2, 3, 4, 5}, Y: []float32{6, 7, 8, 9, 10}, W: []float32{0, 0.5, 1, 1.5, 2},
		Fill: []scene.Color{0x11223344, 0x55667788}, Shine: []float64{0.2, 1},
	}
	w := wireTubes(tubes)
	number := func(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	if number(w.A, 1) != 4 || number(w.B, 0) != 5 || number(w.Count, 0) != 2 || number(w.Count, 1) != 3 || number(w.Fill, 1) != 0x55667788 {
		t.Errorf("%v", w)
	}
	if math.Float32frombits(number(w.X, 4)) != 5 || math.Float32frombits(number(w.Y, 0)) != 6 || math.Float32frombits(number(w.W, 3)) != 1.5 || len(w.X) != 20 {
		t.Errorf("points %v %v %v", w.X, w.Y, w.W)
	}
	if len(w.Other) != 0 || w.Shine[0] != 51 || w.Shine[1] != 255 {
		t.Errorf("other %v, shine %v", w.Other, w.Shine)
	}
	if wireTubes(&scene.Tubes{}) != nil {
		t.Error("there are tubes where there are none")
	}
	if s := packSlopes([]scene.Slope{{Left: 1, Right: -2}}); math.Float32frombits(number(s, 1)) != -2 {
		t.Errorf("slopes %v", s)
	}
}
