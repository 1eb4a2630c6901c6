package bench

import (
	"bufio"
	"encoding/binary"
	"fmt"
)

// span is one of generated spans: traces of twenty, whose root comes last, and
// whose other ones are in other services, too.
type span struct {
	trace, parent, id uint64
	service, name     int
	start, stop       int64
}

func spanOf(i int, oneTrace bool) span {
	group, in := i/20, 19-i%20
	s := span{trace: uint64(group + 1), id: spanID(group, in), service: in % 3, name: in % 7, start: 1 + int64(1000*group+40*in)}
	s.stop = s.start + 30
	if in == 0 {
		s.stop = s.start + 990
	} else {
		s.parent = spanID(group, 0)
	}
	if oneTrace {
		s.trace = 1
	}
	return s
}

// spanID is as random as ids of spans are.
func spanID(group, in int) uint64 {
	x := uint64(group*20+in+1) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}

// writeSpans writes spans as the lines of a collector's file.
func writeSpans(w *bufio.Writer, events int) {
	for i := range events {
		s := spanOf(i, false)
		fmt.Fprintf(w, `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s%d"}}]},"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","parentSpanId":"`, s.service, s.trace, s.id)
		if s.parent != 0 {
			fmt.Fprintf(w, "%016x", s.parent)
		}
		fmt.Fprintf(w, `","name":"n%d","kind":2,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"http.route","value":{"stringValue":"/cart/{id}"}},{"key":"thread.id","value":{"intValue":"17"}}],"status":{}}]}]}]}`+"\n", s.name, s.start, s.stop)
	}
}

// writeTraces writes spans as protocol buffers, which a reader may not hold all.
func writeTraces(w *bufio.Writer, events int) { writeProto(w, events, false) }

// writeOneTrace makes a single trace of them, which a reader may hold: see docs/formats.md.
func writeOneTrace(w *bufio.Writer, events int) { writeProto(w, events, true) }

func writeProto(w *bufio.Writer, events int, oneTrace bool) {
	var id, body, out []byte
	for i := range events {
		s := spanOf(i, oneTrace)
		id = append(id[:0], "\x0a\x10\x00\x00\x00\x00\x00\x00\x00\x00"...)
		id = binary.BigEndian.AppendUint64(id, s.trace)
		id = binary.BigEndian.AppendUint64(append(id, "\x12\x08"...), s.id)
		if s.parent != 0 {
			id = binary.BigEndian.AppendUint64(append(id, "\x22\x08"...), s.parent)
		}
		id = append(append(id, "\x2a\x02n"...), byte('0'+s.name))
		id = binary.LittleEndian.AppendUint64(append(id, 7<<3|1), uint64(s.start))
		id = binary.LittleEndian.AppendUint64(append(id, 8<<3|1), uint64(s.stop))
		body = protoField(body[:0], 2, id)
		out = protoField(out[:0], 2, body)
		value := protoField(protoField(nil, 1, []byte("service.name")), 2, protoField(nil, 1, fmt.Append(nil, "s", s.service)))
		w.Write(protoField(nil, 1, append(out, protoField(nil, 1, protoField(nil, 1, value))...)))
	}
}

// protoField adds a message, a text or packed numbers to a message.
func protoField(b []byte, number int, message []byte) []byte {
	return append(binary.AppendUvarint(append(b, byte(number<<3|2)), uint64(len(message))), message...)
}
