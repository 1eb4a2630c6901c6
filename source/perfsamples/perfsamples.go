// Package perfsamples is what readers of Linux perf's recordings have in
// common: samples of several events, with their labels, as columns.
//
// What belongs here: which metrics and labels such samples have. What does not:
// how a sample is written, and its stack.
package perfsamples

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Unknown is a number that a recording does not tell.
const Unknown = math.MinInt64

// Sample is what is known of a sample, beside its stack.
type Sample struct {
	Command, Event       []byte
	Process, Thread, CPU int64
	Time, Period         int64 // in nanoseconds; in what the event counts
}

// Samples are columns with a row for each sample. That of a label is shorter
// than the others if the last samples have none.
type Samples struct {
	// Prefer is the event to look at first; without one it is that of the first
	// sample.
	Prefer []byte

	contexts []data.EntityID
	times    []int64
	timed    int // samples with a time

	events  names
	periods [][]int64 // event -> sample -> period, 0 for samples of other events
	counted []bool    // event -> it is counted in periods and not in samples
	mixed   []bool    // event -> some have a period and some have none

	comms, cpus, threads, processes names
	threadComm, processComm         map[data.EntityID]data.EntityID // the last one seen
}

// names is a column of references to texts.
type names struct {
	byName map[string]data.EntityID
	byID   map[[2]int64]data.EntityID
	all    []string
	ids    [][2]int64
	refs   []data.EntityID
}

// New gives columns without rows.
func New() *Samples {
	n := func() names {
		return names{byName: map[string]data.EntityID{}, byID: map[[2]int64]data.EntityID{}}
	}
	return &Samples{events: n(), comms: n(), cpus: n(), threads: n(), processes: n(),
		threadComm: map[data.EntityID]data.EntityID{}, processComm: map[data.EntityID]data.EntityID{}}
}

// text gives row the text b.
func (n *names) text(row int, b []byte) data.EntityID {
	id, ok := n.byName[string(b)]
	if !ok {
		id = data.EntityID(len(n.all))
		n.all = append(n.all, string(b))
		n.byName[string(b)] = id
	}
	n.set(row, id)
	return id
}

// number gives row what has these numbers.
func (n *names) number(row int, a, b int64) data.EntityID {
	id, ok := n.byID[[2]int64{a, b}]
	if !ok {
		id = data.EntityID(len(n.ids))
		n.ids = append(n.ids, [2]int64{a, b})
		n.byID[[2]int64{a, b}] = id
	}
	n.set(row, id)
	return id
}

func (n *names) set(row int, id data.EntityID) {
	for len(n.refs) < row {
		n.refs = append(n.refs, data.None)
	}
	n.refs = append(n.refs, id)
}

// Len is the number of samples so far.
func (c *Samples) Len() int { return len(c.contexts) }

// maxEvents bounds the metrics that a file can make us keep; perf groups have
// a few, and perf stat -d records a dozen.
const maxEvents = 32

// Add adds a sample; context is None if it has no stack. What it is told is not
// kept.
func (c *Samples) Add(h Sample, context data.EntityID) {
	row := len(c.contexts)
	c.contexts = append(c.contexts, context)
	if h.Time != Unknown {
		for len(c.times) < row {
			c.times = append(c.times, 0)
		}
		c.times = append(c.times, h.Time)
		c.timed++
	}
	comm := data.None
	if len(h.Command) > 0 {
		comm = c.comms.text(row, h.Command)
	}
	if h.CPU != Unknown {
		c.cpus.number(row, h.CPU, 0)
	}
	if h.Thread != Unknown {
		id := c.threads.number(row, h.Thread, h.Process)
		c.threadComm[id] = comm
	}
	if h.Process != Unknown {
		id := c.processes.number(row, h.Process, 0)
		if _, ok := c.processComm[id]; !ok || h.Process == h.Thread {
			c.processComm[id] = comm
		}
	}
	event := int(c.events.text(row, h.Event))
	if event >= maxEvents {
		return // counted among the samples only
	}
	if event == len(c.periods) {
		c.periods = append(c.periods, nil)
		c.counted = append(c.counted, h.Period != Unknown)
		c.mixed = append(c.mixed, false)
	}
	period := h.Period
	if period == Unknown {
		period = 1
	}
	if c.counted[event] != (h.Period != Unknown) {
		c.mixed[event] = true
	}
	for len(c.periods[event]) < row {
		c.periods[event] = append(c.periods[event], 0)
	}
	c.periods[event] = append(c.periods[event], period)
}

