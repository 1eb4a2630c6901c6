package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	helloTrace = "../source/evolve/testdata/hello.evolve.txt.gz"
	xalanAlloc = "../source/alloccsv/testdata/xalan.alloc.csv.gz"
)

// A small trace: two locations, of which one is polymorphic, in an order of time
// that is not that of names.
const smallTrace = `M: a.B.f()V 1
M: a.B.g()V 2
M: a.C.f()V 7
L: a.Main.main()V#4 10
L: a.Main.main()V#2 11
I: 3 10 1
I: 12 11 2
I: 14 10 7
I: 25 10 7
I: 31 10 1
`

func traceFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "small.evolve")
	if err := os.WriteFile(name, []byte(smallTrace), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The contract of the command, word by word: what scripts read.
func TestChartJSON(t *testing.T) {
	file := traceFile(t)
	for _, c := range []struct {
		args string
		want string
	}{
		{"--viz bar --subject Invocation --map y=Location --map x=count",
			`[{"entity":"a.Main.main()V#4","value":4},{"entity":"a.Main.main()V#2","value":1}]`},
		{"--viz bar --map x=Location --sort lexical",
			`[{"entity":"a.Main.main()V#2","value":1},{"entity":"a.Main.main()V#4","value":4}]`},
		{"--viz table --map left=Method --map right=count",
			`[{"entity":"a.B.f()V","value":2},{"entity":"a.C.f()V","value":2},{"entity":"a.B.g()V","value":1}]`},
		{"--viz table --map left=Method --sort left=temporal",
			`[{"entity":"a.B.f()V","value":2},{"entity":"a.B.g()V","value":1},{"entity":"a.C.f()V","value":2}]`},
		{"--viz table --map left=Class",
			`[{"entity":"a.B","value":3},{"entity":"a.C","value":2}]`},
		{"--viz hotspot --map x=Bytecode --map y=Location --param interval=10 --sort temporal",
			`{"x0":0,"interval":10,"rows":["a.Main.main()V#4","a.Main.main()V#2"],"cells":[[0,0,1],[1,0,1],[1,1,1],[2,0,1],[3,0,1]]}`},
		{"--viz hotspot --map x=Bytecode --map y=Location --param interval=10 --sort lexical --filter event>0",
			`{"x0":10,"interval":10,"rows":["a.Main.main()V#2","a.Main.main()V#4"],"cells":[[0,0,1],[0,1,1],[1,1,1],[2,1,1]]}`},
		{"--viz hotspot --map x=count --map y=Method --param interval=2",
			`{"x0":0,"interval":2,"rows":["a.B.f()V","a.B.g()V","a.C.f()V"],"cells":[[0,0,1],[0,1,1],[1,2,2],[2,0,1]]}`},
		{"--viz correlation --map x=Location --map y=Method",
			`{"x0":0,"interval":1,"columns":["a.Main.main()V#4","a.Main.main()V#2"],"rows":["a.B.f()V","a.C.f()V","a.B.g()V"],"cells":[[0,0,2],[0,1,2],[1,2,1]]}`},
		{"--viz prediction --map x=Bytecode --map y=Location --map prediction=Method --param predictor=one-bit --param interval=20",
			`{"x0":0,"interval":20,"rows":["a.Main.main()V#4","a.Main.main()V#2"],"cells":[[0,0,1],[0,1,0],[1,0,1]],"predictors":[{"name":"one-bit","misses":2,"events":5}]}`},
		{"--viz prediction --param predictor=static --param against=last-2 --sort amount --param interval=100",
			`{"x0":0,"interval":100,"rows":["a.Main.main()V#4","a.Main.main()V#2"],"cells":[[0,0,2],[0,1,0]],"predictors":[{"name":"static","misses":2,"events":5},{"name":"last-2","misses":2,"events":5}]}`},
		{"--viz bar --filter event<0", `[]`},
		{"--viz hotspot --filter event<0", `{"x0":0,"interval":1,"rows":[],"cells":[]}`},
	} {
		got := good(t, append([]string{"chart", file, "--json"}, strings.Fields(c.args)...)...)
		if got != c.want+"\n" {
			t.Errorf("chart %s prints\n%s, want\n%s", c.args, got, c.want)
		}
	}
}

func TestChartForPeople(t *testing.T) {
	file := traceFile(t)
	for args, want := range map[string]string{
		"--viz bar --map y=Location":                                          "4\ta.Main.main()V#4\n1\ta.Main.main()V#2\n",
		"--viz hotspot --map x=Bytecode --map y=Location --param interval=20": "2\t0\ta.Main.main()V#4\n1\t0\ta.Main.main()V#2\n2\t20\ta.Main.main()V#4\n",
		"--viz correlation --map x=Method --map y=Location":                   "2\ta.B.f()V\ta.Main.main()V#4\n2\ta.C.f()V\ta.Main.main()V#4\n1\ta.B.g()V\ta.Main.main()V#2\n",
		"--viz prediction --param interval=40":                                "2\t0\ta.Main.main()V#4\n0\t0\ta.Main.main()V#2\n",
	} {
		if got := good(t, append([]string{"chart", file}, strings.Fields(args)...)...); got != want {
			t.Errorf("chart %s prints\n%s, want\n%s", args, got, want)
		}
	}
}

// The numbers of the recorded traces are those of their manifest.
func TestChartOfRecordedTraces(t *testing.T) {
	var values []struct {
		Entity string
		Value  int64
	}
	decode(t, good(t, "chart", helloTrace, "--viz", "bar", "--subject", "Invocation", "--map", "y=Location", "--map", "x=count", "--json"), &values)
	if len(values) != 1408 || values[0].Entity != "java.lang.String.charAt(I)C#1" || values[0].Value != 16639 || values[2].Value != 2687 {
		t.Errorf("%d locations, %v first", len(values), values[:3])
	}
	values = nil
	decode(t, good(t, "chart", xalanAlloc, "--viz", "table", "--map", "left=Object Type", "--map", "right=Object Size", "--json"), &values)
	if len(values) != 582 || values[0].Entity != "byte[]" || values[0].Value != 8122480 || values[1].Value != 860688 || values[2].Entity != "int[]" {
		t.Errorf("%d types, %v first", len(values), values[:3])
	}
}

// Charts of events of every reader: profiles have samples.
func TestChartOfAProfile(t *testing.T) {
	var values []struct {
		Entity string
		Value  int64
	}
	decode(t, good(t, "chart", sqlite, "--viz", "bar", "--map", "y=Method", "--json"), &values)
	if len(values) == 0 || values[0].Entity != "sqlite3VdbeExec" || values[0].Value != 1619 {
		t.Errorf("it begins with %v", values[:min(3, len(values))])
	}
}

func TestLayoutOfChart(t *testing.T) {
	file := traceFile(t)
	var l struct {
		Width, Height float64
		Shapes        []rectShape
		Drawn         int64
	}
	text := good(t, "layout", file, "--view", "bar", "--map", "y=Location", "--size", "600x400", "--json")
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	if l.Width != 600 || l.Height != 400 || l.Drawn != 2 || len(l.Shapes) != 2 {
		t.Fatalf("the layout is %s", text)
	}
	a, b := l.Shapes[0], l.Shapes[1]
	if a.Kind != "rect" || a.ID == b.ID || a.X != b.X || a.Y >= b.Y || a.H != b.H || !(a.W/b.W > 3.99 && a.W/b.W < 4.01) || a.X+a.W > 600 {
		t.Errorf("the bars are %+v and %+v", a, b)
	}
	for _, key := range []string{"width", "height", "shapes", "drawn", "too_small"} {
		if !slices.Contains(keys(t, text), key) {
			t.Errorf("there is no %q", key)
		}
	}
}

func TestRenderOfCharts(t *testing.T) {
	file, dir := traceFile(t), t.TempDir()
	for _, view := range []string{"bar", "table", "hotspot", "correlation", "prediction"} {
		for ending, want := range map[string]string{"svg": "<svg", "png": "\x89PNG"} {
			name := filepath.Join(dir, view+"."+ending)
			good(t, "render", file, "--view", view, "--size", "300x200", "--sort", "lexical", "-o", name)
			content, err := os.ReadFile(name)
			if err != nil || !strings.Contains(string(content[:min(len(content), 200)]), want) {
				t.Errorf("%s is %.40q (%v)", name, content, err)
			}
			if ending == "svg" && view != "correlation" && view != "table" && !strings.Contains(string(content), "Location") {
				t.Errorf("%s does not name its axis", name)
			}
		}
	}
}

// Wrong words are wrong usage and tell which are right; what a file has not is
// the file's fault.
func TestChartErrors(t *testing.T) {
	file := traceFile(t)
	for _, c := range []struct {
		status int
		says   string
		args   string
	}{
		{2, `which chart? --viz is one of bar, correlation, `, "FILE"},
		{2, `no view called "pie" (there are [`, "FILE --viz pie"},
		{2, `draws a calling context tree`, "FILE --viz ring"},
		{2, `which file`, "--viz bar"},
		{2, `one file, but got 2`, "FILE FILE --viz bar"},
		{2, `--map "Location": expected NAME=VALUE`, "FILE --viz bar --map Location"},
		{2, `--map y is given twice`, "FILE --viz bar --map y=Location --map y=Method"},
		{2, `--period "5..1": expected two whole numbers with .. between`, "FILE --viz hotspot --period 5..1"},
		{2, `--period "1..5": expected two times with .. between`, "FILE --viz timeline --period 1..5"},
		{2, `overview draws a comparison: which two files?`, "FILE --viz overview"},
		{2, `--run 2: expected a number from 1 to 1`, "FILE FILE --viz overview --run 2"},
		{2, `--focus-b "9ms": expected two times`, "FILE FILE --viz overview --focus-b 9ms"},
		{2, `--tau is not a number`, "FILE FILE --viz overview --tau NaN"},
		{1, `no calls with start and end`, "FILE FILE --viz overview"},
		{2, `--param "x": expected NAME=VALUE`, "FILE --viz bar --param x"},
		{2, `has no parameter "speed" (it has scale)`, "FILE --viz bar --param speed=1"},
		{2, `must be one of linear, log`, "FILE --viz bar --param scale=cubic"},
		{2, `must be a whole number from 0 to`, "FILE --viz hotspot --param interval=0.5"},
		{2, `must be a whole number from 0 to`, "FILE --viz prediction --param interval=-1"},
		{2, `no predictor called "oracle" (there are one-bit, `, "FILE --viz prediction --param predictor=oracle"},
		{2, `no sorting scheme "size" (there are amount, temporal, lexical, hierarchy)`, "FILE --viz bar --sort size"},
		{1, `has no type of event called "Sample" (it has Invocation)`, "FILE --viz bar --subject Sample"},
		{1, `Invocation has no field "Weight" (it has Bytecode, Location, Method, `, "FILE --viz bar --map x=Weight"},
		{1, `dimension "y" needs a field with the property reference, which "Bytecode" has not`, "FILE --viz hotspot --map y=Bytecode"},
		{1, `has no dimension "z" (it has x, y)`, "FILE --viz bar --map z=Location"},
		{1, `one axis needs entities and the other an amount`, "FILE --viz bar --map x=Method --map y=Location"},
		{1, `has no dimension "left" to sort (it has x, y)`, "FILE --viz bar --sort left=amount"},
		{1, `no field and no type of entity called "Color"`, "FILE --viz bar --filter Color==1"},
		{1, `filter, at character`, "FILE --viz bar --filter Method=="},
		{1, `no such file`, "none --viz bar"},
	} {
		args := []string{"chart", "--json"}
		for _, a := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(a, "FILE", file))
		}
		status, stdout, stderr := cambium(t, "", args...)
		if status != c.status || stdout != "" || !strings.HasPrefix(stderr, "cambium: ") || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != c.status {
			t.Errorf("chart %s: status %d, not %d: %s%s", c.args, status, c.status, stdout, stderr)
		}
	}
	// An interval that a trace does not bear.
	const wide = `{"entity_type":"Place"}
{"event_type":"Visit","fields":[{"name":"Time","properties":["coordinate"]},{"name":"Place","refers":"Place"}]}
{"entity":"Place","rows":[[1,"here"]]}
{"event":"Visit","rows":[[-9223372036854775808,1],[9223372036854775807,1]]}
`
	status, stdout, stderr := cambium(t, wide, "chart", "-", "--viz", "hotspot", "--param", "interval=1", "--json")
	if status != 1 || stdout != "" || !strings.Contains(stderr, "interval must be larger than 1") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	if got := fmt.Sprint(good(t, "chart", file, "--viz", "bar", "--filter", `Method == "nobody"`, "--json")); got != "[]\n" {
		t.Errorf("of nobody there is %s", got)
	}
}

// TestInfoOfEvents: without calling contexts, amounts and methods are those of
// the events (ground truth of the recordings).
func TestInfoOfEvents(t *testing.T) {
	var i info
	decode(t, good(t, "info", helloTrace, "--json"), &i)
	if i.Methods != 646 || i.Events["Invocation"] != 83705 || len(i.Metrics) != 0 {
		t.Errorf("got %+v", i)
	}
	i = info{}
	decode(t, good(t, "info", xalanAlloc, "--json"), &i)
	if i.Methods != 809 || i.Threads != 2 || len(i.Metrics) != 1 || i.Metrics[0] != (infoMetric{"Object Size", "bytes", 13162376}) {
		t.Errorf("got %+v", i)
	}
}
