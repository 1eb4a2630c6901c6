package cmd

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/store"
)

// TestMoreThanMemory imports, opens and merges profiles and traces whose events
// are more than may be in memory, and asks the commands the same as of the file.
func TestMoreThanMemory(t *testing.T) {
	if datatest.Race {
		t.Skip("takes minutes with the race detector")
	}
	dir := t.TempDir()
	write := func(name string, fill func(w *bufio.Writer)) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		fill(w)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		return path
	}
	// The values are few bits, so that the files are small and stacks many.
	profile := write("p.folded", func(w *bufio.Writer) {
		for i := range 1_500_000 {
			fmt.Fprintf(w, "m;f%d;g%d %d\n", i%3, i%101, i%5)
		}
	})
	trace := write("t.json", func(w *bufio.Writer) {
		fmt.Fprint(w, `[{"ph":"B","ts":0,"name":"main"}`)
		for i := range 500_000 {
			if i%100 == 99 { // written late, and whole
				fmt.Fprintf(w, ",\n{\"ph\":\"X\",\"ts\":%d,\"dur\":3,\"tid\":2,\"name\":\"w\"}", 2*i-i%1000)
			}
			fmt.Fprintf(w, ",\n{\"ph\":\"B\",\"ts\":%d,\"name\":\"f%d\"},{\"ph\":\"E\",\"ts\":%d}", 2*i, i%17, 2*i+1)
		}
		fmt.Fprint(w, `,{"ph":"E","ts":1000000}]`)
	})
	temporary := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temporary, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	empty := func() {
		t.Helper()
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("temporary files are left: %v %v", left, err)
		}
	}
	// run runs a command in a new program.
	run := func(memory string, args ...string) string {
		t.Helper()
		scratch = store.Scratch{}
		defer func() { scratch = store.Scratch{} }()
		if memory != "" {
			args = append(args, "--event-memory", memory)
		}
		out := good(t, args...)
		empty()
		return out
	}
	for _, c := range []struct {
		file, events string
		ask          [][]string
	}{
		{profile, `"Sample":1500000`, [][]string{{"info", "--json"}, {"top", "--json"}, {"tree", "--json"}, {"tree", "--json", "--filter", "samples == 3"}}},
		{trace, `"Call":505001`, [][]string{{"info", "--json"}, {"tree", "--json"}, {"layout", "--view", "timeline", "--json"}}},
	} {
		imported := c.file + ".store"
		run("1M", "import", c.file, "-o", imported)
		if left, err := filepath.Glob(filepath.Join(imported, "*")); err != nil || len(left) != 3 {
			t.Errorf("the store has %q", left)
		}
		for _, ask := range c.ask {
			args := append([]string{ask[0], c.file}, ask[1:]...)
			want := run("", args...)
			if ask[0] == "info" && !strings.Contains(strings.Join(strings.Fields(want), ""), c.events) {
				t.Errorf("%s does not say %s", want, c.events)
			}
			if got := run("1M", args...); got != want {
				t.Errorf("%q with little memory: %.300s\nnot\n%.300s", args, got, want)
			}
			args[1] = imported
			if got := run("", args...); got != want {
				t.Errorf("%q: %.300s\nnot\n%.300s", args, got, want)
			}
		}
	}
	merged := filepath.Join(dir, "merged")
	run("1M", "import", "--merge", profile, profile+".store", "-o", merged)
	var i info
	decode(t, run("", "info", merged, "--json"), &i)
	if i.Events["Sample"] != 3_000_000 || i.Metrics[0].Total != 6_000_000 || i.Contexts != 1+3+303 {
		t.Errorf("merged: %+v", i)
	}
}
