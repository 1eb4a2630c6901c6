package sourcetest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

var update = flag.Bool("update", false, "rewrite the golden summaries")

// CheckFolder checks every file of a folder, and that every golden summary in
// it belongs to a file.
func CheckFolder(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if file, ok := strings.CutSuffix(name, ".golden"); ok {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: there is no file that it is the summary of", name)
			}
		} else if !e.IsDir() && e.Name() != "README.md" {
			t.Run(e.Name(), func(t *testing.T) { Check(t, name) })
		}
	}
}

// Check reads a file without telling its name, compares the summary of it with
// the golden one beside it, and checks what must hold for every source.
func Check(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := Read(t, raw)
	Integrity(t, set)
	golden := path + ".golden"
	got := Summary(set)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it)\ngot:\n%s\nwant:\n%s", golden, got, want)
	}

	slow, err := readFrom(context.Background(), iotest.OneByteReader(bytes.NewReader(raw)))
	if err != nil {
		t.Fatalf("byte by byte: %v", err)
	}
	if !reflect.DeepEqual(set, slow) {
		t.Errorf("read byte by byte, the data set is another:\n%s", Summary(slow))
	}

	spilled(t, raw, set)

	ctx, cancel := context.WithCancel(context.Background())
	if _, err := readFrom(ctx, &cancelling{r: bytes.NewReader(raw), after: len(raw) / 2, cancel: cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled on the way: the error is %v", err)
	}
}

// cancelling cancels when half is read, and then goes on.
type cancelling struct {
	r      io.Reader
	after  int
	cancel func()
}

func (c *cancelling) Read(p []byte) (int, error) {
	n, err := c.r.Read(p[:min(len(p), 512)])
	if c.after -= n; c.after <= 0 {
		c.cancel()
	}
	return n, err
}

// Read reads what must be readable.
func Read(t testing.TB, raw []byte) *data.Set {
	t.Helper()
	set, err := readFrom(context.Background(), bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TryRead reads what may be broken.
func TryRead(raw []byte) (*data.Set, error) {
	return readFrom(context.Background(), bytes.NewReader(raw))
}

func readFrom(ctx context.Context, r io.Reader) (*data.Set, error) {
	in, err := source.NewInput(ctx, "test", r, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return source.Read(ctx, in)
}

// Integrity checks that all that a set refers to is there.
func Integrity(t testing.TB, set *data.Set) {
	t.Helper()
	check := func(def data.Definition, rows int, columns []data.Column) {
		if len(columns) != len(def.Fields) {
			t.Errorf("%s: %d columns for %d fields", def.Name, len(columns), len(def.Fields))
			return
		}
		for i, f := range def.Fields {
			if n := len(columns[i].Refs) + len(columns[i].Values); n != rows {
				t.Errorf("%s: field %s has %d rows of %d", def.Name, f.Name, n, rows)
			}
			if !f.IsReference() {
				continue
			}
			target := set.Entity(f.Refers)
			for row, id := range columns[i].Refs {
				if id != data.None && (int(id) >= target.Rows() || f.Has(data.Hierarchy) && int(id) >= row) {
					t.Errorf("%s %d: field %s refers to %d", def.Name, row, f.Name, id)
					return
				}
			}
		}
	}
	for _, e := range set.Entities() {
		check(e.Definition, e.Rows(), e.Columns)
		if e.Names != nil && len(e.Names) != e.Rows() {
			t.Errorf("%s: %d names for %d entities", e.Definition.Name, len(e.Names), e.Rows())
		}
		for _, name := range e.Names {
			if strings.ToValidUTF8(name, "") != name {
				t.Errorf("%s: the name %q is not UTF-8", e.Definition.Name, name)
			}
		}
	}
	for _, e := range set.Events() {
		check(e.Definition, e.Rows(), e.Columns)
		if err := e.Read(context.Background(), set.Paths(e.Definition), func(data.Batch) error { return nil }); err != nil {
			t.Errorf("%s: %v", e.Definition.Name, err)
		}
	}
}

// Summary tells what is in a set, for people.
func Summary(set *data.Set) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format: %s\n", set.Format)
	for _, w := range set.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, e := range set.Entities() {
		fmt.Fprintf(&b, "entities: %s %d\n", e.Definition.Name, e.Rows())
	}
	for _, e := range set.Events() {
		fmt.Fprintf(&b, "events: %s %d\n", e.Definition.Name, e.Rows())
		var names []string
		for _, p := range set.Paths(e.Definition) {
			if !p.IsCount() { // not the source's
				names = append(names, p.Name)
			}
		}
		fmt.Fprintf(&b, "  fields: %s\n", strings.Join(names, ", "))
	}
	drawCalls(&b, set)
	s := Profile(set)
	if s == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "methods: %d\ncontexts: %d\ndepth: %d\n", s.Methods, s.Contexts, s.MaxDepth)
	drawMetrics(&b, "metric", s)
	if set.Event(source.TypeCall) != nil {
		if s := Events(set, source.TypeSample); s != nil {
			drawMetrics(&b, "metric of samples", s)
		}
	}
	return b.String()
}

func drawMetrics(b *strings.Builder, what string, s *Stats) {
	for i, m := range s.Metrics {
		fmt.Fprintf(b, "%s: %s (%s), total %d\n", what, m, s.Units[i], s.Totals[i])
		for _, stack := range Top(s.Stacks[i], 5) {
			fmt.Fprintf(b, "  %d %s\n", s.Stacks[i][stack], stack)
		}
	}
}
