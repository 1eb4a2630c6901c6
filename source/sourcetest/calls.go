package sourcetest

import (
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// fewCalls is how many calls a golden summary draws.
const fewCalls = 60

// drawCalls draws the calls of a small trace, in their order, each as deep as
// its context: thread, method, start, duration, time of its own.
func drawCalls(b *strings.Builder, set *data.Set) {
	calls := set.Event(source.TypeCall)
	if calls == nil || calls.Rows() == 0 || calls.Rows() > fewCalls {
		return
	}
	column := func(name string) data.Column {
		c, _ := calls.Column(name)
		return c
	}
	contexts, threads := set.Entity(source.TypeContext), set.Entity(source.TypeThread)
	callers, _ := contexts.Column("Caller")
	methods, _ := contexts.Column("Method")
	processes, _ := threads.Column("Process")
	start, took, self := column("Start").Values, column("Duration").Values, column("Self").Values
	fmt.Fprintf(b, "calls from %d:\n", start[0])
	for row, at := range column(source.TypeContext).Refs {
		depth := 0
		for up := callers.Refs[at]; up != data.None; up = callers.Refs[up] {
			depth++
		}
		thread := column(source.TypeThread).Refs[row]
		fmt.Fprintf(b, "  %s / %s: %s%s +%d took %d self %d\n", set.Entity(source.TypeProcess).NameOf(processes.Refs[thread]), threads.NameOf(thread),
			strings.Repeat("| ", depth), set.Entity(source.TypeMethod).NameOf(methods.Refs[at]), start[row]-start[0], took[row], self[row])
	}
}
