package predict

import (
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// steps runs a predictor over events such as "pa" (target a at site p) and
// draws what it says to each: "x" for a miss, "." otherwise.
func steps(p Predictor, events string) string {
	var drawn []string
	for _, e := range strings.Fields(events) {
		mark := "."
		if p.Observe(data.EntityID(e[0]-'a'), data.EntityID(e[1]-'a')) {
			mark = "x"
		}
		drawn = append(drawn, mark)
	}
	return strings.Join(drawn, " ")
}

func mustFind(t testing.TB, text string) Definition {
	t.Helper()
	d, err := Find(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSteps(t *testing.T) {
	for _, c := range []struct{ predictor, events, misses string }{
		{"one-bit", // each site by itself
			"pa pa pb pb qa qa pa",
			".  .  x  .  .  .  x"},
		{"one-bit", // the worst that can happen to it
			"pa pb pa pb pa pb",
			".  x  x  x  x  x"},
		{"two-bit", // forgives one miss; the second in a row convinces it
			"pa pb pa pb pb pb pc pb",
			".  x  .  x  x  .  x  ."},
		{"two-bit", // of two misses with two targets, the last one wins
			"pa pb pc pc",
			".  x  x  ."},
		{"two-bit", // after a change it forgives again
			"pa pb pb pa pb pa pa pa",
			".  x  x  x  .  x  x  ."},
		{"two-bit", // sites forgive by themselves
			"pa qa pb qb pa qa",
			".  .  x  x  .  ."},
		{"static",
			"pa pb pa pb qb qa qb pb",
			".  x  .  x  .  x  .  x"},
		{"last-1", // is one-bit
			"pa pa pb pb qa qa pa",
			".  .  x  .  .  .  x"},
		{"last-3", // windows, newest first: a, ba, bba, abb, aab, caa, cca, acc
			"pa pb pb pa pa pc pc pa",
			".  x  .  x  x  x  x  x"},
		{"last-4", // ties of two and two: ba, abba, baab go to the most recent
			"pa pb pb pa pa pb pb",
			".  x  .  x  .  x  ."},
		{"last-8", // a hiccup does not change the majority
			"pa pa pa pb pa pc pa",
			".  .  .  x  .  x  ."},
		{"path-history-1", // what follows a, what follows b
			"pa pb pa pb pa pb",
			".  x  x  .  .  ."},
		{"path-history-1", // q's target tells p's; q itself is not predictable
			"qm pa qn pb qm pa qm pa qn pb",
			".  .  x  x  x  .  x  .  x  ."},
		{"path-history-2", // needs to have seen ab and ba
			"pa pb pa pb pa pb",
			".  x  x  x  .  ."},
		{"path-history-2", // aab, again and again: two targets tell the third
			"pa pa pb pa pa pb pa pa pb",
			".  .  x  x  .  .  .  .  ."},
		{"path-history-1", // of which one target does not tell enough
			"pa pa pb pa pa pb pa pa pb",
			".  .  x  x  x  x  .  x  x"},
	} {
		got := steps(mustFind(t, c.predictor).New(26, mustFind(t, c.predictor).Number.Value), c.events)
		if want := strings.Join(strings.Fields(c.misses), " "); got != want {
			t.Errorf("%s\nevents %s\nmisses %s\n  want %s", c.predictor, c.events, strings.ReplaceAll(got, " ", "  "), c.misses)
		}
	}
}

// With a single set of four entries, the fifth path puts out the one that was
// not used for longest.
func TestPathHistoryAtItsBound(t *testing.T) {
	// Every path of one target at site p: after a, b, c, d, e.
	const lap = "pa pb pc pd pe "
	events := strings.Repeat(lap, 3)
	if got, want := steps(newPathHistory(26, 1, 1), strings.Repeat("pa pb pc pd ", 3)), ". x x x x . . . . . . ."; got != want {
		t.Errorf("four paths in four entries: misses %s, want %s", got, want)
	}
	// Each path was put out when it comes again, so one-bit is all that is left.
	if got, want := steps(newPathHistory(26, 1, 1), events), steps(mustFind(t, "one-bit").New(26, 0), events); got != want {
		t.Errorf("five paths in four entries: misses %s, want those of one-bit %s", got, want)
	}
	if got, want := steps(newPathHistory(26, 1, 2048), events), ". x x x x x"+strings.Repeat(" .", 9); got != want {
		t.Errorf("five paths in a large table: misses %s, want %s", got, want)
	}
}

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"one-bit": "one-bit", "two-bit": "two-bit", "static": "static",
		"last-N": "last-8", "last-8": "last-8", "last-1": "last-1", "last-32": "last-32",
		"path-history": "path-history-4", "path-history-16": "path-history-16",
	} {
		if d, err := Find(text); err != nil || d.String() != want {
			t.Errorf("%q finds %s (%v), want %s", text, d, err, want)
		}
	}
	if d := mustFind(t, "last-N"); d.Number.Value != 8 {
		t.Errorf("after others were asked for, the default is %d", d.Number.Value)
	}
	const known = "(there are one-bit, two-bit, static, last-N, path-history"
	for text, want := range map[string]string{
		"":                `there is no predictor called "" ` + known,
		"last":            `there is no predictor called "last" ` + known,
		"one-bit-2":       `there is no predictor called "one-bit-2" ` + known,
		"last-0":          `predictor "last-0": "0" must be a number from 1 to 32`,
		"last-33":         `predictor "last-33": "33" must be a number from 1 to 32`,
		"last-":           `predictor "last-": "" must be a number from 1 to 32`,
		"path-history-x":  `predictor "path-history-x": "x" must be a number from 1 to 16`,
		"path-history-17": `predictor "path-history-17": "17" must be a number from 1 to 16`,
	} {
		if _, err := Find(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s", text, err, want)
		}
	}
}

func TestAll(t *testing.T) {
	for _, d := range All() {
		found, err := Find(d.String())
		if err != nil || found.Name != d.Name || found.Number != d.Number {
			t.Errorf("%s is not found by its text %s (%v)", d.Name, d, err)
		}
		if d.Title == "" || d.Description == "" || (d.Number.Max != 0) != (d.Number.Title != "") {
			t.Errorf("%s lacks words for people", d.Name)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	for want, d := range map[string]Definition{
		"predict: two predictors are called last":          {Name: "last"},
		"predict: odd-N: the default 0 is not from 1 to 3": {Name: "odd-N", Number: Number{Min: 1, Max: 3}},
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("registering %s: %v, want %s", d.Name, got, want)
				}
			}()
			Register(d)
		}()
	}
}

