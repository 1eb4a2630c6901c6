package match

import (
	"context"
	"fmt"
	"testing"
)

func BenchmarkParts(b *testing.B) {
	x, y := recorded(b, "sqlite3_a"), recorded(b, "sqlite3_b")
	ctx := context.Background()
	b.Run("pair", func(b *testing.B) {
		for b.Loop() {
			pairOf(b, x, y, Names{})
		}
	})
	p := pairOf(b, x, y, Names{})
	for _, tau := range []float64{0.1, 0.2, 0.3, 0.6, 0.75, 0.9, 0.99} {
		b.Run(fmt.Sprint("at", tau), func(b *testing.B) {
			for b.Loop() {
				p.At(ctx, tau, nil)
			}
		})
		m, _ := p.At(ctx, tau, nil)
		b.Run(fmt.Sprint("groups", tau), func(b *testing.B) {
			for b.Loop() {
				m.findGroups()
			}
		})
		fmt.Println(tau, "links", len(m.from[A].all), "groups", m.Groups().Total)
		b.Run(fmt.Sprint("overview", tau), func(b *testing.B) {
			for b.Loop() {
				p.clocks[0] = func() *clock { return newClock(x, p.Classes[0]) }
				p.clocks[1] = func() *clock { return newClock(y, p.Classes[1]) }
				m.Overview(ctx, 140)
			}
		})
	}
}
