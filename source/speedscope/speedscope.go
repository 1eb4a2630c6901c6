// Package speedscope reads the file format of speedscope, which many profilers
// write: evented profiles become traces, sampled profiles become profiles.
//
// Definition: https://www.speedscope.app/file-format-schema.json (version
// 0.0.1), and src/lib/file-format-spec.ts in speedscope's sources.
//
// Supported: any number of profiles in a file. An evented profile in a unit of
// time is a thread, and its frames are calls. One in bytes or without a unit
// has no time: what passes between its events is the weight of the stack at
// that moment, as in a sampled profile. Sampled profiles with one unit share
// a metric, and their names are the label Profile; those that Cambium wrote are
// a metric each.
//
// Ignored: columns of frames, start and end values, names of files and of what
// wrote them.
//
// Strategy: frames may stand behind the profiles that use them, so that stacks
// are made of frame numbers first. Profiles are read as they come; only if one
// tells its type or unit after its events are those held until then.
package speedscope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "speedscope",
		Title: "speedscope (JSON)",
		Order: 4, // has a signature, but one that a file may do without
		Sniff: sniff,
		Read:  read,
	})
}

func sniff(head []byte) bool {
	i := jsonstream.Space(head, 0)
	if i == len(head) || head[i] != '{' {
		return false
	}
	if bytes.Contains(head, []byte("speedscope.app/file-format-schema.json")) {
		return true
	}
	return jsonstream.HasKey(head, `"shared"`, '{') && jsonstream.HasKey(head, `"frames"`, '[')
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{Reader: jsonstream.NewReader(ctx, in), ctx: ctx, b: b, calls: source.NewCalls(b, symbol.Unknown), stacks: data.NewTrie(0)}
	err := r.Object(r.member)
	switch {
	case err == nil:
		if _, err := r.Next(); err == nil {
			b.Warn("%v", r.Wrong("the end of the file"))
		}
	case ctx.Err() != nil || in.Refused() != nil:
		return err
	case !r.any():
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("byte %d: the file ends before the first sample or event", r.Offset())
		}
		return err
	case errors.Is(err, io.EOF):
		b.Warn("the file ends early, at byte %d", r.Offset())
	default:
		b.Warn("reading ended: %v", err)
	}
	return r.finish()
}

type reader struct {
	*jsonstream.Reader
	ctx   context.Context
	b     *data.Builder
	calls *source.Calls

	exporter string
	active   int64
	frames   []source.Frame
	stacks   *data.Trie // of frame numbers
	sampled  []*sampled
	evented  int // profiles in a unit of time

	untimed, misshapen, rounded, unweighted int64
}

// sampled is a profile of weighted stacks.
type sampled struct {
	name    string
	unit    unit
	stacks  *data.Spool // None for an empty one
	weights *data.Spool
}

// any tells whether something of use was read.
func (r *reader) any() bool {
	for _, s := range r.sampled {
		if s.stacks.Rows() > 0 {
			return true
		}
	}
	return r.evented > 0
}

func (r *reader) member(key string) error {
	switch key {
	case "shared":
		return r.Object(func(key string) error {
			if key == "frames" {
				return r.Array(r.frame)
			}
			return r.Skip()
		})
	case "profiles":
		return r.Array(r.profile)
	case "exporter", "activeProfileIndex":
		raw, err := r.Raw()
		if err == nil && key == "exporter" {
			json.Unmarshal(raw, &r.exporter) // if it is something else it is of no use
		} else if err == nil {
			r.active, _ = jsonstream.Decimal(raw, 0, 1<<30)
		}
		return err
	}
	return r.Skip()
}

func (r *reader) frame() error {
	raw, err := r.Raw()
	if err != nil {
		return err
	}
	var f struct {
		Name, File string
		Line       float64
	}
	if json.Unmarshal(raw, &f) != nil || f.Name == "" {
		r.misshapen++
		f.Name = fmt.Sprintf("<frame %d>", len(r.frames))
	}
	line := int64(0)
	if f.Line > 0 && f.Line < 1<<31 {
		line = int64(f.Line)
	}
	r.frames = append(r.frames, source.Frame{Name: f.Name, File: f.File, Line: line})
	return nil
}

// unit is what values of a profile count.
type unit struct {
	name   string // as the file has it
	digits int    // of its values, so that times are nanoseconds
	time   bool
}

var units = map[string]unit{
	"nanoseconds":  {"nanoseconds", 0, true},
	"microseconds": {"microseconds", 3, true},
	"milliseconds": {"milliseconds", 6, true},
	"seconds":      {"seconds", 9, true},
	"bytes":        {"bytes", 0, false},
	"none":         {"none", 0, false},
}

// profile reads one profile.
func (r *reader) profile() error {
	var kind, name, unitName string
	held := map[string][]byte{} // what came before it was known what it is
	p := &profile{reader: r}
	part := func(key string, from *jsonstream.Reader) error {
		if p.sampled == nil && p.thread == nil {
			p.begin(kind, name, unitName)
		}
		return p.part(key, from)
	}
	err := r.Object(func(key string) error {
		switch key {
		case "type", "name", "unit":
			raw, err := r.Raw()
			if err != nil {
				return err
			}
			var text string
			json.Unmarshal(raw, &text)
			switch key {
			case "type":
				kind = text
			case "name":
				name = text
			default:
				unitName = text
			}
			return nil
		case "events", "samples", "weights":
			if kind != "" && unitName != "" {
				return part(key, r.Reader)
			}
			raw, err := r.Raw()
			if err == nil {
				held[key] = bytes.Clone(raw)
			}
			return err
		}
		return r.Skip()
	})
	for _, key := range []string{"events", "samples", "weights"} {
		if raw, ok := held[key]; ok && err == nil {
			err = part(key, jsonstream.NewReader(r.ctx, bytes.NewReader(raw)))
		}
	}
	p.rename(name)
	return err
}
