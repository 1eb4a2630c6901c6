package speedscope

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// profile is one that is being read: a thread of calls, or weighted stacks.
type profile struct {
	*reader
	thread  *source.CallThread
	sampled *sampled
	unit    unit

	// Of an evented profile without times: the stack at the last event.
	open  []data.EntityID
	last  int64
	begun bool
}

func (p *profile) begin(kind, name, unitName string) {
	u, ok := units[unitName]
	if !ok {
		if unitName != "" {
			p.b.Warn("the unit %s is not known; its values are taken for counts", source.Quote([]byte(unitName)))
		}
		u = units["none"]
	}
	p.unit = u
	if kind == "evented" && u.time {
		p.thread = p.calls.Thread()
		p.evented++
		p.thread.ID = strconv.Itoa(p.evented)
		return
	}
	p.sampled = &sampled{name: name, unit: u, stacks: p.b.Spool(data.BatchRows, true), weights: p.b.Spool(data.BatchRows, false)}
	p.reader.sampled = append(p.reader.sampled, p.sampled)
}

// rename gives the profile its name, which may come last.
func (p *profile) rename(name string) {
	if p.thread != nil {
		p.thread.Name = name
	}
	if p.sampled != nil {
		p.sampled.name = name
	}
}

func (p *profile) part(key string, r *jsonstream.Reader) error {
	var element func(raw []byte)
	switch key {
	case "events":
		element = p.event
	case "samples":
		element = p.sample
	default:
		element = p.weight
	}
	if (key == "events") != (p.thread != nil) && p.thread != nil {
		return r.Skip() // samples of an evented profile
	}
	return r.Array(func() error {
		raw, err := r.Raw()
		if err == nil {
			element(raw)
		}
		return err
	})
}

// event reads {"type":"O","frame":3,"at":12.5}.
func (p *profile) event(raw []byte) {
	var kind byte
	frame, at := int64(-1), int64(0)
	timed := false
	i := 1
	for first := true; len(raw) > 0 && raw[0] == '{'; first = false {
		key, value, done, err := jsonstream.Member(raw, i, first)
		if err != nil || done {
			break
		}
		if i, err = jsonstream.Value(raw, value); err != nil {
			break
		}
		switch string(key) {
		case "type":
			if text := raw[value:i]; len(text) == 3 {
				kind = text[1]
			}
		case "frame":
			if n, ok := jsonstream.Decimal(raw[value:i], 0, maxFrame); ok {
				frame = n
			}
		case "at":
			at, timed = jsonstream.Decimal(raw[value:i], p.unit.digits, source.MaxTime)
		}
	}
	switch {
	case kind != 'O' && kind != 'C' || frame < 0:
		p.misshapen++
	case !timed:
		p.untimed++
	case p.thread == nil:
		p.pass(kind, data.EntityID(frame), at)
	case kind == 'O':
		p.thread.Begin(at, data.EntityID(frame))
	default:
		p.thread.End(at, data.EntityID(frame))
	}
}

// maxFrame bounds frame numbers: beyond them are those that mean something else.
const maxFrame = 1<<30 - 1

// pass gives the stack at the last event the weight up to this one.
func (p *profile) pass(kind byte, frame data.EntityID, at int64) {
	if p.begun && at > p.last {
		p.sampled.stack(p.top())
		p.sampled.weigh(at - p.last)
	}
	p.last, p.begun = max(at, p.last), true
	if kind == 'O' {
		p.open = append(p.open, p.stacks.Child(p.top(), frame))
		return
	}
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.stacks.Keys[p.open[i]] == frame {
			p.open = p.open[:i]
			return
		}
		if len(p.open)-i > maxSearch {
			return
		}
	}
}

// maxSearch bounds how far up a stack the beginning of an end is looked for.
const maxSearch = 1000

func (p *profile) top() data.EntityID {
	if len(p.open) == 0 {
		return data.None
	}
	return p.open[len(p.open)-1]
}

func (s *sampled) stack(at data.EntityID) {
	columns := s.stacks.Row()
	columns[0].Refs = append(columns[0].Refs, at)
}

func (s *sampled) weigh(weight int64) {
	columns := s.weights.Row()
	columns[0].Values = append(columns[0].Values, weight)
}

// sample reads [0,3,5]: frames, the outermost first.
func (p *profile) sample(raw []byte) {
	at := data.None
	if len(raw) < 2 || raw[0] != '[' {
		p.misshapen++
		raw = nil
	} else {
		raw = raw[1 : len(raw)-1]
	}
	for len(bytes.TrimLeft(raw, " \t\r\n")) > 0 {
		number, rest, _ := bytes.Cut(raw, []byte{','})
		raw = rest
		n, ok := jsonstream.Decimal(bytes.TrimSpace(number), 0, maxFrame)
		if !ok || n < 0 {
			p.misshapen++
			continue
		}
		at = p.stacks.Child(at, data.EntityID(n))
	}
	p.sampled.stack(at)
}

func (p *profile) weight(raw []byte) {
	n, ok := jsonstream.Decimal(raw, p.unit.digits, math.MaxInt64)
	if !ok {
		p.unweighted++
		n = 0
	} else if p.unit.digits == 0 && bytes.ContainsAny(raw, ".eE") {
		if v, err := strconv.ParseFloat(string(raw), 64); err == nil && v != math.Trunc(v) {
			p.rounded++
		}
	}
	p.sampled.weigh(n)
}

// finish names frames, and hands everything on.
func (r *reader) finish() error {
	missing := 0
	named := map[data.EntityID]data.EntityID{} // of frames that are not in the file
	methods := make([]data.EntityID, len(r.frames))
	for i, f := range r.frames {
		methods[i] = r.calls.Method(f)
	}
	method := func(number data.EntityID) data.EntityID {
		if int(number) < len(methods) {
			return methods[number]
		}
		id, ok := named[number]
		if !ok {
			missing++
			id = r.calls.Method(source.Frame{Name: fmt.Sprintf("<frame %d, not in the file>", number)})
			named[number] = id
		}
		return id
	}
	r.calls.Resolve = method
	contexts := make([]data.EntityID, r.stacks.Len())
	for i, parent := range r.stacks.Parents {
		if parent != data.None {
			parent = contexts[parent]
		}
		contexts[i] = r.calls.Child(parent, method(r.stacks.Keys[i]))
	}
	if err := r.samples(contexts); err != nil {
		return err
	}
	if err := r.calls.Finish(r.ctx); err != nil {
		return err
	}
	if !r.any() {
		r.b.Warn("there are no samples and no events in the file")
	}
	r.b.WarnCount(int64(missing), "%d frames that stacks refer to are not in the file")
	r.b.WarnCount(r.untimed, "%d events have no time that can be used and were left out")
	r.b.WarnCount(r.misshapen, "%d frames, events or samples are not of the form that is expected; they were left out, or have a name that says so")
	r.b.WarnCount(r.rounded, "%d weights were rounded to the nearest integer")
	r.b.WarnCount(r.unweighted, "%d weights are no numbers that can be used, and count as 0")
	return nil
}

// samples hands on the weighted stacks: profiles of one unit are one metric,
// unless they are Cambium's own, which has a profile for each metric.
func (r *reader) samples(contexts []data.EntityID) error {
	own := strings.HasPrefix(r.exporter, "cambium")
	var metrics []source.Metric
	metric := map[string]int{}
	index := make([]int, len(r.sampled))
	for i, s := range r.sampled {
		m := source.Metric{Name: "samples", Unit: "count", Description: "weight of stacks"}
		switch {
		case s.unit.time:
			m.Name, m.Unit = "time", "nanoseconds"
		case s.unit.name == "bytes":
			m.Name, m.Unit = "bytes", "bytes"
		}
		if own {
			m.Name = s.name
		}
		key := m.Name
		if own {
			key = fmt.Sprint(i)
		}
		at, ok := metric[key]
		if !ok {
			at = len(metrics)
			metric[key] = at
			metrics = append(metrics, m)
		}
		index[i] = at
	}
	preferred := 0
	if r.active >= 0 && r.active < int64(len(index)) && r.evented == 0 {
		preferred = index[r.active]
	}
	r.calls.Measure(preferred, metrics...)
	values := make([]int64, len(metrics))
	for i, s := range r.sampled {
		stacks, weights := s.stacks.Rows(), s.weights.Rows()
		if weights != stacks {
			r.b.Warn("profile %s has %d stacks and %d weights; only as many are read as have both", source.Quote([]byte(s.name)), stacks, weights)
		}
		var of data.Block
		next := 0
		err := data.Each(r.ctx, s.stacks, func(c []data.Column, k int) error {
			if next == of.Rows {
				next, of.Rows = 0, 0
				if ok, err := s.weights.Take(&of); err != nil || !ok {
					return err // there are more stacks than weights
				}
			}
			at := c[0].Refs[k]
			if at != data.None {
				at = contexts[at]
			}
			clear(values)
			values[index[i]] = of.Columns[0].Values[next]
			next++
			r.calls.Sample(at, values...)
			if len(r.sampled) > 1 && !own && s.name != "" {
				r.calls.Label("Profile", s.name)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
