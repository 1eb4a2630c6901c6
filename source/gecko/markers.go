package gecko

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// Markers wait as what happened does, see [series]. Beside their columns they have
// one for their text, which is that of the member name of what they hold: markers
// of the page (UserTiming) and of texts have it. It is null, hidden, the number of
// one of the resolver's texts, or string s of the thread as notText - 1 - s.
const (
	textColumn = "(text)"
	hidden     = null + 1 // the marker stands in another table
	notText    = -1
)

// Phases of markers.
const (
	instant = iota
	interval
	intervalStart
	intervalEnd
)

// markers reads the markers of a thread.
func (r *reader) markers(t *thread) error {
	return r.columns(&t.markers, markerColumns, func(key string, order schema) (bool, error) {
		if key != "data" {
			return false, nil
		}
		into := t.markers.begin(textColumn)
		if order == nil { // a column
			return true, r.Array(func() error {
				raw, err := r.Raw()
				if err == nil {
					into.add(r.payload(t, raw, null))
				}
				return err
			})
		}
		start, timed := order["startTime"]
		return true, r.data(&t.markers, markerColumns, order, func(raw []byte, row []int64) bool {
			at := int64(null)
			if timed && start >= 0 && start < len(row) {
				at = row[start]
			}
			text := r.payload(t, raw, at)
			if text == hidden {
				return false
			}
			into.add(text)
			return true
		})
	})
}

// payload takes what a marker holds, and gives its text. Allocations are markers
// in Gecko profiles.
func (r *reader) payload(t *thread, raw []byte, at int64) int64 {
	text := int64(null)
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
				text = int64(r.markTexts.of(plain(value)))
			}
		}
	})
	var into *series
	switch kind {
	case "JS allocation":
		into = &t.js
	case "Native allocation":
		into = &t.native
	}
	if into != nil && at != null {
		into.again("time").add(at)
		into.again("weight").add(whole(size))
		into.again("stack").add(stackOf(stack))
		return hidden
	}
	return text
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
						stack = whole(raw)
					}
				})
			})
		})
	})
	return stack
}

// Columns of the markers of a thread while they are put in order: by their start,
// of one start the longest first, and then as they were told.
const (
	laidStart = iota
	laidStop  // negative
	laidRow
	laidName
	laidText
	laidTopic
	laidInterval
)

// mark is a marker, with both halves together.
type mark struct {
	start, stop int64 // equal for one that is no interval
	row         int64
	markID
	topic    data.EntityID
	interval bool
}

// markID is what a marker is about.
type markID struct{ name, text data.EntityID }

