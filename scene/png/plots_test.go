package png

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

var (
	white, black     = scene.RGB(255, 255, 255), scene.RGB(0, 0, 0)
	red, green, blue = scene.RGB(255, 0, 0), scene.RGB(0, 255, 0), scene.RGB(0, 0, 255)
)

// letters gives a small picture as text: a letter per pixel, the first one of
// its colour, o for what is dark and ? for anything else.
func letters(s *scene.Scene, scale float64) string {
	img := Draw(s, scale)
	var b strings.Builder
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := img.RGBAAt(x, y)
			letter, ok := map[scene.Color]byte{white: '.', black: 'o', red: 'r', green: 'g', blue: 'b'}[scene.RGB(c.R, c.G, c.B)]
			switch {
			case ok:
				b.WriteByte(letter)
			case c.R < 60 && c.G < 60 && c.B < 60:
				b.WriteByte('o')
			default:
				b.WriteByte('?')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRasterIsNearestNeighbour(t *testing.T) {
	s := &scene.Scene{Width: 10, Height: 6, Background: white}
	s.Rasters = []scene.Raster{{X: 1, Y: 1, W: 6, H: 4, Columns: 3, Rows: 2, Pixels: []scene.Color{red, 0, blue, 0, green, red}}}
	const want = `..........
.rr..bb...
.rr..bb...
...ggrr...
...ggrr...
..........
`
	if got := letters(s, 1); got != want {
		t.Errorf("it is drawn as\n%s", got)
	}
	// Fewer pixels than cells: some are left out, none is mixed.
	if got, want := letters(s, 0.5), ".....\n..g..\n.r.r.\n"; strings.Contains(got, "?") || len(got) != len(want) {
		t.Errorf("at half the size it is drawn as\n%s", got)
	}
	// Partly transparent cells let the background through.
	s.Rasters[0].Pixels[0] = red&^0xff | 0x80
	if c := Draw(s, 1).RGBAAt(1, 1); c.R != 255 || c.G < 126 || c.G > 128 || c.A != 255 {
		t.Errorf("half of red on white is %v", c)
	}
}

func TestRectsAndLines(t *testing.T) {
	s := &scene.Scene{Width: 14, Height: 9, Background: white}
	s.Rects.Add(1, 1, 5, 2, red, 1)
	s.Rects.Add(8, 1, 1e12, 2, blue, 2)
	s.Rects.Add(4, 4, 0, 9, green, 3)
	s.Lines.Add(1, 5.5, 9, 5.5, 1, black)
	s.Lines.Add(11, 4, 11, 9, 2, green)
	const want = `..............
.rrrrr..bbbbbb
.rrrrr..bbbbbb
..............
..........gg..
.oooooooo.gg..
..........gg..
..........gg..
..........gg..
`
	if got := letters(s, 1); got != want {
		t.Errorf("it is drawn as\n%s", got)
	}
	// What is selected has a line around it, outside of it.
	s.Rects.Match = []uint8{scene.MatchSelf, scene.MatchNone, scene.MatchNone}
	const selected = `ooooooo.bbbbbb
orrrrro.bbbbbb
orrrrro.bbbbbb
ooooooo.......
`
	s.Rects.Y[1], s.Rects.H[1] = 0, 3
	if got := letters(s, 1); !strings.HasPrefix(strings.ReplaceAll(got, "?", "."), selected) {
		t.Errorf("with a selection it is drawn as\n%s", got)
	}
}

func TestTableIsDrawn(t *testing.T) {
	s := &scene.Scene{Width: 200, Height: 100, Background: white}
	s.Table = &scene.Table{Columns: []scene.TableColumn{{Title: "Method"}, {Title: "Size", Number: true}}, Rows: []scene.TableRow{
		{Cells: []string{"main", "12"}, Color: red, Share: 0.5}, {Cells: []string{"f", "1"}, Selected: true}}}
	img := Draw(s, 1)
	if c := img.RGBAAt(12, 36); c.R != 255 || c.G > 60 {
		t.Errorf("the swatch is %v", c)
	}
	if half, rest := img.RGBAAt(80, 30), img.RGBAAt(130, 30); half == rest || half.R != 255 || rest.G != 255 {
		t.Errorf("the bar is %v, what is right of it %v", half, rest)
	}
	if c := img.RGBAAt(100, 48); c.R > 120 {
		t.Errorf("the frame of what is selected is %v", c)
	}
}

func TestLegendBelow(t *testing.T) {
	s := &scene.Scene{Width: 300, Height: 100, Background: white, Plots: []scene.Plot{{W: 300, H: 100}}}
	s.Rects.Add(0, 0, 300, 100, blue, 1)
	s.Legend = &scene.Legend{Title: "Groups", Entries: []scene.LegendEntry{{Label: "io", Color: red}}}
	img := Draw(s, 1)
	if h := img.Bounds().Dy(); h <= 110 || h > 130 {
		t.Errorf("the image is %d high", h)
	}
	if c := img.RGBAAt(5, 99); c.B != 255 || c.R != 0 {
		t.Errorf("something is drawn over the chart: %v", c)
	}
}

func TestUnusableNumbersOfPlots(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, -5} {
		s := &scene.Scene{Width: 40, Height: 30, Background: white}
		for i := range 6 {
			at := [6]float64{1, 1, 4, 4, 1, 1}
			at[i] = v
			s.Rects.Add(at[0], at[1], at[2], at[3], red, 1)
			s.Lines.Add(at[0], at[1], at[2], at[3], at[4], red)
			s.Rasters = append(s.Rasters, scene.Raster{X: at[0], Y: at[1], W: at[2], H: at[3], Columns: 1, Rows: 1, Pixels: []scene.Color{red}})
			s.Rects.Match = append(s.Rects.Match, scene.MatchSelf)
		}
		s.Rasters = append(s.Rasters, scene.Raster{W: 1, H: 1, Columns: math.MaxInt, Rows: 2, Pixels: []scene.Color{red}})
		s.Plots = []scene.Plot{{X: v, Y: v, W: v, H: v}}
		s.Table = &scene.Table{Columns: []scene.TableColumn{{Title: strings.Repeat("\xff", 99), Number: true}, {}},
			Rows: []scene.TableRow{{Share: v}, {Cells: []string{strings.Repeat("x", 99999), "\x00"}, Selected: true}}}
		var b bytes.Buffer
		if err := Write(&b, s, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(&b); err != nil {
			t.Error(err)
		}
	}
}
