// Package heaptrack reads what heaptrack records of a program's allocations: the
// text that heaptrack_interpret writes, packed with zstd or gzip.
//
// Definition: the sources of heaptrack 1.5 (https://github.com/KDE/heaptrack,
// src/analyze/accumulatedtracedata.cpp, src/interpret/heaptrack_interpret.cpp);
// there is no other. Each line is a letter and numbers in hexadecimal. Tables
// grow as they are needed, and are counted from 1:
//
//	v 10500 3            version of heaptrack, of the format
//	X ./program --flag   the command
//	I 1000 5e298f        bytes of a page, pages of memory
//	s 4 main             a string: its length (since version 3) and its text
//	i 5654 1 14 15 6613  an address: module, then function, file and line of it,
//	                     then of what that is inlined in
//	t 8 7                a trace: address, trace of its caller
//	a 18 b               a kind of allocation: bytes, trace (counted from 0)
//	+ 1                  such an allocation
//	- 1                  one of them was freed
//	c 1f                 milliseconds since the start
//	R 123                resident pages
//	S leak:pattern       leaks that are no news
//
// Supported: versions 1 to 3. Refused: version 0, and the raw file that a
// program writes before it is interpreted (heaptrack --raw), which has addresses
// only.
//
// Quirks. An allocation is temporary if it is freed before anything else happens; of
// kind 0, heaptrack also counts those that are freed right after another one, and
// so does this. Leaks
// that heaptrack suppresses by itself, or the program by S, are a metric of their
// own, as heaptrack_print does not count them. heaptrack leaves operator new out
// of traces; it is shown here.
package heaptrack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{Name: "heaptrack", Title: "heaptrack", Sniff: sniff, Read: read})
}

// sniff looks for the version, and for the command behind it.
func sniff(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte{'\n'})
	f := fields{line}
	if f.letter() != 'v' {
		return false
	}
	if _, ok := f.number(); !ok {
		return false
	}
	f.number() // not in the first version
	return len(f.b) == 0 && len(rest) > 1 && rest[1] == ' ' && (rest[0] == 'X' || rest[0] == 'x')
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(b)
	lines := source.NewLines(ctx, in)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.line(line)
		}
		if err != nil {
			if ctx.Err() != nil || in.Refused() != nil {
				return err
			}
			if _, fatal := err.(unsupported); fatal || r.allocations == 0 {
				return fmt.Errorf("line %d: %w", lines.Line(), err)
			}
			b.Warn("reading ended at line %d: %v", lines.Line(), err)
			break
		}
		if r.bad == 1 && r.badLine == 0 {
			r.badLine = lines.Line()
		}
	}
	if lines.Cut() {
		b.Warn("line %d: the file ends here without a line break; it may have been cut off", lines.Line())
	}
	return r.finish()
}

// unsupported is an error by which nothing of the file is read.
type unsupported struct{ error }

// fields are the numbers of a line.
type fields struct{ b []byte }

// letter takes the letter at the start.
func (f *fields) letter() byte {
	if len(f.b) < 2 || f.b[1] != ' ' {
		return 0
	}
	c := f.b[0]
	f.b = f.b[1:]
	return c
}

// number takes a number, which a blank precedes.
func (f *fields) number() (n uint64, ok bool) {
	i := 1
	if len(f.b) == 0 || f.b[0] != ' ' {
		return 0, false
	}
	for ; i < len(f.b) && i <= 16; i++ {
		c := f.b[i]
		switch {
		case c-'0' <= 9:
			n = n<<4 | uint64(c-'0')
		case c-'a' <= 5:
			n = n<<4 | uint64(c-'a'+10)
		default:
			f.b = f.b[i:]
			return n, i > 1
		}
	}
	f.b = f.b[i:]
	return n, i > 1
}

// index takes a number of a table that has n rows.
func (f *fields) index(n int) (i int, ok bool) {
	v, ok := f.number()
	return int(v), ok && v < uint64(n)
}

// reader builds the tables. Row 0 of those that are counted from 1 is nothing.
type reader struct {
	b *data.Builder
	p *source.Profile

	version uint64
	strings []string
	partial []byte // of a string with line breaks
	missing int    // bytes of it that are still to come

	addresses []address
	frames    []frame
	methods   map[methodKey]data.EntityID
	traces    []trace
	contexts  []data.EntityID // of traces
	kinds     []kind

	allocations uint64
	live        int64 // bytes
	peak        int64
	fresh       []int32 // kinds that changed since the peak was kept
	atPeak      bool    // nothing was freed since the peak
	before      int     // the kind that was allocated last, or 0 if something was freed since

	patterns []string // of suppressed leaks
	pageSize uint64
	now      int64 // ns
	memory   memory

	bad     int // lines left out
	badLine int
	excess  int64 // kinds of which more was freed than allocated
}

