// Package symbol splits the name of a method into elements.
//
// A method is a function of any language, and its name is what a profiler
// writes for it: demangled, but otherwise in the notation of its language or
// of the tool that wrote it. Split tells the package, the class and the method
// in such a name by the rules of the language, so that methods can be grouped
// into classes, packages and parent packages, and names can be shown at the
// granularity that is asked for.
//
// What belongs here is the grammar of names. What does not: demangling
// (a mangled name is one element), reading symbol tables, line numbers (they
// are dropped, as they are no part of the name), and how a name is shown.
//
// Names come from files that others wrote. Every input is accepted, in time
// and memory linear in its length; a name that follows no known rule is a
// method without package and class.
package symbol

import "strings"

// Language is the language whose rules a name follows. Languages that share a
// notation share a value.
type Language uint8

const (
	Unknown Language = iota
	Java             // and Kotlin, Scala and all else that runs on the JVM
	Go
	Cpp // C++ and C
	Rust
	Python
	JavaScript // and TypeScript
	PHP
	Native // a symbol or address of which only the binary is known
)

// notation is how a language is called and how it writes qualified names.
var notation = [...]struct {
	name        string
	separator   string // between package elements
	beforeClass string // between package and class
}{
	Unknown:    {"Unknown", ".", "."},
	Java:       {"Java", ".", "."},
	Go:         {"Go", "/", "."},
	Cpp:        {"C++", "::", "::"},
	Rust:       {"Rust", "::", "::"},
	Python:     {"Python", ".", "."},
	JavaScript: {"JavaScript", "/", ":"},
	PHP:        {"PHP", `\`, `\`},
	Native:     {"Native", "/", "/"},
}

// String returns the usual name of the language.
func (l Language) String() string {
	if int(l) >= len(notation) {
		l = Unknown
	}
	return notation[l].name
}

// Separator returns what the language writes between the elements of a
// package.
func (l Language) Separator() string {
	if int(l) >= len(notation) {
		l = Unknown
	}
	return notation[l].separator
}

// Name is a method name split in its elements, outermost first.
type Name struct {
	Language Language

	// Package is the package, namespace, module, folder path or binary,
	// outermost first. It may be empty.
	Package []string

	// Class is the class, the receiver type or the type of an impl block. A
	// nested class is one element, as the language writes it. It is "" if the
	// method has none.
	Class string

	// Method is the method's own name with all that tells it from its
	// overloads: parameter list or descriptor, template and type arguments, the
	// closures within it.
	Method string
}

// Elements returns package elements, class and method, outermost first. None
// of them is empty.
func (n Name) Elements() []string {
	elements := make([]string, 0, len(n.Package)+2)
	for _, p := range n.Package {
		if p != "" {
			elements = append(elements, p)
		}
	}
	if n.Class != "" {
		elements = append(elements, n.Class)
	}
	if n.Method != "" {
		elements = append(elements, n.Method)
	}
	return elements
}

// PackageName joins the first depth elements of the package as the language
// does. A depth beyond the package means all of it.
func (n Name) PackageName(depth int) string {
	depth = max(0, min(depth, len(n.Package)))
	return strings.Join(n.Package[:depth], n.Language.Separator())
}

// ClassName returns the fully qualified name of the class, or "" if the method
// has no class.
func (n Name) ClassName() string {
	if n.Class == "" || len(n.Package) == 0 {
		return n.Class
	}
	l := n.Language
	if int(l) >= len(notation) {
		l = Unknown
	}
	return n.PackageName(len(n.Package)) + notation[l].beforeClass + n.Class
}

// Split splits name by the rules of lang; if lang is Unknown, by those of the
// language that Guess tells. File is the source file of the method and binary
// the file it was loaded from; either may be "". File is used where a name does
// not say its module (Python, JavaScript), binary where nothing else is known
// (Native).
func Split(lang Language, name, file, binary string) Name {
	if lang == Unknown || int(lang) >= len(notation) {
		lang = Guess(name, file, binary)
	}
	var n Name
	if name != "" {
		switch lang {
		case Java:
			n = splitJava(name)
		case Go:
			n = splitGo(name)
		case Cpp:
			n = splitCpp(name)
		case Rust:
			n = splitRust(name)
		case Python:
			n = splitPython(name, file)
		case JavaScript:
			n = splitJavaScript(name, file)
		case PHP:
			n = splitPHP(name)
		case Native:
			n = splitNative(name, binary)
		}
	}
	if n.Method == "" {
		// Nothing left for the method, as in "foo." or "a::": the rules do not
		// apply to such a name.
		n = Name{Method: name}
	}
	n.Language = lang
	n.Package = withoutEmpty(n.Package)
	return n
}

// SplitClass splits the name of a class or another type as Split does the part
// of a method's name that stands for it, so that both give one class. Only the
// notation of Java is known; other names are a class without a package.
func SplitClass(lang Language, name string) Name {
	n := Name{Language: lang}
	if lang == Java {
		n.Package, n.Class = splitJavaClass(name)
		n.Package = withoutEmpty(n.Package)
	}
	if n.Class == "" {
		n.Class = name
	}
	return n
}

// withoutEmpty removes empty elements, such as those of "a..b" or "::a".
func withoutEmpty(elements []string) []string {
	kept := elements[:0]
	for _, e := range elements {
		if e != "" {
			kept = append(kept, e)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}
