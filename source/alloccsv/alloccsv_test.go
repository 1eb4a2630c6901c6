package alloccsv

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
	events := set.Event("Allocation")
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

// TestTruth compares with what the manifest of the recorded data says.
func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "xalan.alloc.csv.gz"))
	sizes, _ := set.Event("Allocation").Column("Object Size")
	total := int64(0)
	for _, size := range sizes.Values {
		total += size
	}
	if n := set.Event("Allocation").Rows(); n != 166470 || total != 13162376 || len(set.Warnings) > 0 {
		t.Errorf("%d allocations of %d bytes, warnings %q", n, total, set.Warnings)
	}
	for path, want := range map[string]struct {
		distinct     int
		count, bytes map[string]int64
	}{
		"Object Type": {
			582,
			map[string]int64{"byte[]": 50822, "java.lang.String": 35862, "org.apache.xpath.objects.XString": 17608},
			map[string]int64{"byte[]": 8122480, "java.lang.String": 860688, "int[]": 848184},
		},
		"Allocating Method": {809, nil, map[string]int64{
			"java.util.Arrays.copyOf([BI)[B": 3853264,
			"java.util.zip.InflaterInputStream.<init>(Ljava/io/InputStream;Ljava/util/zip/Inflater;I)V": 2155520,
			"java.util.Arrays.copyOfRange([BII)[B":                                                      671648,
		}},
		"Thread": {2, map[string]int64{"main": 166467, "DestroyJavaVM": 3}, nil},
	} {
		count, bytes := map[string]int64{}, map[string]int64{}
		for i, name := range names(t, set, path) {
			count[name]++
			bytes[name] += sizes.Values[i]
		}
		if len(count) != want.distinct {
			t.Errorf("%s: %d different ones, want %d", path, len(count), want.distinct)
		}
		for name, n := range want.count {
			if count[name] != n {
				t.Errorf("%s %s: %d allocations, want %d", path, name, count[name], n)
			}
		}
		for name, n := range want.bytes {
			if bytes[name] != n {
				t.Errorf("%s %s: %d bytes, want %d", path, name, bytes[name], n)
			}
		}
	}
}

// TestPaths: the class that allocates is not in the source's definitions, but
// found by the platform through the method.
func TestPaths(t *testing.T) {
	set := sourcetest.Read(t, []byte("seq,type,size,method,class,thread\n5,shop.Gift[],24,fill()V,market.Cart,main\n"))
	def := set.Event("Allocation").Definition
	if def.Field("Allocating Class") >= 0 {
		t.Error("Allocating Class is a field of the source")
	}
	for path, want := range map[string]string{
		"Object Type": "shop.Gift[]", "Object Type Package": "shop", "Allocating Method": "market.Cart.fill()V",
		"Allocating Class": "market.Cart", "Allocating Package": "market", "Thread": "main",
	} {
		if got := names(t, set, path); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %s", path, got, want)
		}
	}
	sequence, _ := set.Event("Allocation").Column("Sequence")
	if sequence.Values[0] != 5 {
		t.Errorf("the sequence is %d", sequence.Values[0])
	}
}

// TestQuirks reads what the golden counts, event by event. A class is the same
// whether it allocates or is allocated.
func TestQuirks(t *testing.T) {
	set := sourcetest.Read(t, file(t, "quirks.alloc.csv"))
	types, methods, classes, threads := names(t, set, "Object Type"), names(t, set, "Allocating Method"), names(t, set, "Allocating Class"), names(t, set, "Thread")
	sequence, _ := set.Event("Allocation").Column("Sequence")
	sizes, _ := set.Event("Allocation").Column("Object Size")
	var got strings.Builder
	for i := range types {
		fmt.Fprintf(&got, "%d|%s|%d|%s|%s|%s\n", sequence.Values[i], types[i], sizes.Values[i], methods[i], classes[i], threads[i])
	}
	const want = `0|java.lang.StringBuilder|24|sun.launcher.LauncherHelper.<clinit>()V|sun.launcher.LauncherHelper|main
1|byte[]|32|java.lang.AbstractStringBuilder.<init>(I)V|java.lang.AbstractStringBuilder|main
2|sun.launcher.LauncherHelper|16|shop.Main.main([Ljava/lang/String;)V|shop.Main|pool, "first"
4|java.util.Map$Entry[]|80|shop.Main$1.run()V|shop.Main$1|main
5|shop.Cart$$Lambda$14/0x0000000800c03000|16|shop.Main$1.run()V|shop.Main$1|main
6|[J|16|||
0|int[]|0|helper()V||main
`
	if got.String() != want {
		t.Errorf("got:\n%swant:\n%s", got.String(), want)
	}
	all := slices.Clone(set.Entity("Class").Names)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != set.Entity("Class").Rows() {
		t.Errorf("of %d classes only %d have different names", set.Entity("Class").Rows(), n)
	}
}

func TestErrors(t *testing.T) {
	const head = "seq,type,size,method,class,thread\n"
	set := sourcetest.Read(t, []byte(head))
	if !strings.Contains(strings.Join(set.Warnings, "\n"), "no allocations") {
		t.Errorf("warnings %q", set.Warnings)
	}
	set = sourcetest.Read(t, []byte(head+strings.Repeat("0,a,b\n", 30)+"1,A,8,b()V,C,ma"))
	warnings := strings.Join(set.Warnings, "\n")
	for _, want := range []string{`line 2: expected seq,type,size,method,class,thread, but found "0,a,b"`, "30 lines were left out", "line 32: the file ends here without a line break"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no warning says %q: %s", want, warnings)
		}
	}
	if _, err := sourcetest.TryRead([]byte("seq,type,size\n0,a,24\n")); err == nil || !strings.Contains(err.Error(), "no format that is known") {
		t.Errorf("another header: %v", err)
	}
}

func TestTruncated(t *testing.T) {
	whole := unpack(t, file(t, "xalan.alloc.csv.gz"))
	packed := sourcetest.Gzip(whole)
	set := sourcetest.Read(t, packed[:len(packed)/2])
	n := set.Event("Allocation").Rows()
	if n == 0 || n >= 166470 || !strings.Contains(strings.Join(set.Warnings, "\n"), "damaged or ends early") {
		t.Errorf("%d allocations, warnings %q", n, set.Warnings)
	}
	all := sourcetest.Read(t, whole)
	for _, path := range []string{"Object Type", "Thread"} {
		if !slices.Equal(names(t, set, path), names(t, all, path)[:n]) {
			t.Errorf("%s is not as in the whole file", path)
		}
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, unpack(t, file(t, "xalan.alloc.csv.gz"))[:8000])
	sourcetest.Hostile(t, file(t, "quirks.alloc.csv"))
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.alloc.csv"))
	f.Add(unpack(f, file(f, "xalan.alloc.csv.gz"))[:2000])
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "alloccsv", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := unpack(b, file(b, "xalan.alloc.csv.gz"))
	sourcetest.Benchmark(b, raw, len(raw))
}
