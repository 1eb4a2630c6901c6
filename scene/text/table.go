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
	tableStep   = 12 // to the right for each layer of a tree

	deepestIndent = 24 // layers

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
		title := column.Title
		switch column.Sorted {
		case scene.Falling:
			title += " \u2193"
		case scene.Rising:
			title += " \u2191"
		}
		cell(c, tableHead-8, title, WithOpacity(ink, second), true)
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
		indent := indentOf(t, r)
		for c := range t.Columns {
			if c >= len(r.Cells) {
				continue
			}
			if c == 0 && indent > 0 {
				d.branch(r, x[0]+indent-tableStep, y, widths[0]-indent, ink)
				x[0], widths[0] = x[0]+indent, widths[0]-indent
			}
			if r.Match == scene.MatchSelf && c == 0 {
				d.fill(x[c], y+tableRow-5, min(Measure(Clean(head(r.Cells[c])), tableSize), max(widths[c], 0)), Outline, ink)
			}
			cell(c, y+tableRow-8, r.Cells[c], ink, false)
			if c == 0 && indent > 0 {
				x[0], widths[0] = x[0]-indent, widths[0]+indent
			}
		}
	}
	return d
}

// indentOf is how far the first cell of a row of a tree is moved to the right,
// with the room for the sign before it. Beyond some layers it is not moved
// further: there must be room for the name.
func indentOf(t *scene.Table, r scene.TableRow) float64 {
	if !t.Tree {
		return 0
	}
	return float64(min(r.Depth, deepestIndent)+1) * tableStep
}

// branch draws the sign before a row that can be opened: a plus, or a minus if
// it is open.
func (d *Sheet) branch(r scene.TableRow, x, y, room float64, ink scene.Color) {
	const arm = 3
	if !r.Expandable || room < 1 {
		return
	}
	middle := y + tableRow/2
	d.fill(x, middle-0.5, 2*arm+1, 1, WithOpacity(ink, second))
	if !r.Expanded {
		d.fill(x+arm, middle-0.5-arm, 1, 2*arm+1, WithOpacity(ink, second))
	}
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
		if column.Sorted != scene.Unsorted {
			need += tableSize // for the arrow
		}
		for _, r := range rows {
			if c < len(r.Cells) {
				// What is measured is bounded, as a cell may be as long as a file.
				wanted := Measure(Clean(head(r.Cells[c])), tableSize)
				if c == 0 {
					wanted += indentOf(t, r)
				}
				need = max(need, wanted)
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
