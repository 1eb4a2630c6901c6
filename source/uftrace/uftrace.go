// Package uftrace reads what `uftrace record` leaves: a folder of binary
// traces, one per thread, with symbols and memory maps beside them. It is read
// as that folder, or as a tar file of it, packed or not.
//
// Definition: the sources of uftrace 0.13 (https://github.com/namhyung/uftrace,
// libmcount/mcount.h for records, cmds/info.c and utils/session.c for the rest);
// there is no other. A record has 16 bytes, little endian: the time in
// nanoseconds; 2 bits of type (0 entry, 1 exit, 2 lost, 3 event), 1 bit that
// tells that arguments follow, 3 bits that are 5, 10 bits of depth, 48 bits of
// the function's address, of the event's number, or of how many were lost.
//
// Supported: TID.dat, task.txt (SESS, TASK, FORK), sid-*.map, *.sym; more than
// one process. Functions are named by the symbol that their address is in.
// Events with what they measured, and events.txt with their names (events.go);
// when threads came to a processor and left it (switches.go).
//
// Ignored: the kernel's functions and events (kernel-cpu*.dat), what programs told
// from outside (extern.dat), debug information, libraries that were opened later
// (DLOP). Data of events tell how long they are; arguments and return values do not,
// and what does, their specifications in info and *.dbg, may come later in an
// archive and need the functions' names: they are passed over up to the next record
// that fits in time and depth.
//
// Strategy: in a tar file the traces may come before the symbols, so functions
// are numbered as they occur and named at the end.
package uftrace

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

const (
	name  = "uftrace"
	title = "uftrace data (folder, or tar file of it)"
)

func init() {
	source.Register(source.Format{Name: name, Title: title, Sniff: sniff, Read: read})
	source.RegisterFolder(source.Folder{Name: name, Title: title, Sniff: sniffFolder, Read: readFolder})
}

var (
	traceFile     = regexp.MustCompile(`^[0-9]+\.dat$`)
	processorFile = regexp.MustCompile(`^perf-cpu[0-9]{1,9}\.dat$`)
)

// sniff looks at the first file of the archive that is not empty.
func sniff(head []byte) bool {
	if len(head) < 512 || string(head[257:262]) != "ustar" {
		return false
	}
	t := tar.NewReader(bytes.NewReader(head))
	for {
		h, err := t.Next()
		if err != nil {
			return false
		}
		if h.Typeflag != tar.TypeReg || h.Size == 0 {
			continue
		}
		start := make([]byte, recordSize)
		n, _ := io.ReadFull(t, start)
		start = start[:n]
		switch base := path.Base(h.Name); {
		case base == "info":
			return bytes.HasPrefix(start, []byte("Ftrace!"))
		case traceFile.MatchString(base):
			return n == recordSize && isRecord(start)
		case base == "task.txt":
			return bytes.HasPrefix(start, []byte("SESS ")) || bytes.HasPrefix(start, []byte("TASK "))
		case strings.HasSuffix(base, ".sym"):
			return bytes.HasPrefix(start, []byte("# symbols: "))
		case !strings.HasPrefix(base, "sid-") && !strings.HasSuffix(base, ".dbg") && base != "default.opts":
			return false
		}
	}
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(ctx, b)
	t := tar.NewReader(in)
	for {
		h, err := t.Next()
		if err == io.EOF && h == nil {
			break
		}
		if err == nil {
			if h.Typeflag == tar.TypeReg {
				err = r.file(path.Base(h.Name), t)
			}
		}
		if err == nil {
			continue
		}
		if ctx.Err() != nil || in.Refused() != nil {
			return err
		}
		if r.records == 0 {
			return fmt.Errorf("byte %d: no record could be read: %w", in.Offset(), err)
		}
		b.Warn("the archive ends early, at byte %d: %v", in.Offset(), err)
		break
	}
	return r.finish()
}

func sniffFolder(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "info"))
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 8)
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == infoMagic
}

const infoMagic = "Ftrace!\x00"

