package ndjson

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, file(t, "allocations.ndjson"))
	sourcetest.Hostile(t, file(t, "tree.ndjson"))
}

func TestErrors(t *testing.T) {
	const types = `{"entity_type":"C"}
{"entity_type":"M","fields":[{"name":"up","refers":"M","properties":["hierarchy"]}]}
{"event_type":"A","fields":[{"name":"C","refers":"C"},{"name":"n"}]}
{"event_type":"Odd","fields":[{"name":"N","refers":"Nowhere"}]}
`
	const defined = `{"event_type":"A","fields":[{"name":"n"}]}` + "\n"
	for text, want := range map[string]string{
		`{"data_set":{}}`:   "without a definition",
		`{"event_type":""}`: "line 1: event type without a name",
		defined + defined:   `line 2: two types are called "A"`,
		`{"event_type":"A","fields":[{"name":"x","refers":"B","properties":["amount"]}]}`: "cannot be an amount",
		`{"event_type":"A","fields":[{"name":"x","refers":"B"}]}`:                         `refers to "B", which is not a defined`,
		`{"event_type":"A","fields":7}`:                                                   `line 1: fields of type "A"`,
		defined + `{"event":"A","fields":{"n":1.5}}`:                                      `line 2: A 0: field "n": 1.5 is not an integer; choose a finer unit`,
		defined + `{"event":"A","fields":{"n":1e3}}`:                                      "finer unit",
		defined + `{"event":"A","fields":{"n":9223372036854775808}}`:                      "does not fit 64 bits",
		defined + `{"event":"A","fields":{"n":"x"}}`:                                      `expected an integer, but found "x"`,
		defined + `{"event":"A","fields":{}}`:                                             `field "n": has no value`,
		defined + `{"event":"A","fields":{"m":1}}`:                                        `without a field "m"`,
		defined + `{"event":"A","rows":[[1,2]]}`:                                          "has 2 fields",
		defined + `{"event":"A","rows":[5]}`:                                              "expected an array",
		defined + `{"event":"B"}`:                                                         "not defined",
		defined + `{"entity":"B","id":1}`:                                                 "not defined",
		defined + `[1]`:                                                                   "expected a JSON object",
		defined + `{"a":`:                                                                 "broken",
		defined + `{"a":1}`:                                                               "expected one of the keys",
		types + `{"event":"A","rows":[["x",1]]}`:                                          `line 5: A 0: field "C": there is no C with the id "x"`,
		types + `{"event":"A","rows":[[{},1]]}`:                                           "expected the id of a C",
		types + `{"event":"Odd","rows":[["x"]]}`:                                          "not defined by a line before",
		types + `{"entity":"C"}`:                                                          "neither an id nor a name",
		types + `{"entity":"C","id":[]}`:                                                  "expected its id",
		types + `{"entity":"C","id":1,"name":5}`:                                          "expected its name",
		types + `{"entity":"M","id":1,"fields":{"up":1}}`:                                 "there is no M",
	} {
		_, err := sourcetest.TryRead([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
	// After the first element, a wrong one is a warning.
	set := sourcetest.Read(t, []byte(`{"entity_type":"C"}`+"\n"+`{"entity":"C","id":1,"name":"a"}`+"\n"+`{"entity":"C","id":"1","name":"b"}`))
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], `line 3: C 1: the id "1" is taken by C 0`) {
		t.Errorf("%q", set.Warnings)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"\n" + `{"event_type":"A"}`:                        true,
		`{"fields":[],"entity_type":"A"}`:                  true,
		`{ "data_set":{"name":"` + strings.Repeat("x", 99): true,
		`{"traceEvents":[`:                                 false,
		`{"nodes":1,"event":{"event_type":1}}`:             false,
		`["event_type"]`:                                   false,
		`{`:                                                false,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "allocations.ndjson"))
	f.Add(file(f, "tree.ndjson"))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "ndjson", raw) })
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"entity_type":"M"}` + "\n" + `{"event_type":"A","fields":[{"name":"m","refers":"M"},{"name":"n","properties":["amount"]}]}` + "\n")
	for i := range 1000 {
		fmt.Fprintf(&text, `{"entity":"M","id":"m%d","name":"method %d"}`+"\n", i, i)
	}
	for i := range 10_000 {
		text.WriteString(`{"event":"A","rows":[`)
		for j := range 50 {
			fmt.Fprintf(&text, `["m%d",%d],`, (i*j)%1000, i*j*37)
		}
		text.WriteString(`["m1",1]]}` + "\n")
	}
	raw := []byte(text.String())
	sourcetest.Benchmark(b, raw, len(raw))
}
