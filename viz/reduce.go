package viz

import (
	"context"
	"errors"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
)

// Additive is a chart that shows sums: events that agree in all mapped fields
// but the amounts may be replaced by one, with the sums of the amounts. Such a
// chart need not receive the events of a data set that is not in memory one by
// one. What it receives instead are ordinary batches, ordered by the first
// event of each row, so that it has nothing else to do than to count with
// [Batch.Events] where it counts events.
type Additive interface {
	// Additive is asked after Configure. ok is false if the configuration
	// needs every event. A coordinate may first be rounded down to a multiple
	// of bins[dimension], by index of the definition's dimensions; then the
	// chart does not receive what is outside its period either.
	Additive() (bins map[int]int64, ok bool)
}

// addingUp hands the reductions of a store to one chart.
type addingUp struct {
	use     Use
	store   data.Reducer
	plan    data.Reduction
	keys    []int // dimension -> index of its key, or -1
	sums    []int // dimension -> index of its sum, or -1
	counted int   // index of the sum that counts events
	least   []int64
}

// addUp lets stores add up for the charts of one type of event that show sums,
// and gives the charts that need every event.
func (p Pass) addUp(ctx context.Context, uses []Use, report func(events int64)) (rest []Use, err error) {
	for _, u := range uses {
		ready := false
		if a := p.prepare(u); a != nil {
			if ready, err = a.run(ctx, report); err != nil {
				return nil, err
			}
		}
		if !ready {
			rest = append(rest, u)
		}
	}
	return rest, nil
}

// prepare makes the reductions for a chart ready; nil if it needs every event.
func (p Pass) prepare(u Use) *addingUp {
	store, can := u.Subject.Store().(data.Reducer)
	chart, additive := u.Chart.(Additive)
	if !can || !additive {
		return nil
	}
	bins, ok := chart.Additive()
	if !ok {
		return nil
	}
	a := &addingUp{use: u, store: store, counted: -1}
	var where []*data.Condition
	for d, path := range u.Fields {
		key, sum := -1, -1
		least := int64(math.MinInt64)
		switch {
		case path.Name == "":
		case path.IsCount() || path.Field.Has(data.Amount):
			sum = len(a.plan.Sums)
			a.plan.Sums = append(a.plan.Sums, path.Start())
			if path.IsCount() {
				a.counted = sum
			}
		default:
			key = len(a.plan.Keys)
			a.plan.Keys = append(a.plan.Keys, data.Key{Field: path.Start(), Width: bins[d]})
			if u.Period != nil && bins[d] > 0 {
				// Rounded down, an event would seem to be before the period.
				least = u.Period.From
				where = append(where, &data.Condition{Op: data.InRanges, Field: path.Start(), Ranges: []data.Span{{From: u.Period.From, To: u.Period.To}}})
			}
		}
		a.keys, a.sums, a.least = append(a.keys, key), append(a.sums, sum), append(a.least, least)
	}
	if a.counted < 0 {
		a.counted = len(a.plan.Sums)
		a.plan.Sums = append(a.plan.Sums, data.CountField)
	}
	condition := func(f *query.Filter) *data.Condition {
		if m := f.Events(u.Subject.Definition); m != nil {
			return m.Condition
		}
		return nil
	}
	if c := condition(p.Filter); c != nil {
		where = append(where, c)
	}
	if where != nil {
		a.plan.Where = &data.Condition{Op: data.AllOf, Of: where}
	}
	for _, g := range p.Groups[:min(len(p.Groups), maxGroups)] {
		c := condition(g)
		if c == nil {
			c = &data.Condition{Op: data.AnyOf} // of nothing: it never holds
		}
		a.plan.Groups = append(a.plan.Groups, c)
	}
	return a
}

// How many events are added up at a time: few at first, for a picture soon
// and to see what it brings; then more, as far as that brings more.
const (
	firstWindow = 1 << 21
	lastWindow  = 1 << 26
	// worthwhile is how many times fewer rows there must be than events.
	worthwhile = 8
)

// run hands everything to the chart. It gives false, and has handed over
// nothing, if the chart is better off with the events themselves.
func (a *addingUp) run(ctx context.Context, progress func(events int64)) (bool, error) {
	total := int64(a.use.Subject.Rows())
	window := int64(firstWindow)
	for from := int64(0); from < total; {
		a.plan.From, a.plan.To = from, min(from+window, total)
		r, err := a.store.Reduce(ctx, a.plan)
		if from == 0 && (errors.Is(err, data.ErrTooMany) || err == nil && int64(r.Rows) > a.plan.To/worthwhile && r.Rows > data.BatchRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if err := a.hand(r); err != nil {
			return false, err
		}
		progress(a.plan.To - from)
		from = a.plan.To
		if window < lastWindow {
			window *= 2
		}
	}
	return true, nil
}

// hand gives a reduction to the chart, in batches.
func (a *addingUp) hand(r data.Reduced) error {
	for d, k := range a.keys {
		if k < 0 {
			continue
		}
		if path := a.use.Fields[d]; path.Field.IsReference() && !path.Direct() {
			if err := a.use.Subject.Follow(path, r.Keys[k].Refs); err != nil {
				return err
			}
		}
		for i, v := range r.Keys[k].Values {
			r.Keys[k].Values[i] = max(v, a.least[d])
		}
	}
	offsets := make([]uint32, r.Rows)
	for i, first := range r.First {
		offsets[i] = uint32(first) // there are fewer events of a type than that
	}
	for from := 0; from < r.Rows; from += data.BatchRows {
		to := min(from+data.BatchRows, r.Rows)
		b := Batch{Rows: to - from, Columns: make([]data.Column, len(a.keys)), offsets: offsets[from:to], events: r.Sums[a.counted][from:to]}
		if r.Group != nil {
			b.Group = r.Group[from:to]
		}
		for d := range a.keys {
			switch k := a.keys[d]; {
			case k >= 0 && r.Keys[k].Refs != nil:
				b.Columns[d].Refs = r.Keys[k].Refs[from:to]
			case k >= 0:
				b.Columns[d].Values = r.Keys[k].Values[from:to]
			case a.sums[d] >= 0:
				b.Columns[d].Values = r.Sums[a.sums[d]][from:to]
			}
		}
		if err := a.use.Chart.Batch(b); err != nil {
			return err
		}
	}
	return nil
}
