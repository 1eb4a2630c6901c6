package otlptrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

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
			return fmt.Errorf("byte %d: the file ends early", in.Offset()+int64(len(in.Window())))
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

// jsonSpan reads a span in the window, in one walk over its bytes, unless it is cut
// off there.
func (r *reader) jsonSpan(in *jsonstream.Reader) error {
	if c, err := in.Next(); err != nil {
		return err
	} else if c != '{' {
		return in.Wrong("a span")
	}
	var s span
	err := in.Parse(func(b []byte) (int, error) {
		s = span{}
		return otlp.Object(b, 0, func(key []byte, value int) (end int, err error) {
			switch string(key) {
			case "status":
				return jsonStatus(b, value, &s)
			case "startTimeUnixNano", "start_time_unix_nano":
				s.start, end, err = jsonTime(b, value)
				return end, err
			case "endTimeUnixNano", "end_time_unix_nano":
				s.stop, end, err = jsonTime(b, value)
				return end, err
			}
			if end, err = jsonstream.Value(b, value); err != nil {
				return end, err
			}
			switch text := b[value:end]; string(key) {
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
			}
			return end, nil
		})
	})
	if err == nil {
		r.add(&s)
	}
	return err
}

func jsonStatus(b []byte, i int, s *span) (end int, err error) {
	s.status = 0
	return otlp.Object(b, i, func(key []byte, value int) (int, error) {
		end, err := jsonstream.Value(b, value)
		if err == nil && string(key) == "code" {
			s.status = enumeration(b[value:end], "STATUS_CODE_", statuses)
		}
		return end, err
	})
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

func jsonTime(b []byte, i int) (at uint64, end int, err error) {
	n, end, err := otlp.Numeral(b, i)
	return uint64(max(n, 0)), end, err
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
