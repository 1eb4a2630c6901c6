package source

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// How the tree of a call graph is made.
//
// Plan: contexts are made from the roots down, the costliest first, each with a
// weight per metric, which is the inclusive cost it would have. A child has its
// parent's weight times the share of its call in all that the function costs.
// In the end, the cost of a function itself is dealt out to its contexts by their
// weights; if the profiler says what it costs when called by a certain function,
// by the weights among the contexts of that call.
//
// Cycles: a function that is on the path already is not entered again, and what
// the recursive call costs is in the context of the first. Inclusive costs of
// calls within a cycle count some work several times, so weights in it do not
// add up to what functions cost; dealing out by share makes up for that, which
// is why it is not enough to subtract the callees' weights.
//
// Size: the paths of a graph are exponentially many. Contexts of less than half
// a unit of every metric, of less than smallestShare of it, or beyond maxContexts
// are not made, except that each function has one; their costs go to the other
// contexts of the same functions.

// The bounds of what Attribute makes. Variables, so that tests can make them small.
var (
	maxContexts   = 1 << 18
	smallestShare = 1e-6
	maxSteps      = 200_000_000 // in search of functions on a path
)

// Attribution is what came of a graph.
type Attribution struct {
	Cycles  int  // functions that are on a cycle of several
	Limited bool // contexts were left out because of maxContexts
}

// Attribute adds the tree to p, whose metrics are those of the graph and then
// the number of calls.
func (g *CallGraph) Attribute(ctx context.Context, p *Profile) (Attribution, error) {
	a := attributor{CallGraph: g, k: g.metrics + 1, p: p}
	a.prepare()
	if err := a.expand(ctx); err != nil {
		return Attribution{}, err
	}
	a.adoptStrays()
	a.deal()
	return a.result, nil
}

type attributor struct {
	*CallGraph
	k int // metrics and calls
	p *Profile

	in        [][]int32 // function -> calls of it by others
	firstOut  []int32   // function -> its first call of another in out; one more than there are functions
	out       []edge    // by function
	outCost   []float64 // inclusive, metrics each
	recursive []int64   // function -> how often it calls itself
	inclusive []float64 // function -> itself and its calls of others, metrics each
	component []int32   // function -> strongly connected component
	size      []int32   // of components
	follows   []int     // metric -> whose weights it is dealt out by
	deciding  []int     // metrics by which contexts are worth being made
	total     []float64 // metric -> of the program
	entered   []float64 // function -> calls from other functions and from nowhere

	// A row per context.
	fn, parent, call []int32 // parent and call are -1 for roots
	context          []data.EntityID
	weight           []float64 // k each

	made   []int32 // function -> how many contexts it has
	onPath []int32 // function -> the context on whose path it was found, and 1
	steps  int
	queue  queue
	result Attribution
}

// edge is a call of another function.
type edge struct{ call, to int32 }

func (a *attributor) prepare() {
	n := len(a.methods)
	a.link()
	a.made, a.onPath = make([]int32, n), make([]int32, n)
	a.component, a.size = components(n, func(f int32) int { return len(a.calling(f)) }, func(f int32, i int) int32 { return a.calling(f)[i].to })
	for _, c := range a.component {
		if a.size[c] > 1 {
			a.result.Cycles++
		}
	}
	a.total = make([]float64, a.k)
	a.follows = make([]int, a.metrics)
	for m := range a.metrics {
		a.follows[m] = m
		for f := range n {
			v := a.self[f*a.metrics+m]
			a.total[m] += float64(v)
			if v < 0 {
				a.follows[m] = a.metrics
			}
		}
		for e := range a.calls {
			if a.cost[e*a.metrics+m] < 0 {
				a.follows[m] = a.metrics // there are no shares of what may be less than nothing
			}
		}
	}
	a.entered = make([]float64, n)
	for f := range n {
		for _, e := range a.in[f] {
			a.entered[f] += float64(a.calls[e])
			a.total[a.metrics] += float64(a.calls[e])
		}
	}
	for m := range a.metrics {
		if a.follows[m] == m && a.total[m] > 0 {
			a.deciding = append(a.deciding, m)
		}
	}
	if len(a.deciding) == 0 {
		a.deciding = []int{a.metrics}
	}
}

