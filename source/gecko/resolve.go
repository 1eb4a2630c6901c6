package gecko

import (
	"context"
	"fmt"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

// resolver makes contexts and events of what was read. It is apart from the
// reader because tables may come in any order: a thread waits until what it
// refers to was read, and then forgets its tables.
type resolver struct {
	ctx  context.Context
	b    *data.Builder
	root *process // whose start times count from

	pending []*thread // in the order of the file
	lanes   []*source.CallThread

	calls      *source.Calls
	methods    map[place]data.EntityID
	categories names
	category   *source.Label
	time       *source.Label

	metrics [metricKinds]int // kind -> as the profile has it; noMetric
	wanted  [metricKinds]bool
	cycles  bool // is the unit of processor time

	allocations *data.Spool
	marks       *data.Spool
	named       map[markID]data.EntityID // methods of markers
	markNames   names
	markTexts   names
	markTopics  names // their categories

	deep, misshapen, lost, unknown, untimed, unpaired int64
}

// place tells functions apart.
type place struct {
	name, file, binary string
	line               int64
	marker             bool // and no function
}

func newResolver(ctx context.Context, b *data.Builder) *resolver {
	f := &resolver{ctx: ctx, b: b, root: &process{}, calls: source.NewCalls(b, symbol.Unknown),
		methods: map[place]data.EntityID{}, named: map[markID]data.EntityID{},
		allocations: b.Spool(data.BatchRows, false, false, true, true, true),
		marks:       b.Spool(data.BatchRows, false, false, true, true, true, true)}
	f.calls.SamplesFirst, f.calls.ByTime = true, true
	f.category = f.calls.LateLabel("Category")
	f.time = f.calls.TimeLabel("nanoseconds")
	for kind := range f.metrics {
		f.metrics[kind] = noMetric
	}
	return f
}

// resolvePending resolves threads as long as all is known that the next one
// refers to, or all of them if nothing comes any more. In the order of the file,
// so that the outcome does not depend on when tables come.
func (f *resolver) resolvePending(all bool) error {
	for len(f.pending) > 0 && (all || f.pending[0].complete(f.root)) {
		if err := f.resolve(f.pending[0]); err != nil {
			return err
		}
		f.pending = f.pending[1:]
	}
	return nil
}

// complete tells whether all that the thread refers to was read.
func (t *thread) complete(root *process) bool {
	if !root.meta || !t.process.meta || t.libs == nil && !t.library {
		return false
	}
	own := t.strings.told && t.stack != nil && t.frame != nil && (t.frame["location"] != nil || t.fun != nil && t.resource != nil)
	if !own && !t.sharing {
		return false
	}
	return t.pick(theFunctions)["source"] == nil || t.pick(theSources) != nil
}

// finish makes all of it.
func (f *resolver) finish() error {
	if err := f.resolvePending(true); err != nil {
		return err
	}
	f.measure()
	f.warn()
	f.category.Name(f.categories.all)
	if err := f.calls.Finish(f.ctx); err != nil {
		return err
	}
	if err := f.allocationEvents(); err != nil {
		return err
	}
	return f.markerEvents()
}

func (f *resolver) warn() {
	f.b.WarnCount(f.deep, "%d processes within processes are nested too deeply and were left out")
	f.b.WarnCount(f.misshapen, "%d rows of tables are not of the form that is expected")
	f.b.WarnCount(f.lost, "%d stacks come before their callers, and are shown without them")
	f.b.WarnCount(f.unknown, "%d samples and allocations refer to stacks or functions that are not in the file")
	f.b.WarnCount(f.untimed, "%d samples, allocations and markers have no time that can be used and were left out")
	f.b.WarnCount(f.unpaired, "%d halves of markers have no other half: ends were left out, beginnings end with the last marker")
}

// resolve makes contexts of what a thread's samples and allocations refer to, and
// hands these and its markers on.
func (f *resolver) resolve(t *thread) error {
	lane := f.newLane(t, 1)
	s := t.process.stacks
	if alone := t.shares(); !alone || s == nil {
		if s = newStacks(f, t); alone {
			t.process.stacks = s
		}
	}
	if err := f.samples(t, lane, s); err != nil {
		return err
	}
	if err := f.allocated(t, lane, s); err != nil {
		return err
	}
	return f.marked(t, lane)
}

// newLane makes a thread; from the second one on, one for markers that overlap
// others.
func (f *resolver) newLane(t *thread, lane int) data.EntityID {
	at := f.calls.Thread()
	at.Name, at.ID, at.Process, at.ProcessID = t.name, t.tid, t.processName, t.pid
	if at.Process == "" {
		at.Process = t.product
	}
	if lane > 1 {
		at.Name = fmt.Sprintf("%s, overlapping %d", t.name, lane)
	}
	f.lanes = append(f.lanes, at)
	return data.EntityID(len(f.lanes) - 1)
}

// since gives a time of the thread since the start of the first process.
func (f *resolver) since(t *thread, at int64) int64 {
	return bounded(at + bounded(t.start-f.root.start))
}

// bounded keeps times so that no difference of two leaves 64 bits.
func bounded(at int64) int64 { return min(max(at, -source.MaxTime/2), source.MaxTime/2) }
