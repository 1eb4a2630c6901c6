package perfdata

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/perfsamples"
	"github.com/cambium-prof/cambium/symbol"
)

// recordHeader is that of each record: type (32 bits), misc (16), size (16).
const recordHeader = 8

// Types of records. Those of the kernel:
const (
	recordMmap              = 1
	recordLost              = 2
	recordComm              = 3
	recordExit              = 4
	recordFork              = 7
	recordSample            = 9
	recordMmap2             = 10
	recordLostSamples       = 13
	recordKsymbol           = 17
	recordCallchainDeferred = 22
)

// Those of perf itself:
const (
	recordAttr          = 64
	recordTracingData   = 66
	recordBuildID       = 67
	recordFinishedRound = 68
	recordAuxtrace      = 71
	recordEventUpdate   = 78
	recordFeature       = 80
	recordCompressed    = 81
	recordCompressed2   = 83
	firstOfPerf         = 64
)

// reader collects a recording.
type reader struct {
	ctx   context.Context
	in    *source.Input
	b     *data.Builder
	p     *source.Profile
	order binary.ByteOrder
	pipe  bool

	attrs    []*attr
	byID     map[uint64]*attr
	lastID   uint64
	lastAttr *attr

	read     int   // records
	at       int64 // where the last one is in the file
	queue    queue
	unpacker *unpacker

	spaces
	threads  map[int32]*thread
	stacks   stacks
	samples  *perfsamples.Samples
	buildIDs map[string][]byte
	ksymbols []ksymbol

	lost, lostRecords     uint64
	broken                int64
	firstBroken           int64 // where
	strangers, unattended int64 // samples of unknown events; of stacks that need unwinding
	deferred              int64
	longRaw               int64
	formats               map[uint64]*format // of tracepoints, by their numbers
	entriesLeft           int                // of debug information that may be read yet
	auxtrace              bool
}

func newReader(ctx context.Context, in *source.Input, b *data.Builder) *reader {
	p := source.NewProfile(b, symbol.Unknown, 0)
	r := &reader{
		ctx: ctx, in: in, b: b, p: p, order: binary.LittleEndian, byID: map[uint64]*attr{},
		spaces: newSpaces(), threads: map[int32]*thread{}, stacks: newStacks(),
		samples: perfsamples.New(p), buildIDs: map[string][]byte{}, entriesLeft: maxEntries,
	}
	if in.Binaries && runtime.GOOS == "linux" {
		r.jitFolder = "/tmp"
	}
	return r
}

func (r *reader) big() bool { return r.order == binary.BigEndian }

// record takes a record as it comes: those of the kernel have to wait for their
// turn. outer is a record of the file itself, and not of a compressed one.
func (r *reader) record(rec []byte, outer bool) error {
	kind := r.order.Uint32(rec)
	if kind < firstOfPerf {
		if at := r.timeOf(rec, kind); at != 0 && at != allTimes {
			return r.queue.push(r, at, rec)
		}
		r.kernel(rec)
		return nil
	}
	c := cursor{r: r, b: rec[recordHeader:]}
	switch kind {
	case recordAttr:
		if len(c.b) < attrMin {
			return r.wrong("an attribute", rec)
		}
		size := uint64(r.order.Uint32(c.b[4:]))
		raw := c.bytes(size)
		if c.bad {
			return r.wrong("an attribute", rec)
		}
		return r.attribute(raw, c.b)
	case recordTracingData:
		if size := uint64(c.u32()); outer && r.pipe {
			return r.tracingRecord(size)
		}
	case recordAuxtrace:
		r.auxtrace = true
		if size := c.u64(); outer {
			return r.skip(size)
		}
	case recordBuildID:
		r.buildID(rec)
	case recordFeature:
		if number := c.u64(); !c.bad {
			r.feature(number, c.b)
		}
	case recordEventUpdate:
		const updateName = 2
		if what, id := c.u64(), c.u64(); what == updateName && !c.bad {
			if a := r.byID[id]; a != nil {
				a.name = bytes.Clone(text(c.b))
			}
		}
	case recordFinishedRound:
		return r.queue.round(r)
	case recordCompressed:
		return r.compressed(c.b, outer)
	case recordCompressed2:
		packed := c.bytes(c.u64())
		if c.bad {
			return r.wrong("compressed records", rec)
		}
		return r.compressed(packed, outer)
	}
	return nil
}

func (r *reader) wrong(what string, rec []byte) error {
	return fmt.Errorf("byte %d: expected %s, but the record of %d bytes is too short for it", r.at, what, len(rec))
}

