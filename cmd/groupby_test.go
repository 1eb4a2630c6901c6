package cmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Grouped by labels, the tree begins with their values, and with what has none.
// The sums of the workers are those that `go tool pprof -tagroot worker -top
// -cum -sample_index=samples` prints.
func TestGroupBy(t *testing.T) {
	status, out, errs := cambium(t, "", "tree", "../samples/gowork.cpu.pb.gz", "--group-by", "mode,worker", "--metric", "samples", "--depth", "2", "--json")
	if status != 0 {
		t.Fatal(errs)
	}
	got := ""
	for line := range strings.Lines(out) {
		var node struct {
			Name  string
			Depth int
			Total map[string]int64
		}
		if err := json.Unmarshal([]byte(line), &node); err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf("%s%s %d\n", strings.Repeat("  ", node.Depth), node.Name, node.Total["samples"])
	}
	const want = ` 13655
  mode types 13061
    worker 4 2207
    worker 3 2190
    worker 0 2187
    worker 2 2163
    worker 1 2162
    worker 5 2152
  no mode 594
    no worker 594
`
	if got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
	status, _, errs = cambium(t, "", "info", "../samples/gowork.cpu.pb.gz", "--group-by", "colour")
	if want := `events of type Sample cannot be grouped by "colour": they refer to mode, worker, Method, Class, Package, File, Binary`; status != 1 || !strings.Contains(errs, want) {
		t.Errorf("status %d: %s", status, errs)
	}
}
