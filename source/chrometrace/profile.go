package chrometrace

import (
	"context"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/v8nodes"
)

// Profiles of V8 within a trace.
//
//	{"name":"Profile","ph":"P","id":"0x1","pid":7,"tid":7,"args":{"data":{"startTime":100}}}
//	{"name":"ProfileChunk","ph":"P","id":"0x1","pid":7,"tid":9,"args":{"data":{
//	 "cpuProfile":{"nodes":[{"id":1,"callFrame":{…}},{"id":2,"parent":1,…}],"samples":[2,2]},
//	 "timeDeltas":[10,90],"lines":[3,4]}}}
//
// There is no definition but the programs: V8's sampling-heap and CPU profiler
// write them (src/profiler/cpu-profiler.cc, StreamPendingTraceEvents), and the
// developer tools put them together again (front_end/models/trace,
// SamplesHandler). Read are: the pieces, in any order of the file; the one event
// CpuProfile of older versions, which holds a whole profile; deltas beside
// the cpuProfile or, as older versions have them, within it; the end of the
// profile, in the last piece.
//
// A profile is told by process and id. Its samples are of the thread that the
// event Profile is of: the pieces are written by a thread of the profiler's own.
// A delta is the time since the sample before; the first one's is that since
// the start. As in profiles in files of their own, a sample lasts until the
// next one, samples out of order are put in order, and what
// comes before the first is nobody's. The last sample lasts until the profile
// ends; mostly the trace does not say when, and it lasts no time then.
//
// Ignored: lines and columns of samples, which are those within the function.
type profiles struct {
	r         *reader
	functions *v8nodes.Functions
	byKey     map[string]*profile // by the texts of process and id
	all       []*profile
	broken    int64
}

// profile is one that is put together.
type profile struct {
	nodes   *v8nodes.Nodes
	thread  *thread
	begun   bool             // there was an event Profile
	samples *v8nodes.Samples // with how long each is after the one before, in µs
	start   int64            // µs; so is end
	end     int64
}

// maxMicroseconds keeps times in nanoseconds, and their differences, within 64 bits.
const maxMicroseconds = source.MaxTime / 4000

func (p *profiles) init(r *reader) {
	p.r, p.byKey = r, map[string]*profile{}
	p.functions = v8nodes.NewFunctions(r.calls.AddMethod)
}

// event takes an event that may be of a profile.
func (p *profiles) event(f *fields) {
	name := string(f.name)
	if name != `"Profile"` && name != `"ProfileChunk"` && name != `"CpuProfile"` {
		return
	}
	key := string(f.pid) + " " + string(f.id)
	if name == `"CpuProfile"` {
		key += " " + string(f.tid)
	}
	at := p.byKey[key]
	if at == nil {
		at = &profile{nodes: v8nodes.New(p.functions), samples: v8nodes.NewSamples(p.r.b), start: math.MinInt64, end: math.MinInt64}
		p.byKey[key] = at
		p.all = append(p.all, at)
	}
	if at.thread == nil || name != `"ProfileChunk"` && !at.begun {
		at.thread = p.r.thread(f.pid, f.tid)
	}
	at.begun = at.begun || name != `"ProfileChunk"`
	if !at.take(member(f.args, "data")) {
		p.broken++
	}
}

// member gives the text of a member of an object, or nil.
func member(object []byte, name string) (found []byte) {
	jsonstream.Members(object, func(key, value []byte) {
		if string(key) == name {
			found = value
		}
	})
	return found
}

// take takes a piece, and tells whether all of it could be used.
func (p *profile) take(piece []byte) bool {
	ok := true
	good := jsonstream.Members(piece, func(key, value []byte) {
		switch string(key) {
		case "startTime":
			if t, good := jsonstream.Decimal(value, 0, maxMicroseconds); good {
				p.start = t
			}
		case "endTime":
			if t, good := jsonstream.Decimal(value, 0, maxMicroseconds); good {
				p.end = t
			}
		case "timeDeltas":
			ok = numbers(value, maxMicroseconds, p.samples.AddTime) && ok
		case "samples":
			ok = numbers(value, math.MaxInt64, p.samples.AddID) && ok
		case "nodes":
			ok = p.read(value) && ok
		case "cpuProfile":
			ok = p.take(value) && ok
		}
	})
	return good && ok
}

// read takes a list of nodes.
func (p *profile) read(list []byte) bool {
	good := true
	whole := jsonstream.Elements(list, func(_ int, raw []byte) { good = p.nodes.Read(raw) == nil && good })
	return whole && good
}

// numbers takes a list of numbers.
func numbers(list []byte, most int64, add func(int64)) bool {
	good := true
	whole := jsonstream.Elements(list, func(_ int, raw []byte) {
		n, ok := jsonstream.Decimal(raw, 0, most)
		add(n) // samples and deltas keep belonging together
		good = good && ok
	})
	return whole && good
}

// Columns of the samples of all profiles.
const (
	sampleAt = iota // ns; so is
	sampleTook
	sampleContext
	sampleOf // the profile
)

// finish makes samples of all profiles, in the order of their times.
func (p *profiles) finish(ctx context.Context) error {
	b, calls := p.r.b, p.r.calls
	samples := b.Spool(data.BatchRows, false, false, true, true)
	var lost, unknown, untimed int
	for number, one := range p.all {
		contexts, circles := one.nodes.Contexts(calls.Child)
		lost += circles
		untimed += max(0, one.samples.IDs()-one.samples.Times())
		now := max(one.start, 0)
		at := func(delta int64) int64 {
			now = min(max(now+delta, -maxMicroseconds), maxMicroseconds)
			return now
		}
		err := one.samples.Lasting(ctx, one.end, at, func(id, at, took int64) {
			context := data.None
			if node, ok := one.nodes.Node(id); ok {
				context = contexts[node]
			} else {
				unknown++
			}
			c := samples.Row()
			c[sampleAt].Values, c[sampleTook].Values = append(c[sampleAt].Values, at*1000), append(c[sampleTook].Values, took*1000)
			c[sampleContext].Refs, c[sampleOf].Refs = append(c[sampleContext].Refs, context), append(c[sampleOf].Refs, data.EntityID(number))
		})
		if err != nil {
			return err
		}
	}
	b.WarnCount(int64(int(p.broken)), "%d pieces of profiles are not of the form that is expected and were read in part")
	b.WarnCount(int64(lost), "%d nodes of profiles are their own callers and were left out")
	b.WarnCount(int64(unknown), "%d samples are of nodes that are not in the file; they have no stack")
	b.WarnCount(int64(untimed), "%d samples have no time and were left out")
	if samples.Rows() == 0 {
		return nil
	}
	calls.Measure(0,
		source.Metric{Name: "time", Unit: "nanoseconds", Description: "time from the sample to the next one"},
		source.Metric{Name: "samples", Unit: "count", Description: "how often a function was seen"})
	sorted, err := samples.Sort(sampleAt)
	if err != nil {
		return err
	}
	return data.Each(ctx, sorted, func(c []data.Column, i int) error {
		calls.Sample(c[sampleContext].Refs[i], c[sampleTook].Values[i], 1)
		calls.Time("nanoseconds", c[sampleAt].Values[i])
		p.all[c[sampleOf].Refs[i]].thread.Sampled()
		return nil
	})
}
