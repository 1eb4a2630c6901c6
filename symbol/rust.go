package symbol

import "strings"

// splitRust splits a demangled name of Rust.
//
// The class of "<Type as Trait>::f" is the type. The trait is kept in the
// method, "<_ as Trait>::f", as one type implements many traits with methods of
// the same name. A type without a path (&T, [u8], a primitive) has no package
// of its own; only the crate of the trait can implement the trait for it, so
// the trait is the class there and the type is kept in the method.
//
// Elsewhere the last qualifier is a type if it begins with an upper-case
// letter, has type arguments or is an impl block. Closures belong to the
// function that they are in. Hashes of the compiler are dropped, as they
// differ from build to build.
func splitRust(name string) Name {
	s := trimRustHash(name)
	if strings.HasPrefix(s, "<") {
		if end := closing(s, 0); end > 1 && strings.HasPrefix(s[end+1:], "::") && len(s) > end+3 {
			return splitRustImpl(s[1:end], s[end+3:])
		}
	}
	elements, method := cutRustMethod(rustElements(s))
	n := Name{Package: elements, Method: method}
	if last := len(elements) - 1; last >= 0 && isRustType(elements[last]) {
		n.Package, n.Class = elements[:last], elements[last]
	}
	return n
}

// splitRustImpl splits "<impl>::method".
func splitRustImpl(impl, method string) Name {
	typ, trait := impl, ""
	if i := indexOutside(impl, " as "); i > 0 {
		typ, trait = impl[:i], impl[i+len(" as "):]
	}
	pointer, pointee := cutPointers(typ)
	path, bounds := pointee, "" // bounds: of "dyn Any + Send"
	if i := indexOutside(pointee, " "); i > 0 {
		path, bounds = pointee[:i], pointee[i:]
	}
	elements, class := cutRustMethod(rustElements(path))

	switch {
	case len(elements) > 0:
		n := Name{Package: elements, Class: class + bounds, Method: method}
		if trait != "" {
			n.Method = "<" + pointer + "_ as " + trait + ">::" + method
		} else if pointer != "" {
			n.Method = "<" + pointer + "_>::" + method
		}
		return n
	case trait != "":
		elements, class := cutRustMethod(rustElements(trait))
		return Name{Package: elements, Class: class, Method: "<" + typ + " as _>::" + method}
	}
	return Name{Class: typ, Method: method}
}

// rustElements splits a path at "::". Type arguments after "::" belong to the
// element before them, and the disambiguator of a crate (std[1f2e]) is dropped.
func rustElements(path string) []string {
	parts := splitOutside(path, "::")
	elements := parts[:0]
	at := 0
	for _, p := range parts {
		start := at
		at += len(p) + len("::")
		switch last := len(elements) - 1; {
		case p == "":
		case p[0] == '<' && last >= 0 && !strings.HasPrefix(p, "<impl "):
			// Elements are parts of path, so both are one piece of it.
			elements[last] = path[start-len("::")-len(elements[last]) : start+len(p)]
		default:
			elements = append(elements, p)
		}
	}
	if len(elements) > 0 {
		crate := elements[0]
		if i := strings.IndexByte(crate, '['); i > 0 && strings.HasSuffix(crate, "]") && isHex(crate[i+1:len(crate)-1]) {
			elements[0] = crate[:i]
		}
	}
	return elements
}

// cutRustMethod cuts the last element off, together with the closures in it.
func cutRustMethod(elements []string) (outer []string, method string) {
	if len(elements) == 0 {
		return nil, ""
	}
	first := len(elements) - 1
	for i, e := range elements {
		if e[0] == '{' && !strings.HasPrefix(e, "{impl#") {
			first = max(0, i-1)
			break
		}
	}
	return elements[:first], strings.Join(elements[first:], "::")
}

func isRustType(element string) bool {
	return startsUpper(element) || strings.Contains(element, "<") || strings.HasPrefix(element, "{impl#")
}

// cutPointers cuts references, pointers and "dyn" off a type.
func cutPointers(typ string) (pointer, pointee string) {
	pointee = typ
next:
	for {
		for _, p := range [...]string{"&", "mut ", "*const ", "*mut ", "dyn "} {
			if strings.HasPrefix(pointee, p) {
				pointee = pointee[len(p):]
				continue next
			}
		}
		return typ[:len(typ)-len(pointee)], pointee
	}
}

// indexOutside returns the index of the first text outside of brackets, or -1.
func indexOutside(s, text string) int {
	var b brackets
	for i := range len(s) {
		if b.depth() == 0 && strings.HasPrefix(s[i:], text) {
			return i
		}
		b.read(s, i)
	}
	return -1
}

// trimRustHash removes what the compiler adds to tell instances apart: the hash
// of the legacy mangling (h and 16 digits) and the suffix of LLVM's promotions.
func trimRustHash(name string) string {
	if i := strings.LastIndex(name, ".llvm."); i > 0 && isDigits(name[i+len(".llvm."):]) {
		name = name[:i]
	}
	if i := len(name) - len("::h0123456789abcdef"); i > 0 && name[i:i+3] == "::h" && isHex(name[i+3:]) {
		name = name[:i]
	}
	return name
}
