package svg

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

var (
	red, green, blue = scene.RGB(200, 0, 0), scene.RGB(0, 160, 0), scene.RGB(0, 0, 200)
	black            = scene.RGB(0, 0, 0)
)

// plotted is a chart of everything that charts of events are made of.
func plotted() *scene.Scene {
	s := &scene.Scene{Width: 240, Height: 120, Background: scene.RGB(255, 255, 255), Drawn: 5}
	s.Rasters = []scene.Raster{{X: 20, Y: 10, W: 90, H: 60, Columns: 3, Rows: 2, Pixels: []scene.Color{red, 0, blue, 0, green, 0}}}
	s.Rects.Add(120, 10, 80, 10, red, 7)
	s.Rects.Add(120, 25, 40, 10, green, 8)
	s.Rects.Add(120, 40, 1e9, 10, blue, scene.NoName)
	s.Rects.Match = []uint8{scene.MatchNone, scene.MatchSelf, scene.MatchNone}
	s.Lines.Add(20, 80, 110, 80, 1, black)
	s.Lines.Add(20, 80, 20, 84, 1, black)
	s.Lines.Add(120, 80, 200, 80, 2, red)
	s.Texts = []scene.Text{{X: 65, Y: 96, Text: "Bytecode: 0 to 3 k", Size: 11, Anchor: scene.Middle, Color: black}}
	s.Plots = []scene.Plot{{X: 20, Y: 10, W: 90, H: 60}}
	s.Legend = &scene.Legend{Title: "Groups", Entries: []scene.LegendEntry{{Label: "i < o", Color: red, Share: 0.25}, {Label: "gui", Color: green}}}
	return s
}

func tabular() *scene.Scene {
	s := &scene.Scene{Width: 240, Height: 120, Background: scene.RGB(255, 255, 255)}
	s.Table = &scene.Table{
		Columns: []scene.TableColumn{{Title: "Method"}, {Title: "Size", Number: true}},
		First:   10, Total: 90,
		Rows: []scene.TableRow{
			{Cells: []string{"org.example.io.Reader.readWhateverThereIs", "1,234"}, ID: 1, Color: red, Share: 1},
			{Cells: []string{"<init>", "1,000"}, ID: 2, Share: 0.8, Selected: true},
			{Cells: []string{"main"}, ID: 3, Share: math.NaN()},
			{Cells: []string{"last", "1", "one too many"}, ID: 4, Share: 7},
			{Cells: []string{"does not fit", "0"}, ID: 5},
		},
	}
	return s
}

func TestPlotsGolden(t *testing.T) {
	for name, s := range map[string]*scene.Scene{"plots": plotted(), "table": tabular()} {
		golden := "testdata/" + name + ".svg"
		got := write(t, s)
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
			t.Errorf("differs from %s (go test -update writes it):\n%s", golden, got)
		}
	}
}

// TestRasterIsTheImage reads the image back.
func TestRasterIsTheImage(t *testing.T) {
	_, data, _ := strings.Cut(write(t, plotted()), "base64,")
	data, _, _ = strings.Cut(data, `"`)
	content, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, a := img.At(x, y).RGBA()
			got += map[[4]uint32]string{{200 * 257, 0, 0, 0xffff}: "r", {0, 160 * 257, 0, 0xffff}: "g", {0, 0, 200 * 257, 0xffff}: "b", {}: "."}[[4]uint32{r, g, b, a}]
		}
		got += "\n"
	}
	if want := "r.b\n.g.\n"; got != want {
		t.Errorf("the image is\n%swant\n%s", got, want)
	}
}

func TestUnusableNumbersOfPlots(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
		s := plotted()
		s.Rasters[0].X = v
		s.Rasters = append(s.Rasters, scene.Raster{W: v, H: 1, Columns: 1, Rows: 1, Pixels: []scene.Color{red}},
			scene.Raster{W: 1, H: 1, Columns: math.MaxInt, Rows: math.MaxInt, Pixels: []scene.Color{red}},
			scene.Raster{W: 1, H: 1, Columns: -1, Rows: -1, Pixels: []scene.Color{red}})
		s.Rects.X[0], s.Rects.W[1], s.Rects.H[2] = v, v, v
		s.Lines.X0[0], s.Lines.Y1[1], s.Lines.Width[2] = v, v, v
		s.Plots[0].X = v
		s.Table = tabular().Table
		s.Table.Rows[0].Share = v
		doc := write(t, s)
		parse(t, doc)
		if strings.Contains(doc, "NaN") || strings.Contains(doc, "Inf") || strings.Contains(doc, "00000000000") {
			t.Errorf("%v was written:\n%s", v, doc)
		}
	}
}
