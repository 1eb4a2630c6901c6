package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// reading is how a command reads: the flags that all commands have. It goes with
// the context, since inputs are opened where no command is at hand, and in the
// background while another command may run in the same process.
type reading struct {
	noSymbols bool
	memory    memorySize // that events may take; 0 is a share of the machine's
	groupBy   []string   // what data sets are grouped by
}

type readingKey struct{}

// add gives a command and those below it the flags.
func (r *reading) add(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.BoolVar(&r.noSymbols, "no-symbols", false, "open no binaries that a recording names, to look for names of functions in them")
	flags.Var(&r.memory, "event-memory", "how much memory events may take, such as 4G; what is more goes to temporary files (default: a quarter of the machine's)")
	flags.StringSliceVar(&r.groupBy, "group-by", nil, "make threads, processes or the values of a label the outermost callers: a `FIELD` of the events, or several with commas between")
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		c.SetContext(context.WithValue(c.Context(), readingKey{}, r))
	}
}

// readingOf gives the flags of the command that a context is of.
func readingOf(ctx context.Context) *reading {
	if r, ok := ctx.Value(readingKey{}).(*reading); ok {
		return r
	}
	return &reading{}
}

// configured makes an input put events on disk that do not fit into memory, and
// lets it look for names of functions in binaries.
func configured(ctx context.Context, in *source.Input, err error) (*source.Input, error) {
	if err == nil {
		r := readingOf(ctx)
		in.Spill, in.SpillBeyond = &scratch, r.memory.bytes()
		in.Binaries = !r.noSymbols
	}
	return in, err
}

// grouped groups what was read, if the command is to.
func grouped(ctx context.Context, set *data.Set, err error) (*data.Set, error) {
	by := readingOf(ctx).groupBy
	if err != nil || len(by) == 0 {
		return set, err
	}
	return cct.GroupBy(ctx, set, by...)
}
