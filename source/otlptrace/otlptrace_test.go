package otlptrace

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
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

// TestForms reads what the same services sent in three forms.
func TestForms(t *testing.T) {
	want := sourcetest.Summary(sourcetest.Read(t, file(t, "shop.pb")))
	for _, name := range []string{"shop.prefixed.pb", "shop.ndjson"} {
		if got := sourcetest.Summary(sourcetest.Read(t, file(t, name))); got != want {
			t.Errorf("%s is another trace:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// model is a span as the test makes it up.
type model struct {
	id, parent, trace int
	service, name     int
	start, stop       int64
}

// models makes up spans with few times, so that many of them touch.
func models(rng *rand.Rand) []model {
	var all []model
	for i := range 1 + rng.IntN(30) {
		m := model{id: i + 1, trace: rng.IntN(2), service: rng.IntN(3), name: rng.IntN(3), start: 1 + rng.Int64N(12)}
		m.stop = m.start + rng.Int64N(8)
		if len(all) > 0 && rng.IntN(4) > 0 {
			p := all[rng.IntN(len(all))]
			m.parent, m.trace = p.id, p.trace
			if rng.IntN(3) > 0 { // within its parent
				m.start = p.start + rng.Int64N(p.stop-p.start+1)
				m.stop = m.start + rng.Int64N(p.stop-m.start+1)
			}
		}
		if rng.IntN(20) == 0 {
			m.parent = 1 + rng.IntN(35) // also one that is missing, or itself
		}
		all = append(all, m)
	}
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all
}

func hexID(digits, n int) string { return fmt.Sprintf("%0*x", digits, n) }

// batches splits spans where the service changes.
func batches(all []model) (out [][]model) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].service == all[0].service {
			n++
		}
		out, all = append(out, all[:n]), all[n:]
	}
	return out
}

func asJSON(all []model) []byte {
	var b strings.Builder
	for _, batch := range batches(all) {
		var spans []any
		for _, m := range batch {
			span := map[string]any{"traceId": hexID(32, m.trace+1), "spanId": hexID(16, m.id), "name": fmt.Sprint("n", m.name), "kind": 1 + m.name,
				"startTimeUnixNano": fmt.Sprint(m.start), "endTimeUnixNano": m.stop, "parentSpanId": ""}
			if m.parent > 0 {
				span["parentSpanId"] = hexID(16, m.parent)
			}
			spans = append(spans, span)
		}
		name := map[string]any{"key": "service.name", "value": map[string]any{"stringValue": fmt.Sprint("s", batch[0].service)}}
		text, _ := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
			"resource": map[string]any{"attributes": []any{name}}, "scopeSpans": []any{map[string]any{"spans": spans}}}}})
		b.Write(text)
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

func asProto(all []model) []byte {
	var out []byte
	message := func(b []byte, num protowire.Number, body []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), body)
	}
	id := func(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
	for _, batch := range batches(all) {
		var scope []byte
		for _, m := range batch {
			span := message(nil, spanTrace, append(make([]byte, 8), id(m.trace+1)...))
			span = message(span, spanID, id(m.id))
			if m.parent > 0 {
				span = message(span, spanParent, id(m.parent))
			}
			span = message(span, spanName, fmt.Append(nil, "n", m.name))
			span = protowire.AppendVarint(protowire.AppendTag(span, spanKind, protowire.VarintType), uint64(1+m.name))
			span = protowire.AppendFixed64(protowire.AppendTag(span, spanStart, protowire.Fixed64Type), uint64(m.start))
			span = protowire.AppendFixed64(protowire.AppendTag(span, spanStop, protowire.Fixed64Type), uint64(m.stop))
			scope = message(scope, scopeSpansSpans, span)
		}
		value := message(nil, 1, fmt.Append(nil, "s", batch[0].service))
		resource := message(nil, resourceAttributes, message(message(nil, 1, []byte("service.name")), 2, value))
		// The resource behind its spans, which nobody writes and all may.
		out = message(out, tracesResourceSpans, message(message(nil, resourceSpansScopes, scope), resourceSpansResource, resource))
	}
	return out
}

// TestProperties compares made-up spans with what their definition says, by
// loops over all of them.
func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		all := models(rng)
		set := sourcetest.Read(t, asJSON(all))
		if other := sourcetest.Read(t, asProto(all)); sourcetest.Summary(other) != sourcetest.Summary(set) {
			t.Fatalf("round %d: protocol buffers give another trace:\n%s\nand JSON\n%s", round, sourcetest.Summary(other), sourcetest.Summary(set))
		}
		got, want := describe(set), expect(all)
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: calls are\n%s\nwant\n%s", round, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		checkLanes(t, set)
		if t.Failed() {
			t.Fatalf("round %d: %+v", round, all)
		}
	}
}

