package v8nodes

import (
	"context"

	"github.com/cambium-prof/cambium/data"
)

// Samples are the samples of a CPU profile as they are told: their nodes in one
// list and their times in another. There may be more than fit into memory.
type Samples struct {
	b          *data.Builder
	ids, times *data.Spool
}

// NewSamples gives samples without any.
func NewSamples(b *data.Builder) *Samples {
	return &Samples{b, b.Spool(data.BatchRows, false), b.Spool(data.BatchRows, false)}
}

// NewIDs forgets the ids that were told, for a file that begins their list anew.
func (s *Samples) NewIDs() {
	s.ids.Drop()
	s.ids = s.b.Spool(data.BatchRows, false)
}

// NewTimes does that for times.
func (s *Samples) NewTimes() {
	s.times.Drop()
	s.times = s.b.Spool(data.BatchRows, false)
}

// AddID tells the id of the node of a sample.
func (s *Samples) AddID(id int64) { add(s.ids, id) }

// AddTime tells the time of a sample, or how long after the one before it is.
func (s *Samples) AddTime(time int64) { add(s.times, time) }

func add(to *data.Spool, v int64) {
	columns := to.Row()
	columns[0].Values = append(columns[0].Values, v)
}

// IDs is the number of samples.
func (s *Samples) IDs() int { return s.ids.Rows() }

// Times is the number of times.
func (s *Samples) Times() int { return s.times.Rows() }

// Nodes takes away the samples, without times.
func (s *Samples) Nodes(ctx context.Context, yield func(id int64)) error {
	return data.Each(ctx, s.ids, func(c []data.Column, i int) error {
		yield(c[0].Values[i])
		return nil
	})
}

// Lasting takes away the samples that have a time, in the order of their times,
// with how long each lasts: until the next, the last until end. at gives the
// time of a sample for what AddTime was told, one after the other.
func (s *Samples) Lasting(ctx context.Context, end int64, at func(told int64) int64, yield func(id, at, took int64)) error {
	const atColumn, idColumn = 0, 1
	timed := s.b.Spool(data.BatchRows, false, false)
	last, sorted := int64(0), true
	var ids data.Block
	next := 0
	err := data.Each(ctx, s.times, func(c []data.Column, i int) error {
		if next == ids.Rows {
			next, ids.Rows = 0, 0
			if ok, err := s.ids.Take(&ids); err != nil || !ok {
				return err // there are more times than samples
			}
		}
		time := at(c[0].Values[i])
		sorted = sorted && (timed.Rows() == 0 || time >= last)
		last = time
		columns := timed.Row()
		columns[atColumn].Values = append(columns[atColumn].Values, time)
		columns[idColumn].Values = append(columns[idColumn].Values, ids.Columns[0].Values[next])
		next++
		return nil
	})
	if err != nil {
		return err
	}
	rows := data.Rows(timed)
	if !sorted {
		if rows, err = timed.Sort(atColumn); err != nil {
			return err
		}
	}
	id, from, any := int64(0), int64(0), false
	err = data.Each(ctx, rows, func(c []data.Column, i int) error {
		now := c[atColumn].Values[i]
		if any {
			yield(id, from, now-from)
		}
		id, from, any = c[idColumn].Values[i], now, true
		return nil
	})
	if err == nil && any {
		yield(id, from, max(end, from)-from)
	}
	return err
}
