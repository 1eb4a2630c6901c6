package ndjson

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/klauspost/compress/gzip"
)

// block gives the first block of a language in the documentation.
func block(t *testing.T, language string) string {
	doc, err := os.ReadFile("../../docs/stream.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "```"+language+"\n")
	if !ok {
		t.Fatalf("the documentation has no %s", language)
	}
	text, _, _ := strings.Cut(rest, "```")
	return text
}

func TestDocumentedTree(t *testing.T) {
	s := sourcetest.Profile(sourcetest.Read(t, []byte(block(t, "json"))))
	if s.Stacks[0]["main"] != 5 || s.Stacks[0]["main;fib"] != 10 || s.Stacks[0]["main;fib;fib"] != 20 {
		t.Errorf("%v", s.Stacks)
	}
}

// TestDocumentedReader runs the example in Python on a recorded file.
func TestDocumentedReader(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	z, err := gzip.NewReader(bytes.NewReader(sourcetest.Recorded(t, "alloc/xalan.alloc.csv.gz")))
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if _, err := table.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script, file := filepath.Join(folder, "alloc2cambium.py"), filepath.Join(folder, "a.csv")
	for name, text := range map[string][]byte{script: []byte(block(t, "python")), file: table.Bytes()} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, script, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	set := sourcetest.Read(t, out)
	events := set.Event("Allocation")
	sizes, _ := events.Column("Size")
	var sum int64
	for _, v := range sizes.Values {
		sum += v
	}
	if events.Rows() != 166470 || sum != 13162376 || len(set.Warnings) != 0 {
		t.Errorf("%d events, %d bytes, warnings %q", events.Rows(), sum, set.Warnings)
	}
	if _, ok := set.Path(events.Definition, "Allocating Class"); !ok {
		t.Error("there is no Allocating Class")
	}
}
