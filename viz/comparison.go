package viz

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/trace"
)

// Comparison is what the workspace of a comparison has beside: two or more data
// sets, the first of which is compared with each of the others, its runs. If all
// of them are traces, it draws charts whose definition says that they draw pairs.
// If they are two with calling contexts, it has a data set of its own with those
// of both, see [Difference]; else, it has none.
type Comparison struct {
	Sides  []*Workspace // at least two
	Traces bool         // all of them have calls with start and end

	pairs   recent[*match.Pair]
	matches recent[*match.Matches]
	colors  recent[*Program]
	working sync.Mutex // one search for matches at a time

	// Kept is where results are kept that took long; nil keeps none.
	Kept Keeper
	// fingerprints of the sides' traces, as they are needed
	fingerprints recent[[sha256.Size]byte]
}

// Keeper keeps results under keys that name all they depend on; kept.Folder is
// one.
type Keeper interface {
	Get(key string) (result []byte, ok bool)
	Put(key string, result []byte)
}

// NewComparison makes a workspace that compares the first data set with each of
// the others. names tells which methods are the same one in the tree of two
// profiles.
func NewComparison(ctx context.Context, names match.Names, a, b *Workspace, more ...*Workspace) (*Workspace, error) {
	sides := append([]*Workspace{a, b}, more...)
	traces := true
	for _, w := range sides {
		if w.Comparison != nil {
			return nil, fmt.Errorf("%s: is a comparison already, and cannot be compared", w.Set.Name)
		}
		if _, _, ok := trace.FindCalls(w.Set); !ok {
			traces = false
			if len(more) > 0 || w.Tree == nil {
				return nil, fmt.Errorf("%s: has no calls with start and end to compare%s", w.Set.Name, notTwo(w, more))
			}
		}
	}
	comparison := &Comparison{Sides: sides, Traces: traces}
	if len(more) == 0 && a.Tree != nil && b.Tree != nil {
		w, err := newDifference(ctx, names, a, b)
		if err == nil {
			w.Comparison = comparison
		}
		if err == nil || !traces {
			return w, err
		}
		// Traces without a metric in common can still be matched.
	}
	name := titleOf(b) + " compared with " + titleOf(a)
	if len(more) > 0 {
		name = fmt.Sprintf("%d runs compared with %s", len(sides)-1, titleOf(a))
	}
	set, err := data.NewBuilder(name, "comparison").Finish()
	if err != nil {
		return nil, err
	}
	w := &Workspace{Set: set, filters: recent[*query.Filter]{most: keptFilters}}
	w.Comparison = comparison
	return w, ctx.Err()
}

func newDifference(ctx context.Context, names match.Names, a, b *Workspace) (*Workspace, error) {
	d, err := NewDifference(ctx, a, b, names)
	if err != nil {
		return nil, err
	}
	return d.Workspace(ctx)
}

// notTwo adds what could be compared instead.
func notTwo(w *Workspace, more []*Workspace) string {
	if w.Tree == nil || len(more) == 0 {
		return ""
	}
	return "; profiles are compared two at a time"
}

