// Package pprof reads pprof profiles.
//
// Format: profile.proto, the protocol buffer that Go's runtime, `pprof`,
// gperftools' converters, async-profiler's converters, parca, pyroscope and
// perf_data_converter write, usually gzipped (which package source sees
// through). Definition: github.com/google/pprof/proto/profile.proto.
//
// Supported: all sample types as metrics (default_sample_type is the
// preferred one, else the last, as pprof does); stacks with inlined lines;
// functions, mappings and addresses; text and numeric labels; drop_frames and
// keep_frames exactly as Profile.RemoveUninteresting does; fields in any
// order, packed or not; ids of any size; files that end early.
//
// Ignored: comments, doc_url, time, duration, period; build ids; columns;
// is_folded; the line of a call within its caller (contexts are methods).
// Addresses are not symbolized: a location without a function is named by its
// binary and address.
//
// Names: functions of one name are one method, as at pprof's granularity
// "functions".
//
// Strategy: the file is one long message whose parts are small messages, so
// one reusable buffer holds whatever part is current (wire.go). Writers put
// samples before what they refer to, and strings last; samples therefore
// become a trie over location ids while they stream by (sample.go), tables
// are kept as numbers (tables.go), and at the end locations are expanded to
// methods, siblings that become the same method are merged, and frames are
// dropped (expand.go). The trie's rows come in an order of parents first, so
// each of these is one loop without recursion.
//
// The cost is in the samples: a file of two million contexts at a depth of
// fifty repeats a hundred million frames. Consecutive samples share most of
// their stacks, and a stack is stored leaf first, so the common suffix of its
// bytes with those of the sample before is the shared outer part, of which
// nothing needs to be decoded.
package pprof

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "pprof",
		Title: "pprof (profile.proto)",
		Sniff: sniff,
		Read:  read,
	})
}

// fields of message Profile
const (
	profileSampleType  = 1
	profileSample      = 2
	profileMapping     = 3
	profileLocation    = 4
	profileFunction    = 5
	profileString      = 6
	profileDropFrames  = 7
	profileKeepFrames  = 8
	profileTime        = 9
	profilePeriodType  = 11
	profileComment     = 13
	profileDefaultType = 14
	profileMaxField    = 15
)

// decoder is what is known of the profile so far.
type decoder struct {
	ctx context.Context
	b   *data.Builder

	samples samples
	tables  tables
	types   []valueType

	drop, keep, defaultType int64 // string indexes
	time                    int64
	truncated               bool
	broken                  problem // messages that are framed well but malformed inside
}

type valueType struct{ name, unit int64 } // string indexes

// problem counts what went wrong in one way and remembers the first.
type problem struct {
	n     int64
	first string
}

func (p *problem) add(format string, args ...any) {
	if p.n == 0 {
		p.first = fmt.Sprintf(format, args...)
	}
	p.n++
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error { return readFrom(ctx, in, b) }

func readFrom(ctx context.Context, in io.Reader, b *data.Builder) error {
	d := &decoder{ctx: ctx, b: b}
	d.samples.init()
	d.samples.profile = source.NewProfile(b, symbol.Unknown, 0)
	d.samples.labels = b.Spool(data.BatchRows, true, true, true, true, false)
	d.tables.locationIDs = &d.samples.locations
	if err := d.stream(newStream(ctx, in)); err != nil {
		return err
	}
	if d.broken.n > 0 {
		b.Warn("%d malformed messages were left out, the first is %s", d.broken.n, d.broken.first)
	}
	return d.finish()
}

// stream takes in the whole file. It returns an error if reading failed or
// nothing of use came before the point where the file is broken.
func (d *decoder) stream(s *stream) error {
	for {
		err := s.next()
		if err == nil {
			err = d.field(s)
		}
		if err == nil {
			continue
		}
		var bad *wireError // costs memory
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			if d.samples.n() == 0 {
				return err
			}
			d.truncated = true
			d.b.Warn("%s; what came before is shown", bad.Error())
			return nil
		default:
			return err
		}
	}
}

// errConcatenated is what pprof itself refuses, too: ids of the second
// profile mean something else than those of the first.
var errConcatenated = errors.New("two profiles follow each other in one file; merge them with `go tool pprof -proto A B`")

// field takes in one field of the profile.
func (d *decoder) field(s *stream) error {
	var err error
	if s.wire == wireBytes {
		switch s.num {
		case profileSample:
			err = d.sample(s.body, s.at)
		case profileSampleType:
			var t valueType
			if t, err = decodeValueType(s.body); err == nil {
				d.types = append(d.types, t)
			}
		case profileMapping:
			err = d.tables.addMapping(s.body)
		case profileLocation:
			err = d.tables.addLocation(s.body)
		case profileFunction:
			err = d.tables.addFunction(s.body)
		case profileString:
			d.tables.addString(s.body)
		}
		if err != nil {
			d.broken.add("the %s at byte %d (%v)", fieldNames[s.num], s.at, err)
		}
		return nil
	}
	switch s.num {
	case profileDropFrames:
		d.drop = int64(s.val)
	case profileKeepFrames:
		d.keep = int64(s.val)
	case profileDefaultType:
		d.defaultType = int64(s.val)
	case profileTime:
		if d.time != 0 {
			return errConcatenated
		}
		d.time = int64(s.val)
	}
	return nil
}

var fieldNames = [profileMaxField + 1]string{
	profileSampleType: "sample type", profileSample: "sample", profileMapping: "mapping",
	profileLocation: "location", profileFunction: "function", profileString: "string",
}
