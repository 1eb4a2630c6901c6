package query

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// ParseSearch reads a search for contexts: terms with blanks between, of which
// all must hold.
//
//	text  "two words"     the method's full name contains it, whatever the case
//	/expression/          the name matches the regular expression (RE2)
//	package:P             the method is in package P or one below it
//	class:C               its class is C, with or without its package
//	method:M              its own name is M, with or without arguments
//	self>1000  total>=5%  the metric's own or whole amount, as a number or as a
//	                      share of the root of the tree
//	parent<50%            the whole amount as a share of the caller's
//
// A term that begins with "-" must not hold. Comparisons are > >= < <= and =.
// names gives the split names of the tree's methods by id. metric is the index
// of the metric that amounts are of.
func ParseSearch(text string, t *cct.Tree, metric int, names []symbol.Name) (cct.Predicate, error) {
	terms, err := splitTerms(text)
	if err != nil {
		return cct.Predicate{}, err
	}
	if len(terms) == 0 {
		return cct.Predicate{}, fmt.Errorf("the search is empty")
	}
	var ofMethod []func(data.EntityID) bool
	var ofContext []func(*cct.Tree, cct.NodeID) bool
	for _, term := range terms {
		word, not := term.text, false
		if !term.quoted && len(word) > 1 && word[0] == '-' {
			word, not = word[1:], true
		}
		if !term.quoted {
			f, err := amount(word, t, metric)
			if err != nil {
				return cct.Predicate{}, err
			}
			if f != nil {
				ofContext = append(ofContext, func(t *cct.Tree, n cct.NodeID) bool { return f(t, n) != not })
				continue
			}
		}
		f, err := methodTerm(word, term.quoted, t, names)
		if err != nil {
			return cct.Predicate{}, err
		}
		ofMethod = append(ofMethod, func(m data.EntityID) bool { return f(m) != not })
	}
	p := cct.Predicate{}
	if len(ofMethod) > 0 {
		p.Method = func(m data.EntityID) bool {
			for _, f := range ofMethod {
				if !f(m) {
					return false
				}
			}
			return true
		}
	}
	if len(ofContext) > 0 {
		p.Context = func(t *cct.Tree, n cct.NodeID) bool {
			for _, f := range ofContext {
				if !f(t, n) {
					return false
				}
			}
			return true
		}
	}
	return p, nil
}

type term struct {
	text   string
	quoted bool
}

// splitTerms splits at blanks, but not within quotes or between slashes.
func splitTerms(text string) ([]term, error) {
	var terms []term
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return terms, nil
		}
		if text[0] == '"' {
			end := strings.IndexByte(text[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("a quote is not closed: %s", text)
			}
			terms = append(terms, term{text[1 : 1+end], true})
			text = text[end+2:]
			continue
		}
		start := 0
		if text[0] == '-' {
			start = 1
		}
		end := strings.IndexFunc(text, unicode.IsSpace)
		if start < len(text) && text[start] == '/' {
			// The expression ends at a slash before a blank or the end, so
			// that it may contain both.
			for i := start + 1; i < len(text); i++ {
				if text[i] == '/' && (i+1 == len(text) || unicode.IsSpace(rune(text[i+1]))) {
					end = i + 1
					break
				}
			}
		}
		if end < 0 {
			end = len(text)
		}
		terms = append(terms, term{text[:end], false})
		text = text[end:]
	}
}

func methodTerm(word string, quoted bool, t *cct.Tree, names []symbol.Name) (func(data.EntityID) bool, error) {
	if !quoted {
		if len(word) > 2 && word[0] == '/' && word[len(word)-1] == '/' {
			re, err := regexp.Compile(word[1 : len(word)-1])
			if err != nil {
				return nil, fmt.Errorf("%s is no regular expression: %w", word, err)
			}
			return func(m data.EntityID) bool { return re.MatchString(t.Methods.NameOf(m)) }, nil
		}
		if key, value, ok := strings.Cut(word, ":"); ok && value != "" {
			switch key {
			case "package":
				return func(m data.EntityID) bool { return inPackage(names[m], value) }, nil
			case "class":
				return func(m data.EntityID) bool {
					return names[m].Class != "" && (names[m].Class == value || names[m].ClassName() == value)
				}, nil
			case "method":
				return func(m data.EntityID) bool {
					own := names[m].Method
					if own == value || t.Methods.NameOf(m) == value {
						return true
					}
					i := strings.IndexByte(own, '(')
					return i > 0 && own[:i] == value
				}, nil
			}
		}
	}
	lower := strings.ToLower(word)
	return func(m data.EntityID) bool { return strings.Contains(strings.ToLower(t.Methods.NameOf(m)), lower) }, nil
}

func inPackage(name symbol.Name, pkg string) bool {
	whole := name.PackageName(len(name.Package))
	rest, ok := strings.CutPrefix(whole, pkg)
	return ok && (rest == "" || strings.HasPrefix(rest, name.Language.Separator()))
}

var amountTerm = regexp.MustCompile(`^(self|total|parent)(>=|<=|>|<|=)(.*)$`)

// amount reads a condition on the metric; it gives nil for a word that is none.
func amount(word string, t *cct.Tree, metric int) (func(*cct.Tree, cct.NodeID) bool, error) {
	parts := amountTerm.FindStringSubmatch(word)
	if parts == nil {
		return nil, nil
	}
	number, percent := strings.CutSuffix(parts[3], "%")
	limit, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return nil, fmt.Errorf("%q: expected a number or a percentage after %s", word, parts[2])
	}
	if parts[1] == "parent" && !percent {
		return nil, fmt.Errorf("%q: expected a percentage, such as parent>50%%", word)
	}
	if percent {
		limit /= 100
	}
	holds := compare(parts[2], limit)
	whole := float64(t.Base().Total[metric][cct.Root])
	share := func(part, of float64) float64 {
		if of == 0 {
			return 0
		}
		return part / of
	}
	return func(t *cct.Tree, n cct.NodeID) bool {
		v := float64(t.Total[metric][n])
		switch {
		case parts[1] == "parent":
			if t.Parent[n] == cct.NoNode {
				return holds(1)
			}
			return holds(share(v, float64(t.Total[metric][t.Parent[n]])))
		case parts[1] == "self":
			v = float64(t.Self[metric][n])
		}
		if percent {
			v = share(v, whole)
		}
		return holds(v)
	}, nil
}

func compare(op string, limit float64) func(float64) bool {
	switch op {
	case ">":
		return func(v float64) bool { return v > limit }
	case ">=":
		return func(v float64) bool { return v >= limit }
	case "<":
		return func(v float64) bool { return v < limit }
	case "<=":
		return func(v float64) bool { return v <= limit }
	}
	return func(v float64) bool { return v == limit }
}
