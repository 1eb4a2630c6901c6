package match

import (
	"bufio"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/trace"
)

// recorded reads a call trace of the folder CAMBIUM_DATA, or skips the test.
func recorded(t testing.TB, name string) *trace.Trace {
	t.Helper()
	folder := os.Getenv("CAMBIUM_DATA")
	if folder == "" {
		t.Skip("the environment variable CAMBIUM_DATA does not name the folder of recorded profiles")
	}
	name = filepath.Join(folder, "calltrace", name+".chrome.json.gz")
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	return readTrace(t, name)
}

// kept reads a trace of the folder testdata.
func kept(t testing.TB, name string) *trace.Trace {
	t.Helper()
	return readTrace(t, filepath.Join("testdata", name+".trace.json.gz"))
}

// readTrace knows what `uftrace dump --chrome` writes and no more: an event on a
// line, ends with their beginnings, one thread.
func readTrace(t testing.TB, name string) *trace.Trace {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	r.thread()
	ends := map[trace.CallID]trace.CallID{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := lines.Text()
		field := func(name, end string) string {
			_, rest, _ := strings.Cut(line, `"`+name+`":`)
			value, _, _ := strings.Cut(rest, end)
			return strings.Trim(value, `"`)
		}
		kind := field("ph", ",")
		if kind != "B" && kind != "E" {
			continue
		}
		whole, part, _ := strings.Cut(field("ts", ","), ".") // microseconds, with three digits behind
		ns, err := strconv.ParseInt(whole+part, 10, 64)
		if err != nil || len(part) != 3 {
			t.Fatal(line)
		}
		if kind == "B" {
			r.begin(field("name", "}"), ns)
		} else {
			call := r.open[len(r.open)-1]
			r.t.Stop[call], r.open = ns, r.open[:len(r.open)-1]
			ends[call] = trace.CallID(len(r.t.Parent))
		}
	}
	for call, end := range ends {
		r.t.End[call] = end
	}
	return r.trace(t)
}

// begin is call for calls whose end is not known yet.
func (r *recorder) begin(method string, start int64) {
	row := trace.CallID(len(r.t.Parent))
	parent := trace.NoCall
	if k := len(r.open); k > 0 {
		parent = r.open[k-1]
	}
	r.t.Parent, r.t.Depth = append(r.t.Parent, parent), append(r.t.Depth, int32(len(r.open)))
	r.t.Start, r.t.Stop, r.t.End = append(r.t.Start, start), append(r.t.Stop, 0), append(r.t.End, 0)
	r.names, r.open = append(r.names, method), append(r.open, row)
}

// TestCountedIndependently compares the number of matches with what another
// program counted, without classes.
func TestCountedIndependently(t *testing.T) {
	a, b := recorded(t, "sqlite3_a"), recorded(t, "sqlite3_b")
	if a.Len() != 70863 || b.Len() != 99374 {
		t.Fatalf("%d and %d calls", a.Len(), b.Len())
	}
	p := pairOf(t, a, b, Names{})
	if p.Methods(A) != 1190 || p.Methods(B) != 1414 {
		t.Errorf("%d and %d methods", p.Methods(A), p.Methods(B))
	}
	for tau, want := range map[float64]int64{0.1: 320586152, 0.2: 173211717, 0.3: 143498136} {
		m, err := p.At(context.Background(), tau, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Total != want {
			t.Errorf("τ=%v: %d matches, want %d", tau, m.Total, want)
		}
		counter, n := m.Groups().Counter(), int64(0)
		for _, g := range m.Groups().All {
			n += counter.Count(g)
		}
		if n != want {
			t.Errorf("τ=%v: groups have %d matches, want %d", tau, n, want)
		}
		bars, err := m.Overview(context.Background(), 140)
		if err != nil {
			t.Fatal(err)
		}
		if tau == 0.3 && !testing.Short() {
			checkSums(t, m, bars)
		}
		for side := range bars {
			n := int64(0)
			for _, bar := range bars[side] {
				n += bar.Matches
			}
			if n != want {
				t.Errorf("τ=%v: bars of %d have %d matches, want %d", tau, side, n, want)
			}
		}
	}
}

// checkSums compares an overview with sums over all matches, one by one.
func checkSums(t *testing.T, m *Matches, bars [2][]Interval) {
	n := len(bars[A])
	in := [2][]int32{Divide(m.Traces[A], n), Divide(m.Traces[B], n)}
	type sums struct {
		similarity       float64
		offset, distance int64
	}
	want := [2][]sums{make([]sums, n), make([]sums, n)}
	for k := range m.All {
		offset := int64(at(m.Traces[B], k.B)) - int64(at(m.Traces[A], k.A))
		for side, bar := range [2]int32{in[A][k.A], in[B][k.B]} {
			s := &want[side][bar]
			s.similarity += k.Similarity
			s.distance += max(offset, -offset)
			if side == int(A) {
				s.offset += offset
			} else {
				s.offset -= offset
			}
		}
	}
	for side := range want {
		for i, w := range want[side] {
			bar := bars[side][i]
			if math.Abs(bar.Similarity-w.similarity) > 1e-9*w.similarity || bar.Offset != wide(w.offset) || bar.Distance != wide(w.distance) {
				t.Errorf("side %d, interval %d: %v, %v and %v; want %+v", side, i, bar.Similarity, bar.Offset, bar.Distance, w)
			}
		}
	}
}

// TestChangedProgram compares Lua with a Lua whose table.sort is another
// algorithm, and with itself on the same input. What was changed comes first.
func TestChangedProgram(t *testing.T) {
	lua, again, changed := recorded(t, "lua_run1"), recorded(t, "lua_run2"), recorded(t, "lua_changed")
	same := matchesOf(t, lua, again, 0.2)
	if gaps, a, b := same.Gaps(), same.Only(A), same.Only(B); len(gaps)+len(a)+len(b) > 0 {
		t.Errorf("the same program did something else: %v, %v, %v", gaps, a, b)
	}
	m := matchesOf(t, lua, changed, 0.2)
	// The recursion of quick sort is cut up by calls that both versions make, and
	// the first level of heap sort contains all others.
	if own := m.Only(A); len(own) == 0 || own[0].Method != "auxsort" {
		t.Errorf("only in the first: %v", own)
	}
	if own := m.Only(B); len(own) < 2 || own[0].Method != "heap_sort" || own[1].Method != "heap_sift" {
		t.Errorf("only in the second: %v", own)
	}
	sifts := 0
	for _, gap := range m.Gaps() {
		if gap.Side == B {
			sifts++
			for c := gap.First; c <= gap.Last; c++ {
				if name := changed.Name(c); name != "heap_sift" {
					t.Errorf("a gap with %s", name)
				}
			}
		}
	}
	if sifts == 0 {
		t.Error("no gap in the second")
	}
}
