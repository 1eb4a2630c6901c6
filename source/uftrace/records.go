package uftrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

const (
	recordSize = 16
	wordSize   = 8 // what comes between records is a multiple of it

	kindEntry = 0
	kindExit  = 1
	kindLost  = 2
	kindEvent = 3
)

// record is what 16 bytes say.
type record struct{ time, word uint64 }

func recordIn(b []byte) record {
	return record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

func (r record) kind() uint64    { return r.word & 3 }
func (r record) more() bool      { return r.word>>2&1 == 1 }
func (r record) depth() int      { return int(r.word >> 6 & 0x3ff) }
func (r record) address() uint64 { return r.word >> 16 } // or an event, or a number

// ok tells whether it can be a record.
func (r record) ok() bool { return r.word>>3&7 == 5 && r.time <= source.MaxTime }

// isRecord tells whether 16 bytes can be a record.
func isRecord(b []byte) bool { return recordIn(b).ok() }

// farApart is how much later the first record behind arguments can be, in
// nanoseconds: it tells records from what is none.
const farApart = 3600 * 1e9

// after tells whether it can be the first record behind the arguments, or the
// result, of call: that is one of the call's own depth or next to it, or an event, or
// one that says that records were lost, which mostly has no time.
func (r record) after(call record) bool {
	switch {
	case !r.ok() || r.address() == 0:
		return false
	case r.kind() == kindLost && r.time == 0:
		return !r.more()
	case r.time < call.time || r.time > call.time+farApart:
		return false
	case r.kind() == kindLost:
		return !r.more()
	case r.kind() == kindEvent:
		return r.address() <= externalData
	case call.kind() == kindEntry:
		return int(r.kind()) == call.depth()+1-r.depth() // a call within, or its own end
	default:
		return int(r.kind()) == call.depth()-r.depth() // a call after it, or the end of its caller
	}
}

// maxArguments is what uftrace keeps of the arguments of a call.
const maxArguments = 1024

// behindArguments gives where the first record behind arguments is: the first place
// with one that fits the call, or else with one of its time that fits the next, as
// where functions were left by longjmp. At the end of the file, what does not fit is
// arguments.
func behindArguments(call record, b []byte, end bool) (at int, ok bool) {
	at = -1
	for i := 0; i+recordSize <= len(b) && i <= maxArguments; i += wordSize {
		r := recordIn(b[i:])
		if r.after(call) {
			return i, true
		}
		if next := i + recordSize; at < 0 && r.ok() && !r.more() && r.time >= call.time && r.time <= call.time+farApart &&
			next+recordSize <= len(b) && recordIn(b[next:]).after(r) {
			at = i
		}
	}
	return at, at >= 0 && !end
}

// readBuffer is what is read at a time: a multiple of records and words.
const readBuffer = 256 << 10

// thread reads the records of a thread.
func (r *reader) thread(id string, in io.Reader) error {
	t, ok := r.threads[id]
	if !ok {
		t = r.calls.Thread()
		r.threads[id] = t
		r.numbers[id] = len(r.order)
		r.order = append(r.order, id)
	}
	numbers := map[uint64]data.EntityID{}
	buf := make([]byte, readBuffer)
	have := 0
	last := data.None  // the function that was called, or returned
	var call record    // that arguments or a result follow, if searching
	searching := false // for a record behind them
	var event record   // that data follow, if measured
	measured := false  // how long they are, they tell
	now := uint64(0)   // the time of the last record that has one
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(in, buf[have:])
		have += n
		at := 0
		for at+recordSize <= have || measured && at+wordSize <= have {
			b := buf[at:have]
			if measured {
				const size = 2
				length := int(binary.LittleEndian.Uint16(b))
				whole := (size + length + wordSize - 1) &^ (wordSize - 1)
				if whole > len(b) {
					break
				}
				t.Keep()
				r.event(r.numbers[id], event.address(), event.time, last, b[size:size+length])
				measured = false
				at += whole
				continue
			}
			if searching {
				if len(b) < maxArguments+recordSize && err == nil {
					break // more is needed to tell
				}
				skip, ok := behindArguments(call, b, err != nil)
				if !ok {
					skip = wordSize
				}
				if searching = !ok; skip > 0 {
					at += skip
					continue
				}
			}
			rec := recordIn(b)
			if !rec.ok() {
				searching, call = true, record{now, 1<<64 - 1} // what this is nobody knows
				continue
			}
			at += recordSize
			r.records++
			if rec.time > 0 {
				now = rec.time
			}
			switch rec.kind() {
			case kindLost:
				r.lost += int64(max(rec.address(), 1))
			case kindEvent:
				if measured, event = rec.more(), rec; !measured {
					t.Keep()
					r.event(r.numbers[id], rec.address(), rec.time, last, nil)
				}
			default:
				number, ok := numbers[rec.address()]
				if !ok {
					number = data.EntityID(len(r.used))
					r.used = append(r.used, function{id, rec.address(), rec.time})
					numbers[rec.address()] = number
				}
				if last = number; rec.kind() == kindEntry {
					t.Begin(int64(rec.time), number)
				} else {
					t.End(int64(rec.time), number)
				}
				searching, call = rec.more(), rec
			}
		}
		have = copy(buf, buf[at:have])
		if err == nil {
			continue
		}
		if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if have > 0 && !searching {
			r.b.Warn("%s.dat ends within a record", id)
		}
		if err := shortFile(in); err != nil {
			return fmt.Errorf("%s.dat: %w", id, err)
		}
		return nil
	}
}

// shortFile tells whether a file of an archive ends before its length: reading
// on gives the error that filling a buffer covers up.
func shortFile(in io.Reader) error {
	_, err := in.Read(make([]byte, 1))
	if err == io.EOF {
		return nil
	}
	return err
}
