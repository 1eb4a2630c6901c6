package gecko

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// The metrics of samples, in the order in which they are shown.
const (
	counted = iota
	timed
	cpu
	bytesOf
	metricKinds

	noMetric = -1
)

// set gives the last sample an amount; amounts of 0 need no column.
func (f *resolver) set(kind int, v int64) {
	if v == 0 {
		return
	}
	if f.metrics[kind] == noMetric {
		f.metrics[kind] = f.calls.AddMetric(source.Metric{})
	}
	f.calls.SetMetric(f.metrics[kind], v)
}

// measure decides on the metrics, by what threads have.
func (f *resolver) measure() {
	all := [metricKinds]source.Metric{
		counted: {Name: "samples", Unit: "count", Description: "how often a function was seen"},
		timed:   {Name: "time", Unit: "nanoseconds", Description: "samples times their interval, or the time that was recorded"},
		cpu:     {Name: "cpu", Unit: "nanoseconds", Description: "processor time of the thread since the sample before"},
		bytesOf: {Name: "bytes", Unit: "bytes", Description: "the weight of samples"},
	}
	if f.cycles {
		all[cpu].Name, all[cpu].Unit = "cycles", "count"
	}
	var order []int
	var metrics []source.Metric
	for kind, wanted := range f.wanted {
		if !wanted {
			continue
		}
		if f.metrics[kind] == noMetric {
			f.metrics[kind] = f.calls.AddMetric(source.Metric{})
		}
		order, metrics = append(order, f.metrics[kind]), append(metrics, all[kind])
	}
	f.calls.ArrangeMetrics(0, order, metrics...)
}

// samples hands on those of a thread.
func (f *resolver) samples(t *thread, lane data.EntityID, s *stacks) error {
	const million = 1e6
	some := t.samples.length() > 0
	counts := some && t.weightType != "tracing-ms" && t.weightType != "bytes"
	for kind, has := range [metricKinds]bool{
		counted: counts,
		timed:   t.weightType == "tracing-ms" || counts && t.interval > 0,
		cpu:     t.samples.has("threadCPUDelta"),
		bytesOf: some && t.weightType == "bytes",
	} {
		f.wanted[kind] = f.wanted[kind] || has
	}
	f.cycles = f.cycles || t.cpuUnit == "variable CPU cycles"
	first, now := true, int64(0)
	return t.samples.each(f.ctx, []string{"time", "timeDeltas", "weight", "stack", "threadCPUDelta"}, func(row []int64) error {
		when, weight, used := row[0], row[2], row[4]
		if first {
			used = null
		}
		first = false
		if delta := row[1]; when == null && delta != null {
			now = bounded(now + delta)
			when = now
		}
		context, category, ok := s.of(row[3]) // which is in the file, whatever became of the sample
		if when == null {
			f.untimed++
			return nil
		}
		if weight == null {
			weight = million
		}
		if !ok {
			f.unknown++
		}
		f.calls.Sample(context)
		f.time.SetNumber(f.since(t, when))
		f.category.Set(category)
		f.lanes[lane].Sampled()
		switch t.weightType {
		case "tracing-ms":
			f.set(timed, weight)
		case "bytes":
			f.set(bytesOf, weight/million)
		default:
			count := weight / million
			f.set(counted, count)
			if interval := t.interval; interval > 0 && interval < 1e12 && count > -1e6 && count < 1e6 {
				f.set(timed, count*interval)
			}
		}
		if used != null {
			if t.cpuUnit != "µs" {
				used /= 1000
			}
			f.set(cpu, used)
		}
		return nil
	})
}
