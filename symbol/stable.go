package symbol

import (
	"regexp"
	"slices"
	"strings"
)

// generated is a rule for a part of names that compilers and runtimes make up:
// it is another one in the next build, or the next run, although the source is
// the same.
type generated struct {
	mark      string     // a name without this has no such part
	languages []Language // nil is all: the pattern is of one language alone
	pattern   *regexp.Regexp
	stable    string // what is written instead: # for what was numbered
}

// Numbers become # rather than nothing, so that a closure stays apart from the
// function that it is in, and a nested one from the outer.
var generatedParts = []generated{
	// Go: closures, what go and defer wrap, bodies of ranges over functions, init
	// functions. A closure has at least a function around it: main.func1 is a
	// function that somebody called so, and (*T).func1 a method.
	{".func", []Language{Go}, regexp.MustCompile(`(\.[^/.)]*\.func)\d+($|[.\-(\[])`), "${1}#${2}"},
	{"wrap", []Language{Go}, regexp.MustCompile(`\.(gowrap|deferwrap)\d+($|[.\-(\[])`), ".${1}#${2}"},
	{"-range", []Language{Go}, regexp.MustCompile(`-range\d+`), "-range#"},
	{"#.", []Language{Go}, regexp.MustCompile(`#\.\d+`), "#.#"},
	{".init.", []Language{Go}, regexp.MustCompile(`\.init\.\d+`), ".init.#"},

	// Rust: the hash of a crate's contents, in the old mangling a path element and
	// in the new one behind the crate's name.
	{"::h", nil, regexp.MustCompile(`::h[0-9a-f]{16}($|\W)`), "${1}"},
	{"]::", []Language{Rust}, regexp.MustCompile(`\b([A-Za-z_]\w*)\[[0-9a-f]{4,16}\]::`), "${1}::"},

	// Java and what else runs there: lambdas and the classes made for them,
	// anonymous and local classes, accessors, proxies.
	{"$$Lambda", nil, regexp.MustCompile(`\$\$Lambda(\$\d+)?([/+.](0x[0-9a-f]+|\d+))?`), "$$$$Lambda"},
	{"LambdaForm$", nil, regexp.MustCompile(`(LambdaForm\$\w+)[/+.](0x[0-9a-f]+|\d+)`), "${1}"},
	{"CGLIB$$", nil, regexp.MustCompile(`(By\w*CGLIB\$\$)[0-9a-f]+`), "${1}#"},
	{"Accessor", []Language{Java}, regexp.MustCompile(`\b(Generated\w*Accessor)\d+`), "${1}#"},
	{"$Proxy", []Language{Java}, regexp.MustCompile(`(\$Proxy)\d+`), "${1}#"},
	{"$", []Language{Java}, regexp.MustCompile(`\$\d+`), "$$#"},

	// C and C++: copies and parts of functions, lambdas, types without a name.
	{".", []Language{Cpp, Native, Rust}, regexp.MustCompile(`(\.(constprop|isra|part|lto_priv|clone|llvm|cold|localalias)\.\d+|\.(cold|localalias))+$`), ""},
	{" [clone", nil, regexp.MustCompile(` \[clone [^\]]*\]`), ""},
	{"._omp_fn.", nil, regexp.MustCompile(`(\._omp_fn)\.\d+$`), "${1}.#"},
	{".", []Language{Cpp, Native}, regexp.MustCompile(`^([^@]*\w)\.\d+$`), "${1}.#"},
	{"#", nil, regexp.MustCompile(`(\{[^{}]*#)\d+\}`), "${1}}"}, // {lambda(int)#1}, {closure#0}, {impl#3}
	{"'lambda", nil, regexp.MustCompile(`'lambda\d*'`), "'lambda#'"},
	{"$_", []Language{Cpp, Native, Rust}, regexp.MustCompile(`\$_\d+`), "$$_#"},

	// C#: lambdas, local functions, what closures and iterators are made of.
	{">", nil, regexp.MustCompile(`>(b__|d__|c__DisplayClass)\d+(_\d+)?`), ">${1}#"},
	{">g__", nil, regexp.MustCompile(`(>g__\w+\|)\d+_\d+`), "${1}#"},

	// JavaScript: where a function without a name is, and hashes in file names.
	{"anonymous", []Language{JavaScript}, regexp.MustCompile(`(anonymous[>)]?.*?)(:\d+){1,2}(\)?)$`), "${1}${3}"},
	{"js", nil, regexp.MustCompile(`([.\-])(?:[a-f]*\d[0-9a-f]*)((?:\.\w+)?\.[mc]?js)\b`), "${1}#${2}"},

	// PHP: anonymous classes, closures by place.
	{"@anonymous", nil, regexp.MustCompile(`class@anonymous[^:\s]*(:\d+\$[0-9a-f]+)?`), "class@anonymous"},
	{"{closure:", nil, regexp.MustCompile(`(\{closure:[^{}]*):\d+\}`), "${1}}"},
}

// Stable gives a name without what compilers and runtimes make up in it, so that
// a method has the same name in two builds or runs: numbers of closures, of
// lambdas and of anonymous classes become #, and hashes, addresses of classes and
// the suffixes of copies are left out.
//
//	main.serve.func2.1         main.serve.func#.#
//	core::fmt::h0123456789abcdef core::fmt
//	Main$$Lambda$14/0x0000.run  Main$$Lambda.run
//	parse.constprop.0           parse
//
// What it takes for generated in one language can be a good name in another, so
// that it needs the language: if lang is Unknown, it is the one that Guess tells.
// Names that differ in anything else stay different, and Stable changes nothing
// in what it gives. Addresses that stand for unknown functions stay as they are.
func Stable(lang Language, name, file, binary string) string {
	for range len(name) + 1 { // each change leaves fewer digits or letters
		l := lang
		if l == Unknown {
			if !mayBeGenerated(name) {
				return name
			}
			l = Guess(name, file, binary)
		}
		before := name
		for _, g := range generatedParts {
			if strings.Contains(name, g.mark) && (g.languages == nil || slices.Contains(g.languages, l)) {
				if next := g.pattern.ReplaceAllString(name, g.stable); next != "" {
					name = next
				}
			}
		}
		if name == before {
			break
		}
	}
	return name
}

// mayBeGenerated is a quick no for most names.
func mayBeGenerated(name string) bool {
	if strings.ContainsAny(name, "0123456789$@") {
		return true
	}
	return strings.Contains(name, ".cold") || strings.Contains(name, ".localalias") || strings.Contains(name, " [clone") || strings.Contains(name, "'lambda'")
}
