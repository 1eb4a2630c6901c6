package server

import (
	"context"
	"errors"
	"slices"
	"time"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/viz"
)

// workbench answers the page's calls.
type workbench struct{ s *Server }

func invalid(err error) error { return connect.NewError(connect.CodeInvalidArgument, err) }

func (b *workbench) GetCatalog(context.Context, *connect.Request[v1.GetCatalogRequest]) (*connect.Response[v1.GetCatalogResponse], error) {
	c := &v1.GetCatalogResponse{Version: b.s.options.Version}
	for _, f := range viz.All() {
		c.Views = append(c.Views, wireView(f.Definition))
	}
	for _, s := range viz.Schemes() {
		c.Schemes = append(c.Schemes, &v1.Scheme{Name: s.Name, Title: s.Title, Description: s.Description})
	}
	for _, f := range source.Formats() {
		c.Formats = append(c.Formats, &v1.Format{Name: f.Name, Title: f.Title})
	}
	for _, s := range b.s.options.Samples {
		c.Samples = append(c.Samples, &v1.Sample{Name: s.Name, Description: s.Description})
	}
	return connect.NewResponse(c), nil
}

func (b *workbench) WatchDataSets(ctx context.Context, _ *connect.Request[v1.WatchDataSetsRequest], stream *connect.ServerStream[v1.WatchDataSetsResponse]) error {
	for {
		all, changed := b.s.Sets.List()
		answer := &v1.WatchDataSetsResponse{}
		for _, d := range all {
			answer.DataSets = append(answer.DataSets, wireDataSet(d))
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

func (b *workbench) CancelRead(_ context.Context, r *connect.Request[v1.CancelReadRequest]) (*connect.Response[v1.CancelReadResponse], error) {
	d, err := b.s.Sets.Find(r.Msg.DataSet)
	if err != nil {
		return nil, connect.NewError(connect.CodeNotFound, err)
	}
	d.cancel()
	return connect.NewResponse(&v1.CancelReadResponse{}), nil
}

func (b *workbench) OpenSample(_ context.Context, r *connect.Request[v1.OpenSampleRequest]) (*connect.Response[v1.OpenSampleResponse], error) {
	d, err := b.s.OpenSample(r.Msg.Name)
	if err != nil {
		return nil, connect.NewError(connect.CodeNotFound, err)
	}
	return connect.NewResponse(&v1.OpenSampleResponse{DataSet: d.ID}), nil
}

// workspace finds the data set of a look.
func (b *workbench) workspace(look *v1.Look) (*viz.Workspace, viz.Look, error) {
	w, err := b.open(look.GetDataSet())
	return w, viz.Look{Steps: look.GetSteps(), Metric: look.GetMetric(), Filter: look.GetFilter()}, err
}

func (b *workbench) GetScene(ctx context.Context, r *connect.Request[v1.GetSceneRequest]) (*connect.Response[v1.GetSceneResponse], error) {
	w, look, err := b.workspace(r.Msg.Look)
	if err != nil {
		return nil, err
	}
	highlight := r.Msg.Highlight
	if highlight != "" {
		// A search that is wrong, as most are while they are typed, must not
		// take the picture away; Search says what is wrong with it.
		if v, metric, err := w.View(ctx, look); err == nil {
			if err := w.CheckSearch(v, metric, highlight); err != nil {
				highlight = ""
			}
		}
	}
	start := time.Now()
	s, view, err := w.Scene(ctx, viz.Request{
		View: r.Msg.View, Look: look, Params: r.Msg.Params,
		Viewport:  viz.Viewport{Width: r.Msg.Width, Height: r.Msg.Height},
		Dark:      r.Msg.Dark,
		Highlight: highlight,
		First:     firstRow(r.Msg.First),
		Swapped:   r.Msg.Look.GetSwapped(),
	})
	if err != nil {
		return nil, invalid(err)
	}
	took := time.Since(start)
	if look, err = w.Completed(r.Msg.View, r.Msg.Params, look); err != nil {
		return nil, invalid(err)
	}
	_, metric, err := w.View(ctx, look)
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&v1.GetSceneResponse{
		Scene:    wireTree(ctx, s, w, view, metric, look),
		LayoutMs: float64(took.Microseconds()) / 1000,
	}), nil
}

// How much of very deep stacks and very wide callers the details show.
const (
	stackEnds    = 200
	shownCallees = 12
)

func (b *workbench) GetContext(ctx context.Context, r *connect.Request[v1.GetContextRequest]) (*connect.Response[v1.GetContextResponse], error) {
	w, look, err := b.workspace(r.Msg.Look)
	if err != nil {
		return nil, err
	}
	v, metric, err := w.View(ctx, look)
	if err != nil {
		return nil, invalid(err)
	}
	n, ok := v.Node(cct.NodeID(r.Msg.Id))
	if !ok {
		return nil, connect.NewError(connect.CodeNotFound, errors.New("this context is not part of what the steps leave"))
	}
	t := v.Tree
	answer := &v1.GetContextResponse{
		Id: uint32(v.ID(n)), Name: v.Name(n),
		Contexts: int64(v.End[n] - n), Depth: int64(v.Depth[n]), Merged: int64(v.MergedInto(n)),
		CalleesTotal: int64(v.CountChildren(n)),
	}
	if m := v.Method[n]; m != data.None {
		name := w.ProgramOf(t).Names[m]
		answer.Packages, answer.ClassName, answer.MethodName = name.Package, name.Class, name.Method
		answer.File, answer.Line, answer.Binary = sourceOf(w.Set, t.Methods, m)
		for _, other := range t.Method {
			if other == m {
				answer.MethodContexts++
			}
		}
	} else {
		answer.Contexts--
	}
	parent, all := t.Parent[n], w.Whole(ctx, v, look)
	for m, metric := range t.Metrics {
		self, total := t.Self[m][n], t.Total[m][n]
		value := &v1.MetricValue{Name: metric.Name, Unit: string(metric.Unit), Self: self, Total: total, TotalOfParent: 1}
		everything := float64(all.Total[m][cct.Root])
		value.TotalOfRoot, value.SelfOfRoot = share(total, everything), share(self, everything)
		value.TotalOfView = share(total, float64(t.Total[m][v.Root]))
		if parent != cct.NoNode {
			value.TotalOfParent = share(total, float64(t.Total[m][parent]))
		}
		answer.Metrics = append(answer.Metrics, value)
	}
	stack := stackOf(v.Tree, n)
	if len(stack) > 2*stackEnds {
		answer.StackOmitted = int64(len(stack) - 2*stackEnds)
		stack = slices.Delete(stack, stackEnds, len(stack)-stackEnds)
	}
	for _, at := range stack {
		answer.Stack = append(answer.Stack, wireFrame(w, t, at, metric))
	}
	for _, c := range v.Largest(metric, n, 1, shownCallees, nil) {
		answer.Callees = append(answer.Callees, wireFrame(w, t, c, metric))
	}
	return connect.NewResponse(answer), nil
}

func share(part int64, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / whole
}

// stackOf gives the contexts from n outwards, a synthetic root left out.
func stackOf(t *cct.Tree, n cct.NodeID) []cct.NodeID {
	var stack []cct.NodeID
	for at := n; at != cct.NoNode && t.Method[at] != data.None; at = t.Parent[at] {
		stack = append(stack, at)
	}
	return stack
}

const (
	defaultHits = 200
	maxHits     = 5000
	shownNames  = 100
)

func (b *workbench) Search(ctx context.Context, r *connect.Request[v1.SearchRequest]) (*connect.Response[v1.SearchResponse], error) {
	w, look, err := b.workspace(r.Msg.Look)
	if err != nil {
		return nil, err
	}
	v, metric, err := w.View(ctx, look)
	if err != nil {
		return nil, invalid(err)
	}
	found, err := w.Find(v, metric, r.Msg.Query)
	if err != nil {
		// What a person types is wrong most of the time while it is typed.
		return connect.NewResponse(&v1.SearchResponse{Error: err.Error()}), nil
	}
	limit := int(r.Msg.Limit)
	if limit == 0 {
		limit = defaultHits
	}
	answer := &v1.SearchResponse{
		Count: int64(found.Count), Total: found.Total, MethodCount: int64(len(found.Methods)),
		Share: share(found.Total, float64(w.Whole(ctx, v, look).Total[metric][cct.Root])),
	}
	for _, n := range found.Largest(v.Tree, metric, min(limit, maxHits)) {
		answer.Hits = append(answer.Hits, wireFrame(w, v.Tree, n, metric))
	}
	for _, m := range found.Methods[:min(len(found.Methods), shownNames)] {
		answer.Methods = append(answer.Methods, v.Methods.NameOf(m))
	}
	return connect.NewResponse(answer), nil
}
