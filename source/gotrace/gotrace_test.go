package gotrace

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/exp/trace"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var unpacked io.Reader
	if strings.HasSuffix(name, ".gz") {
		unpacked, err = gzip.NewReader(bytes.NewReader(packed))
	} else {
		unpacked, err = zstd.NewReader(bytes.NewReader(packed))
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestCounts compares numbers of events with those of go tool trace -d=parsed.
func TestCounts(t *testing.T) {
	for name, want := range map[string]map[string]int{
		// 403 goroutines ran; three only waited.
		"types.trace.gz":  {"State Change": 85605, "Metric Value": 14298, "Label Set": 42, "Goroutine": 406, "running": 403, "ranges": 1765},
		"tasks.trace.zst": {"State Change": 12449, "Metric Value": 84, "Label Set": 8, "Log Message": 6, source.TypeSample: 2, "ranges": 7 + 9 + 6},
	} {
		set := sourcetest.Read(t, file(t, name))
		if len(set.Warnings) > 0 {
			t.Errorf("%s: warnings are %q", name, set.Warnings)
		}
		for kind, n := range want {
			got := 0
			switch {
			case set.Event(kind) != nil:
				got = set.Event(kind).Rows()
			case set.Entity(kind) != nil:
				got = set.Entity(kind).Rows()
			case kind == "running":
				threads := map[string]bool{}
				for _, c := range calls(set) {
					if c.method == "[running]" {
						threads[c.thread] = true
					}
				}
				got = len(threads)
			case kind == "ranges":
				for _, c := range calls(set) {
					if !isState(c.method) {
						got++
					}
				}
			}
			if got != n {
				t.Errorf("%s: %d of %s, want %d", name, got, kind, n)
			}
		}
	}
}

func isState(method string) bool { return strings.HasPrefix(method, "[") }

// call is one, with the names of its context from the outermost on.
type call struct {
	thread, method, stack string
	start, took, self     int64
}

func calls(set *data.Set) (all []call) {
	events, contexts := set.Event(source.TypeCall), set.Entity(source.TypeContext)
	parents, _ := contexts.Column("Caller")
	keys, _ := contexts.Column("Method")
	column := func(name string) data.Column {
		c, _ := events.Column(name)
		return c
	}
	at, threads := column(source.TypeContext).Refs, column(source.TypeThread).Refs
	start, took, self := column("Start").Values, column("Duration").Values, column("Self").Values
	for row := range events.Rows() {
		c := call{thread: set.Entity(source.TypeThread).NameOf(threads[row]), start: start[row], took: took[row], self: self[row]}
		for up := at[row]; up != data.None; up = parents.Refs[up] {
			name := set.Entity(source.TypeMethod).NameOf(keys.Refs[up])
			if c.method == "" {
				c.method, c.stack = name, name
			} else {
				c.stack = name + ";" + c.stack
			}
		}
		all = append(all, c)
	}
	return all
}

// TestStates adds up how long goroutines were in each state by a loop over the
// events, and compares with the times of their calls.
func TestStates(t *testing.T) {
	for _, name := range []string{"types.trace.gz", "tasks.trace.zst", "go1.21.trace.zst"} {
		raw := file(t, name)
		events, err := trace.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		want, since, state, end := map[string]int64{}, map[trace.GoID]int64{}, map[trace.GoID]trace.GoState{}, int64(0)
		add := func(g trace.GoID, at int64) {
			if s := state[g]; s != trace.GoUndetermined && s != trace.GoNotExist {
				want[strings.ToLower(s.String())] += at - since[g]
			}
		}
		for {
			e, err := events.ReadEvent()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind() != trace.EventSync {
				end = int64(e.Time())
			}
			if e.Kind() != trace.EventStateTransition || e.StateTransition().Resource.Kind != trace.ResourceGoroutine {
				continue
			}
			st := e.StateTransition()
			g := st.Resource.Goroutine()
			add(g, int64(e.Time()))
			_, state[g] = st.Goroutine() // where it is the same, times add up all the same
			since[g] = int64(e.Time())
		}
		for g := range state {
			add(g, end)
		}
		got := map[string]int64{}
		for _, c := range calls(sourcetest.Read(t, raw)) {
			if isState(c.method) {
				s, _, _ := strings.Cut(strings.Trim(c.method, "[]"), ":")
				got[s] += c.took
				if c.self != c.took {
					t.Fatalf("%s: %+v has calls within", name, c)
				}
			}
		}
		for s, ns := range want {
			if got[s] != ns || ns == 0 {
				t.Errorf("%s: goroutines are %s for %d ns, want %d", name, s, got[s], ns)
			}
		}
		if len(got) != len(want) || len(got) != 4 {
			t.Errorf("%s: states are %v, want %v", name, got, want)
		}
	}
}

// TestScopes looks for what record/main.go does.
func TestScopes(t *testing.T) {
	stacks, request := map[string]int{}, map[string]int64{}
	for _, c := range calls(sourcetest.Read(t, file(t, "tasks.trace.zst"))) {
		stacks[c.stack]++
		if c.method == "request" || c.method == "serve" {
			request[c.method] += c.took
		}
		if strings.HasPrefix(c.method, "request") && !strings.HasPrefix(c.thread, "request") {
			t.Errorf("a task is on %s", c.thread)
		}
	}
	for stack, n := range map[string]int{
		"request":                               3,
		"compute":                               3,
		"main.main.func1;main.serve;serve":      3,
		"main.main.func1;main.serve;serve;wait": 3,
		"main.main.func1;main.serve;serve;wait;runtime/trace.WithRegion;main.serve.func2;time.Sleep;[waiting: sleep]": 3,
		"main.serve.func1;work": 3,
	} {
		if stacks[stack] != n {
			t.Errorf("%d calls of %s, want %d", stacks[stack], stack, n)
		}
	}
	if d := request["request"] - request["serve"]; d < 0 || d > request["request"]/100 {
		t.Errorf("the tasks take %d ns, but the regions that are nearly all of them %d", request["request"], request["serve"])
	}
	if t.Failed() {
		for stack := range stacks {
			if strings.Contains(stack, "main.") {
				t.Log(stack)
			}
		}
	}
}

func TestHostile(t *testing.T) { sourcetest.Hostile(t, file(t, "tasks.trace.zst")) }

func FuzzRead(f *testing.F) {
	f.Add(file(f, "tasks.trace.zst"))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "gotrace", raw) })
}

func BenchmarkRead(b *testing.B) {
	raw := file(b, "types.trace.gz")
	sourcetest.Benchmark(b, raw, len(raw))
}
