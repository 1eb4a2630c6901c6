package convert

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestGoToolPprof has go tool pprof open what is written: of every function,
// it must say the same self and total.
func TestGoToolPprof(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	raw, err := os.ReadFile("../source/v8profile/testdata/tsc.cpuprofile.gz")
	if err != nil {
		t.Fatal(err)
	}
	set := read(t, raw)
	tree := build(t, set)
	path := filepath.Join(t.TempDir(), "profile.pb.gz")
	if err := os.WriteFile(path, write(t, Pprof, set, tree), 0o600); err != nil {
		t.Fatal(err)
	}
	for m, metric := range tree.Metrics {
		out, err := exec.Command(tool, "tool", "pprof", "-top", "-sample_index="+metric.Name, "-unit=ns", "-nodecount=1000000",
			"-nodefraction=0", "-edgefraction=0", path).Output()
		if err != nil {
			t.Skipf("go tool pprof cannot be run: %v", err)
		}
		self, total := map[string]int64{}, map[string]int64{}
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if len(f) < 6 || !strings.HasSuffix(f[1], "%") && f[1] != "0" {
				continue
			}
			name := strings.TrimSpace(line[strings.LastIndex(line, f[4])+len(f[4]):])
			self[name] += count(t, f[0])
			total[name] += count(t, f[3])
		}
		want := truthOf(tree, m, same)
		for name, v := range want.self {
			if self[name] != v {
				t.Errorf("%s of %s is %d, want %d", metric.Name, name, self[name], v)
			}
		}
		if len(total) < 100 {
			t.Errorf("%s: %d functions\n%.500s", metric.Name, len(total), out)
		}
	}
}

// count reads a value as pprof prints it, "1234ns" or "12".
func count(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "ns"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
