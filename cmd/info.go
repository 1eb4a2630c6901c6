package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/viz"
)

type infoMetric struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Total int64  `json:"total"`
}

type info struct {
	Format   string         `json:"format"`
	Metrics  []infoMetric   `json:"metrics"`
	Methods  int            `json:"methods"`
	Contexts int            `json:"contexts"`
	MaxDepth int            `json:"max_depth"`
	Calls    int            `json:"calls"`
	Threads  int            `json:"threads"`
	Events   map[string]int `json:"events"`
	Warnings []string       `json:"warnings"`
}

func newInfo() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "info FILE",
		Short:   "Tell what is in a file",
		Example: "  cambium info cpu.pb.gz --json",
		Args:    oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			w, err := load(c.Context(), args[0])
			if err != nil {
				return err
			}
			i, err := infoOf(c.Context(), w)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), i)
			}
			return printInfo(c, args[0], i)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func infoOf(ctx context.Context, w *viz.Workspace) (info, error) {
	i := info{Format: w.Set.Format, Metrics: []infoMetric{}, Events: map[string]int{}, Warnings: warnings(w)}
	for _, e := range w.Set.Events() {
		i.Events[e.Definition.Name] = e.Rows()
	}
	i.Calls = i.Events["Call"]
	for _, e := range w.Set.Entities() {
		if strings.EqualFold(e.Definition.Name, "thread") {
			i.Threads = max(i.Threads, e.Rows())
		}
	}
	if t := w.Tree; t != nil {
		for m, metric := range t.Metrics {
			i.Metrics = append(i.Metrics, infoMetric{metric.Name, string(metric.Unit), t.Total[m][cct.Root]})
		}
		i.Methods, i.Contexts, i.MaxDepth = t.Methods.Rows(), t.Contexts(), int(t.Height[cct.Root])
	} else if err := i.ofEvents(ctx, w.Set); err != nil {
		return i, err
	}
	return i, nil
}

// ofEvents tells of a data set without calling contexts what its events amount
// to, and how many methods they refer to. (The table of methods may have more:
// those that only other entities mention.)
func (i *info) ofEvents(ctx context.Context, set *data.Set) error {
	methods := set.Entity(source.TypeMethod)
	var seen []bool
	if methods != nil {
		i.Methods = methods.Rows()
		seen = make([]bool, methods.Rows())
	}
	for _, e := range set.Events() {
		var paths []data.Path
		for _, p := range set.Paths(e.Definition) {
			if p.Direct() && (p.Field.Refers == source.TypeMethod || p.Field.Has(data.Amount)) && !p.IsCount() {
				paths = append(paths, p)
			}
		}
		if len(paths) == 0 {
			continue
		}
		totals := make([]int64, len(paths))
		err := e.Read(ctx, paths, func(b data.Batch) error {
			for at, c := range b.Columns {
				for _, m := range c.Refs {
					if m != data.None {
						seen[m] = true
					}
				}
				for _, v := range c.Values {
					totals[at] += v
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for at, p := range paths {
			if !p.Field.IsReference() {
				i.Metrics = append(i.Metrics, infoMetric{p.Field.Name, string(p.Field.Unit), totals[at]})
			}
		}
	}
	if n := count(seen); n > 0 {
		i.Methods = n
	}
	return nil
}

func count(marks []bool) int {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

func printInfo(c *cobra.Command, name string, i info) error {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s: %s\n", printable(displayName(name)), printable(i.Format))
	for _, m := range i.Metrics {
		fmt.Fprintf(out, "  %-24s %s\n", printable(m.Name), quantity(m.Total, m.Unit))
	}
	fmt.Fprintf(out, "  %-24s %d\n  %-24s %d\n  %-24s %d\n", "methods", i.Methods, "contexts", i.Contexts, "max depth", i.MaxDepth)
	if i.Threads > 0 {
		fmt.Fprintf(out, "  %-24s %d\n", "threads", i.Threads)
	}
	for _, name := range slices.Sorted(maps.Keys(i.Events)) {
		fmt.Fprintf(out, "  %-24s %d\n", "events: "+printable(name), i.Events[name])
	}
	return nil
}
