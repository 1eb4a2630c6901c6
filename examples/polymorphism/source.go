package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// A log of virtual calls: a first line "#calls", and then a line per call, with
// the nanosecond, the call site and the method that was reached:
//
//	120 Shapes.draw:14 Circle.area
func init() {
	source.Register(source.Format{
		Name:  "calls",
		Title: "log of virtual calls",
		Sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte("#calls\n")) },
		Read:  read,
	})
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	sites, err := b.EntityType("Site", "a place in the program that calls")
	if err != nil {
		return err
	}
	methods, err := b.EntityType("Method", "a method that is called")
	if err != nil {
		return err
	}
	calls, err := b.EventType("Call", "a virtual call",
		data.Value("Time", "nanoseconds", "when the call was made", data.Coordinate),
		data.Ref("Site", "Site", "where it was made"),
		data.Ref("Target", "Method", "what it reached"))
	if err != nil {
		return err
	}
	// What is wrong with a line becomes a warning that names it.
	return source.EachLine(ctx, in, b, func(line []byte) error {
		var at int64
		var site, target string
		if line[0] == '#' {
			return nil
		}
		if n, _ := fmt.Sscan(string(line), &at, &site, &target); n != 3 {
			return errors.New("expected a time, a site and a target")
		}
		// Intern gives the entity of that name, and Add verifies every field.
		from, err := sites.Intern(site)
		if err != nil {
			return err
		}
		to, err := methods.Intern(target)
		if err != nil {
			return err
		}
		return calls.Add(at, int64(from), int64(to))
	})
}
