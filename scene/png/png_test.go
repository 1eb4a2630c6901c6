package png

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/scene"
)

func add(s *scene.Scene, kind scene.SectorKind, r0, r1, a0, a1 float64, fill scene.Color, name string) {
	c := &s.Sectors
	c.Kind, c.ID = append(c.Kind, kind), append(c.ID, uint32(c.Len()))
	c.R0, c.R1, c.A0, c.A1 = append(c.R0, r0), append(c.R1, r1), append(c.A0, a0), append(c.A1, a1)
	c.Fill, c.Ink = append(c.Fill, fill), append(c.Ink, scene.InkOn(fill))
	c.Self, c.Total, c.Count = append(c.Self, 1), append(c.Total, 2), append(c.Count, 1)
	c.Label = append(c.Label, name != "" && r0 > 0 && r1-r0 >= 12 && (a1-a0)*(r0+r1)/2 >= 34)
	c.Name = append(c.Name, uint32(len(c.Names)))
	c.Names, c.ShortNames = append(c.Names, name), append(c.ShortNames, name)
}

func small() *scene.Scene {
	s := &scene.Scene{Width: 300, Height: 200, Background: scene.RGB(250, 251, 252)}
	s.Sectors.CX, s.Sectors.CY = 150, 100
	add(s, scene.Segment, 0, 20, 0, 2*math.Pi, scene.RGB(220, 20, 20), "")
	add(s, scene.Segment, 20, 40, 0, 2*math.Pi, scene.RGB(20, 220, 20), "")
	add(s, scene.Segment, 40, 60, 0, 4, scene.RGB(20, 20, 220), "")
	add(s, scene.Segment, 40, 60, 4, 5, scene.RGB(120, 20, 220), "")
	add(s, scene.Segment, 60, 90, 1, 1.2, scene.RGB(1, 120, 220), "")
	return s
}

func TestPixels(t *testing.T) {
	s := small()
	for _, scale := range []float64{1, 2, 0.5} {
		img := Draw(s, scale)
		if img.Bounds().Dx() != int(300*scale) || img.Bounds().Dy() != int(200*scale) {
			t.Fatalf("size is %v", img.Bounds())
		}
		at := func(r, a float64) scene.Color {
			c := img.RGBAAt(int((150+r*math.Sin(a))*scale), int((100-r*math.Cos(a))*scale))
			return scene.RGB(c.R, c.G, c.B)
		}
		sec := &s.Sectors
		for i := range sec.Len() {
			if got := at((sec.R0[i]+sec.R1[i])/2, (sec.A0[i]+sec.A1[i])/2); got != sec.Fill[i] {
				t.Errorf("scale %v: the middle of sector %d is %s, want %s", scale, i, got.Hex(), sec.Fill[i].Hex())
			}
		}
		for _, p := range [][2]float64{{50, 5.5}, {75, 0.8}, {75, 1.4}, {95, 3}, {140, math.Pi / 2}} {
			if got := at(p[0], p[1]); got != s.Background {
				t.Errorf("scale %v: at radius %v, angle %v is %s, want the background", scale, p[0], p[1], got.Hex())
			}
		}
	}
}

func TestCoverageIsTheArea(t *testing.T) {
	for _, full := range []bool{true, false} {
		// A transparent background: no gap, and alpha is coverage.
		s := &scene.Scene{Width: 220, Height: 220}
		s.Sectors.CX, s.Sectors.CY = 110.3, 109.8
		a1, part := 2*math.Pi, 1.0
		if !full {
			a1, part = 1.0, 1/(2*math.Pi)
		}
		add(s, scene.Segment, 60, 100, 0, a1, scene.RGB(255, 0, 0), "")
		img := Draw(s, 1)
		sum := 0.0
		for i := 3; i < len(img.Pix); i += 4 {
			sum += float64(img.Pix[i]) / 255
		}
		if want := math.Pi * (100*100 - 60*60) * part; math.Abs(sum-want) > want*0.003 {
			t.Errorf("full %v: %v pixels are covered, want %v", full, sum, want)
		}
	}
}

