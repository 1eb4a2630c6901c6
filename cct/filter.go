package cct

import (
	"context"

	"github.com/cambium-prof/cambium/data"
)

// Keep makes the tree of a part of a data set's events: the contexts that the
// kept events reached, with what those events cost. It is an operation on the
// data set's own tree, so that ids stay what they are.
//
// paths are the columns that keep decides by; it must set every element of the
// marks, which are as long as the batch.
func Keep(ctx context.Context, t *Tree, paths []data.Path, keep func(b data.Batch, marks []bool)) (*Tree, error) {
	t = t.Base()
	n := t.Len()
	self := make([][]int64, len(t.Self))
	for m := range self {
		self[m] = make([]int64, n)
	}
	reached := make([]bool, n)
	reached[Root] = true
	marks := make([]bool, data.BatchRows)
	own := len(t.amounts) + 1
	cut := false
	err := t.events.Read(ctx, append(append([]data.Path{t.way}, t.amounts...), paths...), func(b data.Batch) error {
		marks := marks[:b.Rows]
		keep(data.Batch{First: b.First, Rows: b.Rows, Columns: b.Columns[own:]}, marks)
		for i, c := range b.Columns[0].Refs {
			if !marks[i] {
				continue
			}
			at := Root
			if c != data.None {
				at = t.contexts[c]
			}
			reached[at] = true
			for m := range self {
				v := int64(1)
				if len(t.amounts) > 0 {
					v = b.Columns[1+m].Values[i]
				}
				sum, ok := addSaturating(self[m][at], v)
				self[m][at] = sum
				cut = cut || !ok
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Callers come before what they call: backwards, a context is reached if
	// anything it calls is.
	for i := n - 1; i > 0; i-- {
		if reached[i] {
			reached[t.Parent[i]] = true
		}
	}
	row := make([]NodeID, n) // of the draft
	d := draft{like: t, self: make([][]int64, len(self))}
	var origin []NodeID
	for i := range n {
		if !reached[i] {
			row[i] = NoNode
			continue
		}
		row[i] = NodeID(len(origin))
		parent := NoNode
		if i > 0 {
			parent = row[t.Parent[i]]
		}
		d.parent = append(d.parent, parent)
		d.method = append(d.method, t.Method[i])
		origin = append(origin, NodeID(i))
		for m := range self {
			d.self[m] = append(d.self[m], self[m][i])
		}
	}
	out, place := arrange(d)
	out.base = t
	out.Saturated = out.Saturated || cut
	out.Origin = make([]NodeID, len(place))
	for r, at := range place {
		out.Origin[at] = origin[r]
	}
	out.image = make([]NodeID, n)
	for i, r := range row {
		out.image[i] = NoNode
		if r != NoNode {
			out.image[i] = place[r]
		}
	}
	return out, nil
}
