package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/viz"
)

// BenchmarkOverview draws the overview of two recorded traces as the page does
// for the first time: from traces in memory, their classes and matches, to the
// scene; then again in another width, and what is under the pointer at the
// outermost call.
func BenchmarkOverview(b *testing.B) {
	for _, size := range []struct{ name, a, b string }{
		{"100k", "sqlite3_a.chrome.json.gz", "sqlite3_b.chrome.json.gz"},
		{"1500k", "sqlite3_big1.uftrace.tar.zst", "sqlite3_big2.uftrace.tar.zst"},
	} {
		b.Run(size.name, func(b *testing.B) {
			var sides [2]*viz.Workspace
			for i, name := range []string{size.a, size.b} {
				folder := os.Getenv("CAMBIUM_DATA")
				if folder == "" {
					b.Skip("CAMBIUM_DATA does not name the folder of recorded profiles")
				}
				var err error
				if sides[i], err = viz.NewWorkspace(b.Context(), readRecorded(b, filepath.Join(folder, "calltrace", name))); err != nil {
					b.Fatal(err)
				}
				if _, err := sides[i].Trace(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			open := func() *viz.OpenChart {
				w, err := viz.NewComparison(b.Context(), match.Names{}, sides[0], sides[1])
				if err != nil {
					b.Fatal(err)
				}
				charts, err := w.Charts(b.Context(), []viz.ChartSpec{{View: "overview"}}, viz.Shared{}, nil)
				if err != nil {
					b.Fatal(err)
				}
				return charts[0]
			}
			draw := func(c *viz.OpenChart, width float64) {
				if _, err := c.Scene(viz.View{Viewport: viz.Viewport{Width: width, Height: 500}}, viz.Shared{}); err != nil {
					b.Fatal(err)
				}
			}
			b.Run("first", func(b *testing.B) {
				for b.Loop() {
					draw(open(), 1420)
				}
			})
			c := open()
			b.Run("resized", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					draw(c, 1000+10*float64(i%40))
				}
			})
			v := viz.View{Viewport: viz.Viewport{Width: 1420, Height: 500}}
			b.Run("again", func(b *testing.B) {
				for b.Loop() {
					draw(c, 1420)
				}
			})
			b.Run("point", func(b *testing.B) {
				for b.Loop() {
					if h, ok, err := c.At(v, viz.Shared{}, 700, 120); err != nil || !ok || len(h.Marks) == 0 {
						b.Fatal(h, err)
					}
				}
			})
		})
	}
}
