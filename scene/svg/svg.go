// Package svg writes a scene as one self-contained SVG document: no scripts,
// no style sheets, nothing to load. Full names are tooltips. The document is
// higher than the scene where a legend has its place below it.
//
// Names come from files and are hostile until proven otherwise: they are only
// ever text, cleaned of what XML cannot hold and escaped.
package svg

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

const fonts = "Go, 'Go Regular', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

// Write writes the scene.
func Write(w io.Writer, s *scene.Scene) error {
	if !(s.Width > 0 && s.Height > 0) || math.IsInf(s.Width, 0) || math.IsInf(s.Height, 0) {
		return fmt.Errorf("svg: a picture of %g × %g pixels cannot be written", s.Width, s.Height)
	}
	d := &document{w: bufio.NewWriterSize(w, 1<<16), scene: s}
	height := text.Height(s)
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="`, number(s.Width),
		`" height="`, number(height), `" viewBox="0 0 `, number(s.Width), " ", number(height), `" font-family="`, fonts, "\">\n")
	if s.Background&0xff != 0 {
		d.put(`<rect width="`, number(s.Width), `" height="`, number(height), `"`, paint("fill", s.Background), "/>\n")
	}
	d.rasters()
	d.tubes()
	d.rects()
	d.sectors()
	d.labels()
	for _, t := range text.BoxLabels(d.scene) {
		d.text(t)
	}
	d.lines()
	for _, t := range s.Texts {
		d.text(t)
	}
	d.table()
	d.corner()
	d.put("</svg>\n")
	return d.w.Flush()
}

type document struct {
	w     *bufio.Writer // keeps its first error until Flush
	scene *scene.Scene
	path  []byte // scratch
	from  [2]int // where a path of a tube is, in tenths of pixels
}

func (d *document) put(parts ...string) {
	for _, p := range parts {
		d.w.WriteString(p)
	}
}

// sectors writes what a search did not find, then outlines around what it
// found, and then that: so no neighbour covers a part of a line, and no line
// covers a thin segment.
func (d *document) sectors() {
	s := &d.scene.Sectors
	if s.Len() == 0 {
		return
	}
	d.segments(false)
	if s.Match == nil {
		return
	}
	d.put(`<g class="found" fill="none" stroke-linejoin="round" pointer-events="none" stroke-width="`, number(2*text.Outline), `"`,
		paint("stroke", text.Ink(d.scene)), ">\n")
	for i := range s.Len() {
		if text.Found(s, i) && text.CanDraw(s, i) {
			d.put(`<path d="`)
			d.outline(i)
			d.put("\"/>\n")
		}
	}
	d.put("</g>\n")
	d.segments(true)
}

// segments writes the sectors that a search found, or all others.
func (d *document) segments(found bool) {
	s := &d.scene.Sectors
	d.put(`<g fill-rule="evenodd" stroke-linejoin="round"`)
	if d.scene.Background&0xff != 0 && !found {
		d.put(paint("stroke", d.scene.Background), ` stroke-width="`, number(text.Gap), `"`)
	}
	d.put(">\n")
	for i := range s.Len() {
		if !text.CanDraw(s, i) || text.Found(s, i) != found {
			continue
		}
		id := strconv.FormatUint(uint64(s.ID[i]), 10)
		title := text.Clean(text.FullName(s, s.Name[i]))
		if s.Kind[i] == scene.Mark {
			// A mark can be as thin as the gap, so it has none.
			d.put(`<path class="mark" data-parent="`, id, `" stroke="none"`)
			title = strconv.FormatUint(uint64(s.Count[i]), 10) + " more, too small to draw"
		} else {
			d.put(`<path data-id="`, id, `"`)
		}
		d.put(paint("fill", text.Tone(s, i)), ` d="`)
		d.outline(i)
		if title == "" {
			d.put("\"/>\n")
			continue
		}
		d.put(`"><title>`, escape(title), "</title></path>\n")
	}
	d.put("</g>\n")
}

// outline writes the path of sector i.
func (d *document) outline(i int) {
	s := &d.scene.Sectors
	r0, r1, a0, a1 := s.R0[i], s.R1[i], s.A0[i], s.A1[i]
	p := path{b: d.path[:0], cx: s.CX, cy: s.CY}
	switch {
	case s.Discs:
		x, y, r := s.Disc(i)
		p.cx, p.cy = x, y
		p.circle(r)
	case text.IsFull(s, i):
		p.circle(r1)
		if r0 > 0 {
			p.circle(r0) // a hole, by the even-odd rule
		}
	default:
		p.move(r1, a0)
		p.arc(r1, a1, a1-a0 > math.Pi, true)
		if r0 > 0 {
			p.line(r0, a1)
			p.arc(r0, a0, a1-a0 > math.Pi, false)
		} else {
			p.line(0, 0)
		}
		p.b = append(p.b, 'Z')
	}
	d.path = p.b
	d.w.Write(p.b)
}

