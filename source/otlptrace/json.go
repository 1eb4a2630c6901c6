package otlptrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
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
	r.enter()
	err := in.Object(func(key string) error {
		switch key {
		case "resource":
			return in.Object(func(key string) error {
				if key != "attributes" {
					return in.Skip()
				}
				attributes, err := otlp.JSONAttributes(in)
				r.tell(otlp.NewResource(attributes, nil))
				return err
			})
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans":
			return in.Array(func() error {
				return in.Object(func(key string) error {
					if key != "spans" {
						return in.Skip()
					}
					return in.Array(func() error { return r.jsonSpan(in) })
				})
			})
		}
		return in.Skip()
	})
	r.leave()
	return err
}

// jsonSpan reads a span in the window, in one walk over its bytes.
func (r *reader) jsonSpan(in *jsonstream.Reader) error {
	raw, err := in.Raw()
	if err != nil {
		return err
	}
	if raw[0] != '{' {
		return fmt.Errorf("byte %d: expected a span, but found %s", in.Offset()-int64(len(raw)), source.Quote(raw))
	}
	var s span
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
			s.known = otlp.ID(s.trace[:], text)
		case "spanId", "span_id":
			s.id = jsonSpanID(text)
		case "parentSpanId", "parent_span_id":
			s.parent = jsonSpanID(text)
		case "name":
			s.name = r.name(jsonText(text))
		case "kind":
			s.kind = enumeration(text, "SPAN_KIND_", kinds)
		case "startTimeUnixNano", "start_time_unix_nano":
			s.start = jsonTime(text)
		case "endTimeUnixNano", "end_time_unix_nano":
			s.stop = jsonTime(text)
		case "status":
			s.status = jsonStatus(text)
		}
	}
	r.add(&s)
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

func jsonSpanID(raw []byte) uint64 {
	var id [8]byte
	if !otlp.ID(id[:], raw) {
		return 0
	}
	return binary.BigEndian.Uint64(id[:])
}

func jsonTime(raw []byte) uint64 {
	n, _ := otlp.Integer(raw)
	return uint64(max(n, 0))
}

// enumeration reads a number, or the name of one.
func enumeration(raw []byte, prefix string, names []string) uint8 {
	if n, ok := otlp.Integer(raw); ok {
		return uint8(max(0, min(n, 255)))
	}
	text := strings.ToLower(strings.TrimPrefix(strings.Trim(string(raw), `"`), prefix))
	for i, name := range names {
		if name == text {
			return uint8(i)
		}
	}
	return 0
}
