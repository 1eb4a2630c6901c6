package cmd

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
)

func newCompact() *cobra.Command {
	var look lookFlags
	var level, explain int
	var sets []string
	var do string
	var asJSON bool
	c := &cobra.Command{
		Use:   "compact FILE",
		Short: "Print the tree at a higher level of abstraction",
		Long: `compact prints the calling context tree with methods merged into classes and
packages. The level of a context is how many elements of its name are shown:
package parts, class, method. Contexts that are close in the tree and begin
alike, as far as their names are shown, become one node.`,
		Example: `  cambium compact cpu.pb.gz
  cambium compact cpu.pb.gz --level 2 --set 17=4 --json
  cambium compact cpu.pb.gz --explain 40
  cambium compact cpu.pb.gz --do 'expand:12;expand-package:java.util'`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case level < 1:
				return usagef("--level %d: expected a number from 1", level)
			case c.Flags().Changed("explain") && explain < 1:
				return usagef("--explain %d: expected a number from 1", explain)
			case c.Flags().Changed("explain") && c.Flags().Changed("level"):
				return usagef("--explain chooses the levels: leave --level out")
			}
			levels, err := parseLevels(sets)
			if err != nil {
				return err
			}
			actions, err := compact.ParseActions(do)
			if err != nil {
				return usagef("--do: %w", err)
			}
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
			t := compact.New(v.Tree, v.Root, compact.NewNames(v.Methods, w.ProgramOf(v.Tree).Names), level)
			if explain > 0 {
				t = t.Explain(explain, metric)
			}
			for id := range levels {
				if _, ok := t.LevelOf(id); !ok || id == cct.Root && t.Level(cct.Root) == 0 {
					return fmt.Errorf("--set %d=%d: there is no such context", id, levels[id])
				}
			}
			t = t.Set(levels)
			for _, a := range actions {
				if t, err = t.Apply(a); err != nil {
					return fmt.Errorf("%s: %w", a, err)
				}
			}
			if look.metric == "" {
				metric = 0
			}
			shown := cct.View{Tree: t.Tree, Root: cct.Root, Layers: v.Layers}
			out := bufio.NewWriterSize(c.OutOrStdout(), 1<<20)
			if asJSON {
				err = printCompactJSON(out, t, shown, metric, look.metric != "")
			} else {
				err = printCompact(out, t, shown, w.Whole(c.Context(), v, l), metric)
			}
			if err != nil {
				return err
			}
			return out.Flush()
		},
	}
	look.add(c)
	look.addFilter(c)
	c.Flags().IntVar(&level, "level", 1, "show `N` elements of all names")
	c.Flags().StringArrayVar(&sets, "set", nil, "show LEVEL elements of one context's name, as `NODE=LEVEL`; 0 shows it as part of its caller (repeatable)")
	c.Flags().IntVar(&explain, "explain", 0, "choose levels so that `K` nodes tell most about where the metric goes")
	c.Flags().StringVar(&do, "do", "", "then take these `ACTIONS`, such as expand:12;compact-package:java")
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON per node")
	return c
}

// parseLevels reads the values of --set; the last one for a context holds.
func parseLevels(sets []string) (map[cct.NodeID]int, error) {
	levels := map[cct.NodeID]int{}
	for _, text := range sets {
		node, level, ok := strings.Cut(text, "=")
		id, err := strconv.ParseUint(node, 10, 32)
		n, err2 := strconv.Atoi(level)
		if !ok || err != nil || err2 != nil || n < 0 {
			return nil, usagef("--set %q: expected NODE=LEVEL, such as 17=3", text)
		}
		levels[cct.NodeID(id)] = n
	}
	return levels, nil
}

func printCompactJSON(out *bufio.Writer, t *compact.Tree, v cct.View, metric int, only bool) error {
	keys := make([]string, len(t.Metrics))
	for m, metric := range t.Metrics {
		keys[m] = jsonString(metric.Name) + ":"
	}
	start, members := t.AllMembers()
	var line []byte
	return walk(v, metric, func(n cct.NodeID) error {
		parent := int64(-1)
		if n != v.Root {
			parent = int64(t.ID(t.Parent[n]))
		}
		line = fmt.Appendf(line[:0], `{"id":%d,"parent":%d,"name":%s,"level":%d,"members":[`, t.ID(n), parent, jsonString(t.Name(n)), t.Level(n))
		for i, id := range members[start[n]:start[n+1]] {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendUint(line, uint64(id), 10)
		}
		line = append(line, `],"total":{`...)
		comma := false
		for m := range t.Metrics {
			if only && m != metric {
				continue
			}
			if comma {
				line = append(line, ',')
			}
			comma = true
			line = append(line, keys[m]...)
			line = strconv.AppendInt(line, t.Total[m][n], 10)
		}
		line = append(line, "}}\n"...)
		_, err := out.Write(line)
		return err
	})
}

func printCompact(out io.Writer, t *compact.Tree, v cct.View, all *cct.Tree, metric int) error {
	unit, whole := string(t.Metrics[metric].Unit), all.Total[metric][cct.Root]
	fmt.Fprintf(out, "%10s %12s %7s %12s %8s  %s: %d nodes\n", "id", "total", "", "self", "contexts", printable(t.Metrics[metric].Name), t.Nodes())
	return walk(v, metric, func(n cct.NodeID) error {
		name := t.Name(n)
		if t.Level(n) == 0 {
			name = "everything"
		}
		depth := int(t.Depth[n])
		indent := strings.Repeat("  ", min(depth, 60))
		if depth > 60 {
			indent += fmt.Sprintf("… (%d) ", depth)
		}
		_, err := fmt.Fprintf(out, "%10d %12s %7s %12s %8d  %s%s\n", t.ID(n), quantity(t.Total[metric][n], unit), percent(t.Total[metric][n], whole),
			quantity(t.Self[metric][n], unit), t.MergedInto(n), indent, printable(name))
		return err
	})
}
