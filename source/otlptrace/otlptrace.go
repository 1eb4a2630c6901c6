// Package otlptrace reads the spans of distributed traces in OTLP, the protocol of
// OpenTelemetry: the message TracesData, which is also what exporters send
// (ExportTraceServiceRequest), as protocol buffers or as JSON.
//
//	resource_spans   a resource (a service) and
//	  scope_spans    a library, and
//	    spans        trace id, span id, id of the parent, name, start, end, status
//
// Definition: opentelemetry-proto v1.9.0, opentelemetry/proto/trace/v1/trace.proto,
// and the JSON mapping of the OTLP specification 1.9: ids are hexadecimal, names of
// members are those of JSON or of the definition, numbers may be in quotes.
//
// Supported: one message, or several: JSON values one behind the other, such as
// lines; protocol buffers with a length of four bytes in front of each, as the
// collector's file exporter writes both.
//
// What becomes of it. A span is a call: its method is its name in its service, its
// caller is its parent, also one in another service, so that the calling context
// tree goes through services. A service (or each instance of one) is a process.
// Spans of a service overlap where it does several things at a time: they are put
// into as many lanes as it takes, which are its threads; see lanes.go.
//
// Strategy: a parent may come after its children, and a resource after its spans.
// So spans wait in a [data.Spool], of which little need be in memory. They are
// sorted twice: by traces, within which spans find their callers (callers.go), and
// by their start, in which order they get lanes and times of their own (calls.go).
// What is in memory is one trace at a time, the spans that are open at a time, and
// names.
//
// Ignored: attributes but those that name the resource, events, links, scopes,
// trace states.
package otlptrace

import (
	"context"
	"errors"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
)

func init() {
	source.Register(source.Format{
		Name:  "otlptrace",
		Title: "OTLP traces (protobuf or JSON)",
		Order: 1, // has no signature, but a shape of its own
		Sniff: func(head []byte) bool { return sniffJSON(head) || sniffProto(head) },
		Read:  read,
	})
}

func sniffJSON(head []byte) bool {
	i := jsonstream.Space(head, 0)
	return i < len(head) && head[i] == '{' &&
		(jsonstream.HasKey(head, `"resourceSpans"`, '[') || jsonstream.HasKey(head, `"resource_spans"`, '['))
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(ctx, b)
	head, err := in.Peek(source.SniffBytes)
	if err != nil {
		return err
	}
	if i := jsonstream.Space(head, 0); i < len(head) && head[i] == '{' {
		err = r.json(jsonstream.NewReader(ctx, in))
	} else {
		err = r.proto(in, head)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case err == nil && r.spans.Rows() == 0:
		return errors.New("there are no spans in the file")
	case r.spans.Rows() == 0:
		return err
	case err != nil:
		b.Warn("reading ended after %d spans: %v", r.spans.Rows(), err)
	}
	r.leave() // what was read of the last resource
	return r.finish()
}

// Columns of spans as they are read.
const (
	spanKey = iota // the trace, and in the lower half the number of the span in the file
	spanBegan
	spanTook
	spanOwn    // its id, whose first byte is the highest
	spanCaller // that of its parent; 0 is none
	spanText   // its name
	spanFrom   // its process, or the number of its resource, see fromLate
	spanState  // kind and status, see state
)

// span is a span as it is read.
type span struct {
	id, parent   uint64 // as bytes, the first is the highest; 0 is none
	trace        [16]byte
	known        bool // it has a trace
	name         data.EntityID
	kind, status uint8
	start, stop  uint64
}

// state is what else there is to know of a span, in a column.
type state = data.EntityID

const (
	stateStatus = 8       // above the kind
	stateCalls  = 1 << 16 // it is the caller of another span
	stateWithin = 1 << 17 // its caller is of the same process
)

