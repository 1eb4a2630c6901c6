package viz

import (
	"fmt"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// How colour groups and selections, which speak of entities, reach charts of
// trees, which draw contexts. All slices are by row of the data set's own tree.

// nodeGroups gives every context its colour group.
func (w *Workspace) nodeGroups(groups []Group) ([]uint8, error) {
	pass, err := w.pass(Shared{Groups: groups})
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	colors := make([]uint8, w.Tree.Len())
	for g := min(len(groups), maxGroups) - 1; g >= 0; g-- {
		for row, in := range pass.Groups[g].Entities(w.Tree.ContextTable) {
			if in {
				colors[w.Tree.OfContext(data.EntityID(row))] = uint8(g + 1)
			}
		}
	}
	return colors, nil
}

// selectedNodes marks the contexts that a selection holds for; nil if there is
// none or it says nothing about contexts.
func (w *Workspace) selectedNodes(selection string) ([]bool, error) {
	f, err := w.Filter(selection)
	if err != nil {
		return nil, fmt.Errorf("selection: %w", err)
	}
	marks := f.Entities(w.Tree.ContextTable)
	if marks == nil {
		return nil, nil
	}
	nodes := make([]bool, w.Tree.Len())
	for row, in := range marks {
		if in {
			nodes[w.Tree.OfContext(data.EntityID(row))] = true
		}
	}
	return nodes, nil
}

// NodeColor gives the colour of a node by the group of the context it stands
// for; ok is false if it has none.
func (c Config) NodeColor(n cct.NodeID) (group int, ok bool) {
	if c.Colors == nil {
		return 0, false
	}
	g := c.Colors[c.View.ID(n)]
	return int(g) - 1, g > 0
}
