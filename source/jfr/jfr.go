// Package jfr reads recordings of the JDK Flight Recorder: those of HotSpot's own
// recorder (JDK 11 and later), and those that async-profiler and others write in
// its form.
//
//	header    magic, version 2.x, size, start, ticks per second, flags     } a chunk;
//	events    size, type, values as the metadata says                      } a file has
//	event 1   a checkpoint: constants by type and id                       } one or more
//	event 0   the metadata: all classes with their fields and annotations  }
//
// Definition: there is none but the JDK's code; the form of version 2 is in
// jdk.jfr.internal.consumer (ChunkHeader, ChunkParser, MetadataReader) of OpenJDK 17
// to 25, and in JDK Mission Control's flightrecorder parser.
//
// Supported: several chunks, also of different recordings one behind the other;
// integers compressed or not; all ways of writing strings; every type of event
// that the metadata describes, also an application's own. A file is read to where
// it ends, also if its last chunk was never finished.
//
// What becomes of it. Every type of event that occurs is an event type with its
// fields: see plan.go. Events with a stack trace are also samples: see samples.go.
//
// Left out: lists (fields that are arrays) but for the frames of stacks, with a
// warning; what refers back to its own type, such as who holds an old object;
// lines and bytecodes of frames; methods that the JVM hides from stacks, as the
// command jfr does, such as the classes that it makes of lambdas: their names are
// others in each run. The events jdk.Metadata and jdk.CheckPoint, which
// `jfr summary` counts, are no events but the tables of the file. Chunks of version
// 0 and 1 (Oracle JDK 7 and 8, JDK 9 and 10) are refused.
//
// Strategy: the metadata and most constants stand behind the events that need
// them, so a chunk (12 MB unless one asked for more) is held in memory and gone
// through twice. The first pass finds metadata and checkpoints: these form a chain
// from the last to the first, but as each event tells its size, going through
// finds the same ones, also those of a chunk that was cut off. Constants are
// noted by place and resolved when an event refers to them, each once. They may
// refer to each other in circles; nothing follows references but by a fixed list
// of fields.
package jfr

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "jfr",
		Title: "JFR recording",
		Sniff: sniff,
		Read:  read,
	})
}

const (
	magic       = "FLR\x00"
	headerBytes = 68
	version     = 2
	compressed  = 1 // a flag: integers are
)

func sniff(head []byte) bool { return len(head) >= 8 && string(head[:4]) == magic }

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(ctx, b)
	err := r.chunks(in)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case err != nil && r.events == 0:
		return err
	case err != nil:
		b.Warn("reading ended after %d events: %v", r.events, err)
	}
	return r.finish()
}

// reader holds what all chunks of a file have in common.
type reader struct {
	ctx context.Context
	b   *data.Builder

	profile   *source.Profile // methods and contexts; samples are our own
	threads   threads
	texts     names
	kinds     map[string]*kind // entity types of the file's own, by class
	allKinds  []*kind
	types     map[string]bool // names of types that are taken
	tables    map[string]*table
	samples   samples
	leftOut   map[string]bool // fields
	events    int
	chunk     int              // number of chunks so far
	classes   map[int64]*class // of the last metadata, and what it was
	described struct {
		text   []byte
		packed bool
	}
	started  int64 // of the first chunk: nanoseconds since 1970
	buffer   []byte
	row      []int64
	unknown  int64 // events of types that are not described
	broken   int64 // events whose values do not fit into them
	missing  int64 // references to constants that are not there
	cut      int64 // stacks that the recorder cut off
	stacked  int64 // of how many
	timeless bool  // a chunk does not tell how long its ticks are
}

func newReader(ctx context.Context, b *data.Builder) *reader {
	return &reader{
		ctx: ctx, b: b, profile: source.NewProfile(b, symbol.Java, 0),
		kinds: map[string]*kind{}, types: typeNames(), tables: map[string]*table{}, leftOut: map[string]bool{},
		samples: samples{rows: b.Spool(data.BatchRows, true, true, true, true, true, false, false)},
	}
}

func (r *reader) chunks(in *source.Input) error {
	for {
		at := in.Offset()
		var header [headerBytes]byte
		n, err := io.ReadFull(in, header[:])
		switch {
		case err == io.EOF && r.chunk > 0:
			return nil
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return fmt.Errorf("byte %d: the file ends within the header of a chunk, after %d of %d bytes", at, n, headerBytes)
		case err != nil:
			return err
		}
		if string(header[:4]) != magic {
			return fmt.Errorf("byte %d: expected a chunk, which begins with %q, but found %q", at, magic, header[:4])
		}
		if major := binary.BigEndian.Uint16(header[4:]); major != version {
			return fmt.Errorf("byte %d: the chunk is of version %d.%d; only version %d.x is supported (JDK 11 and later)", at, major, binary.BigEndian.Uint16(header[6:]), version)
		}
		r.chunk++
		k := newChunk(r, at, header[:])
		size := int64(binary.BigEndian.Uint64(header[8:]))
		whole, err := k.load(in, size)
		if err != nil {
			return err
		}
		if !whole {
			err = fmt.Errorf("byte %d: the chunk is cut off, after %d of %d bytes", at, len(k.b), size)
		}
		if broken := k.read(); broken != nil && (whole || k.classes == nil) {
			return broken
		}
		if err != nil {
			return err
		}
	}
}

// load reads the rest of a chunk. Of an unfinished one the size is not known;
// it is the last.
func (k *chunk) load(in *source.Input, size int64) (whole bool, err error) {
	const unfinished = 0
	if size != unfinished && size < headerBytes {
		return false, fmt.Errorf("byte %d: the chunk tells a size of %d bytes, but its header alone has %d", k.at, size, headerBytes)
	}
	b := append(k.r.buffer[:0], k.header...)
	for size == unfinished || int64(len(b)) < size {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), max(2*len(b), 1<<20))
			copy(grown, b)
			b = grown
		}
		room := b[len(b):cap(b)]
		if size != unfinished {
			room = room[:min(int64(len(room)), size-int64(len(b)))]
		}
		n, err := in.Read(room)
		b = b[:len(b)+n]
		if err == io.EOF {
			k.b, k.r.buffer = b, b
			return size == unfinished, nil
		}
		if err != nil {
			return false, err
		}
	}
	k.b, k.r.buffer = b, b
	return true, nil
}
