package convert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/symbol"
)

// eachFile calls f with every data set that the readers are tested with, and
// its tree, or nil.
func eachFile(t *testing.T, f func(t *testing.T, set *data.Set, tree *cct.Tree)) {
	files, err := filepath.Glob("../source/*/testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if strings.HasSuffix(file, ".golden") || err != nil {
			continue
		}
		if (testing.Short() || datatest.Race) && len(raw) > 100_000 {
			continue // half a minute each with the race detector
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			set, err := tryRead(raw)
			if err != nil {
				t.Skip(err) // a test of errors
			}
			tree, err := cct.Build(context.Background(), set)
			var none *cct.ErrNoContexts
			if err != nil && !errors.As(err, &none) {
				t.Fatal(err)
			}
			f(t, set, tree)
		})
	}
}

func tryRead(raw []byte) (*data.Set, error) {
	in, err := source.NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return source.Read(context.Background(), in)
}

func read(t testing.TB, raw []byte) *data.Set {
	t.Helper()
	set, err := tryRead(raw)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func build(t testing.TB, set *data.Set) *cct.Tree {
	t.Helper()
	tree, err := cct.Build(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func write(t testing.TB, ending string, set *data.Set, tree *cct.Tree) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(context.Background(), &b, ending, set, tree); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// truth is what a format must keep of a metric.
type truth struct {
	total  int64
	self   map[string]int64 // by method
	stacks map[uint64]int64 // by the hash of the stack
}

func newTruth() truth { return truth{self: map[string]int64{}, stacks: map[uint64]int64{}} }

var seed = maphash.MakeSeed()

// add adds a sample of a stack, outermost first.
func (u *truth) add(stack []string, v int64) {
	u.total += v
	var h maphash.Hash
	h.SetSeed(seed)
	for _, name := range stack {
		h.WriteString(name)
		h.WriteByte(0)
	}
	u.stacks[h.Sum64()] += v
	if len(stack) > 0 {
		u.self[stack[len(stack)-1]] += v
	}
}

func (u *truth) tidy() truth {
	maps.DeleteFunc(u.self, func(_ string, v int64) bool { return v == 0 })
	maps.DeleteFunc(u.stacks, func(_ uint64, v int64) bool { return v == 0 })
	return *u
}

// truthOf walks up from every node, unlike the code it checks. rename is what
// a format does to names.
func truthOf(t *cct.Tree, metric int, rename func(string) string) truth {
	u := newTruth()
	var stack []string
	names := make([]string, t.Methods.Rows())
	for m := range names {
		names[m] = rename(t.Methods.NameOf(data.EntityID(m)))
	}
	for n := range cct.NodeID(t.Len()) {
		v := t.Self[metric][n]
		if v == 0 {
			continue
		}
		stack = stack[:0]
		for up := n; up != cct.NoNode; up = t.Parent[up] {
			if up != cct.Root || t.Method[up] != data.None {
				stack = append(stack, names[t.Method[up]])
			}
		}
		slices.Reverse(stack)
		u.add(stack, v)
	}
	return u.tidy()
}

func same(name string) string { return name }

func compare(t *testing.T, what string, got, want truth) {
	t.Helper()
	if got.total != want.total {
		t.Errorf("%s: the total is %d, want %d", what, got.total, want.total)
	}
	if !maps.Equal(got.self, want.self) {
		t.Errorf("%s: self by method differs: %d and %d methods", what, len(got.self), len(want.self))
	}
	if !maps.Equal(got.stacks, want.stacks) {
		t.Errorf("%s: stacks differ: %d and %d", what, len(got.stacks), len(want.stacks))
	}
}

// places are the files and lines of the methods of a tree by name, which
// several methods may have.
func places(set *data.Set, tree *cct.Tree) map[string][]string {
	by := map[string][]string{}
	f := newFrames(set, tree)
	for _, m := range f.methods {
		if file := f.fileOf(m); file != data.None {
			by[f.name(m)] = append(by[f.name(m)], f.files.NameOf(file)+":"+strconv.FormatInt(f.lineOf(m), 10))
		}
	}
	for name := range by {
		slices.Sort(by[name])
		by[name] = slices.Compact(by[name])
	}
	return by
}

func checkPprof(t *testing.T, set *data.Set, tree *cct.Tree) {
	raw := write(t, Pprof, set, tree)
	p, err := profile.ParseData(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	if got, want := p.DefaultSampleType, tree.Metrics[tree.Preferred].Name; got != want {
		t.Errorf("the default is %q, want %q", got, want)
	}
	for m, metric := range tree.Metrics {
		if s := p.SampleType[m]; s.Type != metric.Name || s.Unit != string(metric.Unit) {
			t.Errorf("sample type %d is %v", m, s)
		}
		u := newTruth()
		var stack []string
		for _, s := range p.Sample {
			stack = stack[:0]
			for _, l := range slices.Backward(s.Location) {
				stack = append(stack, l.Line[0].Function.Name)
			}
			u.add(stack, s.Value[m])
		}
		compare(t, "pprof's "+metric.Name, u.tidy(), truthOf(tree, m, same))
	}
	if len(p.Sample) == 0 {
		return
	}
	back := read(t, raw)
	again := build(t, back)
	if len(back.Warnings) > 0 {
		t.Errorf("warnings: %q", back.Warnings)
	}
	if again.Preferred != tree.Preferred {
		t.Errorf("metric %d is preferred, want %d", again.Preferred, tree.Preferred)
	}
	for m, metric := range tree.Metrics {
		if r := again.Metrics[m]; r.Name != metric.Name || r.Unit != metric.Unit {
			t.Errorf("metric %d is %v", m, r)
		}
		compare(t, "our "+metric.Name, truthOf(again, m, same), truthOf(tree, m, same))
	}
	before := places(set, tree)
	for name, at := range places(back, again) {
		// Methods of one name are one method to who reads pprof.
		for _, place := range at {
			if set.Entity(source.TypeMethod) != nil && !slices.Contains(before[name], place) {
				t.Errorf("%s is at %s, want one of %s", name, place, before[name])
			}
		}
	}
}

func checkFolded(t *testing.T, set *data.Set, tree *cct.Tree) {
	rename := func(name string) string {
		return strings.TrimRight(strings.NewReplacer(";", ":", "\n", " ").Replace(name), " \t")
	}
	want := truthOf(tree, tree.Preferred, rename)
	raw := write(t, Folded, set, tree)
	if len(want.stacks) == 0 {
		return
	}
	compare(t, "folded", truthOf(build(t, read(t, raw)), 0, same), want)
}

func checkSpeedscope(t *testing.T, set *data.Set, tree *cct.Tree) {
	if slices.Contains(tree.Negative, true) {
		if err := Write(context.Background(), &bytes.Buffer{}, Speedscope, set, tree); err == nil || !strings.Contains(err.Error(), "negative") {
			t.Errorf("negative weights: %v", err)
		}
		return
	}
	var file struct {
		Schema   string `json:"$schema"`
		Exporter string
		Active   int `json:"activeProfileIndex"`
		Shared   struct {
			Frames []struct {
				Name, File string
				Line       int
			}
		}
		Profiles []struct {
			Type, Name, Unit     string
			StartValue, EndValue int64
			Samples              [][]int
			Weights              []int64
		}
	}
	if err := json.Unmarshal(write(t, Speedscope, set, tree), &file); err != nil {
		t.Fatal(err)
	}
	if file.Schema != speedscopeSchema || file.Exporter != "cambium" || file.Active != tree.Preferred || len(file.Profiles) != len(tree.Metrics) {
		t.Errorf("%s by %s with %d profiles", file.Schema, file.Exporter, len(file.Profiles))
	}
	at := places(set, tree)
	for _, f := range file.Shared.Frames {
		if f.File != "" && !slices.Contains(at[f.Name], f.File+":"+strconv.Itoa(f.Line)) {
			t.Errorf("%s is at %s:%d", f.Name, f.File, f.Line)
		}
	}
	for m, p := range file.Profiles {
		want := truthOf(tree, m, same)
		if p.Type != "sampled" || p.Name != tree.Metrics[m].Name || p.Unit != speedscopeUnit(tree.Metrics[m].Unit) || p.StartValue != 0 || p.EndValue != want.total || len(p.Samples) != len(p.Weights) {
			t.Errorf("%s %s in %s from %d to %d: %d samples, %d weights", p.Type, p.Name, p.Unit, p.StartValue, p.EndValue, len(p.Samples), len(p.Weights))
			continue
		}
		u := newTruth()
		var stack []string
		for i, sample := range p.Samples {
			stack = stack[:0]
			for _, f := range sample {
				stack = append(stack, file.Shared.Frames[f].Name)
			}
			u.add(stack, p.Weights[i])
		}
		compare(t, "speedscope's "+p.Name, u.tidy(), want)
	}
}

func checkStream(t *testing.T, set *data.Set) {
	back := read(t, write(t, Cambium, set, nil))
	if back.Name != set.Name || back.Format != set.Format || !slices.Equal(back.Warnings, set.Warnings) {
		t.Errorf("%q, %q, %q; want %q, %q, %q", back.Name, back.Format, back.Warnings, set.Name, set.Format, set.Warnings)
	}
	definition := func(got, want data.Definition) {
		t.Helper()
		if len(got.Fields)+len(want.Fields) == 0 {
			got.Fields, want.Fields = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the definition is\n%+v, want\n%+v", got, want)
		}
	}
	columns := func(name string, got, want []data.Column) {
		t.Helper()
		for i := range want {
			if i >= len(got) || !slices.Equal(got[i].Refs, want[i].Refs) || !slices.Equal(got[i].Values, want[i].Values) {
				t.Errorf("%s: column %d differs", name, i)
			}
		}
	}
	if len(back.Entities()) != len(set.Entities()) || len(back.Events()) != len(set.Events()) {
		t.Fatalf("%d entity types and %d event types", len(back.Entities()), len(back.Events()))
	}
	for i, want := range set.Entities() {
		got := back.Entities()[i]
		definition(got.Definition, want.Definition)
		columns(want.Definition.Name, got.Columns, want.Columns)
		if got.Rows() != want.Rows() {
			t.Errorf("%s has %d rows, want %d", want.Definition.Name, got.Rows(), want.Rows())
		}
		for id := range data.EntityID(want.Rows()) {
			if got.NameOf(id) != want.NameOf(id) {
				t.Fatalf("%s %d is %q, want %q", want.Definition.Name, id, got.NameOf(id), want.NameOf(id))
			}
		}
	}
	for i, want := range set.Events() {
		got := back.Events()[i]
		definition(got.Definition, want.Definition)
		columns(want.Definition.Name, got.Columns, want.Columns)
		if got.Rows() != want.Rows() {
			t.Errorf("%s has %d rows, want %d", want.Definition.Name, got.Rows(), want.Rows())
		}
	}
}

func TestFiles(t *testing.T) {
	eachFile(t, func(t *testing.T, set *data.Set, tree *cct.Tree) {
		checkStream(t, set)
		if tree == nil {
			if err := Write(context.Background(), &bytes.Buffer{}, Pprof, set, nil); err == nil || !strings.Contains(err.Error(), "no calling contexts") {
				t.Errorf("without a tree: %v", err)
			}
			return
		}
		checkPprof(t, set, tree)
		checkFolded(t, set, tree)
		if calls := set.Event(source.TypeCall); calls != nil && calls.Rows() > 0 {
			checkCalls(t, set)
			return
		}
		checkSpeedscope(t, set, tree)
		if err := Write(context.Background(), &bytes.Buffer{}, Chrome, set, tree); err == nil || !strings.Contains(err.Error(), "no calls") {
			t.Errorf("Chrome, without calls: %v", err)
		}
	})
}

// odd makes a profile with what formats stumble over.
func odd(t testing.TB) *data.Set {
	b := data.NewBuilder("odd \"<set>\"\x01", "by hand")
	p := source.NewProfile(b, symbol.Unknown, 1,
		source.Metric{Name: "time", Unit: "nanoseconds", Description: "spent"}, source.Metric{Name: "space", Unit: "bytes"})
	a := p.Method(source.Frame{Name: "a\"\\b<é>", File: "a.c", Line: 7, Binary: "x"})
	c := p.Method(source.Frame{Name: "c d\t\u2028", File: "a.c", Line: 9})
	e := p.Method(source.Frame{Name: "e", File: "e.c"})
	outer := p.Child(data.None, a)
	inner := p.Child(p.Child(outer, c), e)
	p.Sample(inner, 1, 2)
	p.Label("thread", "main")
	p.Number("size", "bytes", math.MinInt64)
	p.Sample(data.None, 3, 4)
	p.Sample(outer, 5, 0)
	p.Sample(p.Child(data.None, e), 1<<62, 1)
	for range 3 { // so that folded stacks are recognised
		inner = p.Child(inner, c)
		inner = p.Child(inner, e)
		p.Sample(inner, 0, 6)
	}
	b.Warn("2 events were lost")
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestOdd(t *testing.T) {
	set := odd(t)
	tree := build(t, set)
	checkStream(t, set)
	checkPprof(t, set, tree)
	checkFolded(t, set, tree)
	checkSpeedscope(t, set, tree)
}

func TestFoldedNames(t *testing.T) {
	set := read(t, []byte(`{"entity_type":"M"}
{"entity_type":"C","fields":[{"name":"up","refers":"C","properties":["hierarchy"]},{"name":"M","refers":"M"}]}
{"event_type":"S","fields":[{"name":"C","refers":"C"},{"name":"n","properties":["amount"]}]}
{"entity":"M","rows":[[0,"#a;b"],[1,"c\nd\r"],[2,""]]}
{"entity":"C","rows":[[0,"",null,0],[1,"",0,1],[2,"",1,2],[3,"",2,null]]}
{"event":"S","rows":[[0,-1],[1,2],[2,3],[3,4],[null,9]]}`))
	got := string(write(t, Folded, set, build(t, set)))
	const want = "; 9\n #a:b -1\n #a:b;c d 2\n #a:b;c d;? 7\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p, err := profile.ParseData(write(t, Pprof, set, build(t, set)))
	if err != nil || p.CheckValid() != nil || len(p.Sample) != 4 {
		t.Errorf("%v, %v", p, err)
	}
}

// The root of a selected subtree is a frame.
func TestSubtree(t *testing.T) {
	method := []data.EntityID{1, 0, 1}
	methods := build(t, odd(t)).Methods
	tree := &cct.Tree{
		Parent: []cct.NodeID{cct.NoNode, 0, 1}, End: []cct.NodeID{3, 3, 3}, Depth: []int32{0, 1, 2}, Method: method,
		Metrics: []cct.Metric{{Name: "n"}}, Self: [][]int64{{1, 2, 3}}, Total: [][]int64{{6, 5, 3}}, Methods: methods, Negative: []bool{false},
	}
	set := odd(t)
	checkPprof(t, set, tree)
	checkFolded(t, set, tree)
	checkSpeedscope(t, set, tree)
}

// Types may refer to each other, as long as there is an order of entities.
func TestStreamOrder(t *testing.T) {
	make := func(a, b []data.EntityID) *data.Set {
		builder := data.NewBuilder("order", "by hand")
		for _, c := range []struct {
			name, other string
			refs        []data.EntityID
		}{{"A", "B", a}, {"B", "A", b}} {
			e, err := builder.EntityType(c.name, "", data.Ref("other", c.other, ""))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Adopt(nil, len(c.refs), data.Column{Refs: c.refs}); err != nil {
				t.Fatal(err)
			}
		}
		set, err := builder.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	checkStream(t, make([]data.EntityID{0, 1, 2}, []data.EntityID{data.None, 0, 1}))
	err := Write(context.Background(), &bytes.Buffer{}, Cambium, make([]data.EntityID{0, 1}, []data.EntityID{data.None, 1}), nil)
	if err == nil || !strings.Contains(err.Error(), `field "other" refers to`) {
		t.Errorf("a circle: %v", err)
	}
}

// A stack of a million frames, of which only the innermost has a cost.
func TestDeep(t *testing.T) {
	if datatest.Race {
		t.Skip("takes minutes with the race detector")
	}
	const depth = 1_000_000
	b := data.NewBuilder("deep", "")
	p := source.NewProfile(b, symbol.Unknown, 0, source.Metric{Name: "n", Unit: "count"})
	even, odd := p.Method(source.Frame{Name: "even"}), p.Method(source.Frame{Name: "odd"})
	at := data.None
	for i := range depth {
		m := even
		if i%2 == 1 {
			m = odd
		}
		at = p.Child(at, m)
	}
	p.Sample(at, 42)
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	tree := build(t, set)
	for _, ending := range []string{Pprof, Folded, Cambium} {
		again := build(t, read(t, write(t, ending, set, tree)))
		if again.Contexts() != depth || again.Total[0][0] != 42 || again.Self[0][depth] != 42 {
			t.Errorf("%s: %d contexts, total %d", ending, again.Contexts(), again.Total[0][0])
		}
	}
	if raw := write(t, Speedscope, set, tree); !json.Valid(raw) || bytes.Count(raw, []byte(",1,0,1")) == 0 {
		t.Error("speedscope: broken")
	}
}

func TestEnding(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/a.b/x.pb.gz": Pprof, "x.folded": Folded, "x.y.speedscope.json": Speedscope, "x.trace.json": Chrome, "x.cambium": Cambium,
		"x.json": "", "x.gz": "", "": "", "folded": "",
	} {
		got, err := Ending(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", path, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), ".pb.gz, .folded, .speedscope.json, .trace.json, .cambium") {
			t.Error(err)
		}
	}
	set := odd(t)
	if err := Write(context.Background(), &bytes.Buffer{}, ".txt", set, build(t, set)); err == nil {
		t.Error("an unknown ending is written")
	}
}

var errFull = errors.New("the disk is full")

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

func TestFullDisk(t *testing.T) {
	for _, ending := range endings {
		set := odd(t)
		if ending == Chrome {
			set = oddCalls(t)
		}
		tree := build(t, set)
		for size := len(write(t, ending, set, tree)) - 1; size >= 0; size /= 2 {
			if err := Write(context.Background(), &full{left: size}, ending, set, tree); !errors.Is(err, errFull) {
				t.Errorf("%s after %d bytes: %v", ending, size, err)
			}
			if size == 0 {
				break
			}
		}
	}
}

// stopper cancels once so many bytes were written, and counts those after that.
type stopper struct {
	left, after int
	cancel      func()
}

func (s *stopper) Write(p []byte) (int, error) {
	if s.left < 0 {
		s.after += len(p)
	}
	if s.left -= len(p); s.left < 0 {
		s.cancel()
	}
	return len(p), nil
}

// TestCancelled cancels in the midst of files that are long, packed or not.
func TestCancelled(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) // names that cannot be packed
	var stacks, calls strings.Builder
	calls.WriteString("[")
	for i := range 50_000 {
		fmt.Fprintf(&stacks, "main;%x%x %d\n", random.Uint64(), random.Uint64(), i+1)
		fmt.Fprintf(&calls, `{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"%x%x"},`+"\n", 2*i, random.Uint64(), random.Uint64())
	}
	for text, of := range map[string][]string{
		stacks.String(): {Pprof, Folded, Speedscope, Cambium},
		strings.TrimSuffix(calls.String(), ",\n") + "]": {Chrome, Speedscope, Cambium},
	} {
		set, err := tryRead([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		tree := build(t, set)
		for _, ending := range of {
			size := len(write(t, ending, set, tree))
			ctx, cancel := context.WithCancel(context.Background())
			w := &stopper{left: size / 4, cancel: cancel}
			if err := Write(ctx, w, ending, set, tree); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the error is %v", ending, err)
			}
			if w.after > 2*bufferBytes || size < 10*bufferBytes {
				t.Errorf("%s: %d bytes of %d after it was cancelled", ending, w.after, size)
			}
			cancel()
		}
	}
}

func TestUnits(t *testing.T) {
	for unit, want := range map[data.Unit]string{"ns": "nanoseconds", "microseconds": "microseconds", "ms": "milliseconds", "seconds": "seconds", "bytes": "bytes", "count": "none", "": "none"} {
		if got := speedscopeUnit(unit); got != want {
			t.Errorf("%q: %s", unit, got)
		}
	}
}

func TestTextAsJSON(t *testing.T) {
	for _, s := range []string{"", "a", "\"\\\x00\x1f\n", "é\u2028\U0001F600", "\xffa\xc3", "\uFFFD"} {
		var got string
		if err := json.Unmarshal(appendText(nil, s), &got); err != nil || got != strings.ToValidUTF8(s, "\uFFFD") {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	raw, err := os.ReadFile("../source/cctcsv/testdata/jflex.cct.csv.zst")
	if err != nil {
		b.Skip(err)
	}
	set := read(b, raw)
	z, err := gzip.NewReader(bytes.NewReader(write(b, Cambium, set, nil)))
	if err != nil {
		b.Fatal(err)
	}
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(z); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(plain.Len()))
	for b.Loop() {
		write(b, Cambium, set, nil)
	}
}
