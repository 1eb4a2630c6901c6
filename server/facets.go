package server

import (
	"context"

	"connectrpc.com/connect"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

func (b *workbench) ListFacets(ctx context.Context, r *connect.Request[v1.ListFacetsRequest]) (*connect.Response[v1.ListFacetsResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	facets, err := w.Facets(ctx, r.Msg.Metric)
	if err != nil {
		return nil, err
	}
	answer := &v1.ListFacetsResponse{}
	for _, f := range facets {
		facet := &v1.Facet{Field: f.Field, Others: int64(f.Others), Unit: string(f.Unit), Whole: f.Whole, Without: f.Without}
		for _, v := range f.Values {
			facet.Values = append(facet.Values, &v1.FacetValue{Name: v.Name, Amount: v.Amount, Mention: v.Mention})
		}
		answer.Facets = append(answer.Facets, facet)
	}
	return connect.NewResponse(answer), nil
}

func (b *workbench) GroupBy(_ context.Context, r *connect.Request[v1.GroupByRequest]) (*connect.Response[v1.GroupByResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	d, err := b.s.Sets.Find(r.Msg.DataSet)
	if err != nil {
		return nil, invalid(err)
	}
	d, err = b.s.Sets.GroupBy(d, w, r.Msg.Field)
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&v1.GroupByResponse{DataSet: d.ID}), nil
}
