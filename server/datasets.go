package server

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/viz"
)

// State tells how far a data set is.
type State uint8

const (
	Reading State = iota
	Ready
	Failed
)

// DataSet is one data set that was asked for.
type DataSet struct {
	ID   string
	Path string // as it was opened

	sides    []*DataSet // of a comparison: what it compares
	grouping grouping   // of one made by GroupBy; else nothing

	mu        sync.Mutex
	state     State
	err       error
	packed    func() int64
	size      int64
	workspace *viz.Workspace
	cancel    context.CancelFunc
}

// grouping is what a data set was made of by a field.
type grouping struct{ base, field string } // base is an id

// Workspace gives the workspace of a data set that is ready.
func (d *DataSet) Workspace() (*viz.Workspace, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch d.state {
	case Reading:
		return nil, fmt.Errorf("%s is still being read", d.Path)
	case Failed:
		return nil, d.err
	}
	return d.workspace, nil
}

func (d *DataSet) failed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state == Failed
}

// GroupBy makes a data set of another whose workspace is w, by a field, unless
// there is one.
func (s *DataSets) GroupBy(of *DataSet, w *viz.Workspace, field string) (*DataSet, error) {
	d := &DataSet{Path: of.Path + " by " + field, grouping: grouping{base: of.ID, field: field}}
	return s.start(d, func(ctx context.Context, _ *DataSet) (*data.Set, error) { return cct.GroupBy(ctx, w.Set, field) })
}

// DataSets are all data sets of a server, in the order they were opened.
type DataSets struct {
	ctx context.Context

	mu      sync.Mutex
	all     []*DataSet
	changed chan struct{} // closed and replaced whenever anything changes
	reads   sync.WaitGroup
}

func newDataSets(ctx context.Context) *DataSets {
	return &DataSets{ctx: ctx, changed: make(chan struct{})}
}

// maxSets bounds what a page can make the server hold.
const maxSets = 64

// Open reads in the background what open gives. It returns at once.
func (s *DataSets) Open(path string, open func(context.Context) (*source.Input, error)) (*DataSet, error) {
	return s.start(&DataSet{Path: path}, func(ctx context.Context, d *DataSet) (*data.Set, error) {
		in, err := open(ctx)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		d.mu.Lock()
		d.packed, d.size = in.Packed, in.Size
		d.mu.Unlock()
		return source.Read(ctx, in)
	})
}

// Add shows a data set that was read already, or reads it by read.
func (s *DataSets) Add(path string, read func(context.Context) (*data.Set, error)) (*DataSet, error) {
	return s.start(&DataSet{Path: path}, func(ctx context.Context, _ *DataSet) (*data.Set, error) { return read(ctx) })
}

func (s *DataSets) start(d *DataSet, read func(context.Context, *DataSet) (*data.Set, error)) (*DataSet, error) {
	return s.begin(d, func(ctx context.Context, d *DataSet) (*viz.Workspace, error) { return load(ctx, d, read) })
}

// begin lists a data set, and makes its workspace in the background. A grouping
// that is listed already is not made twice.
func (s *DataSets) begin(d *DataSet, build func(context.Context, *DataSet) (*viz.Workspace, error)) (*DataSet, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	for _, o := range s.all {
		if d.grouping != (grouping{}) && o.grouping == d.grouping && !o.failed() {
			s.mu.Unlock()
			cancel()
			return o, nil
		}
	}
	if len(s.all) == maxSets {
		s.mu.Unlock()
		cancel()
		return nil, fmt.Errorf("%d data sets are open, which is the most that can be", maxSets)
	}
	d.ID, d.cancel = fmt.Sprintf("d%d", len(s.all)+1), cancel
	s.all = append(s.all, d)
	s.mu.Unlock()
	s.notify()
	s.reads.Go(func() {
		defer cancel()
		done := make(chan struct{})
		s.reads.Go(func() { s.tick(done) })
		w, err := buildOrLeave(ctx, d, build)
		close(done)
		d.mu.Lock()
		d.workspace, d.err, d.state = w, err, Ready
		if err != nil {
			d.state = Failed
			if errors.Is(err, context.Canceled) {
				d.err = fmt.Errorf("%s: reading was cancelled", d.Path)
			}
		}
		d.mu.Unlock()
		s.notify()
	})
	return d, nil
}

// patience is how long a cancelled read has to end. Only one that waits for a
// stream on which nothing comes takes longer.
const patience = 2 * time.Second

// buildOrLeave makes a workspace, but leaves a read that does not end when its
// context does: a read of standard input cannot be interrupted.
func buildOrLeave(ctx context.Context, d *DataSet, build func(context.Context, *DataSet) (*viz.Workspace, error)) (*viz.Workspace, error) {
	type answer struct {
		w   *viz.Workspace
		err error
	}
	loaded := make(chan answer, 1)
	go func() {
		w, err := build(ctx, d)
		loaded <- answer{w, err}
	}()
	select {
	case a := <-loaded:
		return a.w, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-loaded:
		return a.w, a.err
	case <-time.After(patience):
		return nil, ctx.Err()
	}
}

func load(ctx context.Context, d *DataSet, read func(context.Context, *DataSet) (*data.Set, error)) (*viz.Workspace, error) {
	set, err := read(ctx, d)
	if err != nil {
		return nil, err
	}
	w, err := viz.NewWorkspace(ctx, set)
	if err == nil && w.Tree != nil {
		w.Program() // now, while a person waits anyway, and not with the first picture
	}
	return w, err
}

// tick tells those who watch that a read has gone on.
func (s *DataSets) tick(done chan struct{}) {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			s.notify()
		case <-done:
			return
		}
	}
}

func (s *DataSets) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// List gives all data sets, and a channel that is closed when they change.
func (s *DataSets) List() ([]*DataSet, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all), s.changed
}

// Find gives a data set by its id.
func (s *DataSets) Find(id string) (*DataSet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.all {
		if d.ID == id {
			return d, nil
		}
	}
	return nil, fmt.Errorf("there is no data set %q open here; perhaps the program was started anew since", id)
}

func (s *DataSets) close() {
	all, _ := s.List()
	for _, d := range all {
		d.cancel()
	}
	s.reads.Wait()
}

// baseName is a path's last element, for any system's paths.
func baseName(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }
