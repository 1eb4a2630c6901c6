package gecko

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

// finisher makes entities and events of what was read. It is apart from the
// reader because tables may come in any order.
type finisher struct {
	*reader
	calls      *source.Calls
	methods    map[place]data.EntityID
	categories []string
	category   map[string]data.EntityID
	label      *source.Label

	counted, timed, cpu, bytes int // metrics; -1 if there are none
	allocations                []allocation
}

// place tells functions apart.
type place struct {
	name, file, binary string
	line               int64
	kind               int
}

const (
	ofStack = iota
	ofMarker
)

// finish makes all of it.
func (r *reader) finish() error {
	f := &finisher{reader: r, calls: source.NewCalls(r.b, symbol.Unknown), methods: map[place]data.EntityID{}, category: map[string]data.EntityID{}}
	f.calls.SamplesFirst = true
	f.measure()
	f.label = f.calls.LateLabel("Category")
	number := 0
	for _, t := range r.threads {
		number += t.samples.length
	}
	samples := make([]sample, 0, number)
	var marks []mark
	for _, t := range r.threads {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		at := f.newThread(t, 1)
		s := f.stacks(t)
		samples = f.samples(samples, t, at, s)
		f.allocated(t, at, s)
		of := r.marks(t, at)
		f.lay(t, at, of)
		if marks = append(marks, of...); len(of) > 0 {
			at.Keep()
		}
		t.tables, t.samples, t.markers, t.js, t.native = tables{}, table{}, markers{}, table{}, table{}
	}
	f.sampled(samples)
	f.warn()
	f.label.Name(f.categories)
	if err := f.calls.Finish(r.ctx); err != nil {
		return err
	}
	if err := f.allocationEvents(); err != nil {
		return err
	}
	return f.markerEvents(marks)
}

func (f *finisher) warn() {
	f.b.WarnCount(f.deep, "%d processes within processes are nested too deeply and were left out")
	f.b.WarnCount(f.misshapen, "%d rows of tables are not of the form that is expected")
	f.b.WarnCount(f.lost, "%d stacks come before their callers, and are shown without them")
	f.b.WarnCount(f.unknown, "%d samples and allocations refer to stacks or functions that are not in the file")
	f.b.WarnCount(f.untimed, "%d samples, allocations and markers have no time that can be used and were left out")
	f.b.WarnCount(f.unpaired, "%d halves of markers have no other half: ends were left out, beginnings end with the last marker")
}

// newThread makes a thread; from the second lane on, one for markers that
// overlap others.
func (f *finisher) newThread(t *thread, lane int) *source.CallThread {
	at := f.calls.Thread()
	at.Name, at.ID, at.Process, at.ProcessID = t.name, t.tid, t.processName, t.pid
	if at.Process == "" {
		at.Process = t.product
	}
	if lane > 1 {
		at.Name = fmt.Sprintf("%s, overlapping %d", t.name, lane)
	}
	return at
}

// measure decides on the metrics, by what threads have.
func (f *finisher) measure() {
	var metrics []source.Metric
	add := func(m source.Metric) int {
		metrics = append(metrics, m)
		return len(metrics) - 1
	}
	f.counted, f.timed, f.cpu, f.bytes = -1, -1, -1, -1
	has := func(what func(t *thread) bool) bool { return slices.ContainsFunc(f.threads, what) }
	if has((*thread).counts) {
		f.counted = add(source.Metric{Name: "samples", Unit: "count", Description: "how often a function was seen"})
	}
	if has(func(t *thread) bool { return t.weightType == "tracing-ms" || t.counts() && t.interval > 0 }) {
		f.timed = add(source.Metric{Name: "time", Unit: "nanoseconds", Description: "samples times their interval, or the time that was recorded"})
	}
	if has(func(t *thread) bool { return t.samples.has("threadCPUDelta") }) {
		m := source.Metric{Name: "cpu", Unit: "nanoseconds", Description: "processor time of the thread since the sample before"}
		if has(func(t *thread) bool { return t.cpuUnit == "variable CPU cycles" }) {
			m.Name, m.Unit = "cycles", "count"
		}
		f.cpu = add(m)
	}
	if has(func(t *thread) bool { return t.weightType == "bytes" && t.samples.length > 0 }) {
		f.bytes = add(source.Metric{Name: "bytes", Unit: "bytes", Description: "the weight of samples"})
	}
	f.calls.Measure(0, metrics...)
}

