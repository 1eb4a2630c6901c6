package jfr

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// asyncProfiler are the classes that async-profiler 4 describes, as far as they
// matter, in its order of fields.
var asyncProfiler = [][]string{
	{"boolean"}, {"byte"}, {"char"}, {"short"}, {"int"}, {"long"}, {"float"}, {"double"}, {"java.lang.String"},
	{"jdk.types.Symbol", "java.lang.String string"},
	{"jdk.types.ClassLoader", "java.lang.Class* type", "jdk.types.Symbol* name"},
	{"java.lang.Class", "jdk.types.ClassLoader* classLoader", "jdk.types.Symbol* name", "int modifiers"},
	{"java.lang.Thread", "java.lang.String osName", "long osThreadId", "java.lang.String javaName", "long javaThreadId"},
	{"jdk.types.ThreadState", "java.lang.String name"},
	{"jdk.types.FrameType", "java.lang.String description"},
	{"jdk.types.Method", "java.lang.Class* type", "jdk.types.Symbol* name", "jdk.types.Symbol* descriptor", "int modifiers", "boolean hidden"},
	{"jdk.types.StackFrame", "jdk.types.Method* method", "int lineNumber", "int bytecodeIndex", "jdk.types.FrameType* type"},
	{"jdk.types.StackTrace", "boolean truncated", "jdk.types.StackFrame+ frames"},
	{"jdk.ExecutionSample", "long startTime Timestamp TICKS", "java.lang.Thread* sampledThread", "jdk.types.StackTrace* stackTrace", "jdk.types.ThreadState* state"},
	{"profiler.WallClockSample", "long startTime Timestamp TICKS", "java.lang.Thread* sampledThread", "jdk.types.StackTrace* stackTrace", "jdk.types.ThreadState* state", "int samples"},
	{"jdk.ObjectAllocationInNewTLAB", "long startTime Timestamp TICKS", "java.lang.Thread* eventThread", "jdk.types.StackTrace* stackTrace", "java.lang.Class* objectClass", "long allocationSize DataAmount BYTES", "long tlabSize DataAmount BYTES"},
	{"jdk.ObjectAllocationOutsideTLAB", "long startTime Timestamp TICKS", "java.lang.Thread* eventThread", "jdk.types.StackTrace* stackTrace", "java.lang.Class* objectClass", "long allocationSize DataAmount BYTES"},
	{"profiler.LiveObject", "long startTime Timestamp TICKS", "java.lang.Thread* eventThread", "jdk.types.StackTrace* stackTrace", "java.lang.Class* objectClass", "long allocationSize DataAmount BYTES", "long allocationTime Timestamp TICKS"},
	{"jdk.JavaMonitorEnter", "long startTime Timestamp TICKS", "long duration Timespan TICKS", "java.lang.Thread* eventThread", "jdk.types.StackTrace* stackTrace", "java.lang.Class* monitorClass", "java.lang.Thread* previousOwner", "long address MemoryAddress x"},
	{"jdk.ActiveSetting", "long startTime Timestamp TICKS", "long duration Timespan TICKS", "java.lang.Thread* eventThread", "jdk.types.StackTrace* stackTrace", "long id", "java.lang.String name", "java.lang.String value"},
}

