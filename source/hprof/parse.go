package hprof

import (
	"strings"

	"github.com/cambium-prof/cambium/source"
)

// parseFrame splits "class.method(File.java:12)". In place of the file and
// line the agent may write Unknown Source, Native Method, File.java alone, or
// File.java:Native method, :Compiled method, :Unknown line.
func parseFrame(text string) source.Frame {
	open := strings.LastIndexByte(text, '(')
	if open <= 0 || !strings.HasSuffix(text, ")") {
		return source.Frame{Name: text}
	}
	f := source.Frame{Name: text[:open]}
	where := text[open+1 : len(text)-1]
	file, line, _ := strings.Cut(where, ":")
	switch file {
	case "", "Unknown Source", "Native Method", "Native method":
		return f
	}
	f.File = file
	if n, rest, ok := source.Number([]byte(line)); ok && len(rest) == 0 {
		f.Line = n
	}
	return f
}

// percent takes "27.02%" off the front of b, as 2702.
func percent(b []byte) (n int64, rest []byte, ok bool) {
	whole, rest, ok := source.Number(b)
	if !ok || whole > 1e9 || whole < -1e9 {
		return 0, b, false
	}
	n = whole * 100
	if len(rest) > 0 && (rest[0] == '.' || rest[0] == ',') { // the agent writes in the locale's way
		scale := int64(10)
		i := 1
		for ; i < len(rest) && rest[i]-'0' <= 9; i++ {
			n += int64(rest[i]-'0') * scale
			scale /= 10
		}
		rest = rest[i:]
	}
	if len(rest) > 0 && rest[0] == '%' {
		rest = rest[1:]
	}
	return n, rest, true
}
