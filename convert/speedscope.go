package convert

import (
	"bufio"
	"fmt"
	"math"
	"strconv"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
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
	b := append([]byte(`{"$schema":`), '"')
	b = append(b, speedscopeSchema...)
	b = append(b, `","exporter":"cambium","name":`...)
	b = appendText(b, set.Name)
	b = append(b, `,"activeProfileIndex":`...)
	b = strconv.AppendInt(b, int64(t.Preferred), 10)
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
	b = append(b, "]},\n"+`"profiles":[`...)
	for m := range t.Metrics {
		if m > 0 {
			b = append(b, ',')
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
		if err := writeSampled(w, f, m); err != nil {
			return err
		}
	}
	_, err := w.Write(append(b, "]}\n"...))
	return err
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
