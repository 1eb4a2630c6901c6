package text

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/scene"
)

// Swatch is a rectangle of one colour.
type Swatch struct {
	X, Y, Width, Height float64
	Color               scene.Color
}

// Corner is what stands in the bottom left corner of a picture, or below one
// that has no free corner: the legend, and below it the footer.
type Corner struct {
	Swatches []Swatch
	Lines    []scene.Text
}

const (
	cornerMargin = 10
	cornerSize   = 11   // of letters
	cornerRow    = 16   // height of a row
	cornerLeast  = 140  // the least width of a row, even if it lies on the chart then
	plate        = 0.85 // opacity of the background below rows that lie on the chart
	swatchSize   = 10
	rampWidth    = 180

	footerRows = 6 // at most

	// Smaller pictures have no corner: it would hide the chart.
	tooSmallForCorner = 160
)

// CornerOf lays out the corner. Rows end where the chart begins at their
// height.
func CornerOf(s *scene.Scene) Corner {
	if fills(s) {
		if Height(s) == s.Height {
			return Corner{}
		}
		return belowOf(s).Corner
	}
	c := corner{scene: s, ink: Ink(s), bottom: s.Height - cornerMargin, radius: radius(&s.Sectors)}
	if s.Width < tooSmallForCorner || s.Height < tooSmallForCorner {
		return c.Corner
	}
	c.footer()
	if s.Legend != nil {
		c.legend(s.Legend)
	}
	slices.Reverse(c.Lines) // to be read from the top down
	return c.Corner
}

type corner struct {
	Corner
	scene  *scene.Scene
	ink    scene.Color
	bottom float64 // of the next row; rows are laid from the bottom up
	radius float64 // of the chart
}

func radius(s *scene.Sectors) float64 {
	r := 0.0
	for i := range s.Len() {
		if CanDraw(s, i) {
			r = max(r, s.R1[i])
		}
	}
	return r
}

// room is the width left of the chart for a row whose bottom is at y.
func (c *corner) room(y float64) float64 {
	edge := c.scene.Width - cornerMargin
	if c.radius > 0 {
		// The point of the row that is nearest to the height of the centre.
		cy := c.scene.Sectors.CY
		near := min(max(cy, y-cornerRow), y)
		if d := near - cy; math.Abs(d) < c.radius {
			edge = min(edge, c.scene.Sectors.CX-math.Sqrt(c.radius*c.radius-d*d)-cornerMargin)
		}
	}
	return edge - cornerMargin
}

// width is the width that a row is given whose bottom is at y.
func (c *corner) width(y float64) float64 {
	return min(max(c.room(y), cornerLeast), c.scene.Width-2*cornerMargin)
}

// line puts text into the row above the last one, indented.
func (c *corner) line(text string, indent float64, color scene.Color, bold bool) {
	width := c.width(c.bottom) - indent
	text = FaceOf(bold).Shorten(text, width, cornerSize)
	if used := indent + FaceOf(bold).Measure(text, cornerSize); used > c.room(c.bottom) {
		c.Swatches = append(c.Swatches, Swatch{cornerMargin - 4, c.bottom - cornerRow, used + 8, cornerRow, WithOpacity(c.scene.Background, plate)})
	}
	c.Lines = append(c.Lines, scene.Text{
		X: cornerMargin + indent, Y: c.bottom - 4, Text: text,
		Color: color, Size: cornerSize, MaxWidth: width + 1, Bold: bold,
	})
}

func (c *corner) footer() {
	words := fields(FooterText(c.scene))
	if len(words) == 0 {
		return
	}
	// The more rows there are, the higher the first one is, and the narrower.
	var lines []string
	for n := 1; n <= footerRows; n++ {
		var all bool
		if lines, all = c.wrap(words, n); all {
			break
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		c.line(lines[i], 0, WithOpacity(c.ink, second), false)
		c.bottom -= cornerRow
	}
}

// fields splits at blanks, but not at those that keep numbers and units together.
func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' })
}

