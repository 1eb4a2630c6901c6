package query

import "github.com/expr-lang/expr/ast"

// Conjuncts gives the parts of a filter that must all hold: a and b, of "a and
// (b)". A filter that is no such thing, or none at all, is its only part.
func Conjuncts(text string) []string {
	parsed, err := parse(text)
	if err != nil || parsed == nil {
		return []string{text}
	}
	parts := conjuncts(parsed, nil)
	if len(parts) == 1 {
		return []string{text}
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.String()
	}
	return texts
}

func conjuncts(n ast.Node, parts []ast.Node) []ast.Node {
	if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "and" || b.Operator == "&&") {
		return conjuncts(b.Right, conjuncts(b.Left, parts))
	}
	return append(parts, n)
}

// AllOf is the filter for what all of some filters hold for.
func AllOf(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	all := ""
	for i, text := range texts {
		if i > 0 {
			all += " and "
		}
		all += "(" + text + ")"
	}
	return all
}

// Mentions tells whether a filter has a name in it, as it stands or in quotes.
func Mentions(text, name string) bool {
	parsed, err := parse(text)
	if err != nil || parsed == nil {
		return false
	}
	m := mentions{name: name}
	ast.Walk(&parsed, &m)
	return m.found
}

type mentions struct {
	name  string
	found bool
}

func (m *mentions) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		m.found = m.found || n.Value == m.name
	case *ast.StringNode:
		m.found = m.found || n.Value == m.name
	}
}