// counts tells whether the samples of a thread are counted.
func (t *thread) counts() bool {
	return t.samples.length > 0 && t.weightType != "tracing-ms" && t.weightType != "bytes"
}

// pick gives a table of the thread, or the one that all threads share.
func (t *thread) pick(of func(*tables) *table) *table {
	if own := of(&t.tables); own.length > 0 || own.columns != nil {
		return own
	}
	return of(&t.shared)
}

func (t *thread) string(i int64) string {
	from := t.strings
	if from == nil {
		from = t.shared.strings
	}
	if i < 0 || i >= int64(len(from)) {
		return ""
	}
	return from[i]
}

func (t *thread) categoryName(i int64) string {
	if i < 0 || i >= int64(len(t.process.categories)) {
		return ""
	}
	return t.process.categories[i]
}

// stacks is what the stacks of a thread come to.
type stacks struct {
	contexts   []data.EntityID // of those that are used
	categories []int64
	length     int
}

func (s *stacks) of(stack int64) (context, category data.EntityID, ok bool) {
	switch {
	case stack == null:
		return data.None, data.None, true
	case stack < 0 || stack >= int64(s.length):
		return data.None, data.None, false
	}
	return s.contexts[stack], data.EntityID(s.categories[stack]), true
}

// stacks makes contexts of the stacks that samples and allocations have.
// Markers have stacks too, which cost nothing.
func (f *finisher) stacks(t *thread) *stacks {
	stack := t.pick(func(t *tables) *table { return &t.stack })
	n := stack.length
	s := &stacks{contexts: make([]data.EntityID, n), categories: make([]int64, n), length: n}
	used := make([]bool, n)
	for _, from := range []*table{&t.samples, &t.js, &t.native} {
		for _, i := range from.columns["stack"] {
			if i >= 0 && i < int64(n) {
				used[i] = true
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		if p := stack.at("prefix", int64(i)); used[i] && p >= 0 && p < int64(i) {
			used[p] = true
		}
	}
	methods := map[int64]data.EntityID{} // frame -> method; None for (root)
	frames := t.pick(func(t *tables) *table { return &t.frame })
	for i := range int64(n) {
		s.contexts[i], s.categories[i] = data.None, int64(data.None)
		if !used[i] {
			continue
		}
		prefix := stack.at("prefix", i)
		if prefix >= i {
			f.lost++
			prefix = null
		}
		if prefix >= 0 {
			s.contexts[i], s.categories[i] = s.contexts[prefix], s.categories[prefix]
		}
		frame := stack.at("frame", i)
		category := frames.at("category", frame)
		if own := stack.at("category", i); own != null { // older processed profiles
			category = own
		}
		if name := t.categoryName(category); name != "" {
			s.categories[i] = int64(f.categoryOf(name))
		}
		method, ok := methods[frame]
		if !ok {
			method = f.method(t, frames, frame)
			methods[frame] = method
		}
		if method != data.None {
			s.contexts[i] = f.calls.Child(s.contexts[i], method)
		}
	}
	return s
}

func (f *finisher) categoryOf(name string) data.EntityID {
	id, ok := f.category[name]
	if !ok {
		id = data.EntityID(len(f.categories))
		f.category[name] = id
		f.categories = append(f.categories, name)
	}
	return id
}

// method gives the method of a frame, None of (root).
func (f *finisher) method(t *thread, frames *table, frame int64) data.EntityID {
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

// function reads a row of the functions of a processed profile.
func (t *thread) function(row int64) (p place) {
	functions := t.pick(func(t *tables) *table { return &t.fun })
	resources := t.pick(func(t *tables) *table { return &t.resource })
	p.name = t.string(functions.at("name", row))
	p.file = t.string(functions.at("fileName", row))
	if from := functions.at("source", row); from != null {
		p.file = t.string(t.pick(func(t *tables) *table { return &t.source }).at("filename", from))
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

// location takes apart the text that a frame of a Gecko profile has: an
// address, "function (file:line:column)[source]", "function (in library)", or
// only a name.
func (t *thread) location(text string) place {
	if strings.HasPrefix(text, "0x") {
		if address, err := strconv.ParseInt(text[2:], 16, 64); err == nil {
			return t.address(address, text)
		}
	}
	source := false
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if _, err := strconv.ParseUint(text[open+1:len(text)-1], 10, 32); err == nil {
			text, source = text[:open], true
		}
	}
	open := strings.LastIndex(text, " (")
	if open < 0 || !strings.HasSuffix(text, ")") {
		if source { // what a file does outside of functions
			return place{name: text, file: text}
		}
		return place{name: text}
	}
	name, within := text[:open], text[open+2:len(text)-1]
	if binary, ok := strings.CutPrefix(within, "in "); ok {
		return place{name: name, binary: binary}
	}
	file, numbers := within, []int64(nil)
	for range 2 { // column, line
		colon := strings.LastIndexByte(file, ':')
		if colon < 0 {
			break
		}
		n, err := strconv.ParseInt(file[colon+1:], 10, 32)
		if err != nil {
			break
		}
		file, numbers = file[:colon], append(numbers, n)
	}
	if len(numbers) == 0 {
		return place{name: text} // a text in brackets
	}
	return place{name: name, file: file, line: numbers[len(numbers)-1]}
}

// address names a place without a symbol after its library.
func (t *thread) address(at int64, text string) place {
	for _, l := range t.process.libs {
		if l.start <= at && at < l.end {
			return place{name: fmt.Sprintf("%s+0x%x", l.name, at-l.start+l.base), binary: l.name}
		}
	}
	return place{name: text}
}

// sample is one of any thread.
type sample struct {
	at                     int64
	count, time, cpu, size int64
	context, category      data.EntityID
	thread                 *source.CallThread
}

// samples adds those of a thread.
func (f *finisher) samples(all []sample, t *thread, at *source.CallThread, s *stacks) []sample {
	const million = 1e6
	now := int64(0)
	times, deltas, weights := t.samples.column("time"), t.samples.column("timeDeltas"), t.samples.column("weight")
	stacks, processor := t.samples.column("stack"), t.samples.column("threadCPUDelta")
	for row := range int64(t.samples.length) {
		when := times.at(row)
		if delta := deltas.at(row); when == null && delta != null {
			now = min(max(now+delta, -source.MaxTime/2), source.MaxTime/2)
			when = now
		}
		if when == null {
			f.untimed++
			continue
		}
		one := sample{at: when + t.start - f.base, thread: at}
		weight := weights.at(row)
		if weight == null {
			weight = million
		}
		switch t.weightType {
		case "tracing-ms":
			one.time = weight
		case "bytes":
			one.size = weight / million
		default:
			one.count = weight / million
			if interval := t.interval; interval > 0 && interval < 1e12 && one.count > -1e6 && one.count < 1e6 {
				one.time = one.count * interval
			}
		}
		if used := processor.at(row); used != null && row > 0 {
			if one.cpu = used / 1000; t.cpuUnit == "µs" {
				one.cpu = used
			}
		}
		var ok bool
		if one.context, one.category, ok = s.of(stacks.at(row)); !ok {
			f.unknown++
		}
		all = append(all, one)
	}
	return all
}

// sampled hands on the samples of all threads in the order of their times.
func (f *finisher) sampled(all []sample) {
	var values []int64
	for _, i := range inOrder(len(all), func(i int32) int64 { return all[i].at }) {
		s := &all[i]
		values = values[:0]
		for _, m := range []struct {
			metric int
			v      int64
		}{{f.counted, s.count}, {f.timed, s.time}, {f.cpu, s.cpu}, {f.bytes, s.size}} {
			if m.metric >= 0 {
				values = append(values, m.v)
			}
		}
		f.calls.Sample(s.context, values...)
		f.calls.Time("nanoseconds", s.at)
		f.label.Set(s.category)
		s.thread.Sampled()
	}
}
