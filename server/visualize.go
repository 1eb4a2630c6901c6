package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/scene"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/viz"
)

const (
	// firstLook is how long a pass runs before the page is sent pictures of
	// what there is so far. After that the distance doubles: a picture of
	// twice the events is worth a look, one of a few more is not.
	firstLook = 300 * time.Millisecond
	// drawingShare is the least that the pass runs between pictures, as a
	// multiple of what drawing them took.
	drawingShare = 10
	// tellProgress is the distance of answers that tell progress alone.
	tellProgress = 100 * time.Millisecond
)

func (b *workbench) Visualize(ctx context.Context, r *connect.Request[v1.VisualizeRequest], stream *connect.ServerStream[v1.VisualizeResponse]) error {
	w, err := b.open(r.Msg.DataSet)
	if err != nil {
		return err
	}
	board, err := newBoard(w, r.Msg.Shared, r.Msg.Panels, r.Msg.Dark)
	if err != nil {
		return err
	}
	return board.visualize(ctx, time.Now, stream.Send)
}

// visualize sends the pictures of all panels: at once those that need no pass,
// the others as they are now and then while it runs, and when it is done.
func (b *board) visualize(ctx context.Context, now func() time.Time, send func(*v1.VisualizeResponse) error) error {
	first := &v1.VisualizeResponse{}
	var waiting []*panel
	for _, p := range b.panels {
		if p.ready() {
			first.Pictures = append(first.Pictures, b.picture(ctx, p))
		} else {
			waiting = append(waiting, p)
		}
	}
	first.Complete = len(waiting) == 0
	if err := send(first); err != nil || first.Complete {
		return err
	}
	v := &visit{board: b, waiting: waiting, now: now, send: send}
	if err := v.trees(ctx); err != nil {
		return err
	}
	if err := v.pass(ctx, b.events()); err != nil {
		return err
	}
	return send(&v1.VisualizeResponse{Done: v.total, Total: v.total, Pictures: v.pictures(ctx), Complete: true})
}

// events are the panels that draw events, and can.
func (b *board) events() []*panel {
	var all []*panel
	for _, p := range b.panels {
		if p.err == nil && !p.definition.Tree {
			all = append(all, p)
		}
	}
	return all
}

// visit is a pass whose progress is shown.
type visit struct {
	*board
	waiting []*panel
	now     func() time.Time
	send    func(*v1.VisualizeResponse) error
	total   int64
	gone    error // nobody takes the answers any more

	nextPictures, nextProgress time.Time
	distance                   time.Duration
}

// trees makes the trees that filters leave, and shows them.
func (v *visit) trees(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var looks []viz.Look
	var trees, others []*panel
	for _, p := range v.waiting {
		if p.definition.Tree {
			trees, looks = append(trees, p), append(looks, v.request(p).Look)
		} else {
			others = append(others, p)
		}
	}
	if len(trees) == 0 {
		return nil
	}
	v.nextProgress = v.now().Add(tellProgress)
	err := v.w.Prepare(ctx, looks, func(done, total int64) {
		now := v.now()
		if v.gone == nil && !now.Before(v.nextProgress) {
			v.nextProgress = now.Add(tellProgress)
			if v.gone = v.send(&v1.VisualizeResponse{Done: done, Total: total}); v.gone != nil {
				cancel()
			}
		}
	})
	if v.gone != nil {
		return v.gone
	}
	if err != nil {
		return err
	}
	for _, p := range trees {
		p.final = true
	}
	v.waiting = trees
	answer := &v1.VisualizeResponse{Pictures: v.pictures(ctx)}
	v.waiting = others
	return v.send(answer)
}

func (v *visit) pictures(ctx context.Context) []*v1.Picture {
	var all []*v1.Picture
	for _, p := range v.waiting {
		all = append(all, v.picture(ctx, p))
	}
	return all
}

// pass feeds panels. If one of them cannot take its events, the others get
// theirs nevertheless.
func (v *visit) pass(ctx context.Context, panels []*panel) error {
	err := v.feed(ctx, panels)
	if err == nil || ctx.Err() != nil || v.gone != nil {
		return err
	}
	// It is not said whose error it is, and it is too rare to be quick about:
	// a pass for each.
	for _, p := range panels {
		if err := v.feed(ctx, []*panel{p}); err != nil {
			if ctx.Err() != nil || v.gone != nil {
				return err
			}
			p.err, p.chart = err, nil
		}
	}
	for _, p := range v.panels {
		if p.like != nil && p.like.err != nil {
			p.like = nil
		}
	}
	return nil
}

// feed runs one pass.
func (v *visit) feed(ctx context.Context, panels []*panel) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	specs := make([]viz.ChartSpec, len(panels))
	for i, p := range panels {
		specs[i] = p.spec
	}
	v.distance = firstLook
	v.nextPictures, v.nextProgress = v.now().Add(v.distance), v.now().Add(tellProgress)
	charts, err := v.w.Charts(ctx, specs, v.shared, func(charts []*viz.OpenChart, done, total int64) {
		v.total = total
		if v.gone == nil {
			v.gone = v.progress(ctx, panels, charts, done)
		}
		if v.gone != nil {
			cancel()
		}
	})
	if v.gone != nil {
		return v.gone
	}
	if err != nil {
		return err
	}
	for i, p := range panels {
		p.chart, p.final = charts[i], true
	}
	return nil
}

