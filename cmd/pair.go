package cmd

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/store/kept"
	"github.com/cambium-prof/cambium/viz"
)

// pairFlags are the flags of commands that draw a comparison.
type pairFlags struct {
	tau     float64
	names   string
	swapped bool
	run     int
	focus   [2]string
}

func (f *pairFlags) add(c *cobra.Command) {
	c.Flags().Float64Var(&f.tau, "tau", match.DefaultTau, "of a comparison: two calls match if they are more similar than τ")
	c.Flags().StringVar(&f.names, "names", "", "of a comparison: methods are the same by their `NAMES`: exact, stable (without what compilers make up), or short (and without package and version); by default stable in trees and exact in traces")
	c.Flags().BoolVar(&f.swapped, "swapped", false, "of a comparison in trees: from the second file to the first")
	c.Flags().IntVar(&f.run, "run", 1, "of a comparison of more than two files: the `N`th of those after the first")
	c.Flags().StringVar(&f.focus[0], "focus-a", "", "of a comparison: the time in the first file to look at closely, as `FROM..TO`, such as 10ms..25ms")
	c.Flags().StringVar(&f.focus[1], "focus-b", "", "the same in the other file, as `FROM..TO`")
	offer(c, "names", "exact", "stable", "short")
}

// pairing gives what the flags say.
func (f *pairFlags) pairing(files int) (viz.Pairing, error) {
	p := viz.Pairing{Run: f.run - 1, Tau: &f.tau, Names: f.names, Swapped: f.swapped}
	if _, err := f.inTrees(); err != nil {
		return p, err
	}
	switch {
	case math.IsNaN(f.tau):
		return p, usagef("--tau is not a number")
	case f.run < 1 || f.run >= files:
		return p, usagef("--run %d: expected a number from 1 to %d", f.run, files-1)
	}
	for side, text := range f.focus {
		if text == "" {
			continue
		}
		focus, err := parsePeriod(text)
		if err != nil {
			return p, usagef("--focus-%c %q: %v", 'a'+rune(side), text, err)
		}
		p.Focus[side] = focus
	}
	return p, nil
}

// inTrees says which methods are the same in the tree of two profiles.
func (f *pairFlags) inTrees() (match.Names, error) {
	names, err := match.ReadNames(cmp.Or(f.names, "stable"))
	if err != nil {
		return names, usagef("--names %q: expected exact, stable or short", f.names)
	}
	return names, nil
}

// parsePeriod reads a time from the start of a trace, such as 10ms..25ms.
func parsePeriod(text string) (*viz.Period, error) {
	from, to, ok := strings.Cut(text, "..")
	a, err1 := time.ParseDuration(from)
	b, err2 := time.ParseDuration(to)
	if !ok || err1 != nil || err2 != nil || a < 0 || b < a {
		return nil, usagef("expected two times with .. between them, such as 10ms..25ms")
	}
	return &viz.Period{From: a.Nanoseconds(), To: b.Nanoseconds()}, nil
}

// loadPair reads files and compares the first with each of the others.
func loadPair(ctx context.Context, f pairFlags, files []string) (*viz.Workspace, error) {
	names, err := f.inTrees()
	if err != nil {
		return nil, err
	}
	var sides []*viz.Workspace
	for _, name := range files {
		w, err := load(ctx, name)
		if err != nil {
			return nil, err
		}
		sides = append(sides, w)
	}
	w, err := viz.NewComparison(ctx, names, sides[0], sides[1], sides[2:]...)
	if err == nil {
		w.Comparison.Kept = kept.Open("compare")
	}
	return w, err
}

// filesOf checks how many files a view takes: one, or two and more if it draws
// a comparison, or one or two if it draws trees. A view that does not exist is
// somebody else's mistake.
func filesOf(c *cobra.Command, view string, names []string) error {
	f, err := viz.Find(view)
	if err != nil || !f.Definition.Pair && !(f.Definition.Tree && len(names) == 2) {
		return oneFile(c, names)
	}
	stdin := 0
	for _, name := range names {
		if name == "-" {
			stdin++
		}
	}
	switch {
	case len(names) < 2:
		return usagef("%s draws a comparison: which two files?", view)
	case stdin > 1:
		return usagef("only one of the files can be standard input")
	}
	return nil
}
