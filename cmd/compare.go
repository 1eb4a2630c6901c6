package cmd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/store/kept"
	"github.com/cambium-prof/cambium/trace"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	tau      float64
	names    string
	rename   string
	groups   int
	matches  bool
	gaps     bool
	overview int
	json     bool
	noCache  bool
	profiles profileFlags
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two profiles or two traces",
		Long: `compare tells how two profiles differ: which methods changed most, what is new
and what is gone. It fits the log of a build, and --fail-above makes it fail if
something grew.

Of two traces, it finds the calls of two traces that are similar: that call, with all they
call in turn, nearly the same methods. Similarity is the number of methods that
both call, as a part of those that either calls; above τ, two calls match.

It prints how many matches there are and the groups they are in: a group is a
match that lies within no other one, with the matches within it. --matches lists
them all (there may be billions), --overview sums them up over time, and --gaps
lists what has no match. --methods compares traces as profiles.`,
		Example: `  cambium compare before.pb.gz after.pb.gz
  cambium compare before.pb.gz after.pb.gz --by total --fail-above 5%
  cambium compare before.json.gz after.json.gz
  cambium compare a.json.gz b.json.gz --tau 0.3 --json
  cambium compare a.json.gz b.json.gz --overview 100 --json
  cambium compare a.json.gz b.json.gz --gaps`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return usagef("compare takes two files, but got %d", len(args))
			case args[0] == "-" && args[1] == "-":
				return usagef("only one of the files can be standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			return f.run(c, args)
		},
	}
	c.Flags().Float64Var(&f.tau, "tau", match.DefaultTau, "two calls match if they are more similar than τ")
	c.Flags().StringVar(&f.names, "names", "", "methods are the same by their `NAMES`: exact, stable (without what compilers make up, such as numbers of closures), or short (and without package and version); by default stable for profiles and exact for traces")
	c.Flags().StringVar(&f.rename, "rename", "", "a `FILE` with lines of two names, a tab between: a method of A, and what it is called in B")
	c.Flags().IntVar(&f.groups, "groups", 10000, "how many groups to list, the strongest; 0 is all")
	c.Flags().BoolVar(&f.matches, "matches", false, "list all matches, by call of A and then of B")
	c.Flags().BoolVar(&f.gaps, "gaps", false, "list the stretches of both traces without a match, the longest first")
	c.Flags().IntVar(&f.overview, "overview", 0, "sums over `N` equal intervals of each trace")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.Flags().BoolVar(&f.noCache, "no-cache", false, "neither look for kept results nor keep any")
	p := &f.profiles
	c.Flags().BoolVar(&p.methods, "methods", false, "compare traces by method, as profiles")
	c.Flags().StringVar(&p.metric, "metric", "", "of profiles: the metric (default: the one A prefers)")
	c.Flags().StringVar(&p.by, "by", "self", "of profiles: order by the change of self or of total")
	c.Flags().IntVar(&p.limit, "limit", 20, "of profiles: how many methods; 0 is all")
	c.Flags().Float64Var(&p.least, "least", 0.5, "of profiles: leave out what changed by less than this percentage of the larger total")
	c.Flags().BoolVar(&p.normalised, "normalised", false, "of profiles: compare the shares in each one's total")
	c.Flags().StringVar(&p.failAbove, "fail-above", "", "of profiles: end with status 3 if the whole, or a method by --by, grew by more than this `PERCENTAGE` of all of A")
	c.Flags().IntVar(&p.width, "width", 100, "of profiles: how wide the table may be; 0 is as wide as names are")
	offer(c, "names", "exact", "stable", "short")
	offer(c, "by", "self", "total")
	return c
}

func (f *compareFlags) check(c *cobra.Command) error {
	lists := 0
	for _, flag := range []string{"matches", "gaps", "overview"} {
		if c.Flags().Changed(flag) {
			lists++
		}
	}
	switch {
	case lists > 1:
		return usagef("--matches, --gaps and --overview are different answers: one at a time")
	case math.IsNaN(f.tau):
		return usagef("--tau is not a number")
	case f.names != "" && f.names != "exact" && f.names != "stable" && f.names != "short":
		return usagef("--names %q: expected exact, stable or short", f.names)
	case f.groups < 0:
		return usagef("--groups %d: expected a number from 0 on", f.groups)
	case c.Flags().Changed("overview") && (f.overview < 1 || f.overview > match.MaxIntervals):
		return usagef("--overview %d: expected a number from 1 to %d", f.overview, match.MaxIntervals)
	}
	return f.profiles.check()
}

