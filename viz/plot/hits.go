package plot

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/viz"
)

// SumHit says what an entity has in a chart of sums.
func SumHit(f viz.Frame, s *Sums, id data.EntityID, amount data.Path) viz.Hit {
	v := s.Of(id)
	h := viz.Hit{Title: s.Entities.Name(id), Facts: []viz.Fact{
		{Name: amount.Name, Value: Exact(v, string(amount.Field.Unit))},
		{Name: "share", Value: Share(v, s.Total())},
	}}
	for g := 1; g < s.Groups(); g++ {
		if group, shown := GroupOf(f, g); shown && s.OfGroup(id, g) != 0 {
			h.Facts = append(h.Facts, viz.Fact{Name: group.Name, Value: Exact(s.OfGroup(id, g), string(amount.Field.Unit))})
		}
	}
	return h
}
