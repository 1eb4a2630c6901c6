package predict

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// defaultPredictor is the code of the thesis's section 5.3.1, line by line (there
// newTarget is misprinted as getName).
type defaultPredictor struct {
	lastTarget int
	correct    bool
}

func (p *defaultPredictor) newTarget(target int) {
	if target == p.lastTarget {
		p.correct = true
	} else {
		if p.lastTarget != math.MinInt32 {
			/* miss-prediction occurs */
			p.correct = false
		}
		p.lastTarget = target
	}
}

// Section 5.3.5: every entity on the y axis has a predictor of its own, and
// section 5.3.7 counts its misses.
func TestOneBitIsTheThesisDefault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var predictor [manySites]defaultPredictor
		for i := range predictor {
			predictor[i] = defaultPredictor{math.MinInt32, true}
		}
		oneBit, err := Find("one-bit")
		if err != nil {
			t.Fatal(err)
		}
		var misses [manySites]int64
		score := NewScore(manySites, oneBit)
		for i, e := range drawEvents(t) {
			p := &predictor[e.Site]
			p.newTarget(int(e.Target))
			if !p.correct {
				misses[e.Site]++
			}
			if missed, ok := score.Observe(e.Site, e.Target); !ok || (missed == 0) != p.correct {
				t.Fatalf("event %d: missed is %b, correct in the thesis is %v", i, missed, p.correct)
			}
		}
		for site, n := range misses {
			if score.Misses[0][site] != n {
				t.Errorf("site %d has %d misses, in the thesis %d", site, score.Misses[0][site], n)
			}
		}
	})
}

// Section 5.2.1's only event: the 151347th bytecode, location 238, method 115.
// Section 5.3.1: the first time, "it always tells that the prediction is correct
// because there's no previous target".
func TestFirstEventIsNoMiss(t *testing.T) {
	for _, d := range All() {
		if d.New(239, d.Number.Value).Observe(238, 115) {
			t.Errorf("%s: the first event is a miss", d)
		}
	}
}

// Section 4.1.3: "more accurate predictors should reduce the amount of red/black
// points". A site that alternates is the case one bit is worst at.
func TestMoreAccuratePredictorsMissLess(t *testing.T) {
	events := strings.Repeat("pa pb ", 50)
	for predictor, want := range map[string]int{"one-bit": 99, "two-bit": 50, "static": 50, "path-history": 5} {
		d := mustFind(t, predictor)
		if got := strings.Count(steps(d.New(26, d.Number.Value), events), "x"); got != want {
			t.Errorf("%s: %d misses of 100, want %d", d, got, want)
		}
	}
}
