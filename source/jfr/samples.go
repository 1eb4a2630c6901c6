package jfr

import (
	"cmp"
	"context"
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

	rows *data.Spool
	seen []int   // type of event -> samples
	has  []uint8 // type of event -> bits of the columns in which some sample refers to something
}

// Columns of samples.
const (
	atColumn = iota
	eventColumn
	threadColumn
	stateColumn
	objectColumn // class of what was allocated, or locked
	valueColumn
	timeColumn
)

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
		all.seen, all.has = append(all.seen, 0), append(all.has, 0)
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
	c := s.rows.Row()
	for i, id := range [...]data.EntityID{ref(from.at), from.event, ref(from.thread), ref(from.state), ref(from.object)} {
		c[i].Refs = append(c[i].Refs, id)
		if id != data.None {
			s.has[from.event] |= 1 << i
		}
	}
	c[valueColumn].Values, c[timeColumn].Values = append(c[valueColumn].Values, value), append(c[timeColumn].Values, time)
	s.seen[from.event]++
}

// settle decides what events that take no time are: see above. A metric without
// a name is none. It tells which types of events are left out, and which counted.
func (s *samples) settle() (leave, count []bool) {
	leave, count = make([]bool, len(s.events)), make([]bool, len(s.events))
	for e, m := range s.metricOf {
		switch metric := &s.metrics[m]; {
		case s.lasting[m] || metric.rank < len(measures):
		case metric.ofRecorder(s.events[e]):
			leave[e], metric.Name = true, ""
		default:
			count[e], metric.Unit = true, "count"
		}
	}
	return leave, count
}

// finish defines the event type of samples, if there are any, and the entity
// type of what they were.
func (s *samples) finish(ctx context.Context, b *data.Builder) error {
	leave, count := s.settle()
	kept, has := 0, uint8(0)
	for e := range s.events {
		if !leave[e] {
			kept += s.seen[e]
			has |= s.has[e]
		}
	}
	if kept == 0 {
		return nil
	}
	events, err := b.EntityType(typeEvent, "the type of event that a sample was")
	if err != nil {
		return err
	}
	if err := events.Adopt(s.events, len(s.events)); err != nil {
		return err
	}
	fields := []data.Field{data.Ref(source.TypeContext, source.TypeContext, "the stack that was seen")}
	taken := map[string]bool{}
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
	amount := make([]int, len(s.metrics)) // metric -> its field
	for _, m := range byRank {
		metric := s.metrics[m]
		if metric.Name == "" {
			continue
		}
		f := data.Value(unique(taken, metric.Name), metric.Unit, metric.Description, data.Amount)
		if len(fields) == 1 {
			f.Properties = append(f.Properties, source.Preferred)
		}
		amount[m] = len(fields)
		fields = append(fields, f)
	}
	amounts := len(fields)
	var rest []int // columns of the fields after the amounts
	for _, label := range []struct {
		column                    int
		name, refers, description string
	}{
		{eventColumn, "Event", typeEvent, "the type of event that the sample was"},
		{threadColumn, "Thread", source.TypeThread, "the thread of the sample"},
		{stateColumn, "State", s.states, "what the thread was doing"},
		{objectColumn, "Object", source.TypeClass, "the class of what was allocated, or waited for"},
	} {
		if has>>label.column&1 != 0 {
			fields, rest = append(fields, data.Ref(label.name, label.refers, label.description)), append(rest, label.column)
		}
	}
	fields, rest = append(fields, data.Value("Time", "nanoseconds", "when the sample was taken, since the recording began", data.Coordinate)), append(rest, timeColumn)
	samples, err := b.EventType(source.TypeSample, "an event with a stack, and what it cost", fields...)
	if err != nil {
		return err
	}
	sorted, err := s.rows.Sort(timeColumn)
	if err != nil {
		return err
	}
	var out data.Block
	out.Columns = make([]data.Column, len(fields))
	hand := func() error {
		err := samples.Append(out.Rows, out.Columns...)
		for i, c := range out.Columns {
			out.Columns[i] = data.Column{Refs: c.Refs[:0], Values: c.Values[:0]}
		}
		out.Rows = 0
		return err
	}
	err = data.Each(ctx, sorted, func(c []data.Column, row int) error {
		e := c[eventColumn].Refs[row]
		if leave[e] {
			return nil
		}
		value := c[valueColumn].Values[row]
		if count[e] {
			value = 1
		}
		out.Columns[0].Refs = append(out.Columns[0].Refs, c[atColumn].Refs[row])
		for f := 1; f < amounts; f++ {
			v := int64(0)
			if f == amount[s.metricOf[e]] {
				v = value
			}
			out.Columns[f].Values = append(out.Columns[f].Values, v)
		}
		for i, column := range rest {
			o := &out.Columns[amounts+i]
			if column == timeColumn {
				o.Values = append(o.Values, c[column].Values[row])
			} else {
				o.Refs = append(o.Refs, c[column].Refs[row])
			}
		}
		if out.Rows++; out.Rows == data.BatchRows {
			return hand()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return hand()
}