// link sorts calls of others by who calls and by who is called: what a function
// calls is gone through for each of its contexts.
func (a *attributor) link() {
	n := len(a.methods)
	a.firstOut, a.in = make([]int32, n+1), make([][]int32, n)
	called := make([]int32, n)
	callers, callees := a.pairs.Parents, a.pairs.Keys
	for e, from := range callers {
		if from != callees[e] {
			a.firstOut[from+1]++
			called[callees[e]]++
		}
	}
	for f := range n {
		a.firstOut[f+1] += a.firstOut[f]
	}
	all := make([]int32, a.firstOut[n])
	for f, times := range called {
		a.in[f], all = all[:0:times], all[times:]
	}
	a.out = make([]edge, a.firstOut[n])
	a.outCost = make([]float64, len(a.out)*a.metrics)
	next := slices.Clone(a.firstOut)
	a.recursive = make([]int64, n)
	for e, from := range callers {
		to := callees[e]
		if from == to {
			a.recursive[from] = a.calls[e]
			continue
		}
		at := int(next[from])
		next[from]++
		a.out[at] = edge{int32(e), int32(to)}
		a.in[to] = append(a.in[to], int32(e))
		for m := range a.metrics {
			a.outCost[at*a.metrics+m] = float64(a.cost[e*a.metrics+m])
		}
	}
	a.inclusive = make([]float64, n*a.metrics)
	for f := range n {
		for m := range a.metrics {
			sum := float64(a.self[f*a.metrics+m])
			for at := a.firstOut[f]; at < a.firstOut[f+1]; at++ {
				sum += a.outCost[int(at)*a.metrics+m]
			}
			a.inclusive[f*a.metrics+m] = sum
		}
	}
}

// calling gives a function's calls of others.
func (a *attributor) calling(f int32) []edge { return a.out[a.firstOut[f]:a.firstOut[f+1]] }

// roots makes contexts of the functions that were, at least sometimes, called by
// none: what they cost is more than what their callers know of. Within cycles,
// costs cannot tell; there a cycle that nobody enters begins with its costliest.
func (a *attributor) roots() {
	first := slices.Repeat([]int32{-1}, len(a.size)) // component -> its costliest function
	enteredFrom := make([]bool, len(a.size))
	inclusive := func(f int32, m int) float64 { return a.inclusive[int(f)*a.metrics+m] }
	for f := range a.fnCount() {
		c := a.component[f]
		for _, e := range a.in[f] {
			enteredFrom[c] = enteredFrom[c] || a.component[a.pairs.Parents[e]] != c
		}
		if best := first[c]; a.size[c] > 1 && (best < 0 || a.metrics > 0 && inclusive(f, 0) > inclusive(best, 0)) {
			first[c] = f
		}
	}
	for f := range a.fnCount() {
		c := a.component[f]
		w := make([]float64, a.k)
		isRoot := false
		switch {
		case len(a.in[f]) == 0, a.size[c] > 1 && !enteredFrom[c] && first[c] == f:
			isRoot = true
			for m := range a.metrics {
				w[m] = inclusive(f, m)
			}
		case a.size[c] == 1:
			for m := range a.metrics {
				excess := inclusive(f, m)
				slack := 1.0 // a unit of rounding per call
				for _, e := range a.in[f] {
					excess -= float64(a.cost[int(e)*a.metrics+m])
					slack++
				}
				if excess > slack && a.follows[m] == m {
					w[m], isRoot = excess, true
				}
			}
		}
		if isRoot {
			w[a.metrics] = max(1, float64(a.called[f])-a.entered[f])
			a.entered[f] += w[a.metrics]
			a.add(f, -1, -1, w)
		}
	}
}

