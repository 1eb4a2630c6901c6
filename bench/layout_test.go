// Package bench holds the benchmarks that need large data. The data is made by
// bench/gen and kept out of the repository; bench/run.sh makes it and runs
// everything. Results are in BENCHMARKS.md.
package bench

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/viz"
	_ "github.com/cambium-prof/cambium/viz/all"
)

// open reads the profile that the environment variable names.
func open(b *testing.B) *viz.Workspace {
	b.Helper()
	path := os.Getenv("CAMBIUM_BENCH")
	if path == "" {
		b.Skip("CAMBIUM_BENCH names no profile (see bench/run.sh)")
	}
	ctx := context.Background()
	in, err := source.Open(ctx, path)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	set, err := source.Read(ctx, in)
	if err != nil {
		b.Fatal(err)
	}
	w, err := viz.NewWorkspace(ctx, set)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkLayout lays out random states of a tree at 1440×900: a random
// context as root (every tenth time the whole), any sizing, metric and depth.
// It reports the median, the 99th percentile and the worst in milliseconds.
func BenchmarkLayout(b *testing.B) {
	w := open(b)
	w.Program() // once per data set, when it is read
	r := rand.New(rand.NewPCG(1, 2))
	sizings := []string{"length", "area", "equal"}
	var took []time.Duration
	for b.Loop() {
		request := viz.Request{View: "ring", Viewport: viz.Viewport{Width: 1440, Height: 900}, Params: map[string]string{"sizing": sizings[r.IntN(3)]}}
		look := "depth:" + []string{"5", "12", "40", "1000"}[r.IntN(4)]
		if r.IntN(10) > 0 {
			look = "focus:" + focus(w.Tree, r) + "," + look
		}
		request.Look = viz.Look{Steps: look, Metric: w.Tree.Metrics[r.IntN(len(w.Tree.Metrics))].Name}
		start := time.Now()
		if _, _, err := w.Scene(context.Background(), request); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	ms := func(at float64) float64 {
		return float64(took[min(int(at*float64(len(took))), len(took)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "median-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
	b.ReportMetric(ms(1), "worst-ms")
}

// focus goes from a random context a random way up, so that large subtrees,
// which are what people look at, are not lost among the many small ones.
func focus(t *cct.Tree, r *rand.Rand) string {
	n := cct.NodeID(1 + r.IntN(t.Len()-1))
	for range r.IntN(int(t.Depth[n])) {
		n = t.Parent[n]
	}
	return strconv.Itoa(int(n))
}
