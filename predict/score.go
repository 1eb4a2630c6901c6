package predict

import "github.com/cambium-prof/cambium/data"

// Score lets predictors watch one stream of events side by side, and counts
// their misses. A first event of a site counts as an event, and as no miss.
type Score struct {
	Predictors []Definition
	Events     []int64   // site -> number of events
	Misses     [][]int64 // predictor -> site -> number of misses
	// The sums over all sites.
	TotalEvents int64
	TotalMisses []int64 // by predictor

	running []Predictor
}

// MaxPredictors is how many predictors a score can compare: a bit each.
const MaxPredictors = 8

// NewScore makes the predictors, for sites 0 … sites-1, and has nothing counted
// yet. It panics if there are more than MaxPredictors.
func NewScore(sites int, predictors ...Definition) *Score {
	if len(predictors) > MaxPredictors {
		panic("predict: too many predictors to compare")
	}
	s := &Score{Predictors: predictors, Events: make([]int64, sites), TotalMisses: make([]int64, len(predictors))}
	for _, d := range predictors {
		s.Misses = append(s.Misses, make([]int64, sites))
		s.running = append(s.running, d.New(sites, d.Number.Value))
	}
	return s
}

// Observe shows the next event to all predictors. Bit i of missed is set if
// predictor i missed. An event without a site or without a target is skipped:
// nobody sees or counts it, and ok is false.
func (s *Score) Observe(site, target data.EntityID) (missed uint8, ok bool) {
	if site == data.None || target == data.None {
		return 0, false
	}
	s.Events[site]++
	s.TotalEvents++
	for i, p := range s.running {
		if p.Observe(site, target) {
			s.Misses[i][site]++
			s.TotalMisses[i]++
			missed |= 1 << i
		}
	}
	return missed, true
}
