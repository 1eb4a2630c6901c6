package jfr

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The classes that mean something beyond their fields.
const (
	eventClass      = "jdk.jfr.Event"
	annotationClass = "java.lang.annotation.Annotation"
	classClass      = "java.lang.Class"
	stringClass     = "java.lang.String"
	threadClass     = "java.lang.Thread"
	methodClass     = "jdk.types.Method"
	calleeClass     = "jdk.types.CalleeMethod"
	stackClass      = "jdk.types.StackTrace"
)

// primitive is a class whose values have no fields.
type primitive uint8

const (
	composite primitive = iota
	isBoolean
	isByte
	isChar
	isShort
	isInt
	isLong
	isFloat
	isDouble
	isString
)

var primitives = map[string]primitive{
	"boolean": isBoolean, "byte": isByte, "char": isChar, "short": isShort, "int": isInt,
	"long": isLong, "float": isFloat, "double": isDouble, stringClass: isString,
}

// class is a class of the metadata: of events, of values, of annotations.
type class struct {
	id          int64
	name, super string
	primitive   primitive
	label       string
	description string
	relational  bool // an annotation: its numbers tell what belongs together
	fields      []field
}

// field is a field of a class.
type field struct {
	name, label, description string

	class    *class // never nil
	constant bool   // the value is an id among the constants of the class
	array    bool
	isMethod bool // the method of a frame: told once, as frames are many

	content  content
	unit     string // of the content: NANOSECONDS, TICKS, BYTES …
	relation *class // the annotation that the field has in common with related ones
	unsigned bool
	rate     bool // per second
}

// content is what a number means, as an annotation of its field says.
type content uint8

const (
	plain content = iota
	timespan
	timestamp
	dataAmount
	percentage
	memoryAddress
)

var contents = map[string]content{
	"jdk.jfr.Timespan": timespan, "jdk.jfr.Timestamp": timestamp, "jdk.jfr.DataAmount": dataAmount,
	"jdk.jfr.Percentage": percentage, "jdk.jfr.MemoryAddress": memoryAddress,
}

// title is what to call a field.
func (f *field) title() string {
	if f.label != "" {
		return f.label
	}
	return f.name
}

// field finds a field by its name; nil if there is none.
func (k *class) field(name string) *field {
	for i := range k.fields {
		if k.fields[i].name == name {
			return &k.fields[i]
		}
	}
	return nil
}

// element is a part of the metadata's tree.
type element struct {
	name     string
	attrs    []string // keys and values in turn
	children []*element
}

func (e *element) attr(key string) string {
	for i := 0; i < len(e.attrs); i += 2 {
		if e.attrs[i] == key {
			return e.attrs[i+1]
		}
	}
	return ""
}

// Bounds of what a few bytes can make us build.
const (
	maxNesting = 64
	maxFields  = 1000 // of a class
)

// metadata reads the payload of a metadata event, behind its size and type.
// Chunks of one recording mostly have the same; it is then read once.
func (r *reader) metadata(c *cursor) (map[int64]*class, error) {
	c.long() // start
	c.long() // duration
	c.long() // id
	text := c.b[c.at:]
	if r.classes != nil && c.packed == r.described.packed && bytes.Equal(text, r.described.text) {
		return r.classes, nil
	}
	classes, err := classesOf(c)
	if err == nil {
		r.classes, r.described.packed = classes, c.packed
		r.described.text = append(r.described.text[:0], text...)
	}
	return classes, err
}

