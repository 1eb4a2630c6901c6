package source

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// timed is something that happened on a thread.
type timed struct {
	at, took int64
	op       data.EntityID
}

// compare puts the longer one first of those that start together: it is the one
// that makes the other.
func (e timed) compare(o timed) int {
	return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(o.took, e.took))
}

// callSort sorts what happened by time, and keeps the order of equals: in runs
// of rows that are sorted in memory, wait in spools and are merged.
type callSort struct {
	b    *data.Builder
	size int // of runs
	run  []timed
	runs []*data.Spool
}

// sortedRows is the length of a run, and mergedOps that of the piece of each
// that is in memory while runs are merged.
const sortedRows, mergedOps = 1 << 20, 4 << 10

func newCallSort(b *data.Builder) *callSort { return &callSort{b: b, size: b.Often(sortedRows)} }

func (s *callSort) add(e timed) {
	if len(s.run) == s.size {
		s.cut()
	}
	s.run = append(s.run, e)
}

// cut ends a run.
func (s *callSort) cut() {
	slices.SortStableFunc(s.run, timed.compare)
	spool := s.b.Spool(mergedOps, false, false, true)
	for _, e := range s.run {
		columns := spool.Row()
		columns[0].Values = append(columns[0].Values, e.at)
		columns[1].Values = append(columns[1].Values, e.took)
		columns[2].Refs = append(columns[2].Refs, e.op)
	}
	s.runs, s.run = append(s.runs, spool), s.run[:0]
}

// each hands out everything, in order.
func (s *callSort) each(ctx context.Context, yield func(timed) error) error {
	if len(s.runs) == 0 {
		slices.SortStableFunc(s.run, timed.compare)
		for i, e := range s.run {
			if i%chunkOps == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := yield(e); err != nil {
				return err
			}
		}
		return nil
	}
	s.cut()
	s.run = nil
	var queue runQueue
	for i, spool := range s.runs {
		r := &run{spool: spool, number: i}
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			queue = append(queue, r)
		}
	}
	heap.Init(&queue)
	for n := 0; len(queue) > 0; n++ {
		if n%chunkOps == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r := queue[0]
		if err := yield(r.timed); err != nil {
			return err
		}
		ok, err := r.next()
		if err != nil {
			return err
		}
		if ok {
			heap.Fix(&queue, 0)
		} else {
			heap.Pop(&queue)
		}
	}
	return nil
}

// run is a run that is being merged, at its first element.
type run struct {
	timed
	spool  *data.Spool
	number int
	block  data.Block
	at     int // of the next one in block
}

func (r *run) next() (bool, error) {
	if r.at == r.block.Rows {
		if ok, err := r.spool.Take(&r.block); !ok || err != nil {
			return false, err
		}
		r.at = 0
	}
	c := r.block.Columns
	r.timed = timed{c[0].Values[r.at], c[1].Values[r.at], c[2].Refs[r.at]}
	r.at++
	return true, nil
}

type runQueue []*run

func (q runQueue) Len() int      { return len(q) }
func (q runQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q runQueue) Less(i, j int) bool {
	return cmp.Or(q[i].compare(q[j].timed), cmp.Compare(q[i].number, q[j].number)) < 0
}

// Push is of heap.Interface.
func (q *runQueue) Push(x any) { *q = append(*q, x.(*run)) }

// Pop is of heap.Interface.
func (q *runQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
