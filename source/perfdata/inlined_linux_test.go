package perfdata

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// inlinedProgram is where the program was when it was recorded.
const inlinedProgram = "/tmp/recorded-for-tests-that-put-a-folder-of-their-own-in-place-of-this-long-name-with-as-many-letters/inlined"

// symbolized reads what llvm-symbolizer printed: each address, and what it is
// within, the innermost first, as a name and a place.
func symbolized(t testing.TB, text []byte) (addresses []uint64, nests [][]string) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		address, err := strconv.ParseUint(lines[0], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := 1; i < len(lines); i += 2 {
			names = append(names, lines[i])
		}
		slices.Reverse(names)
		addresses, nests = append(addresses, address), append(nests, names)
	}
	return addresses, nests
}

// within gives what addresses are within, by the debug information of a file.
func within(t testing.TB, path string, addresses []uint64) [][]declared {
	t.Helper()
	left := maxEntries
	x, err := openDebugInfo(path, nil, &left)
	if err != nil {
		t.Fatal(err)
	}
	nests, err := x.nests(t.Context(), addresses)
	if err != nil {
		t.Fatal(err)
	}
	names, err := x.names(t.Context(), nests)
	if err != nil {
		t.Fatal(err)
	}
	all := make([][]declared, len(nests))
	for i, n := range nests {
		for _, at := range n {
			all[i] = append(all[i], names[at])
		}
	}
	t.Logf("%d of %d entries were read", maxEntries-left, maxEntries)
	return all
}

// TestNests compares what each address of a program is within with what
// llvm-symbolizer says. That knows only short names of functions that a linker
// does not see.
func TestNests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inlined")
	if err := os.WriteFile(path, file(t, "truth/inlined.gz"), 0o755); err != nil {
		t.Fatal(err)
	}
	addresses, want := symbolized(t, file(t, "truth/inlined.symbolizer.txt.gz"))
	compared, longer := compareNests(t, addresses, within(t, path, addresses), want)
	if compared[0] < 50 || compared[1] < 50 || compared[5] < 20 || longer < 100 {
		t.Errorf("compared were nests of these depths: %v, %d names with scopes", compared, longer)
	}
	// Where functions are declared, by hand.
	places := map[string]string{}
	for _, n := range within(t, path, addresses) {
		for _, f := range n {
			places[f.name] = fmt.Sprintf("%s:%d", f.file, f.line)
		}
	}
	if _, ok := places["work::run::{lambda}::operator()"]; !ok {
		t.Errorf("functions are %v", places)
	}
	for name, place := range map[string]string{
		"work::mix": "/src/inlined.cc:8", "work::Ring<unsigned long>::at": "/src/inlined.cc:16", "work::run": "/src/inlined.cc:27",
		"main": "/src/inlined.cc:41",
	} {
		if places[name] != place {
			t.Errorf("%s is at %q, want %q", name, places[name], place)
		}
	}
}

func compareNests(t *testing.T, addresses []uint64, nests [][]declared, want [][]string) (compared [maxNest]int, longer int) {
	t.Helper()
	for i, names := range want {
		var got []string
		for k, f := range nests[i] {
			name := f.name
			if k < len(names) && strings.HasSuffix(name, "::"+names[k]) {
				name = names[k]
				longer++
			}
			got = append(got, name)
		}
		for k := range names {
			names[k] = demangled(names[k])
		}
		if len(names) == 1 && len(got) == 0 {
			continue // of the symbol table
		}
		if !slices.Equal(got, names) {
			t.Fatalf("%#x is within %q, llvm-symbolizer has %q", addresses[i], got, names)
		}
		compared[len(names)-1]++
	}
	return compared, longer
}

// recordedInlined reads a recording of the program, which is at hand.
func recordedInlined(t *testing.T, name string) []sample {
	t.Helper()
	raw := file(t, name+".perf.data.gz")
	folder := t.TempDir()
	if len(folder)+8 > len(inlinedProgram) {
		t.Skip("the folder of temporary files has a long name")
	}
	path := folder + strings.Repeat("/", len(inlinedProgram)-len(folder)-7) + "inlined"
	if err := os.WriteFile(path, file(t, "truth/inlined.gz"), 0o755); err != nil {
		t.Fatal(err)
	}
	set := readWithBinaries(t, bytes.ReplaceAll(raw, []byte(inlinedProgram), []byte(path)))
	methods := set.Entity(source.TypeMethod)
	files, _ := methods.Column("File")
	for i := range data.EntityID(methods.Rows()) {
		if name := methods.NameOf(i); strings.HasPrefix(name, "work::") && !strings.Contains(name, "{lambda}") && set.Entity(source.TypeFile).NameOf(files.Refs[i]) != "/src/inlined.cc" {
			t.Errorf("%s has no file", name)
		}
	}
	return samples(t, set)
}

// TestInlined reads a recording, and expects of each frame that perf script has
// what llvm-symbolizer says of its address, and of a caller of the byte before.
func TestInlined(t *testing.T) {
	addresses, nests := symbolized(t, file(t, "truth/inlined.symbolizer.txt.gz"))
	got := recordedInlined(t, "inlined")
	deepest := 0
	for i, w := range truth(t, "inlined") {
		var want []string
		for j, f := range w.stack {
			if f.binary != inlinedProgram {
				continue
			}
			at := f.address
			if j > 0 {
				at--
			}
			k, ok := slices.BinarySearch(addresses, at)
			if !ok {
				t.Fatalf("there is no %#x", at)
			}
			for _, name := range slices.Backward(nests[k]) {
				want = append(want, demangled(name))
			}
		}
		var have []string
		for _, f := range got[i].stack {
			if f.binary == "inlined" {
				have = append(have, f.name)
			}
		}
		if !slices.EqualFunc(have, want, func(h, w string) bool { return h == w || strings.HasSuffix(h, "::"+w) }) {
			t.Fatalf("sample %d is %q, want %q", i, have, want)
		}
		deepest = max(deepest, len(want))
	}
	if deepest < 9 {
		t.Errorf("the deepest stack has %d functions of the program", deepest)
	}
}

