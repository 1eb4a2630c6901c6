package fan

import (
	"math"
	"slices"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/scene/text"
)

// placer finds room for names beside discs. It looks at everything near a place
// through a grid of cells.
type placer struct {
	s             *scene.Scene
	width, height float64
	order         []int // discs, the largest first
	taken         map[[2]int][]scene.Box
	near          map[[2]int][]int // discs
	lines         map[[2]int][]int
}

const cell = 64.0

func (p *placer) discs(sec *scene.Sectors) {
	p.taken, p.near, p.lines = map[[2]int][]scene.Box{}, map[[2]int][]int{}, map[[2]int][]int{}
	p.order = make([]int, sec.Len())
	for i := range p.order {
		p.order[i] = i
		x, y, r := sec.Disc(i)
		cells(scene.Box{X0: x - r, Y0: y - r, X1: x + r, Y1: y + r}, func(c [2]int) { p.near[c] = append(p.near[c], i) })
	}
	slices.SortStableFunc(p.order, func(a, b int) int {
		_, _, ra := sec.Disc(a)
		_, _, rb := sec.Disc(b)
		switch {
		case ra > rb:
			return -1
		case ra < rb:
			return 1
		}
		return a - b
	})
	l := &p.s.Lines
	for i := range l.Len() {
		b := scene.Box{X0: min(l.X0[i], l.X1[i]), Y0: min(l.Y0[i], l.Y1[i]), X1: max(l.X0[i], l.X1[i]), Y1: max(l.Y0[i], l.Y1[i])}
		cells(b, func(c [2]int) { p.lines[c] = append(p.lines[c], i) })
	}
}

func cells(b scene.Box, visit func(c [2]int)) {
	for x := int(math.Floor(b.X0 / cell)); x <= int(math.Floor(b.X1/cell)); x++ {
		for y := int(math.Floor(b.Y0 / cell)); y <= int(math.Floor(b.Y1/cell)); y++ {
			visit([2]int{x, y})
		}
	}
}

// beside writes a name next to a disc: whole if there is room on any side, else
// shortened; rather where no edge is behind it. It tells whether there is room.
func (p *placer) beside(i int, name string, size float64, ink scene.Color) (ok bool) {
	x, y, r := p.s.Sectors.Disc(i)
	whole := text.Measure(name, size)*wider + 3
	for _, limit := range []float64{wideLabel, narrowLabel} {
		w := min(whole, limit)
		h := size * 1.1
		d := r + 4
		type side struct {
			box    scene.Box
			x      float64
			anchor scene.Anchor
		}
		sides := []side{
			{scene.Box{X0: x + d, Y0: y - h/2, X1: x + d + w, Y1: y + h/2}, x + d, scene.Start},
			{scene.Box{X0: x - d - w, Y0: y - h/2, X1: x - d, Y1: y + h/2}, x - d, scene.End},
			{scene.Box{X0: x - w/2, Y0: y + d - 2, X1: x + w/2, Y1: y + d - 2 + h}, x, scene.Middle},
			{scene.Box{X0: x - w/2, Y0: y - d + 2 - h, X1: x + w/2, Y1: y - d + 2}, x, scene.Middle},
		}
		best, crossed := -1, 0
		for k, s := range sides {
			if !p.free(s.box, i) {
				continue
			}
			if c := p.crossings(s.box); best < 0 || c < crossed {
				best, crossed = k, c
			}
		}
		if best >= 0 {
			s := sides[best]
			cells(s.box, func(c [2]int) { p.taken[c] = append(p.taken[c], s.box) })
			p.s.Texts = append(p.s.Texts, scene.Text{X: s.x, Y: (s.box.Y0+s.box.Y1)/2 + size*0.36, Text: name, Color: ink, Anchor: s.anchor, Size: size, MaxWidth: w})
			return true
		}
		if whole <= narrowLabel {
			return false
		}
	}
	return false
}

// free tells whether a box is in the picture and covers no disc but perhaps its
// own, and no name.
func (p *placer) free(b scene.Box, own int) bool {
	if b.X0 < 2 || b.Y0 < 2 || b.X1 > p.width-2 || b.Y1 > p.height-2 {
		return false
	}
	ok := true
	cells(b, func(c [2]int) {
		for _, t := range p.taken[c] {
			ok = ok && (t.X1 <= b.X0-3 || t.X0 >= b.X1+3 || t.Y1 <= b.Y0 || t.Y0 >= b.Y1)
		}
		for _, i := range p.near[c] {
			if i == own {
				continue
			}
			x, y, r := p.s.Sectors.Disc(i)
			dx, dy := max(b.X0-x, 0, x-b.X1), max(b.Y0-y, 0, y-b.Y1)
			ok = ok && math.Hypot(dx, dy) >= r+1
		}
	})
	return ok
}

// crossings is how many edges are behind a box.
func (p *placer) crossings(b scene.Box) int {
	seen := map[int]bool{}
	l := &p.s.Lines
	cells(b, func(c [2]int) {
		for _, i := range p.lines[c] {
			if !seen[i] && meets(b, l.X0[i], l.Y0[i], l.X1[i], l.Y1[i]) {
				seen[i] = true
			}
		}
	})
	return len(seen)
}

// meets tells whether a line goes through a box (Liang and Barsky).
func meets(b scene.Box, x0, y0, x1, y1 float64) bool {
	from, to := 0.0, 1.0
	clip := func(d, room float64) bool {
		switch {
		case d == 0:
			return room >= 0
		case d < 0:
			from = max(from, room/d)
		default:
			to = min(to, room/d)
		}
		return from <= to
	}
	return clip(x0-x1, x0-b.X0) && clip(x1-x0, b.X1-x0) && clip(y0-y1, y0-b.Y0) && clip(y1-y0, b.Y1-y0)
}
