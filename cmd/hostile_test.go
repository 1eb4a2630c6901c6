package cmd

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// formats write the same profile, as each format has it.
var formats = []struct {
	name  string
	write func(stacks []stack) string
}{{"folded", asFolded}, {"hprof", asHprof}, {"cctcsv", asCSV}, {"ndjson", asStream}, {"pprof", asPprof}}

// stack is a sample, outermost frame first.
type stack struct {
	frames []string
	value  int64
}

func asFolded(stacks []stack) string {
	var b strings.Builder
	for _, s := range stacks {
		fmt.Fprintf(&b, "%s %d\n", strings.Join(s.frames, ";"), s.value)
	}
	return b.String()
}

func asHprof(stacks []stack) string {
	var traces, rows strings.Builder
	for i, s := range stacks {
		fmt.Fprintf(&traces, "TRACE %d:\n", i+1)
		for j := range s.frames {
			fmt.Fprintf(&traces, "\t%s(X.java:1)\n", s.frames[len(s.frames)-1-j])
		}
		fmt.Fprintf(&rows, "%4d 10.00%% 10.00%% %d %d x.y\n", i+1, s.value, i+1)
	}
	return "JAVA PROFILE 1.0.1, created Sat Nov 21\n\n" + traces.String() +
		"CPU SAMPLES BEGIN Sat Nov 21\nrank   self  accum   count trace method\n" + rows.String() + "CPU SAMPLES END\n"
}

// asCSV writes a branch per stack: in a file that is a tree, siblings of one
// name are different contexts.
func asCSV(stacks []stack) string {
	var b strings.Builder
	b.WriteString("#methods\nid,class,name,descriptor\n0,<root>,<root>,\n")
	ids := map[string]int{}
	for _, s := range stacks {
		for _, f := range s.frames {
			if ids[f] == 0 {
				ids[f] = len(ids) + 1
				fmt.Fprintf(&b, "%d,,%s,\n", ids[f], f)
			}
		}
	}
	b.WriteString("#nodes\ndepth,method,samples\n0,0,0\n")
	for _, s := range stacks {
		for i, f := range s.frames {
			value := int64(0)
			if i == len(s.frames)-1 {
				value = s.value
			}
			fmt.Fprintf(&b, "%d,%d,%d\n", i+1, ids[f], value)
		}
	}
	return b.String()
}

func asStream(stacks []stack) string {
	var b strings.Builder
	b.WriteString(`{"entity_type":"Method"}
{"entity_type":"Context","fields":[{"name":"Caller","refers":"Context","properties":["hierarchy"]},{"name":"Method","refers":"Method"}]}
{"event_type":"Sample","fields":[{"name":"Context","refers":"Context"},{"name":"samples","unit":"count","properties":["amount"]}]}
`)
	seen := map[string]bool{}
	contexts := map[string]int{}
	for _, s := range stacks {
		caller, path := "null", ""
		deep := len(s.frames) > 1000
		if deep {
			b.WriteString(`{"entity":"Method","name":"` + s.frames[0] + `"}` + "\n" + `{"entity":"Context","rows":[`)
		}
		for i, f := range s.frames {
			if deep { // all of one method
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `[%d,"",%s,"%s"]`, i, caller, f)
				caller = strconv.Itoa(i)
				continue
			}
			if !seen[f] {
				seen[f] = true
				fmt.Fprintf(&b, `{"entity":"Method","name":"%s"}`+"\n", f)
			}
			path += ";" + f
			id, ok := contexts[path]
			if !ok {
				id = len(contexts)
				contexts[path] = id
				fmt.Fprintf(&b, `{"entity":"Context","id":%d,"fields":{"Caller":%s,"Method":"%s"}}`+"\n", id, caller, f)
			}
			caller = strconv.Itoa(id)
		}
		if deep {
			b.WriteString("]}\n")
		}
		fmt.Fprintf(&b, `{"event":"Sample","rows":[[%s,%d]]}`+"\n", caller, s.value)
	}
	return b.String()
}

