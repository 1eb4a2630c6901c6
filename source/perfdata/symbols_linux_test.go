package perfdata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// program writes the recorded program to a file and gives its build id.
func program(t *testing.T) (path string, id []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "busy")
	if err := os.WriteFile(path, file(t, "truth/busy.gz"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, checked, err := lookUp(path, nil)
	if err != nil || checked || len(s.id) != buildIDBytes {
		t.Fatalf("%v, checked %v, build id %x", err, checked, s.id)
	}
	return path, s.id
}

// TestSymbols looks up places whose functions nm tells.
func TestSymbols(t *testing.T) {
	path, id := program(t)
	s, checked, err := lookUp(path, id)
	if err != nil || !checked {
		t.Fatalf("%v, checked %v", err, checked)
	}
	for place, want := range map[uint64]string{
		0x0: "", 0xfff: "", 0x1000: "_init", 0x10a0: "_start", 0x1188: "frame_dummy", 0x1189: "work::round", 0x11d3: "work::round",
		0x11d4: "main", 0x1258: "main", 0x125a: "work::Machine::compute", 0x128c: "work::Machine::copy<long>",
		0x1300: "_fini", 0x1400: "", 0x2e00: "", 1 << 40: "",
	} {
		if got := s.name(place); got != want {
			t.Errorf("%#x is %q, want %q", place, got, want)
		}
	}
}

// A binary that is not the recorded one would give wrong names.
func TestWrongBuildID(t *testing.T) {
	path, id := program(t)
	id = slices.Clone(id)
	id[3]++
	if s, _, err := lookUp(path, id); !errors.Is(err, errBuildID) || s != nil {
		t.Errorf("%v, %v", s, err)
	}
}

// TestPaths: what a recording names may be anything.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("not a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir, text, "/proc/self/mem", "/proc/self/exe", "/x/../proc/kcore", "/dev/zero", "/sys/kernel/notes", "/missing/file", "/\x00"} {
		done := make(chan error, 1)
		go func() {
			_, _, err := lookUp(path, nil)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: was read", path)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: is still being read", path)
		}
	}
	for path, want := range map[string]bool{"/bin/sh": true, "bin/sh": false, "//anon": false, "/dev/zero": false, "/memfd:x": false,
		"/SYSV00000000": false, "[heap]": false, "[vdso]": false, "": false, `\\host\share`: false} {
		b := image{path: path}
		if b.isFile() != want {
			t.Errorf("%q is a file: %v", path, !want)
		}
	}
}

// TestBinariesAreOpenedIfAllowed reads a recording that names a program, with and
// without leave to open it.
func TestBinariesAreOpenedIfAllowed(t *testing.T) {
	path, _ := program(t)
	w := &writer{byteOrder: binary.LittleEndian}
	w.mmap(1, 1, 0x400000, 0x1000, 0x1000, path)
	w.mmap(1, 2, 0x500000, 0x1000, 0, "/missing/lib.so")
	w.sample(1, 3, 0x400000, 0x500010)
	for allowed, want := range map[bool][3]string{
		true:  {"lib.so+0xf;_init", "taken from these binaries although it cannot be checked", "called by their place in them: /missing/lib.so (no such file"},
		false: {"lib.so+0xf;busy+0x1000", "the binaries were not opened", ""},
	} {
		var set *data.Set
		if allowed {
			set = readWithBinaries(t, w.pipe())
		} else {
			set = sourcetest.Read(t, w.pipe())
		}
		if s := sourcetest.Profile(set); s.Stacks[0][want[0]] != 1 {
			t.Errorf("allowed %v: stacks are %v, want %s", allowed, s.Stacks[0], want[0])
		}
		all := strings.Join(set.Warnings, "\n")
		if !strings.Contains(all, want[1]) || !strings.Contains(all, want[2]) {
			t.Errorf("allowed %v: warnings are %q", allowed, set.Warnings)
		}
	}
}

// TestGeneratedCode: names of a JIT, of which the last one made counts.
func TestGeneratedCode(t *testing.T) {
	dir := t.TempDir()
	text := "1000 100 JS:*f /x.js:1\nnothing\n1100 0 empty\n1080 10 within\n2000 10 old\n0x2000 0x20 new name\nffffffffffffffff 2 beyond\n"
	if err := os.WriteFile(filepath.Join(dir, "perf-1.map"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &writer{byteOrder: binary.LittleEndian}
	for pid := range int32(2) {
		w.mmap(pid+1, 1, 0x1000, 0x3000, 0, "//anon")
	}
	w.sample(1, 2, 0x1000, 0x2020, 0x1101, 0x1086)
	w.sample(1, 3, 0x1090)
	w.sample(1, 4, 0x1100)
	w.sample(2, 5, 0x1000)
	in, err := source.NewInput(t.Context(), "test", bytes.NewReader(w.pipe()), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	b := data.NewBuilder("test", "perfdata")
	r := newReader(t.Context(), in, b)
	r.jitFolder = dir
	if _, err := io.CopyN(io.Discard, in, pipeHeader); err != nil {
		t.Fatal(err)
	}
	if err := r.rest(r.records(0)); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	got := sourcetest.Profile(set).Stacks[0]
	want := map[string]int64{"within;[generated];new name;JS:*f /x.js:1": 1, "[generated]": 2, "[anon]": 1}
	if !maps.Equal(got, want) || !strings.Contains(strings.Join(set.Warnings, ""), "cannot be checked that they are of the recorded process: "+dir) {
		t.Errorf("stacks are %v, want %v; warnings %q", got, want, set.Warnings)
	}
}
