package perfdata

import (
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/perfsamples"
)

// thread is a thread as of now.
type thread struct{ comm []byte }

func (r *reader) thread(tid int32) *thread {
	t := r.threads[tid]
	if t == nil {
		t = &thread{}
		if tid == 0 {
			t.comm = []byte("swapper") // the idle threads, as perf calls them
		}
		r.threads[tid] = t
	}
	return t
}

// Markers within call chains say where the addresses behind them are.
const (
	firstMarker      = ^uint64(4095) + 1
	markHypervisor   = ^uint64(32) + 1
	markKernel       = ^uint64(128) + 1
	markUser         = ^uint64(512) + 1
	markUserDeferred = ^uint64(640) + 1 // a cookie follows, and no addresses
)

// Where code runs (the lowest bits of misc).
const (
	modeUnknown = iota
	modeKernel
	modeUser
	modeHypervisor
	modeGuestKernel
	modeGuestUser
)

// modeOf gives the mode behind a marker.
func modeOf(marker uint64) uint16 {
	switch marker {
	case markKernel:
		return modeKernel
	case markUser:
		return modeUser
	case markHypervisor:
		return modeHypervisor
	}
	return modeGuestKernel
}

func (r *reader) sample(a *attr, rec []byte, misc uint16) {
	c := cursor{r: r, b: rec}
	s := perfsamples.Sample{Process: perfsamples.Unknown, Thread: perfsamples.Unknown, CPU: perfsamples.Unknown,
		Time: perfsamples.Unknown, Period: a.period, Event: a.key}
	if a.has&hasIdentifier != 0 {
		c.skip(8)
	}
	var ip uint64
	if a.has&hasIP != 0 {
		ip = c.u64()
	}
	var pid int32
	if a.has&hasTID != 0 {
		pid = int32(c.u32())
		tid := int32(c.u32())
		s.Process, s.Thread = int64(pid), int64(tid)
		s.Command = r.thread(tid).comm
	}
	if a.has&hasTime != 0 {
		s.Time = int64(min(c.u64(), source.MaxTime))
	}
	for _, field := range [...]uint64{hasAddr, hasID, hasStreamID} {
		if a.has&field != 0 {
			c.skip(8)
		}
	}
	if a.has&hasCPU != 0 {
		s.CPU = int64(c.u32())
		c.skip(4)
	}
	if a.has&hasPeriod != 0 {
		s.Period = int64(min(c.u64(), source.MaxTime))
	}
	if a.has&hasRead != 0 {
		c.read(a.reads)
	}
	var chain []byte
	if a.has&hasCallchain != 0 {
		n := c.u64()
		chain = c.bytes(min(n, 1<<32) * 8)
	}
	if c.bad {
		r.breaks()
		return
	}
	var raw []byte
	if a.has&hasRaw != 0 {
		raw = c.bytes(uint64(c.u32()))
	}
	st := &r.stacks
	st.frames = st.frames[:0]
	mode, inner := misc&miscModes, true
	for ; len(chain) >= 8; chain = chain[8:] {
		at := r.order.Uint64(chain)
		if at >= firstMarker {
			if at == markUserDeferred {
				break
			}
			mode, inner = modeOf(at), true
			continue
		}
		if !inner && at > 0 {
			at-- // where it returns to
		}
		inner = false
		st.frames = append(st.frames, r.place(pid, mode, at))
	}
	if len(st.frames) == 0 && a.has&hasIP != 0 {
		st.frames = append(st.frames, r.place(pid, misc&miscModes, ip))
	}
	if a.has&hasStackUser != 0 {
		r.unattended++
	}
	context := st.Context(st.frames)
	r.samples.Add(s, context)
	if a.isTracepoint() && len(raw) > 0 {
		r.traced(a, s.Time, context, raw)
	}
}

// read passes over the counts of a group of events.
func (c *cursor) read(format uint64) {
	size := uint64(1) // of a count, in words
	times := uint64(0)
	if format&readEnabled != 0 {
		times++
	}
	if format&readRunning != 0 {
		times++
	}
	if format&readID != 0 {
		size++
	}
	if format&readLost != 0 {
		size++
	}
	n := uint64(1)
	if format&readGroup != 0 {
		n = min(c.u64(), 1<<32)
	}
	c.skip(8 * (times + n*size))
}
