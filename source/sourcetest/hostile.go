package sourcetest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Hostile reads a good file in a hundred broken ways. Each must give a set that
// is whole or an error with a text; none may panic or hang.
func Hostile(t *testing.T, good []byte) {
	t.Helper()
	try := func(name string, raw []byte) {
		t.Helper()
		start := time.Now()
		set, err := TryRead(raw)
		if err != nil && err.Error() == "" {
			t.Errorf("%s: an error without a text", name)
		}
		if err == nil {
			Integrity(t, set)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
	if _, err := TryRead(nil); err == nil {
		t.Error("an empty file is read without an error")
	}
	for i := range 100 {
		try(fmt.Sprintf("truncated %d", i), good[:len(good)*i/100])
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		broken := bytes.Clone(good)
		for range 1 + i/10 {
			broken[rng.IntN(len(broken))] = byte(rng.Uint32())
		}
		try(fmt.Sprintf("random bytes %d", i), broken)
		noise := make([]byte, 1000)
		for j := range noise {
			noise[j] = byte(rng.Uint32())
		}
		try("noise", noise)
		at := rng.IntN(len(good))
		try("noise within", append(bytes.Clone(good[:at]), append(noise, good[at:]...)...))
	}
	packed := Gzip(good)
	for i := 1; i < 20; i++ {
		set, err := TryRead(packed[:len(packed)*i/20])
		if err == nil && len(set.Warnings) == 0 {
			t.Errorf("truncated gzip (%d/20) is read without a warning", i)
		}
		if err == nil {
			Integrity(t, set)
		}
	}
	if _, err := TryRead(Gzip(packed)); err != nil {
		t.Errorf("packed twice: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := readFrom(ctx, bytes.NewReader(good)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: the error is %v", err)
	}
}

// Fuzz is the body of a fuzz target: read as the named format whatever the
// content looks like.
func Fuzz(t *testing.T, format string, raw []byte) {
	for _, f := range source.Formats() {
		f.Sniff(raw[:min(len(raw), source.SniffBytes)])
		if f.Name != format {
			continue
		}
		set, err := ReadAs(f, raw)
		var unfinished *Unfinished
		switch {
		case err == nil:
			Integrity(t, set)
		case err.Error() == "":
			t.Error("an error without a text")
		case errors.As(err, &unfinished) && format != "ndjson":
			// Only a stream defines types of its own, which Finish checks last.
			t.Error(err)
		}
	}
}

// Unfinished is what a builder found wrong with what a reader gave it.
type Unfinished struct{ Err error }

func (u *Unfinished) Error() string { return u.Err.Error() }

// ReadAs has a format read content that need not be its own.
func ReadAs(f source.Format, raw []byte) (*data.Set, error) {
	ctx := context.Background()
	in, err := source.NewInput(ctx, "test", bytes.NewReader(raw), 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := data.NewBuilder("test", f.Name)
	if err := f.Read(ctx, in, b); err != nil {
		return nil, err
	}
	set, err := b.Finish()
	if err != nil {
		return nil, &Unfinished{err}
	}
	return set, nil
}

// Gzip packs.
func Gzip(raw []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(raw)
	z.Close()
	return b.Bytes()
}
