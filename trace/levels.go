package trace

import (
	"iter"
	"sort"
)

// Levels are the calls of a trace by thread and depth, which is how a timeline
// shows them: a level is all calls of a thread that have as many callers. They
// do not overlap, so that a level is in the order of its starts and of its
// stops at once, and what a window shows is found by binary search.
//
// A part of the calls may be left out, such as those that a filter does not
// keep; the others stay at their depth. It takes 4 bytes a call, and is made in
// two passes over them.
type Levels struct {
	trace   *Trace
	calls   []CallID  // by thread, depth and start
	first   [][]int32 // thread -> depth -> position in calls; the last one is the end
	deepest []int32   // row / deepBlock -> greatest depth of those that are kept; -1 if none is
}

// deepBlock is how many rows of a trace share an entry of deepest.
const deepBlock = 1024

// NewLevels orders the calls of a trace that are marked in keep; nil is all.
func NewLevels(t *Trace, keep []bool) *Levels {
	n := t.Len()
	if keep != nil {
		n = 0
		for _, kept := range keep {
			if kept {
				n++
			}
		}
	}
	l := &Levels{
		trace: t, calls: make([]CallID, n), first: make([][]int32, len(t.Threads)),
		deepest: make([]int32, (t.Len()+deepBlock-1)/deepBlock),
	}
	for i := range l.deepest {
		l.deepest[i] = -1
	}
	at := int32(0)
	for i, thread := range t.Threads {
		var next []int32 // by depth: counts first, then positions
		for c := thread.First; c < thread.End; c++ {
			d := t.Depth[c]
			for int(d) >= len(next) {
				next = append(next, 0)
			}
			if keep == nil || keep[c] {
				next[d]++
			}
		}
		first := make([]int32, len(next)+1)
		for d, n := range next {
			first[d], next[d] = at, at
			at += n
		}
		first[len(next)] = at
		for c := thread.First; c < thread.End; c++ {
			if keep == nil || keep[c] {
				d := t.Depth[c]
				l.calls[next[d]] = c
				next[d]++
				l.deepest[c/deepBlock] = max(l.deepest[c/deepBlock], d)
			}
		}
		l.first[i] = first
	}
	return l
}

// Depths is the number of levels of a thread.
func (l *Levels) Depths(thread int) int { return len(l.first[thread]) - 1 }

// Len is the number of calls.
func (l *Levels) Len() int { return len(l.calls) }

// Call gives the call at a position: calls are numbered by thread, depth and
// start.
func (l *Levels) Call(position int) CallID { return l.calls[position] }

// Run is calls of one level next to each other, of which each is too short to
// be shown alone; or a single call.
type Run struct {
	From, To int64 // nanoseconds: from the start of the first to the stop of the last
	First    int   // position of the first, see [Levels.Call]
	Count    int   // calls: 1, or more only if they are short
	Short    bool  // each takes less than what was asked for
}

// Window gives what a level shows of a time, from on and before to: calls that
// take at least so long each by itself, and shorter ones that are less than
// that apart as a run. It costs, beside the first search, a search per what it
// gives and per `least` of the time that runs cover, however many calls that
// are.
//
// A call that takes no time is short even if least is 0.
func (l *Levels) Window(thread, depth int, from, to, least int64) iter.Seq[Run] {
	first, end := l.within(thread, depth, from, to)
	return l.runs(first, end, least)
}

// Below gives the same of the calls that a call makes: what of them a time has a
// part of.
func (l *Levels) Below(c CallID, from, to, least int64) iter.Seq[Run] {
	t := l.trace
	thread, depth := t.ThreadOf(c), int(t.Depth[c])+1
	if depth >= l.Depths(thread) {
		return func(func(Run) bool) {}
	}
	first, end := l.within(thread, depth, from, to)
	// Calls that take no time may start where their caller does not run any more.
	// Rows rise within a level, and tell which are its own.
	first += sort.Search(end-first, func(i int) bool { return l.calls[first+i] > c })
	end = first + sort.Search(end-first, func(i int) bool { return l.calls[first+i] >= t.End[c] })
	return l.runs(first, end, least)
}

