// Package convert writes profiles and traces for other programs: as
// profile.proto, folded stacks, speedscope's JSON, Chrome traces, and Cambium's
// own stream.
//
// What belongs here: encoders of formats, which write a calling context tree
// or a data set to a writer, by the ending of the name it is meant for. What
// does not: reading formats (package source), pictures (package scene), and
// opening files.
//
// Everything is written as the tree is walked, with an explicit path and
// buffers that are used again, since stacks may be a million frames deep. The
// formats of profiles repeat the whole stack for each context that has a cost
// of its own, so that the output for a deep tree can be quadratic in its size:
// that is their nature.
package convert

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

// The endings that Write knows.
const (
	Pprof      = ".pb.gz"
	Folded     = ".folded"
	Speedscope = ".speedscope.json"
	Chrome     = ".trace.json"
	Cambium    = ".cambium"
)

var endings = []string{Pprof, Folded, Speedscope, Chrome, Cambium}

// Ending gives the ending of a path that says which format is meant.
func Ending(path string) (string, error) {
	for _, e := range endings {
		if strings.HasSuffix(path, e) {
			return e, nil
		}
	}
	return "", unknownEnding(path)
}

func unknownEnding(path string) error {
	return fmt.Errorf("%s: has none of the endings that say which format to write: %s", path, strings.Join(endings, ", "))
}

// Write writes in the format of an ending:
//
//   - [Pprof] the tree as profile.proto, packed with gzip: all metrics, the
//     preferred one as the default; functions with file and line. Labels of
//     samples and binaries are not kept.
//   - [Folded] the tree as folded stacks: the preferred metric only.
//   - [Speedscope] the calls for speedscope, a profile for each thread, or, if there
//     are none, the tree: a profile for each metric. Since speedscope refuses files
//     with negative weights, such a metric is an error.
//   - [Chrome] the calls as a Chrome trace, with the names of processes and
//     threads. Samples are not kept.
//   - [Cambium] the whole data set as a stream (docs/stream.md), packed with
//     gzip. The tree is not looked at and may be nil.
//
// Only contexts with a cost of their own become samples. What was measured
// with an empty stack becomes a sample with an empty stack. When ctx is done,
// writing stops with its error within a buffer of the output.
func Write(ctx context.Context, w io.Writer, ending string, set *data.Set, tree *cct.Tree) error {
	var calls *trace.Trace
	if ending == Chrome || ending == Speedscope {
		var none *trace.ErrNoCalls
		var err error
		if calls, err = trace.Build(ctx, set); err != nil && (ending == Chrome || !errors.As(err, &none)) {
			return err
		}
	}
	if ending != Cambium && calls == nil && tree == nil {
		return fmt.Errorf("%s: has no calling contexts, which %s consists of; only %s holds any data set", set.Name, ending, Cambium)
	}
	switch ending {
	case Pprof:
		return zipped(ctx, w, func(w *bufio.Writer) error { return writePprof(w, set, tree) })
	case Folded:
		return buffered(ctx, w, func(w *bufio.Writer) error { return writeFolded(w, tree) })
	case Chrome:
		return buffered(ctx, w, func(w *bufio.Writer) error { return writeChrome(w, set, calls) })
	case Speedscope:
		if calls != nil && calls.Len() > 0 {
			return buffered(ctx, w, func(w *bufio.Writer) error { return writeCalls(w, set, calls) })
		}
		if err := checkWeights(tree); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		return buffered(ctx, w, func(w *bufio.Writer) error { return writeSpeedscope(w, set, tree) })
	case Cambium:
		return zipped(ctx, w, func(w *bufio.Writer) error { return writeStream(ctx, w, set) })
	}
	return unknownEnding(ending)
}

const bufferBytes = 64 << 10

func buffered(ctx context.Context, w io.Writer, write func(*bufio.Writer) error) error {
	b := bufio.NewWriterSize(&cancellable{ctx, w}, bufferBytes)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

func zipped(ctx context.Context, w io.Writer, write func(*bufio.Writer) error) error {
	z := gzip.NewWriter(w)
	if err := buffered(ctx, z, write); err != nil {
		return err
	}
	return z.Close()
}

// cancellable is below the buffer that all formats are written to, so that none
// of them need look at a context: a buffer keeps the first error.
type cancellable struct {
	ctx context.Context
	w   io.Writer
}

func (c *cancellable) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
