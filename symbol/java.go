package symbol

import "strings"

// splitJava splits a name of the JVM. The method is what follows the last "."
// (or "::") before the parameter list, the class what stands before it; module
// and class loader, which a stack trace writes in front, are dropped, as they
// hold the package as a whole.
func splitJava(name string) Name {
	if name[0] == '<' {
		// A constructor without its class, or a frame that is no method, such
		// as the thread that async-profiler writes as "<thread>main".
		return Name{Method: name}
	}
	name = trimFrameType(name)
	head, args := name, ""
	if i := strings.IndexByte(name, '('); i > 0 {
		head = strings.TrimRight(name[:i], " ")
		args = name[len(head):]
		if isSourceLocation(args) {
			args = ""
		}
	}
	head = trimReturnType(head)

	var owner, method string
	if i := strings.LastIndex(head, "::"); i >= 0 {
		owner, method = head[:i], head[i+2:]
		// perf-map-agent writes the class as a type descriptor.
		if strings.HasPrefix(owner, "L") && strings.HasSuffix(owner, ";") {
			owner = owner[1 : len(owner)-1]
		}
	} else if i := strings.LastIndexByte(head, '.'); i >= 0 {
		owner, method = head[:i], head[i+1:]
	} else if i := strings.LastIndexByte(head, '/'); i >= 0 {
		owner, method = head[:i], head[i+1:]
	} else {
		return Name{Method: head + args}
	}
	if method == "" {
		return Name{}
	}

	pkg, class := splitJavaClass(owner)
	return Name{Package: pkg, Class: class, Method: method + args}
}

// splitJavaClass splits the name of a class; class is "" if there is none in it.
func splitJavaClass(owner string) (pkg []string, class string) {
	elements := javaElements(trimModule(owner))
	if len(elements) == 0 {
		return nil, ""
	}
	// A nested class is written with "$" and is one element as it is. In the
	// notation of the source it is written with ".", and case tells.
	first := len(elements) - 1
	for first > 0 && startsUpper(elements[first]) && startsUpper(elements[first-1]) {
		first--
	}
	return elements[:first], strings.Join(elements[first:], ".")
}

// javaElements splits a class name at "." and "/". An element cannot begin with
// a digit: a number or an address there belongs to the name of a hidden class
// (Foo$$Lambda$14/0x0000000800c03000).
func javaElements(owner string) []string {
	var elements []string
	start := 0
	for i := 0; i <= len(owner); i++ {
		if i < len(owner) && (owner[i] != '.' && owner[i] != '/' || startsDigit(owner[i+1:])) {
			continue
		}
		if i > start {
			elements = append(elements, owner[start:i])
		}
		start = i + 1
	}
	return elements
}

// trimModule removes what StackTraceElement writes before the class: a class
// loader and a module, each followed by "/". The slash is also the separator
// of packages within class files; there, no dot comes before the class.
func trimModule(owner string) string {
	slash := strings.LastIndexByte(owner, '/')
	for slash >= 0 && startsDigit(owner[slash+1:]) {
		slash = strings.LastIndexByte(owner[:slash], '/')
	}
	if slash < 0 {
		return owner
	}
	before, after := owner[:slash], owner[slash+1:]
	if strings.HasSuffix(before, "/") || strings.ContainsAny(before, ".@") {
		return after
	}
	dot := strings.IndexByte(after, '.')
	if dot >= 0 && !startsDigit(after[dot+1:]) && !startsUpper(after) {
		return after
	}
	return owner
}

// trimFrameType removes the marks that async-profiler puts at the end of a
// name: compiled, inlined, interpreted or C1-compiled. The method is the same.
func trimFrameType(name string) string {
	n := len(name) - len("_[j]")
	if n > 0 && name[n:n+2] == "_[" && name[n+3] == ']' && strings.IndexByte("01ij", name[n+2]) >= 0 {
		return name[:n]
	}
	return name
}

// isSourceLocation reports whether the parentheses hold a place in the source
// and not parameters.
func isSourceLocation(args string) bool {
	args = strings.TrimLeft(args, " ")
	if !strings.HasPrefix(args, "(") || !strings.HasSuffix(args, ")") {
		return false
	}
	inner := args[1 : len(args)-1]
	if inner == "Native Method" || inner == "Unknown Source" {
		return true
	}
	file, found := trimPosition(inner)
	switch extension(file) {
	case ".java", ".kt", ".scala", ".groovy", ".clj":
		return found || !strings.Contains(inner, ",")
	}
	return false
}

// trimReturnType removes modifiers and a return type in front, as ART and
// java.lang.reflect.Method write them. Names of Kotlin tests contain spaces
// too; they stay.
func trimReturnType(head string) string {
	last := strings.LastIndexByte(head, ' ')
	if last < 0 || !strings.Contains(head[last:], ".") {
		return head
	}
	for word := range strings.FieldsSeq(head[:last]) {
		switch strings.TrimRight(word, "[]") {
		case "public", "protected", "private", "static", "final", "native", "synchronized", "abstract", "default",
			"void", "boolean", "byte", "char", "short", "int", "long", "float", "double":
			continue
		}
		if !strings.Contains(word, ".") || startsUpper(word) {
			return head
		}
	}
	return head[last+1:]
}

// isDescriptor reports whether s is a method descriptor of the JVM, such as
// "([CII)V".
func isDescriptor(s string) bool {
	if !strings.HasPrefix(s, "(") {
		return false
	}
	i, closed := 1, false
	for i < len(s) {
		switch s[i] {
		case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z', '[':
			i++
		case 'V':
			return closed && i == len(s)-1
		case 'L':
			n := strings.IndexByte(s[i:], ';')
			if n < 0 {
				return false
			}
			i += n + 1
		case ')':
			if closed {
				return false
			}
			closed = true
			i++
		default:
			return false
		}
	}
	return closed && s[len(s)-1] != ')'
}
