package ring

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

var red, green = scene.RGB(200, 0, 0), scene.RGB(0, 160, 0)

// marked lists the methods of the segments with a colour, or with a match.
func marked(s *scene.Scene, holds func(i int) bool) string {
	var names []string
	for i := range s.Sectors.Len() {
		if s.Sectors.Kind[i] == scene.Segment && holds(i) && s.Sectors.Name[i] != scene.NoName {
			names = append(names, s.Sectors.Names[s.Sectors.Name[i]])
		}
	}
	return strings.Join(names, " ")
}

func TestGroupsColourContexts(t *testing.T) {
	w := drawn(t, "a.b.C.m()V 1000\n  d.e.F.n()V 5000\n    a.b.C.m()V 3000\n  d.e.G.o()V 3999\n")
	r := request(Length, "", "")
	r.Groups = []viz.Group{
		{Name: "gone", Color: scene.RGB(1, 2, 3), Filter: `Method endsWith "m()V"`, Hidden: true},
		{Name: "n", Color: red, Filter: `Context == "a.b.C.m()V → d.e.F.n()V"`}, // with what it calls
		{Name: "all m", Color: green, Filter: `Method == "a.b.C.m()V"`},
	}
	for _, color := range []string{"package", "method"} {
		r.Params["color"] = color
		s := take(t, w, r).s
		for c, want := range map[scene.Color]string{red: "d.e.F.n()V a.b.C.m()V", green: "a.b.C.m()V", r.Groups[0].Color: ""} {
			if got := marked(s, func(i int) bool { return s.Sectors.Fill[i] == c }); got != want {
				t.Errorf("by %s, %s are %s, want %s", color, c.Hex(), got, want)
			}
		}
		var legend []string
		for _, e := range s.Legend.Entries {
			legend = append(legend, e.Label)
		}
		want := "Groups [n all m]"
		if color == "package" {
			want = "Groups. Packages with most of their own m0 here [n all m d.e a.b]"
		}
		if got := fmt.Sprint(s.Legend.Title, " ", legend); got != want {
			t.Errorf("by %s, the legend is %s", color, got)
		}
	}
	// Where contexts are merged, the colour is that of the first of them.
	r.Look.Steps = "bymethod"
	s := take(t, w, r).s
	if got := marked(s, func(i int) bool { return s.Sectors.Fill[i] == green }); got != "a.b.C.m()V" {
		t.Errorf("by method, green are %s", got)
	}
}

func TestSelectedContextsAreMarked(t *testing.T) {
	w := drawn(t, "a.b.C.m()V 1000\n  d.e.F.n()V 5000\n    a.b.C.m()V 3000\n  d.e.G.o()V 3999\n")
	for _, c := range []struct{ selection, steps, search, want string }{
		{"", "", "", "none"},
		{`Context == "a.b.C.m()V → d.e.F.n()V"`, "", "", "d.e.F.n()V a.b.C.m()V"},
		{`Method == "a.b.C.m()V"`, "", "", "a.b.C.m()V a.b.C.m()V"},
		{`Method == "d.e.G.o()V"`, "bymethod", "", "d.e.G.o()V"},
		{`Method == "nobody"`, "", "", ""},
		// A search is asked for now, and comes before what was selected some time ago.
		{`Method == "d.e.G.o()V"`, "", "F.n", "d.e.F.n()V"},
	} {
		r := request(Length, c.steps, "")
		r.Selection, r.Highlight = c.selection, c.search
		s := take(t, w, r).s
		got := "none"
		if s.Sectors.Match != nil {
			got = marked(s, func(i int) bool { return s.Sectors.Match[i] == scene.MatchSelf })
		}
		if got != c.want {
			t.Errorf("%+v: marked are %s", c, got)
		}
	}
	r := request(Length, "", "")
	r.Selection = `Mthod == "x"`
	if _, _, err := w.Scene(context.Background(), r); err == nil || !strings.Contains(err.Error(), "selection: ") {
		t.Errorf("the error is %v", err)
	}
}

// What many contexts need is found once.
func BenchmarkGroups(b *testing.B) {
	var text strings.Builder
	text.WriteString("main 1\n")
	for i := range 200_000 {
		fmt.Fprintf(&text, "  m%d 1\n    n%d 1\n", i, i%1000)
	}
	w := drawn(b, text.String())
	r := request(Length, "", "")
	r.Groups = []viz.Group{{Name: "n", Color: red, Filter: `Method startsWith "n1"`}}
	for b.Loop() {
		if _, _, err := w.Scene(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}
