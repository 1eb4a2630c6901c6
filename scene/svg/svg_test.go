package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

var update = flag.Bool("update", false, "write the golden file")

func add(s *scene.Scene, kind scene.SectorKind, id uint32, r0, r1, a0, a1 float64, fill scene.Color, name string, match uint8) {
	c := &s.Sectors
	c.Kind, c.ID = append(c.Kind, kind), append(c.ID, id)
	c.R0, c.R1, c.A0, c.A1 = append(c.R0, r0), append(c.R1, r1), append(c.A0, a0), append(c.A1, a1)
	c.Fill, c.Ink = append(c.Fill, fill), append(c.Ink, scene.InkOn(fill))
	c.Self, c.Total, c.Count = append(c.Self, 1), append(c.Total, 2), append(c.Count, 3)
	c.Match = append(c.Match, match)
	c.Label = append(c.Label, kind == scene.Segment && r0 > 0 && r1-r0 > 12)
	if name == "" {
		c.Name = append(c.Name, scene.NoName)
		return
	}
	c.Name = append(c.Name, uint32(len(c.Names)))
	c.Names, c.ShortNames = append(c.Names, name), append(c.ShortNames, name)
}

func small() *scene.Scene {
	s := &scene.Scene{Width: 400, Height: 300, Background: scene.RGB(255, 255, 255), Drawn: 5, TooSmall: 1234, Notes: []string{"A < B."}}
	s.Sectors.CX, s.Sectors.CY = 200, 150
	add(s, scene.Segment, 0, 0, 40, 0, 2*math.Pi, scene.RGB(220, 220, 220), "", 0)
	add(s, scene.Segment, 1, 40, 80, 0, 2*math.Pi, scene.RGB(200, 100, 100), "com.example.Main.main", 0)
	add(s, scene.Segment, 2, 80, 110, 0, 4, scene.RGB(100, 200, 100), "com.example.Worker.run", 1)
	add(s, scene.Segment, 3, 80, 110, 4, 6, scene.RGB(100, 100, 200), "com.example.Parser.parse", 0)
	add(s, scene.Mark, 1, 80, 110, 6, 6.1, scene.RGB(221, 222, 226), "", 2)
	add(s, scene.Segment, 5, 110, 130, 1, 1.01, scene.RGB(10, 20, 30), "thin", 0)
	s.Texts = []scene.Text{{X: 200, Y: 20, Text: "Title & more", Size: 14, Anchor: scene.Middle, MaxWidth: 200, Bold: true, Color: scene.RGB(0, 0, 0)}}
	s.Legend = &scene.Legend{Title: "Packages", Entries: []scene.LegendEntry{{Label: "com.example", Color: scene.RGB(200, 100, 100), Share: 0.5}}}
	return s
}

func write(t *testing.T, s *scene.Scene) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type element struct {
	name string
	attr map[string]string
	text string
}

// parse decodes all of a document, strictly.
func parse(t *testing.T, doc string) (all []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(doc))
	var open []int
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		}
	}
}

func TestGolden(t *testing.T) {
	const golden = "testdata/small.svg"
	got := write(t, small())
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
	if m := regexp.MustCompile(`\.\d{3}`).FindString(got); m != "" {
		t.Errorf("a number has more than two decimals: %s", m)
	}
}

func TestHostileNamesStayText(t *testing.T) {
	const hostile = "</title><script>alert(1)</script>\"'&]]>\x00\x1b\x07\xff\xfe\uffff\u202eend"
	s := small()
	for i := range s.Sectors.Names {
		s.Sectors.Names[i], s.Sectors.ShortNames[i] = hostile, hostile
	}
	s.Texts[0].Text, s.Texts[0].MaxWidth = hostile, 0
	s.Notes = []string{hostile}
	s.Legend.Title, s.Legend.Entries[0].Label = hostile, hostile
	s.Legend.Ramp, s.Legend.RampLow, s.Legend.RampHigh = []scene.Color{1, 2}, hostile, hostile
	const want = "</title><script>alert(1)</script>\"'&]]>end"
	titles := 0
	for _, e := range parse(t, write(t, s)) {
		switch e.name {
		case "svg", "g", "rect", "path", "text", "textPath":
		case "title":
			titles++
			if e.text != want && !strings.HasSuffix(e.text, "too small to draw") {
				t.Errorf("title is %q", e.text)
			}
		default:
			t.Errorf("there is an element %q", e.name)
		}
		for a := range e.attr {
			if strings.HasPrefix(a, "on") {
				t.Errorf("there is an attribute %q", a)
			}
		}
	}
	if titles != 5 {
		t.Errorf("%d titles", titles)
	}
}

var command = regexp.MustCompile(`[MLAZ][^MLAZ]*`)

