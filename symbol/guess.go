package symbol

import "strings"

// Guess tells the language that a method is written in from its name, its
// source file and its binary; either of the latter may be "". The file is the
// best evidence, then marks that only one language has, then conventions. Plain
// identifiers are those of any language: they are Native if they come from a
// binary and Unknown otherwise.
func Guess(name, file, binary string) Language {
	if isAddress(name) || name == "[unknown]" {
		return Native
	}
	symbol := isCSymbol(name)
	if lang := languageOfFile(file); lang != Unknown {
		if lang == Cpp && symbol && binary != "" {
			// C has no packages, so the binary says more than the language.
			return Native
		}
		return lang
	}
	if symbol {
		switch {
		case binary != "" && languageOfFile(binary) == Unknown:
			return Native
		case strings.Contains(name, "."):
			return Cpp // foo.part.0
		}
		return languageOfFile(binary)
	}
	if lang := languageOfMarks(name); lang != Unknown {
		return lang
	}
	if lang := languageOfFile(binary); lang != Unknown {
		return lang
	}
	return languageOfConvention(name)
}

// languageOfFile tells the language by the extension of a source file, or of an
// archive of compiled ones.
func languageOfFile(file string) Language {
	if file == "" {
		return Unknown
	}
	if strings.HasPrefix(file, "node:") || strings.HasPrefix(file, "webpack:") || strings.HasPrefix(file, "<frozen ") {
		if file[0] == '<' {
			return Python
		}
		return JavaScript
	}
	if i := strings.IndexAny(file, "?#"); i > 0 {
		file = file[:i]
	}
	file, _ = trimPosition(file)
	switch extension(file) {
	case ".java", ".kt", ".kts", ".scala", ".groovy", ".clj", ".class", ".jar", ".dex", ".oat", ".odex", ".vdex":
		return Java
	case ".go":
		return Go
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc", ".cu", ".cuh", ".m", ".mm":
		return Cpp
	case ".rs":
		return Rust
	case ".py", ".pyc", ".pyx", ".pyi":
		return Python
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte":
		return JavaScript
	case ".php", ".phtml":
		return PHP
	}
	return Unknown
}

// isCSymbol reports whether name is an identifier of C, perhaps with a version
// (memcpy@@GLIBC_2.14, read@plt) or with the suffixes of clones that compilers
// make (foo.part.0, foo.cold).
func isCSymbol(name string) bool {
	name, _, _ = strings.Cut(name, "@")
	name, suffix, cloned := strings.Cut(name, ".")
	if !isIdentifier(name) {
		return false
	}
	if !cloned {
		return true
	}
	for part := range strings.SplitSeq(suffix, ".") {
		switch part {
		case "part", "constprop", "isra", "cold", "lto_priv", "localalias", "llvm":
		default:
			if !isDigits(part) {
				return false
			}
		}
	}
	return !startsDigit(suffix)
}

// hasGoClosure reports whether a part of name is numbered as closures of Go are:
// pkg.F.func2, pkg.F.func2.1. The function is before it, so that pkg.func2 alone
// is none.
func hasGoClosure(name string) bool {
	const closure = ".func"
	for from := 0; ; {
		i := strings.Index(name[from:], closure)
		if i < 0 {
			return false
		}
		before, rest := name[:from+i], name[from+i+len(closure):]
		from += i + len(closure)
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits > 0 && (digits == len(rest) || rest[digits] == '.' || rest[digits] == '-') && strings.Contains(before[strings.LastIndexByte(before, '/')+1:], ".") {
			return true
		}
	}
}

// languageOfMarks tells the language of a name by what no other language (or
// no tool for another language) writes.
func languageOfMarks(name string) Language {
	switch name {
	case "":
		return Unknown
	case "<init>", "<clinit>":
		return Java
	case "<module>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>":
		return Python
	case "(anonymous)", "(garbage collector)", "(root)", "(program)", "(idle)", "<anonymous>", "Object.<anonymous>":
		return JavaScript
	case "{closure}":
		return PHP
	}
	for _, mark := range prefixMarks {
		if strings.HasPrefix(name, mark.text) {
			return mark.lang
		}
	}
	if hasGoClosure(name) {
		return Go
	}
	for _, mark := range innerMarks {
		if strings.Contains(name, mark.text) {
			return mark.lang
		}
	}
	switch {
	case strings.HasSuffix(name, "_[k]"):
		return Native
	case strings.HasSuffix(name, "_[j]"):
		return Java
	case strings.HasSuffix(name, "-fm"):
		return Go
	case len(trimRustHash(name)) < len(name):
		return Rust
	case strings.HasPrefix(name, "<") && strings.Contains(name, ">::"):
		return Rust
	}
	// A location: "fn (path:line)".
	if i := strings.Index(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
		location := name[i+2 : len(name)-1]
		if strings.HasPrefix(location, "http://") || strings.HasPrefix(location, "https://") {
			return JavaScript
		}
		if lang := languageOfFile(location); lang != Unknown {
			return lang
		}
	}
	if lang := languageOfFile(name); lang == JavaScript && strings.ContainsAny(name, "/:") {
		return lang
	}
	return Unknown
}

