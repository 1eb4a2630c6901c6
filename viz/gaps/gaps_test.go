package gaps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/viz"
)

// The second run sorts in another way: q in place of x and y.
const before = `
m-------------------------------
 f-------     s---------------
  g-- h-       l- x---x---c-
                  y-  y-
`

const after = `
m-------------------------------
 f-------     s---------------
  g-- h-       l- q--------- c-
`

func open(t *testing.T, a, b string) *viz.OpenChart {
	t.Helper()
	ctx := context.Background()
	var sides [2]*viz.Workspace
	for i, text := range []string{a, b} {
		var err error
		if sides[i], err = viz.NewWorkspace(ctx, sourcetest.Drawing(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := viz.NewComparison(ctx, match.Names{}, sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	charts, err := w.Charts(ctx, []viz.ChartSpec{{View: Name}}, viz.Shared{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return charts[0]
}

var view = viz.View{Viewport: viz.Viewport{Width: 400, Height: 300}}

// TestRows has what only one run did, the longest first, and a click lead to it
// and to what the other run did at that place.
func TestRows(t *testing.T) {
	c := open(t, before, after)
	s, err := c.Scene(view, viz.Shared{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i, row := range s.Table.Rows {
		y := float64(i+1)*rowHeight + 2
		picked, err := c.Pick(view, viz.Shared{}, scene.Box{X0: 1, Y0: y, X1: 2, Y1: y})
		if err != nil || picked.Filter != "" {
			t.Fatal(picked, err)
		}
		focus := func(p *viz.Period) string {
			if p == nil {
				return "–"
			}
			return fmt.Sprintf("%d..%d", p.From, p.To)
		}
		fmt.Fprintln(&text, strings.Join(row.Cells, " | "), "| A", focus(picked.Focus[0]), "| B", focus(picked.Focus[1]))
	}
	want := strings.TrimSpace(`
B  q | 1.00 µs | 1 | A 1000..3200 | B 1550..3050
B  no match from q on | 1.00 µs | 1 | A 1000..3200 | B 1550..3050
A  x | 800 ns | 2 | A 1700..2300 | B 1000..3200
A  no match from x on | 800 ns | 4 | A 1600..2800 | B 1000..3200
A  y | 400 ns | 2 | A 1750..2050 | B 1000..3200
`)
	if got := strings.ReplaceAll(strings.TrimSpace(text.String()), "\u00a0", " "); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if picked, err := c.Pick(view, viz.Shared{}, scene.Box{X0: 1, Y0: 3, X1: 2, Y1: 3}); err != nil || picked != (viz.Picked{}) {
		t.Errorf("the head selects %+v, %v", picked, err)
	}
	answer, err := c.Answer(viz.View{}, viz.Shared{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(answer); err != nil || !strings.HasPrefix(string(text), `[{"method":"q","gap":false,"trace":"b","time":1000,"calls":1,"first":6,"from":1800,"to":2800},`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestNothing(t *testing.T) {
	s, err := open(t, before, before).Scene(view, viz.Shared{})
	if err != nil || len(s.Table.Rows) > 0 || len(s.Notes) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
