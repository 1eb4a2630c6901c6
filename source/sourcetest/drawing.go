package sourcetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

// Drawing reads calls drawn as an icicle: a line per depth, a column per 100
// nanoseconds, an empty line between threads. A letter is where a call of that
// name starts, dashes where it goes on.
func Drawing(t testing.TB, text string) *data.Set {
	t.Helper()
	b := data.NewBuilder("drawing", "test")
	calls := source.NewCalls(b, symbol.Unknown)
	for i, thread := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		th := calls.Thread()
		th.Name, th.Process = fmt.Sprintf("T%d", i), "P"
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
				th.Whole(1_000_000+int64(at)*100, int64(end-at)*100, calls.Method(source.Frame{Name: line[at : at+1]}))
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