// wrap breaks words into at most n lines that end at the bottom, and tells
// whether they all fit. The rest is in the last line, to be shortened.
func (c *corner) wrap(words []string, n int) (lines []string, all bool) {
	for i := range n {
		width := c.width(c.bottom - float64(n-1-i)*cornerRow)
		used := 0.0
		k := 0
		for k < len(words) {
			w := Measure(words[k], cornerSize)
			if k > 0 {
				w += Measure(" ", cornerSize)
			}
			if k > 0 && used+w > width {
				break
			}
			used += w
			k++
		}
		if k < len(words) && i == n-1 {
			return append(lines, strings.Join(words, " ")), false
		}
		lines = append(lines, strings.Join(words[:k], " "))
		words = words[k:]
		if len(words) == 0 {
			break
		}
	}
	return lines, true
}

// FooterText says how much of everything the picture shows, and its notes.
func FooterText(s *scene.Scene) string {
	var parts []string
	count := func(n int64, what string) {
		if n != 0 {
			parts = append(parts, grouped(n)+" "+what)
		}
	}
	if rows := len(rowsOf(s)); rows > 0 {
		first := int64(s.Table.First)
		parts = append(parts, "Rows "+grouped(first+1)+" to "+grouped(first+int64(rows))+" of "+grouped(int64(s.Table.Total)))
	} else if s.Drawn != 0 || s.TooSmall != 0 || s.Deeper != 0 {
		parts = append(parts, grouped(s.Drawn)+" drawn")
	}
	count(s.TooSmall, "too small to draw")
	count(s.Deeper, "deeper than shown")
	text := strings.Join(parts, ", ")
	if text != "" {
		text += "."
	}
	for _, note := range s.Notes {
		if note = Clean(note); note != "" {
			text += " " + note
		}
	}
	return strings.TrimSpace(text)
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

func (c *corner) legend(l *scene.Legend) {
	const indent = swatchSize + 6
	c.bottom -= 6
	if len(l.Ramp) > 0 {
		c.ramp(l)
	}
	for i := len(l.Entries) - 1; i >= 0; i-- {
		e := l.Entries[i]
		c.line(entryLabel(e, c.width(c.bottom)-indent), indent, c.ink, false)
		c.Swatches = append(c.Swatches, Swatch{cornerMargin, c.bottom - 13, swatchSize, swatchSize, e.Color})
		c.bottom -= cornerRow
	}
	if title := Clean(l.Title); title != "" {
		c.line(title, 0, c.ink, true)
		c.bottom -= cornerRow
	}
}

// entryLabel is the label of an entry with its share, which is kept whole.
func entryLabel(e scene.LegendEntry, room float64) string {
	label := Clean(e.Label)
	if e.Share > 0 {
		share := " " + strconv.FormatFloat(e.Share*100, 'f', 1, 64) + "%"
		label = Shorten(label, room-Measure(share, cornerSize), cornerSize) + share
	}
	return label
}

// ramp lays a bar of the colours with what its ends mean below it.
func (c *corner) ramp(l *scene.Legend) {
	width := min(rampWidth, c.width(c.bottom-cornerRow))
	low, high := Clean(l.RampLow), Clean(l.RampHigh)
	quiet := WithOpacity(c.ink, second)
	for _, end := range []scene.Text{
		{X: cornerMargin + width, Text: high, Anchor: scene.End},
		{X: cornerMargin, Text: low, Anchor: scene.Start},
	} {
		if end.Text == "" {
			continue
		}
		end.Y, end.Color, end.Size, end.MaxWidth = c.bottom-4, quiet, cornerSize, width/2-4
		c.Lines = append(c.Lines, end)
	}
	if low != "" || high != "" {
		c.bottom -= cornerRow
	}
	n := float64(len(l.Ramp))
	for i, color := range l.Ramp {
		// Whole pixels, so that no seam shows.
		x0, x1 := math.Round(float64(i)*width/n), math.Round(float64(i+1)*width/n)
		c.Swatches = append(c.Swatches, Swatch{cornerMargin + x0, c.bottom - 13, x1 - x0, swatchSize, color})
	}
	c.bottom -= cornerRow
}
