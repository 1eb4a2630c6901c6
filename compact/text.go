package compact

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
)

// maxActions bounds the work a text can ask for.
const maxActions = 1000

// Actions is what was done to a tree, one after the other. Its text form is
// that of the actions with ";" between: "level-all:2;expand:12;compact-package:lib2".
// Names are escaped as in the query of an address, so that they hold neither
// "," nor ";", ":" or "=".
type Actions []Action

func (l Actions) String() string {
	words := make([]string, len(l))
	for i, a := range l {
		words[i] = a.String()
	}
	return strings.Join(words, ";")
}

func (a Action) String() string {
	switch a.Kind {
	case Expand, Compact:
		return fmt.Sprintf("%s:%d", a.Kind, a.Node)
	case ExpandPackage, CompactPackage:
		return fmt.Sprintf("%s:%s", a.Kind, url.QueryEscape(a.Name))
	case ExpandHere, CompactHere:
		return fmt.Sprintf("%s:%d=%s", a.Kind, a.Node, url.QueryEscape(a.Name))
	case Level:
		return fmt.Sprintf("%s:%d=%d", a.Kind, a.Node, a.N)
	case LevelAll:
		return fmt.Sprintf("%s:%d", a.Kind, a.N)
	case Explain:
		if a.Name == "" {
			return fmt.Sprintf("%s:%d", a.Kind, a.N)
		}
		return fmt.Sprintf("%s:%d=%s", a.Kind, a.N, url.QueryEscape(a.Name))
	}
	return string(a.Kind)
}

// ParseActions reads the text form. An empty text is no action.
func ParseActions(text string) (Actions, error) {
	var l Actions
	for word := range strings.SplitSeq(text, ";") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		if len(l) == maxActions {
			return nil, fmt.Errorf("there are more than %d actions", maxActions)
		}
		a, err := parseAction(word)
		if err != nil {
			return nil, fmt.Errorf("action %q: %w", word, err)
		}
		l = append(l, a)
	}
	return l, nil
}

func parseAction(word string) (a Action, err error) {
	kind, args, _ := strings.Cut(word, ":")
	a.Kind = Kind(kind)
	first, second, both := strings.Cut(args, "=")
	switch a.Kind {
	case Expand, Compact:
		a.Node, err = parseID(args)
	case ExpandPackage, CompactPackage:
		a.Name, err = parseName(args)
	case ExpandHere, CompactHere:
		if a.Node, err = parseID(first); err == nil {
			a.Name, err = parseName(second)
		}
	case Level:
		if a.Node, err = parseID(first); err == nil {
			a.N, err = parseNumber(second, 0)
		}
	case LevelAll:
		a.N, err = parseNumber(args, 1)
	case Explain:
		if a.N, err = parseNumber(first, 1); err == nil && both {
			a.Name, err = parseName(second)
		}
	case ExpandAll, CompactAll, Reset:
		if args != "" {
			err = fmt.Errorf("%s takes nothing behind it", kind)
		}
	default:
		err = fmt.Errorf("is not one of expand:ID, compact:ID, level:ID=N, expand-all, compact-all, level-all:N, reset, " +
			"expand-package:NAME, compact-package:NAME, expand-here:ID=NAME, compact-here:ID=NAME, explain:N")
	}
	return a, err
}

func parseID(text string) (cct.NodeID, error) {
	id, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("expected the id of a node, got %q", text)
	}
	return cct.NodeID(id), nil
}

func parseNumber(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > maxLevel {
		return 0, fmt.Errorf("expected a number from %d, got %q", least, text)
	}
	return n, nil
}

func parseName(text string) (string, error) {
	name, err := url.QueryUnescape(text)
	if err != nil || name == "" {
		return "", fmt.Errorf("expected an escaped name, got %q", text)
	}
	return name, nil
}
