package otlptrace

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

const (
	typeTrace  = "Trace"
	typeKind   = "Kind"
	typeStatus = "Status"
)

// finish finds callers, contexts and lanes, defines all types and hands on the
// calls.
func (r *reader) finish() error {
	if r.unusable > 0 {
		r.b.Warn("%d spans have no id or no time, and were left out", r.unusable)
	}
	parents, err := r.parents()
	if err != nil {
		return err
	}
	process, processes := r.processes()
	profile := source.NewProfile(r.b, symbol.Native, 0) // the package of a method is its service
	methods := r.methods(profile, process, processes)
	contexts, depth := r.contexts(profile, parents, methods)
	order := byStart(r.spans, depth)
	l := newLanes(r.spans, parents, process, len(processes))
	for n, i := range order {
		if n%data.BatchRows == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		l.place(i)
	}
	if l.placed > 0 {
		r.b.Warn("%d spans overlap another one of their caller, or are not within its time: they are in lanes of their own, and the totals of callers count each of them", l.placed)
	}
	if err := profile.Define(); err != nil {
		return err
	}
	first, err := r.threads(processes, l.of)
	if err != nil {
		return err
	}
	return r.calls(order, parents, contexts, methods, l.lane, process, first, r.covered(order, parents))
}

// parents finds the caller of every span by its id.
func (r *reader) parents() ([]int32, error) {
	n := len(r.spans)
	byID := make([]int32, n)
	for i := range byID {
		byID[i] = int32(i)
	}
	slices.SortFunc(byID, func(a, b int32) int {
		x, y := &r.spans[a], &r.spans[b]
		return cmp.Or(cmp.Compare(x.trace, y.trace), cmp.Compare(x.id, y.id), cmp.Compare(a, b))
	})
	parents := make([]int32, n)
	var missing, twins int64
	for i := range r.spans {
		if i%data.BatchRows == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		s := &r.spans[i]
		parents[i] = -1
		if s.parent == 0 {
			continue
		}
		at := sort.Search(n, func(k int) bool {
			other := &r.spans[byID[k]]
			return other.trace > s.trace || other.trace == s.trace && other.id >= s.parent
		})
		if at == n || r.spans[byID[at]].trace != s.trace || r.spans[byID[at]].id != s.parent {
			missing++
			continue
		}
		parents[i] = byID[at]
	}
	for k := 1; k < n; k++ {
		if x, y := &r.spans[byID[k-1]], &r.spans[byID[k]]; x.trace == y.trace && x.id == y.id {
			twins++
		}
	}
	if missing > 0 {
		r.b.Warn("%d spans have a parent that is not in the file; they are shown without callers", missing)
	}
	if twins > 0 {
		r.b.Warn("%d spans have the id of another one; what they call is shown as called by the first", twins)
	}
	return parents, nil
}

// processes numbers the services and their instances: for each span that of its
// own.
func (r *reader) processes() (of []uint32, all []resource) {
	byResource := make([]uint32, len(r.resources))
	numbers := map[resource]uint32{}
	used := make([]bool, len(r.resources))
	for _, s := range r.spans {
		used[s.resource] = true
	}
	for i, one := range r.resources {
		if !used[i] {
			continue
		}
		number, ok := numbers[one]
		if !ok {
			number = uint32(len(all))
			numbers[one] = number
			all = append(all, one)
		}
		byResource[i] = number
	}
	of = make([]uint32, len(r.spans))
	for i, s := range r.spans {
		of[i] = byResource[s.resource]
	}
	return of, all
}

// methods gives each span its method: a name within a service, whichever instance.
func (r *reader) methods(profile *source.Profile, process []uint32, processes []resource) []data.EntityID {
	services := map[string]uint32{}
	byProcess := make([]uint32, len(processes))
	for i, p := range processes {
		n, ok := services[p.Title()]
		if !ok {
			n = uint32(len(services))
			services[p.Title()] = n
		}
		byProcess[i] = n
	}
	type key struct{ service, name uint32 }
	known := map[key]data.EntityID{}
	methods := make([]data.EntityID, len(r.spans))
	for i, s := range r.spans {
		at := key{byProcess[process[i]], s.name}
		m, ok := known[at]
		if !ok {
			m = profile.AddMethod(source.Frame{Name: cmp.Or(r.allNames[s.name], "(without a name)"), Binary: processes[process[i]].Title()})
			known[at] = m
		}
		methods[i] = m
	}
	return methods
}

// contexts gives each span its calling context and the number of its callers. A
// span that is its own caller, by whatever way around, gets none.
func (r *reader) contexts(profile *source.Profile, parents []int32, methods []data.EntityID) (contexts []data.EntityID, depth []int32) {
	const open, done = 1, 2
	n := len(parents)
	contexts, depth = make([]data.EntityID, n), make([]int32, n)
	state := make([]uint8, n)
	var path []int32
	circles := int64(0)
	for i := range parents {
		for at := int32(i); at >= 0 && state[at] != done; at = parents[at] {
			if state[at] == open { // path leads from at back to it
				parents[path[len(path)-1]] = -1
				circles++
				break
			}
			state[at] = open
			path = append(path, at)
		}
		for len(path) > 0 {
			at := path[len(path)-1]
			path = path[:len(path)-1]
			caller := data.None
			if p := parents[at]; p >= 0 {
				caller, depth[at] = contexts[p], depth[p]+1
			}
			contexts[at] = profile.Child(caller, methods[at])
			state[at] = done
		}
	}
	if circles > 0 {
		r.b.Warn("%d spans are their own callers; they are shown without", circles)
	}
	return contexts, depth
}

