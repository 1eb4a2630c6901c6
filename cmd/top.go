package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/viz"
)

type topRow struct {
	Method string `json:"method"`
	Self   int64  `json:"self"`
	Total  int64  `json:"total"`
}

func newTop() *cobra.Command {
	var metric, by string
	var n int
	var asJSON bool
	c := &cobra.Command{
		Use:   "top FILE",
		Short: "List the methods that cost most",
		Long:  "top lists the methods that cost most. A method's total counts a recursive call once.",
		Example: `  cambium top cpu.pb.gz
  cambium top heap.pb.gz --metric inuse_space --by total -n 50 --json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if by != "self" && by != "total" {
				return usagef("--by %q: expected self or total", by)
			}
			w, err := loadTree(c.Context(), args[0], viz.Look{Metric: metric})
			if err != nil {
				return err
			}
			_, m, err := w.View(viz.Look{Metric: metric})
			if err != nil {
				return err
			}
			costs := cct.Methods(w.Tree, cct.Root, m)
			cct.SortMethods(w.Tree, costs, by == "total")
			if n > 0 && len(costs) > n {
				costs = costs[:n]
			}
			rows := make([]topRow, len(costs))
			for i, cost := range costs {
				rows[i] = topRow{w.Tree.Methods.NameOf(cost.Method), cost.Self, cost.Total}
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), rows)
			}
			unit, whole := string(w.Tree.Metrics[m].Unit), w.Tree.Total[m][cct.Root]
			out := c.OutOrStdout()
			fmt.Fprintf(out, "%s: %s\n%12s %7s %12s %7s  method\n", printable(w.Tree.Metrics[m].Name), quantity(whole, unit), "self", "", "total", "")
			for _, r := range rows {
				fmt.Fprintf(out, "%12s %7s %12s %7s  %s\n", quantity(r.Self, unit), percent(r.Self, whole), quantity(r.Total, unit), percent(r.Total, whole), printable(r.Method))
			}
			return nil
		},
	}
	c.Flags().StringVar(&metric, "metric", "", "the metric (default: the one the file prefers)")
	c.Flags().StringVar(&by, "by", "self", "order by self or total")
	offer(c, "by", "self", "total")
	c.Flags().IntVarP(&n, "number", "n", 20, "how many methods; 0 is all")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}
