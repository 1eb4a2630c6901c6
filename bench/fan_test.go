package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/viz"
)

// BenchmarkFan expands and compacts nodes that a picture shows, as a person
// does: from the click to the new picture, through the text of the steps. It
// begins with all names at a level, and again after 30 actions.
func BenchmarkFan(b *testing.B) {
	w := open(b)
	w.Program()
	for _, view := range []string{"fan", "ring"} {
		for _, level := range []string{"1", "2", "1000"} {
			b.Run(view+"/level="+level, func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				r := rand.New(rand.NewPCG(1, 2))
				begin := viz.Look{Steps: "compact:" + level}
				look, done, blocked := begin, 0, 0
				var t timings
				draw := func() []uint32 {
					s, _, err := w.Scene(context.Background(), viz.Request{View: view, Look: look, Viewport: viz.Viewport{Width: 1440, Height: 900}})
					if err != nil {
						b.Fatal(err)
					}
					var ids []uint32
					for i, id := range s.Sectors.ID {
						if s.Sectors.Kind[i] == scene.Segment && s.Sectors.Name[i] != scene.NoName {
							ids = append(ids, id)
						}
					}
					return ids
				}
				ids := draw()
				for b.Loop() {
					if done == 30 {
						look, done = begin, 0
						b.StopTimer()
						ids = draw()
						b.StartTimer()
					}
					act := query.Act{Kind: compact.Expand, Node: cct.NodeID(ids[r.IntN(len(ids))])}
					if r.IntN(3) == 0 {
						act.Kind = compact.Compact
					}
					began, used := time.Now(), threadTime()
					steps, err := w.Act(context.Background(), view, nil, look, act)
					if why := new(compact.Blocked); errors.As(err, &why) {
						blocked++
						continue
					}
					if err != nil {
						b.Fatal(err)
					}
					look.Steps = steps
					ids = draw()
					t.clock, t.processor = append(t.clock, time.Since(began)), append(t.processor, threadTime()-used)
					done++
				}
				if len(t.clock) > 0 {
					t.report(b)
				}
				b.ReportMetric(float64(blocked), "blocked")
			})
		}
	}
}