func (a *attributor) fnCount() int32 { return int32(len(a.methods)) }

// add makes a context and puts it into the queue.
func (a *attributor) add(f, parent, call int32, w []float64) {
	node := int32(len(a.fn))
	a.fn, a.parent, a.call = append(a.fn, f), append(a.parent, parent), append(a.call, call)
	above := data.None
	if parent >= 0 {
		above = a.context[parent]
	}
	a.context = append(a.context, a.p.Child(above, a.methods[f]))
	a.weight = append(a.weight, w...)
	a.made[f]++
	a.queue.push(queued{a.share(w), node})
}

// share is how much of the program a context is.
func (a *attributor) share(w []float64) float64 {
	most := 0.0
	for _, m := range a.deciding {
		if a.total[m] > 0 {
			most = max(most, w[m]/a.total[m])
		}
	}
	return most
}

// matters tells whether a context is worth being made.
func (a *attributor) matters(w []float64) bool {
	for _, m := range a.deciding {
		if w[m] >= 0.5 && w[m] >= smallestShare*a.total[m] {
			return true
		}
	}
	return false
}

func (a *attributor) expand(ctx context.Context) error {
	a.roots()
	sums, w := make([]float64, a.metrics), make([]float64, a.k)
	for rounds := 0; len(a.queue) > 0; rounds++ {
		if rounds%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		node := a.queue.pop().node
		f := a.fn[node]
		c := a.component[f]
		calling, first := a.calling(f), int(a.firstOut[f])
		sum := a.inclusive[int(f)*a.metrics:][:a.metrics]
		circular := a.size[c] > 1
		if circular {
			a.walk(node)
			sum = a.without(sums, f, node)
		}
		times := a.weight[int(node)*a.k+a.metrics]
		for i, e := range calling {
			if circular && a.entersAgain(node, c, e.to) {
				continue
			}
			cost := a.outCost[(first+i)*a.metrics:][:a.metrics]
			for m, v := range a.weight[int(node)*a.k:][:a.metrics] {
				w[m] = 0
				if sum[m] > 0 {
					w[m] = v * cost[m] / sum[m]
				}
			}
			w[a.metrics] = min(1e300, times*float64(a.calls[e.call])/max(1, a.entered[f]))
			if a.made[e.to] > 0 {
				if !a.matters(w) {
					continue
				}
				if len(a.fn) >= maxContexts || a.steps >= maxSteps {
					a.result.Limited = true
					continue
				}
			}
			a.add(e.to, node, e.call, w)
		}
	}
	return nil
}

// walk marks the functions on the path to node that are of its component: only
// they can be called again from there.
func (a *attributor) walk(node int32) {
	if a.steps >= maxSteps {
		return
	}
	c := a.component[a.fn[node]]
	for at := node; at >= 0 && a.component[a.fn[at]] == c; at = a.parent[at] {
		a.steps++
		a.onPath[a.fn[at]] = node + 1
	}
}

// entersAgain tells whether f, called from node in component c, is on the path to
// it. When too much was walked, every function of the component is.
func (a *attributor) entersAgain(node, c, f int32) bool {
	return a.component[f] == c && (a.onPath[f] == node+1 || a.steps >= maxSteps)
}

// without gives what f and its calls cost that do not enter a function again.
func (a *attributor) without(sum []float64, f, node int32) []float64 {
	for m := range sum {
		sum[m] = float64(a.self[int(f)*a.metrics+m])
	}
	first := int(a.firstOut[f])
	for i, e := range a.calling(f) {
		if a.entersAgain(node, a.component[f], e.to) {
			continue
		}
		for m := range sum {
			sum[m] += a.outCost[(first+i)*a.metrics+m]
		}
	}
	return sum
}

// adoptStrays gives a context to each function that no path leads to.
func (a *attributor) adoptStrays() {
	for f := range a.fnCount() {
		if a.made[f] == 0 {
			a.add(f, -1, -1, make([]float64, a.k))
		}
	}
}

