package jfr

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strconv"
)

// writer writes chunks, with integers compressed or not.
type writer struct {
	packed bool
	out    []byte
	ids    map[string]int64
}

func (w *writer) raw(b ...byte) { w.out = append(w.out, b...) }

func (w *writer) varint(v int64) {
	u := uint64(v)
	for range 8 {
		if u < 0x80 {
			w.raw(byte(u))
			return
		}
		w.raw(byte(u) | 0x80)
		u >>= 7
	}
	w.raw(byte(u))
}

func (w *writer) long(v int64) {
	if w.packed {
		w.varint(v)
		return
	}
	w.out = binary.BigEndian.AppendUint64(w.out, uint64(v))
}

func (w *writer) int(v int32) {
	if w.packed {
		w.varint(int64(uint32(v)))
		return
	}
	w.out = binary.BigEndian.AppendUint32(w.out, uint32(v))
}

func (w *writer) short(v uint16) {
	if w.packed {
		w.varint(int64(v))
		return
	}
	w.out = binary.BigEndian.AppendUint16(w.out, v)
}

func (w *writer) text(s string) {
	w.raw(stringUTF8)
	w.int(int32(len(s)))
	w.raw([]byte(s)...)
}

// constant is a string that is a constant.
type constant int64

// wide is a string in UTF-16, latin one in Latin-1.
type (
	wide  []uint16
	latin []byte
)

// put writes a value of Go's types as the JVM has them.
func (w *writer) put(values ...any) {
	for _, v := range values {
		switch v := v.(type) {
		case bool:
			w.raw(map[bool]byte{false: 0, true: 1}[v])
		case int8:
			w.raw(byte(v))
		case int16:
			w.short(uint16(v))
		case uint16:
			w.short(v)
		case int32:
			w.int(v)
		case int:
			w.long(int64(v))
		case int64:
			w.long(v)
		case float32:
			w.out = binary.BigEndian.AppendUint32(w.out, math.Float32bits(v))
		case float64:
			w.out = binary.BigEndian.AppendUint64(w.out, math.Float64bits(v))
		case string:
			w.text(v)
		case nil:
			w.raw(stringNull)
		case constant:
			w.raw(stringConstant)
			w.long(int64(v))
		case wide:
			w.raw(stringUTF16)
			w.int(int32(len(v)))
			for _, u := range v {
				w.short(u)
			}
		case latin:
			w.raw(stringLatin1)
			w.int(int32(len(v)))
			w.raw(v...)
		case []any: // a list
			w.int(int32(len(v)))
			w.put(v...)
		default:
			panic(fmt.Sprintf("%T", v))
		}
	}
}

// event writes an event.
func (w *writer) event(kind int64, values ...any) {
	inner := writer{packed: w.packed}
	inner.long(kind)
	inner.put(values...)
	size := len(inner.out) + 4
	if w.packed { // as the JVM does, which writes the size last
		w.raw(byte(size)|0x80, byte(size>>7)|0x80, byte(size>>14)|0x80, byte(size>>21)&0x7f)
	} else {
		w.int(int32(size))
	}
	w.raw(inner.out...)
}

// constants are those of a class.
type constants struct {
	class string
	of    map[int64][]any
}

func (w *writer) checkpoint(pools ...constants) {
	values := []any{1, 0, 0, int8(0), int32(len(pools))}
	for _, p := range pools {
		values = append(values, w.ids[p.class], int32(len(p.of)))
		var ids []int64
		for id := range p.of {
			ids = append(ids, id)
		}
		sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
		for _, id := range ids {
			values = append(append(values, id), p.of[id]...)
		}
	}
	w.event(checkpointEvent, values...)
}

// metadata writes the metadata of classes: a name, and fields as "class name
// annotation value". A star behind the class is a constant, a plus a list. What
// has a field startTime is an event.
func (w *writer) metadata(classes ...[]string) {
	w.ids = map[string]int64{}
	annotations := map[string]bool{}
	for i, c := range classes {
		w.ids[c[0]] = int64(100 + i)
	}
	var texts []string
	index := map[string]int32{}
	text := func(s string) int32 {
		i, ok := index[s]
		if !ok {
			i = int32(len(texts))
			index[s], texts = i, append(texts, s)
		}
		return i
	}
	type node struct {
		name     string
		attrs    []string
		children []*node
	}
	all := &node{name: "metadata"}
	annotation := func(name, value string) *node {
		name = "jdk.jfr." + name
		if !annotations[name] {
			annotations[name] = true
			w.ids[name] = int64(1000 + len(annotations))
			all.children = append(all.children, &node{name: "class", attrs: []string{"id", fmt.Sprint(w.ids[name]), "name", name, "superType", annotationClass}})
		}
		return &node{name: "annotation", attrs: []string{"class", fmt.Sprint(w.ids[name]), "value", value}}
	}
	for _, c := range classes {
		k := &node{name: "class", attrs: []string{"id", fmt.Sprint(w.ids[c[0]]), "name", c[0]}}
		for _, spec := range c[1:] {
			var kind, name, annotated, value string
			fmt.Sscan(spec, &kind, &name, &annotated, &value)
			f := &node{name: "field", attrs: []string{"name", name}}
			if name == startField {
				k.attrs = append(k.attrs, "superType", eventClass)
			}
			for ; ; kind = kind[:len(kind)-1] {
				if kind[len(kind)-1] == '*' {
					f.attrs = append(f.attrs, "constantPool", "true")
				} else if kind[len(kind)-1] == '+' {
					f.attrs = append(f.attrs, "dimension", "1")
				} else {
					break
				}
			}
			if _, ok := w.ids[kind]; !ok {
				panic(kind + " is not described")
			}
			f.attrs = append(f.attrs, "class", strconv.FormatInt(w.ids[kind], 10))
			if annotated != "" {
				f.children = append(f.children, annotation(annotated, value))
			}
			k.children = append(k.children, f)
		}
		all.children = append(all.children, k)
	}
	root := &node{name: "root", children: []*node{all, {name: "region"}}}
	var values []any
	var walk func(n *node)
	walk = func(n *node) {
		values = append(values, text(n.name), int32(len(n.attrs)/2))
		for _, a := range n.attrs {
			values = append(values, text(a))
		}
		values = append(values, int32(len(n.children)))
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(root)
	head := []any{1, 0, 1, int32(len(texts))}
	for _, s := range texts {
		head = append(head, s)
	}
	w.event(metadataEvent, append(head, values...)...)
}

// chunk puts the header in front of what was written: a tick is two nanoseconds,
// the first one 1000.
func (w *writer) chunk() []byte {
	h := []byte(magic)
	h = binary.BigEndian.AppendUint16(h, version)
	h = binary.BigEndian.AppendUint16(h, 0)
	flags := uint32(0)
	if w.packed {
		flags = compressed
	}
	for _, v := range []int{headerBytes + len(w.out), 0, 0, 5_000_000, 1_000_000, 1000, 500_000_000} {
		h = binary.BigEndian.AppendUint64(h, uint64(v))
	}
	h = binary.BigEndian.AppendUint32(h, flags)
	out := append(h, w.out...)
	w.out = nil
	return out
}
