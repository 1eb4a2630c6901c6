// Command genevents writes a store of made-up invocations: the input of the
// benchmarks of events on disk. The same flags give the same events. It needs
// little memory, however many events there are.
//
// Few methods and locations have most of the events, and which ones changes
// from phase to phase of the program; most locations invoke one method, some
// invoke several.
//
//	go run ./bench/genevents -events 100000000 -o bench/data/1e8.store
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/store"
)

func main() {
	events := flag.Int64("events", 100_000_000, "number of events")
	methods := flag.Int("methods", 1000, "number of methods")
	locations := flag.Int("locations", 50_000, "number of locations")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	out := flag.String("o", "", "folder to make")
	flag.Parse()
	if err := run(*events, *methods, *locations, *seed, *out); err != nil {
		fmt.Fprintln(os.Stderr, "genevents:", err)
		os.Exit(1)
	}
}

const (
	drawn  = 1 << 16 // events that are drawn from a distribution, to be used again and again
	phases = 64      // of the program
)

func run(events int64, methods, locations int, seed uint64, out string) (err error) {
	if out == "" {
		return errors.New("-o is missing: the folder to make")
	}
	w, err := store.Create(out)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort())
		}
	}()
	b := data.NewBuilder(out, "generated")
	b.SpillTo(w, 0)
	e, err := define(b, methods, locations)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	often := rand.NewZipf(r, 1.05, 200, uint64(locations-1))
	ranks := make([]uint32, drawn)
	for i := range ranks {
		ranks[i] = uint32(often.Uint64())
	}
	now := int64(0)
	times, bytes := make([]int64, data.BatchRows), make([]int64, data.BatchRows)
	at, targets := make([]data.EntityID, data.BatchRows), make([]data.EntityID, data.BatchRows)
	for first := int64(0); first < events; first += data.BatchRows {
		n := int(min(data.BatchRows, events-first))
		shift := uint32(first * phases / events * int64(locations) / phases)
		for i := range n {
			x := r.Uint64()
			now += int64(x & 15)
			location := (ranks[x>>4&(drawn-1)] + shift) % uint32(locations)
			target := location * 7
			if location%8 == 0 { // invokes several
				target += uint32(x >> 20 & 7)
			}
			times[i], bytes[i] = now, int64(8+8*(x>>24&127))
			at[i], targets[i] = data.EntityID(location), data.EntityID(target%uint32(methods))
		}
		if err := e.Append(n, data.Column{Values: times[:n]}, data.Column{Refs: at[:n]}, data.Column{Refs: targets[:n]}, data.Column{Values: bytes[:n]}); err != nil {
			return err
		}
	}
	set, err := b.Finish()
	if err != nil {
		return err
	}
	return w.Finish(context.Background(), set)
}

func define(b *data.Builder, methods, locations int) (*data.EventBuilder, error) {
	m, err := b.EntityType("Method", "what is invoked")
	if err != nil {
		return nil, err
	}
	for i := range methods {
		if _, err := m.Add(fmt.Sprintf("org.example.p%d.Class%d.method%d()V", i%40, i%200, i)); err != nil {
			return nil, err
		}
	}
	l, err := b.EntityType("Location", "where it is invoked", data.Ref("Caller", "Method", "the method that the location is in"))
	if err != nil {
		return nil, err
	}
	for i := range locations {
		if _, err := l.Add(fmt.Sprintf("method%d:%d", i%methods, i), int64(i%methods)); err != nil {
			return nil, err
		}
	}
	return b.EventType("Invocation", "a method was invoked",
		data.Value("Time", "nanoseconds", "when", data.Coordinate), data.Ref("Location", "Location", "where"),
		data.Ref("Method", "Method", "what"), data.Value("Bytes", "bytes", "what it allocated", data.Amount))
}
