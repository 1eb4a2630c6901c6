package matches

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/chrometrace"
	"github.com/cambium-prof/cambium/symbol"
	"github.com/cambium-prof/cambium/trace"
	"github.com/cambium-prof/cambium/viz"
)

// column is the nanoseconds that a column of a drawing stands for.
const column = 100

// drawing reads calls drawn as an icicle: a line per depth, an empty line between
// threads. A name is a letter where a call starts, dashes where it goes on.
func drawing(t testing.TB, text string) *data.Set { return drawingFrom(t, text, 1_000_000) }

// drawingFrom is the same with another time of the first column.
func drawingFrom(t testing.TB, text string, from int64) *data.Set {
	t.Helper()
	b := data.NewBuilder("drawing", "test")
	calls := source.NewCalls(b, symbol.Unknown)
	for _, thread := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		th := calls.Thread()
		for _, line := range strings.Split(thread, "\n") {
			for at := 0; at < len(line); {
				if line[at] == ' ' {
					at++
					continue
				}
				end := at + 1
				for end < len(line) && line[end] == '-' {
					end++
				}
				th.Whole(from+int64(at)*column, int64(end-at)*column, calls.Method(source.Frame{Name: line[at : at+1]}))
				at = end
			}
		}
	}
	if err := calls.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func traceOf(t testing.TB, set *data.Set) *trace.Trace {
	t.Helper()
	tr, err := trace.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// pair compares two traces.
func pair(t testing.TB, a, b *trace.Trace, tau float64) (*match.Matches, [2]*trace.Levels) {
	t.Helper()
	p, err := match.NewPair(context.Background(), a, b, match.Names{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.At(context.Background(), tau, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, [2]*trace.Levels{trace.NewLevels(a, nil), trace.NewLevels(b, nil)}
}

// all is a window that shows everything.
func all(m *match.Matches, most int) window {
	w := window{size: viz.Viewport{Width: 1440, Height: 900}, most: most}
	for side, t := range m.Traces {
		w.focus[side] = [2]int64{0, t.To - t.From}
		for i := range t.Threads {
			w.threads[side] = append(w.threads[side], i)
		}
	}
	return w
}

// recorded reads a call trace of the folder CAMBIUM_DATA, or skips the test.
func recorded(t testing.TB, name string) *trace.Trace {
	t.Helper()
	folder := os.Getenv("CAMBIUM_DATA")
	if folder == "" {
		t.Skip("the environment variable CAMBIUM_DATA does not name the folder of recorded profiles")
	}
	return traceOf(t, read(t, filepath.Join(folder, "calltrace", name)))
}

func read(t testing.TB, path string) *data.Set {
	t.Helper()
	in, err := source.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
