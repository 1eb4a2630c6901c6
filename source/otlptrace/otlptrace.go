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
// Ignored: attributes but those that name the resource, events, links, scopes,
// trace states.
package otlptrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
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
	case err == nil && len(r.spans) == 0:
		return errors.New("there are no spans in the file")
	case len(r.spans) == 0:
		return err
	case err != nil:
		b.Warn("reading ended after %d spans: %v", len(r.spans), err)
	}
	return r.finish()
}

// span is a span as it is read.
type span struct {
	start, stop int64
	id, parent  uint64 // as bytes, the first is the highest; 0 is none
	trace       uint32
	name        uint32
	resource    uint32
	kind        uint8
	status      uint8
}

type reader struct {
	ctx context.Context
	b   *data.Builder

	spans     []span
	resources []resource
	traces    map[[16]byte]uint32
	traceIDs  [][16]byte
	names     map[string]uint32
	allNames  []string

	unusable int64 // spans without an id or with times that make no sense
}

func newReader(ctx context.Context, b *data.Builder) *reader {
	return &reader{ctx: ctx, b: b, traces: map[[16]byte]uint32{}, names: map[string]uint32{}}
}

func (r *reader) trace(id [16]byte) uint32 {
	n, ok := r.traces[id]
	if !ok {
		n = uint32(len(r.traceIDs))
		r.traces[id] = n
		r.traceIDs = append(r.traceIDs, id)
	}
	return n
}

func (r *reader) name(name []byte) uint32 {
	n, ok := r.names[string(name)]
	if !ok {
		n = uint32(len(r.allNames))
		r.names[string(name)] = n
		r.allNames = append(r.allNames, string(name))
	}
	return n
}

// add keeps a span. One that has not ended, or that ends before it starts, takes
// no time.
func (r *reader) add(s span, start, stop uint64) {
	if s.id == 0 || start == 0 || start > source.MaxTime {
		r.unusable++
		return
	}
	s.start, s.stop = int64(start), int64(min(max(start, stop), source.MaxTime))
	r.spans = append(r.spans, s)
}

// Numbers of the kinds and states of spans, and what they are called.
var (
	kinds    = []string{"", "internal", "server", "client", "producer", "consumer"}
	statuses = []string{"", "ok", "error"}
)

// json reads values one behind the other.
func (r *reader) json(in *jsonstream.Reader) error {
	for {
		if _, err := in.Next(); err == io.EOF {
			return nil
		}
		err := in.Object(func(key string) error {
			switch key {
			case "resourceSpans", "resource_spans":
				return in.Array(func() error { return r.jsonResource(in) })
			}
			return in.Skip()
		})
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("byte %d: the file ends early", in.Offset())
		}
		if err != nil {
			return err
		}
	}
}

func (r *reader) jsonResource(in *jsonstream.Reader) error {
	at := r.resource()
	return in.Object(func(key string) error {
		switch key {
		case "resource":
			return in.Object(func(key string) error {
				if key != "attributes" {
					return in.Skip()
				}
				return r.resources[at].json(in)
			})
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans":
			return in.Array(func() error {
				return in.Object(func(key string) error {
					if key != "spans" {
						return in.Skip()
					}
					return in.Array(func() error { return r.jsonSpan(in, at) })
				})
			})
		}
		return in.Skip()
	})
}

// jsonSpan reads a span in the window, in one walk over its bytes.
func (r *reader) jsonSpan(in *jsonstream.Reader, at uint32) error {
	raw, err := in.Raw()
	if err != nil {
		return err
	}
	if raw[0] != '{' {
		return fmt.Errorf("byte %d: expected a span, but found %s", in.Offset()-int64(len(raw)), source.Quote(raw))
	}
	s := span{resource: at}
	var trace [16]byte
	var start, stop uint64
	known := false
	for i, first := 1, true; ; first = false {
		key, value, done, err := jsonstream.Member(raw, i, first)
		if err != nil {
			return fmt.Errorf("byte %d: the span is no JSON: %w", in.Offset()-int64(len(raw)), err)
		}
		if done {
			break
		}
		end, err := jsonstream.Value(raw, value)
		if err != nil {
			return fmt.Errorf("byte %d: the span is no JSON: %w", in.Offset()-int64(len(raw)), err)
		}
		i = end
		switch text := raw[value:end]; string(key) {
		case "traceId", "trace_id":
			known = jsonID(trace[:], text)
		case "spanId", "span_id":
			s.id = jsonSpanID(text)
		case "parentSpanId", "parent_span_id":
			s.parent = jsonSpanID(text)
		case "name":
			s.name = r.name(jsonText(text))
		case "kind":
			s.kind = enumeration(text, "SPAN_KIND_", kinds)
		case "startTimeUnixNano", "start_time_unix_nano":
			start = jsonTime(text)
		case "endTimeUnixNano", "end_time_unix_nano":
			stop = jsonTime(text)
		case "status":
			s.status = jsonStatus(text)
		}
	}
	if !known {
		s.id = 0
	}
	if s.id != 0 {
		s.trace = r.trace(trace)
	}
	r.add(s, start, stop)
	return nil
}

func jsonStatus(raw []byte) uint8 {
	if raw[0] != '{' {
		return 0
	}
	for i, first := 1, true; ; first = false {
		key, value, done, err := jsonstream.Member(raw, i, first)
		if err != nil || done {
			return 0
		}
		end, err := jsonstream.Value(raw, value)
		if err != nil {
			return 0
		}
		if string(key) == "code" {
			return enumeration(raw[value:end], "STATUS_CODE_", statuses)
		}
		i = end
	}
}

// jsonText gives the text of a string, without making one if that is easy.
func jsonText(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	return []byte(jsonstream.Unquote(raw, true))
}
