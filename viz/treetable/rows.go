package treetable

import (
	"cmp"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/scene"
)

// Which rows there are follows from a number of levels that are opened, and
// from contexts where it is the other way round. Nothing is stored per row.
//
// How many rows a subtree has if only the levels decide is known (see
// [cct.Tree.CountDownTo]). What a context that was opened or closed changes
// about that concerns it and what it is below: these few have their numbers in
// a map. So the row at a position is found by going down from the root and
// leaving out whole subtrees, and a request costs as much as it has rows, and
// callees that these are among; it makes no difference how many rows there are.

type rows struct {
	view    cct.View
	open    int32 // rows of a depth below this are opened
	deepest int32 // rows of this depth cannot be opened
	other   map[cct.NodeID]bool
	count   func(cct.NodeID) int
	special map[cct.NodeID]int // rows of a subtree, where levels alone do not say it
	order   order
}

// order is what siblings are sorted by.
type order struct {
	by     string // "total", "self", "name", "change" or "selfchange"
	metric int
	turned bool                     // the other way round: least first, or Z first
	growth func(cct.NodeID) float64 // of "change" and "selfchange"
}

func newRows(v cct.View, levels int, toggled []cct.NodeID, o order) *rows {
	r := &rows{view: v, deepest: math.MaxInt32, order: o, other: map[cct.NodeID]bool{}, special: map[cct.NodeID]int{}}
	from := v.Depth[v.Root]
	if v.Layers >= 0 && v.Layers < math.MaxInt32/2 {
		r.deepest = from + int32(v.Layers)
	}
	r.open = min(from+int32(levels), r.deepest)
	r.count = v.CountDownTo(r.open)
	for _, id := range toggled {
		n, ok := v.Node(id)
		if ok && n >= v.Root && n < v.End[v.Root] && v.End[n] > n+1 && v.Depth[n] < r.deepest {
			r.other[n] = true
		}
	}
	r.recount()
	return r
}

// recount finds the numbers of rows that are not what the levels say.
func (r *rows) recount() {
	t := r.view.Tree
	seen := map[cct.NodeID]bool{}
	var changed []cct.NodeID
	for n := range r.other {
		for !seen[n] {
			seen[n] = true
			changed = append(changed, n)
			if n == r.view.Root {
				break
			}
			n = t.Parent[n]
		}
	}
	// Backwards: what is called comes before its callers.
	slices.SortFunc(changed, func(a, b cct.NodeID) int { return cmp.Compare(b, a) })
	more := map[cct.NodeID]int{} // of what is below, by what was counted already
	for _, n := range changed {
		rows := 1
		if r.expanded(n) {
			if t.Depth[n] < r.open {
				rows = r.count(n)
			} else {
				rows += t.CountChildren(n)
			}
			rows += more[n]
		}
		r.special[n] = rows
		if n != r.view.Root {
			more[t.Parent[n]] += rows - r.usual(n)
		}
	}
}

// usual is how many rows a subtree has if the levels alone decide.
func (r *rows) usual(n cct.NodeID) int {
	if r.view.Depth[n] >= r.open {
		return 1
	}
	return r.count(n)
}

// total is how many rows the subtree of a row has, itself included.
func (r *rows) total(n cct.NodeID) int {
	if rows, ok := r.special[n]; ok {
		return rows
	}
	return r.usual(n)
}

func (r *rows) expandable(n cct.NodeID) bool {
	return r.view.End[n] > n+1 && r.view.Depth[n] < r.deepest
}

func (r *rows) expanded(n cct.NodeID) bool {
	return r.expandable(n) && (r.view.Depth[n] < r.open) != r.other[n]
}

// place is a row and where it is among its siblings.
type place struct {
	node     cct.NodeID
	at       int // from 0
	siblings int
	parent   int // position of its parent among all rows; -1 for the first
}

// siblings are the rows of one parent that are still to come.
type siblings struct {
	nodes []cct.NodeID // in order; nil if it is that of the tree
	next  cct.NodeID   // without nodes: the next one
	end   cct.NodeID
	at, n int
	row   int // position of the parent
}

// from gives rows from a position on, at most `most` of them.
func (r *rows) from(first, most int) []place {
	t := r.view.Tree
	var out []place
	skip := max(first, 0)
	row := 0
	stack := []siblings{{nodes: []cct.NodeID{r.view.Root}, n: 1, row: -1}}
	for len(stack) > 0 && len(out) < most {
		s := &stack[len(stack)-1]
		var n cct.NodeID
		switch {
		case s.nodes != nil && s.at < len(s.nodes):
			n = s.nodes[s.at]
		case s.nodes == nil && s.next < s.end:
			n = s.next
			s.next = t.End[n]
		default:
			stack = stack[:len(stack)-1]
			continue
		}
		p := place{node: n, at: s.at, siblings: s.n, parent: s.row}
		s.at++
		if all := r.total(n); all <= skip {
			skip -= all
			row += all
			continue
		}
		if skip > 0 {
			skip--
		} else {
			out = append(out, p)
		}
		if r.expanded(n) {
			below := r.sorted(n)
			below.row = row
			stack = append(stack, below)
		}
		row++
	}
	return out
}

// sorted gives the callees of n in order.
func (r *rows) sorted(n cct.NodeID) siblings {
	t, o := r.view.Tree, r.order
	if o.by == "total" && o.metric == 0 && !o.turned {
		return siblings{next: n + 1, end: t.End[n], n: t.CountChildren(n)}
	}
	var nodes []cct.NodeID
	if o.by == "total" {
		nodes = slices.Clone(t.Sorted(o.metric, n))
	} else {
		for c := range t.Children(n) {
			nodes = append(nodes, c)
		}
	}
	switch o.by {
	case "self":
		self := t.Self[o.metric]
		slices.SortStableFunc(nodes, func(a, b cct.NodeID) int { return cmp.Compare(self[b], self[a]) })
	case "change", "selfchange":
		slices.SortStableFunc(nodes, func(a, b cct.NodeID) int { return cmp.Compare(o.growth(b), o.growth(a)) })
	case "name":
		slices.SortStableFunc(nodes, func(a, b cct.NodeID) int { return cmp.Compare(t.Name(a), t.Name(b)) })
	}
	if o.turned {
		slices.Reverse(nodes)
	}
	return siblings{nodes: nodes, n: len(nodes)}
}

// find tells what a search found in a row: itself, or what is below it and not
// among the rows.
func (r *rows) find(found *cct.Matches, n cct.NodeID) uint8 {
	switch {
	case found == nil:
		return scene.MatchNone
	case found.Has(n):
		return scene.MatchSelf
	case !r.expanded(n) && found.CountIn(n+1, r.view.End[n]) > 0:
		return scene.MatchHidden
	}
	return scene.MatchNone
}
