package viz

import (
	"context"
	"fmt"
	"slices"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
)

// The tree of a comparison of two profiles. It is that of a data set of its own:
// its contexts are those that either profile has, and its events say what each
// of them cost in A and in B. So everything that works on a data set, steps,
// searches, filters, compaction, charts of events, works on a comparison, and
// nothing of it knows.
//
// The size of a context is what it cost in A and B together. That adds up, as
// layouts need it, and makes what vanished exactly as visible as what is new.
// The larger of both, which would not, does not add up; B alone would hide what
// vanished, and the difference of both what is large and the same.

// Difference is what the tree of a comparison is made of, and what its metrics
// mean.
type Difference struct {
	Titles  [2]string        // what the profiles are called
	Metrics []ComparedMetric // those that both have; at least one
	Only    [2][]string      // names of those that only one of them has

	sides   [2]*Workspace
	trees   [2]*cct.Tree
	union   *cct.Union
	set     *data.Set
	columns []column // of its events, after the context
}

// amounts are what nodes of the sides' own trees cost themselves.
type amounts [2][][]int64 // side -> metric -> node

// column makes a column of the events, by context, of amounts of both sides.
// exact is false if a sum was cut.
type column func(of amounts) (sums []int64, exact bool)

// ComparedMetric is a metric that both profiles have. The others are metrics of
// the comparison's tree that say a part of what is known of it.
type ComparedMetric struct {
	Name       string
	Unit       data.Unit
	Both       int    // A and B together: what sizes are in proportion to
	Side       [2]int // in A, in B
	Normalised int    // the shares of both in their own totals together
	Whole      [2]int64
}

// sharesOfWhole is how many parts of its total each profile has in a normalised
// metric, whose unit they are: parts per billion.
const sharesOfWhole = 1_000_000_000

const unitShare data.Unit = "ppb"

// NewDifference joins two profiles. Names tells which of their methods are the
// same one.
func NewDifference(ctx context.Context, a, b *Workspace, names match.Names) (*Difference, error) {
	d := &Difference{Titles: [2]string{a.Set.Name, b.Set.Name}}
	sides := [2]*Workspace{a, b}
	d.sides = sides
	for side, w := range sides {
		if w.Tree == nil {
			return nil, &cct.ErrNoContexts{Set: w.Set.Name}
		}
		d.trees[side] = w.Tree
	}
	builder := data.NewBuilder(d.Titles[1]+" compared with "+d.Titles[0], "comparison")
	number, err := addMethods(builder, sides, names)
	if err != nil {
		return nil, err
	}
	if d.union, err = cct.Unite(ctx, d.trees, number); err != nil {
		return nil, err
	}
	contexts, err := builder.EntityType("Context", "a method reached along a path of callers, in A, in B or in both",
		data.Ref("Caller", "Context", "the context that called it", data.Hierarchy), data.Ref("Method", "Method", "the method"))
	if err == nil {
		err = contexts.Adopt(nil, d.union.Len(), data.Column{Refs: d.union.Parents}, data.Column{Refs: d.union.Methods})
	}
	if err != nil {
		return nil, err
	}
	if err := d.addCosts(builder); err != nil {
		return nil, err
	}
	d.set, err = builder.Finish()
	return d, err
}

// Workspace makes the workspace of a difference.
func (d *Difference) Workspace(ctx context.Context) (*Workspace, error) {
	w, err := NewWorkspace(ctx, d.set)
	if err == nil {
		w.Difference = d
	}
	return w, err
}

// addMethods adds the methods of both sides, each name once, with the place that
// the first one to have it knows. It gives the number of each side's methods.
func addMethods(b *data.Builder, sides [2]*Workspace, names match.Names) (number [2][]data.EntityID, err error) {
	files, err := b.EntityType("File", "a source file")
	if err != nil {
		return number, err
	}
	binaries, err := b.EntityType("Binary", "what was loaded")
	if err != nil {
		return number, err
	}
	methods, err := b.EntityType("Method", "a function", data.Ref("File", "File", "where it is"), data.Value("Line", "", "where it begins"), data.Ref("Binary", "Binary", "what it was loaded from"))
	if err != nil {
		return number, err
	}
	for side, w := range sides {
		table, program := w.Tree.Methods, w.Program()
		lines, _ := table.Column("Line")
		of := make([]data.EntityID, table.Rows())
		for m := range of {
			file, line, binary := data.None, int64(0), data.None
			if name := mention(w.Set, table, "File", m); name != "" {
				if file, err = files.Intern(name); err != nil {
					return number, err
				}
			}
			if name := mention(w.Set, table, "Binary", m); name != "" {
				if binary, err = binaries.Intern(name); err != nil {
					return number, err
				}
			}
			if lines.Values != nil {
				line = lines.Values[m]
			}
			name := names.Of(match.Side(side), program.Names[m].Language, table.Names[m])
			if of[m], err = methods.Intern(name, int64(file), line, int64(binary)); err != nil {
				return number, err
			}
		}
		number[side] = of
	}
	return number, nil
}

