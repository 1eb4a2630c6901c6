package plot

import (
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/viz"
)

// Sums adds amounts up per entity and colour group.
type Sums struct {
	Entities *viz.Entities
	groups   int     // colour groups and none
	sums     []int64 // position*groups + group -> amount
	skipped  int64   // events without an entity
}

// NewSums sums for the entities of a table.
func NewSums(e *viz.Entities, groups int) *Sums { return &Sums{Entities: e, groups: groups + 1} }

// Add adds the amounts of a batch to its entities, both by dimension.
func (s *Sums) Add(b *viz.Batch, entities, amount int) {
	e := s.Entities
	ids, amounts, group := b.Columns[entities].Refs, b.Columns[amount].Values, b.Group
	for i, id := range ids {
		if id == data.None {
			s.skipped += b.Events(i)
			continue
		}
		p := e.Position(id)
		v := amounts[i]
		e.Amounts[p] = Saturating(e.Amounts[p], v)
		if s.groups == 1 {
			continue
		}
		g := 0
		if group != nil {
			g = int(group[i])
		}
		at := p*s.groups + g
		for at >= len(s.sums) {
			s.sums = append(s.sums, make([]int64, max(s.groups, len(s.sums)/2))...)
		}
		s.sums[at] = Saturating(s.sums[at], v)
	}
}

// Saturating adds, and stays at the end of the range of integers that the sum is
// beyond: amounts of broken files are not to become their opposite.
func Saturating(a, b int64) int64 {
	sum := a + b
	if (a^sum)&(b^sum) < 0 { // both have another sign than their sum
		return math.MaxInt64 ^ (b >> 63)
	}
	return sum
}

// Of is the amount of an entity that occurs.
func (s *Sums) Of(id data.EntityID) int64 {
	if p := s.Entities.Find(id); p >= 0 {
		return s.Entities.Amounts[p]
	}
	return 0
}

// OfGroup is the part of it that events of a colour group have; 0 is no group.
func (s *Sums) OfGroup(id data.EntityID, group int) int64 {
	p := s.Entities.Find(id)
	if p < 0 {
		return 0
	}
	if s.groups == 1 {
		if group == 0 {
			return s.Entities.Amounts[p]
		}
		return 0
	}
	if at := p*s.groups + group; group < s.groups && at < len(s.sums) {
		return s.sums[at]
	}
	return 0
}

// Group is the colour group that has most of an entity's amount, 0 if that is
// none.
func (s *Sums) Group(id data.EntityID) int {
	best := 0
	for g := range s.groups {
		if size(s.OfGroup(id, g)) > size(s.OfGroup(id, best)) {
			best = g
		}
	}
	return best
}

// Ends are the sums of what is negative and of what is positive of an entity:
// where the parts of a bar end, one after the other.
func (s *Sums) Ends(id data.EntityID) (low, high int64) {
	for g := range s.groups {
		if v := s.OfGroup(id, g); v < 0 {
			low = Saturating(low, v)
		} else {
			high = Saturating(high, v)
		}
	}
	return low, high
}

// Groups is how many colour groups there are, none included.
func (s *Sums) Groups() int { return s.groups }

// Skipped is how many events had no entity.
func (s *Sums) Skipped() int64 { return s.skipped }

// Total is the amount of all entities.
func (s *Sums) Total() int64 {
	total := int64(0)
	for _, v := range s.Entities.Amounts {
		total = Saturating(total, v)
	}
	return total
}
