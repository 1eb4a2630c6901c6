package otlptrace

import (
	"encoding/binary"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

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
		r.enter()
		err := s.Within("resource with spans", func(num protowire.Number) error {
			switch num {
			case resourceSpansResource:
				raw, err := s.Bytes("resource")
				if err == nil {
					r.tell(otlp.NewResource(otlp.Attributes(raw, resourceAttributes), nil))
				}
				return err
			case resourceSpansScopes:
				return s.Within("scope with spans", func(num protowire.Number) error {
					if num != scopeSpansSpans {
						return s.Skip()
					}
					raw, err := s.Bytes("span")
					if err == nil {
						r.span(raw)
					}
					return err
				})
			}
			return s.Skip()
		})
		r.leave()
		return err
	})
}

// span reads a span.
func (r *reader) span(raw []byte) {
	var one span
	whole := otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
		switch {
		case num == spanTrace && len(body) == len(one.trace):
			one.known = true
			copy(one.trace[:], body)
		case num == spanID && len(body) == 8:
			one.id = binary.BigEndian.Uint64(body)
		case num == spanParent && len(body) == 8:
			one.parent = binary.BigEndian.Uint64(body)
		case num == spanName && typ == protowire.BytesType:
			one.name = r.name(body)
		case num == spanKind && typ == protowire.VarintType:
			one.kind = uint8(min(n, 255))
		case num == spanStart && typ == protowire.Fixed64Type:
			one.start = n
		case num == spanStop && typ == protowire.Fixed64Type:
			one.stop = n
		case num == spanStatus && typ == protowire.BytesType:
			otlp.Fields(body, func(num protowire.Number, _ protowire.Type, n uint64, _ []byte) {
				if num == statusCode {
					one.status = uint8(min(n, 255))
				}
			})
		}
	})
	one.known = one.known && whole
	r.add(&one)
}
