package symbol

import "strings"

// splitPHP splits a name of PHP: namespaces before "\", the class before "::"
// (or "->", as profilers write calls of objects).
func splitPHP(name string) Name {
	head, args := name, ""
	if i := strings.IndexAny(name, "({"); i > 0 {
		// Parameters and {closure:...} hold names of their own.
		head, args = name[:i], name[i:]
	} else if i == 0 {
		return Name{Method: name}
	}
	owner, method := "", head
	if i := strings.Index(head, "::"); i >= 0 {
		owner, method = head[:i], head[i+2:]
	} else if i := strings.Index(head, "->"); i >= 0 {
		owner, method = head[:i], head[i+2:]
	}
	if owner != "" {
		elements := strings.Split(owner, `\`)
		last := len(elements) - 1
		return Name{Package: elements[:last], Class: elements[last], Method: method + args}
	}
	elements := strings.Split(method, `\`)
	last := len(elements) - 1
	return Name{Package: elements[:last], Method: elements[last] + args}
}