func asPprof(stacks []stack) string {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	locations := map[string]*profile.Location{}
	for _, s := range stacks {
		sample := &profile.Sample{Value: []int64{s.value}}
		for i := range s.frames {
			name := s.frames[len(s.frames)-1-i]
			l := locations[name]
			if l == nil {
				id := uint64(len(locations) + 1)
				f := &profile.Function{ID: id, Name: name}
				l = &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
				locations[name] = l
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			}
			sample.Location = append(sample.Location, l)
		}
		p.Sample = append(p.Sample, sample)
	}
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		panic(err)
	}
	return b.String()
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// everyCommand runs all commands on a file. Each must end well, or with one
// sentence; that it does not panic is seen by its returning at all.
func everyCommand(t *testing.T, file string, wantStatus int) {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"info", file}, {"info", file, "--json"}, {"top", file}, {"top", file, "--json", "--by", "total"}, {"tree", file},
		{"tree", file, "--json"}, {"tree", file, "--json", "--no-recursion"}, {"tree", file, "--json", "--by-method"},
		{"layout", file}, {"layout", file, "--sizing", "area", "--no-recursion"}, {"layout", file, "--sizing", "equal", "--by-method"},
		{"render", file, "-o", filepath.Join(dir, "a.svg")}, {"render", file, "--size", "300x200", "--scale", "1", "-o", filepath.Join(dir, "a.png")},
		{"convert", file, "-o", filepath.Join(dir, "a.cambium")}, {"convert", file, "-o", filepath.Join(dir, "a.pb.gz")},
		{"convert", file, "-o", filepath.Join(dir, "a.folded")},
	} {
		status, stdout, stderr := cambium(t, "", args...)
		if status != wantStatus || status == 1 && (stdout != "" || strings.Count(stderr, "\n") != 1) {
			t.Errorf("%v: status %d, %.200s%.300s", args, status, stdout, stderr)
		}
		for line := range strings.Lines(stderr) {
			if !strings.HasPrefix(line, "cambium: ") {
				t.Errorf("%v: says %.300s", args, line)
			}
		}
	}
}

// infoFrom is what info says, which must be that all went well.
func infoFrom(t *testing.T, file string) (i info) {
	t.Helper()
	status, stdout, stderr := cambium(t, "", "info", file, "--json")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	decode(t, stdout, &i)
	return i
}

func TestHostileValues(t *testing.T) {
	if datatest.Race {
		t.Skip("takes minutes with the race detector")
	}
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		name                      string
		stacks                    []stack
		total                     int64
		contexts, csvContexts     int
		maxDepth, methods, warned int
	}{
		{"overflowing", []stack{{[]string{"m.a", "m.b"}, most}, {[]string{"m.a", "m.c"}, most}, {[]string{"m.a", "m.b"}, most}}, most, 3, 6, 2, 3, 1},
		{"underflowing", []stack{{[]string{"m.a", "m.b"}, least + 1}, {[]string{"m.a", "m.c"}, least + 1}}, least, 3, 4, 2, 3, 1},
		{"negative", []stack{{[]string{"m.a", "m.b"}, -5}, {[]string{"m.a"}, 3}, {[]string{"m.a", "m.c"}, -7}}, -9, 3, 5, 2, 3, 0},
		{"zero", []stack{{[]string{"m.a", "m.b"}, 0}, {[]string{"m.a"}, 0}}, 0, 2, 3, 2, 2, 0},
		{"not UTF-8", []stack{{[]string{"m.a\xff", "m.b"}, 4}, {[]string{"m.a\xfe", "m.b"}, 5}}, 9, 4, 4, 2, 3, 0},
		{"control characters", []stack{{[]string{"m.a", "m.b\x7f\u0085"}, 4}}, 4, 2, 2, 2, 2, 0},
		{"markup", []stack{{[]string{"m.a", "m.<script>alert(1)</script>&amp;"}, 4}}, 4, 2, 2, 2, 2, 0},
		{"duplicate names", []stack{{[]string{"m.a", "m.a", "m.b"}, 3}, {[]string{"m.a", "m.b"}, 4}, {[]string{"m.a", "m.b"}, 4}}, 11, 4, 7, 3, 2, 0},
	} {
		for _, f := range formats {
			c := c
			if c.name == "not UTF-8" && f.name == "ndjson" {
				c.methods, c.warned = 2, 1 // there the names are ids, and broken ones are alike: JSON is text
			}
			t.Run(c.name+"/"+f.name, func(t *testing.T) {
				file := write(t, "profile", f.write(c.stacks))
				i := infoFrom(t, file)
				contexts := c.contexts
				if f.name == "cctcsv" {
					contexts = c.csvContexts
				}
				if i.Format != f.name || len(i.Metrics) != 1 || i.Metrics[0].Total != c.total || i.Contexts != contexts || i.MaxDepth != c.maxDepth || i.Methods != c.methods || len(i.Warnings) != c.warned {
					t.Errorf("info says %+v", i)
				}
				everyCommand(t, file, 0)
			})
		}
	}
}