// address is one in code: the functions there, the innermost first.
type address struct {
	module       uint32
	first, count uint32 // of frames
}

// frame is a function at an address.
type frame struct {
	function, file uint32 // strings
	method         data.EntityID
}

type methodKey struct{ function, module uint32 }

type trace struct{ address, caller uint32 }

// kind is a size that was allocated in a trace.
type kind struct {
	size                 int64
	trace                uint32
	fresh                bool // in reader.fresh
	allocated, temporary int64
	live, peak           int64 // how many there are; at the peak
}

// memory is what was in use over time.
type memory struct{ at, heap, resident []int64 }

func newReader(b *data.Builder) *reader {
	return &reader{
		b: b, p: source.NewProfile(b, symbol.Unknown, 3,
			source.Metric{Name: "allocations", Unit: "count", Description: "calls of allocating functions"},
			source.Metric{Name: "allocated", Unit: "bytes", Description: "what they allocated in all"},
			source.Metric{Name: "temporary", Unit: "count", Description: "allocations that were freed before anything else happened"},
			source.Metric{Name: "peak", Unit: "bytes", Description: "what was in use when most was"},
			source.Metric{Name: "leaked", Unit: "bytes", Description: "what was not freed"}),
		strings: []string{""}, addresses: []address{{}}, traces: []trace{{}}, contexts: []data.EntityID{data.None},
		methods: map[methodKey]data.EntityID{},
	}
}

const (
	newestVersion = 3
	// maxText bounds a string; names of C++ have some 10,000 letters.
	maxText = 16 << 20
	// maxSize bounds an allocation, so that no sum leaves 64 bits.
	maxSize = 1 << 48
)

// line takes a line. One that cannot be read is left out.
func (r *reader) line(line []byte) error {
	if r.missing > 0 {
		r.partial = append(r.partial, '\n')
		r.missing--
		return r.goOn(line)
	}
	f := fields{line}
	letter := f.letter()
	ok := true
	switch letter {
	case '+':
		ok = r.allocate(&f)
	case '-':
		ok = r.free(&f)
	case 't':
		ok = r.trace(&f)
	case 'i':
		ok = r.address(&f)
	case 's':
		return r.text(f)
	case 'a':
		ok = r.kind(&f)
	case 'c':
		ms, good := f.number()
		if ok = good; ok {
			r.now = int64(min(ms, source.MaxTime/1_000_000)) * 1_000_000
		}
	case 'R':
		pages, good := f.number()
		if ok = good && pages < maxSize; ok && r.pageSize < 1<<14 {
			r.memory.at = append(r.memory.at, r.now)
			r.memory.heap = append(r.memory.heap, r.live)
			r.memory.resident = append(r.memory.resident, int64(pages*r.pageSize))
		}
	case 'v':
		return r.versions(&f)
	case 'I':
		r.pageSize, ok = f.number()
	case 'S':
		if pattern, found := bytes.CutPrefix(bytes.TrimSpace(f.b), []byte("leak:")); found && len(r.patterns) < maxPatterns {
			r.patterns = append(r.patterns, string(pattern))
		}
	case 'x':
		return unsupported{errors.New("the file is what a program wrote before heaptrack interpreted it (heaptrack --raw); heaptrack --interpret FILE makes a file that can be read")}
	case 'X', 'A':
	default:
		ok = len(line) == 0 || line[0] == '#' || line[0] == 'A'
	}
	if !ok {
		r.bad++
	}
	return nil
}

func (r *reader) versions(f *fields) error {
	written, _ := f.number()
	version, ok := f.number()
	if !ok && written == 0x010200 { // the format's version was that before there was one
		version = 1
	}
	if version < 1 || version > newestVersion {
		return unsupported{fmt.Errorf("expected version 1 to %d of the format, but found %d", newestVersion, version)}
	}
	r.version = version
	return nil
}

// text takes a string. Since version 3 it has a length, and may have line breaks.
func (r *reader) text(f fields) error {
	if r.version < 3 {
		r.strings = append(r.strings, string(f.b[1:]))
		return nil
	}
	n, ok := f.number()
	if !ok || n > maxText {
		return fmt.Errorf("expected a string of at most %d bytes with its length before it", maxText)
	}
	r.partial, r.missing = r.partial[:0], int(n)
	return r.goOn(bytes.TrimPrefix(f.b, []byte{' '}))
}

// goOn takes more of a string.
func (r *reader) goOn(more []byte) error {
	if len(more) > r.missing {
		return fmt.Errorf("expected the end of a string after %d bytes, but found %s", r.missing, source.Quote(more[r.missing:]))
	}
	r.partial = append(r.partial, more...)
	if r.missing -= len(more); r.missing == 0 {
		r.strings = append(r.strings, string(r.partial))
	}
	return nil
}
