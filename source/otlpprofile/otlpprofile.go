// Package otlpprofile reads profiles in OTLP, the protocol of OpenTelemetry: the
// message ProfilesData, which is also what exporters send, as protocol buffers or
// as JSON.
//
//	resource_profiles   a resource (a process, a container, a service) and
//	  scope_profiles
//	    profiles        a sample type each, and
//	      samples       a stack, values, times, attributes
//	dictionary          tables of stacks, locations, functions, mappings, strings,
//	                    attributes, which samples refer to by index
//
// Definition: opentelemetry-proto v1.9.0, profiles/v1development/profiles.proto.
// The form is under development: only this one is supported, in which the
// dictionary has stacks (since v1.8.0). Profiles of the forms before, which had
// locations of their own, are left out, and a warning says so.
//
// Supported: one message or several, as of package otlptrace.
//
// Ignored: links to spans, periods, original payloads, columns, attributes of
// locations, mappings and profiles.
//
// Strategy: the dictionary comes last. So the samples of a message are kept as
// numbers until it is there.
package otlpprofile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "otlpprofile",
		Title: "OTLP profiles (protobuf or JSON)",
		Order: 1, // has no signature, but a shape of its own
		Sniff: func(head []byte) bool { return sniffJSON(head) || sniffProto(head) },
		Read:  read,
	})
}

func sniffJSON(head []byte) bool {
	i := jsonstream.Space(head, 0)
	return i < len(head) && head[i] == '{' &&
		(jsonstream.HasKey(head, `"resourceProfiles"`, '[') || jsonstream.HasKey(head, `"resource_profiles"`, '['))
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{ctx: ctx, b: b, profile: source.NewProfile(b, symbol.Unknown, 0), metrics: map[metric]int{}}
	head, err := in.Peek(source.SniffBytes)
	if err != nil {
		return err
	}
	if i := jsonstream.Space(head, 0); i < len(head) && head[i] == '{' {
		err = r.json(jsonstream.NewReader(ctx, in))
	} else {
		s := otlp.NewStream(ctx, in)
		err = s.Messages(head, func() error {
			var m message
			broken := m.proto(s)
			if ctx.Err() != nil {
				return broken
			}
			if err := r.add(&m); err != nil {
				return err
			}
			return broken
		})
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case err == nil && r.older > 0 && r.profile.Samples() == 0:
		return errors.New("the profiles are of a form from before v1.8.0 of opentelemetry-proto, which is not supported")
	case err == nil && r.profile.Samples() == 0:
		return errors.New("there are no samples in the file")
	case r.profile.Samples() == 0:
		return err
	case err != nil:
		b.Warn("reading ended after %d samples: %v", r.profile.Samples(), err)
	}
	if r.missing > 0 {
		b.Warn("%d references lead to what is not in the file; it is shown as unknown or left out", r.missing)
	}
	if r.older > 0 {
		b.Warn("%d profiles are of a form from before v1.8.0 of opentelemetry-proto, and were left out", r.older)
	}
	return r.profile.Finish()
}

// json reads values one behind the other.
func (r *reader) json(in *jsonstream.Reader) error {
	for {
		if _, err := in.Next(); err == io.EOF {
			return nil
		}
		var m message
		broken := m.json(in)
		if errors.Is(broken, io.EOF) {
			broken = fmt.Errorf("byte %d: the file ends early", in.Offset())
		}
		if r.ctx.Err() != nil {
			return broken
		}
		if err := r.add(&m); err != nil {
			return err
		}
		if broken != nil {
			return broken
		}
	}
}

// message is what a message says, its dictionary as tables. References are indexes
// into these; 0 is nothing.
type message struct {
	resources [][]otlp.Attribute
	profiles  []profile
	samples   []sample

	strings    []string
	mappings   []mapping
	locations  []location
	functions  []function
	lines      []line // of all locations
	stacks     []run  // of frames
	frames     []int32
	attributes []attribute

	// Of all samples.
	values  []int64
	times   []uint64
	labels  []int32 // attributes
	current sample
}

// run is a part of a table that all have in common.
type run struct{ from, to int32 }

type profile struct {
	resource  int32
	typ, unit int32 // strings
	time      uint64
	older     bool   // of a form that is not read
	process   string // known once the dictionary is
}

type sample struct {
	profile               int32
	stack                 int32
	values, times, labels run
}

type mapping struct {
	start, offset uint64
	file          int32
}

type location struct {
	mapping int32
	address uint64
	lines   run // innermost first
}

type line struct {
	function int32
	line     int64
}

type function struct {
	name, system, file int32
	start              int64
}

type attribute struct {
	key, unit int32
	value     otlp.Value
}

type metric struct{ name, unit string }

// reader makes a data set of messages.
type reader struct {
	ctx     context.Context
	b       *data.Builder
	profile *source.Profile
	metrics map[metric]int

	began          uint64 // of the first profile that tells a time, or its first sample
	missing, older int64
}

