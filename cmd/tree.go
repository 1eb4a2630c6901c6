package cmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/cct"
)

func newTree() *cobra.Command {
	var look lookFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "tree FILE",
		Short: "Print the calling context tree",
		Long: `tree prints the calling context tree, callees by falling total of the first
metric (or of --metric), then by name. The ids it prints are what --focus takes,
here and elsewhere; they name the same context under every combination of flags.`,
		Example: `  cambium tree cpu.pb.gz --depth 4
  cambium tree cpu.pb.gz --focus 1234 --no-recursion --json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			l, err := look.look()
			if err != nil {
				return err
			}
			w, err := loadTree(c.Context(), args[0], l)
			if err != nil {
				return err
			}
			v, metric, err := w.View(c.Context(), l)
			if err != nil {
				return err
			}
			if look.metric == "" {
				metric = 0
			}
			out := bufio.NewWriterSize(c.OutOrStdout(), 1<<20)
			if asJSON {
				err = printTreeJSON(out, v, metric, look.metric != "")
			} else {
				err = printTree(out, v, w.Whole(c.Context(), v, l), metric)
			}
			if err != nil {
				return err
			}
			return out.Flush()
		},
	}
	look.add(c)
	look.addFilter(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON per context")
	return c
}

// walk visits the nodes of a view in pre-order, callees by falling total of
// the metric, then by name. It keeps its own stack: depth is data.
func walk(v cct.View, metric int, visit func(n cct.NodeID) error) error {
	if metric == 0 {
		// That is the order of the rows.
		for n := v.Root; n < v.End[v.Root]; {
			if err := visit(n); err != nil {
				return err
			}
			if n++; n < v.End[v.Root] && !v.Shows(n) {
				for n < v.End[v.Root] && !v.Shows(n) {
					n = v.End[n]
				}
			}
		}
		return nil
	}
	stack := []cct.NodeID{v.Root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := visit(n); err != nil {
			return err
		}
		first := len(stack)
		for _, c := range v.Sorted(metric, n) {
			if v.Shows(c) {
				stack = append(stack, c)
			}
		}
		for i, j := first, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
	}
	return nil
}

func printTreeJSON(out *bufio.Writer, v cct.View, metric int, only bool) error {
	keys := make([]string, len(v.Metrics))
	for m, metric := range v.Metrics {
		keys[m] = jsonString(metric.Name) + ":"
	}
	var line []byte
	return walk(v, metric, func(n cct.NodeID) error {
		parent := int64(-1)
		if n != v.Root {
			parent = int64(v.ID(v.Parent[n]))
		}
		line = fmt.Appendf(line[:0], `{"id":%d,"parent":%d,"depth":%d,"name":`, v.ID(n), parent, v.Depth[n]-v.Depth[v.Root])
		line = append(line, jsonString(v.Name(n))...)
		for i, column := range [][][]int64{v.Self, v.Total} {
			line = append(line, []string{`,"self":{`, `},"total":{`}[i]...)
			comma := false
			for m := range v.Metrics {
				if only && m != metric {
					continue
				}
				if comma {
					line = append(line, ',')
				}
				comma = true
				line = append(line, keys[m]...)
				line = fmt.Appendf(line, "%d", column[m][n])
			}
		}
		line = append(line, "}}\n"...)
		_, err := out.Write(line)
		return err
	})
}

func printTree(out io.Writer, v cct.View, all *cct.Tree, metric int) error {
	unit, whole := string(v.Metrics[metric].Unit), all.Total[metric][cct.Root]
	fmt.Fprintf(out, "%10s %12s %7s %12s  %s\n", "id", "total", "", "self", printable(v.Metrics[metric].Name))
	return walk(v, metric, func(n cct.NodeID) error {
		name := v.Name(n)
		if name == "" {
			name = "everything"
		}
		depth := int(v.Depth[n] - v.Depth[v.Root])
		indent := strings.Repeat("  ", min(depth, 60))
		if depth > 60 {
			indent += fmt.Sprintf("… (%d) ", depth)
		}
		_, err := fmt.Fprintf(out, "%10d %12s %7s %12s  %s%s\n", v.ID(n), quantity(v.Total[metric][n], unit),
			percent(v.Total[metric][n], whole), quantity(v.Self[metric][n], unit), indent, printable(name))
		return err
	})
}
