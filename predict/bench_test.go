package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

// stream makes events like those of a program's call sites: few sites are
// frequent and most are rare; nine in ten have one target, the others up to
// sixteen. Phases of 64 events repeat with small changes, so that the path tells
// something.
func stream(sites, events int) (site, target []data.EntityID) {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 8, uint64(sites-1))
	site, target = make([]data.EntityID, events), make([]data.EntityID, events)
	for i := range events {
		if i >= 64 && r.IntN(16) != 0 {
			site[i], target[i] = site[i-64], target[i-64]
			continue
		}
		s := zipf.Uint64()
		site[i], target[i] = data.EntityID(s), data.EntityID(s)
		if s%10 == 0 {
			target[i] += data.EntityID(r.IntN(int(2 + s%15)))
		}
	}
	return site, target
}

// 10⁷ events at 10⁵ sites. The metric is the time per event, through Score as a
// chart has it.
func BenchmarkPredictors(b *testing.B) {
	const sites, events = 100_000, 10_000_000
	site, target := stream(sites, events)
	for _, text := range []string{"one-bit", "two-bit", "static", "last-8", "last-32", "path-history-4", "path-history-16"} {
		b.Run(text, func(b *testing.B) {
			d := mustFind(b, text)
			b.ReportAllocs()
			var s *Score
			for b.Loop() {
				s = NewScore(sites, d)
				for i := range site {
					s.Observe(site[i], target[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
			b.ReportMetric(100*float64(s.TotalMisses[0])/events, "%missed")
		})
	}
}
