package compact

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/cct"
)

// DefaultNodes is how many nodes an explanation has if nobody says: what a
// person can take in, and a fan can label.
const DefaultNodes = 40

// maxTrials bounds how many nodes are expanded to see whether that tells more,
// per node that there may be, and maxMisses how many of them in a row may not.
const (
	maxTrials = 2
	maxMisses = 12
)

// Information is what a compacted tree tells about where a metric goes, in
// bits: the entropy of the metric's distribution over the nodes. It is how much
// of the distribution over all contexts is known to somebody who knows, for
// any part of the metric, which node it is in; what is lost is the rest of
// that distribution's entropy. Negative amounts count by their size.
func (t *Tree) Information(metric int) float64 {
	amounts := make([]float64, t.Len())
	for r, v := range t.Self[metric] {
		amounts[r] = math.Abs(float64(v))
	}
	return entropy(amounts)
}

// entropy is that of a distribution, in bits.
func entropy(amounts []float64) float64 {
	whole, sum := 0.0, 0.0
	for _, v := range amounts {
		whole += v
		sum += plogp(v)
	}
	if whole == 0 {
		return 0
	}
	return math.Log2(whole) - sum/whole
}

// plogp is v log v, the part of a value in an entropy.
func plogp(v float64) float64 {
	if v <= 0 {
		return 0
	}
	return v * math.Log2(v)
}

// Explain compacts anew, to no more than that many nodes, so that they tell as
// much as possible about where a metric goes, see [Tree.Information]. The
// synthetic root does not count. What is below the nodes that are left is
// hidden in them: shown as part of its caller.
//
// It is greedy. From the full compaction it hides, while there are too many
// nodes, the leaf that tells least. Then it expands the node that holds most
// of the metric, as far as its names differ, hides leaves again until there are few enough, and keeps the
// result if that tells more. So there are never too many nodes, and the result
// tells at least as much as the full compaction with its least leaves hidden;
// it need not be the best there is.
func (t *Tree) Explain(nodes, metric int) *Tree {
	best := New(t.From, t.FromRoot, t.Names, 1)
	hidden, known := best.fewer(nodes, metric)
	best = best.hide(hidden)
	tried := map[trial]bool{}
	misses := 0
	for range maxTrials * nodes {
		row := best.heaviest(metric, tried)
		if row == cct.NoNode || misses == maxMisses {
			break
		}
		tried[trial{best.Origin[row], best.Method[row]}] = true
		c := best.change()
		common := best.common(row)
		for _, i := range best.members(uint32(row)) {
			if best.level[i] > 0 {
				c.set(i, max(int(best.level[i]), common)+1)
			}
		}
		if len(c.changed) == 0 {
			continue
		}
		made := best.apply(c)
		hidden, now := made.fewer(nodes, metric)
		if now <= known+1e-9 {
			misses++
			continue
		}
		best, known, misses = made.hide(hidden), now, 0
	}
	return best
}

// common is the number of elements that the full names of all visible contexts
// in a node begin with: to show less than one more tells nothing.
func (t *Tree) common(row cct.NodeID) int {
	common, first := -1, NameID(0)
	for _, i := range t.members(uint32(row)) {
		if t.level[i] == 0 {
			continue
		}
		method := t.From.Method[t.FromRoot+cct.NodeID(i)]
		if common < 0 {
			common = t.Names.Levels(method)
			first = t.Names.at(method, uint16(common))
			continue
		}
		common = min(common, t.Names.Levels(method))
		for t.Names.at(method, uint16(common)) != t.Names.Prefix(first, common) {
			common-- // 1 at least: they are in a node
		}
	}
	return common
}

// trial is a node that was expanded, or cannot be.
type trial struct {
	id   cct.NodeID
	name NameID
}

// heaviest is the node with the largest amount of its own that was not tried.
func (t *Tree) heaviest(metric int, tried map[trial]bool) cct.NodeID {
	found, most := cct.NoNode, 0.0
	for r, v := range t.Self[metric] {
		row := cct.NodeID(r)
		if v := math.Abs(float64(v)); v > most && t.Method[row] != noName && !tried[trial{t.Origin[row], t.Method[row]}] {
			found, most = row, v
		}
	}
	return found
}

