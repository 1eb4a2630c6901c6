package viz

import (
	"encoding/csv"
	"io"
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
