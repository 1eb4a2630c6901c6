package source

import (
	"context"
	"math"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// The types every call trace has beside those of profiles.
const (
	TypeCall    = "Call"
	TypeThread  = "Thread"
	TypeProcess = "Process"
)

// Properties of amounts of events that nest.
const (
	// Inclusive is an amount that contains that of the calls a call makes. It
	// means nothing to add it up along a stack.
	Inclusive data.Property = "inclusive"
	// Exclusive is what is left of the inclusive amount without the calls that
	// a call makes: what a calling context tree adds up.
	Exclusive data.Property = "exclusive"
)

// MaxTime bounds times, both ways, so that no difference of two leaves 64 bits.
const MaxTime = math.MaxInt64 / 2

// Calls is the frame that readers of call traces share. It makes the types of
// a [Profile], Process and Thread, and the event type Call, whose fields are
// the context, the thread, the caller (a method), the start, the time of its
// own and the duration. Calls are in the order of their start over all threads.
//
// Usage: Thread gives a thread, on which Begin, End and Whole tell what
// happened, in any order of time; Finish finds what called what and defines
// the types on the builder. Samples are added as to a profile, after Measure,
// and Sampled tells their thread.
//
// Begins and ends are matched as they nest, so that calls that take no time
// keep their callers; whole calls, of which start and duration are known, are
// nested by their times.
type Calls struct {
	*Profile
	// Resolve gives the method of a number that Begin and Whole were told; nil
	// if they were told methods. It is for formats that name methods last.
	Resolve func(data.EntityID) data.EntityID
	// Between gives the frames between the caller and the call of a number, the
	// outermost first, or is nil. They are part of its context, and no calls of
	// their own. Of whole calls, and on threads that have some, there are none.
	Between func(data.EntityID) []data.EntityID
	// Level is an amount of which the program has so much at a time, such as
	// memory, or nil. If it is set, before the first thread, Begin and End are
	// followed by [CallThread.Level], and calls have a field of how they changed
	// it by themselves. Whole calls changed nothing.
	Level *Metric
	// SamplesFirst puts samples before calls, so that the calling context tree
	// is that of the samples where there are both.
	SamplesFirst bool

	threads []*CallThread
	sampled *Label // of samples: the number of their thread; nil if none has one
	last    int64  // the last time of all
	timed   bool   // there is one

	found, unmatched, unnamed, unended, cut int64
}

// NewCalls starts a trace. lang is as for [NewProfile].
func NewCalls(b *data.Builder, lang symbol.Language) *Calls {
	p := NewProfile(b, lang, 0)
	p.complete = false
	return &Calls{Profile: p}
}

// Measure tells the metrics of samples, for formats that have some beside calls.
// It comes before the first sample.
func (c *Calls) Measure(preferred int, metrics ...Metric) {
	c.preferred, c.metrics = preferred, metrics
}

// CallThread is a thread of a trace. Its names may be told at any time before
// Finish.
type CallThread struct {
	Name, ID       string // ID tells threads of one name apart
	Process        string
	ProcessID      string
	calls          *Calls
	number         int         // among threads
	told           *data.Spool // what happened, in the order it was told
	took           int         // its column of whole calls' durations + 1, which is 0 otherwise; only there if there are some
	begins, wholes int
	samples        int
	kept           bool  // without calls and samples, too
	ordered        bool  // times do not fall
	at             int64 // the last time
	entity         data.EntityID
}

// Columns of what is told of a thread.
const (
	toldAt    = iota
	toldOp    // the method, or opEnd and the method
	toldLevel // only there if there are levels
)

// chunkOps is a run of what happened: small enough to be freed while it is
// worked through.
const chunkOps = 16 << 10

// An end is told apart from a begin by the highest bit.
const (
	opEnd     = 1 << 31
	anyMethod = opEnd - 1
)

// Thread adds a thread.
func (c *Calls) Thread() *CallThread {
	t := &CallThread{calls: c, number: len(c.threads), ordered: true, told: c.b.Spool(chunkOps, false, true)}
	if c.Level != nil {
		t.told.AddColumn(false)
	}
	c.threads = append(c.threads, t)
	return t
}

// Sampled tells that the last sample was taken on the thread.
func (t *CallThread) Sampled() {
	c := t.calls
	if c.sampled == nil {
		c.sampled = c.newLabel(TypeThread, "", false)
		c.sampled.refers = TypeThread
	}
	c.sampled.Set(data.EntityID(t.number))
	t.samples++
}

// used tells whether there is anything of the thread.
func (t *CallThread) used() bool { return t.begins+t.wholes+t.samples > 0 || t.kept }

// Keep makes the thread an entity even if it has neither calls nor samples:
// for events of other types.
func (t *CallThread) Keep() { t.kept = true }

// Entity is the thread as an entity, once Finish has made those.
func (t *CallThread) Entity() data.EntityID { return t.entity }

// Begin tells that a method was called.
func (t *CallThread) Begin(at int64, method data.EntityID) {
	t.begins++
	t.add(at, method)
}

// End tells that a method returned; None is the one that was called last.
func (t *CallThread) End(at int64, method data.EntityID) {
	if method == data.None {
		method = anyMethod
	}
	t.add(at, method|opEnd)
}

// Whole tells of a call from its start to its end. duration is not negative.
func (t *CallThread) Whole(at, duration int64, method data.EntityID) {
	if t.wholes == 0 {
		t.took = t.told.AddColumn(false)
	}
	t.wholes++
	t.add(at, method)
	t.told.SetValue(t.took, duration+1)
	t.calls.last = max(t.calls.last, at+duration)
}

// Level tells how much there is at the begin or end that was told last.
func (t *CallThread) Level(v int64) { t.told.SetValue(toldLevel, v) }

func (t *CallThread) add(at int64, op data.EntityID) {
	if t.ordered && at < t.at && t.told.Rows() > 0 {
		t.ordered = false
	}
	t.at = at
	if !t.calls.timed || at > t.calls.last {
		t.calls.last, t.calls.timed = at, true
	}
	columns := t.told.Row()
	columns[toldAt].Values = append(columns[toldAt].Values, at)
	columns[toldOp].Refs = append(columns[toldOp].Refs, op)
}

// Finish finds callers, warns of what did not fit together, defines the entity
// and event types and hands all elements to the builder. The event type of
// samples is defined only if there are some; if there are nothing else, the
// trace is a profile.
func (c *Calls) Finish(ctx context.Context) error {
	if len(c.threads) == 0 && c.Samples() > 0 {
		c.complete = true
		return c.Profile.Finish()
	}
	used := 0
	for _, t := range c.threads {
		if t.used() {
			t.entity = data.EntityID(used)
			used++
		}
	}
	var parts []*callRows
	for _, t := range c.threads {
		if t.begins+t.wholes == 0 {
			c.unmatched += int64(t.told.Rows())
			continue
		}
		rows := c.newRows(t.entity, used)
		if err := t.nest(ctx, rows); err != nil {
			return err
		}
		parts = append(parts, rows)
		c.found += int64(rows.Rows())
	}
	c.warn()
	if err := c.Program.Finish(); err != nil {
		return err
	}
	if err := c.finishContexts(); err != nil {
		return err
	}
	if err := c.finishThreads(); err != nil {
		return err
	}
	c.place()
	samples := c.Samples() > 0
	if samples && (c.SamplesFirst || c.found == 0) {
		if err := c.finishSamples(); err != nil || c.found == 0 {
			return err
		}
		samples = false
	}
	fields := []data.Field{
		data.Ref(TypeContext, TypeContext, "the method that was called, along its callers"),
		data.Ref(TypeThread, TypeThread, "the thread of the call"),
		data.Ref("Caller", TypeMethod, "the method that made the call"),
		data.Value("Start", "nanoseconds", "when the call began", data.Coordinate),
		data.Value("Self", "nanoseconds", "the time of the call without that of the calls it makes", data.Amount, Exclusive, Preferred),
		data.Value("Duration", "nanoseconds", "the time from the start of the call to its end", data.Amount, Inclusive),
	}
	if c.Level != nil {
		fields = append(fields, data.Value(c.Level.Name, c.Level.Unit, c.Level.Description, data.Amount))
	}
	calls, err := c.b.EventType(TypeCall, "a method was called, and returned", fields...)
	if err != nil {
		return err
	}
	if err := mergeCalls(ctx, parts, calls); err != nil || !samples {
		return err
	}
	return c.finishSamples()
}

// place makes the threads of samples a field of theirs, the last one.
func (c *Calls) place() {
	c.taken = append(c.taken, TypeThread, TypeProcess, TypeCall)
	if c.sampled == nil {
		return
	}
	for _, t := range c.threads {
		c.sampled.moved = append(c.sampled.moved, t.entity)
	}
	c.labels = append(c.labels, c.sampled)
}

// Found is the number of calls, once Finish has found them.
func (c *Calls) Found() int64 { return c.found }

func (c *Calls) warn() {
	c.b.WarnCount(c.unended, "%d calls have no end; they were closed where the trace ends")
	c.b.WarnCount(c.unnamed, "%d calls have no end of their own; they were closed where their caller ends")
	c.b.WarnCount(c.unmatched, "%d ends of calls have no beginning and were left out")
	c.b.WarnCount(c.cut, "%d calls outlast their caller and were cut where it ends")
}

// finishThreads defines the processes and threads that have something.
func (c *Calls) finishThreads() error {
	type id struct{ name, number string }
	var used []*CallThread
	processes := map[string]map[string]bool{} // name -> ids
	threads := map[id]map[string]bool{}       // process id and name -> ids
	note := func(ids map[string]bool, id string) map[string]bool {
		if ids == nil {
			ids = map[string]bool{}
		}
		ids[id] = true
		return ids
	}
	for _, t := range c.threads {
		if !t.used() {
			continue
		}
		used = append(used, t)
		processes[t.Process] = note(processes[t.Process], t.ProcessID)
		at := id{t.ProcessID, t.Name}
		threads[at] = note(threads[at], t.ID)
	}
	// called gives names that can be told apart.
	called := func(what, name, id string, twins bool) string {
		switch {
		case name == "" && id == "":
			name = what
		case name == "":
			name = what + " " + id
		case twins:
			name += " (" + id + ")"
		}
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	processType, err := c.b.EntityType(TypeProcess, "a process")
	if err != nil {
		return err
	}
	threadType, err := c.b.EntityType(TypeThread, "a thread", data.Ref("Process", TypeProcess, "the process of the thread"))
	if err != nil {
		return err
	}
	rows := map[id]data.EntityID{}
	for _, t := range used {
		key := id{t.Process, t.ProcessID}
		row, ok := rows[key]
		if !ok {
			if row, err = processType.Add(called("process", t.Process, t.ProcessID, len(processes[t.Process]) > 1)); err != nil {
				return err
			}
			rows[key] = row
		}
		name := called("thread", t.Name, t.ID, len(threads[id{t.ProcessID, t.Name}]) > 1)
		if _, err := threadType.Add(name, int64(row)); err != nil {
			return err
		}
	}
	return nil
}
