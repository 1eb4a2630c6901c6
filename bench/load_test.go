package bench

import "testing"

// BenchmarkLoad reads the profile and builds its tree.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		open(b)
	}
}
