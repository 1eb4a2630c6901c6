// Package predict guesses, event after event, which target a site will have
// next: which method a call will invoke, judging by what it invoked before. How
// often the guess is wrong tells how polymorphic the site is, and how well the
// strategy would do in an inline cache or a branch predictor.
//
// The idea is that of EVolve (Wang 2002, sections 4.1.3 and 5.3): predictors are
// plugged in, and the first time that one is used "it always tells that the
// prediction is correct because there's no previous target". Here that is the
// rule for all of them: the first event of a site is never a miss, and every
// other event is predicted. So the misses of two predictors can be compared: no
// predictor does better by not guessing. In the thesis a predictor knows one
// site; here it knows all of them, so that it is a few columns and may look
// across sites.
//
// A site or a target can be any entity. A site is what a chart has on its y
// axis; the name says nothing of calls.
//
// What belongs here: strategies, their registry, and counting their misses. What
// does not: reading events (package data), and time, cells and colours (the
// prediction chart). It imports nothing but data.
package predict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
)

// Predictor is a strategy at work on one stream of events.
type Predictor interface {
	// Observe predicts the target of the next event at site, learns what it
	// was, and tells whether the prediction was a miss. At the first event of a
	// site there is nothing to predict from, and no miss.
	//
	// The site is less than the number of sites that the predictor was made
	// for, and neither is None: [Score] skips such events. Observe is called
	// once per event in the order of the events, never concurrently. It answers
	// the same for the same stream, and does not allocate from event to event.
	Observe(site, target data.EntityID) (miss bool)
}

// Definition describes a strategy.
type Definition struct {
	// Name is short and stable. A final -N stands for the number.
	Name        string
	Title       string // for people
	Description string
	Number      Number
	// New makes a predictor that has seen nothing, for sites 0 … sites-1.
	New func(sites, number int) Predictor
}

// Number is the one setting that a strategy may have. It has none if Max is 0.
type Number struct {
	Title    string // for people
	Value    int    // the default; in what Find gives, the one asked for
	Min, Max int
}

// stem is the name that a number is appended to.
func (d Definition) stem() string { return strings.TrimSuffix(d.Name, "-N") }

// String gives the text that finds the definition with its number: "one-bit",
// "last-8", "path-history-4".
func (d Definition) String() string {
	if d.Number.Max == 0 {
		return d.Name
	}
	return d.stem() + "-" + strconv.Itoa(d.Number.Value)
}

var registry struct {
	sync.Mutex
	all []Definition
}

// Register adds a strategy. Call it from init. It panics if the name is taken or
// the default is out of bounds: both are mistakes of whoever builds the binary.
func Register(d Definition) {
	registry.Lock()
	defer registry.Unlock()
	for _, other := range registry.all {
		if other.stem() == d.stem() {
			panic("predict: two predictors are called " + d.stem())
		}
	}
	if n := d.Number; n.Max != 0 && (n.Value < n.Min || n.Value > n.Max) {
		panic(fmt.Sprintf("predict: %s: the default %d is not from %d to %d", d.Name, n.Value, n.Min, n.Max))
	}
	registry.all = append(registry.all, d)
}

// All lists the strategies: those of this package from the simplest to the most
// elaborate, then others in the order they were registered.
func All() []Definition {
	registry.Lock()
	defer registry.Unlock()
	return slices.Clone(registry.all)
}

// Find gives the strategy that a text names: a name, which leaves the number at
// its default, or a name with the number appended or in place of N: "last-N" is
// "last-8", and "path-history" is "path-history-4".
func Find(text string) (Definition, error) {
	all := All()
	names := make([]string, len(all))
	for i, d := range all {
		if d.Name == text {
			return d, nil
		}
		names[i] = d.Name
	}
	if i := strings.LastIndexByte(text, '-'); i >= 0 {
		for _, d := range all {
			if d.Number.Max == 0 || d.stem() != text[:i] {
				continue
			}
			n, err := strconv.Atoi(text[i+1:])
			if err != nil || n < d.Number.Min || n > d.Number.Max {
				return Definition{}, fmt.Errorf("predictor %q: %q must be a number from %d to %d",
					text, text[i+1:], d.Number.Min, d.Number.Max)
			}
			d.Number.Value = n
			return d, nil
		}
	}
	return Definition{}, fmt.Errorf("there is no predictor called %q (there are %s)", text, strings.Join(names, ", "))
}

func init() {
	Register(Definition{
		Name: "one-bit", Title: "One-bit",
		Description: "The last target of the site.",
		New:         func(sites, _ int) Predictor { return &oneBit{unseen(sites)} },
	})
	Register(Definition{
		Name: "two-bit", Title: "Two-bit",
		Description: "As one-bit, but the guess changes only after two misses in a row.",
		New:         func(sites, _ int) Predictor { return &twoBit{unseen(sites), make([]bool, sites)} },
	})
	Register(Definition{
		Name: "static", Title: "Static",
		Description: "The first target of the site, always.",
		New:         func(sites, _ int) Predictor { return &static{unseen(sites)} },
	})
	Register(Definition{
		Name: "last-N", Title: "Majority of the last N",
		Description: "The most frequent of the last N targets of the site; of equally frequent ones, the most recent.",
		Number:      Number{Title: "Targets (N)", Value: 8, Min: 1, Max: 32},
		New:         func(sites, n int) Predictor { return newLastN(sites, n) },
	})
	Register(Definition{
		Name: "path-history", Title: "Path history",
		Description: "What the site did when the whole program last had the same targets before; if it never had, the last target of the site.",
		Number:      Number{Title: "Length of the path", Value: 4, Min: 1, Max: 16},
		New:         func(sites, k int) Predictor { return newPathHistory(sites, k, pathSets) },
	})
}