// writeAsync writes a recording as async-profiler lays one out: metadata first,
// constants last. shift makes the ids of a second recording others.
func writeAsync(packed bool, shift int) []byte {
	w := writer{packed: packed}
	classes := asyncProfiler
	for range shift {
		classes = append([][]string{{fmt.Sprint("padding", len(classes))}}, classes...)
	}
	w.metadata(classes...)
	frame := func(method int) []any { return []any{method, int32(7), int32(0), 1} }
	stack := func(truncated bool, methods ...int) []any {
		list := []any{truncated, int32(len(methods))}
		for _, m := range methods {
			list = append(list, frame(m)...)
		}
		return list
	}
	id := func(name string) int64 { return w.ids[name] }
	w.event(id("jdk.ActiveSetting"), 1000, 0, 0, 0, 5, "version", latin("4.\xe9"))
	w.event(id("jdk.ExecutionSample"), 1500, 1, 1, 1)
	w.event(id("jdk.ExecutionSample"), 1400, 1, 2, 2)
	w.event(id("profiler.WallClockSample"), 1600, 2, 2, 2, int32(9))
	w.event(id("jdk.ObjectAllocationInNewTLAB"), 1700, 1, 1, 2, 24, 2000)
	w.event(id("jdk.ObjectAllocationOutsideTLAB"), 1800, 1, 2, 3, 70000)
	w.event(id("profiler.LiveObject"), 1900, 1, 1, 2, 24, 1100)
	w.event(id("jdk.JavaMonitorEnter"), 2000, 250, 2, 1, 2, 1, 0x7fff0000)
	w.event(id("jdk.ExecutionSample"), 2100, 1, 77, 1) // a stack that is not there
	w.event(99999, 1)                                  // a type that is not described
	w.checkpoint(
		constants{"jdk.types.FrameType", map[int64][]any{1: {"JIT compiled"}}},
		constants{"jdk.types.ThreadState", map[int64][]any{1: {"STATE_RUNNABLE"}, 2: {wide{'S', 'L', 0x4e2d}}}},
		constants{"java.lang.Thread", map[int64][]any{1: {"os", 11, "main", 1}, 2: {"[tid=12]", 12, nil, 0}}},
		constants{"jdk.types.StackTrace", map[int64][]any{1: stack(false, 1, 2), 2: stack(true, 3, 1, 2)}},
		constants{"jdk.types.Method", map[int64][]any{1: {1, 10, 11, int32(0), false}, 2: {1, 12, 13, int32(0), false}, 3: {4, 14, 15, int32(0), false}}},
		constants{"java.lang.Class", map[int64][]any{1: {1, 1, int32(0)}, 2: {1, 2, int32(0)}, 3: {0, 3, int32(0)}, 4: {0, 4, int32(0)}}},
		constants{"jdk.types.ClassLoader", map[int64][]any{1: {1, 1}}}, // of a class that it loaded itself
		constants{"jdk.types.Symbol", map[int64][]any{
			1: {"a/b/Work"}, 2: {"java/lang/String"}, 3: {"[[Ljava/lang/Object;"}, 4: {"libc.so.6"},
			10: {"step"}, 11: {"(I[Ljava/lang/String;)V"}, 12: {"main"}, 13: {constant(5)}, 14: {"__read"}, 15: {"()L;"},
		}},
		constants{"java.lang.String", map[int64][]any{5: {constant(6)}, 6: {"()V"}}},
	)
	return w.chunk()
}

// TestAsyncProfiler reads what async-profiler writes, with both ways to write
// integers.
func TestAsyncProfiler(t *testing.T) {
	for _, packed := range []bool{true, false} {
		set := sourcetest.Read(t, writeAsync(packed, 0))
		got := sourcetest.Summary(set)
		for _, want := range []string{
			"warning: 1 events are of types that the metadata does not describe",
			"warning: 1 references lead to constants that are not in the file",
			"warning: 1 of 2 different stacks were cut off",
			"events: Sample 8\n  fields: Context, samples, wall-clock samples, allocated, live, lock, Event, Thread, State, Object, Time",
			"events: jdk.ActiveSetting 1\n",
			"methods: 3\ncontexts: 3\ndepth: 3\n",
			"samples (count), total 3\n  1 a.b.Work.main();a.b.Work.step(int, String[])\n  1 a.b.Work.main();a.b.Work.step(int, String[]);__read\n",
			"wall-clock samples (count), total 9\n  9 a.b.Work.main();a.b.Work.step(int, String[]);__read\n",
			"allocated (bytes), total 72000\n",
			"live (bytes), total 24\n",
			"lock (nanoseconds), total 500\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("compressed %v: there is no %q in\n%s", packed, want, got)
			}
		}
		samples := set.Event(source.TypeSample)
		if got := written(set, samples, "Time"); got != "800 1000 1200 1400 1600 1800 2000 2200" {
			t.Errorf("compressed %v: times are %s", packed, got)
		}
		if got := written(set, samples, "State"); got != "SL中 STATE_RUNNABLE SL中 - - - - STATE_RUNNABLE" {
			t.Errorf("compressed %v: states are %s", packed, got)
		}
		if got := written(set, samples, "Object"); got != "- - - java.lang.String java.lang.Object[][] java.lang.String java.lang.String -" {
			t.Errorf("compressed %v: objects are %s", packed, got)
		}
		if got := written(set, samples, "Thread"); got != "main main [tid=12] main main main [tid=12] main" {
			t.Errorf("compressed %v: threads are %s", packed, got)
		}
		if got := written(set, set.Event("jdk.ActiveSetting"), "value"); got != "4.é" {
			t.Errorf("compressed %v: the value of the setting is %s", packed, got)
		}
	}
}