// titleOf is what a side is called: the last part of the name of its data set,
// which may be a path of any system.
func titleOf(w *Workspace) string {
	return w.Set.Name[strings.LastIndexAny(w.Set.Name, `/\`)+1:]
}

// PairChart is a chart that draws two traces and what matches in them. It is
// asked as charts of traces are.
type PairChart interface {
	Chart
	Scene(Frame) (*scene.Scene, error)
}

// Pairing is how the two sides of a comparison are looked at, by all its charts.
type Pairing struct {
	// Run is which of the other data sets the first one is compared with, from 0.
	Run int `json:"run,omitempty"`
	// Tau is the similarity above which two calls match; nil is match.DefaultTau.
	Tau *float64 `json:"tau,omitempty"`
	// Names is how names of methods are compared: "exact", "stable" or "short" (see
	// match.Names); "" is exact.
	Names string `json:"names,omitempty"`
	// Focus is the part of each trace that is looked at closely, in nanoseconds
	// from its start; nil is all of it.
	Focus [2]*Period `json:"focus,omitzero"`
	// Swapped looks at the tree of two profiles the other way round: from B to A.
	Swapped bool `json:"swapped,omitempty"`
	// Threads are the threads whose calls are shown: 0 is the one with the most
	// calls, n is the nth, and -1 is all of them.
	Threads [2]int `json:"threads,omitzero"`
}

func (p Pairing) tau() float64 {
	if p.Tau == nil {
		return match.DefaultTau
	}
	return *p.Tau
}

// threads are those of a side whose calls are shown.
func (p Pairing) threads(side match.Side, t *trace.Trace) []int {
	n := p.Threads[side]
	if n < 0 {
		all := make([]int, len(t.Threads))
		for i := range all {
			all[i] = i
		}
		return all
	}
	if n > 0 && n <= len(t.Threads) {
		return []int{n - 1}
	}
	busiest := 0
	for i, th := range t.Threads {
		if th.End-th.First > t.Threads[busiest].End-t.Threads[busiest].First {
			busiest = i
		}
	}
	if len(t.Threads) == 0 {
		return nil
	}
	return []int{busiest}
}

// names are how methods are compared.
func (p Pairing) names() match.Names {
	return match.Names{Stable: p.Names == "stable", Short: p.Names == "short"}
}

// check says what is wrong with a pairing.
func (c *Comparison) check(p Pairing) error {
	if p.Run < 0 || p.Run >= len(c.Sides)-1 {
		return fmt.Errorf("run %d: the comparison has runs 0 to %d", p.Run, len(c.Sides)-2)
	}
	if math.IsNaN(p.tau()) {
		return fmt.Errorf("τ is not a number")
	}
	if !slices.Contains([]string{"", "exact", "stable", "short"}, p.Names) {
		return fmt.Errorf("names are compared as %q, but can be exact, stable or short", p.Names)
	}
	for side, f := range p.Focus {
		if f != nil && f.From > f.To {
			return fmt.Errorf("the focus in %c, from %d to %d, ends before it begins", 'A'+rune(side), f.From, f.To)
		}
	}
	return nil
}

// Pair is what charts of comparisons draw: the first data set, A, and the run
// that is compared with it, B. Arrays are by match.Side.
type Pair struct {
	Calls    [2]Calls    // with the levels that the filter leaves
	Programs [2]*Program // names and colours; a method has the same colours in both
	Titles   [2]string   // names of the data sets
	Matches  *match.Matches

	comparison *Comparison
	pairing    Pairing
	filtered   bool // the levels lack calls
}

// side gives the workspace of a side.
func (c *Comparison) side(p Pairing, side match.Side) *Workspace {
	if side == match.A {
		return c.Sides[0]
	}
	return c.Sides[1+p.Run]
}

// pair prepares what a chart draws. progress may be nil; it is told how far the
// search for matches is, in calls of both traces, by one goroutine at a time.
func (w *Workspace) pair(ctx context.Context, shared Shared, progress func(done, total int64)) (*Pair, error) {
	c, p := w.Comparison, shared.Pairing
	pair := &Pair{comparison: c, pairing: p}
	for side := match.A; side <= match.B; side++ {
		of := c.side(p, side)
		calls, err := w.Difference.sideCalls(ctx, w, of, side, shared)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.Set.Name, err)
		}
		pair.Calls[side] = calls
		pair.Titles[side] = titleOf(of)
		if calls := pair.Calls[side]; calls.Levels.Len() < calls.Trace.Len() {
			pair.filtered = true
		}
	}
	pair.Programs[match.A] = c.Sides[0].Program()
	var err error
	pair.Programs[match.B], err = c.colors.get(fmt.Sprint(p.Run), func() (*Program, error) {
		return c.Sides[1+p.Run].Program().colouredAs(c.Sides[0].Program()), nil
	})
	if err == nil {
		var share func(done float64)
		if total := pair.Calls[match.A].Trace.Len() + pair.Calls[match.B].Trace.Len(); progress != nil {
			share = func(done float64) { progress(int64(done*float64(total)), int64(total)) }
		}
		pair.Matches, err = c.Matches(ctx, p, share)
	}
	return pair, err
}

// Matches finds the matches of the first data set and a run. The last few are
// kept.
func (c *Comparison) Matches(ctx context.Context, p Pairing, progress func(done float64)) (*match.Matches, error) {
	c.working.Lock()
	defer c.working.Unlock()
	key := fmt.Sprintf("%d %v", p.Run, p.names())
	return c.matches.get(fmt.Sprintf("%s %v", key, p.tau()), func() (*match.Matches, error) {
		pair, err := c.pairs.get(key, func() (*match.Pair, error) {
			var traces [2]*trace.Trace
			for side := match.A; side <= match.B; side++ {
				var err error
				if traces[side], err = c.side(p, side).Trace(ctx); err != nil {
					return nil, err
				}
			}
			return match.NewPair(ctx, traces[match.A], traces[match.B], p.names())
		})
		if err != nil {
			return nil, err
		}
		return pair.At(ctx, p.tau(), oneAtATime(progress))
	})
}

// oneAtATime lets several goroutines report progress to somebody who can hear
// one of them at a time. While one reports, the others are not kept waiting.
func oneAtATime(progress func(done float64)) func(done float64) {
	if progress == nil {
		return nil
	}
	var mu sync.Mutex
	return func(done float64) {
		if mu.TryLock() {
			defer mu.Unlock()
			progress(done)
		}
	}
}

// checkShared says what is wrong with what all charts of the comparison have in
// common. What a filter says is about both sides.
func (c *Comparison) checkShared(own *Workspace, shared Shared) error {
	if err := c.check(shared.Pairing); err != nil {
		return err
	}
	if own.Difference != nil {
		if _, err := own.pass(shared); err != nil {
			return err
		}
		if _, err := own.sided(shared.Selection); err != nil {
			return fmt.Errorf("selection: %w", err)
		}
		return nil
	}
	for side := match.A; side <= match.B; side++ {
		w := c.side(shared.Pairing, side)
		if err := w.CheckShared(shared); err != nil {
			return fmt.Errorf("%s: %w", w.Set.Name, err)
		}
	}
	return nil
}

// frameSides completes a frame of a chart of comparisons.
func (c *OpenChart) frameSides(f *Frame, shared Shared) error {
	for side := match.A; side <= match.B; side++ {
		f.Sides[side].Focus = shared.Pairing.Focus[side]
		if c.pair != nil {
			f.Sides[side].Threads = shared.Pairing.threads(side, c.pair.Calls[side].Trace)
		}
		w := c.w.Comparison.side(shared.Pairing, side)
		if c.pair == nil {
			continue
		}
		var err error
		if f.Sides[side].SelectedCalls, err = c.w.Difference.sideSelection(c.w, w, side, c.pair.Calls[side], shared); err != nil {
			return fmt.Errorf("%s: selection: %w", w.Set.Name, err)
		}
	}
	return nil
}

// Overview sums matches up over n intervals of each trace, for the calls that
// are shown: those of some threads which the filter leaves. What took long is
// kept.
func (p *Pair) Overview(ctx context.Context, n int, threads [2][]int, distances bool) ([2][]match.Interval, error) {
	part := match.Part{Calls: p.Shown(threads), Distances: distances}
	keeper := p.comparison.Kept
	if keeper == nil || !distances || p.filtered {
		return p.Matches.OverviewOf(ctx, n, part)
	}
	key := fmt.Sprintf("%d %x %x %v %v bars %d %v", match.Version, p.comparison.fingerprint(p, match.A), p.comparison.fingerprint(p, match.B),
		p.pairing.names(), p.Matches.Tau, n, threads)
	var bars [2][]match.Interval
	if text, ok := keeper.Get(key); ok && json.Unmarshal(text, &bars) == nil {
		return bars, nil
	}
	bars, err := p.Matches.OverviewOf(ctx, n, part)
	if err != nil {
		return bars, err
	}
	if text, err := json.Marshal(bars); err == nil {
		keeper.Put(key, text)
	}
	return bars, nil
}

func (c *Comparison) fingerprint(p *Pair, side match.Side) [sha256.Size]byte {
	at := 0
	if side == match.B {
		at = 1 + p.pairing.Run
	}
	sum, _ := c.fingerprints.get(fmt.Sprint(at), func() ([sha256.Size]byte, error) { return match.Fingerprint(p.Calls[side].Trace), nil })
	return sum
}

// Shown marks the calls of some threads that the filter leaves; nil if these are
// all.
func (p *Pair) Shown(threads [2][]int) (shown [2][]bool) {
	for side, calls := range p.Calls {
		t := calls.Trace
		if calls.Levels.Len() == t.Len() && len(threads[side]) == len(t.Threads) {
			continue
		}
		shown[side] = make([]bool, t.Len())
		for i := range calls.Levels.Len() {
			shown[side][calls.Levels.Call(i)] = true
		}
		for i, th := range t.Threads {
			if !slices.Contains(threads[side], i) {
				clear(shown[side][th.First:th.End])
			}
		}
	}
	return shown
}
