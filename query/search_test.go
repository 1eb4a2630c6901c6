package query

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// javaNames are full names; javaParts are what they are made of, by hand.
var javaNames = []string{
	"org.app.Main.main([Ljava/lang/String;)V",
	"org.app.parse.Lexer.next()I",
	"org.app.parse.Lexer.next(I)I",
	"org.apple.Tree.Next()V",
	"java.util.ArrayList.get(I)Ljava/lang/Object;",
	"say hello world",
}

var javaParts = []struct{ pkg, class, method string }{
	{"org.app", "Main", "main([Ljava/lang/String;)V"},
	{"org.app.parse", "Lexer", "next()I"},
	{"org.app.parse", "Lexer", "next(I)I"},
	{"org.apple", "Tree", "Next()V"},
	{"java.util", "ArrayList", "get(I)Ljava/lang/Object;"},
	{"", "", "say hello world"},
}

// java is
//
//	row  self  total
//	 0         1000   ·
//	 1   100    950     Main.main
//	 2   300    600       Lexer.next()
//	 3   200    200         Lexer.next(I)
//	 4   100    100         ArrayList.get
//	 5   250    250       Tree.Next
//	 6    50     50     say hello world
func java(t tb) (*cct.Tree, []symbol.Name) {
	base := tree(t, javaNames,
		[]data.EntityID{data.None, 0, 1, 1, 0, data.None},
		[]data.EntityID{0, 1, 2, 4, 3, 5},
		[]int64{100, 300, 200, 100, 250, 50})
	var names []symbol.Name
	for _, name := range javaNames {
		names = append(names, symbol.Split(symbol.Unknown, name, "", ""))
	}
	return base, names
}

