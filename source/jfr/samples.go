package jfr

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Events with a stack trace are also samples, of one event type, so that they
// have a tree of calling contexts in common: a metric per type of event, whose
// amount is, in this order, what the table below says, the event's duration, or
// one. What stands first here is looked at first. Allocations in and outside
// thread-local buffers are one metric, as they add up to what was allocated; the
// events of both kinds are apart as event types.
//
// Events of Java code always have a duration, also those of an instant: where it
// is 0 for all events of a type, they are counted. But if they are the JDK's own,
// they are no samples: they tell of settings and statistics, and their stacks are
// those of the recorder.

// measures lists the events whose amount is known.
var measures = []struct{ event, metric, amount, description string }{
	{"jdk.ExecutionSample", "samples", "", "samples of threads that run Java code"},
	{"profiler.WallClockSample", "wall-clock samples", "samples", "samples of threads, whatever they do"},
	{"jdk.CPUTimeSample", "cpu", "samplingPeriod", "processor time, as sampled"},
	{"jdk.NativeMethodSample", "native samples", "", "samples of threads that run native code"},
	{"jdk.ObjectAllocationInNewTLAB", "allocated", "tlabSize", "size of new thread-local buffers, and of what was allocated outside"},
	{"jdk.ObjectAllocationOutsideTLAB", "allocated", "allocationSize", "size of new thread-local buffers, and of what was allocated outside"},
	{"jdk.ObjectAllocationSample", "allocated (sampled)", "weight", "allocation, as sampled: the weight of samples"},
	{"profiler.LiveObject", "live", "allocationSize", "size of objects that are still in use"},
	{"jdk.OldObjectSample", "old objects", "", "objects that were still in use, as sampled"},
	{"profiler.Malloc", "malloc", "size", "memory that native code allocated"},
	{"jdk.JavaMonitorEnter", "lock", "duration", "time that threads waited to enter monitors"},
	{"jdk.JavaMonitorWait", "wait", "duration", "time that threads waited to be notified"},
	{"jdk.ThreadPark", "park", "duration", "time that threads were parked"},
	{"jdk.ThreadSleep", "sleep", "duration", "time that threads slept"},
	{"jdk.JavaExceptionThrow", "exceptions", "", "exceptions that were created"},
	{"jdk.JavaErrorThrow", "errors", "", "errors that were created"},
}

// maxMetrics bounds the columns that samples have.
const maxMetrics = 32

// metric is what samples of one or a few types of events count for.
type metric struct {
	source.Metric
	rank int // in measures; others come after those
}

// ofRecorder tells whether events of a type that take no time are no samples.
func (m *metric) ofRecorder(event string) bool {
	return m.rank == len(measures) && m.Unit != "count" && strings.HasPrefix(event, "jdk.")
}

// samples are all events with stacks.
type samples struct {
	metrics    []metric
	events     []string // types of events
	metricOf   []int    // type of event -> metric
	lasting    []bool   // metric -> there are amounts other than 0
	unmeasured map[string]bool
	states     string // the entity type of states

	at     []data.EntityID // sample -> context
	event  []data.EntityID
	thread []data.EntityID
	state  []data.EntityID
	object []data.EntityID // class of what was allocated, or locked
	value  []int64
	time   []int64
}

// sample is where the events of a type have what a sample needs: columns, or -1.
type sample struct {
	event                                   data.EntityID
	at, thread, state, object, amount, time int
}

// sampleOf gives how events of a class are samples, nil if they have no stacks.
func (r *reader) sampleOf(of *class, p *plan) *sample {
	t, all := p.table, &r.samples
	s := &sample{at: t.at("stackTrace", source.TypeContext), time: t.time, state: -1, object: -1, amount: -1}
	if s.at < 0 {
		return nil
	}
	if s.thread = t.at("sampledThread", source.TypeThread); s.thread < 0 {
		s.thread = t.at("eventThread", source.TypeThread)
	}
	if f := of.field("state"); f != nil && f.class.primitive == composite && f.class.isEntity() {
		refers, _ := r.refers(f.class)
		all.states = cmp.Or(all.states, refers)
		if refers == all.states {
			s.state = t.at("state", refers)
		}
	}
	for _, name := range []string{"objectClass", "monitorClass", "parkedClass"} {
		s.object = max(s.object, t.at(name, source.TypeClass))
	}
	m := metric{Metric: source.Metric{Name: cmp.Or(of.label, of.name), Unit: "count", Description: t.description}, rank: len(measures)}
	amount := "duration"
	for i, known := range measures {
		if known.event == of.name {
			m.Name, m.Description, m.rank, amount = known.metric, known.description, i, known.amount
			break
		}
	}
	if i := t.at(amount, ""); i >= 0 && t.columns[i].field.Has(data.Amount) {
		s.amount, m.Unit = i, t.columns[i].field.Unit
	}
	i := slices.Index(all.events, of.name)
	if i < 0 {
		at, ok := all.metric(m)
		if !ok {
			if all.unmeasured == nil {
				all.unmeasured = map[string]bool{}
			}
			all.unmeasured[of.name] = true
			return nil
		}
		i = len(all.events)
		all.events, all.metricOf = append(all.events, of.name), append(all.metricOf, at)
	}
	s.event = data.EntityID(i)
	return s
}

