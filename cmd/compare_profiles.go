package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/viz"
)

// How two profiles are compared: by method, those first that changed most.

// profileFlags are the flags of compare that are about profiles.
type profileFlags struct {
	methods    bool
	metric     string
	by         string
	limit      int
	least      float64
	normalised bool
	failAbove  string
	width      int
}

// ofTraces and ofProfiles are the flags that only one kind of comparison has.
var (
	ofTraces   = []string{"tau", "groups", "matches", "gaps", "overview", "no-cache"}
	ofProfiles = []string{"metric", "by", "limit", "least", "normalised", "fail-above", "width"}
)

func (f *profileFlags) check() error {
	switch {
	case f.by != "self" && f.by != "total":
		return usagef("--by %q: expected self or total", f.by)
	case f.limit < 0:
		return usagef("--limit %d: expected a number from 0 on", f.limit)
	case !(f.least >= 0 && f.least <= 100):
		return usagef("--least %v: expected a percentage from 0 to 100", f.least)
	case f.width != 0 && f.width < 80:
		return usagef("--width %d: expected at least 80, or 0 for no limit", f.width)
	}
	_, _, err := f.limitOfGrowth()
	return err
}

// limitOfGrowth reads --fail-above.
func (f *profileFlags) limitOfGrowth() (percent float64, given bool, err error) {
	if f.failAbove == "" {
		return 0, false, nil
	}
	percent, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(f.failAbove, "%")), 64)
	if err != nil || !(percent >= 0 && percent <= math.MaxFloat64) {
		return 0, false, usagef("--fail-above %q: expected a percentage, such as 5%%", f.failAbove)
	}
	return percent, true, nil
}

// grownError tells that --fail-above was met: an answer, not a failure.
type grownError struct{ text string }

func (e *grownError) Error() string { return e.text }

// amounts are what something was in A and in B: values of the metric, or shares
// of the whole.
type amounts [2]float64

func (a amounts) change() float64 { return a[1] - a[0] }

// changedMethod is a method that either profile has.
type changedMethod struct {
	name, short string
	self, total amounts
}

// changes is the answer.
type changes struct {
	difference *viz.Difference
	metric     viz.ComparedMetric
	normalised bool
	files      [2]string
	methods    []changedMethod // that changed enough, the most changed first
	small      int             // those that changed less
	all        []changedMethod
	sides      [2]comparedProfile
}

type comparedProfile struct {
	Name     string `json:"name"`
	Total    int64  `json:"total"`
	Methods  int    `json:"methods"`
	Contexts int    `json:"contexts"`
}

// compareProfiles prints the methods of two profiles that changed most.
func compareProfiles(ctx context.Context, out io.Writer, f *compareFlags, names match.Names, files []string, sets [2]*data.Set) error {
	var sides [2]*viz.Workspace
	for i, set := range sets {
		w, err := viz.NewWorkspace(ctx, set)
		if err != nil {
			return err
		}
		sides[i] = w
	}
	d, err := viz.NewDifference(ctx, sides[0], sides[1], names)
	if err != nil {
		return err
	}
	w, err := d.Workspace(ctx)
	if err != nil {
		return err
	}
	c := &changes{difference: d, normalised: f.profiles.normalised, files: [2]string{files[0], files[1]}}
	if c.metric, err = findMetric(d, w, f.profiles.metric); err != nil {
		return err
	}
	for i, side := range sides {
		c.sides[i] = comparedProfile{files[i], c.metric.Whole[i], side.Tree.Methods.Rows(), side.Tree.Contexts()}
	}
	c.count(w)
	c.choose(f.profiles.by == "total", f.profiles.least)
	if f.json {
		err = c.printJSON(out, &f.profiles)
	} else {
		err = c.print(out, &f.profiles)
	}
	if err != nil {
		return err
	}
	return c.grown(&f.profiles)
}

