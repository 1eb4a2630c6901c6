package convert

import (
	"bufio"
	"fmt"
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// checkWeights finds what speedscope refuses ("Samples must have positive
// weights"), and with it the whole file.
func checkWeights(t *cct.Tree) error {
	for m, self := range t.Self {
		for n, v := range self {
			if v < 0 {
				return fmt.Errorf("%q is %d in context %d, and speedscope refuses negative weights", t.Metrics[m].Name, v, n)
			}
		}
	}
	return nil
}

// speedscopeUnit gives speedscope's name of a unit.
func speedscopeUnit(u data.Unit) string {
	switch u {
	case "nanoseconds", "nanosecond", "ns":
		return "nanoseconds"
	case "microseconds", "microsecond", "us", "µs", "μs":
		return "microseconds"
	case "milliseconds", "millisecond", "ms":
		return "milliseconds"
	case "seconds", "second", "s":
		return "seconds"
	case "bytes", "byte", "B":
		return "bytes"
	}
	return "none"
}

func writeSpeedscope(w *bufio.Writer, set *data.Set, t *cct.Tree) error {
	f := newFrames(set, t)
	if err := writeFrames(w, set, f, t.Preferred); err != nil {
		return err
	}
	for m := range t.Metrics {
		if err := separate(w, m); err != nil {
			return err
		}
		if err := writeSampled(w, f, m); err != nil {
			return err
		}
	}
	_, err := w.WriteString("]}\n")
	return err
}

// separate writes the comma before all elements of a list but the first.
func separate(w *bufio.Writer, i int) error {
	if i == 0 {
		return nil
	}
	return w.WriteByte(',')
}

// writeFrames writes what comes before the profiles.
func writeFrames(w *bufio.Writer, set *data.Set, f *frames, active int) error {
	b := append([]byte(`{"$schema":`), '"')
	b = append(b, speedscopeSchema...)
	b = append(b, `","exporter":"cambium","name":`...)
	b = appendText(b, set.Name)
	b = append(b, `,"activeProfileIndex":`...)
	b = strconv.AppendInt(b, int64(active), 10)
	b = append(b, `,"shared":{"frames":[`...)
	for i, m := range f.methods {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n"+`{"name":`...)
		b = appendText(b, f.name(m))
		if file := f.fileOf(m); file != data.None {
			b = append(b, `,"file":`...)
			b = appendText(b, f.files.NameOf(file))
		}
		if line := f.lineOf(m); line > 0 {
			b = append(b, `,"line":`...)
			b = strconv.AppendInt(b, line, 10)
		}
		b = append(b, '}')
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	_, err := w.Write(append(b, "]},\n"+`"profiles":[`...))
	return err
}

// writeCalls writes a trace: a profile for each thread, whose events are the
// beginnings and ends of its calls.
func writeCalls(w *bufio.Writer, set *data.Set, t *trace.Trace) error {
	f := framesOf(set, t.Methods, t.Method)
	if err := writeFrames(w, set, f, 0); err != nil {
		return err
	}
	var b []byte
	for i, thread := range t.Threads {
		name := thread.Name
		if thread.Process != "" && len(t.Threads) > 1 {
			name = thread.Process + " / " + name
		}
		if err := separate(w, i); err != nil {
			return err
		}
		b = append(b[:0], "\n"+`{"type":"evented","name":`...)
		b = appendText(b, name)
		b = append(b, `,"unit":"nanoseconds","startValue":`...)
		b = strconv.AppendInt(b, t.From, 10)
		b = append(b, `,"endValue":`...)
		b = strconv.AppendInt(b, t.To, 10)
		b = append(b, `,"events":[`...)
		first := true
		err := eachEvent(t, thread, func(c trace.CallID, begin bool) error {
			if !first {
				b = append(b, ',')
			}
			first = false
			at := t.Stop[c]
			if begin {
				at = t.Start[c]
				b = append(b, "\n"+`{"type":"O","frame":`...)
			} else {
				b = append(b, "\n"+`{"type":"C","frame":`...)
			}
			b = strconv.AppendInt(b, int64(f.numberOf(t.Method[c])), 10)
			b = append(b, `,"at":`...)
			b = strconv.AppendInt(b, at, 10)
			b = append(b, '}')
			_, err := w.Write(b)
			b = b[:0]
			return err
		})
		if err != nil {
			return err
		}
		if _, err := w.Write(append(b, "]}"...)); err != nil {
			return err
		}
	}
	_, err := w.WriteString("]}\n")
	return err
}

// eachEvent calls f for the beginnings and ends of the calls of a thread, in
// the order in which they nest. Times never fall.
func eachEvent(t *trace.Trace, thread trace.Thread, f func(c trace.CallID, begin bool) error) error {
	var open []trace.CallID
	close := func(until trace.CallID) error {
		for len(open) > 0 && t.End[open[len(open)-1]] <= until {
			if err := f(open[len(open)-1], false); err != nil {
				return err
			}
			open = open[:len(open)-1]
		}
		return nil
	}
	for c := thread.First; c < thread.End; c++ {
		if err := close(c); err != nil {
			return err
		}
		if err := f(c, true); err != nil {
			return err
		}
		open = append(open, c)
	}
	return close(thread.End)
}

// writeSampled writes the profile of a metric: its stacks, then their weights.
func writeSampled(w *bufio.Writer, f *frames, metric int) error {
	t, self := f.tree, f.tree.Self[metric]
	var sum int64
	for _, v := range self { // none is negative
		if sum += v; sum < 0 {
			sum = math.MaxInt64
			break
		}
	}
	b := append([]byte(nil), "\n"+`{"type":"sampled","name":`...)
	b = appendText(b, t.Metrics[metric].Name)
	b = append(b, `,"unit":`...)
	b = appendText(b, speedscopeUnit(t.Metrics[metric].Unit))
	b = append(b, `,"startValue":0,"endValue":`...)
	b = strconv.AppendInt(b, sum, 10)
	b = append(b, `,"samples":[`...)
	if _, err := w.Write(b); err != nil {
		return err
	}
	var p path
	separator := "\n["
	for n := range cct.NodeID(t.Len()) {
		if k := above(t, n); k >= 0 {
			p.cut(k)
			if k > 0 {
				p.text = append(p.text, ',')
			}
			p.text = strconv.AppendInt(p.text, int64(f.number(n)), 10)
			p.pushed()
		}
		if self[n] == 0 {
			continue
		}
		if _, err := w.WriteString(separator); err != nil {
			return err
		}
		separator = "],\n["
		if _, err := w.Write(p.text); err != nil {
			return err
		}
	}
	closing := "]"
	if separator == "\n[" { // there was none
		closing = ""
	}
	b = append(b[:0], closing...)
	b = append(b, "],\n"+`"weights":[`...)
	first := true
	for _, v := range self {
		if v == 0 {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = strconv.AppendInt(b, v, 10)
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	_, err := w.Write(append(b, "]}"...))
	return err
}
