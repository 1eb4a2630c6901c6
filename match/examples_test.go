package match

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/trace"
)

// Two runs of one program, of which the second does things in another order
// (figure 7 of the paper), one of them three times, and something new.
const before = `
main      |────────────────────|
  load    | ─────              |
    read  |  ──                |
    parse |    ──              |
  sort    |        ─────       |
    swap  |         ─          |
    less  |           ─        |
  save    |               ──── |
    write |                ──  |
`

const after = `
main      |────────────────────|
  sort    | ───                |
    less  |  ─                 |
    swap  |   ─                |
  save    |     ──             |
    write |     ─              |
  save    |        ──          |
    write |        ─           |
  save    |           ──       |
    write |           ─        |
  load    |              ───   |
    parse |               ─    |
    map   |                ─   |
  trim    |                  ──|
    cut   |                  ─ |
`

// list prints matches or groups as names with similarities.
func list(m *Matches, a, b trace.CallID, similarity float64) string {
	return fmt.Sprintf("%s@%d–%s@%d %.3g", m.Traces[A].Name(a), m.Traces[A].Start[a], m.Traces[B].Name(b), m.Traces[B].Start[b], similarity)
}

func compareText(t *testing.T, what, got, want string) {
	t.Helper()
	if got, want := strings.TrimSpace(got), strings.TrimSpace(want); got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

// TestPermutation follows the paper: order does not matter to similarity, a
// call may match several, and what is new matches nothing.
func TestPermutation(t *testing.T) {
	a, b := draw(t, before), draw(t, after)
	// Γ(main) of the first has 9 methods, that of the second 11; 8 are in both.
	if s := pairOf(t, a, b, Names{}).Similarity(0, 0); s != 8./12 {
		t.Errorf("main is similar by %v", s)
	}
	m := matchesOf(t, a, b, 0.66)
	var text strings.Builder
	for _, g := range m.Groups().All {
		fmt.Fprintln(&text, list(m, g.A, g.B, g.Similarity))
	}
	compareText(t, "groups at 0.66", text.String(), `
main@0–main@0 0.667
`)
	// Without it, each of what main calls is a group.
	m = matchesOf(t, a, b, 0.7)
	text.Reset()
	counter := m.Groups().Counter()
	for _, g := range m.Groups().All {
		fmt.Fprintln(&text, list(m, g.A, g.B, g.Similarity), counter.Count(g))
	}
	compareText(t, "groups at 0.7", text.String(), `
parse@4–parse@15 1 1
sort@8–sort@1 1 3
save@15–save@5 1 2
save@15–save@8 1 2
save@15–save@11 1 2
`)
	text.Reset()
	for _, gap := range m.Gaps() {
		fmt.Fprintln(&text, gap.Side, m.Traces[gap.Side].Name(gap.First), gap.Calls(), gap.From, gap.To)
	}
	compareText(t, "gaps", text.String(), `
0 main 3 0 4
1 map 3 16 20
1 main 1 0 1
1 load 1 14 15
`)
	for side, want := range []string{"[{read 1 2 2}]", "[{trim 1 2 13} {cut 1 1 14} {map 1 1 12}]"} {
		compareText(t, "only", fmt.Sprint(m.Only(Side(side))), want)
	}
}

func TestStrongest(t *testing.T) {
	m := matchesOf(t, draw(t, before), draw(t, after), 0.3)
	for order, want := range map[Order]string{
		ByWeight: `
main@0–main@0 0.667
sort@8–sort@1 1
`,
		BySimilarity: `
sort@8–sort@1 1
save@15–save@5 1
`} {
		var text strings.Builder
		calls := func(t *trace.Trace) (all []trace.CallID) {
			for c := range t.Parent {
				all = append(all, trace.CallID(c))
			}
			return all
		}
		matches, total := m.Strongest(calls(m.Traces[A]), calls(m.Traces[B]), 2, order)
		for _, k := range matches {
			fmt.Fprintln(&text, list(m, k.A, k.B, k.Similarity))
		}
		compareText(t, "strongest", text.String(), want)
		if total != m.Total {
			t.Errorf("%d of %d matches", total, m.Total)
		}
	}
}

// TestOverlap has matches that lie in two roots: they go to the one whose call
// of the first trace is further out.
func TestOverlap(t *testing.T) {
	m := matchesOf(t, draw(t, `
f    |────────|
  a1 |─       |
  a2 | ─      |
  a3 |  ─     |
  a4 |   ─    |
  h  |    ─── |
    x|    ─   |
    y|     ─  |
`), draw(t, `
q    |────────|
  h  | ───    |
    x| ─      |
    y|  ─     |
  b1 |    ─   |
  b2 |     ─  |
  b3 |      ─ |
  b4 |       ─|
`), 0.3)
	var text strings.Builder
	for k, group := range m.All {
		fmt.Fprintln(&text, list(m, k.A, k.B, k.Similarity), group)
	}
	// f and q share 3 of 13 methods.
	compareText(t, "matches", text.String(), `
f@0–h@1 0.375 0
h@4–q@0 0.375 1
h@4–h@1 1 0
h@4–x@1 0.333 0
h@4–y@2 0.333 0
x@4–h@1 0.333 0
x@4–x@1 1 0
y@5–h@1 0.333 0
y@5–y@2 1 0
`)
}

func TestRepetitions(t *testing.T) {
	b := draw(t, after)
	p := pairOf(t, b, b, Names{})
	for tau, want := range map[float64]string{0.2: "[{4 8 3}]", 1: "[]"} {
		got, err := p.Repetitions(context.Background(), B, tau)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("τ=%v: %v, want %v", tau, got, want)
		}
	}
	// Threads are apart, and runs may be of different calls.
	c := draw(t, `
f |─  |
f | ─ |
--
f |─  |
g | ─ |
h |  ─|
`)
	got, err := pairOf(t, c, c, Names{}).Repetitions(context.Background(), A, -1)
	if want := "[{0 1 2} {2 4 3}]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestExplain(t *testing.T) {
	p := pairOf(t, draw(t, before), draw(t, after), Names{})
	var text strings.Builder
	for _, u := range p.Explain(4, 1) { // sort and sort
		fmt.Fprintln(&text, u.Method, u.Calls, u.Order)
	}
	for _, u := range p.Explain(1, 10) { // load and load
		fmt.Fprintln(&text, u.Method, u.Calls, u.Order)
	}
	compareText(t, "uses", text.String(), `
sort [1 1] [0 0]
swap [1 1] [1 2]
less [1 1] [2 1]
load [1 1] [0 0]
parse [1 1] [2 1]
read [1 0] [1 -1]
map [0 1] [-1 2]
`)
}

