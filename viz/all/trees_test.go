package all

import (
	"context"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/viz"
)

// TestTreesContract draws every chart of trees that is linked in, with each
// choice that it has, of awkward data: amounts below zero, names that are twice
// there, strange sizes. Whatever is drawn is verified, and accounted for.
func TestTreesContract(t *testing.T) {
	w, err := viz.NewWorkspace(context.Background(), awkward(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range viz.All() {
		if !f.Definition.Tree {
			continue
		}
		settings := []map[string]string{nil}
		for _, p := range f.Definition.For(false).Parameters {
			for _, c := range p.AllChoices() {
				settings = append(settings, map[string]string{p.Name: c.Value})
			}
		}
		for _, params := range settings {
			for _, steps := range []string{"", "depth:0", "depth:1", "focus:2", "norec", "bymethod,depth:1"} {
				for _, size := range []viz.Viewport{{Width: 1, Height: 1}, {Width: 640, Height: 400}, {Width: 3000, Height: 3}} {
					for _, search := range []string{"", "twin"} {
						s, v, err := w.Scene(context.Background(), viz.Request{View: f.Definition.Name, Params: params, Viewport: size, Highlight: search, Dark: search != "", Look: viz.Look{Steps: steps}, Selection: `Method == "twin"`})
						if err != nil {
							t.Fatalf("%s, %v, %q: %v", f.Definition.Name, params, steps, err)
						}
						contexts := int64(v.End[v.Root] - v.Root)
						if v.Method[v.Root] == data.None {
							contexts--
						}
						if sum := s.Drawn + s.TooSmall + s.Deeper; sum != contexts {
							t.Errorf("%s, %v, %q, %v: %d drawn, %d too small and %d deeper are not the %d contexts", f.Definition.Name, params, steps, size, s.Drawn, s.TooSmall, s.Deeper, contexts)
						}
					}
				}
			}
		}
	}
}
