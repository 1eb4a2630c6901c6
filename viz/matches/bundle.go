package matches

import (
	"cmp"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
)

// edge is a match that is drawn.
type edge struct {
	match.Match
	ends  [2]end
	group int32
}

// look is what edges look like.
type look struct {
	lambda   float64 // how wide tubes are in their middle, of what they are at their ends
	band     band
	strength float64 // of bundling
	// widest is how wide calls are, of both, that are joined by lines; infinite if
	// all are.
	widest float64
}

// bundle makes the tubes of edges, without colours: coarse matches first, so that finer ones lie over them.
// They are sorted by that. Groups are by the edges' group.
func bundle(halves *[2]*half, edges []edge, groups []match.Group, of look, known splines) scene.Tubes {
	starts := startsOf(halves, edges, groups, of.band)
	slices.SortFunc(starts.order, func(i, j int32) int { return coarser(halves, &edges[i], &edges[j]) })
	sorted := make([]edge, len(edges))
	for to, from := range starts.order {
		sorted[to] = edges[from]
	}
	copy(edges, sorted)

	n := len(edges)
	tubes := scene.Tubes{
		A: make([]uint32, n), B: make([]uint32, n), Similarity: make([]float64, n), First: make([]uint32, n+1),
	}
	const likely = 80
	tubes.X, tubes.Y, tubes.W = make([]float32, 0, n*likely), make([]float32, 0, n*likely), make([]float32, 0, n*likely)
	var points, curve []point
	var lengths []float64
	for to, from := range starts.order {
		e := &edges[to]
		a, b := &e.ends[match.A], &e.ends[match.B]
		points = starts.trees.route(points, a, b, starts.at[match.A][from], starts.at[match.B][from])
		straighten(points, of.strength)
		curve = sample(curve[:0], points, known.of(len(points), samplesFor(points)))
		tubes.A[to], tubes.B[to], tubes.Similarity[to] = uint32(e.A), uint32(e.B), e.Similarity
		tubes.First[to] = uint32(len(tubes.X))
		wf, wg := a.w, b.w
		if max(wf, wg) < of.widest {
			wf, wg = 0, 0
		}
		lengths = appendTube(&tubes, curve, lengths, of.lambda, wf, wg)
	}
	tubes.First[n] = uint32(len(tubes.X))
	return tubes
}

// coarser orders edges by the depths of their calls: the sum of both is what the
// depth is in the middle of a tube, if it goes evenly from one to the other.
func coarser(halves *[2]*half, a, b *edge) int {
	depth := func(e *edge) int32 {
		return halves[match.A].t.Depth[e.A] + halves[match.B].t.Depth[e.B]
	}
	wide := func(e *edge) float64 { return e.ends[match.A].w + e.ends[match.B].w }
	return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(wide(b), wide(a)), cmp.Compare(a.Similarity, b.Similarity),
		cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
}

// rooted tells at which control points edges begin.
type rooted struct {
	trees trees
	at    [2][]int32 // by edge
	order []int32
}

// startsOf grows the control trees of all groups.
func startsOf(halves *[2]*half, edges []edge, groups []match.Group, b band) *rooted {
	r := &rooted{trees: trees{band: b}, order: make([]int32, len(edges))}
	for i := range edges {
		r.order[i] = int32(i)
	}
	byGroup := slices.Clone(r.order)
	slices.SortStableFunc(byGroup, func(i, j int32) int { return cmp.Compare(edges[i].group, edges[j].group) })
	var ends []end
	var starts []int32
	for side := match.A; side <= match.B; side++ {
		r.at[side] = make([]int32, len(edges))
		for from := 0; from < len(byGroup); {
			group := edges[byGroup[from]].group
			to := from
			for ends = ends[:0]; to < len(byGroup) && edges[byGroup[to]].group == group; to++ {
				ends = append(ends, edges[byGroup[to]].ends[side])
			}
			root := groups[group].A
			if side == match.B {
				root = groups[group].B
			}
			starts = r.trees.grow(halves[side], root, ends, starts[:0])
			for i, start := range starts {
				r.at[side][byGroup[from+i]] = start
			}
			from = to
		}
	}
	return r
}

// sample gives the points of a curve.
func sample(curve, points []point, weights []weight) []point {
	for i := range weights {
		w := &weights[i]
		q := points[w.first : w.first+4 : w.first+4]
		curve = append(curve, point{
			w.by[0]*q[0].x + w.by[1]*q[1].x + w.by[2]*q[2].x + w.by[3]*q[3].x,
			w.by[0]*q[0].y + w.by[1]*q[1].y + w.by[2]*q[2].y + w.by[3]*q[3].y,
		})
	}
	return curve
}

// appendTube adds the points of a tube; t of eq. 5 is the length of the curve so
// far, as a part of all of it. Lengths are the lengths so far; scratch.
func appendTube(tubes *scene.Tubes, curve []point, lengths []float64, lambda, wf, wg float64) []float64 {
	lengths = append(lengths[:0], 0)
	length := 0.0
	for i := 1; i < len(curve); i++ {
		dx, dy := curve[i].x-curve[i-1].x, curve[i].y-curve[i-1].y
		length += math.Sqrt(dx*dx + dy*dy)
		lengths = append(lengths, length)
	}
	part := 0.0
	if length > 0 {
		part = 1 / length
	}
	for i, p := range curve {
		w := 0.0
		if wf > 0 || wg > 0 {
			w = width(lengths[i]*part, lambda, wf, wg)
		}
		tubes.X, tubes.Y, tubes.W = append(tubes.X, float32(p.x)), append(tubes.Y, float32(p.y)), append(tubes.W, float32(w))
	}
	return lengths
}
