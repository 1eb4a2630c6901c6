package server

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
)

func wireView(d viz.Definition) *v1.View {
	types := map[viz.Type]v1.Parameter_Type{
		viz.Choice: v1.Parameter_TYPE_CHOICE, viz.Number: v1.Parameter_TYPE_NUMBER,
		viz.Bool: v1.Parameter_TYPE_BOOL, viz.Metric: v1.Parameter_TYPE_METRIC,
		viz.Text: v1.Parameter_TYPE_TEXT,
	}
	view := &v1.View{Name: d.Name, Title: d.Title, Description: d.Description, Tree: d.Tree, Sort: d.Sort, Compacts: d.Compaction != nil, Pair: d.Pair}
	if view.Sort == "" && !d.Tree {
		view.Sort = viz.DefaultScheme
	}
	for _, dim := range d.Dimensions {
		view.Dimensions = append(view.Dimensions, &v1.Dimension{Name: dim.Name, Title: dim.Title, Description: dim.Description, Optional: dim.Optional})
	}
	for _, p := range d.Parameters {
		parameter := &v1.Parameter{
			Name: p.Name, Title: p.Title, Description: p.Description, Type: types[p.Type],
			DefaultValue: p.Default, Min: p.Min, Max: p.Max, With: p.With, OnlyCompared: p.OnlyCompared, Compared: p.Compared,
		}
		for _, c := range p.AllChoices() {
			parameter.Choices = append(parameter.Choices, &v1.Choice{Value: c.Value, Title: c.Title, Description: c.Description, OnlyCompared: c.OnlyCompared})
		}
		view.Parameters = append(view.Parameters, parameter)
	}
	return view
}

func wireDataSet(d *DataSet) *v1.DataSet {
	d.mu.Lock()
	defer d.mu.Unlock()
	set := &v1.DataSet{Id: d.ID, Name: baseName(d.Path), Path: d.Path, BytesTotal: d.size}
	for _, side := range d.sides {
		set.Compares = append(set.Compares, side.ID)
	}
	if d.packed != nil {
		set.BytesRead = d.packed()
	}
	switch d.state {
	case Reading:
		set.State = v1.DataSet_STATE_READING
	case Failed:
		set.State = v1.DataSet_STATE_FAILED
		set.Error = d.err.Error()
	case Ready:
		set.State = v1.DataSet_STATE_READY
		set.Format, set.Warnings = d.workspace.Set.Format, d.workspace.Set.Warnings
		if _, _, set.Traces = trace.FindCalls(d.workspace.Set); d.workspace.Comparison != nil {
			set.Traces = d.workspace.Comparison.Traces
		}
		if t := d.workspace.Tree; t != nil {
			for m, metric := range t.Metrics {
				set.Metrics = append(set.Metrics, &v1.Metric{
					Name: metric.Name, Unit: string(metric.Unit), Description: metric.Description, Total: t.Total[m][cct.Root],
				})
				wirePart(set.Metrics[m], d.workspace.Difference, m)
			}
			set.PreferredMetric = t.Metrics[t.Preferred].Name
			set.Methods, set.Contexts, set.MaxDepth = int64(t.Methods.Rows()), int64(t.Contexts()), int64(t.Height[cct.Root])
		}
		set.Events = wireEvents(d.workspace)
	}
	return set
}

// wireEvents counts what there is, so that the page can choose what to open with.
func wireEvents(w *viz.Workspace) (counts []*v1.EventCount) {
	calls, _, _ := trace.FindCalls(w.Set)
	for _, e := range w.Set.Events() {
		counts = append(counts, &v1.EventCount{Type: e.Definition.Name, Rows: int64(e.Rows()), Calls: e == calls})
	}
	return counts
}

// shownDoubts is how many of a step's actions that do not apply are listed.
const shownDoubts = 50