func TestSearch(t *testing.T) {
	base, names := java(t)
	all := func(cct.NodeID) bool { return true }
	full := func(n cct.NodeID) string { return base.Name(n) }
	has := func(s string) func(cct.NodeID) bool {
		return func(n cct.NodeID) bool { return strings.Contains(strings.ToLower(full(n)), s) }
	}
	matches := func(re string) func(cct.NodeID) bool {
		return func(n cct.NodeID) bool { return regexp.MustCompile(re).MatchString(full(n)) }
	}
	not := func(f func(cct.NodeID) bool) func(cct.NodeID) bool {
		return func(n cct.NodeID) bool { return !f(n) }
	}
	pkg := func(n cct.NodeID) string { return javaParts[base.Method[n]].pkg }
	class := func(n cct.NodeID) string { return javaParts[base.Method[n]].class }
	method := func(n cct.NodeID) string { return javaParts[base.Method[n]].method }
	self := func(n cct.NodeID) float64 { return float64(base.Self[0][n]) }
	total := func(n cct.NodeID) float64 { return float64(base.Total[0][n]) }
	ofParent := func(n cct.NodeID) float64 { return total(n) / total(base.Parent[n]) }

	for text, holds := range map[string]func(cct.NodeID) bool{
		"next":                          has("next"),
		"  NEXT\t":                      has("next"),
		"hello world":                   has("hello world"),
		"world say":                     has("hello"), // both words, in any order
		`"hello world"`:                 has("hello world"),
		`"world say"`:                   has("world say"),
		`"-next"`:                       has("-next"),
		`"self>0"`:                      has("self>0"),
		`"/next/"`:                      has("/next/"),
		`"class:Lexer"`:                 has("class:lexer"),
		"-next":                         not(has("next")),
		"-":                             has("-"),
		"get -arraylist":                func(cct.NodeID) bool { return false },
		"/next/":                        matches("next"),
		"/Next|get/":                    matches("Next|get"),
		"/hello wor/":                   matches("hello wor"), // blanks are part of it
		"-/hello wor/":                  not(matches("hello wor")),
		"/y h/ /o w/":                   matches("hello"),
		"/(?i)NEXT/":                    has("next"),
		"/^org/ lexer":                  has("lexer"),
		"/lang/String/":                 matches("lang/String"), // slashes too
		"/next":                         has("/next"),           // not closed: a text
		"//":                            has("//"),
		"package:org.app":               func(n cct.NodeID) bool { return pkg(n) == "org.app" || strings.HasPrefix(pkg(n), "org.app.") },
		"package:org":                   func(n cct.NodeID) bool { return strings.HasPrefix(pkg(n), "org.") },
		"package:or":                    func(cct.NodeID) bool { return false },
		"-package:org":                  func(n cct.NodeID) bool { return !strings.HasPrefix(pkg(n), "org.") },
		"class:Lexer":                   func(n cct.NodeID) bool { return class(n) == "Lexer" },
		"class:org.app.parse.Lexer":     func(n cct.NodeID) bool { return class(n) == "Lexer" },
		"class:lexer":                   func(cct.NodeID) bool { return false },
		"method:next":                   func(n cct.NodeID) bool { return strings.HasPrefix(method(n), "next(") },
		"method:next(I)I":               func(n cct.NodeID) bool { return method(n) == "next(I)I" },
		"method:Next":                   func(n cct.NodeID) bool { return method(n) == "Next()V" },
		"method:org.apple.Tree.Next()V": func(n cct.NodeID) bool { return class(n) == "Tree" },
		"package:":                      has("package:"),
		"std:move":                      has("std:move"), // an unknown key is text
		"self>100":                      func(n cct.NodeID) bool { return self(n) > 100 },
		"self>=100":                     func(n cct.NodeID) bool { return self(n) >= 100 },
		"self<100":                      func(n cct.NodeID) bool { return self(n) < 100 },
		"self<=1e2":                     func(n cct.NodeID) bool { return self(n) <= 100 },
		"self=100":                      func(n cct.NodeID) bool { return self(n) == 100 },
		"-self=100":                     func(n cct.NodeID) bool { return self(n) != 100 },
		"total>=25%":                    func(n cct.NodeID) bool { return total(n)/1000 >= 0.25 },
		"total<25%":                     func(n cct.NodeID) bool { return total(n)/1000 < 0.25 },
		"self>9.5%":                     func(n cct.NodeID) bool { return self(n) > 95 },
		"total>0":                       all,
		"total>-1":                      all,
		"parent>50%":                    func(n cct.NodeID) bool { return ofParent(n) > 0.5 },
		"parent<50%":                    func(n cct.NodeID) bool { return ofParent(n) < 0.5 },
		"-parent>50%":                   func(n cct.NodeID) bool { return ofParent(n) <= 0.5 },
		"lexer parent<50% self>1":       func(n cct.NodeID) bool { return class(n) == "Lexer" && ofParent(n) < 0.5 },
		"selfish":                       has("selfish"),
	} {
		p, err := ParseSearch(text, base, 0, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		found := cct.Find(base, cct.Root, 0, p)
		for n := cct.NodeID(1); n < base.End[cct.Root]; n++ {
			if found.Has(n) != holds(n) {
				t.Errorf("%s: %s (row %d) should be found: %v", text, full(n), n, holds(n))
			}
		}
		if found.Has(cct.Root) {
			t.Errorf("%s finds the synthetic root", text)
		}
	}
}

// Shares of the root are shares of the whole data set, in every tree of it;
// the root of a made tree has no caller and counts as all of it.
func TestSearchInMadeTree(t *testing.T) {
	base, names := java(t)
	v, err := Pipeline{{Kind: Focus, N: 2}, {Kind: NoRecursion}}.Apply(context.Background(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"total>=60%": 1, "total>=61%": 0, "parent=100%": 1, "next": 2} {
		p, err := ParseSearch(text, v.Tree, 0, names)
		if err != nil {
			t.Fatal(err)
		}
		if got := cct.Find(v.Tree, v.Root, 0, p).Count; got != want {
			t.Errorf("%s finds %d contexts, not %d", text, got, want)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	base, names := java(t)
	for text, want := range map[string]string{
		"":               "the search is empty",
		" \t ":           "the search is empty",
		`next "open`:     `a quote is not closed: "open`,
		"/(/":            "/(/ is no regular expression",
		"-/a{2,1}/":      "is no regular expression",
		"self>":          "expected a number or a percentage after >",
		"total>=x":       `"total>=x": expected a number`,
		"total==5":       "expected a number",
		"self>5%%":       "expected a number",
		"parent>0.5":     "expected a percentage",
		"next self<many": `"self<many"`,
	} {
		if _, err := ParseSearch(text, base, 0, names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives the error %v, which does not say %q", text, err, want)
		}
	}
}
