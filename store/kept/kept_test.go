package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func folder(t *testing.T) Folder {
	t.Helper()
	return Folder{filepath.Join(t.TempDir(), "not", "there yet"), 1000}
}

func TestFolder(t *testing.T) {
	f := folder(t)
	if _, ok := f.Get("a"); ok {
		t.Error("found what was never put")
	}
	f.Put("a", []byte("one"))
	f.Put("b", nil)
	f.Put("a", []byte("two"))
	for key, want := range map[string]string{"a": "two", "b": ""} {
		if got, ok := f.Get(key); !ok || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", key, got, ok, want)
		}
	}
	f.Put("large", make([]byte, 251))
	if _, ok := f.Get("large"); ok {
		t.Error("kept what is too large")
	}
	var none Folder
	none.Put("a", nil)
	if _, ok := none.Get("a"); ok {
		t.Error("the zero folder keeps something")
	}
}

func TestDamaged(t *testing.T) {
	f := folder(t)
	f.Put("a", []byte("result"))
	for _, text := range []string{"", "short", string(make([]byte, 40))} {
		if err := os.WriteFile(f.file("a"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := f.Get("a"); ok {
			t.Errorf("found %q in %q", got, text)
		}
	}
}

func TestFull(t *testing.T) {
	f := folder(t)
	for i := range 10 {
		key := fmt.Sprint(i)
		f.Put(key, make([]byte, 168)) // 200 with the hash
		past := time.Now().Add(time.Duration(i-100) * time.Minute)
		os.Chtimes(f.file(key), past, past)
		f.Get("0") // in use
	}
	for i := range 10 {
		_, ok := f.Get(fmt.Sprint(i))
		if want := i == 0 || i > 5; ok != want {
			t.Errorf("%d is there: %v", i, ok)
		}
	}
}
