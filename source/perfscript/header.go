package perfscript

import (
	"bytes"
	"math"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/perfsamples"
)

// header is the first line of a sample.
type header struct {
	comm   []byte
	pid    int64 // unknown if the line does not say
	tid    int64 // so are the following
	cpu    int64
	time   int64 // ns
	period int64
	event  []byte // "" if the line does not say
	rest   []byte // what follows: of a sample without a call chain its only frame
	weak   bool   // it could be any text: only frames below it make it a sample
	record bool   // of another kind than a sample
	line   int
}

// maxComm is how far the command may reach: the kernel keeps 15 bytes of it, and
// 63 of its own threads.
const maxComm = 128

// unknown is a number that a header does not have.
const unknown = perfsamples.Unknown

// parseHeader reads
//
//	COMM PID/TID [CPU] MISC TIME: PERIOD EVENT: SYMBOL
//
// of which any part may be missing. The command may look like anything, so the
// first number counts that is followed by what has to follow a thread; without
// one, the time; without that, the event.
//
// Without frames below it, a weak header is nothing.
func parseHeader(line []byte) header {
	h, found := header{}, false
	for from := 0; from < min(len(line), maxComm); {
		from += blanks(line[from:])
		end := from + word(line[from:])
		if _, ok := parseTime(line[from:end]); ok {
			break // the thread comes before the time
		}
		if pid, tid, ok := parseThread(line[from:end]); ok {
			t := header{comm: bytes.TrimSpace(line[:from]), pid: pid, tid: tid}
			if t.tail(line[end:]) && (t.time != unknown || !found) {
				h, found = t, true
				if h.time != unknown {
					break // no doubt
				}
			}
		}
		from = end
	}
	if found {
		return h
	}
	for from := 0; from < min(len(line), maxComm); {
		from += blanks(line[from:])
		end := from + word(line[from:])
		if _, ok := parseTime(line[from:end]); ok || bracketed(line[from:end]) {
			t := header{comm: bytes.TrimSpace(line[:from]), pid: unknown, tid: unknown}
			if t.tail(line[from:]) {
				return t
			}
		}
		from = end
	}
	h = header{pid: unknown, tid: unknown, cpu: unknown, time: unknown, period: unknown, weak: true}
	text := bytes.TrimSpace(line)
	if last := bytes.LastIndexAny(text, " \t") + 1; len(text) > 1 && text[len(text)-1] == ':' {
		h.event = text[last : len(text)-1]
		text = bytes.TrimSpace(text[:last])
		last = bytes.LastIndexAny(text, " \t") + 1
		if n, rest, ok := source.Number(text[last:]); ok && len(rest) == 0 {
			h.period = n
			text = bytes.TrimSpace(text[:last])
		}
	}
	h.comm = text
	return h
}

// tail reads what follows the thread; ok is false if it is something else.
func (h *header) tail(b []byte) (ok bool) {
	h.cpu, h.time, h.period = unknown, unknown, unknown
	next := func() []byte {
		b = b[blanks(b):]
		return b[:word(b)]
	}
	take := func(w []byte) { b = b[len(w):] }

	w := next()
	if bracketed(w) {
		h.cpu, _, _ = source.Number(w[1 : len(w)-1])
		take(w)
		w = next()
	}
	if isMisc(w) {
		rest := b
		take(w)
		if _, ok := parseTime(next()); !ok {
			b = rest
		}
		w = next()
	}
	if t, ok := parseTime(w); ok {
		h.time = t
		take(w)
		w = next()
	}
	if n, rest, ok := source.Number(w); ok && len(rest) == 0 {
		h.period = n
		take(w)
		w = next()
	}
	if bytes.HasPrefix(w, []byte("PERF_RECORD_")) {
		h.record = true
		return true
	}
	switch {
	case len(w) > 1 && w[len(w)-1] == ':':
		h.event = w[:len(w)-1]
		take(w)
	case len(w) == 0: // a header without an event
		h.weak = h.time == unknown
		return true
	case h.time == unknown:
		return false // any text
	}
	h.rest = b[blanks(b):]
	return true
}

// symbol is the frame at the end of the header, if there is one.
func (h *header) symbol() (f frame) {
	if len(h.rest) > 0 {
		if f = parseFrame(h.rest); len(f.dso) == 0 && h.event != nil {
			f.ok = false // as likely what a tracepoint has to tell
		}
	}
	return f
}

// parseThread reads 12 or 12/34. A thread that perf does not know is -1.
func parseThread(w []byte) (pid, tid int64, ok bool) {
	if len(w) == 0 || w[0] != '-' && w[0]-'0' > 9 {
		return 0, 0, false
	}
	tid, rest, ok := source.Number(w)
	if !ok || len(rest) == 0 {
		return unknown, tid, ok
	}
	if rest[0] != '/' {
		return 0, 0, false
	}
	pid = tid
	tid, rest, ok = source.Number(rest[1:])
	return pid, tid, ok && len(rest) == 0
}

// parseTime reads 3331.453968: as nanoseconds.
func parseTime(w []byte) (ns int64, ok bool) {
	if len(w) < 4 || w[len(w)-1] != ':' || w[0]-'0' > 9 {
		return 0, false
	}
	s, rest, ok := source.Number(w[:len(w)-1])
	if !ok || len(rest) < 2 || rest[0] != '.' || s > math.MaxInt64/1_000_000_000-1 {
		return 0, false
	}
	fraction := int64(0)
	scale := int64(1_000_000_000)
	for _, c := range rest[1:] {
		if c-'0' > 9 {
			return 0, false
		}
		if scale > 1 {
			scale /= 10
			fraction = fraction*10 + int64(c-'0')
		}
	}
	return s*1_000_000_000 + fraction*scale, true
}

// bracketed reports whether w is a processor, as [003].
func bracketed(w []byte) bool {
	if len(w) < 3 || w[0] != '[' || w[len(w)-1] != ']' {
		return false
	}
	_, rest, ok := source.Number(w[1 : len(w)-1])
	return ok && len(rest) == 0
}

// isMisc reports whether w could be the field misc: K, U, H, G, g, E, M and S.
func isMisc(w []byte) bool {
	for _, c := range w {
		if bytes.IndexByte([]byte("KUHGgEMS"), c) < 0 {
			return false
		}
	}
	return len(w) > 0
}

func blanks(b []byte) int {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

func word(b []byte) int {
	i := 0
	for i < len(b) && b[i] != ' ' && b[i] != '\t' {
		i++
	}
	return i
}
