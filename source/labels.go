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