// runs puts the calls at some positions of a level into runs.
func (l *Levels) runs(first, end int, least int64) iter.Seq[Run] {
	t := l.trace
	least = max(least, 1)
	return func(yield func(Run) bool) {
		for i := first; i < end; {
			c := l.calls[i]
			r := Run{From: t.Start[c], To: t.Stop[c], First: i, Count: 1}
			if r.To-r.From >= least {
				i++
			} else {
				r.Short = true
				i = l.gather(&r, end, least)
			}
			if !yield(r) {
				return
			}
		}
	}
}

// Deepest is the greatest depth among the rows from one to before another of the
// trace, or -1 if none of them is kept. Those left out count near either end.
func (l *Levels) Deepest(from, end CallID) int32 {
	deepest := int32(-1)
	for c := from; c < end; {
		if c%deepBlock == 0 && c+deepBlock <= end {
			deepest = max(deepest, l.deepest[c/deepBlock])
			c += deepBlock
			continue
		}
		deepest = max(deepest, l.trace.Depth[c])
		c++
	}
	return deepest
}

// gather makes a run as long as it gets, and gives the position behind it.
func (l *Levels) gather(r *Run, end int, least int64) (next int) {
	t := l.trace
	i, hint := r.First, 0
	for {
		// All that starts within the time ends within it, but for the last.
		k := l.search(i+1, end, l.start(i)+least, hint)
		last := k - 1
		if last > i {
			if c := l.calls[last]; t.Stop[c]-t.Start[c] >= least {
				last--
				k--
			}
		}
		r.To = t.Stop[l.calls[last]]
		r.Count = last - r.First + 1
		if k >= end {
			return k
		}
		if c := l.calls[k]; t.Stop[c]-t.Start[c] >= least || t.Start[c]-r.To >= least {
			return k
		}
		i, hint = k, k-i-1
	}
}

func (l *Levels) start(position int) int64 { return l.trace.Start[l.calls[position]] }

// search gives the first position from i on whose call starts at a time or
// later. It begins hint calls further and goes on in steps that double: what a
// pixel covers is about as much as what the one before did, and each step may
// be one to memory that is far away.
func (l *Levels) search(i, end int, at int64, hint int) int {
	low, high := i, end
	step := max(hint/16, 1)
	if p := i + hint; p < end {
		if l.start(p) < at {
			low = p + 1
			for low+step < end && l.start(low+step) < at {
				low += step + 1
				step *= 2
			}
			high = min(low+step, end)
		} else {
			high = p
			for high-step > i && l.start(high-step) >= at {
				high -= step
				step *= 2
			}
			low = max(high-step, i)
		}
	}
	return low + sort.Search(high-low, func(k int) bool { return l.start(low+k) >= at })
}

// within gives the positions of the calls of a level that a time has a part of.
func (l *Levels) within(thread, depth int, from, to int64) (first, end int) {
	low, high := int(l.first[thread][depth]), int(l.first[thread][depth+1])
	t := l.trace
	first = low + sort.Search(high-low, func(i int) bool {
		c := l.calls[low+i]
		return t.Stop[c] > from || t.Start[c] >= from
	})
	if to > t.To { // the last moment has calls that take no time
		return first, high
	}
	return first, first + sort.Search(high-first, func(i int) bool { return l.start(first+i) >= to })
}

// Within is the number of calls of a level that a time has a part of, from on
// and before to.
func (l *Levels) Within(thread, depth int, from, to int64) int {
	first, end := l.within(thread, depth, from, to)
	return max(end-first, 0)
}

// At gives the call of a level that runs at a time, or else the nearest one
// that is not further off than slack; ok is false if there is none.
func (l *Levels) At(thread, depth int, at, slack int64) (c CallID, ok bool) {
	t := l.trace
	low, high := int(l.first[thread][depth]), int(l.first[thread][depth+1])
	i := low + sort.Search(high-low, func(i int) bool { return l.start(low+i) > at }) // the first after
	best := slack + 1
	if i > low {
		before := l.calls[i-1]
		if d := at - t.Stop[before]; d < best {
			c, best, ok = before, max(d, 0), true
		}
	}
	if i < high {
		if d := l.start(i) - at; d < best {
			c, ok = l.calls[i], true
		}
	}
	return c, ok
}