func TestLabelsAreDrawnAlongTheArc(t *testing.T) {
	for _, middle := range []float64{0, math.Pi / 2, math.Pi, 5} {
		s := &scene.Scene{Width: 300, Height: 300, Background: scene.RGB(255, 255, 255)}
		s.Sectors.CX, s.Sectors.CY = 150, 150
		add(s, scene.Segment, 100, 120, middle-0.6, middle+0.6, scene.RGB(240, 240, 240), "HHHHHHHH")
		img := Draw(s, 1)
		dark, inner, outer := 0, math.Inf(1), 0.0
		for y := range 300 {
			for x := range 300 {
				if img.RGBAAt(x, y).R < 100 {
					dark++
					r := math.Hypot(float64(x)+0.5-150, float64(y)+0.5-150)
					inner, outer = min(inner, r), max(outer, r)
				}
			}
		}
		if dark < 50 || inner < 103 || outer > 117 {
			t.Errorf("at %v: %d dark pixels between radius %v and %v", middle, dark, inner, outer)
		}
		if centre := (inner + outer) / 2; math.Abs(centre-110) > 1.6 {
			t.Errorf("at %v: letters are around radius %v", middle, centre)
		}
	}
}

func TestRadialLabelsStayInTheirSegments(t *testing.T) {
	for _, middle := range []float64{0.3, math.Pi / 2, 2.5, 4, 6} {
		const half = 0.08
		s := &scene.Scene{Width: 400, Height: 400, Background: scene.RGB(255, 255, 255)}
		s.Sectors.CX, s.Sectors.CY = 200, 200
		add(s, scene.Segment, 60, 190, middle-half, middle+half, scene.RGB(240, 240, 240), "HHHHHHHH")
		s.Sectors.Label[0] = true
		img := Draw(s, 1)
		dark, sum := 0, 0.0
		for y := range 400 {
			for x := range 400 {
				if img.RGBAAt(x, y).R >= 100 {
					continue
				}
				dx, dy := float64(x)+0.5-200, float64(y)+0.5-200
				off := math.Remainder(math.Atan2(dx, -dy)-middle, 2*math.Pi)
				dark++
				sum += off
				if r := math.Hypot(dx, dy); math.Abs(off) > half || r < 60 || r > 190 {
					t.Fatalf("at %v: a letter at radius %v, %v beside the middle", middle, r, off)
				}
			}
		}
		if dark < 50 || math.Abs(sum/float64(dark)) > half/5 {
			t.Errorf("at %v: %d dark pixels, on average %v beside the middle", middle, dark, sum/float64(dark))
		}
	}
}

func TestMatch(t *testing.T) {
	s := small()
	s.Sectors.Match = []uint8{0, 0, scene.MatchSelf, 0, 0}
	img := Draw(s, 1)
	if got := img.RGBAAt(150, 100); got.R < 225 || got.G < 150 {
		t.Errorf("what was not found is not faded: %v", got)
	}
	x, y := 150+50*math.Sin(2), 100-50*math.Cos(2)
	if got := img.RGBAAt(int(x), int(y)); got != (color.RGBA{20, 20, 220, 255}) {
		t.Errorf("what was found has colour %v", got)
	}
	x, y = 150+60.6*math.Sin(2), 100-60.6*math.Cos(2)
	if got := img.RGBAAt(int(x), int(y)); got.R > 180 {
		t.Errorf("there is no outline: %v", got)
	}
}

func TestTooLarge(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, &scene.Scene{Width: 10000, Height: 10000}, 1)
	if err == nil || !strings.Contains(err.Error(), "10000 × 10000") || b.Len() > 0 {
		t.Errorf("error is %v", err)
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1), 1e300} {
		if Write(&b, small(), scale) == nil || Draw(small(), scale) != nil {
			t.Errorf("scale %v was accepted", scale)
		}
	}
}

func TestUnusableNumbersAndHostileNames(t *testing.T) {
	s := random(1, 200, 400, 300)
	sec := &s.Sectors
	for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -5} {
		sec.R0[4*i], sec.R1[4*i+1], sec.A0[4*i+2], sec.A1[4*i+3] = v, v, v, v
	}
	for i := range sec.Names {
		sec.Names[i], sec.ShortNames[i] = "\x00\xff\u202e漢字", "\x00\xff\u202e漢字\U0001F600xyz"
	}
	s.Texts = []scene.Text{{X: math.NaN(), Y: math.Inf(1), Text: "x", Size: math.Inf(1), Color: 0xff}, {Text: "y", Size: 1e9, Color: 0xff}}
	var b bytes.Buffer
	if err := Write(&b, s, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&b); err != nil {
		t.Error(err)
	}
}

