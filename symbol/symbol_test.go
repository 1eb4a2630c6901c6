package symbol

import (
	"slices"
	"strings"
	"testing"
)

// show writes a name as "package > package | class | method".
func show(n Name) string {
	return strings.TrimLeft(strings.Join(n.Package, " > ")+" | "+n.Class+" | "+n.Method, " ")
}

// named is a name and how it is split. Names marked with unguessable do not say
// their language; all others are split without being told it, too.
type named struct{ name, want string }

func testSplit(t *testing.T, lang Language, tests []named, unguessable ...string) {
	t.Helper()
	for _, test := range tests {
		if got := show(Split(lang, test.name, "", "")); got != test.want {
			t.Errorf("%v: %s\n\tgot  %s\n\twant %s", lang, test.name, got, test.want)
		}
		if got := Guess(test.name, "", ""); got != lang && !slices.Contains(unguessable, test.name) {
			t.Errorf("Guess(%q) = %v, want %v", test.name, got, lang)
		}
	}
}

func TestSplitJava(t *testing.T) {
	testSplit(t, Java, []named{
		{"java.util.HashMap.getNode(Object)", "java > util | HashMap | getNode(Object)"},
		{"java.util.HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", "java > util | HashMap | put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"},
		{"org.apache.xml.serializer.ToStream.characters([CII)V", "org > apache > xml > serializer | ToStream | characters([CII)V"},
		{"java.util.concurrent.ConcurrentHashMap$Node.find", "java > util > concurrent | ConcurrentHashMap$Node | find"},
		{"java.util.Map.Entry.comparingByKey", "java > util | Map.Entry | comparingByKey"},
		{"java.lang.String.<init>([BB)V", "java > lang | String | <init>([BB)V"},
		{"java.lang.invoke.MethodHandles.<clinit>", "java > lang > invoke | MethodHandles | <clinit>"},
		{"<init>", "|  | <init>"},
		{"<clinit>", "|  | <clinit>"},
		{"java.util.stream.Collectors.lambda$toMap$68", "java > util > stream | Collectors | lambda$toMap$68"},
		{"com.example.Foo$$Lambda$14/0x0000000800c03000.run", "com > example | Foo$$Lambda$14/0x0000000800c03000 | run"},
		{"com/example/Foo$$Lambda$14/1234567.run", "com > example | Foo$$Lambda$14/1234567 | run"},
		{"Foo$$Lambda.0x00007f.run", "| Foo$$Lambda.0x00007f | run"},
		{"java/lang/invoke/LambdaForm$DMH.0x00007f3c4c000400.invokeStatic", "java > lang > invoke | LambdaForm$DMH.0x00007f3c4c000400 | invokeStatic"},
		{"java.base@17/java.lang.Thread.run", "java > lang | Thread | run"},
		{"java.base@17.0.9/java.lang.Foo$$Lambda$1/0x8.run", "java > lang | Foo$$Lambda$1/0x8 | run"},
		{"java.base/java.lang.Thread.run(Thread.java:840)", "java > lang | Thread | run"},
		{"app//org.junit.Assert.fail(Assert.java:89)", "org > junit | Assert | fail"},
		{"com.foo.loader/foo@9.0/com.foo.Main.run", "com > foo | Main | run"},
		{"java.lang.Object.wait0(Native Method)", "java > lang | Object | wait0"},
		{"java/util/HashMap.get", "java > util | HashMap | get"},
		{"java/util/HashMap::get", "java > util | HashMap | get"},
		{"Ljava/util/HashMap;::getNode", "java > util | HashMap | getNode"},
		{"java/util/HashMap.get_[j]", "java > util | HashMap | get"},
		{"kotlinx.coroutines.BuildersKt.launch", "kotlinx > coroutines | BuildersKt | launch"},
		{"kotlin.time.Duration$Companion.getZERO", "kotlin > time | Duration$Companion | getZERO"},
		{"kotlin.random.Random.Default.nextInt", "kotlin > random | Random.Default | nextInt"},
		{"scala.collection.immutable.List$.$anonfun$fill$1", "scala > collection > immutable | List$ | $anonfun$fill$1"},
		{"clojure.core$map$fn__5851.invoke", "clojure | core$map$fn__5851 | invoke"},
		{"Hello.main([Ljava/lang/String;)V", "| Hello | main([Ljava/lang/String;)V"},
		{"void android.os.Handler.dispatchMessage(android.os.Message)", "android > os | Handler | dispatchMessage(android.os.Message)"},
		{"public static java.lang.String java.lang.String.valueOf(int)", "java > lang | String | valueOf(int)"},
		{"<thread>main", "|  | <thread>main"},
		{"<thread>http-nio-8080.exec(1)", "|  | <thread>http-nio-8080.exec(1)"},
	}, "void android.os.Handler.dispatchMessage(android.os.Message)",
		"public static java.lang.String java.lang.String.valueOf(int)")
}