func TestNames(t *testing.T) {
	a := draw(t, `
com.old.Main.run() |─|
memcpy@@GLIBC_2.14 |─|
old_name           |─|
`)
	b := draw(t, `
com.fresh.Main.run() |─|
memcpy               |─|
new_name             |─|
`)
	rename := map[string]string{"old_name": "new_name", "nothing": "new_name"}
	for _, c := range []struct {
		names Names
		want  int64
	}{
		{Names{}, 0},
		{Names{Rename: rename}, 1},
		{Names{Short: true}, 2},
		{Names{Short: true, Rename: rename}, 3},
	} {
		m, err := pairOf(t, a, b, c.names).At(context.Background(), 0.5, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Total != c.want {
			t.Errorf("%+v: %d matches, want %d", c.names, m.Total, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"":                               "",
		"main":                           "main",
		"java.lang.String.length()I":     "String.length()I",
		"github.com/x/y/v2/pkg.(*T).Run": "T.Run",
		"memcpy@@GLIBC_2.14":             "memcpy",
		"memcpy@GLIBC_2.2.5":             "memcpy",
		"operator@":                      "operator@",
		"@1.2":                           "@1.2",
	} {
		if got := short(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestNothing(t *testing.T) {
	empty := &trace.Trace{}
	empty.Methods, _ = methods(t, nil)
	for _, pair := range [][2]*trace.Trace{{empty, empty}, {empty, draw(t, before)}, {draw(t, before), empty}} {
		m := matchesOf(t, pair[0], pair[1], -1)
		if m.Total != 0 || m.Groups().Total != 0 || len(m.Groups().Strongest(5)) != 0 {
			t.Errorf("%d matches, %d groups", m.Total, m.Groups().Total)
		}
		if _, err := m.Overview(context.Background(), 3); err != nil {
			t.Error(err)
		}
		for range m.All {
			t.Error("a match")
		}
	}
	p := pairOf(t, draw(t, before), draw(t, after), Names{})
	if _, err := p.At(context.Background(), math.NaN(), nil); err == nil {
		t.Error("τ may be not a number")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.At(ended, 0.2, nil); err == nil {
		t.Error("goes on after it was cancelled")
	}
	m := matchesOf(t, draw(t, before), draw(t, after), 0.2)
	for _, n := range []int{0, -1, MaxIntervals + 1} {
		if _, err := m.Overview(context.Background(), n); err == nil {
			t.Errorf("%d intervals", n)
		}
	}
}

// TestFarApart has times that are as far apart as 64 bits allow.
func TestFarApart(t *testing.T) {
	r := &recorder{}
	r.call(0, "f", math.MinInt64, math.MaxInt64)
	for range 3 {
		r.call(1, "f", math.MaxInt64, math.MaxInt64)
	}
	m := matchesOf(t, r.trace(t), r.trace(t), 0)
	bars, err := m.Overview(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(bars[A][0].Offset, bars[A][0].Distance, bars[A][1].Offset, bars[A][1].Distance)
	if want := "55340232221128654845 55340232221128654845 -55340232221128654845 55340232221128654845"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestInt128(t *testing.T) {
	for _, x := range []Int128{{}, wide(5), wide(-5), {1, 2}, {-2, 7}, {math.MinInt64, 0}, {math.MaxInt64, math.MaxUint64}} {
		text, err := x.MarshalJSON()
		var back Int128
		if err == nil {
			err = back.UnmarshalJSON(text)
		}
		if err != nil || back != x {
			t.Errorf("%s: %v, %v", text, back, err)
		}
		if x.plus(wide(3)).minus(wide(3)) != x {
			t.Errorf("%s plus and minus 3", text)
		}
	}
	for x, want := range map[Int128]float64{{0, 1 << 63}: 0x1p63, wide(-7): -7, {1, 0}: 0x1p64, {-1, 0}: -0x1p64} {
		if x.Float() != want {
			t.Errorf("%v is %v, want %v", x, x.Float(), want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a := draw(t, before)
	seen := map[[32]byte]string{Fingerprint(a): "itself"}
	if !reflect.DeepEqual(Fingerprint(a), Fingerprint(draw(t, before))) {
		t.Error("the same trace has another fingerprint")
	}
	for what, change := range map[string]func(*trace.Trace){
		"start":  func(t *trace.Trace) { t.Start[1]++ },
		"stop":   func(t *trace.Trace) { t.Stop[1]++ },
		"method": func(t *trace.Trace) { t.Method[1] = t.Method[2] },
		"name":   func(t *trace.Trace) { t.Methods.Names[0] = "other" },
		"caller": func(t *trace.Trace) { t.Parent[1] = trace.NoCall },
	} {
		b := draw(t, before)
		change(b)
		if other := seen[Fingerprint(b)]; other != "" {
			t.Errorf("another %s has the fingerprint of %s", what, other)
		}
		seen[Fingerprint(b)] = what
	}
}

// TestLiteral shows that the paper's traversal, taken literally, makes more
// groups than are needed.
func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		need, made int
	}{
		{before, after, 5, 10},
		{after, before, 5, 10},
		{before, before, 1, 1},
	} {
		a, b := draw(t, c.a), draw(t, c.b)
		if n := matchesOf(t, a, b, 0.7).Groups().Total; n != int64(c.need) {
			t.Errorf("%d groups, want %d", n, c.need)
		}
		if n := newOracle(a, b, 0.7).literal(); n != c.made {
			t.Errorf("%d groups made, want %d", n, c.made)
		}
	}
}
