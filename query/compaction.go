package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// Structural compaction as a step. Its text are the actions that a person took,
// relative to the tree that the steps before it make: "compact:1;expand:12".
// The first may be the level that all names have to begin with, 1 if there is
// none. An action that sets all levels makes those before it void, and they are
// left out.
//
// Actions speak of nodes by ids. If steps before the compaction or the filter
// change, some of what was done may be possible no more: that is passed over,
// as a picture of the rest is of more use than none, and told ([Doubt]).

// Compacted is the tree of a compaction, with the actions that were passed over.
type Compacted struct {
	*compact.Tree
	Skipped []Skipped
}

// Skipped is an action that was not possible.
type Skipped struct {
	Action compact.Action
	Why    string // a sentence
}

// parseCompact gives the text of a compaction's actions its one form.
func parseCompact(text string) (string, error) {
	actions, err := compactActions(text)
	if err != nil {
		return "", err
	}
	return compactText(actions), nil
}

// compactActions reads the text of a compaction. The first action sets all
// levels.
func compactActions(text string) (compact.Actions, error) {
	first, rest, _ := strings.Cut(text, ";")
	level, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		level, rest = 1, text
	}
	if level < 1 {
		return nil, fmt.Errorf("the level %d: expected a number from 1", level)
	}
	actions, err := compact.ParseActions(rest)
	if err != nil {
		return nil, err
	}
	return withoutVoid(append(compact.Actions{{Kind: compact.LevelAll, N: level}}, actions...)), nil
}

// Actions are the actions of a compaction. The first sets all levels.
func (s Step) Actions() (compact.Actions, error) { return compactActions(s.Text) }

// CompactStep is the compaction of actions of which the first sets all levels.
func CompactStep(actions compact.Actions) Step {
	return Step{Kind: Compact, Text: compactText(actions)}
}

// withoutVoid leaves out what a later action makes void.
func withoutVoid(actions compact.Actions) compact.Actions {
	for i := len(actions) - 1; i >= 0; i-- {
		switch actions[i].Kind {
		case compact.Reset:
			return append(compact.Actions{{Kind: compact.LevelAll, N: 1}}, actions[i+1:]...)
		case compact.LevelAll, compact.Explain:
			return actions[i:]
		}
	}
	return actions
}

// compactText writes actions of which the first sets all levels.
func compactText(actions compact.Actions) string {
	if actions[0].Kind != compact.LevelAll {
		return actions.String()
	}
	text := strconv.Itoa(actions[0].N)
	if len(actions) > 1 {
		text += ";" + actions[1:].String()
	}
	return text
}

// compacted makes the tree of a compaction, the last step of p, from what the
// steps before it leave. It goes on from the longest part of its actions whose
// tree is remembered.
func (p Pipeline) compacted(v cct.View, trees Trees) (*Compacted, error) {
	last := len(p) - 1
	step := p[last]
	actions, err := compactActions(step.Text)
	if err != nil {
		return nil, fmt.Errorf("step %q: %w", step, err)
	}
	for _, a := range actions {
		if int64(a.Node) >= int64(v.Base().Len()) {
			return nil, fmt.Errorf("step %q: there is no context %d", step, a.Node)
		}
	}
	key := func(n int) string {
		part := append(append(Pipeline{}, p[:last]...), Step{Kind: Compact, Text: compactText(actions[:n])})
		return part.making()
	}
	var t *Compacted
	done := len(actions)
	if trees != nil {
		for ; done > 0 && t == nil; done-- {
			t = trees.GetCompacted(key(done))
		}
		if t != nil {
			done++
		}
		if t != nil && done == len(actions) {
			return t, nil
		}
	}
	if t == nil {
		level := 1
		if actions[0].Kind == compact.LevelAll {
			level = actions[0].N
		}
		t, done = &Compacted{Tree: compact.New(v.Tree, v.Root, namesFor(v.Methods, trees), level)}, 1
		if actions[0].Kind != compact.LevelAll {
			done = 0
		}
	}
	if t, err = t.take(actions[done:]); err != nil {
		return nil, fmt.Errorf("step %q: %w", step, err)
	}
	if trees != nil {
		trees.PutCompacted(key(len(actions)), t)
	}
	return t, nil
}

// take takes actions, as far as they are possible.
func (t *Compacted) take(actions compact.Actions) (*Compacted, error) {
	var possible compact.Actions
	why := make([]string, len(actions))
	var at []int // possible action -> action
	for i, a := range actions {
		if why[i] = t.notHere(a); why[i] == "" {
			possible, at = append(possible, a), append(at, i)
		}
	}
	made, errs := t.ApplyAll(possible)
	for k, err := range errs {
		if is := new(compact.Blocked); errors.As(err, &is) {
			why[at[k]] = is.Why
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", possible[k], err)
		}
	}
	skipped := slices.Clip(t.Skipped)
	for i, a := range actions {
		if why[i] != "" {
			skipped = append(skipped, Skipped{a, why[i]})
		}
	}
	return &Compacted{made, skipped}, nil
}