// TestSplitClass: the class of a method is the class of that name.
func TestSplitClass(t *testing.T) {
	for name, want := range map[string]string{
		"java.util.HashMap": "java > util | HashMap | ", "java.util.Map.Entry": "java > util | Map.Entry | ",
		"java.util.Map$Entry[][]": "java > util | Map$Entry[][] | ", "byte[]": "| byte[] | ", "Hello": "| Hello | ",
		"com.example.Foo$$Lambda$14/0x0000000800c03000": "com > example | Foo$$Lambda$14/0x0000000800c03000 | ",
		"...": "| ... | ",
	} {
		class := SplitClass(Java, name)
		if show(class) != want {
			t.Errorf("%s is split into %s, want %s", name, show(class), want)
		}
		if of := Split(Java, name+".run()V", "", ""); name != "..." && of.ClassName() != class.ClassName() {
			t.Errorf("the class of %s.run()V is %s, by itself it is %s", name, of.ClassName(), class.ClassName())
		}
	}
	if class := SplitClass(Go, "net/http.Server"); class.ClassName() != "net/http.Server" {
		t.Errorf("%+v", class)
	}
}

func TestSplitGo(t *testing.T) {
	testSplit(t, Go, []named{
		{"github.com/foo/bar/v2.(*T).M", "github.com > foo > bar > v2 | T | M"},
		{"net/http.(*conn).serve", "net > http | conn | serve"},
		{"net/http.HandlerFunc.ServeHTTP", "net > http | HandlerFunc | ServeHTTP"},
		{"net/http.(*Transport).dialConn.func3", "net > http | Transport | dialConn.func3"},
		{"net/http.(*Server).Serve.gowrap3", "net > http | Server | Serve.gowrap3"},
		{"main.main", "main |  | main"},
		{"main.main.func1.1", "main |  | main.func1.1"},
		{"main.glob..func1", "main |  | glob..func1"},
		{"main.init.0", "main |  | init.0"},
		{"main.main.(*Pool).Get.func2", "main |  | main.(*Pool).Get.func2"},
		{"runtime.gopark", "runtime |  | gopark"},
		{"runtime.memmove.abi0", "runtime |  | memmove.abi0"},
		{"runtime.(*mheap).alloc.func1", "runtime | mheap | alloc.func1"},
		{"runtime.gcBgMarkWorker.func2", "runtime |  | gcBgMarkWorker.func2"},
		{"slices.SortFunc[go.shape.[]int,go.shape.int]", "slices |  | SortFunc[go.shape.[]int,go.shape.int]"},
		{"slices.SortFunc[...]", "slices |  | SortFunc[...]"},
		{"slices.Sort[go.shape.[]github.com/foo/bar.T,go.shape.string]", "slices |  | Sort[go.shape.[]github.com/foo/bar.T,go.shape.string]"},
		{"pkg.(*Map[go.shape.string,go.shape.int]).Load", "pkg | Map[go.shape.string,go.shape.int] | Load"},
		{"sync/atomic.(*Pointer[go.shape.struct { net/http.x int }]).Load", "sync > atomic | Pointer[go.shape.struct { net/http.x int }] | Load"},
		{"gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in > yaml.v3 |  | Unmarshal"},
		{"gopkg.in/yaml.v3.(*parser).parse", "gopkg.in > yaml.v3 | parser | parse"},
		{"time.Time.String", "time | Time | String"},
		{"net/http.(*Server).Serve-fm", "net > http | Server | Serve-fm"},
		{"main.T.M-fm", "main | T | M-fm"},
		{"type:.eq.foo/bar.T", "foo > bar | T | type:.eq"},
		{"type..hash.[2]string", "|  | type..hash.[2]string"},
		{"type:.eq.struct { runtime.gList; runtime.n int32 }", "|  | type:.eq.struct { runtime.gList; runtime.n int32 }"},
		{"go.(*struct { sync.Mutex; math/rand.src int }).Lock", "go | struct { sync.Mutex; math/rand.src int } | Lock"},
		{"compress/flate.(*compressor).deflate", "compress > flate | compressor | deflate"},
		{"vendor/golang.org/x/net/http2/hpack.(*Decoder).Write", "vendor > golang.org > x > net > http2 > hpack | Decoder | Write"},
		{"k8s.io/client-go/tools/cache.(*Reflector).ListAndWatch.func1.1", "k8s.io > client-go > tools > cache | Reflector | ListAndWatch.func1.1"},
		{"internal/runtime/maps.(*Iter).Next", "internal > runtime > maps | Iter | Next"},
		{"iter.Pull[go.shape.int].func1-range1", "iter |  | Pull[go.shape.int].func1-range1"},
	}, "slices.SortFunc[...]")
	for _, name := range []string{"gogo", "_rt0_amd64_linux", "x_cgo_thread_start"} {
		if got, want := show(Split(Go, name, "", "")), "|  | "+name; got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestSplitCpp(t *testing.T) {
	testSplit(t, Cpp, []named{
		{"llvm::SelectionDAGISel::SelectCodeCommon(llvm::SDNode*, unsigned char const*, unsigned int)", "llvm | SelectionDAGISel | SelectCodeCommon(llvm::SDNode*, unsigned char const*, unsigned int)"},
		{"llvm::DenseMap<llvm::Value*, unsigned int, llvm::DenseMapInfo<llvm::Value*, void> >::grow(unsigned int)", "llvm | DenseMap<llvm::Value*, unsigned int, llvm::DenseMapInfo<llvm::Value*, void> > | grow(unsigned int)"},
		{"llvm::sys::fs::exists(llvm::Twine const&)", "llvm > sys > fs |  | exists(llvm::Twine const&)"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)", "std | vector<int, std::allocator<int> > | push_back(int const&)"},
		{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append(char const*, unsigned long)", "std > __cxx11 | basic_string<char, std::char_traits<char>, std::allocator<char> > | _M_append(char const*, unsigned long)"},
		{"std::string::append(char const*)", "std | string | append(char const*)"},
		{"std::ostream::operator<<(int)", "std | ostream | operator<<(int)"},
		{"std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)", "std |  | operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)"},
		{"bool std::operator< <int, int>(std::pair<int, int> const&, std::pair<int, int> const&)", "std |  | operator< <int, int>(std::pair<int, int> const&, std::pair<int, int> const&)"},
		{"bool std::operator<<int, std::less<int>>(std::set<int> const&)", "std |  | operator<<int, std::less<int>>(std::set<int> const&)"},
		{"bool ns::operator==<int>(ns::a<int>)", "ns |  | operator==<int>(ns::a<int>)"},
		{"ns::a::operator()(int) const", "ns | a | operator()(int) const"},
		{"std::unique_ptr<foo::Bar>::operator->() const", "std | unique_ptr<foo::Bar> | operator->() const"},
		{"ns::version::operator std::string() const", "ns | version | operator std::string() const"},
		{"ns::handle::operator ns::ptr<int (*)(char)>()", "ns | handle | operator ns::ptr<int (*)(char)>()"},
		{"operator new(unsigned long)", "|  | operator new(unsigned long)"},
		{"operator delete[](void*)", "|  | operator delete[](void*)"},
		{"(anonymous namespace)::f(int)", "(anonymous namespace) |  | f(int)"},
		{"clang::(anonymous namespace)::CGRecordLowering::lower(bool)", "clang > (anonymous namespace) | CGRecordLowering | lower(bool)"},
		{"ns::f(int)::{lambda(int)#1}::operator()(int) const", "ns |  | f(int)::{lambda(int)#1}::operator()(int) const"},
		{"{lambda(int)#1}::operator()(int) const", "|  | {lambda(int)#1}::operator()(int) const"},
		{"ns::Foo::bar()::'lambda'(int)::operator()(int) const", "ns | Foo | bar()::'lambda'(int)::operator()(int) const"},
		{"ns::Foo::$_0::operator()(int) const", "ns | Foo | $_0::operator()(int) const"},
		{"void foo<int>(int)", "|  | foo<int>(int)"},
		{"std::enable_if<((sizeof (int))>(4)), int>::type ns::f<int>(int)", "ns |  | f<int>(int)"},
		{"decltype ((fp.x)(0)) ns::add<int>(int, int)", "ns |  | add<int>(int, int)"},
		{"decltype(auto) std::visit<f, v>(f&&, v&&)", "std |  | visit<f, v>(f&&, v&&)"},
		{"int const& std::max<int>(int const&, int const&)", "std |  | max<int>(int const&, int const&)"},
		{"unsigned long (anonymous namespace)::hash<int>(int)", "(anonymous namespace) |  | hash<int>(int)"},
		{"foo::bar(int) [clone .cold]", "foo |  | bar(int) [clone .cold]"},
		{"foo::bar [clone .isra.0]", "foo |  | bar [clone .isra.0]"},
		{"process_input.part.0.constprop.0", "|  | process_input.part.0.constprop.0"},
		{"ns::widget::~widget()", "ns | widget | ~widget()"},
		{"ns::widget::widget(int)", "ns | widget | widget(int)"},
		{"ns::widget::size() const", "ns | widget | size() const"},
		{"non-virtual thunk to ns::widget::f()", "ns | widget | non-virtual thunk to f()"},
		{"vtable for ns::X", "ns | X | vtable"},
		{"typeinfo name for std::vector<int>", "std | vector<int> | typeinfo name"},
		{"guard variable for ns::f()::x", "ns |  | guard variable for f()::x"},
		{"JavaThread::run()", "| JavaThread | run()"},
		{"v8::internal::Heap::Scavenge()", "v8 > internal | Heap | Scavenge()"},
		{"v8::internal::(anonymous namespace)::Invoke(v8::internal::Isolate*, v8::internal::(anonymous namespace)::InvokeParams const&)", "v8 > internal > (anonymous namespace) |  | Invoke(v8::internal::Isolate*, v8::internal::(anonymous namespace)::InvokeParams const&)"},
		{"std::_Function_handler<void (int), ns::f(int)::{lambda(int)#1}>::_M_invoke(std::_Any_data const&, int&&)", "std | _Function_handler<void (int), ns::f(int)::{lambda(int)#1}> | _M_invoke(std::_Any_data const&, int&&)"},
		{"public: void __thiscall Foo::bar(int)", "| Foo | bar(int)"},
		{"`anonymous namespace'::run(void)", "`anonymous namespace' |  | run(void)"},
		{"std::vector<std::pair<int, lo", "std |  | vector<std::pair<int, lo"},
		{"::foo::bar()", "foo |  | bar()"},
	})
	for _, name := range []string{"sqlite3VdbeExec", "__libc_start_call_main", "GC (major)", "Running a timer", "void (*f<int>(int))(char)"} {
		if got, want := show(Split(Cpp, name, "", "")), "|  | "+name; got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestSplitRust(t *testing.T) {
	testSplit(t, Rust, []named{
		{"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "alloc > vec | Vec<T> | <_ as core::ops::drop::Drop>::drop"},
		{"<alloc::vec::Vec<u8>>::push", "alloc > vec | Vec<u8> | push"},
		{"core::ptr::drop_in_place<foo::Bar>", "core > ptr |  | drop_in_place<foo::Bar>"},
		{"core::ptr::drop_in_place::<foo::Bar>", "core > ptr |  | drop_in_place::<foo::Bar>"},
		{"tokio::runtime::task::raw::poll::h1234567890abcdef", "tokio > runtime > task > raw |  | poll"},
		{"tokio::runtime::scheduler::multi_thread::worker::Context::run", "tokio > runtime > scheduler > multi_thread > worker | Context | run"},
		{"tokio::runtime::task::harness::Harness<T,S>::poll", "tokio > runtime > task > harness | Harness<T,S> | poll"},
		{"serde_json::de::Deserializer<R>::parse_value::h0123456789abcdef.llvm.1234567", "serde_json > de | Deserializer<R> | parse_value"},
		{"<&mut serde_json::de::Deserializer<R> as serde::de::Deserializer>::deserialize_map", "serde_json > de | Deserializer<R> | <&mut _ as serde::de::Deserializer>::deserialize_map"},
		{"foo::bar::{{closure}}", "foo |  | bar::{{closure}}"},
		{"foo::bar::{closure#0}::{closure#1}", "foo |  | bar::{closure#0}::{closure#1}"},
		{"foo::{impl#0}::bar", "foo | {impl#0} | bar"},
		{"<&T as core::fmt::Debug>::fmt", "core > fmt | Debug | <&T as _>::fmt"},
		{"<[A] as core::slice::cmp::SlicePartialEq<B>>::equal", "core > slice > cmp | SlicePartialEq<B> | <[A] as _>::equal"},
		{"<str>::len", "| str | len"},
		{"std::rt::lang_start::{{closure}}", "std > rt |  | lang_start::{{closure}}"},
		{"std[8aec0d05]::rt::lang_start_internal::{closure#2}", "std > rt |  | lang_start_internal::{closure#2}"},
		{"core::slice::<impl [T]>::sort_unstable_by", "core > slice | <impl [T]> | sort_unstable_by"},
		{"core::fmt::num::imp::<impl core::fmt::Display for u32>::fmt", "core > fmt > num > imp | <impl core::fmt::Display for u32> | fmt"},
		{"<dyn core::any::Any + core::marker::Send>::is::<foo::A>", "core > any | Any + core::marker::Send | <dyn _>::is::<foo::A>"},
		{"<foo::run::{{closure}} as core::ops::function::FnOnce<()>>::call_once", "foo | run::{{closure}} | <_ as core::ops::function::FnOnce<()>>::call_once"},
		{"core::ops::function::FnOnce::call_once{{vtable.shim}}", "core > ops > function | FnOnce | call_once{{vtable.shim}}"},
		{"<F as core::future::future::Future>::poll::{{closure}}", "core > future > future | Future | <F as _>::poll::{{closure}}"},
		{"std::sync::once::Once::call_once<fn() -> std::x::Y>", "std > sync > once | Once | call_once<fn() -> std::x::Y>"},
	})
}

func TestSplitPython(t *testing.T) {
	testSplit(t, Python, []named{
		{"json.decoder.JSONDecoder.decode", "json > decoder | JSONDecoder | decode"},
		{"asyncio.base_events.BaseEventLoop.run_forever", "asyncio > base_events | BaseEventLoop | run_forever"},
		{"asyncio.unix_events._UnixSelectorEventLoop.add_signal_handler", "asyncio > unix_events | _UnixSelectorEventLoop | add_signal_handler"},
		{"functools.lru_cache.<locals>.decorating_function", "functools |  | lru_cache.<locals>.decorating_function"},
		{"decode (json/decoder.py:337)", "json > decoder |  | decode"},
		{"JSONDecoder.decode (json/decoder.py:337)", "json > decoder | JSONDecoder | decode"},
		{"json.decoder.JSONDecoder.decode (/usr/lib/python3.11/json/decoder.py:337)", "json > decoder | JSONDecoder | decode"},
		{"func (/usr/lib/python3.11/site-packages/django/db/models/query.py:123)", "django > db > models > query |  | func"},
		{"_run_once (asyncio/base_events.py:1922)", "asyncio > base_events |  | _run_once"},
		{"<module> (/usr/lib/python3/dist-packages/yaml/__init__.py:1)", "yaml |  | <module>"},
		{`f (C:\Python311\Lib\json\decoder.py:1)`, "json > decoder |  | f"},
		{"json/decoder.py:decode", "json > decoder |  | decode"},
		{"json/decoder.py:decode:337", "json > decoder |  | decode"},
		{"assumptions.py:509(_ask)", "assumptions |  | _ask"},
		{"/usr/lib/python3.11/site-packages/sympy/core/assumptions.py:509(_ask)", "sympy > core > assumptions |  | _ask"},
		{"<frozen importlib._bootstrap>:1002(_find_and_load)", "importlib > _bootstrap |  | _find_and_load"},
		{"~:0(<method 'read' of '_io.BufferedReader' objects>)", "_io | BufferedReader | read"},
		{"~:0(<built-in method builtins.exec>)", "builtins |  | exec"},
		{"{method 'append' of 'list' objects}", "builtins | list | append"},
		{"{built-in method time.sleep}", "time |  | sleep"},
		{"<built-in method __new__ of type object at 0x955e60>", "builtins | type | __new__"},
		{"<module>", "|  | <module>"},
		{"<listcomp>", "|  | <listcomp>"},
		{"<lambda>", "|  | <lambda>"},
		{"<string>:1(<module>)", "<string> |  | <module>"},
		{"gunicorn.app.wsgiapp:run", "gunicorn > app > wsgiapp |  | run"},
		{"py::decode:/usr/lib/python3.12/json/decoder.py", "json > decoder |  | decode"},
		{"main (/home/me/app/main.py:3)", "home > me > app > main |  | main"},
		{"app.main.App.run (/home/me/app/main.py:3)", "app > main | App | run"},
	}, "<string>:1(<module>)")
	if got, want := show(Split(Python, "decode", "/usr/lib/python3.11/json/decoder.py", "")), "json > decoder |  | decode"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSplitJavaScript(t *testing.T) {
	testSplit(t, JavaScript, []named{
		{"next (/app/node_modules/express/lib/router/index.js:47:12)", "express > lib > router > index.js |  | next"},
		{"Layer.handle [as handle_request] (/app/node_modules/express/lib/router/layer.js:95:5)", "express > lib > router > layer.js | Layer | handle"},
		{"transform (/app/node_modules/.pnpm/@babel+core@7/node_modules/@babel/core/lib/index.js:1:1)", "@babel > core > lib > index.js |  | transform"},
		{"Module._compile (node:internal/modules/cjs/loader:1105:14)", "node:internal > modules > cjs > loader | Module | _compile"},
		{"Module._extensions..js (node:internal/modules/cjs/loader:1159:10)", "node:internal > modules > cjs > loader | Module._extensions | .js"},
		{"readFileSync (node:fs:453:20)", "node:fs |  | readFileSync"},
		{"(anonymous)", "|  | (anonymous)"},
		{"(anonymous) (/app/x.js:47:12)", "app > x.js |  | (anonymous)"},
		{"Object.<anonymous>", "| Object | <anonymous>"},
		{"Object.<anonymous> (/app/server.js:3:1)", "app > server.js | Object | <anonymous>"},
		{"Foo.bar", "| Foo | bar"},
		{"Foo.[Symbol.iterator]", "| Foo | [Symbol.iterator]"},
		{"get size", "|  | get size"},
		{"get Foo.size (file:///app/x.mjs:1:2)", "app > x.mjs | Foo | get size"},
		{"async fn", "|  | fn"},
		{"new Foo (/app/foo.js:1:2)", "app > foo.js | Foo | new Foo"},
		{"t.render (https://host/static/js/main.abc123.js:2:3456)", "host > static > js > main.abc123.js | t | render"},
		{"https://host/static/js/main.abc123.js?v=2:2:3456", "host > static > js > main.abc123.js |  | (anonymous)"},
		{"onClick (webpack:///./src/App.tsx:10:5)", "src > App.tsx |  | onClick"},
		{"eval (eval at run (/app/x.js:1:2), <anonymous>:1:1)", "app > x.js |  | eval"},
		{"Array.forEach (<anonymous>)", "| Array | forEach"},
		{"LazyCompile:*parse /app/node_modules/acorn/dist/acorn.js:12:3", "acorn > dist > acorn.js |  | parse"},
		{"(garbage collector)", "|  | (garbage collector)"},
		{"(root)", "|  | (root)"},
		{"(program)", "|  | (program)"},
	}, "Foo.bar", "get size", "Foo.[Symbol.iterator]")
	if got, want := show(Split(JavaScript, "Foo.bar", "/app/src/foo.ts", "")), "app > src > foo.ts | Foo | bar"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSplitPHP(t *testing.T) {
	testSplit(t, PHP, []named{
		{`App\Http\Kernel::handle`, `App > Http | Kernel | handle`},
		{`Illuminate\Container\Container->make`, `Illuminate > Container | Container | make`},
		{`GuzzleHttp\json_decode`, `GuzzleHttp |  | json_decode`},
		{`App\Foo::{closure}`, `App | Foo | {closure}`},
		{`App\{closure}`, `App |  | {closure}`},
		{`{closure}`, `|  | {closure}`},
	})
}

func TestSplitNative(t *testing.T) {
	for _, test := range []struct{ name, binary, want string }{
		{"malloc", "libc.so.6", "libc.so.6 |  | malloc"},
		{"malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6 |  | malloc"},
		{"memcpy@@GLIBC_2.14", "/usr/lib/libc.so.6 (deleted)", "libc.so.6 |  | memcpy@@GLIBC_2.14"},
		{"do_syscall_64", "[kernel.kallsyms]", "[kernel.kallsyms] |  | do_syscall_64"},
		{"do_syscall_64_[k]", "", "[kernel] |  | do_syscall_64"},
		{"sqlite3VdbeExec", "sqlite3-fp", "sqlite3-fp |  | sqlite3VdbeExec"},
		{"foo.part.0", "a.out", "a.out |  | foo.part.0"},
		{"0x7f12", "libfoo.so", "libfoo.so |  | 0x7f12"},
		{"0x7f12", "", "|  | 0x7f12"},
		{"[unknown]", "[unknown]", "|  | [unknown]"},
		{"[unknown]", "perl", "perl |  | [unknown]"},
	} {
		for _, lang := range []Language{Native, Unknown} {
			n := Split(lang, test.name, "", test.binary)
			if got := show(n); got != test.want || n.Language != Native {
				t.Errorf("%s of %s: got %v %s, want %s", test.name, test.binary, n.Language, got, test.want)
			}
		}
	}
	for _, test := range []named{
		{"malloc+0x1f", "|  | malloc"},
		{"libc.so.6`malloc", "libc.so.6 |  | malloc"},
		{"ntdll.dll!RtlUserThreadStart", "ntdll.dll |  | RtlUserThreadStart"},
		{"malloc (/usr/lib/libc.so.6)", "libc.so.6 |  | malloc"},
	} {
		if got := show(Split(Native, test.name, "", "")); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestGuess(t *testing.T) {
	for _, test := range []struct {
		name, file, binary string
		want               Language
	}{
		{"", "", "", Unknown},
		{"main", "", "", Unknown},
		{"main", "", "a.out", Native},
		{"main", "main.go", "a.out", Go},
		{"main", "main.c", "", Cpp},
		{"malloc", "malloc.c", "libc.so.6", Native},
		{"ns::f()", "f.cc", "a.out", Cpp},
		{"decode", "json/decoder.py", "python3.11", Python},
		{"compile", "node:internal/modules/cjs/loader", "", JavaScript},
		{"foo", "https://host/x.js?v=1", "", JavaScript},
		{"run", "", "/app/lib/x.jar", Java},
		{"foo::bar", "src/lib.rs", "", Rust},
		{"foo(int)", "", "", Cpp},
		{"idle thread", "", "", Unknown},
		{"os.path.join", "", "", Python},
		{"os.ReadFile", "", "", Go},
		{"strings.Builder.WriteString", "", "", Go},
		{"com.example.app.Main.run", "", "", Java},
	} {
		if got := Guess(test.name, test.file, test.binary); got != test.want {
			t.Errorf("Guess(%q, %q, %q) = %v, want %v", test.name, test.file, test.binary, got, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		lang                     Language
		name, class, pkg, parent string
	}{
		{Java, "java.util.HashMap.get", "java.util.HashMap", "java.util", "java"},
		{Go, "net/http.(*conn).serve", "net/http.conn", "net/http", "net"},
		{Cpp, "v8::internal::Heap::Scavenge()", "v8::internal::Heap", "v8::internal", "v8"},
		{Rust, "tokio::time::Sleep::poll", "tokio::time::Sleep", "tokio::time", "tokio"},
		{Python, "json.decoder.JSONDecoder.decode", "json.decoder.JSONDecoder", "json.decoder", "json"},
		{JavaScript, "Layer.handle (/node_modules/express/layer.js:1:1)", "express/layer.js:Layer", "express/layer.js", "express"},
		{PHP, `App\Http\Kernel::handle`, `App\Http\Kernel`, `App\Http`, `App`},
		{Go, "runtime.gopark", "", "runtime", "runtime"},
		{Language(200), "x y", "", "", ""},
	} {
		n := Split(test.lang, test.name, "", "")
		if got := n.ClassName(); got != test.class {
			t.Errorf("%s: class %q, want %q", test.name, got, test.class)
		}
		if got := n.PackageName(99); got != test.pkg {
			t.Errorf("%s: package %q, want %q", test.name, got, test.pkg)
		}
		if got := n.PackageName(1); got != test.parent {
			t.Errorf("%s: parent %q, want %q", test.name, got, test.parent)
		}
		if got := n.PackageName(-1); got != "" {
			t.Errorf("%s: package of depth -1 %q", test.name, got)
		}
	}
	if got := (Language(200)).String() + (Language(200)).Separator() + Go.String(); got != "Unknown.Go" {
		t.Errorf("got %q", got)
	}
}

// However long a name and whatever it repeats, it is split in a moment; a rule
// that is quadratic would take minutes here.
func TestSplitLong(t *testing.T) {
	for _, unit := range []string{
		"<", ">", "(", ")", "[", "{", "'", "`", ".", ":", "::", "/", `\`, " ", "&", "a.", "A.", "a::", "a/", "(<", "<)", ">(<",
		"operator", "operator<", "operator ", "::<", "::{", "<locals>.", ":1", ":1(", ".py:", " (", "0x", "/0", "_[j]", "decltype (",
		"(anonymous namespace)::", " as ", "&mut ", "{lambda", "%2e", "func1.", "node_modules/", "\xff",
	} {
		name := strings.Repeat(unit, 1<<18/len(unit))
		for lang := Unknown; lang <= Native; lang++ {
			for _, prefix := range []string{"", "a", "<", "A::operator ", "py::", "Script:"} {
				if n := Split(lang, prefix+name, "", ""); n.Method == "" {
					t.Errorf("%v: no method in %q repeated", lang, unit)
				}
			}
		}
	}
}
