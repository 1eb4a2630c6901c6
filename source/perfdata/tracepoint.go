package perfdata

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Samples of tracepoints have raw data, whose fields the kernel describes
// (format.go). Each tracepoint becomes an event type of its own, with these fields,
// beside the samples. In a file the formats come last, so raw data waits as it is.
//
// Fields become columns as those of other sources do: texts are references to Text,
// numbers of processes and threads to PID; addresses, states and the like are
// coordinates, as adding them up means nothing; other numbers are amounts.

// tracepoint collects the samples of one.
type tracepoint struct {
	rows   *data.Spool
	words  int // columns of raw data
	last   int64
	sorted bool
}

// Columns of what waits: when, the stack, the labels, how long the raw data is, and
// then the raw data, eight bytes each.
const (
	traceAt = iota
	traceContext
	traceLabels
	traceSize  = traceLabels + len(perfLabels)
	traceWords = traceSize + 1
)

var perfLabels = [...]string{"Command", "Process", "Thread", "CPU"}

// maxRaw is how much is kept of the raw data of a sample: that of most events has
// less than 100 bytes, but texts may be long.
const maxRaw = 512

const (
	typeText = "Text"
	typePID  = "PID"
)

// traced takes the raw data of a sample of a tracepoint, which was the last one.
func (r *reader) traced(a *attr, time int64, context data.EntityID, raw []byte) {
	t := a.trace
	if t == nil {
		t = &tracepoint{sorted: true, rows: r.b.Spool(data.BatchRows, false, true, true, true, true, true, false)}
		a.trace = t
	}
	if len(raw) > maxRaw {
		raw = raw[:maxRaw]
		r.longRaw++
	}
	for ; 8*t.words < len(raw); t.words++ {
		t.rows.AddColumn(false)
	}
	t.sorted = t.sorted && (t.rows.Rows() == 0 || time >= t.last)
	t.last = time
	t.rows.Row()
	t.rows.SetValue(traceAt, time)
	t.rows.SetRef(traceContext, context)
	for i, label := range r.samples.Labels() {
		t.rows.SetRef(traceLabels+i, label)
	}
	t.rows.SetValue(traceSize, int64(len(raw)))
	var word [8]byte
	for i := 0; len(raw) > 0; i++ {
		clear(word[:])
		raw = raw[copy(word[:], raw):]
		t.rows.SetValue(traceWords+i, int64(binary.LittleEndian.Uint64(word[:])))
	}
}

// tracing takes the formats.
func (r *reader) tracing(raw []byte) {
	formats, err := tracingData(r, raw, func(id uint64) bool {
		return slices.ContainsFunc(r.attrs, func(a *attr) bool { return a.isTracepoint() && a.config == id })
	})
	if err != nil {
		r.b.Warn("the descriptions of tracepoints could not be read: %v", err)
	}
	if r.formats == nil {
		r.formats = formats
	}
}

// tracer makes events of what was traced.
type tracer struct {
	*reader
	contexts []data.EntityID // told context -> context
	texts    *data.EntityBuilder
	pids     *data.EntityBuilder
	pid      map[int64]data.EntityID
	named    map[string]bool // event types
}

// finishTraced defines an event type for each tracepoint, once the types of the
// profile are.
func (r *reader) finishTraced(contexts []data.EntityID) error {
	r.b.WarnCount(r.longRaw, "the raw data of %d samples is longer than what is kept; fields at its end are missing")
	t := tracer{reader: r, contexts: contexts, pid: map[int64]data.EntityID{}, named: map[string]bool{}}
	unknown := int64(0)
	var leftOut []string
	for _, a := range r.attrs {
		if a.trace == nil {
			continue
		}
		f := r.formats[a.config]
		if f == nil || len(f.fields) == 0 {
			unknown += int64(a.trace.rows.Rows())
			continue
		}
		for _, name := range f.leftOut {
			leftOut = append(leftOut, f.name+"."+name)
		}
		if err := t.events(a, f); err != nil {
			return err
		}
	}
	r.b.WarnCount(unknown, "%d samples are of tracepoints that the recording does not describe; what their fields say is not shown")
	if n := len(leftOut); n > 0 {
		slices.Sort(leftOut)
		leftOut = slices.Compact(leftOut)
		more := ""
		if n := len(leftOut) - fewNames; n > 0 {
			leftOut, more = leftOut[:fewNames], fmt.Sprintf(" and %d more", n)
		}
		r.b.Warn("fields of tracepoints that are lists, or no numbers and texts, were left out: %s%s", strings.ToValidUTF8(strings.Join(leftOut, ", "), "\uFFFD"), more)
	}
	return nil
}

