package server

import (
	"context"
	"errors"
	"fmt"
	"math"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/scene"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/viz"
)

// maxPanels is how many panels a page can have. It is not more than the charts
// that a workspace keeps fed: a page with more would need a pass for each
// picture.
const maxPanels = 24

// open finds a data set that is ready.
func (b *workbench) open(id string) (*viz.Workspace, error) {
	d, err := b.s.Sets.Find(id)
	if err != nil {
		return nil, connect.NewError(connect.CodeNotFound, err)
	}
	w, err := d.Workspace()
	if err != nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, err)
	}
	return w, nil
}

// board is the panels of a request with what they have in common. A panel that
// is wrong has an error, and takes no other away.
type board struct {
	w      *viz.Workspace
	shared viz.Shared
	dark   bool
	panels []*panel
}

type panel struct {
	*v1.Panel
	definition viz.Definition
	err        error
	spec       viz.ChartSpec  // of a chart of events: complete
	chart      *viz.OpenChart // as far as it has received its events; nil before
	final      bool           // it has received them all; of a chart of trees: there is nothing to wait for
	like       *panel         // whose order to follow: the last one, if that follows another
}

func newBoard(w *viz.Workspace, shared *v1.Shared, panels []*v1.Panel, dark bool) (*board, error) {
	if len(panels) > maxPanels {
		return nil, invalid(fmt.Errorf("there are %d panels, which are more than %d", len(panels), maxPanels))
	}
	b := &board{w: w, shared: readShared(shared), dark: dark}
	if err := w.CheckShared(b.shared); err != nil {
		return nil, invalid(err)
	}
	byID := map[string]*panel{}
	for _, q := range panels {
		if byID[q.GetId()] != nil {
			return nil, invalid(fmt.Errorf("two panels have the id %q", q.GetId()))
		}
		p := &panel{Panel: q}
		p.err = b.prepare(p)
		b.panels = append(b.panels, p)
		byID[q.GetId()] = p
	}
	for _, p := range b.panels {
		at := p
		for range b.panels { // and not for ever, if they go round in a circle
			next := byID[at.GetLike()]
			if at.GetLike() == "" || next == nil || next == p || next.err != nil || next.definition.Tree {
				break
			}
			at, p.like = next, next
		}
	}
	return b, nil
}

// prepare checks a panel, and finds its chart if that is fed already.
func (b *board) prepare(p *panel) error {
	f, err := viz.Find(p.GetView())
	if err != nil {
		return err
	}
	p.definition = f.Definition
	if p.definition.Tree {
		p.final = b.w.Ready(b.request(p).Look)
		return nil
	}
	spec := viz.ChartSpec{View: p.GetView(), Subject: p.GetSubject(), Map: p.GetMap(), Params: p.GetParams()}
	if period := p.GetPeriod(); period != nil {
		spec.Period = &viz.Period{From: period.From, To: period.To}
	}
	if p.chart, err = b.w.Opened(spec, b.shared); err != nil {
		return err
	}
	if p.final = p.chart != nil; p.final {
		p.spec = p.chart.Spec
		return nil
	}
	p.spec, err = b.w.Complete(spec, len(b.shared.Groups))
	return err
}

func (b *board) find(id string) (*panel, error) {
	for _, p := range b.panels {
		if p.GetId() == id {
			return p, p.err
		}
	}
	return nil, fmt.Errorf("there is no panel %q in the request", id)
}

// ready tells whether a panel needs no events any more.
func (p *panel) ready() bool {
	return p.err != nil || p.final && (p.like == nil || p.like.final)
}

func (b *board) view(p *panel) viz.View {
	v := viz.View{
		Viewport: viz.Viewport{Width: p.GetWidth(), Height: p.GetHeight()}, Dark: b.dark,
		Sort: p.GetSort(), Rows: readRange(p.GetRows()), Columns: readRange(p.GetColumns()),
		First: firstRow(p.GetFirst()),
	}
	if p.like != nil {
		v.Like, v.LikeSort = p.like.chart, p.like.GetSort()
	}
	return v
}

