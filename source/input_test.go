package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

func gz(t testing.TB, raw []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zst(t testing.TB, raw []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(raw, nil)
}

func readAll(t testing.TB, raw []byte, lim limits) ([]byte, *Input, error) {
	t.Helper()
	in, err := newInput(context.Background(), "f", bytes.NewReader(raw), 0, lim)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	got, err := io.ReadAll(in)
	return got, in, err
}

func TestUnpack(t *testing.T) {
	text := []byte(strings.Repeat("some text\n", 100_000))
	for name, raw := range map[string][]byte{
		"plain": text, "gzip": gz(t, text), "zstd": zst(t, text), "zstd in gzip": gz(t, zst(t, text)),
		"three times": gz(t, gz(t, gz(t, text))), "two members": append(gz(t, text[:500]), gz(t, text[500:])...),
	} {
		got, in, err := readAll(t, raw, realLimits)
		if err != nil || !bytes.Equal(got, text) || in.Warning() != "" || in.Offset() != int64(len(text)) || in.Packed() != int64(len(raw)) {
			t.Errorf("%s: %d bytes, %v, %q, offset %d, packed %d of %d", name, len(got), err, in.Warning(), in.Offset(), in.Packed(), len(raw))
		}
	}
	if _, _, err := readAll(t, gz(t, gz(t, gz(t, gz(t, text)))), realLimits); err == nil || !strings.Contains(err.Error(), "more than 3 times") {
		t.Errorf("nested too deep: %v", err)
	}
}

func TestBomb(t *testing.T) {
	zeros := make([]byte, 4<<20)
	lim := limits{expansion: 100, free: 1 << 20}
	for name, raw := range map[string][]byte{"gzip": gz(t, zeros), "zstd": zst(t, zeros), "gzip in gzip": gz(t, gz(t, zeros))} {
		got, _, err := readAll(t, raw, lim)
		if err == nil || !strings.Contains(err.Error(), "decompression bomb") || len(got) > 2<<20 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, _, err := readAll(t, gz(t, zeros[:1<<20]), lim); err != nil {
		t.Errorf("a small file that packs well: %v", err)
	}
}

func TestTruncatedPack(t *testing.T) {
	text := []byte(strings.Repeat("some text\n", 10_000) + "end")
	for name, raw := range map[string][]byte{"gzip": gz(t, text), "zstd": zst(t, text)} {
		for cut := range len(raw) {
			got, in, err := readAll(t, raw[:cut], realLimits)
			if err != nil {
				if cut > 20 {
					t.Errorf("%s cut at %d: %v", name, cut, err)
				}
				continue
			}
			if cut > 4 && in.Warning() == "" || !bytes.HasPrefix(text, got) && cut > 4 {
				t.Errorf("%s cut at %d: %d bytes, warning %q", name, cut, len(got), in.Warning())
			}
		}
	}
}

func TestFailures(t *testing.T) {
	broken := errors.New("cable pulled")
	in, err := NewInput(context.Background(), "f", io.MultiReader(strings.NewReader(strings.Repeat("x", 100_000)), iotest.ErrReader(broken)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); !errors.Is(err, broken) || len(got) != 100_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	in.Close()
	in.Close() // twice does no harm

	folder := t.TempDir()
	if _, err := Open(context.Background(), folder); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("%v", err)
	}
	if _, err := Open(context.Background(), filepath.Join(folder, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	name := filepath.Join(folder, "f")
	if err := os.WriteFile(name, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err = Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	if head, err := in.Peek(SniffBytes); string(head) != "abc" || err != nil || in.Size != 3 {
		t.Errorf("%q %v", head, err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	text := "a\r\n\n" + long + "\nlast"
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		in, err := NewInput(context.Background(), "f", r, 0)
		if err != nil {
			t.Fatal(err)
		}
		lines := NewLines(context.Background(), in)
		for i, want := range []string{"a", "", long, "last"} {
			got, err := lines.Next()
			if err != nil || string(got) != want || lines.Line() != i+1 {
				t.Fatalf("line %d: %.20q, %v", lines.Line(), got, err)
			}
		}
		if _, err := lines.Next(); err != io.EOF {
			t.Error(err)
		}
		in.Close()
	}
	ctx, cancel := context.WithCancel(context.Background())
	in, err := NewInput(context.Background(), "f", strings.NewReader(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cancel()
	if _, err := NewLines(ctx, in).Next(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRegister(t *testing.T) {
	before := Formats()
	Register(Format{Name: "test-one", Order: 1000, Sniff: func([]byte) bool { return false }})
	defer func() {
		if recover() == nil {
			t.Error("two formats of one name")
		}
		registry.formats = before
	}()
	Register(Format{Name: "test-one"})
}
