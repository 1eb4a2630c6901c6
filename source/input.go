package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/cambium-prof/cambium/data"
)

// Input is the unpacked content of one file or stream. It unpacks ahead in a
// goroutine of its own, so that unpacking and parsing share two cores; Close
// ends it.
//
// A packed file that ends early or is damaged reads as if it ended there, and
// Warning tells; what was readable is still worth showing.
type Input struct {
	Name string // for messages and as the data set's name
	Size int64  // packed size in bytes, 0 if not known

	// Spill, if it is not nil, takes the events that are more than SpillBeyond
	// bytes: see data.Builder.SpillTo.
	Spill       data.Spill
	SpillBeyond int64
	// SpillOften is how many events are enough to spill, whatever memory they
	// take; 0 lets memory decide. It is for tests.
	SpillOften int

	// Binaries allows readers to open the programs and libraries that the content
	// names, to look for the names of functions in them. The content may be
	// anybody's, so whoever opens it decides.
	Binaries bool

	folder  Folder // of an Input that stands for a folder
	packed  *countingReader
	r       *bufio.Reader
	ahead   *readAhead
	closers []io.Closer
	offset  int64 // unpacked bytes handed out

	mu      sync.Mutex
	warning string
	refused error // set if the content is a decompression bomb
}

// limits tell a decompression bomb from a profile: what unpacks to more than
// expansion times its size, beyond a size that cannot hurt, is refused.
type limits struct{ expansion, free int64 }

// Real profiles were seen at up to 40 times. The worst that is let through, rows
// of a few bytes each, takes about ten times free while it is read.
var realLimits = limits{expansion: 200, free: 64 << 20}

const (
	maxNesting = 3         // packed files within packed files
	maxWindow  = 256 << 20 // of zstd; --long=27 needs 128 MiB
)

// Open opens the named file.
func Open(ctx context.Context, path string) (*Input, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		if folder, ok := folderFormat(path); ok {
			f.Close()
			return openFolder(ctx, path, folder)
		}
		err = fmt.Errorf("%s: is a folder, not a file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in, err := NewInput(ctx, path, f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	in.closers = append(in.closers, f)
	return in, nil
}

// openFolder gives an input that stands for a folder. It has no content: Read
// opens the folder instead.
func openFolder(ctx context.Context, path string, f Folder) (*Input, error) {
	in, err := NewInput(ctx, path, bytes.NewReader(nil), 0)
	if err == nil {
		in.folder = f
	}
	return in, err
}

// NewInput reads from r, unpacking what is packed. size is the packed size in
// bytes, or 0 if it is not known. Reads fail with ctx's error once it is done.
func NewInput(ctx context.Context, name string, r io.Reader, size int64) (*Input, error) {
	return newInput(ctx, name, r, size, realLimits)
}

func newInput(ctx context.Context, name string, r io.Reader, size int64, lim limits) (_ *Input, err error) {
	var unpackers []io.Closer
	closeUnpackers := func() {
		for _, u := range unpackers {
			u.Close()
		}
	}
	defer func() {
		if err != nil {
			closeUnpackers()
		}
	}()
	in := &Input{Name: name, Size: size, packed: &countingReader{r: r, ctx: ctx}}
	br := bufio.NewReaderSize(in.packed, SniffBytes)
	for depth := 0; ; depth++ {
		head, err := br.Peek(4)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var unpacked io.Reader
		switch {
		case len(head) >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8:
			z, err := gzip.NewReader(br)
			if err != nil {
				return nil, fmt.Errorf("%s: starts as gzip, but its header is broken: %w", name, err)
			}
			unpacked = z
		case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
			z, err := zstd.NewReader(br, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, fmt.Errorf("%s: starts as zstd, but its header is broken: %w", name, err)
			}
			unpackers = append(unpackers, z.IOReadCloser())
			unpacked = z
		}
		if unpacked == nil {
			break
		}
		if depth == maxNesting {
			return nil, fmt.Errorf("%s: is packed more than %d times over", name, maxNesting)
		}
		br = bufio.NewReaderSize(&guard{in: in, r: unpacked, lim: lim}, SniffBytes)
	}
	in.ahead = newReadAhead(br, closeUnpackers)
	in.r = bufio.NewReaderSize(in.ahead, 256<<10)
	return in, nil
}

// Read reads unpacked content.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	in.offset += int64(n)
	return n, err
}

// Peek gives the next n bytes without taking them, or fewer if the content
// ends before. n is at most 256 KiB.
func (in *Input) Peek(n int) ([]byte, error) {
	head, err := in.r.Peek(n)
	if err == io.EOF {
		err = nil
	}
	return head, err
}

// Offset is the number of unpacked bytes read so far.
func (in *Input) Offset() int64 { return in.offset }

// Packed is the number of bytes of the file itself consumed so far; it may be
// called from any goroutine, for progress.
func (in *Input) Packed() int64 { return in.packed.n.Load() }

// Warning tells, in a sentence, why the content ended before its end, or "".
func (in *Input) Warning() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.warning
}

// Refused is the error that reading ended with because the content is a
// decompression bomb, or nil. What was read of one is worth nothing.
func (in *Input) Refused() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.refused
}

func (in *Input) refuse(err error) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.refused = err
	return err
}

func (in *Input) warn(text string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.warning == "" {
		in.warning = text
	}
}

// OnClose adds something to do when the input is closed.
func (in *Input) OnClose(f func() error) { in.closers = append(in.closers, closer(f)) }

type closer func() error

func (c closer) Close() error { return c() }

// Close stops reading ahead and closes what Open opened.
func (in *Input) Close() error {
	in.ahead.close()
	var err error
	for _, c := range in.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}

// guard watches one layer of unpacking: it turns damage into an early end with
// a warning, and stops bombs.
type guard struct {
	in  *Input
	r   io.Reader
	lim limits
	n   int64
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.n += int64(n)
	if packed := g.in.packed.n.Load(); g.n > g.lim.free && g.n/g.lim.expansion > packed {
		return n, g.in.refuse(fmt.Errorf("the file unpacks to more than %d times its size (%d bytes so far from %d): refused as a decompression bomb", g.lim.expansion, g.n, packed))
	}
	if err == nil || err == io.EOF || g.in.packed.failure() != nil {
		return n, err
	}
	g.in.warn(fmt.Sprintf("the packed file is damaged or ends early: only the first %d unpacked bytes could be read (%v)", g.n, err))
	return n, io.EOF
}

// countingReader counts what is taken from the file, for progress, ends when
// its context does, and remembers a failure that is not a plain end.
type countingReader struct {
	r   io.Reader
	ctx context.Context
	n   atomic.Int64
	err atomic.Pointer[error]
}

func (c *countingReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		c.err.Store(&err)
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	if err != nil && err != io.EOF {
		c.err.Store(&err)
	}
	return n, err
}

func (c *countingReader) failure() error {
	if p := c.err.Load(); p != nil {
		return *p
	}
	return nil
}
