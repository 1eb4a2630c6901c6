// Package gperftools reads CPU profiles of gperftools: the binary file that a
// program with libprofiler writes, and what pprof --raw makes of it, which has
// the names of functions in front.
//
//	0 3 0 PERIOD 0        a header: words before it, words in it, version, µs, padding
//	COUNT N PC…           so many samples of a stack of N addresses, the innermost first
//	0 1 0                 the end of the stacks
//	text                  /proc/self/maps
//
// Definition: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
// (version 0), and PrintSymbolizedProfile of its pprof for the names.
//
// Supported: words of 4 and 8 bytes, of either order; longer headers; names, also
// of inlined functions.
//
// Quirks. All addresses but the innermost are where a call returns to: they stand
// for the instruction before, as in pprof; where names are given, and one is for
// the address itself, the file's addresses were changed so already, as pprof --raw
// does. It also writes a period of 1 µs, whatever it was, and leaves the end out:
// there is no metric of time then. Without names, a function is called after its binary and the place
// in its file, binary+0x1234; nothing is symbolized. If the innermost address is
// there twice, as the signal handler may write it, it counts once.
//
// Dialects that are not read: heap profiles, which are text, and growth and
// contention profiles.
package gperftools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "gperftools",
		Title: "gperftools CPU profile",
		Sniff: sniff,
		Read:  read,
	})
}

// words is how numbers are written.
type words struct {
	size  int
	order binary.ByteOrder
}

func (w words) at(b []byte, i int) uint64 {
	if w.size == 4 {
		return uint64(w.order.Uint32(b[4*i:]))
	}
	return w.order.Uint64(b[8*i:])
}

// layout tells the words of a header, ok is false if it is none.
func layout(head []byte) (w words, ok bool) {
	for _, w := range []words{{8, binary.LittleEndian}, {8, binary.BigEndian}, {4, binary.LittleEndian}, {4, binary.BigEndian}} {
		if len(head) < 5*w.size {
			continue
		}
		if period := w.at(head, 3); w.at(head, 0) == 0 && w.at(head, 1) >= 3 && w.at(head, 1) <= maxHeader && w.at(head, 2) == 0 &&
			period > 0 && period <= 1_000_000_000 {
			return w, true
		}
	}
	return w, false
}

const (
	maxHeader = 64
	maxDepth  = 1 << 20 // gperftools keeps 254 addresses
	symbols   = "--- symbol\n"
	profile   = "--- profile\n"
)

func sniff(head []byte) bool {
	if bytes.HasPrefix(head, []byte(symbols)) {
		return true
	}
	_, ok := layout(head)
	return ok
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := reader{
		ctx: ctx, in: bufio.NewReaderSize(in, 64<<10), b: b, stacks: data.NewTrie(0),
		p:         source.NewProfile(b, symbol.Unknown, 0, source.Metric{Name: "samples", Unit: "count", Description: "how often the stack was seen"}),
		byAddress: map[address]data.EntityID{}, names: map[uint64]string{},
	}
	err := r.file()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case r.p.Samples() == 0 && err == io.EOF:
		return errors.New("the file ends before the first sample")
	case r.p.Samples() == 0 && err != nil:
		return err
	case r.p.Samples() == 0:
		return errors.New("the profile has no samples")
	case err == io.EOF && r.whole && len(r.names) > 0: // as pprof --raw leaves it
	case err == io.EOF:
		b.Warn("the file ends within the profile, after %d samples; it may have been cut off", r.p.Samples())
	case err != nil:
		b.Warn("reading ended after %d samples: %v", r.p.Samples(), err)
	}
	return r.finish()
}

type reader struct {
	ctx context.Context
	in  *bufio.Reader
	at  int64
	b   *data.Builder
	w   words

	period    int64 // ns
	whole     bool  // what was read ends with a sample
	addresses []address
	byAddress map[address]data.EntityID
	stacks    *data.Trie      // of addresses
	p         *source.Profile // contexts of its samples are nodes of stacks
	timeless  bool            // there are samples whose time is too long
	names     map[uint64]string
	maps      []mapping
}

// address is a place in the program. That of a caller is behind its call.
type address struct {
	pc     uint64
	caller bool
}

type mapping struct {
	from, to, offset uint64
	file             string
}