// written writes a column for people.
func written(set *data.Set, events *data.EventTable, name string) string {
	c, ok := events.Column(name)
	if !ok {
		return "missing"
	}
	var b strings.Builder
	for _, v := range c.Values {
		fmt.Fprint(&b, v, " ")
	}
	for _, id := range c.Refs {
		name := set.Entity(events.Fields[events.Field(name)].Refers).NameOf(id)
		if name == "" {
			name = "-"
		}
		b.WriteString(name + " ")
	}
	return strings.TrimSpace(b.String())
}

// TestChunks puts recordings behind each other whose types have other numbers,
// and integers another form.
func TestChunks(t *testing.T) {
	one := sourcetest.Profile(sourcetest.Read(t, writeAsync(true, 0)))
	three := sourcetest.Profile(sourcetest.Read(t, bytes.Join([][]byte{writeAsync(true, 0), writeAsync(false, 3), writeAsync(true, 1)}, nil)))
	for m, total := range one.Totals {
		if three.Totals[m] != 3*total {
			t.Errorf("%s of three chunks is %d, of one %d", one.Metrics[m], three.Totals[m], total)
		}
	}
	if three.Contexts != one.Contexts || three.Methods != one.Methods {
		t.Errorf("three chunks have %d contexts and %d methods, one has %d and %d", three.Contexts, three.Methods, one.Contexts, one.Methods)
	}
}

