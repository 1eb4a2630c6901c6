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

// sampleOf is one of generated samples: its stack, value, attributes and time.
func sampleOf(i int) (stack, value, attribute int, at int64) {
	return 1 + i%300, 1 + i%100, 1 + i%3, int64(1000 * i)
}

// The dictionary of generated samples: names, and stacks of two frames.
func stackOf(i int) (inner, outer int) { return 1 + i%31, 1 + i%7 }

const names, attributes, profileStacks = 32, 3, 300

// writeProfileJSON writes samples with a dictionary that comes last.
func writeProfileJSON(w *bufio.Writer, events int) {
	fmt.Fprint(w, `{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"samples":[`)
	for i := range events {
		stack, value, attribute, at := sampleOf(i)
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, `{"stackIndex":%d,"values":["%d"],"attributeIndices":[%d],"timestampsUnixNano":["%d"]}`, stack, value, attribute, 1_700_000_000_000_000_000+at)
	}
	fmt.Fprint(w, `]}]}]}],"dictionary":{"locationTable":[{}`)
	for i := range names {
		fmt.Fprintf(w, `,{"lines":[{"functionIndex":%d}]}`, i+1)
	}
	fmt.Fprint(w, `],"functionTable":[{}`)
	for i := range names {
		fmt.Fprintf(w, `,{"nameStrindex":%d}`, i+4)
	}
	fmt.Fprint(w, `],"stringTable":["","cpu","nanoseconds","thread.name"`)
	for i := range names {
		fmt.Fprintf(w, `,"f%d"`, i)
	}
	fmt.Fprint(w, `],"attributeTable":[{}`)
	for i := range attributes {
		fmt.Fprintf(w, `,{"keyStrindex":3,"value":{"stringValue":"worker-%d"}}`, i)
	}
	fmt.Fprint(w, `],"stackTable":[{}`)
	for i := range profileStacks {
		inner, outer := stackOf(i)
		fmt.Fprintf(w, `,{"locationIndices":[%d,%d]}`, inner, outer)
	}
	fmt.Fprint(w, `]}}`)
}

// writeProfile writes the same as protocol buffers: one profile, whose length is in
// front of it.
func writeProfile(w *bufio.Writer, events int) {
	value := func(b []byte, number int, v uint64) []byte {
		return binary.AppendUvarint(append(b, byte(number<<3)), v)
	}
	var part []byte
	sample := func(out []byte, i int) []byte {
		stack, v, attribute, at := sampleOf(i)
		part = protoField(value(part[:0], 1, uint64(stack)), 2, []byte{byte(attribute)})
		part = protoField(part, 4, []byte{byte(v)})
		part = protoField(part, 5, binary.LittleEndian.AppendUint64(nil, uint64(1_700_000_000_000_000_000+at)))
		return protoField(out, 2, part)
	}
	typ := protoField(nil, 1, value(value(nil, 1, 1), 2, 2))
	length, out := len(typ), []byte(nil)
	for i := range events {
		out = sample(out[:0], i)
		length += len(out)
	}
	scope := binary.AppendUvarint([]byte{2<<3 | 2}, uint64(length))
	resource := binary.AppendUvarint([]byte{2<<3 | 2}, uint64(len(scope)+length))
	w.Write(binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(resource)+len(scope)+length)))
	w.Write(resource)
	w.Write(scope)
	w.Write(typ)
	for i := range events {
		out = sample(out[:0], i)
		w.Write(out)
	}
	table := func(number int, entries ...[]byte) (out []byte) {
		for _, e := range append([][]byte{nil}, entries...) {
			out = protoField(out, number, e)
		}
		return out
	}
	var locations, functions, stacks, attributeTable [][]byte
	strings := [][]byte{[]byte("cpu"), []byte("nanoseconds"), []byte("thread.name")}
	for i := range names {
		locations = append(locations, protoField(nil, 3, value(nil, 1, uint64(i+1))))
		functions = append(functions, value(nil, 1, uint64(i+4)))
		strings = append(strings, fmt.Append(nil, "f", i))
	}
	for i := range attributes {
		attributeTable = append(attributeTable, protoField(value(nil, 1, 3), 2, protoField(nil, 1, fmt.Append(nil, "worker-", i))))
	}
	for i := range profileStacks {
		inner, outer := stackOf(i)
		stacks = append(stacks, protoField(nil, 1, []byte{byte(inner), byte(outer)}))
	}
	dictionary := append(table(2, locations...), table(3, functions...)...)
	dictionary = append(append(dictionary, table(5, strings...)...), table(6, attributeTable...)...)
	w.Write(protoField(nil, 2, append(dictionary, table(7, stacks...)...)))
}
