package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/viz"
)

type topRow struct {
	Method string `json:"method"`
	Self   int64  `json:"self"`
	Total  int64  `json:"total"`
}

func newTop() *cobra.Command {
	var metric, by, steps, filter string
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
			l := viz.Look{Metric: metric, Filter: filter, Steps: steps}
			if _, err := query.ParsePipeline(steps); err != nil {
				return usageError{err}
			}
			w, err := loadTree(c.Context(), args[0], l)
			if err != nil {
				return err
			}
			v, m, err := w.View(c.Context(), l)
			if err != nil {
				return err
			}
			costs := cct.Methods(v.Tree, v.Root, m)
			cct.SortMethods(v.Tree, costs, by == "total")
			if n > 0 && len(costs) > n {
				costs = costs[:n]
			}
			rows := make([]topRow, len(costs))
			for i, cost := range costs {
				rows[i] = topRow{v.Methods.NameOf(cost.Method), cost.Self, cost.Total}
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), rows)
			}
			unit, whole := string(v.Metrics[m].Unit), w.Whole(c.Context(), v, l).Total[m][cct.Root]
			out := c.OutOrStdout()
			fmt.Fprintf(out, "%s: %s\n%12s %7s %12s %7s  method\n", printable(v.Metrics[m].Name), quantity(whole, unit), "self", "", "total", "")
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
	c.Flags().StringVar(&steps, "steps", "", "a pipeline first, such as focus:12,norec")
	c.Flags().StringVar(&filter, "filter", "", "only what the events for which this `EXPRESSION` holds cost, before all steps")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}
