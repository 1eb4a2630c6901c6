package otlpprofile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return raw
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestTruth compares all stacks with those that pprof has of the same profile.
func TestTruth(t *testing.T) {
	want := []map[string]int64{{}, {}}
	for line := range strings.Lines(string(file(t, "truth/recorded.txt.gz"))) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		var contentions, delay int64
		fmt.Sscan(fields[0], &contentions)
		fmt.Sscan(fields[1], &delay)
		want[0][fields[2]], want[1][fields[2]] = contentions, delay
	}
	for _, name := range []string{"recorded.pb.gz", "recorded.json.gz"} {
		s := sourcetest.Profile(sourcetest.Read(t, file(t, name)))
		if len(s.Metrics) != 2 || s.Metrics[0] != "contentions" || s.Metrics[1] != "delay" || s.Units[1] != "nanoseconds" {
			t.Fatalf("%s: metrics are %v in %v", name, s.Metrics, s.Units)
		}
		for m := range want {
			maps.DeleteFunc(want[m], func(_ string, v int64) bool { return v == 0 })
			if !maps.Equal(s.Stacks[m], want[m]) || len(want[m]) < 50 {
				t.Errorf("%s: stacks of %s differ", name, s.Metrics[m])
			}
		}
	}
}

func TestSamples(t *testing.T) {
	set := sourcetest.Read(t, file(t, "hand.prefixed.pb"))
	samples := set.Event(source.TypeSample)
	get := func(name string) (text string) {
		c, ok := samples.Column(name)
		if !ok {
			t.Fatalf("there is no field %s in %v", name, samples.Fields)
		}
		for _, v := range c.Values[:min(7, len(c.Values))] {
			text += fmt.Sprint(v, " ")
		}
		for _, id := range c.Refs[:min(7, len(c.Refs))] {
			text += set.Entity(samples.Fields[samples.Field(name)].Refers).NameOf(id) + ","
		}
		return strings.TrimSpace(text)
	}
	for name, want := range map[string]string{ // of the first message
		"cpu":       "1 1 1 20 30 0 0",
		"allocated": "0 0 0 0 0 4096 1",
		"Time":      "100 300 200 400 500 0 0",
		"Process":   "shop,shop,shop,shop,shop,shop,shop,",
		"Thread":    "worker,worker,worker,,,,,",
	} {
		if got := get(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	older := protowire.AppendBytes([]byte{0x1a}, []byte{1, 2})                         // locations of the profile's own
	older = append(protowire.AppendBytes([]byte{0x0a}, []byte{8, 1, 16, 2}), older...) // a sample type
	older = protowire.AppendBytes([]byte{0x0a}, protowire.AppendBytes([]byte{0x12}, protowire.AppendBytes([]byte{0x12}, older)))
	for text, want := range map[string]string{
		`{"resourceProfiles":[]}`:                      "there are no samples",
		`{"resourceProfiles":[{"scopeProfiles":[5]}]}`: "byte 39: expected \"{\", but found \"5",
		`{"resourceProfiles":[{`:                       "ends early",
		string(older):                                  "from before v1.8.0",
	} {
		if _, err := sourcetest.TryRead([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", text, err, want)
		}
	}
}

func TestHostile(t *testing.T) {
	for _, name := range []string{"recorded.pb.gz", "recorded.json.gz", "hand.prefixed.pb"} {
		sourcetest.Hostile(t, file(t, name))
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"recorded.pb.gz", "recorded.json.gz", "hand.prefixed.pb"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "otlpprofile", raw) })
}

// samples makes up a profile of half a million samples as JSON, whose numbers are
// as exporters write them.
func samples() []byte {
	const count, locations = 500_000, 500
	var b bytes.Buffer
	b.WriteString(`{"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"samples":[`)
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"stackIndex":%d,"values":["%d"],"attributeIndices":[%d],"timestampsUnixNano":["%d"]}`, 1+i%1000, 1000+i%77, 1+i%3, 1_700_000_000_000_000_000+i*1000)
	}
	b.WriteString(`]}]}]}],"dictionary":{"locationTable":[{}`)
	for i := range locations {
		fmt.Fprintf(&b, `,{"mappingIndex":0,"address":"%d","lines":[{"functionIndex":%d,"line":"%d"}]}`, 4096+i, 1+i, i)
	}
	b.WriteString(`],"functionTable":[{}`)
	for i := range locations {
		fmt.Fprintf(&b, `,{"nameStrindex":%d}`, 4+i)
	}
	b.WriteString(`],"stringTable":["","cpu","nanoseconds","thread.name"`)
	for i := range locations {
		fmt.Fprintf(&b, `,"package.function%d"`, i)
	}
	b.WriteString(`],"attributeTable":[{}`)
	for i := range 3 {
		fmt.Fprintf(&b, `,{"keyStrindex":3,"value":{"stringValue":"worker-%d"}}`, i)
	}
	b.WriteString(`],"stackTable":[{}`)
	for i := range 1000 {
		fmt.Fprintf(&b, `,{"locationIndices":[%d,%d,%d,1]}`, 1+i%locations, 1+i%97, 1+i%7)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// BenchmarkRead reads the recorded profile, and one that is made up.
func BenchmarkRead(b *testing.B) {
	for name, raw := range map[string][]byte{"recorded.pb": file(b, "recorded.pb.gz"), "recorded.json": file(b, "recorded.json.gz"), "samples.json": samples()} {
		b.Run(name, func(b *testing.B) { sourcetest.Benchmark(b, raw, len(raw)) })
	}
}