// random makes a ring chart of at most n sectors.
func random(seed uint64, n int, width, height float64) *scene.Scene {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &scene.Scene{Width: width, Height: height, Background: scene.RGB(255, 255, 255), Drawn: int64(n), TooSmall: 345678, Deeper: 12,
		Notes: []string{"Some values are negative: sizes are those of what is above zero, and contexts at or below zero are not drawn."}}
	s.Sectors.CX, s.Sectors.CY = width/2, height/2
	packages := []string{"org.eclipse.jdt.internal.compiler", "java.util", "java.lang", "com.example.server.http", "sun.nio.ch", "org.apache.commons.io"}
	words := []string{"Parser.parse", "Scanner.nextToken", "HashMap.putVal", "Worker.run", "ClassFile.writeTo", "Lexer.scanIdentifierOrKeyword", "Buffer.get"}
	s.Legend = &scene.Legend{Title: "Packages with most of their own time here"}
	for i, p := range packages {
		s.Legend.Entries = append(s.Legend.Entries, scene.LegendEntry{Label: p, Color: scene.OKLCH(0.72, 0.11, float64(i)*61), Share: 0.31 / float64(i+1)})
	}
	const layers = 24
	outer := min(width, height)/2 - 6
	radius := func(l int) float64 { return 22 + (outer-22)*float64(l)/layers }
	add(s, scene.Segment, 0, 22, 0, 2*math.Pi, scene.RGB(221, 222, 226), "")
	type place struct {
		layer  int
		a0, a1 float64
	}
	queue := []place{{0, 0, 2 * math.Pi}}
	for len(queue) > 0 && s.Sectors.Len() < n {
		p := queue[0]
		queue = queue[1:]
		if p.layer == layers {
			continue
		}
		r0, r1, at := radius(p.layer), radius(p.layer+1), p.a0
		// Now and then a callee takes nearly all.
		most := 0.5
		if rng.IntN(3) > 0 {
			most = 0.98
		}
		for k := 0; at < p.a1-1/r1; k++ {
			wide := (p.a1 - at) * most * (0.9 + 0.1*rng.Float64())
			if wide*r1 < 1 {
				add(s, scene.Mark, r0, r1, at, min(at+max(wide/4, 1/r1), p.a1), scene.RGB(221, 222, 226), "")
				break
			}
			if p.layer == 0 && k == 0 {
				wide = 2.6
			}
			c := place{p.layer + 1, at, min(at+wide, p.a1)}
			at = c.a1
			i := rng.IntN(len(packages))
			add(s, scene.Segment, r0, r1, c.a0, c.a1, scene.OKLCH(0.72, 0.11, float64(i)*61), words[rng.IntN(len(words))])
			queue = append(queue, c)
		}
	}
	return s
}

// TestLook writes pictures to look at into the folder that CAMBIUM_LOOK names.
func TestLook(t *testing.T) {
	folder := os.Getenv("CAMBIUM_LOOK")
	if folder == "" {
		t.Skip("CAMBIUM_LOOK is not set")
	}
	for name, s := range map[string]*scene.Scene{"wide": random(3, 3000, 1440, 900), "square": random(4, 3000, 800, 800), "found": random(3, 3000, 1440, 900)} {
		if name == "found" {
			s.Sectors.Match = make([]uint8, s.Sectors.Len())
			for i := range s.Sectors.Match {
				if s.Sectors.Names[i] == "Worker.run" {
					s.Sectors.Match[i] = scene.MatchSelf
				}
			}
			s.Legend = &scene.Legend{Title: "allocations per cpu", RampLow: "0.01", RampHigh: "12"}
			for i := range 9 {
				s.Legend.Ramp = append(s.Legend.Ramp, scene.OKLCH(0.92-0.52*float64(i)/8, 0.11, 250))
			}
		}
		f, err := os.Create(folder + "/" + name + ".png")
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(f, s, 1); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// many makes a ring chart of 20,000 sectors, among them rings of one sector.
func many() *scene.Scene {
	s := &scene.Scene{Width: 1440, Height: 900, Background: scene.RGB(255, 255, 255)}
	s.Sectors.CX, s.Sectors.CY = 720, 450
	const rings, each = 110, 200
	for ring := range rings {
		r0, n := 4+4*float64(ring), each
		if ring%10 == 0 {
			n = 1
		}
		for i := range n {
			w := 2 * math.Pi / float64(n)
			add(s, scene.Segment, r0, r0+4, float64(i)*w, float64(i+1)*w, scene.OKLCH(0.72, 0.11, float64(i*37%360)), "Some.name")
		}
	}
	return s
}

func TestFastEnough(t *testing.T) {
	s := many()
	start := time.Now()
	Draw(s, 1)
	took := time.Since(start)
	t.Logf("%d sectors took %v", s.Sectors.Len(), took)
	if took > 10*time.Second { // five times what is asked for: machines differ, and -race is slow
		t.Errorf("%d sectors took %v", s.Sectors.Len(), took)
	}
}

func BenchmarkDraw(b *testing.B) {
	s := many()
	for b.Loop() {
		Draw(s, 1)
	}
	b.ReportMetric(float64(s.Sectors.Len()), "sectors")
}
