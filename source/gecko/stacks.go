package gecko

import (
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// stacks makes contexts of a table of stacks, as far as samples and allocations
// refer to them. Markers have stacks too, which cost nothing.
type stacks struct {
	f      *resolver
	t      *thread
	length int64

	prefix, frame, category *packed // of stacks
	ofFrame                 *packed // their categories
	frames                  table

	contexts   []data.EntityID // stack -> context; unmade
	categories []data.EntityID
	methods    []data.EntityID         // frame -> method; None of (root), unmade
	absent     map[int64]data.EntityID // of frames that are not in the file
	path       []int64
}

const unmade = data.None - 1

func newStacks(f *resolver, t *thread) *stacks {
	stack, frames := t.pick(theStacks), t.pick(theFrames)
	n := stack.length()
	return &stacks{f: f, t: t, length: int64(n), prefix: stack["prefix"], frame: stack["frame"], category: stack["category"],
		frames: frames, ofFrame: frames["category"],
		contexts: slices.Repeat([]data.EntityID{unmade}, n), categories: make([]data.EntityID, n),
		methods: slices.Repeat([]data.EntityID{unmade}, frames.length()), absent: map[int64]data.EntityID{}}
}

// of gives the context and the category of a stack; ok is false if there is no
// such stack.
func (s *stacks) of(stack int64) (context, category data.EntityID, ok bool) {
	switch {
	case stack == null:
		return data.None, data.None, true
	case stack < 0 || stack >= s.length:
		return data.None, data.None, false
	}
	if s.contexts[stack] == unmade {
		s.makeAll(stack)
	}
	return s.contexts[stack], s.categories[stack], true
}

// makeAll makes the contexts of a stack and those around it, the outermost first.
func (s *stacks) makeAll(stack int64) {
	s.path = s.path[:0]
	context, category := data.None, data.None
	for {
		s.path = append(s.path, stack)
		prefix := s.prefix.at(stack)
		if prefix >= stack {
			s.f.lost++
			break
		}
		if prefix < 0 {
			break
		}
		if s.contexts[prefix] != unmade {
			context, category = s.contexts[prefix], s.categories[prefix]
			break
		}
		stack = prefix
	}
	for _, stack := range slices.Backward(s.path) {
		frame := s.frame.at(stack)
		topic := s.ofFrame.at(frame)
		if own := s.category.at(stack); own != null { // older processed profiles
			topic = own
		}
		if id := s.f.categories.of(s.t.categoryName(topic)); id != data.None {
			category = id
		}
		if method := s.method(frame); method != data.None {
			context = s.f.calls.Child(context, method)
		}
		s.contexts[stack], s.categories[stack] = context, category
	}
}

// method gives the method of a frame, None of (root).
func (s *stacks) method(frame int64) data.EntityID {
	if frame < 0 || frame >= int64(len(s.methods)) {
		method, ok := s.absent[frame]
		if !ok {
			method = s.f.method(s.t, s.frames, frame)
			s.absent[frame] = method
		}
		return method
	}
	if s.methods[frame] == unmade {
		s.methods[frame] = s.f.method(s.t, s.frames, frame)
	}
	return s.methods[frame]
}

func (f *resolver) method(t *thread, frames table, frame int64) data.EntityID {
	var p place
	if location := frames.at("location", frame); location != null {
		p = t.location(t.string(location))
	} else if fun := frames.at("func", frame); fun != null {
		p = t.function(fun)
	} else {
		f.unknown++
	}
	if p.name == "(root)" && p.file == "" {
		return data.None
	}
	if p.name == "" {
		p.name = "<unknown>"
	}
	id, ok := f.methods[p]
	if !ok {
		id = f.calls.AddMethod(source.Frame{Name: p.name, File: p.file, Line: p.line, Binary: p.binary})
		f.methods[p] = id
	}
	return id
}

// The tables that threads have or share.
func theStacks(t *tables) table    { return t.stack }
func theFrames(t *tables) table    { return t.frame }
func theFunctions(t *tables) table { return t.fun }
func theResources(t *tables) table { return t.resource }
func theSources(t *tables) table   { return t.source }

// pick gives a table of the thread, or the one that all threads share.
func (t *thread) pick(of func(*tables) table) table {
	if own := of(&t.tables); own != nil {
		return own
	}
	return of(&t.shared)
}

// shares tells whether the thread has no tables of its own.
func (t *thread) shares() bool {
	return t.stack == nil && t.frame == nil && t.fun == nil && t.resource == nil && t.source == nil && !t.strings.told && t.libs == nil
}

func (t *thread) string(i int64) string {
	if t.strings.told {
		return t.strings.at(i)
	}
	return t.shared.strings.at(i)
}

func (t *thread) categoryName(i int64) string {
	if i < 0 || i >= int64(len(t.process.categories)) {
		return ""
	}
	return t.process.categories[i]
}

// function reads a row of the functions of a processed profile.
func (t *thread) function(row int64) (p place) {
	functions, resources := t.pick(theFunctions), t.pick(theResources)
	p.name = t.string(functions.at("name", row))
	p.file = t.string(functions.at("fileName", row))
	if from := functions.at("source", row); from != null {
		p.file = t.string(t.pick(theSources).at("filename", from))
	}
	if line := functions.at("lineNumber", row); line > 0 && p.file != "" {
		p.line = line
	}
	libs := t.libs
	if libs == nil {
		libs = t.process.libs
	}
	if lib := resources.at("lib", functions.at("resource", row)); lib >= 0 && lib < int64(len(libs)) {
		p.binary = libs[lib].name
		if strings.HasPrefix(p.name, "0x") {
			p.name = p.binary + "+" + p.name
		}
	}
	return p
}
