package otlpprofile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/otlp"
)

// message is what a message says, its dictionary as tables. References are indexes
// into these; 0 is nothing.
type message struct {
	resources [][]otlp.Attribute
	profiles  []profile
	waiting

	strings    []string
	mappings   []mapping
	locations  []location
	functions  []function
	lines      []line          // of all locations
	stacks     []data.EntityID // each a node of frames, or None
	frames     *data.Trie      // its keys are locations
	attributes []attribute

	// What is read now:
	path     []int32  // a stack
	location location // with JSON, and its lines
	inlined  []line
}

func newMessage(b *data.Builder) *message {
	return &message{waiting: newWaiting(b), frames: data.NewTrie(0)}
}

// run is a part of a table that all have in common.
type run struct{ from, to int32 }

type profile struct {
	resource  int32
	typ, unit int32 // strings
	time      uint64
	older     bool   // of a form that is not read
	process   string // known once the dictionary is
}

type mapping struct {
	start, offset uint64
	file          int32
}

type location struct {
	mapping int32
	address uint64
	lines   run // innermost first
}

type line struct {
	function int32
	line     int64
}

type function struct {
	name, system, file int32
	start              int64
}

type attribute struct {
	key, unit int32
	value     otlp.Value
}

// stack adds the stack that was just read, whose innermost location comes first.
func (m *message) stack() {
	node := data.None
	for i := len(m.path) - 1; i >= 0; i-- {
		node = m.frames.Child(node, data.EntityID(m.path[i]))
	}
	m.stacks = append(m.stacks, node)
}

// stacks gives contexts of the stacks of a message, once its dictionary is known.
type stacks struct {
	m        *message
	r        *reader
	contexts []data.EntityID // node of frames -> context, None if it is not made yet
	methods  []data.EntityID // line -> method, None if it is not made yet
	places   []data.EntityID // location without lines -> method
	path     []data.EntityID
}

func newStacks(m *message, r *reader) *stacks {
	none := func(n int) []data.EntityID {
		ids := make([]data.EntityID, n)
		for i := range ids {
			ids[i] = data.None
		}
		return ids
	}
	return &stacks{m: m, r: r, contexts: none(m.frames.Len()), methods: none(len(m.lines)), places: none(len(m.locations))}
}

// context gives the context of a node of frames.
func (s *stacks) context(node data.EntityID) data.EntityID {
	s.path = s.path[:0]
	context := data.None
	for ; node != data.None; node = s.m.frames.Parents[node] {
		if context = s.contexts[node]; context != data.None {
			break
		}
		s.path = append(s.path, node)
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		context = s.below(context, s.m.frames.Keys[s.path[i]])
		s.contexts[s.path[i]] = context
	}
	return context
}

// below gives the context of a location that was called from another one.
func (s *stacks) below(context, at data.EntityID) data.EntityID {
	p, m := s.r.profile, s.m
	if int(at) >= len(m.locations) {
		s.r.missing++
		return p.Child(context, p.Method(source.Frame{Name: "<unknown>"}))
	}
	l := &m.locations[at]
	if l.lines.from == l.lines.to {
		if s.places[at] == data.None {
			s.places[at] = p.Method(m.place(s.r, l))
		}
		return p.Child(context, s.places[at])
	}
	for k := l.lines.to - 1; k >= l.lines.from; k-- {
		if s.methods[k] == data.None {
			s.methods[k] = p.Method(m.frame(s.r, l, m.lines[k]))
		}
		context = p.Child(context, s.methods[k])
	}
	return context
}

// frame is a function as a location has it.
func (m *message) frame(r *reader, l *location, at line) source.Frame {
	if at.function <= 0 || int(at.function) >= len(m.functions) {
		if at.function != 0 {
			r.missing++
		}
		return m.place(r, l)
	}
	f := &m.functions[at.function]
	frame := source.Frame{Name: cmp.Or(m.text(r, f.name), m.text(r, f.system)), File: m.text(r, f.file), Line: cmp.Or(f.start, at.line), Binary: m.binary(r, l)}
	if frame.Name == "" {
		frame.Name = m.place(r, l).Name
	}
	return frame
}

// place is a location without a function.
func (m *message) place(r *reader, l *location) source.Frame {
	binary := m.binary(r, l)
	switch {
	case binary != "":
		mp := &m.mappings[l.mapping]
		at := l.address
		if at >= mp.start { // else it is one within the file already
			at = at - mp.start + mp.offset
		}
		return source.Frame{Name: fmt.Sprintf("%s+%#x", binary, at), Binary: binary}
	case l.address != 0:
		return source.Frame{Name: fmt.Sprintf("%#x", l.address)}
	}
	return source.Frame{Name: "<unknown>"}
}

func (m *message) binary(r *reader, l *location) string {
	if l.mapping <= 0 || int(l.mapping) >= len(m.mappings) {
		if l.mapping != 0 {
			r.missing++
		}
		return ""
	}
	if file := m.text(r, m.mappings[l.mapping].file); file != "" {
		return source.BinaryName(file)
	}
	return ""
}

func (m *message) text(r *reader, index int32) string {
	if index < 0 || int(index) >= len(m.strings) {
		if index != 0 {
			r.missing++
		}
		return ""
	}
	return m.strings[index]
}

func clean(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
