package jfr

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
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

// recording gives a recording of testdata, unpacked.
func recording(t testing.TB, name string) []byte {
	z, err := zstd.NewReader(bytes.NewReader(file(t, name+".jfr.zst")))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestTruth compares every field of every event with what the JDK's own jfr
// prints, in turn.
func TestTruth(t *testing.T) {
	for _, name := range []string{"jdk17", "jdk25"} {
		t.Run(name, func(t *testing.T) {
			raw := recording(t, name)
			set := sourcetest.Read(t, raw)
			compareCounts(t, set, string(file(t, "truth/"+name+".txt")))
			z, err := gzip.NewReader(bytes.NewReader(file(t, "truth/"+name+".ndjson.gz")))
			if err != nil {
				t.Fatal(err)
			}
			events := map[string][]object{}
			for d := json.NewDecoder(z); ; {
				var e struct {
					Type   string
					Values object
				}
				if err := d.Decode(&e); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				events[e.Type] = append(events[e.Type], e.Values)
			}
			o := oracle{t: t, set: set, start: time.Unix(0, int64(binary.BigEndian.Uint64(raw[32:])))}
			for _, typ := range slices.Sorted(maps.Keys(events)) {
				o.events(typ, events[typ])
			}
			if o.compared < 500 {
				t.Errorf("only %d fields are compared", o.compared)
			}
		})
	}
}

// compareCounts compares with lines of "type count", or with what jfr summary
// prints, which has more in a line.
func compareCounts(t *testing.T, set *data.Set, counts string) {
	want := map[string]int{}
	for line := range strings.Lines(counts) {
		var name string
		var n int
		if k, _ := fmt.Sscan(line, &name, &n); k == 2 && n > 0 && strings.Contains(name, ".") && !strings.EqualFold(name, "jdk.CheckPoint") && name != "jdk.Metadata" {
			want[name] = n
		}
	}
	got := map[string]int{}
	for _, e := range set.Events() {
		if e.Definition.Name != source.TypeSample {
			got[e.Definition.Name] = e.Rows()
		}
	}
	if !maps.Equal(got, want) || len(want) < 10 {
		t.Errorf("events are %v, want %v", got, want)
	}
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.Token()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return err
		}
		m := member{name: name.(string)}
		switch text[0] {
		case '{':
			var inner object
			if err := json.Unmarshal(text, &inner); err != nil {
				return err
			}
			m.value = inner
		default:
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&m.value); err != nil {
				return err
			}
		}
		*o = append(*o, m)
	}
	return nil
}

func (o object) get(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

type oracle struct {
	t        *testing.T
	set      *data.Set
	start    time.Time
	compared int
}

// leaves lists the fields of an event as they should be columns.
func leaves(o object) (all []member) {
	for _, m := range o {
		inner, ok := m.value.(object)
		if _, stack := inner.get("frames"); !ok || stack {
			all = append(all, m)
		} else if name, ok := inner.get("javaName"); ok { // a thread
			if name == nil {
				name, _ = inner.get("osName")
			}
			all = append(all, member{m.name, name})
		} else if name, ok := inner.get("name"); ok { // a class
			all = append(all, member{m.name, javaClass(name.(string))})
		} else {
			all = append(all, leaves(inner)...)
		}
	}
	return all
}

func (o *oracle) events(typ string, events []object) {
	table := o.set.Event(typ)
	if table == nil || table.Rows() != len(events) {
		o.t.Errorf("%s: there are not %d events", typ, len(events))
		return
	}
	start := func(e object) string { s, _ := e.get("startTime"); return s.(string) }
	slices.SortStableFunc(events, func(a, b object) int { return strings.Compare(start(a), start(b)) })
	for row, e := range events {
		column := 0
		for _, m := range leaves(e) {
			for column < len(table.Fields) && strings.Contains(table.Fields[column].Name, "Referrer") {
				column++ // left out of the truth: a chain of them takes pages
			}
			if m.name == "root" && m.value == nil {
				column += 3 // where jfr prints nothing of a value, each field of it is nothing
				continue
			}
			if column >= len(table.Fields) {
				o.t.Fatalf("%s: there is no column for %s", typ, m.name)
			}
			f, c := table.Fields[column], table.Columns[column]
			if f.IsReference() {
				if got, want := o.name(f, c.Refs[row]), o.want(m.value); got != want {
					o.t.Errorf("%s %d: %s is %q, want %q", typ, row, f.Name, got, want)
				}
			} else if got, want := c.Values[row], o.number(m.value, f); max(got-want, want-got) > slack(f) {
				o.t.Errorf("%s %d: %s is %d, want %d (%v)", typ, row, f.Name, got, want, m.value)
			}
			o.compared++
			column++
		}
		if column != len(table.Fields) {
			o.t.Fatalf("%s: of %d columns %d are compared", typ, len(table.Fields), column)
		}
	}
}

// slack is how far off numbers may be: jfr calculates with float64, and the
// clock of a chunk is only as good as when its header was written.
func slack(f data.Field) int64 {
	if f.Has(data.Coordinate) && f.Unit == "nanoseconds" {
		return 1000
	}
	return 1
}

// name is what a reference comes to: of a stack, its methods.
func (o *oracle) name(f data.Field, id data.EntityID) string {
	entities := o.set.Entity(f.Refers)
	if f.Refers == source.TypeThread {
		name, _, _ := strings.Cut(entities.NameOf(id), " (")
		return name
	}
	if f.Refers != source.TypeContext {
		return entities.NameOf(id)
	}
	var names []string
	callers, methods := entities.Columns[0].Refs, entities.Columns[1].Refs
	for ; id != data.None; id = callers[id] {
		names = append(names, o.set.Entity(source.TypeMethod).NameOf(methods[id]))
	}
	return strings.Join(names, "\n")
}

func (o *oracle) want(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case object:
		frames, _ := v.get("frames")
		var names []string
		for _, f := range frames.([]any) {
			name, descriptor, _ := strings.Cut(f.(string), "(")
			dot := strings.LastIndexByte(name, '.')
			arguments, _ := javaArguments("(" + descriptor)
			names = append(names, javaClass(name[:dot])+name[dot:]+arguments)
		}
		return strings.Join(names, "\n")
	}
	return fmt.Sprint(v)
}

// number is what a JSON value comes to.
func (o *oracle) number(v any, f data.Field) int64 {
	switch v := v.(type) {
	case nil:
		return 0
	case json.Number:
		if n, err := v.Int64(); err == nil {
			switch {
			case n == math.MinInt32:
				return 0
			case n < 0 && f.Name == "positive": // jfr forgets that it is unsigned
				return n + 1<<32
			}
			return n
		}
		x, _ := v.Float64()
		if f.Unit == "ppm" {
			x *= 1e6
		}
		if math.Abs(x) > math.MaxInt64 {
			return int64(math.Copysign(math.MaxInt64, x)) // not MinInt64 by one, as differences are
		}
		return int64(math.Round(x))
	case string:
		if rest, ok := strings.CutPrefix(v, "PT"); ok {
			d, err := time.ParseDuration(strings.ToLower(rest))
			if err != nil {
				o.t.Fatal(err)
			}
			return int64(d)
		}
		if strings.HasPrefix(v, "-") { // there is none
			return 0
		}
		at, err := time.Parse(time.RFC3339Nano, v)
		if err != nil {
			o.t.Fatal(err)
		}
		return int64(at.Sub(o.start))
	}
	o.t.Fatalf("%v is no number", v)
	return 0
}
