// Package perfdata reads perf.data, what `perf record` of Linux writes.
//
// Definition: tools/perf/Documentation/perf.data-file-format.txt of the Linux
// sources for the file, include/uapi/linux/perf_event.h (and perf_event_open(2))
// for the kernel's records, tools/lib/perf/include/perf/event.h for perf's own.
// Read here as of Linux 6.18, and compared with perf 6.1.
//
// Supported: files, also of a recording that was not finished, and pipe mode
// (perf record -o -); both byte orders; compressed records (-z); samples of
// several events, with call chains of kernel and user frames or the address
// alone; MMAP, MMAP2, COMM, FORK, KSYMBOL, LOST; of the feature sections the
// events' names, the build ids, and the formats of tracepoints, each of which
// becomes an event type with its fields (tracepoint.go, format.go).
//
// Not supported, with a warning where it is met: unwinding of recorded stack
// memory (--call-graph dwarf) and of deferred user stacks, of which the innermost
// frame and the kernel's remain; AUX data (Intel PT, CoreSight, SPE); guests'
// memory maps; recordings in a folder (perf record --threads); files of perf 2.6
// (PERFFILE). Ignored: branch stacks, registers, raw data of other events than
// tracepoints, counts of groups, cgroups, namespaces, and all other feature sections.
//
// Names. A recording has addresses. Their names come from the binaries that its
// MMAP records name, if they are still there, and from the debug files of their
// build ids (symbols.go), and from the maps that JITs write (jit.go). Where the
// binaries have debug information, calls that the compiler wrote out in place of
// making them are frames, too (debuginfo.go, declared.go). Functions without a
// name are called binary+0x1234, counted from the start of the file, so that two
// runs give the same name. Addresses of callers are where calls return to; they
// stand for the byte before.
//
// Strategy: perf writes what each processor recorded in turn, so records are
// put in the order of time first (queue.go). What is mapped where changes over
// time, so an address becomes a place in a file at once (space.go); but build
// ids come last in a file, so places get their names at the end, and contexts
// of places then become contexts of methods.
package perfdata

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

func init() {
	source.Register(source.Format{Name: "perfdata", Title: "perf.data", Sniff: sniff, Read: read})
}

const (
	magicLittle = "PERFILE2"
	magicBig    = "2ELIFREP"
)

func sniff(head []byte) bool {
	return len(head) >= pipeHeader && (string(head[:8]) == magicLittle || string(head[:8]) == magicBig)
}

const (
	pipeHeader = 16
	fileHeader = 104
	// maxPreamble bounds what stands before the records: attributes and ids, of
	// which there is one per event and processor.
	maxPreamble = 64 << 20
	// maxFeatures bounds what comes after them.
	maxFeatures = 256 << 20
)

// section is where something is in the file.
type section struct{ offset, size uint64 }

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(ctx, in, b)
	defer r.close()
	head := make([]byte, pipeHeader, fileHeader)
	if _, err := io.ReadFull(in, head); err != nil {
		return r.ended(err, "the header")
	}
	if string(head[:8]) == magicBig {
		r.order = binary.BigEndian
	}
	size := r.order.Uint64(head[8:])
	if size == pipeHeader {
		r.pipe = true
		return r.rest(r.records(0))
	}
	if size < fileHeader || size > maxPreamble {
		return fmt.Errorf("byte 8: expected the size of a header, %d of a file or %d of a pipe, but found %d", fileHeader, pipeHeader, size)
	}
	head = head[:fileHeader]
	if _, err := io.ReadFull(in, head[pipeHeader:]); err != nil {
		return r.ended(err, "the header")
	}
	at := func(i int) section { return section{r.order.Uint64(head[i:]), r.order.Uint64(head[i+8:])} }
	attrSize, attrs, records := r.order.Uint64(head[16:]), at(24), at(40)
	if records.offset < size || records.offset > maxPreamble {
		return fmt.Errorf("byte 40: expected the place of the records, behind the header and before byte %d, but found %d", maxPreamble, records.offset)
	}
	preamble := make([]byte, records.offset)
	copy(preamble, head)
	if _, err := io.ReadFull(in, preamble[fileHeader:]); err != nil {
		return r.ended(err, "the records")
	}
	if err := r.attributes(preamble, attrs, attrSize); err != nil {
		return err
	}
	if records.size == 0 {
		b.Warn("the recording was not finished: names of events and build ids are missing")
		return r.rest(r.records(0))
	}
	err := r.records(records.size)
	if err == nil {
		err = r.features(head[72:], records.offset+records.size)
	}
	return r.rest(err)
}

// ended says of a file that ends before the first record.
func (r *reader) ended(err error, before string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("byte %d: the file ends before %s is complete", r.in.Offset(), before)
	}
	return err
}

// rest takes what was read when reading ended with err.
func (r *reader) rest(err error) error {
	if err != nil {
		if r.ctx.Err() != nil || r.in.Refused() != nil {
			return err
		}
		if ferr := r.queue.flush(r, allTimes); ferr != nil {
			return ferr
		}
		if r.samples.Len() == 0 {
			return err
		}
		r.b.Warn("reading ended early: %v", err)
	}
	return r.finish()
}

// records reads size bytes of records, or all there are if size is 0.
func (r *reader) records(size uint64) error {
	var buf [64 << 10]byte // a record's size has 16 bits
	for begin := r.in.Offset(); size == 0 || uint64(r.in.Offset()-begin) < size; {
		if r.read++; r.read%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		r.at = r.in.Offset()
		_, err := io.ReadFull(r.in, buf[:recordHeader])
		if err == io.EOF && size == 0 {
			break
		}
		if err != nil {
			return r.cut(err)
		}
		n := int(r.order.Uint16(buf[6:]))
		if n < recordHeader {
			if size == 0 && r.order.Uint64(buf[:]) == 0 {
				break // of a recording that was not finished
			}
			return fmt.Errorf("byte %d: expected a record, of at least %d bytes, but found one of %d", r.at, recordHeader, n)
		}
		if _, err := io.ReadFull(r.in, buf[recordHeader:n]); err != nil {
			return r.cut(err)
		}
		if err := r.record(buf[:n], true); err != nil {
			return err
		}
	}
	return r.queue.flush(r, allTimes)
}

func (r *reader) cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("byte %d: the file ends within the records", r.in.Offset())
	}
	return err
}

// features reads the sections behind the records. Without them there are still
// the samples.
func (r *reader) features(flags []byte, begin uint64) error {
	raw, err := io.ReadAll(io.LimitReader(r.in, maxFeatures))
	if err != nil {
		return err
	}
	if in := r.in.Warning(); in != "" {
		return nil // said already
	}
	at := 0
	for word := range 4 {
		for set := r.order.Uint64(flags[8*word:]); set != 0; set &= set - 1 {
			feature := uint64(64*word + bits.TrailingZeros64(set))
			if len(raw) < at+16 {
				return errors.New("the list of feature sections is cut off")
			}
			s := section{r.order.Uint64(raw[at:]), r.order.Uint64(raw[at+8:])}
			at += 16
			if s.offset < begin || s.offset-begin > uint64(len(raw)) || s.size > uint64(len(raw))-(s.offset-begin) {
				r.b.Warn("feature section %d is not within the file", feature)
				continue
			}
			r.feature(feature, raw[s.offset-begin:][:s.size])
		}
	}
	return nil
}
