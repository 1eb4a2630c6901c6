package jfr

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Entity types beside those of all profiles.
const (
	typeText    = "Text"
	typeBoolean = "Boolean"
	typeEvent   = "Event"
)

// names interns names of entities.
type names struct {
	all  []string
	byID map[string]data.EntityID
}

// intern gives the entity of a name; the empty one is none.
func (n *names) intern(name []byte) data.EntityID {
	if len(name) == 0 {
		return data.None
	}
	if id, ok := n.byID[string(name)]; ok {
		return id
	}
	if n.byID == nil {
		n.byID = map[string]data.EntityID{}
	}
	id := data.EntityID(len(n.all))
	n.all = append(n.all, strings.ToValidUTF8(string(name), "\uFFFD"))
	n.byID[string(name)] = id
	return id
}

// kind is an entity type of the file's own: of a class of values that have
// names, or of an annotation that relates numbers.
type kind struct {
	title, description string
	names
	numbers map[int64]data.EntityID
}

func (k *kind) number(n int64) data.EntityID {
	if id, ok := k.numbers[n]; ok {
		return id
	}
	if k.numbers == nil {
		k.numbers = map[int64]data.EntityID{}
	}
	id := k.intern(strconv.AppendInt(nil, n, 10))
	k.numbers[n] = id
	return id
}

// kind gives the entity type of a class. It is called by the last part of the
// class's name, unless that is taken.
func (r *reader) kind(class *class) *kind {
	if k := r.kinds[class.name]; k != nil {
		return k
	}
	title := class.name[strings.LastIndexByte(class.name, '.')+1:]
	k := &kind{title: unique(r.types, cmp.Or(title, "type")), description: class.label}
	r.kinds[class.name] = k
	r.allKinds = append(r.allKinds, k)
	return k
}

// typeNames keeps the names of types apart, whatever a file calls its own.
func typeNames() map[string]bool {
	taken := map[string]bool{}
	for _, name := range []string{
		source.TypeMethod, source.TypeClass, source.TypePackage, source.TypeFile, source.TypeBinary,
		source.TypeContext, source.TypeSample, source.TypeThread, typeText, typeBoolean, typeEvent,
	} {
		taken[name] = true
	}
	return taken
}

// isEntity tells whether values of a class become references: those that every
// profile knows, and what has a name.
func (k *class) isEntity() bool {
	switch k.name {
	case threadClass, classClass, methodClass, calleeClass, stackClass:
		return true
	}
	return k.naming() != nil
}

// naming gives the field that values of the class are named by: the only one,
// or the one called name; nil if they have no names.
func (k *class) naming() *field {
	f := k.field("name")
	if len(k.fields) == 1 {
		f = &k.fields[0]
	}
	if f == nil || f.array || f.class == k {
		return nil
	}
	if f.class.primitive == isString || len(f.class.fields) == 1 && f.class.fields[0].class.primitive == isString {
		return f
	}
	return nil
}

// refers gives the entity type of values of a class.
func (r *reader) refers(class *class) (name string, k *kind) {
	switch class.name {
	case threadClass:
		return source.TypeThread, nil
	case classClass:
		return source.TypeClass, nil
	case methodClass, calleeClass:
		return source.TypeMethod, nil
	case stackClass:
		return source.TypeContext, nil
	}
	k = r.kind(class)
	return k.title, k
}

// reference gives the entity that a constant stands for. The id 0 is nothing
// if there is no such constant.
func (k *chunk) reference(kind *kind, class *class, id int64) data.EntityID {
	p := k.pools[class.id]
	if p == nil {
		return k.nothing(id)
	}
	row, ok := p.rows[id]
	if !ok {
		return k.nothing(id)
	}
	if !p.known[row] {
		p.known[row] = true
		c := cursor{b: k.b, at: p.at[row], packed: k.packed, fuel: len(k.b)}
		p.ids[row] = k.entity(kind, &c, class)
	}
	return p.ids[row]
}

func (k *chunk) nothing(id int64) data.EntityID {
	if id != 0 {
		k.r.missing++
	}
	return data.None
}

// entity reads a value that is an entity.
func (k *chunk) entity(kind *kind, c *cursor, class *class) data.EntityID {
	switch class.name {
	case threadClass:
		return k.thread(c, class)
	case classClass:
		return k.class(c, class)
	case methodClass, calleeClass:
		return k.method(c, class)
	case stackClass:
		return k.stack(c, class)
	}
	if class.primitive == isString {
		return k.r.texts.intern(k.chars(c, class))
	}
	naming := class.naming()
	var name, of string
	k.each(c, class, func(f *field) bool {
		switch {
		case f == naming:
			name = k.textOf(c, f)
		case f.class.name == classClass && f.constant && !f.array:
			of = k.className(c.long())
		default:
			return false
		}
		return true
	})
	if name == "" {
		name = of // loaders of classes often have none but their class's
	}
	return kind.intern([]byte(name))
}

