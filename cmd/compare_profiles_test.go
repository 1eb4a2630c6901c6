package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two builds of a server: the closures have other numbers, handle calls decode
// no more but parse, and log, in which there is next to nothing, grew.
const (
	profileA = `main;srv/http.serve;srv/http.serve.func1;handle;decode 300
main;srv/http.serve;srv/http.serve.func1;handle 200
main;srv/http.serve;srv/http.serve.func2;log 2
main;idle 498
`
	profileB = `main;srv/http.serve;srv/http.serve.func3;handle;parse 260
main;srv/http.serve;srv/http.serve.func3;handle 250
main;srv/http.serve;srv/http.serve.func4;log 4
main;idle 598
`
)

// folded writes folded stacks to a file of a name.
func folded(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// inFolder takes the folders away from the names of files.
func inFolder(text string, files ...string) string {
	for _, f := range files {
		text = strings.ReplaceAll(text, f, filepath.Base(f))
	}
	return text
}

func TestCompareProfiles(t *testing.T) {
	a, b := folded(t, "before.folded", profileA), folded(t, "after.folded", profileB)
	for _, c := range []struct{ flags, want string }{
		{"", `A: before.folded
B: after.folded
samples: 1.00 k in A, 1.11 k in B, +112 (+11.2 %)
 self in A       in B      change               of total            method
       300          0        -300      gone         -300      gone  decode
         0        260        +260       new         +260       new  parse
       498        598        +100   +20.1 %         +100   +20.1 %  idle
       200        250         +50   +25.0 %          +10    +2.0 %  handle
         0          0           0         =         +112   +11.2 %  main
         0          0           0         =          +12    +2.4 %  srv/http.serve
         0          0           0         =          +12    +2.4 %  srv/http.serve.func#
1 method changed by less than 0.5 % of the larger total (--least).
`},
		{"--by total --limit 2 --least 0", `A: before.folded
B: after.folded
samples: 1.00 k in A, 1.11 k in B, +112 (+11.2 %)
 self in A       in B      change               of total            method
       300          0        -300      gone         -300      gone  decode
         0        260        +260       new         +260       new  parse
6 methods more changed less than these (--limit).
`},
		// In shares, idle grew by less, and closures with other numbers are others.
		{"--normalised --names exact --limit 3 --width 80", `A: before.folded
B: after.folded
samples, as shares of 1.00 k in A and 1.11 k in B
 self in A       in B      change               of total            method
   30.00 %     0.00 %    -30.00 %      gone     -30.00 %      gone  decode
    0.00 %    23.38 %    +23.38 %       new     +23.38 %       new  parse
   49.80 %    53.78 %     +3.98 %    +8.0 %      +3.98 %    +8.0 %  idle
4 methods more changed less than these (--limit).
3 methods changed by less than 0.5 % of the larger total (--least).
`},
	} {
		args := append([]string{"compare", a, b}, strings.Fields(c.flags)...)
		if got := inFolder(good(t, args...), a, b); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", c.flags, got, c.want)
		}
	}
	if got := good(t, "compare", a, a); !strings.Contains(got, "No method changed.") {
		t.Error(got)
	}
	want := `{"metric":"samples","unit":"count","normalised":false,` +
		`"a":{"name":"before.folded","total":1000,"methods":8,"contexts":8},"b":{"name":"after.folded","total":1112,"methods":8,"contexts":8},` +
		`"only_a":[],"only_b":[],"methods":[{"method":"decode","state":"gone","self":[300,0],"total":[300,0]},` +
		`{"method":"parse","state":"new","self":[0,260],"total":[0,260]},{"method":"idle","state":"changed","self":[498,598],"total":[498,598]}],"left_out":5}` + "\n"
	if got := inFolder(good(t, "compare", a, b, "--json", "--limit", "3"), a, b); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	want = `"methods":[{"method":"decode","state":"gone","self":[0.3,0],"total":[0.3,0]}],"left_out":6}` + "\n"
	if got := good(t, "compare", a, b, "--json", "--limit", "1", "--normalised"); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestCompareFails(t *testing.T) {
	a, b := folded(t, "before.folded", profileA), folded(t, "after.folded", profileB)
	for _, c := range []struct {
		flags  string
		status int
		want   string
	}{
		{"--fail-above 5%", 3, "samples grew by more than 5 % of all of A: the whole by 11.2 %, self of parse by 26 %"},
		{"--fail-above 26%", 0, ""},
		{"--fail-above 25.9", 3, "self of parse by 26 %"},
		{"--fail-above 20 --by total --normalised", 3, "all of A: total of parse by 23.4 %"},
		{"--fail-above 24 --by total --normalised", 0, ""},
		{"--fail-above much", 2, `"much": expected a percentage`},
		{"--by name", 2, "expected self or total"},
		{"--least 101", 2, "from 0 to 100"},
		{"--limit -1", 2, "from 0 on"},
		{"--width 20", 2, "at least 80"},
		{"--names other", 2, "exact, stable or short"},
		{"--metric bytes", 1, `no metric "bytes" that both profiles have (there are samples)`},
		{"--tau 0.3", 2, "--tau is for traces"},
	} {
		status, stdout, stderr := cambium(t, "", append([]string{"compare", a, b}, strings.Fields(c.flags)...)...)
		if status != c.status || !strings.Contains(stderr, c.want) || c.want == "" && stderr != "" {
			t.Errorf("%s: status %d: %s", c.flags, status, stderr)
		}
		if (status == 3) != (status != 0 && strings.Contains(stdout, "parse")) {
			t.Errorf("%s: status %d, and the answer\n%s", c.flags, status, stdout)
		}
	}
	// It goes the other way round, too: nothing but the other methods grew.
	if status, _, stderr := cambium(t, "", "compare", b, a, "--fail-above", "30%"); status != 0 {
		t.Error(stderr)
	}
	events := folded(t, "events.ndjson", `{"event_type":"E","fields":[]}`)
	if status, _, stderr := cambium(t, "", "compare", a, events); status != 1 || stderr == "" {
		t.Errorf("without contexts: status %d: %s", status, stderr)
	}
}

// Traces are profiles, too, if that is asked for.
func TestCompareTracesByMethod(t *testing.T) {
	ownCache(t)
	a, b := chromeFile(t, compareA), chromeFile(t, compareB)
	got := good(t, "compare", "--methods", a, b, "--metric", "calls", "--least", "0")
	for _, line := range []string{
		"calls: 5 in A, 5 in B, 0 (=)", "         1          0          -1      gone           -1      gone  read\n",
		"         0          1          +1       new           +1       new  scan\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	if status, _, stderr := cambium(t, "", "compare", a, b, "--limit", "3"); status != 2 || !strings.Contains(stderr, "add --methods") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if status, _, stderr := cambium(t, "", "compare", "--methods", a, folded(t, "x.folded", profileA)); status != 1 || !strings.Contains(stderr, "no metric of one name and unit") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// Two recordings of a program of which one function was changed: of what is new
// and what is gone, that is the most.
func TestCompareFindsWhatChanged(t *testing.T) {
	const quick, heap = "../viz/all/testdata/lua-quicksort.pb.gz", "../viz/all/testdata/lua-heapsort.pb.gz"
	var answer struct {
		Methods []struct {
			Method, State string
			Self, Total   [2]float64
		}
	}
	if err := json.Unmarshal([]byte(good(t, "compare", quick, heap, "--json", "--by", "total", "--limit", "0", "--normalised")), &answer); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range answer.Methods {
		if m.State != "changed" && len(found) < 4 {
			found = append(found, m.State+" "+m.Method)
		}
	}
	if got, want := strings.Join(found, ", "), "new heap_sort, new heap_sift, gone auxsort, gone partition"; got != want {
		t.Errorf("most changed are %s, want %s", got, want)
	}
}