// addCosts adds an event per context that cost something: metrics of the same
// name and unit are one, with what it was on either side beside it.
func (d *Difference) addCosts(b *data.Builder) error {
	a, c := d.trees[0], d.trees[1]
	fields := []data.Field{data.Ref("Context", "Context", "the calling context")}
	add := func(name string, unit data.Unit, description string, make column, properties ...data.Property) int {
		for slices.ContainsFunc(fields, func(f data.Field) bool { return f.Name == name }) {
			name += "′" // a profile has a metric that is called as one of ours
		}
		fields = append(fields, data.Value(name, unit, description, append(properties, data.Amount)...))
		d.columns = append(d.columns, make)
		return len(d.columns) - 1
	}
	joined := make([]bool, len(c.Metrics))
	for i, m := range a.Metrics {
		k := slices.IndexFunc(c.Metrics, func(other cct.Metric) bool { return other.Name == m.Name && other.Unit == m.Unit })
		if k < 0 {
			d.Only[0] = append(d.Only[0], m.Name)
			add(m.Name+" (only A)", m.Unit, "B has no metric of this name and unit. "+m.Description, d.sum(0, i))
			continue
		}
		joined[k] = true
		var recommended []data.Property
		if i == a.Preferred {
			recommended = []data.Property{"preferred"}
		}
		d.Metrics = append(d.Metrics, ComparedMetric{
			Name: m.Name, Unit: m.Unit, Whole: [2]int64{a.Total[i][cct.Root], c.Total[k][cct.Root]},
			Both:       add(m.Name, m.Unit, "in A and in B together, so that what vanished is as large as what is new. "+m.Description, d.both(i, k), recommended...),
			Normalised: add(m.Name+", normalised", unitShare, "the share in all of A and the share in all of B, together", d.shares(i, k)),
			Side:       [2]int{add(m.Name+" in A", m.Unit, m.Description, d.sum(0, i)), add(m.Name+" in B", m.Unit, m.Description, d.sum(1, k))},
		})
	}
	for k, m := range c.Metrics {
		if !joined[k] {
			d.Only[1] = append(d.Only[1], m.Name)
			add(m.Name+" (only B)", m.Unit, "A has no metric of this name and unit. "+m.Description, d.sum(1, k))
		}
	}
	if len(d.Metrics) == 0 {
		return fmt.Errorf("%s has %s, and %s has %s: there is no metric of one name and unit to compare",
			d.Titles[0], metricNames(a), d.Titles[1], metricNames(c))
	}
	return d.addEvents(b, fields)
}

// addEvents adds an event per context that cost something.
func (d *Difference) addEvents(b *data.Builder, fields []data.Field) error {
	events, err := b.EventType("Cost", "what a context itself cost in A and in B", fields...)
	if err != nil {
		return err
	}
	rows, columns, exact := d.rows(amounts{d.trees[0].Self, d.trees[1].Self})
	if !exact {
		b.Warn("sums left the range of 64 bits and were cut there")
	}
	return events.Adopt(rows, columns...)
}

// rows makes the columns of the events of some amounts: those rows, by context,
// that are not all zero.
func (d *Difference) rows(of amounts) (rows int, kept []data.Column, exact bool) {
	exact = true
	columns := make([][]int64, len(d.columns))
	for i, make := range d.columns {
		whole := false
		columns[i], whole = make(of)
		exact = exact && whole
	}
	at := []data.EntityID{}
	kept = make([]data.Column, 1+len(columns))
	for c := range d.union.Len() + 1 {
		if !slices.ContainsFunc(columns, func(column []int64) bool { return column[c] != 0 }) {
			continue
		}
		context := data.EntityID(c)
		if c == d.union.Len() {
			context = data.None
		}
		at = append(at, context)
		for _, column := range columns {
			column[rows] = column[c]
		}
		rows++
	}
	kept[0].Refs = at
	for i, column := range columns {
		kept[i+1].Values = column[:rows]
	}
	return rows, kept, exact
}

// sum gives what the nodes of a side have of a metric, by context; the last row is
// what was measured with an empty stack.
func (d *Difference) sum(side, metric int) column {
	return func(of amounts) ([]int64, bool) {
		sums := make([]int64, d.union.Len()+1)
		exact := d.union.Add(side, of[side][metric], sums)
		return sums, exact
	}
}

// both adds up a metric of A and one of B.
func (d *Difference) both(a, b int) column {
	return func(of amounts) ([]int64, bool) {
		sums, exactA := d.sum(0, a)(of)
		exactB := d.union.Add(1, of[1][b], sums)
		return sums, exactA && exactB
	}
}

// shares adds up the shares that each side has in all of its own, whatever part of
// it is asked for.
func (d *Difference) shares(a, b int) column {
	return func(of amounts) ([]int64, bool) {
		sums := make([]int64, d.union.Len()+1)
		for side, metric := range [2]int{a, b} {
			d.union.Add(side, cct.SharesOf(of[side][metric], d.trees[side].Total[metric][cct.Root], sharesOfWhole), sums)
		}
		return sums, true
	}
}

// Compared finds what a metric of the tree is of. ok is false of one that only
// one profile has.
func (d *Difference) Compared(metric int) (m ComparedMetric, normalised, ok bool) {
	for _, m := range d.Metrics {
		if metric == m.Both || metric == m.Normalised || metric == m.Side[0] || metric == m.Side[1] {
			return m, metric == m.Normalised, true
		}
	}
	return m, false, false
}
