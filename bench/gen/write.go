package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"strconv"
)

// writePprof writes a sample per context, then locations, functions and
// strings, as Go's runtime orders them. Ids count methods from 1.
func writePprof(w *bufio.Writer, t *tree, order []int32) error {
	strings := []string{"", "invocations", "count", "bytecodes"}
	field := func(num int, body []byte) {
		w.WriteByte(byte(num<<3 | 2))
		w.Write(binary.AppendUvarint(nil, uint64(len(body))))
		w.Write(body)
	}
	number := func(to []byte, num int, v int64) []byte {
		return binary.AppendUvarint(append(to, byte(num<<3)), uint64(v))
	}
	field(1, []byte{1 << 3, 1, 2 << 3, 2})
	field(1, []byte{1 << 3, 3, 2 << 3, 2})

	var path []int32
	var packed, body []byte
	for _, context := range order {
		path = t.leafFirst(path, context)
		packed = packed[:0]
		for _, m := range path {
			packed = binary.AppendUvarint(packed, uint64(m)+1)
		}
		body = append(body[:0], 1<<3|2)
		body = binary.AppendUvarint(body, uint64(len(packed)))
		body = append(body, packed...)
		body = number(body, 2, t.invocations[context])
		body = number(body, 2, t.bytecodes[context])
		field(2, body)
	}
	for m := range t.names {
		line := number(nil, 1, int64(m)+1)
		body = number(body[:0], 1, int64(m)+1)
		body = append(body, 4<<3|2, byte(len(line)))
		field(4, append(body, line...))
	}
	for m, n := range t.names {
		body = number(body[:0], 1, int64(m)+1)
		field(5, number(body, 2, int64(len(strings))))
		strings = append(strings, n.String())
	}
	for _, s := range strings {
		field(6, []byte(s))
	}
	return nil // w remembers its error until Flush
}

// writeFolded writes a line per context with its bytecodes, as collapsed
// stacks: names have no argument lists, whose semicolons would be frames.
func writeFolded(w *bufio.Writer, t *tree, order []int32) error {
	names := make([]string, len(t.names))
	for m, n := range t.names {
		names[m] = n.class + "." + n.method + "_" + strconv.Itoa(m)
	}
	var path []int32
	for _, context := range order {
		path = t.leafFirst(path, context)
		for i := len(path) - 1; i >= 0; i-- {
			w.WriteString(names[path[i]])
			if i > 0 {
				w.WriteByte(';')
			}
		}
		w.WriteByte(' ')
		w.WriteString(strconv.FormatInt(t.bytecodes[context], 10))
		w.WriteByte('\n')
	}
	return nil
}

// writeCSV writes the layout of *.cct.csv: methods, then contexts in preorder
// below a root. Threads have no values of their own there.
func writeCSV(w *bufio.Writer, t *tree, _ []int32) error {
	w.WriteString("#methods\nid,class,name,descriptor\n")
	for m, n := range t.names {
		fmt.Fprintf(w, "%d,%s,%s,%s\n", m, n.class, n.method, n.descriptor)
	}
	fmt.Fprintf(w, "%d,<root>,<root>,\n", len(t.names))
	fmt.Fprintf(w, "#nodes\ndepth,method,invocations,bytecodes\n0,%d,0,0\n", len(t.names))
	for i, m := range t.method {
		invocations, bytecodes := t.invocations[i], t.bytecodes[i]
		if t.depth[i] == 1 {
			invocations, bytecodes = 0, 0
		}
		fmt.Fprintf(w, "%d,%d,%d,%d\n", t.depth[i], m, invocations, bytecodes)
	}
	return nil
}
