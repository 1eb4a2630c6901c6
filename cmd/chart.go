package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// chartFlags are the flags that say which events a chart shows, and how.
type chartFlags struct {
	subject string
	fields  []string
	sorts   []string
	filter  string
	period  string
	pair    pairFlags
}

func (f *chartFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.subject, "subject", "", "the `TYPE` of event to show (default: the first that fits)")
	c.Flags().StringArrayVar(&f.fields, "map", nil, "map a field to a dimension of the chart, as `DIMENSION=FIELD` (repeatable; the rest by default)")
	c.Flags().StringArrayVar(&f.sorts, "sort", nil, "a sorting `SCHEME` for all axes, or DIMENSION=SCHEME: "+schemeNames())
	c.Flags().StringVar(&f.period, "period", "", "the part of the x axis to show, as `FROM..TO`: in its unit, or of a timeline a time from the start, such as 10ms..25ms")
	f.pair.add(c)
	c.Flags().StringVar(&f.filter, "filter", "", "only events for which this `EXPRESSION` holds, such as 'Method == \"main\" and not (Thread == \"gc\")'")
}

func schemeNames() string {
	var names []string
	for _, s := range viz.Schemes() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// pairs reads repeated flags of the form NAME=VALUE.
func pairs(flag string, given []string) (map[string]string, error) {
	values := map[string]string{}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usagef("--%s %q: expected NAME=VALUE", flag, text)
		}
		if _, twice := values[name]; twice {
			return nil, usagef("--%s %s is given twice", flag, name)
		}
		values[name] = value
	}
	return values, nil
}

// spec gives what the flags ask for.
func (f *chartFlags) spec(view string, params map[string]string) (viz.ChartSpec, error) {
	spec := viz.ChartSpec{View: view, Subject: f.subject, Params: params}
	var err error
	if spec.Map, err = pairs("map", f.fields); err != nil || f.period == "" {
		return spec, err
	}
	spec.Period, err = readPeriod(f.period, view)
	return spec, err
}

// readPeriod reads a part of an axis.
func readPeriod(text, view string) (*viz.Period, error) {
	factory, err := viz.Find(view)
	if err != nil {
		return nil, usageError{err}
	}
	if factory.Definition.Trace {
		p, err := parsePeriod(text)
		if err != nil {
			return nil, usagef("--period %q: %v", text, err)
		}
		return p, nil
	}
	from, to, ok := strings.Cut(text, "..")
	a, err1 := strconv.ParseInt(from, 10, 64)
	b, err2 := strconv.ParseInt(to, 10, 64)
	if !ok || err1 != nil || err2 != nil || b < a {
		return nil, usagef("--period %q: expected two whole numbers with .. between them, such as 1000..5000", text)
	}
	return &viz.Period{From: a, To: b}, nil
}

// sort gives the scheme per dimension.
func (f *chartFlags) sort(d viz.Definition) (map[string]string, error) {
	sort := map[string]string{}
	for _, text := range f.sorts {
		dimension, scheme, one := strings.Cut(text, "=")
		if !one {
			scheme = text
		}
		if _, err := viz.FindScheme(scheme); err != nil {
			return nil, usageError{err}
		}
		if one {
			sort[dimension] = scheme
			continue
		}
		for _, dim := range d.Dimensions {
			if sort[dim.Name] == "" {
				sort[dim.Name] = scheme
			}
		}
	}
	return sort, nil
}

// openChart reads a file, or those of a comparison, and feeds one chart.
func (f *chartFlags) openChart(c *cobra.Command, files []string, factory viz.Factory, params map[string]string) (*viz.OpenChart, viz.View, viz.Shared, error) {
	shared := viz.Shared{Filter: f.filter}
	v := viz.View{}
	spec, err := f.spec(factory.Definition.Name, params)
	if err != nil {
		return nil, v, shared, err
	}
	if v.Sort, err = f.sort(factory.Definition); err != nil {
		return nil, v, shared, err
	}
	var w *viz.Workspace
	if factory.Definition.Pair {
		if shared.Pairing, err = f.pair.pairing(len(files)); err != nil {
			return nil, v, shared, err
		}
		w, err = loadPair(c.Context(), f.pair, files)
	} else {
		w, err = load(c.Context(), files[0])
	}
	if err != nil {
		return nil, v, shared, err
	}
	open, err := w.Charts(c.Context(), []viz.ChartSpec{spec}, shared, nil)
	if err != nil {
		return nil, v, shared, fmt.Errorf("%s: %w", files[0], err)
	}
	return open[0], v, shared, nil
}