// classesOf reads the classes that the metadata describes.
func classesOf(c *cursor) (map[int64]*class, error) {
	n := c.count()
	if n > len(c.b)-c.at {
		return nil, fmt.Errorf("the metadata tells of %d strings in %d bytes", n, len(c.b)-c.at)
	}
	texts := make([]string, n)
	for i := range texts {
		text, _, constant := c.text()
		if constant {
			c.fail()
		}
		texts[i] = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	root, err := elements(c, texts, 0)
	if err != nil {
		return nil, err
	}
	if c.broken {
		return nil, fmt.Errorf("the metadata ends early")
	}
	classes := map[int64]*class{}
	var all []*element
	for _, e := range root.children {
		if e.name != "metadata" {
			continue
		}
		for _, e := range e.children {
			id, err := strconv.ParseInt(e.attr("id"), 10, 64)
			if e.name != "class" || err != nil || classes[id] != nil {
				continue
			}
			name := e.attr("name")
			classes[id] = &class{id: id, name: name, super: e.attr("superType"), primitive: primitives[name]}
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the metadata describes no classes")
	}
	for _, e := range all {
		id, _ := strconv.ParseInt(e.attr("id"), 10, 64)
		if err := classes[id].describe(e, classes); err != nil {
			return nil, err
		}
	}
	for _, k := range classes { // annotations have their own annotations only now
		for i := range k.fields {
			if f := &k.fields[i]; f.relation != nil && !f.relation.relational {
				f.relation = nil
			}
		}
	}
	return classes, nil
}

func elements(c *cursor, texts []string, depth int) (*element, error) {
	text := func() string {
		if i := c.int(); int(i) < len(texts) && i >= 0 {
			return texts[i]
		}
		c.fail()
		return ""
	}
	e := &element{name: text()}
	for n := c.count(); n > 0 && c.burn(); n-- {
		e.attrs = append(e.attrs, text(), text())
	}
	n := c.count()
	if depth == maxNesting && n > 0 {
		return nil, fmt.Errorf("the metadata is nested more than %d deep", maxNesting)
	}
	for ; n > 0 && c.burn(); n-- {
		child, err := elements(c, texts, depth+1)
		if err != nil {
			return nil, err
		}
		e.children = append(e.children, child)
	}
	return e, nil
}

// describe fills in what an element says of its class.
func (k *class) describe(e *element, classes map[int64]*class) error {
	for _, part := range e.children {
		switch part.name {
		case "annotation":
			name, value, annotation := annotationOf(part, classes)
			switch name {
			case "jdk.jfr.Label":
				k.label = value
			case "jdk.jfr.Description":
				k.description = value
			case "jdk.jfr.Relational":
				k.relational = annotation != nil
			}
		case "field":
			id, err := strconv.ParseInt(part.attr("class"), 10, 64)
			if err != nil || classes[id] == nil {
				return fmt.Errorf("the metadata gives field %q of %q the type %q, which it does not describe", part.attr("name"), k.name, part.attr("class"))
			}
			if len(k.fields) == maxFields {
				return fmt.Errorf("the metadata gives %q more than %d fields", k.name, maxFields)
			}
			f := field{name: part.attr("name"), class: classes[id], constant: part.attr("constantPool") == "true"}
			f.array = part.attr("dimension") != "" && part.attr("dimension") != "0"
			f.isMethod = f.name == "method" && f.class.name == methodClass
			for _, a := range part.children {
				f.annotate(a, classes)
			}
			k.fields = append(k.fields, f)
		}
	}
	return nil
}

func (f *field) annotate(e *element, classes map[int64]*class) {
	name, value, annotation := annotationOf(e, classes)
	if what, ok := contents[name]; ok {
		f.content, f.unit = what, value
	}
	switch {
	case name == "jdk.jfr.Label":
		f.label = value
	case name == "jdk.jfr.Description":
		f.description = value
	case name == "jdk.jfr.Unsigned":
		f.unsigned = true
	case name == "jdk.jfr.Frequency":
		f.rate = true
	case annotation != nil && !strings.HasPrefix(name, "jdk.jfr."):
		f.relation = annotation
	}
}

func annotationOf(e *element, classes map[int64]*class) (name, value string, annotation *class) {
	id, err := strconv.ParseInt(e.attr("class"), 10, 64)
	if err != nil || e.name != "annotation" || classes[id] == nil {
		return "", "", nil
	}
	return classes[id].name, e.attr("value"), classes[id]
}
