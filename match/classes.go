package match

import (
	"cmp"
	"context"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/trace"
)

// ClassID is the row of a class in its Classes.
type ClassID uint32

// Classes are the different Γ of one trace. A row is a class: the calls that
// have the same Γ. Rows are in the order of the size of Γ.
//
// A set is a list of the words of 64 methods that are not empty, in rising
// order: the words first[c] to first[c+1]-1. Most sets have a handful.
type Classes struct {
	Of    []ClassID // call -> class
	Calls []int64   // class -> how many calls have it; never 0
	Size  []uint32  // class -> ‖Γ‖; never 0

	first []int    // class -> its first word; with one entry more at the end
	at    []uint32 // word -> number of its first method, divided by 64
	bits  []uint64 // word -> a bit per method
}

// Len is the number of classes.
func (c *Classes) Len() int { return len(c.Size) }

// has tells whether a method is in Γ of a class.
func (c *Classes) has(class ClassID, method uint32) bool {
	from, to := c.first[class], c.first[class+1]
	i, ok := slices.BinarySearch(c.at[from:to], method/64)
	return ok && c.bits[from+i]&(1<<(method%64)) != 0
}

// shared counts the methods that Γ of two classes have in common.
func shared(a *Classes, x ClassID, b *Classes, y ClassID) (n int) {
	i, endI := a.first[x], a.first[x+1]
	j, endJ := b.first[y], b.first[y+1]
	for i < endI && j < endJ {
		switch p, q := a.at[i], b.at[j]; {
		case p < q:
			i++
		case p > q:
			j++
		default:
			n += bits.OnesCount64(a.bits[i] & b.bits[j])
			i++
			j++
		}
	}
	return n
}

// classify finds the classes of a trace. Calls are visited from the last to the
// first, so that those which a call makes are known when it comes: its set is
// the union of theirs, and its own method. Equal sets get the same class
// (they are hash-consed), so that a union is one of few sets, and mostly a
// small one.
//
// The union is collected in one set that has a bit for every method, with a
// summary of its words that are not empty; what a call costs is the words of the
// different sets of its callees.
func classify(ctx context.Context, t *trace.Trace, number []uint32, methods int) (*Classes, error) {
	c := &Classes{Of: make([]ClassID, t.Len()), first: []int{0}}
	k := &conser{Classes: c, seed: maphash.Comparable(maphash.MakeSeed(), 0)}
	k.grow()
	words := (methods + 63) / 64
	union, summary := make([]uint64, words), make([]uint64, (words+63)/64)
	add := func(word uint32, b uint64) {
		union[word] |= b
		summary[word/64] |= 1 << (word % 64)
	}
	leaves := make([]ClassID, methods) // method -> class of a call that makes none, plus one; 0 if not known
	var stamp []trace.CallID           // class -> the last call that it was found below
	callees := make([]ClassID, 0, 64)  // different ones
	none := uint32(len(number) - 1)
	for call := trace.CallID(t.Len()); call > 0; {
		call--
		if call%data.BatchRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		method := number[min(uint32(t.Method[call]), none)]
		end := t.End[call]
		if end == call+1 && leaves[method] != 0 {
			c.Of[call] = leaves[method] - 1
			continue
		}
		callees = callees[:0]
		for child := call + 1; child < end; child = t.End[child] {
			class := c.Of[child]
			if stamp[class] != call {
				stamp[class] = call
				callees = append(callees, class)
			}
		}
		if len(callees) == 1 && c.has(callees[0], method) {
			c.Of[call] = callees[0]
			continue
		}
		add(method/64, 1<<(method%64))
		for _, class := range callees {
			for i := c.first[class]; i < c.first[class+1]; i++ {
				add(c.at[i], c.bits[i])
			}
		}
		class := k.intern(union, summary)
		if end == call+1 {
			leaves[method] = class + 1
		}
		for int(class) >= len(stamp) {
			stamp = append(stamp, trace.NoCall)
		}
		c.Of[call] = class
	}
	c.finish()
	return c, nil
}

// conser finds sets again by their content.
type conser struct {
	*Classes
	seed   uint64    // random, so that no file can be made to have sets of equal hash
	hashes []uint64  // class -> hash of its words
	table  []ClassID // open addressing: class plus one, or 0; at most half full
}

// intern gives the class of the set in union, and empties union and summary.
func (k *conser) intern(union, summary []uint64) ClassID {
	// The words go to where a new class would have them.
	from := len(k.at)
	h := k.seed
	for s, sum := range summary {
		for ; sum != 0; sum &= sum - 1 {
			word := s*64 + bits.TrailingZeros64(sum)
			b := union[word]
			k.at, k.bits = append(k.at, uint32(word)), append(k.bits, b)
			union[word] = 0
			hi, lo := bits.Mul64(h^b, 0x9e3779b97f4a7c15+uint64(word)<<1)
			h = hi ^ lo
		}
		summary[s] = 0
	}
	at, words := k.at[from:], k.bits[from:]
	slot := h & uint64(len(k.table)-1)
	for ; k.table[slot] != 0; slot = (slot + 1) & uint64(len(k.table)-1) {
		class := k.table[slot] - 1
		i, j := k.first[class], k.first[class+1]
		if k.hashes[class] == h && slices.Equal(k.bits[i:j], words) && slices.Equal(k.at[i:j], at) {
			k.at, k.bits = k.at[:from], k.bits[:from]
			return class
		}
	}
	class := ClassID(len(k.hashes))
	k.first, k.hashes = append(k.first, len(k.at)), append(k.hashes, h)
	k.table[slot] = class + 1
	if 2*len(k.hashes) > len(k.table) {
		k.grow()
	}
	return class
}

func (k *conser) grow() {
	k.table = make([]ClassID, max(256, 4*len(k.hashes)))
	for len(k.table)&(len(k.table)-1) != 0 {
		k.table = k.table[:len(k.table)&(len(k.table)-1)]
	}
	for class, h := range k.hashes {
		slot := h & uint64(len(k.table)-1)
		for k.table[slot] != 0 {
			slot = (slot + 1) & uint64(len(k.table)-1)
		}
		k.table[slot] = ClassID(class) + 1
	}
}

// finish brings the classes in the order of their size, and counts.
func (c *Classes) finish() {
	n := len(c.first) - 1
	size := make([]uint32, n)
	order := make([]ClassID, n)
	for class := range n {
		order[class] = ClassID(class)
		for _, b := range c.bits[c.first[class]:c.first[class+1]] {
			size[class] += uint32(bits.OnesCount64(b))
		}
	}
	slices.SortFunc(order, func(x, y ClassID) int { return cmp.Or(cmp.Compare(size[x], size[y]), cmp.Compare(x, y)) })
	place := make([]ClassID, n)
	old := *c
	c.first, c.at, c.bits = make([]int, 1, n+1), make([]uint32, 0, len(old.at)), make([]uint64, 0, len(old.bits))
	c.Size, c.Calls = make([]uint32, n), make([]int64, n)
	for i, class := range order {
		place[class] = ClassID(i)
		c.Size[i] = size[class]
		c.at = append(c.at, old.at[old.first[class]:old.first[class+1]]...)
		c.bits = append(c.bits, old.bits[old.first[class]:old.first[class+1]]...)
		c.first = append(c.first, len(c.at))
	}
	for call, class := range c.Of {
		c.Of[call] = place[class]
		c.Calls[place[class]]++
	}
}