// deal makes the samples: what each function costs itself, dealt out.
func (a *attributor) deal() {
	values := make([]int64, len(a.fn)*a.k)
	var byCall []int32
	of := a.contextsOf()
	for f, all := range of {
		f := int32(f)
		times := a.called[f]
		if times < 0 {
			times = 0
			for _, e := range a.in[f] {
				times = addLimited(times, a.calls[e])
			}
			times = addLimited(times, a.recursive[f])
			for _, node := range all {
				if a.parent[node] < 0 {
					times = addLimited(times, 1)
				}
			}
		}
		a.spread(values, all, a.metrics, a.metrics, times)
		byCall = byCall[:0]
		if len(a.own) > 0 {
			byCall = append(byCall, all...)
			slices.SortStableFunc(byCall, func(x, y int32) int { return int(a.call[x]) - int(a.call[y]) })
		}
		for m := range a.metrics {
			rest := a.self[int(f)*a.metrics+m]
			for from := 0; from < len(byCall); {
				e, to := a.call[byCall[from]], from
				for to < len(byCall) && a.call[byCall[to]] == e {
					to++
				}
				own := int64(0)
				if at := int(e)*a.metrics + m; e >= 0 && at < len(a.own) {
					own = clamp(float64(a.own[at]), rest) // they are rounded each on its own
				}
				a.spread(values, byCall[from:to], m, a.follows[m], own)
				rest -= own
				from = to
			}
			a.spread(values, all, m, a.follows[m], rest)
		}
	}
	for node := range a.fn {
		row := values[node*a.k:][:a.k]
		if slices.ContainsFunc(row, func(v int64) bool { return v != 0 }) {
			a.p.Sample(a.context[node], row...)
		}
	}
}

// contextsOf gives the contexts of each function, in the order they were made.
func (a *attributor) contextsOf() [][]int32 {
	of, all := make([][]int32, len(a.made)), make([]int32, len(a.fn))
	for f, n := range a.made {
		of[f], all = all[:0:n], all[n:]
	}
	for node, f := range a.fn {
		of[f] = append(of[f], int32(node))
	}
	return of
}

// spread adds amount to metric m of the nodes by their weights in metric by, and
// if they have none, by calls; then evenly. The sum is exact: what is rounded off
// at one is added to the next.
func (a *attributor) spread(values []int64, nodes []int32, m, by int, amount int64) {
	if amount == 0 || len(nodes) == 0 {
		return
	}
	weight := func(i int) float64 { return a.weight[int(nodes[i])*a.k+by] }
	sum := 0.0
	for range 2 {
		sum = 0
		for i := range nodes {
			sum += weight(i)
		}
		if sum > 0 {
			break
		}
		by = a.metrics
	}
	if sum <= 0 {
		weight = func(int) float64 { return 1 }
		sum = float64(len(nodes))
	}
	var so, given float64
	left := amount
	for i, node := range nodes {
		so += weight(i)
		part := left
		if i < len(nodes)-1 {
			upTo := math.Round(float64(amount) * (so / sum))
			part = clamp(upTo-given, left)
			given = upTo
		}
		left -= part
		at := int(node)*a.k + m
		values[at] = addLimited(values[at], part)
	}
}

// clamp makes an integer of v that lies between 0 and left.
func clamp(v float64, left int64) int64 {
	switch {
	case left >= 0 && v <= 0, left < 0 && v >= 0:
		return 0
	case math.Abs(v) >= math.Abs(float64(left)):
		return left
	}
	return int64(v)
}

// Note says what has to be known of the tree, for people.
func (a Attribution) Note() string {
	note := "the file has a call graph and no stacks: contexts are made up, each function's cost being shared out among its callers in proportion to what their calls cost; the costs of functions themselves are exact"
	if a.Cycles > 0 {
		note += fmt.Sprintf("; recursive calls of %d functions are part of the first call", a.Cycles)
	}
	if a.Limited {
		note += fmt.Sprintf("; beyond %d contexts only the first of each function is made", maxContexts)
	}
	return note
}
