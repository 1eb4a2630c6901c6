// Package otlpprofile reads profiles in OTLP, the protocol of OpenTelemetry: the
// message ProfilesData, which is also what exporters send, as protocol buffers or
// as JSON.
//
//	resource_profiles   a resource (a process, a container, a service) and
//	  scope_profiles
//	    profiles        a sample type each, and
//	      samples       a stack, values, times, attributes
//	dictionary          tables of stacks, locations, functions, mappings, strings,
//	                    attributes, which samples refer to by index
//
// Definition: opentelemetry-proto v1.9.0, profiles/v1development/profiles.proto.
// The form is under development: only this one is supported, in which the
// dictionary has stacks (since v1.8.0). Profiles of the forms before, which had
// locations of their own, are left out, and a warning says so.
//
// Supported: one message or several, as of package otlptrace.
//
// Ignored: links to spans, periods, original payloads, columns, attributes of
// locations, mappings and profiles.
//
// Strategy: the dictionary comes last, or first. So the samples of a message wait
// as numbers in a [data.Spool], of which little need be in memory, until it is
// there. Of its stacks, what they have in common is kept once.
package otlpprofile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "otlpprofile",
		Title: "OTLP profiles (protobuf or JSON)",
		Order: 1, // has no signature, but a shape of its own
		Sniff: func(head []byte) bool { return sniffJSON(head) || sniffProto(head) },
		Read:  read,
	})
}

func sniffJSON(head []byte) bool {
	i := jsonstream.Space(head, 0)
	return i < len(head) && head[i] == '{' &&
		(jsonstream.HasKey(head, `"resourceProfiles"`, '[') || jsonstream.HasKey(head, `"resource_profiles"`, '['))
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := &reader{ctx: ctx, b: b, profile: source.NewProfile(b, symbol.Unknown, 0), metrics: map[metric]int{}}
	head, err := in.Peek(source.SniffBytes)
	if err != nil {
		return err
	}
	if i := jsonstream.Space(head, 0); i < len(head) && head[i] == '{' {
		err = r.json(jsonstream.NewReader(ctx, in))
	} else {
		s := otlp.NewStream(ctx, in)
		err = s.Messages(head, func() error {
			m := newMessage(b)
			broken := m.proto(s)
			if ctx.Err() != nil {
				return broken
			}
			if err := r.add(m); err != nil {
				return err
			}
			return broken
		})
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case err == nil && r.older > 0 && r.profile.Samples() == 0:
		return errors.New("the profiles are of a form from before v1.8.0 of opentelemetry-proto, which is not supported")
	case err == nil && r.profile.Samples() == 0:
		return errors.New("there are no samples in the file")
	case r.profile.Samples() == 0:
		return err
	case err != nil:
		b.Warn("reading ended after %d samples: %v", r.profile.Samples(), err)
	}
	if r.missing > 0 {
		b.Warn("%d references lead to what is not in the file; it is shown as unknown or left out", r.missing)
	}
	if r.older > 0 {
		b.Warn("%d profiles are of a form from before v1.8.0 of opentelemetry-proto, and were left out", r.older)
	}
	return r.profile.Finish()
}

// json reads values one behind the other.
func (r *reader) json(in *jsonstream.Reader) error {
	for {
		if _, err := in.Next(); err == io.EOF {
			return nil
		}
		m := newMessage(r.b)
		broken := m.json(in)
		if errors.Is(broken, io.EOF) {
			broken = fmt.Errorf("byte %d: the file ends early", in.Offset()+int64(len(in.Window())))
		}
		if r.ctx.Err() != nil {
			return broken
		}
		if err := r.add(m); err != nil {
			return err
		}
		if broken != nil {
			return broken
		}
	}
}

type metric struct{ name, unit string }

// reader makes a data set of messages.
type reader struct {
	ctx     context.Context
	b       *data.Builder
	profile *source.Profile
	metrics map[metric]int

	began          uint64 // of the first profile that tells a time, or its first sample
	missing, older int64
}
