package gotrace

import (
	"fmt"
	"strings"

	"golang.org/x/exp/trace"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// tables are the events of a trace that are no calls, and what they refer to.
type tables struct {
	processors, threads, states, reasons, metrics, labels, messages *data.EntityBuilder

	goroutineNames []string        // filled in when a stack tells
	goroutineFuncs []data.EntityID // the functions they were started with
	goroutineIDs   []int64

	processorIDs, threadIDs map[int64]data.EntityID
	waiting                 map[string]data.EntityID // reason -> method

	changes, values, labelled, logs *data.EventBuilder
}

// Types of events and entities beside those of calls.
const (
	typeGoroutine = "Goroutine"
	typeProcessor = "Processor"
	typeMachine   = "OS Thread"
	typeState     = "State"
	typeReason    = "Reason"
	typeMetric    = "Metric"
	typeLabel     = "Label"
	typeMessage   = "Message"
)

// Fields that several types of events have.
var (
	timeField  = data.Value("Time", "nanoseconds", "when it happened", data.Coordinate)
	stackField = data.Ref(source.TypeContext, source.TypeContext, "the stack of the goroutine, if it is told")
	goField    = data.Ref(typeGoroutine, typeGoroutine, "the goroutine; none if it is not about one")
	procField  = data.Ref(typeProcessor, typeProcessor, "the processor it happened on, or that it is about")
	osField    = data.Ref(typeMachine, typeMachine, "the thread of the operating system that it happened on")
)

// definer defines types when there is an element of them, so that nobody is
// offered what there is nothing of.
type definer struct {
	b   *data.Builder
	err error
}

func (d *definer) entity(e **data.EntityBuilder, name, description string) {
	if *e == nil && d.err == nil {
		*e, d.err = d.b.EntityType(name, description)
	}
}

func (d *definer) event(e **data.EventBuilder, name, description string, fields ...data.Field) {
	if *e == nil && d.err == nil {
		*e, d.err = d.b.EventType(name, description, fields...)
	}
}

// on defines what events happen on.
func (d *definer) on(t *tables) {
	d.entity(&t.processors, typeProcessor, "a processor of Go's scheduler (P)")
	d.entity(&t.threads, typeMachine, "a thread of the operating system (M)")
}

// goroutine gives the entity of a goroutine; it is named at the end.
func (t *tables) goroutine(id int64) data.EntityID {
	t.goroutineIDs = append(t.goroutineIDs, id)
	t.goroutineNames = append(t.goroutineNames, "")
	t.goroutineFuncs = append(t.goroutineFuncs, data.None)
	return data.EntityID(len(t.goroutineIDs) - 1)
}

// goroutineOf gives the entity of a goroutine, or None.
func (r *reader) goroutineOf(id trace.GoID) data.EntityID {
	if id == trace.NoGoroutine {
		return data.None
	}
	return r.goroutine(id).entity
}

// intern gives the entity of a text, or None if there is none.
func intern(e *data.EntityBuilder, name string) (data.EntityID, error) {
	if name == "" {
		return data.None, nil
	}
	return e.Intern(strings.ToValidUTF8(name, "\uFFFD"))
}

// on gives the processor and the thread that an event happened on.
func (r *reader) on(p trace.ProcID, m trace.ThreadID) (processor, thread data.EntityID, err error) {
	processor, thread = data.None, data.None
	if p != trace.NoProc {
		if processor, err = numbered(r.processors, r.processorIDs, "P", int64(p)); err != nil {
			return
		}
	}
	if m != trace.NoThread {
		thread, err = numbered(r.threads, r.threadIDs, "M", int64(m))
	}
	return
}

// numbered gives the entity of a number.
func numbered(e *data.EntityBuilder, known map[int64]data.EntityID, kind string, number int64) (data.EntityID, error) {
	if id, ok := known[number]; ok {
		return id, nil
	}
	id, err := e.Add(fmt.Sprintf("%s %d", kind, number))
	if err == nil {
		known[number] = id
	}
	return id, err
}

// transition takes a change of state.
func (r *reader) transition(e *trace.Event, at int64) error {
	if r.changes == nil {
		d := definer{b: r.b}
		d.on(&r.tables)
		d.entity(&r.states, typeState, "a state of goroutines or processors")
		d.entity(&r.reasons, typeReason, "why a goroutine came into a state")
		d.event(&r.changes, "State Change", "a goroutine or a processor came into another state",
			stackField, goField, data.Ref("From", typeState, "the state before"), data.Ref("To", typeState, "the new state"),
			data.Ref(typeReason, typeReason, "why"), timeField, procField, osField)
		if d.err != nil {
			return d.err
		}
	}
	st := e.StateTransition()
	var from, to string
	proc, of := e.Proc(), data.None
	switch st.Resource.Kind {
	case trace.ResourceGoroutine:
		before, after := st.Goroutine()
		from, to = before.String(), after.String()
		g := r.goroutine(st.Resource.Goroutine())
		of = g.entity
		if before != after { // or it is only said again, without the reason
			r.goes(g, &st, after, at)
		}
	case trace.ResourceProc:
		before, after := st.Proc()
		from, to = before.String(), after.String()
		proc = st.Resource.Proc()
	default:
		r.others++
		return nil
	}
	fromState, err := intern(r.states, from)
	if err != nil {
		return err
	}
	toState, err := intern(r.states, to)
	if err != nil {
		return err
	}
	reason, err := intern(r.reasons, st.Reason)
	if err != nil {
		return err
	}
	processor, thread, err := r.on(proc, e.Thread())
	if err != nil {
		return err
	}
	return r.changes.Add(int64(r.context(st.Stack)), int64(of), int64(fromState), int64(toState), int64(reason), at, int64(processor), int64(thread))
}

// goes puts a goroutine into a state.
func (r *reader) goes(g *goroutine, st *trace.StateTransition, to trace.GoState, at int64) {
	stack := r.stack(st.Stack)
	if t := &r.tables; len(stack) > 0 && t.goroutineFuncs[g.entity] == data.None {
		t.goroutineFuncs[g.entity] = stack[0]
	}
	switch to {
	case trace.GoRunning:
		g.enter(r, at, r.name("[running]"), nil)
	case trace.GoRunnable:
		g.enter(r, at, r.name("[runnable]"), nil)
	case trace.GoSyscall:
		g.enter(r, at, r.name("[syscall]"), stack)
	case trace.GoWaiting:
		state, ok := r.waiting[st.Reason]
		if !ok {
			name := "[waiting]"
			if st.Reason != "" {
				name = "[waiting: " + st.Reason + "]"
			}
			state = r.name(name)
			r.waiting[st.Reason] = state
		}
		g.enter(r, at, state, stack)
	case trace.GoNotExist:
		g.close(at)
	default:
		g.enter(r, at, data.None, nil)
	}
}

func (r *reader) metric(e *trace.Event, at int64) error {
	if r.values == nil {
		d := definer{b: r.b}
		d.entity(&r.metrics, typeMetric, "a metric of Go's runtime")
		d.event(&r.values, "Metric Value", "a metric of the runtime had a value",
			data.Ref(typeMetric, typeMetric, "the metric; its name tells the unit"), timeField, data.Value("Value", "", "the value", data.Coordinate))
		if d.err != nil {
			return d.err
		}
	}
	m := e.Metric()
	if m.Value.Kind() != trace.ValueUint64 {
		r.others++
		return nil
	}
	metric, err := intern(r.metrics, m.Name)
	if err != nil {
		return err
	}
	return r.values.Add(int64(metric), at, int64(min(m.Value.Uint64(), source.MaxTime)))
}

func (r *reader) label(e *trace.Event, at int64) error {
	if r.labelled == nil {
		d := definer{b: r.b}
		d.entity(&r.labels, typeLabel, "what the runtime calls a goroutine that works for it")
		d.event(&r.labelled, "Label Set", "a goroutine got a label", data.Ref(typeLabel, typeLabel, "the label"), goField, timeField)
		if d.err != nil {
			return d.err
		}
	}
	l := e.Label()
	label, err := intern(r.labels, l.Label)
	if err != nil {
		return err
	}
	of := data.None
	if l.Resource.Kind == trace.ResourceGoroutine {
		of = r.goroutineOf(l.Resource.Goroutine())
		if of != data.None && r.goroutineNames[of] == "" {
			r.goroutineNames[of] = l.Label
		}
	}
	return r.labelled.Add(int64(label), int64(of), at)
}

func (r *reader) log(e *trace.Event, at int64) error {
	if r.logs == nil {
		d := definer{b: r.b}
		d.entity(&r.messages, typeMessage, "a category and a message")
		d.event(&r.logs, "Log Message", "the program logged a message", stackField, goField, data.Ref(typeMessage, typeMessage, "the category and the message"), timeField)
		if d.err != nil {
			return d.err
		}
	}
	l := e.Log()
	text := l.Message
	if l.Category != "" {
		text = l.Category + ": " + text
	}
	message, err := intern(r.messages, text)
	if err != nil {
		return err
	}
	return r.logs.Add(int64(r.context(e.Stack())), int64(r.goroutineOf(e.Goroutine())), int64(message), at)
}

// sample takes a sample of the CPU profiler.
func (r *reader) sample(e *trace.Event, at int64) {
	r.calls.Sample(r.context(e.Stack()), 1)
	r.calls.Time("nanoseconds", at)
	if id := e.Goroutine(); id != trace.NoGoroutine {
		r.goroutine(id).Sampled()
	}
}

// finishTables defines goroutines, which are named by the functions that they
// were started with.
func (r *reader) finishTables() error {
	goroutines, err := r.b.EntityType(typeGoroutine, "a goroutine", data.Ref("Start Function", source.TypeMethod, "the function that it was started with"))
	if err != nil {
		return err
	}
	for i, id := range r.goroutineIDs {
		name := r.goroutineNames[i]
		if f := r.goroutineFuncs[i]; f != data.None {
			name = r.names[f]
		}
		r.goroutines[trace.GoID(id)].Name = name
		full := fmt.Sprintf("goroutine %d", id)
		if name != "" {
			full = strings.ToValidUTF8(fmt.Sprintf("%s %d", name, id), "\uFFFD")
		}
		if _, err := goroutines.Add(full, int64(r.goroutineFuncs[i])); err != nil {
			return err
		}
	}
	return nil
}