// events defines the event type of a tracepoint and hands on its events.
func (t *tracer) events(a *attr, f *format) (err error) {
	name := f.system + ":" + f.name
	if name = strings.ToValidUTF8(name, "\uFFFD"); t.named[name] {
		name = fmt.Sprintf("%s (%d)", name, len(t.named)) // recorded twice, say with other filters
	}
	t.named[name] = true
	fields := []data.Field{
		data.Value("Time", "nanoseconds", "when it happened", data.Coordinate),
		data.Ref(source.TypeContext, source.TypeContext, "the stack that it happened in"),
	}
	taken := map[string]bool{"Time": true, source.TypeContext: true}
	labels := t.samples.Used()
	for i, label := range perfLabels {
		if taken[label] = true; labels[i] {
			fields = append(fields, data.Ref(label, label, "where it happened"))
		}
	}
	own := len(fields)
	for _, field := range f.fields {
		column, err := t.column(field)
		if err != nil {
			return err
		}
		for i := 2; taken[column.Name]; i++ {
			column.Name = fmt.Sprintf("%s (%d)", field.name, i)
		}
		taken[column.Name] = true
		fields = append(fields, column)
	}
	events, err := t.b.EventType(name, "a tracepoint of the kernel", fields...)
	if err != nil {
		return err
	}
	var rows data.Rows = a.trace.rows
	if !a.trace.sorted {
		if rows, err = a.trace.rows.Sort(traceAt); err != nil {
			return err
		}
	}
	row, raw := make([]int64, 0, len(fields)), make([]byte, 0, maxRaw)
	return data.Each(t.ctx, rows, func(columns []data.Column, i int) error {
		context := columns[traceContext].Refs[i]
		if context != data.None {
			context = t.contexts[context]
		}
		row = append(row[:0], columns[traceAt].Values[i], int64(context))
		for l := range perfLabels {
			if labels[l] {
				row = append(row, int64(columns[traceLabels+l].Refs[i]))
			}
		}
		raw = raw[:0]
		for _, c := range columns[traceWords:] {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(c.Values[i]))
		}
		raw = raw[:columns[traceSize].Values[i]]
		for k := range f.fields {
			v, err := t.value(&f.fields[k], fields[own+k].Refers, raw)
			if err != nil {
				return err
			}
			row = append(row, v)
		}
		return events.Add(row...)
	})
}

// column gives the column of a field, and defines the entities that it refers to.
func (t *tracer) column(f traceField) (data.Field, error) {
	define := func(e **data.EntityBuilder, name, description string) (err error) {
		if *e == nil {
			*e, err = t.b.EntityType(name, description)
		}
		return err
	}
	name := cmp.Or(strings.ToValidUTF8(f.name, "\uFFFD"), "field")
	switch {
	case f.does >= fixedText:
		return data.Ref(name, typeText, ""), define(&t.texts, typeText, "what the fields that are texts say")
	case strings.HasSuffix(name, "pid") || strings.HasSuffix(name, "tid") || name == "tgid":
		return data.Ref(name, typePID, ""), define(&t.pids, typePID, "a process or a thread, by its number")
	case !f.amount:
		return data.Value(name, "", "", data.Coordinate), nil
	}
	unit := data.Unit("count")
	if strings.Contains(name, "bytes") || name == "len" || strings.HasSuffix(name, "size") {
		unit = "bytes"
	}
	return data.Value(name, unit, "", data.Amount), nil
}

// value gives a field of raw data as its column has it.
func (t *tracer) value(f *traceField, refers string, raw []byte) (int64, error) {
	switch refers {
	case typeText:
		said := f.text(t.reader, raw)
		if len(said) == 0 {
			return int64(data.None), nil
		}
		id, err := t.texts.Intern(strings.ToValidUTF8(string(said), "\uFFFD"))
		return int64(id), err
	case typePID:
		n := f.number(t.reader, raw)
		id, ok := t.pid[n]
		if !ok {
			var err error
			if id, err = t.pids.Intern(strconv.FormatInt(n, 10)); err != nil {
				return 0, err
			}
			t.pid[n] = id
		}
		return int64(id), nil
	}
	return f.number(t.reader, raw), nil
}