func (r *reader) file() error {
	if head, _ := r.in.Peek(len(symbols)); string(head) == symbols {
		if err := r.symbols(); err != nil {
			return err
		}
	}
	head, _ := r.in.Peek(5 * 8)
	w, ok := layout(head)
	if !ok {
		return fmt.Errorf("byte %d: expected the header of a CPU profile, but found %s", r.at, source.Quote(head))
	}
	r.w = w
	header := make([]byte, (2+w.at(head, 1))*uint64(w.size))
	if err := r.full(header); err != nil {
		return err
	}
	if r.period = int64(w.at(head, 3)) * 1000; r.period >= shortestPeriod {
		r.p.AddMetric(source.Metric{Name: "cpu", Unit: "nanoseconds", Description: "samples times the period"})
	}
	if err := r.stacksUntilEnd(); err != nil {
		return err
	}
	return r.mappings()
}

func (r *reader) full(b []byte) error {
	n, err := io.ReadFull(r.in, b)
	r.at += int64(n)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return err
}

// stacksUntilEnd takes samples up to the one that is none.
func (r *reader) stacksUntilEnd() error {
	record := make([]byte, 2*r.w.size)
	var pcs []byte
	for round := 0; ; round++ {
		if round%1024 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		r.whole = true
		if _, err := r.in.Peek(1); err != nil {
			return err
		}
		r.whole = false
		if err := r.full(record); err != nil {
			return err
		}
		count, n := r.w.at(record, 0), r.w.at(record, 1)
		if n > maxDepth || n == 0 || count > 1<<40 {
			return fmt.Errorf("byte %d: expected a sample, but found a stack of %d addresses that was seen %d times", r.at-int64(len(record)), n, count)
		}
		if size := int(n) * r.w.size; cap(pcs) < size {
			pcs = make([]byte, size)
		}
		pcs = pcs[:int(n)*r.w.size]
		if err := r.full(pcs); err != nil {
			return err
		}
		if count == 0 {
			return nil // 0 1 0
		}
		r.sample(pcs, int(n), int64(count))
	}
}

func (r *reader) sample(pcs []byte, n int, count int64) {
	node := data.None
	for i := n - 1; i >= 0; i-- {
		pc := r.w.at(pcs, i)
		if i == 1 && pc == r.w.at(pcs, 0) {
			continue
		}
		a := address{pc, i > 0}
		id, ok := r.byAddress[a]
		if !ok {
			id = data.EntityID(len(r.addresses))
			r.addresses = append(r.addresses, a)
			r.byAddress[a] = id
		}
		node = r.stacks.Child(node, id)
	}
	if r.period < shortestPeriod {
		r.p.Sample(node, count)
		return
	}
	cpu := count * r.period
	if cpu/r.period != count {
		cpu, r.timeless = 0, true
	}
	r.p.Sample(node, count, cpu)
}

// finish makes contexts of addresses, now that their names and binaries are known.
func (r *reader) finish() error {
	p := r.p
	if r.timeless {
		r.b.Warn("the time of a sample does not fit 64 bits and was left out")
	}
	frames := make([][]data.EntityID, len(r.addresses))
	byKey := map[source.Frame]data.EntityID{}
	for i, a := range r.addresses {
		for _, f := range r.framesOf(a) {
			id, ok := byKey[f]
			if !ok {
				id = p.AddMethod(f)
				byKey[f] = id
			}
			frames[i] = append(frames[i], id)
		}
	}
	contexts := make([]data.EntityID, r.stacks.Len())
	for node, address := range r.stacks.Keys {
		context := data.None
		if parent := r.stacks.Parents[node]; parent != data.None {
			context = contexts[parent]
		}
		for _, m := range frames[address] {
			context = p.Child(context, m)
		}
		contexts[node] = context
	}
	p.Moved = contexts
	return p.Finish()
}

// shortestPeriod is shorter than any timer that interrupts programs.
const shortestPeriod = 10_000

// framesOf gives the functions at an address, the outermost first.
func (r *reader) framesOf(a address) []source.Frame {
	name, ok := r.names[a.pc]
	if !ok && a.caller {
		a.pc-- // of the call
		name, ok = r.names[a.pc]
	}
	binary, offset, mapped := r.binary(a.pc)
	switch {
	case ok:
		var frames []source.Frame
		for _, part := range splitInlined(name) {
			frames = append(frames, source.Frame{Name: part, Binary: binary})
		}
		return frames
	case mapped:
		return []source.Frame{{Name: fmt.Sprintf("%s+0x%x", binary, offset), Binary: binary}}
	}
	return []source.Frame{{Name: fmt.Sprintf("0x%x", a.pc)}}
}
