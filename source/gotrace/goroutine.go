package gotrace

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/exp/trace"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// goroutine is a thread of the call trace: scopes around each other, and in the
// innermost of them the state that the goroutine is in. The background threads
// have scopes only.
type goroutine struct {
	*source.CallThread
	entity data.EntityID

	scopes []scope
	prefix []data.EntityID // the stack of the innermost scope that has one

	state data.EntityID   // None: there is none
	stack []data.EntityID // the state's, as the trace has it
	open  bool            // there is a call that is the state
}

// scope is something that lasts over changes of state.
type scope struct {
	kind  scopeKind
	name  data.EntityID
	stack []data.EntityID
}

type scopeKind uint8

const (
	scopeRegion scopeKind = iota
	scopeRange
)

// maxScopes bounds how deep scopes are kept: regions that are never ended in a
// loop would make every change of state take longer.
const maxScopes = 1000

// goroutine gives the goroutine of a number.
func (r *reader) goroutine(id trace.GoID) *goroutine {
	g := r.goroutines[id]
	if g == nil {
		g = &goroutine{CallThread: r.calls.Thread(), entity: r.tables.goroutine(int64(id)), state: data.None}
		g.ID, g.Process = fmt.Sprint(int64(id)), "goroutines"
		r.goroutines[id] = g
	}
	return g
}

// lane is where something happens that is no goroutine's.
type lane struct {
	name string
	id   int64
}

// around gives what a range is of: a goroutine, a processor, or the whole
// program.
func (r *reader) around(e *trace.Event, of trace.ResourceID) *goroutine {
	at := lane{name: "whole program"}
	switch of.Kind {
	case trace.ResourceGoroutine:
		if id := of.Goroutine(); id != trace.NoGoroutine {
			return r.goroutine(id)
		}
	case trace.ResourceProc:
		at = lane{"P", int64(of.Proc())}
	case trace.ResourceThread:
		at = lane{"M", int64(of.Thread())}
	default:
		at.name = e.Range().Name // one lane each, as they overlap
	}
	g := r.background[at]
	if g == nil {
		g = &goroutine{CallThread: r.calls.Thread(), state: data.None}
		g.Process, g.Name = "runtime", at.name
		if of.Kind == trace.ResourceProc || of.Kind == trace.ResourceThread {
			g.Name, g.ID = fmt.Sprintf("%s %d", at.name, at.id), fmt.Sprint(at.id)
		}
		r.background[at] = g
	}
	return g
}

// enter puts the goroutine into a state.
func (g *goroutine) enter(r *reader, at int64, state data.EntityID, stack []data.EntityID) {
	g.leave(at)
	g.state, g.stack = state, stack
	g.resume(r, at)
}

// resume begins a call that is the state.
func (g *goroutine) resume(r *reader, at int64) {
	if g.state != data.None {
		g.Begin(at, r.path(g.stack, g.prefix, g.state))
		g.open = true
	}
}

// leave ends that call; the state itself is not forgotten.
func (g *goroutine) leave(at int64) {
	if g.open {
		g.End(at, data.None)
		g.open = false
	}
}

// path gives the number of a call with its stack. What the scopes around it have
// of that stack is not there twice.
func (r *reader) path(stack, around []data.EntityID, name data.EntityID) data.EntityID {
	n := 0
	for n < len(stack) && n < len(around) && stack[n] == around[n] {
		n++
	}
	path := data.None
	for _, m := range stack[n:] {
		path = r.paths.Child(path, m)
	}
	return r.paths.Child(path, name)
}

// between gives the frames of a call's number.
func (r *reader) between(number data.EntityID) []data.EntityID {
	r.frames = r.frames[:0]
	for at := r.paths.Parents[number]; at != data.None; at = r.paths.Parents[at] {
		r.frames = append(r.frames, r.paths.Keys[at])
	}
	slices.Reverse(r.frames)
	return r.frames
}

// push begins a scope.
func (g *goroutine) push(r *reader, at int64, kind scopeKind, name data.EntityID, stack []data.EntityID) {
	if len(g.scopes) == maxScopes {
		r.b.Warn("goroutine %s has more than %d regions within each other; the others were left out", g.ID, maxScopes)
		return
	}
	stack = withoutTracing(r, stack)
	g.leave(at)
	g.begin(r, at, scope{kind, name, stack})
	g.resume(r, at)
}

func (g *goroutine) begin(r *reader, at int64, s scope) {
	g.Begin(at, r.path(s.stack, g.prefix, s.name))
	if len(s.stack) > 0 {
		g.prefix = s.stack
	}
	g.scopes = append(g.scopes, s)
}

// pop ends the innermost scope of that name. Those within it that last longer are
// begun again.
func (g *goroutine) pop(r *reader, at int64, kind scopeKind, name data.EntityID) {
	i := g.find(kind, name)
	if i < 0 {
		return // it began before the trace
	}
	g.leave(at)
	longer := slices.Clone(g.scopes[i+1:])
	g.shut(at, i)
	for _, s := range longer {
		g.begin(r, at, s)
	}
	g.resume(r, at)
}

// find gives the innermost scope of a name, or -1.
func (g *goroutine) find(kind scopeKind, name data.EntityID) int {
	i := len(g.scopes) - 1
	for i >= 0 && (g.scopes[i].kind != kind || g.scopes[i].name != name) {
		i--
	}
	return i
}

// shut ends all scopes from a number on.
func (g *goroutine) shut(at int64, from int) {
	for range g.scopes[from:] {
		g.End(at, data.None)
	}
	g.scopes = g.scopes[:from]
	g.prefix = nil
	for i := from - 1; i >= 0 && g.prefix == nil; i-- {
		g.prefix = g.scopes[i].stack
	}
}

// close ends what is open at the end of a goroutine, or of the trace.
func (g *goroutine) close(at int64) {
	g.leave(at)
	g.shut(at, 0)
	g.state = data.None
}

// withoutTracing leaves the functions out that do the tracing: runtime/trace.StartRegion.
func withoutTracing(r *reader, stack []data.EntityID) []data.EntityID {
	for len(stack) > 0 && strings.HasPrefix(r.names[stack[len(stack)-1]], "runtime/trace.") {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// task is one that is running.
type task struct {
	lane  *source.CallThread
	lanes *lanes
}

// lanes are threads for tasks of a type: as many as run at a time.
type lanes struct {
	free []*source.CallThread
	n    int
}

func (r *reader) beginTask(t trace.Task, at int64) {
	if _, ok := r.tasks[t.ID]; ok {
		return
	}
	l := r.lanes[t.Type]
	if l == nil {
		l = &lanes{}
		r.lanes[t.Type] = l
	}
	var on *source.CallThread
	if n := len(l.free); n > 0 {
		on, l.free = l.free[n-1], l.free[:n-1]
	} else {
		l.n++
		on = r.calls.Thread()
		on.Process, on.Name, on.ID = "tasks", t.Type, fmt.Sprint(l.n)
	}
	r.tasks[t.ID] = &task{on, l}
	on.Begin(at, r.path(nil, nil, r.name(t.Type)))
}

func (r *reader) endTask(t trace.Task, at int64) {
	running := r.tasks[t.ID]
	if running == nil {
		return // it began before the trace
	}
	delete(r.tasks, t.ID)
	running.lane.End(at, data.None)
	running.lanes.free = append(running.lanes.free, running.lane)
}
