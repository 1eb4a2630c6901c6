package query

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// A filter is kept with a workspace, and applied to other data sets then. What
// it says by numbers of entities means nothing there; names and stacks do.

// mostNamed is how many packed entities are named one by one. More stay packed,
// and mean something in their own data set only.
const mostNamed = maxNodes / 2

// Portable writes a filter so that it means the same in another data set:
// calling contexts by their stacks, other entities by their names. What has no
// name, and what nothing needs to be changed about, stays as it is.
func Portable(text string, set *data.Set, tree *cct.Tree) (string, error) {
	parsed, err := parse(text)
	if err != nil || parsed == nil {
		return text, err
	}
	r := filterReader{set: set, tree: tree, names: namesOf(set)}
	if _, err := r.clause(parsed); err != nil {
		return "", fmt.Errorf("filter: %w", err)
	}
	changed := false
	r.entityLists(parsed, func(types []string, n *ast.BinaryNode, nodes []ast.Node) {
		named, mine := []ast.Node{}, false
		if len(nodes) == 1 {
			if count, _, ok := packed(nodes[0]); ok && count > mostNamed {
				return
			}
		}
		nodes = r.unpacked(types, nodes)
		for _, node := range nodes {
			id, ok := integer(node)
			names := []string(nil)
			if ok {
				names = r.nameByNumber(types, id)
			}
			if len(names) == 0 {
				named = append(named, node)
				continue
			}
			mine = true
			for _, name := range names {
				named = append(named, &ast.StringNode{Value: name})
			}
		}
		if !mine {
			return
		}
		changed = true
		if len(named) == 1 {
			if n.Operator == "in" {
				n.Right = &ast.ArrayNode{Nodes: named}
			} else {
				n.Right = named[0]
			}
			return
		}
		switch n.Operator {
		case "==":
			n.Operator = "in"
		case "!=":
			n.Operator = "not in"
		}
		n.Right = &ast.ArrayNode{Nodes: named}
	})
	if !changed {
		return text, nil
	}
	return parsed.String(), nil
}

// unpacked gives the numbers of packed entities; others as they are. The entities
// of a packed text are of one type, or of several with the same rows.
func (r *filterReader) unpacked(types []string, nodes []ast.Node) []ast.Node {
	if len(nodes) != 1 {
		return nodes
	}
	count, text, ok := packed(nodes[0])
	if !ok {
		return nodes
	}
	var all []ast.Node
	for _, of := range types {
		t := r.set.Entity(of)
		marks, ok, err := unpack(count, text, t)
		if err != nil || !ok {
			continue
		}
		for row, in := range marks {
			if !in {
				continue
			}
			id := row
			if r.tree != nil && t == r.tree.ContextTable {
				id = int(r.tree.OfContext(data.EntityID(row)))
			}
			all = append(all, &ast.IntegerNode{Value: id})
		}
		break
	}
	return all
}

// nameByNumber gives what an entity is called, in each of the types that the
// number may be of; nothing if it has no name.
func (r *filterReader) nameByNumber(types []string, id int64) []string {
	var names []string
	for _, of := range types {
		t := r.set.Entity(of)
		name := ""
		switch {
		case id < 0:
		case r.tree != nil && t == r.tree.ContextTable:
			// The root is everything, in any data set: its number may stay.
			if id < int64(r.tree.Len()) && id != int64(cct.Root) {
				name = StackOf(r.tree, cct.NodeID(id))
			}
		case t.Names != nil && id < int64(t.Rows()):
			name = t.Names[id]
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Mentioned is how many entities of a kind a filter names, and how many of
// them there are not.
type Mentioned struct {
	Name           string // the field or type, as the filter names it
	Named, Missing int
}

// Missing lists, per field or type by which a filter names entities, how many
// it names and how many of them the data set does not have. The filter must be
// one that can be read.
func Missing(text string, set *data.Set, tree *cct.Tree) ([]Mentioned, error) {
	parsed, err := parse(text)
	if err != nil || parsed == nil {
		return nil, err
	}
	r := filterReader{set: set, tree: tree, names: namesOf(set)}
	if _, err := r.clause(parsed); err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	type lookup struct {
		at    int
		texts map[string]bool
	}
	var all []Mentioned
	found := map[string]lookup{} // by name
	known := map[string]map[string]bool{}
	stacks := map[string]bool{}
	r.entityLists(parsed, func(_ []string, n *ast.BinaryNode, nodes []ast.Node) {
		name := r.meant(n.Left)
		l, ok := found[name]
		if !ok {
			l = lookup{len(all), map[string]bool{}}
			found[name] = l
			all = append(all, Mentioned{Name: name})
		}
		for _, node := range nodes {
			if text, ok := node.(*ast.StringNode); ok && !l.texts[text.Value] {
				l.texts[text.Value] = true
				stacks[text.Value] = true
			}
		}
	})
	reached := r.stacks(stacks)
	for name, l := range found {
		all[l.at].Named = len(l.texts)
		for text := range l.texts {
			if !slices.ContainsFunc(r.typesOf(name), func(of string) bool {
				t := r.set.Entity(of)
				if r.tree != nil && t == r.tree.ContextTable && reached[text] {
					return true
				}
				if known[of] == nil {
					known[of] = map[string]bool{}
					for _, n := range t.Names {
						known[of][n] = true
					}
				}
				return known[of][text]
			}) {
				all[l.at].Missing++
			}
		}
	}
	return all, nil
}

// meant is the name that the left side of a comparison stands for.
func (r *filterReader) meant(left ast.Node) string {
	name, _ := written(left)
	return r.names[name][0]
}

// stacks tells which of the stacks there are in the tree.
func (r *filterReader) stacks(texts map[string]bool) map[string]bool {
	there := map[string]bool{}
	if r.tree != nil {
		for _, s := range alongStacks(r.tree, texts) {
			if s != nil && s.whole {
				there[s.stack] = true
			}
		}
	}
	return there
}

// FindStack gives the context of the data set's own tree that a stack leads
// to, written as by StackOf.
func FindStack(t *cct.Tree, stack string) (n cct.NodeID, ok bool) {
	for n, s := range alongStacks(t, map[string]bool{stack: true}) {
		if s != nil && s.whole {
			return cct.NodeID(n), true
		}
	}
	return cct.NoNode, false
}

// entityLists calls yield for every comparison with entities that are listed:
// the types they may be of, and the right side as a list. The filter must have
// been read before.
func (r *filterReader) entityLists(n ast.Node, yield func(types []string, n *ast.BinaryNode, nodes []ast.Node)) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		r.entityLists(n.Node, yield)
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			r.entityLists(n.Left, yield)
			r.entityLists(n.Right, yield)
		case "==", "!=", "in":
			types := r.typesOf(r.meant(n.Left))
			if len(types) == 0 {
				return // a value
			}
			if list, ok := n.Right.(*ast.ArrayNode); ok {
				yield(types, n, list.Nodes)
			} else {
				yield(types, n, []ast.Node{n.Right})
			}
		}
	}
}