// fewer chooses the leaves to hide until there are few enough nodes, always the
// one whose loss is least, and says what the others will tell. A hidden leaf is part of its parent then, so that all that was hidden
// below a node is in its weight. Nothing else changes: no two nodes come
// together because of that, as only whole subtrees are hidden.
func (t *Tree) fewer(nodes, metric int) (hidden []bool, information float64) {
	left := t.Nodes() - nodes
	if left <= 0 {
		return nil, t.Information(metric)
	}
	h := &leaves{t: t, weight: make([]float64, t.Len()), total: t.Total[metric]}
	children := make([]uint32, t.Len())
	for r := range t.Len() {
		h.weight[r] = math.Abs(float64(t.Self[metric][r]))
		if r > 0 {
			children[t.Parent[r]]++
		}
	}
	for r := 1; r < t.Len(); r++ {
		if children[r] == 0 {
			h.add(cct.NodeID(r))
		}
	}
	hidden = make([]bool, t.Len())
	for left > 0 && len(h.of) > 0 {
		// The parent's weight may have grown since the loss was computed, and
		// the loss with it: it never shrinks.
		least := h.of[0]
		if now := h.loss(least.row); now > least.loss {
			h.of[0].loss = now
			heap.Fix(h, 0)
			continue
		}
		heap.Pop(h)
		hidden[least.row] = true
		left--
		parent := t.Parent[least.row]
		h.weight[parent] += h.weight[least.row]
		if children[parent]--; children[parent] == 0 && parent != cct.Root {
			h.add(parent)
		}
	}
	var shown []float64
	for r, w := range h.weight {
		if !hidden[r] {
			shown = append(shown, w)
		}
	}
	return hidden, entropy(shown)
}

// hide makes contexts of some rows part of their callers; nil is none.
func (t *Tree) hide(rows []bool) *Tree {
	c := t.change()
	for i, row := range t.into {
		if rows != nil && rows[row] {
			c.set(uint32(i), 0)
		}
	}
	return t.apply(c)
}

// leaves are the nodes without nodes below them, the one that tells least first.
type leaves struct {
	t      *Tree
	weight []float64 // row -> the amount of its own and of what is hidden below it
	total  []int64
	of     []leaf
}

type leaf struct {
	row  cct.NodeID
	loss float64 // when it was looked at last
}

func (h *leaves) add(row cct.NodeID) { heap.Push(h, leaf{row, h.loss(row)}) }

// loss is what hiding a leaf costs, in bits times the whole metric.
func (h *leaves) loss(row cct.NodeID) float64 {
	own, parent := h.weight[row], h.weight[h.t.Parent[row]]
	return plogp(own+parent) - plogp(own) - plogp(parent)
}

func (h *leaves) Len() int { return len(h.of) }

func (h *leaves) Less(i, j int) bool {
	a, b := h.of[i], h.of[j]
	switch {
	case a.loss != b.loss:
		return a.loss < b.loss
	case h.total[a.row] != h.total[b.row]:
		return h.total[a.row] < h.total[b.row]
	}
	return a.row > b.row
}

func (h *leaves) Swap(i, j int) { h.of[i], h.of[j] = h.of[j], h.of[i] }
func (h *leaves) Push(x any)    { h.of = append(h.of, x.(leaf)) }
func (h *leaves) Pop() any {
	last := h.of[len(h.of)-1]
	h.of = h.of[:len(h.of)-1]
	return last
}

func (t *Tree) explain(a Action) (*Tree, error) {
	metric, ok := t.Metric(a.Name)
	if !ok {
		return nil, fmt.Errorf("there is no metric %q", a.Name)
	}
	if a.N < 1 {
		return nil, fmt.Errorf("explain with %d nodes: expected a number from 1", a.N)
	}
	return t.Explain(a.N, metric), nil
}
