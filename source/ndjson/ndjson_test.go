package ndjson

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
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

// TestShortWay reads lines that are right or wrong in all sorts of ways, and again
// with a key that means nothing, with which no line goes the short way.
func TestShortWay(t *testing.T) {
	const types = `{"entity_type":"C"}
{"entity_type":"M","fields":[{"name":"up","refers":"M","properties":["hierarchy"]},{"name":"n"}]}
{"event_type":"A","fields":[{"name":"C","refers":"C"},{"name":"n"}]}
{"event_type":"B","fields":[{"name":"M","refers":"M"},{"name":"C","refers":"C"}]}
{"entity":"C","id":1,"name":"one"}
{"entity":"M","id":"m","name":"m","fields":{"n":1}}
{"event":"A","rows":[[1,1]]}
`
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	value := func() string {
		if random.IntN(2) == 0 {
			return strconv.Itoa(random.IntN(40))
		}
		return pick(`1`, `"1"`, `"m"`, `"m1"`, `null`, `-1`, `-0`, `007`, `1.5`, `2e1`, `"ü"`, `"\u006d"`, `"a\\b"`, `{}`, `[1]`, `true`, `nul`, ``,
			`9223372036854775807`, `-9223372036854775808`, `9223372036854775808`, `123456789012345678901`, `2000`, "\"\t\"", "\"\xff\"", `"null"`, `"07"`)
	}
	blank := func() string { return pick("", "", "", " ", "\t", "  ") }
	list := func(n int, of func() string) string {
		var all []string
		for range max(0, n+oneOff(random)) {
			all = append(all, blank()+of()+blank())
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	var short, long strings.Builder
	short.WriteString(types)
	long.WriteString(types)
	for range 20_000 {
		var line string
		switch random.IntN(6) {
		case 0, 1:
			line = `"event":` + blank() + `"` + pick("A", "A", "B", "Z") + `",` + blank() + `"rows":` + list(3, func() string { return list(2, value) })
		case 2:
			line = `"event":"A","fields":{"` + pick("C", "C", "C", "n") + `":` + value() + `,"n":` + blank() + value() + pick("}", "}", "}", `,"n":5}`, `,"x":5}`)
		case 3:
			line = `"entity":"C","rows":` + list(3, func() string { return list(2, value) })
		case 4:
			line = `"entity":"M",` + blank() + `"rows":` + list(3, func() string { return list(4, value) })
		case 5:
			line = `"entity":"C","id":` + value() + `,"name":` + value()
		}
		line += pick("}", "}", "}", "}", "}", "}", " }", `,"rows":[]}`, `,"warning":1}`, "", "}}", "} x", "\x00}")
		short.WriteString("{" + line + "\n")
		long.WriteString(`{"":0,` + line + "\n")
	}
	got, want := sourcetest.Read(t, []byte(short.String())), sourcetest.Read(t, []byte(long.String()))
	if !slices.Equal(got.Warnings, want.Warnings) {
		for i := range min(len(got.Warnings), len(want.Warnings)) {
			if got.Warnings[i] != want.Warnings[i] {
				t.Fatalf("warning %d is %s, on the long way %s", i, got.Warnings[i], want.Warnings[i])
			}
		}
		t.Fatalf("%d warnings, on the long way %d", len(got.Warnings), len(want.Warnings))
	}
	if difference := sourcetest.Difference(got, want); difference != "" {
		t.Error(difference)
	}
	if a, c, m := got.Event("A").Rows(), got.Entity("C").Rows(), got.Entity("M").Rows(); a < 1000 || c < 30 || m < 30 {
		t.Errorf("only %d events, %d and %d entities are compared", a, c, m)
	}
}

// oneOff is mostly 0, seldom 1 or -1.
func oneOff(random *rand.Rand) int {
	if random.IntN(8) > 0 {
		return 0
	}
	return 2*random.IntN(2) - 1
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "allocations.ndjson"))
	f.Add(file(f, "tree.ndjson"))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "ndjson", raw) })
}

// BenchmarkRead measures streams of events in rows, of which entities are known by
// texts or by numbers, as Python writes them, and as objects; and of entities.
func BenchmarkRead(b *testing.B) {
	const types = `{"entity_type":"M"}` + "\n" + `{"event_type":"A","fields":[{"name":"m","refers":"M"},{"name":"n","properties":["amount"]}]}` + "\n"
	stream := func(id, line string, rows func(w *strings.Builder, i int)) []byte {
		var text strings.Builder
		text.WriteString(types)
		for i := range 1000 {
			fmt.Fprintf(&text, `{"entity":"M","id":`+id+`,"name":"method %d"}`+"\n", i, i)
		}
		for i := range 10_000 {
			if line == "" {
				rows(&text, i)
				continue
			}
			fmt.Fprintf(&text, `{"event":"A","rows":[`+line, i%1000, i)
			rows(&text, i)
			text.WriteString("]}\n")
		}
		return []byte(text.String())
	}
	repeat := func(form string) func(*strings.Builder, int) {
		return func(w *strings.Builder, i int) {
			for j := range 50 {
				fmt.Fprintf(w, form, (i*j)%1000, i*j*37)
			}
		}
	}
	entity := 0
	for _, s := range []struct {
		name string
		text []byte
	}{
		{"rows", stream(`"m%d"`, `["m%d",%d]`, repeat(`,["m%d",%d]`))},
		{"numbers", stream(`%d`, `[%d,%d]`, repeat(`,[%d,%d]`))},
		{"python", stream(`"m%d"`, `["m%d", %d]`, repeat(`, ["m%d", %d]`))},
		{"objects", stream(`"m%d"`, "", repeat(`{"event":"A","fields":{"m":"m%d","n":%d}}`+"\n"))},
		{"entities", stream(`"m%d"`, "", func(w *strings.Builder, _ int) {
			w.WriteString(`{"entity":"M","rows":[`)
			for range 20 {
				entity++
				fmt.Fprintf(w, `["e%d","method %d"],`, entity, entity)
			}
			fmt.Fprintf(w, `["f%d",null]]}`+"\n", entity)
		})},
	} {
		b.Run(s.name, func(b *testing.B) { sourcetest.Benchmark(b, s.text, len(s.text)) })
	}
}
