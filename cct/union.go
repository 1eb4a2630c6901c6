package cct

import (
	"context"
	"math"
	"math/bits"

	"github.com/cambium-prof/cambium/data"
)

// Union is two trees as one: contexts that were reached along the same path of
// names are one context. It has no order of siblings and no amounts of its own:
// it is what the tree of a comparison is built from, as of any other data set.
type Union struct {
	// Parents and Methods are by context. Callers come before what they call; the
	// contexts of the first tree come first, in its order.
	Parents []data.EntityID // None at the start of a path
	Methods []data.EntityID // number of a name
	// Context tells, per tree and node, which context it is: None of a synthetic
	// root. Several nodes of a tree are one context where names were made alike.
	Context [2][]data.EntityID
}

// Unite joins two trees. number gives, per tree and method, the number of a
// name: methods with equal numbers are the same one. It takes one look at every
// node, and memory for every context.
func Unite(ctx context.Context, trees [2]*Tree, number [2][]data.EntityID) (*Union, error) {
	// Runs of one program share most of their contexts.
	paths := data.NewTrie(max(trees[0].Len(), trees[1].Len()))
	u := &Union{}
	for side, t := range trees {
		at := make([]data.EntityID, t.Len())
		for n := range at {
			if n&0xfffff == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if t.Method[n] == data.None {
				at[n] = data.None
				continue
			}
			parent := data.None
			if p := t.Parent[n]; p != NoNode {
				parent = at[p]
			}
			at[n] = paths.Child(parent, number[side][t.Method[n]])
		}
		u.Context[side] = at
	}
	u.Parents, u.Methods = paths.Parents, paths.Keys
	return u, nil
}

// Len is the number of contexts.
func (u *Union) Len() int { return len(u.Parents) }

// Add adds amounts of the nodes of one of the trees to sums by context; those
// that were measured with an empty stack, which no context has, are the last
// element. exact is false if a sum left the range of 64 bits and was cut.
func (u *Union) Add(side int, amounts, sums []int64) (exact bool) {
	exact = true
	for n, c := range u.Context[side] {
		if c == data.None {
			c = data.EntityID(len(sums) - 1)
		}
		sum, ok := addSaturating(sums[c], amounts[n])
		sums[c] = sum
		exact = exact && ok
	}
	return exact
}

// Shares gives amounts of the nodes of a tree, in its order, as parts of a whole
// that has so many of them. They add up to the whole exactly, and those of a
// subtree to what is right for it within one part, because it is the running sum
// that is rounded. Of amounts whose sum is not above zero there are no shares.
func Shares(amounts []int64, parts int64) []int64 {
	whole := int64(0)
	for _, v := range amounts {
		whole, _ = addSaturating(whole, v)
	}
	return SharesOf(amounts, whole, parts)
}

// SharesOf gives shares of a whole that the amounts need not come to.
func SharesOf(amounts []int64, whole, parts int64) []int64 {
	shares := make([]int64, len(amounts))
	if whole <= 0 {
		return shares
	}
	sum, before := int64(0), int64(0)
	for n, v := range amounts {
		if v == 0 {
			continue
		}
		sum, _ = addSaturating(sum, v)
		now := scale(sum, parts, whole)
		shares[n], before = now-before, now
	}
	return shares
}

// scale is sum·parts/whole, rounded towards zero, cut at 64 bits.
func scale(sum, parts, whole int64) int64 {
	size, sign := uint64(sum), int64(1)
	if sum < 0 {
		size, sign = -size, -1
	}
	high, low := bits.Mul64(size, uint64(parts))
	if high >= uint64(whole) {
		return sign * math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return sign * int64(min(quotient, math.MaxInt64))
}