// each goes through the fields of a value. visit reads a field, or is false.
func (k *chunk) each(c *cursor, class *class, visit func(f *field) bool) {
	for i := range class.fields {
		if f := &class.fields[i]; !visit(f) {
			k.skip(c, f, 0)
		}
	}
}

// text reads a string, or a letter.
func (k *chunk) text(c *cursor, class *class) data.EntityID {
	if class.primitive == isChar {
		return k.r.texts.intern([]byte(string(rune(c.short()))))
	}
	text, id, constant := c.text()
	if constant {
		return k.reference(nil, class, id)
	}
	return k.r.texts.intern(text)
}

// chars reads a string. One may be that of another constant.
func (k *chunk) chars(c *cursor, class *class) []byte {
	text, id, constant := c.text()
	for range maxDepth {
		if !constant {
			break
		}
		at, ok := k.constant(class, id)
		if !ok {
			break
		}
		text, id, constant = at.text()
	}
	return text
}

// textOf reads a field that is a text or has one as its only field, such as a
// symbol. It gives "" for everything else.
func (k *chunk) textOf(c *cursor, f *field) string {
	for depth := 0; depth < maxDepth && !f.array; depth++ {
		if f.constant {
			at, ok := k.constant(f.class, c.long())
			if !ok {
				return ""
			}
			c = &at
		}
		if f.class.primitive == isString {
			return string(k.chars(c, f.class))
		}
		if len(f.class.fields) != 1 {
			break
		}
		f = &f.class.fields[0]
	}
	k.skip(c, f, 0)
	return ""
}

// className reads the name of a class, as the JVM writes it.
func (k *chunk) className(id int64) string {
	class := k.byName(classClass)
	if class == nil {
		return ""
	}
	c, ok := k.constant(class, id)
	if !ok {
		k.nothing(id)
		return ""
	}
	name := ""
	k.each(&c, class, func(f *field) bool {
		if f.name != "name" {
			return false
		}
		name = k.textOf(&c, f)
		return true
	})
	return javaClass(name)
}

// byName finds a class by its name; there are few that are asked for.
func (k *chunk) byName(name string) *class {
	if known, ok := k.named[name]; ok {
		return known
	}
	var found *class
	for _, c := range k.classes {
		if c.name == name && (found == nil || c.id < found.id) {
			found = c
		}
	}
	k.named[name] = found
	return found
}

func (k *chunk) class(c *cursor, class *class) data.EntityID {
	name := ""
	k.each(c, class, func(f *field) bool {
		if f.name != "name" {
			return false
		}
		name = k.textOf(c, f)
		return true
	})
	if name == "" {
		return data.None
	}
	return k.r.profile.Class(javaClass(name))
}

// method reads a method; one that the JVM hides is none. Functions that are not Java's have a library in place
// of a class, or nothing, and a descriptor that is none.
func (k *chunk) method(c *cursor, class *class) data.EntityID {
	var owner, name, descriptor string
	hidden := false
	k.each(c, class, func(f *field) bool {
		switch {
		case f.name == "type" && f.class.name == classClass && f.constant && !f.array:
			owner = k.className(c.long())
		case f.name == "type":
			owner = javaClass(k.textOf(c, f))
		case f.name == "name":
			name = k.textOf(c, f)
		case f.name == "descriptor":
			descriptor = k.textOf(c, f)
		case f.name == "hidden" && f.class.primitive == isBoolean && !f.array && !f.constant:
			hidden = c.u8() != 0
		default:
			return false
		}
		return true
	})
	arguments, java := javaArguments(descriptor)
	frame := source.Frame{Name: name}
	switch {
	case hidden, name == "" && owner == "":
		return data.None
	case java && owner != "":
		frame.Name = owner + "." + name + arguments
	default:
		frame.Binary = owner
		if name == "" {
			frame.Name = "[" + owner + "]"
		}
	}
	return k.r.profile.Method(frame)
}

// stack reads a stack trace, whose innermost frame comes first.
func (k *chunk) stack(c *cursor, class *class) data.EntityID {
	context := data.None
	k.each(c, class, func(f *field) bool {
		switch {
		case f.name == "truncated" && f.class.primitive == isBoolean && !f.array:
			k.r.stacked++
			if c.u8() != 0 {
				k.r.cut++
			}
		case f.name == "frames" && f.array && !f.constant:
			frames := k.frames[:0]
			for n := c.count(); n > 0 && c.burn(); n-- {
				frames = append(frames, k.frame(c, f.class))
			}
			k.frames = frames
			for i := len(frames) - 1; i >= 0; i-- {
				if frames[i] != data.None {
					context = k.r.profile.Child(context, frames[i])
				}
			}
		default:
			return false
		}
		return true
	})
	return context
}

func (k *chunk) frame(c *cursor, class *class) (method data.EntityID) {
	method = data.None
	for i := range class.fields {
		switch f := &class.fields[i]; {
		case f.array || !f.constant:
			k.skip(c, f, 0)
		case f.isMethod:
			method = k.reference(nil, f.class, c.long())
		default:
			c.long()
		}
	}
	return method
}
