package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	quicksort = "../match/testdata/lua-quicksort.trace.json.gz"
	heapsort  = "../match/testdata/lua-heapsort.trace.json.gz"
)

// TestPairCharts draws comparisons and prints what they show, which is what
// compare says.
func TestPairCharts(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	status, out, errors := cambium(t, "", "chart", quicksort, heapsort, "--viz", "overview", "--json")
	if status != 0 {
		t.Fatal(errors)
	}
	type sums struct {
		A, B []struct {
			From, To, Similarity float64
			Offset               json.Number
			Distance             json.Number `json:"offset_abs"`
		}
	}
	var shown, compared sums
	if err := json.Unmarshal([]byte(out), &shown); err != nil || len(shown.A) < 100 {
		t.Fatal(len(shown.A), err)
	}
	_, out, _ = cambium(t, "", "compare", quicksort, heapsort, "--overview", "142", "--json")
	if err := json.Unmarshal([]byte(out), &compared); err != nil || len(compared.A) != 142 {
		t.Fatal(len(compared.A), err)
	}
	for i, want := range compared.A {
		if shown.A[i] != want || shown.B[i] != compared.B[i] {
			t.Errorf("interval %d is %+v and %+v, but compare says %+v and %+v", i, shown.A[i], shown.B[i], want, compared.B[i])
		}
	}

	_, out, _ = cambium(t, "", "chart", quicksort, heapsort, "--viz", "gaps", "--json")
	var gaps []struct{ Method, Trace string }
	if err := json.Unmarshal([]byte(out), &gaps); err != nil || len(gaps) < 4 || gaps[0].Method != "heap_sort" || gaps[0].Trace != "b" {
		t.Errorf("%s, %v", out, err)
	}

	picture := filepath.Join(t.TempDir(), "overview.svg")
	if status, _, errors = cambium(t, "", "render", quicksort, heapsort, "--view", "overview", "--focus-a", "1ms..2ms", "-o", picture); status != 0 {
		t.Fatal(errors)
	}
	if text, err := os.ReadFile(picture); err != nil || !strings.Contains(string(text), "lua-heapsort.trace.json.gz") {
		t.Error(err)
	}
	if status, out, errors = cambium(t, "", "layout", quicksort, heapsort, "--view", "overview", "--size", "800x400"); status != 0 || !strings.Contains(out, `"kind":"rect"`) {
		t.Errorf("%s%s", out, errors)
	}
	// The same calls as in the picture, in numbers.
	status, out, errors = cambium(t, "", "chart", quicksort, "--viz", "timeline", "--period", "1ms..1010us", "--json")
	if status != 0 || !strings.HasPrefix(out, `[{"thread":"`) || !strings.Contains(out, `"method":"main"`) {
		t.Errorf("%s%s", out, errors)
	}
	if status, _, errors = cambium(t, "", "open", "--compare", quicksort); status != 2 || !strings.Contains(errors, "--compare takes two files or more") {
		t.Errorf("status %d: %s", status, errors)
	}
}
