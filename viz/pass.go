package viz

import (
	"context"
	"runtime"
	"sync"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/query"
)

// Receiver is what a pass hands events to: a chart of events, or whatever else
// adds them up.
type Receiver interface{ Batch(Batch) error }

// Use is a chart of events in a pass: its type of event and, by dimension of
// its definition, the field that is mapped to it. An optional dimension may
// have none: the zero Path. Period is the chart's, if it has one.
type Use struct {
	Chart   Receiver
	Subject *data.EventTable
	Fields  []data.Path
	Period  *Period
}

// Pass is what the charts of one pass over the events share.
type Pass struct {
	Filter *query.Filter   // nil keeps everything
	Groups []*query.Filter // the colour groups; an event has the colour of the first that holds
	// Progress is called now and then, between batches, with the events that
	// all charts have received and those there are. It may ask the charts for
	// their scenes. nil is allowed.
	Progress func(done, total int64)
}

// maxGroups is how many colour groups a byte can tell apart.
const maxGroups = 255

// Run feeds all charts from one pass over each type of event that they draw:
// a field that several charts use is read, and an indirect one resolved, once,
// and the filter and the groups are decided once per event. Charts of sums of
// events that are not in memory are left to where the events are, see
// [Additive].
func (p Pass) Run(ctx context.Context, uses []Use) error {
	var order []*data.EventTable
	bySubject := map[*data.EventTable][]Use{}
	var done, total int64
	for _, u := range uses {
		if _, ok := bySubject[u.Subject]; !ok {
			order = append(order, u.Subject)
			total += int64(u.Subject.Rows())
		}
		bySubject[u.Subject] = append(bySubject[u.Subject], u)
	}
	for _, subject := range order {
		uses := bySubject[subject]
		var received int64 // by all charts
		report := func(events int64) {
			received += events
			if p.Progress != nil {
				p.Progress(done+received/int64(len(uses)), total)
			}
		}
		rest, err := p.addUp(ctx, uses, report)
		if err == nil && len(rest) > 0 {
			f := newFeeder(p, subject, rest)
			err = subject.Read(ctx, f.paths, func(b data.Batch) error {
				if err := f.feed(b); err != nil {
					return err
				}
				report(int64(b.Rows) * int64(len(rest)))
				return nil
			})
		}
		if err != nil {
			return err
		}
		done += int64(subject.Rows())
	}
	return nil
}

// feeder hands the batches of one type of event to its charts.
type feeder struct {
	paths   []data.Path // columns of the shared batch
	uses    []Use
	columns [][]int // chart -> dimension -> column of the shared batch, -1 if none

	filter marksOf
	groups []marksOf
	needed []bool // column -> whether a chart wants it: the rest is for filters

	offsets []uint32
	group   []uint8
	packed  []data.Column // scratch: columns without what was filtered out
}

// marksOf is a filter for this type of event: which columns it needs.
type marksOf struct {
	mask    *query.Mask
	columns []int
	view    []data.Column
	marks   []bool
	number  uint8 // of a group
}

func newFeeder(p Pass, subject *data.EventTable, uses []Use) *feeder {
	f := &feeder{uses: uses}
	at := map[string]int{}
	column := func(p data.Path, want bool) int {
		c, ok := at[p.Name]
		if !ok {
			c = len(f.paths)
			at[p.Name] = c
			f.paths = append(f.paths, p)
			f.needed = append(f.needed, false)
		}
		f.needed[c] = f.needed[c] || want
		return c
	}
	for _, u := range uses {
		var columns []int
		for _, p := range u.Fields {
			if p.Name == "" {
				columns = append(columns, -1)
				continue
			}
			columns = append(columns, column(p, true))
		}
		f.columns = append(f.columns, columns)
	}
	prepare := func(q *query.Filter) marksOf {
		m := marksOf{mask: q.Events(subject.Definition)}
		if m.mask != nil {
			for _, p := range m.mask.Paths {
				m.columns = append(m.columns, column(p, false))
			}
			m.view = make([]data.Column, len(m.columns))
			m.marks = make([]bool, data.BatchRows)
		}
		return m
	}
	f.filter = prepare(p.Filter)
	for g, q := range p.Groups[:min(len(p.Groups), maxGroups)] {
		if m := prepare(q); m.mask != nil {
			m.number = uint8(g + 1)
			f.groups = append(f.groups, m)
		}
	}
	return f
}

