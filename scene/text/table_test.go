package text

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/scene"
)

// written gives the text of a sheet, a line per row.
func written(d Sheet) string {
	var b strings.Builder
	y := math.NaN()
	for _, l := range d.Lines {
		if l.Y != y {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			y = l.Y
		} else {
			b.WriteString(" | ")
		}
		b.WriteString(Line(l))
	}
	return b.String()
}

func table(width, height float64, rows ...string) *scene.Scene {
	s := &scene.Scene{Width: width, Height: height, Background: scene.RGB(255, 255, 255)}
	s.Table = &scene.Table{Columns: []scene.TableColumn{{Title: "Method"}, {Title: "Class"}, {Title: "Size", Number: true}}, Total: len(rows)}
	for i, r := range rows {
		s.Table.Rows = append(s.Table.Rows, scene.TableRow{Cells: strings.Split(r, " "), ID: uint32(i), Share: 1 / float64(i+1)})
	}
	return s
}

func TestTableShowsTheRowsThatFit(t *testing.T) {
	rows := []string{"org.example.Main.main Main 1,234", "f Other 99", "g Other 1", "h Other 0"}
	if got, want := written(TableOf(table(500, 24+3*24+5, rows...))), "Method | Class | Size\norg.example.Main.main | Main | 1,234\nf | Other | 99\ng | Other | 1"; got != want {
		t.Errorf("it says\n%s", got)
	}
	if got, want := written(TableOf(table(200, 60, rows...))), "Method | Class | Size\norg…Main.main | Main | 1,234"; got != want {
		t.Errorf("in a narrow picture it says\n%s", got)
	}
	for _, size := range [][2]float64{{10, 100}, {100, 20}, {0, 0}} {
		if d := TableOf(table(size[0], size[1], rows...)); len(d.Lines) != 0 || len(d.Swatches) != 0 {
			t.Errorf("into %v it is drawn", size)
		}
	}
}

func TestFooterOfATableSaysWhichRows(t *testing.T) {
	s := table(500, 24+2*24, "a A 1", "b B 1", "c C 1")
	s.Drawn, s.Table.First, s.Table.Total = 3, 1000, 2500
	if got := FooterText(s); got != "Rows 1,001 to 1,002 of 2,500." {
		t.Errorf("it says %q", got)
	}
}

func TestCellsStayInTheirColumns(t *testing.T) {
	for _, width := range []float64{60, 130, 240, 900} {
		s := table(width, 300, "org.example.a.very.long.Name.of.a.method an.equally.long.Class 9,223,372,036,854,775,807", "漢字漢字漢字漢字漢字漢字漢字漢字 \x00\xff 1")
		s.Table.Rows[0].Color = scene.RGB(255, 0, 0)
		d := TableOf(s)
		x, widths := tableColumns(s.Table, s.Table.Rows, tableMargin+tableSwatch+6, width-tableMargin)
		for _, l := range d.Lines {
			left := l.X
			if l.Anchor == scene.End {
				left -= FaceOf(l.Bold).Measure(Line(l), l.Size)
			}
			right := left + FaceOf(l.Bold).Measure(Line(l), l.Size)
			within := false
			for c := range x {
				within = within || left >= x[c]-0.01 && right <= x[c]+widths[c]+0.01
			}
			if !within {
				t.Errorf("%g wide: %q is from %g to %g, columns are %v, %v wide", width, Line(l), left, right, x, widths)
			}
		}
		if last := len(x) - 1; x[last]+widths[last] > width-tableMargin+0.01 && width > 100 {
			t.Errorf("%g wide: the last column ends at %g", width, x[last]+widths[last])
		}
	}
}

func TestLegendBelowFlows(t *testing.T) {
	s := &scene.Scene{Width: 300, Height: 200, Background: scene.RGB(255, 255, 255), Plots: []scene.Plot{{}}, Notes: []string{"A sentence."}}
	if h := Height(&scene.Scene{Width: 300, Height: 200, Plots: s.Plots}); h != 200 {
		t.Errorf("without anything below, the height is %g", h)
	}
	s.Legend = &scene.Legend{Title: "Groups"}
	for i := range 12 {
		s.Legend.Entries = append(s.Legend.Entries, scene.LegendEntry{Label: fmt.Sprint("group number ", i), Share: 0.5})
	}
	s.Legend.Entries[3].Label = strings.Repeat("long ", 50)
	c := CornerOf(s)
	if len(c.Swatches) != 12 {
		t.Errorf("%d swatches", len(c.Swatches))
	}
	last := c.Lines[len(c.Lines)-1]
	if last.Text != "A sentence." || last.Y > Height(s) {
		t.Errorf("last comes %q at %g of %g", last.Text, last.Y, Height(s))
	}
	for i, l := range c.Lines {
		if right := l.X + FaceOf(l.Bold).Measure(Line(l), l.Size); right > 290+1 || l.Y < 200 {
			t.Errorf("%q ends at %g, %g", l.Text, right, l.Y)
		}
		if i > 0 && l.Y == c.Lines[i-1].Y && l.X < c.Lines[i-1].X+Measure(c.Lines[i-1].Text, cornerSize) {
			t.Errorf("%q begins at %g, in the middle of another", l.Text, l.X)
		}
	}
	s.Legend = &scene.Legend{Title: "count", Ramp: make([]scene.Color, 9), RampLow: "1", RampHigh: "12 k"}
	c = CornerOf(s)
	var texts []string
	for _, l := range c.Lines {
		texts = append(texts, l.Text)
	}
	if got := strings.Join(texts, " | "); got != "count | 1 | 12 k | A sentence." || len(c.Swatches) != 9 {
		t.Errorf("the scale says %q with %d colours", got, len(c.Swatches))
	}
}