// TestUnlikeChunks reads chunks whose events of one name have other fields.
func TestUnlikeChunks(t *testing.T) {
	basic := [][]string{{"long"}, {"int"}, {"java.lang.String"}}
	var file []byte
	for _, fields := range [][]string{
		{"app.Event", "long startTime Timestamp TICKS", "long size DataAmount BYTES"},
		{"app.Event", "java.lang.String name", "long startTime Timestamp TICKS", "long size Timespan NANOSECONDS"},
		{"app.Event", "long startTime Timestamp TICKS"},
	} {
		w := writer{packed: true}
		w.metadata(append(basic, fields)...)
		values := map[int][]any{3: {1000, 7}, 4: {"x", 900, 8}, 2: {1100}}[len(fields)]
		w.event(w.ids["app.Event"], values...)
		file = append(file, w.chunk()...)
	}
	set := sourcetest.Read(t, file)
	events := set.Event("app.Event")
	for name, want := range map[string]string{"startTime": "-200 0 200", "size": "0 7 0", "name": "x - -", "size (2)": "8 0 0"} {
		if got := written(set, events, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestCircles reads constants and classes that lead back to themselves.
func TestCircles(t *testing.T) {
	w := writer{packed: true}
	w.metadata([][]string{
		{"long"}, {"int"}, {"boolean"}, {"java.lang.String"},
		{"Node", "Node* next", "long value", "Inner inner"},
		{"Inner", "Node* node", "long deep"},
		{"Self", "Self self"}, // a value within itself never ends
		{"Empty"},
		{"app.Event", "long startTime Timestamp TICKS", "Node* node", "Empty+ nothing", "java.lang.String text"},
		{"app.Endless", "long startTime Timestamp TICKS", "Self self"},
	}...)
	w.event(w.ids["app.Event"], 1000, 1, int32(3), constant(1))
	w.event(w.ids["app.Event"], 1000, 1, int32(0x7fffffff), "never reached")
	w.event(w.ids["app.Endless"], 1000)
	w.checkpoint(
		constants{"Node", map[int64][]any{1: {1, 5, 1, 6}}},
		constants{"java.lang.String", map[int64][]any{1: {constant(2)}, 2: {constant(1)}}},
	)
	set := sourcetest.Read(t, w.chunk())
	events := set.Event("app.Event")
	if events == nil || events.Rows() != 1 {
		t.Fatalf("there is not one event:\n%s", sourcetest.Summary(set))
	}
	if got := written(set, events, "node value") + ", " + written(set, events, "node inner deep") + ", " + written(set, events, "text"); got != "5, 6, -" {
		t.Errorf("the values are %s", got)
	}
	got := strings.Join(set.Warnings, "\n")
	for _, want := range []string{"2 events end before all of their fields", "app.Event.node.inner.node, app.Event.node.next, app.Event.nothing"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in the warnings:\n%s", want, got)
		}
	}
}

func TestErrors(t *testing.T) {
	good := writeAsync(true, 0)
	for what, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"short":    {good[:20], "byte 0: the file ends within the header of a chunk, after 20 of 68 bytes"},
		"old":      {append([]byte("FLR\x00\x00\x00\x00\x09"), good[8:]...), "version 0.9; only version 2.x"},
		"no types": {good[:headerBytes], "without the metadata"},
		"tiny":     {append(append(bytes.Clone(good[:8]), 0, 0, 0, 0, 0, 0, 0, 5), good[16:]...), "a size of 5 bytes"},
	} {
		if _, err := sourcetest.TryRead(c.raw); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", what, err, c.want)
		}
	}
	for what, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"cut off":    {good[:len(good)-30], "the chunk is cut off"},
		"unfinished": {append(append(bytes.Clone(good[:8]), make([]byte, 8)...), good[16:]...), ""},
		"garbage":    {append(bytes.Clone(good), "garbage that is long enough to be the header of another chunk, and more"...), "expected a chunk"},
	} {
		set, err := sourcetest.TryRead(c.raw)
		if err != nil || set.Event("jdk.ExecutionSample").Rows() != 3 || !strings.Contains(strings.Join(set.Warnings, "\n"), c.want) {
			t.Errorf("%s: the error is %v, and the set\n%s", what, err, sourcetest.Summary(set))
		}
	}
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, writeAsync(true, 0))
	sourcetest.Hostile(t, writeAsync(false, 0))
	sourcetest.Hostile(t, recording(t, "jdk25"))
}

func FuzzRead(f *testing.F) {
	f.Add(writeAsync(true, 0))
	f.Add(writeAsync(false, 1))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "jfr", raw) })
}

// BenchmarkEvents reads a chunk of samples and allocations.
func BenchmarkEvents(b *testing.B) {
	w := writer{packed: true}
	w.metadata(asyncProfiler...)
	const stacks, methods = 2000, 500
	frames := func(n int) []any {
		list := []any{false, int32(20)}
		for i := range 20 {
			list = append(list, 1+(n*7+i*i)%methods, int32(i), int32(0), 0)
		}
		return list
	}
	stack, method, symbol := map[int64][]any{}, map[int64][]any{}, map[int64][]any{1: {"a/Work"}, 2: {"()V"}}
	for i := range stacks {
		stack[int64(i+1)] = frames(i)
	}
	for i := range methods {
		method[int64(i+1)] = []any{1, 10 + i, 2, int32(0), false}
		symbol[int64(10+i)] = []any{fmt.Sprint("m", i)}
	}
	for i := range 400_000 {
		w.event(w.ids["jdk.ExecutionSample"], 1000+1000*i, 1+i%50, 1+i%stacks, 0)
		w.event(w.ids["jdk.ObjectAllocationInNewTLAB"], 1500+1000*i, 1+i%50, 1+i%stacks, 1, 24, 4096)
	}
	thread := map[int64][]any{}
	for i := range 50 {
		thread[int64(i+1)] = []any{"os", i, fmt.Sprint("thread ", i), i}
	}
	w.checkpoint(constants{"jdk.types.StackTrace", stack}, constants{"jdk.types.Method", method}, constants{"jdk.types.Symbol", symbol},
		constants{"java.lang.Class", map[int64][]any{1: {0, 1, int32(0)}}}, constants{"java.lang.Thread", thread})
	raw := w.chunk()
	sourcetest.Benchmark(b, raw, len(raw))
}
