package cct

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// TestKeep compares with the tree that is built from a data set which only has
// the kept events: same shape, same amounts, and ids of the whole tree.
func TestKeep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		methods := 1 + random.IntN(4)
		contexts := random.IntN(30)
		parents, keys := make([]data.EntityID, contexts), make([]data.EntityID, contexts)
		for i := range parents {
			parents[i], keys[i] = data.None, data.EntityID(random.IntN(methods))
			if i > 0 && random.IntN(5) > 0 {
				parents[i] = data.EntityID(random.IntN(i))
			}
		}
		events := random.IntN(60)
		at, cost, label := make([]data.EntityID, events), make([]int64, events), make([]int64, events)
		var keptAt []data.EntityID
		var keptCost []int64
		for i := range at {
			at[i] = data.None
			if contexts > 0 && random.IntN(10) > 0 {
				at[i] = data.EntityID(random.IntN(contexts))
			}
			cost[i], label[i] = int64(random.IntN(5)), int64(random.IntN(3))
			if label[i] == 1 {
				keptAt, keptCost = append(keptAt, at[i]), append(keptCost, cost[i])
			}
		}
		build := func(at []data.EntityID, cost, label []int64) (*data.Set, *Tree) {
			names := []string{"a", "b", "c", "d"}[:methods]
			set := sampled(t, names, parents, keys, at, cost, label)
			tree, err := Build(context.Background(), set)
			if err != nil {
				t.Fatal(err)
			}
			return set, tree
		}
		set, whole := build(at, cost, label)
		label1 := &data.Condition{Op: data.InRanges, Field: set.Event("Sample").Definition.Field("label"), Ranges: []data.Span{{From: 1, To: 1}}}
		got, err := Keep(context.Background(), whole, Root, []*data.Condition{label1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, only := build(keptAt, keptCost, make([]int64, len(keptAt)))
		reached := map[NodeID]bool{Root: true}
		for _, c := range keptAt {
			if c != data.None {
				for n := whole.OfContext(c); n != NoNode; n = whole.Parent[n] {
					reached[n] = true
				}
			}
		}
		if got.Len() != len(reached) {
			t.Fatalf("%d contexts are left, want %d", got.Len(), len(reached))
		}
		for n := range NodeID(got.Len()) {
			id := got.ID(n)
			if back, ok := got.Node(id); !ok || back != n || !reached[id] {
				t.Fatalf("row %d is %d, which is row %d", n, id, back)
			}
			// The same context in the tree that has only these events.
			twin := Root
			for c := range parents {
				if whole.OfContext(data.EntityID(c)) == id {
					twin = only.OfContext(data.EntityID(c))
				}
			}
			if got.Self[0][n] != only.Self[0][twin] || got.Total[0][n] != only.Total[0][twin] || got.Depth[n] != only.Depth[twin] || got.Method[n] != only.Method[twin] {
				t.Fatalf("context %d: %d of %d, want %d of %d", id, got.Self[0][n], got.Total[0][n], only.Self[0][twin], only.Total[0][twin])
			}
		}
	}
}

func sampled(t *testing.T, names []string, parents, keys, at []data.EntityID, cost, label []int64) *data.Set {
	t.Helper()
	b := data.NewBuilder("", "")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := b.EntityType("Method", "")
	check(err)
	check(m.Adopt(names, len(names)))
	c, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	check(err)
	check(c.Adopt(nil, len(parents), data.Column{Refs: parents}, data.Column{Refs: keys}))
	e, err := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Value("cost", "", "", data.Amount), data.Value("label", "", ""))
	check(err)
	if at == nil {
		at, cost = []data.EntityID{}, []int64{}
	}
	check(e.Adopt(len(at), data.Column{Refs: at}, data.Column{Values: cost}, data.Column{Values: label}))
	set, err := b.Finish()
	check(err)
	return set
}