// findMetric finds the metric to compare: the one that A prefers, if B has it.
func findMetric(d *viz.Difference, w *viz.Workspace, name string) (viz.ComparedMetric, error) {
	if name == "" {
		if m, _, ok := d.Compared(w.Tree.Preferred); ok {
			return m, nil
		}
		return d.Metrics[0], nil
	}
	var known []string
	for _, m := range d.Metrics {
		if m.Name == name {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return viz.ComparedMetric{}, fmt.Errorf("there is no metric %q that both profiles have (there are %s)", name, strings.Join(known, ", "))
}

// count finds what every method was on both sides.
func (c *changes) count(w *viz.Workspace) {
	t, program := w.Tree, w.Program()
	a, b := cct.Methods(t, cct.Root, c.metric.Side[0]), cct.Methods(t, cct.Root, c.metric.Side[1])
	for i, m := range a { // the same methods have contexts in the tree of both
		c.all = append(c.all, changedMethod{
			name: t.Methods.NameOf(m.Method), short: program.Short[m.Method],
			self: c.amounts(m.Self, b[i].Self), total: c.amounts(m.Total, b[i].Total),
		})
	}
}

func (c *changes) amounts(a, b int64) amounts {
	x := amounts{float64(a), float64(b)}
	if c.normalised {
		for side, whole := range c.metric.Whole {
			x[side] /= max(float64(whole), 1)
		}
	}
	return x
}

// whole is the total of both profiles.
func (c *changes) whole() amounts { return c.amounts(c.metric.Whole[0], c.metric.Whole[1]) }

// choose leaves out what changed by less than a percentage of the larger total,
// and sorts the rest.
func (c *changes) choose(byTotal bool, least float64) {
	whole := c.whole()
	limit := max(whole[0], whole[1]) * least / 100
	for _, m := range c.all {
		switch size := max(math.Abs(m.self.change()), math.Abs(m.total.change())); {
		case size == 0:
		case size < limit:
			c.small++
		default:
			c.methods = append(c.methods, m)
		}
	}
	key := func(m changedMethod) (first, second float64) {
		first, second = math.Abs(m.self.change()), math.Abs(m.total.change())
		if byTotal {
			first, second = second, first
		}
		return first, second
	}
	slices.SortFunc(c.methods, func(x, y changedMethod) int {
		x1, x2 := key(x)
		y1, y2 := key(y)
		return cmp.Or(cmp.Compare(y1, x1), cmp.Compare(y2, x2), cmp.Compare(x.name, y.name))
	})
}

// shown is how many methods are listed.
func (c *changes) shown(f *profileFlags) []changedMethod {
	if f.limit > 0 && len(c.methods) > f.limit {
		return c.methods[:f.limit]
	}
	return c.methods
}

// text writes an amount, or a change with its sign.
func (c *changes) text(v float64, sign bool) string {
	text := ""
	if c.normalised {
		text = fmt.Sprintf("%.2f %%", 100*v)
	} else {
		text = quantity(int64(v), string(c.metric.Unit))
	}
	if sign && v > 0 {
		text = "+" + text
	}
	return text
}

// relative writes a change as a part of what was.
func relative(a amounts) string {
	switch {
	case a[0] == a[1]:
		return "="
	case a[0] == 0:
		return "new"
	case a[1] == 0:
		return "gone"
	case a[0] < 0:
		return ""
	}
	x := 100 * a.change() / a[0]
	if x >= 9999.5 {
		return ">9999 %"
	}
	return fmt.Sprintf("%+.1f %%", x)
}

func (c *changes) print(out io.Writer, f *profileFlags) error {
	var b strings.Builder
	whole := c.whole()
	for side, name := range c.files {
		fmt.Fprintf(&b, "%c: %s\n", 'A'+side, shorten(printable(displayName(name)), f.width-3))
	}
	if c.normalised {
		fmt.Fprintf(&b, "%s, as shares of %s in A and %s in B\n", printable(c.metric.Name), quantity(c.metric.Whole[0], string(c.metric.Unit)), quantity(c.metric.Whole[1], string(c.metric.Unit)))
	} else {
		fmt.Fprintf(&b, "%s: %s in A, %s in B, %s (%s)\n", printable(c.metric.Name), c.text(whole[0], false), c.text(whole[1], false), c.text(whole.change(), true), relative(whole))
	}
	for side, only := range c.difference.Only {
		if len(only) > 0 {
			fmt.Fprintf(&b, "Only %c has %s.\n", 'A'+side, printable(strings.Join(only, ", ")))
		}
	}
	rows := c.shown(f)
	const form = "%10s %10s %11s %9s  %11s %9s  %s\n"
	if len(rows) > 0 {
		fmt.Fprintf(&b, form, "self in A", "in B", "change", "", "of total", "", "method")
	}
	const columns = 10 + 1 + 10 + 1 + 11 + 1 + 9 + 2 + 11 + 1 + 9 + 2
	for _, m := range rows {
		fmt.Fprintf(&b, form, c.text(m.self[0], false), c.text(m.self[1], false), c.text(m.self.change(), true), relative(m.self),
			c.text(m.total.change(), true), relative(m.total), m.fitting(f.width-columns))
	}
	if n := len(c.methods) - len(rows); n > 0 {
		fmt.Fprintf(&b, "%s more changed less than these (--limit).\n", counted(int64(n), "method"))
	}
	if c.small > 0 {
		fmt.Fprintf(&b, "%s changed by less than %v %% of the larger total (--least).\n", counted(int64(c.small), "method"), f.least)
	}
	if len(c.methods) == 0 && c.small == 0 {
		fmt.Fprintln(&b, "No method changed.")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// fitting is the method's name in so many letters: without the package if it is
// too long, and without its middle if it still is.
func (m changedMethod) fitting(letters int) string {
	if letters > 0 && utf8.RuneCountInString(m.name) > letters {
		return shorten(printable(m.short), letters)
	}
	return printable(m.name)
}

// shorten leaves out the middle of a text that is longer than some letters; none
// are no limit.
func shorten(text string, letters int) string {
	if n := utf8.RuneCountInString(text); letters > 0 && n > letters {
		runes := []rune(text)
		head := (letters - 1) / 3
		return string(runes[:head]) + "…" + string(runes[n-(letters-1-head):])
	}
	return text
}

// changedJSON is a method of compare --json.
type changedJSON struct {
	Method string `json:"method"`
	State  string `json:"state"` // new, gone or changed
	Self   [2]any `json:"self"`  // in A and in B
	Total  [2]any `json:"total"`
}

func (c *changes) printJSON(out io.Writer, f *profileFlags) error {
	value := func(a amounts) [2]any {
		if c.normalised {
			return [2]any{a[0], a[1]}
		}
		return [2]any{int64(a[0]), int64(a[1])}
	}
	answer := struct {
		Metric     string          `json:"metric"`
		Unit       data.Unit       `json:"unit"`
		Normalised bool            `json:"normalised"`
		A          comparedProfile `json:"a"`
		B          comparedProfile `json:"b"`
		OnlyA      []string        `json:"only_a"` // metrics
		OnlyB      []string        `json:"only_b"`
		Methods    []changedJSON   `json:"methods"`
		LeftOut    int             `json:"left_out"`
	}{c.metric.Name, c.metric.Unit, c.normalised, c.sides[0], c.sides[1], append([]string{}, c.difference.Only[0]...), append([]string{}, c.difference.Only[1]...), []changedJSON{}, 0}
	rows := c.shown(f)
	answer.LeftOut = len(c.methods) - len(rows) + c.small
	for _, m := range rows {
		state := "changed"
		switch {
		case m.total[0] == 0 && m.self[0] == 0:
			state = "new"
		case m.total[1] == 0 && m.self[1] == 0:
			state = "gone"
		}
		answer.Methods = append(answer.Methods, changedJSON{m.name, state, value(m.self), value(m.total)})
	}
	return printJSON(out, answer)
}

// grown tells whether the whole, or a method, grew by more than is allowed: by
// more than a percentage of all of A.
func (c *changes) grown(f *profileFlags) error {
	limit, given, err := f.limitOfGrowth()
	if err != nil || !given {
		return err
	}
	whole := c.whole()
	growth := func(a amounts) float64 {
		switch {
		case a.change() <= 0:
			return 0
		case whole[0] <= 0:
			return math.Inf(1)
		}
		return 100 * a.change() / whole[0]
	}
	of := func(m changedMethod) float64 {
		if f.by == "total" {
			return growth(m.total)
		}
		return growth(m.self)
	}
	worst := slices.MaxFunc(append(c.all, changedMethod{}), func(x, y changedMethod) int { return cmp.Compare(of(x), of(y)) })
	var parts []string
	if g := growth(whole); g > limit {
		parts = append(parts, fmt.Sprintf("the whole by %.3g %%", g))
	}
	if g := of(worst); g > limit {
		parts = append(parts, fmt.Sprintf("%s of %s by %.3g %%", f.by, worst.name, g))
	}
	if len(parts) == 0 {
		return nil
	}
	return &grownError{fmt.Sprintf("%s grew by more than %v %% of all of A: %s", c.metric.Name, limit, strings.Join(parts, ", "))}
}
