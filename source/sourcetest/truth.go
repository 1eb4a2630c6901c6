package sourcetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// Truth is the ground truth of a recorded file, from its manifest.
type Truth struct {
	Totals             map[string]int64 // metric -> total
	Contexts, MaxDepth int
	Methods            int                         // 0: not in the manifest
	TopSelf, TopTotal  map[string]map[string]int64 // metric -> method -> value
}

// CheckTruth compares a set with what is known of it.
func CheckTruth(t *testing.T, set *data.Set, want Truth) {
	t.Helper()
	s := Profile(set)
	if s == nil {
		t.Fatal("the set is no profile")
	}
	if s.Contexts != want.Contexts || s.MaxDepth != want.MaxDepth || want.Methods != 0 && s.Methods != want.Methods {
		t.Errorf("got %d contexts, depth %d, %d methods; want %d, %d, %d", s.Contexts, s.MaxDepth, s.Methods, want.Contexts, want.MaxDepth, want.Methods)
	}
	for i, metric := range s.Metrics {
		if s.Totals[i] != want.Totals[metric] {
			t.Errorf("%s: total %d, want %d", metric, s.Totals[i], want.Totals[metric])
		}
		compare := func(kind string, got, want map[string]int64) {
			for method, v := range want {
				if got[method] != v {
					t.Errorf("%s: %s of %s is %d, want %d", metric, kind, method, got[method], v)
				}
			}
			top := Top(got, 10)
			for strings.HasPrefix(top[0], "<") { // a pseudo method, which the manifest leaves out
				top = top[1:]
			}
			for _, method := range top[:min(len(want), 1)] { // ties aside, the first is the first
				if _, ok := want[method]; !ok {
					t.Errorf("%s: top %s is %s with %d", metric, kind, method, got[method])
				}
			}
		}
		compare("self", s.Self[i], want.TopSelf[metric])
		compare("total", s.Total[i], want.TopTotal[metric])
	}
}

// Recorded reads a file of the folder CAMBIUM_DATA, or skips the test.
func Recorded(t testing.TB, name string) []byte {
	t.Helper()
	folder := os.Getenv("CAMBIUM_DATA")
	if folder == "" {
		t.Skip("the environment variable CAMBIUM_DATA does not name the folder of recorded profiles")
	}
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Skip(err)
	}
	return raw
}
