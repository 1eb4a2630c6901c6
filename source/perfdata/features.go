package perfdata

import "bytes"

// Feature sections that are read.
const (
	featureTracing   = 1
	featureBuildID   = 2
	featureEventDesc = 12
)

func (r *reader) feature(number uint64, raw []byte) {
	switch number {
	case featureBuildID:
		for len(raw) >= recordHeader {
			n := int(r.order.Uint16(raw[6:]))
			if n < recordHeader || n > len(raw) {
				r.b.Warn("the list of build ids is damaged")
				return
			}
			r.buildID(raw[:n])
			raw = raw[n:]
		}
	case featureTracing:
		r.tracing(raw)
	case featureEventDesc:
		if !r.events(raw) {
			r.b.Warn("the list of events' names is damaged")
		}
	}
}

const (
	buildIDBytes = 20
	miscSize     = 1 << 15 // of a build id: its size is told
)

// buildID takes one: the process, 20 bytes, their number if not all count, and the
// path of the binary.
func (r *reader) buildID(rec []byte) {
	const idAt, sizeAt, pathAt = 12, 32, 36
	if len(rec) < pathAt {
		return
	}
	n := buildIDBytes
	if r.order.Uint16(rec[4:])&miscSize != 0 {
		n = min(n, int(rec[sizeAt]))
	}
	r.buildIDs[string(text(rec[pathAt:]))] = bytes.Clone(rec[idAt:][:n])
}

// events takes the names of events: for each the attribute, how many ids, the
// name, and the ids.
func (r *reader) events(raw []byte) bool {
	c := cursor{r: r, b: raw}
	n, size := c.u32(), c.u32()
	for i := range n {
		c.skip(uint64(size))
		ids := c.u32()
		name := text(c.bytes(uint64(c.u32())))
		if ids == 0 && int(i) < len(r.attrs) { // one that needs none
			r.attrs[i].name = bytes.Clone(name)
		}
		for range ids {
			if a := r.byID[c.u64()]; a != nil && !c.bad {
				a.name = bytes.Clone(name)
			}
			if c.bad {
				return false
			}
		}
		if c.bad {
			return false
		}
	}
	return true
}