// request is what a panel with a chart of trees asks for.
func (b *board) request(p *panel) viz.Request {
	return viz.Request{
		View: p.GetView(), Look: viz.Look{Steps: p.GetSteps(), Metric: p.GetMetric(), Filter: b.shared.Filter},
		Params: p.GetParams(), Viewport: viz.Viewport{Width: p.GetWidth(), Height: p.GetHeight()},
		Dark: b.dark, Groups: b.shared.Groups, Selection: b.shared.Selection,
		First: firstRow(p.GetFirst()), Swapped: b.shared.Pairing.Swapped,
	}
}

func firstRow(first int64) int { return int(min(max(first, 0), math.MaxInt32)) }

// search leaves out a search that is wrong, as most are while they are typed:
// it must not take the picture away.
func (b *board) search(ctx context.Context, p *panel) string {
	if p.GetHighlight() == "" {
		return ""
	}
	v, metric, err := b.w.View(ctx, viz.Look{Steps: p.GetSteps(), Metric: p.GetMetric(), Filter: b.shared.Filter})
	if err == nil && b.w.CheckSearch(v, metric, p.GetHighlight()) != nil {
		return ""
	}
	return p.GetHighlight()
}

// draw makes the scene of a panel; the view and the metric are those of a chart
// of trees.
func (b *board) draw(ctx context.Context, p *panel) (s *scene.Scene, v cct.View, metric int, err error) {
	if p.err != nil {
		return nil, v, 0, p.err
	}
	if p.definition.Tree {
		r := b.request(p)
		r.Highlight = b.search(ctx, p)
		if s, v, err = b.w.Scene(ctx, r); err == nil {
			_, metric, err = b.w.View(ctx, r.Look)
		}
		return s, v, metric, err
	}
	if p.chart == nil {
		return nil, v, 0, errors.New("the chart has received no events")
	}
	s, err = p.chart.Scene(b.view(p), b.shared)
	return s, v, 0, err
}

// picture is what the page is told of a panel.
func (b *board) picture(ctx context.Context, p *panel) *v1.Picture {
	answer := &v1.Picture{Panel: p.GetId(), Final: p.ready(), Params: p.GetParams()}
	if p.err == nil && p.definition.Tree {
		answer.Params, _ = p.definition.For(b.w.Difference != nil).CheckParams(p.GetParams())
	} else if p.err == nil {
		answer.Subject, answer.Map, answer.Params = p.spec.Subject, p.spec.Map, p.spec.Params
		if p.chart != nil {
			answer.Selectable, answer.Pointed = p.chart.Selectable(), p.chart.Pointed()
		}
	}
	s, v, metric, err := b.draw(ctx, p)
	switch {
	case err != nil:
		answer.Error = err.Error()
	case p.definition.Tree:
		look := b.request(p).Look
		if look, err = b.w.Completed(p.GetView(), p.GetParams(), look); err != nil {
			answer.Error = err.Error()
			break
		}
		answer.Scene = wireTree(ctx, s, b.w, v, metric, look)
	default:
		answer.Scene = wireScene(s)
	}
	return answer
}

func readShared(q *v1.Shared) viz.Shared {
	shared := viz.Shared{Filter: q.GetFilter(), Selection: q.GetSelection(), Pairing: readPairing(q.GetPairing())}
	for _, g := range q.GetGroups() {
		shared.Groups = append(shared.Groups, viz.Group{Name: g.GetName(), Color: scene.Color(g.GetColor()), Filter: g.GetFilter(), Hidden: g.GetHidden()})
	}
	return shared
}

func readRange(q *v1.Range) viz.Range {
	r := viz.Range{From: q.GetFrom(), To: q.GetTo()}
	if !finite(r.From, r.To) || r.All() {
		return viz.Range{}
	}
	return r
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
