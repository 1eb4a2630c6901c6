package store

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
)

// TestPages writes pages of any columns and reads them in any order.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p, err := newPages(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		var want [][]data.Column
		for n := range rapid.IntRange(0, 6).Draw(t, "pages") {
			rows := rapid.IntRange(1, 3000).Draw(t, "rows")
			seed := rapid.Uint64().Draw(t, "seed")
			var columns []data.Column
			for range rapid.IntRange(0, 4).Draw(t, "columns") {
				var c data.Column
				kind := rapid.IntRange(0, 2).Draw(t, "kind")
				for range rows {
					seed = seed*6364136223846793005 + 1442695040888963407
					switch v := seed >> (seed >> 58); kind {
					case 0:
						c.Refs = append(c.Refs, data.EntityID(v))
					case 1:
						c.Values = append(c.Values, int64(v))
					}
				}
				columns = append(columns, c)
			}
			got, err := p.Write(rows, columns)
			if err != nil || got != n {
				t.Fatalf("page %d is %d: %v", n, got, err)
			}
			want = append(want, columns)
		}
		var into []data.Column
		for range 2 * len(want) {
			n := rapid.IntRange(0, len(want)-1).Draw(t, "page")
			if into, err = p.Read(n, into); err != nil {
				t.Fatal(err)
			}
			for i, c := range into {
				var w data.Column
				if i < len(want[n]) {
					w = want[n][i]
				}
				if !slices.Equal(c.Refs, w.Refs) || !slices.Equal(c.Values, w.Values) {
					t.Fatalf("page %d, column %d", n, i)
				}
			}
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// TestDamagedPages tells of a file that was changed or cut while it is in use.
func TestDamagedPages(t *testing.T) {
	values := make([]int64, 1000)
	for i := range values {
		values[i] = int64(i * i)
	}
	for name, damage := range map[string]func(f *os.File) error{
		"changed": func(f *os.File) error { _, err := f.WriteAt(make([]byte, 40), 3); return err },
		"cut":     func(f *os.File) error { return f.Truncate(10) },
	} {
		p, err := newPages(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(len(values), []data.Column{{Values: values}}); err != nil {
			t.Fatal(err)
		}
		if err := damage(p.file); err != nil {
			t.Fatal(err)
		}
		got, err := p.Read(0, nil)
		if err == nil && reflect.DeepEqual(got[0].Values, values) || err != nil && !strings.Contains(err.Error(), "events that were kept on disk") && !strings.Contains(err.Error(), "was changed") {
			t.Errorf("%s: %v", name, err)
		}
		p.Close()
	}
}

// TestNoRoomForPages tells that there is no place for temporary files.
func TestNoRoomForPages(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir + "/s")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Pages(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("the error is %v", err)
	}
	var s Scratch
	p, err := s.Pages()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Pages(); err == nil {
		t.Error("a closed place takes pages")
	}
}
