package viz

import (
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/query"
)

// How saved workspaces write compactions. Each action is a line of its own, and
// names its context by the stack:
//
//	"compact:1",
//	"then expand at main → f",
//	"then level=2 at main → g",
//	"then compact-package:java.util"

const (
	actionThen = "then "
	actionAt   = " at "
)

// savedCompaction writes a compaction as lines.
func (w *Workspace) savedCompaction(step query.Step) []string {
	actions, err := step.Actions()
	if err != nil || w.Tree == nil {
		return []string{step.String()}
	}
	lines := []string{query.CompactStep(actions[:1]).String()}
	for _, a := range actions[1:] {
		text := a.String()
		if ofNode(a.Kind) && int(a.Node) < w.Tree.Len() {
			_, rest, found := strings.Cut(text, "=")
			text = string(a.Kind)
			if found {
				text += "=" + rest
			}
			text += actionAt + query.StackOf(w.Tree, a.Node)
		}
		lines = append(lines, actionThen+text)
	}
	return lines
}

func ofNode(k compact.Kind) bool {
	switch k {
	case compact.Expand, compact.Compact, compact.Level, compact.ExpandHere, compact.CompactHere:
		return true
	}
	return false
}

// readAction reads what comes after "then " in a line: the action as part of a
// step's text.
func (w *Workspace) readAction(text string) (action, problem string) {
	text, stack, atNode := strings.Cut(text, actionAt)
	if atNode {
		n, found := cct.Root, stack == ""
		if !found {
			n, found = query.FindStack(w.Tree, stack)
		}
		if !found {
			return "", fmt.Sprintf("the context %s does not occur here, so that it is not shown by another level than what is around it.", stack)
		}
		kind, rest, more := strings.Cut(text, "=")
		text = fmt.Sprintf("%s:%d", kind, n)
		if more {
			text += "=" + rest
		}
	}
	actions, err := compact.ParseActions(text)
	if err != nil {
		return "", fmt.Sprintf("a change of levels cannot be read: %v.", err)
	}
	for _, a := range actions {
		if a.Name == "" || a.Kind == compact.Explain {
			continue
		}
		if _, ok := (made{w: w}).CompactNames(w.Tree.Methods).Find(a.Name); !ok {
			return "", fmt.Sprintf("%s does not occur here, so that its level is not changed.", a.Name)
		}
	}
	return actions.String(), ""
}

// hereStep makes a compaction of another data set fit: it may explain a metric
// that there is not.
func (w *Workspace) hereStep(text string) string {
	p, err := query.ParsePipeline(text)
	if err != nil || len(p) != 1 || p[0].Kind != query.Compact || w.Tree == nil {
		return text
	}
	actions, err := p[0].Actions()
	if err != nil {
		return text
	}
	if _, ok := w.Tree.Metric(actions[0].Name); actions[0].Kind == compact.Explain && !ok {
		actions[0].Name = ""
	}
	return query.CompactStep(actions).String()
}
