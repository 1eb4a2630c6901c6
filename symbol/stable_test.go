package symbol

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Names as tools write them, and what is left of them.
var stableNames = []struct{ name, file, want string }{
	// Go
	{"main.serve.func1", "", "main.serve.func#"},
	{"main.serve.func12.3", "", "main.serve.func#.#"},
	{"main.serve.func1.2.3", "", "main.serve.func#.#.#"},
	{"main.serve.func1.gowrap2", "", "main.serve.func#.gowrap#"},
	{"example.com/a/b.(*T).Do.func2", "", "example.com/a/b.(*T).Do.func#"},
	{"example.com/a/b.(*T).Do.deferwrap1", "", "example.com/a/b.(*T).Do.deferwrap#"},
	{"example.com/a.All.func1-range3", "", "example.com/a.All.func#-range#"},
	{"example.com/a.glob..func4", "", "example.com/a.glob..func#"},
	{"example.com/a.init.0", "x.go", "example.com/a.init.#"},
	{"main.func1", "x.go", "main.func1"},
	{"main.(*T).func1", "x.go", "main.(*T).func1"},
	{"example.com/v2/a.F", "", "example.com/v2/a.F"},
	// Rust
	{"core::fmt::write::h0123456789abcdef", "", "core::fmt::write"},
	{"app::main::{{closure}}::hfedcba9876543210", "", "app::main::{{closure}}"},
	{"app::main::{closure#2}", "", "app::main::{closure#}"},
	{"app[2f5a77d8b0c1e344]::main", "a.rs", "app::main"},
	{"app::hash::h1", "", "app::hash::h1"},
	// Java
	{"a.b.Main.lambda$main$0", "", "a.b.Main.lambda$main$#"},
	{"a.b.Main$$Lambda$14/0x0000000800c03000.run", "", "a.b.Main$$Lambda.run"},
	{"a.b.Main$$Lambda.0x00007f3a2c0a1c00.run", "", "a.b.Main$$Lambda.run"},
	{"a.b.Main$$Lambda$14/1234567.run", "", "a.b.Main$$Lambda.run"},
	{"a.b.Main$1.run", "Main.java", "a.b.Main$#.run"},
	{"a.b.Main$1$2.run()V", "", "a.b.Main$#$#.run()V"},
	{"a.b.Main$1Local.run", "Main.java", "a.b.Main$#Local.run"},
	{"a.b.Main.access$100", "Main.java", "a.b.Main.access$#"},
	{"a.b.Main$Inner.run", "Main.java", "a.b.Main$Inner.run"},
	{"java.lang.invoke.LambdaForm$MH.0x0000000800003000.invoke", "", "java.lang.invoke.LambdaForm$MH.invoke"},
	{"jdk.internal.reflect.GeneratedMethodAccessor17.invoke", "X.java", "jdk.internal.reflect.GeneratedMethodAccessor#.invoke"},
	{"com.sun.proxy.$Proxy12.call", "X.java", "com.sun.proxy.$Proxy#.call"},
	{"a.Service$$EnhancerBySpringCGLIB$$1a2b3c4d.get", "", "a.Service$$EnhancerBySpringCGLIB$$#.get"},
	// C and C++
	{"parse.constprop.0", "", "parse"},
	{"parse.part.0.isra.0", "", "parse"},
	{"parse.isra.3.cold", "", "parse"},
	{"parse.cold", "", "parse"},
	{"parse.lto_priv.12", "", "parse"},
	{"parse.llvm.4711", "", "parse"},
	{"work._omp_fn.3", "", "work._omp_fn.#"},
	{"ns::f(int) [clone .constprop.0] [clone .cold]", "", "ns::f(int)"},
	{"ns::f()::{lambda(int)#2}::operator()(int) const", "", "ns::f()::{lambda(int)#}::operator()(int) const"},
	{"ns::f()::'lambda0'(int)::operator()(int) const", "", "ns::f()::'lambda#'(int)::operator()(int) const"},
	{"ns::f()::'lambda'(int)::operator()(int) const", "", "ns::f()::'lambda#'(int)::operator()(int) const"},
	{"ns::f()::$_3::operator()() const", "", "ns::f()::$_#::operator()() const"},
	{"ns::vec3::dot", "", "ns::vec3::dot"},
	{"memcpy@@GLIBC_2.14", "", "memcpy@@GLIBC_2.14"},
	{"0x7f3a12345678", "", "0x7f3a12345678"},
	// C#
	{"App.Main+<>c.<Run>b__0_1", "", "App.Main+<>c.<Run>b__#"},
	{"App.Main+<>c__DisplayClass4_0.<Run>g__Inner|2_0", "", "App.Main+<>c__DisplayClass#.<Run>g__Inner|#"},
	// JavaScript
	{"(anonymous)", "", "(anonymous)"},
	{"(anonymous):12:34", "app.js", "(anonymous)"},
	{"(anonymous) app.js:12:34", "app.js", "(anonymous) app.js"},
	{"render main.3f2a9c1b.js", "", "render main.#.js"},
	{"render main.3f2a9c1b.chunk.js", "", "render main.#.chunk.js"},
	{"render jquery.js", "", "render jquery.js"},
	// PHP
	{"class@anonymous/srv/a.php:12$0::run", "", "class@anonymous::run"},
	{"{closure:/srv/a.php:12}", "", "{closure:/srv/a.php}"},
	// Python
	{"module.func1", "m.py", "module.func1"},
	{"<lambda>", "m.py", "<lambda>"},
	{"", "", ""},
}