// add hands on the samples of a message.
func (r *reader) add(m *message) error {
	contexts := make([]data.EntityID, len(m.stacks))
	known := make([]bool, len(m.stacks))
	methods := make([]data.EntityID, len(m.lines))
	for i := range methods {
		methods[i] = data.None
	}
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
	places := make([]data.EntityID, len(m.locations)) // of locations without lines
	for i := range places {
		places[i] = data.None
	}
	number := map[int32]int{} // profile -> metric
	for i, s := range m.samples {
		if i%data.BatchRows == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		p := &m.profiles[s.profile]
		if p.older {
			continue
		}
		at, ok := number[s.profile]
		if !ok {
			at = r.metric(metric{m.text(r, p.typ), m.text(r, p.unit)})
			number[s.profile] = at
		}
		context := data.None
		switch {
		case int(s.stack) >= len(m.stacks) || s.stack < 0:
			if s.stack != 0 {
				r.missing++
			}
		case known[s.stack]:
			context = contexts[s.stack]
		default:
			context = r.stack(m, m.stacks[s.stack], methods, places)
			contexts[s.stack], known[s.stack] = context, true
		}
		values, times := m.values[s.values.from:s.values.to], m.times[s.times.from:s.times.to]
		for k := range max(len(values), len(times)) {
			v := int64(0)
			switch {
			case k < len(values):
				v = values[k]
			case len(values) == 0:
				v = 1 // each time is one
			}
			r.profile.Sample(context)
			r.profile.SetMetric(at, v)
			if k < len(times) && times[k] <= source.MaxTime {
				if r.began == 0 || r.began > source.MaxTime {
					r.began = times[k]
				}
				r.profile.Time("nanoseconds", int64(times[k])-int64(r.began))
			}
			r.label(m, p, s)
		}
	}
	return nil
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
func (r *reader) label(m *message, p *profile, s sample) {
	if p.process != "" {
		r.profile.Label("Process", p.process)
	}
	for _, i := range m.labels[s.labels.from:s.labels.to] {
		if i < 0 || int(i) >= len(m.attributes) {
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

// stack gives the context of a stack, whose innermost frame comes first.
func (r *reader) stack(m *message, s run, methods, places []data.EntityID) data.EntityID {
	context := data.None
	frames := m.frames[s.from:s.to]
	for i := len(frames) - 1; i >= 0; i-- {
		at := frames[i]
		if at < 0 || int(at) >= len(m.locations) {
			r.missing++
			context = r.profile.Child(context, r.profile.Method(source.Frame{Name: "<unknown>"}))
			continue
		}
		l := &m.locations[at]
		if l.lines.from == l.lines.to {
			if places[at] == data.None {
				places[at] = r.profile.Method(m.place(r, l))
			}
			context = r.profile.Child(context, places[at])
			continue
		}
		for k := l.lines.to - 1; k >= l.lines.from; k-- {
			if methods[k] == data.None {
				methods[k] = r.profile.Method(m.frame(r, l, m.lines[k]))
			}
			context = r.profile.Child(context, methods[k])
		}
	}
	return context
}

// frame is a function as a location has it.
func (m *message) frame(r *reader, l *location, at line) source.Frame {
	if at.function <= 0 || int(at.function) >= len(m.functions) {
		if at.function != 0 {
			r.missing++
		}
		return m.place(r, l)
	}
	f := &m.functions[at.function]
	frame := source.Frame{Name: cmp.Or(m.text(r, f.name), m.text(r, f.system)), File: m.text(r, f.file), Line: cmp.Or(f.start, at.line), Binary: m.binary(r, l)}
	if frame.Name == "" {
		frame.Name = m.place(r, l).Name
	}
	return frame
}

// place is a location without a function.
func (m *message) place(r *reader, l *location) source.Frame {
	binary := m.binary(r, l)
	switch {
	case binary != "":
		mp := &m.mappings[l.mapping]
		at := l.address
		if at >= mp.start { // else it is one within the file already
			at = at - mp.start + mp.offset
		}
		return source.Frame{Name: fmt.Sprintf("%s+%#x", binary, at), Binary: binary}
	case l.address != 0:
		return source.Frame{Name: fmt.Sprintf("%#x", l.address)}
	}
	return source.Frame{Name: "<unknown>"}
}

func (m *message) binary(r *reader, l *location) string {
	if l.mapping <= 0 || int(l.mapping) >= len(m.mappings) {
		if l.mapping != 0 {
			r.missing++
		}
		return ""
	}
	if file := m.text(r, m.mappings[l.mapping].file); file != "" {
		return source.BinaryName(file)
	}
	return ""
}

func (m *message) text(r *reader, index int32) string {
	if index < 0 || int(index) >= len(m.strings) {
		if index != 0 {
			r.missing++
		}
		return ""
	}
	return m.strings[index]
}

// sampled adds the sample that was just read.
func (m *message) sampled(profile int) {
	s := &m.current
	s.profile = int32(profile)
	s.values.to, s.times.to, s.labels.to = int32(len(m.values)), int32(len(m.times)), int32(len(m.labels))
	m.samples = append(m.samples, *s)
}

// sampling begins with a sample.
func (m *message) sampling() {
	m.current = sample{values: run{from: int32(len(m.values))}, times: run{from: int32(len(m.times))}, labels: run{from: int32(len(m.labels))}}
}

func clean(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
