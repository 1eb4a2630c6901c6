package pprof

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

var realFiles = []string{
	"types.cpu.pb.gz", "types.heap.pb.gz", "types.allocs.pb.gz", "types.mutex.pb.gz", "types.block.pb.gz",
	"types.goroutine.pb.gz", "types.threadcreate.pb.gz", "hello.cct.pb.gz",
}

func unpack(t testing.TB, content []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestRealFilesAsTheOracle(t *testing.T) {
	for _, name := range realFiles {
		t.Run(name, func(t *testing.T) {
			content := file(t, name)
			set := mustRead(t, content)
			if len(set.Warnings) > 0 {
				t.Errorf("warnings: %q", set.Warnings)
			}
			p, want := oracle(t, content)
			compare(t, sumsOf(set), want)
			fields, _ := metricColumns(set)
			if len(fields) != len(p.SampleType) {
				t.Fatalf("got %d metrics, want %d", len(fields), len(p.SampleType))
			}
			preferred := len(fields) - 1
			for i, f := range fields {
				if f.Name != p.SampleType[i].Type || string(f.Unit) != p.SampleType[i].Unit {
					t.Errorf("metric %d is %s/%s, want %s/%s", i, f.Name, f.Unit, p.SampleType[i].Type, p.SampleType[i].Unit)
				}
				if f.Name == p.DefaultSampleType {
					preferred = i
				}
			}
			for i, f := range fields {
				if f.Has(source.Preferred) != (i == preferred) {
					t.Errorf("metric %s: preferred is %v", f.Name, f.Has(source.Preferred))
				}
			}
		})
	}
}

// What `go tool pprof -top` said when the files were made.
func TestRealFilesAsTheTool(t *testing.T) {
	ms := func(v int64) string { return fmt.Sprintf("%dms", v/1e6) }
	us := func(v int64) string { return fmt.Sprintf("%.2fus", float64(v)/1e3) }
	mb := func(v int64) string { return fmt.Sprintf("%.2fMB", float64(v)/(1<<20)) }
	count := func(v int64) string { return fmt.Sprint(v) }
	for _, c := range []struct {
		file, metric string
		show         func(int64) string
		rows         int // 0: not known
		total        string
		flat, cum    map[string]string
	}{
		{"types.cpu.pb.gz", "cpu", ms, 4723, "54620ms",
			map[string]string{"compress/flate.(*compressor).findMatch": "14476ms", "compress/flate.(*compressor).deflate": "9112ms", "runtime.memclrNoHeapPointers": "5444ms"},
			map[string]string{"compress/flate.(*compressor).findMatch": "20244ms", "main.main.func1.1": "52232ms", "main.main.func1.1.1": "52232ms", "runtime/pprof.Do": "52232ms"}},
		{"types.heap.pb.gz", "inuse_space", mb, 1803, "427.30MB",
			map[string]string{"bytes.growSlice": "424.08MB", "main.pack": "1.66MB", "main.addWord": "0.76MB"},
			map[string]string{"main.pack": "425.73MB", "main.main.func1.1": "427.18MB"}},
		{"types.allocs.pb.gz", "alloc_space", mb, 1814, "53979.25MB",
			map[string]string{"compress/flate.NewWriter": "42151.43MB", "bytes.growSlice": "834.94MB"},
			map[string]string{"compress/flate.NewWriter": "51242.32MB", "main.main.func1.1.1": "53790.76MB"}},
		{"types.mutex.pb.gz", "delay", us, 95, "12117307.02us",
			map[string]string{"sync.(*Mutex).Unlock": "11888345.40us", "runtime._LostContendedRuntimeLock": "10.05us"},
			map[string]string{"main.main.func1.1": "11968442.58us"}},
		{"types.block.pb.gz", "delay", us, 32, "198831549.43us",
			map[string]string{"runtime.chansend1": "103716715.29us", "sync.(*Mutex).Lock": "11144805.10us"},
			map[string]string{"main.main.func1.gowrap1": "120136426.21us"}},
		{"types.goroutine.pb.gz", "goroutine", count, 0, "40",
			map[string]string{"runtime.gopark": "39", "internal/sync.(*Mutex).Lock": "0"},
			map[string]string{"main.main.func2": "39", "runtime.chanrecv": "20", "internal/sync.(*Mutex).Lock": "19"}},
		{"types.threadcreate.pb.gz", "threadcreate", count, 0, "6",
			map[string]string{"<unknown>": "6"}, map[string]string{"<unknown>": "6"}},
		{"hello.cct.pb.gz", "invocations", count, 0, "136971",
			map[string]string{"java.lang.String.isLatin1()Z": "17833", "java.lang.String.charAt(I)C": "16650"}, nil},
		{"hello.cct.pb.gz", "bytecodes", count, 0, "2377999",
			map[string]string{"jdk.internal.org.objectweb.asm.ByteVector.putUTF8(Ljava/lang/String;)Ljdk/internal/org/objectweb/asm/ByteVector;": "307210"},
			map[string]string{"Hello.main([Ljava/lang/String;)V": "2360972"}},
	} {
		checkTop(t, c.file, file(t, c.file), c.metric, c.show, c.rows, c.total, c.flat, c.cum)
	}
}

func checkTop(t *testing.T, name string, content []byte, metric string, show func(int64) string, rows int, total string, flat, cum map[string]string) {
	t.Helper()
	set := mustRead(t, content)
	if n := set.Event(source.TypeSample).Rows(); rows != 0 && n != rows {
		t.Errorf("%s: %d samples, want %d", name, n, rows)
	}
	fields, _ := metricColumns(set)
	for i, f := range fields {
		if f.Name != metric {
			continue
		}
		gotFlat, gotCum, gotTotal := flatAndCum(sumsOf(set), i)
		if show(gotTotal) != total {
			t.Errorf("%s: the total is %s, want %s", name, show(gotTotal), total)
		}
		for method, want := range flat {
			if show(gotFlat[method]) != want {
				t.Errorf("%s: %s has %s of its own, want %s", name, method, show(gotFlat[method]), want)
			}
		}
		for method, want := range cum {
			if show(gotCum[method]) != want {
				t.Errorf("%s: %s has %s in all, want %s", name, method, show(gotCum[method]), want)
			}
		}
		return
	}
	t.Errorf("%s: no metric is called %s", name, metric)
}

// The larger trees are not in the repository.
func TestLargerTrees(t *testing.T) {
	folder := os.Getenv("CAMBIUM_DATA")
	if folder == "" {
		t.Skip("CAMBIUM_DATA does not name the folder of recorded profiles (with cct/jflex.cct.pb.gz)")
	}
	count := func(v int64) string { return fmt.Sprint(v) }
	for _, c := range []struct {
		file, metric, total string
		flat, cum           map[string]string
	}{
		{"jflex", "invocations", "50472912", map[string]string{"java.util.Objects.checkIndex(II)I": "11802099"}, nil},
		{"jflex", "bytecodes", "943418870", map[string]string{"jflex.IntCharSet.add(Ljflex/Interval;)V": "220232349"},
			map[string]string{"jflex.Main.main([Ljava/lang/String;)V": "943374894", "jflex.Main.generate(Ljava/io/File;)V": "942341543"}},
		{"xalan", "invocations", "8392084", map[string]string{"java.lang.String.coder()B": "320629"}, nil},
		{"xalan", "bytecodes", "125136987", map[string]string{"org.apache.xml.serializer.ToStream.characters([CII)V": "3414594"},
			map[string]string{"org.apache.xalan.xslt.Process.main([Ljava/lang/String;)V": "125104999"}},
	} {
		content, err := os.ReadFile(filepath.Join(folder, "cct", c.file+".cct.pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		checkTop(t, c.file, content, c.metric, count, 0, c.total, c.flat, c.cum)
		_, want := oracle(t, content)
		compare(t, sumsOf(mustRead(t, content)), want)
	}
}

func TestTinyChunks(t *testing.T) {
	for _, name := range []string{"types.cpu.pb.gz", "types.block.pb.gz"} {
		content := file(t, name)
		for what, r := range map[string]io.Reader{
			"one byte":  iotest.OneByteReader(bytes.NewReader(content)),
			"half":      iotest.HalfReader(bytes.NewReader(content)),
			"data+err":  iotest.DataErrReader(bytes.NewReader(content)),
			"stream(1)": nil,
		} {
			var set *data.Set
			var err error
			if r == nil {
				set, err = readRaw(iotest.OneByteReader(bytes.NewReader(unpack(t, content))))
			} else {
				set, err = readAll(r)
			}
			if err != nil {
				t.Fatal(name, what, err)
			}
			compare(t, sumsOf(set), sumsOf(mustRead(t, content)))
		}
	}
}

// readRaw reads unpacked content past the buffers of source.Input.
func readRaw(r io.Reader) (*data.Set, error) {
	b := data.NewBuilder("test", "pprof")
	if err := readFrom(context.Background(), r, b); err != nil {
		return nil, err
	}
	return b.Finish()
}

// A file that ends anywhere gives what it had, or an error; a warning tells.
func TestTruncation(t *testing.T) {
	for _, name := range []string{"types.cpu.pb.gz", "types.mutex.pb.gz", "hello.cct.pb.gz"} {
		plain := unpack(t, file(t, name))
		all := mustRead(t, plain).Event(source.TypeSample).Rows()
		for i := range 100 {
			size := len(plain) * i / 100
			set, err := readAll(bytes.NewReader(plain[:size]))
			if err != nil {
				if i > 5 || !strings.Contains(err.Error(), "byte") {
					t.Errorf("%s: %d bytes of %d: %v", name, size, len(plain), err)
				}
				continue
			}
			if n := set.Event(source.TypeSample).Rows(); n > all || i > 5 && n == 0 {
				t.Errorf("%s: %d bytes of %d: %d samples of %d", name, size, len(plain), n, all)
			}
			if len(set.Warnings) == 0 {
				t.Errorf("%s: %d bytes of %d: no warning", name, size, len(plain))
			}
		}
	}
}
