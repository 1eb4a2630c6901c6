package convert

import (
	"bufio"
	"strconv"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

// writeChrome writes the calls of a trace in the Trace Event Format, which
// chrome://tracing, Perfetto and many others read
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMh4h6I0nSsKchNAySU).
//
// Calls are pairs of begin and end, and not single events with a duration: who
// reads those nests them by their times, which calls that take no time defy.
// Ends are named too: the format does without, but speedscope does not.
// Processes and threads are numbered from 1, since a data set has names of them
// and no numbers.
func writeChrome(w *bufio.Writer, set *data.Set, t *trace.Trace) error {
	b := append([]byte(nil), `{"displayTimeUnit":"ns","otherData":{"exporter":"cambium","name":`...)
	b = appendText(b, set.Name)
	b = append(b, "},\n"+`"traceEvents":[`...)
	processes := map[string]int{}
	for _, thread := range t.Threads {
		if _, ok := processes[thread.Process]; !ok {
			processes[thread.Process] = len(processes) + 1
			if thread.Process != "" {
				b = metadata(b, "process_name", processes[thread.Process], 0, thread.Process)
			}
		}
	}
	for i, thread := range t.Threads {
		b = metadata(b, "thread_name", processes[thread.Process], i+1, thread.Name)
	}
	for i, thread := range t.Threads {
		of := place(nil, processes[thread.Process], i+1)
		err := eachEvent(t, thread, func(c trace.CallID, begin bool) error {
			at := t.Stop[c]
			if begin {
				at = t.Start[c]
				b = append(b, "\n"+`{"ph":"B","name":`...)
			} else {
				b = append(b, "\n"+`{"ph":"E","name":`...)
			}
			name := t.Name(c)
			if name == "" {
				name = unnamed
			}
			b = append(appendText(b, name), `,"ts":`...)
			b = append(microseconds(b, at), of...)
			_, err := w.Write(b)
			b = append(b[:0], ',')
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(b) > 1 {
		if _, err := w.Write(b[:len(b)-1]); err != nil { // there are no calls
			return err
		}
	}
	_, err := w.WriteString("\n]}\n")
	return err
}

// metadata names a process or a thread.
func metadata(b []byte, kind string, process, thread int, name string) []byte {
	b = append(b, "\n"+`{"ph":"M","name":"`...)
	b = append(b, kind...)
	b = append(b, `","args":{"name":`...)
	b = append(appendText(b, name), '}')
	return append(place(b, process, thread), ',')
}

// place ends an event with where it is.
func place(b []byte, process, thread int) []byte {
	b = append(b, `,"pid":`...)
	b = strconv.AppendInt(b, int64(process), 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendInt(b, int64(thread), 10)
	return append(b, '}')
}

// microseconds appends nanoseconds as the format has times: with three
// decimals, if there are any.
func microseconds(b []byte, ns int64) []byte {
	n := uint64(ns)
	if ns < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendUint(b, n/1000, 10)
	if part := n % 1000; part > 0 {
		b = append(b, '.', byte('0'+part/100), byte('0'+part/10%10), byte('0'+part%10))
	}
	return b
}
