// Package perfsamples is what readers of Linux perf's recordings have in
// common: samples of several events, with their labels, as columns, and contexts
// of their stacks.
//
// What belongs here: which metrics and labels such samples have, and how stacks
// become contexts. What does not: how a sample is written, and what its frames are.
package perfsamples

import (
	"fmt"
	"math"
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

// Samples hands samples to a profile, whose metrics and labels it learns on the
// way.
type Samples struct {
	// Prefer is the event to look at first; without one it is that of the first
	// sample.
	Prefer []byte

	p     *source.Profile
	timed int // samples with a time

	events  names
	counted []bool // event -> it is counted in periods and not in samples
	mixed   []bool // event -> some have a period and some have none

	comms, cpus, threads, processes names
	last                            [4]data.EntityID // labels of the last sample
	used                            [4]bool
	threadComm, processComm         map[data.EntityID]data.EntityID // the last one seen
}

// names are the values of a label.
type names struct {
	label  *source.Label
	byName map[string]data.EntityID
	byID   map[[2]int64]data.EntityID
	all    []string
	ids    [][2]int64
}

// New makes samples of a new profile's.
func New(p *source.Profile) *Samples {
	n := func(label string) names {
		return names{label: p.LateLabel(label), byName: map[string]data.EntityID{}, byID: map[[2]int64]data.EntityID{}}
	}
	p.AddMetric(source.Metric{Name: "samples", Unit: "count", Description: "samples, of all events"})
	return &Samples{p: p,
		comms: n("Command"), processes: n("Process"), threads: n("Thread"), cpus: n("CPU"), events: n("Event"),
		threadComm: map[data.EntityID]data.EntityID{}, processComm: map[data.EntityID]data.EntityID{}}
}

// text gives the last sample the text b.
func (n *names) text(b []byte) data.EntityID {
	id, ok := n.byName[string(b)]
	if !ok {
		id = data.EntityID(len(n.all))
		n.all = append(n.all, string(b))
		n.byName[string(b)] = id
	}
	n.label.Set(id)
	return id
}

// number gives the last sample what has these numbers.
func (n *names) number(a, b int64) data.EntityID {
	id, ok := n.byID[[2]int64{a, b}]
	if !ok {
		id = data.EntityID(len(n.ids))
		n.ids = append(n.ids, [2]int64{a, b})
		n.byID[[2]int64{a, b}] = id
	}
	n.label.Set(id)
	return id
}

// Len is the number of samples so far.
func (c *Samples) Len() int { return c.p.Samples() }

// maxEvents bounds the metrics that a file can make us keep; perf groups have
// a few, and perf stat -d records a dozen.
const maxEvents = 32

// Add adds a sample; context is None if it has no stack. What it is told is not
// kept.
func (c *Samples) Add(h Sample, context data.EntityID) {
	c.p.Sample(context, 1)
	c.last = [...]data.EntityID{data.None, data.None, data.None, data.None}
	comm := data.None
	if len(h.Command) > 0 {
		comm = c.comms.text(h.Command)
		c.label(0, comm)
	}
	if h.CPU != Unknown {
		c.label(3, c.cpus.number(h.CPU, 0))
	}
	if h.Thread != Unknown {
		id := c.threads.number(h.Thread, h.Process)
		c.label(2, id)
		c.threadComm[id] = comm
	}
	if h.Process != Unknown {
		id := c.processes.number(h.Process, 0)
		c.label(1, id)
		if _, ok := c.processComm[id]; !ok || h.Process == h.Thread {
			c.processComm[id] = comm
		}
	}
	if h.Time != Unknown {
		c.p.Time("nanoseconds", h.Time)
		c.timed++
	}
	event := int(c.events.text(h.Event))
	if event >= maxEvents {
		return // counted among the samples only
	}
	if event == len(c.counted) {
		c.p.AddMetric(source.Metric{Name: string(h.Event)})
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
	c.p.SetMetric(1+event, period)
}

// Labels are the entities of the last sample of the types Command, Process, Thread
// and CPU, or None: for events that samples stand for.
func (c *Samples) Labels() [4]data.EntityID { return c.last }

// Used tells which of these types there are.
func (c *Samples) Used() [4]bool { return c.used }

func (c *Samples) label(i int, id data.EntityID) { c.last[i], c.used[i] = id, true }

// Rename gives events other names than samples came with, for recordings that tell
// them last.
func (c *Samples) Rename(name func(told string) string) {
	for i, told := range c.events.all {
		c.events.all[i] = name(told)
	}
}

// Finish tells the profile what the metrics are and what labels are called.
// Each event is a metric, in periods if perf printed them; the samples of all
// events are one more.
func (c *Samples) Finish(b *data.Builder) {
	n := c.Len()
	metrics := []source.Metric{{Name: "samples", Unit: "count", Description: "samples, of all events"}}
	preferred := 0
	for e := range c.counted {
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
		metrics = append(metrics, m)
		if preferred == 0 || len(c.Prefer) > 0 && c.events.all[e] == string(c.Prefer) {
			preferred = len(metrics) - 1
		}
	}
	if all := len(c.events.all); all > maxEvents {
		b.Warn("there are samples of %d events; the first %d are metrics, the others are counted among the samples only", all, maxEvents)
	}
	c.p.AdoptMetrics(preferred, metrics...)

	numbered := func(l names, name func(data.EntityID) string) {
		texts := make([]string, len(l.ids))
		for i := range texts {
			texts[i] = name(data.EntityID(i))
		}
		l.label.Name(texts)
	}
	named := func(comm data.EntityID, id int64) string {
		if comm == data.None {
			return fmt.Sprint(id)
		}
		return fmt.Sprintf("%s %d", c.comms.all[comm], id)
	}
	c.comms.label.Name(c.comms.all)
	numbered(c.processes, func(i data.EntityID) string { return named(c.processComm[i], c.processes.ids[i][0]) })
	numbered(c.threads, func(i data.EntityID) string { return named(c.threadComm[i], c.threads.ids[i][0]) })
	numbered(c.cpus, func(i data.EntityID) string { return fmt.Sprint(c.cpus.ids[i][0]) })
	if len(c.events.all) > 1 || c.events.all[0] != "" {
		c.events.label.Name(c.events.all)
	}
	if c.timed > 0 && c.timed < n {
		b.Warn("%d of %d samples have no time and are at 0", n-c.timed, n)
	}
}
