package svg

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strconv"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// rasters writes images into the document itself, one pixel per cell.
func (d *document) rasters() {
	for i := range d.scene.Rasters {
		r := &d.scene.Rasters[i]
		if !text.CanDrawRaster(r) {
			continue
		}
		d.put(`<image x="`, number(r.X), `" y="`, number(r.Y), `" width="`, number(r.W), `" height="`, number(r.H),
			`" preserveAspectRatio="none" style="image-rendering:pixelated" xlink:href="data:image/png;base64,`,
			base64.StdEncoding.EncodeToString(pixels(r)), "\"/>\n")
	}
}

func pixels(r *scene.Raster) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, r.Columns, r.Rows))
	for i, c := range r.Pixels {
		red, green, blue, alpha := c.RGBA8()
		img.SetNRGBA(i%r.Columns, i/r.Columns, color.NRGBA{R: red, G: green, B: blue, A: alpha})
	}
	var b bytes.Buffer
	png.Encode(&b, img) // a buffer takes everything, and the size is checked
	return b.Bytes()
}

// rects writes rectangles, those that are selected with a line around them, as
// far as they are within the picture.
func (d *document) rects() {
	r := &d.scene.Rects
	if r.Len() == 0 {
		return
	}
	if r.Boxes == nil || d.scene.Background&0xff == 0 {
		d.put("<g>\n")
	} else {
		d.put("<g", paint("stroke", d.scene.Background), ` stroke-width="`, number(text.Gap), "\">\n")
	}
	for i := range r.Len() {
		// Beyond the edges is room for outlines to be out of sight.
		b, ok := text.Visible(d.scene, i, 2*text.Outline)
		if !ok {
			continue
		}
		d.put("<rect")
		if r.ID[i] != scene.NoName {
			d.put(` data-id="`, strconv.FormatUint(uint64(r.ID[i]), 10), `"`)
		}
		d.box(b)
		d.put(paint("fill", text.BoxTone(r, i)))
		if title := text.BoxTitle(r, i); title != "" {
			d.put("><title>", escape(title), "</title></rect>\n")
		} else {
			d.put("/>\n")
		}
	}
	d.put("</g>\n")
	d.cushions()
	if r.Match == nil {
		return
	}
	d.put(`<g class="selected" fill="none" stroke-width="`, number(text.Outline), `"`, paint("stroke", text.Ink(d.scene)), ">\n")
	for i := range r.Len() {
		if b, ok := text.Visible(d.scene, i, 2*text.Outline); ok && text.Chosen(r, i) {
			const out = text.Outline / 2
			d.put("<rect")
			d.box(scene.Box{X0: b.X0 - out, Y0: b.Y0 - out, X1: b.X1 + out, Y1: b.Y1 + out})
			d.put("/>\n")
		}
	}
	d.put("</g>\n")
}

func (d *document) box(b scene.Box) {
	d.put(` x="`, number(b.X0), `" y="`, number(b.Y0), `" width="`, number(b.X1-b.X0), `" height="`, number(b.Y1-b.Y0), `"`)
}

// lines writes runs of lines that look the same as one path.
func (d *document) lines() {
	l := &d.scene.Lines
	open := -1 // the first line of the path that is being written
	for i := range l.Len() {
		if !text.CanDrawLine(l, i) {
			continue
		}
		if open < 0 || l.Color[i] != l.Color[open] || l.Width[i] != l.Width[open] {
			if open >= 0 {
				d.put("\"/>\n")
			}
			d.put(`<path fill="none" stroke-width="`, number(l.Width[i]), `"`, paint("stroke", l.Color[i]), ` d="`)
			open = i
		}
		d.put("M", number(l.X0[i]), " ", number(l.Y0[i]), "L", number(l.X1[i]), " ", number(l.Y1[i]))
	}
	if open >= 0 {
		d.put("\"/>\n")
	}
}

func (d *document) table() {
	sheet := text.TableOf(d.scene)
	if len(sheet.Swatches) == 0 {
		return
	}
	d.put(`<g class="table">`, "\n")
	d.swatches(sheet.Swatches)
	for _, t := range sheet.Lines {
		d.text(t)
	}
	d.put("</g>\n")
}

func (d *document) swatches(all []text.Swatch) {
	for _, r := range all {
		d.put("<rect")
		d.box(scene.Box{X0: r.X, Y0: r.Y, X1: r.X + r.Width, Y1: r.Y + r.Height})
		d.put(paint("fill", r.Color), "/>\n")
	}
}
