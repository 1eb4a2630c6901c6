package server

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/viz"
)

func (b *workbench) GetForm(_ context.Context, r *connect.Request[v1.GetFormRequest]) (*connect.Response[v1.GetFormResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	f, err := viz.Find(r.Msg.View)
	if err != nil {
		return nil, invalid(err)
	}
	d := f.Definition
	answer := &v1.GetFormResponse{Parameters: wireView(d.For(w.Difference != nil)).Parameters}
	if d.Tree {
		if w.Tree == nil {
			answer.Problem = fmt.Sprintf("%s: %s has no calling contexts", d.Name, w.Set.Name)
		}
		return connect.NewResponse(answer), nil
	}
	if d.Pair {
		if w.Comparison == nil {
			answer.Problem = fmt.Sprintf("%s: draws a comparison, and %s is one data set", d.Name, w.Set.Name)
		}
		return connect.NewResponse(answer), nil
	}
	for _, t := range d.Subjects(w.Set) {
		answer.Subjects = append(answer.Subjects, &v1.Subject{Name: t.Definition.Name, Description: t.Definition.Description, Rows: int64(t.Rows())})
	}
	subject, err := d.Subject(w.Set, r.Msg.Subject)
	if err != nil {
		answer.Problem = err.Error()
		return connect.NewResponse(answer), nil
	}
	answer.Subject = subject.Definition.Name
	for _, dim := range d.Dimensions {
		form := &v1.DimensionForm{Name: dim.Name}
		for _, p := range dim.Fields(w.Set, subject) {
			form.Fields = append(form.Fields, &v1.FieldChoice{
				Name: p.Name, Description: p.Field.Description, Unit: string(p.Field.Unit),
				Indirect: !p.Direct() && !p.IsCount(), Refers: p.Field.Refers,
			})
		}
		answer.Dimensions = append(answer.Dimensions, form)
	}
	paths, err := d.Map(w.Set, subject, r.Msg.Map)
	if err != nil {
		answer.Problem = err.Error()
		if paths, err = d.Map(w.Set, subject, nil); err != nil {
			return connect.NewResponse(answer), nil
		}
	}
	answer.Map = map[string]string{}
	for i, p := range paths {
		answer.Map[d.Dimensions[i].Name] = p.Name
	}
	return connect.NewResponse(answer), nil
}

// mostCounted is the most events of a type that are counted for a filter that
// is being typed: a tenth of a second.
const mostCounted = 5_000_000

func (b *workbench) CheckFilter(ctx context.Context, r *connect.Request[v1.CheckFilterRequest]) (*connect.Response[v1.CheckFilterResponse], error) {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return nil, err
	}
	f, sides, err := w.FilterOfSides(r.Msg.Filter)
	if err != nil {
		// What a person types is wrong most of the time while it is typed.
		return connect.NewResponse(&v1.CheckFilterResponse{Error: err.Error()}), nil
	}
	answer := &v1.CheckFilterResponse{}
	for side, f := range sides {
		if f == nil {
			continue
		}
		for _, t := range w.Comparison.Sides[side].Set.Events() {
			kept, err := countEvents(ctx, f, t, mostCounted)
			if err != nil {
				return nil, err
			}
			kept.Type = string(rune('A'+side)) + "'s " + kept.Type
			answer.Kept = append(answer.Kept, kept)
		}
	}
	for _, t := range w.Set.Events() {
		kept, err := countEvents(ctx, f, t, mostCounted)
		if err != nil {
			return nil, err
		}
		answer.Kept = append(answer.Kept, kept)
	}
	for _, t := range w.Set.Entities() {
		kept := &v1.Kept{Type: t.Definition.Name, Rows: int64(t.Rows()), Kept: int64(t.Rows())}
		if marks := f.Entities(t); marks != nil {
			kept.Applies, kept.Kept = true, count(marks)
		}
		answer.Kept = append(answer.Kept, kept)
	}
	return connect.NewResponse(answer), nil
}

func countEvents(ctx context.Context, f *query.Filter, t *data.EventTable, most int) (*v1.Kept, error) {
	kept := &v1.Kept{Type: t.Definition.Name, Event: true, Rows: int64(t.Rows()), Kept: int64(t.Rows())}
	mask := f.Events(t.Definition)
	switch {
	case mask == nil:
		return kept, nil
	case t.Rows() > most:
		kept.Applies, kept.Unknown, kept.Kept = true, true, 0
		return kept, nil
	}
	kept.Applies, kept.Kept = true, 0
	marks := make([]bool, data.BatchRows)
	err := t.Read(ctx, mask.Paths, func(batch data.Batch) error {
		mask.Apply(batch, marks[:batch.Rows])
		kept.Kept += count(marks[:batch.Rows])
		return nil
	})
	return kept, err
}

func count(marks []bool) int64 {
	n := int64(0)
	for _, mark := range marks {
		if mark {
			n++
		}
	}
	return n
}
