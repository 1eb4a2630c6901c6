package evolve

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unpack(t testing.TB, raw []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// names gives, for every event, the name of what the path leads to.
func names(t testing.TB, set *data.Set, path string) []string {
	t.Helper()
	events := set.Event("Invocation")
	p, ok := set.Path(events.Definition, path)
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	var all []string
	err := events.Read(context.Background(), []data.Path{p}, func(b data.Batch) error {
		for _, id := range b.Columns[0].Refs {
			all = append(all, set.Entity(p.Field.Refers).NameOf(id))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// truth is what the manifest of the recorded data says of a trace.
type truth struct {
	invocations, methods, locations, fromPolymorphic int
	lastBytecode                                     int64
	sitesByTargets                                   [5]int         // 1, 2, 3, 4, 5 or more
	mostPolymorphic                                  map[string]int // site -> targets
	calls, targets                                   map[string]int // site, method -> invocations
}

func check(t *testing.T, set *data.Set, want truth) {
	t.Helper()
	at, to := names(t, set, "Location"), names(t, set, "Method")
	calls, targets, pairs := map[string]int{}, map[string]int{}, map[[2]string]bool{}
	for i := range at {
		calls[at[i]]++
		targets[to[i]]++
		pairs[[2]string{at[i], to[i]}] = true
	}
	fanOut := map[string]int{}
	for pair := range pairs {
		fanOut[pair[0]]++
	}
	var byTargets [5]int
	polymorphic := 0
	for site, n := range fanOut {
		byTargets[min(n, 5)-1]++
		if n > 1 {
			polymorphic += calls[site]
		}
	}
	if len(at) != want.invocations || len(targets) != want.methods || len(calls) != want.locations || polymorphic != want.fromPolymorphic || byTargets != want.sitesByTargets {
		t.Errorf("%d invocations of %d methods at %d locations, %d from polymorphic ones; locations by targets: %v", len(at), len(targets), len(calls), polymorphic, byTargets)
	}
	if n := set.Entity("Location").Rows(); n != want.locations {
		t.Errorf("%d locations are defined", n)
	}
	bytecodes, _ := set.Event("Invocation").Column("Bytecode")
	if !slices.IsSorted(bytecodes.Values) || bytecodes.Values[len(at)-1] != want.lastBytecode {
		t.Errorf("bytecodes are in order: %v; the last is %d", slices.IsSorted(bytecodes.Values), bytecodes.Values[len(at)-1])
	}
	for what, pair := range map[string][2]map[string]int{
		"targets of": {fanOut, want.mostPolymorphic}, "invocations at": {calls, want.calls}, "invocations of": {targets, want.targets},
	} {
		for name, n := range pair[1] {
			if pair[0][name] != n {
				t.Errorf("%s %s: %d, want %d", what, name, pair[0][name], n)
			}
		}
	}
	if len(set.Warnings) > 0 {
		t.Errorf("warnings: %q", set.Warnings)
	}
}

var hello = truth{
	invocations: 83705, methods: 646, locations: 1408, fromPolymorphic: 923, lastBytecode: 2336754,
	sitesByTargets: [5]int{1394, 9, 5, 0, 0},
	mostPolymorphic: map[string]int{
		"java.util.Arrays.hashCode([Ljava/lang/Object;)I#43":                                                                            3,
		"java.util.concurrent.ConcurrentHashMap.get(Ljava/lang/Object;)Ljava/lang/Object;#1":                                            3,
		"java.util.concurrent.ConcurrentHashMap.computeIfAbsent(Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;#115": 3,
	},
	calls: map[string]int{
		"java.lang.String.charAt(I)C#1": 16639,
		"jdk.internal.org.objectweb.asm.ByteVector.putUTF8(Ljava/lang/String;)Ljdk/internal/org/objectweb/asm/ByteVector;#85": 12700,
		"java.lang.String.length()I#6": 2687,
	},
	targets: map[string]int{"java.lang.String.isLatin1()Z": 17808, "java.lang.String.charAt(I)C": 16639, "java.lang.String.coder()B": 5206},
}

func TestTruth(t *testing.T) {
	check(t, sourcetest.Read(t, file(t, "hello.evolve.txt.gz")), hello)
}

// TestInline moves all definitions to where they are needed first, and then to
// the end.
func TestInline(t *testing.T) {
	definitions, events := map[string]string{}, []string{}
	var last []string
	for line := range strings.Lines(string(unpack(t, file(t, "hello.evolve.txt.gz")))) {
		words := strings.Fields(line)
		if words[0] == "I:" {
			events = append(events, line)
		} else {
			definitions[words[0]+words[2]] = line
			last = append(last, line)
		}
	}
	var inline strings.Builder
	for _, event := range events {
		words := strings.Fields(event)
		for _, id := range []string{"L:" + words[2], "M:" + words[3]} {
			inline.WriteString(definitions[id])
			delete(definitions, id)
		}
		inline.WriteString(event)
	}
	check(t, sourcetest.Read(t, []byte(inline.String())), hello)
	check(t, sourcetest.Read(t, []byte(strings.Join(events, "")+strings.Join(last, ""))), hello)
}

func TestPaths(t *testing.T) {
	set := sourcetest.Read(t, []byte("M: shop.Gift.price()I 7\nL: market.Cart.total()I#4 1\nI: 9 1 7\n"))
	for path, want := range map[string]string{
		"Location": "market.Cart.total()I#4", "Method": "shop.Gift.price()I", "Class": "shop.Gift", "Package": "shop",
		"Caller": "market.Cart.total()I", "Caller Class": "market.Cart", "Caller Package": "market",
	} {
		if got := names(t, set, path); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %s", path, got, want)
		}
	}
	locations := set.Entity("Location")
	if offset, _ := locations.Column("Offset"); offset.Values[0] != 4 {
		t.Errorf("the offset is %d", offset.Values[0])
	}
}

// TestQuirks reads what the golden counts, event by event.
func TestQuirks(t *testing.T) {
	set := sourcetest.Read(t, file(t, "quirks.evolve.txt"))
	at, to := names(t, set, "Location"), names(t, set, "Method")
	bytecodes, _ := set.Event("Invocation").Column("Bytecode")
	var got strings.Builder
	for i := range at {
		fmt.Fprintf(&got, "%d %s %s\n", bytecodes.Values[i], at[i], to[i])
	}
	const want = `151347 java.util.jar.Manifest.read()#18 java.lang.Math.max(int,int)
151400 shop.Cart.total()I#4 shop.Order.price()I
151400 shop.Cart.total()I#4 shop.Order.price()I
151420 shop.Cart.total()I#4 shop.Gift.price()I
151500 somewhere shop.Spec.price of a gift is zero()V
151390 shop.Cart.total()I#4 shop.Order.price()I
151600 shop.Cart.total()I#4 shop.Late.price()I
151700 [location 3, not defined] shop.Order.price()I
151800 shop.Cart.total()I#4 [method 404, not defined]
`
	if got.String() != want {
		t.Errorf("got:\n%swant:\n%s", got.String(), want)
	}
	if caller := names(t, set, "Caller"); caller[0] != "java.util.jar.Manifest.read()" || caller[4] != "" || caller[7] != "" {
		t.Errorf("callers are %q", caller)
	}
}

func TestTruncated(t *testing.T) {
	set := sourcetest.Read(t, []byte("M: a.B.c()V 71\nL: a.B.d()V#3 1\nI: 9 1 71\nI: 12 1 7"))
	if n := set.Event("Invocation").Rows(); n != 2 {
		t.Errorf("%d invocations", n)
	}
	if want := "line 4: the file ends here without a line break"; !strings.Contains(strings.Join(set.Warnings, "\n"), want) {
		t.Errorf("no warning says %q: %q", want, set.Warnings)
	}
	// Where the packing is damaged, the rest of a line is no line.
	whole := unpack(t, file(t, "hello.evolve.txt.gz"))
	packed := sourcetest.Gzip(whole)
	set = sourcetest.Read(t, packed[:len(packed)/2])
	n := set.Event("Invocation").Rows()
	if n == 0 || n >= hello.invocations || !strings.Contains(strings.Join(set.Warnings, "\n"), "damaged or ends early") {
		t.Errorf("%d invocations, warnings %q", n, set.Warnings)
	}
	if got, want := names(t, set, "Method"), names(t, sourcetest.Read(t, whole), "Method")[:n]; !slices.Equal(got, want) {
		t.Error("the methods are not those of the whole file")
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"M: a.b()V 1\n":                        true,
		"\r\nM: a.b()V 1\r\nL: a.b()V#1 2\r\n": true,
		"I: 1 2 3":                             true,
		"M: a.b()V 1\nL: a.b()V#1":             true, // ends early
		"M: a.b()V\n":                          false,
		"M: a.b()V 1\nmain;b 2\n":              false,
		"M: a;b 1\nN: a;b 2\n":                 false,
		"M: a.b()V 1\nM: a.c()V 1\n":           true, // a mistake that a warning is for
		"\n\n":                                 false,
		"L":                                    false,
		strings.Repeat("I: 1 2 3\n", 9000):     true,
	} {
		if got := sniff([]byte(text[:min(len(text), 64<<10)])); got != want {
			t.Errorf("%.40q: %v", text, got)
		}
	}
}

func TestErrors(t *testing.T) {
	b := data.NewBuilder("test", "evolve")
	r := newReader()
	if err := r.begin(b); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"M: a.b()V":                   "expected M: method id",
		"I: 1 2 3 4":                  "expected M: method id",
		"I: 1 2 99999999999999999999": "expected M: method id",
		"I:1 2 3x":                    "expected M: method id",
		"Z: a 1":                      "found \"Z: a 1\"",
	} {
		if err := r.line([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if err := r.line([]byte("M: a.b()V 1")); err != nil {
		t.Error(err)
	}
	if err := r.line([]byte("M: a.c()V 1")); err == nil || !strings.Contains(err.Error(), `1 is that of method "a.b()V"`) {
		t.Errorf("%v", err)
	}
	if err := r.finish(b); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "no invocations") {
		t.Errorf("%v %q", err, set.Warnings)
	}
}

func TestHostile(t *testing.T) {
	text := unpack(t, file(t, "hello.evolve.txt.gz"))
	invocations := bytes.Index(text, []byte("\nI: "))
	sourcetest.Hostile(t, append(bytes.Clone(text[:4000]), text[invocations:invocations+4000]...))
	sourcetest.Hostile(t, file(t, "quirks.evolve.txt"))
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.evolve.txt"))
	f.Add(unpack(f, file(f, "hello.evolve.txt.gz"))[:2000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "evolve", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := bytes.Repeat(unpack(b, file(b, "hello.evolve.txt.gz")), 10)
	sourcetest.Benchmark(b, raw, len(raw))
}

// TestManyBatches reads more invocations than are handed on at once, of a
// method that is mentioned in the first and named after the second batch.
func TestManyBatches(t *testing.T) {
	var text strings.Builder
	text.WriteString("M: a.b()V 1\nL: a.c()V#4 7\n")
	const n = 3*data.BatchRows + 5
	for i := range n {
		if i == data.BatchRows+9 {
			text.WriteString("M: a.late()V 2\n")
		}
		fmt.Fprintf(&text, "I: %d 7 %d\n", i, 1+i%2)
	}
	set := sourcetest.Read(t, []byte(text.String()))
	e := set.Event("Invocation")
	if e.Rows() != n || len(set.Warnings) != 0 {
		t.Fatalf("%d invocations, warnings %q", e.Rows(), set.Warnings)
	}
	var paths []data.Path
	for _, name := range []string{"Bytecode", "Location", "Method"} {
		p, ok := set.Path(e.Definition, name)
		if !ok {
			t.Fatal(name)
		}
		paths = append(paths, p)
	}
	i := 0
	err := e.Read(t.Context(), paths, func(b data.Batch) error {
		for row := range b.Rows {
			name := set.Entity("Method").NameOf(b.Columns[2].Refs[row])
			if b.Columns[0].Values[row] != int64(i) || b.Columns[1].Refs[row] != 0 || name != []string{"a.b()V", "a.late()V"}[i%2] {
				return fmt.Errorf("invocation %d: %d of %s", i, b.Columns[0].Values[row], name)
			}
			i++
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
