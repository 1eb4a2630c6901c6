// Package cmd is the command cambium: it opens profiles in the browser, and
// every other subcommand is a filter for scripts. It is a package and not the
// program itself so that a program of somebody else's, with sources and charts
// of its own linked in, is as short as cmd/cambium (see examples/polymorphism).
//
// One file per subcommand; what they share is in load.go (reading) and
// output.go (printing). What does not belong: anything that a library user
// could want, which is in the packages, and the list of what is linked in,
// which is the program's.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Version is what --version prints; the build sets it.
var Version = "development"

// exit statuses
const (
	statusFailed = 1
	statusUsage  = 2
	statusGrown  = 3 // compare --fail-above
)

// Run does what the words of a command line say, the program's name left out,
// and gives the exit status.
func Run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer scratch.Close()
	context.AfterFunc(ctx, stop) // a second interrupt ends what does not heed the first
	root := newRoot()
	root.SetArgs(withOpen(root, args))
	err := root.ExecuteContext(ctx)
	var usage usageError
	var grown *grownError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "cambium: %s\nSee cambium --help.\n", printable(err.Error()))
		return statusUsage
	case errors.As(err, &grown):
		fmt.Fprintf(os.Stderr, "cambium: %s\n", printable(err.Error()))
		return statusGrown
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "cambium: interrupted")
		return statusFailed
	}
	fmt.Fprintf(os.Stderr, "cambium: %s\n", printable(err.Error()))
	return statusFailed
}

// usageError is a mistake in the command line rather than in a file.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "cambium FILE…",
		Short: "See where a program spends itself",
		Long: `cambium opens what profilers write and shows where a program spends itself,
how it is put together and how two runs differ.

cambium FILE… opens files in the browser; it is short for cambium open FILE….
All other commands are filters for scripts: --json prints one documented JSON
value or a line of JSON per item. Use - to read standard input.`,
		Example: `  cambium cpu.pb.gz                      open a profile in the browser
  cambium --sample                       open the bundled sample
  cambium http://127.0.0.1:6060/debug/pprof/profile?seconds=30
  cambium info cpu.pb.gz                 what is in it
  cambium top heap.pb.gz --metric inuse_space -n 20
  cambium tree cpu.pb.gz --depth 5 --no-recursion
  cambium render cpu.pb.gz --view ring -o cpu.svg
  perf script | stackcollapse-perf.pl | cambium -`,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newOpen(), newInfo(), newTop(), newTree(), newCompact(), newLayout(), newRender(), newChart(), newCompare(), newConvert(), newImport())
	new(reading).add(root)
	root.RunE = func(c *cobra.Command, args []string) error { return c.Help() }
	root.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault // files, beside the commands
	}
	return root
}

// withOpen makes `cambium FILE` mean `cambium open FILE`: if the first word is
// no command, it is a file.
func withOpen(root *cobra.Command, args []string) []string {
	for i, a := range args {
		switch a {
		case "-h", "--help", "-v", "--version":
			if i == 0 {
				return args
			}
		}
	}
	if len(args) == 0 {
		return []string{"open"}
	}
	if a := args[0]; a == cobra.ShellCompRequestCmd || a == cobra.ShellCompNoDescRequestCmd {
		// The last word is being typed. If it is the first one, too, it may
		// become a command or a file.
		if words := args[1:]; len(words) > 1 || len(words) == 1 && strings.HasPrefix(words[0], "-") {
			return append([]string{a}, withOpen(root, words)...)
		}
		return args
	}
	known := map[string]bool{"help": true, "completion": true}
	for _, c := range root.Commands() {
		known[c.Name()] = true
	}
	if known[args[0]] {
		return args
	}
	return append([]string{"open"}, args...)
}

// offer completes the value of a flag with one of some words.
func offer(c *cobra.Command, flag string, words ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // there is no such flag
	}
}

// files checks that there is at least one file.
func files(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("which file? (use - for standard input)")
	}
	return nil
}

// oneFile checks that there is just one.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("%s takes one file, but got %d", c.Name(), len(args))
	}
	return files(c, args)
}
