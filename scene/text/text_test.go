package text

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cambium-prof/cambium/scene"
)

func TestShorten(t *testing.T) {
	const size = 10
	for _, c := range []struct{ name, room, want string }{
		{"org.eclipse.jdt.Foo.bar", "org.eclipse.jdt.Foo.bar", "org.eclipse.jdt.Foo.bar"},
		{"org.eclipse.jdt.Foo.bar", "or…jdt.Foo.bar", "or…jdt.Foo.bar"},
		{"org.eclipse.jdt.Foo.bar", "org…bar", "org…bar"},
		{"org.eclipse.jdt.Foo.bar", "…bar", "…bar"},
		{"ns::Class<a::b>::run(x.y, int)", "n…run(x.y, int)", "n…run(x.y, int)"},
		{"ns::Class<a::b>::run(x.y, int)", "run…", "run…"},
		{"aLongNameWithoutParts", "aLo…rts", "aLo…rts"},
		{"aLongNameWithoutParts", "…", ""},
		{"x", "", ""},
	} {
		if got := Shorten(c.name, Measure(c.room, size)+0.01, size); got != c.want {
			t.Errorf("Shorten(%q) into the room of %q = %q, want %q", c.name, c.room, got, c.want)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("org.eclipse.jdt.Foo.bar(int, x.y)", 50.0)
	f.Add("a::b<c::d>::(anonymous)", 20.0)
	f.Add("…..:/", 9.0)
	f.Fuzz(func(t *testing.T, s string, limit float64) {
		if !utf8.ValidString(s) {
			return
		}
		for _, face := range []*Face{Regular, Bold} {
			short := face.Shorten(s, limit, 11)
			if w := face.Measure(short, 11); w > max(limit, 0)+1e-6 {
				t.Errorf("%q is %v wide, more than %v", short, w, limit)
			}
			if short != s && short != "" && strings.Count(short, "…") < 1 {
				t.Errorf("%q became %q", s, short)
			}
		}
	})
}

func TestClean(t *testing.T) {
	got := Clean("a\x00b\x1b[31m\xff\xc3(\tc\u202ed\n\ufffe\U0001F600é</title>")
	if want := "ab[31m( cd \U0001F600é</title>"; got != want {
		t.Errorf("Clean = %q, want %q", got, want)
	}
}

func TestLabelsStayInTheirSectorsAndUpright(t *testing.T) {
	const n = 16
	s := &scene.Scene{Width: 400, Height: 400}
	sec := &s.Sectors
	sec.CX, sec.CY = 200, 200
	sec.ShortNames = []string{"com.example.Class.method"}
	for i := range n {
		sec.Kind, sec.ID = append(sec.Kind, scene.Segment), append(sec.ID, uint32(i))
		sec.R0, sec.R1 = append(sec.R0, 150), append(sec.R1, 170)
		sec.A0 = append(sec.A0, float64(i)*2*math.Pi/n)
		sec.A1 = append(sec.A1, float64(i+1)*2*math.Pi/n)
		sec.Fill, sec.Ink = append(sec.Fill, scene.RGB(200, 200, 200)), append(sec.Ink, 0xff)
		sec.Name, sec.Label = append(sec.Name, 0), append(sec.Label, true)
	}
	for i := range n {
		l, ok := LabelOf(s, i)
		if !ok {
			t.Fatalf("sector %d has no label", i)
		}
		if lower := i >= n/4 && i < n*3/4; l.Flipped != lower {
			t.Errorf("label %d (%q): flipped is %v", i, l.Text, l.Flipped)
		}
		if half := Measure(l.Text, l.Size) / 2 / l.Radius; l.Middle-half < sec.A0[i] || l.Middle+half > sec.A1[i] {
			t.Errorf("label %d is %v long at each side of %v", i, half, l.Middle)
		}
		if l.Radius <= 150 || l.Radius >= 170 {
			t.Errorf("label %d: baseline at %v", i, l.Radius)
		}
	}
}

func TestNarrowSegmentsOfWideRingsHaveRadialLabels(t *testing.T) {
	const n = 60
	s := &scene.Scene{Width: 800, Height: 800}
	sec := &s.Sectors
	sec.CX, sec.CY = 400, 400
	sec.ShortNames = []string{"Class.method"}
	for i := range n {
		sec.Kind, sec.ID = append(sec.Kind, scene.Segment), append(sec.ID, uint32(i))
		sec.R0, sec.R1 = append(sec.R0, 80), append(sec.R1, 390)
		sec.A0 = append(sec.A0, float64(i)*2*math.Pi/n)
		sec.A1 = append(sec.A1, float64(i+1)*2*math.Pi/n)
		sec.Fill, sec.Ink = append(sec.Fill, scene.RGB(200, 200, 200)), append(sec.Ink, 0xff)
		sec.Name, sec.Label = append(sec.Name, 0), append(sec.Label, true)
	}
	for i := range n {
		l, ok := LabelOf(s, i)
		if !ok || !l.Radial || l.Text != "Class.method" {
			t.Fatalf("sector %d has the label %+v", i, l)
		}
		if left := i >= n/2; l.Flipped != left {
			t.Errorf("label %d: flipped is %v", i, l.Flipped)
		}
		inner := l.Radius - Measure(l.Text, l.Size)
		if l.Radius > 390 || inner < 80 || inner*(2*math.Pi/n) < l.Size {
			t.Errorf("label %d goes from %g to %g, %g high", i, inner, l.Radius, l.Size)
		}
		// Upright: turned by no more than a quarter to either side.
		if _, _, turn := l.RadialBaseline(400, 400); math.Cos(turn) < -1e-9 {
			t.Errorf("label %d is turned by %g", i, turn)
		}
	}
	// Where the name fits along the arc it stays there.
	sec.A0[0], sec.A1[0] = 0, 1
	if l, ok := LabelOf(s, 0); !ok || l.Radial {
		t.Errorf("a wide segment has the label %+v", l)
	}
}

func TestCornerKeepsClearOfTheChart(t *testing.T) {
	s := &scene.Scene{Width: 900, Height: 600, Drawn: 12345, TooSmall: 7, Deeper: 1,
		Notes:  []string{strings.Repeat("A long note. ", 12)},
		Legend: &scene.Legend{Title: "Packages", Entries: make([]scene.LegendEntry, 8)}}
	s.Sectors = scene.Sectors{CX: 450, CY: 300, Kind: make([]scene.SectorKind, 1), ID: make([]uint32, 1),
		R0: []float64{0}, R1: []float64{294}, A0: []float64{0}, A1: []float64{2 * math.Pi}}
	for i := range s.Legend.Entries {
		s.Legend.Entries[i] = scene.LegendEntry{Label: "org.example.some.rather.long.package.name.of.all", Share: 0.123}
	}
	c := CornerOf(s)
	if len(c.Swatches) != 8 {
		t.Errorf("%d swatches", len(c.Swatches))
	}
	all := ""
	for _, l := range c.Lines {
		right := l.X + FaceOf(l.Bold).Measure(Line(l), l.Size)
		if d := math.Hypot(right-450, l.Y-300); d < 294 {
			t.Errorf("%q ends %v pixels inside the chart", Line(l), 294-d)
		}
		if l.Y > s.Height || l.Y < 0 {
			t.Errorf("%q is at %v", l.Text, l.Y)
		}
		all += Line(l) + "\n"
	}
	for _, want := range []string{"12,345 drawn, 7 too small to draw, 1 deeper than shown.", " 12.3%", "Packages"} {
		if !strings.Contains(strings.ReplaceAll(all, "\n", " "), want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
}
