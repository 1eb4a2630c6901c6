package gecko

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// allocation is memory that was taken or given back.
type allocation struct {
	at, size int64 // negative if given back
	native   bool
	context  data.EntityID
	thread   *source.CallThread
}

// allocated takes the allocations of a thread.
func (f *finisher) allocated(t *thread, at *source.CallThread, s *stacks) {
	for _, from := range []*table{&t.js, &t.native} {
		for row := range int64(from.length) {
			when, size := from.at("time", row), from.at("weight", row)
			if when == null || size == null {
				f.untimed++
				continue
			}
			context, _, ok := s.of(from.at("stack", row))
			if !ok {
				f.unknown++
			}
			f.allocations = append(f.allocations, allocation{when + t.start - f.base, size, from == &t.native, context, at})
			at.Keep()
		}
	}
}

// allocationEvents defines the event type of allocations, if there are some.
func (f *finisher) allocationEvents() error {
	if len(f.allocations) == 0 {
		return nil
	}
	kinds, err := f.b.EntityType("Allocator", "who allocates")
	if err != nil {
		return err
	}
	if err := kinds.Adopt([]string{"JavaScript", "native"}, 2); err != nil {
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
	for _, i := range inOrder(len(f.allocations), func(i int32) int64 { return f.allocations[i].at }) {
		a := &f.allocations[i]
		kind := int64(0)
		if a.native {
			kind = 1
		}
		if err := events.Add(int64(a.context), int64(a.thread.Entity()), kind, a.at, max(a.size, 0), max(-a.size, 0)); err != nil {
			return err
		}
	}
	return nil
}

// markerEvents defines the event type of markers, if there are some.
func (f *finisher) markerEvents(marks []mark) error {
	if len(marks) == 0 {
		return nil
	}
	names, err := f.b.EntityType("Marker Name", "what markers are called")
	if err != nil {
		return err
	}
	texts, err := f.b.EntityType("Marker Text", "what markers say")
	if err != nil {
		return err
	}
	categories, err := f.b.EntityType("Marker Category", "what markers are about")
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
	intern := func(in *data.EntityBuilder, name string) (data.EntityID, error) {
		if name == "" {
			return data.None, nil
		}
		return in.Intern(name)
	}
	for _, i := range inOrder(len(marks), func(i int32) int64 { return marks[i].start }) {
		m := &marks[i]
		name, err := intern(names, m.name)
		if err != nil {
			return err
		}
		text, err := intern(texts, m.text)
		if err != nil {
			return err
		}
		category, err := intern(categories, m.categoryName)
		if err != nil {
			return err
		}
		if err := events.Add(int64(name), int64(text), int64(category), int64(m.thread.Entity()), m.start, m.stop-m.start); err != nil {
			return err
		}
	}
	return nil
}
