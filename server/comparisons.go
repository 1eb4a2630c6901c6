package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/scene"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/store/kept"
	"github.com/cambium-prof/cambium/viz"
)

// maxSides is how many data sets a comparison can be made of.
const maxSides = 32

// Compare makes a data set that compares the first of some with each of the
// others, once they are read. It returns at once.
func (s *DataSets) Compare(sides []*DataSet, names match.Names) (*DataSet, error) {
	if len(sides) < 2 || len(sides) > maxSides {
		return nil, fmt.Errorf("%d data sets cannot be compared: it takes 2 to %d", len(sides), maxSides)
	}
	name := baseName(sides[1].Path) + " compared with " + baseName(sides[0].Path)
	if len(sides) > 2 {
		name = fmt.Sprintf("%d runs compared with %s", len(sides)-1, baseName(sides[0].Path))
	}
	return s.begin(&DataSet{Path: name, sides: sides}, func(ctx context.Context, _ *DataSet) (*viz.Workspace, error) {
		var all []*viz.Workspace
		for _, d := range sides {
			w, err := s.wait(ctx, d)
			if err != nil {
				return nil, err
			}
			all = append(all, w)
		}
		w, err := viz.NewComparison(ctx, names, all[0], all[1], all[2:]...)
		if err == nil {
			w.Comparison.Kept = kept.Open("compare")
		}
		return w, err
	})
}

// wait gives the workspace of a data set when it has been read.
func (s *DataSets) wait(ctx context.Context, d *DataSet) (*viz.Workspace, error) {
	for {
		_, changed := s.List()
		d.mu.Lock()
		state := d.state
		d.mu.Unlock()
		if state != Reading {
			return d.Workspace()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (b *workbench) Compare(_ context.Context, r *connect.Request[v1.CompareRequest]) (*connect.Response[v1.CompareResponse], error) {
	var sides []*DataSet
	for _, id := range r.Msg.DataSets {
		d, err := b.s.Sets.Find(id)
		if err != nil {
			return nil, connect.NewError(connect.CodeNotFound, err)
		}
		if d.sides != nil {
			return nil, invalid(errors.New(d.Path + " is a comparison already: choose data sets that are none"))
		}
		sides = append(sides, d)
	}
	names, err := match.ReadNames(cmp.Or(r.Msg.Names, "stable"))
	if err != nil {
		return nil, invalid(err)
	}
	d, err := b.s.Sets.Compare(sides, names)
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&v1.CompareResponse{DataSet: d.ID}), nil
}

func (b *workbench) GetRuns(ctx context.Context, r *connect.Request[v1.GetRunsRequest]) (*connect.Response[v1.GetRunsResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	if w.Comparison == nil {
		return nil, invalid(fmt.Errorf("%s is no comparison", w.Set.Name))
	}
	runs, err := w.Comparison.Runs(ctx, viz.Pairing{Names: r.Msg.Names})
	if err != nil {
		return nil, invalid(err)
	}
	answer := &v1.GetRunsResponse{}
	for _, run := range runs {
		wire := &v1.Run{Title: run.Title, Calls: run.Calls, Length: run.Length, Similarity: run.Similarity}
		for _, th := range run.Threads {
			name := th.Name
			if th.Process != "" && th.Process != name {
				name = th.Process + " · " + name
			}
			wire.Threads = append(wire.Threads, &v1.RunThread{Name: name, Calls: int64(th.End - th.First)})
		}
		answer.Runs = append(answer.Runs, wire)
	}
	return connect.NewResponse(answer), nil
}

func readPairing(q *v1.Pairing) viz.Pairing {
	p := viz.Pairing{Run: int(q.GetRun()), Names: q.GetNames(), Swapped: q.GetSwapped()}
	if q != nil && q.Tau != nil {
		tau := q.GetTau()
		p.Tau = &tau
	}
	p.Threads = [2]int{int(q.GetThreadA()), int(q.GetThreadB())}
	for side, f := range []*v1.Period{q.GetFocusA(), q.GetFocusB()} {
		if f != nil {
			p.Focus[side] = &viz.Period{From: f.From, To: f.To}
		}
	}
	return p
}

func wirePairing(p viz.Pairing) *v1.Pairing {
	if p == (viz.Pairing{}) {
		return nil
	}
	return &v1.Pairing{Run: uint32(p.Run), Tau: p.Tau, Names: p.Names, FocusA: wirePeriod(p.Focus[0]), FocusB: wirePeriod(p.Focus[1]),
		Swapped: p.Swapped, ThreadA: int32(p.Threads[0]), ThreadB: int32(p.Threads[1])}
}

func wirePeriod(p *viz.Period) *v1.Period {
	if p == nil {
		return nil
	}
	return &v1.Period{From: p.From, To: p.To}
}

// wirePart says what of a comparison's metric a metric of its tree is.
func wirePart(m *v1.Metric, d *viz.Difference, metric int) {
	if d == nil {
		return
	}
	of, _, ok := d.Compared(metric)
	if !ok {
		return
	}
	m.Of = of.Name
	m.Part = map[int]v1.Metric_Part{
		of.Both: v1.Metric_PART_BOTH, of.Side[0]: v1.Metric_PART_A, of.Side[1]: v1.Metric_PART_B, of.Normalised: v1.Metric_PART_NORMALISED,
	}[metric]
}

func wireSides(s *scene.Sides) *v1.Sides {
	if s == nil {
		return nil
	}
	return &v1.Sides{
		SelfFrom: packFloat64(s.Self[0]), SelfTo: packFloat64(s.Self[1]), TotalFrom: packFloat64(s.Total[0]), TotalTo: packFloat64(s.Total[1]),
		Share: s.Share, WholeFrom: s.Whole[0], WholeTo: s.Whole[1],
	}
}
