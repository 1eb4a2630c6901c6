package bench

import (
	"context"
	"runtime"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/viz"
)

// BenchmarkUnite joins the tree of the profile with itself, and with itself if
// every hundredth method had another name: then most contexts are on one side.
func BenchmarkUnite(b *testing.B) {
	t := open(b).Tree
	for name, renamed := range map[string]int{"same": 0, "renamed": 100} {
		b.Run(name, func(b *testing.B) {
			var number [2][]data.EntityID
			rows := t.Methods.Rows()
			for m := range rows {
				other := m
				if renamed > 0 && m%renamed == 0 {
					other = rows + m
				}
				number[0], number[1] = append(number[0], data.EntityID(m)), append(number[1], data.EntityID(other))
			}
			contexts := 0
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			used := threadTime()
			for b.Loop() {
				u, err := cct.Unite(context.Background(), [2]*cct.Tree{t, t}, number)
				if err != nil {
					b.Fatal(err)
				}
				contexts = u.Len()
			}
			b.ReportMetric(float64(contexts), "contexts")
			used = threadTime() - used
			b.ReportMetric(used.Seconds()*1000/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/float64(2*t.Len()), "cpu-ns/node")
		})
	}
}

// BenchmarkDifference makes all of a comparison of two open profiles: names, the
// union, its data set, its tree.
func BenchmarkDifference(b *testing.B) {
	a := open(b)
	a.Program()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := threadTime()
	for b.Loop() {
		if _, err := viz.NewComparison(context.Background(), match.Names{Stable: true}, a, a); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((threadTime()-used).Seconds()*1000/float64(b.N), "cpu-ms")
}

// BenchmarkDifferenceLayout draws the whole comparison at 1440×900, in each
// chart of trees.
func BenchmarkDifferenceLayout(b *testing.B) {
	a := open(b)
	w, err := viz.NewComparison(context.Background(), match.Names{Stable: true}, a, a)
	if err != nil {
		b.Fatal(err)
	}
	w.Program()
	for _, view := range []string{"ring", "icicle", "fan", "treetable"} {
		b.Run(view, func(b *testing.B) {
			var first, t timings
			request := viz.Request{View: view, Viewport: viz.Viewport{Width: 1440, Height: 900}}
			first.take(b, w, request)
			for b.Loop() {
				t.take(b, w, request)
			}
			t.report(b)
		})
	}
}