// tracingRecord reads the descriptions of tracepoints that follow a record.
func (r *reader) tracingRecord(size uint64) error {
	whole := (size + 7) &^ 7
	if size > maxFeatures {
		return r.skip(whole)
	}
	raw, err := io.ReadAll(io.LimitReader(r.in, int64(whole)))
	if err == nil && len(raw) < int(whole) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return r.cut(err)
	}
	r.tracing(raw[:size])
	return nil
}

// skip passes over what follows a record.
func (r *reader) skip(n uint64) error {
	if n > 1<<62 {
		return fmt.Errorf("byte %d: expected what follows a record to end within the file, but it has %d bytes", r.at, n)
	}
	if _, err := io.CopyN(io.Discard, r.in, int64(n)); err != nil {
		return r.cut(err)
	}
	return nil
}

// timeOf gives the time of a record, or 0.
func (r *reader) timeOf(rec []byte, kind uint32) uint64 {
	a, _ := r.attrOf(rec, kind == recordSample)
	if a == nil {
		return 0
	}
	at := a.timeAt
	if kind != recordSample {
		if a.timeBefore == 0 {
			if kind != recordFork && kind != recordExit {
				return 0
			}
			at = 24
		} else {
			at = len(rec) - a.timeBefore
		}
	}
	if at < recordHeader || at+8 > len(rec) {
		return 0
	}
	return r.order.Uint64(rec[at:])
}

// Bits of misc. Two kinds of records use the same bit for other things.
const (
	miscModes   = 7 // where a sample was taken: see modeUnknown
	miscMapData = 1 << 13
	miscExec    = 1 << 13 // of a command: it is a new program
	miscCopied  = 1 << 13 // of a fork: made by perf of what was there already
	miscBuildID = 1 << 14 // of a mapping
)

// kernel takes a record of the kernel in its turn.
func (r *reader) kernel(rec []byte) {
	kind, misc := r.order.Uint32(rec), r.order.Uint16(rec[4:])
	a, known := r.attrOf(rec, kind == recordSample)
	if kind == recordSample {
		switch {
		case a == nil:
			r.breaks()
			return
		case !known:
			r.strangers++
		}
		r.sample(a, rec[recordHeader:], misc)
		return
	}
	body := rec[recordHeader:]
	if a != nil && a.trailer <= len(body) {
		body = body[:len(body)-a.trailer]
	}
	c := cursor{r: r, b: body}
	switch kind {
	case recordMmap, recordMmap2:
		pid, _ := int32(c.u32()), c.u32()
		m := mapping{start: c.u64()}
		size := c.u64()
		m.offset = c.u64()
		var id []byte
		if kind == recordMmap2 {
			where := c.bytes(24)
			c.skip(8) // protection and flags
			if !c.bad && misc&miscBuildID != 0 {
				id = where[4:][:min(buildIDBytes, int(where[0]))]
			}
		}
		if c.bad {
			r.breaks()
			return
		}
		if misc&miscMapData != 0 {
			return
		}
		m.end = m.start + size
		if m.end < m.start {
			m.end = 1<<64 - 1
		}
		r.mapped(pid, misc&miscModes, m, string(text(c.b)), id)
	case recordComm:
		pid, tid := int32(c.u32()), int32(c.u32())
		if c.bad {
			r.breaks()
			return
		}
		if misc&miscExec != 0 {
			r.exec(pid)
		}
		r.thread(tid).comm = bytes.Clone(text(c.b))
	case recordFork:
		pid, parent, tid, parentThread := int32(c.u32()), int32(c.u32()), int32(c.u32()), int32(c.u32())
		if c.bad {
			r.breaks()
			return
		}
		r.thread(tid).comm = r.thread(parentThread).comm
		if pid != parent && misc&miscCopied == 0 {
			r.fork(parent, pid)
		}
	case recordLost:
		c.u64()
		r.lost += c.u64()
		r.lostRecords++
	case recordLostSamples:
		r.lost += c.u64()
		r.lostRecords++
	case recordKsymbol:
		start, size := c.u64(), uint64(c.u32())
		c.u32()
		if !c.bad && len(r.ksymbols) < maxKsymbols {
			r.ksymbols = append(r.ksymbols, ksymbol{start, start + size, string(text(c.b))})
		}
	case recordCallchainDeferred:
		r.deferred++
	}
}

// breaks counts a record that is too short for what it has to have.
func (r *reader) breaks() {
	if r.broken++; r.broken == 1 {
		r.firstBroken = r.at
	}
}

// cursor reads fields of a record one by one.
type cursor struct {
	r   *reader
	b   []byte
	bad bool
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.bad, c.b = true, nil
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) skip(n uint64) { c.bytes(n) }

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return c.r.order.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return c.r.order.Uint64(b)
	}
	return 0
}
