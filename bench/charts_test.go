package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/viz"
)

// Events of charts: as many as the largest trace of the EVolve thesis has, with
// the locations and methods of the trace of Xalan in the recorded data.
const (
	traceEvents    = 17_400_000
	traceLocations = 2542
	traceMethods   = 1131
)

// trace is made once per process: it takes longer than what is measured.
var trace = sync.OnceValues(func() (*viz.Workspace, error) {
	set, err := makeTrace(traceEvents)
	if err != nil {
		return nil, err
	}
	w, err := viz.NewWorkspace(context.Background(), set)
	if err == nil {
		w.Program() // once per data set, when it is read
	}
	return w, err
})

// makeTrace makes up a trace of invocations. As in recorded ones, the program
// runs in loops: a body of some locations is repeated some hundred times, and
// mostly the next body is one that ran before. One location in forty is
// polymorphic, and a hundred and thirty bytecodes pass in ten invocations.
func makeTrace(events int) (*data.Set, error) {
	r := rand.New(rand.NewPCG(3, 5))
	targets := make([][]data.EntityID, traceLocations)
	for i := range targets {
		n := 1
		if r.IntN(40) == 0 {
			n = 2 + r.IntN(6)
		}
		for range n {
			targets[i] = append(targets[i], data.EntityID(r.IntN(traceMethods)))
		}
	}
	bytecode := make([]int64, 0, events)
	locations, methods := make([]data.EntityID, 0, events), make([]data.EntityID, 0, events)
	var bodies [][]data.EntityID
	at := int64(0)
	for len(bytecode) < events {
		var body []data.EntityID
		if len(bodies) > 50 && r.IntN(10) > 0 {
			body = bodies[int(float64(len(bodies))*r.Float64()*r.Float64())]
		} else {
			first := r.IntN(traceLocations)
			for range 3 + r.IntN(40) {
				body = append(body, data.EntityID((first+r.IntN(60))%traceLocations))
			}
			bodies = append(bodies, body)
		}
		for range 1 + r.IntN(400) {
			for _, l := range body {
				if len(bytecode) == events {
					break
				}
				at += int64(1 + r.IntN(25))
				bytecode = append(bytecode, at)
				locations = append(locations, l)
				methods = append(methods, targets[l][r.IntN(len(targets[l]))])
			}
		}
	}
	b := data.NewBuilder("made-up trace", "bench")
	m, err := b.EntityType("Method", "")
	if err != nil {
		return nil, err
	}
	for i := range traceMethods {
		if _, err := m.Add(fmt.Sprintf("org.example.p%d.Class%d.method%d(I)V", i%17, i%131, i)); err != nil {
			return nil, err
		}
	}
	l, err := b.EntityType("Location", "", data.Ref("Caller", "Method", ""))
	if err != nil {
		return nil, err
	}
	for i := range traceLocations {
		caller := i * traceMethods / traceLocations
		if _, err := l.Add(fmt.Sprintf("org.example.p%d.Class%d.method%d(I)V#%d", caller%17, caller%131, caller, i), int64(caller)); err != nil {
			return nil, err
		}
	}
	e, err := b.EventType("Invocation", "", data.Value("Bytecode", "", "", data.Coordinate), data.Ref("Location", "Location", ""), data.Ref("Method", "Method", ""))
	if err != nil {
		return nil, err
	}
	if err := e.Adopt(events, data.Column{Values: bytecode}, data.Column{Refs: locations}, data.Column{Refs: methods}); err != nil {
		return nil, err
	}
	return b.Finish()
}

// charts are the seven of the thesis (appendix B), and what else is of interest.
var charts = []struct {
	name string
	spec viz.ChartSpec
}{
	{"table", viz.ChartSpec{View: "table", Map: map[string]string{"left": "Method"}}},
	{"hotspot", viz.ChartSpec{View: "hotspot", Map: map[string]string{"x": "Bytecode", "y": "Location"}}},
	{"hotspot-amount", viz.ChartSpec{View: "hotspot", Map: map[string]string{"x": "count", "y": "Method"}}},
	{"bar-vertical", viz.ChartSpec{View: "bar", Map: map[string]string{"x": "Method", "y": "count"}}},
	{"bar", viz.ChartSpec{View: "bar", Map: map[string]string{"x": "count", "y": "Location"}}},
	{"correlation", viz.ChartSpec{View: "correlation", Map: map[string]string{"x": "Location", "y": "Method"}}},
	{"prediction", viz.ChartSpec{View: "prediction", Map: map[string]string{"x": "Bytecode", "y": "Location", "prediction": "Method"}}},
	{"prediction-two", viz.ChartSpec{View: "prediction", Params: map[string]string{"predictor": "last-8", "against": "path-history"},
		Map: map[string]string{"x": "Bytecode", "y": "Location", "prediction": "Method"}}},
	{"hotspot-1000", viz.ChartSpec{View: "hotspot", Params: map[string]string{"interval": "1000"}, Map: map[string]string{"x": "Bytecode", "y": "Location"}}},
}

