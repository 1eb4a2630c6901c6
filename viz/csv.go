package viz

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/cambium-prof/cambium/cct"
)

// WriteCSV writes the contexts that a view shows, in the order of the tree: a
// row each with its id, its caller's, its depth below the view's root, its
// name, and self and total of every metric.
func WriteCSV(w io.Writer, v cct.View) error {
	out := csv.NewWriter(w)
	row := []string{"id", "parent", "depth", "name"}
	for _, m := range v.Metrics {
		row = append(row, "self "+m.Name, "total "+m.Name)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for n := v.Root; n < v.End[v.Root]; n++ {
		if !v.Shows(n) {
			continue
		}
		parent := "-1"
		if n != v.Root {
			parent = strconv.FormatUint(uint64(v.ID(v.Parent[n])), 10)
		}
		row = append(row[:0], strconv.FormatUint(uint64(v.ID(n)), 10), parent,
			strconv.Itoa(int(v.Depth[n]-v.Depth[v.Root])), v.Name(n))
		for m := range v.Metrics {
			row = append(row, strconv.FormatInt(v.Self[m][n], 10), strconv.FormatInt(v.Total[m][n], 10))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteAnswerCSV writes what a chart of events says in numbers: of bars and
// tables a row per entity, of grids one per cell, with where the cell begins.
// Any other list is written with a column for each thing its elements have.
func WriteAnswerCSV(w io.Writer, answer any) error {
	out := csv.NewWriter(w)
	put := func(row ...string) { out.Write(row) } // the writer keeps its first error
	switch a := answer.(type) {
	case []Value:
		put("entity", "value")
		for _, v := range a {
			put(v.Entity, strconv.FormatInt(v.Value, 10))
		}
	case Celled:
		g := a.Grid()
		put("column", "row", "value")
		for _, c := range g.Cells {
			column := strconv.FormatInt(g.X0+c[0]*g.Interval, 10)
			if g.Columns != nil {
				column = g.Columns[c[0]]
			}
			put(column, g.Rows[c[1]], strconv.FormatInt(c[2], 10))
		}
	default:
		if err := writeListCSV(put, answer); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func writeListCSV(put func(...string), answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return fmt.Errorf("what the chart shows is no list, and cannot be written as a table")
	}
	if len(list) == 0 {
		return nil
	}
	columns := slices.Sorted(maps.Keys(list[0]))
	put(columns...)
	for _, element := range list {
		var row []string
		for _, column := range columns {
			var cell string
			if json.Unmarshal(element[column], &cell) != nil {
				cell = string(element[column])
			}
			row = append(row, cell)
		}
		put(row...)
	}
	return nil
}
