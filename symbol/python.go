package symbol

import "strings"

// splitPython splits a name of Python. The package is the module's: from the
// name if it is dotted, otherwise from the path of the file, of which only what
// follows site-packages (or the library folder) is the module. Functions within
// functions belong to the outermost one.
func splitPython(name, file string) Name {
	if n, found := splitPythonBuiltin(name); found {
		return n
	}
	function, module := cutPythonFrame(name)
	if module == nil && file != "" {
		module = pythonModule(file)
	}
	// The builtin of a profile that gives it the file "~".
	if n, found := splitPythonBuiltin(function); found {
		return n
	}

	parts := splitOutside(function, ".")
	method := len(parts) - 1
	for i, p := range parts {
		if p == "<locals>" {
			method = max(0, i-1)
			break
		}
	}
	n := Name{Method: strings.Join(parts[method:], ".")}
	qualifiers := parts[:method]

	// Where the class begins: modules are lower-case, classes are not.
	class := len(qualifiers)
	for class > 0 && startsUpper(qualifiers[class-1]) {
		class--
	}
	if module != nil && !endsWith(module, qualifiers[:class]) {
		// The qualifiers are not the module's, so they are all classes.
		n.Package, n.Class = module, strings.Join(qualifiers, ".")
		return n
	}
	n.Package, n.Class = qualifiers[:class], strings.Join(qualifiers[class:], ".")
	if class == 0 {
		n.Package = module
	}
	return n
}

// endsWith reports whether the last elements of module are tail.
func endsWith(module, tail []string) bool {
	if len(tail) > len(module) {
		return false
	}
	for i, e := range tail {
		if module[len(module)-len(tail)+i] != e {
			return false
		}
	}
	return true
}

// cutPythonFrame cuts the module off a name in one of the notations that
// profilers write. The module is nil if the name has none; an empty module is
// known not to exist.
func cutPythonFrame(name string) (function string, module []string) {
	// py::decode:/usr/lib/python3.12/json/decoder.py, perf's trampoline.
	if rest, found := strings.CutPrefix(name, "py::"); found {
		if i := strings.IndexByte(rest, ':'); i > 0 {
			return rest[:i], pythonModule(rest[i+1:])
		}
		return rest, nil
	}
	if strings.HasSuffix(name, ")") {
		// decode (json/decoder.py:337), py-spy.
		if i := strings.Index(name, " ("); i > 0 {
			location := name[i+2 : len(name)-1]
			file, found := trimPosition(location)
			if found || strings.ContainsAny(file, `/\<`) || extension(file) == ".py" {
				return name[:i], pythonModule(file)
			}
			return name, nil
		}
		// json/decoder.py:337(decode), cProfile. The function may be a builtin
		// with parentheses of its own, the path may be "Program Files (x86)".
		for i := 0; i < len(name); i++ {
			if name[i] != ':' {
				continue
			}
			end := i + 1
			for end < len(name) && isDigit(name[end]) {
				end++
			}
			if i > 0 && end > i+1 && end < len(name)-2 && name[end] == '(' {
				return name[end+1 : len(name)-1], pythonModule(name[:i])
			}
			i = end - 1
		}
	}
	// json/decoder.py:decode or json/decoder.py:decode:337.
	if i := strings.Index(name, ".py:"); i > 0 {
		function, _ = trimPosition(name[i+len(".py:"):])
		if function != "" && !isDigits(function) {
			return function, pythonModule(name[:i+len(".py")])
		}
	}
	// json.decoder:JSONDecoder.decode.
	if i := strings.IndexByte(name, ':'); i > 0 && i < len(name)-1 && name[i+1] != ':' && isDotted(name[:i]) {
		return name[i+1:], strings.Split(name[:i], ".")
	}
	return name, nil
}

// isDotted reports whether s is made of identifiers with dots between them.
func isDotted(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isIdentifier(part) {
			return false
		}
	}
	return true
}

// pythonModule returns the module that a file holds, never nil.
func pythonModule(file string) []string {
	file, _ = trimPosition(file)
	if file == "~" || file == "" {
		return []string{}
	}
	if frozen, found := strings.CutPrefix(file, "<frozen "); found {
		return strings.Split(strings.TrimSuffix(frozen, ">"), ".")
	}
	if file[0] == '<' {
		return []string{file} // <string>, <stdin>
	}
	elements := pathElements(file)
	for i := len(elements) - 2; i >= 0; i-- {
		if isPythonRoot(elements[i]) {
			elements = elements[i+1:]
			break
		}
	}
	last := len(elements) - 1
	if last < 0 {
		return []string{}
	}
	switch extension(elements[last]) {
	case ".py", ".pyc", ".pyx", ".pyi", ".so", ".pyd":
		// decoder.cpython-311.pyc is decoder too.
		elements[last], _, _ = strings.Cut(elements[last], ".")
	}
	if last > 0 && elements[last] == "__init__" {
		elements = elements[:last]
	}
	return elements
}

// isPythonRoot reports whether modules are looked up in a folder of that name.
func isPythonRoot(folder string) bool {
	if folder == "site-packages" || folder == "dist-packages" || folder == "Lib" || strings.HasSuffix(folder, ".egg") {
		return true
	}
	version, found := strings.CutPrefix(folder, "python")
	return found && startsDigit(version) // python3.11, python311.zip
}

// splitPythonBuiltin splits the representation of a function written in C:
//
//	<method 'read' of '_io.BufferedReader' objects>
//	<built-in method builtins.exec>
//	<built-in method __new__ of type object at 0x955e60>
//
// It stands in braces too, and pstats writes "~:0(...)" around it.
func splitPythonBuiltin(name string) (n Name, found bool) {
	if inner, found := strings.CutPrefix(name, "~:0("); found {
		name = strings.TrimSuffix(inner, ")")
	}
	if len(name) < 2 || name[0] != '<' && name[0] != '{' {
		return Name{}, false
	}
	text := strings.TrimRight(name[1:], ">}")
	if function, found := strings.CutPrefix(text, "built-in method "); found {
		if method, class, found := strings.Cut(function, " of "); found {
			class, _, _ = strings.Cut(class, " object")
			return pythonBuiltin(class, method)
		}
		parts := strings.Split(function, ".")
		last := len(parts) - 1
		if last > 0 && startsUpper(parts[last-1]) {
			return pythonBuiltin(function[:len(function)-len(parts[last])-1], parts[last])
		}
		n = Name{Package: parts[:last], Method: parts[last]}
		return n, n.Method != ""
	}
	_, quoted, found := strings.Cut(text, " '")
	if !found {
		return Name{}, false
	}
	method, class, found := strings.Cut(quoted, "' of '")
	if !found {
		return Name{}, false
	}
	class, _, _ = strings.Cut(class, "'")
	return pythonBuiltin(class, method)
}

func pythonBuiltin(class, method string) (Name, bool) {
	module := []string{"builtins"}
	if i := strings.LastIndexByte(class, '.'); i >= 0 {
		module, class = strings.Split(class[:i], "."), class[i+1:]
	}
	return Name{Package: module, Class: class, Method: method}, method != ""
}