// readSpilled reads with so many rows in memory.
func readSpilled(t *testing.T, raw []byte, often int) *data.Set {
	t.Helper()
	in, err := source.NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	in.Spill, in.SpillOften = &sourcetest.Shelf{}, often
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestSpilled reads made-up spans, also many, with few of them in memory.
func TestSpilled(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	check := func(all []model, often int) {
		t.Helper()
		raw := asProto(all)
		if diff := sourcetest.Difference(sourcetest.Read(t, raw), readSpilled(t, raw, often)); diff != "" {
			t.Fatalf("of %d spans with %d in memory: %s", len(all), often, diff)
		}
	}
	for round := range 150 {
		check(models(rng), []int{1, 3, 8}[round%3])
	}
	if datatest.Race {
		t.Skip("many spans take a minute with the race detector")
	}
	for _, traces := range []int{1, 7_000} { // more of a trace, and more traces, than are put together at a time
		var all []model
		for i := range together + together/2 {
			m := model{id: i + 1, trace: i % traces, service: i / 1000 % 3, name: rng.IntN(5), start: 1 + int64(i/10) + rng.Int64N(50)}
			m.stop = m.start + rng.Int64N(200)
			if i >= traces && rng.IntN(10) > 0 {
				m.parent = m.id - traces*(1+rng.IntN(min(5, i/traces)))
			}
			all = append(all, m)
		}
		for i := range all { // children come before their parents, some of them
			k := min(len(all)-1, i+rng.IntN(300))
			all[i], all[k] = all[k], all[i]
		}
		check(all, 20_000)
	}
}

// TestDeep: callers may be many.
func TestDeep(t *testing.T) {
	const depth = 200_000
	var all []model
	for i := range depth {
		all = append(all, model{id: i + 1, parent: i, start: int64(1 + i), stop: int64(1 + 2*depth - i)})
	}
	slices.Reverse(all)
	set := sourcetest.Read(t, asProto(all))
	if n := set.Entity(source.TypeContext).Rows(); n != depth || len(set.Warnings) > 0 {
		t.Errorf("%d contexts, warnings %q", n, set.Warnings)
	}
	for _, v := range sourcetest.Columns(set, set.Event(source.TypeCall))[set.Event(source.TypeCall).Field("Self")].Values[:depth-1] {
		if v != 2 {
			t.Fatalf("a span has %d of its own", v)
		}
	}
}

// describe writes each call with its service, stack and times.
func describe(set *data.Set) []string {
	var all []string
	for _, c := range callsOf(set) {
		all = append(all, fmt.Sprintf("%s %s +%d self %d took %d %s", c.process, c.stack, c.start, c.self, c.took, c.trace))
	}
	slices.Sort(all)
	return all
}

type call struct {
	process, stack, trace string
	thread                data.EntityID
	start, self, took     int64
}

func callsOf(set *data.Set) []call {
	events := set.Event(source.TypeCall)
	column := func(name string) data.Column { c, _ := events.Column(name); return c }
	contexts, threads := set.Entity(source.TypeContext), set.Entity(source.TypeThread)
	var all []call
	for row := range events.Rows() {
		thread := column("Thread").Refs[row]
		c := call{
			process: set.Entity(source.TypeProcess).NameOf(threads.Columns[0].Refs[thread]), thread: thread,
			trace: set.Entity("Trace").NameOf(column("Trace").Refs[row]),
			start: column("Start").Values[row], self: column("Self").Values[row], took: column("Duration").Values[row],
		}
		for at := column("Context").Refs[row]; at != data.None; at = contexts.Columns[0].Refs[at] {
			m := contexts.Columns[1].Refs[at]
			binary, _ := set.Entity(source.TypeMethod).Column("Binary")
			c.stack = set.Entity(source.TypeBinary).NameOf(binary.Refs[m]) + "." + set.Entity(source.TypeMethod).NameOf(m) + ";" + c.stack
		}
		all = append(all, c)
	}
	return all
}

// expect does the same by the definition.
func expect(all []model) []string {
	byID := map[[2]int]*model{}
	began := int64(1 << 60)
	for i := range all {
		byID[[2]int{all[i].trace, all[i].id}] = &all[i]
		began = min(began, all[i].start)
	}
	parent := func(m *model) *model {
		if m.parent == 0 {
			return nil
		}
		return byID[[2]int{m.trace, m.parent}]
	}
	// A circle is cut where its members are met first; models makes only such of
	// one span or of several that are all in one.
	cut := map[*model]bool{}
	for i := range all {
		seen := map[*model]bool{}
		last := (*model)(nil)
		for m := &all[i]; m != nil && !cut[m]; m = parent(m) {
			if seen[m] {
				cut[last] = true
				break
			}
			seen[m], last = true, m
		}
	}
	up := func(m *model) *model {
		if cut[m] {
			return nil
		}
		return parent(m)
	}
	var out []string
	for i := range all {
		m := &all[i]
		stack := ""
		for at := m; at != nil; at = up(at) {
			stack = fmt.Sprintf("s%d.n%d;%s", at.service, at.name, stack)
		}
		self := int64(0)
		for at := m.start; at < m.stop; at++ {
			within := false
			for k := range all {
				within = within || up(&all[k]) == m && all[k].start <= at && at < all[k].stop
			}
			if !within {
				self++
			}
		}
		out = append(out, fmt.Sprintf("s%d %s +%d self %d took %d %s", m.service, stack, m.start-began, self, m.stop-m.start, hexID(32, m.trace+1)))
	}
	slices.Sort(out)
	return out
}

// checkLanes checks that spans of a lane that overlap are caller and called.
func checkLanes(t *testing.T, set *data.Set) {
	calls := callsOf(set)
	for i, a := range calls {
		for _, b := range calls[i+1:] {
			if a.thread != b.thread || min(a.start+a.took, b.start+b.took) <= max(a.start, b.start) {
				continue
			}
			if !strings.HasPrefix(b.stack, a.stack) || len(b.stack) <= len(a.stack) || b.start < a.start || b.start+b.took > a.start+a.took {
				t.Errorf("%+v and %+v overlap in a lane", a, b)
			}
		}
	}
}

// TestNoName: a span without a name has none, whatever others are called.
func TestNoName(t *testing.T) {
	const head, tail = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","startTimeUnixNano":"5"}`, `]}]}]}`
	const other = `,{"traceId":"00000000000000000000000000000001","spanId":"0000000000000002","startTimeUnixNano":"6","name":"f"}`
	for text, want := range map[string]string{head + tail: "(without a name)", head + other + tail: "(without a name) f"} {
		if got := strings.Join(sourcetest.Read(t, []byte(text)).Entity(source.TypeMethod).Names, " "); got != want {
			t.Errorf("methods are %s, want %s", got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"resourceSpans":[]}`:                               "there are no spans",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[5]}]}]}`: "byte 43: expected a span, but found \"5",
		`{"resourceSpans":[{"scopeSpans":[`:                  "ends early",
	} {
		if _, err := sourcetest.TryRead([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, err, want)
		}
	}
	good := file(t, "shop.pb")
	set, err := sourcetest.TryRead(good[:len(good)-10])
	if err != nil || !strings.Contains(strings.Join(set.Warnings, "\n"), "the file ends within a message") {
		t.Errorf("cut off: the error is %v", err)
	}
}

func TestHostile(t *testing.T) {
	for _, name := range []string{"shop.pb", "shop.prefixed.pb", "shop.ndjson"} {
		sourcetest.Hostile(t, file(t, name))
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"shop.pb", "shop.prefixed.pb", "shop.ndjson", "names.json"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "otlptrace", raw) })
}

