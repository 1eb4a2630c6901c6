// Package gecko reads the profiles of the Firefox Profiler: what Firefox itself
// writes (called a Gecko profile), and what the profiler's page stores (called a
// processed profile), which samply and many converters write too.
//
// Definition: docs-developer/gecko-profile-format.md, processed-profile-format.md,
// CHANGELOG-formats.md and src/types/profile.ts of
// https://github.com/firefox-devtools/profiler. Both have version numbers
// (meta.version, meta.preprocessedProfileVersion), which are not looked at: a
// member is read where one of the versions has it.
//
// The two differ in how tables are written, which is made the same by table.go:
//
//	Gecko:     "samples":{"schema":{"stack":0,"time":1},"data":[[2,11.4],[3,16.6]]}
//	processed: "samples":{"stack":[2,3],"time":[11.4,16.6],"length":2}
//
// Supported: processes within processes, whose times count from their own start;
// tables of a thread, and tables that all threads share; strings as stringArray
// or stringTable; times and differences of times; weights in samples,
// milliseconds and bytes; processor time by sample; markers with and without an
// end, or as two halves; allocations, native and of JavaScript, as tables or as
// markers; categories; libraries, for addresses without a symbol.
//
// Quirks. The node (root) is no context. A frame without a category has that of
// its caller. The processor time of a sample is what the thread used since the
// one before, and is nobody's in the first. Markers overlap, which calls do not:
// an interval that does not fit into those around it is put on a thread of its
// own, named after the thread with a number. Halves belong together if they have
// the same name. Functions are told apart by name, file, line and library.
//
// Strategy: samples come before the tables that say what their stacks are, and in
// processed profiles column by column. So samples, markers and allocations wait
// in spools, tables in memory as packed numbers, and at the end of a thread (or
// of the file, if tables that it needs come later) they become contexts and
// events, thread by thread, and are sorted by time at the end.
//
// Ignored: counters, pages, screenshots and what else markers hold beside a
// text, inner windows, delays of events, traced values, symbols of libraries.
package gecko

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

func init() {
	source.Register(source.Format{
		Name:  "gecko",
		Title: "Firefox Profiler (Gecko, samply)",
		Order: 1, // has no signature, but keys of its own
		Sniff: sniff,
		Read:  read,
	})
}

// sniff wants an object that begins with one of the members of a profile, and
// something in it that nothing else has.
func sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	at := jsonstream.Space(head, 0)
	if at == len(head) || head[at] != '{' {
		return false
	}
	key, _, _, err := jsonstream.Member(head, at+1, true)
	if err != nil {
		return false
	}
	switch string(key) {
	case "meta", "libs", "threads", "pages", "shared", "processes", "counters", "profilerOverhead":
	default:
		return false
	}
	if bytes.Contains(head, []byte(`"preprocessedProfileVersion"`)) {
		return true
	}
	if jsonstream.HasKey(head, `"libs"`, '[') && bytes.Contains(head, []byte(`"breakpadId"`)) {
		return true
	}
	return bytes.Contains(head, []byte(`"stackTable"`)) && bytes.Contains(head, []byte(`"prefix"`)) ||
		jsonstream.HasKey(head, `"meta"`, '{') && bytes.Contains(head, []byte(`"stackwalk"`)) && bytes.Contains(head, []byte(`"processType"`))
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{Reader: jsonstream.NewReader(ctx, in), resolver: newResolver(ctx, b)}
	err := r.process(r.root, 0)
	switch {
	case err == nil:
		if _, err := r.Next(); err == nil {
			b.Warn("%v", r.Wrong("the end of the file"))
		}
	case ctx.Err() != nil || in.Refused() != nil:
		return err
	case r.threads == 0:
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("byte %d: the file ends before the first thread", r.Offset())
		}
		return err
	case errors.Is(err, io.EOF):
		b.Warn("the file ends early, at byte %d", r.Offset())
	default:
		b.Warn("reading ended: %v", err)
	}
	if r.threads == 0 {
		return errors.New("the profile has no threads")
	}
	return r.finish()
}

// reader takes the file apart. What it has read of a thread it gives to the
// resolver.
type reader struct {
	*jsonstream.Reader
	*resolver
	threads int // of all processes
}

// process is what threads share. There is one of a processed profile.
type process struct {
	start      int64 // ns since 1970
	interval   int64 // ns
	cpuUnit    string
	product    string
	categories []string
	libs       []lib
	shared     tables  // of newer processed profiles
	stacks     *stacks // of threads that have no tables of their own

	meta, library, sharing bool // was read: what is not told until then comes later
}

type lib struct {
	name             string
	start, end, base int64 // addresses; 0 in processed profiles
}

// tables are what stacks consist of.
type tables struct {
	strings           texts
	stack, frame, fun table
	resource, source  table
}

