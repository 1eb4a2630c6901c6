package query

import "github.com/cambium-prof/cambium/cct"

// FindStacks is FindStack for many stacks, in one pass: what is not found is not
// in the answer.
func FindStacks(t *cct.Tree, stacks []string) map[string]cct.NodeID {
	wanted := make(map[string]bool, len(stacks))
	for _, stack := range stacks {
		wanted[stack] = true
	}
	found := map[string]cct.NodeID{}
	for n, s := range alongStacks(t, wanted) {
		if s == nil || !s.whole {
			continue
		}
		if _, before := found[s.stack]; !before {
			found[s.stack] = cct.NodeID(n)
		}
	}
	return found
}
