package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data/datatest"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// effort is how much of all that could go wrong is tried.
type effort struct {
	content       int // bytes of a file; more are left out
	cuts, changes int // of a file, for its own reader
	foreign       int // of both, for each other reader
}

// fullyHostile is the variable that asks for everything, which takes long: so
// many bytes of each file, cut at a hundred places and with a byte changed at a
// thousand, for every reader.
const fullyHostile = "CAMBIUM_HOSTILE"

func effortOf() effort {
	bytes, err := strconv.Atoi(os.Getenv(fullyHostile))
	switch {
	case err == nil:
		return effort{content: bytes, cuts: 100, changes: 1000, foreign: 1100}
	case datatest.Race || testing.Short():
		return effort{content: 4 << 10, cuts: 10, changes: 20, foreign: 2}
	}
	return effort{content: 16 << 10, cuts: 20, changes: 60, foreign: 6}
}

const (
	longest = 20 * time.Second
	// mostMemory bounds what a read allocates, all in all: for bytes that are
	// wrong, and for each byte that is right.
	mostMemory  = 128 << 20
	mostPerByte = 4 << 10
)

// TestHostileFiles feeds every file that readers are tested with, cut short and
// with bytes changed, to every reader: those that are linked in, and the files
// that are there. None may panic or hang, or take memory that has nothing to do
// with the file; what is wrong is said in a sentence or a warning.
func TestHostileFiles(t *testing.T) {
	e := effortOf()
	files, err := filepath.Glob("*/testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var jobs []job
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() || strings.HasSuffix(file, ".golden") || filepath.Base(file) == "README.md" {
			continue
		}
		content := contentOf(t, file, e.content)
		for _, f := range source.Formats() {
			jobs = append(jobs, job{file, f, content, f.Name == strings.Split(filepath.ToSlash(file), "/")[0]})
		}
	}
	h := hostile{T: t, effort: e}
	queue := make(chan job)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range queue {
				h.run(j)
			}
		})
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	workers.Wait()
	t.Logf("%d reads: %d with an error, %d with a warning, %d without either", h.reads, h.errors, h.warnings, h.reads-h.errors-h.warnings)
}

// contentOf unpacks a file, as readers get it.
func contentOf(t *testing.T, file string, most int) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in, err := source.NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
	if err != nil {
		return raw
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, int64(most)))
	if err != nil && len(content) == 0 {
		return raw[:min(len(raw), most)]
	}
	return content
}

// job is a file for a reader.
type job struct {
	file    string
	format  source.Format
	content []byte
	own     bool // the reader is that of the file
}

type hostile struct {
	*testing.T
	effort

	alone sync.RWMutex // held by who measures memory
	sync.Mutex
	reads, errors, warnings int
}

// run reads a file in all the ways that it is broken.
func (h *hostile) run(j job) {
	if len(j.content) == 0 {
		return
	}
	name := fnv.New64()
	io.WriteString(name, j.file)
	rng := rand.New(rand.NewPCG(name.Sum64(), 0))
	cuts, changes := h.cuts, h.changes
	if !j.own {
		cuts, changes = h.foreign/10+1, h.foreign*9/10+1
	}
	for i := range cuts {
		at := len(j.content) * i / cuts
		h.read(j, fmt.Sprintf("cut at byte %d", at), j.content[:at], at)
	}
	for i := range changes {
		at := len(j.content)*i/changes + rng.IntN(len(j.content)/changes+1)
		broken := bytes.Clone(j.content)
		at = min(at, len(broken)-1)
		broken[at] ^= byte(1 + rng.IntN(255))
		h.read(j, fmt.Sprintf("byte %d is %#02x", at, broken[at]), broken, -1)
	}
}

// read reads once, and checks what came of it. cut is where the file was cut,
// or -1.
func (h *hostile) read(j job, how string, raw []byte, cut int) {
	what := func() string { return fmt.Sprintf("%s, %s, read as %s", j.file, how, j.format.Name) }
	defer func() {
		if r := recover(); r != nil {
			h.Errorf("%s: panic: %v\n%s", what(), r, debug.Stack())
		}
	}()
	h.alone.RLock()
	start, before := time.Now(), allocated()
	set, err := sourcetest.ReadAs(j.format, raw)
	took, memory := time.Since(start), allocated()-before
	h.alone.RUnlock()
	if most := uint64(mostMemory + mostPerByte*len(raw)); memory > most { // or others did
		h.alone.Lock()
		before := allocated()
		sourcetest.ReadAs(j.format, raw)
		if memory = allocated() - before; memory > most {
			h.Errorf("%s: took %d MB for %d bytes", what(), memory>>20, len(raw))
		}
		h.alone.Unlock()
	}
	if took > longest {
		h.Errorf("%s: took %v", what(), took)
	}
	var unfinished *sourcetest.Unfinished
	switch {
	case err == nil:
		sourcetest.Integrity(h, set)
	case errors.As(err, &unfinished) && j.format.Name != "ndjson":
		h.Errorf("%s: what it gave does not fit together: %v", what(), err)
	case !isSentence(err.Error()):
		h.Errorf("%s: the error is %q", what(), err)
	}
	h.Lock()
	defer h.Unlock()
	h.reads++
	if err != nil {
		h.errors++
	} else if len(set.Warnings) == 0 {
		// Text may end with any line, and a Chrome trace with any event.
		read := bytes.TrimRight(raw, " \t")
		between := cut <= 0 || bytes.HasSuffix(read, []byte{'\n'}) || j.content[cut] == '\n' || j.content[cut] == '\r'
		if j.own && !between && !(j.format.Name == "chrometrace" && j.content[0] == '[') {
			h.Errorf("%s: nothing is said of the end", what())
		}
	} else {
		h.warnings++
		for _, w := range set.Warnings {
			if !isSentence(w) {
				h.Errorf("%s: the warning is %q", what(), w)
			}
		}
	}
}

// isSentence tells whether a text is one that a person can read: in one line,
// not endless, and without what a wrong verb of fmt leaves.
func isSentence(text string) bool {
	return text != "" && len(text) < 2000 && !strings.ContainsAny(text, "\n\x00") && !strings.Contains(text, "%!") && !strings.Contains(text, "runtime error")
}

// allocated is what was ever allocated, in bytes.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