// A profile without samples is empty, and no mistake.
func TestWithoutSamples(t *testing.T) {
	for _, f := range formats[1:] { // folded stacks without a stack are an empty file
		t.Run(f.name, func(t *testing.T) {
			file := write(t, "profile", f.write(nil))
			i := infoFrom(t, file)
			if len(i.Metrics) != 1 || i.Metrics[0].Name != "samples" || i.Metrics[0].Total != 0 || i.Contexts != 0 || i.MaxDepth != 0 {
				t.Errorf("info says %+v", i)
			}
			everyCommand(t, file, 0)
			if _, top, _ := cambium(t, "", "top", file, "--json"); top != "[]\n" {
				t.Errorf("top says %s", top)
			}
			if _, tree, _ := cambium(t, "", "tree", file, "--json"); tree != `{"id":0,"parent":-1,"depth":0,"name":"","self":{"samples":0},"total":{"samples":0}}`+"\n" {
				t.Errorf("tree says %s", tree)
			}
			// And what is converted from it is the same.
			for _, ending := range []string{".cambium", ".pb.gz"} {
				out := filepath.Join(t.TempDir(), "back"+ending)
				if status, _, stderr := cambium(t, "", "convert", file, "-o", out); status != 0 {
					t.Fatal(stderr)
				}
				back := infoFrom(t, out)
				back.Format, back.Warnings, back.Events = i.Format, i.Warnings, i.Events
				if !reflect.DeepEqual(back, i) {
					t.Errorf("%s gives %+v, not %+v", ending, back, i)
				}
			}
		})
	}
}

func TestMillionDeep(t *testing.T) {
	if datatest.Race {
		t.Skip("takes minutes with the race detector")
	}
	frames := make([]string, 1_000_000)
	for i := range frames {
		frames[i] = "m.f"
	}
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			file := write(t, "profile", f.write([]stack{{frames, 3}}))
			if i := infoFrom(t, file); i.Contexts != len(frames) || i.MaxDepth != len(frames) || i.Metrics[0].Total != 3 {
				t.Errorf("info says %+v", i)
			}
			if f.name != "folded" {
				return // the tree is the same
			}
			var l layoutScene
			decode(t, good(t, "layout", file), &l)
			if l.Drawn+l.TooSmall+l.Deeper != int64(len(frames)) {
				t.Errorf("%d drawn, %d too small, %d deeper", l.Drawn, l.TooSmall, l.Deeper)
			}
			if got := good(t, "top", file, "--json"); got != `[{"method":"m.f","self":3,"total":3}]`+"\n" {
				t.Errorf("top says %s", got)
			}
			if rows := treeOf(t, good(t, "tree", file, "--json", "--no-recursion")); len(rows) != 2 || rows[1].Self["samples"] != 3 {
				t.Errorf("without recursion it is %+v", rows)
			}
			if rows := strings.Count(good(t, "tree", file, "--json", "--depth", "1000"), "\n"); rows != 1001 {
				t.Errorf("%d rows", rows)
			}
			good(t, "render", file, "-o", filepath.Join(t.TempDir(), "a.svg"))
		})
	}
}

func TestBrokenFiles(t *testing.T) {
	noise := make([]byte, 100_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for name, content := range map[string]string{
		"empty": "", "packed emptiness": string(sourcetest.Gzip(nil)), "line breaks": "\n\n\n", "zeros": strings.Repeat("\x00", 5000),
		"random bytes": string(noise), "packed random bytes": string(sourcetest.Gzip(noise)),
		"head of gzip": "\x1f\x8b\x08", "head of zstd": "\x28\xb5\x2f\xfd",
		"half a header": "#methods\nid,", "no definition": `{"data_set":{}}`,
	} {
		t.Run(name, func(t *testing.T) { everyCommand(t, write(t, "profile", content), 1) })
	}
	// Half of a packed file is read as far as it goes, with a warning.
	stacks := make([]stack, 5000)
	for i := range stacks {
		stacks[i] = stack{[]string{"m.main", fmt.Sprint("m.f", rng.Uint64())}, 1}
	}
	for _, f := range formats {
		t.Run("half of "+f.name, func(t *testing.T) {
			packed := sourcetest.Gzip([]byte(f.write(stacks)))
			file := write(t, "profile", string(packed[:len(packed)/2]))
			if f.name == "cctcsv" { // the methods come first, and only then the tree
				everyCommand(t, file, 1)
				return
			}
			if i := infoFrom(t, file); len(i.Warnings) == 0 {
				t.Errorf("info says %+v", i)
			}
			everyCommand(t, file, 0)
		})
	}
}

// A small file that unpacks to a thousand times its size is refused before it
// fills the memory. (That each reader does so is tested in package source.)
func TestBomb(t *testing.T) {
	member := sourcetest.Gzip(bytes.Repeat([]byte("main;f 1\n"), 1<<17)) // members of a packed file follow each other
	bomb := write(t, "bomb", string(bytes.Repeat(member, 100)))
	status, stdout, stderr := cambium(t, "", "info", bomb)
	if status != 1 || stdout != "" || !strings.Contains(stderr, "decompression bomb") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}
