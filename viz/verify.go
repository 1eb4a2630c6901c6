package viz

import (
	"fmt"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/scene"
)

// Charts are verified as data sources are: a definition when it is registered,
// a scene whenever it is drawn, so that a mistake is named where it was made
// and not found as an odd picture.

// Verify tells what is wrong with a definition.
func (d Definition) Verify() error {
	if d.Name == "" {
		return fmt.Errorf("a visualization has no name")
	}
	if d.Title == "" {
		return fmt.Errorf("%s: has no title", d.Name)
	}
	if d.Tree && len(d.Dimensions) > 0 {
		return fmt.Errorf("%s: draws trees, so that it has no dimensions, but defines %q", d.Name, d.Dimensions[0].Name)
	}
	taken := map[string]bool{}
	for i, dim := range d.Dimensions {
		for _, name := range append([]string{dim.Name}, dim.Aliases...) {
			switch {
			case name == "":
				return fmt.Errorf("%s: dimension %d has no name", d.Name, i)
			case taken[name]:
				return fmt.Errorf("%s: two dimensions are called %q", d.Name, name)
			}
			taken[name] = true
		}
		if dim.Call != "" {
			if !slices.Contains(callFields, dim.Call) {
				return fmt.Errorf("%s: dimension %q stands for %q, which calls do not have", d.Name, dim.Name, dim.Call)
			}
		} else if len(dim.Accepts) == 0 {
			return fmt.Errorf("%s: dimension %q accepts no property, so that no field fits", d.Name, dim.Name)
		}
	}
	if d.Tree && d.Trace || d.Pair && (d.Tree || d.Trace) {
		return fmt.Errorf("%s: draws either trees or traces or pairs", d.Name)
	}
	if d.Pair && len(d.Dimensions) > 0 {
		return fmt.Errorf("%s: draws pairs, so that it has no dimensions, but defines %q", d.Name, d.Dimensions[0].Name)
	}
	if !d.Tree && !d.Pair && len(d.Dimensions) == 0 {
		return fmt.Errorf("%s: draws events, but has no dimension to map a field to", d.Name)
	}
	if d.Sort != "" {
		if _, err := FindScheme(d.Sort); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return d.verifyParameters()
}

func (d Definition) verifyParameters() error {
	taken := map[string]bool{}
	for i, p := range d.Parameters {
		if p.Name == "" {
			return fmt.Errorf("%s: parameter %d has no name", d.Name, i)
		}
		if taken[p.Name] {
			return fmt.Errorf("%s: two parameters are called %q", d.Name, p.Name)
		}
		taken[p.Name] = true
		if p.Type == Choice && p.Options == nil && len(p.Choices) == 0 {
			return fmt.Errorf("%s: parameter %q is a choice of nothing", d.Name, p.Name)
		}
		// What is registered elsewhere may not be there yet.
		if p.Options != nil || p.Valid != nil {
			continue
		}
		for _, compared := range []bool{false, true} {
			for _, p := range d.For(compared).Parameters {
				if p.Name != d.Parameters[i].Name {
					continue
				}
				if err := p.check(p.Default); err != nil {
					return fmt.Errorf("%s: the default of parameter %q: %w", d.Name, p.Name, err)
				}
			}
		}
	}
	return nil
}

// checkSides tells what is wrong with what shapes were on either side.
func checkSides(shapes int, s *scene.Sides) error {
	if s == nil {
		return nil
	}
	return sameLength("sides", shapes, len(s.Self[0]), len(s.Self[1]), len(s.Total[0]), len(s.Total[1]))
}

// checkScene tells what is wrong with a scene that a chart made.
func checkScene(s *scene.Scene) error {
	if s == nil {
		return fmt.Errorf("there is no scene")
	}
	if s.Width <= 0 || s.Height <= 0 {
		return fmt.Errorf("the scene has a size of %g×%g", s.Width, s.Height)
	}
	r := &s.Rects
	if err := sameLength("rectangles", len(r.X), len(r.Y), len(r.W), len(r.H), len(r.Fill), len(r.ID)); err != nil {
		return err
	}
	if r.Match != nil {
		if err := sameLength("rectangles", len(r.X), len(r.Match)); err != nil {
			return err
		}
	}
	if r.Count != nil {
		if err := sameLength("rectangles", len(r.X), len(r.Count)); err != nil {
			return err
		}
	}
	if err := finite("rectangle", r.X, r.Y, r.W, r.H); err != nil {
		return err
	}
	if b := r.Boxes; b != nil {
		if err := sameLength("boxes", len(r.X), len(b.Ink), len(b.Name), len(b.Self), len(b.Total), len(b.Count), len(b.Label)); err != nil {
			return err
		}
		if err := checkSides(len(r.X), b.Sides); err != nil {
			return err
		}
	}
	if r.End != nil {
		if err := sameLength("rectangles", len(r.X), len(r.End)); err != nil {
			return err
		}
	}
	if r.Slope != nil {
		if err := sameLength("rectangles", len(r.X), len(r.Slope)); err != nil {
			return err
		}
	}
	if err := checkTubes(&s.Tubes); err != nil {
		return err
	}
	l := &s.Lines
	if err := sameLength("lines", len(l.X0), len(l.Y0), len(l.X1), len(l.Y1), len(l.Width), len(l.Color)); err != nil {
		return err
	}
	if err := finite("line", l.X0, l.Y0, l.X1, l.Y1, l.Width); err != nil {
		return err
	}
	c := &s.Sectors
	if err := sameLength("sectors", len(c.ID), len(c.Kind), len(c.R0), len(c.R1), len(c.A0), len(c.A1), len(c.Fill), len(c.Ink), len(c.Name), len(c.Self), len(c.Total), len(c.Count), len(c.Label)); err != nil {
		return err
	}
	if err := checkSides(len(c.ID), c.Sides); err != nil {
		return err
	}
	if err := finite("sector", c.R0, c.R1, c.A0, c.A1); err != nil {
		return err
	}
	for i, t := range s.Texts {
		if err := finite(fmt.Sprintf("text %q, number", t.Text), []float64{t.X}, []float64{t.Y}, []float64{t.Size}, []float64{t.MaxWidth}); err != nil {
			return fmt.Errorf("text %d: %w", i, err)
		}
	}
	for i, image := range s.Rasters {
		if image.Columns < 0 || image.Rows < 0 || len(image.Pixels) != image.Columns*image.Rows {
			return fmt.Errorf("raster %d has %d pixels, but %d×%d cells", i, len(image.Pixels), image.Columns, image.Rows)
		}
	}
	if t := s.Table; t != nil {
		for i, row := range t.Rows {
			if len(row.Cells) != len(t.Columns) {
				return fmt.Errorf("row %d of the table has %d cells for %d columns", t.First+i, len(row.Cells), len(t.Columns))
			}
		}
	}
	return nil
}

func checkTubes(t *scene.Tubes) error {
	if t.Len() == 0 {
		return nil
	}
	if err := sameLength("tubes", len(t.A), len(t.B), len(t.Similarity), len(t.First)-1, len(t.Fill), len(t.Shine)); err != nil {
		return err
	}
	if t.Other != nil {
		if err := sameLength("tubes", len(t.A), len(t.Other)); err != nil {
			return err
		}
	}
	if err := sameLength("points of tubes", int(t.First[t.Len()]), len(t.X), len(t.Y), len(t.W)); err != nil {
		return err
	}
	for i := range t.Len() {
		if t.First[i] > t.First[i+1] {
			return fmt.Errorf("tube %d has points %d to %d", i, t.First[i], t.First[i+1])
		}
	}
	for _, column := range [][]float32{t.X, t.Y, t.W} {
		for i, v := range column {
			if v != v || math.IsInf(float64(v), 0) {
				return fmt.Errorf("point %d of the tubes has a coordinate of %g", i, v)
			}
		}
	}
	return nil
}

func sameLength(what string, lengths ...int) error {
	for _, n := range lengths {
		if n != lengths[0] {
			return fmt.Errorf("the columns of the %s have different lengths: %v", what, lengths)
		}
	}
	return nil
}

// finite tells which row of some columns has a number that is none.
func finite(what string, columns ...[]float64) error {
	for _, column := range columns {
		for i, v := range column {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s %d has a coordinate of %g", what, i, v)
			}
		}
	}
	return nil
}