// notHere tells why what an action is about is not in the tree; "" if it is.
func (t *Compacted) notHere(a compact.Action) string {
	switch a.Kind {
	case compact.Expand, compact.Compact, compact.Level, compact.ExpandHere, compact.CompactHere:
		if _, ok := t.Node(a.Node); !ok {
			return fmt.Sprintf("%s is not part of what the steps before leave.", t.Base().Name(a.Node))
		}
	}
	switch a.Kind {
	case compact.ExpandPackage, compact.CompactPackage, compact.ExpandHere, compact.CompactHere:
		if _, ok := t.Names.Find(a.Name); !ok {
			return fmt.Sprintf("There is no package, class or method %s.", a.Name)
		}
	}
	return ""
}

// skips tells what a compaction passed over, if it did.
func (s Step) skips(made *Compacted) (d Doubt) {
	if len(made.Skipped) == 0 {
		return d
	}
	actions, _ := s.Actions()
	all := len(actions)
	if actions[0].Kind == compact.LevelAll {
		all-- // where everything begins
	}
	d.Text = fmt.Sprintf("%d of %d actions do not apply here", len(made.Skipped), all)
	if all == 1 {
		d.Text = "its action does not apply here"
	}
	for _, skipped := range made.Skipped {
		d.Details = append(d.Details, fmt.Sprintf("%s: %s", skipped.Action, skipped.Why))
	}
	return d
}

func namesFor(methods *data.EntityTable, trees Trees) *compact.Names {
	if trees != nil {
		return trees.CompactNames(methods)
	}
	split := make([]symbol.Name, methods.Rows())
	for m := range split {
		split[m] = symbol.Split(symbol.Unknown, methods.NameOf(data.EntityID(m)), "", "")
	}
	return compact.NewNames(methods, split)
}

// Act is something a person does to the compacted nodes of a picture. Package
// actions are about the package, or the class, that the node is shown as.
type Act struct {
	Kind compact.Kind
	Node cct.NodeID
	N    int
	Name string // of the metric that Explain is about
}

// Act takes an action on the last compaction of a pipeline, or on start, a
// compaction to add if there is none. If the action is blocked, or the node
// cannot be found, the error is a *[compact.Blocked].
func (p Pipeline) Act(ctx context.Context, base *cct.Tree, trees Trees, start Step, act Act) (Pipeline, error) {
	at := p.lastCompact()
	if at < 0 {
		p = append(p[:len(p):len(p)], start)
		at = len(p) - 1
	}
	v, err := p[:at].Apply(ctx, base, trees)
	if err != nil {
		return nil, err
	}
	t, err := p[:at+1].compacted(v, trees)
	if err != nil {
		return nil, err
	}
	a := compact.Action{Kind: act.Kind, Node: act.Node, N: act.N, Name: act.Name}
	switch a.Kind {
	case compact.ExpandPackage, compact.CompactPackage, compact.ExpandHere, compact.CompactHere:
		if err := named(t.Tree, &a); err != nil {
			return nil, err
		}
	}
	made, err := t.Apply(a)
	if err != nil {
		if isBlocked := new(compact.Blocked); !errors.As(err, &isBlocked) {
			if _, ok := t.Node(a.Node); !ok {
				err = &compact.Blocked{Why: "This is not part of what the compaction shows: remove the steps before it, or choose another node."}
			}
		}
		return nil, err
	}
	actions, err := compactActions(p[at].Text)
	if err != nil {
		return nil, err
	}
	actions = withoutVoid(append(actions, a))
	if len(actions) > maxActions {
		return nil, &compact.Blocked{Why: fmt.Sprintf("A compaction can have %d actions: undo some, or reset it.", maxActions)}
	}
	changed := append(Pipeline{}, p...)
	changed[at].Text = compactText(actions)
	if trees != nil {
		trees.PutCompacted(changed[:at+1].making(), &Compacted{made, t.Skipped})
	}
	return changed, nil
}

// maxActions bounds what an address has to hold.
const maxActions = 500

// named gives an action about a package its name: that of the node, or to
// compact, of what is around it.
func named(t *compact.Tree, a *compact.Action) error {
	row, ok := t.Node(a.Node)
	switch {
	case !ok:
		return &compact.Blocked{Why: "This is not part of what the compaction shows."}
	case t.Level(row) == 0:
		return &compact.Blocked{Why: "The root is no package: choose a node below it."}
	}
	name := t.Method[row]
	if level := t.Level(row); level > 1 && (a.Kind == compact.CompactPackage || a.Kind == compact.CompactHere) {
		name = t.Names.Prefix(name, level-1)
	}
	a.Name = t.Names.Table().NameOf(name)
	if a.Kind == compact.ExpandPackage || a.Kind == compact.CompactPackage {
		a.Node = 0
	}
	return nil
}

// lastCompact is the position of the last compaction, or -1.
func (p Pipeline) lastCompact() int {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Kind == Compact {
			return i
		}
	}
	return -1
}

// Compacts reports whether a pipeline has a compaction.
func (p Pipeline) Compacts() bool { return p.lastCompact() >= 0 }