// seven is how many of charts are those of the thesis.
const seven = 7

// groups are two colour groups by name, as a person makes them.
var groups = []viz.Group{
	{Name: "p3", Filter: `Method matches "p3\\."`, Color: 0xff0000ff},
	{Name: "even", Filter: `Location matches "[02468]$"`, Color: 0x00ff00ff},
}

// pass opens charts that are not kept, because of the filter's number.
func pass(b *testing.B, specs []viz.ChartSpec, filter string, groups []viz.Group) {
	b.Helper()
	w, err := trace()
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	var took, worked []time.Duration
	for b.Loop() {
		runtime.GC() // of what the pass before made
		n++
		shared := viz.Shared{Filter: filter, Groups: append(groups, viz.Group{Hidden: true})[:len(groups)]}
		// A period as wide as everything makes a chart of its own.
		fresh := slices.Clone(specs)
		for i := range fresh {
			fresh[i].Period = &viz.Period{From: int64(-n), To: 1 << 60}
		}
		start, cpu := time.Now(), sourcetest.ProcessorTime()
		open, err := w.Charts(context.Background(), fresh, shared, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range open {
			if _, err := c.Scene(viz.View{Viewport: viz.Viewport{Width: 900, Height: 600}}, shared); err != nil {
				b.Fatal(err)
			}
		}
		took, worked = append(took, time.Since(start)), append(worked, sourcetest.ProcessorTime()-cpu)
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(0, "ns/op") // it includes collecting garbage
	b.ReportMetric(traceEvents/worked[len(worked)/2].Seconds()/1e6, "M-events/cpu-s")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "median-ms")
	b.ReportMetric(took[0].Seconds()*1000, "best-ms")
}

// BenchmarkChart feeds each chart on its own from all events, with one core,
// and draws it.
func BenchmarkChart(b *testing.B) {
	for _, with := range []string{"", "-groups"} {
		for _, c := range charts {
			b.Run(c.name+with, func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				var coloured []viz.Group
				if with != "" {
					coloured = groups
				}
				pass(b, []viz.ChartSpec{c.spec}, "", coloured)
			})
		}
	}
}

// BenchmarkSevenCharts feeds all seven charts from one pass and draws them: as
// they are, filtered anew, and coloured anew.
func BenchmarkSevenCharts(b *testing.B) {
	var specs []viz.ChartSpec
	for _, c := range charts[:seven] {
		specs = append(specs, c.spec)
	}
	for cores := 1; cores <= runtime.NumCPU(); cores *= 2 {
		for name, of := range map[string]struct {
			filter string
			groups []viz.Group
		}{
			"all": {}, "filter": {`Location matches "p[1-5]\\."`, nil}, "groups": {"", groups},
			"period": {"Bytecode in 50000000..60000000", nil},
		} {
			b.Run(name+"/cores="+strconv.Itoa(cores), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				pass(b, specs, of.filter, of.groups)
			})
		}
	}
}

// BenchmarkMemory reads the trace as a file and tells how much the data set
// takes for each byte of the columns of its events: 8 for the bytecode and 4 for
// each of location and method.
func BenchmarkMemory(b *testing.B) {
	w, err := trace()
	if err != nil {
		b.Fatal(err)
	}
	heap := func() float64 {
		runtime.GC()
		runtime.GC() // what a pool held the first time
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	for b.Loop() {
		before := heap()
		out, in := io.Pipe()
		go func() { in.CloseWithError(writeTrace(in, w.Set)) }()
		input, err := source.NewInput(context.Background(), "trace", out, 0)
		if err != nil {
			b.Fatal(err)
		}
		set, err := source.Read(context.Background(), input)
		if err != nil {
			b.Fatal(err)
		}
		input.Close()
		if n := set.Event("Invocation").Rows(); n != traceEvents {
			b.Fatalf("%d events", n)
		}
		b.ReportMetric((heap()-before)/(traceEvents*(8+4+4)), "bytes/column-byte")
		runtime.KeepAlive(set)
	}
}

// writeTrace writes a trace as the thesis has it (table 5.1).
func writeTrace(out io.Writer, set *data.Set) error {
	f := bufio.NewWriterSize(out, 1<<20)
	for _, kind := range []string{"Method", "Location"} {
		for id, name := range set.Entity(kind).Names {
			fmt.Fprintf(f, "%c: %s %d\n", kind[0], name, id)
		}
	}
	events := set.Event("Invocation").Columns
	line := []byte(nil)
	for i, at := range events[0].Values {
		line = strconv.AppendInt(append(line[:0], "I: "...), at, 10)
		line = strconv.AppendInt(append(line, ' '), int64(events[1].Refs[i]), 10)
		line = strconv.AppendInt(append(line, ' '), int64(events[2].Refs[i]), 10)
		if _, err := f.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return f.Flush()
}
