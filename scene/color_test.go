package scene_test

import (
	"math"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

func TestOKLCHKnownValues(t *testing.T) {
	// The primaries as CSS Color 4 gives them in OKLCH.
	for _, c := range []struct {
		name    string
		l, c, h float64
		r, g, b int
	}{
		{"white", 1, 0, 0, 255, 255, 255},
		{"black", 0, 0, 0, 0, 0, 0},
		{"red", 0.627955, 0.257683, 29.2339, 255, 0, 0},
		{"green", 0.866440, 0.294827, 142.4953, 0, 255, 0},
		{"blue", 0.452014, 0.313214, 264.0520, 0, 0, 255},
	} {
		r, g, b, a := scene.OKLCH(c.l, c.c, c.h).RGBA8()
		if off(r, c.r) > 1 || off(g, c.g) > 1 || off(b, c.b) > 1 || a != 255 {
			t.Errorf("%s: OKLCH(%v, %v, %v) = %d %d %d %d, want %d %d %d", c.name, c.l, c.c, c.h, r, g, b, a, c.r, c.g, c.b)
		}
	}
}

func off(a uint8, b int) int { return max(int(a)-b, b-int(a)) }

func TestInkOnReads(t *testing.T) {
	for l := 0.6; l <= 0.8001; l += 0.01 {
		for c := 0.0; c <= 0.3; c += 0.02 {
			for h := 0.0; h < 360; h += 5 {
				fill := scene.OKLCH(l, c, h)
				if x := scene.Contrast(fill, scene.InkOn(fill)); x < 4.5 {
					t.Fatalf("ink on OKLCH(%.2f, %.2f, %.0f) = %s has contrast %.2f", l, c, h, fill.Hex(), x)
				}
			}
		}
	}
}

func TestContrastOfBlackAndWhite(t *testing.T) {
	if x := scene.Contrast(scene.RGB(0, 0, 0), scene.RGB(255, 255, 255)); math.Abs(x-21) > 1e-9 {
		t.Errorf("contrast = %v, want 21", x)
	}
}

func TestColorParts(t *testing.T) {
	c := scene.RGB(1, 0xab, 0xff)
	if c.Hex() != "#01abff" {
		t.Errorf("Hex = %s", c.Hex())
	}
	if r, g, b, a := c.RGBA8(); r != 1 || g != 0xab || b != 0xff || a != 0xff {
		t.Errorf("RGBA8 = %d %d %d %d", r, g, b, a)
	}
}

func TestHashSpreadsSimilarNames(t *testing.T) {
	var buckets [16]int
	const n = 1600
	for i := range n {
		buckets[scene.Hash("com.example.Handler$"+string(rune('a'+i%26))+string(rune('a'+i/26)))>>28]++
	}
	for i, got := range buckets {
		if got < n/16/2 || got > n/16*2 {
			t.Errorf("bucket %d has %d of %d names", i, got, n)
		}
	}
}
