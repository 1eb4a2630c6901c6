package heaptrack

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// address takes an address with its functions.
func (r *reader) address(f *fields) bool {
	f.number()
	module, ok := f.index(len(r.strings))
	if !ok {
		module = 0
	}
	a := address{module: uint32(module), first: uint32(len(r.frames))}
	for {
		function, ok := f.index(len(r.strings))
		if !ok {
			break
		}
		file, line := 0, uint64(0)
		if len(f.b) > 0 { // not always there
			if file, ok = f.index(len(r.strings)); !ok {
				file = 0
			}
			line, _ = f.number()
		}
		r.frames = append(r.frames, r.frame(function, file, module, line))
	}
	if a.count = uint32(len(r.frames)) - a.first; a.count == 0 {
		r.frames = append(r.frames, r.frame(0, 0, module, 0))
		a.count = 1
	}
	r.addresses = append(r.addresses, a) // also if it is damaged: they are counted
	return len(f.b) == 0
}

// frame gives a function. One without a name is called after its module: its
// address is another in each run.
func (r *reader) frame(function, file, module int, line uint64) frame {
	key := methodKey{uint32(function), uint32(module)}
	id, ok := r.methods[key]
	if !ok {
		m := source.Frame{Name: r.strings[function], File: r.strings[file], Line: int64(min(line, 1<<32))}
		if r.strings[module] != "" {
			m.Binary = source.BinaryName(r.strings[module])
		}
		switch {
		case m.Name != "":
		case m.Binary != "":
			m.Name = "[" + m.Binary + "]"
		default:
			m.Name = "[unknown]"
		}
		id = r.p.AddMethod(m)
		r.methods[key] = id
	}
	return frame{uint32(function), uint32(file), id}
}

// trace takes an address with its caller.
func (r *reader) trace(f *fields) bool {
	at, ok := f.index(len(r.addresses))
	caller, okCaller := f.index(len(r.traces))
	if !ok || !okCaller {
		at, caller = 0, 0
	}
	context := r.contexts[caller]
	if a := r.addresses[at]; at > 0 {
		for i := a.first + a.count; i > a.first; i-- {
			context = r.p.Child(context, r.frames[i-1].method)
		}
	}
	r.traces = append(r.traces, trace{uint32(at), uint32(caller)})
	r.contexts = append(r.contexts, context)
	return ok && okCaller
}

// kind takes a size that is allocated in a trace.
func (r *reader) kind(f *fields) bool {
	size, ok := f.number()
	at, okTrace := f.index(len(r.traces))
	if !ok || !okTrace || size > maxSize {
		r.kinds = append(r.kinds, kind{})
		return false
	}
	r.kinds = append(r.kinds, kind{size: int64(size), trace: uint32(at)})
	return true
}

func (r *reader) allocate(f *fields) bool {
	i, ok := f.index(len(r.kinds))
	if !ok {
		return false
	}
	k := &r.kinds[i]
	r.allocations++
	k.allocated++
	k.live++
	r.touch(i)
	r.before = i
	if r.live += k.size; r.live > r.peak {
		r.peak, r.atPeak = r.live, true
	}
	return true
}

func (r *reader) free(f *fields) bool {
	i, ok := f.index(len(r.kinds))
	if !ok {
		return false
	}
	if r.atPeak {
		r.keepPeak()
	}
	k := &r.kinds[i]
	if k.live == 0 {
		r.excess++
		return true
	}
	if r.before == i {
		k.temporary++
	}
	r.before = 0 // as heaptrack does; it is a kind's number, too
	k.live--
	r.live -= k.size
	r.touch(i)
	return true
}

// touch notes that a kind is another than when the peak was kept last.
func (r *reader) touch(i int) {
	if k := &r.kinds[i]; !k.fresh {
		k.fresh = true
		r.fresh = append(r.fresh, int32(i))
	}
}

// keepPeak keeps what is in use, which is most of all so far. Only what changed
// since the last peak is looked at, so that all peaks together cost no more than
// all allocations.
func (r *reader) keepPeak() {
	for _, i := range r.fresh {
		k := &r.kinds[i]
		k.peak, k.fresh = k.live, false
	}
	r.fresh, r.atPeak = r.fresh[:0], false
}

func (r *reader) finish() error {
	if r.allocations == 0 {
		return errNoAllocations
	}
	if r.atPeak {
		r.keepPeak()
	}
	if r.bad > 0 {
		r.b.Warn("%d lines could not be read and were left out, the first is line %d", r.bad, r.badLine)
	}
	if r.missing > 0 {
		r.b.Warn("the file ends within a string")
	}
	if r.excess > 0 {
		r.b.Warn("%d times something was freed of which there was nothing left; the file may not be whole", r.excess)
	}
	suppressed := r.suppressed()
	hidden := false
	for _, k := range r.kinds {
		hidden = hidden || k.live > 0 && suppressed[k.trace]
	}
	values := make([]int64, 5, 6)
	if hidden {
		r.p.AddMetric(source.Metric{Name: "suppressed", Unit: "bytes", Description: "what was not freed, and is known for it"})
		values = values[:6]
	}
	for _, k := range r.kinds {
		if k.allocated == 0 {
			continue
		}
		leaked, known := k.live*k.size, int64(0)
		if suppressed[k.trace] {
			leaked, known = 0, leaked
		}
		copy(values, []int64{k.allocated, k.allocated * k.size, k.temporary, k.peak * k.size, leaked})
		if hidden {
			values[5] = known
		}
		r.p.Sample(r.contexts[k.trace], values...)
		r.p.Number("Size", "bytes", k.size)
	}
	if err := r.p.Finish(); err != nil {
		return err
	}
	return r.finishMemory()
}

// finishMemory defines what was in use over time.
func (r *reader) finishMemory() error {
	m := &r.memory
	if len(m.at) == 0 {
		return nil
	}
	use, err := r.b.EventType("Memory Use", "what the program had in use at a time",
		data.Value("Time", "nanoseconds", "since the start", data.Coordinate),
		data.Value("Heap", "bytes", "what was allocated and not freed", data.Coordinate),
		data.Value("Resident", "bytes", "memory that the system gave the program, heaptrack's own included", data.Coordinate))
	if err != nil {
		return err
	}
	return use.Adopt(len(m.at), data.Column{Values: m.at}, data.Column{Values: m.heap}, data.Column{Values: m.resident})
}
