package perfscript

import (
	"bytes"

	"github.com/cambium-prof/cambium/source"
)

// sniff looks for a header that says a time or an event, with a frame below it
// or at its end; for frames alone as wide as perf prints them; or for tracepoints
// without stacks, which have a processor, a time and an event each.
func sniff(head []byte) bool {
	cut := len(head) >= source.SniffBytes
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	strong, traces, others := false, 0, 0
	for lines := 0; len(head) > 0 && lines < 500; lines++ {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if !ended && cut {
			break
		}
		head = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if line[0] == '\t' || line[0] == ' ' {
			if f := parseFrame(line[blanks(line):]); f.ok && len(f.name)+len(f.dso) > 0 &&
				(strong || line[0] == '\t' && bytes.IndexByte(line, f.ip[0])+len(f.ip) >= 17 && len(f.dso) > 0) {
				return true
			}
		}
		h := parseHeader(line)
		switch {
		case h.weak:
			strong = false
			others++
		case h.record:
		case h.time != unknown && h.symbol().ok:
			return true
		default:
			strong = h.time != unknown || h.event != nil
			if h.cpu != unknown && h.time != unknown && h.event != nil {
				traces++
			}
		}
	}
	return traces > 0 && others == 0
}
