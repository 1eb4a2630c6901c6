package text

import (
	"math"

	"github.com/cambium-prof/cambium/scene"
)

// Sheet is a table as it is drawn: rectangles first, then text.
type Sheet struct {
	Swatches []Swatch
	Lines    []scene.Text
}

const (
	tableHead   = 24 // height of the header
	tableRow    = 24 // as charts count them
	tableSize   = 12 // of letters
	tableMargin = 8  // left and right of the table
	tableGap    = 16 // between columns
	tableSwatch = 10 // of the colour group, before the first column

	barOpacity = 0.16
	ruleTone   = 0.3 // opacity of the line under the header
)

// TableOf lays out a table: its header, and the rows that fit the picture.
// The bar behind a row is in the colour of its group; what is selected has a
// frame.
func TableOf(s *scene.Scene) Sheet {
	var d Sheet
	t, rows := s.Table, rowsOf(s)
	if t == nil || len(t.Columns) == 0 || !(s.Width > 2*tableMargin) || !(s.Height > tableHead) {
		return d
	}
	ink, room := Ink(s), s.Width-2*tableMargin
	left := float64(tableMargin)
	for _, r := range rows {
		if r.Color != 0 {
			left += tableSwatch + 6
			break
		}
	}
	x, widths := tableColumns(t, rows, left, s.Width-tableMargin)

	cell := func(column int, y float64, text string, color scene.Color, bold bool) {
		if widths[column] < 1 {
			return
		}
		line := scene.Text{X: x[column], Y: y, Text: text, Color: color, Size: tableSize, MaxWidth: widths[column], Bold: bold}
		if t.Columns[column].Number {
			line.X, line.Anchor = x[column]+widths[column], scene.End
		}
		if Line(line) != "" {
			d.Lines = append(d.Lines, line)
		}
	}
	for c, column := range t.Columns {
		cell(c, tableHead-8, column.Title, WithOpacity(ink, second), true)
	}
	d.fill(tableMargin, tableHead-1, room, 1, WithOpacity(ink, ruleTone))
	for i, r := range rows {
		y := tableHead + float64(i)*tableRow
		bar := ink
		if r.Color != 0 {
			bar = r.Color
		}
		if r.Share > 0 {
			d.fill(tableMargin, y+1, room*min(r.Share, 1), tableRow-2, WithOpacity(bar, barOpacity))
		}
		if r.Color != 0 {
			d.fill(tableMargin, y+(tableRow-tableSwatch)/2, tableSwatch, tableSwatch, r.Color)
		}
		if r.Selected {
			d.frame(tableMargin-Outline, y, room+2*Outline, tableRow, ink)
		}
		for c := range t.Columns {
			if c < len(r.Cells) {
				cell(c, y+tableRow-8, r.Cells[c], ink, false)
			}
		}
	}
	return d
}

// rowsOf gives the rows of a table that fit the picture.
func rowsOf(s *scene.Scene) []scene.TableRow {
	if s.Table == nil || !(s.Height > tableHead) {
		return nil
	}
	fit := int(min((s.Height-tableHead)/tableRow, 1e5))
	return s.Table.Rows[:min(len(s.Table.Rows), fit)]
}

func (d *Sheet) fill(x, y, w, h float64, c scene.Color) {
	d.Swatches = append(d.Swatches, Swatch{x, y, w, h, c})
}

func (d *Sheet) frame(x, y, w, h float64, c scene.Color) {
	d.fill(x, y, w, Outline, c)
	d.fill(x, y+h-Outline, w, Outline, c)
	d.fill(x, y+Outline, Outline, h-2*Outline, c)
	d.fill(x+w-Outline, y+Outline, Outline, h-2*Outline, c)
}

// tableColumns gives every column its place. Each gets what its content needs;
// if that is too much, what needs more than its part shares what the others
// leave, and if it is less, the first text column gets the rest.
func tableColumns(t *scene.Table, rows []scene.TableRow, left, right float64) (x, widths []float64) {
	n := len(t.Columns)
	x, widths = make([]float64, n), make([]float64, n)
	room := max(right-left-tableGap*float64(n-1), 0)
	sum, wide := 0.0, 0
	for c, column := range t.Columns {
		need := Bold.Measure(Clean(column.Title), tableSize)
		for _, r := range rows {
			if c < len(r.Cells) {
				// What is measured is bounded, as a cell may be as long as a file.
				need = max(need, Measure(Clean(head(r.Cells[c])), tableSize))
			}
		}
		widths[c] = math.Ceil(need) + 1
		sum += widths[c]
		if t.Columns[wide].Number && !column.Number {
			wide = c
		}
	}
	if sum <= room {
		widths[wide] += room - sum
	} else {
		level(widths, room)
	}
	at := left
	for c := range n {
		x[c] = at
		at += widths[c] + tableGap
	}
	return x, widths
}

// head is as much of a text as can matter for its width.
func head(s string) string {
	const most = 1000
	if len(s) <= most {
		return s
	}
	return s[:most]
}

// level cuts the widest so that the sum is room.
func level(widths []float64, room float64) {
	low, high := 0.0, room
	for range 40 {
		limit := (low + high) / 2
		sum := 0.0
		for _, w := range widths {
			sum += min(w, limit)
		}
		if sum > room {
			high = limit
		} else {
			low = limit
		}
	}
	for i := range widths {
		widths[i] = min(widths[i], low)
	}
}
