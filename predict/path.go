package predict

import (
	"math/bits"

	"github.com/cambium-prof/cambium/data"
)

// pathHistory guesses what the site did when the last K targets of the whole
// program were the same as now. A path it does not know falls back to the last
// target of the site: without that, a long path would look good because hardly
// any is ever met again, and there would be nothing to miss.
//
// Program and path are unbounded, so the table is not: it has a fixed number of
// entries, in sets of four. Site and path are hashed to 64 bits, which name the
// set and are the entry's tag, so that hardly ever is an entry mistaken for
// another's (among a million paths, a chance below one in ten million). The
// entries of a set are in the order of their last use. When a fifth path comes
// into a set, it takes the place of the one that was not used for longest, which
// is then unknown again and falls back. Nothing depends on chance or on
// addresses: one stream gives one answer.
type pathHistory struct {
	guess []data.EntityID // site -> last target, or None
	sets  []pathSet       // a power of two of them
	shift int             // hash >> shift is the set

	path []uint64 // the last K targets plus one, a ring; 0 before there were K
	next int      // the oldest of them
	hash uint64   // their polynomial in pathBase, the newest with power 0
	drop uint64   // pathBase to the power of K: what the oldest counts when it goes
}

// pathSets has room for 2²⁰ paths in 16 MiB.
const pathSets = 1 << 18

// pathSet is as large as a cache line.
type pathSet [4]struct {
	tag    uint64 // 0 for an empty entry
	target data.EntityID
}

const (
	pathBase = 0x9E3779B97F4A7C15 // odd; 2⁶⁴ by the golden ratio
	pathMix  = 0xFF51AFD7ED558CCD // of MurmurHash3's finalizer
)

func newPathHistory(sites, k, sets int) *pathHistory {
	p := &pathHistory{
		guess: unseen(sites),
		sets:  make([]pathSet, sets),
		shift: 65 - bits.Len(uint(sets)),
		path:  make([]uint64, k),
		drop:  1,
	}
	for range k {
		p.drop *= pathBase
	}
	return p
}

func (p *pathHistory) Observe(site, target data.EntityID) bool {
	guess := p.guess[site]
	p.guess[site] = target
	if known, ok := p.replace(site, target); ok {
		guess = known
	}

	digit := uint64(target) + 1
	p.hash = p.hash*pathBase + digit - p.path[p.next]*p.drop
	p.path[p.next] = digit
	if p.next++; p.next == len(p.path) {
		p.next = 0
	}
	return guess != target && guess != data.None
}

// replace gives what the table knows for a site after the present path, and has
// it know target from now on.
func (p *pathHistory) replace(site, target data.EntityID) (known data.EntityID, ok bool) {
	tag := p.hash*pathBase + uint64(site) + 1
	tag = (tag ^ tag>>32) * pathMix
	tag |= 1 // the set is named by high bits
	set := &p.sets[tag>>p.shift]
	i := 0
	for i < len(set)-1 && set[i].tag != tag {
		i++
	}
	known, ok = set[i].target, set[i].tag == tag
	for ; i > 0; i-- {
		set[i] = set[i-1]
	}
	set[0].tag, set[0].target = tag, target
	return known, ok
}
