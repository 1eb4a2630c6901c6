package viz

import (
	"context"
	"sync"
)

// flights lets those who ask for the same at the same time share the work. It
// goes on for as long as one of them waits for it: who leaves takes nothing from
// the others.
type flights[T any] struct {
	mu      sync.Mutex
	flights map[string]*flight[T]
}

type flight[T any] struct {
	waiting int // guarded by flights.mu
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
	value   T
	err     error
	panic   any // what work panicked with

	mu        sync.Mutex
	listeners map[int]listener[T]
	next      int // key of listeners
}

// listener is one who waits.
type listener[T any] struct {
	ctx  context.Context
	tell func(sofar T, done, total int64) // may be nil
}

// do gives what work gives. progress, which may be nil, is called by the one who
// works, with what there is so far, and never after do has returned.
func (f *flights[T]) do(ctx context.Context, key string, progress func(sofar T, done, total int64), work func(ctx context.Context, report func(sofar T, done, total int64)) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	f.mu.Lock()
	one, begun := f.flights[key], true
	if one == nil {
		begun = false
		// The values of the first who asks, but not the end of its patience.
		working, cancel := context.WithCancel(context.WithoutCancel(ctx))
		one = &flight[T]{ctx: working, cancel: cancel, done: make(chan struct{}), listeners: map[int]listener[T]{}}
		if f.flights == nil {
			f.flights = map[string]*flight[T]{}
		}
		f.flights[key] = one
	}
	one.waiting++
	f.mu.Unlock()
	leave := one.listen(ctx, progress)
	defer leave()
	if !begun {
		go f.fly(key, one, work)
	}
	select {
	case <-one.done:
		if one.panic != nil {
			panic(one.panic) // as if the one who asks had worked
		}
		return one.value, one.err
	case <-ctx.Done():
	}
	leave() // before it is counted no more: see desert
	f.mu.Lock()
	one.waiting--
	last := one.waiting == 0
	if last && f.flights[key] == one {
		// Who asks from now on does not want what is being given up.
		delete(f.flights, key)
	}
	f.mu.Unlock()
	if last {
		one.cancel()
	}
	return none, ctx.Err()
}

func (f *flights[T]) fly(key string, one *flight[T], work func(context.Context, func(T, int64, int64)) (T, error)) {
	defer func() {
		one.panic = recover()
		one.cancel()
		f.mu.Lock()
		if f.flights[key] == one {
			delete(f.flights, key)
		}
		f.mu.Unlock()
		close(one.done)
	}()
	one.value, one.err = work(one.ctx, func(sofar T, done, total int64) {
		one.report(sofar, done, total)
		f.desert(key, one)
	})
}

// desert gives work up that nobody waits for any more: at once, and not when
// those who left come to say so.
func (f *flights[T]) desert(key string, one *flight[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.left() < one.waiting {
		return
	}
	if f.flights[key] == one {
		delete(f.flights, key)
	}
	one.cancel()
}

// left counts those whose patience is at an end, but who have not gone yet.
func (f *flight[T]) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, l := range f.listeners {
		if l.ctx.Err() != nil {
			n++
		}
	}
	return n
}

func (f *flight[T]) report(sofar T, done, total int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.listeners {
		if l.tell != nil && l.ctx.Err() == nil {
			l.tell(sofar, done, total)
		}
	}
}

func (f *flight[T]) listen(ctx context.Context, progress func(T, int64, int64)) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	me := f.next
	f.next++
	f.listeners[me] = listener[T]{ctx, progress}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.listeners, me)
	}
}
