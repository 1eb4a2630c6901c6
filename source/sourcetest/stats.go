// Package sourcetest checks readers of formats the same way for each: against
// a summary that a person can read, against themselves when read byte by byte,
// and against input that is broken in every way that files are.
//
// Its numbers are computed by plain loops that share nothing with package cct.
package sourcetest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Stats is what the ground truth of a stack profile tells.
type Stats struct {
	Metrics  []string
	Units    []string
	Totals   []int64
	Methods  int
	Contexts int
	MaxDepth int
	Self     []map[string]int64 // per metric, by name of the method
	Total    []map[string]int64 // a recursive call counts once
	Stacks   []map[string]int64 // self per stack; only of sets with few contexts
}

const manyContexts = 100_000

// Profile computes the statistics of a set that source.Profile or source.Calls
// made, or nil if it is none. Calls are counted too, as the metric "calls"; if
// there are calls, samples are left to [Events].
func Profile(set *data.Set) *Stats {
	if set.Event(source.TypeCall) != nil {
		return Events(set, source.TypeCall)
	}
	return Events(set, source.TypeSample)
}

// Events computes the statistics of one type of events with contexts.
func Events(set *data.Set, name string) *Stats {
	contexts, samples, methods := set.Entity(source.TypeContext), set.Event(name), set.Entity(source.TypeMethod)
	if contexts == nil || samples == nil || methods == nil {
		return nil
	}
	s := &Stats{Methods: methods.Rows(), Contexts: contexts.Rows()}
	parents, _ := contexts.Column("Caller")
	keys, _ := contexts.Column("Method")
	depth := make([]int, contexts.Rows())
	for i, p := range parents.Refs {
		depth[i] = 1
		if p != data.None {
			depth[i] = depth[p] + 1
		}
		s.MaxDepth = max(s.MaxDepth, depth[i])
	}
	at, _ := samples.Column(source.TypeContext)
	seen := make([]int, methods.Rows())
	round := 0
	type amount struct {
		name, unit string
		values     []int64
	}
	var amounts []amount
	for i, f := range samples.Fields {
		if f.Has(data.Amount) && !f.Has(source.Inclusive) {
			amounts = append(amounts, amount{f.Name, string(f.Unit), samples.Columns[i].Values})
		}
	}
	if samples.Definition.Name == source.TypeCall {
		one := make([]int64, samples.Rows())
		for row := range one {
			one[row] = 1
		}
		amounts = append(amounts, amount{"calls", "count", one})
	}
	for _, f := range amounts {
		self := make([]int64, contexts.Rows())
		var total int64
		for row, v := range f.values {
			total += v
			if c := at.Refs[row]; c != data.None {
				self[c] += v
			}
		}
		selfBy, totalBy, stacks := map[string]int64{}, map[string]int64{}, map[string]int64{}
		bySelf, byTotal := make([]int64, methods.Rows()), make([]int64, methods.Rows())
		for c, v := range self {
			if v == 0 {
				continue
			}
			bySelf[keys.Refs[c]] += v
			round++
			for up := data.EntityID(c); up != data.None; up = parents.Refs[up] {
				if m := keys.Refs[up]; seen[m] != round {
					seen[m] = round
					byTotal[m] += v
				}
			}
			if contexts.Rows() < manyContexts && depth[c] < 1000 {
				stacks[stack(data.EntityID(c), parents.Refs, keys.Refs, methods)] += v
			}
		}
		for m, name := range methods.Names {
			selfBy[name] += bySelf[m]
			totalBy[name] += byTotal[m]
		}
		s.Metrics, s.Units, s.Totals = append(s.Metrics, f.name), append(s.Units, f.unit), append(s.Totals, total)
		s.Self, s.Total, s.Stacks = append(s.Self, selfBy), append(s.Total, totalBy), append(s.Stacks, stacks)
	}
	return s
}

func stack(c data.EntityID, parents, keys []data.EntityID, methods *data.EntityTable) string {
	var names []string
	for ; c != data.None; c = parents[c] {
		names = append(names, methods.NameOf(keys[c]))
	}
	slices.Reverse(names)
	return strings.Join(names, ";")
}

// Top gives the n names of the largest values, the largest first.
func Top(by map[string]int64, n int) []string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), strings.Compare(a, b))
	})
	return names[:min(n, len(names))]
}
