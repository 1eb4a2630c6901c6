package predict

import (
	"slices"

	"github.com/cambium-prof/cambium/data"
)

// The strategies in this file know a site only by what happened at it. Their
// columns are site -> what is guessed next; None before the site's first event.

// unseen is the column guess for sites that had no event.
func unseen(sites int) []data.EntityID {
	return slices.Repeat([]data.EntityID{data.None}, sites)
}

// oneBit is EVolve's DefaultPredictor (Wang 2002, section 5.3.1).
type oneBit struct{ guess []data.EntityID }

func (p *oneBit) Observe(site, target data.EntityID) bool {
	guess := p.guess[site]
	p.guess[site] = target
	return guess != target && guess != data.None
}

// twoBit forgives a single miss.
type twoBit struct {
	guess  []data.EntityID
	missed []bool // site -> the last event was a miss, and was forgiven
}

func (p *twoBit) Observe(site, target data.EntityID) bool {
	guess := p.guess[site]
	miss := guess != target && guess != data.None
	if !miss || p.missed[site] {
		p.guess[site] = target
		p.missed[site] = false
	} else {
		p.missed[site] = true
	}
	return miss
}

// static never changes its mind.
type static struct{ guess []data.EntityID }

func (p *static) Observe(site, target data.EntityID) bool {
	guess := p.guess[site]
	if guess == data.None {
		p.guess[site] = target
		return false
	}
	return guess != target
}

// lastN keeps a window per site that had an event, so that the memory is in
// proportion to those and not to all sites. It allocates when windows have to
// grow, at a site's first event.
type lastN struct {
	guess  []data.EntityID
	window []uint32 // site -> number of its window; only if guess is not None
	// targets holds the windows, n targets each, the most recent first; None
	// behind the last.
	targets []data.EntityID
	empty   []data.EntityID // a window without targets
}

func newLastN(sites, n int) *lastN {
	return &lastN{guess: unseen(sites), window: make([]uint32, sites), empty: unseen(n)}
}

func (p *lastN) Observe(site, target data.EntityID) bool {
	guess, n := p.guess[site], len(p.empty)
	if guess == data.None {
		p.window[site] = uint32(len(p.targets) / n)
		p.targets = append(p.targets, p.empty...)
	}
	w := p.targets[int(p.window[site])*n:][:n]
	copy(w[1:], w)
	w[0] = target
	if target == guess {
		// It stays the majority: no other target became more frequent, and
		// none is more recent now. So only misses pay for counting.
		return false
	}
	p.guess[site] = majority(w)
	return guess != data.None
}

// majority gives the most frequent target of a window, and of equally frequent
// ones the most recent.
func majority(w []data.EntityID) (best data.EntityID) {
	most := 0
	for i, t := range w {
		// What is counted from its first place on is counted in full. It can
		// win only if more places are left than the best one has.
		if t == data.None || len(w)-i <= most {
			break
		}
		count := 0
		for _, u := range w[i:] {
			if u == t {
				count++
			}
		}
		if count > most {
			best, most = t, count
		}
	}
	return best
}
