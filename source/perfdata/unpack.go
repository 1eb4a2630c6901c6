package perfdata

import (
	"fmt"
	"io"
	"iter"

	"github.com/klauspost/compress/zstd"
)

// Compressed records hold parts of one zstd stream, each of which can be unpacked
// as soon as it is there. The decoder wants to read, so it runs as a coroutine,
// which yields what it unpacked, and nothing when it needs the next part.

// unpacker is that stream.
type unpacker struct {
	part  []byte // that the decoder reads from
	yield func([]byte) bool
	next  func() ([]byte, bool)
	stop  func()
	err   error

	rest []byte // unpacked: the start of a record
	n    int64  // unpacked in all
}

const (
	maxWindow = 128 << 20
	// What unpacks to more than so many times its size, beyond what cannot hurt, is
	// refused, as in [source.Input]. perf's own were seen at up to 20.
	maxExpansion  = 200
	freeExpansion = 64 << 20
)

func newUnpacker() *unpacker {
	u := &unpacker{}
	u.next, u.stop = iter.Pull(func(yield func([]byte) bool) {
		u.yield = yield
		z, err := zstd.NewReader(u, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			u.err = err
			return
		}
		defer z.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := z.Read(buf)
			if n > 0 && !yield(buf[:n]) {
				return
			}
			if err != nil {
				u.err = err
				return
			}
		}
	})
	return u
}

// Read is how the decoder gets at the parts.
func (u *unpacker) Read(p []byte) (int, error) {
	for len(u.part) == 0 {
		if !u.yield(nil) {
			return 0, io.EOF
		}
	}
	n := copy(p, u.part)
	u.part = u.part[n:]
	return n, nil
}

// compressed unpacks a part, and takes the records in it.
func (r *reader) compressed(part []byte, outer bool) error {
	if !outer {
		return fmt.Errorf("byte %d: expected plain records within a compressed one", r.at)
	}
	if r.unpacker == nil {
		r.unpacker = newUnpacker()
	}
	u := r.unpacker
	for u.part = part; ; {
		chunk, ok := u.next()
		if !ok {
			return fmt.Errorf("byte %d: expected a compressed record, but it cannot be unpacked: %w", r.at, u.err)
		}
		if chunk == nil {
			return nil
		}
		if u.n += int64(len(chunk)); u.n > freeExpansion && u.n/maxExpansion > r.in.Offset() {
			return fmt.Errorf("byte %d: the compressed records unpack to more than %d times their size", r.at, maxExpansion)
		}
		u.rest = append(u.rest, chunk...)
		if err := r.unpacked(); err != nil {
			return err
		}
	}
}

// unpacked takes the whole records that there are.
func (r *reader) unpacked() error {
	u, at := r.unpacker, 0
	for len(u.rest)-at >= recordHeader {
		n := int(r.order.Uint16(u.rest[at+6:]))
		if n < recordHeader {
			return fmt.Errorf("byte %d: expected a record, of at least %d bytes, in the compressed one, but found one of %d", r.at, recordHeader, n)
		}
		if len(u.rest)-at < n {
			break
		}
		if r.read++; r.read%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if err := r.record(u.rest[at:at+n], false); err != nil {
			return err
		}
		at += n
	}
	u.rest = u.rest[:copy(u.rest, u.rest[at:])]
	return nil
}

func (r *reader) close() {
	if r.unpacker != nil {
		r.unpacker.stop()
	}
}