// apply decides a filter for all events of a batch.
func (m *marksOf) apply(b data.Batch) []bool {
	for i, c := range m.columns {
		m.view[i] = b.Columns[c]
	}
	marks := m.marks[:b.Rows]
	m.mask.Apply(data.Batch{First: b.First, Rows: b.Rows, Columns: m.view}, marks)
	return marks
}

func (f *feeder) feed(b data.Batch) error {
	shared := Batch{Rows: b.Rows, first: b.First}
	columns := b.Columns
	if len(f.groups) > 0 {
		shared.Group = f.decideGroups(b)
	}
	if f.filter.mask != nil {
		columns = f.pack(b, &shared)
		if shared.Rows == 0 {
			return nil
		}
	}
	one := func(i int) error {
		mine := shared
		mine.Columns = make([]data.Column, len(f.columns[i]))
		for d, c := range f.columns[i] {
			if c >= 0 {
				mine.Columns[d] = columns[c]
			}
		}
		return f.uses[i].Chart.Batch(mine)
	}
	if len(f.uses) == 1 || runtime.GOMAXPROCS(0) == 1 {
		for i := range f.uses {
			if err := one(i); err != nil {
				return err
			}
		}
		return nil
	}
	// Each chart is one goroutine's: charts need no locks, and the batch stays
	// in the cache that they share.
	var wait sync.WaitGroup
	errs := make([]error, len(f.uses))
	for i := range f.uses {
		wait.Go(func() { errs[i] = one(i) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *feeder) decideGroups(b data.Batch) []uint8 {
	if f.group == nil {
		f.group = make([]uint8, data.BatchRows)
	}
	group := f.group[:b.Rows]
	clear(group)
	// Backwards, so that the first group that holds has the last word.
	for i := len(f.groups) - 1; i >= 0; i-- {
		number := f.groups[i].number
		for row, in := range f.groups[i].apply(b) {
			if in {
				group[row] = number
			}
		}
	}
	return group
}

// pack leaves out the events that the filter does, in place of telling every
// chart about them.
func (f *feeder) pack(b data.Batch, shared *Batch) []data.Column {
	if f.offsets == nil {
		f.offsets = make([]uint32, data.BatchRows)
		f.packed = make([]data.Column, len(b.Columns))
	}
	kept := 0
	for row, in := range f.filter.apply(b) {
		f.offsets[kept] = uint32(row)
		if in {
			kept++
		}
	}
	if kept == b.Rows {
		return b.Columns
	}
	offsets := f.offsets[:kept]
	shared.Rows, shared.offsets = kept, offsets
	for c, from := range b.Columns {
		if !f.needed[c] {
			continue
		}
		to := &f.packed[c]
		if from.Refs != nil {
			if to.Refs == nil {
				to.Refs = make([]data.EntityID, data.BatchRows)
			}
			to.Refs = to.Refs[:kept]
			for i, row := range offsets {
				to.Refs[i] = from.Refs[row]
			}
		} else {
			if to.Values == nil {
				to.Values = make([]int64, data.BatchRows)
			}
			to.Values = to.Values[:kept]
			for i, row := range offsets {
				to.Values[i] = from.Values[row]
			}
		}
	}
	if shared.Group != nil {
		for i, row := range offsets { // offsets rise: nothing is overwritten before it is read
			shared.Group[i] = shared.Group[row]
		}
		shared.Group = shared.Group[:kept]
	}
	return f.packed
}
