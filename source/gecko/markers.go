package gecko

import (
	"cmp"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// markers are the markers of a thread. Their text is that of the member name of
// what they hold, which is what markers of the page (UserTiming) and of texts
// have.
type markers struct {
	table
	texts  []string
	text   []int64 // marker -> of texts; below notText, of the thread's strings; null if there is none
	hidden []bool  // it stands in another table
}

var markerColumns = columns{"name": 0, "startTime": milliDigits, "endTime": milliDigits, "phase": 0, "category": 0}

const notText = -1 // string s is notText - 1 - s

// Phases of markers.
const (
	instant = iota
	interval
	intervalStart
	intervalEnd
)

// markerTable reads the markers of a thread.
func (r *reader) markerTable(t *thread) error {
	if c, err := r.Next(); err != nil || c != '{' {
		return r.skipped(err)
	}
	m := &t.markers
	var order map[string]int
	err := r.Object(func(key string) error {
		switch key {
		case "schema":
			order = map[string]int{}
			return r.Object(func(key string) error {
				n, err := r.number(0)
				order[key] = int(n)
				return err
			})
		case "data":
			if order == nil { // a column
				return r.Array(func() error {
					raw, err := r.Raw()
					if err == nil {
						m.payload(t, raw, null)
					}
					return err
				})
			}
			return r.markerRows(t, order)
		}
		digits, ok := markerColumns[key]
		if c, err := r.Next(); err != nil || c != '[' || !ok {
			return r.skipped(err)
		}
		column := []int64{}
		err := r.Array(func() error {
			raw, err := r.Raw()
			column = append(column, value(raw, digits))
			return err
		})
		m.set(key, column)
		return err
	})
	for len(m.text) < m.length {
		m.text, m.hidden = append(m.text, null), append(m.hidden, false)
	}
	return err
}

// markerRows reads the markers of a Gecko profile.
func (r *reader) markerRows(t *thread, order map[string]int) error {
	m := &t.markers
	names := make([]string, 64)
	for name, i := range order {
		if i >= 0 && i < len(names) {
			names[i] = name
		}
	}
	held := map[string][]int64{}
	for name := range markerColumns {
		held[name] = []int64{}
	}
	length := 0
	err := r.Array(func() error {
		raw, err := r.Raw()
		if err != nil {
			return err
		}
		length++
		var payload []byte
		if !jsonstream.Elements(raw, func(i int, raw []byte) {
			if i >= len(names) {
				return
			}
			if name := names[i]; name == "data" {
				payload = raw
			} else if digits, ok := markerColumns[name]; ok {
				held[name] = append(held[name], value(raw, digits))
			}
		}) {
			r.misshapen++
		}
		for name, c := range held {
			for len(c) < length {
				c = append(c, null)
			}
			held[name] = c[:length]
		}
		m.payload(t, payload, held["startTime"][length-1])
		return nil
	})
	for name, c := range held {
		m.set(name, c)
	}
	return err
}

// payload takes what a marker holds. Allocations are markers in Gecko profiles.
func (m *markers) payload(t *thread, raw []byte, at int64) {
	text, hidden := int64(null), false
	var kind string
	var stack, size []byte
	jsonstream.Members(raw, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind = plain(value)
		case "stack":
			stack = value
		case "size":
			size = value
		case "name":
			if n, ok := jsonstream.Decimal(value, 0, source.MaxTime); ok && value[0] != '"' && n >= 0 {
				text = notText - 1 - n
			} else if value[0] == '"' && len(value) > 2 {
				text = int64(len(m.texts))
				m.texts = append(m.texts, plain(value))
			}
		}
	})
	if into := map[string]*table{"JS allocation": &t.js, "Native allocation": &t.native}[kind]; into != nil && at != null {
		hidden = true
		into.set("time", append(into.columns["time"], at))
		into.set("weight", append(into.columns["weight"], value(size, 0)))
		into.set("stack", append(into.columns["stack"], stackOf(stack)))
	}
	m.text, m.hidden = append(m.text, text), append(m.hidden, hidden)
}