// covered gives how much of the time of each span those that it calls cover.
func (r *reader) covered(order, parents []int32) []int64 {
	covered, reach := make([]int64, len(parents)), make([]int64, len(parents))
	for i := range reach {
		reach[i] = r.spans[i].start
	}
	for _, i := range order {
		p := parents[i]
		if p < 0 {
			continue
		}
		from, to := max(r.spans[i].start, reach[p]), min(r.spans[i].stop, r.spans[p].stop)
		if to > from {
			covered[p] += to - from
			reach[p] = to
		}
	}
	return covered
}

// threads defines processes and threads; first is the thread that is the first
// lane of a process.
func (r *reader) threads(processes []resource, of []service) (first []data.EntityID, err error) {
	processType, err := r.b.EntityType(source.TypeProcess, "a service, or an instance of it")
	if err != nil {
		return nil, err
	}
	threadType, err := r.b.EntityType(source.TypeThread, "a lane of a service, in which spans do not overlap",
		data.Ref("Process", source.TypeProcess, "the service of the lane"))
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, p := range processes {
		count[p.Title()]++
	}
	first = make([]data.EntityID, len(processes))
	for i, p := range processes {
		name := p.Title()
		if count[name] > 1 {
			name += " (" + cmp.Or(p.Instance, "no instance") + ")"
		}
		row, err := processType.Add(strings.ToValidUTF8(name, "\uFFFD"))
		if err != nil {
			return nil, err
		}
		for lane := range of[i].open {
			thread, err := threadType.Add(fmt.Sprintf("lane %d", lane+1), int64(row))
			if err != nil {
				return nil, err
			}
			if lane == 0 {
				first[i] = thread
			}
		}
	}
	return first, nil
}

func (r *reader) calls(order, parents []int32, contexts, methods []data.EntityID, lane, process []uint32, first []data.EntityID, covered []int64) error {
	traces := make([]string, len(r.traceIDs))
	for i, id := range r.traceIDs {
		traces[i] = hex.EncodeToString(id[:])
	}
	for _, t := range []struct {
		name, description string
		names             []string
	}{
		{typeTrace, "a distributed trace", traces},
		{typeKind, "what part a span has in a call between services", kinds[1:]},
		{typeStatus, "how a span ended", statuses[1:]},
	} {
		e, err := r.b.EntityType(t.name, t.description)
		if err == nil {
			err = e.Adopt(t.names, len(t.names))
		}
		if err != nil {
			return err
		}
	}
	calls, err := r.b.EventType(source.TypeCall, "a span: something was done, and ended",
		data.Ref(source.TypeContext, source.TypeContext, "the span's name, along its callers"),
		data.Ref(source.TypeThread, source.TypeThread, "the lane of the span's service"),
		data.Ref("Caller", source.TypeMethod, "the name of the span's parent"),
		data.Value("Start", "nanoseconds", "when the span began, since the first one did", data.Coordinate),
		data.Value("Self", "nanoseconds", "the time that no span within covers", data.Amount, source.Exclusive, source.Preferred),
		data.Value("Duration", "nanoseconds", "the time from the start of the span to its end", data.Amount, source.Inclusive),
		data.Ref("Trace", typeTrace, "the trace of the span"),
		data.Ref("Kind", typeKind, "what part the span has in a call between services"),
		data.Ref("Status", typeStatus, "how the span ended, if that was told"))
	if err != nil {
		return err
	}
	const batch = data.BatchRows
	refs := func() data.Column { return data.Column{Refs: make([]data.EntityID, 0, batch)} }
	values := func() data.Column { return data.Column{Values: make([]int64, 0, batch)} }
	columns := []data.Column{refs(), refs(), refs(), values(), values(), values(), refs(), refs(), refs()}
	ref := func(column int, id data.EntityID) { columns[column].Refs = append(columns[column].Refs, id) }
	value := func(column int, v int64) { columns[column].Values = append(columns[column].Values, v) }
	named := func(n uint8, names []string) data.EntityID {
		if n == 0 || int(n) >= len(names) {
			return data.None
		}
		return data.EntityID(n - 1)
	}
	began := r.spans[order[0]].start
	for n := 0; n < len(order); n += batch {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		part := order[n:min(n+batch, len(order))]
		for _, i := range part {
			s := &r.spans[i]
			caller := data.None
			if p := parents[i]; p >= 0 {
				caller = methods[p]
			}
			ref(0, contexts[i])
			ref(1, first[process[i]]+data.EntityID(lane[i]))
			ref(2, caller)
			value(3, s.start-began)
			value(4, s.stop-s.start-covered[i])
			value(5, s.stop-s.start)
			ref(6, data.EntityID(s.trace))
			ref(7, named(s.kind, kinds))
			ref(8, named(s.status, statuses))
		}
		if err := calls.Append(len(part), columns...); err != nil {
			return err
		}
		for i := range columns {
			columns[i].Refs, columns[i].Values = columns[i].Refs[:0], columns[i].Values[:0]
		}
	}
	return nil
}