// BenchmarkRead reads half a million spans: of one trace, in order, and of many
// as collectors write them: what services sent meanwhile, with ids that are random.
func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, window = 500_000, 5000
	id := func(i int) int { return int(uint64(i+1) * 0x9e3779b97f4a7c15 >> 1) }
	var one, many []model
	for i := range n {
		m := model{id: i + 1, service: i / 500 % 20, name: rng.IntN(100), start: int64(1_700_000_000_000_000_000 + i*1000)}
		m.stop = m.start + rng.Int64N(1_000_000)
		parent := 0
		if i%20 > 0 {
			parent = i - rng.IntN(i%20)
		}
		m.parent = parent
		one = append(one, m)
		m.id, m.service, m.trace = id(i), rng.IntN(20), i/20
		if parent > 0 {
			m.parent = id(parent - 1)
		}
		many = append(many, m)
	}
	for at := 0; at < n; at += window {
		part := many[at : at+window]
		rng.Shuffle(window, func(i, k int) { part[i], part[k] = part[k], part[i] })
		slices.SortStableFunc(part, func(a, b model) int { return a.service - b.service })
	}
	for _, file := range []struct {
		name string
		raw  []byte
	}{{"json", asJSON(one)}, {"proto", asProto(one)}, {"many.json", asJSON(many)}, {"many.proto", asProto(many)}} {
		b.Run(file.name, func(b *testing.B) { sourcetest.Benchmark(b, file.raw, len(file.raw)) })
	}
}
