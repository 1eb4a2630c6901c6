package gecko

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Columns of allocations, of all threads.
const (
	allocatedAt   = iota
	allocatedSize // negative if it was given back
	allocatedBy
	allocatedContext
	allocatedLane
)

// Who allocates.
const (
	byJavaScript = iota
	byNative
)

// allocated hands on the allocations of a thread.
func (f *resolver) allocated(t *thread, lane data.EntityID, s *stacks) error {
	for by, from := range []*series{byJavaScript: &t.js, byNative: &t.native} {
		err := from.each(f.ctx, []string{"time", "weight", "stack"}, func(row []int64) error {
			when, size := row[0], row[1]
			context, _, ok := s.of(row[2])
			if when == null || size == null {
				f.untimed++
				return nil
			}
			if !ok {
				f.unknown++
			}
			c := f.allocations.Row()
			c[allocatedAt].Values = append(c[allocatedAt].Values, f.since(t, when))
			c[allocatedSize].Values = append(c[allocatedSize].Values, size)
			c[allocatedBy].Refs = append(c[allocatedBy].Refs, data.EntityID(by))
			c[allocatedContext].Refs = append(c[allocatedContext].Refs, context)
			c[allocatedLane].Refs = append(c[allocatedLane].Refs, lane)
			f.lanes[lane].Keep()
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// threads puts threads in place of lanes.
func (f *resolver) threads(lanes []data.EntityID) {
	for i, lane := range lanes {
		lanes[i] = f.lanes[lane].Entity()
	}
}

// allocationEvents defines the event type of allocations, if there are some.
func (f *resolver) allocationEvents() error {
	if f.allocations.Rows() == 0 {
		return nil
	}
	kinds, err := f.b.EntityType("Allocator", "who allocates")
	if err != nil {
		return err
	}
	if err := kinds.Adopt([]string{byJavaScript: "JavaScript", byNative: "native"}, 2); err != nil {
		return err
	}
	events, err := f.b.EventType("Allocation", "memory was allocated or freed",
		data.Ref(source.TypeContext, source.TypeContext, "the stack that did it"),
		data.Ref(source.TypeThread, source.TypeThread, "the thread that did it"),
		data.Ref("Allocator", "Allocator", "the engine of JavaScript, or native code"),
		data.Value("Time", "nanoseconds", "when it was done", data.Coordinate),
		data.Value("allocated", "bytes", "memory that was allocated", data.Amount, source.Preferred),
		data.Value("freed", "bytes", "memory that was freed", data.Amount))
	if err != nil {
		return err
	}
	rows, err := f.allocations.Sort(allocatedAt)
	if err != nil {
		return err
	}
	columns := []int{allocatedContext, allocatedLane, allocatedBy, allocatedAt, allocatedSize, -1}
	return events.AdoptSpool(rows, columns, func(_ int, c []data.Column) error {
		f.threads(c[1].Refs)
		allocated, freed := c[4].Values, c[5].Values
		for i, size := range allocated {
			allocated[i], freed[i] = max(size, 0), max(-size, 0)
		}
		return f.ctx.Err()
	})
}

// Columns of marks, of all threads.
const (
	markStart = iota
	markTook
	markName
	markText
	markTopic
	markLane
)

// markerEvents defines the event type of markers, if there are some.
func (f *resolver) markerEvents() error {
	if f.marks.Rows() == 0 {
		return nil
	}
	define := func(n *names, typeName, description string) (func(refs []data.EntityID) error, error) {
		in, err := f.b.EntityType(typeName, description)
		return n.define(in), err
	}
	names, err := define(&f.markNames, "Marker Name", "what markers are called")
	if err != nil {
		return err
	}
	texts, err := define(&f.markTexts, "Marker Text", "what markers say")
	if err != nil {
		return err
	}
	topics, err := define(&f.markTopics, "Marker Category", "what markers are about")
	if err != nil {
		return err
	}
	events, err := f.b.EventType("Marker", "something that the program told",
		data.Ref("Name", "Marker Name", "what it is called"),
		data.Ref("Text", "Marker Text", "what it says"),
		data.Ref("Category", "Marker Category", "what it is about"),
		data.Ref(source.TypeThread, source.TypeThread, "the thread that told it"),
		data.Value("Time", "nanoseconds", "when it was told, or began", data.Coordinate),
		data.Value("Length", "nanoseconds", "how long it lasted; 0 for a moment", data.Amount))
	if err != nil {
		return err
	}
	rows, err := f.marks.Sort(markStart)
	if err != nil {
		return err
	}
	return events.AdoptSpool(rows, []int{markName, markText, markTopic, markLane, markStart, markTook}, func(_ int, c []data.Column) error {
		for i, entities := range []func([]data.EntityID) error{names, texts, topics} {
			if err := entities(c[i].Refs); err != nil {
				return err
			}
		}
		f.threads(c[3].Refs)
		return f.ctx.Err()
	})
}