var prefixMarks = [...]struct {
	text string
	lang Language
}{
	{"<thread>", Java}, {"java.", Java}, {"javax.", Java}, {"jdk.", Java}, {"java/", Java}, {"kotlin.", Java}, {"scala.", Java},
	{"app//", Java},
	{"type:.", Go}, {"type..", Go}, {"go:", Go}, {"runtime.", Go},
	{"~:0(", Python}, {"py::", Python}, {"<frozen ", Python}, {"<built-in ", Python}, {"<method '", Python},
	{"{built-in ", Python}, {"{method '", Python},
	{"LazyCompile:", JavaScript}, {"JS:", JavaScript}, {"async ", JavaScript},
	{"vtable for ", Cpp}, {"typeinfo ", Cpp}, {"VTT for ", Cpp}, {"non-virtual thunk to ", Cpp}, {"virtual thunk to ", Cpp},
	{"guard variable for ", Cpp}, {"operator new", Cpp}, {"operator delete", Cpp}, {"decltype", Cpp},
	{"core::", Rust}, {"alloc::", Rust}, {"std::rt::", Rust}, {"std::sys::", Rust}, {"std::io::", Rust}, {"std::fs::", Rust},
	{"std::panicking::", Rust}, {"std::panic::", Rust}, {"std::process::", Rust}, {"std::sync::", Rust},
	{"std::collections::", Rust}, {"std::time::", Rust}, {"std::path::", Rust}, {"std::net::", Rust}, {"tokio::", Rust},
}

var innerMarks = [...]struct {
	text string
	lang Language
}{
	{"(anonymous namespace)", Cpp}, {"{lambda(", Cpp}, {"'lambda", Cpp}, {"[clone ", Cpp}, {"[abi:", Cpp},
	{"{{closure}}", Rust}, {"{closure#", Rust}, {"{impl#", Rust}, {"::<impl ", Rust}, {"::{{", Rust},
	{".(*", Go}, {"[go.shape.", Go}, {"..func", Go},
	{"$$Lambda", Java}, {"lambda$", Java}, {".<init>", Java}, {".<clinit>", Java},
	{".java:", Java}, {".kt:", Java}, {".scala:", Java}, {"(Native Method)", Java}, {"(Unknown Source)", Java},
	{"<locals>", Python}, {".py:", Python},
	{".js:", JavaScript}, {".mjs:", JavaScript}, {".cjs:", JavaScript}, {".ts:", JavaScript}, {".tsx:", JavaScript},
	{".jsx:", JavaScript}, {"(node:", JavaScript}, {"<anonymous>", JavaScript},
}

// languageOfConvention tells the language of a qualified name by its
// separators and by the case of its elements.
func languageOfConvention(name string) Language {
	head, args := name, ""
	if i := strings.IndexByte(name, '('); i >= 0 {
		head, args = name[:i], name[i:]
	}
	if isDescriptor(args) {
		return Java
	}
	if i := strings.Index(head, "::"); i >= 0 {
		owner := head[:i]
		switch {
		case strings.Contains(owner, `\`):
			return PHP
		case strings.ContainsAny(owner, "./") && !strings.ContainsAny(owner, "< "):
			return Java
		}
		return Cpp
	}
	if strings.Contains(head, `\`) && !strings.ContainsAny(head, "./: ") {
		return PHP
	}
	if i := strings.IndexByte(head, ':'); i > 0 && isDotted(head[:i]) && isDotted(head[i+1:]) {
		return Python
	}

	path := head
	if i := strings.IndexAny(path, "[<"); i >= 0 {
		path = path[:i]
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		after := path[i+1:]
		switch {
		case !strings.Contains(after, "."):
			return Unknown
		case strings.Contains(path[:i], "@"), startsUpper(after), startsDigit(after):
			return Java
		}
		return Go
	}
	parts := strings.SplitN(path, ".", 3)
	if len(parts) == 1 {
		if args != "" && isIdentifier(path[strings.LastIndexByte(path, ' ')+1:]) {
			return Cpp // foo(int), void foo<int>(int)
		}
		return Unknown
	}
	first := parts[0]
	switch {
	case !isIdentifier(first):
		return Unknown
	case first == "main" || goPackages[first] && startsUpper(parts[1]):
		return Go
	case strings.Contains(path, "$"), startsUpper(first), javaRoots[first], args != "":
		return Java
	case len(parts) == 2 && strings.ToLower(parts[1]) != parts[1]:
		return Go
	}
	return Python
}

// Packages of the Go library with a path of one element.
var goPackages = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true, "context": true, "errors": true, "flag": true, "fmt": true, "hash": true,
	"html": true, "io": true, "iter": true, "log": true, "maps": true, "math": true, "net": true, "os": true, "path": true,
	"reflect": true, "regexp": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true,
	"syscall": true, "testing": true, "time": true, "unicode": true, "unique": true,
}

// First elements of Java packages: domains, and those of libraries without one.
var javaRoots = map[string]bool{
	"com": true, "org": true, "net": true, "io": true, "edu": true, "gov": true, "de": true, "fr": true, "uk": true, "me": true,
	"dev": true, "ch": true, "ru": true, "cn": true, "co": true, "jp": true, "nl": true, "sun": true, "jakarta": true,
	"android": true, "androidx": true, "dalvik": true, "kotlinx": true, "akka": true, "zio": true, "cats": true,
	"clojure": true, "groovy": true, "play": true, "reactor": true, "rx": true, "okhttp3": true, "okio": true, "junit": true,
}
