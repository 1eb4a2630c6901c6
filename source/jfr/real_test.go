package jfr

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source/sourcetest"
)

// TestRecorded compares a recording of javac with what jfr says of it: how many
// events of each type there are, and all stacks of its execution samples, with
// their threads and states.
func TestRecorded(t *testing.T) {
	set := sourcetest.Read(t, sourcetest.Recorded(t, "jfr/javac.jfr"))
	compareCounts(t, set, string(sourcetest.Recorded(t, "jfr/javac.jfr.summary.truth.txt")))
	z, err := gzip.NewReader(bytes.NewReader(sourcetest.Recorded(t, "jfr/javac.jfr.exec.truth.txt.gz")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want, top := printedStacks(string(text))
	o := oracle{t: t, set: set}
	got, gotTop := map[string]int{}, map[string]int{}
	events := set.Event("jdk.ExecutionSample")
	field := func(row int, name string) string {
		c, _ := events.Column(name)
		return o.name(events.Fields[events.Field(name)], c.Refs[row])
	}
	for row := range events.Rows() {
		stack := field(row, "Stack Trace")
		got[field(row, "Thread")+"\n"+field(row, "Thread State")+"\n"+stack]++
		first, _, _ := strings.Cut(stack, "\n")
		gotTop[first]++
	}
	if !maps.Equal(got, want) {
		for stack, n := range want {
			if got[stack] != n {
				t.Errorf("there are %d of %d samples of\n%s", got[stack], n, stack)
			}
		}
	}
	if !maps.Equal(gotTop, top) || len(top) < 100 {
		t.Errorf("top frames are %v, want %v", gotTop, top)
	}
	s := sourcetest.Profile(set)
	totals := map[string]int64{}
	for m, name := range s.Metrics {
		totals[name] = s.Totals[m]
	}
	if s.Metrics[0] != "samples" || !maps.Equal(totals, recordedTotals) {
		t.Errorf("totals are %v, want %v", totals, recordedTotals)
	}
}

// recordedTotals are sums over what jfr print --json says of the recording.
var recordedTotals = map[string]int64{
	"samples": 289, "native samples": 36, "allocated (sampled)": 380_441_976, "old objects": 81, "wait": 20_666_182_706, "errors": 30,
	"Deoptimization": 75, "File Read": 219_724_406, "File Write": 12_115_507, "JVM Shutdown": 1, "Java Thread Start": 3,
}

var printedFrame = regexp.MustCompile(`^    (\S.*\))(?: line: \d+)?$`)

// printedStacks takes the output of jfr print apart.
func printedStacks(text string) (stacks, top map[string]int) {
	stacks, top = map[string]int{}, map[string]int{}
	for _, block := range strings.Split(text, "jdk.ExecutionSample {\n")[1:] {
		var thread, state string
		var frames []string
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			if _, rest, ok := strings.Cut(line, `sampledThread = "`); ok {
				thread, _, _ = strings.Cut(rest, `"`)
			} else if _, rest, ok := strings.Cut(line, `state = "`); ok {
				state, _, _ = strings.Cut(rest, `"`)
			} else if m := printedFrame.FindStringSubmatch(line); m != nil {
				frames = append(frames, m[1])
			}
		}
		stacks[thread+"\n"+state+"\n"+strings.Join(frames, "\n")]++
		top[frames[0]]++
	}
	return stacks, top
}

// BenchmarkRead reads the recording of javac.
func BenchmarkRead(b *testing.B) {
	raw := sourcetest.Recorded(b, "jfr/javac.jfr")
	sourcetest.Benchmark(b, raw, len(raw))
}
