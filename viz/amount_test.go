package viz

import (
	"strings"
	"testing"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0, "count", "0"}, {999, "count", "999"}, {5994, "count", "5.99 k"}, {-14_800_000, "bytecodes", "-14.8 M"}, {0.25, "", "0.25"},
		{0, "nanoseconds", "0 s"}, {12, "ns", "12 ns"}, {1.53e9, "nanoseconds", "1.53 s"}, {90, "seconds", "90.0 s"}, {7200, "seconds", "2.00 h"}, {1500, "us", "1.50 ms"},
		{86_088_090, "bytes", "82.1 MiB"}, {3, "kb", "3.00 KiB"}, {1e25, "x", "10000000 E"},
	} {
		if got := strings.ReplaceAll(Amount(c.x, c.unit), "\u00a0", " "); got != c.want {
			t.Errorf("%g %s is %q, not %q", c.x, c.unit, got, c.want)
		}
	}
}

func TestDensitiesArePerWhatPeopleKnow(t *testing.T) {
	for _, c := range []struct {
		unit  string
		most  float64
		words string
		one   float64
	}{
		{"nanoseconds", 2.5e-7, "second of ", 1e9}, {"ms", 1, "second of ", 1e3}, {"bytes", 1, "MiB of ", 1 << 20},
		{"count", 3, "", 1}, {"count", 0, "", 1}, {"count", 0.01, "thousand ", 1e3}, {"count", 1e-6, "million ", 1e6},
	} {
		if words, one := perUnit(c.unit, c.most); words != c.words || one != c.one {
			t.Errorf("%g per %s is told per %g %q", c.most, c.unit, one, words)
		}
	}
}
