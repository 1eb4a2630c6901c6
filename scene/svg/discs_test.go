package svg

import (
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

func TestDiscsAreCirclesInTheirSectors(t *testing.T) {
	ink := scene.RGB(0, 0, 0)
	s := &scene.Scene{Width: 100, Height: 100, Background: scene.RGB(255, 255, 255)}
	s.Sectors = scene.Sectors{
		CX: 50, CY: 20, Discs: true, Kind: []scene.SectorKind{scene.Segment, scene.Segment}, ID: []uint32{0, 7},
		R0: []float64{-5, 40}, R1: []float64{5, 60}, A0: []float64{2, 2}, A1: []float64{4.283185307179586, 4.283185307179586},
		Fill: []scene.Color{ink, ink}, Ink: []scene.Color{ink, ink}, Name: []uint32{scene.NoName, scene.NoName},
		Self: []float64{0, 1}, Total: []float64{1, 1}, Count: []uint32{1, 1}, Label: []bool{false, false},
	}
	var b strings.Builder
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`data-id="0" fill="#000000" d="M50 15A5 5 0 0 1 50 25A5 5 0 0 1 50 15Z"`,
		`data-id="7" fill="#000000" d="M50 60A10 10 0 0 1 50 80A10 10 0 0 1 50 60Z"`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in\n%s", want, b.String())
		}
	}
}