// thread is what was read of a thread.
type thread struct {
	tables
	*process
	name, processName, pid, tid string
	libs                        []lib // of older processed profiles
	samples, js, native         series
	markers                     series
	weightType                  string
}

// maxDeep is how deep processes are nested.
const maxDeep = 8

// process reads an object that is a profile.
func (r *reader) process(p *process, depth int) error {
	return r.Object(func(key string) error {
		switch key {
		case "meta":
			p.meta = true
			return r.meta(p)
		case "libs":
			p.library = true
			return r.libs(&p.libs)
		case "shared":
			p.sharing = true
			return r.Object(func(key string) error { return r.table(&p.shared, key) })
		case "sources":
			return r.rows(&p.shared.source, sourceColumns)
		case "threads":
			return r.Array(func() error { return r.thread(p) })
		case "processes":
			if depth == maxDeep {
				r.deep++
				return r.Skip()
			}
			return r.Array(func() error { return r.process(&process{}, depth+1) })
		}
		return r.Skip()
	})
}

// meta reads what is said about the profile.
func (r *reader) meta(p *process) error {
	return r.Object(func(key string) (err error) {
		switch key {
		case "startTime":
			p.start, err = r.number(6)
		case "interval":
			p.interval, err = r.number(6)
		case "product":
			p.product, err = r.text()
		case "sampleUnits":
			return r.Object(func(key string) (err error) {
				if key != "threadCPUDelta" {
					return r.Skip()
				}
				p.cpuUnit, err = r.text()
				return err
			})
		case "categories":
			return r.Array(func() error {
				name := ""
				err := r.Object(func(key string) (err error) {
					if key != "name" {
						return r.Skip()
					}
					name, err = r.text()
					return err
				})
				p.categories = append(p.categories, name)
				return err
			})
		default:
			return r.Skip()
		}
		return err
	})
}

func (r *reader) libs(into *[]lib) error {
	return r.Array(func() error {
		var l lib
		err := r.Object(func(key string) (err error) {
			switch key {
			case "name":
				l.name, err = r.text()
			case "start":
				l.start, err = r.number(0)
			case "end":
				l.end, err = r.number(0)
			case "offset":
				l.base, err = r.number(0)
			default:
				return r.Skip()
			}
			return err
		})
		*into = append(*into, l)
		return err
	})
}

// thread reads a thread.
func (r *reader) thread(p *process) error {
	events := series{b: r.b}
	t := &thread{process: p, samples: events, js: events, native: events, markers: events}
	r.threads++
	r.pending = append(r.pending, t)
	err := r.Object(func(key string) (err error) {
		switch key {
		case "name":
			t.name, err = r.text()
		case "processName":
			t.processName, err = r.text()
		case "pid":
			t.pid, err = r.text()
		case "tid":
			t.tid, err = r.text()
		case "libs":
			return r.libs(&t.libs)
		case "samples":
			return r.columns(&t.samples, sampleColumns, func(key string, _ schema) (taken bool, err error) {
				if key != "weightType" {
					return false, nil
				}
				t.weightType, err = r.text()
				return true, err
			})
		case "jsAllocations":
			return r.rows(&t.js, allocationColumns)
		case "nativeAllocations":
			return r.rows(&t.native, allocationColumns)
		case "markers":
			return r.markers(t)
		default:
			return r.table(&t.tables, key)
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.resolvePending(false)
}

// table reads one of the tables that stacks consist of, or passes over what is
// none.
func (r *reader) table(t *tables, key string) error {
	switch key {
	case "stringArray", "stringTable":
		c, err := r.Next()
		if err != nil || c != '[' {
			return r.skipped(err)
		}
		t.strings = texts{told: true}
		return r.Each(func(b []byte, i int) (int, error) {
			end, err := jsonstream.Value(b, i)
			if err == nil {
				t.strings.add(b[i:end])
			}
			return end, err
		})
	case "stackTable":
		return r.rows(&t.stack, stackColumns)
	case "frameTable":
		return r.rows(&t.frame, frameColumns)
	case "funcTable":
		return r.rows(&t.fun, functionColumns)
	case "resourceTable":
		return r.rows(&t.resource, resourceColumns)
	case "sources":
		return r.rows(&t.source, sourceColumns)
	}
	return r.Skip()
}

func (r *reader) skipped(err error) error {
	if err != nil {
		return err
	}
	return r.Skip()
}

// text takes a string; of anything else, such as a number, its text.
func (r *reader) text() (string, error) {
	raw, err := r.Raw()
	if err != nil || string(raw) == "null" {
		return "", err
	}
	return plain(raw), nil
}

// number takes a number; 0 if it is none that can be used.
func (r *reader) number(digits int) (int64, error) {
	raw, err := r.Raw()
	if err != nil {
		return 0, err
	}
	n, _ := jsonstream.Decimal(raw, digits, source.MaxTime)
	return n, nil
}