// marked puts the markers of a thread together and hands them on.
func (f *resolver) marked(t *thread, at data.EntityID) error {
	laid := f.b.Spool(seriesRows, false, false, false, true, true, true, true)
	last := int64(0)
	put := func(m *mark) {
		c := laid.Row()
		c[laidStart].Values = append(c[laidStart].Values, m.start)
		c[laidStop].Values = append(c[laidStop].Values, -m.stop)
		c[laidRow].Values = append(c[laidRow].Values, m.row)
		c[laidName].Refs = append(c[laidName].Refs, m.name)
		c[laidText].Refs = append(c[laidText].Refs, m.text)
		c[laidTopic].Refs = append(c[laidTopic].Refs, m.topic)
		is := data.EntityID(0)
		if m.interval {
			is = 1
		}
		c[laidInterval].Refs = append(c[laidInterval].Refs, is)
		last = max(last, m.stop)
	}
	open := map[int64][]mark{} // name -> those without an end
	number := int64(0)
	err := t.markers.each(f.ctx, []string{"name", "startTime", "endTime", "phase", "category", textColumn}, func(row []int64) error {
		name, start, stop, phase, text := row[0], row[1], row[2], row[3], row[5]
		number++
		if text == hidden {
			return nil
		}
		if phase == null { // older profiles: an interval has an end
			if phase = instant; stop != null {
				phase = interval
			}
		}
		if start == null && phase != intervalEnd || stop == null && (phase == interval || phase == intervalEnd) {
			f.untimed++
			return nil
		}
		if phase == intervalEnd {
			begun := open[name]
			if len(begun) == 0 {
				f.unpaired++
				return nil
			}
			m := begun[len(begun)-1]
			open[name] = begun[:len(begun)-1]
			m.stop = max(f.since(t, stop), m.start)
			put(&m)
			return nil
		}
		m := mark{start: f.since(t, start), row: number, topic: f.markTopics.of(t.categoryName(row[4]))}
		m.name, m.stop = f.markNames.of(t.string(name)), m.start
		switch {
		case text == null:
			m.text = data.None
		case text < notText:
			m.text = f.markTexts.of(t.string(notText - 1 - text))
		default:
			m.text = data.EntityID(text)
		}
		switch phase {
		case interval:
			m.stop, m.interval = max(f.since(t, stop), m.start), true
		case intervalStart:
			m.interval = true
			last = max(last, m.start)
			open[name] = append(open[name], m)
			return nil
		}
		put(&m)
		return nil
	})
	if err != nil {
		return err
	}
	end := last
	for _, begun := range open {
		f.unpaired += int64(len(begun))
		for i := range begun {
			begun[i].stop = end
			put(&begun[i])
		}
	}
	if laid.Rows() == 0 {
		laid.Drop()
		return nil
	}
	f.lanes[at].Keep()
	rows, err := laid.Sort(laidStart, laidStop, laidRow)
	if err != nil {
		return err
	}
	lanes := []*lane{{thread: f.lanes[at]}}
	return data.Each(f.ctx, rows, func(c []data.Column, i int) error {
		m := mark{start: c[laidStart].Values[i], stop: -c[laidStop].Values[i], markID: markID{c[laidName].Refs[i], c[laidText].Refs[i]}}
		if c[laidInterval].Refs[i] == 1 {
			lanes = f.lay(t, lanes, &m)
		}
		to := f.marks.Row()
		to[markStart].Values = append(to[markStart].Values, m.start)
		to[markTook].Values = append(to[markTook].Values, m.stop-m.start)
		to[markName].Refs = append(to[markName].Refs, m.name)
		to[markText].Refs = append(to[markText].Refs, m.text)
		to[markTopic].Refs = append(to[markTopic].Refs, c[laidTopic].Refs[i])
		to[markLane].Refs = append(to[markLane].Refs, at)
		return nil
	})
}

// maxLanes bounds the threads that the markers of one make.
const maxLanes = 32

// lane is a thread of calls that are within each other.
type lane struct {
	thread *source.CallThread
	open   []int64 // ends of the calls that are not over
}

// lay makes a call of an interval, which come in the order of their start: in the
// first lane where it is within the calls around it.
func (f *resolver) lay(t *thread, lanes []*lane, m *mark) []*lane {
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
			in = &lane{thread: f.lanes[f.newLane(t, len(lanes)+1)]}
			lanes = append(lanes, in)
		}
	}
	in.open = append(in.open, m.stop)
	in.thread.Whole(m.start, m.stop-m.start, f.markMethod(m.markID))
	return lanes
}

// markMethod gives the method of calls of a marker. Of those of a page, the text
// is their name.
func (f *resolver) markMethod(is markID) data.EntityID {
	name := f.markNames.at(is.name)
	if name == "UserTiming" && is.text != data.None {
		name = f.markTexts.at(is.text)
	} else {
		is.text = data.None
	}
	id, ok := f.named[is]
	if ok {
		return id
	}
	key := place{name: name, marker: true}
	if id, ok = f.methods[key]; !ok {
		id = f.calls.AddMethod(source.Frame{Name: name})
		f.methods[key] = id
	}
	f.named[is] = id
	return id
}
