package plot

import (
	"cmp"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// Running is an x axis that is an amount which is added up from event to event
// (Wang 2002, B.3): an event stands where the sum was before it. It remembers
// with which event a column began, which leads from a selection back to events
// (5.3.6).
type Running struct {
	sum    int64
	next   int64   // a sum that is less than this begins no column
	starts []start // rising in both; at least a column apart
	apart  int64   // how far apart they are, if that is more than a column
	last   int64   // the last event
	limits viz.Period
}

// start is a sum, and the sequence number of the first event that began there.
type start struct{ at, event int64 }

// maxStarts is how many columns are led back to events: beyond, every second
// one is, then every fourth.
const maxStarts = 1 << 20

// NewRunning begins with a sum of 0. period is the part that the chart shows.
func NewRunning(period *viz.Period) *Running {
	from, to := Limits(period)
	return &Running{next: from, limits: viz.Period{From: from, To: to}}
}

// Next gives where an event stands and adds its amount. c are the cells that
// the chart adds to.
func (r *Running) Next(amount, event int64, c *Cells) int64 {
	at := r.sum
	r.sum = Saturating(r.sum, amount)
	r.last = event
	if at >= r.next {
		r.remember(start{at, event}, c)
	}
	return at
}

// remember takes an event that may begin a column.
func (r *Running) remember(s start, c *Cells) {
	apart := max(c.interval, r.apart)
	column := floorDiv(s.at, apart)
	if n := len(r.starts); n > 0 {
		before := r.starts[n-1].at
		if before > r.limits.To {
			r.next = math.MaxInt64
			return
		}
		if first := floorDiv(before, apart); column <= first {
			column = first
		} else {
			r.starts = append(r.starts, s)
		}
	} else {
		r.starts = append(r.starts, s)
	}
	r.next = math.MaxInt64
	if end := (column + 1) * apart; end/apart == column+1 {
		r.next = end
	}
	if len(r.starts) >= maxStarts {
		r.thin(apart)
	}
}

// thin keeps a start per column of the grid as it is now, and if those are too
// many, of wider ones.
func (r *Running) thin(apart int64) {
	for {
		kept := r.starts[:0]
		for _, s := range r.starts {
			if n := len(kept); n == 0 || floorDiv(s.at, apart) > floorDiv(kept[n-1].at, apart) {
				kept = append(kept, s)
			}
		}
		r.starts, r.apart = kept, apart
		if len(kept) < maxStarts/2 || apart > MaxInterval/2 {
			return
		}
		apart *= 2
	}
}

// Events gives the events whose columns a rectangle covers: an empty period if
// there are none. Where amounts are negative the sum turns back, and the answer is the
// part of time in which it first went through these columns.
func (r *Running) Events(a Area, c *Cells, box scene.Box) *viz.Period {
	first, last := cellColumns(a, c, box)
	from := r.firstFrom(max(c.startOf(first), r.limits.From))
	if from == len(r.starts) {
		return &viz.Period{From: r.last + 1, To: r.last}
	}
	p := viz.Period{From: r.starts[from].event, To: r.last}
	if end := min(c.endOf(last), r.limits.To); end < end+1 {
		if next := r.firstFrom(end + 1); next < len(r.starts) {
			p.To = r.starts[next].event - 1
		}
	}
	return &p
}

// firstFrom is the first start at a sum or beyond it.
func (r *Running) firstFrom(sum int64) int {
	i, _ := slices.BinarySearchFunc(r.starts, sum, func(s start, sum int64) int { return cmp.Compare(s.at, sum) })
	return i
}
