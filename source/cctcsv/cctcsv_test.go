package cctcsv

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/klauspost/compress/zstd"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func unpack(t testing.TB, raw []byte) []byte {
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(256<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	raw, err = z.DecodeAll(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func file(t testing.TB, name string) []byte {
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

type values = map[string]map[string]int64

// Counts of the manifest include the synthetic root.
var (
	hello = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 136971, "bytecodes": 2377999}, Contexts: 29577 - 1, MaxDepth: 40, Methods: 1223 - 1,
		TopSelf: values{
			"bytecodes":   {"jdk.internal.org.objectweb.asm.ByteVector.putUTF8(Ljava/lang/String;)Ljdk/internal/org/objectweb/asm/ByteVector;": 307210, "java.lang.StringLatin1.charAt([BI)C": 216450, "java.lang.String.isLatin1()Z": 142664},
			"invocations": {"java.lang.String.isLatin1()Z": 17833, "java.lang.String.charAt(I)C": 16650},
		},
	}
	jflex = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 50472912, "bytecodes": 943418870}, Contexts: 75143 - 1, MaxDepth: 52, Methods: 3112 - 1,
		TopSelf: values{
			"bytecodes":   {"jflex.IntCharSet.add(Ljflex/Interval;)V": 220232349, "java.util.ArrayList.get(I)Ljava/lang/Object;": 106202484, "jflex.StateSetEnumerator.advance()V": 97354394},
			"invocations": {"java.util.Objects.checkIndex(II)I": 11802099, "java.util.ArrayList.get(I)Ljava/lang/Object;": 11800276},
		},
	}
	javac = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 130331141, "bytecodes": 1537847095}, Contexts: 6307236 - 1, MaxDepth: 197, Methods: 8512 - 1,
		TopSelf: values{
			"bytecodes":   {"com.sun.tools.javac.parser.UnicodeReader.nextUnicodeInputCharacter()V": 78485505, "com.sun.tools.javac.parser.UnicodeReader.nextCodeUnit()V": 66842596},
			"invocations": {"com.sun.tools.javac.parser.UnicodeReader.is(C)Z": 6403780},
		},
	}
)

func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "hello.cct.csv.zst"))
	sourcetest.CheckTruth(t, set, hello)
	total := sourcetest.Profile(set).Total[1]
	if total["Hello.main([Ljava/lang/String;)V"] != 2360972 {
		t.Errorf("total of Hello.main is %d", total["Hello.main([Ljava/lang/String;)V"])
	}
	set = sourcetest.Read(t, file(t, "jflex.cct.csv.zst"))
	sourcetest.CheckTruth(t, set, jflex)
	total = sourcetest.Profile(set).Total[1]
	if total["jflex.Main.main([Ljava/lang/String;)V"] != 943374894 || total["jflex.Main.generate(Ljava/io/File;)V"] != 942341543 {
		t.Errorf("totals of jflex.Main differ")
	}
}

func TestTruthLarge(t *testing.T) {
	sourcetest.CheckTruth(t, sourcetest.Read(t, sourcetest.Recorded(t, "cct/javac-small.cct.csv.zst")), javac)
}

func TestHostile(t *testing.T) {
	raw := unpack(t, file(t, "hello.cct.csv.zst"))
	nodes := bytes.Index(raw, []byte("#nodes"))
	sourcetest.Hostile(t, append(bytes.Clone(raw[:5000]), raw[nodes-1:nodes+10_000]...)) // most methods are missing
	sourcetest.Hostile(t, file(t, "quirks.csv"))
}

func TestErrors(t *testing.T) {
	const start = "#methods\nid,class,name,descriptor\n"
	for text, want := range map[string]string{
		start:                   "line 2: the file ends here",
		start + "x,y\n":         "line 3: expected a method",
		start + "0,a,b,c\n":     "#nodes",
		start + "#nodes\na,b\n": "line 4: expected the header",
		start + "#nodes\ndepth,method,m\n3,0,0\n":                        "line 5: expected the root",
		start + "#nodes\ndepth,method,m\nx\n":                            "line 5: expected the root",
		start + "#nodes\ndepth,method,m\n":                               "the file ends here",
		start + "#nodes\ndepth,method" + strings.Repeat(",m", 65) + "\n": "65 metrics",
	} {
		if _, err := sourcetest.TryRead([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "quirks.csv"))
	raw := unpack(f, file(f, "hello.cct.csv.zst"))
	f.Add([]byte("#methods\nid,class,name,descriptor\n0,a,b,c\n" + string(raw[strings.Index(string(raw), "#nodes"):][:500])))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "cctcsv", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := sourcetest.Recorded(b, "cct/javac-small.cct.csv.zst")
	b.SetBytes(int64(len(unpack(b, raw))))
	for b.Loop() {
		sourcetest.Read(b, raw)
	}
}
