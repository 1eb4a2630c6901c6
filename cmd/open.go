package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/samples"
	"github.com/cambium-prof/cambium/server"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/store"
	"github.com/cambium-prof/cambium/ui"
)

type openFlags struct {
	host      string
	port      int
	noBrowser bool
	merge     bool
	compare   bool
	exact     bool
	sample    bool
	programs  []string
}

func newOpen() *cobra.Command {
	var f openFlags
	c := &cobra.Command{
		Use:   "open [FILE…]",
		Short: "Open files in the browser (the default)",
		Long: `open serves the workbench on this machine, prints its address and opens the
browser. Files are read in the background; more can be dropped on the page.`,
		Example: `  cambium cpu.pb.gz heap.pb.gz         two data sets
  cambium open --merge a.folded b.folded
  cambium open --compare before.json.gz after.json.gz
  cambium open --exec './my-reader trace.bin'
  my-reader trace.bin | cambium -`,
		RunE: func(c *cobra.Command, args []string) error { return open(c, f, args) },
	}
	c.Flags().StringVar(&f.host, "host", "127.0.0.1", "the address to listen on; anything but loopback lets others on the network in who know the printed address")
	c.Flags().IntVar(&f.port, "port", 0, "the port to listen on; 0 takes a free one")
	c.Flags().BoolVar(&f.noBrowser, "no-browser", false, "only print the address")
	c.Flags().BoolVar(&f.merge, "merge", false, "make one data set of all files")
	c.Flags().BoolVar(&f.compare, "compare", false, "compare the first file with each of the others")
	c.Flags().BoolVar(&f.exact, "exact-names", false, "with --compare: names of methods as they are, with what compilers make up in them")
	c.Flags().BoolVar(&f.sample, "sample", false, "open the bundled sample")
	c.Flags().StringArrayVar(&f.programs, "exec", nil, "read what this `COMMAND` prints (repeatable)")
	return c
}

func open(c *cobra.Command, f openFlags, names []string) error {
	o := server.Options{Host: f.host, Port: f.port, Version: Version, Binaries: !readingOf(c.Context()).noSymbols}
	if page, ok := ui.Files(); ok {
		o.Page = page
	}
	for _, s := range samples.All {
		o.Samples = append(o.Samples, server.Sample{Name: s.Name, Description: s.Description, Open: s.Open})
	}
	// A name that does not exist is a mistake to tell in the terminal.
	for _, name := range names {
		if name == "-" || isURL(name) {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return err
		}
	}
	if f.compare && (f.merge || len(names)+len(f.programs) < 2) {
		return usagef("--compare takes two files or more, and does not go with --merge")
	}
	s, err := server.New(c.Context(), o)
	if err != nil {
		return err
	}
	if err := openSets(c.Context(), s, f, names); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "cambium: %s\n", s.Address())
	if !f.noBrowser {
		browse(s.Address())
	}
	return s.Serve(c.Context())
}

func openSets(ctx context.Context, s *server.Server, f openFlags, names []string) error {
	if f.sample {
		if _, err := s.OpenSample(samples.All[0].Name); err != nil {
			return err
		}
	}
	var labels []string
	var openers []opener
	for _, name := range names {
		labels = append(labels, displayName(name))
		openers = append(openers, func(ctx context.Context) (*source.Input, error) { return openInput(ctx, name) })
	}
	for _, command := range f.programs {
		labels = append(labels, command)
		openers = append(openers, func(ctx context.Context) (*source.Input, error) { return openProgram(ctx, command) })
	}
	if f.merge && len(openers) > 1 {
		label := fmt.Sprintf("%d files merged", len(openers))
		_, err := s.Sets.Add(label, func(ctx context.Context) (*data.Set, error) {
			b := data.NewBuilder(label, "")
			b.SpillTo(&scratch, readingOf(ctx).memory.bytes())
			b.Until(ctx.Err)
			set, err := merge(ctx, b, openers)
			return grouped(ctx, set, err)
		})
		return err
	}
	var sets []*server.DataSet
	for i, open := range openers {
		add := func() (*server.DataSet, error) { return s.Sets.Open(labels[i], open) }
		if len(readingOf(ctx).groupBy) > 0 {
			add = func() (*server.DataSet, error) {
				return s.Sets.Add(labels[i], func(ctx context.Context) (*data.Set, error) {
					in, err := open(ctx)
					if err != nil {
						return nil, err
					}
					defer in.Close()
					set, err := source.Read(ctx, in)
					return grouped(ctx, set, err)
				})
			}
		}
		d, err := add()
		if err != nil {
			return err
		}
		sets = append(sets, d)
	}
	if f.compare {
		_, err := s.Sets.Compare(sets, match.Names{Stable: !f.exact})
		return err
	}
	return nil
}

// opener opens an input.
type opener = func(context.Context) (*source.Input, error)

// merge reads several inputs and makes one data set of them with b. While it is
// made, all of them share the memory that events may take.
func merge(ctx context.Context, b *data.Builder, openers []opener) (*data.Set, error) {
	var parts store.Scratch
	defer parts.Close()
	var sets []*data.Set
	for _, open := range openers {
		in, err := open(ctx)
		if err != nil {
			return nil, err
		}
		in.Spill, in.SpillBeyond = &parts, readingOf(ctx).memory.bytes()/int64(len(openers))
		stop := showProgress(in)
		set, err := source.Read(ctx, in)
		stop()
		in.Close()
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return data.Merge(ctx, b, sets)
}

// browse opens the system's browser. That it cannot is no error: the address
// is printed.
func browse(address string) {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	c := exec.Command(command[0], append(command[1:], address)...)
	if c.Start() == nil {
		go c.Wait()
	}
}
