package uftrace

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// When threads come to a processor and leave it is in perf-cpuN.dat, a file per
// processor: records as the kernel writes them (perf_event_open(2)), each with
// its thread and time at the end. Those of new and ended tasks, and of their
// names, are passed over.

const (
	switchHeader = 8
	recordSwitch = 14
	switchTrail  = 16 // process, thread, time
	switchOut    = 1 << 13
	switchTaken  = 1 << 14
)

// Columns of switches.
const (
	switchAt = iota
	switchThread
	switchState
	switchCPU
)

// What happens to a thread.
const (
	stateIn = iota
	stateOut
	statePreempted
)

var switchStates = []string{"in", "out", "out (pre-empted)"}

// processor reads the file of a processor.
func (r *reader) processor(base string, in io.Reader) error {
	cpu, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(base, "perf-cpu"), ".dat"), 10, 64)
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10) // a record's size has 16 bits
	for n := int64(0); ; n++ {
		if n%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if _, err := io.ReadFull(in, buf[:switchHeader]); err == io.EOF {
			return nil
		} else if err != nil {
			return r.cutOff(base, err)
		}
		kind, misc, size := binary.LittleEndian.Uint32(buf), binary.LittleEndian.Uint16(buf[4:]), int(binary.LittleEndian.Uint16(buf[6:]))
		if size < switchHeader {
			r.b.Warn("%s: record %d is damaged; what follows was left out", base, n+1)
			_, err := io.Copy(io.Discard, in)
			return err
		}
		if _, err := io.ReadFull(in, buf[switchHeader:size]); err != nil {
			return r.cutOff(base, err)
		}
		if kind != recordSwitch || size < switchHeader+switchTrail {
			continue
		}
		at := buf[size-switchTrail:]
		tid, time := binary.LittleEndian.Uint32(at[4:]), binary.LittleEndian.Uint64(at[8:])
		if tid == 0 || time > source.MaxTime {
			continue
		}
		state := data.EntityID(stateIn)
		switch {
		case misc&switchOut == 0:
		case misc&switchTaken != 0:
			state = statePreempted
		default:
			state = stateOut
		}
		if r.switches == nil {
			r.switches = r.b.Spool(data.BatchRows, false, true, true, false)
		}
		r.switched[tid] = true
		columns := r.switches.Row()
		columns[switchAt].Values = append(columns[switchAt].Values, int64(time))
		columns[switchThread].Refs = append(columns[switchThread].Refs, data.EntityID(tid))
		columns[switchState].Refs = append(columns[switchState].Refs, state)
		columns[switchCPU].Values = append(columns[switchCPU].Values, cpu)
	}
}

// cutOff warns of a file that ends within a record, unless it is the archive that
// ends there.
func (r *reader) cutOff(base string, err error) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	r.b.Warn("%s ends within a record", base)
	return nil
}

// finishSwitches defines the event type of switches, if there are some of threads
// that are traced.
func (r *reader) finishSwitches() error {
	if r.switches == nil {
		return nil
	}
	states, err := r.b.EntityType("Scheduling", "what happens to a thread")
	if err != nil {
		return err
	}
	if err := states.Adopt(switchStates, len(switchStates)); err != nil {
		return err
	}
	events, err := r.b.EventType("Switch", "a thread came to a processor, or left it",
		data.Value("Time", "nanoseconds", "when it happened", data.Coordinate),
		data.Ref(source.TypeThread, source.TypeThread, "the thread"),
		data.Ref("Scheduling", "Scheduling", "whether it came, went to wait, or had to go"),
		data.Value("CPU", "", "the processor", data.Coordinate),
		data.Value("Off CPU", "nanoseconds", "of a thread that comes: since it left", data.Amount))
	if err != nil {
		return err
	}
	rows, err := r.switches.Sort(switchAt)
	if err != nil {
		return err
	}
	left := map[data.EntityID]int64{} // thread -> when it left
	var others int64
	if err := data.Each(r.ctx, rows, func(columns []data.Column, i int) error {
		tid, state, at := columns[switchThread].Refs[i], columns[switchState].Refs[i], columns[switchAt].Values[i]
		t := r.threads[fmt.Sprint(tid)]
		if t == nil {
			others++
			return nil
		}
		off := int64(0)
		if state != stateIn {
			left[tid] = at
		} else if since, ok := left[tid]; ok {
			off = at - since
			delete(left, tid)
		}
		return events.Add(at, int64(t.Entity()), int64(state), columns[switchCPU].Values[i], off)
	}); err != nil {
		return err
	}
	r.b.WarnCount(others, "%d switches between threads are of threads without a trace, and were left out")
	return nil
}
