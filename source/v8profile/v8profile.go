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
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
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
	case err != nil && len(r.parent) == 0:
		if err == io.EOF {
			err = errors.New("the file ends before the first node")
		}
		return err
	case err == io.EOF:
		b.Warn("the file ends within the profile, at byte %d; it may have been cut off", r.json.Offset())
	case err != nil:
		b.Warn("reading ended: %v", err)
	}
	return r.finish()
}

// reader holds nodes and samples as columns.
type reader struct {
	b    *data.Builder
	p    *source.Profile
	json *jsonstream.Reader

	// A row per node.
	parent []int32 // -1: none that is known
	method []data.EntityID
	hits   []int64
	size   []int64
	root   []bool // it is the node (root)

	byID     map[int64]int32 // node
	parentOf map[int64]int32 // id of a node -> the node that names it as its child
	named    map[int32]int64 // node -> id that it names as its parent

	byFrame map[string]data.EntityID // by the text of a call frame
	byPlace map[place]data.EntityID
	wraps   int // objects around the profile

	heap    bool
	hit     bool // nodes have hit counts
	samples []int64
	deltas  []int64 // µs
	stamps  []int64 // µs
	start   int64   // µs; so is end
	end     int64
}

// place tells functions apart.
type place struct {
	name, url, script string
	line, column      int64
}

func newReader(ctx context.Context, in io.Reader, b *data.Builder) *reader {
	return &reader{
		b: b, p: source.NewProfile(b, symbol.JavaScript, 0), json: jsonstream.NewReader(ctx, in),
		byID: map[int64]int32{}, parentOf: map[int64]int32{}, named: map[int32]int64{},
		byFrame: map[string]data.EntityID{}, byPlace: map[place]data.EntityID{},
		start: math.MinInt64, end: math.MinInt64,
	}
}

// finish makes contexts and samples.
func (r *reader) finish() error {
	if len(r.parent) == 0 {
		return errors.New("the profile has no nodes")
	}
	contexts, lost := r.contexts()
	if lost > 0 {
		r.b.Warn("%d nodes are their own callers and were left out", lost)
	}
	switch {
	case r.heap:
		r.p.AdoptMetrics(0, source.Metric{Name: "size", Unit: "bytes", Description: "memory allocated and still in use"})
		r.each(contexts, r.size)
	case len(r.samples) == 0:
		if !r.hit {
			return errors.New("the profile has neither samples nor hit counts")
		}
		r.b.Warn("the profile has no samples, only how often each node was hit: there are no times")
		r.p.AdoptMetrics(0, source.Metric{Name: "samples", Unit: "count", Description: "how often the node was hit"})
		r.each(contexts, r.hits)
	default:
		r.sampled(contexts)
	}
	return r.p.Finish()
}

// each makes a sample of every node that has a value.
func (r *reader) each(contexts []data.EntityID, values []int64) {
	var at []data.EntityID
	var of []int64
	for node, v := range values {
		if v != 0 {
			at, of = append(at, contexts[node]), append(of, v)
		}
	}
	r.p.AdoptSamples(at, [][]int64{of})
}

// contexts gives the context of each node, None of (root) and of what hangs on
// nothing. Nodes may come before their callers.
func (r *reader) contexts() (contexts []data.EntityID, lost int) {
	for id, parent := range r.parentOf {
		if node, ok := r.byID[id]; ok && r.parent[node] < 0 {
			r.parent[node] = parent
		}
	}
	for node, id := range r.named {
		if parent, ok := r.byID[id]; ok && r.parent[node] < 0 {
			r.parent[node] = parent
		}
	}
	const (
		fresh = iota
		onWay
		known
	)
	state := make([]byte, len(r.parent))
	contexts = slices.Repeat([]data.EntityID{data.None}, len(r.parent))
	var way []int32
	for i := range r.parent {
		node := int32(i)
		for node >= 0 && state[node] == fresh {
			state[node] = onWay
			way = append(way, node)
			node = r.parent[node]
		}
		circle := node >= 0 && state[node] == onWay
		for _, node := range slices.Backward(way) {
			state[node] = known
			if parent := r.parent[node]; circle {
				lost++
			} else if !r.root[node] {
				above := data.None
				if parent >= 0 {
					above = contexts[parent]
				}
				contexts[node] = r.p.Child(above, r.method[node])
			}
		}
		way = way[:0]
	}
	return contexts, lost
}

// sampled makes the samples of a CPU profile: each lasts until the next.
func (r *reader) sampled(contexts []data.EntityID) {
	n := len(r.samples)
	times := r.stamps
	if len(times) == 0 {
		times = r.deltas
		at := max(r.start, 0)
		for i, delta := range times {
			at += delta
			times[i] = at
		}
	}
	if len(times) < n {
		if len(times) > 0 {
			r.b.Warn("only the first %d of %d samples have a time; the others are left out", len(times), n)
			n = len(times)
		} else {
			r.b.Warn("samples have no times")
		}
	}
	at := make([]data.EntityID, 0, n)
	unknown := 0
	for _, id := range r.samples[:n] {
		node, ok := r.byID[id]
		if !ok {
			unknown++
			at = append(at, data.None)
			continue
		}
		at = append(at, contexts[node])
	}
	if unknown > 0 {
		r.b.Warn("%d samples are of nodes that are not in the file; they have no stack", unknown)
	}
	counts := source.Metric{Name: "samples", Unit: "count", Description: "how often a function was seen"}
	if len(times) == 0 {
		r.p.AdoptMetrics(0, counts)
		r.p.AdoptSamples(at, [][]int64{slices.Repeat([]int64{1}, n)})
		return
	}
	times = times[:n]
	if !slices.IsSorted(times) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case times[a] < times[b]:
				return -1
			case times[a] > times[b]:
				return 1
			}
			return 0
		})
		sorted, nodes := make([]int64, n), make([]data.EntityID, n)
		for i, from := range order {
			sorted[i], nodes[i] = times[from], at[from]
		}
		times, at = sorted, nodes
	}
	took := make([]int64, n)
	for i := range took {
		next := max(r.end, times[i])
		if i+1 < n {
			next = times[i+1]
		}
		took[i] = (next - times[i]) * 1000
	}
	for i := range times {
		times[i] *= 1000
	}
	r.p.AdoptMetrics(0, source.Metric{Name: "time", Unit: "nanoseconds", Description: "time from the sample to the next one"}, counts)
	r.p.AdoptSamples(at, [][]int64{took, slices.Repeat([]int64{1}, n)})
	r.p.AdoptTime("nanoseconds", times)
}