// stackOf gives the stack of the one sample of what is written as a thread.
func stackOf(thread []byte) int64 {
	stack := int64(null)
	jsonstream.Members(thread, func(key, samples []byte) {
		if string(key) != "samples" {
			return
		}
		jsonstream.Members(samples, func(key, rows []byte) {
			if string(key) != "data" {
				return
			}
			jsonstream.Elements(rows, func(_ int, row []byte) {
				jsonstream.Elements(row, func(i int, raw []byte) {
					if i == 0 {
						stack = value(raw, 0)
					}
				})
			})
		})
	})
	return stack
}

// mark is a marker, with both halves together.
type mark struct {
	name, text   string
	categoryName string
	start, stop  int64 // equal for one that is no interval
	interval     bool
	thread       *source.CallThread
}

// marks puts the markers of a thread together, by their start.
func (r *reader) marks(t *thread, at *source.CallThread) []mark {
	m := &t.markers
	var all []mark
	open := map[int64][]int{} // name -> those without an end
	offset := t.start - r.base
	names, starts, stops, phases, categories := m.column("name"), m.column("startTime"), m.column("endTime"), m.column("phase"), m.column("category")
	for row := range int64(m.length) {
		if m.hidden[row] {
			continue
		}
		name, start, stop, phase := names.at(row), starts.at(row), stops.at(row), phases.at(row)
		if phase == null { // older profiles: an interval has an end
			if phase = instant; stop != null {
				phase = interval
			}
		}
		one := mark{name: t.string(name), categoryName: t.categoryName(categories.at(row)), start: start + offset, stop: start + offset, thread: at}
		switch s := m.text[row]; {
		case s == null:
		case s < notText:
			one.text = t.string(notText - 1 - s)
		case s < int64(len(m.texts)):
			one.text = m.texts[s]
		}
		if start == null && phase != intervalEnd || stop == null && (phase == interval || phase == intervalEnd) {
			r.untimed++
			continue
		}
		switch phase {
		case interval:
			one.stop, one.interval = max(stop+offset, one.start), true
		case intervalStart:
			open[name] = append(open[name], len(all))
			one.interval = true
		case intervalEnd:
			begun := open[name]
			if len(begun) == 0 {
				r.unpaired++
				continue
			}
			first := &all[begun[len(begun)-1]]
			first.stop = max(stop+offset, first.start)
			open[name] = begun[:len(begun)-1]
			continue
		}
		all = append(all, one)
	}
	last := int64(0)
	for _, one := range all {
		last = max(last, one.stop)
	}
	for _, begun := range open {
		r.unpaired += int64(len(begun))
		for _, i := range begun {
			all[i].stop = last
		}
	}
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.stop, a.stop)) })
	return all
}

// maxLanes bounds the threads that the markers of one make.
const maxLanes = 32

// lane is a thread of calls that are within each other.
type lane struct {
	thread *source.CallThread
	open   []int64 // ends of the calls that are not over
}

// lay makes calls of intervals, which are in the order of their start: each in
// the first lane where it is within the calls around it.
func (f *finisher) lay(t *thread, at *source.CallThread, marks []mark) {
	lanes := []*lane{{thread: at}}
	for i := range marks {
		m := &marks[i]
		if !m.interval {
			continue
		}
		var in *lane
		for _, l := range lanes {
			for n := len(l.open); n > 0 && l.open[n-1] <= m.start; n = len(l.open) {
				l.open = l.open[:n-1]
			}
			if n := len(l.open); n == 0 || l.open[n-1] >= m.stop {
				in = l
				break
			}
		}
		if in == nil {
			if in = lanes[len(lanes)-1]; len(lanes) < maxLanes {
				in = &lane{thread: f.newThread(t, len(lanes)+1)}
				lanes = append(lanes, in)
			}
		}
		in.open = append(in.open, m.stop)
		in.thread.Whole(m.start, m.stop-m.start, f.marker(m))
	}
}

// marker gives the method of calls of a marker. Of those of a page, the text is
// their name.
func (f *finisher) marker(m *mark) data.EntityID {
	name := m.name
	if name == "UserTiming" && m.text != "" {
		name = m.text
	}
	key := place{name: name, kind: ofMarker}
	id, ok := f.methods[key]
	if !ok {
		id = f.calls.AddMethod(source.Frame{Name: name})
		f.methods[key] = id
	}
	return id
}
