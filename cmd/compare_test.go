package cmd

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// chromeFile writes a Chrome trace of lines of name, start and stop in
// microseconds.
func chromeFile(t *testing.T, lines string) string {
	t.Helper()
	var events []string
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		f := strings.Fields(line)
		name, err := json.Marshal(f[0])
		if err != nil || len(f) != 3 {
			t.Fatal(line)
		}
		events = append(events, `{"ph":"X","pid":1,"tid":1,"name":`+string(name)+`,"ts":`+f[1]+`,"dur":`+f[2]+`}`)
	}
	name := filepath.Join(t.TempDir(), "trace.json")
	if err := os.WriteFile(name, []byte(`{"traceEvents":[`+strings.Join(events, ",\n")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// ownCache gives the test a cache folder of its own.
func ownCache(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, folder)
	}
	return folder
}

const (
	compareA = `
main 100 10
load 101 4
read 102 2
sort 106 3
less 107 1`
	compareB = `
main 7000 20
sort 7002 4
less 7003 2
load 7010 4
scan 7012 2`
)

func TestCompare(t *testing.T) {
	cache := ownCache(t)
	a, b := chromeFile(t, compareA), chromeFile(t, compareB)
	// main has 5 methods in both, and 4 of 6 in common.
	whole := `{"tau":0.2,"a":{"calls":5,"methods":5,"classes":5},"b":{"calls":5,"methods":5,"classes":5},"matches":8,` +
		`"groups":[{"id":0,"a":0,"b":0,"similarity":0.6666666666666666,"matches":8}]}` + "\n"
	for round := range 3 {
		if got := good(t, "compare", a, b, "--json"); got != whole {
			t.Fatalf("round %d:\n%swant:\n%s", round, got, whole)
		}
		files, _ := filepath.Glob(filepath.Join(cache, "cambium", "compare", "*"))
		if mac, _ := filepath.Glob(filepath.Join(cache, "Library", "Caches", "cambium", "compare", "*")); len(files) == 0 {
			files = mac
		}
		if len(files) != 1 {
			t.Fatalf("round %d: %v is kept", round, files)
		}
		if round == 1 {
			if err := os.WriteFile(files[0], []byte("damaged"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := good(t, "compare", a, b, "--json", "--tau", "0.9", "--no-cache", "--groups", "1"); got != `{"tau":0.9,`+
		`"a":{"calls":5,"methods":5,"classes":5},"b":{"calls":5,"methods":5,"classes":5},"matches":2,`+
		`"groups":[{"id":0,"a":3,"b":1,"similarity":1,"matches":2}]}`+"\n" {
		t.Error(got)
	}
	if got := good(t, "compare", a, b, "--json", "--tau", "-1", "--rename", renames(t, "# new\nread\tscan\n\n")); !strings.Contains(got, `"matches":25,"groups":[{"id":0,"a":0,"b":0,"similarity":1,"matches":25}]`) {
		t.Error(got)
	}
	if got := good(t, "compare", a, b); !strings.Contains(got, "8 matches above 0.2, in 1 group\n") || !strings.Contains(got, "read (1 call, 2.00 µs)") || !strings.Contains(got, "scan (1 call, 2.00 µs)") {
		t.Error(got)
	}
}

func renames(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "renames")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestCompareParts holds the lists to each other: the overview is the sum of the
// matches.
func TestCompareParts(t *testing.T) {
	ownCache(t)
	a, b := chromeFile(t, compareA), chromeFile(t, compareB)
	starts := [2][]float64{{0, 1000, 2000, 6000, 7000}, {0, 2000, 3000, 10000, 12000}}
	ends := [2]float64{10000, 20000}
	type interval struct {
		From       float64 `json:"from"`
		To         float64 `json:"to"`
		Similarity float64 `json:"similarity"`
		Offset     float64 `json:"offset"`
		OffsetAbs  float64 `json:"offset_abs"`
	}
	const n = 4
	var want [2][]interval
	for side := range want {
		for i := range n {
			want[side] = append(want[side], interval{From: ends[side] * float64(i) / n, To: ends[side] * float64(i+1) / n})
		}
	}
	lines := bufio.NewScanner(strings.NewReader(good(t, "compare", a, b, "--matches", "--json")))
	count := 0
	for lines.Scan() {
		var k struct {
			A          int     `json:"a"`
			B          int     `json:"b"`
			Similarity float64 `json:"similarity"`
			Group      int     `json:"group"`
		}
		decode(t, lines.Text(), &k)
		count++
		offset := starts[1][k.B] - starts[0][k.A]
		for side, call := range [2]int{k.A, k.B} {
			i := &want[side][int(starts[side][call]*n/ends[side])]
			i.Similarity += k.Similarity
			i.OffsetAbs += math.Abs(offset)
			i.Offset += offset * float64(1-2*side)
		}
	}
	if count != 8 {
		t.Errorf("%d matches", count)
	}
	for range 2 { // the second comes from the cache
		var got struct {
			A []interval `json:"a"`
			B []interval `json:"b"`
		}
		decode(t, good(t, "compare", a, b, "--overview", "4", "--json"), &got)
		for side, all := range [][]interval{got.A, got.B} {
			for i := range all {
				if math.Abs(all[i].Similarity-want[side][i].Similarity) < 1e-12 {
					all[i].Similarity = want[side][i].Similarity
				}
			}
			if !slices.Equal(all, want[side]) {
				t.Errorf("side %d: %+v, want %+v", side, all, want[side])
			}
		}
	}
	wantGaps := `{"trace":"a","from":2000,"to":4000,"calls":1,"first":2,"method":"read","thread":"thread 1"}
{"trace":"b","from":12000,"to":14000,"calls":1,"first":4,"method":"scan","thread":"thread 1"}
`
	// Each load matches the other one, by one method of three.
	if got := good(t, "compare", a, b, "--gaps", "--json"); got != wantGaps {
		t.Errorf("gaps:\n%swant:\n%s", got, wantGaps)
	}
	if got := good(t, "compare", a, b, "--gaps"); strings.Count(got, "\n") != 3 {
		t.Error(got)
	}
	if got := good(t, "compare", a, b, "--overview", "2"); strings.Count(got, "\n") != 5 {
		t.Error(got)
	}
	if got := good(t, "compare", a, b, "--matches", "--tau", "0.9"); got != "3\t1\t1\t0\n4\t2\t1\t0\n" {
		t.Error(got)
	}
}

func TestCompareMistakes(t *testing.T) {
	ownCache(t)
	a := chromeFile(t, compareA)
	for _, c := range []struct {
		status int
		say    string
		args   []string
	}{
		{statusUsage, "takes two files, but got 1", []string{a}},
		{statusUsage, "takes two files, but got 3", []string{a, a, a}},
		{statusUsage, "only one of the files", []string{"-", "-"}},
		{statusUsage, "not a number", []string{a, a, "--tau", "nan"}},
		{statusUsage, "invalid argument", []string{a, a, "--tau", "much"}},
		{statusUsage, "one at a time", []string{a, a, "--matches", "--overview", "3"}},
		{statusUsage, "from 1 to", []string{a, a, "--overview", "0"}},
		{statusUsage, "exact, stable or short", []string{a, a, "--names", "long"}},
		{statusUsage, "from 0 on", []string{a, a, "--groups", "-1"}},
		{statusFailed, "line 2: expected two names with a tab between", []string{a, a, "--rename", renames(t, "a\tb\na b\n")}},
		{statusFailed, `line 2: "a" is called "b" already`, []string{a, a, "--rename", renames(t, "a\tb\na\tc\n")}},
		{statusFailed, "no such file", []string{a, a, "--rename", filepath.Join(t.TempDir(), "none")}},
		{statusFailed, "no metric of one name and unit", []string{a, "../samples/sqlite.folded"}},
	} {
		status, out, say := cambium(t, "", append([]string{"compare"}, c.args...)...)
		if status != c.status || out != "" || !strings.Contains(say, c.say) {
			t.Errorf("%q: status %d, %q, %q; want %d, %q", c.args, status, out, say, c.status, c.say)
		}
	}
}
