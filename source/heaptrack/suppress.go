package heaptrack

import (
	"errors"
	"strings"
)

var errNoAllocations = errors.New("there are no allocations in the file")

// knownLeaks are functions whose allocations are meant to stay: those that
// heaptrack_print suppresses by itself.
var knownLeaks = []string{"__nss_module_allocate", "__gconv_read_conf", "__new_exitfn", "tzset_internal",
	"dl_open_worker", "g_main_context_new", "g_thread_self"}

const maxPatterns = 1000

// suppressed tells of each trace whether its leaks are no news: if a function, a
// file or a module on its stack matches a pattern.
func (r *reader) suppressed() []bool {
	patterns := append(append([]string{}, knownLeaks...), r.patterns...)
	texts := make([]bool, len(r.strings))
	for i, s := range r.strings {
		for _, p := range patterns {
			if matches(p, s) {
				texts[i] = true
				break
			}
		}
	}
	traces := make([]bool, len(r.traces))
	for i, t := range r.traces[1:] {
		a := r.addresses[t.address]
		hit := traces[t.caller] || texts[a.module]
		for _, f := range r.frames[a.first:][:a.count] {
			hit = hit || texts[f.function] || texts[f.file]
		}
		traces[i+1] = hit
	}
	return traces
}

// matches does what LeakSanitizer's patterns mean: a part of the text, in which
// * is anything, ^ the start and $ the end.
func matches(pattern, text string) bool {
	if text == "" {
		return false
	}
	pattern, start := strings.CutPrefix(pattern, "^")
	pattern, end := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	for i, part := range parts {
		switch {
		case i == 0 && start:
			if !strings.HasPrefix(text, part) {
				return false
			}
			text = text[len(part):]
			if end && len(parts) == 1 && text != "" {
				return false
			}
		case i == len(parts)-1 && end:
			return strings.HasSuffix(text, part)
		default:
			at := strings.Index(text, part)
			if at < 0 {
				return false
			}
			text = text[at+len(part):]
		}
	}
	return true
}
