package pprof

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/source"
)

// TestMeasure reads the file named by CAMBIUM_MEASURE once and tells how long
// that took and how much memory: run the test binary by itself for figures
// that mean something. bench/gen makes the file.
func TestMeasure(t *testing.T) {
	path := os.Getenv("CAMBIUM_MEASURE")
	if path == "" {
		t.Skip("CAMBIUM_MEASURE names no file to read")
	}
	start := time.Now()
	in, err := source.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, %d MiB at most; %d contexts, %d methods, %d samples, warnings %q", took, usage.Maxrss>>10,
		set.Entity(source.TypeContext).Rows(), set.Entity(source.TypeMethod).Rows(), set.Event(source.TypeSample).Rows(), set.Warnings)
}
