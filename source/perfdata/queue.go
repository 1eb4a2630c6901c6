package perfdata

import (
	"cmp"
	"math"
	"slices"
)

// queue puts records in the order of time.
//
// Each processor has a buffer of its own, in order. perf goes around, writes
// what it finds in each, and then a record that says that a round is finished.
// What a round brings may be older than what the one before brought of another
// processor, but not older than what any processor had in the one before that:
// so at the end of a round, all up to the last time of the round before is
// complete (as in tools/perf/util/ordered-events.c).
type queue struct {
	arena []byte // the records that wait
	other []byte // to move them to
	items []queued

	last   uint64 // the latest time so far
	before uint64 // what it was when the round began
	done   uint64 // the time up to which records were handed on
	late   int64  // records older than that
}

type queued struct {
	time uint64
	file int64 // where the record is in the file
	at   int   // and in arena
}

const allTimes = math.MaxUint64

// maxQueue bounds what may wait: a recording of many processors has some 100 MiB
// in two rounds. Beyond it, the older half goes on.
const maxQueue = 256 << 20

func (q *queue) push(r *reader, time uint64, rec []byte) error {
	q.items = append(q.items, queued{time, r.at, len(q.arena)})
	q.arena = append(q.arena, rec...)
	q.last = max(q.last, time)
	if time < q.done {
		q.late++
	}
	if len(q.arena) < maxQueue {
		return nil
	}
	q.sort()
	return q.flush(r, q.items[len(q.items)/2].time)
}

func (q *queue) sort() {
	slices.SortFunc(q.items, func(a, b queued) int { // of one time as they came
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.at, b.at))
	})
}

// round ends a round.
func (q *queue) round(r *reader) error {
	err := q.flush(r, q.before)
	q.before = q.last
	return err
}

// flush hands on what is not later than limit.
func (q *queue) flush(r *reader, limit uint64) error {
	q.sort()
	at, n := r.at, 0
	for ; n < len(q.items) && q.items[n].time <= limit; n++ {
		if n%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		rec := q.items[n]
		r.at = rec.file
		q.done = max(q.done, rec.time)
		r.kernel(q.record(r, rec.at))
	}
	r.at = at
	// The others move to the other arena, in their order.
	rest, kept := q.items[n:], q.other[:0]
	for i := range rest {
		rec := q.record(r, rest[i].at)
		rest[i].at = len(kept)
		kept = append(kept, rec...)
	}
	q.arena, q.other = kept, q.arena
	q.items = append(q.items[:0], rest...)
	return nil
}

func (q *queue) record(r *reader, at int) []byte {
	return q.arena[at:][:r.order.Uint16(q.arena[at+6:])]
}