// wireTree adds to a scene what the page shows around a chart of trees.
func wireTree(ctx context.Context, s *scene.Scene, w *viz.Workspace, v cct.View, metric int, look viz.Look) *v1.Scene {
	answer := wireScene(s)
	answer.Steps = look.Steps
	doubts, _ := w.Doubts(ctx, look) // of a look that has just been shown
	for _, d := range doubts {
		answer.StepNotes = append(answer.StepNotes, &v1.StepNote{Step: uint32(d.Step), Text: d.Text, Details: d.Details[:min(len(d.Details), shownDoubts)]})
	}
	answer.Root, answer.RootTitle = uint32(v.ID(v.Root)), "everything"
	answer.MaxLayers, answer.Layers = uint32(v.Height[v.Root]), uint32(v.Height[v.Root])
	if v.Layers >= 0 {
		answer.Layers = min(answer.Layers, uint32(v.Layers))
	}
	if answer.Sectors == nil {
		answer.Sectors = &v1.Sectors{}
	}
	answer.Sectors.MetricTotal = float64(w.Whole(ctx, v, look).Total[metric][cct.Root])
	answer.Sectors.RootTotal = float64(v.Total[metric][v.Root])
	stack := stackOf(v.Tree, v.Root)
	if len(stack) > 2*stackEnds {
		stack = append(stack[:stackEnds:stackEnds], stack[len(stack)-stackEnds:]...)
	}
	answer.Crumbs = append(answer.Crumbs, &v1.Crumb{Id: uint32(cct.Root), Name: "", ShortName: answer.RootTitle})
	for i := len(stack) - 1; i >= 0; i-- {
		n := stack[i]
		answer.Crumbs = append(answer.Crumbs, &v1.Crumb{Id: uint32(v.ID(n)), Name: v.Name(n), ShortName: w.ProgramOf(v.Tree).Short[v.Method[n]]})
	}
	return answer
}

func wireScene(s *scene.Scene) *v1.Scene {
	answer := &v1.Scene{
		Width: s.Width, Height: s.Height, Background: uint32(s.Background),
		Drawn: s.Drawn, TooSmall: s.TooSmall, Deeper: s.Deeper, Notes: s.Notes,
	}
	for i := range s.Rasters {
		r := &s.Rasters[i]
		answer.Rasters = append(answer.Rasters, &v1.Raster{X: r.X, Y: r.Y, W: r.W, H: r.H, Columns: uint32(r.Columns), Rows: uint32(r.Rows), Pixels: packUint32(r.Pixels)})
	}
	if r := &s.Rects; r.Boxes != nil {
		answer.Sectors = wireBoxes(s)
	} else if r.Len() > 0 {
		answer.Rects = &v1.Rects{X: packFloat32(r.X), Y: packFloat32(r.Y), W: packFloat32(r.W), H: packFloat32(r.H),
			Fill: packUint32(r.Fill), Id: packUint32(r.ID), Match: r.Match, End: packUint32(r.End), Slope: packSlopes(r.Slope)}
	}
	answer.Tubes = wireTubes(&s.Tubes)
	if s.Sectors.Len() > 0 {
		answer.Sectors = wireSectors(&s.Sectors)
	}
	if l := &s.Lines; l.Len() > 0 {
		answer.Lines = &v1.Lines{X0: packFloat32(l.X0), Y0: packFloat32(l.Y0), X1: packFloat32(l.X1), Y1: packFloat32(l.Y1),
			Width: packFloat32(l.Width), Color: packUint32(l.Color)}
	}
	for _, t := range s.Texts {
		answer.Texts = append(answer.Texts, &v1.Text{
			X: t.X, Y: t.Y, Text: t.Text, Color: uint32(t.Color), Anchor: v1.Text_Anchor(t.Anchor),
			Size: t.Size, MaxWidth: t.MaxWidth, Bold: t.Bold,
		})
	}
	answer.Table = wireTable(s.Table)
	if l := s.Legend; l != nil {
		answer.Legend = &v1.Legend{Title: l.Title, RampLow: l.RampLow, RampHigh: l.RampHigh}
		for _, e := range l.Entries {
			answer.Legend.Entries = append(answer.Legend.Entries, &v1.LegendEntry{Label: e.Label, Color: uint32(e.Color), Share: e.Share})
		}
		for _, c := range l.Ramp {
			answer.Legend.Ramp = append(answer.Legend.Ramp, uint32(c))
		}
	}
	for _, p := range s.Plots {
		answer.Plots = append(answer.Plots, &v1.Plot{X: p.X, Y: p.Y, W: p.W, H: p.H, Across: wireAxis(p.Across), Up: wireAxis(p.Up), Side: uint32(p.Side), Window: p.Window})
	}
	return answer
}

func wireAxis(a scene.Axis) *v1.Axis {
	return &v1.Axis{Name: a.Name, Unit: a.Unit, From: a.From, To: a.To, Min: a.Min, Max: a.Max, Entities: a.Entities, Dimension: a.Dimension, Period: a.Period}
}

