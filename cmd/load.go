package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/viz"
)

// Readers make columns that live as long as the program and little else, so
// that a heap twice their size is memory spent for nothing: with less than half
// the garbage collector's usual slack a large profile takes a third less. Later,
// a new tree then takes memory that is there. When the system has to bring it page
// by page, compacting a tree of two million nodes can take 250 ms instead of 40.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40)
	}
}

// open gives the input that a word of the command line means.
func openInput(ctx context.Context, name string) (*source.Input, error) {
	if name == "-" {
		in, err := source.NewInput(ctx, "standard input", os.Stdin, 0)
		return configured(ctx, in, err)
	}
	if isURL(name) {
		in, err := live.open(ctx, name)
		return configured(ctx, in, err)
	}
	in, err := source.Open(ctx, name)
	return configured(ctx, in, err)
}

// openProgram runs a program that writes a data set to its standard output.
func openProgram(ctx context.Context, command string) (*source.Input, error) {
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	c := exec.CommandContext(ctx, shell[0], shell[1], command)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	f := &finishing{Reader: out, wait: sync.OnceValue(c.Wait)}
	in, err := source.NewInput(ctx, command, f, 0)
	if err != nil {
		out.Close()
		f.wait()
		return nil, err
	}
	in.OnClose(func() error {
		out.Close()
		go f.wait() // it may take its time to notice that nobody listens
		return nil
	})
	return configured(ctx, in, nil)
}

// finishing reads a program's output; a program that failed is an error at the
// end of what it wrote.
type finishing struct {
	io.Reader
	wait func() error
	end  error // once the output has ended: it is closed then, and may be read again
}

func (f *finishing) Read(p []byte) (int, error) {
	if f.end != nil {
		return 0, f.end
	}
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		if werr := f.wait(); werr != nil {
			err = fmt.Errorf("the program failed: %w", werr)
		}
		f.end = err
	}
	return n, err
}

// read reads one file with progress on a terminal.
func read(ctx context.Context, name string) (*data.Set, error) {
	waited := showWaiting(name)
	in, err := openInput(ctx, name)
	waited()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	defer showProgress(in)()
	set, err := source.Read(ctx, in)
	return grouped(ctx, set, err)
}

// load reads one file and builds its tree, and prints warnings.
func load(ctx context.Context, name string) (*viz.Workspace, error) {
	set, err := read(ctx, name)
	if err != nil {
		return nil, err
	}
	w, err := viz.NewWorkspace(ctx, set)
	if err != nil {
		return nil, err
	}
	for _, text := range warnings(w) {
		fmt.Fprintf(os.Stderr, "cambium: %s: warning: %s\n", printable(displayName(name)), printable(text))
	}
	return w, nil
}

// warnings are those of reading a file, and what building its tree adds to them.
func warnings(w *viz.Workspace) []string {
	all := append([]string{}, w.Set.Warnings...)
	if w.Tree != nil && w.Tree.Saturated {
		all = append(all, "sums leave the range of 64 bits and are cut there")
	}
	return all
}

// toldDetails is how many actions that do not apply are listed.
const toldDetails = 10

// loadTree is load for commands that need calling contexts.
func loadTree(ctx context.Context, name string, l viz.Look) (*viz.Workspace, error) {
	w, err := load(ctx, name)
	if err != nil {
		return nil, err
	}
	doubts, err := w.Doubts(ctx, l)
	if err != nil {
		return w, err
	}
	for _, d := range doubts {
		step, _, _ := strings.Cut(strings.Split(l.Steps, ",")[d.Step], ":")
		fmt.Fprintf(os.Stderr, "cambium: %s: warning: step %d, %s: %s\n", printable(name), d.Step+1, step, printable(d.Text))
		for _, text := range d.Details[:min(len(d.Details), toldDetails)] {
			fmt.Fprintf(os.Stderr, "cambium:   %s\n", printable(text))
		}
		if more := len(d.Details) - toldDetails; more > 0 {
			fmt.Fprintf(os.Stderr, "cambium:   and %d more\n", more)
		}
	}
	_, _, err = w.View(ctx, l)
	return w, err
}

// showProgress tells on a terminal how far a read is, once it takes more than
// a second. The function it gives ends that.
func showProgress(in *source.Input) (stop func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		shown := false
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-done:
				if shown {
					fmt.Fprint(os.Stderr, "\r\x1b[K")
				}
				return
			case <-t.C:
				shown = true
				if in.Size > 0 {
					fmt.Fprintf(os.Stderr, "\r\x1b[Kreading %s: %d %%", in.Name, 100*in.Packed()/in.Size)
				} else {
					fmt.Fprintf(os.Stderr, "\r\x1b[Kreading %s: %d MB", in.Name, in.Packed()>>20)
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}
