package source_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// TestRecognised reads every format's files without their names and with all
// formats linked in: each is claimed by its own format and by no other.
func TestRecognised(t *testing.T) {
	for _, own := range source.Formats() {
		format := own.Name
		files, _ := filepath.Glob(format + "/testdata/*.golden")
		if len(files) == 0 {
			t.Errorf("no files of format %s", format)
		}
		for _, golden := range files {
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(strings.TrimSuffix(golden, ".golden"))
			if err != nil {
				t.Fatal(err)
			}
			in, err := source.NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
			if err != nil {
				t.Fatal(err)
			}
			head, err := in.Peek(source.SniffBytes)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range source.Formats() {
				if f.Sniff(head) != (f.Name == format) {
					t.Errorf("%s: claimed by %s is %v", golden, f.Name, f.Name != format)
				}
			}
			in.Close()
			if got := sourcetest.Summary(sourcetest.Read(t, raw)); got != string(want) {
				t.Errorf("%s: read as\n%.300s", golden, got)
			}
		}
	}
}

// TestUnrecognised: texts that profilers and others write are not claimed.
func TestUnrecognised(t *testing.T) {
	for name, text := range map[string]string{
		"csv":        "seq,type,size\n0,java.lang.StringBuilder,24\n",
		"csv of ;":   "a;b;c\n1;2;3\n",
		"json":       "{\"events\": [\n{\"name\": \"traceEvents\", \"ts\": 12\n",
		"xml":        "<?xml version=\"1.0\"?>\n<a>\n 1\n</a>\n",
		"log":        "2026-01-01 10:00:00 INFO started; took 5\n2026-01-01 10:00:01 INFO done; took 7\n",
		"prose":      "Hello, world\nThis is text 1\n",
		"pprof text": "heap profile: 1: 2 [3: 4] @ heap/1048576\n",
		"noise":      "\x00\x01\x02a;b 1\n",
		"go test":    "ok  \tgithub.com/x/y\t0.5\n",
	} {
		set, err := sourcetest.TryRead([]byte(text))
		if err == nil {
			t.Errorf("%s is read as %s", name, set.Format)
		} else if !strings.Contains(err.Error(), "no format that is known") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if folder := os.Getenv("CAMBIUM_DATA"); folder != "" {
		for _, pattern := range []string{"callgrind/*truth.txt", "perf/*truth.txt", "python/*truth.txt", "gperftools/*truth.txt", "heaptrack/*truth.txt", "go/*.txt*"} {
			files, _ := filepath.Glob(filepath.Join(folder, pattern))
			for _, file := range files {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if set, err := sourcetest.TryRead(raw); err == nil {
					t.Errorf("%s is read as %s", file, set.Format)
				}
			}
		}
	}
}

// A packed file of which nothing can be unpacked is damaged, not empty.
func TestNothingUnpacked(t *testing.T) {
	raw := sourcetest.Gzip([]byte("main;f 1\n"))
	for _, raw := range [][]byte{raw[:10], raw[:12], {0x28, 0xb5, 0x2f, 0xfd}} {
		if _, err := sourcetest.TryRead(raw); err == nil || !strings.Contains(err.Error(), "damaged or ends early") {
			t.Errorf("%x: %v", raw, err)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, raw := range [][]byte{nil, sourcetest.Gzip(nil)} {
		if _, err := sourcetest.TryRead(raw); err == nil || !strings.Contains(err.Error(), "empty") {
			t.Errorf("%v", err)
		}
	}
}
