package cctcsv

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
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
		TopTotal: values{"bytecodes": {"Hello.main([Ljava/lang/String;)V": 2360972}},
	}
	jflex = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 50472912, "bytecodes": 943418870}, Contexts: 75143 - 1, MaxDepth: 52, Methods: 3112 - 1,
		TopSelf: values{
			"bytecodes":   {"jflex.IntCharSet.add(Ljflex/Interval;)V": 220232349, "java.util.ArrayList.get(I)Ljava/lang/Object;": 106202484, "jflex.StateSetEnumerator.advance()V": 97354394},
			"invocations": {"java.util.Objects.checkIndex(II)I": 11802099, "java.util.ArrayList.get(I)Ljava/lang/Object;": 11800276},
		},
		TopTotal: values{"bytecodes": {"jflex.Main.main([Ljava/lang/String;)V": 943374894, "jflex.Main.generate([Ljava/lang/String;)V": 943374890, "jflex.Main.generate(Ljava/io/File;)V": 942341543}},
	}
	xalan = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 8392084, "bytecodes": 125136987}, Contexts: 274849 - 1, MaxDepth: 150, Methods: 5044 - 1,
		TopSelf: values{
			"bytecodes":   {"org.apache.xml.serializer.ToStream.characters([CII)V": 3414594, "org.apache.xml.dtm.ref.DTMDefaultBase.makeNodeIdentity(I)I": 3304746, "org.apache.xml.utils.SuballocatedIntVector.elementAt(I)I": 2899051},
			"invocations": {"java.lang.String.coder()B": 320629, "java.lang.String.isLatin1()Z": 218538, "java.lang.String.length()I": 217208},
		},
		TopTotal: values{"bytecodes": {"org.apache.xalan.xslt.Process.main([Ljava/lang/String;)V": 125104999, "org.apache.xalan.transformer.TransformerImpl.transform(Ljavax/xml/transform/Source;Ljavax/xml/transform/Result;)V": 109457076}},
	}
	antlr4 = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 33058587, "bytecodes": 464571516}, Contexts: 701249 - 1, MaxDepth: 104, Methods: 4701 - 1,
		TopSelf: values{
			"bytecodes":   {"org.antlr.runtime.ANTLRStringStream.LA(I)I": 32477305, "org.antlr.runtime.DFA.unpackEncodedString(Ljava/lang/String;)[S": 17561243, "java.util.ArrayList.get(I)Ljava/lang/Object;": 12858516},
			"invocations": {"java.util.ArrayList.size()I": 2426770, "java.util.Objects.checkIndex(II)I": 1435692, "java.util.ArrayList.elementData(I)Ljava/lang/Object;": 1432318},
		},
		TopTotal: values{"bytecodes": {"org.antlr.v4.Tool.main([Ljava/lang/String;)V": 464164459, "org.antlr.v4.Tool.processGrammarsOnCommandLine()V": 460427218, "org.antlr.v4.Tool.process(Lorg/antlr/v4/tool/Grammar;Z)V": 435041096}},
	}
	fop = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 15730399, "bytecodes": 223151361}, Contexts: 864734 - 1, MaxDepth: 105, Methods: 10752 - 1,
		TopSelf: values{
			"bytecodes":   {"java.lang.StringLatin1.hashCode([B)I": 12161126, "java.lang.StringLatin1.charAt([BI)C": 6476457},
			"invocations": {"java.lang.String.coder()B": 706070, "java.lang.String.isLatin1()Z": 638865, "java.lang.String.charAt(I)C": 502134},
		},
		TopTotal: values{"bytecodes": {"org.apache.fop.cli.Main.main([Ljava/lang/String;)V": 223060857, "org.apache.fop.cli.Main.startFOP([Ljava/lang/String;)V": 222752900}},
	}
	javac = sourcetest.Truth{
		Totals: map[string]int64{"invocations": 130331141, "bytecodes": 1537847095}, Contexts: 6307236 - 1, MaxDepth: 197, Methods: 8512 - 1,
		TopSelf: values{
			"bytecodes":   {"com.sun.tools.javac.parser.UnicodeReader.nextUnicodeInputCharacter()V": 78485505, "com.sun.tools.javac.parser.UnicodeReader.nextCodeUnit()V": 66842596},
			"invocations": {"com.sun.tools.javac.parser.UnicodeReader.is(C)Z": 6403780},
		},
		TopTotal: values{"bytecodes": {"com.sun.tools.javac.Main.main([Ljava/lang/String;)V": 1537791956, "com.sun.tools.javac.Main.compile([Ljava/lang/String;)I": 1537791020}},
	}
)

func TestTruth(t *testing.T) {
	set := sourcetest.Read(t, file(t, "hello.cct.csv.zst"))
	sourcetest.CheckTruth(t, set, hello)
	if names := set.Entity("Thread").Names; !slices.Equal(names, []string{"DestroyJavaVM", "main", "DestroyJavaVM"}) {
		t.Errorf("the threads are %q", names)
	}
	sourcetest.CheckTruth(t, sourcetest.Read(t, file(t, "jflex.cct.csv.zst")), jflex)
	sourcetest.CheckTruth(t, sourcetest.Read(t, file(t, "../../../samples/xalan.cct.csv.zst")), xalan)
}

func TestTruthLarge(t *testing.T) {
	for name, truth := range map[string]sourcetest.Truth{"antlr4": antlr4, "fop": fop, "javac-small": javac} {
		sourcetest.CheckTruth(t, sourcetest.Read(t, sourcetest.Recorded(t, "cct/"+name+".cct.csv.zst")), truth)
	}
}

const head = "#methods\nid,class,name,descriptor\n0,<root>,<root>,\n1,a.B,m,()V\n2,<thread>,main,\n3,<thread>,main,\n#nodes\ndepth,method,x\n"

// What several synthetic roots cost is kept apart, so that sums can be cut
// where they leave the range of 64 bits.
func TestCostOfRoots(t *testing.T) {
	set := sourcetest.Read(t, []byte(head+"0,0,9223372036854775807\n0,0,0\n0,0,9223372036854775807\n1,1,-9223372036854775808\n"))
	samples := set.Event("Sample")
	if got := samples.Columns[1].Values; !slices.Equal(got, []int64{math.MinInt64, math.MaxInt64, math.MaxInt64}) || len(set.Warnings) > 0 {
		t.Errorf("the samples are %d, with %q", got, set.Warnings)
	}
	if got := samples.Columns[0].Refs; !slices.Equal(got, []data.EntityID{0, data.None, data.None}) {
		t.Errorf("their contexts are %d", got)
	}
}

func TestThreads(t *testing.T) {
	set := sourcetest.Read(t, []byte(head+"0,0,1\n1,2,1\n2,1,1\n1,3,1\n2,1,1\n3,2,1\n4,1,1\n3,1,1\n1,1,1\n"))
	if names := set.Entity("Thread").Names; !slices.Equal(names, []string{"main", "main", "main"}) {
		t.Errorf("the threads are %q", names)
	}
	const none = data.None
	if c, _ := set.Event("Sample").Column("Thread"); !slices.Equal(c.Refs, []data.EntityID{0, 0, 1, 1, 2, 2, 1, none, none}) {
		t.Errorf("samples are on the threads %d", c.Refs)
	}
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
	packed := sourcetest.Recorded(b, "cct/javac-small.cct.csv.zst")
	text := unpack(b, packed)
	b.Run("packed", func(b *testing.B) { sourcetest.Benchmark(b, packed, len(text)) })
	b.Run("text", func(b *testing.B) { sourcetest.Benchmark(b, text, len(text)) })
}
