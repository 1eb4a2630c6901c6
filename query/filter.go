package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// Filter is a predicate over the elements of a data set, events and entities
// alike, made from a text in the syntax of the expression language expr:
//
//	Method == "fib" and not (Package == "java.util")
//	Allocating_Class matches "^org\\.apache" or Object_Size > 1000
//	Location in ["A.f#3", "A.g#9"] and Bytecode in 1000..2000
//	Context == 12 and event in 0..499
//
// A name is that of a field, direct or indirect, or of an entity type; blanks
// and other signs in it are written as _, or the whole name in quotes. A type
// stands for every field that leads to it. What an element does not have, a
// predicate says nothing about: see [Filter.Events].
//
// An entity that is chosen brings along what lies below it in the hierarchy of
// its own type: a package its subpackages, a calling context its subtree. A
// number is the row of an entity, for calling contexts the id that every other
// answer gives. A calling context can also be named by its stack, outermost
// first, with " → " between the methods. event is the sequence number of an
// event within its type.
type Filter struct {
	set  *data.Set
	root clause
}

// clause is a node of the predicate.
type clause interface{}

type (
	notClause struct{ of clause }
	andClause struct{ a, b clause }
	orClause  struct{ a, b clause }
	// refClause holds for elements that refer to one of the marked entities.
	refClause struct {
		name  string
		marks map[string][]bool // entity type -> row -> chosen
	}
	// valueClause holds for elements whose value is in one of the ranges.
	valueClause struct {
		name   string
		ranges []data.Span
	}
)

// sequence is the name of an event's sequence number.
const sequence = "event"

// maxFilter bounds the text of a filter: selections of very many entities are
// long, but no person means a longer one.
const maxFilter = 8 << 20

// ParseFilter reads a filter for a data set. tree is the data set's own tree,
// or nil; it is needed for the ids of calling contexts. An empty text gives
// nil, which is the filter that keeps everything.
func ParseFilter(text string, set *data.Set, tree *cct.Tree) (*Filter, error) {
	parsed, err := parse(text)
	if err != nil || parsed == nil {
		return nil, err
	}
	c := filterReader{set: set, tree: tree, names: namesOf(set)}
	root, err := c.clause(parsed)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return &Filter{set: set, root: root}, nil
}

// parse reads the text as an expression; nil if it is empty.
func parse(text string) (ast.Node, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if len(text) > maxFilter {
		return nil, fmt.Errorf("the filter is longer than %d bytes", maxFilter)
	}
	if err := checkText(text); err != nil {
		return nil, err
	}
	config := conf.CreateNew()
	config.MaxNodes = maxNodes
	parsed, err := parser.ParseWithConfig(text, config)
	if err != nil {
		var where *file.Error
		if errors.As(err, &where) {
			return nil, fmt.Errorf("filter, at character %d: %s", where.Column+1, where.Message)
		}
		return nil, fmt.Errorf("filter: %w", err)
	}
	return parsed.Node, nil
}

// namesOf lists what a filter can name: identifier -> the names it may stand for.
func namesOf(set *data.Set) map[string][]string {
	names := map[string][]string{}
	add := func(name string) {
		for _, key := range []string{name, Identifier(name)} {
			if !slices.Contains(names[key], name) {
				names[key] = append(names[key], name)
			}
		}
	}
	for _, t := range set.Entities() {
		add(t.Definition.Name)
		for _, p := range set.Paths(t.Definition) {
			add(p.Name)
		}
	}
	for _, t := range set.Events() {
		for _, p := range set.Paths(t.Definition) {
			if !p.IsCount() {
				add(p.Name)
			}
		}
	}
	if _, taken := names[sequence]; !taken {
		names[sequence] = []string{sequence}
	}
	return names
}

// Identifier is how a name is written in a filter without quotes.
func Identifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		default:
			if !strings.HasSuffix(b.String(), "_") {
				b.WriteByte('_')
			}
		}
	}
	return b.String()
}

// filterReader turns the parsed text into clauses.
type filterReader struct {
	set   *data.Set
	tree  *cct.Tree
	names map[string][]string
	depth int
}

// The parser recurses, so that both its depth and its work are bounded. A list
// of a selection's entities has a node for each.
const (
	maxDepth = 1000
	maxNodes = 200_000
)

