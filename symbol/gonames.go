package symbol

import "strings"

// splitGo splits a symbol of the Go linker. The package path ends at the first
// dot after its last slash. The class is the type of the receiver without the
// pointer; closures, method values and wrappers belong to the method that they
// are made from.
func splitGo(name string) Name {
	for _, prefix := range [...]string{"type:.", "type.."} {
		if strings.HasPrefix(name, prefix) {
			return splitGoTypeFunction(name, len(prefix))
		}
	}
	path, rest := cutGoPackage(name)
	n := Name{Package: goPathElements(path), Method: rest}
	parts := splitOutside(rest, ".")
	if len(parts) < 2 {
		return n
	}
	receiver, method := parts[0], rest[len(parts[0])+1:]
	if strings.HasPrefix(receiver, "(") && strings.HasSuffix(receiver, ")") {
		n.Class = strings.TrimLeft(receiver[1:len(receiver)-1], "*")
		n.Method = method
		return n
	}
	switch {
	case receiver == "", isGoClosure(parts[1]):
	case receiver == "init", receiver == "main" && path == "main":
	case receiver == "map" && parts[1] == "init":
		// The compiler moves the initialization of large maps out of init.
	case strings.HasPrefix(parts[1], "("):
		// A closure of a method that was inlined into the function receiver.
	default:
		n.Class, n.Method = receiver, method
	}
	return n
}

// cutGoPackage cuts the package path off a symbol. Types in brackets have paths
// of their own, so only what stands before the first bracket counts.
func cutGoPackage(name string) (path, rest string) {
	head := name
	if i := strings.IndexAny(name, "([{"); i >= 0 {
		head = name[:i]
	}
	start := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[start:], '.')
	if dot < 0 {
		return name[:start], name[start:]
	}
	end := start + dot
	// Dots of the last element are written as %2e, but not by debuggers, and
	// gopkg.in is where such elements come from.
	if strings.HasPrefix(name, "gopkg.in/") {
		if version, _, found := strings.Cut(head[end+1:], "."); found &&
			strings.HasPrefix(version, "v") && isDigits(version[1:]) {
			end += 1 + len(version)
		}
	}
	return name[:end], name[end+1:]
}

// goPathElements splits a package path and undoes the escapes of the linker.
func goPathElements(path string) []string {
	elements := strings.Split(path, "/")
	for i, e := range elements {
		if strings.Contains(e, "%") {
			elements[i] = unescapeGoPath(e)
		}
	}
	return elements
}

func unescapeGoPath(element string) string {
	var b strings.Builder
	for i := 0; i < len(element); i++ {
		if element[i] == '%' && i+2 < len(element) && isHex(element[i+1:i+3]) {
			b.WriteByte(hexValue(element[i+1])<<4 | hexValue(element[i+2]))
			i += 2
			continue
		}
		b.WriteByte(element[i])
	}
	return b.String()
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// splitGoTypeFunction splits the name of an equality or hash function that the
// compiler made for a type, such as "type:.eq.foo/bar.T": the type is the
// class. Types without a name have no package.
func splitGoTypeFunction(name string, prefix int) Name {
	dot := strings.IndexByte(name[prefix:], '.')
	if dot < 0 {
		return Name{Method: name}
	}
	function, typ := name[:prefix+dot], name[prefix+dot+1:]
	path, rest := cutGoPackage(typ)
	if path == "" || rest == "" || strings.Contains(path, " ") || strings.HasSuffix(path, "/") {
		return Name{Method: name}
	}
	return Name{Package: goPathElements(path), Class: rest, Method: function}
}

// isGoClosure reports whether part, the one after the first name of a symbol,
// says that the first name is a function and not a receiver: func1, 1, gowrap1,
// deferwrap1, the empty part of "glob..func1", the ABI of assembly.
func isGoClosure(part string) bool {
	for _, prefix := range [...]string{"func", "gowrap", "deferwrap"} {
		if after, found := strings.CutPrefix(part, prefix); found && startsDigit(after) {
			return true
		}
	}
	return part == "" || startsDigit(part) || part == "abi0" || part == "abiinternal"
}
