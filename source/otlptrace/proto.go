package otlptrace

import (
	"encoding/binary"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
)

// Numbers of fields.
const (
	tracesResourceSpans = 1

	resourceSpansResource = 1
	resourceSpansScopes   = 2

	scopeSpansSpans = 2

	spanTrace  = 1
	spanID     = 2
	spanParent = 4
	spanName   = 5
	spanKind   = 6
	spanStart  = 7
	spanStop   = 8
	spanStatus = 15

	statusCode = 3

	resourceAttributes = 1
)

// sniffProto recognises TracesData by its structure: message in message down to a
// span, which has ids of 16 and 8 bytes.
func sniffProto(head []byte) bool {
	return sniffMessage(otlp.First(head))
}

func sniffMessage(head []byte) bool {
	found := false
	const message = protowire.BytesType
	otlp.Looks(head, func(num protowire.Number, typ protowire.Type, resource []byte) bool {
		return typ == message && num == tracesResourceSpans && otlp.Looks(resource, func(num protowire.Number, typ protowire.Type, scope []byte) bool {
			if num != resourceSpansScopes || typ != message {
				return typ == message && num <= 3
			}
			return otlp.Looks(scope, func(num protowire.Number, typ protowire.Type, span []byte) bool {
				if num != scopeSpansSpans || typ != message {
					return typ == message && num <= 3
				}
				ids := 0
				sound := otlp.Looks(span, func(num protowire.Number, typ protowire.Type, body []byte) bool {
					switch num {
					case spanTrace:
						ids++
						return typ == message && len(body) == 16
					case spanID:
						ids++
						return typ == message && len(body) == 8
					case spanStart, spanStop:
						return typ == protowire.Fixed64Type
					}
					return num <= 16
				})
				found = found || sound && ids == 2
				return sound && !found
			})
		})
	})
	return found
}

// proto reads a message, or several with their lengths in front.
func (r *reader) proto(in io.Reader, head []byte) error {
	s := otlp.NewStream(r.ctx, in)
	return s.Messages(head, func() error { return r.message(s) })
}

func (r *reader) message(s *otlp.Stream) error {
	return s.Each(func(num protowire.Number) error {
		if num != tracesResourceSpans {
			return s.Skip()
		}
		at := r.resource()
		return s.Within("resource with spans", func(num protowire.Number) error {
			switch num {
			case resourceSpansResource:
				raw, err := s.Bytes("resource")
				if err == nil {
					r.resources[at] = newResource(otlp.Attributes(raw, resourceAttributes))
				}
				return err
			case resourceSpansScopes:
				return s.Within("scope with spans", func(num protowire.Number) error {
					if num != scopeSpansSpans {
						return s.Skip()
					}
					raw, err := s.Bytes("span")
					if err == nil {
						r.span(raw, at)
					}
					return err
				})
			}
			return s.Skip()
		})
	})
}

// span reads a span.
func (r *reader) span(raw []byte, at uint32) {
	one := span{resource: at}
	var trace [16]byte
	var start, stop uint64
	known := false
	whole := otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
		switch {
		case num == spanTrace && len(body) == len(trace):
			known = true
			copy(trace[:], body)
		case num == spanID && len(body) == 8:
			one.id = binary.BigEndian.Uint64(body)
		case num == spanParent && len(body) == 8:
			one.parent = binary.BigEndian.Uint64(body)
		case num == spanName && typ == protowire.BytesType:
			one.name = r.name(body)
		case num == spanKind && typ == protowire.VarintType:
			one.kind = uint8(min(n, 255))
		case num == spanStart && typ == protowire.Fixed64Type:
			start = n
		case num == spanStop && typ == protowire.Fixed64Type:
			stop = n
		case num == spanStatus && typ == protowire.BytesType:
			otlp.Fields(body, func(num protowire.Number, _ protowire.Type, n uint64, _ []byte) {
				if num == statusCode {
					one.status = uint8(min(n, 255))
				}
			})
		}
	})
	if !whole || !known {
		one.id = 0
	}
	if one.id != 0 {
		one.trace = r.trace(trace)
	}
	r.add(one, start, stop)
}

// resource is what spans come from.
type resource struct{ otlp.Resource }

func newResource(attributes []otlp.Attribute) resource {
	return resource{otlp.NewResource(attributes, nil)}
}

// resource adds one that is not known yet: it may be told behind its spans.
func (r *reader) resource() uint32 {
	r.resources = append(r.resources, resource{})
	return uint32(len(r.resources) - 1)
}

func (r *resource) json(in *jsonstream.Reader) error {
	attributes, err := otlp.JSONAttributes(in)
	*r = newResource(attributes)
	return err
}

func jsonID(into, raw []byte) bool { return otlp.ID(into, raw) }

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
