package symbol

import "testing"

func FuzzSplit(f *testing.F) {
	for i, name := range []string{
		"", " ", ".", "::", "<", ">", "<>::", "(", ")", "\xff\xfe", "a.", "a::", "/", `\`, ":1", " (", "()", "~:0()", "{}", "<as>::x",
		"java.base@17/java.lang.Thread.run", "Foo$$Lambda$14/0x0000000800c03000.run", "characters([CII)V", "get_[j]",
		"github.com/foo/bar/v2.(*T).M", "gopkg.in/yaml%2ev3.Unmarshal", "type:.eq.foo/bar.T", "slices.SortFunc[go.shape.[]int]",
		"std::enable_if<(a)>(b), int>::type ns::f<int>(int)", "bool ns::operator< <int>(int)", "A::operator b::c() const",
		"non-virtual thunk to X::f()", "vtable for X", "decltype (x) f()", "(anonymous namespace)::f(int)::{lambda(int)#1}::operator()(int) const",
		"<&mut a::B as c::D<e>>::f::<g>::h1234567890abcdef", "core::slice::<impl [T]>::sort", "std[8ae]::rt::f::{closure#2}",
		"decode (json/decoder.py:337)", "assumptions.py:509(_ask)", "~:0(<method 'read' of '_io.BufferedReader' objects>)", "py::f:/a.py",
		"Module._extensions..js (node:internal/modules/cjs/loader:1159:10)", "new Foo [as bar] (https://host/x.js?a:2:3456)",
		`App\Foo::{closure}`, "libc.so.6`malloc+0x1f", "0x7f12", "[unknown]",
	} {
		f.Add(uint8(i)%uint8(Native+1), name, "", "")
	}
	f.Add(uint8(Python), "decode", "/usr/lib/python3.11/json/decoder.py", "")
	f.Add(uint8(JavaScript), "decode", "node:fs", "")
	f.Add(uint8(Unknown), "malloc", "malloc.c", "/usr/lib/libc.so.6")
	f.Fuzz(func(t *testing.T, lang uint8, name, file, binary string) {
		n := Split(Language(lang), name, file, binary)
		if (n.Method == "") != (name == "") {
			t.Errorf("%q: method %q", name, n.Method)
		}
		for _, p := range n.Package {
			if p == "" {
				t.Errorf("%q: empty package element in %q", name, n.Package)
			}
		}
		elements := n.Elements()
		size := 0
		for _, e := range elements {
			if e == "" {
				t.Errorf("%q: empty element in %q", name, elements)
			}
			size += len(e)
		}
		// Elements are pieces of what was given, but for a few fixed words; were
		// they to repeat it, work would not be linear.
		if limit := 2*(len(name)+len(file)+len(binary)) + 64; size > limit {
			t.Errorf("%q: elements of %d bytes, more than %d", name, size, limit)
		}
		if n.ClassName() != "" && n.Class == "" {
			t.Errorf("%q: name of no class %q", name, n.ClassName())
		}
		n.PackageName(len(n.Package))
		if again := Split(n.Language, name, file, binary); n.Language != Unknown && show(again) != show(n) {
			t.Errorf("%q: guessed %v, split as %s; told so, as %s", name, n.Language, show(n), show(again))
		}
	})
}
