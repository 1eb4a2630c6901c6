// Package examples builds and tests the examples as their authors would: each
// is a program of its own, outside of cambium. What does not belong here: what
// an example shows, which is for its own tests.
package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// run runs a command in a folder and gives what it prints.
func run(t *testing.T, folder string, stdin *os.File, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = folder
	if stdin != nil {
		c.Stdin = stdin
	}
	// The example must get along with the versions that it names itself.
	c.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, stderr.String())
	}
	return string(out)
}

// binary builds a main package of a module and gives the file.
func binary(t *testing.T, folder, target string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	run(t, folder, nil, "go", "build", "-o", file, target)
	return file
}

// TestPolymorphism builds the module of a third party, runs its tests, and
// asks its command for its own chart of its own format.
func TestPolymorphism(t *testing.T) {
	run(t, "polymorphism", nil, "go", "vet", ".")
	run(t, "polymorphism", nil, "go", "test", ".")
	program := binary(t, "polymorphism", ".")
	got := run(t, "polymorphism", nil, program, "chart", "calls.log", "--viz", "polymorphism", "--sort", "lexical")
	if want := "3\tShapes.draw:14\n1\tShapes.name:3\n2\tShapes.sort:8\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var info struct{ Format string }
	if err := json.Unmarshal([]byte(run(t, "polymorphism", nil, program, "info", "calls.log", "--json")), &info); err != nil || info.Format != "calls" {
		t.Errorf("the format is %q (%v)", info.Format, err)
	}
	// The charts that come with cambium draw the new source too.
	got = run(t, "polymorphism", nil, program, "chart", "calls.log", "--viz", "bar", "--map", "y=Target", "--map", "x=count")
	if !strings.HasPrefix(got, "3\tCircle.area\n2\tObject.toString\n") {
		t.Errorf("got %q", got)
	}
}

// TestLines: the thesis's point is that little is new in a source or a chart.
func TestLines(t *testing.T) {
	files, err := filepath.Glob("polymorphism/*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines == 0 || lines >= 200 {
		t.Errorf("the example has %d lines, want fewer than 200", lines)
	}
}

// TestStrace reads a recording of strace with the example in JavaScript, and
// compares with what a look at the recording's lines says.
func TestStrace(t *testing.T) {
	recording, err := os.ReadFile("strace/sort.strace")
	if err != nil {
		t.Fatal(err)
	}
	calls, opened := 0, 0
	for line := range strings.Lines(string(recording)) {
		if strings.HasSuffix(line, ">\n") && !strings.Contains(line, "unfinished ...>") {
			calls++
			if strings.Contains(line, " openat(") || strings.Contains(line, " openat resumed") {
				opened++
			}
		}
	}
	cambium := binary(t, "..", "./cmd/cambium")
	stream := filepath.Join(t.TempDir(), "stream.ndjson")
	if err := os.WriteFile(stream, []byte(run(t, "strace", nil, "node", "strace2cambium.mjs", "sort.strace")), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var values []struct {
		Entity string
		Value  int
	}
	out := run(t, ".", in, cambium, "chart", "-", "--viz", "bar", "--map", "y=System call", "--map", "x=count", "--json")
	if err := json.Unmarshal([]byte(out), &values); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, v := range values {
		sum += v.Value
		if v.Entity == "openat" && v.Value != opened {
			t.Errorf("%d calls of openat, want %d", v.Value, opened)
		}
	}
	if sum != calls || opened == 0 {
		t.Errorf("%d calls, want %d (%d openat)", sum, calls, opened)
	}
}