// progress tells how far the pass is, and shows how things look.
func (v *visit) progress(ctx context.Context, panels []*panel, charts []*viz.OpenChart, done int64) error {
	now := v.now()
	if done == v.total || now.Before(v.nextPictures) && now.Before(v.nextProgress) {
		return nil
	}
	answer := &v1.VisualizeResponse{Done: done, Total: v.total}
	v.nextProgress = now.Add(tellProgress)
	if !now.Before(v.nextPictures) {
		for i, p := range panels {
			p.chart = charts[i]
		}
		for _, p := range v.waiting {
			// One of a comparison may wait for its matches. A leader that is fed in another pass has no order yet.
			if p.chart != nil && p.chart.Begun() && (p.like == nil || p.like.chart != nil) {
				answer.Pictures = append(answer.Pictures, v.picture(ctx, p))
			}
		}
		v.distance *= 2
		drawn := v.now()
		v.nextPictures = drawn.Add(max(v.distance, drawingShare*drawn.Sub(now)))
	}
	return v.send(answer)
}

func (b *workbench) Point(_ context.Context, r *connect.Request[v1.PointRequest]) (*connect.Response[v1.PointResponse], error) {
	q := r.Msg
	board, p, err := b.onePanel(q.DataSet, q.Shared, q.Panels, q.Panel)
	if err != nil {
		return nil, err
	}
	answer := &v1.PointResponse{}
	if !p.ready() || !finite(q.X, q.Y) {
		return connect.NewResponse(answer), nil
	}
	hit, found, err := p.chart.At(board.view(p), board.shared, q.X, q.Y)
	if err != nil {
		return nil, invalid(err)
	}
	answer.Found, answer.Title = found, hit.Title
	for _, f := range hit.Facts {
		answer.Facts = append(answer.Facts, &v1.Fact{Name: f.Name, Value: f.Value})
	}
	for _, m := range hit.Marks {
		answer.Marks = append(answer.Marks, &v1.Mark{X: m.X0, Y: m.Y0, W: m.X1 - m.X0, H: m.Y1 - m.Y0, Color: uint32(m.Color)})
	}
	return connect.NewResponse(answer), nil
}

func (b *workbench) Select(ctx context.Context, r *connect.Request[v1.SelectRequest]) (*connect.Response[v1.SelectResponse], error) {
	q := r.Msg
	board, p, err := b.onePanel(q.DataSet, q.Shared, q.Panels, q.Panel)
	if err != nil {
		return nil, err
	}
	if !finite(q.X0, q.Y0, q.X1, q.Y1) {
		return nil, invalid(fmt.Errorf("the corners (%g, %g) and (%g, %g) are no rectangle", q.X0, q.Y0, q.X1, q.Y1))
	}
	if !p.ready() {
		// Only if its picture is not final, or too old to be kept.
		if err := board.feedAlone(ctx, p); err != nil {
			return nil, invalid(err)
		}
	}
	picked, err := p.chart.Pick(board.view(p), board.shared, scene.Box{X0: min(q.X0, q.X1), Y0: min(q.Y0, q.Y1), X1: max(q.X0, q.X1), Y1: max(q.Y0, q.Y1)})
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&v1.SelectResponse{Filter: picked.Filter, FocusA: wirePeriod(picked.Focus[0]), FocusB: wirePeriod(picked.Focus[1])}), nil
}

// feedAlone feeds a panel, and the one that it is sorted like, without telling
// how far it is.
func (b *board) feedAlone(ctx context.Context, p *panel) error {
	panels := []*panel{p}
	if p.like != nil {
		panels = append(panels, p.like)
	}
	specs := make([]viz.ChartSpec, len(panels))
	for i, q := range panels {
		specs[i] = q.spec
	}
	charts, err := b.w.Charts(ctx, specs, b.shared, nil)
	if err != nil {
		return err
	}
	for i, q := range panels {
		q.chart, q.final = charts[i], true
	}
	return nil
}

// onePanel finds the panel, with a chart of events, that a call is about.
func (b *workbench) onePanel(dataSet string, shared *v1.Shared, panels []*v1.Panel, id string) (*board, *panel, error) {
	w, err := b.open(dataSet)
	if err != nil {
		return nil, nil, err
	}
	// The others of the page are of no concern, and cost time to prepare.
	i := slices.IndexFunc(panels, func(p *v1.Panel) bool { return p.GetId() == id })
	if i >= 0 {
		panels = withLeaders(panels, panels[i])
	}
	board, err := newBoard(w, shared, panels, false)
	if err != nil {
		return nil, nil, err
	}
	p, err := board.find(id)
	if err != nil {
		return nil, nil, invalid(err)
	}
	if p.definition.Tree {
		return nil, nil, invalid(fmt.Errorf("%s: draws a calling context tree and not events", p.definition.Name))
	}
	return board, p, nil
}

// withLeaders gives a panel and those that it follows.
func withLeaders(all []*v1.Panel, p *v1.Panel) []*v1.Panel {
	kept := []*v1.Panel{p}
	for p.GetLike() != "" {
		i := slices.IndexFunc(all, func(q *v1.Panel) bool { return q.GetId() == p.GetLike() })
		if i < 0 || slices.Contains(kept, all[i]) {
			break
		}
		p = all[i]
		kept = append(kept, p)
	}
	return kept
}
