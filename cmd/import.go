package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/store"
)

// scratch takes events that do not fit into memory, until the program ends.
var scratch store.Scratch

func newImport() *cobra.Command {
	var out string
	var merge bool
	c := &cobra.Command{
		Use:   "import FILE… -o OUT",
		Short: "Keep a data set on disk, to open it in a moment",
		Long: `import reads a file once and writes it into the new folder OUT, called a store.
All other commands take the folder in place of a file. It opens in a moment,
whatever the number of events: they stay on disk, and charts read from there,
or let the store add up. A store is made of Parquet files, which other programs
can read; docs/formats.md describes them.`,
		Example: `  cambium import trace.csv.zst -o trace.store
  cambium trace.store`,
		Args: files,
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usagef("where to? (-o OUT names the folder to make)")
			}
			if len(args) > 1 && !merge {
				return usagef("import takes one file, but got %d (--merge makes one data set of all)", len(args))
			}
			if len(readingOf(c.Context()).groupBy) > 0 {
				return usagef("import takes no --group-by: what opens the store can group it")
			}
			return runImport(c, args, out)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the folder to make")
	c.Flags().BoolVar(&merge, "merge", false, "make one data set of all files")
	return c
}

func runImport(c *cobra.Command, names []string, out string) (err error) {
	start := time.Now()
	w, err := store.Create(out)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort())
		}
	}()
	set, err := importInto(c.Context(), w, names, out)
	if err != nil {
		return err
	}
	if err := w.Finish(c.Context(), set); err != nil {
		return err
	}
	for _, text := range set.Warnings {
		fmt.Fprintf(os.Stderr, "cambium: %s: warning: %s\n", names[0], text)
	}
	rows := 0
	for _, e := range set.Events() {
		rows += e.Rows()
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %d events in %.1f s\n", out, rows, time.Since(start).Seconds())
	return nil
}

// importInto reads what is to be in a store, which takes the events meanwhile.
func importInto(ctx context.Context, w *store.Writer, names []string, out string) (*data.Set, error) {
	var openers []opener
	for _, name := range names {
		openers = append(openers, func(ctx context.Context) (*source.Input, error) {
			defer showWaiting(name)()
			return openInput(ctx, name)
		})
	}
	if len(names) > 1 {
		b := data.NewBuilder(out, "")
		b.SpillTo(w, 0)
		return merge(ctx, b, openers)
	}
	in, err := openers[0](ctx)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.Spill, in.SpillBeyond = w, 0
	defer showProgress(in)()
	return source.Read(ctx, in)
}

// memorySize is a number of bytes as a flag.
type memorySize int64

func (m *memorySize) bytes() int64 {
	if *m > 0 {
		return int64(*m)
	}
	return store.Memory()
}

func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*m), 10)
}

func (m *memorySize) Type() string { return "SIZE" }

func (m *memorySize) Set(text string) error {
	units := []struct {
		suffix string
		shift  uint
	}{{"K", 10}, {"M", 20}, {"G", 30}, {"", 0}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(strings.ToUpper(text), u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64>>u.shift {
			break
		}
		*m = memorySize(n << u.shift)
		return nil
	}
	return fmt.Errorf("expected a number of bytes, or one with K, M or G behind it")
}
