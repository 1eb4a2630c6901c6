package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/viz"
)

// timings are those of many pictures, on the clock and of the processor. The
// latter is that of the thread, so that the garbage collector's is not in it.
type timings struct{ clock, processor []time.Duration }

func (t *timings) take(b *testing.B, w *viz.Workspace, r viz.Request) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, used := time.Now(), threadTime()
	if _, _, err := w.Scene(context.Background(), r); err != nil {
		b.Fatal(err)
	}
	t.clock, t.processor = append(t.clock, time.Since(began)), append(t.processor, threadTime()-used)
}

func (t *timings) report(b *testing.B) {
	ms := func(all []time.Duration, at float64) float64 {
		slices.Sort(all)
		return float64(all[min(int(at*float64(len(all))), len(all)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(ms(t.clock, 0.5), "median-ms")
	b.ReportMetric(ms(t.clock, 0.99), "p99-ms")
	b.ReportMetric(ms(t.clock, 1), "worst-ms")
	b.ReportMetric(ms(t.processor, 0.5), "cpu-median-ms")
	b.ReportMetric(ms(t.processor, 0.99), "cpu-p99-ms")
	b.ReportMetric(ms(t.processor, 1), "cpu-worst-ms")
}

// BenchmarkIcicle lays out random states of a tree at 1440×900, as
// BenchmarkLayout does. "whole" is the whole tree again and again, as somebody
// sees it who zooms and recolours; the first time, with the work that is kept,
// is reported as first-ms.
func BenchmarkIcicle(b *testing.B) {
	w := open(b)
	w.Program()
	for _, mode := range []string{"callees", "callers", "around"} {
		request := func(r *rand.Rand) viz.Request {
			return viz.Request{View: "icicle", Viewport: viz.Viewport{Width: 1440, Height: 900}, Params: map[string]string{
				"mode": mode, "direction": []string{"down", "up"}[r.IntN(2)], "color": []string{"package", "method"}[r.IntN(2)],
			}}
		}
		b.Run(mode+"/random", func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var t timings
			for b.Loop() {
				q := request(r)
				look := "depth:" + []string{"5", "12", "40", "1000"}[r.IntN(4)]
				if r.IntN(10) > 0 {
					look = "focus:" + focus(w.Tree, r) + "," + look
				}
				q.Look = viz.Look{Steps: look, Metric: w.Tree.Metrics[r.IntN(len(w.Tree.Metrics))].Name}
				if mode == "around" {
					q.Look.Steps = "depth:" + []string{"5", "12", "40", "1000"}[r.IntN(4)]
					q.Params["around"] = strconv.Itoa(1 + r.IntN(w.Tree.Len()-1))
				}
				t.take(b, w, q)
			}
			t.report(b)
		})
		b.Run(mode+"/whole", func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 4))
			var first, t timings
			first.take(b, w, request(r)) // others were asked for since
			for b.Loop() {
				t.take(b, w, request(r))
			}
			t.report(b)
			b.ReportMetric(float64(first.processor[0].Microseconds())/1000, "first-cpu-ms")
		})
	}
}

// BenchmarkTreeTable asks for 40 rows anywhere among those of a tree with some
// levels opened and a number of rows opened or closed by hand.
func BenchmarkTreeTable(b *testing.B) {
	w := open(b)
	w.Program()
	for _, levels := range []int{1, 10, 1000} {
		for _, opened := range []int{0, 10, 1000} {
			b.Run(fmt.Sprintf("levels=%d/opened=%d", levels, opened), func(b *testing.B) {
				r := rand.New(rand.NewPCG(5, 6))
				var open []string
				for range opened {
					open = append(open, focus(w.Tree, r))
				}
				var t timings
				rows := 1
				for b.Loop() {
					q := viz.Request{View: "treetable", Viewport: viz.Viewport{Width: 800, Height: 936}, First: r.IntN(rows), Params: map[string]string{
						"levels": strconv.Itoa(levels), "open": strings.Join(open, "."), "sort": []string{"", "self", "name", "-total"}[r.IntN(4)],
					}}
					t.take(b, w, q)
					if rows == 1 {
						s, _, err := w.Scene(context.Background(), q)
						if err != nil {
							b.Fatal(err)
						}
						rows = s.Table.Total
						t = timings{}
					}
				}
				t.report(b)
				b.ReportMetric(float64(rows), "rows")
			})
		}
	}
}
