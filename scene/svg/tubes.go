package svg

import (
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// tubes writes each tube as a line, so that it is seen where it is narrower than
// one, and bands over it, of which each is narrower and brighter than the one
// before: SVG has no gradient across a curve.
func (d *document) tubes() {
	t := &d.scene.Tubes
	if t.Len() == 0 {
		return
	}
	d.put(`<g class="tubes" fill="none" stroke-width="1" stroke-linejoin="round">`, "\n")
	for i := range t.Len() {
		if !text.CanDrawTube(t, i) {
			continue
		}
		d.put("<g")
		if _, _, _, a := t.Fill[i].RGBA8(); a != 255 {
			// As one, so that bands that lie over each other do not add up.
			d.put(` opacity="`, number(float64(a)/255), `"`)
		}
		d.put(` data-a="`, strconv.FormatUint(uint64(t.A[i]), 10), `" data-b="`, strconv.FormatUint(uint64(t.B[i]), 10), `">`)
		kept := d.corners(t, i)
		d.put(`<path`, paint("stroke", text.TubeLine(t, i)|0xff), ` d="`)
		d.from = [2]int{}
		for n, k := range kept {
			d.point(n == 0, float64(t.X[k]), float64(t.Y[k]))
		}
		d.put(`"/>`)
		bands := bandsFor(text.Widest(t, i))
		for band := range bands {
			d.band(t, kept, 1-float64(band)/float64(bands), t.Shade(i, 1-(float64(band)+0.5)/float64(bands))|0xff)
		}
		d.put("</g>\n")
	}
	d.put("</g>\n")
}

// bandsFor is how many bands show a tube.
func bandsFor(width float64) int {
	switch {
	case width < 1.5:
		return 0
	case width < 4:
		return 2
	case width < 16:
		return 4
	}
	return 7
}

// band writes the part of a tube that is so much of its width.
func (d *document) band(t *scene.Tubes, kept []uint32, part float64, c scene.Color) {
	d.put("<path", paint("fill", c), ` d="`)
	d.from = [2]int{}
	for n, k := range kept {
		d.point(n == 0, float64(t.X[k])-float64(t.W[k])/2*part, float64(t.Y[k]))
	}
	for n := len(kept) - 1; n >= 0; n-- {
		k := kept[n]
		d.point(false, float64(t.X[k])+float64(t.W[k])/2*part, float64(t.Y[k]))
	}
	d.put(`Z"/>`)
}

// point writes a point of a path by how far it is from the one before, in tenths of
// pixels: pictures of tubes are long.
func (d *document) point(first bool, x, y float64) {
	to := [2]int{int(math.Round(x * 10)), int(math.Round(y * 10))}
	command := "l"
	if first {
		command = "M"
	}
	dx, dy := to[0]-d.from[0], to[1]-d.from[1]
	d.from = to
	if dx == 0 && dy == 0 && !first {
		return
	}
	d.path = append(d.path[:0], command...)
	d.path = appendNumber(d.path, float64(dx)/10)
	if dy >= 0 {
		d.path = append(d.path, ' ')
	}
	d.path = appendNumber(d.path, float64(dy)/10)
	d.w.Write(d.path)
}

// corners leaves out points that are where a straight line goes anyway.
func (d *document) corners(t *scene.Tubes, i int) (kept []uint32) {
	const off = 0.3 // pixels
	first, end := t.First[i], t.First[i+1]
	straight := func(from, to uint32) bool {
		for k := from + 1; k < to; k++ {
			part := float32(k-from) / float32(to-from)
			between := func(v []float32) float64 { return math.Abs(float64(v[from] + part*(v[to]-v[from]) - v[k])) }
			if between(t.X) > off || between(t.Y) > off || between(t.W) > 2*off {
				return false
			}
		}
		return true
	}
	kept = append(kept, first)
	for k := first + 1; k < end-1; k++ {
		if !straight(kept[len(kept)-1], k+1) {
			kept = append(kept, k)
		}
	}
	return append(kept, end-1)
}

// steps is how finely cushions are told apart; those that look the same share a
// gradient.
const steps = 8

// cushions darkens rectangles by gradients over them.
func (d *document) cushions() {
	r := &d.scene.Rects
	if r.Slope == nil {
		return
	}
	key := func(s scene.Slope) [2]int {
		return [2]int{int(math.Round(s.Left * steps)), int(math.Round(s.Right * steps))}
	}
	known := map[[2]int]string{}
	d.put(`<g class="cushions" pointer-events="none">`, "\n")
	for i := range r.Len() {
		b, ok := text.Visible(d.scene, i, 0)
		if !ok || b.X1-b.X0 < 2 || r.Slope[i] == (scene.Slope{}) {
			continue
		}
		k := key(r.Slope[i])
		id, there := known[k]
		if !there {
			id = "cushion" + strconv.Itoa(len(known))
			known[k] = id
			d.put(`<linearGradient id="`, id, `">`)
			const stops = 8
			for s := range stops + 1 {
				part := float64(s) / stops
				dark := 1 - scene.Cushion((float64(k[0])+part*float64(k[1]-k[0]))/steps)
				d.put(`<stop offset="`, number(part), `" stop-opacity="`, number(dark), `"/>`)
			}
			d.put("</linearGradient>\n")
		}
		d.put("<rect")
		d.box(b)
		d.put(` fill="url(#`, id, ")\"/>\n")
	}
	d.put("</g>\n")
}
