package icicle

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// finish gives layers their heights and boxes their colours.
func (l *layout) finish(up bool) (*scene.Scene, error) {
	s, n := l.scene, len(l.boxes)
	first, last := 0, 0
	cells := make([]viz.Cell, n)
	for i := range l.boxes {
		b := &l.boxes[i]
		first, last = min(first, b.layer), max(last, b.layer)
		cells[i] = viz.Cell{Node: b.node, Method: b.method, Mark: b.mark, Group: b.group != nil, Self: b.self, Total: b.total, Second: b.second, SelfSecond: b.selfSecond}
	}
	p, err := l.config.Paint(cells)
	if err != nil {
		return nil, fmt.Errorf("icicle: %w", err)
	}
	s.Background, s.Legend = p.Background, p.Legend
	height := min(row, l.room.Height/float64(last-first+1))
	r := &s.Rects
	extra := &scene.Boxes{Up: up, Ink: p.Ink, Name: p.Name, Names: p.Names, ShortNames: p.ShortNames, Sides: p.Sides}
	r.Fill, r.Boxes = p.Fill, extra
	r.X, r.Y, r.W, r.H = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	r.ID, r.Count = make([]uint32, n), make([]uint32, n)
	extra.Self, extra.Total, extra.Count, extra.Label = make([]float64, n), make([]float64, n), make([]uint32, n), make([]bool, n)
	if l.matches != nil {
		r.Match = make([]uint8, n)
	}
	for i := range l.boxes {
		b := &l.boxes[i]
		r.X[i], r.W[i], r.H[i] = b.x0, b.x1-b.x0, height
		r.Y[i] = float64(b.layer-first) * height
		if up {
			r.Y[i] = l.room.Height - r.Y[i] - height
		}
		r.ID[i] = uint32(l.view.ID(b.node))
		extra.Self[i], extra.Total[i] = b.self, b.total
		extra.Count[i] = uint32(min(b.count, math.MaxUint32))
		if b.mark {
			r.Count[i] = extra.Count[i]
		}
		extra.Label[i] = !b.mark && r.W[i] >= labelWidth && height >= labelHeight
		if r.Match != nil {
			r.Match[i] = b.match
		}
	}
	if n > 0 && l.boxes[0].method == data.None {
		l.everything(height)
	}
	return s, nil
}

// everything writes the root's total into its box: it has no name.
func (l *layout) everything(height float64) {
	r := &l.scene.Rects
	if !r.Boxes.Label[0] {
		return
	}
	size := min(12, height*0.6)
	l.scene.Texts = append(l.scene.Texts, scene.Text{
		X: r.X[0] + 4, Y: r.Y[0] + height/2 + size*0.36, Size: size, MaxWidth: r.W[0] - 8, Color: r.Boxes.Ink[0],
		Text: "everything, " + l.config.LongLabel(r.Boxes.Total[0], r.Boxes.Sides, 0),
	})
}
