package text

import (
	"unicode/utf8"

	"github.com/cambium-prof/cambium/scene"
)

// Boxes are the rectangles of charts of trees: they have gaps between them,
// recede when a search does not find them, and have names in them.

// BoxTone is the colour that rectangle i is drawn in.
func BoxTone(r *scene.Rects, i int) scene.Color {
	if r.Boxes == nil {
		return r.Fill[i]
	}
	opacity := 1.0
	if i < len(r.Count) && r.Count[i] > 0 {
		opacity = quiet
	}
	if r.Match != nil {
		opacity = 1
		if r.Match[i] == scene.MatchNone {
			opacity = faded
		}
	}
	return WithOpacity(r.Fill[i], opacity)
}

// BoxTitle is the whole name of what a rectangle stands for, "" if it has none.
func BoxTitle(r *scene.Rects, i int) string {
	if b := r.Boxes; b != nil && int64(b.Name[i]) < int64(len(b.Names)) {
		return Clean(b.Names[b.Name[i]])
	}
	return ""
}

// BoxLabels are the names that have room in their boxes.
func BoxLabels(s *scene.Scene) []scene.Text {
	r, b := &s.Rects, s.Rects.Boxes
	if b == nil {
		return nil
	}
	var labels []scene.Text
	for i := range r.Len() {
		if !b.Label[i] || int64(b.Name[i]) >= int64(len(b.ShortNames)) || !near(r.X[i], r.Y[i], r.W[i], r.H[i]) {
			continue
		}
		size := min(max(r.H[i]*0.6, leastSize), mostSize)
		name := Clean(b.ShortNames[b.Name[i]])
		text := Shorten(name, r.W[i]-2*labelPadding, size)
		if text == "" || text != name && utf8.RuneCountInString(text) < leastOfLabel {
			continue
		}
		color := b.Ink[i]
		if tone := BoxTone(r, i); tone != r.Fill[i] {
			color = WithOpacity(scene.InkOn(over(tone, s.Background)), second)
		}
		labels = append(labels, scene.Text{X: r.X[i] + labelPadding, Y: r.Y[i] + r.H[i]/2 + 0.36*size, Text: text, Size: size, Color: color})
	}
	return labels
}
