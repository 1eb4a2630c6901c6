package viz

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// Two who ask for the same share one piece of work; one of them may leave; when
// the last one has left, the work is given up, and who comes then starts anew.
func TestFlightsAreShared(t *testing.T) {
	var f flights[int]
	begun, step, reported := make(chan context.Context), make(chan int64), make(chan bool)
	work := func(ctx context.Context, report func(int, int64, int64)) (int, error) {
		begun <- ctx
		for n := range step {
			report(7, n, 9)
			reported <- true
			if n == 9 {
				return 7, nil
			}
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}
	type answer struct {
		value int
		err   error
	}
	ask := func(ctx context.Context, told *[]int64) chan answer {
		got := make(chan answer, 1)
		go func() {
			v, err := f.do(ctx, "same", func(_ int, done, _ int64) { *told = append(*told, done) }, work)
			got <- answer{v, err}
		}()
		return got
	}
	joined := func(n int) {
		for {
			f.mu.Lock()
			waiting := f.flights["same"].waiting
			one := f.flights["same"]
			f.mu.Unlock()
			one.mu.Lock()
			listening := len(one.listeners)
			one.mu.Unlock()
			if waiting == n && listening == n {
				return
			}
		}
	}
	var first, second []int64
	impatient, leave := context.WithCancel(t.Context())
	a := ask(impatient, &first)
	working := <-begun
	b := ask(t.Context(), &second)
	joined(2)
	step <- 1
	<-reported
	leave()
	if got := <-a; !errors.Is(got.err, context.Canceled) {
		t.Errorf("who left got %v", got)
	}
	step <- 5
	<-reported
	step <- 9
	<-reported
	if got := <-b; got.value != 7 || got.err != nil {
		t.Errorf("who stayed got %v", got)
	}
	if len(first) != 1 || len(second) != 3 {
		t.Errorf("who left was told %v, who stayed %v", first, second)
	}
	if working.Err() == nil {
		t.Errorf("the work's context goes on")
	}

	impatient, leave = context.WithCancel(t.Context())
	a = ask(impatient, &first)
	working = <-begun
	leave()
	<-a
	<-working.Done()
	b = ask(t.Context(), &second)
	<-begun // although the other has not noticed yet that nobody waits
	close(step)
	_ = b
}

func TestFlightsPassPanicsOn(t *testing.T) {
	var f flights[int]
	defer func() {
		if got := recover(); got != "broken" {
			t.Errorf("the panic is %v", got)
		}
	}()
	f.do(t.Context(), "", nil, func(context.Context, func(int, int64, int64)) (int, error) { panic("broken") })
}

// Many who come and go all get the value or their own context's end.
func TestFlightsUnderLoad(t *testing.T) {
	var f flights[int]
	var wait sync.WaitGroup
	for i := range 200 {
		wait.Go(func() {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if i%3 == 0 {
				leave()
			}
			v, err := f.do(ctx, "same", func(int, int64, int64) {}, func(ctx context.Context, report func(int, int64, int64)) (int, error) {
				report(0, 1, 2)
				return 3, ctx.Err()
			})
			if err == nil && v != 3 || err != nil && ctx.Err() == nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	wait.Wait()
	if len(f.flights) != 0 {
		t.Errorf("%d flights are left", len(f.flights))
	}
}

// Two who ask for the same charts, or the tree of the same filter, get the same.
func TestPassesAreShared(t *testing.T) {
	w := stacks(t, "time", "mfg", "mg", "mf")
	spec := []ChartSpec{{View: "tally", Subject: "Sample"}}
	shared := Shared{Filter: `Method == "g"`}
	joined := make(chan bool)
	var second []*OpenChart
	first, err := w.Charts(t.Context(), spec, shared, func([]*OpenChart, int64, int64) {
		go func() {
			defer close(joined)
			var err error
			if second, err = w.Charts(t.Context(), spec, shared, nil); err != nil {
				t.Error(err)
			}
		}()
		for waiting := 0; waiting < 2; {
			w.feeding.mu.Lock()
			for _, f := range w.feeding.flights {
				waiting = f.waiting
			}
			w.feeding.mu.Unlock()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if <-joined; second[0] != first[0] {
		t.Error("who came later got another chart")
	}
	look := Look{Filter: `Method == "g"`, Steps: `norec,filter:time > 0`}
	if w.Ready(look) {
		t.Error("trees of filters are ready before anybody asked for them")
	}
	var told []int64
	if err := w.Prepare(t.Context(), []Look{look, {Filter: look.Filter}}, func(done, total int64) { told = append(told, done, total) }); err != nil {
		t.Fatal(err)
	}
	if rows := int64(w.Tree.Events().Rows()); len(told) != 4 || told[0] != rows || told[2] != 2*rows || told[3] < 2*rows {
		t.Errorf("it is told %v", told)
	}
	if !w.Ready(look) {
		t.Error("they are not ready after that")
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := w.Prepare(gone, []Look{{Filter: `Method == "f"`}}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone gets %v", err)
	}
	if w.Ready(Look{Filter: `Method == "f"`}) {
		t.Error("what nobody waited for is there")
	}
}