func TestScore(t *testing.T) {
	s := NewScore(3, mustFind(t, "one-bit"), mustFind(t, "static"))
	for i, e := range []struct {
		site, target data.EntityID
		missed       uint8
		ok           bool
	}{
		{0, 5, 0b00, true},
		{2, 5, 0b00, true},
		{0, 6, 0b11, true},
		{data.None, 6, 0, false},
		{0, data.None, 0, false}, // not even learned: the next is a hit of one-bit
		{data.None, data.None, 0, false},
		{0, 6, 0b10, true},
		{0, 5, 0b01, true},
		{2, 6, 0b11, true},
	} {
		if missed, ok := s.Observe(e.site, e.target); missed != e.missed || ok != e.ok {
			t.Errorf("event %d: missed %b, %v; want %b, %v", i, missed, ok, e.missed, e.ok)
		}
	}
	equal := func(what string, got []int64, want ...int64) {
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				t.Errorf("%s: %v, want %v", what, got, want)
				return
			}
		}
	}
	equal("events", s.Events, 4, 0, 2)
	equal("misses of one-bit", s.Misses[0], 2, 0, 1)
	equal("misses of static", s.Misses[1], 2, 0, 1)
	equal("all misses", s.TotalMisses, 3, 3)
	equal("all events", []int64{s.TotalEvents}, 6)
}
