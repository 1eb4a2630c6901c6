package pprof

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// readAll reads content as any file is read.
func readAll(r io.Reader) (*data.Set, error) {
	in, err := source.NewInput(context.Background(), "test", r, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := data.NewBuilder("test", "pprof")
	if err := read(context.Background(), in, b); err != nil {
		return nil, err
	}
	return b.Finish()
}

func mustRead(t testing.TB, content []byte) *data.Set {
	t.Helper()
	set, err := readAll(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// metricColumns gives the columns of the amounts, in order, with their fields.
func metricColumns(set *data.Set) (fields []data.Field, columns [][]int64) {
	samples := set.Event(source.TypeSample)
	for i, f := range samples.Fields {
		if f.Has(data.Amount) {
			fields = append(fields, f)
			columns = append(columns, samples.Columns[i].Values)
		}
	}
	return fields, columns
}

// stackOf gives the names of a context's frames, outermost first.
func stackOf(set *data.Set, context data.EntityID) []string {
	contexts := set.Entity(source.TypeContext)
	var names []string
	for ; context != data.None; context = contexts.Columns[0].Refs[context] {
		names = append(names, set.Entity(source.TypeMethod).NameOf(contexts.Columns[1].Refs[context]))
	}
	slices.Reverse(names)
	return names
}

// sums adds up the metrics per stack.
type sums map[string][]int64

func (s sums) add(stack []string, values []int64) {
	key := strings.Join(stack, "\n")
	if s[key] == nil {
		s[key] = make([]int64, len(values))
	}
	for i, v := range values {
		s[key][i] += v
	}
}

func sumsOf(set *data.Set) sums {
	s := sums{}
	_, columns := metricColumns(set)
	memo := map[data.EntityID][]string{}
	for i, c := range set.Event(source.TypeSample).Columns[0].Refs {
		stack, ok := memo[c]
		if !ok {
			stack = stackOf(set, c)
			memo[c] = stack
		}
		row := make([]int64, len(columns))
		for m := range columns {
			row[m] = columns[m][i]
		}
		s.add(stack, row)
	}
	return s
}

// oracle is what github.com/google/pprof makes of a profile, with frames named
// as this reader promises to.
func oracle(t testing.TB, content []byte) (*profile.Profile, sums) {
	t.Helper()
	p, err := profile.ParseData(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RemoveUninteresting(); err != nil {
		t.Fatal(err)
	}
	s := sums{}
	for _, sample := range p.Sample {
		var stack []string
		for _, l := range slices.Backward(sample.Location) {
			if len(l.Line) == 0 {
				stack = append(stack, oracleName(l, profile.Line{}))
			}
			for _, line := range slices.Backward(l.Line) {
				stack = append(stack, oracleName(l, line))
			}
		}
		s.add(stack, sample.Value)
	}
	return p, s
}

func oracleName(l *profile.Location, line profile.Line) string {
	binary := ""
	if l.Mapping != nil && l.Mapping.File != "" {
		binary = filepath.Base(l.Mapping.File)
	}
	switch f := line.Function; {
	case f != nil && f.Name != "":
		return f.Name
	case f != nil && f.SystemName != "":
		return f.SystemName
	case binary != "":
		return fmt.Sprintf("%s+0x%x", binary, l.Address-l.Mapping.Start+l.Mapping.Offset)
	case f != nil || l.Address == 0:
		return "<unknown>"
	default:
		return fmt.Sprintf("0x%x", l.Address)
	}
}

// compare fails on the first differences between two tables.
func compare(t interface {
	Helper()
	Errorf(string, ...any)
}, got, want sums) {
	t.Helper()
	shown := 0
	for stack, values := range want {
		if !slices.Equal(got[stack], values) && shown < 5 {
			t.Errorf("stack %q: got %v, want %v", stack, got[stack], values)
			shown++
		}
	}
	for stack, values := range got {
		if want[stack] == nil && shown < 5 {
			t.Errorf("stack %q: got %v, want none", stack, values)
			shown++
		}
	}
}

// flatAndCum is what `pprof -top` shows: the own value of each method and that
// of all stacks it is on, counted once.
func flatAndCum(s sums, metric int) (flat, cum map[string]int64, total int64) {
	flat, cum = map[string]int64{}, map[string]int64{}
	for key, values := range s {
		v := values[metric]
		total += v
		if key == "" {
			continue
		}
		stack := strings.Split(key, "\n")
		flat[stack[len(stack)-1]] += v
		slices.Sort(stack)
		for _, name := range slices.Compact(stack) {
			cum[name] += v
		}
	}
	return flat, cum, total
}

// sniffFolder checks that of all files only those called *.pb.gz are claimed.
func sniffFolder(t *testing.T, folder string) {
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		in, err := source.Open(context.Background(), path)
		if err != nil {
			return err
		}
		defer in.Close()
		head, err := in.Peek(source.SniffBytes)
		if err != nil {
			return err
		}
		if sniff(head) != strings.HasSuffix(path, ".pb.gz") {
			t.Errorf("%s: recognised is %v", path, sniff(head))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
