package otlpprofile

import (
	"cmp"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/otlp"
)

// waiting is the samples of a message, as numbers. One with several values or times
// is as many.
type waiting struct {
	samples *data.Spool
	labels  *data.Spool // of all samples: attributes
	current sample
}

// Columns of samples.
const (
	sampleProfile = iota
	sampleStack
	sampleLabels // how many of labels are next; sameLabels: those of the sample before
	sampleValue
	sampleTime // and 1; 0 if it has none
)

const sameLabels = data.None

func newWaiting(b *data.Builder) waiting {
	return waiting{
		samples: b.Spool(data.BatchRows, true, true, true, false, false),
		labels:  b.Spool(data.BatchRows, true),
	}
}

// sample is a sample while it is read.
type sample struct {
	stack  int32
	values []int64
	times  []uint64
	labels []int32
}

// begin begins with a sample.
func (s *sample) begin() {
	s.stack, s.values, s.times, s.labels = 0, s.values[:0], s.times[:0], s.labels[:0]
}

// add adds the sample that was just read.
func (w *waiting) add(profile int) {
	s := &w.current
	labels := data.EntityID(len(s.labels))
	for k := range max(len(s.values), len(s.times)) {
		v := int64(0)
		switch {
		case k < len(s.values):
			v = s.values[k]
		case len(s.values) == 0:
			v = 1 // each time is one
		}
		c := w.samples.Row()
		c[sampleProfile].Refs = append(c[sampleProfile].Refs, data.EntityID(profile))
		c[sampleStack].Refs = append(c[sampleStack].Refs, data.EntityID(s.stack))
		c[sampleLabels].Refs = append(c[sampleLabels].Refs, labels)
		c[sampleValue].Values = append(c[sampleValue].Values, v)
		if k < len(s.times) && s.times[k] <= source.MaxTime {
			w.samples.SetValue(sampleTime, int64(s.times[k])+1)
		}
		if k == 0 {
			for _, l := range s.labels {
				c := w.labels.Row()
				c[0].Refs = append(c[0].Refs, data.EntityID(l))
			}
		}
		labels = sameLabels
	}
}

// add hands on the samples of a message.
func (r *reader) add(m *message) error {
	for i := range m.profiles {
		p := &m.profiles[i]
		p.process = otlp.NewResource(m.resources[p.resource], m.strings).Service
		if p.older {
			r.older++
		}
		if r.began == 0 {
			r.began = p.time
		}
	}
	m.resources = nil
	var (
		contexts = newStacks(m, r)
		number   = map[data.EntityID]int{} // profile -> metric
		next     data.Block                // of labels
		at       int
		labels   []data.EntityID // of the last sample
	)
	defer m.labels.Drop()
	return data.Each(r.ctx, m.samples, func(c []data.Column, i int) error {
		if n := c[sampleLabels].Refs[i]; n != sameLabels {
			labels = labels[:0]
			for range n {
				if at == next.Rows {
					if ok, err := m.labels.Take(&next); err != nil || !ok {
						return err
					}
					at = 0
				}
				labels = append(labels, next.Columns[0].Refs[at])
				at++
			}
		}
		of := c[sampleProfile].Refs[i]
		p := &m.profiles[of]
		if p.older {
			return nil
		}
		metricAt, ok := number[of]
		if !ok {
			metricAt = r.metric(metric{m.text(r, p.typ), m.text(r, p.unit)})
			number[of] = metricAt
		}
		context := data.None
		if stack := c[sampleStack].Refs[i]; int(stack) < len(m.stacks) {
			context = contexts.context(m.stacks[stack])
		} else if stack != 0 && c[sampleLabels].Refs[i] != sameLabels {
			r.missing++
		}
		r.profile.Sample(context)
		r.profile.SetMetric(metricAt, c[sampleValue].Values[i])
		if t := c[sampleTime].Values[i]; t > 0 {
			if r.began == 0 || r.began > source.MaxTime {
				r.began = uint64(t - 1)
			}
			r.profile.Time("nanoseconds", t-1-int64(r.began))
		}
		r.label(m, p, labels)
		return nil
	})
}

func (r *reader) metric(m metric) int {
	at, ok := r.metrics[m]
	if !ok {
		name := m.name
		for other := range r.metrics {
			if other.name == m.name {
				name = m.name + " (" + m.unit + ")"
			}
		}
		at = r.profile.AddMetric(source.Metric{Name: cmp.Or(name, "samples"), Unit: data.Unit(cmp.Or(m.unit, "count")), Description: "of the profile's samples"})
		r.metrics[m] = at
	}
	return at
}

// Attributes that are what readers of other formats call so.
var labelKeys = map[string]string{"thread.name": "Thread", "process.executable.name": "Executable", "container.name": "Container"}

// label gives the last sample its attributes, and the resource that it comes from.
func (r *reader) label(m *message, p *profile, labels []data.EntityID) {
	if p.process != "" {
		r.profile.Label("Process", p.process)
	}
	for _, i := range labels {
		if int(i) >= len(m.attributes) {
			r.missing++
			continue
		}
		a := &m.attributes[i]
		key := m.text(r, a.key)
		switch value := a.value; {
		case key == "":
		case value.IsNumber:
			r.profile.Number(key, data.Unit(m.text(r, a.unit)), value.Number)
		default:
			if value.Index > 0 && value.Index < int64(len(m.strings)) {
				value.Text = m.strings[value.Index]
			}
			r.profile.Label(cmp.Or(labelKeys[key], key), value.Text)
		}
	}
}