func (d *document) labels() {
	s := &d.scene.Sectors
	first := true
	for i := range s.Len() {
		l, ok := text.LabelOf(d.scene, i)
		if !ok {
			continue
		}
		if first {
			d.put(`<g class="labels" text-anchor="middle" pointer-events="none">`, "\n")
			first = false
		}
		if l.Radial {
			d.radial(l)
			continue
		}
		p := path{b: d.path[:0], cx: s.CX, cy: s.CY}
		from, to := l.Middle-l.Span/2, l.Middle+l.Span/2
		if l.Flipped {
			from, to = to, from
		}
		p.move(l.Radius, from)
		p.arc(l.Radius, to, l.Span > math.Pi, !l.Flipped)
		d.path = p.b
		id := "arc" + strconv.Itoa(i)
		d.put(`<path id="`, id, `" fill="none" d="`, string(p.b), `"/><text font-size="`, number(l.Size), `"`, paint("fill", l.Color),
			`><textPath xlink:href="#`, id, `" startOffset="50%">`, escape(l.Text), "</textPath></text>\n")
	}
	if !first {
		d.put("</g>\n")
	}
}

func (d *document) radial(l text.Label) {
	x, y, turn := l.RadialBaseline(d.scene.Sectors.CX, d.scene.Sectors.CY)
	anchor := "end"
	if l.Flipped {
		anchor = "start"
	}
	d.put(`<text font-size="`, number(l.Size), `" text-anchor="`, anchor, `"`, paint("fill", l.Color),
		` transform="translate(`, number(x), " ", number(y), ") rotate(", number(turn*180/math.Pi), `)">`, escape(l.Text), "</text>\n")
}

func (d *document) corner() {
	c := text.CornerOf(d.scene)
	if len(c.Lines) == 0 && len(c.Swatches) == 0 {
		return
	}
	d.put(`<g class="legend">`, "\n")
	d.swatches(c.Swatches)
	for _, t := range c.Lines {
		d.text(t)
	}
	d.put("</g>\n")
}

func (d *document) text(t scene.Text) {
	line := text.Line(t)
	if line == "" {
		return
	}
	d.put(`<text x="`, number(t.X), `" y="`, number(t.Y), `" font-size="`, number(t.Size), `"`)
	switch t.Anchor {
	case scene.Middle:
		d.put(` text-anchor="middle"`)
	case scene.End:
		d.put(` text-anchor="end"`)
	}
	if t.Bold {
		d.put(` font-weight="bold"`)
	}
	d.put(paint("fill", t.Color), ">", escape(line), "</text>\n")
}

// path builds the data of a path from polar coordinates.
type path struct {
	b      []byte
	cx, cy float64
}

func (p *path) point(r, a float64) {
	sin, cos := math.Sincos(a)
	p.b = appendNumber(p.b, p.cx+r*sin)
	p.b = append(p.b, ' ')
	p.b = appendNumber(p.b, p.cy-r*cos)
}

func (p *path) move(r, a float64) {
	p.b = append(p.b, 'M')
	p.point(r, a)
}

func (p *path) line(r, a float64) {
	p.b = append(p.b, 'L')
	p.point(r, a)
}

func (p *path) arc(r, to float64, large, clockwise bool) {
	p.b = append(p.b, 'A')
	p.b = appendNumber(p.b, r)
	p.b = append(p.b, ' ')
	p.b = appendNumber(p.b, r)
	p.b = append(p.b, " 0 "...)
	p.b = append(p.b, bit(large), ' ', bit(clockwise), ' ')
	p.point(r, to)
}

// circle is two half circles: an arc cannot end where it starts.
func (p *path) circle(r float64) {
	p.move(r, 0)
	p.arc(r, math.Pi, false, true)
	p.arc(r, 2*math.Pi, false, true)
	p.b = append(p.b, 'Z')
}

func bit(b bool) byte {
	if b {
		return '1'
	}
	return '0'
}

func number(x float64) string { return string(appendNumber(nil, x)) }

// appendNumber writes a number with at most two decimals.
func appendNumber(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, '0')
	}
	from := len(b)
	b = strconv.AppendFloat(b, x, 'f', 2, 64)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	if string(b[from:]) == "-0" {
		b = append(b[:from], '0')
	}
	return b
}

// paint gives an attribute for a colour, and one for its opacity.
func paint(what string, c scene.Color) string {
	attribute := " " + what + `="` + c.Hex() + `"`
	if _, _, _, a := c.RGBA8(); a != 255 {
		attribute += " " + what + `-opacity="` + number(float64(a)/255) + `"`
	}
	return attribute
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

func escape(s string) string { return escaper.Replace(s) }
