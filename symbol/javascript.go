package symbol

import "strings"

// splitJavaScript splits a name of JavaScript. The package is the module: what
// follows node_modules in its path, a node: specifier, host and path of a URL,
// or else the path. The file name stays as written, with its extension, and is
// the last element. The class is the object that V8 writes before the method.
func splitJavaScript(name, file string) Name {
	function, location := cutJavaScriptFrame(name)
	if location == "" {
		location = file
	}
	if function == "" {
		return Name{}
	}
	if function[0] == '(' {
		switch function {
		case "(garbage collector)", "(root)", "(program)", "(idle)":
			return Name{Method: function} // of the engine, whatever the location
		}
		return Name{Package: javaScriptModule(location), Method: function}
	}
	n := Name{Package: javaScriptModule(location)}

	// How the function was called is no part of its name.
	function = strings.TrimPrefix(function, "async ")
	if i := strings.Index(function, " [as "); i > 0 {
		function = function[:i]
	}
	kind := ""
	for _, k := range [...]string{"get ", "set ", "new ", "static "} {
		if strings.HasPrefix(function, k) && len(function) > len(k) {
			kind, function = k, function[len(k):]
			break
		}
	}
	if kind == "new " {
		n.Class = function
		n.Method = kind + lastProperty(function)
		return n
	}
	n.Method = lastProperty(function)
	n.Class = strings.TrimSuffix(function[:len(function)-len(n.Method)], ".")
	n.Method = kind + n.Method
	return n
}

// lastProperty returns the last property of a chain. The name of a property may
// begin with a dot, as in Module._extensions..js.
func lastProperty(function string) string {
	parts := splitOutside(function, ".")
	last := len(parts) - 1
	if last == 0 || parts[last] == "" {
		return function
	}
	if last > 1 && parts[last-1] == "" {
		return "." + parts[last]
	}
	return parts[last]
}

// cutJavaScriptFrame cuts the location off a name.
func cutJavaScriptFrame(name string) (function, location string) {
	logged := false
	// V8's own log, which perf reads: LazyCompile:*fn /app/x.js:1:2
	for _, kind := range [...]string{"LazyCompile:", "Function:", "Script:", "Eval:", "JS:"} {
		if rest, found := strings.CutPrefix(name, kind); found {
			name = strings.TrimLeft(strings.TrimLeft(rest, " "), "*~^+")
			logged = true
			break
		}
	}
	if strings.HasSuffix(name, ")") {
		if i := strings.Index(name, " ("); i > 0 {
			location = evalOrigin(name[i+2 : len(name)-1])
			if isJavaScriptLocation(location) {
				return name[:i], location
			}
		}
		return name, ""
	}
	if i := strings.LastIndexByte(name, ' '); i >= 0 && (logged || i > 0) && isJavaScriptLocation(name[i+1:]) {
		function = strings.TrimSpace(name[:i])
		if function == "" {
			function = "(anonymous)"
		}
		return function, name[i+1:]
	}
	// A frame of a function without a name is its location only.
	if strings.ContainsAny(name, `/\`) {
		if _, found := trimPosition(name); found {
			return "(anonymous)", name
		}
	}
	return name, ""
}

// evalOrigin returns where the code called eval, for a location within what was
// evaluated: eval at fn (/app/x.js:1:2), <anonymous>:1:1.
func evalOrigin(location string) string {
	if !strings.HasPrefix(location, "eval at ") {
		return location
	}
	location = location[strings.LastIndex(location, "(")+1:]
	origin, _, _ := strings.Cut(location, ")")
	return origin
}

func isJavaScriptLocation(s string) bool {
	path, found := trimPosition(s)
	if found || strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, "node:") {
		return true
	}
	return path == "<anonymous>" || path == "native" || languageOfFile(path) == JavaScript
}

// javaScriptModule returns the elements of the module at a location.
func javaScriptModule(location string) []string {
	path, _ := trimPosition(location)
	if path == "" || path == "<anonymous>" || path == "native" {
		return nil // built into the engine
	}
	if strings.HasPrefix(path, "node:") {
		return strings.Split(path, "/")
	}
	if i := strings.Index(path, "://"); i > 0 {
		path = path[i+len("://"):]
		if i := strings.IndexAny(path, "?#"); i > 0 {
			path = path[:i]
		}
	}
	elements := pathElements(path)
	for i := len(elements) - 2; i >= 0; i-- {
		if elements[i] == "node_modules" {
			return elements[i+1:]
		}
	}
	return elements
}
