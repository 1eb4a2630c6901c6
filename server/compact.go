package server

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/query"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

func (b *workbench) Compact(ctx context.Context, r *connect.Request[v1.CompactRequest]) (*connect.Response[v1.CompactResponse], error) {
	q := r.Msg
	w, look, err := b.workspace(q.Look)
	if err != nil {
		return nil, err
	}
	steps, err := w.Act(ctx, q.View, q.Params, look, query.Act{Kind: compact.Kind(q.Action), Node: cct.NodeID(q.Id), N: int(q.N)})
	if blocked := new(compact.Blocked); errors.As(err, &blocked) {
		return connect.NewResponse(&v1.CompactResponse{Blocked: blocked.Why}), nil
	}
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&v1.CompactResponse{Steps: steps}), nil
}
