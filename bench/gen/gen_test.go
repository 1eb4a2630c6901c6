package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/pprof"
)

func TestTreeIsAsAsked(t *testing.T) {
	for _, want := range [][3]int{{1, 1, 1}, {100, 60, 100}, {500, 100, 20}, {20000, 900, 131}, {50000, 5000, 60}} {
		tree, err := newTree(want[0], want[1], want[2], 1)
		if err != nil {
			t.Fatal(err)
		}
		paths, methods := map[[2]int32]bool{}, map[int32]bool{}
		for i, m := range tree.method {
			paths[[2]int32{tree.parent[i], m}] = true
			methods[m] = true
			if tree.parent[i] >= int32(i) {
				t.Fatalf("context %d comes before its parent", i)
			}
		}
		if got := [3]int{len(paths), len(methods), int(slices.Max(tree.depth))}; got != want {
			t.Errorf("contexts, methods, depth are %v, want %v", got, want)
		}
	}
	if _, err := newTree(100, 1, 50, 1); err == nil {
		t.Error("no error for a method that would have itself as a sibling")
	}
	if _, err := newTree(10, 20, 5, 1); err == nil {
		t.Error("no error for more methods than contexts")
	}
}

func generate(t *testing.T, format, name string, shuffle bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := run(format, 5000, 400, 40, 7, shuffle, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPprofReadsBack(t *testing.T) {
	tree, err := newTree(5000, 400, 40, 7)
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, v := range tree.bytecodes {
		total += v
	}
	for _, shuffle := range []bool{false, true} {
		in, err := source.Open(context.Background(), generate(t, "pprof", "a.pb.gz", shuffle))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		set, err := source.Read(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if c, m := set.Entity(source.TypeContext).Rows(), set.Entity(source.TypeMethod).Rows(); c != 5000 || m != 400 || len(set.Warnings) > 0 {
			t.Errorf("%d contexts, %d methods, warnings %q", c, m, set.Warnings)
		}
		bytecodes, _ := set.Event(source.TypeSample).Column("bytecodes")
		var got int64
		for _, v := range bytecodes.Values {
			got += v
		}
		if got != total {
			t.Errorf("%d bytecodes in all, want %d", got, total)
		}
	}
}

func TestSameFlagsSameBytes(t *testing.T) {
	for format, name := range map[string]string{"pprof": "a", "folded": "a.folded.gz", "cctcsv": "a.csv"} {
		first, err := os.ReadFile(generate(t, format, name, false))
		if err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(generate(t, format, name, false))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Errorf("%s: two runs differ", format)
		}
	}
}

func TestTextFormats(t *testing.T) {
	lines := func(path string) (n int, last string) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(bytes.NewReader(content)); s.Scan(); n++ {
			last = s.Text()
		}
		return n, last
	}
	if n, last := lines(generate(t, "folded", "a.folded", true)); n != 5000 || !strings.HasPrefix(last, "<thread>") {
		t.Errorf("folded: %d lines, the last is %q", n, last)
	}
	if n, last := lines(generate(t, "cctcsv", "a.csv", false)); n != 2+401+3+5000 || strings.Count(last, ",") != 3 {
		t.Errorf("cctcsv: %d lines, the last is %q", n, last)
	}
}
