package server

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"connectrpc.com/connect"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/viz"
)

func (b *workbench) SaveWorkspace(_ context.Context, r *connect.Request[v1.SaveWorkspaceRequest]) (*connect.Response[v1.SaveWorkspaceResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	content, err := w.Save(readState(r.Msg.Workspace))
	if err != nil {
		return nil, invalid(err)
	}
	d, err := b.s.Sets.Find(r.Msg.DataSet)
	if err != nil {
		return nil, connect.NewError(connect.CodeNotFound, err)
	}
	return connect.NewResponse(&v1.SaveWorkspaceResponse{Content: content, FileName: withoutEnding(d.Path) + ".workspace.json"}), nil
}

func (b *workbench) OpenWorkspace(ctx context.Context, r *connect.Request[v1.OpenWorkspaceRequest]) (*connect.Response[v1.OpenWorkspaceResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	state, problems, err := w.ReadState(ctx, r.Msg.Content)
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&v1.OpenWorkspaceResponse{Workspace: wireState(state), Problems: problems}), nil
}

// withoutEnding is the name of a file to name others after.
func withoutEnding(name string) string { return strings.TrimSuffix(baseName(name), path.Ext(name)) }

func readState(q *v1.Workspace) viz.State {
	s := viz.State{Title: q.GetTitle(), Shared: readShared(q.GetShared())}
	if q.GetLayout() != "" {
		s.Layout = json.RawMessage(q.GetLayout())
	}
	for _, p := range q.GetPanels() {
		c := viz.ChartState{
			ID: p.GetId(), Title: p.GetTitle(),
			ChartSpec: viz.ChartSpec{View: p.GetView(), Subject: p.GetSubject(), Map: p.GetMap(), Params: p.GetParams()},
			Sort:      p.GetSort(), Like: p.GetLike(), Steps: p.GetSteps(), Metric: p.GetMetric(),
		}
		if period := p.GetPeriod(); period != nil {
			c.Period = &viz.Period{From: period.From, To: period.To}
		}
		s.Charts = append(s.Charts, c)
	}
	return s
}

func wireState(s viz.State) *v1.Workspace {
	answer := &v1.Workspace{Title: s.Title, Layout: string(s.Layout), Shared: &v1.Shared{Filter: s.Filter, Selection: s.Selection, Pairing: wirePairing(s.Pairing)}}
	for _, g := range s.Groups {
		answer.Shared.Groups = append(answer.Shared.Groups, &v1.Group{Name: g.Name, Color: uint32(g.Color), Filter: g.Filter, Hidden: g.Hidden})
	}
	for _, c := range s.Charts {
		p := &v1.Panel{
			Id: c.ID, Title: c.Title, View: c.View, Subject: c.Subject, Map: c.Map, Params: c.Params,
			Sort: c.Sort, Like: c.Like, Steps: c.Steps, Metric: c.Metric,
		}
		if c.Period != nil {
			p.Period = &v1.Period{From: c.Period.From, To: c.Period.To}
		}
		answer.Panels = append(answer.Panels, p)
	}
	return answer
}