func TestStable(t *testing.T) {
	for _, c := range stableNames {
		if got := Stable(Unknown, c.name, c.file, ""); got != c.want {
			t.Errorf("%q in %q (%v) becomes %q, want %q", c.name, c.file, Guess(c.name, c.file, ""), got, c.want)
		}
	}
}

// What differs in more than what is generated stays apart.
func TestStableKeepsApart(t *testing.T) {
	for _, pair := range [][2]string{
		{"main.serve", "main.serve.func1"},
		{"main.serve.func1", "main.serve.func1.1"},
		{"main.serve.func1", "main.close.func1"},
		{"main.serve.func1", "main.serve.gowrap1"},
		{"a.b.Main.lambda$main$0", "a.b.Main.lambda$init$0"},
		{"a.b.Main$1.run()V", "a.b.Main$1.call()V"},
		{"a.b.Main$1.run()V", "a.b.Main.run()V"},
		{"a.b.Main$1A.run()V", "a.b.Main$1B.run()V"},
		{"ns::f()::{lambda(int)#1}", "ns::f()::{lambda(long)#1}"},
		{"ns::v1::f", "ns::v2::f"},
		{"utf8.decode", "utf16.decode"},
		{"sha1", "sha256"},
		{"T0", "T1"},
	} {
		if a, b := Stable(Unknown, pair[0], "", ""), Stable(Unknown, pair[1], "", ""); a == b {
			t.Errorf("%q and %q both become %q", pair[0], pair[1], a)
		}
	}
}

// Twice is once, for names made of the very parts that the rules are about.
func TestStableIsIdempotent(t *testing.T) {
	parts := []string{"main", ".", "func1", "func", "1", "12", "#", "$", "$$Lambda", "::", "h0123456789abcdef", "[", "]", "{closure#0}", "{",
		"}", "/0x00", "0x1f", "lambda$", ".cold", ".part.0", " [clone .isra.0]", "'lambda'", "-range2", ".js", "3f2a", "(anonymous)", ":12", "T", "/", "()V",
		"class@anonymous", "$Proxy1", ">b__0_1", ".init.0", "$_1", ")", "(*T)", "java", "é", "\xff"}
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 8).Draw(t, "parts"), "")
		lang := Language(rapid.IntRange(int(Unknown), int(Native)).Draw(t, "language"))
		file := rapid.SampledFrom([]string{"", "a.go", "a.java", "a.rs", "a.cc", "a.js", "a.php"}).Draw(t, "file")
		once := Stable(lang, name, file, "")
		if once == "" {
			t.Fatalf("%q becomes nothing", name)
		}
		if twice := Stable(lang, once, file, ""); twice != once {
			t.Fatalf("%q (%v) becomes %q, which becomes %q", name, lang, once, twice)
		}
	})
}

func BenchmarkStable(b *testing.B) {
	for b.Loop() {
		for _, c := range stableNames {
			Stable(Unknown, c.name, c.file, "")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(stableNames)), "ns/name")
}
