package predict

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
)

const (
	manySites   = 4
	manyTargets = 5
)

type event struct{ Site, Target data.EntityID }

func drawEvents(t *rapid.T) []event {
	n := rapid.IntRange(0, 200).Draw(t, "length") // by themselves, slices are mostly short
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
		return event{
			Site:   data.EntityID(rapid.IntRange(0, manySites-1).Draw(t, "site")),
			Target: data.EntityID(rapid.IntRange(0, manyTargets-1).Draw(t, "target")),
		}
	}), n, n).Draw(t, "events")
}

// same checks a predictor against an oracle that gives its guess, and learns.
func same(t *rapid.T, p Predictor, events []event, oracle func(e event) (guess data.EntityID)) {
	for i, e := range events {
		guess := oracle(e)
		want := guess != data.None && guess != e.Target
		if got := p.Observe(e.Site, e.Target); got != want {
			t.Fatalf("event %d of %v: miss is %v, but the guess should be %d", i, events, got, guess)
		}
	}
}

func TestLastNIsTheMajority(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 32).Draw(t, "N")
		var seen [manySites][]data.EntityID
		same(t, newLastN(manySites, n), drawEvents(t), func(e event) data.EntityID {
			window := seen[e.Site][max(0, len(seen[e.Site])-n):]
			seen[e.Site] = append(seen[e.Site], e.Target)
			var count, last [manyTargets]int
			for i, target := range window {
				count[target]++
				last[target] = i
			}
			best := data.None
			for target := range data.EntityID(manyTargets) {
				if count[target] > 0 && (best == data.None || count[target] > count[best] ||
					count[target] == count[best] && last[target] > last[best]) {
					best = target
				}
			}
			return best
		})
	})
}

// The oracle spells the path out and looks through a list, the most recently
// used first. In a table of one set it holds four; a large table must behave as
// if it held everything.
func TestPathHistoryRemembersThePath(t *testing.T) {
	for sets, holds := range map[int]int{1: 4, 1 << 16: 1000} {
		rapid.Check(t, func(t *rapid.T) {
			k := rapid.IntRange(1, 16).Draw(t, "K")
			type known struct {
				key    string
				target data.EntityID
			}
			var table []known
			var all []data.EntityID
			last := unseen(manySites)
			same(t, newPathHistory(manySites, k, sets), drawEvents(t), func(e event) data.EntityID {
				key := fmt.Sprint(e.Site, "after", all[max(0, len(all)-k):])
				guess := last[e.Site]
				if i := slices.IndexFunc(table, func(x known) bool { return x.key == key }); i >= 0 {
					guess = table[i].target
					table = slices.Delete(table, i, i+1)
				}
				table = slices.Insert(table, 0, known{key, e.Target})
				table = table[:min(len(table), holds)]
				all = append(all, e.Target)
				last[e.Site] = e.Target
				return guess
			})
		})
	}
}

// What holds for every strategy, those of third parties too.
func TestContract(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name, func(t *testing.T) {
			events := []event{}
			rapid.Check(t, func(t *rapid.T) { events = append(events, drawEvents(t)...) })
			p, twin := d.New(manySites, d.Number.Value), d.New(manySites, d.Number.Value)
			var seen [manySites]bool
			for i, e := range events {
				miss := p.Observe(e.Site, e.Target)
				if miss && !seen[e.Site] {
					t.Errorf("the first event of site %d is a miss", e.Site)
				}
				if miss != twin.Observe(e.Site, e.Target) {
					t.Fatalf("event %d: two predictors do not agree on one stream", i)
				}
				seen[e.Site] = true
			}

			// The thesis: an invocation whose target never changes is blue.
			p = d.New(manySites, d.Number.Value)
			for i, e := range events {
				if p.Observe(e.Site, e.Site+7) {
					t.Fatalf("event %d: a miss at a site that has one target only", i)
				}
			}

			at := 0
			if n := testing.AllocsPerRun(1000, func() {
				p.Observe(events[at].Site, events[at].Target)
				at = (at + 1) % len(events)
			}); n != 0 {
				t.Errorf("%g allocations per event", n)
			}
		})
	}
}
