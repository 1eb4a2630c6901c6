package ndjson

import (
	"hash/maphash"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// ids finds entities by the stream's own ids. Numbers and the texts of them are
// the same; those that are given about one after the other are in an array. The
// others are in one piece of text that an open-addressing table leads to: a map
// would hold three times as many bytes as the entities.
type ids struct {
	numbered []data.EntityID // number -> entity + 1, 0 if there is none

	text  []byte
	ends  []int           // of the ids in text
	rows  []data.EntityID // of the ids in text
	slots []uint64        // hash -> hash and, in the lower half, index of an id + 1; 0 when free; a power of two long
	seed  maphash.Seed
}

// maxGap is how far beyond twice the number of entities the array goes.
const maxGap = 1024

func newIDs() ids { return ids{slots: make([]uint64, 64), seed: maphash.MakeSeed()} }

func (t *ids) find(id []byte) (data.EntityID, bool) {
	if n, ok := plainNumber(id); ok && n < int64(len(t.numbered)) && t.numbered[n] != 0 {
		return t.numbered[n] - 1, true
	}
	if slot := t.slots[t.slot(id, t.hash(id))]; slot != 0 {
		return t.rows[uint32(slot)-1], true
	}
	return data.None, false
}

// add remembers an id that find does not find.
func (t *ids) add(id []byte, row data.EntityID) {
	if n, ok := plainNumber(id); ok && n <= 2*int64(row)+maxGap {
		if missing := n + 1 - int64(len(t.numbered)); missing > 0 {
			t.numbered = append(t.numbered, make([]data.EntityID, missing)...)
		}
		t.numbered[n] = row + 1
		return
	}
	hash := t.hash(id)
	at := t.slot(id, hash)
	t.text = append(t.text, id...)
	t.ends, t.rows = append(t.ends, len(t.text)), append(t.rows, row)
	t.slots[at] = hash | uint64(len(t.rows))
	if len(t.rows)*3 > len(t.slots)*2 {
		t.grow()
	}
}

func (t *ids) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := slot >> 32 & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot
	}
}

// hash is in the upper half of a slot.
func (t *ids) hash(id []byte) uint64 { return maphash.Bytes(t.seed, id) &^ math.MaxUint32 }

func (t *ids) at(index int) []byte {
	from := 0
	if index > 0 {
		from = t.ends[index-1]
	}
	return t.text[from:t.ends[index]]
}

// slot is where the id is, or would be.
func (t *ids) slot(id []byte, hash uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	for at := hash >> 32 & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 || slot&^math.MaxUint32 == hash && string(t.at(int(uint32(slot)-1))) == string(id) {
			return at
		}
	}
}

// plainNumber gives the number that is written like this and in no other way.
func plainNumber(id []byte) (int64, bool) {
	if len(id) == 0 || len(id) > 18 || id[0] == '0' && len(id) > 1 || id[0]-'0' > 9 {
		return 0, false
	}
	n, rest, ok := source.Number(id)
	return n, ok && len(rest) == 0
}