// MapContexts replaces the contexts, for readers that know methods only at the
// end.
func (c *Samples) MapContexts(by func(data.EntityID) data.EntityID) {
	for i, context := range c.contexts {
		if context != data.None {
			c.contexts[i] = by(context)
		}
	}
}

// Finish hands the columns to p. Each event is a metric, in periods if perf
// printed them; the samples of all events are one more.
func (c *Samples) Finish(b *data.Builder, p *source.Profile) {
	n := c.Len()
	metrics := []source.Metric{{Name: "samples", Unit: "count", Description: "samples, of all events"}}
	values := [][]int64{slices.Repeat([]int64{1}, n)}
	preferred := 0
	for e, periods := range c.periods {
		if !c.counted[e] && !c.mixed[e] && len(c.events.all) == 1 {
			break // the same as the samples
		}
		m := source.Metric{Name: c.events.all[e], Unit: "count", Description: "samples of this event"}
		if c.counted[e] || c.mixed[e] {
			m.Description = "of this event, as many as between the sample and the one before"
			if base, _, _ := strings.Cut(m.Name, ":"); base == "cpu-clock" || base == "task-clock" {
				m.Unit = "nanoseconds"
			}
		}
		if c.mixed[e] {
			b.Warn("event %s: some of its samples have no period and are counted as 1", m.Name)
		}
		if m.Name == "" {
			m.Name = "events"
		}
		for len(periods) < n {
			periods = append(periods, 0)
		}
		metrics, values = append(metrics, m), append(values, periods)
		if preferred == 0 || len(c.Prefer) > 0 && c.events.all[e] == string(c.Prefer) {
			preferred = len(metrics) - 1
		}
	}
	if all := len(c.events.all); all > maxEvents {
		b.Warn("there are samples of %d events; the first %d are metrics, the others are counted among the samples only", all, maxEvents)
	}
	p.AdoptMetrics(preferred, metrics...)
	p.AdoptSamples(c.contexts, values)

	label := func(key string, l names, name func(data.EntityID) string) {
		if len(l.refs) == 0 {
			return
		}
		if name != nil {
			l.all = make([]string, len(l.ids))
			for i := range l.all {
				l.all[i] = name(data.EntityID(i))
			}
		}
		p.AdoptLabel(key, l.all, l.refs)
	}
	named := func(comm data.EntityID, id int64) string {
		if comm == data.None {
			return fmt.Sprint(id)
		}
		return fmt.Sprintf("%s %d", c.comms.all[comm], id)
	}
	label("Command", c.comms, nil)
	label("Process", c.processes, func(i data.EntityID) string { return named(c.processComm[i], c.processes.ids[i][0]) })
	label("Thread", c.threads, func(i data.EntityID) string { return named(c.threadComm[i], c.threads.ids[i][0]) })
	label("CPU", c.cpus, func(i data.EntityID) string { return fmt.Sprint(c.cpus.ids[i][0]) })
	if len(c.events.all) > 1 || c.events.all[0] != "" {
		label("Event", c.events, nil)
	}
	if c.timed > 0 {
		if c.timed < n {
			b.Warn("%d of %d samples have no time and are at 0", n-c.timed, n)
		}
		for len(c.times) < n {
			c.times = append(c.times, 0)
		}
		p.AdoptTime("nanoseconds", c.times)
	}
}
