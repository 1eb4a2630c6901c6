package perfdata

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What perf kept of tracefs: the formats of the tracepoints that were recorded,
// as the kernel describes them (Documentation/trace/events.rst):
//
//	name: sched_process_exec
//	ID: 365
//	format:
//		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
//		…
//		field:__data_loc char[] filename;	offset:8;	size:4;	signed:0;
//
//	print fmt: …
//
// In front of them are descriptions of ftrace's own, behind them symbols, which
// are passed over. The layout is that of tools/perf/util/trace-event-read.c.

// format describes the raw data of a tracepoint.
type format struct {
	system, name string
	fields       []traceField
	leftOut      []string // fields that are lists, and so on
}

// traceField is a field of raw data.
type traceField struct {
	name         string
	offset, size int
	does         traceDoing
	amount       bool // adding it up means something
}

type traceDoing uint8

const (
	signedNumber traceDoing = iota
	unsignedNumber
	fixedText
	locatedText  // where it is and how long, in 4 bytes: __data_loc
	relativeText // the same, counted from the end of those 4 bytes: __rel_loc, since Linux 5.17
)

const (
	maxFormat      = 256 << 10 // bytes of one
	maxTraceFields = 128
)

var errTracing = errors.New("it is cut off or damaged")

// tracingData reads the formats of those events that are wanted, by their numbers.
func tracingData(r *reader, raw []byte, wanted func(id uint64) bool) (map[uint64]*format, error) {
	const magic = "\x17\x08Dtracing"
	formats := map[uint64]*format{}
	if !bytes.HasPrefix(raw, []byte(magic)) {
		return formats, fmt.Errorf("expected it to begin with %q", magic)
	}
	c := cursor{r: r, b: raw[len(magic):]}
	c.text()      // version
	c.skip(1)     // byte order: that of the file
	c.skip(1 + 4) // bytes of a long, and of a page
	for _, header := range []string{"header_page", "header_event"} {
		if name := c.text(); string(name) != header {
			return formats, errTracing
		}
		c.skip(c.u64())
	}
	for n := c.u32(); n > 0 && !c.bad; n-- { // of ftrace itself
		c.skip(c.u64())
	}
	for n := c.u32(); n > 0 && !c.bad; n-- {
		system := string(c.text())
		for n := c.u32(); n > 0 && !c.bad; n-- {
			text := c.bytes(c.u64())
			if id, ok := formatID(text); ok && wanted(id) && len(text) <= maxFormat {
				formats[id] = parseFormat(system, string(text))
			}
		}
	}
	if c.bad {
		return formats, errTracing
	}
	return formats, nil
}

// text reads up to a zero byte.
func (c *cursor) text() []byte {
	n := bytes.IndexByte(c.b, 0)
	if n < 0 {
		c.bad, c.b = true, nil
		return nil
	}
	return c.bytes(uint64(n) + 1)[:n]
}

// formatID finds the number of an event in its format.
func formatID(text []byte) (id uint64, ok bool) {
	_, rest, ok := bytes.Cut(text, []byte("\nID:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	id, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 10, 64)
	return id, ok && err == nil
}

func parseFormat(system, text string) *format {
	f := &format{system: system}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "name:"); ok && f.name == "" {
			f.name = strings.TrimSpace(name)
		}
		if strings.HasPrefix(line, "print fmt:") {
			break
		}
		declared, ok := strings.CutPrefix(line, "field:")
		if !ok {
			continue
		}
		declared, rest, _ := strings.Cut(declared, ";")
		field, known := parseField(declared, rest)
		switch {
		case strings.HasPrefix(field.name, "common_"): // of all events, and told by samples, too
		case known && len(f.fields) < maxTraceFields:
			f.fields = append(f.fields, field)
		default:
			f.leftOut = append(f.leftOut, field.name)
		}
	}
	return f
}

// parseField reads a declaration as of C, and what stands behind it. known is
// false if it is not a number or a text.
func parseField(declared, rest string) (f traceField, known bool) {
	signed := false
	f.size = -1
	for part := range strings.SplitSeq(rest, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), ":")
		n, err := strconv.ParseInt(value, 10, 32)
		switch {
		case err != nil:
		case key == "offset":
			f.offset = int(n)
		case key == "size":
			f.size = int(n)
		case key == "signed": // since Linux 2.6.32
			signed = n != 0
		}
	}
	kind, name := "", strings.TrimSpace(declared)
	if i := strings.LastIndexAny(name, " \t*"); i >= 0 {
		kind, name = strings.TrimSpace(name[:i+1]), name[i+1:]
	}
	name, _, list := strings.Cut(name, "[")
	f.name = name
	if name == "" || f.offset < 0 || f.size < 1 || f.offset > 1<<16 {
		return f, false
	}
	located, isLocated := strings.CutPrefix(kind, "__data_loc ")
	relative, isRelative := strings.CutPrefix(kind, "__rel_loc ")
	switch {
	case isLocated || isRelative:
		if f.does = locatedText; isRelative {
			f.does = relativeText
		}
		of := strings.TrimSpace(strings.TrimSuffix(located, "[]"))
		if isRelative {
			of = strings.TrimSpace(strings.TrimSuffix(relative, "[]"))
		}
		return f, f.size == 4 && of == "char"
	case list:
		f.does = fixedText
		return f, kind == "char" || kind == "const char"
	case f.size == 1 || f.size == 2 || f.size == 4 || f.size == 8:
		if f.does = unsignedNumber; signed {
			f.does = signedNumber
		}
		f.amount = !strings.HasSuffix(kind, "*") && amounts.MatchString(name)
		return f, true
	}
	return f, false
}

// amounts are what fields are called that can be added up. Most numbers cannot:
// addresses, states, priorities, numbers of things.
var amounts = regexp.MustCompile(`^nr_|bytes|(^|_)(len|length|size|count|pages|runtime|delay|latency|duration)($|_)`)

// text gives what a field says in raw data.
func (f *traceField) text(r *reader, raw []byte) []byte {
	at, n := f.offset, f.size
	if f.does != fixedText {
		if at+4 > len(raw) {
			return nil
		}
		where := r.order.Uint32(raw[at:])
		if n = int(where >> 16); f.does == relativeText {
			at += 4 + int(where&0xffff)
		} else {
			at = int(where & 0xffff)
		}
	}
	if at > len(raw) {
		return nil
	}
	return text(raw[at:min(at+n, len(raw))])
}

// number gives the number that a field is in raw data; 0 if it is not in it.
func (f *traceField) number(r *reader, raw []byte) int64 {
	if f.offset+f.size > len(raw) {
		return 0
	}
	b := raw[f.offset:][:f.size]
	var v uint64
	switch f.size {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(r.order.Uint16(b))
	case 4:
		v = uint64(r.order.Uint32(b))
	default:
		return int64(r.order.Uint64(b))
	}
	if shift := 64 - 8*f.size; f.does == signedNumber {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}
