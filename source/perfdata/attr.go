package perfdata

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/cambium-prof/cambium/source/perfsamples"
)

// Bits of what a sample has (PERF_SAMPLE_*).
const (
	hasIP = 1 << iota
	hasTID
	hasTime
	hasAddr
	hasRead
	hasCallchain
	hasID
	hasCPU
	hasPeriod
	hasStreamID
	hasRaw
	hasBranchStack
	hasRegsUser
	hasStackUser
	_ // weight
	_ // data source
	hasIdentifier
)

// Bits of what a read has (PERF_FORMAT_*).
const (
	readEnabled = 1 << iota
	readRunning
	readID
	readGroup
	readLost
)

// Bits of an attribute.
const (
	flagFreq        = 1 << 10
	flagSampleIDAll = 1 << 18
)

// attr is an event that was recorded (struct perf_event_attr).
type attr struct {
	kind       uint32
	config     uint64
	has        uint64
	reads      uint64
	period     int64 // of each sample, if samples do not tell
	sampleIDs  bool  // records of all kinds end with the fields of a sample that tell when and where
	name       []byte
	key        []byte // what samples call it, as the name may come last
	idAt       int    // where a sample has its event's id; 0 if nowhere
	timeAt     int    // where it has its time
	trailer    int    // how many bytes those fields are
	timeBefore int    // how many bytes before the end of a record its time is; 0 if it has none
	idBefore   int
	trace      *tracepoint // of samples with raw data, or nil
}

// isTracepoint reports whether it is an event of the kernel's with fields of its own.
func (a *attr) isTracepoint() bool { return a.kind == kindTracepoint }

const kindTracepoint = 2

// attrMin is how much of an attribute is needed; the first version had 64 bytes.
const attrMin = 48

// attribute reads an attribute of any version.
func (r *reader) attribute(raw []byte, ids []byte) error {
	if len(raw) < attrMin {
		return fmt.Errorf("expected an attribute of at least %d bytes, but found %d", attrMin, len(raw))
	}
	flags := r.order.Uint64(raw[40:])
	if r.big() { // the compiler gives out bit fields from the other end
		flags = bits.Reverse64(flags)
	}
	a := &attr{
		kind: r.order.Uint32(raw), config: r.order.Uint64(raw[8:]),
		has: r.order.Uint64(raw[24:]), reads: r.order.Uint64(raw[32:]),
		period: perfsamples.Unknown, sampleIDs: flags&flagSampleIDAll != 0,
	}
	if period := int64(r.order.Uint64(raw[16:])); flags&flagFreq == 0 && period > 0 {
		a.period = period
	}
	words := func(fields uint64) int { return 8 * bits.OnesCount64(a.has&fields) }
	switch {
	case a.has&hasIdentifier != 0:
		a.idAt = recordHeader
	case a.has&hasID != 0:
		a.idAt = recordHeader + words(hasIP|hasTID|hasTime|hasAddr)
	}
	if a.has&hasTime != 0 {
		a.timeAt = recordHeader + words(hasIdentifier|hasIP|hasTID)
	}
	if a.sampleIDs {
		a.trailer = words(hasTID | hasTime | hasID | hasStreamID | hasCPU | hasIdentifier)
		if a.has&hasTime != 0 {
			a.timeBefore = 8 + words(hasID|hasStreamID|hasCPU|hasIdentifier)
		}
		switch {
		case a.has&hasIdentifier != 0:
			a.idBefore = 8
		case a.has&hasID != 0:
			a.idBefore = 8 + words(hasStreamID|hasCPU)
		}
	}
	a.name = []byte(eventName(a.kind, a.config))
	a.key = fmt.Append(nil, len(r.attrs))
	r.attrs = append(r.attrs, a)
	for ; len(ids) >= 8; ids = ids[8:] {
		r.byID[r.order.Uint64(ids)] = a
	}
	return nil
}

// attributes reads those of a file: each is followed by where its ids are.
func (r *reader) attributes(preamble []byte, all section, size uint64) error {
	within := func(s section) ([]byte, bool) {
		if s.offset > uint64(len(preamble)) || s.size > uint64(len(preamble))-s.offset {
			return nil, false
		}
		return preamble[s.offset:][:s.size], true
	}
	raw, ok := within(all)
	if !ok || size < attrMin+16 || len(raw) < int(size) {
		return fmt.Errorf("byte 16: expected attributes of events before the records, but found %d bytes, of %d each, at byte %d", all.size, size, all.offset)
	}
	for ; uint64(len(raw)) >= size; raw = raw[size:] {
		ids, ok := within(section{r.order.Uint64(raw[size-16:]), r.order.Uint64(raw[size-8:])})
		if !ok {
			r.b.Warn("the ids of an event are not within the file")
		}
		if err := r.attribute(raw[:size-16], ids); err != nil {
			return err
		}
	}
	return nil
}

// attrOf finds the event that a record belongs to. Records that perf made
// itself have the id 0.
func (r *reader) attrOf(rec []byte, sample bool) (a *attr, known bool) {
	if len(r.attrs) == 0 {
		return nil, false
	}
	a = r.attrs[0]
	at := a.idAt
	if !sample {
		at = len(rec) - a.idBefore
		if a.idBefore == 0 {
			at = 0
		}
	}
	if at < recordHeader || at+8 > len(rec) || len(r.attrs) == 1 {
		return a, true
	}
	id := r.order.Uint64(rec[at:])
	if id == r.lastID && r.lastAttr != nil {
		return r.lastAttr, true
	}
	if b, ok := r.byID[id]; ok {
		r.lastID, r.lastAttr = id, b
		return b, true
	}
	return a, id == 0 || len(r.byID) == 0
}

// eventNames are those of hardware and of software events, as perf calls them.
var eventNames = [2][]string{
	{"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles",
		"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"},
	{"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches"},
}

// eventName is what an event is called if the recording does not say.
func eventName(kind uint32, config uint64) string {
	if int(kind) < len(eventNames) && config < uint64(len(eventNames[kind])) {
		return eventNames[kind][config]
	}
	const raw = 4
	switch kind {
	case kindTracepoint:
		return fmt.Sprintf("tracepoint %d", config)
	case raw:
		return fmt.Sprintf("raw 0x%x", config)
	}
	return fmt.Sprintf("event %d:0x%x", kind, config)
}

// text is what comes before the first zero byte.
func text(raw []byte) []byte {
	name, _, _ := bytes.Cut(raw, []byte{0})
	return name
}
