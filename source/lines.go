package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Lines reads text line by line, without copying and without a limit that a
// real file would meet: a stack a million frames deep is one line.
type Lines struct {
	in   *Input
	ctx  context.Context
	buf  []byte
	from int // start of what was not handed out yet
	to   int // end of what was read
	err  error
	line int
	cut  bool
}

// maxLine bounds the memory one line can take.
const maxLine = 256 << 20

// NewLines reads lines from in until ctx is done.
func NewLines(ctx context.Context, in *Input) *Lines {
	return &Lines{in: in, ctx: ctx, buf: make([]byte, 256<<10)}
}

// Next gives the next line without its line break (\n or \r\n). It is valid
// until the next call. At the end the error is io.EOF. What is left of a line
// where a damaged file ends is not handed out: it could be mistaken for a whole
// one with another number.
func (l *Lines) Next() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(l.buf[l.from+searched:l.to], '\n'); i >= 0 {
			line := l.buf[l.from : l.from+searched+i]
			l.from += searched + i + 1
			l.line++
			if n := len(line); n > 0 && line[n-1] == '\r' {
				line = line[:n-1]
			}
			return line, nil
		}
		searched = l.to - l.from
		if l.err != nil {
			if searched == 0 || l.err != io.EOF || l.in.Warning() != "" {
				return nil, l.err
			}
			l.cut = true
			line := l.buf[l.from:l.to]
			l.from = l.to
			l.line++
			return line, nil
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

func (l *Lines) fill() error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if l.from > 0 {
		copy(l.buf, l.buf[l.from:l.to])
		l.from, l.to = 0, l.to-l.from
	}
	if l.to == len(l.buf) {
		if len(l.buf) >= maxLine {
			return fmt.Errorf("line %d: is longer than %d bytes", l.line+1, maxLine)
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.in.Read(l.buf[l.to:])
	l.to += n
	l.err = err
	return nil
}

// Line is the number of the line last handed out, from 1.
func (l *Lines) Line() int { return l.line }

// Cut reports whether the line last handed out ended with the file and not
// with a line break.
func (l *Lines) Cut() bool { return l.cut }