func wireTable(t *scene.Table) *v1.Table {
	if t == nil {
		return nil
	}
	answer := &v1.Table{First: int64(t.First), Total: int64(t.Total), Tree: t.Tree}
	for _, c := range t.Columns {
		answer.Columns = append(answer.Columns, &v1.TableColumn{Title: c.Title, Number: c.Number, Sort: c.Sort, Sorted: v1.TableColumn_Order(c.Sorted)})
	}
	for _, r := range t.Rows {
		answer.Rows = append(answer.Rows, &v1.TableRow{
			Cells: r.Cells, Id: r.ID, Color: uint32(r.Color), Share: r.Share, Selected: r.Selected, Depth: uint32(r.Depth),
			Expandable: r.Expandable, Expanded: r.Expanded, Sibling: uint32(r.Sibling), Siblings: uint32(r.Siblings), Parent: int64(r.Parent), Match: uint32(r.Match),
		})
	}
	return answer
}

func wireSectors(s *scene.Sectors) *v1.Sectors {
	answer := &v1.Sectors{
		Cx: s.CX, Cy: s.CY,
		Id: packUint32(s.ID), R0: packFloat32(s.R0), R1: packFloat32(s.R1), A0: packFloat32(s.A0), A1: packFloat32(s.A1),
		Fill: packUint32(s.Fill), Ink: packUint32(s.Ink), Method: packUint32(s.Name),
		Self: packFloat64(s.Self), Total: packFloat64(s.Total), Count: packUint32(s.Count),
		Match: s.Match, Names: s.Names, ShortNames: s.ShortNames, Sides: wireSides(s.Sides),
		Kind: make([]byte, len(s.Kind)), Label: make([]byte, len(s.Label)),
	}
	if s.Discs {
		answer.Shape = v1.Sectors_SHAPE_DISCS
	}
	for i, k := range s.Kind {
		answer.Kind[i] = byte(k)
	}
	for i, l := range s.Label {
		if l {
			answer.Label[i] = 1
		}
	}
	return answer
}

// wireBoxes sends the boxes of a chart of trees as sectors that are unrolled, so
// that the page does with them what it does with those.
func wireBoxes(s *scene.Scene) *v1.Sectors {
	r, b := &s.Rects, s.Rects.Boxes
	n := r.Len()
	answer := &v1.Sectors{
		Shape: v1.Sectors_SHAPE_DOWN, Cx: s.Width / 2,
		Id: packUint32(r.ID), A0: packFloat32(r.X), Fill: packUint32(r.Fill), Ink: packUint32(b.Ink), Method: packUint32(b.Name),
		Self: packFloat64(b.Self), Total: packFloat64(b.Total), Count: packUint32(b.Count), Match: r.Match,
		Names: b.Names, ShortNames: b.ShortNames, Sides: wireSides(b.Sides), Kind: make([]byte, n), Label: make([]byte, n),
	}
	r0, r1, a1 := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		r0[i], a1[i] = r.Y[i], r.X[i]+r.W[i]
		if b.Up {
			r0[i] = s.Height - r.Y[i] - r.H[i]
		}
		r1[i] = r0[i] + r.H[i]
		if r.Count != nil && r.Count[i] > 0 {
			answer.Kind[i] = byte(scene.Mark)
		}
		if b.Label[i] {
			answer.Label[i] = 1
		}
	}
	if b.Up {
		answer.Shape, answer.Cy = v1.Sectors_SHAPE_UP, s.Height
	}
	answer.R0, answer.R1, answer.A1 = packFloat32(r0), packFloat32(r1), packFloat32(a1)
	return answer
}

func packUint32[T ~uint32](values []T) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func packFloat32(values []float64) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

func packFloat64(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func wireFrame(w *viz.Workspace, t *cct.Tree, n cct.NodeID, metric int) *v1.Frame {
	f := &v1.Frame{Id: uint32(t.ID(n)), Name: t.Name(n), Self: t.Self[metric][n], Total: t.Total[metric][n]}
	if m := t.Method[n]; m != data.None {
		f.ShortName = w.ProgramOf(t).Short[m]
		f.File, f.Line, _ = sourceOf(w.Set, t.Methods, m)
	}
	return f
}

// sourceOf tells where a method is, as far as its data set knows.
func sourceOf(set *data.Set, methods *data.EntityTable, m data.EntityID) (file string, line int64, binary string) {
	name := func(field, entityType string) string {
		c, ok := methods.Column(field)
		if !ok || c.Refs == nil {
			return ""
		}
		return set.Entity(entityType).NameOf(c.Refs[m])
	}
	if c, ok := methods.Column("Line"); ok && c.Values != nil {
		line = c.Values[m]
	}
	return name("File", source.TypeFile), line, name("Binary", source.TypeBinary)
}