// scene draws the chart.
func (f *chartFlags) scene(c *cobra.Command, files []string, factory viz.Factory, r viz.Request) (*scene.Scene, error) {
	open, v, shared, err := f.openChart(c, files, factory, r.Params)
	if err != nil {
		return nil, err
	}
	v.Viewport, v.Dark = r.Viewport, r.Dark
	return open.Scene(v, shared)
}

func newChart() *cobra.Command {
	var chart chartFlags
	var view string
	var params []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "chart FILE --viz NAME",
		Short: "Print what a chart of events shows, in numbers",
		Long: `chart feeds a chart with the events of a file and prints what it shows: for bars
and tables a value per entity, for charts of cells the rows and, for every cell
that has something, its column, row and value. Columns count intervals of the x
axis from x0, which is a multiple of the interval.

What is not mapped gets a default. The charts are ` + chartNames() + `.`,
		Example: `  cambium chart run.evolve --viz bar --subject Invocation --map y=Location --map x=count --json
  cambium chart run.evolve --viz hotspot --map x=Bytecode --map y=Location --param interval=1000 --sort temporal --json
  cambium chart run.evolve --viz prediction --map x=Bytecode --map y=Location --map prediction=Method --param predictor=one-bit --json
  cambium chart cpu.pb.gz --viz bar --map y=Package --filter 'Binary == "libc.so.6"'`,
		Args: func(c *cobra.Command, args []string) error { return filesOf(c, view, args) },
		RunE: func(c *cobra.Command, args []string) error {
			if view == "" {
				return usagef("which chart? --viz is one of %s", chartNames())
			}
			factory, err := viz.Find(view)
			if err != nil {
				return usageError{err}
			}
			if factory.Definition.Tree {
				return usagef("--viz %s draws a calling context tree: see cambium layout and cambium tree", view)
			}
			values, err := pairs("param", params)
			if err != nil {
				return err
			}
			if values, err = factory.Definition.CheckParams(values); err != nil {
				return usageError{err}
			}
			open, v, shared, err := chart.openChart(c, args, factory, values)
			if err != nil {
				return err
			}
			answer, err := open.Answer(v, shared)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), answer)
			}
			return printAnswer(c.OutOrStdout(), answer)
		},
	}
	chart.add(c)
	c.Flags().StringVar(&view, "viz", "", "the chart: "+chartNames())
	c.Flags().StringArrayVar(&params, "param", nil, "a parameter of the chart, as `NAME=VALUE` (repeatable)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON value")
	return c
}

func chartNames() string {
	var names []string
	for _, f := range viz.All() {
		if !f.Definition.Tree {
			names = append(names, f.Definition.Name)
		}
	}
	return strings.Join(names, ", ")
}

// printAnswer writes lines of fields with tabs between: an entity and its
// value, or where a cell starts, its row and its value.
func printAnswer(out io.Writer, answer any) error {
	switch a := answer.(type) {
	case []viz.Value:
		for _, v := range a {
			if _, err := fmt.Fprintf(out, "%d\t%s\n", v.Value, v.Entity); err != nil {
				return err
			}
		}
		return nil
	case viz.Celled:
		g := a.Grid()
		for _, cell := range g.Cells {
			column := fmt.Sprint(g.X0 + cell[0]*g.Interval)
			if g.Columns != nil {
				column = g.Columns[cell[0]]
			}
			if _, err := fmt.Fprintf(out, "%d\t%s\t%s\n", cell[2], column, g.Rows[cell[1]]); err != nil {
				return err
			}
		}
		return nil
	}
	return json.NewEncoder(out).Encode(answer)
}
