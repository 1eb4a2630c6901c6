package server

import (
	"encoding/binary"
	"math"
	"testing"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	_ "github.com/cambium-prof/cambium/viz/icicle"
	_ "github.com/cambium-prof/cambium/viz/treetable"
)

// TestBoxes checks that the page gets boxes as sectors that are unrolled.
func TestBoxes(t *testing.T) {
	r, d := sqlite(t)
	for _, direction := range []string{"down", "up"} {
		s := r.scene(&v1.GetSceneRequest{Look: &v1.Look{DataSet: d.Id}, View: "icicle", Width: 640, Height: 480, Highlight: "btree", Params: map[string]string{"direction": direction}})
		sec := s.Sectors
		n := len(sec.Kind)
		for name, size := range map[string][2]int{
			"id": {len(sec.Id), 4 * n}, "r0": {len(sec.R0), 4 * n}, "r1": {len(sec.R1), 4 * n}, "a0": {len(sec.A0), 4 * n}, "a1": {len(sec.A1), 4 * n},
			"fill": {len(sec.Fill), 4 * n}, "ink": {len(sec.Ink), 4 * n}, "method": {len(sec.Method), 4 * n}, "count": {len(sec.Count), 4 * n},
			"self": {len(sec.Self), 8 * n}, "total": {len(sec.Total), 8 * n}, "label": {len(sec.Label), n}, "match": {len(sec.Match), n},
		} {
			if size[0] != size[1] {
				t.Errorf("%d boxes, but %s takes %d bytes, not %d", n, name, size[0], size[1])
			}
		}
		at := func(column []byte, i int) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(column[4*i:]))
		}
		if at(sec.R0, 0) != 0 || at(sec.A0, 0) != 0 || at(sec.A1, 0) != 640 || at(sec.R1, 0) > 22 {
			t.Errorf("%s: the root is at %g to %g", direction, at(sec.R0, 0), at(sec.R1, 0))
		}
		want := map[string]v1.Sectors_Shape{"down": v1.Sectors_SHAPE_DOWN, "up": v1.Sectors_SHAPE_UP}[direction]
		if sec.Shape != want || s.Rects != nil || sec.MetricTotal == 0 || direction == "up" && sec.Cy != 480 {
			t.Errorf("%s: the shape is %v, from %g", direction, sec.Shape, sec.Cy)
		}
	}
}

// TestTreeRows asks for rows in the middle, alone and among panels.
func TestTreeRows(t *testing.T) {
	r, d := sqlite(t)
	q := &v1.GetSceneRequest{Look: &v1.Look{DataSet: d.Id}, View: "treetable", Width: 640, Height: 480, First: 5, Params: map[string]string{"levels": "100", "sort": "name"}}
	table := r.scene(q).Table
	if !table.Tree || table.First != 5 || len(table.Rows) != 21 || table.Total != d.Contexts+1 {
		t.Fatalf("%d rows from %d of %d", len(table.Rows), table.First, table.Total)
	}
	for i, row := range table.Rows {
		if row.Depth == 0 || row.Parent < 0 || row.Parent >= table.First+int64(i) || row.Sibling < 1 || row.Sibling > row.Siblings || row.Expanded && !row.Expandable || len(row.Cells) != len(table.Columns) {
			t.Errorf("row %d is %v", i, row)
		}
	}
	if c := table.Columns[0]; c.Sort != "-name" || c.Sorted != v1.TableColumn_ORDER_RISING || table.Columns[2].Sort != "" {
		t.Errorf("the columns are %v", table.Columns)
	}
	q.First = -7
	if first := r.scene(q).Table.Rows[0]; first.Parent != -1 || first.Depth != 0 || first.Cells[0] != "everything" {
		t.Errorf("the first row is %v", first)
	}
}