// TestInlinedAsPerf compares the innermost function and what it is within with
// what perf script itself makes of it, which it does of recordings with stack
// memory. (Where addr2line, which it asks, takes a function without a linkage name
// for the one around it, perf shows that twice.)
func TestInlinedAsPerf(t *testing.T) {
	got := recordedInlined(t, "inlined-stack-memory")
	same := 0
	for i, w := range truth(t, "inlined-stack-memory") {
		var want []string
		for _, f := range w.stack {
			if f.address == w.stack[0].address {
				want = append(want, f.name)
			}
		}
		if w.stack[0].binary != "inlined" && w.stack[0].binary != inlinedProgram {
			continue
		}
		have := got[i].stack
		if len(have) != len(want) {
			t.Fatalf("sample %d is %v, perf has %q", i, have, want)
		}
		for k, f := range have {
			if f.name == want[k] || strings.HasSuffix(f.name, "::"+want[k]) {
				same++
			} else if want[k] != want[len(want)-1] {
				t.Fatalf("sample %d is %v, perf has %q", i, have, want)
			}
		}
	}
	if same < 100 {
		t.Errorf("%d names are the same", same)
	}
}

// goNests prints the innermost function that each address is within, by the
// tables that the Go runtime has itself.
const goNests = `package main

import (
	"fmt"
	"reflect"
	"runtime"
)

type ring [64]int

func (r *ring) at(i int) *int { return &r[mix(i)&63] }

func mix(x int) int { return x*31 ^ x>>7 }

//go:noinline
func turn(r *ring, n int) {
	for i := range n {
		*r.at(i) += mix(*r.at(i + 1))
		func() { *r.at(i) ^= mix(n) }()
	}
}

func main() {
	turn(new(ring), 100)
	start := reflect.ValueOf(turn).Pointer()
	for pc := start; runtime.FuncForPC(pc).Entry() == start; pc++ {
		fmt.Printf("%#x\n", pc)
		f, _ := runtime.CallersFrames([]uintptr{pc + 1}).Next()
		fmt.Printf("%s\n%s:%d\n\n", f.Function, f.File, f.Line)
	}
}
`

// TestNestsOfGo compares what addresses of a program of Go are within with what
// its runtime says.
func TestNestsOfGo(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "nests")
	if err := os.WriteFile(path+".go", []byte(goNests), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-buildmode=exe", "-o", path, path+".go")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := exec.Command(path).Output()
	if err != nil {
		t.Fatal(err)
	}
	addresses, want := symbolized(t, text)
	var depths [maxNest]int
	for i, n := range within(t, path, addresses) {
		if len(n) == 0 && i > 0 && len(want)-i < 32 {
			continue // what fills up to the next function
		}
		if len(n) == 0 || n[0].name != "main.turn" || n[len(n)-1].name != want[i][0] {
			t.Fatalf("%#x is within %v, the runtime has %s", addresses[i], n, want[i])
		}
		depths[len(n)-1]++
	}
	if depths[0] < 20 || depths[1] < 10 || depths[2] < 5 {
		t.Errorf("compared were nests of these depths: %v", depths[:5])
	}
}

// TestDebugInfoLimit: what is too much is not read, and what was read remains.
func TestDebugInfoLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inlined")
	if err := os.WriteFile(path, file(t, "truth/inlined.gz"), 0o755); err != nil {
		t.Fatal(err)
	}
	addresses, _ := symbolized(t, file(t, "truth/inlined.symbolizer.txt.gz"))
	count := func(left int) (n int) {
		x, err := openDebugInfo(path, nil, &left)
		if err != nil {
			t.Fatal(err)
		}
		nests, err := x.nests(t.Context(), addresses)
		if (err == nil) != (left > 0) || err != nil && !errors.Is(err, errTooMuch) {
			t.Errorf("with %d entries left: %v", left, err)
		}
		for _, calls := range nests {
			n += len(calls)
		}
		return n
	}
	if all, some := count(100_000), count(3000); some == 0 || some >= all {
		t.Errorf("%d of %d calls were found", some, all)
	}
}

// TestDamagedDebugInfo: what is damaged gives an error, or other nests, and
// does not take long.
func TestDamagedDebugInfo(t *testing.T) {
	program := file(t, "truth/inlined.gz")
	addresses, _ := symbolized(t, file(t, "truth/inlined.symbolizer.txt.gz"))
	for at := len(program) / 2; at < len(program); at += 101 {
		damaged := bytes.Clone(program)
		damaged[at] ^= byte(1 + at%255)
		tryDebugInfo(t, damaged, addresses)
	}
}

func FuzzDebugInfo(f *testing.F) {
	f.Add(file(f, "truth/inlined.gz"))
	addresses, _ := symbolized(f, file(f, "truth/inlined.symbolizer.txt.gz"))
	f.Fuzz(func(t *testing.T, program []byte) { tryDebugInfo(t, program, addresses) })
}

func tryDebugInfo(t *testing.T, program []byte, addresses []uint64) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return
	}
	left := 100_000
	x, err := readDebugInfo(file, &left)
	if err != nil {
		return
	}
	nests, err := x.nests(t.Context(), addresses)
	if len(nests) != len(addresses) {
		t.Fatalf("%d nests, %v", len(nests), err)
	}
	x.names(t.Context(), nests)
}