func readFolder(ctx context.Context, dir string, b *data.Builder) error {
	r := newReader(ctx, b)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		err = r.file(e.Name(), f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err)
		}
	}
	if err := r.finish(); err != nil {
		return fmt.Errorf("%s: read as %s: %w", dir, name, err)
	}
	return nil
}

// reader collects the files of a folder, in any order.
type reader struct {
	ctx     context.Context
	b       *data.Builder
	calls   *source.Calls
	threads map[string]*source.CallThread // by thread id
	order   []string                      // of their ids
	used    []function                    // number -> function
	tables  *tables
	records int64
	lost    int64

	numbers                  map[string]int // thread id -> its place in order
	events                   map[uint64]*events
	kernelEvents, leftEvents int64
	switches                 *data.Spool
	switched                 map[uint32]bool // threads
}

// function is an address as a thread called it.
type function struct {
	thread  string
	address uint64
	at      uint64 // when it was called first
}

func newReader(ctx context.Context, b *data.Builder) *reader {
	return &reader{ctx: ctx, b: b, calls: source.NewCalls(b, symbol.Unknown), threads: map[string]*source.CallThread{}, tables: newTables(),
		numbers: map[string]int{}, events: map[uint64]*events{}, switched: map[uint32]bool{}}
}

// maxText bounds the files that are read as a whole.
const maxText = 256 << 20

func (r *reader) file(base string, in io.Reader) error {
	text := func(take func([]byte)) error {
		raw, err := io.ReadAll(io.LimitReader(in, maxText+1))
		if len(raw) > maxText {
			return fmt.Errorf("%s is longer than %d bytes", base, maxText)
		}
		take(raw)
		return err
	}
	switch {
	case traceFile.MatchString(base):
		return r.thread(strings.TrimSuffix(base, ".dat"), in)
	case processorFile.MatchString(base):
		return r.processor(base, in)
	case base == "task.txt":
		return text(r.tables.tasks)
	case base == "events.txt":
		return text(r.tables.eventNames)
	case strings.HasPrefix(base, "sid-") && strings.HasSuffix(base, ".map"):
		session := strings.TrimSuffix(strings.TrimPrefix(base, "sid-"), ".map")
		return text(func(raw []byte) { r.tables.maps[session] = readMap(raw) })
	case strings.HasSuffix(base, ".sym"):
		return text(func(raw []byte) { r.tables.addSymbols(strings.TrimSuffix(base, ".sym"), raw) })
	case base == "info":
		return text(func(raw []byte) {
			const endianness, little = 14, 1
			if len(raw) > endianness && bytes.HasPrefix(raw, []byte(infoMagic)) && raw[endianness] != little {
				r.b.Warn("the trace was recorded on a big-endian machine; it is read as if it were not")
			}
		})
	}
	return nil
}

func (r *reader) finish() error {
	if r.records == 0 {
		return errors.New("there is no TID.dat with records, which are the trace")
	}
	r.b.WarnCount(r.lost, "%d records were lost when the trace was made; calls may be missing or have wrong callers")
	methods := make([]data.EntityID, len(r.used))
	named := 0
	for i, f := range r.used {
		frame, ok := r.tables.frame(f)
		if ok {
			named++
		}
		methods[i] = r.calls.Method(frame)
	}
	if named < len(methods) {
		r.b.Warn("%d of %d functions have no symbol and are called by their address", len(methods)-named, len(methods))
	}
	r.calls.Resolve = func(number data.EntityID) data.EntityID { return methods[number] }
	for _, id := range r.order {
		t := r.threads[id]
		t.ID = id
		t.ProcessID, t.Process = r.tables.process(id)
		if t.ProcessID == id {
			t.Name = t.Process // its main thread
		}
	}
	for tid := range r.switched {
		if t := r.threads[fmt.Sprint(tid)]; t != nil {
			t.Keep()
		}
	}
	if err := r.calls.Finish(r.ctx); err != nil {
		return err
	}
	if err := r.finishEvents(methods); err != nil {
		return err
	}
	return r.finishSwitches()
}
