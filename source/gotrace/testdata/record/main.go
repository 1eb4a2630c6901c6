// Command record writes the traces of the folder above: `go run . FILE`.
package main

import (
	"context"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(new(strings.Builder)); err != nil { // its samples are in the trace, too
		log.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			serve()
		}()
	}
	all.Wait()
	runtime.GC()
	pprof.StopCPUProfile()
	trace.Stop()
}

// serve is a task with regions; its answer is computed by another goroutine.
func serve() {
	ctx, task := trace.NewTask(context.Background(), "request")
	defer task.End()
	defer trace.StartRegion(ctx, "serve").End()
	trace.Log(ctx, "step", "begin")
	answer := make(chan int)
	go func() {
		_, part := trace.NewTask(ctx, "compute")
		defer part.End()
		trace.WithRegion(ctx, "work", func() { answer <- work() })
	}()
	trace.WithRegion(ctx, "wait", func() {
		time.Sleep(2 * time.Millisecond)
		<-answer
	})
	trace.Logf(ctx, "step", "end of %s", "it")
}

var sink int

func work() int {
	n := 0
	for i := range 8_000_000 {
		n += i % 7
	}
	sink = n
	return n
}