// checkText refuses what the parser, which recurses, would fall over: brackets
// and prefixes that nest without end, and all signs of the expression language
// that a filter has no use for.
func checkText(text string) error {
	depth, prefixes := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quote != 0 {
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
			continue
		}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c == '-' || c == '+' || c == '!':
			prefixes++
		case strings.HasPrefix(text[i:], "not") && (i+3 == len(text) || !wordByte(text[i+3])):
			prefixes++
			i += len("not") - 1
		case c == '(' || c == '[':
			depth++
			prefixes = 0
		case c == ')' || c == ']':
			depth--
			prefixes = 0
		case c == '"' || c == '\'' || c == '`':
			quote = c
			prefixes = 0
		case wordByte(c) || strings.IndexByte("=<>&|,.", c) >= 0:
			prefixes = 0
		default:
			return fmt.Errorf("filter, at character %d: %q has no meaning outside of quotes", i+1, c)
		}
		if depth > maxDepth || prefixes > maxDepth {
			return fmt.Errorf("the filter nests deeper than %d", maxDepth)
		}
	}
	return nil
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (r *filterReader) clause(n ast.Node) (clause, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, fmt.Errorf("the filter nests deeper than %d", maxDepth)
	}
	defer func() { r.depth-- }()
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			of, err := r.clause(n.Node)
			return notClause{of}, err
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			a, err := r.clause(n.Left)
			if err != nil {
				return nil, err
			}
			b, err := r.clause(n.Right)
			if n.Operator == "and" || n.Operator == "&&" {
				return andClause{a, b}, err
			}
			return orClause{a, b}, err
		case "!=":
			t, err := r.comparison(n.Left, "==", n.Right)
			return notClause{t}, err
		default:
			return r.comparison(n.Left, n.Operator, n.Right)
		}
	}
	return nil, fmt.Errorf("%s: expected a comparison, such as Method == \"main\"", n)
}

func (r *filterReader) comparison(left ast.Node, op string, right ast.Node) (clause, error) {
	written, ok := written(left)
	if !ok {
		return nil, fmt.Errorf("%s: expected the name of a field or of an entity type", left)
	}
	meant := r.names[written]
	switch len(meant) {
	case 0:
		return nil, fmt.Errorf("there is no field and no type of entity called %q (there are %s)", written, r.known())
	case 1:
	default:
		return nil, fmt.Errorf("%s may stand for %q: write the name in quotes", written, meant)
	}
	name := meant[0]
	types := r.typesOf(name)
	if len(types) == 0 {
		ranges, err := valueRanges(op, right)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", written, err)
		}
		return valueClause{name, ranges}, nil
	}
	if call, is := right.(*ast.CallNode); is && op == "in" {
		marks, err := r.packedMarks(call, types)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", written, err)
		}
		return refClause{name, marks}, nil
	}
	test, err := r.entityTest(op, right)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", written, err)
	}
	marks := map[string][]bool{}
	for _, t := range types {
		marks[t] = test(r.set.Entity(t))
		spread(r.set.Entity(t), marks[t])
	}
	return refClause{name, marks}, nil
}

// written is the left side of a comparison as it stands there.
func written(left ast.Node) (name string, ok bool) {
	switch l := left.(type) {
	case *ast.IdentifierNode:
		return l.Value, true
	case *ast.StringNode:
		return l.Value, true
	}
	return "", false
}

func (r *filterReader) known() string {
	var names []string
	for _, meant := range r.names {
		names = append(names, meant...)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// typesOf gives the entity types that a name leads to: itself, or what fields
// of that name refer to.
func (r *filterReader) typesOf(name string) []string {
	var types []string
	add := func(t string) {
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if r.set.Entity(name) != nil {
		add(name)
	}
	for _, def := range definitions(r.set) {
		for _, p := range r.set.Paths(def) {
			if p.Name == name && p.Field.IsReference() {
				add(p.Field.Refers)
			}
		}
	}
	return types
}

func definitions(set *data.Set) []data.Definition {
	var all []data.Definition
	for _, t := range set.Entities() {
		all = append(all, t.Definition)
	}
	for _, t := range set.Events() {
		all = append(all, t.Definition)
	}
	return all
}

// spread marks everything below a marked entity in its own hierarchy. Parents
// come before their children, so that one pass does.
func spread(t *data.EntityTable, marks []bool) {
	h := t.FieldWith(data.Hierarchy)
	if h < 0 {
		return
	}
	for row, parent := range t.Columns[h].Refs {
		if parent != data.None && marks[parent] {
			marks[row] = true
		}
	}
}