type reader struct {
	ctx context.Context
	b   *data.Builder

	spans    *data.Spool
	traces   map[[16]byte]uint32
	traceIDs [][16]byte
	sizes    []int32 // trace -> number of spans
	names    map[string]data.EntityID
	allNames []string

	// Of resources, only those count that have spans. One that is told after these
	// has a number until then.
	current   otlp.Resource
	told      bool
	from      data.EntityID // of the current one, for its spans; None if it has none yet
	late      []uint32      // number -> process
	processes []otlp.Resource
	byProcess map[otlp.Resource]uint32

	unusable int64 // spans without an id or with times that make no sense
}

func newReader(ctx context.Context, b *data.Builder) *reader {
	return &reader{
		ctx: ctx, b: b, from: data.None,
		spans: b.Spool(data.BatchRows, false, false, false, false, false, true, true, true),
		names: map[string]data.EntityID{"": 0}, allNames: []string{""}, // of spans without one
		traces: map[[16]byte]uint32{}, byProcess: map[otlp.Resource]uint32{},
	}
}

// enter begins with a resource, and leave ends with it.
func (r *reader) enter() { r.current, r.told, r.from = otlp.Resource{}, false, data.None }

func (r *reader) leave() {
	if r.from != data.None && r.from&fromLate != 0 {
		r.late = append(r.late, r.process())
	}
	r.from = data.None
}

// tell tells what the current resource is.
func (r *reader) tell(one otlp.Resource) { r.current, r.told = one, true }

// process is the number of the current resource among all.
func (r *reader) process() uint32 {
	n, ok := r.byProcess[r.current]
	if !ok {
		n = uint32(len(r.processes))
		r.byProcess[r.current] = n
		r.processes = append(r.processes, r.current)
	}
	return n
}

// fromLate marks the number of a resource that is told after its spans.
const fromLate = 1 << 31

// processOf is the process of a span, by its column.
func (r *reader) processOf(from data.EntityID) uint32 {
	if from&fromLate != 0 {
		return r.late[from&^fromLate]
	}
	return uint32(from)
}

func (r *reader) trace(id [16]byte) uint32 {
	n, ok := r.traces[id]
	if !ok {
		n = uint32(len(r.traceIDs))
		r.traces[id] = n
		r.traceIDs = append(r.traceIDs, id)
		r.sizes = append(r.sizes, 0)
	}
	return n
}

func (r *reader) name(name []byte) data.EntityID {
	n, ok := r.names[string(name)]
	if !ok {
		n = data.EntityID(len(r.allNames))
		text := string(name)
		r.names[text] = n
		r.allNames = append(r.allNames, text)
	}
	return n
}

// add keeps a span of the current resource. One that has not ended, or that ends
// before it starts, takes no time.
func (r *reader) add(s *span) {
	if !s.known || s.id == 0 {
		r.unusable++
		return
	}
	trace := r.trace(s.trace)
	if s.start == 0 || s.start > source.MaxTime {
		r.unusable++
		return
	}
	if r.from == data.None && r.told {
		r.from = data.EntityID(r.process())
	} else if r.from == data.None {
		r.from = data.EntityID(len(r.late)) | fromLate
	}
	r.sizes[trace]++
	row := r.spans.Rows()
	c := r.spans.Row()
	value := func(column int, v int64) { c[column].Values = append(c[column].Values, v) }
	ref := func(column int, id data.EntityID) { c[column].Refs = append(c[column].Refs, id) }
	value(spanKey, int64(trace)<<32|int64(row))
	value(spanBegan, int64(s.start))
	value(spanTook, int64(min(max(s.start, s.stop), source.MaxTime)-s.start))
	value(spanOwn, int64(s.id))
	value(spanCaller, int64(s.parent))
	ref(spanText, s.name)
	ref(spanFrom, r.from)
	ref(spanState, state(s.kind)|state(s.status)<<stateStatus)
}

// Numbers of the kinds and states of spans, and what they are called.
var (
	kinds    = []string{"", "internal", "server", "client", "producer", "consumer"}
	statuses = []string{"", "ok", "error"}
)
