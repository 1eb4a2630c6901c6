package source

import (
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// AdoptLabel takes a whole column of a text label: for each sample the index
// of a name, or None. Names may be equal: they then name different things.
func (p *Profile) AdoptLabel(key string, names []string, refs []data.EntityID) {
	l := p.label(key, "", false)
	if l == nil {
		return
	}
	l.names = make([]string, len(names))
	for i, name := range names {
		l.names[i] = strings.ToValidUTF8(name, "\uFFFD")
	}
	l.refs = refs
}

// AdoptTime takes the times at which the samples were taken, one each: a
// coordinate, which charts can lay events along.
func (p *Profile) AdoptTime(unit data.Unit, times []int64) {
	if l := p.label("Time", unit, true); l != nil {
		l.values, l.time = times, true
	}
}

// AdoptMetrics replaces the metrics given to [NewProfile], for readers that
// know them only at the end. [Profile.AdoptSamples] then has to bring the values.
func (p *Profile) AdoptMetrics(preferred int, metrics ...Metric) {
	p.preferred, p.metrics = preferred, metrics
}
