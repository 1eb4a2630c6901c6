package query

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// valueRanges reads the right side of a comparison of a value.
func valueRanges(op string, right ast.Node) ([]data.Span, error) {
	if op == "in" {
		if between, ok := right.(*ast.BinaryNode); ok && between.Operator == ".." {
			from, ok1 := integer(between.Left)
			to, ok2 := integer(between.Right)
			if !ok1 || !ok2 {
				return nil, fmt.Errorf("expected whole numbers on both sides of the dots")
			}
			return []data.Span{{From: from, To: to}}, nil
		}
		list, ok := right.(*ast.ArrayNode)
		if !ok {
			return nil, fmt.Errorf("expected FROM..TO or a list after in")
		}
		var ranges []data.Span
		for _, n := range list.Nodes {
			v, ok := integer(n)
			if !ok {
				return nil, fmt.Errorf("expected whole numbers, but the list has %s", n)
			}
			ranges = append(ranges, data.Span{From: v, To: v})
		}
		return ranges, nil
	}
	v, ok := integer(right)
	if !ok {
		return nil, fmt.Errorf("is a value, so that a whole number is expected after %s", op)
	}
	switch op {
	case "==":
		return []data.Span{{From: v, To: v}}, nil
	case "<":
		if v == math.MinInt64 {
			return nil, nil
		}
		return []data.Span{{From: math.MinInt64, To: v - 1}}, nil
	case "<=":
		return []data.Span{{From: math.MinInt64, To: v}}, nil
	case ">":
		if v == math.MaxInt64 {
			return nil, nil
		}
		return []data.Span{{From: v + 1, To: math.MaxInt64}}, nil
	case ">=":
		return []data.Span{{From: v, To: math.MaxInt64}}, nil
	}
	return nil, fmt.Errorf("is a value, so that it cannot be compared by %s", op)
}

// integer reads a whole number, negative ones too.
func integer(n ast.Node) (int64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return int64(n.Value), true
	case *ast.UnaryNode:
		v, ok := integer(n.Node)
		switch n.Operator {
		case "-":
			return -v, ok
		case "+":
			return v, ok
		}
	}
	return 0, false
}

// entityTest reads the right side of a comparison of a reference. The answer
// marks the rows of a table that it holds for.
func (r *filterReader) entityTest(op string, right ast.Node) (func(*data.EntityTable) []bool, error) {
	switch op {
	case "==":
		return r.listTest([]ast.Node{right})
	case "in":
		if list, ok := right.(*ast.ArrayNode); ok {
			return r.listTest(list.Nodes)
		}
		return nil, fmt.Errorf("expected a list such as [\"a\", \"b\"] after in")
	case "matches", "contains", "startsWith", "endsWith":
	default:
		return nil, fmt.Errorf("names entities, so that it cannot be compared by %s", op)
	}
	text, ok := right.(*ast.StringNode)
	if !ok {
		return nil, fmt.Errorf("expected a text in quotes after %s", op)
	}
	holds := map[string]func(name, part string) bool{
		"contains": strings.Contains, "startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix,
	}[op]
	if op == "matches" {
		re, err := regexp.Compile(text.Value)
		if err != nil {
			return nil, err
		}
		holds = func(name, _ string) bool { return re.MatchString(name) }
	}
	return func(t *data.EntityTable) []bool {
		marks := make([]bool, t.Rows())
		for row, name := range t.Names {
			marks[row] = holds(name, text.Value)
		}
		return marks
	}, nil
}

// stackArrow stands between the methods of a calling context's stack.
const stackArrow = " → "

func (r *filterReader) listTest(nodes []ast.Node) (func(*data.EntityTable) []bool, error) {
	names, ids := map[string]bool{}, map[int64]bool{}
	for _, n := range nodes {
		if text, ok := n.(*ast.StringNode); ok {
			names[text.Value] = true
		} else if id, ok := integer(n); ok {
			ids[id] = true
		} else {
			return nil, fmt.Errorf("expected a name in quotes or a number, not %s", n)
		}
	}
	return func(t *data.EntityTable) []bool {
		marks := make([]bool, t.Rows())
		ofTree := r.tree != nil && t == r.tree.ContextTable
		for row := range marks {
			id := int64(row)
			if ofTree {
				id = int64(r.tree.OfContext(data.EntityID(row)))
			}
			marks[row] = ids[id]
			if t.Names != nil && names[t.Names[row]] {
				marks[row] = true
			}
		}
		if ofTree {
			markStacks(r.tree, names, marks)
		}
		if ofTree && ids[int64(cct.Root)] {
			for row := range marks {
				marks[row] = true
			}
		}
		return marks
	}, nil
}

// markStacks marks the contexts that are reached along one of the stacks.
func markStacks(t *cct.Tree, stacks map[string]bool, marks []bool) {
	reached := alongStacks(t, stacks)
	if reached == nil {
		return
	}
	for row := range marks {
		if s := reached[t.OfContext(data.EntityID(row))]; s != nil && s.whole {
			marks[row] = true
		}
	}
}

// stackStep is a beginning that stacks have in common.
type stackStep struct {
	next  map[string]*stackStep
	stack string
	whole bool // it is one of the stacks
}

// alongStacks gives for every node the beginning of a stack that leads to it,
// nil if none does; nil if there are no stacks. They become a tree of names
// first, so that one pass over the nodes does for any number of them.
func alongStacks(t *cct.Tree, stacks map[string]bool) []*stackStep {
	var start stackStep
	for stack := range stacks {
		at := &start
		for name := range strings.SplitSeq(stack, stackArrow) {
			if at.next == nil {
				at.next = map[string]*stackStep{}
			}
			if at.next[name] == nil {
				at.next[name] = &stackStep{}
			}
			at = at.next[name]
		}
		at.whole, at.stack = true, stack
	}
	if start.next == nil {
		return nil
	}
	reached := make([]*stackStep, t.Len())
	reached[cct.Root] = &start
	for n := cct.Root + 1; int(n) < t.Len(); n++ {
		if from := reached[t.Parent[n]]; from != nil {
			reached[n] = from.next[t.Name(n)]
		}
	}
	return reached
}

// StackOf names a calling context by its stack, as a filter can.
func StackOf(t *cct.Tree, n cct.NodeID) string {
	var names []string
	for ; n != cct.NoNode && t.Method[n] != data.None; n = t.Parent[n] {
		names = append(names, t.Name(n))
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, stackArrow)
}