// TestPathsAreTheSectors reads the paths back.
func TestPathsAreTheSectors(t *testing.T) {
	s := small()
	sec := &s.Sectors
	sec.Match = nil // or what was found would come last
	var paths []element
	for _, e := range parse(t, write(t, s)) {
		if e.attr["data-id"] != "" || e.attr["data-parent"] != "" {
			paths = append(paths, e)
		}
	}
	if len(paths) != sec.Len() {
		t.Fatalf("%d paths for %d sectors", len(paths), sec.Len())
	}
	for i, e := range paths {
		if id := e.attr["data-id"] + e.attr["data-parent"]; id != strconv.Itoa(int(sec.ID[i])) {
			t.Errorf("path %d has id %s", i, id)
		}
		type step struct {
			op           byte
			r, a, radius float64
			large, sweep bool
		}
		var steps []step
		for _, c := range command.FindAllString(e.attr["d"], -1) {
			var n []float64
			for _, f := range strings.Fields(c[1:]) {
				x, err := strconv.ParseFloat(f, 64)
				if err != nil {
					t.Fatal(err)
				}
				n = append(n, x)
			}
			st := step{op: c[0]}
			if k := len(n); k >= 2 {
				x, y := n[k-2]-sec.CX, n[k-1]-sec.CY
				st.r, st.a = math.Hypot(x, y), math.Mod(math.Atan2(x, -y)+2*math.Pi, 2*math.Pi)
			}
			if c[0] == 'A' {
				st.radius, st.large, st.sweep = n[0], n[3] == 1, n[4] == 1
				if n[0] != n[1] || math.Abs(st.r-n[0]) > 0.01 {
					t.Errorf("path %d: arc of radius %v ends at radius %v", i, n[0], st.r)
				}
			}
			steps = append(steps, st)
		}
		near := func(got step, r, a float64) {
			t.Helper()
			d := math.Abs(math.Mod(got.a-a+3*math.Pi, 2*math.Pi) - math.Pi)
			if math.Abs(got.r-r) > 0.01 || d*r > 0.02 {
				t.Errorf("path %d: point at radius %v, angle %v; want %v, %v", i, got.r, got.a, r, a)
			}
		}
		if sec.A1[i]-sec.A0[i] >= 2*math.Pi-1e-9 {
			want := 4
			if sec.R0[i] > 0 {
				want = 8
				near(steps[5], sec.R0[i], math.Pi)
			}
			if len(steps) != want {
				t.Fatalf("path %d has %d steps: %s", i, len(steps), e.attr["d"])
			}
			near(steps[1], sec.R1[i], math.Pi)
			near(steps[2], sec.R1[i], 0)
			continue
		}
		if len(steps) != 5 {
			t.Fatalf("path %d has %d steps: %s", i, len(steps), e.attr["d"])
		}
		near(steps[0], sec.R1[i], sec.A0[i])
		near(steps[1], sec.R1[i], sec.A1[i])
		near(steps[2], sec.R0[i], sec.A1[i])
		near(steps[3], sec.R0[i], sec.A0[i])
		large := sec.A1[i]-sec.A0[i] > math.Pi
		if steps[1].large != large || steps[3].large != large || !steps[1].sweep || steps[3].sweep {
			t.Errorf("path %d: wrong way round: %s", i, e.attr["d"])
		}
	}
}

func TestMatch(t *testing.T) {
	doc := write(t, small())
	if !strings.Contains(doc, `data-id="2" fill="#64c864" d=`) {
		t.Error("what was found is not drawn in its colour")
	}
	if !strings.Contains(doc, `data-id="3" fill="#6464c8" fill-opacity="0.3`) {
		t.Error("what was not found is not faded")
	}
	_, found, _ := strings.Cut(doc, `<g class="found"`)
	found, _, _ = strings.Cut(found, "</g>")
	if n := strings.Count(found, "<path"); n != 2 {
		t.Errorf("%d outlines, want 2", n)
	}
	s := small()
	s.Sectors.Match = nil
	if doc := write(t, s); strings.Contains(doc, `class="found"`) || strings.Contains(doc, `data-id="3" fill="#6464c8" fill-opacity`) {
		t.Error("without a search there are traces of one")
	}
}

func TestUnusableNumbers(t *testing.T) {
	for _, w := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if Write(io.Discard, &scene.Scene{Width: w, Height: 10}) == nil {
			t.Errorf("no error for width %v", w)
		}
	}
	s := small()
	s.Sectors.A0[2], s.Sectors.R1[3] = math.NaN(), math.Inf(1)
	s.Texts[0].X = math.NaN()
	if doc := write(t, s); strings.Contains(doc, "NaN") || strings.Contains(doc, "Inf") {
		t.Error("numbers that are none were written")
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorOfTheWriter(t *testing.T) {
	if err := Write(full{}, small()); !errors.Is(err, errFull) {
		t.Errorf("error is %v", err)
	}
}

func TestRadialLabels(t *testing.T) {
	s := &scene.Scene{Width: 400, Height: 400}
	s.Sectors.CX, s.Sectors.CY = 200, 200
	add(s, scene.Segment, 1, 60, 190, 0.5, 0.66, scene.RGB(200, 200, 200), "on.the<Right>", 0)
	add(s, scene.Segment, 2, 60, 190, 4.5, 4.66, scene.RGB(200, 200, 200), "on.the.Left", 0)
	s.Sectors.Match = nil
	anchors := map[string]string{}
	for _, e := range parse(t, write(t, s)) {
		if e.name == "text" && strings.Contains(e.attr["transform"], "rotate") {
			anchors[e.text] = e.attr["text-anchor"]
		}
	}
	if len(anchors) != 2 || anchors["on.the<Right>"] != "end" || anchors["on.the.Left"] != "start" {
		t.Errorf("radial labels are %v", anchors)
	}
}