// metric gives the metric of that name and unit, adding it if there is none.
func (s *samples) metric(m metric) (at int, ok bool) {
	for i, known := range s.metrics {
		if known.Name == m.Name && known.Unit == m.Unit {
			return i, true
		}
	}
	if len(s.metrics) == maxMetrics {
		return 0, false
	}
	s.metrics, s.lasting = append(s.metrics, m), append(s.lasting, false)
	return len(s.metrics) - 1, true
}

func (s *samples) add(from *sample, row []int64) {
	ref := func(column int) data.EntityID {
		if column < 0 {
			return data.None
		}
		return data.EntityID(row[column])
	}
	value, time := int64(1), int64(0)
	if from.amount >= 0 {
		value = row[from.amount]
	}
	if from.time >= 0 {
		time = row[from.time]
	}
	if value != 0 {
		s.lasting[s.metricOf[from.event]] = true
	}
	s.at, s.event = append(s.at, ref(from.at)), append(s.event, from.event)
	s.thread, s.state, s.object = append(s.thread, ref(from.thread)), append(s.state, ref(from.state)), append(s.object, ref(from.object))
	s.value, s.time = append(s.value, value), append(s.time, time)
}

// settle decides what events that take no time are: see above. A metric without
// a name is none.
func (s *samples) settle() {
	leave, count := make([]bool, len(s.events)), make([]bool, len(s.events))
	for e, m := range s.metricOf {
		switch metric := &s.metrics[m]; {
		case s.lasting[m] || metric.rank < len(measures):
		case metric.ofRecorder(s.events[e]):
			leave[e], metric.Name = true, ""
		default:
			count[e], metric.Unit = true, "count"
		}
	}
	kept := 0
	for row, e := range s.event {
		if leave[e] {
			continue
		}
		if count[e] {
			s.value[row] = 1
		}
		s.at[kept], s.event[kept], s.thread[kept], s.state[kept] = s.at[row], e, s.thread[row], s.state[row]
		s.object[kept], s.value[kept], s.time[kept] = s.object[row], s.value[row], s.time[row]
		kept++
	}
	s.at, s.event, s.thread, s.state = s.at[:kept], s.event[:kept], s.thread[:kept], s.state[:kept]
	s.object, s.value, s.time = s.object[:kept], s.value[:kept], s.time[:kept]
}

// finish defines the event type of samples, if there are any, and the entity
// type of what they were.
func (s *samples) finish(b *data.Builder) error {
	s.settle()
	if len(s.at) == 0 {
		return nil
	}
	events, err := b.EntityType(typeEvent, "the type of event that a sample was")
	if err != nil {
		return err
	}
	if err := events.Adopt(s.events, len(s.events)); err != nil {
		return err
	}
	order := byTime(s.time)
	fields := []data.Field{data.Ref(source.TypeContext, source.TypeContext, "the stack that was seen")}
	columns := []data.Column{{Refs: s.at}}
	taken := map[string]bool{}
	ref := func(name, refers, description string, refs []data.EntityID) {
		taken[name] = true
		if slices.ContainsFunc(refs, func(id data.EntityID) bool { return id != data.None }) {
			fields, columns = append(fields, data.Ref(name, refers, description)), append(columns, data.Column{Refs: refs})
		}
	}
	for _, name := range []string{source.TypeContext, "Event", "Thread", "State", "Object", "Time"} {
		taken[name] = true
	}
	byRank := make([]int, len(s.metrics))
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortStableFunc(byRank, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.metrics[a].rank, s.metrics[b].rank), cmp.Compare(s.metrics[a].Name, s.metrics[b].Name))
	})
	for _, m := range byRank {
		metric := s.metrics[m]
		if metric.Name == "" {
			continue
		}
		values := make([]int64, len(s.value))
		for row, event := range s.event {
			if s.metricOf[event] == m {
				values[row] = s.value[row]
			}
		}
		f := data.Value(unique(taken, metric.Name), metric.Unit, metric.Description, data.Amount)
		if len(fields) == 1 {
			f.Properties = append(f.Properties, source.Preferred)
		}
		fields, columns = append(fields, f), append(columns, data.Column{Values: values})
	}
	ref("Event", typeEvent, "the type of event that the sample was", s.event)
	ref("Thread", source.TypeThread, "the thread of the sample", s.thread)
	ref("State", s.states, "what the thread was doing", s.state)
	ref("Object", source.TypeClass, "the class of what was allocated, or waited for", s.object)
	fields = append(fields, data.Value("Time", "nanoseconds", "when the sample was taken, since the recording began", data.Coordinate))
	columns = append(columns, data.Column{Values: s.time})
	for i := range columns {
		columns[i] = reorder(columns[i], order)
	}
	samples, err := b.EventType(source.TypeSample, "an event with a stack, and what it cost", fields...)
	if err != nil {
		return err
	}
	return samples.Adopt(len(s.at), columns...)
}
