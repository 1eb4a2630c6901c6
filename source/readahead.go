package source

import "io"

const (
	aheadBytes   = 512 << 10
	aheadBuffers = 4
)

// readAhead reads from r in a goroutine, a few buffers ahead of its reader.
type readAhead struct {
	full chan aheadBuffer // filled, in order
	free chan []byte
	stop chan struct{}
	cur  aheadBuffer
	at   int
}

type aheadBuffer struct {
	data []byte
	err  error // after data
}

// newReadAhead starts reading. ended is called by the goroutine when it reads
// no more: only it can tell when what it reads from may be closed.
func newReadAhead(r io.Reader, ended func()) *readAhead {
	a := &readAhead{
		full: make(chan aheadBuffer, aheadBuffers),
		free: make(chan []byte, aheadBuffers),
		stop: make(chan struct{}),
	}
	for range aheadBuffers {
		a.free <- nil
	}
	go func() {
		defer ended()
		a.run(r)
	}()
	return a
}

func (a *readAhead) run(r io.Reader) {
	defer close(a.full)
	for {
		var buf []byte
		select {
		case buf = <-a.free:
		case <-a.stop:
			return
		}
		if buf == nil {
			buf = make([]byte, aheadBytes)
		}
		buf = buf[:cap(buf)]
		n, err := r.Read(buf)
		a.full <- aheadBuffer{data: buf[:n], err: err} // never blocks: as many slots as buffers
		if err != nil {
			return
		}
	}
}

func (a *readAhead) Read(p []byte) (int, error) {
	for a.at == len(a.cur.data) {
		if a.cur.err != nil {
			return 0, a.cur.err
		}
		if a.cur.data != nil {
			a.free <- a.cur.data[:0]
		}
		next, ok := <-a.full
		if !ok {
			return 0, io.ErrClosedPipe
		}
		a.cur, a.at = next, 0
	}
	n := copy(p, a.cur.data[a.at:])
	a.at += n
	return n, nil
}

// close ends the goroutine, at the latest when the Read it is in returns. It
// does not wait for that: a Read of a live stream may take for ever.
func (a *readAhead) close() {
	select {
	case <-a.stop:
	default:
		close(a.stop)
	}
}
