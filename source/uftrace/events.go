package uftrace

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// Events: what uftrace read or watched at a call, with what it measured, and
// when threads came to a processor and left it. Each kind is an event type.

// Numbers of events (enum uftrace_event_id of uftrace.h). Below firstEvent are
// the kernel's own.
const (
	firstEvent     = 100000
	firstUserEvent = 1000000
	externalData   = 2000000
)

// measured are the events whose data is known, from firstEvent + 1 on; all data
// are words, but that of watches.
var measured = [...]struct {
	name, description string
	fields            []data.Field
}{
	{"read:proc/statm", "the memory of the process", memory(data.Coordinate)},
	{"read:page-fault", "the page faults of the process so far", faults(data.Coordinate)},
	{"diff:proc/statm", "how a call changed the memory of the process", memory(data.Amount)},
	{"diff:page-fault", "the page faults during a call", faults(data.Amount)},
	{"read:pmu-cycle", "the cycles and instructions of the thread so far", counts(data.Coordinate, "cycles", "instructions")},
	{"diff:pmu-cycle", "the cycles and instructions of a call", counts(data.Amount, "cycles", "instructions")},
	{"read:pmu-cache", "the uses of the cache of the thread so far", counts(data.Coordinate, "references", "misses")},
	{"diff:pmu-cache", "the uses of the cache of a call", counts(data.Amount, "references", "misses")},
	{"read:pmu-branch", "the branches of the thread so far", counts(data.Coordinate, "branches", "misses")},
	{"diff:pmu-branch", "the branches of a call", counts(data.Amount, "branches", "misses")},
	{"watch:cpu", "a thread is on another processor than before", []data.Field{data.Value("CPU", "", "the processor", data.Coordinate)}},
	{"watch:var", "a variable has another value than before", []data.Field{
		data.Value("Address", "", "where the variable is", data.Coordinate), data.Value("Value", "", "what it holds", data.Coordinate)}},
}

const (
	watchCPU = firstEvent + 11
	watchVar = firstEvent + 12
)

func memory(p data.Property) []data.Field {
	return []data.Field{
		data.Value("vmsize", "bytes", "address space", p),
		data.Value("vmrss", "bytes", "memory in use", p),
		data.Value("shared", "bytes", "memory in use that is shared", p),
	}
}

func faults(p data.Property) []data.Field { return counts(p, "major", "minor") }

func counts(p data.Property, names ...string) []data.Field {
	var fields []data.Field
	for _, name := range names {
		fields = append(fields, data.Value(name, "count", "", p))
	}
	return fields
}

// events are those of one number.
type events struct {
	id     uint64
	rows   *data.Spool
	fields []data.Field // beside those that all have
}

// Columns of events: when, where, and then what was measured.
const (
	eventAt = iota
	eventThread
	eventMethod // the function that was called, or returned, last
	eventFields
)

// maxEventTypes bounds the numbers of events; there is one for each probe.
const maxEventTypes = 1000

// event takes an event of a thread. payload may be nil.
func (r *reader) event(thread int, id, time uint64, method data.EntityID, payload []byte) {
	if id < firstEvent {
		r.kernelEvents++
		return
	}
	e := r.events[id]
	if e == nil {
		if len(r.events) == maxEventTypes {
			r.leftEvents++
			return
		}
		e = &events{id: id, rows: r.b.Spool(data.BatchRows, false, true, true)}
		if n := id - firstEvent - 1; n < uint64(len(measured)) {
			e.fields = measured[n].fields
		}
		for range e.fields {
			e.rows.AddColumn(false)
		}
		r.events[id] = e
	}
	columns := e.rows.Row()
	columns[eventAt].Values = append(columns[eventAt].Values, int64(time))
	columns[eventThread].Refs = append(columns[eventThread].Refs, data.EntityID(thread))
	columns[eventMethod].Refs = append(columns[eventMethod].Refs, method)
	for i, f := range e.fields {
		var v int64
		switch {
		case id == watchCPU && len(payload) >= 4:
			v = int64(int32(binary.LittleEndian.Uint32(payload)))
		case id == watchVar && i == 1: // of as many bytes as the variable has
			var word [wordSize]byte
			copy(word[:], payload)
			v, payload = int64(binary.LittleEndian.Uint64(word[:])), nil
		case len(payload) >= wordSize:
			v, payload = int64(binary.LittleEndian.Uint64(payload)), payload[wordSize:]
			if f.Unit == "bytes" {
				v = min(max(v, -source.MaxTime>>10), source.MaxTime>>10) << 10 // they are told in KiB
			}
		}
		column := &columns[eventFields+i]
		column.Values = append(column.Values, v)
	}
}

// eventNames reads lines such as EVENT: 1000000 provider:name.
func (t *tables) eventNames(text []byte) {
	for line := range strings.Lines(string(text)) {
		number, name, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "EVENT:")), " ")
		if id, err := strconv.ParseUint(number, 10, 64); err == nil && strings.HasPrefix(line, "EVENT:") && name != "" {
			t.events[id] = name
		}
	}
}

// finishEvents defines event types, and hands on their events in the order of
// time.
func (r *reader) finishEvents(methods []data.EntityID) error {
	r.b.WarnCount(r.kernelEvents, "%d events of the kernel were left out, as what they hold is told elsewhere")
	r.b.WarnCount(r.leftEvents, "%d events were left out, as there are too many different ones")
	ids := make([]uint64, 0, len(r.events))
	for id := range r.events {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	taken := map[string]bool{}
	for _, id := range ids {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		e := r.events[id]
		name, description := r.tables.events[id], "an event that the program told"
		switch n := id - firstEvent - 1; {
		case n < uint64(len(measured)):
			name, description = measured[n].name, measured[n].description
		case id == externalData:
			name = "external-data"
		case name == "":
			name = fmt.Sprintf("event %d", id)
		}
		if name = strings.ToValidUTF8(name, "\uFFFD"); taken[name] {
			name = fmt.Sprintf("%s (%d)", name, id)
		}
		taken[name] = true
		fields := append([]data.Field{
			data.Value("Time", "nanoseconds", "when it happened", data.Coordinate),
			data.Ref(source.TypeThread, source.TypeThread, "the thread it happened on"),
			data.Ref(source.TypeMethod, source.TypeMethod, "the function that was called, or returned, last"),
		}, e.fields...)
		columns := make([]int, len(fields))
		for i := range columns {
			columns[i] = i
		}
		table, err := r.b.EventType(name, description, fields...)
		if err != nil {
			return err
		}
		rows, err := e.rows.Sort(eventAt)
		if err != nil {
			return err
		}
		if err := table.AdoptSpool(rows, columns, func(_ int, columns []data.Column) error {
			for i, thread := range columns[eventThread].Refs {
				columns[eventThread].Refs[i] = r.threads[r.order[thread]].Entity()
			}
			for i, number := range columns[eventMethod].Refs {
				if number != data.None {
					columns[eventMethod].Refs[i] = methods[number]
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
