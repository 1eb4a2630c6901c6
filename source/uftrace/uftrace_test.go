package uftrace

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.CheckFolder(t, "testdata") }

func file(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unpack(t testing.TB, raw []byte) []byte {
	t.Helper()
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := z.DecodeAll(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHostile(t *testing.T) {
	sourcetest.Hostile(t, unpack(t, file(t, "sqlite3-first-300-records.tar.zst")))
	sourcetest.Hostile(t, file(t, "quirks.tar"))
	sourcetest.Hostile(t, unpack(t, file(t, "arguments.tar.zst")))
}

func FuzzRead(f *testing.F) {
	f.Add(unpack(f, file(f, "sqlite3-first-300-records.tar.zst")))
	f.Add(file(f, "quirks.tar"))
	f.Add(unpack(f, file(f, "arguments.tar.zst")))
	f.Fuzz(func(t *testing.T, raw []byte) { sourcetest.Fuzz(t, "uftrace", raw) })
}

func TestTruth(t *testing.T) {
	for name, want := range map[string]struct{ calls, functions int }{
		"calltrace/sqlite3_big1.uftrace.tar.zst": {1447599, 979},
		"calltrace/sqlite3_big2.uftrace.tar.zst": {1583877, 933},
	} {
		t.Run(name, func(t *testing.T) {
			set := sourcetest.Read(t, sourcetest.Recorded(t, name))
			calls, methods := set.Event(source.TypeCall).Rows(), set.Entity(source.TypeMethod).Rows()
			if calls != want.calls || methods != want.functions || len(set.Warnings) > 0 {
				t.Errorf("%d calls of %d functions, warnings %q; want %d and %d", calls, methods, set.Warnings, want.calls, want.functions)
			}
		})
	}
}

// TestFolder: the folder itself is read as its archive is.
func TestFolder(t *testing.T) {
	raw := file(t, "quirks.tar")
	dir := t.TempDir()
	archive := tar.NewReader(bytes.NewReader(raw))
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(h.Name)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in, err := source.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Integrity(t, set)
	if got, want := sourcetest.Summary(set), sourcetest.Summary(sourcetest.Read(t, raw)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func BenchmarkRead(b *testing.B) {
	raw := unpack(b, sourcetest.Recorded(b, "calltrace/sqlite3_big1.uftrace.tar.zst"))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sourcetest.TryRead(raw); err != nil {
			b.Fatal(err)
		}
	}
}