// given tells which of some flags were given.
func given(c *cobra.Command, flags []string) (name string, ok bool) {
	i := slices.IndexFunc(flags, c.Flags().Changed)
	if i < 0 {
		return "", false
	}
	return flags[i], true
}

func (f *compareFlags) run(c *cobra.Command, files []string) error {
	ctx, out := c.Context(), c.OutOrStdout()
	q := &comparing{flags: f, names: match.Names{Stable: f.names == "stable", Short: f.names == "short"}}
	if f.rename != "" {
		text, err := os.ReadFile(f.rename)
		if err != nil {
			return err
		}
		if q.names.Rename, err = readRenames(string(text)); err != nil {
			return fmt.Errorf("%s: %w", f.rename, err)
		}
	}
	var sets [2]*data.Set
	traces := true
	for i, name := range files {
		set, err := read(ctx, name)
		if err != nil {
			return err
		}
		for _, text := range set.Warnings {
			fmt.Fprintf(os.Stderr, "cambium: %s: warning: %s\n", printable(displayName(name)), printable(text))
		}
		sets[i] = set
		_, _, has := trace.FindCalls(set)
		if flag, ok := given(c, ofTraces); ok && !has {
			return usagef("--%s is for traces, and %s has no calls with start and end", flag, name)
		}
		traces = traces && has
	}
	if !traces || f.profiles.methods {
		if f.names == "" {
			q.names.Stable = true
		}
		return compareProfiles(ctx, out, f, q.names, files, sets)
	}
	if flag, ok := given(c, ofProfiles); ok {
		return usagef("--%s is for profiles: to compare traces as such, add --methods", flag)
	}
	for i, set := range sets {
		var err error
		if q.traces[i], err = trace.Build(ctx, set); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(out, 1<<20)
	var err error
	switch {
	case f.matches:
		err = q.printMatches(ctx, w)
	case f.gaps:
		err = q.printGaps(ctx, w)
	case f.overview > 0:
		err = q.printOverview(ctx, w)
	default:
		err = q.printGroups(ctx, w)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// readRenames reads a table of names: lines of two names with a tab between.
// Blank lines, and those that begin with #, say nothing.
func readRenames(text string) (map[string]string, error) {
	renames := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		from, to, ok := strings.Cut(line, "\t")
		if !ok || from == "" || to == "" || strings.Contains(to, "\t") {
			return nil, fmt.Errorf("line %d: expected two names with a tab between, but found %q", i+1, line)
		}
		if other, twice := renames[from]; twice && other != to {
			return nil, fmt.Errorf("line %d: %q is called %q already", i+1, from, other)
		}
		renames[from] = to
	}
	return renames, nil
}

// comparing is one run of the command: two traces and what is asked of them.
type comparing struct {
	flags  *compareFlags
	names  match.Names
	traces [2]*trace.Trace
}

// find compares the traces.
func (q *comparing) find(ctx context.Context) (*match.Matches, error) {
	p, err := match.NewPair(ctx, q.traces[0], q.traces[1], q.names)
	if err != nil {
		return nil, err
	}
	report, stop := showShare("comparing")
	defer stop()
	return p.At(ctx, q.flags.tau, report)
}

// showShare tells on a terminal how much of something is done, once it takes
// more than a second; report is nil if there is none. stop ends that.
func showShare(what string) (report func(done float64), stop func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil, func() {}
	}
	begin := time.Now()
	var last atomic.Int64 // what was shown, in percent
	report = func(done float64) {
		now := int64(100 * done)
		if was := last.Load(); now > was && time.Since(begin) > time.Second && last.CompareAndSwap(was, now) {
			fmt.Fprintf(os.Stderr, "\r\x1b[K%s: %d %%", what, now)
		}
	}
	return report, func() {
		if last.Load() > 0 {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}

// kept gives a result that was kept, or makes it and keeps it. what and its
// parameter say which result that is.
func (q *comparing) kept(what string, parameter int, result any, compute func() error) error {
	if q.flags.noCache {
		return compute()
	}
	key := fmt.Sprintf("%d %x %x %v %v %q %v %s %d", match.Version, match.Fingerprint(q.traces[0]), match.Fingerprint(q.traces[1]),
		q.names.Stable, q.names.Short, q.names.Rename, q.flags.tau, what, parameter)
	folder := kept.Open("compare")
	if text, ok := folder.Get(key); ok && json.Unmarshal(text, result) == nil {
		return nil
	}
	if err := compute(); err != nil {
		return err
	}
	if text, err := json.Marshal(result); err == nil {
		folder.Put(key, text)
	}
	return nil
}

// comparison is what compare --json prints.
type comparison struct {
	Tau     float64         `json:"tau"`
	A       comparedTrace   `json:"a"`
	B       comparedTrace   `json:"b"`
	Matches int64           `json:"matches"`
	Groups  []comparedGroup `json:"groups"`
	// LeftOut is how many groups are not listed.
	LeftOut int64 `json:"groups_left_out,omitempty"`
}

type comparedTrace struct {
	Calls   int `json:"calls"`
	Methods int `json:"methods"`
	Classes int `json:"classes"`
}

type comparedGroup struct {
	ID         int64        `json:"id"`
	A          trace.CallID `json:"a"`
	B          trace.CallID `json:"b"`
	Similarity float64      `json:"similarity"`
	Matches    int64        `json:"matches"`
}

func (q *comparing) compare(ctx context.Context) (*comparison, error) {
	r := &comparison{}
	return r, q.kept("groups", q.flags.groups, r, func() error {
		m, err := q.find(ctx)
		if err != nil {
			return err
		}
		of := func(side match.Side) comparedTrace {
			return comparedTrace{m.Traces[side].Len(), m.Methods(side), m.Classes[side].Len()}
		}
		*r = comparison{Tau: q.flags.tau, A: of(match.A), B: of(match.B), Matches: m.Total, Groups: []comparedGroup{}}
		g := m.Groups()
		counter := g.Counter()
		add := func(id int64, x match.Group) bool {
			r.Groups = append(r.Groups, comparedGroup{id, x.A, x.B, x.Similarity, counter.Count(x)})
			return ctx.Err() == nil
		}
		if n := q.flags.groups; n > 0 && g.Total > int64(n) {
			strongest := g.Strongest(n)
			slices.SortFunc(strongest, func(x, y match.Group) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
			for _, x := range strongest {
				if !add(g.ID(x), x) {
					break
				}
			}
			r.LeftOut = g.Total - int64(n)
		} else {
			g.All(add)
		}
		return ctx.Err()
	})
}

func (q *comparing) printGroups(ctx context.Context, out io.Writer) error {
	r, err := q.compare(ctx)
	if err != nil {
		return err
	}
	if q.flags.json {
		return printJSON(out, r)
	}
	for side, t := range []comparedTrace{r.A, r.B} {
		fmt.Fprintf(out, "%c: %d calls of %d methods, %d different sets of methods\n", 'A'+side, t.Calls, t.Methods, t.Classes)
	}
	all := int64(len(r.Groups)) + r.LeftOut
	fmt.Fprintf(out, "%s above %v, in %s\n", counted(r.Matches, "match"), r.Tau, counted(all, "group"))
	slices.SortStableFunc(r.Groups, func(x, y comparedGroup) int { return cmp.Compare(y.Matches, x.Matches) })
	const most = 20
	if all > most {
		fmt.Fprintf(out, "The %d with the most matches", most)
		if r.LeftOut > 0 {
			fmt.Fprintf(out, ", of the %d strongest", len(r.Groups))
		}
		fmt.Fprintln(out, ":")
	}
	if all > 0 {
		fmt.Fprintf(out, "%12s %10s %10s %10s  %s\n", "matches", "similarity", "A", "B", "calls of")
	}
	for _, g := range r.Groups[:min(len(r.Groups), most)] {
		a, b := q.traces[0].Name(g.A), q.traces[1].Name(g.B)
		if a != b {
			a += " and " + b
		}
		fmt.Fprintf(out, "%12d %10.3f %10d %10d  %s\n", g.Matches, g.Similarity, g.A, g.B, printable(a))
	}
	return q.printOnly(ctx, out)
}

// printOnly prints the methods that only one trace calls.
func (q *comparing) printOnly(ctx context.Context, out io.Writer) error {
	p, err := match.NewPair(ctx, q.traces[0], q.traces[1], q.names)
	if err != nil {
		return err
	}
	const most = 10
	for side := match.A; side <= match.B; side++ {
		own := p.Only(side)
		if len(own) == 0 {
			continue
		}
		fmt.Fprintf(out, "Only %c calls ", 'A'+rune(side))
		for i, m := range own[:min(len(own), most)] {
			if i > 0 {
				fmt.Fprint(out, ", ")
			}
			fmt.Fprintf(out, "%s (%s, %s)", printable(m.Method), counted(int64(m.Calls), "call"), quantity(m.Total, "ns"))
		}
		if n := len(own) - most; n > 0 {
			fmt.Fprintf(out, " and %s more", counted(int64(n), "method"))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// counted writes a number of things.
func counted(n int64, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "ch"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// comparedInterval is an interval of compare --overview --json.
type comparedInterval struct {
	From       float64      `json:"from"`
	To         float64      `json:"to"`
	Similarity float64      `json:"similarity"`
	Offset     match.Int128 `json:"offset"`
	Distance   match.Int128 `json:"offset_abs"`
}

func (q *comparing) printOverview(ctx context.Context, out io.Writer) error {
	var r struct {
		A []comparedInterval `json:"a"`
		B []comparedInterval `json:"b"`
	}
	err := q.kept("overview", q.flags.overview, &r, func() error {
		m, err := q.find(ctx)
		if err != nil {
			return err
		}
		bars, err := m.Overview(ctx, q.flags.overview)
		if err != nil {
			return err
		}
		of := func(side match.Side) []comparedInterval {
			all := make([]comparedInterval, len(bars[side]))
			for i, bar := range bars[side] {
				all[i] = comparedInterval{bar.From, bar.To, bar.Similarity, bar.Offset, bar.Distance}
			}
			return all
		}
		r.A, r.B = of(match.A), of(match.B)
		return nil
	})
	if err != nil {
		return err
	}
	if q.flags.json {
		return printJSON(out, r)
	}
	fmt.Fprintln(out, "trace\tfrom\tto\tsimilarity\toffset\toffset_abs")
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	for side, all := range [][]comparedInterval{r.A, r.B} {
		for _, i := range all {
			fmt.Fprintf(out, "%c\t%s\t%s\t%s\t%v\t%v\n", 'a'+side, number(i.From), number(i.To), number(i.Similarity), i.Offset, i.Distance)
		}
	}
	return nil
}

func (q *comparing) printMatches(ctx context.Context, out *bufio.Writer) error {
	m, err := q.find(ctx)
	if err != nil {
		return err
	}
	form, end := [4]string{"", "\t", "\t", "\t"}, "\n"
	if q.flags.json {
		form, end = [4]string{`{"a":`, `,"b":`, `,"similarity":`, `,"group":`}, "}\n"
	}
	var line []byte
	n := 0
	for k, group := range m.All {
		line = append(line[:0], form[0]...)
		line = strconv.AppendUint(line, uint64(k.A), 10)
		line = append(line, form[1]...)
		line = strconv.AppendUint(line, uint64(k.B), 10)
		line = append(line, form[2]...)
		line = strconv.AppendFloat(line, k.Similarity, 'f', -1, 64)
		line = append(line, form[3]...)
		line = strconv.AppendInt(line, group, 10)
		line = append(line, end...)
		if _, err = out.Write(line); err != nil {
			return err
		}
		if n++; n%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// comparedGap is a line of compare --gaps --json.
type comparedGap struct {
	Trace  string       `json:"trace"`
	From   uint64       `json:"from"`
	To     uint64       `json:"to"`
	Calls  int          `json:"calls"`
	First  trace.CallID `json:"first"`
	Method string       `json:"method"`
	Thread string       `json:"thread"`
}

func (q *comparing) printGaps(ctx context.Context, out io.Writer) error {
	m, err := q.find(ctx)
	if err != nil {
		return err
	}
	if !q.flags.json {
		fmt.Fprintf(out, "%-5s %12s %12s %8s %10s  %s\n", "trace", "from", "for", "calls", "first", "method")
	}
	for _, gap := range m.Gaps() {
		t := m.Traces[gap.Side]
		line := comparedGap{
			Trace: string(rune('a' + gap.Side)), From: uint64(gap.From) - uint64(t.From), To: uint64(gap.To) - uint64(t.From),
			Calls: gap.Calls(), First: gap.First, Method: t.Name(gap.First), Thread: t.Threads[gap.Thread].Name,
		}
		if q.flags.json {
			err = printJSON(out, line)
		} else {
			_, err = fmt.Fprintf(out, "%-5s %12s %12s %8d %10d  %s\n", strings.ToUpper(line.Trace), quantity(int64(line.From), "ns"),
				quantity(int64(line.To-line.From), "ns"), line.Calls, line.First, printable(line.Method))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
