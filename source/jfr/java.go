package jfr

import "strings"

// javaClass writes the name of a class as people do: java.lang.String[] for
// [Ljava/lang/String;.
func javaClass(name string) string {
	if strings.HasPrefix(name, "[") {
		if text, rest, ok := javaType(name, false); ok && rest == "" {
			return text
		}
	}
	return strings.ReplaceAll(name, "/", ".")
}

// javaArguments writes what the descriptor of a method takes, as the JDK's
// command jfr does: (int, String[]), without packages. ok is false if it is none.
func javaArguments(descriptor string) (text string, ok bool) {
	rest, ok := strings.CutPrefix(descriptor, "(")
	if !ok {
		return "", false
	}
	var b strings.Builder
	b.WriteByte('(')
	for !strings.HasPrefix(rest, ")") {
		var one string
		if one, rest, ok = javaType(rest, true); !ok {
			return "", false
		}
		if b.Len() > 1 {
			b.WriteString(", ")
		}
		b.WriteString(one)
	}
	b.WriteByte(')')
	if rest[1:] != "V" {
		if _, rest, ok = javaType(rest[1:], true); !ok || rest != "" {
			return "", false
		}
	}
	return b.String(), true
}

var javaPrimitives = map[byte]string{
	'Z': "boolean", 'B': "byte", 'C': "char", 'S': "short", 'I': "int", 'J': "long", 'F': "float", 'D': "double",
}

// javaType takes a type off the front of a descriptor.
func javaType(descriptor string, short bool) (text, rest string, ok bool) {
	element := strings.TrimLeft(descriptor, "[")
	brackets := strings.Repeat("[]", len(descriptor)-len(element))
	if element == "" {
		return "", "", false
	}
	if name, ok := javaPrimitives[element[0]]; ok {
		return name + brackets, element[1:], true
	}
	name, rest, ok := strings.Cut(element[1:], ";")
	if element[0] != 'L' || !ok || name == "" {
		return "", "", false
	}
	name = strings.ReplaceAll(name, "/", ".")
	if short {
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	return name + brackets, rest, true
}
