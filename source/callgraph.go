package source

import (
	"math"

	"github.com/cambium-prof/cambium/data"
)

// CallGraph is the frame that readers of call graphs share. Some profilers keep
// what each function costs and who called whom how often, but not along which
// path: if A and B call C, and C calls D, nobody knows for whom D was called.
// Attribute makes a tree of it under the assumption that what a function does
// does not depend on its caller:
//
//	A -60-> C -50-> D       A            B
//	B -40-> C               C 60         C 40
//	                        D 30 (50*60%) D 20 (50*40%)
//
// What is certain stays exact: the sum of each metric and what each function
// costs itself, to the unit. What is made up is how that is spread over contexts.
type CallGraph struct {
	metrics int

	// A row per function.
	methods []data.EntityID
	self    []int64 // metrics each
	called  []int64 // -1: as often as its callers say

	// A row per pair of functions of which one calls the other.
	pairs *data.Trie // parents are the callers, keys the callees
	calls []int64
	cost  []int64 // inclusive, metrics each
	own   []int64 // of cost, what the callee itself costs; metrics each, or empty
}

// NewCallGraph starts a graph whose costs have so many metrics.
func NewCallGraph(metrics int) *CallGraph {
	return &CallGraph{metrics: metrics, pairs: data.NewTrie(0)}
}

// Function adds a function; several may be of one method.
func (g *CallGraph) Function(method data.EntityID) int32 {
	g.methods = append(g.methods, method)
	g.self = append(g.self, make([]int64, g.metrics)...)
	g.called = append(g.called, -1)
	return int32(len(g.methods) - 1)
}

// Functions is the number of functions so far.
func (g *CallGraph) Functions() int { return len(g.methods) }

// Self gives what f itself costs, to be added to.
func (g *CallGraph) Self(f int32) []int64 { return g.self[int(f)*g.metrics:][:g.metrics] }

// Called tells how often f was called, if that is known otherwise than by its
// callers.
func (g *CallGraph) Called(f int32, times int64) { g.called[f] = times }

// Call adds calls and gives their inclusive cost, to be added to.
func (g *CallGraph) Call(from, to int32, calls int64) []int64 {
	e := g.pairs.Child(data.EntityID(from), data.EntityID(to))
	if int(e) == len(g.calls) {
		g.calls = append(g.calls, 0)
		for range g.metrics {
			g.cost = append(g.cost, 0)
		}
	}
	g.calls[e] = addLimited(g.calls[e], calls)
	return g.cost[int(e)*g.metrics:][:g.metrics]
}

// Own gives what the callee of a call itself costs, of the call's inclusive
// cost, to be added to. It comes after Call.
func (g *CallGraph) Own(from, to int32) []int64 {
	e := g.pairs.Child(data.EntityID(from), data.EntityID(to))
	for len(g.own) < len(g.cost) {
		g.own = append(g.own, 0)
	}
	return g.own[int(e)*g.metrics:][:g.metrics]
}

// addLimited adds, and stays at the end of what 64 bits hold.
func addLimited(a, b int64) int64 {
	c := a + b
	switch {
	case a > 0 && b > 0 && c < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && c >= 0:
		return math.MinInt64
	}
	return c
}
