package plot

// Pairs adds amounts up per pair of positions and colour group. It is a hash
// table with open addressing: pairs come in no order, and most of what could
// be never is.
type Pairs struct {
	keys   []uint64 // 0 is free, so that keys are stored plus one
	values []int64
	n      int
	shift  uint
}

// Pair is an entry: positions, group and sum.
type Pair struct {
	Column, Row, Group int
	Value              int64
}

// Positions have 28 bits and groups 8: a table of entities with more rows
// would not fit memory either.
const (
	positionBits = 28
	groupBits    = 8
)

// NewPairs makes an empty table.
func NewPairs() *Pairs {
	p := &Pairs{}
	p.resize(10)
	return p
}

func (p *Pairs) resize(bits uint) {
	keys, values := p.keys, p.values
	p.keys, p.values, p.shift = make([]uint64, 1<<bits), make([]int64, 1<<bits), 64-bits
	for i, k := range keys {
		if k != 0 {
			at := p.slot(k)
			p.keys[at], p.values[at] = k, values[i]
		}
	}
}

// slot finds the key, or where it belongs.
func (p *Pairs) slot(key uint64) int {
	mask := len(p.keys) - 1
	at := int(key * 0x9e3779b97f4a7c15 >> p.shift)
	for p.keys[at] != 0 && p.keys[at] != key {
		at = (at + 1) & mask
	}
	return at
}

func pairKey(column, row, group int) uint64 {
	return (uint64(column)<<(positionBits+groupBits) | uint64(row)<<groupBits | uint64(group)) + 1
}

// Add adds to a pair.
func (p *Pairs) Add(column, row, group int, value int64) {
	key := pairKey(column, row, group)
	at := p.slot(key)
	if p.keys[at] == 0 {
		if p.n++; p.n > len(p.keys)/2 {
			p.resize(64 - p.shift + 1)
			at = p.slot(key)
		}
		p.keys[at] = key
	}
	p.values[at] = Saturating(p.values[at], value)
}

// Of is the sum of a pair, 0 if it did not occur.
func (p *Pairs) Of(column, row, group int) int64 {
	return p.values[p.slot(pairKey(column, row, group))]
}

// Len is the number of pairs.
func (p *Pairs) Len() int { return p.n }

// All calls yield for every pair, in no order.
func (p *Pairs) All(yield func(Pair) bool) {
	for at, key := range p.keys {
		if key == 0 {
			continue
		}
		key--
		pair := Pair{
			Column: int(key >> (positionBits + groupBits)), Row: int(key >> groupBits & (1<<positionBits - 1)),
			Group: int(key & (1<<groupBits - 1)), Value: p.values[at],
		}
		if !yield(pair) {
			return
		}
	}
}
