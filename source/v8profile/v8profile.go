// Package v8profile reads the profiles of V8: .cpuprofile and .heapprofile, as
// node --cpu-prof and --heap-prof, Chrome's developer tools, Deno and
// everything that speaks the DevTools protocol write them.
//
//	{"nodes":[{"id":1,"callFrame":{"functionName":"(root)",…},"children":[2]},
//	          {"id":2,"callFrame":{"functionName":"f","url":"a.js","lineNumber":3,…}}],
//	 "startTime":100,"endTime":400,"samples":[2,2],"timeDeltas":[10,90]}
//
//	{"head":{"callFrame":{…},"selfSize":0,"id":1,"children":[{…}]},"samples":[…]}
//
// Definition: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile
// and HeapProfiler/#type-SamplingHeapProfile (protocol 1.3).
//
// Supported: members in any order; nodes as a list with children or parents, and
// as a tree (heap profiles, and old CPU profiles, whose nodes have
// the members of the call frame themselves); samples with time deltas or time
// stamps; without samples, the nodes' hit counts; a profile within the answer
// that the protocol wraps it in.
//
// Quirks. A sample stands for the time until the next one, as in the developer
// tools, and the last for that until the profile ends; what comes before the
// first is nobody's. Samples that are out of order are put in order. Functions of
// one name at different places are different methods. The node (root) is no
// context; (program), (idle) and (garbage collector) are. A heap profile has the
// memory that was allocated and is still in use.
//
// Ignored: ticks by line, reasons of deoptimization, and the samples of heap
// profiles, which the nodes' sizes are the sums of.
package v8profile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/v8nodes"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "v8profile",
		Title: "V8 profile (.cpuprofile, .heapprofile)",
		Sniff: sniff,
		Read:  read,
	})
}

// sniff looks at the members of the object until one tells.
func sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	at := jsonstream.Space(head, 0)
	if at == len(head) || head[at] != '{' {
		return false
	}
	at++
	seen := map[string]bool{}
	for first := true; ; first = false {
		key, value, done, err := jsonstream.Member(head, at, first)
		if err != nil || done {
			return false
		}
		rest := head[value:min(len(head), value+4096)]
		switch name := string(key); name {
		case "nodes", "head":
			return bytes.Contains(rest, []byte(`"callFrame"`)) || bytes.Contains(rest, []byte(`"functionName"`)) && bytes.Contains(rest, []byte(`"hitCount"`))
		case "profile", "result":
			if rest[0] == '{' {
				return sniff(head[value:])
			}
			return false
		case "startTime", "endTime", "samples", "timeDeltas", "timestamps", "title", "uid", "typeId", "id":
			seen[name] = true
		default:
			return false
		}
		if at, err = jsonstream.Value(head, value); err != nil {
			// Cut within a list of numbers.
			return err == jsonstream.Short && head[value] == '[' && seen["startTime"] && (seen["samples"] || seen["timeDeltas"])
		}
	}
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader(ctx, in, b)
	err := r.profile()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Refused() != nil:
		return in.Refused()
	case err != nil && r.Len() == 0:
		if err == io.EOF {
			err = errors.New("the file ends before the first node")
		}
		return err
	case err == io.EOF:
		b.Warn("the file ends within the profile, at byte %d; it may have been cut off", r.json.Offset())
	case err != nil:
		b.Warn("reading ended: %v", err)
	}
	return r.finish(ctx)
}

type reader struct {
	*v8nodes.Nodes
	b     *data.Builder
	p     *source.Profile
	json  *jsonstream.Reader
	wraps int // objects around the profile

	samples *v8nodes.Samples
	stamped bool  // they have times, and not how long they come after the one before
	start   int64 // µs; so is end
	end     int64
}

func newReader(ctx context.Context, in io.Reader, b *data.Builder) *reader {
	p := source.NewProfile(b, symbol.JavaScript, 0)
	return &reader{
		Nodes: v8nodes.New(v8nodes.NewFunctions(p.AddMethod)), b: b, p: p, json: jsonstream.NewReader(ctx, in),
		samples: v8nodes.NewSamples(b), start: math.MinInt64, end: math.MinInt64,
	}
}

// finish makes contexts and samples.
func (r *reader) finish(ctx context.Context) error {
	if r.Len() == 0 {
		return errors.New("the profile has no nodes")
	}
	contexts, lost := r.Contexts(r.p.Child)
	if lost > 0 {
		r.b.Warn("%d nodes are their own callers and were left out", lost)
	}
	switch {
	case r.Heap:
		r.p.AdoptMetrics(0, source.Metric{Name: "size", Unit: "bytes", Description: "memory allocated and still in use"})
		r.each(contexts, r.Size)
	case r.samples.IDs() == 0:
		if !r.Hit {
			return errors.New("the profile has neither samples nor hit counts")
		}
		r.b.Warn("the profile has no samples, only how often each node was hit: there are no times")
		r.p.AdoptMetrics(0, source.Metric{Name: "samples", Unit: "count", Description: "how often the node was hit"})
		r.each(contexts, r.Hits)
	default:
		if err := r.sampled(ctx, contexts); err != nil {
			return err
		}
	}
	return r.p.Finish()
}

// each makes a sample of every node that has a value.
func (r *reader) each(contexts []data.EntityID, values []int64) {
	for node, v := range values {
		if v != 0 {
			r.p.Sample(contexts[node], v)
		}
	}
}

// sampled makes the samples of a CPU profile: each lasts until the next.
func (r *reader) sampled(ctx context.Context, contexts []data.EntityID) error {
	unknown := 0
	context := func(id int64) data.EntityID {
		node, ok := r.Node(id)
		if !ok {
			unknown++
			return data.None
		}
		return contexts[node]
	}
	counts := source.Metric{Name: "samples", Unit: "count", Description: "how often a function was seen"}
	var err error
	switch n, times := r.samples.IDs(), r.samples.Times(); {
	case times == 0:
		r.b.Warn("samples have no times")
		r.p.AdoptMetrics(0, counts)
		err = r.samples.Nodes(ctx, func(id int64) { r.p.Sample(context(id), 1) })
	default:
		if times < n {
			r.b.Warn("only the first %d of %d samples have a time; the others are left out", times, n)
		}
		r.p.AdoptMetrics(0, source.Metric{Name: "time", Unit: "nanoseconds", Description: "time from the sample to the next one"}, counts)
		now := max(r.start, 0)
		at := func(delta int64) int64 { now += delta; return now }
		if r.stamped {
			at = func(time int64) int64 { return time }
		}
		err = r.samples.Lasting(ctx, r.end, at, func(id, at, took int64) {
			r.p.Sample(context(id), took*1000, 1)
			r.p.Time("nanoseconds", at*1000)
		})
	}
	if unknown > 0 {
		r.b.Warn("%d samples are of nodes that are not in the file; they have no stack", unknown)
	}
	return err
}
