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
)

// isRecord tells whether 16 bytes can be a record.
func isRecord(b []byte) bool {
	w := binary.LittleEndian.Uint64(b[8:])
	return w>>3&7 == 5 && binary.LittleEndian.Uint64(b) <= source.MaxTime
}

// farApart is how much later the first record behind arguments can be, in
// nanoseconds: it tells records from what is none.
const farApart = 3600 * 1e9

// readBuffer is what is read at a time: a multiple of records and words.
const readBuffer = 256 << 10

// thread reads the records of a thread.
func (r *reader) thread(id string, in io.Reader) error {
	t, ok := r.threads[id]
	if !ok {
		t = r.calls.Thread()
		r.threads[id] = t
		r.order = append(r.order, id)
	}
	numbers := map[uint64]data.EntityID{}
	buf := make([]byte, readBuffer)
	have := 0
	var now uint64
	searching := false // for a record behind arguments
	var passed int64
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(in, buf[have:])
		have += n
		at := 0
		for at+recordSize <= have {
			b := buf[at : at+recordSize]
			time := binary.LittleEndian.Uint64(b)
			if !isRecord(b) || searching && (time < now || time > now+farApart) {
				if !searching {
					searching = true
				}
				passed++
				at += wordSize
				continue
			}
			now, searching = time, false
			at += recordSize
			r.records++
			word := binary.LittleEndian.Uint64(b[8:])
			searching = word>>2&1 == 1 // arguments follow
			if kind := word & 3; kind <= kindExit {
				address := word >> 16
				number, ok := numbers[address]
				if !ok {
					number = data.EntityID(len(r.used))
					r.used = append(r.used, function{id, address, time})
					numbers[address] = number
				}
				if kind == kindEntry {
					t.Begin(int64(time), number)
				} else {
					t.End(int64(time), number)
				}
			} else if kind == kindLost {
				r.lost++
			}
		}
		have = copy(buf, buf[at:have])
		if err == nil {
			continue
		}
		if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if have > 0 {
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
