package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/samples"
)

const (
	sqlite = "../samples/sqlite.folded"
	xalan  = "../samples/xalan.cct.csv.zst"
)

// cambium runs the command as a shell does.
func cambium(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte(stdin), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(name string) *os.File {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	in, out, errs := file("in"), file("out"), file("err")
	keptIn, keptOut, keptErr := os.Stdin, os.Stdout, os.Stderr
	os.Stdin, os.Stdout, os.Stderr = in, out, errs
	status = Run(args)
	os.Stdin, os.Stdout, os.Stderr = keptIn, keptOut, keptErr
	read := func(f *os.File) string {
		defer f.Close()
		f.Seek(0, io.SeekStart)
		content, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	in.Close()
	return status, read(out), read(errs)
}

// good runs a command that must succeed without a word on stderr.
func good(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := cambium(t, "", args...)
	if status != 0 || stderr != "" {
		t.Fatalf("cambium %q: status %d: %s", args, status, stderr)
	}
	return stdout
}

// decode reads JSON that must have just the fields of v.
func decode(t *testing.T, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
}

func keys(t *testing.T, text string) []string {
	t.Helper()
	var m map[string]json.RawMessage
	decode(t, text, &m)
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

func TestInfo(t *testing.T) {
	text := good(t, "info", sqlite, "--json")
	if got := strings.Join(keys(t, text), " "); got != "calls contexts events format max_depth methods metrics threads warnings" {
		t.Errorf("the keys are %s", got)
	}
	var i info
	decode(t, text, &i)
	if i.Format != "folded" || i.Contexts != 951 || i.MaxDepth != 35 || len(i.Metrics) != 1 || i.Metrics[0].Total != 5994 || i.Warnings == nil || i.Calls != 0 {
		t.Errorf("it says %+v", i)
	}
	decode(t, good(t, "info", xalan, "--json"), &i)
	if i.Contexts != 274848 || i.MaxDepth != 150 {
		t.Errorf("it says %d contexts, %d layers", i.Contexts, i.MaxDepth)
	}
	totals := map[string]int64{}
	for _, m := range i.Metrics {
		totals[m.Name] = m.Total
	}
	if want := map[string]int64{"invocations": 8392084, "bytecodes": 125136987}; !reflect.DeepEqual(totals, want) {
		t.Errorf("the totals are %v", totals)
	}
	if text := good(t, "info", sqlite); !strings.Contains(text, "951") {
		t.Errorf("for people it says %s", text)
	}
}

func TestTop(t *testing.T) {
	var self, total []topRow
	decode(t, good(t, "top", sqlite, "--json", "-n", "3"), &self)
	decode(t, good(t, "top", sqlite, "--json", "-n", "3", "--by", "total"), &total)
	for i, want := range []topRow{{Method: "sqlite3VdbeExec", Self: 1619}, {Method: "sqlite3BtreeTableMoveto", Self: 562}, {Method: "sqlite3BtreeIndexMoveto", Self: 324}} {
		if self[i].Method != want.Method || self[i].Self != want.Self {
			t.Errorf("row %d by self is %v", i, self[i])
		}
	}
	if total[0].Method != "sqlite3-fp" || total[0].Total != 5994 || total[1].Method != "main" && total[1].Method != "__libc_start_call_main" || total[1].Total != 5833 {
		t.Errorf("by total it is %v", total)
	}
	var rows []topRow
	decode(t, good(t, "top", xalan, "--json", "-n", "1", "--metric", "bytecodes"), &rows)
	if len(rows) != 1 || rows[0].Method != "org.apache.xml.serializer.ToStream.characters([CII)V" || rows[0].Self != 3414594 {
		t.Errorf("the top of xalan is %v", rows)
	}
	_, stdout, _ := cambium(t, "f;f;f 3\nf 1\n", "top", "-", "--json")
	if strings.TrimSpace(stdout) != `[{"method":"f","self":4,"total":4}]` {
		t.Errorf("recursion counts as %s", stdout)
	}
}

type treeRow struct {
	ID     int64            `json:"id"`
	Parent int64            `json:"parent"`
	Depth  int              `json:"depth"`
	Name   string           `json:"name"`
	Self   map[string]int64 `json:"self"`
	Total  map[string]int64 `json:"total"`
}

func treeOf(t *testing.T, text string) (rows []treeRow) {
	t.Helper()
	for line := range strings.Lines(text) {
		var r treeRow
		decode(t, line, &r)
		rows = append(rows, r)
	}
	return rows
}

// checkTree checks the order of rows: pre-order, callees by falling total of a
// metric, then by name.
func checkTree(t *testing.T, rows []treeRow, metric string) {
	t.Helper()
	if r := rows[0]; r.Parent != -1 || r.Depth != 0 {
		t.Fatalf("the first row is %+v", r)
	}
	path := rows[:1:1]
	before := map[int64]treeRow{} // caller -> its callee before
	for _, r := range rows[1:] {
		if r.Depth < 1 || r.Depth > len(path) {
			t.Fatalf("row %+v does not follow its caller", r)
		}
		path = append(path[:r.Depth], r)
		if path[r.Depth-1].ID != r.Parent {
			t.Fatalf("row %+v is not below its caller", r)
		}
		if b, ok := before[r.Parent]; ok && (b.Total[metric] < r.Total[metric] || b.Total[metric] == r.Total[metric] && b.Name > r.Name) {
			t.Fatalf("row %+v comes after %+v", r, b)
		}
		before[r.Parent] = r
	}
}

func TestTree(t *testing.T) {
	rows := treeOf(t, good(t, "tree", sqlite, "--json"))
	metric := ""
	for metric = range rows[0].Total {
	}
	checkTree(t, rows, metric)
	if r := rows[0]; len(rows) != 952 || r.ID != 0 || r.Name != "" || r.Total[metric] != 5994 {
		t.Errorf("%d rows, the root is %+v", len(rows), r)
	}
	sums := map[int64]int64{}
	for _, r := range slices.Backward(rows) {
		sums[r.ID] += r.Self[metric]
		if sums[r.ID] != r.Total[metric] {
			t.Fatalf("the total of %+v should be %d", r, sums[r.ID])
		}
		sums[r.Parent] += sums[r.ID]
	}

	// A limit leaves the rows that it shows as they are.
	var shallow []treeRow
	for _, r := range rows {
		if r.Depth <= 5 {
			shallow = append(shallow, r)
		}
	}
	if got := treeOf(t, good(t, "tree", sqlite, "--json", "--depth", "5")); !reflect.DeepEqual(got, shallow) {
		t.Errorf("--depth 5 shows %d rows, not %d", len(got), len(shallow))
	}
	// Ids stay, depths begin anew.
	part := treeOf(t, good(t, "tree", sqlite, "--json", "--focus", "3"))
	checkTree(t, part, metric)
	if p := part[0]; p.ID != 3 || p.Name != "main" || p.Total[metric] != 5833 || p.Self[metric] != rows[3].Self[metric] {
		t.Errorf("--focus 3 begins with %+v", p)
	}
	// Nothing is lost without recursion or contexts.
	for _, flag := range []string{"--no-recursion", "--by-method"} {
		made := treeOf(t, good(t, "tree", sqlite, "--json", flag))
		checkTree(t, made, metric)
		if made[0].Total[metric] != 5994 || len(made) > len(rows) {
			t.Errorf("%s: %d rows of %+v", flag, len(made), made[0])
		}
		for _, r := range made[1:] {
			if rows[r.ID].Name != r.Name {
				t.Fatalf("%s: the id of %+v names %s", flag, r, rows[r.ID].Name)
			}
		}
	}
	checkTree(t, treeOf(t, good(t, "tree", xalan, "--json", "--depth", "9", "--metric", "bytecodes")), "bytecodes")
	checkTree(t, treeOf(t, good(t, "tree", xalan, "--json", "--depth", "9")), "invocations")
}

func TestLayout(t *testing.T) {
	text := good(t, "layout", sqlite, "--json", "--size", "600x400", "--sizing", "area", "--depth", "6")
	var l struct {
		Width, Height float64
		Center        [2]float64
		Shapes        []sectorShape
		Drawn         int64
		TooSmall      int64 `json:"too_small"`
		Deeper        int64
	}
	decode(t, text, &l)
	root := l.Shapes[0]
	if l.Width != 600 || l.Height != 400 || root.Kind != "sector" || root.ID != 0 || root.R0 != 0 || root.A0 != 0 || root.A1 < 6.28318 {
		t.Errorf("%g×%g, the root is %+v", l.Width, l.Height, root)
	}
	sectors := int64(-1) // the synthetic root is not counted
	for _, s := range l.Shapes {
		switch s.Kind {
		case "sector":
			sectors++
		case "mark":
		default:
			t.Errorf("a shape is %+v", s)
		}
	}
	if l.Drawn != sectors || l.Drawn+l.TooSmall+l.Deeper != 951 || l.Deeper == 0 {
		t.Errorf("%d drawn (%d sectors), %d too small, %d deeper", l.Drawn, sectors, l.TooSmall, l.Deeper)
	}
	for _, key := range []string{"width", "height", "shapes", "drawn", "too_small"} {
		if !slices.Contains(keys(t, text), key) {
			t.Errorf("there is no %q", key)
		}
	}
}

func TestRender(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"a.svg": "<svg", "b.png": "\x89PNG"} {
		name = filepath.Join(dir, name)
		good(t, "render", sqlite, "--size", "200x200", "-o", name)
		content, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(content[:min(len(content), 200)], []byte(want)) {
			t.Errorf("%s is %.40q (%v)", name, content, err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("there are %v", files)
	}
}

func TestStandardInput(t *testing.T) {
	status, stdout, stderr := cambium(t, "main;f 3\nmain;g 4\n", "tree", "-", "--json")
	if rows := treeOf(t, stdout); status != 0 || stderr != "" || len(rows) != 4 || rows[2].Name != "g" || rows[3].Name != "f" {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	empty, noise := file("empty", ""), file("noise", "\x00\x81\xfe\x00\x13random\x00")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{1, "no such file", []string{"info", filepath.Join(dir, "none")}},
		{1, "no such file", []string{filepath.Join(dir, "none")}}, // means open
		{1, "the file is empty", []string{"tree", empty}},
		{1, "in no format that is known here", []string{"top", noise}},
		{1, "is a folder", []string{"info", dir}},
		{1, `no metric "calories"`, []string{"top", sqlite, "--metric", "calories"}},
		{1, "no context 952", []string{"tree", sqlite, "--focus", "952"}},
		{2, "which file", []string{"info"}},
		{2, "one file, but got 2", []string{"tree", sqlite, sqlite}},
		{2, "unknown flag: --colour", []string{"tree", sqlite, "--colour"}},
		{2, "invalid argument", []string{"tree", sqlite, "--depth", "x"}},
		{2, "expected self or total", []string{"top", sqlite, "--by", "name"}},
		{2, "expected WxH", []string{"layout", sqlite, "--size", "big"}},
		{2, "at most 20000", []string{"layout", sqlite, "--size", "20001x5"}},
		{2, "expected WxH", []string{"layout", sqlite, "--size", "NaNx5"}},
		{2, "no negative numbers", []string{"tree", sqlite, "--depth", "-2"}},
		{2, "above 0", []string{"render", sqlite, "--scale", "0", "-o", filepath.Join(dir, "x.png")}},
		{2, "ends in .pb.gz, .folded", []string{"convert", sqlite}},
		{1, "no such file", []string{"convert", sqlite, "-o", filepath.Join(dir, "none", "x.folded")}},
		{2, `no view called "pie"`, []string{"layout", sqlite, "--view", "pie"}},
		{2, "must be one of equal, length, area", []string{"layout", sqlite, "--sizing", "xl"}},
		{2, "ends in .svg or .png", []string{"render", sqlite, "-o", filepath.Join(dir, "x.gif")}},
		{2, `step "prune"`, []string{"tree", sqlite, "--steps", "prune"}},
	} {
		status, stdout, stderr := cambium(t, "", c.args...)
		want := strings.ReplaceAll(c.says, "equal, length, area", "length, area, equal")
		if status != c.status || stdout != "" || !strings.HasPrefix(stderr, "cambium: ") || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != c.status {
			t.Errorf("cambium %q: status %d, not %d: %s%s", c.args, status, c.status, stdout, stderr)
		}
	}
}

func TestFileMeansOpen(t *testing.T) {
	for _, c := range [][2]string{
		{"cpu.pb.gz", "open cpu.pb.gz"}, {"", "open"}, {"--sample", "open --sample"}, {"-", "open -"},
		{"info x", "info x"}, {"help", "help"}, {"--help", "--help"}, {"--version", "--version"}, {"./info", "open ./info"},
	} {
		if got := strings.Join(withOpen(newRoot(), strings.Fields(c[0])), " "); got != c[1] {
			t.Errorf("cambium %s means %s, not %s", c[0], got, c[1])
		}
	}
	for _, s := range samples.All {
		if f, err := s.Open(); err != nil {
			t.Error(err)
		} else {
			f.Close()
		}
	}
}
